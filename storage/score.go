package storage

import (
	"context"
	"fmt"
	"math"

	"marque/storage/kv"
)

// Score counts the puzzles of the day that a user solved on a server in a month.
type Score struct {
	Server string `json:"server"`
	Month  string `json:"month"` // "2026-11"
	Solved int    `json:"solved"`
	First  int    `json:"first,omitempty"` // of them those solved at the first try
}

// Scored is a user's line of a server's table of a month.
type Scored struct {
	User string
	Score
}

// ScorePage is the beginning of such a table.
type ScorePage struct {
	Lines []Scored
	Total int // users in the table
}

// check returns ErrInvalid for what cannot be added to a score.
func (s Score) check() error {
	if s.Server == "" || CheckName(s.Server) != nil || s.Month == "" || CheckName(s.Month) != nil || s.Solved < 1 ||
		s.First < 0 || s.First > s.Solved {
		return fmt.Errorf("%w: %+v cannot be added to a score", ErrInvalid, s)
	}
	return nil
}

// Puzzler holds the puzzles of the day that a user solved. Days begin at midnight UTC, and are counted from 1970-01-01.
type Puzzler struct {
	Last   int `json:"last,omitempty"`   // the latest day whose puzzle they solved on that day; 0 for none
	Streak int `json:"streak,omitempty"` // days in succession up to Last
	Best   int `json:"best,omitempty"`   // the longest of such streaks
	Solved int `json:"solved,omitempty"` // all of them
	Missed int `json:"missed,omitempty"` // the latest day on which they missed before they solved its puzzle
	// how many they solved in the year of Last, and in the year before that
	InYear int `json:"in-year,omitempty"`
	Before int `json:"before,omitempty"`
}

// Puzzler returns a user's Puzzler; the zero Puzzler when there is none.
func (s *Store) Puzzler(ctx context.Context, user string) (Puzzler, error) {
	p, _, err := puzzlers.get1(ctx, s, key{user: user})
	return p, err
}

// ChangePuzzler stores a user's Puzzler as change returns it, and adds a score to the user's of that server and month,
// unless that is the zero Score: both or neither. change may be called more than once. Older scores of the user than
// the last month's are deleted. ChangePuzzler returns ErrInvalid for a score that counts nothing or has no server.
func (s *Store) ChangePuzzler(ctx context.Context, user, since string, change func(Puzzler) (Puzzler, Score)) error {
	if err := CheckName(user); err != nil {
		return err
	}
	at := key{user: user}
	return s.update(ctx, work{locks: []kv.Lock{userLock.of(at)}, run: func(t *txn) error {
		before, _, err := puzzlers.get(t, at)
		if err != nil {
			return err
		}
		after, more := change(before)
		if after != before {
			if err := puzzlers.put(t, at, after); err != nil {
				return err
			}
		}
		return addScore(t, at, since, more)
	}})
}

// addScore adds to a user's scores, and deletes those of months before since.
func addScore(t *txn, of key, since string, more Score) error {
	own, err := scores.scan(t, scores.under(of, 1), kv.Ascending, scanPage)
	if err != nil {
		return err
	}
	if more != (Score{}) {
		if err := more.check(); err != nil {
			return err
		}
	}
	var before *Score
	for _, f := range own {
		switch {
		case f.key.month < since:
			err = scores.replace(t, f.key, &f.value, nil)
		case f.value.Server == more.Server && f.value.Month == more.Month:
			before = &f.value
		}
		if err != nil {
			return err
		}
	}
	if more == (Score{}) {
		return nil
	}
	if before != nil {
		more.Solved = min(more.Solved+before.Solved, math.MaxInt32)
		more.First += before.First
	}
	return scores.replace(t, key{user: of.user, server: more.Server, month: more.Month}, before, &more)
}

// Scores is a server's table of a month: by puzzles solved, then by those solved at the first try,
// the most first, then by user. Users who are forgotten are in none.
func (s *Store) Scores(ctx context.Context, server, month string, limit int) (ScorePage, error) {
	var page ScorePage
	err := s.view(ctx, func(r kv.Reader) (err error) {
		within := scoreRanks.under(key{server: server, month: month}, 2)
		page = ScorePage{}
		if page.Total, err = r.Count(within); err != nil || limit <= 0 {
			return err
		}
		lines, err := scoreRanks.entries(r, within, kv.Ascending, limit)
		for _, k := range lines {
			page.Lines = append(page.Lines, Scored{
				User:  k.user,
				Score: Score{Server: k.server, Month: k.month, Solved: int(k.solved), First: int(k.first)},
			})
		}
		return err
	})
	return page, err
}
