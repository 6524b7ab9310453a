package bolt

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"marque/storage"
)

// ObserveCommits has f told of every commit from now on: how long the transaction took, from its
// beginning until it was on the disk, and its error. f is called by who commits, so it must be quick.
func (s *Store) ObserveCommits(f func(took time.Duration, err error)) { s.observer.Store(&f) }

// Size says how large the file is, and how much of it is free.
func (s *Store) Size(ctx context.Context) (size storage.Size, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		size.Bytes = tx.Size()
		pages, err := readPages(s.file)
		if err != nil || pages.freelist == noFreelist {
			return err
		}
		free, err := pages.freePages()
		size.FreePages, size.FreeBytes = free, free*int64(pages.size)
		return err
	})
	return size, err
}

// freePages is the length of the list of free pages.
func (p *pageReader) freePages() (int64, error) {
	b := make([]byte, pageHeader+8)
	if _, err := p.file.ReadAt(b, int64(p.freelist)*int64(p.size)); err != nil {
		return 0, err
	}
	order := binary.NativeEndian
	if order.Uint16(b[8:]) != freelistPage {
		return 0, fmt.Errorf("%w (page %d is not the list of free pages)", storage.ErrDamaged, p.freelist)
	}
	n := uint64(order.Uint16(b[10:]))
	if n == 0xFFFF { // it is too long for the header
		n = order.Uint64(b[pageHeader:])
	}
	if n > p.end {
		return 0, fmt.Errorf("%w (page %d lists more free pages than there are pages)", storage.ErrDamaged, p.freelist)
	}
	return int64(n), nil
}

// tallyPage is how many tables are counted in one transaction: while it is open, no page is freed.
const tallyPage = 4096

// Tally counts all tables by game and state. It reads the head of every table, beside what goes on: a
// table that ends meanwhile may count twice, or not at all. One that cannot be read does not count.
func (s *Store) Tally(ctx context.Context) (map[storage.Group]int, error) {
	counts := map[storage.Group]int{}
	// One entry a table: the index of channels.
	var after []byte
	for done := false; !done; {
		err := s.view(ctx, func(tx *bbolt.Tx) error {
			heads := tx.Bucket(tableBucket)
			c := tx.Bucket(channelBucket).Cursor()
			k, _ := c.Seek(after)
			for range tallyPage {
				if k == nil {
					break
				}
				if len(k) > 8 {
					id := tableOf(k)
					if k[len(k)-9] == 1 { // over: the latest first
						id = ^id
					}
					if _, j, err := splitHead(id, heads.Get(headKey(id))); err == nil {
						var h struct { // what of a storage.Head is counted by
							Game   string         `json:"g"`
							Status storage.Status `json:"s"`
							Paused string         `json:"pa"`
						}
						if json.Unmarshal(j, &h) == nil {
							counts[storage.Group{Game: h.Game, Status: h.Status, Paused: h.Paused != ""}]++
						}
					}
				}
				k, _ = c.Next()
			}
			after, done = append(after[:0], k...), k == nil
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return counts, nil
}
