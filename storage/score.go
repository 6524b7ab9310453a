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
	Month  string `json:"month"` // such as "2026-11"
	Solved int    `json:"solved"`
	First  int    `json:"first,omitempty"` // number of puzzles in Solved that were solved at the first try
}

// Scored is a line of a server's monthly puzzle table.
type Scored struct {
	User string
	Score
}

// ScorePage is the first page of a server's monthly puzzle table.
type ScorePage struct {
	Lines []Scored
	Total int // number of users in the table
}

// check returns ErrInvalid for a score that cannot be added.
func (s Score) check() error {
	if s.Server == "" || CheckName(s.Server) != nil || s.Month == "" || CheckName(s.Month) != nil || s.Solved < 1 ||
		s.First < 0 || s.First > s.Solved {
		return fmt.Errorf("%w: %+v cannot be added to a score", ErrInvalid, s)
	}
	return nil
}

// Puzzler records how a user solves puzzles of the day. A day begins at midnight UTC; days are counted from 1970-01-01.
type Puzzler struct {
	Last   int `json:"last,omitempty"`   // last day whose puzzle the user solved on that day; 0 for none
	Streak int `json:"streak,omitempty"` // number of such days in a row up to Last
	Best   int `json:"best,omitempty"`   // highest Streak so far
	Solved int `json:"solved,omitempty"` // number of puzzles of the day that the user solved on their day
	Missed int `json:"missed,omitempty"` // last day on which the user made a mistake before solving the puzzle
	// InYear and Before are the parts of Solved in the year of Last, and in the year before it.
	InYear int `json:"in-year,omitempty"`
	Before int `json:"before,omitempty"`
}

// Puzzler returns a user's Puzzler, or the zero Puzzler.
func (s *Store) Puzzler(ctx context.Context, user string) (Puzzler, error) {
	p, _, err := puzzlers.get1(ctx, s, key{user: user})
	return p, err
}

// ChangePuzzler replaces a user's Puzzler with the result of change. Unless the returned Score is zero, the same commit
// adds it to the user's score of its server and month. change may be called more than once. The user's scores of months
// before since are deleted. ChangePuzzler returns ErrInvalid for a score that cannot be added, such as one without
// puzzles or server.
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

// addScore adds more to a user's score, and deletes the user's scores of months before since.
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

// Scores returns a server's puzzle table of a month. It is sorted by the number of puzzles solved, then by the number
// solved at the first try, highest first, then by user. Forgotten users are left out.
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
