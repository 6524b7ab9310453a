package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"marque/storage"
)

const (
	// keySlot is how command keys are grouped, by time.
	keySlot = 15 * time.Minute
	// keySlots is how many slots before the present one are remembered.
	keySlots = uint32(storage.KeyKept / keySlot)
	// pruneLimit bounds how many old keys one commit removes.
	pruneLimit = 64
)

// Create stores a new table and returns its id; change.Head.ID is ignored. It returns a *storage.DoneError when the command's key
// was done before, a *storage.BusyError when it is to be alone and is not, and a *storage.LimitError.
func (s *Store) Create(ctx context.Context, change storage.Change) (storage.ID, error) {
	var id storage.ID
	p, err := prepare(change)
	if err != nil {
		return 0, err
	}
	if change.Head.Version != 1 || change.Detail == nil {
		return 0, fmt.Errorf("%w: a new table has version 1 and a detail", storage.ErrInvalid)
	}
	err = s.do(ctx, func(t *txn) error {
		if err := p.unheard(t); err != nil {
			return err
		}
		if change.Alone {
			if there := oldestIn(t.tx, change.Head.Channel); there != 0 {
				return &storage.BusyError{Channel: change.Head.Channel, Table: there}
			}
		}
		if err := within(t.tx, change); err != nil {
			return err
		}
		n, err := t.tx.Bucket(tableBucket).NextSequence()
		if err != nil {
			return err
		}
		id = storage.ID(n)
		// Only now has the head its id, which is part of its index entries.
		p.change.Head.ID = id
		if p.head, p.mark, err = encodeHead(p.change.Head); err != nil {
			return err
		}
		return p.store(t, id, nil)
	})
	return id, err
}

// Commit stores what a command changed at a table that exists. It returns storage.ErrStale when the stored version is not
// the one before change.Head.Version, storage.ErrNoTable, a *storage.LimitError, or a *storage.DoneError when the command's key was done
// before.
func (s *Store) Commit(ctx context.Context, change storage.Change) error {
	p, err := prepare(change)
	if err != nil {
		return err
	}
	id := change.Head.ID
	return s.do(ctx, func(t *txn) error {
		if err := p.unheard(t); err != nil {
			return err
		}
		before := t.get(tableBucket, headKey(id))
		old, err := decodeMark(id, before)
		if err != nil {
			return err
		}
		if old.version+1 != change.Head.Version {
			return storage.ErrStale
		}
		if err := within(t.tx, change); err != nil {
			return err
		}
		return p.store(t, id, before)
	})
}

// prepared is a change that was checked and encoded, outside the writer.
type prepared struct {
	change storage.Change
	head   []byte
	mark   headMark
	detail []byte
	events [][]byte
}

func prepare(c storage.Change) (*prepared, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	p := &prepared{change: c}
	var err error
	if p.head, p.mark, err = encodeHead(c.Head); err != nil {
		return nil, err
	}
	if c.Detail != nil {
		if p.detail, err = encodeDetail(*c.Detail); err != nil {
			return nil, err
		}
	}
	for _, e := range c.Events {
		p.events = append(p.events, appendEvent(nil, e))
	}
	return p, nil
}

// store writes a prepared change of the table whose encoded head was before, nil for a new one.
func (p *prepared) store(t *txn, id storage.ID, before []byte) error {
	var mark headMark
	var old storage.Head
	if before != nil {
		var err error
		if mark, err = decodeMark(id, before); err != nil {
			return err
		}
		if mark.index != p.mark.index {
			if old, err = decodeHead(id, before); err != nil {
				return err
			}
		}
	}
	if mark.events+uint64(len(p.events)) != p.mark.events {
		return fmt.Errorf("%w: %d events and %d more are not %d", storage.ErrInvalid, mark.events, len(p.events), p.mark.events)
	}
	if p.change.Result != nil && t.get(resultBucket, tableKey(id)) != nil {
		return fmt.Errorf("%w: table %d has a result", storage.ErrInvalid, id)
	}
	key := tableKey(id)
	if err := t.put(tableBucket, headKey(id), p.head); err != nil {
		return err
	}
	if p.detail != nil {
		if err := t.put(detailBucket, key, p.detail); err != nil {
			return err
		}
	}
	for i, e := range p.events {
		if err := t.put(tableBucket, eventKey(id, mark.events+uint64(i)), e); err != nil {
			return err
		}
	}
	if t.get(outboxBucket, key) == nil {
		if err := t.put(outboxBucket, key, []byte{}); err != nil {
			return err
		}
	}
	if mark.index != p.mark.index {
		if err := reindex(t, old, p.change.Head); err != nil {
			return err
		}
	}
	if p.change.Result != nil {
		result := *p.change.Result
		result.Table = id
		if err := storeResult(t, result); err != nil {
			return err
		}
	}
	return p.remember(t, id)
}

// entry is one key of an index.
type entry struct{ bucket, key []byte }

// entries are the index entries that a head has.
func entries(h storage.Head) []entry {
	if h.ID == 0 {
		return nil
	}
	state, id := byte(0), tableKey(h.ID)
	if h.Status == storage.Over {
		// The latest first.
		state, id = 1, binary.BigEndian.AppendUint64(nil, ^uint64(h.ID))
	}
	index := func(bucket []byte, of string) entry {
		return entry{bucket, append(append(name(nil, of), state), id...)}
	}
	list := []entry{index(channelBucket, h.Channel), index(guildBucket, h.Guild)}
	for i, o := range h.Seats {
		if o.User != "" && int(h.Seat(o.User)) == i { // who holds several seats has one
			list = append(list, index(userBucket, o.User))
		}
	}
	for _, d := range h.Due {
		list = append(list, entry{dueBucket, dueKey(h.ID, d)})
	}
	if e, ok := turnEntry(h); ok {
		list = append(list, e)
	}
	if h.Rematch != 0 && h.Status.Active() {
		list = append(list, entry{rematchBucket, append(tableKey(h.Rematch), tableKey(h.ID)...)})
	}
	return list
}

// turnEntry is the entry of a table under the user for whose move it waits; false when it waits for
// nobody's, as while it is paused.
func turnEntry(h storage.Head) (entry, bool) {
	if h.Status != storage.Playing || h.Paused != "" || h.ToMove < 0 || int(h.ToMove) >= len(h.Seats) || h.Seats[h.ToMove].User == "" {
		return entry{}, false
	}
	since := h.Timing.Turn
	if since == 0 {
		since = h.Started
	}
	key := binary.BigEndian.AppendUint64(name(nil, h.Seats[h.ToMove].User), uint64(since))
	return entry{turnBucket, append(append(key, tableKey(h.ID)...), h.Guild...)}, true
}

func dueKey(id storage.ID, d storage.Due) []byte {
	key := binary.BigEndian.AppendUint64(nil, uint64(d.At))
	return append(append(key, tableKey(id)...), d.Kind...)
}

// reindex removes the index entries that only the old head has, and adds those that only the new one has.
func reindex(t *txn, old, new storage.Head) error {
	before, after := entries(old), entries(new)
	has := func(list []entry, e entry) bool {
		for _, x := range list {
			if bytes.Equal(x.bucket, e.bucket) && bytes.Equal(x.key, e.key) {
				return true
			}
		}
		return false
	}
	for _, e := range before {
		if !has(after, e) {
			if err := t.del(e.bucket, e.key); err != nil {
				return err
			}
		}
	}
	for _, e := range after {
		if !has(before, e) {
			if err := t.put(e.bucket, e.key, []byte{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Command keys.

func slotOf(at storage.Stamp) uint32 { return uint32(int64(at) / keySlot.Milliseconds()) }

func commandKey(id storage.ID, slot uint32, key string) []byte {
	return append(binary.BigEndian.AppendUint32(rowKey(id, commandRow), slot), key...)
}

// unheard returns a *storage.DoneError when the change's key was done before.
func (p *prepared) unheard(t *txn) error {
	if p.change.Key == "" {
		return nil
	}
	done, err := findCommand(t.tx, p.commandsAt(), p.change.Key, slotOf(p.change.Head.Changed))
	if done != nil {
		return done
	}
	return err
}

// commandsAt is the table at which the change's key is kept: 0 for one that opens a table.
func (p *prepared) commandsAt() storage.ID {
	if p.change.Head.Version == 1 {
		return 0
	}
	return p.change.Head.ID
}

func findCommand(tx *bbolt.Tx, at storage.ID, key string, slot uint32) (*storage.DoneError, error) {
	b := tx.Bucket(tableBucket)
	for back := uint32(0); back <= keySlots && back <= slot; back++ {
		row := commandKey(at, slot-back, key)
		v, err := unseal(tableBucket, row, b.Get(row))
		if v == nil && err == nil {
			continue
		}
		if err == nil && len(v) != 16 {
			err = damaged(tableBucket, row, unknownFormat)
		}
		if err != nil {
			return nil, err
		}
		return &storage.DoneError{
			Key:     key,
			Table:   storage.ID(binary.BigEndian.Uint64(v)),
			Version: binary.BigEndian.Uint64(v[8:]),
		}, nil
	}
	return nil, nil
}

// remember notes the change's key, and forgets those at the same table that are too old.
func (p *prepared) remember(t *txn, id storage.ID) error {
	if p.change.Key == "" {
		return nil
	}
	at, slot := p.commandsAt(), slotOf(p.change.Head.Changed)
	value := binary.BigEndian.AppendUint64(tableKey(id), p.change.Head.Version)
	if err := t.put(tableBucket, commandKey(at, slot, p.change.Key), value); err != nil {
		return err
	}
	if slot <= keySlots {
		return nil
	}
	prefix, oldest := rowKey(at, commandRow), commandKey(at, slot-keySlots, "")
	cursor := t.tx.Bucket(tableBucket).Cursor()
	for range pruneLimit {
		k, _ := cursor.Seek(prefix)
		if !bytes.HasPrefix(k, prefix) || bytes.Compare(k, oldest) >= 0 {
			return nil
		}
		if err := cursor.Delete(); err != nil {
			return err
		}
	}
	return nil
}

// Done reports whether the command with this key was done at a table in the half hour before now; if so it returns what it led to, otherwise
// nil. For a command that opens a table the table is 0.
func (s *Store) Done(ctx context.Context, table storage.ID, key string, now storage.Stamp) (*storage.DoneError, error) {
	var done *storage.DoneError
	err := s.view(ctx, func(tx *bbolt.Tx) (err error) {
		done, err = findCommand(tx, table, key, slotOf(now))
		return err
	})
	return done, err
}

// MarkPublished notes that everything up to version was published, and the publisher's note. It returns storage.ErrNoTable,
// and storage.ErrInvalid for a version that does not exist yet; an older version than the one marked before changes nothing. A file has no
// leases.
func (s *Store) MarkPublished(ctx context.Context, id storage.ID, version uint64, note string, _ storage.Tenure) error {
	if len(note) > storage.MaxNote {
		return fmt.Errorf("%w: a note of %d bytes", storage.ErrInvalid, len(note))
	}
	return s.do(ctx, func(t *txn) error {
		latest, err := decodeMark(id, t.get(tableBucket, headKey(id)))
		if err != nil {
			return err
		}
		if version > latest.version {
			return fmt.Errorf("%w: table %d has no version %d yet", storage.ErrInvalid, id, version)
		}
		published, _, err := loadPost(t.tx, id)
		if err != nil {
			return err
		}
		if version < published {
			return nil
		}
		if err := t.put(tableBucket, rowKey(id, postRow), encodePost(version, note)); err != nil {
			return err
		}
		if version < latest.version || t.get(outboxBucket, tableKey(id)) == nil {
			return nil
		}
		return t.del(outboxBucket, tableKey(id))
	})
}

// encodePost is the row that loadPost reads.
func encodePost(published uint64, note string) []byte {
	return append(binary.BigEndian.AppendUint64(nil, published), note...)
}

// loadPost reads what was published last; version 0 when nothing was.
func loadPost(tx *bbolt.Tx, id storage.ID) (published uint64, note string, err error) {
	key := rowKey(id, postRow)
	b, err := unseal(tableBucket, key, tx.Bucket(tableBucket).Get(key))
	if err != nil || b == nil {
		return 0, "", err
	}
	if len(b) < 8 {
		return 0, "", damaged(tableBucket, key, unknownFormat)
	}
	return binary.BigEndian.Uint64(b), string(b[8:]), nil
}
