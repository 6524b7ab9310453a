package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"marque/storage/kv"
)

// AnswerTimes bound the classes of the times that people take to answer; longer times are one further class.
var AnswerTimes = []time.Duration{
	15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 2 * 24 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour,
}

// conductMonths is the number of past months of conduct that are kept, besides the current one.
const conductMonths = 3

// Conduct counts how a user played with other people on a server in a month.
type Conduct struct {
	Server string `json:"server"`
	Month  string `json:"month"`           // in which a game ended, or the seat was lost: "2026-11"
	Games  int    `json:"games,omitempty"` // games that they finished or left
	// of them those that they left by running out of time, or by resigning in the first moves
	Left int `json:"left,omitempty"`
	// how often they answered within each of AnswerTimes; what took longer is the last
	Answers []int `json:"answers,omitempty"`
}

// Conditions are a table's conditions for joining.
type Conditions struct {
	RatingFrom int    `json:"f,omitempty"` // in the table's game among people, on its server; 0 for any
	RatingTo   int    `json:"t,omitempty"`
	Answers    int    `json:"a,omitempty"` // hours within which they usually answer
	Finishes   int    `json:"p,omitempty"` // per cent of their games that they finish
	Lessons    bool   `json:"l,omitempty"` // they have done the lessons of the game
	Role       string `json:"r,omitempty"`
}

// Conducted is a change's addition to the Conduct of a user on the table's server.
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

// ConductMonth is the month of a moment: what is done then counts in it.
func ConductMonth(at Stamp) string { return at.Time().UTC().Format("2006-01") }

// ConductSince is the first month that counts at a moment.
func ConductSince(at Stamp) string {
	t := at.Time().UTC()
	return time.Date(t.Year(), t.Month()-conductMonths, 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
}

// expectConduct adds to a work what counting conduct takes.
func (c Change) expectConduct(w *work) {
	for _, d := range c.Conduct {
		at := key{user: d.User, server: c.Head.Guild}
		w.locks = append(w.locks, userLock.of(at))
		w.want.Ranges = append(w.want.Ranges, kv.WantRange{Range: conducts.under(at, 2), Limit: scanPage})
	}
}

// conduct adds what people did to their months. Months that count no more go.
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

// add counts another month, or part of one, in.
func (c *Conduct) add(o Conduct) {
	c.Games, c.Left = c.Games+o.Games, c.Left+o.Left
	for i, n := range o.Answers {
		if i == len(c.Answers) {
			c.Answers = append(c.Answers, 0)
		}
		c.Answers[i] += n
	}
}

// Conduct sums up what a user did on a server since a month.
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

// ActiveOf returns the number of a server's unfinished tables at which a user sits.
func (s *Store) ActiveOf(ctx context.Context, user, server string) (n int, err error) {
	keys, err := s.keysIn(ctx, activeOfUser, activeOfUser.under(key{user: user}, 1), mostOfUser)
	for _, k := range keys {
		if k.server == server {
			n++
		}
	}
	return n, err
}
