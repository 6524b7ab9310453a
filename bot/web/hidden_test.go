package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
	"marque/storage"
)

// redealt is a store that changes the hidden cards of a loaded table.
type redealt struct {
	bottest.Store
	deal func(storage.Table) storage.Table
}

func (s redealt) Load(ctx context.Context, id storage.ID) (storage.Table, error) {
	t, err := s.Store.Load(ctx, id)
	if err == nil {
		t = s.deal(t)
	}
	return t, err
}

// dealAnew changes cards of a table that a viewer has never seen, as many as it finds in 300 tries. It returns the
// table and the number of changed plays in its log.
func dealAnew(t *testing.T, g games.Game, was storage.Table, viewer games.Seat) (storage.Table, int) {
	t.Helper()
	h := games.Header{Setup: was.Detail.Setup}
	seen := func(log []games.Entry) (m *games.Match, views []string) {
		m, err := games.Replay(g, h, log)
		if err != nil {
			return nil, nil // some player would not have the card that they play
		}
		for n := range len(log) + 1 {
			b, err := json.Marshal(games.Look(m.At(n), viewer).State)
			if err != nil {
				t.Fatal(err)
			}
			views = append(views, string(b))
		}
		return m, views
	}
	log := storage.Log(was.Events)
	first := slices.Clone(log)
	match, want := seen(log)
	rng := rand.New(rand.NewPCG(5, uint64(viewer+2)))
	var hidden []int
	for i, e := range log {
		if state := match.At(i); e.Seat == games.Chance {
			m, err := games.FindOutcome(state, e.Text)
			if err != nil {
				t.Fatal(err)
			}
			if games.Spell(state, state.(games.Hider).MaskMove(m, viewer)) != e.Text {
				hidden = append(hidden, i)
			}
		}
	}
	if len(hidden) == 0 {
		t.Fatalf("nothing is hidden from %d", viewer)
	}
	for range 300 {
		next := slices.Clone(log)
		i := hidden[rng.IntN(len(hidden))]
		if rng.IntN(2) == 0 { // swap with another hidden card
			j := hidden[rng.IntN(len(hidden))]
			next[i].Text, next[j].Text = next[j].Text, next[i].Text
		} else { // swap with a card of the stack
			all := match.At(i).Outcomes()
			next[i].Text = games.Spell(match.At(i), all[rng.IntN(len(all))].Move)
		}
		if m, views := seen(next); slices.Equal(views, want) {
			match, log = m, next
		}
	}
	was.Events = slices.Clone(was.Events)
	changed, n := 0, 0
	for i, e := range was.Events {
		if !e.Kind.Play() {
			continue
		}
		if log[n].Text != first[n].Text {
			changed++
		}
		was.Events[i].Text = log[n].Text
		n++
	}
	was.Head.Digest = match.Digest()
	return was, changed
}

// everything returns responses that a page can get about a table without playing: the list of games, pictures,
// messages, and the states of up to 40 steps of a move.
func (c *client) everything(plays int) map[string][]byte {
	c.r.T.Helper()
	all := map[string][]byte{}
	fetch := func(what string, body map[string]any) answer {
		name := fmt.Sprint(what, body)
		body["key"] = key()
		a := c.ask(what, body)
		all[name] = append(fmt.Appendf(nil, "%d ", a.Status), a.Raw...)
		return a
	}
	fetch("games", map[string]any{})
	for n := max(0, plays-3); n <= plays; n++ {
		fetch("picture", map[string]any{"picture": "board", "plays": n})
		fetch("picture", map[string]any{"picture": "hand", "plays": n})
	}
	const most = 40
	paths, asked := []string{""}, 0
	for ; len(paths) > 0 && asked < most; asked++ {
		path := paths[0]
		paths = paths[1:]
		a := fetch("state", map[string]any{"path": path})
		s := a.State
		if s == nil {
			c.r.T.Fatalf("the state after %q is answered %d %s\n%s", path, a.Status, a.Raw, c.r.Log)
		}
		if asked == 0 {
			for _, b := range s.Buttons {
				if !strings.HasPrefix(b.Press, "/table") && !strings.HasPrefix(b.Press, string(show.ActionUndo)) {
					fetch("press", map[string]any{"press": b.Press})
				}
			}
		}
		if s.Question == nil {
			continue
		}
		if s.Question.Complete && asked%5 == 0 {
			fetch("picture", map[string]any{"picture": "preview", "plays": plays, "path": s.Question.Path})
		}
		for _, choice := range s.Question.Choices {
			paths = append(paths, choice.Path)
		}
	}
	return all
}

// A page receives nothing that depends on hidden cards: when they are dealt again, the states, questions, pictures and
// messages for each seat and for spectators stay the same byte for byte.
func TestPagesHangOnNothingHidden(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"freebooter", "pirat"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := withPage(t)
			g, _ := catalog.Find(name)
			players := []string{localdiscord.Anne, localdiscord.Jack, localdiscord.Bart}
			board := r.Open(bottest.TablesChannel, g, players)
			pages := map[string]*client{}
			for _, who := range append(slices.Clone(players), localdiscord.Mary) {
				pages[who] = enter(r, who, board)
			}
			most := 30
			if testing.Short() {
				most = 9
			}
			for n := range most {
				snap := r.Table()
				if snap.Status == table.Over {
					break
				}
				state := snap.View(snap.ToMove).State
				moves := state.Moves()
				a := pages[snap.Mover()].ask("play", map[string]any{"version": snap.Version, "key": key(),
					"path": games.Spell(state, moves[n*7%len(moves)])})
				if a.State == nil {
					t.Fatalf("%d %s", a.Status, a.Raw)
				}
			}
			snap := r.Table()
			before := map[string]map[string][]byte{}
			for who, c := range pages {
				before[who] = c.everything(snap.Plays)
			}
			for who, c := range pages {
				changed := 0
				r.Stop()
				r.Wrap = func(s *storage.Store) bottest.Store {
					return redealt{s, func(was storage.Table) (now storage.Table) {
						now, changed = dealAnew(t, g, was, snap.Viewer(who))
						return now
					}}
				}
				r.Start()
				after := c.everything(snap.Plays)
				if changed < 2 {
					t.Errorf("only %d cards could be dealt anew that %s does not know", changed, who)
				}
				size := 0
				for _, what := range slices.Sorted(maps.Keys(before[who])) {
					was, is := before[who][what], after[what]
					if size += len(was); !bytes.Equal(was, is) {
						t.Errorf("%s gets something else when %d cards are dealt anew that are hidden from them: %s\n%.2000s\n%.2000s",
							who, changed, what, was, is)
					}
				}
				t.Logf("%s: %d answers, %d bytes, %d cards dealt anew", who, len(after), size, changed)
			}
		})
	}
}
