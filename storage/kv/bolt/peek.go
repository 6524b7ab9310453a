package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"marque/storage/kv"
)

const (
	// metaPages is the number of bytes at the beginning of a file that contain both meta pages, whatever the page size.
	metaPages = 128 << 10
	// peekPatience is how long Peek tries to copy a file while it is being written.
	peekPatience = 5 * time.Second
)

// Peek opens a copy of the file, even while another process has the file open. Peek neither locks nor changes the file
// itself, and changes to the copy are lost. Errors are *FileErrors, as for Open. An error that wraps kv.ErrLocked says
// that the other process writes too often for a copy.
//
// bbolt never overwrites a page of its latest commit before the next commit is complete, and that commit changes a meta
// page. A copy during which no meta page changed is therefore the file as of its latest commit.
func Peek(path string) (*Engine, error) {
	folder, err := os.MkdirTemp("", "marque-") // readable only by this user
	if err != nil {
		return nil, explain(path, fmt.Errorf("no room for a copy: %w", err))
	}
	defer os.RemoveAll(folder) // an open file stays readable, and is gone when the process ends
	copied := filepath.Join(folder, filepath.Base(path))
	for end := time.Now().Add(peekPatience); ; {
		whole, err := copyQuiet(path, copied)
		if err != nil {
			return nil, explain(path, err)
		}
		if whole {
			e, err := openFile(copied)
			return e, explain(path, err)
		}
		if time.Now().After(end) {
			return nil, &FileError{Path: path, Err: kv.ErrLocked,
				Advice: "it is written to all the time; look into a copy of it"}
		}
	}
}

// copyQuiet copies a file. It reports whether no commit happened during the copy.
func copyQuiet(from, to string) (whole bool, err error) {
	src, err := os.Open(from)
	if err != nil {
		return false, err
	}
	defer src.Close()
	before, err := readMeta(src)
	if err != nil {
		return false, err
	}
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return false, err
	}
	_, err = io.Copy(dst, src)
	if err = errors.Join(err, dst.Close()); err != nil {
		return false, err
	}
	after, err := readMeta(src)
	return bytes.Equal(before, after), err
}

func readMeta(f *os.File) ([]byte, error) {
	b := make([]byte, metaPages)
	n, err := f.ReadAt(b, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:n], err
}
