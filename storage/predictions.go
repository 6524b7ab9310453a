package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"marque/games"
	"marque/storage/kv"
)

// Prediction is a spectator's prediction of the winning seat of a table. It counts for the month in which it was made.
type Prediction struct {
	User   string     `json:"-"`
	Server string     `json:"-"`
	Table  ID         `json:"-"`
	Seat   games.Seat `json:"seat"`
	Chance int        `json:"chance"` // chance of the seat when the prediction was made, per mille
	Play   int        `json:"play"`   // number of plays when the prediction was made
	At     Stamp      `json:"at"`

	// Result of the game without ratings; nil if none is stored.
	Result *Result `json:"-"`
}

// Maximum numbers of predictions.
const (
	MaxPredictionsAt = 200 // of all users at one table
	MaxPredictionsOf = 20  // of one user on a server in one day (UTC)
)

// Errors for predictions that are refused.
var (
	ErrPredicted     = errors.New("storage: the user has predicted how this game ends")
	ErrPredictions   = errors.New("storage: there are too many predictions at this table")
	ErrPredictedMuch = errors.New("storage: the user has predicted too often today")
)

// Points returns the points of a prediction, per mille of a win: the result of the seat minus its chance when the
// prediction was made. A user whose predictions follow the chances gets 0 points on average. counts is false if the
// game is not over, was abandoned or voided, or if the user had a seat in it at the end.
func (p Prediction) Points() (points int, counts bool) {
	r := p.Result
	if r == nil || r.Ending == games.Abandoned || r.Voided != nil || r.Seat(p.User) >= 0 {
		return 0, false
	}
	got := games.Result{Winners: r.Winners}.Payoff(p.Seat)
	return int(got*1000+0.5) - p.Chance, true
}

// AddPrediction stores a prediction unless check, which gets the table's current head, returns an error. AddPrediction
// returns ErrNoTable, ErrInvalid, the error of check, ErrPredicted if the user has predicted this game already, and
// ErrPredictions or ErrPredictedMuch if the table or the user has too many predictions.
func (s *Store) AddPrediction(ctx context.Context, p Prediction, check func(Head) error) error {
	if err := CheckName(p.User); err != nil || p.User == "" || p.Chance < 0 || p.Chance > 1000 {
		return fmt.Errorf("%w: the prediction %+v", ErrInvalid, p)
	}
	head, err := s.Head(ctx, p.Table)
	if err != nil {
		return err
	}
	at := key{user: p.User, server: head.Guild, month: ConductMonth(p.At), table: p.Table}
	locks := []kv.Lock{userLock.of(at), tableLock.of(at)}
	return s.update(ctx, work{locks: locks, run: func(t *txn) error {
		head, err := knownHead(t, at)
		if err != nil {
			return err
		}
		if err := check(head.Head); err != nil {
			return err
		}
		here, err := predictionsAt.entries(t, predictionsAt.under(at, 1), kv.Ascending, MaxPredictionsAt)
		if err != nil {
			return err
		}
		for _, k := range here {
			if k.user == p.User {
				return ErrPredicted
			}
		}
		if len(here) == MaxPredictionsAt {
			return ErrPredictions
		}
		month, err := predictions.scan(t, predictions.under(at, 3), kv.Ascending, 31*MaxPredictionsOf)
		if err != nil {
			return err
		}
		day, today := p.At.Time().UTC().Truncate(24*time.Hour), 0
		for _, f := range month {
			if !f.value.At.Time().Before(day) {
				today++
			}
		}
		if today >= MaxPredictionsOf {
			return ErrPredictedMuch
		}
		return predictions.put(t, at, p)
	}})
}

// dropPrediction deletes a user's prediction at a table when the user takes a seat. Players must not predict their own
// game, even after giving up the seat.
func dropPrediction(t *txn, at key) error {
	given, err := predictionsAt.entries(t, predictionsAt.under(at, 2), kv.Ascending, 1)
	for _, k := range given {
		if err := predictions.delete(t, k); err != nil {
			return err
		}
	}
	return err
}

// PredictionsAt returns the predictions at a table, ordered by user.
func (s *Store) PredictionsAt(ctx context.Context, table ID) ([]Prediction, error) {
	at := key{table: table}
	return s.predicted(ctx, func(r kv.Reader) ([]key, error) {
		return predictionsAt.entries(r, predictionsAt.under(at, 1), kv.Ascending, MaxPredictionsAt)
	})
}

// PredictionsIn returns a server's predictions in a month, such as "2026-11", ordered by table and user. Unless user is
// "", it returns only the predictions of this user. There is no limit on their number.
func (s *Store) PredictionsIn(ctx context.Context, server, month, user string) ([]Prediction, error) {
	at := key{server: server, month: month, user: user}
	return s.predicted(ctx, func(r kv.Reader) (list []key, err error) {
		in, within := &predictionsIn.layout, predictionsIn.under(at, 2)
		if user != "" {
			in, within = &predictions.layout, predictions.under(at, 3)
		}
		err = each(r, within, func(p kv.Pair) error {
			k, err := in.mustParse(p.Key)
			list = append(list, k)
			return err
		})
		return list, err
	})
}

// predicted reads the predictions with the given keys, and their results.
func (s *Store) predicted(ctx context.Context, keys func(kv.Reader) ([]key, error)) (list []Prediction, err error) {
	err = s.view(ctx, func(r kv.Reader) error {
		list = nil
		at, err := keys(r)
		if err != nil {
			return err
		}
		values, err := predictions.all(r, at)
		if err != nil {
			return err
		}
		var tables []key
		seen := map[ID]bool{}
		for _, k := range at {
			if !seen[k.table] {
				seen[k.table] = true
				tables = append(tables, key{server: k.server, table: k.table})
			}
		}
		ended, err := results.all(r, tables)
		if err != nil {
			return err
		}
		how := map[ID]*Result{}
		for _, f := range ended {
			if f.err != nil {
				return f.err
			}
			if f.there {
				how[f.key.table] = &f.value
			}
		}
		for _, f := range values {
			if f.err != nil {
				return f.err
			}
			f.value.Result = how[f.key.table]
			list = append(list, f.value)
		}
		return nil
	})
	return list, err
}
