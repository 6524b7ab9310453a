package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"go.etcd.io/bbolt"

	"marque/games/rating"
	"marque/games/text"
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

// rankLength is the length of what stands between a board and the player in the key of a rank: how sure the rating is, and storage.Standing.RankedGames.
const rankLength = 8 + 4

// amongComputers reports whether a board is one of games with computer players.
func amongComputers(board []byte) bool { return board[len(board)-5] == 'c' }

// rankKey sorts by rating.Rating.Sure, the highest first, then by player.
func rankKey(board []byte, s storage.Standing) []byte {
	key := binary.BigEndian.AppendUint64(bytes.Clone(board), uint64(math.MaxInt64-int64(math.Round(s.Rating.Sure()*1e6))))
	key = binary.BigEndian.AppendUint32(key, uint32(s.RankedGames(amongComputers(board))))
	return append(key, s.Player...)
}

// line is a leaderboard's line with the place where it is kept.
type line struct {
	board []byte
	storage.Standing
}

// rate is storage.Result.Rate with lines.
func rate(r *storage.Result, find func(board []byte, player string) (*line, error)) error {
	return r.Rate(func(b storage.Board, player string) (*storage.Standing, error) {
		l, err := find(boardKey(b), player)
		if err != nil {
			return nil, err
		}
		return &l.Standing, nil
	})
}

// count counts a result on its leaderboards, in a generation of them, and keeps the ratings after it.
func count(t *txn, g generation, r *storage.Result) error {
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
		if b := t.get(g.standings(), key); b != nil {
			if err := decodeJSON(g.standings(), key, b, &l.Standing); err != nil {
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
			if err := t.del(g.ranks(), rankKey(l.board, old)); err != nil {
				return err
			}
		}
		if err := putLine(t, g, l); err != nil {
			return err
		}
	}
	return putRatings(t, g, *r)
}

func putLine(t *txn, g generation, l *line) error {
	b, err := encodeJSON(l.Standing)
	if err != nil {
		return err
	}
	if err := t.put(g.standings(), append(bytes.Clone(l.board), l.Player...), b); err != nil {
		return err
	}
	return t.put(g.ranks(), rankKey(l.board, l.Standing), []byte{})
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

// Leaderboard is a page of a leaderboard. Who has departed holds no rank and no line: their ratings stay
// for the arithmetic of the others' alone. It reads the keys of all ranked players, so its cost grows with their number.
func (s *leagues) Leaderboard(ctx context.Context, q storage.BoardQuery) (storage.BoardPage, error) {
	board := boardKey(q.Board)
	var page storage.BoardPage
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		g := live(tx, q.Guild)
		page.Recounting = tx.Bucket(jobBucket).Get(jobKey(recounting, q.Guild)) != nil
		standings := tx.Bucket(g.standings())
		read := func(player string) (storage.Standing, error) {
			l := storage.Standing{Player: player}
			key := append(bytes.Clone(board), player...)
			b := standings.Get(key)
			if b == nil {
				return l, nil
			}
			return l, decodeJSON(g.standings(), key, b, &l)
		}
		page.Own.Player = q.Own
		c := tx.Bucket(g.ranks()).Cursor()
		rank, last := 0, []byte(nil)
		for k, _ := c.Seek(board); bytes.HasPrefix(k, board); k, _ = c.Next() {
			key := k[len(board):]
			if len(key) < rankLength {
				return fmt.Errorf("%w (a rank cannot be read)", storage.ErrDamaged)
			}
			if int(binary.BigEndian.Uint32(key[8:])) < q.Least || storage.HasDeparted(string(key[rankLength:])) {
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
func (s *leagues) Standing(ctx context.Context, b storage.Board, player string) (storage.Standing, error) {
	l := storage.Standing{Player: player}
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		g, key := live(tx, b.Guild), append(boardKey(b), player...)
		v := tx.Bucket(g.standings()).Get(key)
		if v == nil {
			return nil
		}
		return decodeJSON(g.standings(), key, v, &l)
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
func (s *leagues) League(ctx context.Context, guild string) (storage.League, error) {
	var l storage.League
	err := s.view(ctx, func(tx *bbolt.Tx) (err error) {
		l, err = loadLeague(tx, guild)
		return err
	})
	return l, err
}

func (s *leagues) editLeague(ctx context.Context, guild string, edit func(*storage.League) error) (storage.League, error) {
	if err := storage.CheckName(guild); err != nil {
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
func (s *leagues) SetLeast(ctx context.Context, guild string, least int) error {
	_, err := s.editLeague(ctx, guild, func(l *storage.League) error {
		l.Least = least
		return nil
	})
	return err
}

// StartSeason begins the server's next season: results from now on count in it as well. It returns storage.ErrSeasonRuns.
func (s *leagues) StartSeason(ctx context.Context, guild string, title text.Name, now storage.Stamp) (storage.Season, error) {
	l, err := s.editLeague(ctx, guild, func(l *storage.League) error { return l.StartSeason(title, now) })
	if err != nil {
		return storage.Season{}, err
	}
	return l.Seasons[len(l.Seasons)-1], nil
}

// EndSeason ends the season that runs. It returns storage.ErrNoSeason.
func (s *leagues) EndSeason(ctx context.Context, guild string, now storage.Stamp) (storage.Season, error) {
	l, err := s.editLeague(ctx, guild, func(l *storage.League) error { return l.EndSeason(now) })
	if err != nil {
		return storage.Season{}, err
	}
	return l.Seasons[len(l.Seasons)-1], nil
}
