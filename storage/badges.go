package storage

import (
	"context"
	"errors"
	"slices"

	"marque/storage/kv"
)

// Badges are the facts for a user's badges on a server that follow from nothing else.
type Badges struct {
	// tables at which they won though they were as good as lost, the first ones; at most MaxComebacks
	Comebacks []ID     `json:"comebacks,omitempty"`
	Told      []string `json:"told,omitempty"` // keys of the badges that they have been told of
}

// MaxComebacks bounds Badges.Comebacks.
const MaxComebacks = 20

// Badges returns what is kept for a user's badges on a server.
func (s *Store) Badges(ctx context.Context, user, server string) (Badges, error) {
	b, _, err := badges.get1(ctx, s, key{user: user, server: server})
	return b, err
}

// AddComeback keeps that a user won at a table though they were as good as lost, unless it is kept
// already or MaxComebacks are. It does nothing for a user without a seat there, and for one who is
// being forgotten. It returns ErrNoTable.
func (s *Store) AddComeback(ctx context.Context, user string, table ID) error {
	head, err := s.Head(ctx, table)
	if err != nil {
		return err
	}
	at := key{user: user, server: head.Guild, table: table}
	locks := []kv.Lock{userLock.of(at), tableLock.of(at), workLockOf(Forgetting)}
	return s.update(ctx, work{locks: locks, run: func(t *txn) error {
		head, there, err := heads.get(t, at)
		switch {
		case err != nil:
			return err
		case !there:
			return ErrNoTable
		case head.Seat(user) < 0:
			return nil
		}
		// What is theirs has gone before their seats have.
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

// TellBadges keeps that a user has been told of badges on a server, and returns those that they had
// not been told of before.
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
			if !slices.Contains(b.Told, k) {
				news = append(news, k)
			}
		}
		if len(news) == 0 {
			return nil
		}
		b.Told = append(slices.Clone(b.Told), news...)
		return badges.put(t, at, b)
	}})
	return news, err
}
