package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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

// Run checks the database.
func (databaseCheck) Run(ctx context.Context, std streams) error {
	store, cfg, err := openDatabase()
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Check(ctx); err != nil {
		return fmt.Errorf("%s: %w; go back to a backup", cfg.Database(), err)
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
	n, err := backup(ctx, store, c.File)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s: %d bytes\n", c.File, n)
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

// openDatabase opens the database that the environment names; it must be there already.
func openDatabase() (*bolt.Store, config.Config, error) {
	cfg, err := config.Load(".env")
	if err != nil {
		return nil, cfg, err
	}
	if missing(cfg.Database()) {
		return nil, cfg, noDatabase(cfg.Database())
	}
	store, err := bolt.Open(cfg.Database())
	return store, cfg, err
}

func noDatabase(file string) error {
	return fmt.Errorf("there is no database %s (MARQUE_DATA says in which folder it is, DISCORD_TOKEN which of two)", file)
}

// backup writes a copy of the store to a file that appears only when it is complete, and returns its size in bytes.
func backup(ctx context.Context, store *bolt.Store, file string) (n int64, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".backup-*")
	if err != nil {
		return 0, fmt.Errorf("the copy cannot be written: %w", err)
	}
	defer os.Remove(tmp.Name())
	if n, err = store.Backup(ctx, tmp); err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		return 0, fmt.Errorf("the copy cannot be written: %w", err)
	}
	return n, nil
}

const (
	backupEvery = 24 * time.Hour
	backupsKept = 7
	backupName  = "marque-20060102-150405.db"
)

// keepBackups writes a copy of the store into a folder now and then every day, and keeps the latest, until ctx is done.
func keepBackups(ctx context.Context, store *bolt.Store, folder string, log *slog.Logger) {
	tick := time.NewTicker(backupEvery)
	defer tick.Stop()
	for {
		if err := rotateBackups(ctx, store, folder, time.Now()); err != nil && ctx.Err() == nil {
			log.Error("the daily copy of the database failed; see MARQUE_BACKUPS", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// rotateBackups writes one copy named after the time and removes the oldest beyond those kept.
func rotateBackups(ctx context.Context, store *bolt.Store, folder string, now time.Time) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if _, err := backup(ctx, store, filepath.Join(folder, now.UTC().Format(backupName))); err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if _, err := time.Parse(backupName, e.Name()); err == nil && strings.HasSuffix(e.Name(), ".db") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	for len(names) > backupsKept {
		if err := os.Remove(filepath.Join(folder, names[0])); err != nil {
			return err
		}
		names = names[1:]
	}
	return nil
}
