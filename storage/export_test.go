package storage

import (
	"context"
	"time"

	"marque/storage/kv"
)

// Kinds are the names of the kinds of things that are kept.
func Kinds() []string {
	var list []string
	for _, x := range kept {
		list = append(list, x.name(key{}))
	}
	return list
}

// KindOf is the name of the kind of a key; "" for none, or an entry of an index.
func KindOf(space kv.Space, b []byte) string {
	x, _ := find(space, b)
	if x == nil {
		return ""
	}
	return x.name(key{})
}

// NameOf names the value of a key.
func NameOf(space kv.Space, b []byte) string {
	x, k := find(space, b)
	if x == nil {
		return ""
	}
	return x.name(k)
}

// OpenPausing is Open, with what is done between two steps of work in the background.
func OpenPausing(ctx context.Context, engine kv.Engine,
	pause func(ctx context.Context, took time.Duration)) (*Store, error) {
	s, err := Peek(ctx, engine)
	if err != nil {
		return nil, err
	}
	s.labour.pause = pause
	s.labour.start(s)
	return s, nil
}

// Taken are the works of which a process has noted that it does them.
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
