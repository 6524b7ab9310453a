package storage

import (
	"context"
	"slices"

	"marque/storage/kv"
)

// risePage bounds how many values have their entries made in one work, which has the locks of all.
const risePage = 32

// rise makes what is derived in a store of an earlier version as this program's declarations say:
// every value's entries are put, and spaces that nothing is kept in any more are emptied. The
// version comes last, so that what was cut short begins again. Other processes of this program may
// do the same at the same time; of earlier ones none may have the store open.
func (s *Store) rise(ctx context.Context) error {
	for _, space := range keptSpaces() {
		within, more := kv.Range{Space: space}, true
		for more {
			var keys []kv.Key
			var locks []kv.Lock
			err := s.view(ctx, func(r kv.Reader) error {
				page, err := r.Scan(within, kv.Ascending, risePage)
				more = len(page) == risePage
				for _, p := range page {
					at := kv.Key{Space: space, Key: slices.Clone(p.Key)}
					within.From = append(slices.Clone(p.Key), 0)
					entries, needed := derivedOf(at, p.Value)
					if len(entries) > 0 {
						keys, locks = append(keys, at), append(locks, needed...)
					}
				}
				return err
			})
			if err == nil && len(keys) > 0 {
				err = s.update(ctx, work{locks: locks, want: kv.Want{Keys: keys}, run: func(t *txn) error {
					raw, err := t.Get(keys...)
					for i, b := range raw {
						entries, _ := derivedOf(keys[i], b)
						if err := t.reindex(nil, entries); err != nil {
							return err
						}
					}
					return err
				}})
			}
			if err != nil {
				return err
			}
		}
	}
	there, err := s.db.Spaces(ctx)
	if err != nil {
		return err
	}
	at := key{name: schemaName}
	return s.update(ctx, work{locks: []kv.Lock{sequenceLock.of(at)}, run: func(t *txn) error {
		for _, space := range there {
			if !slices.Contains(Spaces(), space) {
				if err := t.DeleteRange(kv.Range{Space: space}); err != nil {
					return err
				}
			}
		}
		return sequences.put(t, at, Schema)
	}})
}

// derivedOf are the entries that a value has in indexes, and the locks under which they are put:
// none of a value that is gone, or cannot be read, which Check says.
func derivedOf(at kv.Key, raw []byte) (entries []entry, locks []kv.Lock) {
	x, k := find(at.Space, at.Key)
	if x == nil || raw == nil {
		return nil, nil
	}
	entries, err := x.read(k, raw)
	if err != nil || len(entries) == 0 {
		return nil, nil
	}
	locks = append(locks, x.coveredBy()[0].of(k))
	for _, e := range entries {
		if e.in.lock != nil {
			locks = append(locks, e.in.lock.of(e.key))
		}
	}
	return entries, locks
}
