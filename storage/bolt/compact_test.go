package bolt

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// compactVar tells the test binary that it is to compact a file with little memory.
const compactVar = "MARQUE_TEST_STORE_COMPACT"

// compactMemory is how many bytes of memory of its own a process has to compact a file of largeFile, beyond what it begins with.
const (
	compactMemory = 64 << 20
	largeFile     = 3 * compactMemory
)

func compactWithin(path string) error {
	if err := limitMemory(compactMemory); err != nil {
		return err
	}
	_, _, err := Compact(path)
	return err
}

// A file that is many times as large as the memory that there is can be compacted.
func TestCompactTakesLittleMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process cannot be limited here")
	}
	path := filled(t, 40)
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s.db.NoSync = true
	value := []byte(`"` + strings.Repeat("pirate ", 4<<10) + `"`)
	for done := 0; done*len(value) < largeFile; {
		err := s.do(t.Context(), func(tx *txn) error {
			for range 200 {
				done++
				if err := tx.put(botBucket, fmt.Appendf(nil, "large %d", done), value); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), exe)
	child.Env = append(os.Environ(), compactVar+"="+path)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("with %d MB of memory for a file of %d: %v\n%.2000s", compactMemory>>20, largeFile>>20, err, out)
	}
	if h := mustHead(t, openStore(t, path), 40); h.ID != 40 {
		t.Errorf("table 40 has become %+v", h)
	}
}
