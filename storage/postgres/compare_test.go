//go:build unix

package postgres

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marque/storage"
	"marque/storage/bolt"
	"marque/storage/storagetest"
)

// Random histories leave in a database what they leave in a file, in every answer and after every restart.
func TestTheDatabaseIsTheFile(t *testing.T) {
	server(t) // or the test is skipped
	storagetest.Compare(t, 25, passing, func(t testing.TB) storagetest.Place {
		path := filepath.Join(t.TempDir(), "marque.db")
		return storagetest.Place{
			Open: func() (storage.Engine, error) { return bolt.Open(path) },
			Drop: func() error { return os.Remove(path) },
		}
	})
}

// passing is a database that goes when it has been used.
func passing(t testing.TB) storagetest.Place {
	address := newDatabase(t)
	return storagetest.Place{
		Open: func() (storage.Engine, error) { return Open(context.Background(), address) },
		Drop: func() error {
			u, err := url.Parse(address)
			if err != nil {
				return err
			}
			return server(t).Exec("postgres", "DROP DATABASE "+strings.TrimPrefix(u.Path, "/"))
		},
	}
}
