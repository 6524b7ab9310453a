//go:build unix

package bolt

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"marque/storage/kv"
)

// When the disk is full, a commit fails with an error that says so, and changes nothing. The store is not alive until
// the file can grow again, even if a commit still fits into free pages. The test simulates a full disk by limiting the
// file size of a separate process, because the limit applies to everything that a process writes, even its test log.
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
	d := open(t, file(t))
	put(t, d, "s", "k", strings.Repeat("as long as many pages ", 10_000))
	put(t, d, "s", "k", "before") // frees many pages
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
	full := d.Update(ctx, kv.Work{Run: func(w kv.Writer) error {
		return w.Put(kv.Key{Space: "s", Key: []byte("k")}, []byte("after"))
	}})
	alive := d.Alive(ctx)
	size, err := d.Size(ctx)
	if err != nil {
		t.Fatal(err)
	}
	small.Cur = uint64(size.Bytes)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	put(t, d, "s", "free", "fits")
	still := d.Alive(ctx)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"a commit": full, "a trial": alive, "a trial after a commit into free pages": still,
	} {
		var disk *kv.DiskError
		if !errors.As(err, &disk) || disk.Problem != kv.DiskFull {
			t.Errorf("%s on a full disk: %v (%T)", what, err, err)
		}
	}
	t.Log(full)
	if got := contents(t, d); got != "s \"free\" \"fits\"\ns \"k\" \"before\"\n" {
		t.Errorf("after a change that was not taken: %s", got)
	}
	if err := d.Alive(ctx); err != nil {
		t.Errorf("with room again: %v", err)
	}
	put(t, d, "s", "k", "again")
}

// Disk errors are classified by their remedy. An error does not say that nothing was changed if the change may be on
// the disk.
func TestDiskErrorsAreToldApart(t *testing.T) {
	e, err := Open(file(t))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, tc := range []struct {
		err    error
		number int
		want   kv.DiskProblem
	}{
		{syscall.ENOSPC, 1 << 40, kv.DiskFull},
		{syscall.EDQUOT, 1 << 40, kv.DiskFull},
		{syscall.EROFS, 1 << 40, kv.DiskReadOnly},
		{syscall.EIO, 1 << 40, kv.DiskFailed},
		{syscall.ENOSPC, 0, kv.DiskFailed}, // there is a later transaction: the commit may be on the disk
	} {
		var disk *kv.DiskError
		if got := e.diskError(tc.number, tc.err); !errors.As(got, &disk) || disk.Problem != tc.want || !errors.Is(got,
			tc.err) {
			t.Errorf("%v is %v, want %s", tc.err, got, tc.want)
		}
	}
	if other := errors.New("other"); e.diskError(1, other) != other {
		t.Error("an error that is not the disk's was changed")
	}
}
