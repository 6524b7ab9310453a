package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"marque/games"
	"marque/storage"
)

// A result begins with what lists choose by, so that a filter that finds little need not decode every
// result that it looks through. Files of schema 1 have results without; those get it in the background.

// resultFormat is the first byte of a result that has its facts in front: their length, the facts, and
// the result as JSON.
const resultFormat = 2

// Flags of facts.
const (
	drawnFact     = 1 << iota
	abandonedFact // Ending is games.Abandoned
)

func encodeResult(r storage.Result) ([]byte, error) {
	j, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", storage.ErrInvalid, err)
	}
	flags, winners := byte(0), uint64(0)
	if r.Drawn {
		flags |= drawnFact
	}
	if r.Ending == games.Abandoned {
		flags |= abandonedFact
	}
	for _, w := range r.Winners {
		winners |= 1 << uint(w)
	}
	facts := binary.AppendUvarint([]byte{flags}, winners)
	facts = name(name(facts, r.Game), r.Guild)
	for _, o := range r.Seats {
		facts = name(name(facts, o.User), o.Computer)
	}
	b := binary.AppendUvarint([]byte{resultFormat}, uint64(len(facts)))
	return append(append(b, facts...), j...), nil
}

// splitResult takes a stored result apart; facts is nil where it has none.
func splitResult(key, b []byte) (facts, j []byte, err error) {
	b, err = unseal(resultBucket, key, b)
	switch {
	case err != nil:
		return nil, nil, err
	case len(b) > 0 && b[0] == jsonFormat:
		return nil, b[1:], nil
	case len(b) > 0 && b[0] == resultFormat:
		if n, w := binary.Uvarint(b[1:]); w > 0 && n <= uint64(len(b)-1-w) {
			b = b[1+w:]
			return b[:n], b[n:], nil
		}
	}
	return nil, nil, damaged(resultBucket, key, unknownFormat)
}

func decodeResult(key, b []byte) (storage.Result, error) {
	r := storage.Result{Table: tableOf(key)}
	_, j, err := splitResult(key, b)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(j, &r); err != nil {
		return r, damaged(resultBucket, key, err.Error())
	}
	return r, nil
}

// decodeFacts reads what a storage.ResultQuery's Keep is given; all of the result where it has no facts.
// It may use the lists of scratch anew.
func decodeFacts(key, b []byte, scratch storage.Result) (storage.Result, error) {
	facts, _, err := splitResult(key, b)
	if err != nil {
		return scratch, err
	}
	if facts == nil {
		return decodeResult(key, b)
	}
	winners, n := uint64(0), 0
	if len(facts) > 0 {
		winners, n = binary.Uvarint(facts[1:])
	}
	if n <= 0 {
		return scratch, damaged(resultBucket, key, unknownFormat)
	}
	// One string for all names.
	names := string(facts[1+n:])
	next := func() (s string) {
		s, names, _ = strings.Cut(names, "\x00")
		return s
	}
	r := storage.Result{
		Table: tableOf(key), Drawn: facts[0]&drawnFact != 0, Seats: scratch.Seats[:0], Winners: scratch.Winners[:0],
	}
	if facts[0]&abandonedFact != 0 {
		r.Ending = games.Abandoned
	}
	r.Game, r.Guild = next(), next()
	for names != "" {
		r.Seats = append(r.Seats, storage.Occupant{User: next(), Computer: next()})
	}
	for seat := games.Seat(0); winners != 0; seat, winners = seat+1, winners>>1 {
		if winners&1 == 1 {
			r.Winners = append(r.Winners, seat)
		}
	}
	return r, nil
}

// fillFacts does the job of giving the results of an older file their facts.
func (s *Store) fillFacts(ctx context.Context, j job) error {
	return s.steps(ctx, j, func(t *txn, j *job) error {
		var old []storage.Result
		c := t.tx.Bucket(resultBucket).Cursor()
		k, v := following(c, j.After)
		for n := 0; k != nil && n < stepRows; n++ {
			j.After = bytes.Clone(k)
			if facts, _, err := splitResult(k, v); err == nil && facts == nil {
				r, err := decodeResult(k, v)
				if err != nil {
					return err
				}
				old = append(old, r)
			} // Check names what is damaged
			k, v = c.Next()
		}
		j.done = k == nil
		for _, r := range old {
			if err := putResult(t, r); err != nil {
				return err
			}
		}
		return nil
	})
}
