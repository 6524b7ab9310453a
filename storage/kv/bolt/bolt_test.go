package bolt

import (
	"path/filepath"
	"testing"

	"marque/storage/kv"
	"marque/storage/kv/kvtest"
)

func place(t testing.TB) kvtest.Place {
	path := filepath.Join(t.TempDir(), "marque.db")
	return kvtest.Place{Open: func() (kv.Engine, error) { return Open(path) }}
}

// The file engine passes the tests that every engine must pass.
func TestEngine(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, place)
}
