package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"go.etcd.io/bbolt"

	"marque/storage"
)

// Load returns all that is stored of a table, or storage.ErrNoTable.
func (s *lists) Load(ctx context.Context, id storage.ID) (storage.Table, error) {
	var table storage.Table
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		var err error
		if table.Head, err = loadHead(tx, id); err != nil {
			return err
		}
		b := tx.Bucket(detailBucket).Get(tableKey(id))
		if b == nil {
			return damaged(detailBucket, tableKey(id), "it is missing")
		}
		if table.Detail, err = decodeDetail(id, b); err != nil {
			return err
		}
		if table.Events, err = loadEvents(tx, table.Head, 0); err != nil {
			return err
		}
		table.Published, table.Note, err = loadPost(tx, id)
		return err
	})
	return table, err
}

// News returns a table's head, the events after the last version that was published, that version, and the publisher's note of then;
// or storage.ErrNoTable. Detail is left empty.
func (s *lists) News(ctx context.Context, id storage.ID) (storage.Table, error) {
	var table storage.Table
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		var err error
		if table.Head, err = loadHead(tx, id); err != nil {
			return err
		}
		if table.Published, table.Note, err = loadPost(tx, id); err != nil {
			return err
		}
		table.Events, err = loadEvents(tx, table.Head, table.Published)
		return err
	})
	return table, err
}

func loadHead(tx *bbolt.Tx, id storage.ID) (storage.Head, error) {
	return decodeHead(id, tx.Bucket(tableBucket).Get(headKey(id)))
}

// loadEvents reads a table's events of versions after since, from the last backwards.
func loadEvents(tx *bbolt.Tx, h storage.Head, since uint64) ([]storage.Event, error) {
	if since >= h.Version {
		return nil, nil
	}
	b := tx.Bucket(tableBucket)
	prefix := rowKey(h.ID, eventRow)
	first := uint64(0)
	if since > 0 {
		c := b.Cursor()
		// Seek the place behind the last event; the one before it is the last.
		last := c.Prev
		if k, _ := c.Seek(eventKey(h.ID, h.Events)); k == nil {
			last = c.Last
		}
		for k, v := last(); bytes.HasPrefix(k, prefix); k, v = c.Prev() {
			e, err := decodeEvent(k, v)
			if err != nil {
				return nil, err
			}
			if e.Version <= since {
				first = eventIndex(k) + 1
				break
			}
		}
	}
	events := make([]storage.Event, 0, h.Events-first)
	c := b.Cursor()
	for k, v := c.Seek(eventKey(h.ID, first)); bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if eventIndex(k) != first+uint64(len(events)) {
			break
		}
		e, err := decodeEvent(k, v)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	if first+uint64(len(events)) != h.Events {
		return nil, damaged(tableBucket, eventKey(h.ID, first+uint64(len(events))), "it is missing")
	}
	return events, nil
}

// Head returns a table's head, or storage.ErrNoTable.
func (s *lists) Head(ctx context.Context, id storage.ID) (storage.Head, error) {
	var h storage.Head
	err := s.view(ctx, func(tx *bbolt.Tx) (err error) {
		h, err = loadHead(tx, id)
		return err
	})
	return h, err
}

// ByChannel lists the tables of a channel as ByGuild does.
func (s *lists) ByChannel(ctx context.Context, channel string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head, error) {
	return s.list(ctx, channelBucket, channel, phase, after, limit)
}

// ByGuild lists at most limit tables of a server: those that go on, the oldest first, or those that are over, the latest first. after is
// the last table of the page before; 0 for the first page.
func (s *lists) ByGuild(ctx context.Context, guild string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head, error) {
	return s.list(ctx, guildBucket, guild, phase, after, limit)
}

// ByUser lists the tables at which a user holds a seat as ByGuild does.
func (s *lists) ByUser(ctx context.Context, user string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head, error) {
	return s.list(ctx, userBucket, user, phase, after, limit)
}

func (s *lists) list(ctx context.Context, bucket []byte, of string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head, error) {
	prefix := append(name(nil, of), 0)
	flip := uint64(0)
	if phase == storage.Finished {
		prefix[len(prefix)-1], flip = 1, ^flip
	}
	start := prefix
	if after != 0 {
		start = binary.BigEndian.AppendUint64(bytes.Clone(prefix), (uint64(after)^flip)+1)
	}
	var list []storage.Head
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucket).Cursor()
		for k, _ := c.Seek(start); bytes.HasPrefix(k, prefix) && len(list) < limit; k, _ = c.Next() {
			h, err := loadHead(tx, storage.ID(uint64(tableOf(k))^flip))
			if errors.As(err, new(*storage.DamagedError)) {
				continue // the others are listed all the same
			}
			if err != nil {
				return err
			}
			list = append(list, h)
		}
		return nil
	})
	return list, err
}

// Pending lists at most limit tables with versions that are not published, by rising id after the one given.
func (s *lists) Pending(ctx context.Context, after storage.ID, limit int) ([]storage.ID, error) {
	var list []storage.ID
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		c := tx.Bucket(outboxBucket).Cursor()
		for k, _ := c.Seek(tableKey(after + 1)); k != nil && len(list) < limit; k, _ = c.Next() {
			list = append(list, tableOf(k))
		}
		return nil
	})
	return list, err
}

// DueUntil lists at most limit moments that fall due at until or before, the earliest first.
func (s *lists) DueUntil(ctx context.Context, until storage.Stamp, limit int) ([]storage.DueTable, error) {
	var list []storage.DueTable
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		c := tx.Bucket(dueBucket).Cursor()
		for k, _ := c.First(); len(k) >= 16 && len(list) < limit; k, _ = c.Next() {
			at := storage.Stamp(binary.BigEndian.Uint64(k))
			if at > until {
				break
			}
			list = append(list, storage.DueTable{Table: tableOf(k[:16]), Due: storage.Due{At: at, Kind: string(k[16:])}})
		}
		return nil
	})
	return list, err
}
