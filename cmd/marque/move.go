package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"marque/storage"
	"marque/storage/kv/bolt"
	"marque/storage/kv/postgres"
)

type databaseMove struct {
	From string `help:"The database file, or the connection string of the database, that has it all." placeholder:"FILE|URL" required:""`
	To   string `help:"Where it goes: a file that is not there yet, or the connection string of an empty database." placeholder:"FILE|URL" required:""`
}

// isURL reports whether a place is a connection string instead of the path of a file.
func isURL(place string) bool {
	return strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// placeName returns a place for messages, without its password.
func placeName(place string) string {
	if isURL(place) {
		return "database " + postgres.Where(place)
	}
	return place
}

// Run copies a whole store to another place and checks the copy. The first store stays unchanged.
func (c databaseMove) Run(ctx context.Context, std streams) (err error) {
	var from keeper
	switch {
	case isURL(c.From):
		from, err = peekServer(ctx, c.From)
	case missing(c.From):
		return fmt.Errorf("there is no file %s", c.From)
	default: // opens the file itself instead of a copy, so that no other process can open it
		engine, failed := bolt.Open(c.From)
		from, err = opened(ctx, storage.Peek, engine, failed)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if err := from.Check(ctx); err != nil {
		return fmt.Errorf("%s is not moved: %w", placeName(c.From), err)
	}
	var moved storage.Digest
	if isURL(c.To) {
		moved, err = moveToServer(ctx, from, c.To)
	} else if moved, err = moveToFile(ctx, from, c.To); err == nil {
		err = checkFile(ctx, c.To, false)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s has all that %s has (%s, %d values), and is sound\n",
		placeName(c.To), placeName(c.From), plural(moved.Tables, "table"), moved.Values)
	fmt.Fprintf(std.out,
		"set MARQUE_DATABASE, or unset it for a file, before the bot starts again; %s stays as it is\n",
		placeName(c.From))
	return nil
}

// moveToServer copies a whole store to an empty database, and checks the copy.
func moveToServer(ctx context.Context, from keeper, url string) (storage.Digest, error) {
	engine, err := postgres.Open(ctx, url)
	if err != nil {
		return storage.Digest{}, err
	}
	moved, err := from.Move(ctx, engine)
	if errors.Is(err, storage.ErrNotEmpty) {
		err = fmt.Errorf("%s is not empty: name an empty database", placeName(url))
	}
	if err != nil {
		return moved, errors.Join(err, engine.Close())
	}
	store, err := storage.Peek(ctx, engine)
	if err != nil {
		return moved, err
	}
	return moved, errors.Join(store.Check(ctx), store.Close())
}
