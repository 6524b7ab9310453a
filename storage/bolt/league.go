package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"go.etcd.io/bbolt"

	"marque/games"
	"marque/games/rating"
	"marque/storage"
)

// boardKey is the beginning of the keys of a leaderboard.
func boardKey(b storage.Board) []byte {
	pool := byte('p')
	if b.Computers {
		pool = 'c'
	}
	key := append(name(name(nil, b.Guild), b.Game), pool)
	return binary.BigEndian.AppendUint32(key, uint32(b.Season))
}

// rankLength is the length of what stands between a board and the player in the key of a rank: how sure the rating is, and the games.
const rankLength = 8 + 4

// rankKey sorts by rating.Rating.Sure, the highest first, then by player.
func rankKey(board []byte, s storage.Standing) []byte {
	key := binary.BigEndian.AppendUint64(bytes.Clone(board), uint64(math.MaxInt64-int64(math.Round(s.Rating.Sure()*1e6))))
	key = binary.BigEndian.AppendUint32(key, uint32(s.Games))
	return append(key, s.Player...)
}

// line is a leaderboard's line with the place where it is kept.
type line struct {
	board []byte
	storage.Standing
}

// rate counts a result on its leaderboards, whose lines find gives, and notes the ratings in it. A computer player that holds several seats gets the mean
// of what each of them would have brought. A seat that nobody holds any more counts as a newcomer's, who is on no leaderboard.
func rate(r *storage.Result, find func(board []byte, player string) (*line, error)) error {
	r.Ratings = nil
	if !r.Counts() {
		return nil
	}
	places := r.Places()
	for _, b := range r.Boards() {
		board := boardKey(b)
		lines := make([]*line, len(r.Seats))
		before := make([]rating.Rating, len(r.Seats))
		for i, o := range r.Seats {
			if o.Player() == "" {
				lines[i] = &line{Standing: storage.Standing{Rating: rating.New()}}
				before[i] = lines[i].Rating
				continue
			}
			l, err := find(board, o.Player())
			if err != nil {
				return err
			}
			lines[i], before[i] = l, l.Rating
		}
		after := rating.Rate(before, places)
		for i, l := range lines {
			sum, n := rating.Rating{}, 0.0
			for j := range lines {
				if lines[j] == l {
					sum.Mu += after[j].Mu
					sum.Sigma += after[j].Sigma
					n++
				}
			}
			l.Rating = rating.Rating{Mu: sum.Mu / n, Sigma: sum.Sigma / n}.Round()
			l.Add(*r, games.Seat(i))
		}
		if b.Game != storage.AllGames && b.Season == 0 {
			for _, l := range lines {
				r.Ratings = append(r.Ratings, l.Rating)
			}
		}
	}
	return nil
}

// count counts a new result on its leaderboards.
func count(t *txn, r *storage.Result) error {
	before := map[*line]storage.Standing{}
	var lines []*line
	err := rate(r, func(board []byte, player string) (*line, error) {
		for _, l := range lines {
			if l.Player == player && bytes.Equal(l.board, board) {
				return l, nil
			}
		}
		l := &line{board: board, Standing: storage.Standing{Player: player, Rating: rating.New()}}
		key := append(bytes.Clone(board), player...)
		if b := t.get(standingBucket, key); b != nil {
			if err := decodeJSON(standingBucket, key, b, &l.Standing); err != nil {
				return nil, err
			}
			before[l] = l.Standing
		}
		lines = append(lines, l)
		return l, nil
	})
	if err != nil {
		return err
	}
	for _, l := range lines {
		if old, ok := before[l]; ok {
			if err := t.del(ranksBucket, rankKey(l.board, old)); err != nil {
				return err
			}
		}
		if err := putLine(t, l); err != nil {
			return err
		}
	}
	return nil
}

func putLine(t *txn, l *line) error {
	b, err := encodeJSON(l.Standing)
	if err != nil {
		return err
	}
	if err := t.put(standingBucket, append(bytes.Clone(l.board), l.Player...), b); err != nil {
		return err
	}
	return t.put(ranksBucket, rankKey(l.board, l.Standing), []byte{})
}

// counted is what a server's results make.
type counted struct {
	lines   map[string]*line // by the keys of standingBucket
	results int
	last    uint64           // the Order of the last one
	wrong   []storage.Result // those whose Ratings are not as they should be
}

// recount counts a server's results; edited, unless it is nil, is to stand in the place of the stored one of its table.
func recount(tx *bbolt.Tx, guild string, edited *storage.Result) (counted, error) {
	var all counted
	lines := map[string]*line{}
	all.lines = lines
	find := func(board []byte, player string) (*line, error) {
		key := string(board) + player
		if lines[key] == nil {
			lines[key] = &line{board: board, Standing: storage.Standing{Player: player, Rating: rating.New()}}
		}
		return lines[key], nil
	}
	prefix := name(nil, guild)
	c := tx.Bucket(orderResults).Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(v) == 8; k, v = c.Next() {
		r, err := loadResult(tx, tableOf(v))
		if err != nil {
			return counted{}, fmt.Errorf("%w (result %d: %v)", storage.ErrDamaged, tableOf(v), err)
		}
		all.results++
		all.last = binary.BigEndian.Uint64(k[len(prefix):])
		changed := edited != nil && r.Table == edited.Table
		if changed {
			r = *edited
		}
		noted := r.Ratings
		if err := rate(&r, find); err != nil {
			return counted{}, err
		}
		if changed || !slices.Equal(noted, r.Ratings) {
			all.wrong = append(all.wrong, r)
		}
	}
	return all, nil
}

// lastOrder is the Order of a server's last result; 0 when there is none.
func lastOrder(tx *bbolt.Tx, guild string) uint64 {
	c := tx.Bucket(orderResults).Cursor()
	prefix := name(nil, guild)
	k, _ := c.Seek(orderKey(guild, math.MaxUint64))
	if k == nil {
		k, _ = c.Last()
	} else {
		k, _ = c.Prev()
	}
	if !bytes.HasPrefix(k, prefix) || len(k) != len(prefix)+8 {
		return 0
	}
	return binary.BigEndian.Uint64(k[len(prefix):])
}

// rebuild makes a server's leaderboards from its results and writes what is not as it should be.
func rebuild(t *txn, guild string, edited *storage.Result) (storage.Rebuilt, error) {
	all, err := recount(t.tx, guild, edited)
	if err != nil {
		return storage.Rebuilt{}, err
	}
	return correct(t, guild, all)
}

// correct writes what is not as a server's results make it.
func correct(t *txn, guild string, all counted) (storage.Rebuilt, error) {
	lines := maps.Clone(all.lines) // the transaction may be run anew
	done := storage.Rebuilt{Guilds: 1, Results: all.results, Changed: len(all.wrong)}
	for _, r := range all.wrong {
		if err := putResult(t, r); err != nil {
			return done, err
		}
	}
	type stale struct{ key, rank []byte }
	var gone []stale
	prefix := name(nil, guild)
	c := t.tx.Bucket(standingBucket).Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
		board, player, ok := splitStanding(k)
		if !ok {
			return done, fmt.Errorf("%w (the key of a standing)", storage.ErrDamaged)
		}
		old := storage.Standing{Player: player}
		if err := decodeJSON(standingBucket, k, v, &old); err != nil {
			return done, err
		}
		if l := lines[string(k)]; l != nil && l.Standing == old {
			delete(lines, string(k))
			continue
		}
		gone = append(gone, stale{bytes.Clone(k), rankKey(board, old)})
	}
	for _, g := range gone {
		if err := t.del(standingBucket, g.key); err != nil {
			return done, err
		}
		if err := t.del(ranksBucket, g.rank); err != nil {
			return done, err
		}
		if lines[string(g.key)] == nil {
			done.Changed++ // nothing takes its place
		}
	}
	done.Changed += len(lines)
	for _, key := range slices.Sorted(maps.Keys(lines)) {
		if err := putLine(t, lines[key]); err != nil {
			return done, err
		}
	}
	return done, nil
}

// splitStanding takes the key of a standing apart.
func splitStanding(k []byte) (board []byte, player string, ok bool) {
	i := bytes.IndexByte(k, 0)
	j := bytes.IndexByte(k[i+1:], 0)
	n := i + 1 + j + 1 + 1 + 4
	if i < 0 || j < 0 || n > len(k) {
		return nil, "", false
	}
	return bytes.Clone(k[:n]), string(k[n:]), true
}

// rebuildAll is rebuild for every server.
func rebuildAll(t *txn) (storage.Rebuilt, error) {
	var guilds []string
	c := t.tx.Bucket(orderResults).Cursor()
	for k, _ := c.First(); k != nil; {
		guild := string(k[:bytes.IndexByte(k, 0)])
		guilds = append(guilds, guild)
		k, _ = c.Seek(append([]byte(guild), 1)) // behind all keys that begin with the name and a zero
	}
	var all storage.Rebuilt
	for _, g := range guilds {
		done, err := rebuild(t, g, nil)
		if err != nil {
			return all, err
		}
		all.Guilds += done.Guilds
		all.Results += done.Results
		all.Changed += done.Changed
	}
	return all, nil
}

// Rebuild makes all leaderboards anew from the results. With results that are counted as they should be it changes nothing.
func (s *Store) Rebuild(ctx context.Context) (storage.Rebuilt, error) {
	s.voiding.Lock()
	defer s.voiding.Unlock()
	var all storage.Rebuilt
	err := s.do(ctx, func(t *txn) (err error) {
		all, err = rebuildAll(t)
		return err
	})
	return all, err
}

// Void takes a table's result off the leaderboards, or, with nil, puts it back, and makes its server's leaderboards anew. It returns the result as it
// is then, or storage.ErrNoResult.
//
// The results are counted beside the writer, so that moves go on; only what changes is written by it, and only if no game of the server has ended in between.
func (s *Store) Void(ctx context.Context, id storage.ID, v *storage.Voiding) (storage.Result, error) {
	s.voiding.Lock()
	defer s.voiding.Unlock()
	var r storage.Result
	for try := 0; ; try++ {
		var all counted
		err := s.view(ctx, func(tx *bbolt.Tx) (err error) {
			if r, err = loadResult(tx, id); err != nil {
				return err
			}
			r.Voided = v
			all, err = recount(tx, r.Guild, &r)
			return err
		})
		if err != nil {
			return r, err
		}
		late := false
		err = s.do(ctx, func(t *txn) error {
			if late = lastOrder(t.tx, r.Guild) != all.last; !late {
				_, err := correct(t, r.Guild, all)
				return err
			}
			if try < voidTries {
				return nil
			}
			late = false
			_, err := rebuild(t, r.Guild, &r)
			return err
		})
		if err != nil || !late {
			if err == nil {
				r, err = s.Result(ctx, id)
			}
			return r, err
		}
	}
}

// voidTries is how often Void counts beside the writer before it lets the writer wait.
const voidTries = 3

// Leaderboard is a page of a leaderboard. It reads the keys of all ranked players, so its cost grows with their number.
func (s *Store) Leaderboard(ctx context.Context, q storage.BoardQuery) (storage.BoardPage, error) {
	board := boardKey(q.Board)
	var page storage.BoardPage
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		standings := tx.Bucket(standingBucket)
		read := func(player string) (storage.Standing, error) {
			l := storage.Standing{Player: player}
			key := append(bytes.Clone(board), player...)
			b := standings.Get(key)
			if b == nil {
				return l, nil
			}
			return l, decodeJSON(standingBucket, key, b, &l)
		}
		page.Own.Player = q.Own
		c := tx.Bucket(ranksBucket).Cursor()
		rank, last := 0, []byte(nil)
		for k, _ := c.Seek(board); bytes.HasPrefix(k, board); k, _ = c.Next() {
			key := k[len(board):]
			if len(key) < rankLength {
				return fmt.Errorf("%w (a rank cannot be read)", storage.ErrDamaged)
			}
			if int(binary.BigEndian.Uint32(key[8:])) < q.Least {
				continue
			}
			page.Total++
			if !bytes.Equal(key[:8], last) { // otherwise the rank is shared
				rank, last = page.Total, append(last[:0], key[:8]...)
			}
			if q.Own != "" && string(key[rankLength:]) == q.Own {
				page.Own.Rank = rank
			}
			if page.Total <= q.Offset || len(page.Lines) >= q.Limit {
				continue
			}
			l, err := read(string(key[rankLength:]))
			if err != nil {
				return err
			}
			page.Lines = append(page.Lines, storage.Ranked{Rank: rank, Standing: l})
		}
		if q.Own == "" {
			return nil
		}
		own, err := read(q.Own)
		page.Own.Standing = own
		return err
	})
	return page, err
}

// Standing is a player's own line of a leaderboard. It is zero but for the player when they have not played.
func (s *Store) Standing(ctx context.Context, b storage.Board, player string) (storage.Standing, error) {
	l := storage.Standing{Player: player}
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		key := append(boardKey(b), player...)
		v := tx.Bucket(standingBucket).Get(key)
		if v == nil {
			return nil
		}
		return decodeJSON(standingBucket, key, v, &l)
	})
	return l, err
}

func loadLeague(tx *bbolt.Tx, guild string) (storage.League, error) {
	var l storage.League
	b := tx.Bucket(leagueBucket).Get(name(nil, guild))
	if b == nil {
		return l, nil
	}
	return l, decodeJSON(leagueBucket, name(nil, guild), b, &l)
}

// League is what a server has set for its leaderboards.
func (s *Store) League(ctx context.Context, guild string) (storage.League, error) {
	var l storage.League
	err := s.view(ctx, func(tx *bbolt.Tx) (err error) {
		l, err = loadLeague(tx, guild)
		return err
	})
	return l, err
}

func (s *Store) editLeague(ctx context.Context, guild string, edit func(*storage.League) error) (storage.League, error) {
	if err := checkName(guild); err != nil {
		return storage.League{}, err
	}
	var l storage.League
	err := s.do(ctx, func(t *txn) (err error) {
		if l, err = loadLeague(t.tx, guild); err != nil {
			return err
		}
		if err := edit(&l); err != nil {
			return err
		}
		b, err := encodeJSON(l)
		if err != nil {
			return err
		}
		return t.put(leagueBucket, name(nil, guild), b)
	})
	return l, err
}

// SetLeast sets how many games a player of the server needs to be ranked.
func (s *Store) SetLeast(ctx context.Context, guild string, least int) error {
	_, err := s.editLeague(ctx, guild, func(l *storage.League) error {
		l.Least = least
		return nil
	})
	return err
}

// StartSeason begins the server's next season: results from now on count in it as well. It returns storage.ErrSeasonRuns.
func (s *Store) StartSeason(ctx context.Context, guild, title string, now storage.Stamp) (storage.Season, error) {
	l, err := s.editLeague(ctx, guild, func(l *storage.League) error {
		if _, ok := l.Running(); ok {
			return storage.ErrSeasonRuns
		}
		if len(l.Seasons) >= storage.MaxSeasons {
			return fmt.Errorf("%w: more than %d seasons", storage.ErrInvalid, storage.MaxSeasons)
		}
		l.Seasons = append(l.Seasons, storage.Season{Number: len(l.Seasons) + 1, Name: title, Started: now})
		return nil
	})
	if err != nil {
		return storage.Season{}, err
	}
	return l.Seasons[len(l.Seasons)-1], nil
}

// EndSeason ends the season that runs. It returns storage.ErrNoSeason.
func (s *Store) EndSeason(ctx context.Context, guild string, now storage.Stamp) (storage.Season, error) {
	l, err := s.editLeague(ctx, guild, func(l *storage.League) error {
		if _, ok := l.Running(); !ok {
			return storage.ErrNoSeason
		}
		l.Seasons[len(l.Seasons)-1].Ended = now
		return nil
	})
	if err != nil {
		return storage.Season{}, err
	}
	return l.Seasons[len(l.Seasons)-1], nil
}
