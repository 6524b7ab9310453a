package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"marque/bot/metrics"
	"marque/storage"
	"marque/storage/kv/bolt"
)

const (
	// hourlyBelow is the size in bytes below which a database file is copied hourly. A larger file is copied daily.
	hourlyBelow = 200_000_000
	hourlyKept  = 24 // number of copies kept of the last 24 hours
	dailyKept   = 7  // number of daily copies that are kept
	weeklyKept  = 4  // number of weeks of which one copy each is kept besides the daily ones
	// backupLook is the interval at which the bot checks whether a copy is due. It is also the time until a failed copy
	// is retried.
	backupLook = time.Hour
	// backupPatience is how long the first check waits for the bot to be ready, so that failing starts do not use up
	// the day's copies.
	backupPatience = time.Hour
	backupTime     = "20060102-150405"
	backupSuffix   = ".db"
	// damagedSuffix ends the name of a copy of a damaged database.
	damagedSuffix = ".damaged.db"
)

// copyFile writes a copy of the store to a file in folder, and checks it. name returns the name of the file; sound
// wraps storage.ErrDamaged if the copy is damaged, and is nil otherwise. The file appears only when it is complete and
// synced. copyFile returns its path and its size in bytes.
func copyFile(ctx context.Context, store keeper, folder string,
	name func(sound error) string) (file string, n int64, sound, err error) {
	file, n, sound, err = tryCopy(ctx, store, folder, name)
	if err != nil {
		return "", 0, nil, fmt.Errorf("the copy cannot be written: %w", err)
	}
	return file, n, sound, nil
}

// partial matches the names of unfinished copies.
const partial = ".marque-copy-*"

func tryCopy(ctx context.Context, store keeper, folder string,
	name func(sound error) string) (file string, n int64, sound, err error) {
	tmp, err := os.CreateTemp(folder, partial)
	if err != nil {
		return "", 0, nil, err
	}
	defer os.Remove(tmp.Name())
	defer keepTouching(tmp.Name())()
	if n, err = writeCopy(ctx, store, tmp); err != nil {
		return "", 0, nil, err
	}
	if sound = checkFile(ctx, tmp.Name(), true); sound != nil && !errors.Is(sound, storage.ErrDamaged) {
		return "", 0, nil, sound
	}
	file = filepath.Join(folder, name(sound))
	if err := os.Rename(tmp.Name(), file); err != nil {
		return "", 0, nil, err
	}
	return file, n, sound, syncDir(folder)
}

// abandonedAfter is the time since its last change after which an unfinished copy counts as abandoned.
const abandonedAfter = 10 * time.Minute

// keepTouching updates the modification time of an unfinished copy every minute until stop is called. Another process
// that copies to the same folder then does not remove it as abandoned.
func keepTouching(file string) (stop func()) {
	done := make(chan struct{})
	var touching sync.WaitGroup
	touching.Go(func() {
		tick := time.NewTicker(time.Minute)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				_ = os.Chtimes(file, now, now) // a failure only risks this copy; the next one is made in an hour
			case <-done:
				return
			}
		}
	})
	return func() { close(done); touching.Wait() }
}

// removePartial removes abandoned unfinished copies from a folder.
func removePartial(folder string) error {
	left, err := filepath.Glob(filepath.Join(folder, partial))
	for _, file := range left {
		info, gone := os.Stat(file)
		if gone != nil || time.Since(info.ModTime()) < abandonedAfter {
			continue
		}
		if removed := os.Remove(file); !errors.Is(removed, fs.ErrNotExist) { // fine if another process has removed it
			err = errors.Join(err, removed)
		}
	}
	return err
}

// copies makes and deletes the copies of a database. A small file is copied hourly; a larger file or a database server
// is copied daily.
type copies struct {
	store       keeper
	folder      string
	prefix      string // beginning of the copies' names, which distinguishes the databases
	hourlyBelow int64  // size in bytes; differs from the constant only in tests
	log         *slog.Logger
	failed      atomic.Int64 // number of copies that failed

	deleted *deletions
	carrier *carrier // runs MARQUE_BACKUP_HOOK; nil if it is not set
}

func newCopies(store keeper, database, folder string, log *slog.Logger) *copies {
	return &copies{
		store: store, folder: folder, prefix: copyPrefix(database), hourlyBelow: hourlyBelow, log: log,
		deleted: deletionsOf(database, folder),
	}
}

// copyPrefix returns the beginning of the names of a database's files in the folder of copies.
func copyPrefix(database string) string {
	return strings.TrimSuffix(filepath.Base(database), filepath.Ext(database)) + "-"
}

// backupCopy is a copy of the database in the folder of copies.
type backupCopy struct {
	name    string
	at      time.Time // when the copy was made, in UTC
	damaged bool
}

// hour returns a text that identifies the hour in which the copy was made.
func (c backupCopy) hour() string { return c.at.Format("2006-01-02 15") }

func (c backupCopy) day() string { return c.at.Format(time.DateOnly) }

func (c backupCopy) week() string {
	year, week := c.at.ISOWeek()
	return fmt.Sprint(year, " ", week)
}

// list lists the copies, newest first. It ignores other files in the folder.
func (k *copies) list() ([]backupCopy, error) {
	entries, err := os.ReadDir(k.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []backupCopy
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), k.prefix)
		if !ok {
			continue
		}
		stamp, damaged := strings.CutSuffix(rest, damagedSuffix)
		if !damaged {
			if stamp, ok = strings.CutSuffix(rest, backupSuffix); !ok {
				continue
			}
		}
		if at, err := time.Parse(backupTime, stamp); err == nil {
			list = append(list, backupCopy{e.Name(), at, damaged})
		}
	}
	slices.SortFunc(list, func(a, b backupCopy) int { return b.at.Compare(a.at) })
	return list, nil
}

// status returns the state of the copies for metrics. It reads the folder.
func (k *copies) status() (metrics.Backup, error) {
	b := metrics.Backup{Failed: int(k.failed.Load())}
	list, err := k.list()
	if err == nil && len(list) > 0 {
		b.Latest, b.Sound = list[0].at, !list[0].damaged
	}
	return b, err
}

// keep makes copies and carries them off, until ctx is done. It begins when the bot is ready, or after backupPatience.
func (k *copies) keep(ctx context.Context, ready <-chan struct{}) {
	patience := time.NewTimer(backupPatience)
	defer patience.Stop()
	select {
	case <-ready:
	case <-patience.C:
	case <-ctx.Done():
		return
	}
	look := time.NewTicker(backupLook)
	defer look.Stop()
	for {
		if err := k.look(ctx, time.Now()); err != nil && ctx.Err() == nil {
			k.failed.Add(1)
			k.log.Error("the copy of the database failed; it is tried again in an hour (MARQUE_BACKUPS)", "folder",
				k.folder, "error", err)
		}
		k.carryOff(ctx)
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		case <-k.deleted.changed:
		}
	}
}

// carryOff runs MARQUE_BACKUP_HOOK on the copy of the latest day and on the list of deletions, unless the program has
// already carried them off. It logs errors.
func (k *copies) carryOff(ctx context.Context) {
	if k.carrier == nil {
		return
	}
	list, err := k.list()
	if err == nil {
		copied := ""
		if c, ok := carriedOff(list); ok {
			copied = filepath.Join(k.folder, c.name)
		}
		err = k.carrier.carry(ctx, copied, k.deleted.file)
	}
	if err != nil && ctx.Err() == nil {
		k.log.Error(
			"the program that carries copies off (MARQUE_BACKUP_HOOK) failed; it is tried again in an hour. Run it by hand with the path of a copy to see why",
			"program", k.carrier.program, "error", err)
	}
}

// carriedOff returns the copy to carry off, of which there is one a day: the first sound copy of the latest day with a
// sound copy. It returns false if there is none. list is sorted newest first.
func carriedOff(list []backupCopy) (first backupCopy, ok bool) {
	for _, c := range list {
		if c.damaged {
			continue
		}
		if ok && c.day() != first.day() {
			break
		}
		first, ok = c, true
	}
	return first, ok
}

// due reports whether a copy should be made now. list has the existing copies.
func (k *copies) due(ctx context.Context, list []backupCopy, now backupCopy) (bool, error) {
	made := slices.ContainsFunc(list, func(c backupCopy) bool { return c.day() == now.day() })
	if _, file := k.store.engine.(*bolt.Engine); !made || !file {
		return !made, nil
	}
	size, err := k.store.Size(ctx)
	if err != nil || size.Bytes >= k.hourlyBelow {
		return false, err
	}
	return !slices.ContainsFunc(list, func(c backupCopy) bool { return c.hour() == now.hour() }), nil
}

// look makes a copy if one is due. After that it deletes copies that are no longer needed, and shortens the list of
// deletions.
func (k *copies) look(ctx context.Context, now time.Time) error {
	now = now.UTC()
	if err := os.MkdirAll(k.folder, 0o700); err != nil {
		return err
	}
	before, err := k.list()
	if err != nil {
		return err
	}
	if due, err := k.due(ctx, before, backupCopy{at: now}); err != nil || !due {
		return err
	}
	if err := removePartial(k.folder); err != nil {
		return err
	}
	file, n, sound, err := copyFile(ctx, k.store, k.folder, func(sound error) string {
		suffix := backupSuffix
		if sound != nil {
			suffix = damagedSuffix
		}
		return k.prefix + now.Format(backupTime) + suffix
	})
	if err != nil {
		return err
	}
	if sound != nil {
		k.log.Error(
			"something in the database is damaged, and so in its copy: stop the bot and run \"marque database check\"; the copies made before are all kept",
			"file", file, "error", sound)
	} else {
		k.log.Info("a copy of the database was made and checked", "file", file, "bytes", n)
	}
	after, err := k.list()
	if err != nil {
		return err
	}
	gone := spare(after, sound != nil)
	for _, c := range gone {
		if err := os.Remove(filepath.Join(k.folder, c.name)); err != nil {
			return err
		}
		k.log.Info("an old copy of the database was removed", "file", filepath.Join(k.folder, c.name))
	}
	left := slices.DeleteFunc(after, func(c backupCopy) bool { return slices.Contains(gone, c) })
	return k.deleted.forget(left[len(left)-1].at)
}

// spare returns the copies to delete after a new copy was made: all damaged copies except the latest and, if the new
// copy is sound, the oldest sound copy that is not needed. The number of sound copies therefore never falls. list is
// sorted newest first; damaged says whether the new copy is damaged.
func spare(list []backupCopy, damaged bool) []backupCopy {
	var gone, rest []backupCopy
	hours, days, weeks := map[string]bool{}, map[string]bool{}, map[string]bool{}
	seen := false
	for _, c := range list {
		if c.damaged {
			if seen {
				gone = append(gone, c)
			}
			seen = true
			continue
		}
		needed := false
		if len(hours) < hourlyKept && !hours[c.hour()] && list[0].at.Sub(c.at) < 24*time.Hour {
			hours[c.hour()], needed = true, true
		}
		switch {
		case len(days) < dailyKept && !days[c.day()]:
			days[c.day()], needed = true, true
		case len(weeks) < weeklyKept && !weeks[c.week()] && !days[c.day()]:
			weeks[c.week()], needed = true, true
		}
		if !needed {
			rest = append(rest, c)
		}
	}
	if n := len(rest); n > 0 && !damaged {
		gone = append(gone, rest[n-1])
	}
	return gone
}
