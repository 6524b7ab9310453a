package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"marque/config"
	"marque/storage"
	"marque/storage/kv/bolt"
)

// databaseCommand has the commands that check, copy, restore, compact, move and repair the database.
type databaseCommand struct {
	Check   databaseCheck   `cmd:"" help:"Read the whole database and say whether anything in it is damaged."`
	Backup  databaseBackup  `cmd:"" help:"Write a copy of the database. While the bot runs, MARQUE_BACKUPS makes copies."`
	Restore databaseRestore `cmd:"" help:"Make the database of a copy, where there is none any more. What is lost is said, here and at the tables concerned."`
	Compact databaseCompact `cmd:"" help:"Rewrite the database without its unused space."`
	Move    databaseMove    `cmd:"" help:"Copy all of the database from a file into a database server, or back, and check it there."`
	Repair  databaseRepair  `cmd:"" help:"Restore what is damaged from the latest copy that has it, and keep the damaged file."`
}

type databaseCheck struct{}

// Run checks the database and prints its faults.
func (databaseCheck) Run(ctx context.Context, env environ, std streams) error {
	cfg, err := findDatabase(env)
	if err != nil {
		return err
	}
	if cfg.DatabaseURL != "" {
		err = checkServer(ctx, cfg)
	} else {
		err = checkFile(ctx, cfg.Database(), false)
	}
	if unsound := (*storage.UnsoundError)(nil); errors.As(err, &unsound) {
		for _, f := range unsound.Faults {
			fmt.Fprintln(std.out, f)
		}
		advice := "\"marque database repair\" restores what it can from a backup"
		if cfg.DatabaseURL != "" {
			advice = "restore a backup of the server's"
		}
		return fmt.Errorf("%s is damaged: %s; %s", storeName(cfg), plural(len(unsound.Faults)+unsound.More, "fault"),
			advice)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s is sound\n", storeName(cfg))
	return nil
}

// checkServer checks the store on a database server, even while a bot uses it.
func checkServer(ctx context.Context, cfg config.Config) error {
	store, err := peekStore(ctx, cfg)
	if err != nil {
		return err
	}
	return errors.Join(store.Check(ctx), store.Close())
}

type databaseRepair struct {
	From    string `help:"The copy to restore from, instead of those in MARQUE_BACKUPS." type:"path" placeholder:"FILE"`
	Without bool   `help:"Do without what no copy has."`
}

// Run repairs the database file. It takes what is damaged from copies, if there are any.
func (c databaseRepair) Run(ctx context.Context, env environ, std streams) error {
	cfg, err := findDatabase(env)
	if err != nil {
		return err
	}
	if err := onlyFiles(cfg,
		"restore a backup of the server's, or move a copy into an empty database with \"marque database move\""); err != nil {
		return err
	}
	var backups []string
	switch {
	case c.From != "":
		if missing(c.From) {
			return fmt.Errorf("there is no file %s", c.From)
		}
		backups = []string{c.From}
	case cfg.Backups != "":
		list, err := newCopies(keeper{}, cfg.Database(), cfg.Backups, nil).list()
		if err != nil {
			return fmt.Errorf("the copies in %s (MARQUE_BACKUPS) cannot be listed: %w", cfg.Backups, err)
		}
		for _, b := range list {
			backups = append(backups, filepath.Join(cfg.Backups, b.name))
		}
	}
	done, err := repair{path: cfg.Database(), backups: backups, without: c.Without, now: time.Now()}.run(ctx)
	if lost := (*lostError)(nil); errors.As(err, &lost) {
		for _, l := range lost.lost {
			fmt.Fprintln(std.out, l)
		}
		return fmt.Errorf("nothing was changed: %w; name another copy with --from, or do without them with --without",
			err)
	}
	if err != nil {
		return err
	}
	if done.kept == "" {
		fmt.Fprintf(std.out, "%s is sound: there is nothing to repair\n", cfg.Database())
		return nil
	}
	for _, line := range done.lines {
		fmt.Fprintln(std.out, line)
	}
	fmt.Fprintf(std.out, "%s is sound again; the damaged file is %s\n", cfg.Database(), done.kept)
	if len(done.used) == 0 {
		return nil
	}
	return c.repeatDeletions(ctx, cfg, done.used, std)
}

// repeatDeletions deletes again the data of users and servers that the copies may have brought back. A damaged copy may
// not say until when it goes, although the repair took data from it: then it repeats all recorded deletions.
func (databaseRepair) repeatDeletions(ctx context.Context, cfg config.Config, used []string, std streams) error {
	deleted := deletionsBeside(cfg, used[0])
	list, err := deleted.list()
	if err != nil || len(list) == 0 {
		return err
	}
	oldest, why := storage.At(time.Now()), "deleted after the oldest copy was made,"
	for _, file := range used {
		known, err := knownIn(ctx, file)
		if err != nil {
			oldest = 0
			why = fmt.Sprintf("deleted before or after %s was made (when that was cannot be read: %v),", file, err)
			break
		}
		oldest = min(oldest, known)
	}
	store, err := openFile(ctx, cfg.Database())
	if err != nil {
		return err
	}
	again, err := deleted.repeat(ctx, store, oldest)
	if again != (repeated{}) {
		fmt.Fprintf(std.out, "the data of %s, %s were deleted again\n", again, why)
	}
	return errors.Join(err, store.Close())
}

// knownIn returns the latest moment recorded in a copy.
func knownIn(ctx context.Context, file string) (storage.Stamp, error) {
	copied, err := peekFile(ctx, file)
	if err != nil {
		return 0, err
	}
	known, err := copied.LastKnown(ctx)
	return known, errors.Join(err, copied.Close())
}

type databaseRestore struct {
	Backup string `arg:"" help:"The copy, such as a daily one." type:"path"`
}

// Run creates the database from a copy.
func (c databaseRestore) Run(ctx context.Context, env environ, std streams) error {
	cfg, err := config.Load(".env", env)
	if err != nil {
		return err
	}
	if err := onlyFiles(cfg, "move the copy into an empty database with \"marque database move\""); err != nil {
		return err
	}
	if missing(c.Backup) {
		return fmt.Errorf("there is no file %s", c.Backup)
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return fmt.Errorf("the data folder cannot be made: %w (MARQUE_DATA says where it is)", err)
	}
	var again repeated
	done, err := restore(ctx, c.Backup, cfg.Database(), time.Now(), func(ctx context.Context, store keeper,
		until storage.Stamp) (err error) {
		again, err = deletionsBeside(cfg, c.Backup).repeat(ctx, store, until)
		return err
	})
	if unsound := (*storage.UnsoundError)(nil); errors.As(err, &unsound) {
		for _, f := range unsound.Faults {
			fmt.Fprintln(std.out, f)
		}
		return fmt.Errorf(
			"%s is damaged: %s; restore an older copy, or copy this one to %s and let \"marque database repair\" mend it from the others",
			c.Backup, plural(len(unsound.Faults)+unsound.More, "fault"), cfg.Database())
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s is restored, and sound\n", cfg.Database())
	lost := "everything that came later"
	if done.Until != 0 {
		lost = "everything that happened after " + done.Until.Time().UTC().Format(time.RFC3339)
	}
	fmt.Fprintf(std.out, "%s is lost; when the bot starts, it says so at %s with a running game\n", lost,
		plural(done.Tables, "table"))
	fmt.Fprintf(std.out, "tables that were opened later are lost; new ones begin with number %d\n", done.Upto)
	if again != (repeated{}) {
		fmt.Fprintf(std.out, "the data of %s, deleted after the copy was made, were deleted again\n", again)
	}
	return nil
}

// deletionsBeside returns the list of deletions in the folder of a copy. If there is none, it returns the list in
// MARQUE_BACKUPS.
func deletionsBeside(cfg config.Config, file string) *deletions {
	beside := deletionsOf(cfg.Database(), filepath.Dir(file))
	if cfg.Backups != "" && missing(beside.file) {
		return deletionsOf(cfg.Database(), cfg.Backups)
	}
	return beside
}

type databaseBackup struct {
	File string `arg:"" help:"Where the copy goes; there must be no such file yet." type:"path"`
}

// Run writes a copy of the database.
func (c databaseBackup) Run(ctx context.Context, env environ, std streams) error {
	store, _, err := openDatabase(ctx, env)
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

// Run compacts the database file.
func (databaseCompact) Run(ctx context.Context, env environ, std streams) error {
	cfg, err := findDatabase(env)
	if err != nil {
		return err
	}
	if err := onlyFiles(cfg, "PostgreSQL looks after its space by itself"); err != nil {
		return err
	}
	if err := checkFile(ctx, cfg.Database(), true); err != nil {
		return err
	}
	before, after, err := bolt.Compact(cfg.Database())
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s: %d bytes, %d before\n", cfg.Database(), after, before)
	return nil
}

// findDatabase reads the configuration. It returns an error if the configured database is a file that does not exist.
func findDatabase(env environ) (config.Config, error) {
	cfg, err := config.Load(".env", env)
	if err != nil {
		return cfg, err
	}
	if cfg.DatabaseURL == "" && missing(cfg.Database()) {
		return cfg, noDatabase(cfg.Database())
	}
	return cfg, nil
}

// openDatabase opens the configured database, which must exist.
func openDatabase(ctx context.Context, env environ) (keeper, config.Config, error) {
	cfg, err := findDatabase(env)
	if err != nil {
		return keeper{}, cfg, err
	}
	store, err := openStore(ctx, cfg)
	return store, cfg, err
}

func noDatabase(file string) error {
	return fmt.Errorf("there is no database %s (MARQUE_DATA says in which folder it is, DISCORD_TOKEN which of two)",
		file)
}
