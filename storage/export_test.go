package storage

import (
	"context"
	"slices"
	"time"

	"marque/storage/kv"
)

// Kinds returns the names of the kinds of stored values.
func Kinds() []string {
	var list []string
	for _, x := range kinds {
		list = append(list, x.name(key{}))
	}
	return list
}

// KindOf returns the name of the kind of value that is stored at a key. It is empty for an unknown key and for an entry
// of an index.
func KindOf(space kv.Space, b []byte) string {
	x, _ := find(space, b)
	if x == nil {
		return ""
	}
	return x.name(key{})
}

// NameOf returns the name of the value that is stored at a key, such as "event 0 of table 7".
func NameOf(space kv.Space, b []byte) string {
	x, k := find(space, b)
	if x == nil {
		return ""
	}
	return x.name(k)
}

// OpenPausing opens the store in an engine, and calls pause between two steps of a background job.
func OpenPausing(ctx context.Context, engine kv.Engine,
	pause func(ctx context.Context, took time.Duration)) (*Store, error) {
	s, err := Peek(ctx, engine)
	if err != nil {
		return nil, err
	}
	s.runner.pause = pause
	s.runner.start(s)
	return s, nil
}

// Taken returns the jobs that some process is carrying out.
func (s *Store) Taken(ctx context.Context) (list []Work, err error) {
	err = s.view(ctx, func(r kv.Reader) error {
		all, err := jobs.scan(r, kv.Range{Space: jobs.space}, kv.Ascending, scanPage)
		for _, f := range all {
			if f.value.Worker != 0 {
				list = append(list, Work{f.value.kind, f.value.of})
			}
		}
		return err
	})
	return list, err
}

// Show returns the name of a stored value and the value in decoded form. The name is empty for an entry of an index.
func Show(at kv.Key, raw []byte) (what string, value []byte, err error) {
	x, k := find(at.Space, at.Key)
	if x == nil {
		return "", nil, nil
	}
	value, err = x.show(k, raw)
	return x.name(k), value, err
}

// Derived reports whether a space is an index.
func Derived(space kv.Space) bool {
	return slices.ContainsFunc(derived, func(i *index) bool { return i.space == space })
}
