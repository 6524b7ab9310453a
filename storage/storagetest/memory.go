package storagetest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"marque/games"
	"marque/games/rating"
	"marque/games/text"
	"marque/storage"
)

// Memory is the place of a store that forgets everything with the process, and that is as plain as can be: it keeps what it
// is told and finds every answer by going through all of that. It is what other engines are compared with.
func Memory(testing.TB) Place {
	d := &memory{
		leagues: map[string]storage.League{}, films: map[storage.ID]int{},
		servers: map[string][]byte{}, users: map[string][]byte{},
	}
	return Place{
		Open: func() (storage.Engine, error) {
			s := &opened{memory: d}
			return handle{s, tableKeeper{s}, leagueKeeper{s}, choiceKeeper{s}}, nil
		},
		Holds: func(text string) (bool, error) {
			b, err := json.Marshal([]any{d.tables, d.openings, d.results, d.leagues, d.uptime, d.removals})
			return strings.Contains(fmt.Sprintf("%s%s%s", b, d.servers, d.users), text), err
		},
	}
}

type memory struct {
	mu       sync.Mutex
	tables   []*kept // index id-1; nil when deleted
	openings []command
	results  []storage.Result // in their order
	order    uint64
	leagues  map[string]storage.League
	films    map[storage.ID]int
	servers  map[string][]byte // settings
	users    map[string][]byte // settings
	uptime   storage.Uptime
	removals []storage.Removal
}

// kept is what is kept of a table. Lists in it are never changed, only replaced: callers have them too.
type kept struct {
	storage.Table
	Review   storage.Review
	Commands []command
}

// command is a command that was done.
type command struct {
	storage.DoneError
	At storage.Stamp
}

// opened is the store while it is open.
type opened struct {
	*memory
	closed  bool
	observe func(time.Duration, error)
}

// handle is all of it in its parts.
type handle struct {
	*opened
	tableKeeper
	leagueKeeper
	choiceKeeper
}

type (
	tableKeeper  struct{ *opened }
	leagueKeeper struct{ *opened }
	choiceKeeper struct{ *opened }
)

var _ storage.Engine = handle{}

// read calls f alone.
func (s *opened) read(ctx context.Context, f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f()
}

// write is read for an f that changes something unless it returns an error.
func (s *opened) write(ctx context.Context, f func() error) error {
	return s.read(ctx, func() error {
		begun := time.Now()
		err := f()
		if err == nil && s.observe != nil {
			s.observe(time.Since(begun)+1, nil)
		}
		return err
	})
}

// there are the tables that are not deleted, by id.
func (d *memory) there() []*kept {
	return slices.DeleteFunc(slices.Clone(d.tables), func(t *kept) bool { return t == nil })
}

func (d *memory) table(id storage.ID) (*kept, error) {
	if id == 0 || id > storage.ID(len(d.tables)) || d.tables[id-1] == nil {
		return nil, storage.ErrNoTable
	}
	return d.tables[id-1], nil
}

func knows(list []command, key string, now storage.Stamp) *storage.DoneError {
	for _, c := range slices.Backward(list) {
		if c.Key == key && now-c.At < storage.Stamp(storage.KeyGone.Milliseconds()) {
			return &c.DoneError
		}
	}
	return nil
}

func (s tableKeeper) Create(ctx context.Context, c storage.Change) (id storage.ID, err error) {
	if err := c.Check(); err != nil {
		return 0, err
	}
	if c.Head.Version != 1 || c.Detail == nil {
		return 0, storage.ErrInvalid
	}
	err = s.write(ctx, func() error {
		if done := knows(s.openings, c.Key, c.Head.Changed); c.Key != "" && done != nil {
			return done
		}
		if c.Alone {
			for _, t := range s.there() {
				if t.Head.Channel == c.Head.Channel && t.Head.Status.Active() {
					return &storage.BusyError{Channel: c.Head.Channel, Table: t.Head.ID}
				}
			}
		}
		c.Head.ID = 0
		if err := s.within(c); err != nil {
			return err
		}
		if c.Head.Events != uint64(len(c.Events)) {
			return storage.ErrInvalid
		}
		id = storage.ID(len(s.tables) + 1)
		c.Head.ID = id
		t := &kept{Table: storage.Table{Head: c.Head, Detail: *c.Detail, Events: slices.Clone(c.Events)}}
		s.tables = append(s.tables, t)
		if c.Key != "" {
			s.openings = append(s.openings, command{storage.DoneError{Key: c.Key, Table: id, Version: 1}, c.Head.Changed})
		}
		s.end(c)
		return nil
	})
	return id, err
}

func (s tableKeeper) Commit(ctx context.Context, c storage.Change) error {
	if err := c.Check(); err != nil {
		return err
	}
	return s.write(ctx, func() error {
		t, err := s.table(c.Head.ID)
		if err != nil {
			return err
		}
		if done := knows(t.Commands, c.Key, c.Head.Changed); c.Key != "" && done != nil {
			return done
		}
		if t.Head.Version+1 != c.Head.Version {
			return storage.ErrStale
		}
		if err := s.within(c); err != nil {
			return err
		}
		had := slices.ContainsFunc(s.results, func(r storage.Result) bool { return r.Table == c.Head.ID })
		if c.Head.Events != t.Head.Events+uint64(len(c.Events)) || had && c.Result != nil {
			return storage.ErrInvalid
		}
		t.Head = c.Head
		t.Events = slices.Concat(t.Events, c.Events)
		if c.Detail != nil {
			t.Detail = *c.Detail
		}
		if c.Key != "" {
			t.Commands = append(t.Commands, command{storage.DoneError{Key: c.Key, Table: c.Head.ID, Version: c.Head.Version}, c.Head.Changed})
		}
		s.end(c)
		return nil
	})
}

// end keeps the result of a change, if it has one.
func (d *memory) end(c storage.Change) {
	if c.Result == nil {
		return
	}
	d.order++
	r := *c.Result
	r.Table, r.Order, r.Season, r.Ratings = c.Head.ID, d.order, 0, nil
	if season, ok := d.leagues[r.Guild].Running(); ok {
		r.Season = season.Number
	}
	d.results = append(d.results, r)
}

func (s tableKeeper) Within(ctx context.Context, c storage.Change) error {
	return s.read(ctx, func() error { return s.within(c) })
}

func (d *memory) within(c storage.Change) error {
	for _, l := range c.Limits {
		counts := func(h storage.Head, invited int) int {
			lobby := h.Status == storage.Lobby && h.Host == l.User
			switch {
			case l.Kind == storage.ServerTables, l.Kind == storage.UserTables, l.Kind == storage.UserLobbies && lobby:
				return 1
			case l.Kind == storage.UserInvitations && lobby:
				return invited
			}
			return 0
		}
		invited := 0
		if c.Detail != nil {
			invited = len(c.Detail.Invited)
		}
		n := counts(c.Head, invited)
		if n == 0 {
			continue
		}
		for _, t := range d.there() {
			h := t.Head
			if h.ID != c.Head.ID && h.Guild == c.Head.Guild && h.Status.Active() && (l.Kind == storage.ServerTables || h.Seat(l.User) >= 0) {
				n += counts(h, len(t.Detail.Invited))
			}
		}
		if n > l.Most {
			return &storage.LimitError{Limit: l}
		}
	}
	return nil
}

func (s tableKeeper) Done(ctx context.Context, table storage.ID, key string, now storage.Stamp) (done *storage.DoneError, err error) {
	err = s.read(ctx, func() error {
		list := s.openings
		if table != 0 {
			t, err := s.table(table)
			if err != nil {
				return nil
			}
			list = t.Commands
		}
		done = knows(list, key, now)
		return nil
	})
	return done, err
}

func (s tableKeeper) Load(ctx context.Context, id storage.ID) (table storage.Table, err error) {
	err = s.read(ctx, func() error {
		t, err := s.table(id)
		if err == nil {
			table = t.Table
		}
		return err
	})
	return table, err
}

func (s tableKeeper) Head(ctx context.Context, id storage.ID) (storage.Head, error) {
	t, err := s.Load(ctx, id)
	return t.Head, err
}

func (s tableKeeper) News(ctx context.Context, id storage.ID) (storage.Table, error) {
	t, err := s.Load(ctx, id)
	t.Detail = storage.Detail{}
	t.Events = slices.DeleteFunc(slices.Clone(t.Events), func(e storage.Event) bool { return e.Version <= t.Published })
	return t, err
}

// heads lists tables as ByGuild does.
func (s tableKeeper) heads(ctx context.Context, phase storage.Phase, after storage.ID, limit int, of func(storage.Head) bool) (list []storage.Head, err error) {
	err = s.read(ctx, func() error {
		all := s.there()
		if phase == storage.Finished {
			slices.Reverse(all)
		}
		for _, t := range all {
			h := t.Head
			behind := after == 0 || h.ID > after
			if phase == storage.Finished {
				behind = after == 0 || h.ID < after
			}
			if behind && len(list) < limit && h.Status.Active() == (phase == storage.Active) && of(h) {
				list = append(list, h)
			}
		}
		return nil
	})
	return list, err
}

func (s tableKeeper) ByGuild(ctx context.Context, guild string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head, error) {
	return s.heads(ctx, phase, after, limit, func(h storage.Head) bool { return h.Guild == guild })
}

func (s tableKeeper) ByChannel(ctx context.Context, channel string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head, error) {
	return s.heads(ctx, phase, after, limit, func(h storage.Head) bool { return h.Channel == channel })
}

func (s tableKeeper) ByUser(ctx context.Context, user string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head, error) {
	return s.heads(ctx, phase, after, limit, func(h storage.Head) bool { return h.Seat(user) >= 0 })
}

func (s tableKeeper) Turns(ctx context.Context, user string, limit int) (list []storage.Turn, err error) {
	err = s.read(ctx, func() error {
		for _, t := range s.there() {
			h := t.Head
			if h.Status == storage.Playing && h.Paused == "" && h.ToMove >= 0 && int(h.ToMove) < len(h.Seats) && h.Seats[h.ToMove].User == user && user != "" {
				list = append(list, storage.Turn{Table: h.ID, Guild: h.Guild, Since: cmp.Or(h.Timing.Turn, h.Started)})
			}
		}
		slices.SortStableFunc(list, func(a, b storage.Turn) int { return cmp.Compare(a.Since, b.Since) })
		return nil
	})
	return list[:min(limit, len(list))], err
}

func (s tableKeeper) RematchOf(ctx context.Context, id storage.ID) (rematch storage.ID, err error) {
	err = s.read(ctx, func() error {
		for _, t := range s.there() {
			if rematch == 0 && id != 0 && t.Head.Status.Active() && t.Head.Rematch == id {
				rematch = t.Head.ID
			}
		}
		return nil
	})
	return rematch, err
}

func (s tableKeeper) DueUntil(ctx context.Context, until storage.Stamp, limit int) (list []storage.DueTable, err error) {
	err = s.read(ctx, func() error {
		for _, t := range s.there() {
			for _, d := range t.Head.Due {
				if d.At <= until {
					list = append(list, storage.DueTable{Table: t.Head.ID, Due: d})
				}
			}
		}
		slices.SortFunc(list, func(a, b storage.DueTable) int {
			return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Kind, b.Kind))
		})
		return nil
	})
	return list[:min(limit, len(list))], err
}

func (s tableKeeper) Naming(ctx context.Context, user string) (ids []storage.ID, err error) {
	err = s.read(ctx, func() error {
		for _, t := range s.there() {
			named := t.Head.Host == user || t.Head.Seat(user) >= 0 || slices.Contains(t.Detail.Invited, user) || slices.Contains(t.Detail.Order, user)
			if named && t.Head.Status.Active() {
				ids = append(ids, t.Head.ID)
			}
		}
		return nil
	})
	return ids, err
}

func (s tableKeeper) Tally(ctx context.Context) (map[storage.Group]int, error) {
	counts := map[storage.Group]int{}
	err := s.read(ctx, func() error {
		for _, t := range s.there() {
			counts[storage.Group{Game: t.Head.Game, Status: t.Head.Status, Paused: t.Head.Paused != ""}]++
		}
		return nil
	})
	return counts, err
}

func (s tableKeeper) Pending(ctx context.Context, after storage.ID, limit int) (ids []storage.ID, err error) {
	err = s.read(ctx, func() error {
		for _, t := range s.there() {
			if t.Head.ID > after && t.Published < t.Head.Version && len(ids) < limit {
				ids = append(ids, t.Head.ID)
			}
		}
		return nil
	})
	return ids, err
}

func (s tableKeeper) MarkPublished(ctx context.Context, id storage.ID, version uint64, note string, _ storage.Tenure) error {
	if len(note) > storage.MaxNote {
		return storage.ErrInvalid
	}
	return s.write(ctx, func() error {
		t, err := s.table(id)
		if err != nil {
			return err
		}
		if version > t.Head.Version {
			return storage.ErrInvalid
		}
		if version >= t.Published {
			t.Published, t.Note = version, note
		}
		return nil
	})
}

// count plays all results of a server anew: the lines of its boards by player, and the ratings after each result, by its table.
func (d *memory) count(guild string) (boards map[storage.Board]map[string]*storage.Standing, ratings map[storage.ID][]rating.Rating) {
	boards, ratings = map[storage.Board]map[string]*storage.Standing{}, map[storage.ID][]rating.Rating{}
	for _, r := range d.results {
		if r.Guild != guild {
			continue
		}
		err := r.Rate(func(b storage.Board, player string) (*storage.Standing, error) {
			if boards[b] == nil {
				boards[b] = map[string]*storage.Standing{}
			}
			if boards[b][player] == nil {
				boards[b][player] = &storage.Standing{Player: player, Rating: rating.New()}
			}
			return boards[b][player], nil
		})
		if err != nil {
			panic(err) // what is given to it returns none
		}
		if r.Counts() {
			ratings[r.Table] = r.Ratings
		}
	}
	return boards, ratings
}

func (d *memory) rated(r storage.Result) storage.Result {
	_, ratings := d.count(r.Guild)
	r.Ratings = ratings[r.Table]
	return r
}

func (s leagueKeeper) Result(ctx context.Context, id storage.ID) (r storage.Result, err error) {
	err = s.read(ctx, func() error {
		for _, r = range s.results {
			if r.Table == id {
				r = s.rated(r)
				return nil
			}
		}
		r = storage.Result{Table: id}
		return storage.ErrNoResult
	})
	return r, err
}

// latest are all results, those that ended latest first.
func (d *memory) latest() []storage.Result {
	list := slices.Clone(d.results)
	slices.SortFunc(list, later)
	return list
}

func later(a, b storage.Result) int {
	return cmp.Or(cmp.Compare(b.Ended, a.Ended), cmp.Compare(a.Table, b.Table))
}

func (s leagueKeeper) Results(ctx context.Context, q storage.ResultQuery) (list []storage.Result, err error) {
	err = s.read(ctx, func() error {
		n := 0
		for _, r := range s.latest() {
			holds := slices.ContainsFunc(r.Seats, func(o storage.Occupant) bool { return o.User == q.User })
			ofGuild, ofGame := r.Guild == q.Guild, q.Game == "" || r.Game == q.Game
			if q.User == "" && !(ofGuild && ofGame) || q.User != "" && !holds || q.Before.Table != 0 && later(q.Before, r) >= 0 {
				continue
			}
			if n++; len(list) == q.Limit || q.Scan != 0 && n > q.Scan {
				break
			}
			if (q.User == "" || (q.Guild == "" || ofGuild) && ofGame) && (q.Keep == nil || q.Keep(r)) {
				list = append(list, s.rated(r))
			}
		}
		return nil
	})
	return list, err
}

func (s leagueKeeper) Leaderboard(ctx context.Context, q storage.BoardQuery) (page storage.BoardPage, err error) {
	err = s.read(ctx, func() error {
		boards, _ := s.count(q.Guild)
		var list []storage.Standing
		for _, l := range boards[q.Board] {
			if l.RankedGames(q.Computers) >= q.Least && !storage.HasDeparted(l.Player) {
				list = append(list, *l)
			}
		}
		sure := func(l storage.Standing) float64 { return math.Round(l.Rating.Sure() * 1e6) }
		slices.SortFunc(list, func(a, b storage.Standing) int {
			return cmp.Or(cmp.Compare(sure(b), sure(a)), cmp.Compare(a.RankedGames(q.Computers), b.RankedGames(q.Computers)), cmp.Compare(a.Player, b.Player))
		})
		page.Own.Standing = storage.Standing{Player: q.Own}
		if l := boards[q.Board][q.Own]; l != nil && q.Own != "" {
			page.Own.Standing = *l
		}
		for i, l := range list {
			rank := 1 + slices.IndexFunc(list, func(o storage.Standing) bool { return sure(o) == sure(l) })
			if l.Player == q.Own {
				page.Own.Rank = rank
			}
			if i >= q.Offset && len(page.Lines) < q.Limit {
				page.Lines = append(page.Lines, storage.Ranked{Rank: rank, Standing: l})
			}
		}
		page.Total = len(list)
		return nil
	})
	return page, err
}

func (s leagueKeeper) Standing(ctx context.Context, b storage.Board, player string) (storage.Standing, error) {
	page, err := s.Leaderboard(ctx, storage.BoardQuery{Board: b, Own: player})
	return page.Own.Standing, err
}

func (s leagueKeeper) Stats(ctx context.Context, guild string, keys []string, now storage.Stamp) (storage.Stats, error) {
	stats := storage.Stats{Weeks: make([]int, storage.StatWeeks)}
	err := s.read(ctx, func() error {
		ended := slices.DeleteFunc(slices.Clone(s.results), func(r storage.Result) bool { return r.Guild != guild || r.Ending == games.Abandoned })
		for _, game := range keys {
			g := storage.GameStats{Game: game}
			for _, r := range ended {
				if r.Game != game {
					continue
				}
				g.Count++
				g.Last = max(g.Last, r.Ended)
				if back := (now - r.Ended) / storage.Stamp(7*24*time.Hour/time.Millisecond); back >= 0 && back < storage.StatWeeks {
					stats.Weeks[storage.StatWeeks-1-back]++
				}
			}
			if g.Count > 0 {
				stats.Games = append(stats.Games, g)
			}
		}
		slices.SortFunc(ended, func(a, b storage.Result) int {
			return cmp.Or(cmp.Compare(b.Plays, a.Plays), cmp.Compare(a.Table, b.Table))
		})
		for _, r := range ended[:min(storage.StatLongest, len(ended))] {
			stats.Longest = append(stats.Longest, s.rated(r))
		}
		return nil
	})
	return stats, err
}

func (s leagueKeeper) League(ctx context.Context, guild string) (l storage.League, err error) {
	err = s.read(ctx, func() error { l = s.leagues[guild]; return nil })
	return l, err
}

// edit changes a server's league; the list of seasons that f is given may be changed.
func (s leagueKeeper) edit(ctx context.Context, guild string, f func(*storage.League) error) (last storage.Season, err error) {
	if err := storage.CheckName(guild); err != nil {
		return last, err
	}
	err = s.write(ctx, func() error {
		l := s.leagues[guild]
		l.Seasons = slices.Clone(l.Seasons)
		if err := f(&l); err != nil {
			return err
		}
		s.leagues[guild] = l
		if n := len(l.Seasons); n > 0 {
			last = l.Seasons[n-1]
		}
		return nil
	})
	return last, err
}

func (s leagueKeeper) SetLeast(ctx context.Context, guild string, least int) error {
	_, err := s.edit(ctx, guild, func(l *storage.League) error { l.Least = least; return nil })
	return err
}

func (s leagueKeeper) StartSeason(ctx context.Context, guild string, title text.Name, now storage.Stamp) (storage.Season, error) {
	return s.edit(ctx, guild, func(l *storage.League) error {
		if _, runs := l.Running(); runs {
			return storage.ErrSeasonRuns
		}
		if len(l.Seasons) >= storage.MaxSeasons {
			return storage.ErrInvalid
		}
		l.Seasons = append(l.Seasons, storage.Season{Number: len(l.Seasons) + 1, Name: title, Started: now})
		return nil
	})
}

func (s leagueKeeper) EndSeason(ctx context.Context, guild string, now storage.Stamp) (storage.Season, error) {
	return s.edit(ctx, guild, func(l *storage.League) error {
		if _, runs := l.Running(); !runs {
			return storage.ErrNoSeason
		}
		l.Seasons[len(l.Seasons)-1].Ended = now
		return nil
	})
}

func (s leagueKeeper) Void(ctx context.Context, id storage.ID, v *storage.Voiding) (storage.Result, error) {
	err := s.write(ctx, func() error {
		for i := range s.results {
			if s.results[i].Table == id {
				s.results[i].Voided = v
				return nil
			}
		}
		return storage.ErrNoResult
	})
	if err != nil {
		return storage.Result{Table: id}, err
	}
	return s.Result(ctx, id)
}

func (s leagueKeeper) Rebuild(ctx context.Context) (done storage.Rebuilt, err error) {
	err = s.read(ctx, func() error {
		guilds := map[string]bool{}
		for _, r := range s.results {
			guilds[r.Guild] = true
		}
		done = storage.Rebuilt{Guilds: len(guilds), Results: len(s.results)}
		return nil
	})
	return done, err
}

func (s leagueKeeper) Review(ctx context.Context, id storage.ID) (r storage.Review, err error) {
	err = s.read(ctx, func() error {
		t, err := s.table(id)
		if err == nil {
			r = t.Review
		}
		return err
	})
	return r, err
}

func (s leagueKeeper) SetReview(ctx context.Context, id storage.ID, r storage.Review) error {
	if err := r.Check(); err != nil {
		return err
	}
	return s.write(ctx, func() error {
		t, err := s.table(id)
		if err != nil {
			return err
		}
		if t.Head.Status != storage.Over {
			return storage.ErrInvalid
		}
		if t.Review.Looked <= r.Looked {
			t.Review = r
		}
		return nil
	})
}

func (s leagueKeeper) WantFilm(ctx context.Context, id storage.ID) error {
	return s.write(ctx, func() error {
		if _, waits := s.films[id]; !waits {
			s.films[id] = 0
		}
		return nil
	})
}

func (s leagueKeeper) PutOffFilm(ctx context.Context, f storage.Film) error {
	return s.write(ctx, func() error {
		if _, waits := s.films[f.Table]; waits {
			s.films[f.Table] = f.Tries
		}
		return nil
	})
}

func (s leagueKeeper) DropFilm(ctx context.Context, id storage.ID) error {
	return s.write(ctx, func() error { delete(s.films, id); return nil })
}

func (s leagueKeeper) Films(ctx context.Context, after storage.ID, limit int) (list []storage.Film, err error) {
	err = s.read(ctx, func() error {
		for id, tries := range s.films {
			if id > after {
				list = append(list, storage.Film{Table: id, Tries: tries})
			}
		}
		slices.SortFunc(list, func(a, b storage.Film) int { return cmp.Compare(a.Table, b.Table) })
		return nil
	})
	return list[:min(limit, len(list))], err
}

func (s choiceKeeper) settings(ctx context.Context, of map[string][]byte, name string, v any) error {
	return s.read(ctx, func() error {
		if b, set := of[name]; set {
			return json.Unmarshal(b, v)
		}
		return nil
	})
}

func (s choiceKeeper) changeSettings(ctx context.Context, of map[string][]byte, name string, edit storage.Edit) error {
	if err := storage.CheckName(name); err != nil {
		return err
	}
	return s.write(ctx, func() error {
		v, err := edit(func(v any) error {
			if b, set := of[name]; set {
				return json.Unmarshal(b, v)
			}
			return nil
		})
		if err != nil || v == nil {
			return err
		}
		of[name], err = json.Marshal(v)
		return err
	})
}

func (s choiceKeeper) GuildSettings(ctx context.Context, guild string, v any) error {
	return s.settings(ctx, s.servers, guild, v)
}

func (s choiceKeeper) ChangeGuildSettings(ctx context.Context, guild string, edit storage.Edit) error {
	return s.changeSettings(ctx, s.servers, guild, edit)
}

func (s choiceKeeper) UserSettings(ctx context.Context, user string, v any) error {
	return s.settings(ctx, s.memory.users, user, v)
}

func (s choiceKeeper) ChangeUserSettings(ctx context.Context, user string, edit storage.Edit) error {
	return s.changeSettings(ctx, s.memory.users, user, edit)
}

func (s choiceKeeper) UsersNaming(ctx context.Context, id string) (users []string, err error) {
	err = s.read(ctx, func() error {
		for user, b := range s.memory.users {
			if strings.Contains(string(b), id) {
				users = append(users, user)
			}
		}
		slices.Sort(users)
		return nil
	})
	return users, err
}

func (s choiceKeeper) Scores(ctx context.Context, server, month string, limit int) (page storage.ScorePage, err error) {
	err = s.read(ctx, func() error {
		for user, b := range s.memory.users {
			for _, score := range storage.ScoresIn(b) {
				if score.Server == server && score.Month == month {
					page.Lines = append(page.Lines, storage.Scored{User: user, Score: score})
				}
			}
		}
		slices.SortFunc(page.Lines, func(a, b storage.Scored) int {
			return cmp.Or(b.Solved-a.Solved, b.First-a.First, cmp.Compare(a.User, b.User))
		})
		page.Total = len(page.Lines)
		page.Lines = page.Lines[:min(limit, page.Total)]
		return nil
	})
	return page, err
}

func (s choiceKeeper) Uptime(ctx context.Context) (u storage.Uptime, err error) {
	err = s.read(ctx, func() error { u = s.uptime; return nil })
	return u, err
}

func (s choiceKeeper) ChangeUptime(ctx context.Context, change func(storage.Uptime) storage.Uptime) error {
	return s.write(ctx, func() error {
		s.uptime = change(s.uptime)
		s.uptime.Down = slices.Clone(s.uptime.Down)
		return nil
	})
}

func (s choiceKeeper) Removals(ctx context.Context) (list []storage.Removal, err error) {
	err = s.read(ctx, func() error { list = s.removals; return nil })
	return list, err
}

func (s choiceKeeper) AddRemoval(ctx context.Context, r storage.Removal) error {
	return s.write(ctx, func() error {
		if !slices.ContainsFunc(s.removals, func(o storage.Removal) bool { return o.Guild == r.Guild }) {
			s.removals = append(slices.Clone(s.removals), r)
		}
		return nil
	})
}

func (s choiceKeeper) DropRemoval(ctx context.Context, guild string) error {
	return s.write(ctx, func() error {
		s.removals = slices.DeleteFunc(slices.Clone(s.removals), func(r storage.Removal) bool { return r.Guild == guild })
		return nil
	})
}

func (s choiceKeeper) Restorations(ctx context.Context) ([]storage.Restoration, error) {
	return nil, s.read(ctx, func() error { return nil })
}

func (s choiceKeeper) LastKnown(ctx context.Context) (last storage.Stamp, err error) {
	err = s.read(ctx, func() error {
		last = s.uptime.Alive
		for _, d := range s.uptime.Down {
			last = max(last, d.To)
		}
		for _, t := range s.there() {
			if t.Head.Status.Active() {
				last = max(last, t.Head.Changed)
			}
		}
		return nil
	})
	return last, err
}

func (s choiceKeeper) Guilds(ctx context.Context) (guilds []string, err error) {
	err = s.read(ctx, func() error {
		for _, t := range s.there() {
			guilds = append(guilds, t.Head.Guild)
		}
		for g := range s.servers {
			guilds = append(guilds, g)
		}
		for g := range s.leagues {
			guilds = append(guilds, g)
		}
		slices.Sort(guilds)
		guilds = slices.DeleteFunc(slices.Compact(guilds), func(g string) bool { return g == "" })
		return nil
	})
	return guilds, err
}

func (s choiceKeeper) DeleteGuild(ctx context.Context, guild string) error {
	if err := storage.CheckName(guild); err != nil {
		return err
	}
	return s.write(ctx, func() error {
		for i, t := range s.tables {
			if t != nil && t.Head.Guild == guild {
				s.tables[i] = nil
			}
		}
		s.results = slices.DeleteFunc(s.results, func(r storage.Result) bool { return r.Guild == guild })
		delete(s.leagues, guild)
		delete(s.servers, guild)
		return nil
	})
}

func (s choiceKeeper) Forget(ctx context.Context, user, as string) error {
	if storage.CheckName(user) != nil || storage.CheckName(as) != nil || user == "" {
		return storage.ErrInvalid
	}
	seats := func(list []storage.Occupant) []storage.Occupant {
		list = slices.Clone(list)
		for i, o := range list {
			if o.User == user {
				list[i] = storage.Occupant{User: as}
			}
		}
		return list
	}
	names := func(list []string) []string {
		list = slices.Clone(list)
		for i, u := range list {
			if u == user {
				list[i] = as
			}
		}
		return list
	}
	written := func(n text.Name) text.Name { return text.NewName(strings.ReplaceAll(n.Plain(), user, "…")) }
	return s.write(ctx, func() error {
		delete(s.memory.users, user)
		for _, t := range s.there() {
			before := t.Table
			t.Head.Seats = seats(t.Head.Seats)
			if t.Head.Host == user {
				t.Head.Host = as
			}
			t.Detail.Invited, t.Detail.Order = names(t.Detail.Invited), names(t.Detail.Order)
			t.Events = slices.Clone(t.Events)
			var called []text.Name
			mine := before.Head.Host == user || before.Head.Seat(user) >= 0
			for i, e := range t.Events {
				switch {
				case e.User == user:
					mine = true
					t.Events[i].User = as
					if e.Kind.Named() {
						called = append(called, e.Name())
						t.Events[i].Text = ""
					}
				case e.Kind != storage.Removed:
					continue
				}
				if e.Kind == storage.Removed && slices.Contains(called, e.Name()) {
					t.Events[i].Text = ""
				}
			}
			if mine {
				t.Note, _, _ = strings.Cut(t.Note, "\n")
			}
			if h := before.Head; h.Guild == "" && (h.Host == user || h.Seat(user) >= 0) {
				t.Head.Channel, t.Note = "", ""
			}
		}
		for i, r := range s.results {
			s.results[i].Seats = seats(r.Seats)
			if r.Voided != nil {
				v := *r.Voided
				if v.By == user {
					v.By = as
				}
				v.Why = written(v.Why)
				s.results[i].Voided = &v
			}
		}
		for g, l := range s.leagues {
			l.Seasons = slices.Clone(l.Seasons)
			for i := range l.Seasons {
				l.Seasons[i].Name = written(l.Seasons[i].Name)
			}
			s.leagues[g] = l
		}
		return nil
	})
}

// What takes other engines time is done at once here.

func (s *opened) Works(ctx context.Context) ([]storage.Work, error) {
	return nil, s.read(ctx, func() error { return nil })
}

func (s *opened) UnderWay(ctx context.Context, _ storage.Work) (bool, error) {
	return false, s.read(ctx, func() error { return nil })
}

func (s *opened) Finished(ctx context.Context, _ storage.Work) error {
	return s.read(ctx, func() error { return nil })
}

func (s *opened) Alive(ctx context.Context) error { return s.read(ctx, func() error { return nil }) }

func (s *opened) Size(ctx context.Context) (size storage.Size, err error) {
	err = s.read(ctx, func() error { size.Bytes = int64(1 + len(s.tables)); return nil })
	return size, err
}

func (s *opened) ObserveCommits(f func(took time.Duration, err error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observe = f
}

func (s *opened) Check(ctx context.Context) error { return s.read(ctx, func() error { return nil }) }

func (s *opened) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}
