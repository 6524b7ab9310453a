package bot_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games"
	"marque/games/catalog"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
	"marque/storage/storagetest"
)

// hiddenGames has the keys of the games with hidden hands.
var hiddenGames = func() (keys []string) {
	for _, g := range catalog.Games {
		if g.Traits().Hidden {
			keys = append(keys, g.Key())
		}
	}
	return keys
}()

// otherWorld is a store that returns tables as changed by twist, for example with different hidden cards.
type otherWorld struct {
	*storage.Store
	twist func(storage.Table) storage.Table
}

func (o otherWorld) Load(ctx context.Context, id storage.ID) (storage.Table, error) {
	t, err := o.Store.Load(ctx, id)
	if err == nil {
		t = o.twist(t)
	}
	return t, err
}

func (o otherWorld) News(ctx context.Context, id storage.ID) (storage.Table, error) {
	t, err := o.Store.News(ctx, id)
	if err == nil {
		t = o.twist(t)
	}
	return t, err
}

// twist returns the table with another card in a hidden draw, and in later draws where that is necessary. Neither the
// viewer nor a spectator can know these cards. It returns false if there is no such draw.
func twist(g games.Game, t storage.Table, viewer games.Seat) (storage.Table, bool) {
	same := func(a, b games.State) bool {
		return reflect.DeepEqual(games.Mask(a, viewer), games.Mask(b, viewer)) &&
			reflect.DeepEqual(games.Mask(a, games.Spectator), games.Mask(b, games.Spectator))
	}
	plays := func(s games.State, text string) (games.Move, bool) {
		if s.ToMove() == games.Chance {
			m, err := games.FindOutcome(s, text)
			return m, err == nil
		}
		for _, m := range s.Moves() {
			if games.Spell(s, m) == text {
				return m, true
			}
		}
		return 0, false
	}
	otherwise := func(s, truth games.State, m games.Move, after games.State) (games.Move, bool) {
		for _, o := range s.Outcomes() {
			if o.Move != m && same(s.Apply(o.Move), after) &&
				games.MaskMove(s, o.Move, viewer) == games.MaskMove(truth, m, viewer) &&
				games.MaskMove(s, o.Move, games.Spectator) == games.MaskMove(truth, m, games.Spectator) {
				return o.Move, true
			}
		}
		return 0, false
	}
	try := func(at int) (storage.Table, bool) {
		out := t
		out.Events = slices.Clone(t.Events)
		truth, s := g.New(t.Detail.Setup), g.New(t.Detail.Setup)
		for i, e := range t.Events {
			if !e.Kind.Play() {
				continue
			}
			m, ok := plays(truth, e.Text)
			if !ok {
				return t, false
			}
			after := truth.Apply(m)
			n, ok := plays(s, e.Text)
			if s.ToMove() == games.Chance && (i == at || !ok) {
				n, ok = otherwise(s, truth, m, after)
			}
			if !ok {
				return t, false
			}
			out.Events[i].Text = games.Spell(s, n)
			truth, s = after, s.Apply(n)
			if !same(truth, s) {
				return t, false
			}
		}
		if reflect.DeepEqual(truth, s) {
			return t, false
		}
		players := make([]text.Name, len(t.Head.Seats))
		match, err := games.Replay(g, games.Header{Game: g.Key(), Version: t.Detail.Rules, Setup: t.Detail.Setup,
			Players:    players,
			Commitment: t.Detail.Commitment(), Fairness: t.Detail.Fairness, Inputs: t.Detail.Inputs},
			storage.Log(out.Events))
		if err != nil {
			return t, false
		}
		out.Head.Digest = match.Digest()
		return out, true
	}
	for i := range slices.Backward(t.Events) {
		if t.Events[i].Kind == storage.Drew {
			if out, ok := try(i); ok {
				return out, true
			}
		}
	}
	return t, false
}

// seen returns everything in a message that reaches its readers: text, alt texts, file names, the bytes of pictures,
// custom_ids, and choices. Links to messages appear without the message's id, which depends on the time of posting.
func seen(r *bottest.Rig, m *localdiscord.Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "to %q: %s\npings %v\n", m.EphemeralTo, m.Text(), m.Pinged)
	for _, f := range m.Files() {
		fmt.Fprintf(&b, "file %s\n", f.Name)
	}
	for _, p := range m.Pictures() {
		data, ok := r.Server.Attachment(p.URL)
		fmt.Fprintf(&b, "picture %q %v %x %s\n", p.Description, ok, sha256.Sum256(data), path.Base(p.URL))
	}
	for _, c := range m.Interactive() {
		fmt.Fprintf(&b, "control %+v\n", c)
	}
	return messageLink.ReplaceAllString(b.String(), "$1/MESSAGE")
}

var messageLink = regexp.MustCompile(`(https://discord\.com/channels/\d+/\d+)/\d+`)

// observe returns what a user finds out about the table in a channel with commands and controls. The first entry is the
// message that announces the turn.
func observe(r *bottest.Rig, user, channel string, turn *localdiscord.Message, plays int) []string {
	r.T.Helper()
	opt := localdiscord.Opt
	out := []string{seen(r, turn)}
	for at := 0; at <= plays; at += max(1, plays/6) {
		out = append(out, seen(r, r.Command(user, channel, "board", opt("at", at))))
	}
	out = append(out,
		seen(r, r.Command(user, channel, "board")),
		seen(r, r.Command(user, channel, "board", opt("text", true))),
		seen(r, r.Command(user, channel, "board", opt("share", true))),
		seen(r, r.Command(user, channel, "table hand")),
		seen(r, r.Command(user, channel, "games")),
		seen(r, r.Click(user, turn, "Move")),
		seen(r, r.Click(user, turn, "More")),
		seen(r, r.More(user, turn, "As text")))
	for _, typed := range []string{"", "s", "d"} {
		choices, err := r.Server.Autocomplete(r.Ctx, user, channel, "move", "move", opt("move", typed))
		if err != nil {
			r.T.Fatal(err)
		}
		out = append(out, fmt.Sprint(choices))
	}
	return out
}

// Hidden cards change nothing, byte for byte, for a user who may not know them. Two bots are compared whose tables
// differ only in such cards; the hand of their owner differs.
func TestHiddenCardsShowNowhere(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	for _, key := range hiddenGames {
		for _, moves := range []int{1, 9} {
			t.Run(fmt.Sprintf("%s/%d", key, moves), func(t *testing.T) {
				t.Parallel()
				g, _ := catalog.Find(key)
				r := bottest.NewWith(t, func(r *bottest.Rig) {
					r.Seed = func() fair.Seed { return fair.Seed{byte(moves), 7} }
					r.Grace = 1 // 1 ns: unpublished changes are left for the next start
				})
				turn := r.OpenInOrder(channel, g, bottest.World[:2])
				rng := rand.New(rand.NewPCG(uint64(moves), 5))
				for i := range moves {
					if i == moves-1 { // the last move is published by the bots that are compared
						r.Server.AddFault(localdiscord.Fault{Method: http.MethodPost, Path: "/messages",
							Status: http.StatusServiceUnavailable})
					}
					r.TypeMove(r.Mover(turn), channel, rng)
					if i < moves-1 {
						turn = r.TurnAfter(channel, turn)
					}
				}
				r.Stop()
				store, err := storagetest.OpenFile(r.File)
				if err != nil {
					t.Fatal(err)
				}
				truth, err := store.Load(r.Ctx, 1)
				if err != nil {
					t.Fatal(err)
				}
				if err := store.Close(); err != nil {
					t.Fatal(err)
				}
				twisted := 0
				for viewer := range truth.Head.Seats {
					other, ok := twist(g, truth, games.Seat(viewer))
					if !ok {
						t.Logf("no card can be another one for seat %d", viewer)
						continue
					}
					twisted++
					user := truth.Head.Seats[viewer].User
					owner := truth.Head.Seats[1-viewer].User
					var views [2][]string
					var hands [2]string
					for i, w := range []func(storage.Table) storage.Table{
						func(t storage.Table) storage.Table { return t },
						func(t storage.Table) storage.Table {
							t.Head.Digest = other.Head.Digest
							events := other.Events
							if len(t.Events) < len(events) { // News leaves out the earlier events
								events = events[len(events)-len(t.Events):]
							}
							t.Events = events
							return t
						},
					} {
						world := bottest.NewWith(t, func(w2 *bottest.Rig) {
							copyFile(t, r.File, w2.File)
							w2.Wrap = func(s *storage.Store) bottest.Store { return otherWorld{s, w} }
						})
						turn := world.Next(channel, "", bottest.IsTurn)
						for _, who := range []string{user, localdiscord.Mary} {
							views[i] = append(views[i], observe(world, who, channel, turn, truth.Head.Plays)...)
						}
						hands[i] = seen(world, world.Command(owner, channel, "table hand"))
						for _, m := range world.Server.Messages(channel, owner) {
							if strings.Contains(m.Text(), "Your hand") && m.EphemeralTo != owner {
								t.Errorf("a hand is seen by %q", m.EphemeralTo)
							}
						}
						world.Stop()
					}
					if hands[0] == hands[1] {
						t.Errorf("the hand of seat %d is the same in both worlds: nothing is compared", 1-viewer)
					}
					for i := range views[0] {
						if views[0][i] != views[1][i] {
							t.Errorf("seat %d sees what it may not know:\n%s\nelsewhere\n%s", viewer, views[0][i],
								views[1][i])
						}
					}
				}
				if twisted == 0 {
					t.Error("no card could be changed for anybody: nothing was compared")
				}
			})
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// checkMentions fails the test unless a request that sends or changes a message lists explicitly the users whom it
// pings.
func checkMentions(t *testing.T, q localdiscord.Request) {
	var body struct {
		Type            int             `json:"type"`
		Data            json.RawMessage `json:"data"`
		Components      json.RawMessage `json:"components"`
		AllowedMentions *struct {
			Parse []string `json:"parse"`
			Roles []string `json:"roles"`
		} `json:"allowed_mentions"`
	}
	if len(q.Body) == 0 || strings.HasSuffix(q.Path, "/threads") || !strings.Contains(q.Path, "/messages") &&
		!strings.HasSuffix(q.Path, "/callback") && !strings.Contains(q.Path, "/webhooks/") {
		return
	}
	if err := json.Unmarshal(q.Body, &body); err != nil {
		t.Errorf("%s %s: %v", q.Method, q.Path, err)
		return
	}
	if strings.HasSuffix(q.Path, "/callback") {
		if body.Type != 4 && body.Type != 7 {
			return
		}
		if err := json.Unmarshal(body.Data, &body); err != nil {
			t.Errorf("%s: %v", q.Path, err)
		}
	}
	if a := body.AllowedMentions; a == nil || a.Parse == nil || len(a.Parse) > 0 || len(a.Roles) > 0 {
		t.Errorf("%s %s does not say whom it may ping: %s", q.Method, q.Path, q.Body)
	}
}
