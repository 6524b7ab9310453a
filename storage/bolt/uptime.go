package bolt

import (
	"context"

	"go.etcd.io/bbolt"

	"marque/storage"
)

// The rows of the bucket in which the bot notes what concerns itself.
var (
	uptimeKey   = []byte("uptime")   // storage.Uptime
	removalsKey = []byte("removals") // list of storage.Removal

	restorationsKey = []byte("restorations") // list of storage.Restoration
)

// Uptime is when the bot could be reached, as SetUptime stored it last.
func (s *choices) Uptime(ctx context.Context) (storage.Uptime, error) {
	var u storage.Uptime
	err := s.note(ctx, uptimeKey, &u)
	return u, err
}

// SetUptime stores when the bot could be reached.
func (s *choices) SetUptime(ctx context.Context, u storage.Uptime) error {
	return s.setNote(ctx, uptimeKey, u)
}

// Removals are the servers that the bot was removed from, as SetRemovals stored them last.
func (s *choices) Removals(ctx context.Context) ([]storage.Removal, error) {
	var list []storage.Removal
	err := s.note(ctx, removalsKey, &list)
	return list, err
}

// SetRemovals stores the servers that the bot was removed from.
func (s *choices) SetRemovals(ctx context.Context, list []storage.Removal) error {
	return s.setNote(ctx, removalsKey, list)
}

func (s *choices) note(ctx context.Context, key []byte, v any) error {
	return s.view(ctx, func(tx *bbolt.Tx) error {
		b := tx.Bucket(botBucket).Get(key)
		if b == nil {
			return nil
		}
		return decodeJSON(botBucket, key, b, v)
	})
}

func (s *choices) setNote(ctx context.Context, key []byte, v any) error {
	b, err := encodeJSON(v)
	if err != nil {
		return err
	}
	return s.do(ctx, func(t *txn) error { return t.put(botBucket, key, b) })
}

// moveNotes gives what the bot notes about itself a bucket. It lay among the servers' settings under
// no server's name.
func moveNotes(tx *bbolt.Tx) error {
	to, err := tx.CreateBucket(botBucket)
	if err != nil {
		return err
	}
	from, key := tx.Bucket(guildPreference), name(nil, "")
	old := from.Get(key)
	if old == nil {
		return nil
	}
	var notes struct {
		storage.Uptime
		Left []storage.Removal `json:"left"`
	}
	if err := decodeJSON(guildPreference, key, old, &notes); err != nil {
		return err
	}
	for _, row := range []struct {
		key []byte
		of  any
	}{{uptimeKey, notes.Uptime}, {removalsKey, notes.Left}} {
		b, err := encodeJSON(row.of)
		if err != nil {
			return err
		}
		if err := to.Put(row.key, seal(botBucket, row.key, b)); err != nil {
			return err
		}
	}
	return from.Delete(key)
}
