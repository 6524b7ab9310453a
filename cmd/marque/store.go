package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"marque/config"
	"marque/storage"
	"marque/storage/bolt"
	"marque/storage/postgres"
)

// keeper is a store, in a file or in a database server.
type keeper interface {
	storage.Engine
	storage.Exporter
}

// openStore opens the store that the configuration names; a file is made when there is none. An empty one was a database: a new
// one in its place would begin with table 1 again.
func openStore(ctx context.Context, cfg config.Config) (keeper, error) {
	if cfg.DatabaseURL != "" {
		return postgres.Open(ctx, cfg.DatabaseURL.Reveal())
	}
	if info, err := os.Stat(cfg.Database()); err == nil && info.Size() == 0 {
		return nil, fmt.Errorf("%s is empty: nothing is left of the database. Remove the file; then \"marque database restore\" makes a database of a copy, or this command a new one", cfg.Database())
	}
	return bolt.Open(cfg.Database())
}

// leasesOf are the leases by which processes that share a store divide the shards among them; nil where a process has its store,
// or a Discord of its own, to itself.
func leasesOf(cfg config.Config, store keeper) storage.Leases {
	if s, ok := store.(*postgres.Store); ok && !cfg.Local() {
		return s
	}
	return nil
}

// peekStore opens the store that the configuration names to be looked at, beside a bot that runs. Nothing of it is changed.
func peekStore(ctx context.Context, cfg config.Config) (keeper, error) {
	if cfg.DatabaseURL != "" {
		return postgres.Peek(ctx, cfg.DatabaseURL.Reveal())
	}
	if missing(cfg.Database()) {
		return nil, noDatabase(cfg.Database())
	}
	return bolt.Peek(cfg.Database())
}

// storeName names the store that the configuration names, for sentences.
func storeName(cfg config.Config) string {
	if cfg.DatabaseURL != "" {
		return "database " + postgres.Where(cfg.DatabaseURL.Reveal())
	}
	return cfg.Database()
}

// onlyFiles returns an error where the configuration names a database server, for what is done with files alone.
func onlyFiles(cfg config.Config, instead string) error {
	if cfg.DatabaseURL == "" {
		return nil
	}
	return fmt.Errorf("MARQUE_DATABASE is set, and this is for database files: %s", instead)
}

// writeCopy writes a copy of a store into a file that is there and empty, and returns its size in bytes.
func writeCopy(ctx context.Context, store keeper, to *os.File) (n int64, err error) {
	if s, ok := store.(*bolt.Store); ok {
		n, err = s.Backup(ctx, to)
		if err == nil {
			err = to.Sync()
		}
		return n, errors.Join(err, to.Close())
	}
	if err := errors.Join(to.Close(), os.Remove(to.Name())); err != nil {
		return 0, err
	}
	if _, err := bolt.Import(ctx, to.Name(), store); err != nil {
		return 0, err
	}
	info, err := os.Stat(to.Name())
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
