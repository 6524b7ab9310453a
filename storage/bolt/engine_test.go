package bolt

import (
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
