package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"marque/storage/bolt"
	"marque/storage/encode"
	"marque/storage/postgres"
)

type databaseMove struct {
	From string `help:"The database file, or the connection string of the database, that has it all." placeholder:"FILE|URL" required:""`
	To   string `help:"Where it goes: a file that is not there yet, or the connection string of an empty database." placeholder:"FILE|URL" required:""`
}

// isURL tells a connection string from a file.
func isURL(place string) bool {
	return strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// placeName names a place without its password.
func placeName(place string) string {
	if isURL(place) {
		return "database " + postgres.Where(place)
	}
	return place
}

// Run copies all of a store into another one and checks it there. The first one stays as it is.
func (c databaseMove) Run(ctx context.Context, std streams) (err error) {
	var from keeper
	switch {
	case isURL(c.From):
		from, err = postgres.Peek(ctx, c.From)
	case missing(c.From):
		return fmt.Errorf("there is no file %s", c.From)
	default:
		from, err = bolt.Open(c.From) // and not a copy of it: nobody else is to have it open
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if err := from.Check(ctx); err != nil {
		return fmt.Errorf("%s is not moved: %w", placeName(c.From), err)
	}
	var moved encode.Digest
	if isURL(c.To) {
		moved, err = postgres.Import(ctx, c.To, from)
	} else {
		moved, err = bolt.Import(ctx, c.To, from)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s has all that %s has (%s, %d values), and is sound\n", placeName(c.To), placeName(c.From), plural(moved.Tables, "table"), moved.Pieces)
	fmt.Fprintf(std.out, "set MARQUE_DATABASE, or unset it for a file, before the bot starts again; %s stays as it is\n", placeName(c.From))
	return nil
}
