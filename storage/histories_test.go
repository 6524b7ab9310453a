package storage_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"marque/games"
	"marque/games/competition"
	"marque/games/review"
	"marque/games/text"
	"marque/storage"
	"marque/storage/storagetest"
)

const (
	seed  = "20" // seed of the random histories, the same in every run
	steps = "60" // average length of a history
)

// runHistories runs random histories on a store. After each change, the store must return the stored values. From time
// to time, all lists are compared with all tables and results, which are read one by one. A history that breaks a
// promise is shrunk and printed. The histories are the same in every run unless -rapid.seed is set. -rapid.checks and
// -rapid.steps set their number and length.
func runHistories(t testing.TB, histories int, at func(t testing.TB) place) {
	t.Helper()
	for name, values := range map[string][2]string{
		"rapid.seed": {"0", seed}, "rapid.steps": {"30", steps}, "rapid.checks": {"100", strconv.Itoa(histories)},
	} {
		if f := flag.Lookup(name); f.Value.String() == values[0] { // the flag still has its default
			if err := f.Value.Set(values[1]); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Value.Set(values[0]) }()
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		h := &history{rt: rt, ctx: context.Background(), clock: 1000, place: at(t)}
		defer h.close()
		h.open()
		rt.Repeat(h.actions())
		h.agree()
	})
}

// history is one random history of a store.
type history struct {
	*storage.Store
	rt    *rapid.T
	ctx   context.Context
	place place
	clock storage.Stamp
	names []string     // names that replaced those of forgotten users
	ids   []storage.ID // ids of all opened tables
	cups  []storage.CompetitionID
}

func (h *history) open() {
	var err error
	if h.Store, _, err = h.place.open(); err != nil {
		h.rt.Fatal(err)
	}
}

func (h *history) close() {
	if h.Store == nil {
		return
	}
	err := h.Store.Close()
	if h.place.Drop != nil {
		err = errors.Join(err, h.place.Drop())
	}
	if err != nil {
		h.rt.Error(err)
	}
}

// known are errors with which a store refuses a change.
var known = []error{storage.ErrStale, storage.ErrNoTable, storage.ErrInvalid, storage.ErrNoResult,
	storage.ErrSeasonRuns, storage.ErrNoSeason, storage.ErrNoCompetition}

// did reports whether a change was made. It ends the history on an error other than a refusal.
func (h *history) did(what string, err error) bool {
	h.rt.Helper()
	refused := errors.As(err, new(*storage.DoneError)) || errors.As(err, new(*storage.BusyError)) || errors.As(err,
		new(*storage.LimitError)) ||
		slices.ContainsFunc(known, func(k error) bool { return errors.Is(err, k) })
	if err != nil && !refused {
		h.rt.Fatalf("%s: %v", what, err)
	}
	return err == nil
}

// same ends the history if got is not what the history expects.
func (h *history) same(what string, want, got any, err error) {
	h.rt.Helper()
	if err != nil {
		h.rt.Fatalf("%s: %v", what, err)
	}
	if reflect.DeepEqual(want, got) { // avoids the slower comparison
		return
	}
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		h.rt.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

var (
	guilds   = []string{"g", "g2", ""}
	channels = []string{"c", "c2", "cc"}
	users    = []string{"ann", "bob", "an", "cid"} // the third is a prefix of the first
	keys     = []string{"heap", "ship"}
)

func one[T any](rt *rapid.T, what string, of ...T) T { return rapid.SampledFrom(of).Draw(rt, what) }

func chance(rt *rapid.T, what string, in int) bool { return rapid.IntRange(1, in).Draw(rt, what) == in }

// pick returns the head of a random table.
func (h *history) pick(rt *rapid.T) storage.Head {
	if len(h.ids) == 0 {
		rt.Skip("no table yet")
	}
	head, err := h.Head(h.ctx, one(rt, "table", h.ids...))
	if err != nil {
		rt.Skip("deleted")
	}
	return head
}

// ended returns the id of a table that may have a result.
func (h *history) ended(rt *rapid.T) storage.ID {
	if len(h.ids) == 0 {
		rt.Skip("no table yet")
	}
	return one(rt, "result", append(slices.Clone(h.ids), 1<<40)...)
}

// next returns a change of a table in play.
func (h *history) next(rt *rapid.T, head storage.Head) storage.Change {
	h.clock++
	c := storagetest.Next(head, rapid.IntRange(0, 4).Draw(rt, "plays"))
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
		happened(storage.Event{Kind: storage.Removed, Seat: games.Seat(seat), User: one(rt, "moderator", users...),
			Text: c.Head.Seats[seat].Name.Plain()})
		c.Head.Seats[seat] = storage.Occupant{User: user, Name: name}
		happened(storage.Event{Kind: storage.Taken, Seat: games.Seat(seat), User: user, Text: name.Plain()})
	}
	if chance(rt, "another detail", 6) {
		c.Detail = &storage.Detail{Rules: 4, Invited: rapid.SliceOfN(rapid.SampledFrom(users), 0, 2).Draw(rt,
			"invited")}
	}
	if !chance(rt, "end", 6) {
		return c
	}
	c.Head.Status, c.Head.Due = storage.Over, nil
	r := &storage.Result{Game: c.Head.Game, Guild: c.Head.Guild, Seats: c.Head.Seats, Plays: c.Head.Plays, Started: 5,
		Ended: h.clock - storage.Stamp(rapid.IntRange(0, 2).Draw(rt, "ended before"))}
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

// actions returns the actions of a history by name. An action is in the map as many times as its weight.
func (h *history) actions() map[string]func(*rapid.T) {
	all := map[string]func(*rapid.T){}
	for _, a := range []struct {
		name  string
		often int
		do    func(*rapid.T)
	}{
		{"commit", 7, h.commit}, {"create", 5, h.create},
		{"several at once", 2, h.several}, {"publish", 2, h.publish}, {"void", 2, h.void}, {"season", 2, h.season},
		{"stale", 1, h.stale}, {"invalid", 1, h.invalid}, {"review", 1, h.review},
		{"competition", 2, h.competition}, {"settings", 1, h.settings}, {"uptime", 1, h.uptime},
		{"forget", 1, h.forget}, {"delete a server", 1, h.deleteServer},
		{"agree", 1, func(*rapid.T) { h.agree() }},
		{"an hour goes by", 1, func(*rapid.T) { h.clock += storage.Stamp(storage.KeyGone.Milliseconds()) }},
		{"open again", 1, func(*rapid.T) { h.did("closing", h.Store.Close()); h.open() }},
	} {
		for n := range a.often {
			all[a.name+strings.Repeat("'", n)] = a.do
		}
	}
	return all
}

// key sometimes gives a change the key of a command, which may already have been used.
func key(rt *rapid.T, c *storage.Change) {
	if chance(rt, "with a key", 3) {
		c.Key = fmt.Sprint("key ", rapid.IntRange(0, 3).Draw(rt, "key"))
	}
}

func (h *history) create(rt *rapid.T) {
	h.clock++
	two := rapid.Permutation(users).Draw(rt, "users")[:2]
	c := storagetest.Opening(one(rt, "guild", guilds...), one(rt, "channel", channels...), two...)
	c.Head.Game, c.Head.Changed = one(rt, "game", keys...), h.clock
	c.Head.Rematch = storage.ID(rapid.IntRange(0, 3).Draw(rt, "rematch"))
	switch {
	case chance(rt, "with computers", 4):
		c.Head.Seats = append(c.Head.Seats, storage.Occupant{Computer: "hard"},
			storage.Occupant{Computer: one(rt, "level", "hard", "easy")})
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
	key(rt, &c)
	played := storage.ID(0) // id of the table of the competition's game; 0 before it is opened
	if len(h.cups) > 0 && chance(rt, "of a competition", 3) {
		of := one(rt, "competition", h.cups...)
		game := rapid.Uint64Range(1, 2).Draw(rt, "its game")
		c.Head.Guild, c.Head.Competition = of.Server, storage.CompetitionGame{Number: of.Number, Game: game}
		for _, head := range h.heads() {
			if head.Guild == of.Server && head.Competition == c.Head.Competition {
				played = head.ID
			}
		}
	}
	within, now := h.withinLimits(c), h.active("", nil)
	id, err := h.Create(h.ctx, c)
	if !h.did("opening a table", err) {
		if limit := (*storage.LimitError)(nil); errors.As(err, &limit) && within {
			rt.Fatalf("%v, although there is room", err)
		}
		return
	}
	if played != 0 {
		rt.Fatalf("table %d is the second of a game, after table %d", id, played)
	}
	if busy := h.active(c.Head.Channel, now); !within || c.Alone && len(busy) > 0 {
		rt.Fatalf("table %d was opened, within the limits %v, beside %v", id, within, busy)
	}
	if len(h.ids) > 0 && id <= slices.Max(h.ids) {
		rt.Fatalf("table %d is opened after table %d", id, slices.Max(h.ids))
	}
	h.ids = append(h.ids, id)
	c.Head.ID = id
	got, err := h.Load(h.ctx, id)
	h.same("what was opened", storage.Table{Head: c.Head, Detail: *c.Detail, Events: c.Events}, got, err)
	h.repeat(c)
}

// heads returns the heads of all tables, by id.
func (h *history) heads() (list []storage.Head) {
	for _, id := range h.ids {
		switch head, err := h.Head(h.ctx, id); {
		case err == nil:
			list = append(list, head)
		case !errors.Is(err, storage.ErrNoTable):
			h.rt.Fatal(err)
		}
	}
	return list
}

// active returns the channel's active tables among the given ones. If among is nil, it returns all tables.
func (h *history) active(channel string, among []storage.Head) (list []storage.Head) {
	if among == nil {
		return h.heads()
	}
	for _, head := range among {
		if head.Channel == channel && head.Status.Active() {
			list = append(list, head)
		}
	}
	return list
}

// withinLimits computes from all tables whether a change respects its limits.
func (h *history) withinLimits(c storage.Change) bool {
	for _, l := range c.Limits {
		sum := l.Weight(c.Head, c.Detail)
		if sum == 0 {
			continue
		}
		for _, head := range h.heads() {
			if head.ID == c.Head.ID || !head.Status.Active() || head.Guild != c.Head.Guild ||
				l.Kind != storage.ServerTables && head.Seat(l.User) < 0 {
				continue
			}
			table, err := h.Load(h.ctx, head.ID)
			if err != nil {
				h.rt.Fatal(err)
			}
			sum += l.Weight(head, &table.Detail)
		}
		if sum > l.Most {
			return false
		}
	}
	return true
}

// repeat asks the store about a command that was just carried out. The store must find the command's key.
func (h *history) repeat(c storage.Change) {
	if c.Key == "" {
		return
	}
	want := &storage.DoneError{Key: c.Key, Table: c.Head.ID, Version: c.Head.Version}
	at := c.Head.ID
	if c.Head.Version == 1 {
		at = 0
	}
	got, err := h.Done(h.ctx, at, c.Key, c.Head.Changed)
	h.same("what was just done", want, got, err)
}

// after checks that the store has a table with the change c applied; before is the table without it.
func (h *history) after(before storage.Table, c storage.Change) {
	before.Head, before.Events = c.Head, append(before.Events, c.Events...)
	if c.Detail != nil {
		before.Detail = *c.Detail
	}
	got, err := h.Load(h.ctx, c.Head.ID)
	h.same("what was committed", before, got, err)
	h.repeat(c)
	if c.Result == nil {
		return
	}
	want := *c.Result
	want.Table = c.Head.ID
	result, err := h.Result(h.ctx, c.Head.ID)
	result.Order, result.Season, result.Ratings = 0, 0, nil
	h.same("how it ended", want, result, err)
}

func (h *history) commit(rt *rapid.T) {
	head := h.pick(rt)
	if head.Status == storage.Over {
		rt.Skip("over")
	}
	c := h.next(rt, head)
	key(rt, &c)
	if chance(rt, "with a limit", 4) {
		c.Limits = []storage.Limit{{Kind: storage.LimitKind(rapid.IntRange(0, 3).Draw(rt, "limit")), User: head.Host,
			Most: rapid.IntRange(0, 4).Draw(rt, "most")}}
	}
	before, err := h.Load(h.ctx, head.ID)
	if err != nil {
		rt.Fatal(err)
	}
	within := h.withinLimits(c)
	if limit := h.CheckLimits(h.ctx, c); (limit == nil) != within {
		rt.Fatalf("by its limits it is within them: %v; the store says %v", within, limit)
	}
	if h.did("a commit", h.Commit(h.ctx, c)) {
		h.after(before, c)
	} else {
		got, err := h.Load(h.ctx, head.ID)
		h.same("after a refusal", before, got, err)
	}
}

func (h *history) stale(rt *rapid.T) {
	c := h.next(rt, h.pick(rt))
	c.Head.Version += uint64(one(rt, "off", -1, 1))
	for i := range c.Events {
		c.Events[i].Version = c.Head.Version
	}
	if h.did("a commit on another version", h.Commit(h.ctx, c)) {
		rt.Fatal("a stale commit is not refused")
	}
}

func (h *history) invalid(rt *rapid.T) {
	c := h.next(rt, h.pick(rt))
	c.Head.Events += 7 // more events than the table has
	if h.did("a commit with too many events", h.Commit(h.ctx, c)) {
		rt.Fatal("a commit that is not valid is not refused")
	}
}

// several commits changes of several tables at the same time.
func (h *history) several(rt *rapid.T) {
	var changes []storage.Change
	var before []storage.Table
	for _, head := range h.heads() {
		if head.Status == storage.Over {
			continue
		}
		c := h.next(rt, head)
		if chance(rt, "bad", 3) {
			c.Head.Events++
		}
		table, err := h.Load(h.ctx, head.ID)
		if err != nil {
			rt.Fatal(err)
		}
		changes, before = append(changes, c), append(before, table)
	}
	for i, err := range atOnce(len(changes), func(i int) error { return h.Commit(h.ctx, changes[i]) }) {
		if h.did("a commit among others", err) {
			h.after(before[i], changes[i])
		}
	}
}

func (h *history) publish(rt *rapid.T) {
	head := h.pick(rt)
	before, err := h.News(h.ctx, head.ID)
	if err != nil {
		rt.Fatal(err)
	}
	v := rapid.Uint64Range(1, head.Version+1).Draw(rt, "version")
	if !h.did("marking what is published", h.MarkPublished(h.ctx, head.ID, storage.Publication{
		Version: v, Forgotten: head.Forgotten,
		Note: fmt.Sprint("note ", v),
	}, storage.Fence{})) || v < before.Published {
		return
	}
	before.Published, before.Note = v, fmt.Sprint("note ", v)
	before.Events = slices.DeleteFunc(before.Events, func(e storage.Event) bool { return e.Version <= v })
	got, err := h.News(h.ctx, head.ID)
	h.same("the news after that", before, got, err)
}

func (h *history) void(rt *rapid.T) {
	id := h.ended(rt)
	var v *storage.Voiding
	if rapid.Bool().Draw(rt, "voided") {
		v = &storage.Voiding{By: one(rt, "by", users...), At: h.clock,
			Why: text.NewName("says <@" + one(rt, "said", users...) + ">")}
	}
	r, err := h.Void(h.ctx, id, v)
	if h.did("voiding", err) {
		h.same("the voiding", v, r.Voided, nil)
	}
}

func (h *history) season(rt *rapid.T) {
	guild := one(rt, "guild", guilds...)
	want, err := h.League(h.ctx, guild)
	h.did("a league", err)
	switch one(rt, "what", "start", "end", "least") {
	case "start":
		title := text.NewName("summer of " + one(rt, "title", users...))
		_, err = h.StartSeason(h.ctx, guild, title, h.clock)
		err = errors.Join(err, want.StartSeason(title, h.clock))
	case "end":
		_, err = h.EndSeason(h.ctx, guild, h.clock)
		err = errors.Join(err, want.EndSeason(h.clock))
	case "least":
		want.Least = rapid.IntRange(0, 3).Draw(rt, "least")
		err = h.SetLeast(h.ctx, guild, want.Least)
	}
	h.did("a season", err)
	got, err := h.League(h.ctx, guild)
	h.same("the league after that", want, got, err)
}

func (h *history) forget(rt *rapid.T) {
	if !chance(rt, "seldom", 4) {
		rt.Skip("seldom")
	}
	user, as := one(rt, "user", users...), fmt.Sprint(storage.Departed, len(h.names))
	h.names = append(h.names, as)
	h.did("forgetting "+user, errors.Join(h.Forget(h.ctx, user, as),
		h.Finished(h.ctx, storage.Work{Kind: storage.Forgetting, Of: user})))
	for _, head := range h.heads() {
		if head.Seat(user) >= 0 || head.Host == user {
			rt.Fatalf("%s, who was forgotten, is at table %d", user, head.ID)
		}
	}
}

func (h *history) deleteServer(rt *rapid.T) {
	if !chance(rt, "seldom", 4) {
		rt.Skip("seldom")
	}
	guild := one(rt, "guild", guilds...)
	h.did("deleting "+guild, errors.Join(h.DeleteGuild(h.ctx, guild),
		h.Finished(h.ctx, storage.Work{Kind: storage.Deleting, Of: guild})))
	list, err := h.Guilds(h.ctx)
	if err != nil || slices.Contains(list, guild) {
		rt.Fatalf("after %q was deleted there are the servers %q, %v", guild, list, err)
	}
}

func (h *history) review(rt *rapid.T) {
	id, r := h.ended(rt), storage.Review{Looked: rapid.IntRange(0, 9).Draw(rt, "looked")}
	for i := range rapid.IntRange(0, review.MaxPoints+1).Draw(rt, "points") {
		r.Points = append(r.Points, review.TurningPoint{Play: i, Played: "take 1", Better: "take 2", Had: 0.3,
			Left: 0.1})
	}
	before, _ := h.Review(h.ctx, id)
	if h.did("a review", h.SetReview(h.ctx, id, r)) && r.Looked >= before.Looked {
		got, err := h.Review(h.ctx, id)
		h.same("the review", r, got, err)
	}
}

// competition creates or changes a competition.
func (h *history) competition(rt *rapid.T) {
	h.clock++
	if len(h.cups) == 0 || chance(rt, "another", 3) {
		rules, err := competition.New(competition.Setup{Kind: competition.RoundRobin, Game: one(rt, "game", keys...),
			Start: 400, Time: competition.Day})
		h.did("rules", err)
		c := storage.Competition{
			Server: one(rt, "guild", guilds[:2]...), Version: 1, Changed: h.clock,
			Channel: one(rt, "channel", channels...),
			Name:    text.NewName("cup of <@" + one(rt, "named", users...) + ">"), Host: one(rt, "host", users...),
			Rules: rules,
		}
		if chance(rt, "with a key", 2) {
			c.Hear(fmt.Sprint("key ", rapid.IntRange(0, 3).Draw(rt, "key")))
		}
		most := rapid.IntRange(1, 3).Draw(rt, "most")
		going, err := h.ActiveCompetitions(h.ctx, c.Server, 100)
		h.did("the competitions that go on", err)
		c.Number, err = h.AddCompetition(h.ctx, c, most)
		if more := (*storage.MoreCompetitionsError)(nil); errors.As(err, &more) && len(going) >= most {
			return
		}
		h.did("a competition", err)
		if slices.Contains(going, c.ID()) { // the command had already been carried out
			return
		}
		if len(going) >= most {
			rt.Fatalf("%v begins beside %v, of at most %d", c.ID(), going, most)
		}
		h.cups = append(slices.DeleteFunc(h.cups, func(id storage.CompetitionID) bool { return id == c.ID() }), c.ID())
		got, err := h.Competition(h.ctx, c.Server, c.Number)
		h.same("what was made", c, got, err)
		return
	}
	id := one(rt, "competition", h.cups...)
	c, err := h.Competition(h.ctx, id.Server, id.Number)
	if !h.did("a competition", err) {
		return // the competition's server was deleted
	}
	old := c
	c.Version, c.Changed = c.Version+1, h.clock
	c.Due = storage.Stamp(rapid.IntRange(0, 3).Draw(rt, "due"))
	user := one(rt, "user", users...)
	switch _, entered := c.Person(user); {
	case c.Over():
	case chance(rt, "called off", 5):
		c.Rules = c.Rules.CallOff(competition.Stamp(h.clock))
	case chance(rt, "begins", 4):
		if after, err := c.Rules.Begin(competition.Stamp(h.clock)); err == nil {
			c.Rules = after
		}
	case !entered:
		if after, err := c.Rules.Enter(user, 1500, competition.Stamp(h.clock)); err == nil {
			c.Rules = after
			c.People = append(c.People, storage.Participant{User: user, Name: text.NewName("Mate " + user)})
		}
	}
	h.did("a change", h.ChangeCompetition(h.ctx, old, c, storage.Fence{}))
	stale, from := c, old
	off := uint64(one(rt, "off", 0, 2))
	stale.Version, from.Version = stale.Version+off, from.Version+off
	if err := h.ChangeCompetition(h.ctx, from, stale, storage.Fence{}); !errors.Is(err, storage.ErrStale) {
		rt.Fatalf("version %d after version %d: %v", stale.Version, c.Version, err)
	}
	got, err := h.Competition(h.ctx, c.Server, c.Number)
	h.same("what was changed", c, got, err)
}

// competitions compares the store's lists of competitions with the competitions that were read one by one.
func (h *history) competitions(heads []storage.Head) {
	ctx := h.ctx
	var all []storage.Competition
	for _, id := range h.cups {
		c, err := h.Competition(ctx, id.Server, id.Number)
		if h.did("a competition", err) {
			all = append(all, c)
		}
	}
	ids := func(fits func(storage.Competition) bool, order func(a, b storage.Competition) int) (
		list []storage.CompetitionID) {
		for _, c := range chosenOf(all, fits, func(a, b storage.Competition) int {
			return cmp.Or(order(a, b), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Number, b.Number))
		}) {
			list = append(list, c.ID())
		}
		return list
	}
	any := func(a, b storage.Competition) int { return 0 }
	due, err := h.CompetitionsDue(ctx, 2, 1000)
	h.same("competitions that are due", ids(func(c storage.Competition) bool { return c.Due > 0 && c.Due <= 2 },
		func(a, b storage.Competition) int { return cmp.Compare(a.Due, b.Due) }), due, err)
	for _, u := range slices.Concat(users, h.names) {
		of, err := h.CompetitionsOf(ctx, u, 1000)
		h.same("competitions of "+u, ids(func(c storage.Competition) bool {
			_, entered := c.Person(u)
			return entered
		}, any), of, err)
	}
	for _, g := range guilds {
		going, err := h.ActiveCompetitions(ctx, g, 1000)
		h.same("competitions that go on", ids(func(c storage.Competition) bool {
			return c.Server == g && !c.Over()
		}, any), going, err)
		latest, err := h.Competitions(ctx, g, 2)
		want := chosenOf(all, func(c storage.Competition) bool { return c.Server == g },
			func(a, b storage.Competition) int { return cmp.Compare(b.Number, a.Number) })
		h.same("the latest competitions", want[:min(2, len(want))], latest, err)
	}
	for _, head := range heads {
		if of := head.Competition; of.Number != 0 {
			table, err := h.TableOf(ctx, storage.CompetitionID{Server: head.Guild, Number: of.Number}, of.Game)
			h.same("the table of a competition's game", head.ID, table, err)
		}
	}
}

// chosen is an example of a server's or user's settings.
type chosen struct {
	Language string   `json:"l,omitempty"`
	Blocked  []string `json:"b,omitempty"`
}

func (h *history) settings(rt *rapid.T) {
	v := chosen{Language: one(rt, "language", "", "en", "d\"e<"), Blocked: rapid.SliceOfN(rapid.SampledFrom(users), 0,
		2).Draw(rt, "blocked")}
	guild, user := one(rt, "guild", guilds...), one(rt, "user", users...)
	var got chosen
	if rapid.Bool().Draw(rt, "of a server") {
		h.did("a server's settings", h.ChangeGuildSettings(h.ctx, guild, storagetest.Set(v)))
		err := h.GuildSettings(h.ctx, guild, &got)
		h.same("the settings", v, got, err)
		return
	}
	h.did("a user's settings", h.ChangeUserSettings(h.ctx, user, storagetest.Set(v)))
	err := h.UserSettings(h.ctx, user, &got)
	h.same("the settings", v, got, err)
	for _, u := range users {
		list, err := h.UsersNaming(h.ctx, u)
		if names := slices.Contains(v.Blocked, u); err != nil || names && !slices.Contains(list, user) {
			rt.Fatalf("%s blocks %q, and %s is named by %q, %v", user, v.Blocked, u, list, err)
		}
	}
}

func (h *history) uptime(rt *rapid.T) {
	up := storage.Uptime{Alive: h.clock, Down: []storage.Span{
		{From: 1, To: storage.Stamp(rapid.IntRange(1, 9999).Draw(rt, "down"))}}}
	h.did("uptime", h.ChangeUptime(h.ctx, storagetest.Up(up)))
	got, err := h.Uptime(h.ctx)
	h.same("the uptime", up, got, err)
	left := storage.Removal{Guild: one(rt, "left", guilds...), At: h.clock}
	if rapid.Bool().Draw(rt, "back") {
		h.did("a removal", h.DropRemoval(h.ctx, left.Guild))
	} else {
		h.did("a removal", h.AddRemoval(h.ctx, left))
	}
}

// agree compares all lists of the store with its tables and results.
func (h *history) agree() {
	for _, g := range guilds {
		h.did("counting", h.Finished(h.ctx, storage.Work{Kind: storage.Recounting, Of: g}))
	}
	works, err := h.Works(h.ctx)
	h.same("work that is not done", []storage.Work(nil), works, err)
	heads := h.heads()
	h.tables(heads)
	h.results(heads)
	h.competitions(heads)
	done, err := h.Rebuild(h.ctx)
	if err != nil || done.Changed != 0 {
		h.rt.Fatalf("counting everything anew changed %+v, %v", done, err)
	}
	if err := h.Check(h.ctx); err != nil {
		h.rt.Fatalf("the store: %v", err)
	}
}

// chosenOf returns the items that fit, in order.
func chosenOf[T any](all []T, fits func(T) bool, order func(a, b T) int) (list []T) {
	for _, v := range all {
		if fits(v) {
			list = append(list, v)
		}
	}
	slices.SortStableFunc(list, order)
	return list
}

// tables compares the store's lists of tables, read in pages, with the heads of all tables.
func (h *history) tables(heads []storage.Head) {
	ctx := h.ctx
	everybody := slices.Concat(users, h.names)
	for _, phase := range []storage.Phase{storage.Active, storage.Finished} {
		for _, l := range []struct {
			what string
			keys []string
			read func(context.Context, string, storage.Phase, storage.ID, int) ([]storage.Head, error)
			fits func(storage.Head, string) bool
		}{
			{"channel", channels, h.ByChannel, func(head storage.Head, of string) bool { return head.Channel == of }},
			{"server", guilds, h.ByGuild, func(head storage.Head, of string) bool { return head.Guild == of }},
			{"user", everybody, h.ByUser, func(head storage.Head, of string) bool { return head.Seat(of) >= 0 }},
		} {
			for _, k := range l.keys {
				want := chosenOf(heads, func(head storage.Head) bool {
					return l.fits(head, k) && head.Status.Active() == (phase == storage.Active)
				},
					func(a, b storage.Head) int {
						if phase == storage.Active {
							return cmp.Compare(a.ID, b.ID)
						}
						return cmp.Compare(b.ID, a.ID)
					})
				var all []storage.Head
				var err error
				for more := true; more && err == nil; {
					var page []storage.Head
					after := storage.ID(0)
					if len(all) > 0 {
						after = all[len(all)-1].ID
					}
					page, err = l.read(ctx, k, phase, after, 2)
					all, more = append(all, page...), len(page) == 2
				}
				h.same(fmt.Sprintf("tables of %s %q, finished %v", l.what, k, phase), want, all, err)
			}
		}
	}
	var due []storage.DueTable
	var unpublished []storage.ID
	tally := map[storage.Group]int{}
	for _, head := range heads {
		for _, d := range head.Due {
			if d.At <= 2 {
				due = append(due, storage.DueTable{Table: head.ID, Due: d})
			}
		}
		news, err := h.News(ctx, head.ID)
		if h.did("news", err); news.Published < head.Version {
			unpublished = append(unpublished, head.ID)
		}
		tally[storage.Group{Game: head.Game, Status: head.Status, Paused: head.Paused != ""}]++
		again := chosenOf(heads, func(o storage.Head) bool { return o.Rematch == head.ID && o.Status.Active() },
			func(a, b storage.Head) int { return cmp.Compare(a.ID, b.ID) })
		first := storage.ID(0)
		if len(again) > 0 {
			first = again[0].ID
		}
		rematch, err := h.RematchOf(ctx, head.ID)
		h.same("a rematch", first, rematch, err)
	}
	slices.SortFunc(due, func(a, b storage.DueTable) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Kind, b.Kind))
	})
	for _, limit := range []int{1000, 2} {
		list, err := h.DueUntil(ctx, 2, limit)
		h.same("what falls due", due[:min(limit, len(due))], list, err)
		ids, err := h.Pending(ctx, 0, limit)
		h.same("what is not told", unpublished[:min(limit, len(unpublished))], ids, err)
	}
	counts, err := h.Tally(ctx)
	h.same("the tally", tally, counts, err)
	for _, u := range everybody {
		var turns []storage.Turn
		var named, inEvents []storage.ID
		for _, head := range heads {
			if mover := head.ToMove; head.Status == storage.Playing && head.Paused == "" && mover >= 0 &&
				int(mover) < len(head.Seats) && head.Seats[mover].User == u {
				turns = append(turns, storage.Turn{Table: head.ID, Guild: head.Guild,
					Since: cmp.Or(head.Timing.Turn, head.Started)})
			}
			table, err := h.Load(ctx, head.ID)
			h.did("a table", err)
			if head.Status.Active() && (head.Seat(u) >= 0 || head.Host == u || slices.Contains(table.Detail.Invited,
				u) || slices.Contains(table.Detail.Order, u)) {
				named = append(named, head.ID)
			}
			if slices.ContainsFunc(table.Events, func(e storage.Event) bool { return e.User == u }) {
				inEvents = append(inEvents, head.ID)
			}
		}
		slices.SortStableFunc(turns, func(a, b storage.Turn) int { return cmp.Compare(a.Since, b.Since) })
		for _, limit := range []int{1000, 1} {
			list, err := h.Turns(ctx, u, limit)
			h.same("turns of "+u, turns[:min(limit, len(turns))], list, err)
		}
		list, err := h.Naming(ctx, u)
		h.same("tables that name "+u, named, list, err)
		list, err = h.EventsNaming(h.ctx, u)
		h.same("tables with events of "+u, inEvents, list, err)
	}
}

// results compares the store's lists of results, read in pages, with the tables, and checks the order of the
// leaderboards.
func (h *history) results(heads []storage.Head) {
	ctx := h.ctx
	var all []storage.Result
	for _, head := range heads {
		r, err := h.Result(ctx, head.ID)
		if h.did("a result", err) {
			all = append(all, r)
		}
	}
	compare := func(q storage.ResultQuery) {
		want := chosenOf(all, func(r storage.Result) bool {
			has := slices.ContainsFunc(r.Seats, func(o storage.Occupant) bool { return o.User == q.User })
			return (q.User == "" || has) && (q.User != "" && q.Guild == "" || r.Guild == q.Guild) &&
				(q.Game == "" || r.Game == q.Game) && (q.Keep == nil || q.Keep(r))
		}, func(a, b storage.Result) int {
			return cmp.Or(cmp.Compare(b.Ended, a.Ended), cmp.Compare(a.Table, b.Table))
		})
		var list []storage.Result
		var err error
		for more := true; more && err == nil; {
			var page []storage.Result
			if len(list) > 0 {
				q.Before = list[len(list)-1]
			}
			page, err = h.Results(ctx, q)
			list, more = append(list, page...), len(page) == q.Limit
		}
		h.same(fmt.Sprintf("results %+v", q), want, list, err)
	}
	for _, u := range slices.Concat(users, h.names) {
		compare(storage.ResultQuery{User: u, Limit: 2})
		compare(storage.ResultQuery{User: u, Guild: "g", Game: "heap", Limit: 2})
	}
	for _, g := range guilds {
		compare(storage.ResultQuery{Guild: g, Limit: 3})
		compare(storage.ResultQuery{Guild: g, Limit: 2, Keep: func(r storage.Result) bool {
			return !r.Drawn && r.Ending != games.Abandoned
		}})
		orders := map[uint64]bool{}
		for _, r := range all {
			if r.Guild == g && (r.Order == 0 || orders[r.Order]) {
				h.rt.Fatalf("in server %q two results have the order %d", g, r.Order)
			} else if r.Guild == g {
				orders[r.Order] = true
			}
		}
		for _, game := range append(keys, storage.AllGames) {
			compare(storage.ResultQuery{Guild: g, Game: game, Limit: 2})
			for _, computers := range []bool{false, true} {
				h.board(storage.Board{Guild: g, Game: game, Computers: computers})
			}
		}
	}
}

// board checks that a leaderboard is in order and that each page is a part of it.
func (h *history) board(b storage.Board) {
	whole, err := h.Leaderboard(h.ctx, storage.BoardQuery{Board: b, Least: 1, Limit: 100})
	h.did("a leaderboard", err)
	rank := 0
	for i, l := range whole.Lines {
		sure := func(i int) float64 { return whole.Lines[i].Rating.Sure() }
		if i == 0 || sure(i) < sure(i-1) {
			rank = i + 1
		}
		if l.Rank != rank || i > 0 && sure(i) > sure(i-1) || l.Games < 1 || storage.HasDeparted(l.Player) ||
			whole.Total != len(whole.Lines) {
			h.rt.Fatalf("board %+v: line %d is %+v, want rank %d of %d", b, i, l, rank, whole.Total)
		}
		own, err := h.Standing(h.ctx, b, l.Player)
		mine := storage.Ranked{Rank: l.Rank, Standing: own}
		own.Met = l.Met // a page sets Met only in the user's own line
		h.same("a line by itself", l.Standing, own, err)
		page, err := h.Leaderboard(h.ctx, storage.BoardQuery{Board: b, Least: 1, Offset: i, Limit: 1, Own: l.Player})
		h.same("a line with its own page", storage.BoardPage{Lines: whole.Lines[i : i+1], Total: whole.Total,
			Own: mine}, page, err)
	}
	league, err := h.League(h.ctx, b.Guild)
	h.did("a league", err)
	want, err := h.Leaderboard(h.ctx, storage.BoardQuery{Board: b, Least: max(1, league.Least), Limit: 100})
	h.did("a leaderboard", err)
	got, err := h.Leaderboard(h.ctx, storage.BoardQuery{Board: b, Least: storage.AsSet, Limit: 100})
	h.same("a leaderboard of who has played enough", want, got, err)
}
