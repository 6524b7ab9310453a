package bottest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"marque/storage"
	"marque/storage/kv"
)

// brokenStore is a store that reads no settings of servers and commits no changes of tables while broken is set.
type brokenStore struct {
	*storage.Store
	broken *atomic.Bool
}

// Breakable returns a store that fails to read servers' settings and to commit changes of tables while broken is set.
func Breakable(s *storage.Store, broken *atomic.Bool) Store { return brokenStore{s, broken} }

func (s brokenStore) GuildSettings(ctx context.Context, guild string, v any) error {
	if s.broken.Load() {
		return errors.New("the settings are gone")
	}
	return s.Store.GuildSettings(ctx, guild, v)
}

func (s brokenStore) Commit(ctx context.Context, c storage.Change) error {
	if s.broken.Load() {
		return errors.New("the store is gone")
	}
	return s.Store.Commit(ctx, c)
}

// Stored returns, as text, the entries of the rig's store whose key or value contains one of the words.
func (r *Rig) Stored(words ...string) (places []string) {
	r.T.Helper()
	err := r.Store.Dump(r.Ctx, func(at kv.Key, value []byte) error {
		for _, w := range words {
			if bytes.Contains(at.Key, []byte(w)) || bytes.Contains(value, []byte(w)) {
				places = append(places, fmt.Sprintf("%s %q: %q", at.Space, at.Key, value))
			}
		}
		return nil
	})
	if err != nil {
		r.T.Fatal(err)
	}
	return places
}
