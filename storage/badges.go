package storage

import (
	"context"
	"errors"
	"slices"

	"marque/storage/kv"
)

// Badges holds the data about a user's badges on a server that cannot be derived from other data.
type Badges struct {
	// First tables that the user won from an almost lost position; at most MaxComebacks.
	Comebacks []ID     `json:"comebacks,omitempty"`
	Announced []string `json:"told,omitempty"` // keys of the badges that the user has been told about
}

// MaxComebacks limits the length of Badges.Comebacks.
const MaxComebacks = 20

// Badges returns a user's Badges on a server.
func (s *Store) Badges(ctx context.Context, user, server string) (Badges, error) {
	b, _, err := badges.get1(ctx, s, key{user: user, server: server})
	return b, err
}

// AddComeback records that a user won a table from an almost lost position. It does nothing if the comeback is already
// recorded, if the user has MaxComebacks comebacks or no seat at the table, or if the user is being forgotten. It
// returns ErrNoTable for an unknown table.
func (s *Store) AddComeback(ctx context.Context, user string, table ID) error {
	head, err := s.Head(ctx, table)
	if err != nil {
		return err
	}
	at := key{user: user, server: head.Guild, table: table}
	locks := []kv.Lock{userLock.of(at), tableLock.of(at), workLockOf(Forgetting)}
	return s.update(ctx, work{locks: locks, run: func(t *txn) error {
		head, err := knownHead(t, at)
		if err != nil || head.Seat(user) < 0 {
			return err
		}
		// The user is being forgotten: the badges are already deleted, but the seats are not yet.
		if _, forgetting, err := jobs.get(t, jobKey(Forgetting, user)); err != nil || forgetting {
			return err
		}
		b, _, err := badges.get(t, at)
		if err != nil || slices.Contains(b.Comebacks, table) || len(b.Comebacks) >= MaxComebacks {
			return err
		}
		b.Comebacks = append(slices.Clone(b.Comebacks), table)
		return badges.put(t, at, b)
	}})
}

// TellBadges records that a user has been told about the badges with the keys in has. It returns the keys that were
// not recorded before.
func (s *Store) TellBadges(ctx context.Context, user, server string, has []string) (news []string, err error) {
	if err := errors.Join(CheckName(user), CheckName(server)); err != nil {
		return nil, err
	}
	at := key{user: user, server: server}
	err = s.update(ctx, work{locks: []kv.Lock{userLock.of(at)}, run: func(t *txn) error {
		b, _, err := badges.get(t, at)
		if err != nil {
			return err
		}
		news = nil
		for _, k := range has {
			if !slices.Contains(b.Announced, k) {
				news = append(news, k)
			}
		}
		if len(news) == 0 {
			return nil
		}
		b.Announced = append(slices.Clone(b.Announced), news...)
		return badges.put(t, at, b)
	}})
	return news, err
}
