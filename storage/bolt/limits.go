package bolt

import (
	"bytes"
	"context"
	"errors"

	"go.etcd.io/bbolt"

	"marque/storage"
)

// Within reports why Create or Commit would refuse a change for its Limits as things are: a
// *storage.LimitError; nil when they would not.
func (s *Store) Within(ctx context.Context, change storage.Change) error {
	return s.view(ctx, func(tx *bbolt.Tx) error { return within(tx, change) })
}

// within returns a *storage.LimitError when a change would lead beyond one of its limits.
func within(tx *bbolt.Tx, change storage.Change) error {
	var others []storage.Head // of the user whose limits were looked at last
	of := ""
	for _, l := range change.Limits {
		adds := l.Weight(change.Head, change.Detail)
		if adds == 0 {
			continue
		}
		left := l.Most - adds
		if l.Kind == storage.ServerTables {
			ids := going(tx, guildBucket, change.Head.Guild, change.Head.ID, left+1)
			if len(ids) > left {
				return &storage.LimitError{Limit: l}
			}
			continue
		}
		if of != l.User {
			var err error
			if others, err = goingOf(tx, l.User, change.Head); err != nil {
				return err
			}
			of = l.User
		}
		for _, h := range others {
			detail, err := detailFor(tx, l, h)
			if err != nil {
				return err
			}
			left -= l.Weight(h, detail)
		}
		if left < 0 {
			return &storage.LimitError{Limit: l}
		}
	}
	return nil
}

// detailFor is the detail of a table where a limit depends on it, otherwise nil. A damaged one counts nothing.
func detailFor(tx *bbolt.Tx, l storage.Limit, h storage.Head) (*storage.Detail, error) {
	if l.Kind != storage.UserInvitations || h.Status != storage.Lobby {
		return nil, nil
	}
	d, err := decodeDetail(h.ID, tx.Bucket(detailBucket).Get(tableKey(h.ID)))
	if errors.As(err, new(*storage.DamagedError)) {
		return nil, nil
	}
	return &d, err
}

// goingOf are the tables besides one that go on in its server and at which a user sits. Damaged
// ones are left out.
func goingOf(tx *bbolt.Tx, user string, but storage.Head) ([]storage.Head, error) {
	var list []storage.Head
	for _, id := range going(tx, userBucket, user, but.ID, -1) {
		h, err := loadHead(tx, id)
		if errors.As(err, new(*storage.DamagedError)) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if h.Guild == but.Guild {
			list = append(list, h)
		}
	}
	return list, nil
}

// going are at most limit tables, besides one, that go on by an index; all for a limit below 0.
func going(tx *bbolt.Tx, bucket []byte, of string, but storage.ID, limit int) []storage.ID {
	var ids []storage.ID
	prefix := append(name(nil, of), 0)
	c := tx.Bucket(bucket).Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(ids) != limit; k, _ = c.Next() {
		if id := tableOf(k); id != but {
			ids = append(ids, id)
		}
	}
	return ids
}
