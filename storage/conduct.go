package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"marque/storage/kv"
)

// AnswerTimes are the upper limits of the classes of answering times. One further class has longer times.
var AnswerTimes = []time.Duration{
	15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 2 * 24 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour,
}

// conductMonths is the number of past months for which conduct is kept, in addition to the current one.
const conductMonths = 3

// Conduct counts how a user played with other people on a server in one month.
type Conduct struct {
	Server string `json:"server"`
	Month  string `json:"month"`           // month in which a game ended or the seat was lost, such as "2026-11"
	Games  int    `json:"games,omitempty"` // number of games finished or left
	Left   int    `json:"left,omitempty"`  // number of the Games that the user left
	// Number of answers in each class of AnswerTimes; the last element counts longer answers.
	Answers []int `json:"answers,omitempty"`
}

// Conditions are conditions that players must meet to join a table.
type Conditions struct {
	RatingFrom int    `json:"f,omitempty"` // lowest rating in the game on the server, among people; 0 for any
	RatingTo   int    `json:"t,omitempty"`
	Answers    int    `json:"a,omitempty"` // maximum number of hours that the player usually takes to answer; 0 for any
	Finishes   int    `json:"p,omitempty"` // lowest percentage of games that the player finished
	Lessons    bool   `json:"l,omitempty"` // whether the player must have finished the lessons of the game
	Role       string `json:"r,omitempty"`
}

// Conducted is an addition to a user's Conduct on the table's server.
type Conducted struct {
	User string
	Conduct
}

func (c Conduct) check() error {
	if c.Games < 0 || c.Left < 0 || c.Left > c.Games || len(c.Answers) > len(AnswerTimes)+1 {
		return fmt.Errorf("%w: %+v cannot be added to what somebody did", ErrInvalid, c)
	}
	return nil
}

// ConductMonth returns the month for which conduct at a moment counts, such as "2026-11".
func ConductMonth(at Stamp) string { return at.Time().UTC().Format("2006-01") }

// ConductSince returns the first month that still counts at a moment, such as "2026-08".
func ConductSince(at Stamp) string {
	t := at.Time().UTC()
	return time.Date(t.Year(), t.Month()-conductMonths, 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
}

// expectConduct adds to a transaction the locks and keys that it needs to count conduct.
func (c Change) expectConduct(w *work) {
	for _, d := range c.Conduct {
		at := key{user: d.User, server: c.Head.Guild}
		w.locks = append(w.locks, userLock.of(at))
		w.want.Ranges = append(w.want.Ranges, kv.WantRange{Range: conducts.under(at, 2), Limit: scanPage})
	}
}

// conduct adds the change's conduct to the users' months, and deletes months that no longer count.
func (t *txn) conduct(c Change) error {
	month, since := ConductMonth(c.Head.Changed), ConductSince(c.Head.Changed)
	for _, d := range c.Conduct {
		at := key{user: d.User, server: c.Head.Guild, month: month}
		kept, err := conducts.scan(t, conducts.under(at, 2), kv.Ascending, scanPage)
		if err != nil {
			return err
		}
		sum := d.Conduct
		sum.Answers = slices.Clone(sum.Answers)
		for _, f := range kept {
			switch {
			case f.err != nil:
				return f.err
			case f.key.month < since:
				if err := conducts.delete(t, f.key); err != nil {
					return err
				}
			case f.key.month == month:
				sum.add(f.value)
			}
		}
		if err := conducts.put(t, at, sum); err != nil {
			return err
		}
	}
	return nil
}

// add adds the numbers of o.
func (c *Conduct) add(o Conduct) {
	c.Games, c.Left = c.Games+o.Games, c.Left+o.Left
	for i, n := range o.Answers {
		if i == len(c.Answers) {
			c.Answers = append(c.Answers, 0)
		}
		c.Answers[i] += n
	}
}

// Conduct returns the sum of a user's conduct on a server from the month since on, such as "2026-11". The sum has no
// Server and no Month.
func (s *Store) Conduct(ctx context.Context, user, server, since string) (sum Conduct, err error) {
	list, err := s.conducts(ctx, conducts.under(key{user: user, server: server}, 2))
	for _, c := range list {
		if c.Month >= since {
			sum.add(c)
		}
	}
	return sum, err
}

func (s *Store) conducts(ctx context.Context, in kv.Range) (list []Conduct, err error) {
	err = s.view(ctx, func(r kv.Reader) error {
		list = nil
		return each(r, in, func(p kv.Pair) error {
			k, err := conducts.mustParse(p.Key)
			if err != nil {
				return err
			}
			c, err := conducts.open(k, p.Value)
			list = append(list, c)
			return err
		})
	})
	return list, err
}

// ActiveOf returns the number of a server's unfinished tables at which a user has a seat. It looks at the first
// mostOfUser tables of the user.
func (s *Store) ActiveOf(ctx context.Context, user, server string) (n int, err error) {
	keys, err := s.keysIn(ctx, activeOfUser, activeOfUser.under(key{user: user}, 1), mostOfUser)
	for _, k := range keys {
		if k.server == server {
			n++
		}
	}
	return n, err
}
