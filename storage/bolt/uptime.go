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

// Uptime is when the bot could be reached, as ChangeUptime stored it last.
func (s *choices) Uptime(ctx context.Context) (storage.Uptime, error) {
	var u storage.Uptime
	err := s.note(ctx, uptimeKey, &u)
	return u, err
}

// ChangeUptime stores what change makes of when the bot could be reached, as storage.Engine says.
func (s *choices) ChangeUptime(ctx context.Context, change func(storage.Uptime) storage.Uptime) error {
	return s.change(ctx, botBucket, uptimeKey, storage.ChangingUptime(change))
}

// Removals are the servers that the bot was removed from, in the order in which that was noted.
func (s *choices) Removals(ctx context.Context) ([]storage.Removal, error) {
	var list []storage.Removal
	err := s.note(ctx, removalsKey, &list)
	return list, err
}

// AddRemoval notes that the bot was removed from a server, unless that is noted already.
func (s *choices) AddRemoval(ctx context.Context, r storage.Removal) error {
	return s.change(ctx, botBucket, removalsKey, storage.AddingRemoval(r))
}

// DropRemoval notes that the bot is not removed from a server.
func (s *choices) DropRemoval(ctx context.Context, guild string) error {
	return s.change(ctx, botBucket, removalsKey, storage.DroppingRemoval(guild))
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
