package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"marque/config"
	"marque/storage/bolt"
)

// databaseCommand looks after the database file while the bot is stopped.
type databaseCommand struct {
	Check   databaseCheck   `cmd:"" help:"Read the whole database and say whether anything in it is damaged."`
	Backup  databaseBackup  `cmd:"" help:"Write a copy of the database. While the bot runs, MARQUE_BACKUPS makes copies."`
	Compact databaseCompact `cmd:"" help:"Rewrite the database without its unused space."`
}

type databaseCheck struct{}

// Run checks the database, and lists what is wrong with it.
func (databaseCheck) Run(ctx context.Context, std streams) error {
	cfg, err := findDatabase()
	if err != nil {
		return err
	}
	err = bolt.Check(ctx, cfg.Database())
	if unsound := (*bolt.UnsoundError)(nil); errors.As(err, &unsound) {
		for _, f := range unsound.Faults {
			fmt.Fprintln(std.out, f)
		}
		return fmt.Errorf("%s is damaged: %d faults; \"marque database repair\" restores what it can from a backup", cfg.Database(), len(unsound.Faults)+unsound.More)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s is sound\n", cfg.Database())
	return nil
}

type databaseBackup struct {
	File string `arg:"" help:"Where the copy goes; there must be no such file yet." type:"path"`
}

// Run copies the database.
func (c databaseBackup) Run(ctx context.Context, std streams) error {
	store, _, err := openDatabase()
	if err != nil {
		return err
	}
	defer store.Close()
	if _, err := os.Stat(c.File); err == nil {
		return fmt.Errorf("%s exists already: choose another name", c.File)
	}
	if err := removePartial(filepath.Dir(c.File)); err != nil {
		return err
	}
	_, n, sound, err := copyFile(ctx, store, filepath.Dir(c.File), func(error) string { return filepath.Base(c.File) })
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s: %d bytes\n", c.File, n)
	if sound != nil {
		return fmt.Errorf("the copy was made, but something in the database is damaged, and so in the copy: %w", sound)
	}
	return nil
}

type databaseCompact struct{}

// Run compacts the database.
func (databaseCompact) Run(std streams) error {
	cfg, err := config.Load(".env")
	if err != nil {
		return err
	}
	before, after, err := bolt.Compact(cfg.Database())
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s: %d bytes, %d before\n", cfg.Database(), after, before)
	return nil
}

// findDatabase reads the environment; the database that it names must be there already.
func findDatabase() (config.Config, error) {
	cfg, err := config.Load(".env")
	if err != nil {
		return cfg, err
	}
	if missing(cfg.Database()) {
		return cfg, noDatabase(cfg.Database())
	}
	return cfg, nil
}

// openDatabase opens the database that the environment names.
func openDatabase() (*bolt.Store, config.Config, error) {
	cfg, err := findDatabase()
	if err != nil {
		return nil, cfg, err
	}
	store, err := bolt.Open(cfg.Database())
	return store, cfg, err
}

func noDatabase(file string) error {
	return fmt.Errorf("there is no database %s (MARQUE_DATA says in which folder it is, DISCORD_TOKEN which of two)", file)
}
