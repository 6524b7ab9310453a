package bolt

import (
	"os"
	"testing"

	"marque/storage"
	"marque/storage/storagetest"
)

// place is where the exercises of every engine have a file.
func place(t testing.TB) storagetest.Place {
	path := file(t)
	var s *Store
	return storagetest.Place{
		Open: func() (_ storage.Engine, err error) {
			s, err = Open(path)
			return s, err
		},
		Holds: func(text string) (bool, error) { return contains(s, text) },
	}
}

func TestEngine(t *testing.T) { storagetest.Run(t, place) }

// Random histories leave what the plain store in memory has, in every answer and after every restart.
func TestTheStoreIsTheModel(t *testing.T) { storagetest.Compare(t, 150, hasty, storagetest.Memory) }

// hasty is place without waiting for the disk, and without a pause between the steps of jobs: power failures are another test's.
func hasty(t testing.TB) storagetest.Place {
	path := file(t)
	return storagetest.Place{
		Open: func() (storage.Engine, error) {
			s, err := load(path, schema)
			if err != nil {
				return nil, err
			}
			s.db.NoSync = true
			s.labour.start(s)
			return s, nil
		},
		Drop: func() error { return os.Remove(path) },
	}
}
