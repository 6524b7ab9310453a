package interact_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games/catalog"
)

// sea is a rig with a table of each game, as a target for forged interactions.
type sea struct {
	*bottest.Rig
	messages []*localdiscord.Message
	direct   []*localdiscord.Message // the bot's direct messages to the first three users of bottest.World
}

func newSea(t testing.TB) *sea {
	r := bottest.New(t)
	s := &sea{Rig: r}
	for i, g := range catalog.Games {
		channel := []string{localdiscord.TortugaTables, localdiscord.TortugaTavern, localdiscord.TortugaHarbour,
			localdiscord.NassauTables, localdiscord.NassauBeach}[i%5]
		if i < 5 {
			s.messages = append(s.messages, r.Open(channel, g, bottest.World[:2]))
		} else {
			// a lobby in a thread
			r.Command(localdiscord.Anne, channel, "play", localdiscord.Opt("game", g.Key()),
				localdiscord.Opt("players", 3))
		}
	}
	// Each of these users also has a table in direct messages, where there is no server.
	for _, u := range bottest.World[:3] {
		dm := directly(r, u)
		r.Command(u, dm, "play", localdiscord.Opt("game", catalog.Games[0].Key()), localdiscord.Opt("level", "easy"))
		m, err := r.WaitMessage(dm, u, bottest.IsTurn)
		if err != nil {
			t.Fatal(err)
		}
		s.direct = append(s.direct, m)
	}
	return s
}

// strike sends an interaction with arbitrary content, and checks that it is answered with a sentence, a form or
// choices.
func (s *sea) strike(t testing.TB, who, where uint8, kind int, id, value string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(s.Ctx, bottest.Patience)
	defer cancel()
	user := bottest.World[int(who)%3]
	m := s.messages[int(where)%len(s.messages)]
	if where%4 == 0 {
		m = s.direct[int(who)%3]
	}
	data := map[string]any{"custom_id": id, "component_type": 2}
	source := m.ID
	switch kind {
	case 2, 4:
		source = ""
		name, option, _ := strings.Cut(id, " ")
		o := map[string]any{"name": option, "type": 3, "value": value}
		if kind == 4 {
			o["focused"] = true
		}
		data = map[string]any{"id": "1", "name": name, "type": 1, "options": []any{o}}
	case 3:
		if value != "" {
			data["component_type"], data["values"] = 3, []string{value}
		}
	case 5:
		data = map[string]any{"custom_id": id, "components": []any{map[string]any{"type": 18,
			"component": map[string]any{"type": 4, "custom_id": "text", "value": value}}}}
	}
	channel := m.ChannelID
	if source == "" && where%8 == 0 && user == localdiscord.Anne {
		channel = localdiscord.RoatanBeach
	}
	reply, err := s.Server.Forge(ctx, user, channel, source, kind, data)
	if errors.Is(err, localdiscord.ErrNoMessage) { // the message has been deleted
		for _, n := range s.Server.Messages(m.ChannelID, user) {
			if n.Flags&discordgo.MessageFlagsIsComponentsV2 != 0 { // Discord's messages about threads have no controls
				m = n
			}
		}
		if where%4 == 0 {
			s.direct[int(who)%3] = m
		} else {
			s.messages[int(where)%len(s.messages)] = m
		}
		reply, err = s.Server.Forge(ctx, user, m.ChannelID, m.ID, kind, data)
	}
	if err != nil {
		t.Fatalf("kind %d, %q with %q: %v\n%s", kind, id, value, err, s.Log)
	}
	if kind == 4 || reply.Modal != nil {
		return
	}
	said, err := reply.Message(ctx)
	if err != nil {
		t.Fatalf("kind %d, %q with %q: %v\n%s", kind, id, value, err, s.Log)
	}
	if said.Text() == "" || strings.Contains(said.Text(), "Something went wrong") {
		t.Fatalf("kind %d, %q with %q is answered %q\n%s", kind, id, value, said.Text(), s.Log)
	}
}

// These parts make forged interactions: present, former and unknown names of actions and commands, and odd arguments.
var (
	actions = []string{"join", "leave", "start", "move", "step", "do", "hand", "text", "at", "agree", "decline",
		"confirm", "games", "leaders", "history", "computer", "level", "dismiss", "rules", "replay", "options",
		"option", "new", "new-game", "new-level", "standings", "cup-enter", "cup-leave", "cup-withdraw",
		"cup-start", "cup-cancel", "cup-standings", "cup-page", "cup-pairings", "cup-round", "learn", "lesson", "",
		"mutiny"}
	commands = []string{"play game", "join table", "leave table", "start table", "move move", "move table",
		"board table", "hand table", "draw table", "resign table", "abandon table", "games mine", "rules game",
		"rules section", "learn game", "help", "leaderboard game", "leaderboard season", "profile game", "history game",
		"history outcome", "stats share", "mutiny"}
	scraps = []string{"", "9", "9-10", "sail C4", "draw", "abandon", "resign", "hard", "loyal-captain", "pirat",
		"x|pirat|people|3", "b||9|9|won|people", "\n", "\n.", "-", "9-\n.", "〽", "\x00", "@everyone", "<@1>",
		"`", "```", "99999999999999999999", "-1", "%s%n", "../../etc/passwd", "a", "b", "⏮", "quick", "mine", "[[",
		"{{.Who}}", "loyal-captain.step/0//o", "pirat.launch/1//p", "pirat/list"}
)

var forgedSeed = flag.Uint64("forged.seed", 26, "the seed of the controls and commands that are forged")

// Random controls, commands and forms, even old, forged and garbled ones, are answered with a text or a form, and cause
// no internal error.
func TestForgedInteractions(t *testing.T) {
	t.Parallel()
	s := newSea(t)
	n := 1500
	if testing.Short() {
		n = 150
	}
	rng := rand.New(rand.NewPCG(*forgedSeed, 1))
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	for range n {
		kind := []int{2, 3, 3, 3, 3, 4, 5}[rng.IntN(7)]
		id := pick(commands)
		if kind == 3 || kind == 5 {
			version := fmt.Sprint(rng.IntN(12))
			if rng.IntN(4) == 0 {
				version = pick([]string{"-1", "1073741824", "9223372036854775807", "x", ""})
			}
			id = pick(actions) + "/" + fmt.Sprint(rng.IntN(9)) + "/" + version + "/" + pick(scraps)
			if all := s.Server.Messages(s.messages[rng.IntN(len(s.messages))].ChannelID,
				bottest.World[rng.IntN(2)]); rng.IntN(
				3) == 0 && len(all) > 0 {
				// The control of a visible message, unchanged or with more text at its end.
				for _, c := range all[len(all)-1-rng.IntN(min(4, len(all)))].Interactive() {
					id = c.CustomID + pick([]string{"", "", "9", "-", "\n."})
				}
			}
			if rng.IntN(10) == 0 {
				id += strings.Repeat("9", rng.IntN(5000))
			}
		}
		s.strike(t, uint8(rng.IntN(256)), uint8(rng.IntN(256)), kind, id, pick(scraps))
	}
}

func FuzzForgedInteractions(f *testing.F) {
	s := newSea(f)
	for i, a := range actions {
		f.Add(uint8(i), uint8(i), uint8(3), a+"/"+fmt.Sprint(i%6)+"/3/"+scraps[i%len(scraps)], scraps[i%len(scraps)])
	}
	for i, c := range commands {
		f.Add(uint8(i), uint8(i), uint8(2), c, scraps[i])
		f.Add(uint8(i), uint8(i), uint8(4), c, scraps[i])
	}
	f.Fuzz(func(t *testing.T, who, where, kind uint8, id, value string) {
		s.strike(t, who, where, 2+int(kind)%4, id, value)
	})
}
