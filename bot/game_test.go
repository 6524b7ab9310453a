package bot_test

import (
	"bytes"
	"fmt"
	"image/png"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"marque/bot/localdiscord"
	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/fair"
	"marque/storage"
)

var people = []string{localdiscord.Anne, localdiscord.Jack, localdiscord.Mary, localdiscord.Bart, localdiscord.Grace}

// Every game is played to its end through the gateway and the API, in every number of players: step
// by step, by moves that /move offers, and by typed ones. With the fewest players that is in a
// thread of a server that has its first settings.
func TestWholeGames(t *testing.T) {
	for _, g := range catalog.Games {
		least, most := g.Seats()
		for seats := least; seats <= most; seats++ {
			if testing.Short() && seats > least {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", g.Key(), seats), func(t *testing.T) {
				t.Parallel()
				playWhole(t, g, people[:seats], seats == least)
			})
		}
	}
}

// open opens a table by /play for a game that ends, seats the players by the Join button, and returns the first turn
// message.
func (r *rig) open(channel string, g games.Game, players []string,
	options ...localdiscord.Option) *localdiscord.Message {
	r.t.Helper()
	options = append([]localdiscord.Option{localdiscord.Opt("game", g.Key()),
		localdiscord.Opt("players", len(players))}, options...)
	before := r.latest(channel)
	said := r.command(players[0], channel, "play", options...)
	if !strings.Contains(said.Text(), "is open") {
		r.t.Fatalf("/play answered %q", said.Text())
	}
	lobby := r.next(channel, before, isLobby)
	r.endsWhenQuiet(players[0], g, lobby, "Options")
	for _, p := range players[1:] {
		if a := r.click(p, lobby, "Join"); !strings.Contains(a.Text(), "Welcome aboard") {
			r.t.Fatalf("Join answered %q", a.Text())
		}
	}
	return r.next(channel, lobby.ID, isTurn)
}

// mover is whom a turn message calls: exactly one user, by a mention that pings.
func (r *rig) mover(m *localdiscord.Message) string {
	r.t.Helper()
	if len(m.Pinged) != 1 {
		r.t.Fatalf("a turn message pings %v, want one user: %s", m.Pinged, m.Text())
	}
	if !strings.Contains(m.Text(), "<@"+m.Pinged[0]+">, it is your turn") {
		r.t.Fatalf("a turn message pings %s but says %q", m.Pinged[0], m.Text())
	}
	return m.Pinged[0]
}

// toMove is whose turn a message of a game against computers alone says it is: that pings nobody.
func (r *rig) toMove(m *localdiscord.Message) string {
	r.t.Helper()
	who, _, ok := strings.Cut(afterWord(m.Text(), "**<@"), ">, it is your turn")
	if !ok || len(m.Pinged) > 0 {
		r.t.Fatalf("a turn message of who plays alone pings %v: %s", m.Pinged, m.Text())
	}
	return who
}

// wholeSeed is the seed of games that are played to their end: in nothing that is sent or logged before.
var wholeSeed = fair.Seed{1, 2, 3, 0xfe, 31: 9}

func playWhole(t *testing.T, g games.Game, players []string, quiet bool) {
	requests := &counter{t: t, messages: map[string]*counted{}}
	r := newRigWith(t, func(r *rig) {
		r.quiet, r.seed = quiet, func() fair.Seed { return wholeSeed }
	}, requests.listen, func(o *localdiscord.Options) {
		check := o.OnRequest
		o.OnRequest = func(q localdiscord.Request) {
			check(q)
			checkMentions(t, q)
			if body := string(q.Body); strings.Contains(body, wholeSeed.Reveal()) && !strings.Contains(body,
				"Fair play: the seed was") {
				t.Errorf("the seed is in a request before the end: %s %s", q.Path, body)
			}
		}
	})
	channel, quietly := localdiscord.TortugaTables, (*quietGame)(nil)
	var turn *localdiscord.Message
	if quiet {
		channel, turn = r.openInThread(g, players)
		quietly = r.quietGame(channel, requests)
	} else {
		turn = r.open(channel, g, players)
	}
	rng := rand.New(rand.NewPCG(uint64(len(players)), 99))
	computer := computer.New(computer.Hard, computer.Limit{Iterations: 30}, 5) // so that the game ends
	old := turn
	for moves := 0; !isOver(turn); moves++ {
		if moves > 3000 {
			t.Fatalf("the game has not ended after %d moves", moves)
		}
		checkBoard(t, r, turn)
		who := r.mover(turn)
		var said string
		switch snap := r.table(); {
		case moves < 12 || moves%25 == 0:
			said = r.stepThrough(who, turn, rng)
			r.checkHands(g, players, channel)
		case moves%4 == 0:
			said = r.typeMove(who, channel, rng)
		default:
			move, _, err := computer.Choose(r.ctx, snap.View(snap.ToMove))
			if err != nil {
				t.Fatal(err)
			}
			typed := games.Spell(snap.View(snap.ToMove).State, move)
			said = r.command(who, channel, "move", localdiscord.Opt("move", typed)).Text()
		}
		if !strings.Contains(said, "Played:") {
			t.Fatalf("move %d was answered %q", moves, said)
		}
		if moves%20 == 0 {
			old = turn
		}
		if turn = r.turnAfter(channel, turn); turn.ID == old.ID {
			old = turn // edited
		}
		if quiet {
			quietly.played()
		}
	}
	checkBoard(t, r, turn)
	if r.marked == 0 {
		t.Error("no step marked anything in the picture")
	}
	if quiet {
		quietly.over()
	} else if a := r.click(players[0], old, "Move"); !strings.Contains(a.Text(), "game is over") {
		t.Errorf("the Move button of an old message answers %q after the end", a.Text())
	}
	if !strings.Contains(turn.Text(), wholeSeed.Reveal()) {
		t.Errorf("the end does not show the seed: %s", turn.Text())
	}
	if len(turn.Pinged) != 0 {
		t.Errorf("the end pings %v, want nobody", turn.Pinged)
	}
	if strings.Contains(r.log.String(), wholeSeed.Reveal()) {
		t.Errorf("the seed is in the log:\n%s", r.log)
	}
	leaders := r.command(players[0], channel, "leaderboard", localdiscord.Opt("game", g.Key()))
	for _, p := range players {
		line, err := r.tables.League.Standing(r.ctx, storage.Board{Guild: localdiscord.Tortuga, Game: g.Key()}, p)
		if err != nil || line.Games != 1 {
			t.Errorf("the standing of %s is %+v, %v", p, line, err)
		}
		if ranked := len(players) > storage.LeastOpponents; ranked != strings.Contains(leaders.Text(), "<@"+p+">") {
			t.Errorf("/leaderboard lists %s: %v, want %v: %s", p, !ranked, ranked, leaders.Text())
		}
	}
	for _, m := range r.srv.Messages(channel, players[0]) {
		if strings.Contains(m.Text(), "[") && strings.Contains(m.Text(), "."+g.Key()) {
			t.Errorf("a sentence is missing in %q", m.Text())
		}
	}
	for _, m := range r.public(channel) {
		for _, p := range m.Pictures() {
			if strings.HasPrefix(path.Base(p.URL), "hand") {
				t.Errorf("everybody sees the picture %s", p.URL)
			}
		}
	}
}

// checkHands: where players hold cards, each is shown their own, for them alone.
func (r *rig) checkHands(g games.Game, players []string, channel string) {
	r.t.Helper()
	if !g.Traits().Hidden {
		return
	}
	for _, p := range players {
		if hand := r.command(p, channel, "hand"); hand.EphemeralTo != p {
			r.t.Errorf("a hand is seen by %q, want %s alone", hand.EphemeralTo, p)
		}
	}
}

// checkBoard: a message shows a PNG of the right width with an alt text.
func checkBoard(t *testing.T, r *rig, m *localdiscord.Message) {
	t.Helper()
	pictures := m.Pictures()
	if len(pictures) != 1 || len(pictures[0].Description) < 20 {
		t.Fatalf("a turn message has the pictures %v, want one with an alt text", pictures)
	}
	data, ok := r.srv.Attachment(pictures[0].URL)
	if !ok {
		t.Fatalf("the picture %s is not there", pictures[0].URL)
	}
	cfg, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil || cfg.Width != pictureWidth {
		t.Fatalf("the board is no PNG of the usual width: %v, %d wide", err, cfg.Width)
	}
}

// stepThrough makes a random move by the Move button and what it opens, and returns the last answer.
func (r *rig) stepThrough(who string, turn *localdiscord.Message, rng *rand.Rand) string {
	r.t.Helper()
	return r.click(who, r.stepToPreview(who, turn, rng), "Play this").Text()
}

// stepToPreview chooses a random move by the Move button and what it opens, and returns what shows it.
func (r *rig) stepToPreview(who string, turn *localdiscord.Message, rng *rand.Rand) *localdiscord.Message {
	r.t.Helper()
	m := r.click(who, turn, "Move")
	for range 20 {
		if m.EphemeralTo != who {
			r.t.Fatalf("the stepper is seen by %q, want %s alone: %s", m.EphemeralTo, who, m.Text())
		}
		if _, ok := m.Button("Play this"); ok {
			if len(m.Pictures()) != 1 {
				r.t.Fatalf("the preview shows %d pictures, want one", len(m.Pictures()))
			}
			if alt := m.Pictures()[0].Description; !strings.Contains(alt, ", then ") {
				r.t.Errorf("the plate of a preview does not say which move it shows: %s", alt)
			}
			return m
		}
		type step struct{ menu, value string }
		var steps []step
		for _, c := range m.Interactive() {
			switch {
			case c.Label == "Back" || c.Label == "Start over" || c.Disabled:
			case len(c.Options) > 0:
				for _, o := range c.Options {
					steps = append(steps, step{c.CustomID, o.Value})
				}
			default:
				steps = append(steps, step{c.CustomID, ""})
			}
		}
		if len(steps) < 2 {
			r.t.Fatalf("the stepper asks what has one answer: %v in %s", steps, m.Text())
		}
		r.checkStep(m)
		if hasButton(m, "Back") && !strings.Contains(m.Text(), "So far: ") {
			r.t.Errorf("a step does not say what was chosen before it: %s", m.Text())
		}
		s := steps[rng.IntN(len(steps))]
		if s.value == "" {
			m = r.click(who, m, s.menu)
		} else {
			m = r.choose(who, m, s.menu, s.value)
		}
	}
	r.t.Fatalf("the stepper does not end: %s", m.Text())
	return nil
}

// checkStep: a step shows the board, and the hand where there is one; what is marked on them are words
// of what can be chosen.
func (r *rig) checkStep(m *localdiscord.Message) {
	r.t.Helper()
	pictures := m.Pictures()
	if len(pictures) == 0 || len(pictures) > 2 {
		r.t.Fatalf("a step shows %d pictures, want the board, and the hand if there is one: %s", len(pictures),
			m.Text())
	}
	var words []string
	for _, c := range m.Interactive() {
		words = append(words, strings.Fields(c.Label)...)
		for _, o := range c.Options {
			words = append(words, strings.Fields(o.Label)...)
		}
	}
	for i, p := range pictures {
		data, ok := r.srv.Attachment(p.URL)
		if cfg, err := png.DecodeConfig(bytes.NewReader(data)); !ok || err != nil || cfg.Width != pictureWidth {
			r.t.Fatalf("picture %d of a step is no PNG of the usual width: %v, %d wide", i, err, cfg.Width)
		}
		if len(p.Description) < 20 {
			r.t.Errorf("picture %d of a step has the alt text %q", i, p.Description)
		}
		list, marked := strings.CutPrefix(p.Description, "You can choose ")
		list, _, ok = strings.Cut(list, ", as marked in the picture.")
		if !marked || !ok {
			continue
		}
		r.marked++
		for _, key := range strings.FieldsFunc(list, func(c rune) bool { return c == ' ' || c == ',' }) {
			if key != "or" && !slices.ContainsFunc(words, func(w string) bool {
				return strings.Trim(w, "(),.:;") == key
			}) {
				r.t.Errorf("%q is marked in the picture, but nothing of %q is called so", key, words)
			}
		}
	}
}

// typeMove makes a random move of those that autocomplete offers, by /move.
func (r *rig) typeMove(who, channel string, rng *rand.Rand) string {
	r.t.Helper()
	choices, err := r.srv.Autocomplete(r.ctx, who, channel, "move", "move", localdiscord.Opt("move", ""))
	if err != nil || len(choices) == 0 {
		r.t.Fatalf("autocomplete of /move offers %v, %v", choices, err)
	}
	if last := choices[len(choices)-1]; strings.HasPrefix(last.Name, "…") { // how many more there are
		if len(choices) != 25 {
			r.t.Errorf("%d moves are offered, and yet %q", len(choices)-1, last.Name)
		}
		choices = choices[:24]
	}
	c := choices[rng.IntN(len(choices))]
	return r.command(who, channel, "move", localdiscord.Opt("move", c.Value)).Text()
}
