package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"marque/games"
	"marque/games/rating"
	"marque/games/text"
	"marque/storage/kv"
)

// key returns the key at which a result is stored.
func (r Result) key() key { return key{server: r.Guild, table: r.Table} }

// expect adds to a transaction the locks and keys that it needs to count a result.
func (r Result) expect(w *work, table ID) {
	at := key{server: r.Guild, table: table}
	w.locks = append(w.locks, leagueLock.of(at))
	w.want.Keys = append(w.want.Keys, results.key(at), leagues.key(at), halves.key(at))
	w.want.Ranges = append(w.want.Ranges, lastResult(r.Guild))
}

// lastResult returns a scan that finds the result with the highest Order of a server.
func lastResult(guild string) kv.WantRange {
	return kv.WantRange{Range: resultsInOrder.under(key{server: guild}, 1), Order: kv.Descending, Limit: 1}
}

// count stores a new result with the next Order and the running season, and counts it on its leaderboards.
func (t *txn) count(r Result) error {
	_, there, err := results.get(t, r.key())
	if err != nil {
		return err
	}
	if there {
		return fmt.Errorf("%w: table %d has a result", ErrInvalid, r.Table)
	}
	league, _, err := leagues.get(t, r.key())
	if err != nil {
		return err
	}
	if season, ok := league.Running(); ok {
		r.Season = season.Number
	}
	r.Ratings = nil // stored separately
	last := lastResult(r.Guild)
	before, err := resultsInOrder.entries(t, last.Range, last.Order, last.Limit)
	if err != nil {
		return err
	}
	if r.Order = 1; len(before) > 0 {
		r.Order = before[0].number + 1
	}
	if err := results.replace(t, r.key(), nil, &r); err != nil {
		return err
	}
	half, _, err := halves.get(t, r.key())
	if err != nil {
		return err
	}
	return t.rate(half, &r)
}

// key returns the key at which a player's line of the leaderboard is stored.
func (b Board) key(half byte, player string) key {
	k := key{server: b.Guild, half: half, game: b.Game, persons: 'p', season: uint32(b.Season), player: player}
	if b.Computers {
		k.persons = 'c'
	}
	return k
}

// boardParts is the number of leading parts of a line's key that identify the leaderboard.
var boardParts = standings.has(bySeason)

// line is a line of a leaderboard that is being changed by a result.
type line struct {
	before *Standing // line before the change; nil for a new one
	Standing
}

// rate counts a result on the leaderboards in one half, and stores the ratings after it.
func (t *txn) rate(half byte, r *Result) error {
	lines := map[key]*line{}
	var keys []key
	for _, b := range r.Boards() {
		for _, o := range r.Seats {
			k := b.key(half, o.Player())
			if o.Player() != "" && lines[k] == nil {
				lines[k] = &line{Standing: Standing{Player: o.Player(), Rating: rating.New()}}
				keys = append(keys, k)
			}
		}
	}
	stored, err := standings.all(t, keys)
	if err != nil {
		return err
	}
	for _, f := range stored {
		if f.err != nil {
			return f.err
		}
		if f.there {
			lines[f.key] = &line{&f.value, f.value}
		}
	}
	err = r.Rate(func(b Board, player string) (*Standing, error) { return &lines[b.key(half, player)].Standing, nil })
	if err != nil {
		return err
	}
	for _, k := range keys {
		if l := lines[k]; r.Counts() {
			if err := standings.replace(t, k, l.before, &l.Standing); err != nil {
				return err
			}
		}
	}
	return ratings.put(t, key{server: r.Guild, half: half, table: r.Table}, r.Ratings)
}

// loadResults reads results and the ratings after them in one round trip. It fails if a result is damaged.
func loadResults(r kv.Reader, at []key) ([]Result, error) {
	var want []kv.Key
	for _, k := range at {
		other := k
		k.half, other.half = 0, 1
		want = append(want, results.key(k), halves.key(k), ratings.key(k), ratings.key(other))
	}
	if len(want) == 0 {
		return nil, nil
	}
	raw, err := r.Get(want...)
	if err != nil {
		return nil, err
	}
	list := make([]Result, len(at))
	for i, k := range at {
		raw := raw[4*i:]
		if raw[0] == nil {
			return nil, damaged(results, k, errMissing.Error())
		}
		if list[i], err = results.open(k, raw[0]); err != nil {
			return nil, err
		}
		if !list[i].Counts() {
			continue
		}
		k.half = 0
		if raw[1] != nil {
			if k.half, err = halves.open(k, raw[1]); err != nil {
				return nil, err
			}
		}
		if b := raw[2+int(k.half&1)]; b != nil {
			if list[i].Ratings, err = ratings.open(k, b); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// Result returns the result of a table with its Ratings. It returns ErrNoResult if there is none.
func (s *Store) Result(ctx context.Context, id ID) (Result, error) {
	result := Result{Table: id}
	err := s.view(ctx, func(r kv.Reader) error {
		head, _, err := heads.get(r, key{table: id})
		if err != nil {
			return err
		}
		at := key{server: head.Guild, table: id}
		raw, err := r.Get(results.key(at))
		if err != nil {
			return err
		}
		if raw[0] == nil {
			return ErrNoResult
		}
		list, err := loadResults(r, []key{at})
		if err == nil {
			result = list[0]
		}
		return err
	})
	return result, err
}

// factsPage is the number of index entries of results that are read together.
const factsPage = 500

// Results lists results, newest first. Results of the same moment are ordered by id.
func (s *Store) Results(ctx context.Context, q ResultQuery) (list []Result, err error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	in, of, parts := resultsInServer, key{server: q.Guild}, 1
	switch {
	case q.User != "":
		in, of = resultsOfUser, key{user: q.User}
	case q.Game != "":
		in, of, parts = resultsOfGame, key{server: q.Guild, game: q.Game}, 2
	}
	within := in.under(of, parts)
	if q.Before.Table != 0 {
		of.moment, of.table = q.Before.Ended, q.Before.Table
		within = in.after(within, of, len(in.parts))
	}
	keeps := func(r Result) bool {
		return (q.User == "" || (q.Guild == "" || r.Guild == q.Guild) && (q.Game == "" || r.Game == q.Game)) &&
			(q.Keep == nil || q.Keep(r))
	}
	page := q.Limit
	if q.Keep != nil || q.User != "" && (q.Guild != "" || q.Game != "") {
		page = factsPage
	}
	err = s.view(ctx, func(r kv.Reader) error {
		var chosen []key
		var facts Result
		for looked, more := 0, true; more && len(chosen) < q.Limit; {
			if q.Scan > 0 {
				page = min(page, q.Scan-looked)
			}
			if page <= 0 {
				break
			}
			pairs, err := r.Scan(within, kv.Ascending, page)
			if err != nil {
				return err
			}
			looked, more = looked+len(pairs), len(pairs) == page
			for _, p := range pairs {
				k, err := in.mustParse(p.Key)
				if err == nil {
					facts, err = decodeFacts(k.table, p.Value, facts)
				}
				if err != nil {
					return err
				}
				if len(chosen) < q.Limit && keeps(facts) {
					chosen = append(chosen, key{server: facts.Guild, table: k.table})
				}
				within.From = append(slices.Clone(p.Key), 0)
			}
		}
		list, err = loadResults(r, chosen)
		return err
	})
	return list, err
}

// Stats counts a server's finished games with the given keys, except abandoned ones. Stats.Games has the games in the
// order of keys, without those that nobody has played. The last of StatWeeks weeks ends at now. Longest has games of
// any key, sorted by the number of plays, highest first, then by id. The cost of Stats grows with the number of the
// server's results, whose index entries it reads.
func (s *Store) Stats(ctx context.Context, guild string, keys []string, now Stamp) (Stats, error) {
	stats := Stats{Weeks: make([]int, StatWeeks)}
	const week = Stamp(7 * 24 * time.Hour / time.Millisecond)
	err := s.view(ctx, func(r kv.Reader) error {
		played := map[string]*GameStats{}
		var facts Result
		err := each(r, resultsInServer.under(key{server: guild}, 1), func(p kv.Pair) error {
			k, err := resultsInServer.mustParse(p.Key)
			if err == nil {
				facts, err = decodeFacts(k.table, p.Value, facts)
			}
			if err != nil || facts.Ending == games.Abandoned || !slices.Contains(keys, facts.Game) {
				return err
			}
			g := played[facts.Game]
			if g == nil {
				g = &GameStats{Game: facts.Game, Last: k.moment} // set here because the latest results come first
				played[facts.Game] = g
			}
			g.Count++
			if back := (now - k.moment) / week; back >= 0 && back < StatWeeks {
				stats.Weeks[StatWeeks-1-back]++
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, game := range keys {
			if g := played[game]; g != nil {
				stats.Games = append(stats.Games, *g)
			}
		}
		longest, err := longest.entries(r, longest.under(key{server: guild}, 1), kv.Ascending, StatLongest)
		if err != nil {
			return err
		}
		stats.Longest, err = loadResults(r, longest)
		return err
	})
	return stats, err
}

// Leaderboard returns a page of a leaderboard. Lines are sorted by rating.Rating.Sure to six decimals, highest first,
// then by Standing.RankedGames, lowest first, then by Player. Lines with the same Sure share a rank. Users whose data
// was deleted (HasDeparted) have no rank and no line.
//
// Leaderboard reads all lines, a few thousand at a time, so its cost grows with their number. This cannot be
// avoided by storing Total, which depends on the query's Least. For a page without lines and without an own line,
// Leaderboard reads no other lines, and Total is 0.
func (s *Store) Leaderboard(ctx context.Context, q BoardQuery) (BoardPage, error) {
	var page BoardPage
	page.Own.Player = q.Own
	at := q.Board.key(0, q.Own)
	err := s.view(ctx, func(r kv.Reader) error {
		recount := jobKey(Recounting, q.Guild)
		raw, err := r.Get(halves.key(at), jobs.key(recount), standings.key(q.Board.key(0, q.Own)),
			standings.key(q.Board.key(1, q.Own)), leagues.key(at))
		if err != nil {
			return err
		}
		if raw[0] != nil {
			if at.half, err = halves.open(at, raw[0]); err != nil {
				return err
			}
		}
		page.Recounting = raw[1] != nil
		mine := Standing{}
		if raw := raw[2+at.half]; q.Own != "" && raw != nil {
			if mine, err = standings.open(q.Board.key(at.half, q.Own), raw); err != nil {
				return err
			}
		}
		if q.Limit <= 0 && mine.Games == 0 {
			return nil
		}
		least := q.Least
		if least == AsSet {
			league := League{}
			if raw[4] != nil {
				if league, err = leagues.open(at, raw[4]); err != nil {
					return err
				}
			}
			least = max(1, league.Least)
		}
		return page.read(r, at, q, least, mine)
	})
	return page, err
}

// read reads the ranking of a leaderboard; at has the live half. It counts the players who have the required number of
// games, least, and collects the page's lines. mine is the line of the user q.Own.
func (page *BoardPage) read(r kv.Reader, at key, q BoardQuery, least int, mine Standing) error {
	rank, last := 0, uint64(0)
	within := ranks.under(at, boardParts)
	line := layout{ranks.space, ranks.parts[boardParts:]} // all keys of one leaderboard begin with the same parts
	var k key
	return each(r, within, func(p kv.Pair) error {
		if !line.parseInto(p.Key[len(within.From):], &k) {
			return &DamagedError{What: unreadable(ranks.space, p.Key), Why: errFormat.Error()}
		}
		own := q.Own != "" && k.player == q.Own
		ranked := Ranked{Standing: Standing{Player: k.player}}
		if int(k.games) >= least {
			if page.Total++; page.Total == 1 || k.less != last { // otherwise tied with the previous line
				rank, last = page.Total, k.less
			}
			ranked.Rank = rank
		}
		shows := ranked.Rank > 0 && page.Total > q.Offset && len(page.Lines) < q.Limit
		if !shows && !own {
			return nil
		}
		if err := fromJSON(p.Value, &ranked.Standing); err != nil {
			return &DamagedError{What: unreadable(ranks.space, p.Key), Why: err.Error()}
		}
		if own {
			page.Own = ranked
			page.Own.Standing = mine // includes the opponents, which the index leaves out
		}
		if shows {
			page.Lines = append(page.Lines, ranked)
		}
		return nil
	})
}

// Standing returns a player's line on a leaderboard. If the player has no games there, only Player is set.
func (s *Store) Standing(ctx context.Context, b Board, player string) (Standing, error) {
	line := Standing{Player: player}
	at := b.key(0, player)
	err := s.view(ctx, func(r kv.Reader) error {
		raw, err := r.Get(halves.key(at), standings.key(b.key(0, player)), standings.key(b.key(1, player)))
		if err != nil {
			return err
		}
		if raw[0] != nil {
			if at.half, err = halves.open(at, raw[0]); err != nil {
				return err
			}
		}
		if v := raw[1+int(at.half&1)]; v != nil {
			line, err = standings.open(at, v)
		}
		return err
	})
	return line, err
}

// League returns a server's settings for its leaderboards.
func (s *Store) League(ctx context.Context, guild string) (League, error) {
	l, _, err := leagues.get1(ctx, s, key{server: guild})
	return l, err
}

func (s *Store) editLeague(ctx context.Context, guild string, edit func(*League) error) error {
	if err := CheckName(guild); err != nil {
		return err
	}
	at := key{server: guild}
	return s.update(ctx, work{
		locks: []kv.Lock{leagueLock.of(at)}, want: kv.Want{Keys: []kv.Key{leagues.key(at)}},
		run: func(t *txn) error {
			l, _, err := leagues.get(t, at)
			if err != nil {
				return err
			}
			if err := edit(&l); err != nil {
				return err
			}
			return leagues.put(t, at, l)
		},
	})
}

// SetLeast sets the number of games that a player needs to be ranked on a server's leaderboards.
func (s *Store) SetLeast(ctx context.Context, guild string, least int) error {
	return s.editLeague(ctx, guild, func(l *League) error {
		l.Least = least
		return nil
	})
}

// StartSeason begins a new season on a server, in which results count from now on. It returns ErrSeasonRuns if a season
// is running, and ErrSeasons if the server has had MaxSeasons seasons.
func (s *Store) StartSeason(ctx context.Context, guild string, title text.Name, now Stamp) (Season, error) {
	return s.editSeasons(ctx, guild, func(l *League) error { return l.StartSeason(title, now) })
}

// EndSeason ends a server's running season and returns it. It returns ErrNoSeason if none is running.
func (s *Store) EndSeason(ctx context.Context, guild string, now Stamp) (Season, error) {
	return s.editSeasons(ctx, guild, func(l *League) error { return l.EndSeason(now) })
}

func (s *Store) editSeasons(ctx context.Context, guild string, edit func(*League) error) (last Season, err error) {
	err = s.editLeague(ctx, guild, func(l *League) error {
		err := edit(l)
		if err == nil {
			last = l.Seasons[len(l.Seasons)-1]
		}
		return err
	})
	return last, err
}

// forgetResult renames a user in a result: as a player, as the moderator who voided it, and in the reason for voiding.
func forgetResult(f *forgotten, _ key, r Result) (Result, bool) {
	changed := slices.ContainsFunc(r.Seats, func(o Occupant) bool { return o.User == f.user })
	r.Seats = f.reseat(r.Seats)
	if r.Voided != nil {
		voided := *r.Voided
		if voided.By == f.user {
			voided.By = f.as
		}
		voided.Why = f.unmention(voided.Why)
		changed = changed || voided != *r.Voided
		r.Voided = &voided
	}
	return r, changed
}

// forgetLeague replaces a user's id in the titles of seasons.
func forgetLeague(f *forgotten, _ key, l League) (League, bool) {
	changed := false
	l.Seasons = slices.Clone(l.Seasons)
	for i, season := range l.Seasons {
		l.Seasons[i].Name = f.unmention(season.Name)
		changed = changed || l.Seasons[i].Name != season.Name
	}
	return l, changed
}
