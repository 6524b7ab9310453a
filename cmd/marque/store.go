package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"marque/config"
	"marque/storage"
	"marque/storage/kv"
	"marque/storage/kv/bolt"
	"marque/storage/kv/postgres"
)

// keeper is a store, and the engine in which it is kept.
type keeper struct {
	*storage.Store
	engine kv.Engine
}

// opened opens the store in an engine, and returns a keeper of both. If err, the error of opening the engine, is not
// nil, it returns err.
func opened[E kv.Engine](
	ctx context.Context, open func(context.Context, kv.Engine) (*storage.Store, error), engine E, err error,
) (keeper, error) {
	if err != nil {
		return keeper{}, err
	}
	store, err := open(ctx, engine)
	return keeper{store, engine}, err
}

// openFile opens a database file, and creates it if it does not exist.
func openFile(ctx context.Context, path string) (keeper, error) {
	engine, err := bolt.Open(path)
	return opened(ctx, storage.Open, engine, err)
}

// peekFile opens a copy of a database file, even while a bot runs.
func peekFile(ctx context.Context, path string) (keeper, error) {
	engine, err := bolt.Peek(path)
	return opened(ctx, storage.Peek, engine, err)
}

func openServer(ctx context.Context, url string) (keeper, error) {
	engine, err := postgres.Open(ctx, url)
	return opened(ctx, storage.Open, engine, err)
}

func peekServer(ctx context.Context, url string) (keeper, error) {
	engine, err := postgres.Peek(ctx, url)
	return opened(ctx, storage.Peek, engine, err)
}

// openStore opens the configured store, and creates its file if it is missing. An empty file is an error, because it
// was probably a database: a new one would begin with table 1 again.
func openStore(ctx context.Context, cfg config.Config) (keeper, error) {
	if cfg.DatabaseURL != "" {
		return openServer(ctx, cfg.DatabaseURL.Reveal())
	}
	if info, err := os.Stat(cfg.Database()); err == nil && info.Size() == 0 {
		return keeper{}, fmt.Errorf("%s is empty: nothing is left of the database. Remove the file; then "+
			"\"marque database restore\" makes a database of a copy, or this command a new one", cfg.Database())
	}
	return openFile(ctx, cfg.Database())
}

// leasesOf returns the leases with which processes that share a store divide the shards. It is nil if no other process
// can use the store, and for a bot on its local Discord.
func leasesOf(cfg config.Config, store keeper) kv.Leases {
	if s, ok := store.engine.(kv.Leases); ok && !cfg.Local() {
		return s
	}
	return nil
}

// peekStore opens the configured store for reading, even while a bot runs. It changes nothing.
func peekStore(ctx context.Context, cfg config.Config) (keeper, error) {
	if cfg.DatabaseURL != "" {
		return peekServer(ctx, cfg.DatabaseURL.Reveal())
	}
	if missing(cfg.Database()) {
		return keeper{}, noDatabase(cfg.Database())
	}
	return peekFile(ctx, cfg.Database())
}

// storeName returns the name of the configured store for messages.
func storeName(cfg config.Config) string {
	if cfg.DatabaseURL != "" {
		return "database " + postgres.Where(cfg.DatabaseURL.Reveal())
	}
	return cfg.Database()
}

// onlyFiles returns an error if a database server is configured. It is for commands that need a file.
func onlyFiles(cfg config.Config, instead string) error {
	if cfg.DatabaseURL == "" {
		return nil
	}
	return fmt.Errorf("MARQUE_DATABASE is set, and this is for database files: %s", instead)
}

// checkFile reads and checks a whole file that no process has open for writing, and changes nothing. It returns a
// *storage.UnsoundError with the faults, even if the file is too damaged to be opened. Other errors of opening it wrap
// a *bolt.FileError. If valuesOnly is set, checkFile skips the check of derived data, which takes longer.
func checkFile(ctx context.Context, path string, valuesOnly bool) error {
	engine, err := bolt.OpenToRead(path)
	store, err := opened(ctx, storage.Peek, engine, err)
	if err == nil {
		if valuesOnly {
			err = store.CheckValues(ctx)
		} else {
			err = store.Check(ctx)
		}
		err = errors.Join(err, store.Close())
	}
	var known *storage.UnsoundError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, storage.ErrDamaged):
		found := &storage.UnsoundError{}
		found.Add(err)
		return found
	}
	return err
}

// writeCopy writes a copy of a store into an empty file, closes the file, and returns its size in bytes.
func writeCopy(ctx context.Context, store keeper, to *os.File) (n int64, err error) {
	if file, ok := store.engine.(*bolt.Engine); ok {
		n, err = file.Backup(ctx, to)
		if err == nil {
			err = to.Sync()
		}
		return n, errors.Join(err, to.Close())
	}
	if err := errors.Join(to.Close(), os.Remove(to.Name())); err != nil {
		return 0, err
	}
	if _, err := moveToFile(ctx, store, to.Name()); err != nil {
		return 0, err
	}
	info, err := os.Stat(to.Name())
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// moveToFile copies a whole store to a new file. If the copying fails, it removes the new file.
func moveToFile(ctx context.Context, store keeper, path string) (storage.Digest, error) {
	if !missing(path) {
		return storage.Digest{}, fmt.Errorf("%s exists already: name another file", path)
	}
	engine, err := bolt.Open(path)
	if err != nil {
		return storage.Digest{}, err
	}
	moved, err := store.Move(ctx, engine)
	if err = errors.Join(err, engine.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return moved, err
}
