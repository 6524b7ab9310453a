//go:build unix

package bolt

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"marque/storage"
	"marque/storage/storagetest"
)

// A disk that takes no more is said to be full, nothing is changed by what it did not take, and the next change is taken when
// there is room. The limit of a file's size stands for the end of the disk. It holds for whatever the process writes, the test's own
// log too, so a process of its own has it.
func TestAFullDiskIsSaidAndChangesNothing(t *testing.T) {
	const limited = "MARQUE_TEST_FULL_DISK"
	if os.Getenv(limited) == "" {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), exe, "-test.run", "^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), limited+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
			t.Fatalf("%v:\n%s", err, out)
		}
		t.Logf("%s", out)
		return
	}
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "marque.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	set := func(text string) error { return s.ChangeGuildSettings(ctx, "g", storagetest.Set(text)) }
	if err := set("before"); err != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	small := limit
	small.Cur = 4096
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	full := set("after")
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	var disk *storage.DiskError
	if !errors.As(full, &disk) || disk.Problem != storage.DiskFull {
		t.Errorf("a full disk is said to be %v (%T)", full, full)
	}
	t.Log(full)
	var now string
	if err := s.GuildSettings(ctx, "g", &now); err != nil || now != "before" {
		t.Errorf("after a change that was not taken: %q, %v", now, err)
	}
	if err := set("again"); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// Errors of the disk are told apart by what can be done about them; where the change may be on the disk all the same, nobody is told
// that it is not.
func TestDiskErrorsAreToldApart(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "marque.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, tc := range []struct {
		err    error
		number int
		want   storage.DiskProblem
	}{
		{syscall.ENOSPC, 1 << 40, storage.DiskFull},
		{syscall.EDQUOT, 1 << 40, storage.DiskFull},
		{syscall.EROFS, 1 << 40, storage.DiskReadOnly},
		{syscall.EIO, 1 << 40, storage.DiskFailed},
		{syscall.ENOSPC, 0, storage.DiskFailed}, // the latest transaction has a higher number: it is there
	} {
		var disk *storage.DiskError
		if got := s.diskError(tc.number, tc.err); !errors.As(got, &disk) || disk.Problem != tc.want || !errors.Is(got, tc.err) {
			t.Errorf("%v is %v, want %s", tc.err, got, tc.want)
		}
	}
	if other := errors.New("other"); s.diskError(1, other) != other {
		t.Error("an error that is not the disk's was changed")
	}
}
