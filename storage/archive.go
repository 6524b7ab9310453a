package storage

import (
	"context"
	"fmt"

	"marque/games/ledger"
	"marque/games/review"
	"marque/storage/kv"
)

// Review is a computer player's review of a game that is over.
type Review struct {
	ComputerVersion int                   `json:"v,omitempty"` // version of the computer players that reviewed the game
	Looked          int                   `json:"n"`           // number of plays judged, from the first
	Points          []review.TurningPoint `json:"p,omitempty"` // in game order; at most review.MaxPoints
	Course          review.Course         `json:"c,omitzero"`
	// Luck of the whole game; nil until all of it has been judged, and for a game without dice or cards.
	Luck *ledger.Ledger `json:"u,omitempty"`
}

// Review returns the review of a table's game, or the zero Review if there is none. It returns ErrNoTable for an
// unknown table.
func (s *Store) Review(ctx context.Context, id ID) (review Review, err error) {
	at := key{table: id}
	err = s.view(ctx, func(r kv.Reader) error {
		raw, err := r.Get(heads.key(at), reviews.key(at))
		switch {
		case err != nil:
			return err
		case raw[0] == nil:
			return ErrNoTable
		case raw[1] != nil:
			review, err = reviews.open(at, raw[1])
		}
		return err
	})
	return review, err
}

// SetReview stores the review of a finished game, unless a longer review by the same version is stored. The review is
// deleted with its table. SetReview returns ErrNoTable for an unknown table, and ErrInvalid if the game is not over or
// Review.Check refuses the review.
func (s *Store) SetReview(ctx context.Context, id ID, review Review) error {
	if err := review.Check(); err != nil {
		return err
	}
	at := key{table: id}
	return s.update(ctx, work{
		locks: []kv.Lock{tableLock.of(at)}, want: kv.Want{Keys: []kv.Key{heads.key(at), reviews.key(at)}},
		run: func(t *txn) error {
			if err := isOver(t, at, "reviewed"); err != nil {
				return err
			}
			// A damaged review is replaced.
			if old, there, err := reviews.get(t, at); err == nil && there &&
				old.ComputerVersion == review.ComputerVersion && old.Looked > review.Looked {
				return nil
			}
			return reviews.put(t, at, review)
		},
	})
}

// isOver returns ErrNoTable for an unknown table, and ErrInvalid if its game is not over. done is a participle for the
// error's text, such as "reviewed".
func isOver(t *txn, at key, done string) error {
	head, err := knownHead(t, at)
	if err == nil && head.Status != Over {
		err = fmt.Errorf("%w: table %d goes on and cannot be %s", ErrInvalid, at.table, done)
	}
	return err
}

// ShareKey returns the key in the link to a table's shared page; "" if the game is not shared.
func (s *Store) ShareKey(ctx context.Context, id ID) (Secret, error) {
	k, _, err := shares.get1(ctx, s, key{table: id})
	return k, err
}

// ShareGame stores a key for the shared page of a finished game, unless the game already has a key, and returns the
// game's key. The key is deleted with the table, or when a user whom a row of the table names is forgotten. ShareGame
// returns ErrNoTable for an unknown table, and ErrInvalid if the game is not over or fresh is not a valid key.
func (s *Store) ShareGame(ctx context.Context, id ID, fresh Secret) (kept Secret, err error) {
	if fresh == "" || len(fresh) > MaxKey {
		return "", fmt.Errorf("%w: the key of a page", ErrInvalid)
	}
	at := key{table: id}
	err = s.update(ctx, work{
		locks: []kv.Lock{tableLock.of(at)}, want: kv.Want{Keys: []kv.Key{heads.key(at), shares.key(at)}},
		run: func(t *txn) error {
			if err := isOver(t, at, "shared"); err != nil {
				return err
			}
			var err error
			if kept, _, err = shares.get(t, at); err != nil || kept != "" {
				return err
			}
			kept = fresh
			return shares.put(t, at, fresh)
		},
	})
	return kept, err
}
