package bolt

import (
	cmp2 "cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"marque/games"
	"marque/games/rating"
	"marque/games/text"
	"marque/storage"
)

// model is a store in memory, as plain as can be.
type model struct {
	tables  []storage.Table // index id-1
	results []storage.Result
	leagues map[string]storage.League
	gone    map[storage.ID]bool // deleted with their server
	names   []string            // of those who were forgotten
}

// forget is what storage.Forget promises.
func (m *model) forget(user, as string) {
	m.names = append(m.names, as)
	for i := range m.tables {
		t := &m.tables[i]
		t.Head.Seats = rename(t.Head.Seats, user, as)
		if t.Head.Host == user {
			t.Head.Host = as
		}
		t.Events = slices.Clone(t.Events)
		for j, e := range t.Events {
			if e.User == user {
				t.Events[j].User = as
				if e.Kind.Named() {
					t.Events[j].Text = ""
				}
			}
		}
	}
	for i := range m.results {
		m.results[i].Seats = rename(m.results[i].Seats, user, as)
	}
}

// deleteGuild is what storage.DeleteGuild promises.
func (m *model) deleteGuild(guild string) {
	for i := range m.tables {
		if m.tables[i].Head.Guild == guild {
			m.gone[m.tables[i].Head.ID] = true
		}
	}
	m.results = slices.DeleteFunc(m.results, func(r storage.Result) bool { return r.Guild == guild })
	delete(m.leagues, guild)
}

// there are the tables that are not deleted.
func (m *model) there() []storage.Table {
	return slices.DeleteFunc(slices.Clone(m.tables), func(t storage.Table) bool { return m.gone[t.Head.ID] })
}

// season is the number of the server's running season; 0 for none.
func (m *model) season(guild string) int {
	if s, ok := m.leagues[guild].Running(); ok {
		return s.Number
	}
	return 0
}

func (m *model) apply(c storage.Change) {
	id := c.Head.ID
	if id > storage.ID(len(m.tables)) {
		m.tables = append(m.tables, storage.Table{})
	}
	t := &m.tables[id-1]
	t.Head = c.Head
	if c.Detail != nil {
		t.Detail = *c.Detail
	}
	t.Events = append(t.Events, c.Events...)
	if c.Result != nil {
		r := *c.Result
		r.Table = id
		r.Season = m.season(r.Guild)
		m.results = append(m.results, r)
	}
}

func (m *model) heads(phase storage.Phase, keep func(storage.Head) bool) []storage.Head {
	var list []storage.Head
	for _, t := range m.there() {
		if storage.Phase(!t.Head.Status.Active()) == phase && keep(t.Head) {
			list = append(list, t.Head)
		}
	}
	if phase == storage.Finished {
		slices.Reverse(list)
	}
	return list
}

// beyond is the first limit that a new table does not keep; nil when it keeps all.
func (m *model) beyond(c storage.Change) *storage.Limit {
	for _, l := range c.Limits {
		have := map[storage.LimitKind]int{storage.ServerTables: 1, storage.UserTables: 1, storage.UserLobbies: 1, storage.UserInvitations: len(c.Detail.Invited)}
		for _, t := range m.there() {
			h := t.Head
			if h.Guild != c.Head.Guild || h.Status == storage.Over {
				continue
			}
			have[storage.ServerTables]++
			if h.Seat(l.User) < 0 {
				continue
			}
			have[storage.UserTables]++
			if h.Host == l.User && h.Status == storage.Lobby {
				have[storage.UserLobbies]++
				have[storage.UserInvitations] += len(t.Detail.Invited)
			}
		}
		if have[l.Kind] > l.Most {
			return &l
		}
	}
	return nil
}

func (m *model) pending() []storage.ID {
	var list []storage.ID
	for _, t := range m.there() {
		if t.Published < t.Head.Version {
			list = append(list, t.Head.ID)
		}
	}
	return list
}

func (m *model) due(until storage.Stamp) []storage.DueTable {
	var list []storage.DueTable
	for _, t := range m.there() {
		for _, d := range t.Head.Due {
			if d.At <= until {
				list = append(list, storage.DueTable{Table: t.Head.ID, Due: d})
			}
		}
	}
	slices.SortFunc(list, func(a, b storage.DueTable) int {
		if a.At != b.At {
			return int(a.At - b.At)
		}
		if a.Table != b.Table {
			return int(a.Table) - int(b.Table)
		}
		return strings.Compare(a.Kind, b.Kind)
	})
	return list
}

func (m *model) turns(user string) []storage.Turn {
	var list []storage.Turn
	for _, t := range m.there() {
		h := t.Head
		if h.Status == storage.Playing && h.Paused == "" && h.ToMove >= 0 && h.Seats[h.ToMove].User == user {
			list = append(list, storage.Turn{Table: h.ID, Guild: h.Guild, Since: h.Timing.Turn})
		}
	}
	slices.SortStableFunc(list, func(a, b storage.Turn) int { return cmp2.Compare(a.Since, b.Since) })
	return list
}

func (m *model) rematch(id storage.ID) storage.ID {
	for _, t := range m.there() {
		if t.Head.Status != storage.Over && t.Head.Rematch == id {
			return t.Head.ID
		}
	}
	return 0
}

// standings are the lines of a board, by playing all results from the start.
func (m *model) standings(b storage.Board) []storage.Standing {
	lines := map[string]*storage.Standing{}
	for _, r := range m.results {
		if r.Guild != b.Guild || b.Game != storage.AllGames && r.Game != b.Game || b.Season != 0 && r.Season != b.Season {
			continue
		}
		if r.Ending == games.Abandoned || r.Unrated || r.Voided != nil {
			continue
		}
		var before []rating.Rating
		var places []int
		for seat, o := range r.Seats {
			if lines[o.User] == nil {
				lines[o.User] = &storage.Standing{Player: o.User, Rating: rating.New()}
			}
			before = append(before, lines[o.User].Rating)
			place := 2
			if slices.Contains(r.Winners, games.Seat(seat)) {
				place = 1
			}
			places = append(places, place)
		}
		after := rating.Rate(before, places)
		for seat, o := range r.Seats {
			l := lines[o.User]
			l.Rating = after[seat].Round()
			l.Name = o.Name
			l.Games++
			l.Last = max(l.Last, r.Ended)
			won := slices.Contains(r.Winners, games.Seat(seat))
			switch {
			case won && r.Drawn:
				l.Draws++
				l.Streak = 0
			case won:
				l.Wins++
				if len(r.Winners) > 1 {
					l.Shared++
				}
				if l.Streak < 0 {
					l.Streak = 0
				}
				l.Streak++
				l.Best = max(l.Best, l.Streak)
			default:
				if l.Streak > 0 {
					l.Streak = 0
				}
				l.Streak--
			}
		}
	}
	var list []storage.Standing
	for _, l := range lines {
		if !storage.HasDeparted(l.Player) { // their games count for the others, they have no line
			list = append(list, *l)
		}
	}
	slices.SortFunc(list, func(a, b storage.Standing) int {
		return cmp2.Or(cmp2.Compare(math.Round(b.Rating.Sure()*1e6), math.Round(a.Rating.Sure()*1e6)), cmp2.Compare(a.Games, b.Games), cmp2.Compare(a.Player, b.Player))
	})
	return list
}

var (
	guilds   = []string{"g", "g2", ""}
	channels = []string{"c", "c2", "cc"}
	users    = []string{"ann", "bob", "an", "cid"}
)

// Any sequence of operations leaves what the plain model says, in every list and after every restart.
func TestTheStoreIsTheModel(t *testing.T) {
	dir := t.TempDir()
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		path := filepath.Join(dir, fmt.Sprintf("%d.db", run))
		reopen := func() *Store {
			s, err := load(path, schema)
			if err != nil {
				rt.Fatal(err)
			}
			s.db.NoSync = true // power failures are another test's
			s.labour.start(s)
			return s
		}
		s := reopen()
		defer func() { _ = s.Close() }()
		ctx, m := context.Background(), &model{leagues: map[string]storage.League{}, gone: map[storage.ID]bool{}}
		clock := storage.Stamp(1000)
		pick := func(rt *rapid.T) *storage.Table {
			if len(m.tables) == 0 {
				rt.Skip("no table yet")
			}
			t := &m.tables[rapid.IntRange(0, len(m.tables)-1).Draw(rt, "table")]
			if m.gone[t.Head.ID] {
				rt.Skip("deleted")
			}
			return t
		}
		change := func(rt *rapid.T, t *storage.Table) storage.Change {
			clock++
			c := next(t.Head, rapid.IntRange(0, 4).Draw(rt, "plays"))
			c.Head.Changed = clock
			c.Head.Channel = rapid.SampledFrom(channels).Draw(rt, "channel")
			c.Head.Due = nil
			for _, kind := range []string{"clock", "remind"} {
				if at := rapid.IntRange(0, 3).Draw(rt, kind); at > 0 {
					c.Head.Due = append(c.Head.Due, storage.Due{Kind: kind, At: storage.Stamp(at)})
				}
			}
			c.Head.ToMove = games.Seat(rapid.IntRange(-1, 1).Draw(rt, "to move"))
			c.Head.Timing.Turn = storage.Stamp(rapid.IntRange(1, 9).Draw(rt, "turn"))
			c.Head.Paused = rapid.SampledFrom([]string{"", "", storage.PausedByModerator}).Draw(rt, "paused")
			if rapid.IntRange(0, 5).Draw(rt, "end") == 0 {
				c.Head.Status, c.Head.Due = storage.Over, nil
				r := &storage.Result{Game: c.Head.Game, Guild: c.Head.Guild, Seats: c.Head.Seats, Plays: c.Head.Plays, Ended: clock}
				r.Drawn = rapid.Bool().Draw(rt, "drawn")
				r.Winners = rapid.SampledFrom([][]games.Seat{{0}, {1}, {0, 1}}).Draw(rt, "winners")
				r.Unrated = rapid.IntRange(0, 5).Draw(rt, "unrated") == 0
				if rapid.IntRange(0, 3).Draw(rt, "abandoned") == 0 {
					r.Ending, r.Winners, r.Drawn = games.Abandoned, nil, false
				}
				c.Head.Ending = r.Ending
				c.Result = r
			}
			return c
		}
		rt.Repeat(map[string]func(*rapid.T){
			"create": func(rt *rapid.T) {
				clock++
				two := rapid.Permutation(users).Draw(rt, "users")[:2]
				c := opening(rapid.SampledFrom(guilds).Draw(rt, "guild"), rapid.SampledFrom(channels).Draw(rt, "channel"), two...)
				c.Head.Game = rapid.SampledFrom([]string{"heap", "ship"}).Draw(rt, "game")
				c.Head.Rematch = storage.ID(rapid.IntRange(0, 3).Draw(rt, "rematch"))
				c.Alone = rapid.Bool().Draw(rt, "alone")
				there := m.heads(false, func(h storage.Head) bool { return h.Channel == c.Head.Channel })
				c.Limits = []storage.Limit{
					{Kind: storage.ServerTables, Most: rapid.IntRange(1, 12).Draw(rt, "most of the server")},
					{Kind: storage.UserTables, User: two[0], Most: rapid.IntRange(1, 8).Draw(rt, "most tables")},
					{Kind: storage.UserLobbies, User: two[0], Most: rapid.IntRange(1, 4).Draw(rt, "most lobbies")},
					{Kind: storage.UserInvitations, User: two[0], Most: rapid.IntRange(1, 4).Draw(rt, "most invitations")},
				}
				over := m.beyond(c)
				within := s.Within(ctx, c)
				id, err := s.Create(ctx, c)
				if c.Alone && len(there) > 0 {
					var busy *storage.BusyError
					if !errors.As(err, &busy) || busy.Table != there[0].ID || busy.Channel != c.Head.Channel {
						rt.Fatalf("table %d, %v, beside %d", id, err, there[0].ID)
					}
					return
				}
				if over != nil {
					for _, err := range []error{err, within} {
						if got := (*storage.LimitError)(nil); !errors.As(err, &got) || got.Limit != *over {
							rt.Fatalf("table %d, %v, want a refusal for %+v", id, err, *over)
						}
					}
					return
				}
				if err != nil || within != nil || id != storage.ID(len(m.tables)+1) {
					rt.Fatalf("table %d, %v, %v", id, err, within)
				}
				c.Head.ID, c.Limits = id, nil
				m.apply(c)
			},
			"commit": func(rt *rapid.T) {
				t := pick(rt)
				if t.Head.Status == storage.Over {
					rt.Skip("over")
				}
				c := change(rt, t)
				if err := s.Commit(ctx, c); err != nil {
					rt.Fatal(err)
				}
				m.apply(c)
			},
			"stale": func(rt *rapid.T) {
				t := pick(rt)
				c := change(rt, t)
				c.Head.Version += uint64(rapid.SampledFrom([]int{-1, 1}).Draw(rt, "off"))
				for i := range c.Events {
					c.Events[i].Version = c.Head.Version
				}
				if err := s.Commit(ctx, c); !errors.Is(err, storage.ErrStale) {
					rt.Fatalf("version %d on %d: %v", c.Head.Version, t.Head.Version, err)
				}
			},
			"invalid": func(rt *rapid.T) {
				t := pick(rt)
				c := change(rt, t)
				c.Head.Events += 7 // more than there are: found inside the group
				if err := s.Commit(ctx, c); !errors.Is(err, storage.ErrInvalid) {
					rt.Fatal(err)
				}
			},
			"several at once": func(rt *rapid.T) {
				var wg sync.WaitGroup
				changes := make([]storage.Change, len(m.tables))
				errs := make([]error, len(m.tables))
				for i := range m.tables {
					if m.tables[i].Head.Status == storage.Over || m.gone[m.tables[i].Head.ID] {
						continue
					}
					changes[i] = change(rt, &m.tables[i])
					if rapid.IntRange(0, 2).Draw(rt, "bad") == 0 {
						changes[i].Head.Events++
					}
				}
				for i, c := range changes {
					if c.Head.ID != 0 {
						wg.Go(func() { errs[i] = s.Commit(ctx, c) })
					}
				}
				wg.Wait()
				for i, c := range changes {
					if c.Head.ID == 0 {
						continue
					}
					bad := c.Head.Events != m.tables[i].Head.Events+uint64(len(c.Events))
					if bad != errors.Is(errs[i], storage.ErrInvalid) || !bad && errs[i] != nil {
						rt.Fatalf("table %d, bad %v: %v", i+1, bad, errs[i])
					}
					if !bad {
						m.apply(c)
					}
				}
				// They were committed in an order of their own, and results are rated in it.
				for i := range m.results {
					r, err := s.Result(ctx, m.results[i].Table)
					if err != nil {
						rt.Fatal(err)
					}
					m.results[i].Order = r.Order
				}
				slices.SortFunc(m.results, func(a, b storage.Result) int { return cmp2.Compare(a.Order, b.Order) })
			},
			"publish": func(rt *rapid.T) {
				t := pick(rt)
				v := rapid.Uint64Range(1, t.Head.Version).Draw(rt, "version")
				note := fmt.Sprint("note ", v)
				if err := s.MarkPublished(ctx, t.Head.ID, v, note); err != nil {
					rt.Fatal(err)
				}
				if v >= t.Published {
					t.Published, t.Note = v, note
				}
			},
			"void": func(rt *rapid.T) {
				if len(m.results) == 0 {
					rt.Skip("no result yet")
				}
				r := &m.results[rapid.IntRange(0, len(m.results)-1).Draw(rt, "result")]
				r.Voided = nil
				if rapid.Bool().Draw(rt, "voided") {
					r.Voided = &storage.Voiding{By: "mod", At: clock}
				}
				if got, err := s.Void(ctx, r.Table, r.Voided); err != nil || (got.Voided != nil) != (r.Voided != nil) {
					rt.Fatalf("voiding %d: %+v, %v", r.Table, got.Voided, err)
				}
			},
			"season": func(rt *rapid.T) {
				guild := rapid.SampledFrom(guilds).Draw(rt, "guild")
				l := m.leagues[guild]
				if _, runs := l.Running(); runs {
					if _, err := s.EndSeason(ctx, guild, clock); err != nil {
						rt.Fatal(err)
					}
					l.Seasons[len(l.Seasons)-1].Ended = clock
					return
				}
				season, err := s.StartSeason(ctx, guild, text.NewName(""), clock)
				if err != nil {
					rt.Fatal(err)
				}
				l.Seasons = append(l.Seasons, season)
				m.leagues[guild] = l
			},
			"rebuild": func(rt *rapid.T) {
				if done, err := s.Rebuild(ctx); err != nil || done.Changed != 0 || done.Results != len(m.results) {
					rt.Fatalf("rebuilding changed %+v of %d results, %v", done, len(m.results), err)
				}
			},
			"forget": func(rt *rapid.T) {
				user, as := rapid.SampledFrom(users).Draw(rt, "user"), fmt.Sprint(storage.Departed, len(m.names))
				if rapid.IntRange(0, 3).Draw(rt, "seldom") != 0 {
					rt.Skip("seldom")
				}
				if err := forget(s, user, as); err != nil {
					rt.Fatal(err)
				}
				m.forget(user, as)
			},
			"delete a server": func(rt *rapid.T) {
				guild := rapid.SampledFrom(guilds).Draw(rt, "guild")
				if rapid.IntRange(0, 3).Draw(rt, "seldom") != 0 {
					rt.Skip("seldom")
				}
				if err := deleteGuild(s, guild); err != nil {
					rt.Fatal(err)
				}
				m.deleteGuild(guild)
			},
			"open again": func(rt *rapid.T) {
				if err := s.Close(); err != nil {
					rt.Fatal(err)
				}
				s = reopen()
			},
			"compare": func(rt *rapid.T) { compare(rt, ctx, s, m) },
		})
		compare(rt, ctx, s, m)
		if err := s.Check(ctx); err != nil {
			rt.Fatal(err)
		}
	})
}

func compare(rt *rapid.T, ctx context.Context, s *Store, m *model) {
	for _, g := range guilds {
		if err := s.Finished(ctx, storage.Work{Kind: storage.Recounting, Of: g}); err != nil {
			rt.Fatal(err)
		}
	}
	equal := func(what string, want, got any, err error) {
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			rt.Fatalf("%s: %v\n%s", what, err, diff)
		}
	}
	for _, t := range m.there() {
		got, err := s.Load(ctx, t.Head.ID)
		equal("table "+t.Head.ID.String(), t, got, err)
		news, err := s.News(ctx, t.Head.ID)
		var since []storage.Event
		for _, e := range t.Events {
			if e.Version > t.Published {
				since = append(since, e)
			}
		}
		equal("news of "+t.Head.ID.String(), since, news.Events, err)
	}
	for _, phase := range []storage.Phase{storage.Active, storage.Finished} {
		lists := []struct {
			what string
			keys []string
			read func(context.Context, string, storage.Phase, storage.ID, int) ([]storage.Head, error)
			has  func(storage.Head, string) bool
		}{
			{"channel", channels, s.ByChannel, func(h storage.Head, k string) bool { return h.Channel == k }},
			{"server", guilds, s.ByGuild, func(h storage.Head, k string) bool { return h.Guild == k }},
			{"user", append(m.names, users...), s.ByUser, func(h storage.Head, k string) bool { return h.Seat(k) >= 0 }},
		}
		for _, l := range lists {
			for _, k := range l.keys {
				var got []storage.Head
				for after := storage.ID(0); ; {
					page, err := l.read(ctx, k, phase, after, 2)
					if err != nil {
						rt.Fatal(err)
					}
					got = append(got, page...)
					if len(page) < 2 {
						break
					}
					after = page[1].ID
				}
				equal(fmt.Sprintf("tables of %s %q, finished %v", l.what, k, phase), m.heads(phase, func(h storage.Head) bool { return l.has(h, k) }), got, nil)
			}
		}
	}
	pending, err := s.Pending(ctx, 0, 1000)
	equal("pending", m.pending(), pending, err)
	for _, u := range users {
		got, err := s.Turns(ctx, u, 1000)
		equal("turns of "+u, m.turns(u), got, err)
	}
	for _, t := range m.there() {
		got, err := s.RematchOf(ctx, t.Head.ID)
		equal("the rematch of "+t.Head.ID.String(), m.rematch(t.Head.ID), got, err)
	}
	due, err := s.DueUntil(ctx, 2, 1000)
	equal("due", m.due(2), due, err)
	for _, g := range guilds {
		for _, board := range []string{"heap", "ship", storage.AllGames} {
			for season := range 3 {
				b := storage.Board{Guild: g, Game: board, Season: season}
				page, err := s.Leaderboard(ctx, storage.BoardQuery{Board: b, Limit: 100})
				var got []storage.Standing
				for _, l := range page.Lines {
					got = append(got, l.Standing)
				}
				equal(fmt.Sprintf("standings of %+v", b), m.standings(b), got, err)
			}
		}
	}
}
