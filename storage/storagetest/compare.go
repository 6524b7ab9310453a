package storagetest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"marque/games"
	"marque/games/review"
	"marque/games/text"
	"marque/storage"
)

const (
	seed  = "20" // of the random histories, so that every run has the same
	steps = "60" // how long a history is on average
)

// Compare has two engines live through so many random histories side by side, and compares every answer, down to which
// error it is. A history that makes them differ is made as short as possible and printed. The second engine is the one that is
// believed: what the first did at once, the second does one by one. The histories are the same in every run, unless
// -rapid.seed says otherwise; -rapid.checks and -rapid.steps make them more and longer.
func Compare(t testing.TB, histories int, a, b func(t testing.TB) Place) {
	t.Helper()
	for name, values := range map[string][2]string{
		"rapid.seed": {"0", seed}, "rapid.steps": {"30", steps}, "rapid.checks": {"100", strconv.Itoa(histories)},
	} {
		if f := flag.Lookup(name); f.Value.String() == values[0] { // as the library has it when nobody says otherwise
			if err := f.Value.Set(values[1]); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Value.Set(values[0]) }()
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		h := &history{rt: rt, ctx: context.Background(), clock: 1000, sides: [2]*side{{place: a(t)}, {place: b(t)}}}
		defer h.close()
		h.open()
		rt.Repeat(h.actions())
		h.compare()
		for i, s := range h.sides {
			if err := s.Check(h.ctx); err != nil {
				rt.Fatalf("engine %d afterwards: %v", i, err)
			}
		}
	})
}

// side is one of the engines. Tables have numbers in the history, from 1 on in the order in which they were opened;
// their ids are the engine's affair.
type side struct {
	storage.Engine
	place Place
	ids   []storage.ID // of the history's tables
}

// unknown is added to numbers of tables that there are not.
const unknown = 1 << 50

// id is a table's id here.
func (s *side) id(number storage.ID) storage.ID {
	switch {
	case number == 0:
		return 0
	case int(number) <= len(s.ids):
		return s.ids[number-1]
	}
	return number + unknown
}

// number is the number of the table with an id.
func (s *side) number(id storage.ID) storage.ID {
	if i := slices.Index(s.ids, id); i >= 0 {
		return storage.ID(i + 1)
	}
	if id > unknown {
		return id - unknown
	}
	return id
}

func (s *side) numbers(ids []storage.ID) []storage.ID {
	var list []storage.ID
	for _, id := range ids {
		list = append(list, s.number(id))
	}
	return list
}

func (s *side) head(h storage.Head) storage.Head {
	h.ID, h.Rematch = s.number(h.ID), s.number(h.Rematch)
	return h
}

func (s *side) table(t storage.Table) storage.Table {
	t.Head = s.head(t.Head)
	return t
}

// result is a result without its order, whose numbers are the engine's affair.
func (s *side) result(r storage.Result) storage.Result {
	r.Table, r.Order = s.number(r.Table), 0
	return r
}

func (s *side) results(list []storage.Result) []storage.Result {
	list = slices.Clone(list)
	for i := range list {
		list[i] = s.result(list[i])
	}
	return list
}

// change is a change of the history as it is made here.
func (s *side) change(c storage.Change) storage.Change {
	c.Head.ID, c.Head.Rematch = s.id(c.Head.ID), s.id(c.Head.Rematch)
	return c
}

// kind says which error it is; an error of no known kind is reported as it stands.
func (s *side) kind(err error) string {
	var done *storage.DoneError
	var busy *storage.BusyError
	var limit *storage.LimitError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &done):
		return fmt.Sprintf("%s was done at table %d, version %d", done.Key, s.number(done.Table), done.Version)
	case errors.As(err, &busy):
		return fmt.Sprintf("channel %s is taken by table %d", busy.Channel, s.number(busy.Table))
	case errors.As(err, &limit):
		return fmt.Sprintf("beyond %+v", limit.Limit)
	}
	for _, known := range []error{storage.ErrStale, storage.ErrNoTable, storage.ErrInvalid, storage.ErrNoResult, storage.ErrSeasonRuns, storage.ErrNoSeason} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "unexpected: " + err.Error()
}

// history is what two engines live through.
type history struct {
	rt    *rapid.T
	ctx   context.Context
	sides [2]*side
	clock storage.Stamp
	names []string // under which those stand who were forgotten
	keys  []string // of commands
}

func (h *history) open() {
	for _, s := range h.sides {
		var err error
		if s.Engine, err = s.place.Open(); err != nil {
			h.rt.Fatal(err)
		}
	}
}

func (h *history) close() {
	for _, s := range h.sides {
		if s.Engine == nil {
			continue
		}
		err := s.Close()
		if s.place.Drop != nil {
			err = errors.Join(err, s.place.Drop())
		}
		if err != nil {
			h.rt.Error(err)
		}
	}
}

// same reports different answers.
func (h *history) same(what string, answers [2]any, errs [2]error) {
	h.rt.Helper()
	kinds := [2]string{h.sides[0].kind(errs[0]), h.sides[1].kind(errs[1])}
	for i, k := range kinds {
		if k != "" && k == "unexpected: "+errs[i].Error() {
			h.rt.Fatalf("%s: engine %d: %v", what, i, errs[i])
		}
	}
	if kinds[0] != kinds[1] {
		h.rt.Fatalf("%s: engine 0 returns %v, engine 1 %v", what, errs[0], errs[1])
	}
	if errs[0] != nil {
		return // what comes with an error is nothing
	}
	if reflect.DeepEqual(answers[1], answers[0]) { // which is quick
		return
	}
	if diff := cmp.Diff(answers[1], answers[0], cmpopts.EquateEmpty()); diff != "" {
		h.rt.Fatalf("%s (-engine 1 +engine 0):\n%s", what, diff)
	}
}

// both asks both engines, and reports whether they returned no error.
func both[T any](h *history, what string, f func(*side) (T, error)) (answer T, ok bool) {
	h.rt.Helper()
	var answers [2]any
	var errs [2]error
	for i, s := range h.sides {
		answer, errs[i] = f(s)
		answers[i] = answer
	}
	h.same(what, answers, errs)
	return answer, errs[1] == nil
}

// do has both engines do something that has no answer.
func (h *history) do(what string, f func(*side) error) bool {
	h.rt.Helper()
	_, ok := both(h, what, func(s *side) (struct{}, error) { return struct{}{}, f(s) })
	return ok
}

var (
	guilds   = []string{"g", "g2", ""}
	channels = []string{"c", "c2", "cc"}
	users    = []string{"ann", "bob", "an", "cid"} // one begins like another
	keys     = []string{"heap", "ship"}
)

func one[T any](rt *rapid.T, what string, of ...T) T { return rapid.SampledFrom(of).Draw(rt, what) }

func chance(rt *rapid.T, what string, in int) bool { return rapid.IntRange(1, in).Draw(rt, what) == in }

// pick is the head of a table that there is.
func (h *history) pick(rt *rapid.T) storage.Head {
	n := len(h.sides[1].ids)
	if n == 0 {
		rt.Skip("no table yet")
	}
	head, ok := h.there(storage.ID(rapid.IntRange(1, n).Draw(rt, "table")))
	if !ok {
		rt.Skip("deleted")
	}
	return head
}

// there is a table's head, as the second engine has it; false when it is deleted.
func (h *history) there(number storage.ID) (storage.Head, bool) {
	s := h.sides[1]
	head, err := s.Head(h.ctx, s.id(number))
	return s.head(head), err == nil
}

// ended is the number of a table that may have a result.
func (h *history) ended(rt *rapid.T) storage.ID {
	n := len(h.sides[1].ids)
	if n == 0 {
		rt.Skip("no table yet")
	}
	return storage.ID(rapid.IntRange(1, n+1).Draw(rt, "result"))
}

// next is a change of a table that goes on.
func (h *history) next(rt *rapid.T, head storage.Head) storage.Change {
	h.clock++
	c := Next(head, rapid.IntRange(0, 4).Draw(rt, "plays"))
	c.Head.Changed = h.clock
	c.Head.Channel = one(rt, "channel", channels...)
	c.Head.Due = nil
	for _, kind := range []string{"clock", "remind"} {
		if at := rapid.IntRange(0, 3).Draw(rt, kind); at > 0 {
			c.Head.Due = append(c.Head.Due, storage.Due{Kind: kind, At: storage.Stamp(at)})
		}
	}
	c.Head.ToMove = games.Seat(rapid.IntRange(-1, 2).Draw(rt, "to move"))
	c.Head.Timing.Turn = storage.Stamp(rapid.IntRange(0, 9).Draw(rt, "turn"))
	c.Head.Started = 5
	c.Head.Paused = one(rt, "paused", "", "", storage.PausedByModerator)
	happened := func(e storage.Event) {
		e.Version, e.At = c.Head.Version, h.clock
		c.Events = append(c.Events, e)
		c.Head.Events++
	}
	if chance(rt, "a seat is taken", 6) {
		user, seat := one(rt, "by", users...), rapid.IntRange(0, len(c.Head.Seats)-1).Draw(rt, "seat")
		name := text.NewName("Mate " + user)
		c.Head.Seats = slices.Clone(c.Head.Seats)
		happened(storage.Event{Kind: storage.Removed, Seat: games.Seat(seat), User: one(rt, "moderator", users...), Text: c.Head.Seats[seat].Name.Plain()})
		c.Head.Seats[seat] = storage.Occupant{User: user, Name: name}
		happened(storage.Event{Kind: storage.Taken, Seat: games.Seat(seat), User: user, Text: name.Plain()})
	}
	if chance(rt, "another detail", 6) {
		c.Detail = &storage.Detail{Rules: 4, Invited: rapid.SliceOfN(rapid.SampledFrom(users), 0, 2).Draw(rt, "invited")}
	}
	if !chance(rt, "end", 6) {
		return c
	}
	c.Head.Status, c.Head.Due = storage.Over, nil
	r := &storage.Result{Game: c.Head.Game, Guild: c.Head.Guild, Seats: c.Head.Seats, Plays: c.Head.Plays, Started: 5, Ended: h.clock - storage.Stamp(rapid.IntRange(0, 2).Draw(rt, "ended before"))}
	r.Drawn = rapid.Bool().Draw(rt, "drawn")
	r.Winners = one(rt, "winners", []games.Seat{0}, []games.Seat{1}, []games.Seat{0, 1})
	r.Unrated = chance(rt, "unrated", 6)
	if chance(rt, "abandoned", 4) {
		r.Ending, r.Winners, r.Drawn = games.Abandoned, nil, false
	} else if chance(rt, "points", 3) {
		for range r.Seats {
			r.Scores = append(r.Scores, rapid.IntRange(0, 2).Draw(rt, "score"))
		}
	}
	c.Head.Ending = r.Ending
	c.Result = r
	return c
}

// actions are what can happen, as often as it stands here.
func (h *history) actions() map[string]func(*rapid.T) {
	all := map[string]func(*rapid.T){}
	for _, a := range []struct {
		name  string
		often int
		do    func(*rapid.T)
	}{
		{"commit", 7, h.commit}, {"create", 5, h.create},
		{"several at once", 2, h.several}, {"publish", 2, h.publish}, {"void", 2, h.void}, {"season", 2, h.season},
		{"stale", 1, h.stale}, {"invalid", 1, h.invalid}, {"review", 1, h.review}, {"film", 1, h.film},
		{"settings", 1, h.settings}, {"uptime", 1, h.uptime}, {"forget", 1, h.forget}, {"delete a server", 1, h.deleteServer},
		{"rebuild", 1, h.rebuild}, {"compare", 1, func(*rapid.T) { h.compare() }},
		{"an hour goes by", 1, func(*rapid.T) { h.clock += storage.Stamp(storage.KeyGone.Milliseconds()) }},
		{"open again", 1, func(*rapid.T) { h.do("closing", func(s *side) error { return s.Close() }); h.open() }},
	} {
		for n := range a.often {
			all[a.name+strings.Repeat("'", n)] = a.do
		}
	}
	return all
}

// key gives a change a key, which may have been used.
func (h *history) key(rt *rapid.T, c *storage.Change) {
	if !chance(rt, "with a key", 3) {
		return
	}
	if c.Key = fmt.Sprint("key ", rapid.IntRange(0, 3).Draw(rt, "key")); !slices.Contains(h.keys, c.Key) {
		h.keys = append(h.keys, c.Key)
	}
}

func (h *history) create(rt *rapid.T) {
	h.clock++
	two := rapid.Permutation(users).Draw(rt, "users")[:2]
	c := Opening(one(rt, "guild", guilds...), one(rt, "channel", channels...), two...)
	c.Head.Game, c.Head.Changed = one(rt, "game", keys...), h.clock
	c.Head.Rematch = storage.ID(rapid.IntRange(0, 3).Draw(rt, "rematch"))
	switch {
	case chance(rt, "with computers", 4):
		c.Head.Seats = append(c.Head.Seats, storage.Occupant{Computer: "hard"}, storage.Occupant{Computer: one(rt, "level", "hard", "easy")})
	case chance(rt, "with an empty seat", 6):
		c.Head.Seats = append(c.Head.Seats, storage.Occupant{})
	}
	c.Detail.Invited = rapid.SliceOfN(rapid.SampledFrom(users), 0, 2).Draw(rt, "invited")
	c.Alone = rapid.Bool().Draw(rt, "alone")
	c.Limits = []storage.Limit{
		{Kind: storage.ServerTables, Most: rapid.IntRange(1, 12).Draw(rt, "most of the server")},
		{Kind: storage.UserTables, User: two[0], Most: rapid.IntRange(1, 8).Draw(rt, "most tables")},
		{Kind: storage.UserLobbies, User: two[0], Most: rapid.IntRange(1, 4).Draw(rt, "most lobbies")},
		{Kind: storage.UserInvitations, User: two[0], Most: rapid.IntRange(1, 4).Draw(rt, "most invitations")},
	}
	h.key(rt, &c)
	h.do("limits of an opening", func(s *side) error { return s.Within(h.ctx, s.change(c)) })
	var ids [2]storage.ID
	created := h.do("opening a table", func(s *side) (err error) {
		i := slices.Index(h.sides[:], s)
		if ids[i], err = s.Create(h.ctx, s.change(c)); err == nil && len(s.ids) > 0 && ids[i] <= slices.Max(s.ids) {
			rt.Fatalf("engine %d opens table %d after table %d", i, ids[i], slices.Max(s.ids))
		}
		return err
	})
	if created {
		for i, s := range h.sides {
			s.ids = append(s.ids, ids[i])
		}
	}
}

func (h *history) commit(rt *rapid.T) {
	head := h.pick(rt)
	if head.Status == storage.Over {
		rt.Skip("over")
	}
	c := h.next(rt, head)
	h.key(rt, &c)
	if chance(rt, "with a limit", 4) {
		c.Limits = []storage.Limit{{Kind: storage.LimitKind(rapid.IntRange(0, 3).Draw(rt, "limit")), User: head.Host, Most: rapid.IntRange(0, 4).Draw(rt, "most")}}
	}
	h.do("limits of a commit", func(s *side) error { return s.Within(h.ctx, s.change(c)) })
	h.do("a commit", func(s *side) error { return s.Commit(h.ctx, s.change(c)) })
}

func (h *history) stale(rt *rapid.T) {
	c := h.next(rt, h.pick(rt))
	c.Head.Version += uint64(one(rt, "off", -1, 1))
	for i := range c.Events {
		c.Events[i].Version = c.Head.Version
	}
	if h.do("a commit on another version", func(s *side) error { return s.Commit(h.ctx, s.change(c)) }) {
		rt.Fatal("neither engine refuses a stale commit")
	}
}

func (h *history) invalid(rt *rapid.T) {
	c := h.next(rt, h.pick(rt))
	c.Head.Events += 7 // more than there are
	if h.do("a commit with too many events", func(s *side) error { return s.Commit(h.ctx, s.change(c)) }) {
		rt.Fatal("neither engine refuses a commit that is not valid")
	}
}

// several are commits at several tables: at once in the first engine, one by one in the second, in the order in which the
// results are in the first.
func (h *history) several(rt *rapid.T) {
	var changes []storage.Change
	for n := range h.sides[1].ids {
		head, ok := h.there(storage.ID(n + 1))
		if !ok || head.Status == storage.Over {
			continue
		}
		c := h.next(rt, head)
		if chance(rt, "bad", 3) {
			c.Head.Events++
		}
		changes = append(changes, c)
	}
	a, b := h.sides[0], h.sides[1]
	errs := atOnce(len(changes), func(i int) error { return a.Commit(h.ctx, a.change(changes[i])) })
	order := make([]int, len(changes))
	rated := make([]uint64, len(changes))
	for i, c := range changes {
		order[i] = i
		if c.Result == nil || errs[i] != nil {
			continue
		}
		r, err := a.Result(h.ctx, a.id(c.Head.ID))
		if err != nil {
			rt.Fatalf("the result of table %d: %v", c.Head.ID, err)
		}
		rated[i] = r.Order
	}
	slices.SortStableFunc(order, func(i, j int) int { return int(rated[i]) - int(rated[j]) })
	for _, i := range order {
		h.same(fmt.Sprintf("a commit at table %d among others", changes[i].Head.ID), [2]any{}, [2]error{errs[i], b.Commit(h.ctx, b.change(changes[i]))})
	}
}

func (h *history) publish(rt *rapid.T) {
	head := h.pick(rt)
	v := rapid.Uint64Range(1, head.Version+1).Draw(rt, "version")
	h.do("marking what is published", func(s *side) error {
		return s.MarkPublished(h.ctx, s.id(head.ID), v, fmt.Sprint("note ", v), storage.Tenure{})
	})
}

func (h *history) void(rt *rapid.T) {
	number := h.ended(rt)
	var v *storage.Voiding
	if rapid.Bool().Draw(rt, "voided") {
		v = &storage.Voiding{By: one(rt, "by", users...), At: h.clock, Why: text.NewName("says <@" + one(rt, "said", users...) + ">")}
	}
	both(h, "voiding", func(s *side) (storage.Result, error) {
		r, err := s.Void(h.ctx, s.id(number), v)
		r.Ratings = nil // they are counted later
		return s.result(r), err
	})
}

func (h *history) season(rt *rapid.T) {
	guild := one(rt, "guild", guilds...)
	switch one(rt, "what", "start", "end", "least") {
	case "start":
		title := text.NewName("summer of " + one(rt, "title", users...))
		both(h, "starting a season", func(s *side) (storage.Season, error) { return s.StartSeason(h.ctx, guild, title, h.clock) })
	case "end":
		both(h, "ending a season", func(s *side) (storage.Season, error) { return s.EndSeason(h.ctx, guild, h.clock) })
	case "least":
		least := rapid.IntRange(0, 3).Draw(rt, "least")
		h.do("setting who is ranked", func(s *side) error { return s.SetLeast(h.ctx, guild, least) })
	}
}

func (h *history) rebuild(*rapid.T) {
	done, _ := both(h, "counting everything anew", func(s *side) (storage.Rebuilt, error) { return s.Rebuild(h.ctx) })
	if done.Changed != 0 {
		h.rt.Fatalf("counting everything anew changed %+v", done)
	}
}

func (h *history) forget(rt *rapid.T) {
	if !chance(rt, "seldom", 4) {
		rt.Skip("seldom")
	}
	user, as := one(rt, "user", users...), fmt.Sprint(storage.Departed, len(h.names))
	h.names = append(h.names, as)
	h.do("forgetting "+user, func(s *side) error {
		return errors.Join(s.Forget(h.ctx, user, as), s.Finished(h.ctx, storage.Work{Kind: storage.Forgetting, Of: user}))
	})
}

func (h *history) deleteServer(rt *rapid.T) {
	if !chance(rt, "seldom", 4) {
		rt.Skip("seldom")
	}
	guild := one(rt, "guild", guilds...)
	h.do("deleting "+guild, func(s *side) error {
		return errors.Join(s.DeleteGuild(h.ctx, guild), s.Finished(h.ctx, storage.Work{Kind: storage.Deleting, Of: guild}))
	})
}

func (h *history) review(rt *rapid.T) {
	number, r := h.ended(rt), storage.Review{Looked: rapid.IntRange(0, 9).Draw(rt, "looked")}
	for i := range rapid.IntRange(0, review.MaxPoints+1).Draw(rt, "points") {
		r.Points = append(r.Points, review.TurningPoint{Play: i, Played: "take 1", Better: "take 2", Had: 0.3, Left: 0.1})
	}
	h.do("a review", func(s *side) error { return s.SetReview(h.ctx, s.id(number), r) })
}

func (h *history) film(rt *rapid.T) {
	number, tries := h.ended(rt), rapid.IntRange(0, 3).Draw(rt, "tries")
	what := one(rt, "what", "want", "put off", "drop")
	h.do("a film", func(s *side) error {
		switch what {
		case "want":
			return s.WantFilm(h.ctx, s.id(number))
		case "put off":
			return s.PutOffFilm(h.ctx, storage.Film{Table: s.id(number), Tries: tries})
		}
		return s.DropFilm(h.ctx, s.id(number))
	})
}

// months are those of scores.
var months = []string{"2026-10", "2026-11"}

// chosen are settings.
type chosen struct {
	Language string   `json:"l,omitempty"`
	Blocked  []string `json:"b,omitempty"`
	Puzzles  struct {
		Months []storage.Score `json:"months,omitempty"`
	} `json:"puzzles"`
}

func (h *history) settings(rt *rapid.T) {
	v := chosen{Language: one(rt, "language", "", "en", "d\"e<"), Blocked: rapid.SliceOfN(rapid.SampledFrom(users), 0, 2).Draw(rt, "blocked")}
	for range rapid.IntRange(0, 3).Draw(rt, "months") {
		v.Puzzles.Months = append(v.Puzzles.Months, storage.Score{
			Server: one(rt, "solved on", guilds...), Month: one(rt, "month", months...),
			Solved: rapid.IntRange(0, 3).Draw(rt, "solved"), First: rapid.IntRange(0, 2).Draw(rt, "first"),
		})
	}
	guild, user := one(rt, "guild", guilds...), one(rt, "user", users...)
	if rapid.Bool().Draw(rt, "of a server") {
		h.do("a server's settings", func(s *side) error { return s.ChangeGuildSettings(h.ctx, guild, Set(v)) })
		return
	}
	h.do("a user's settings", func(s *side) error {
		return s.ChangeUserSettings(h.ctx, user, func(read func(any) error) (any, error) {
			var c chosen
			if err := read(&c); err != nil || c.Language == v.Language {
				return nil, err
			}
			c.Language, c.Blocked = v.Language, append(c.Blocked[:min(len(c.Blocked), 3)], v.Blocked...)
			return c, nil
		})
	})
}

func (h *history) uptime(rt *rapid.T) {
	up := storage.Uptime{Alive: h.clock, Down: []storage.Span{{From: 1, To: storage.Stamp(rapid.IntRange(1, 9999).Draw(rt, "down"))}}}
	left := storage.Removal{Guild: one(rt, "left", guilds...), At: h.clock}
	back := rapid.Bool().Draw(rt, "back")
	h.do("uptime", func(s *side) error {
		err := s.ChangeUptime(h.ctx, func(u storage.Uptime) storage.Uptime {
			return storage.Uptime{Alive: up.Alive, Down: append(u.Down[:min(len(u.Down), 3)], up.Down...)}
		})
		if back {
			return errors.Join(err, s.DropRemoval(h.ctx, left.Guild))
		}
		return errors.Join(err, s.AddRemoval(h.ctx, left))
	})
}

// compare asks both engines everything that can be asked.
func (h *history) compare() {
	ctx := h.ctx
	for _, g := range guilds {
		h.do("counting", func(s *side) error { return s.Finished(ctx, storage.Work{Kind: storage.Recounting, Of: g}) })
	}
	both(h, "work", func(s *side) ([]storage.Work, error) { return s.Works(ctx) })
	for n := range storage.ID(len(h.sides[1].ids) + 2) {
		what := fmt.Sprint(" of table ", n)
		both(h, "all"+what, func(s *side) (storage.Table, error) { t, err := s.Load(ctx, s.id(n)); return s.table(t), err })
		both(h, "the news"+what, func(s *side) (storage.Table, error) { t, err := s.News(ctx, s.id(n)); return s.table(t), err })
		both(h, "the head"+what, func(s *side) (storage.Head, error) { t, err := s.Head(ctx, s.id(n)); return s.head(t), err })
		both(h, "the result"+what, func(s *side) (storage.Result, error) { r, err := s.Result(ctx, s.id(n)); return s.result(r), err })
		both(h, "the review"+what, func(s *side) (storage.Review, error) { return s.Review(ctx, s.id(n)) })
		both(h, "the rematch"+what, func(s *side) (storage.ID, error) { id, err := s.RematchOf(ctx, s.id(n)); return s.number(id), err })
		for _, key := range h.keys {
			both(h, key+what, func(s *side) (string, error) {
				done, err := s.Done(ctx, s.id(n), key, h.clock)
				if done == nil {
					return "", err
				}
				return s.kind(done), err
			})
		}
	}
	h.lists()
	h.leagues()
	both(h, "films", func(s *side) ([]storage.Film, error) {
		var all []storage.Film
		for after := storage.ID(0); ; {
			page, err := s.Films(ctx, after, 2)
			for _, f := range page {
				after = f.Table
				all = append(all, storage.Film{Table: s.number(f.Table), Tries: f.Tries})
			}
			if len(page) < 2 || err != nil {
				return all, err
			}
		}
	})
	for _, g := range guilds {
		both(h, "settings of server "+g, func(s *side) (v chosen, err error) { return v, s.GuildSettings(ctx, g, &v) })
		for _, month := range months {
			both(h, "scores of server "+g+" in "+month, func(s *side) (storage.ScorePage, error) { return s.Scores(ctx, g, month, 2) })
		}
	}
	for _, u := range slices.Concat(users, h.names) {
		both(h, "settings of "+u, func(s *side) (v chosen, err error) { return v, s.UserSettings(ctx, u, &v) })
		both(h, "users who name "+u, func(s *side) ([]string, error) { return s.UsersNaming(ctx, u) })
	}
	both(h, "uptime", func(s *side) (storage.Uptime, error) { return s.Uptime(ctx) })
	both(h, "removals", func(s *side) ([]storage.Removal, error) { return s.Removals(ctx) })
	both(h, "restorations", func(s *side) ([]storage.Restoration, error) { return s.Restorations(ctx) })
	both(h, "the last that is known", func(s *side) (storage.Stamp, error) { return s.LastKnown(ctx) })
	both(h, "servers", func(s *side) ([]string, error) { return s.Guilds(ctx) })
	both(h, "the tally", func(s *side) (map[storage.Group]int, error) { return s.Tally(ctx) })
}

// lists compares the lists of tables, read in pages.
func (h *history) lists() {
	ctx := h.ctx
	everybody := slices.Concat(users, h.names)
	for _, phase := range []storage.Phase{storage.Active, storage.Finished} {
		for _, l := range []struct {
			what string
			keys []string
			read func(*side) func(context.Context, string, storage.Phase, storage.ID, int) ([]storage.Head, error)
		}{
			{"channel", channels, func(s *side) func(context.Context, string, storage.Phase, storage.ID, int) ([]storage.Head, error) {
				return s.ByChannel
			}},
			{"server", guilds, func(s *side) func(context.Context, string, storage.Phase, storage.ID, int) ([]storage.Head, error) {
				return s.ByGuild
			}},
			{"user", everybody, func(s *side) func(context.Context, string, storage.Phase, storage.ID, int) ([]storage.Head, error) {
				return s.ByUser
			}},
		} {
			for _, k := range l.keys {
				both(h, fmt.Sprintf("tables of %s %q, finished %v", l.what, k, phase), func(s *side) ([]storage.Head, error) {
					var all []storage.Head
					for after := storage.ID(0); ; {
						page, err := l.read(s)(ctx, k, phase, after, 2)
						for _, head := range page {
							after = head.ID
							all = append(all, s.head(head))
						}
						if len(page) < 2 || err != nil {
							return all, err
						}
					}
				})
			}
		}
	}
	for _, u := range everybody {
		for _, limit := range []int{1000, 1} {
			both(h, fmt.Sprintf("turns of %s, at most %d", u, limit), func(s *side) ([]storage.Turn, error) {
				list, err := s.Turns(ctx, u, limit)
				for i := range list {
					list[i].Table = s.number(list[i].Table)
				}
				return list, err
			})
		}
		both(h, "tables that name "+u, func(s *side) ([]storage.ID, error) { ids, err := s.Naming(ctx, u); return s.numbers(ids), err })
	}
	for _, limit := range []int{1000, 2} {
		both(h, fmt.Sprintf("pending, at most %d", limit), func(s *side) ([]storage.ID, error) {
			ids, err := s.Pending(ctx, s.id(1), limit)
			return s.numbers(ids), err
		})
		both(h, fmt.Sprintf("due, at most %d", limit), func(s *side) ([]storage.DueTable, error) {
			list, err := s.DueUntil(ctx, 2, limit)
			for i := range list {
				list[i].Table = s.number(list[i].Table)
			}
			return list, err
		})
	}
}

// leagues compares what is made of results.
func (h *history) leagues() {
	ctx := h.ctx
	results := func(what string, q storage.ResultQuery) {
		both(h, "results "+what, func(s *side) ([]storage.Result, error) {
			var all []storage.Result
			for q := q; ; {
				page, err := s.Results(ctx, q)
				all = append(all, s.results(page)...)
				if len(page) < q.Limit || err != nil {
					return all, err
				}
				q.Before = page[len(page)-1]
			}
		})
	}
	for _, u := range slices.Concat(users, h.names) {
		results("of "+u, storage.ResultQuery{User: u, Limit: 2})
		results("of "+u+" in a server and a game", storage.ResultQuery{User: u, Guild: "g", Game: "heap", Limit: 2})
	}
	for _, g := range guilds {
		results("of server "+g, storage.ResultQuery{Guild: g, Limit: 3})
		both(h, "the order of results of server "+g, func(s *side) ([]storage.ID, error) {
			list, err := s.Results(ctx, storage.ResultQuery{Guild: g, Limit: 1000})
			slices.SortFunc(list, func(a, b storage.Result) int { return int(a.Order) - int(b.Order) })
			var ids []storage.ID
			for _, r := range list {
				ids = append(ids, s.number(r.Table))
			}
			return ids, err
		})
		both(h, "won results of server "+g, func(s *side) ([]storage.Result, error) {
			list, err := s.Results(ctx, storage.ResultQuery{Guild: g, Limit: 2, Scan: 4, Keep: func(r storage.Result) bool { return !r.Drawn && r.Ending != games.Abandoned }})
			return s.results(list), err
		})
		both(h, "what server "+g+" has played", func(s *side) (storage.Stats, error) {
			stats, err := s.Stats(ctx, g, keys, h.clock)
			stats.Longest = s.results(stats.Longest)
			return stats, err
		})
		both(h, "the league of "+g, func(s *side) (storage.League, error) { return s.League(ctx, g) })
		for _, game := range append(keys, storage.AllGames) {
			results("of server "+g+" and game "+game, storage.ResultQuery{Guild: g, Game: game, Limit: 2})
			for season := range 3 {
				for _, computers := range []bool{false, true} {
					b := storage.Board{Guild: g, Game: game, Season: season, Computers: computers}
					both(h, fmt.Sprintf("board %+v", b), func(s *side) (storage.BoardPage, error) {
						return s.Leaderboard(ctx, storage.BoardQuery{Board: b, Limit: 100, Own: users[season]})
					})
					both(h, fmt.Sprintf("a page of board %+v", b), func(s *side) (storage.BoardPage, error) {
						return s.Leaderboard(ctx, storage.BoardQuery{Board: b, Least: 2, Offset: 1, Limit: 1, Own: users[2]})
					})
				}
			}
			for _, u := range h.names {
				both(h, "the line of "+u, func(s *side) (storage.Standing, error) {
					return s.Standing(ctx, storage.Board{Guild: g, Game: game}, u)
				})
			}
		}
	}
}
