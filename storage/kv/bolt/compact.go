package bolt

import (
	"errors"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"
)

// compactBatch is the approximate number of bytes that one transaction of Compact copies.
const compactBatch = 4 << 20

// compactSuffix is appended to a file's name to name the copy that Compact makes.
const compactSuffix = ".compact"

// Compact rewrites a closed file without its free pages, and returns its size before and after, in bytes. The file is
// replaced once the copy is complete and synced. Compact does not check the values, so the file should be checked
// first. Errors wrap a *FileError, as for Open.
func Compact(path string) (before, after int64, err error) {
	if _, err := os.Stat(path); err != nil {
		return 0, 0, explain(path, err)
	}
	if err := look(path); err != nil {
		return 0, 0, explain(path, err)
	}
	copied := path + compactSuffix
	if err := os.Remove(copied); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, 0, explain(copied, err)
	}
	from, err := openToRead(path) // no other process can write until the copy has replaced the file
	if err != nil {
		return 0, 0, explain(path, err)
	}
	defer func() { err = errors.Join(err, explain(path, from.Close())) }()
	if err := rewrite(copied, from); err != nil {
		return 0, 0, errors.Join(explain(path, err), os.Remove(copied))
	}
	if before, err = size(path); err == nil {
		if after, err = size(copied); err == nil {
			err = os.Rename(copied, path)
		}
	}
	if err == nil {
		err = syncFolder(path)
	}
	return before, after, explain(path, err)
}

func size(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// rewrite copies every pair to a new file, in order and with nearly full pages.
func rewrite(path string, from *bbolt.DB) error {
	to, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockPatience, NoSync: true})
	if err != nil {
		return err
	}
	err = guard(func() error { return bbolt.Compact(to, from, compactBatch) })
	if err == nil {
		err = to.Sync()
	}
	return errors.Join(err, to.Close())
}
