package bolt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"marque/storage/kv"
)

// childVar is the environment variable that makes the test binary run as the child of TestKilledAtAnyMoment. Its value
// is the path of the file to use.
const childVar = "MARQUE_TEST_STORE_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVar); path != "" {
		if err := child(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

const writers = 4

func counter(i int, space kv.Space) kv.Key { return kv.Key{Space: space, Key: fmt.Append(nil, i)} }

// child increments counters forever. Each of its writers has a counter that it keeps equal in two spaces. child prints
// each acknowledged count as "WRITER COUNT".
func child(path string) error {
	e, err := Open(path)
	if err != nil {
		return err
	}
	d := kv.New(e)
	fmt.Println("ready")
	failed := make(chan error)
	for i := range writers {
		go func() {
			for {
				var n int
				err := d.Update(context.Background(), kv.Work{Run: func(w kv.Writer) error {
					got, err := w.Get(counter(i, "a"))
					if err != nil {
						return err
					}
					n = 0
					_, _ = fmt.Sscan(string(got[0]), &n)
					n++
					return errors.Join(w.Put(counter(i, "a"), fmt.Append(nil, n)),
						w.Put(counter(i, "b"), fmt.Append(nil, n)))
				}})
				if err != nil {
					failed <- err
					return
				}
				os.Stdout.WriteString(fmt.Sprintln(i, n))
			}
		}()
	}
	return <-failed
}

// A process that is killed at random moments loses no acknowledged change, and leaves no change half done.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	times := 280
	if testing.Short() {
		times = 20
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := file(t)
	acked := make([]int, writers)
	all := 0
	for range times {
		all += killed(t, exe, path, acked)
		d := open(t, path)
		err := d.View(t.Context(), func(r kv.Reader) error {
			for i, want := range acked {
				got, err := r.Get(counter(i, "a"), counter(i, "b"))
				if err != nil {
					return err
				}
				n := 0
				_, _ = fmt.Sscan(string(got[0]), &n)
				if n < want || n > want+1 || string(got[0]) != string(got[1]) {
					t.Errorf("writer %d: %q and %q are stored, %d was acknowledged", i, got[0], got[1], want)
				}
				acked[i] = n
			}
			return nil
		})
		if err = errors.Join(err, d.Close()); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("killed %d times, %d acknowledgements", times, all)
	if all < times {
		t.Errorf("only %d acknowledgements: the test does not test", all)
	}
}

// killed runs the child and kills it at a random moment after some acknowledgements, so that the child gets as far
// on a slow machine as on a fast one. It stores the acknowledged counts in acked, and returns the number of
// acknowledgements.
func killed(t *testing.T, exe, path string, acked []int) int {
	t.Helper()
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childVar+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(out)
	if line, err := in.ReadString('\n'); line != "ready\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	all, enough := 0, rand.IntN(40)
	for {
		if all == enough {
			kill := time.AfterFunc(time.Duration(rand.IntN(2000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
			defer kill.Stop()
		}
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break // an incomplete line was not acknowledged
		}
		if err != nil {
			t.Fatal(err)
		}
		var i, n int
		if _, err := fmt.Sscan(line, &i, &n); err != nil {
			t.Fatalf("the child says %q: %v", line, err)
		}
		acked[i] = max(acked[i], n)
		all++
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("the child was not killed but ended: %v", err)
	}
	return all
}
