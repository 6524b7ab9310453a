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

	"marque/games"
	"marque/storage"
)

// childVar tells the test binary that it is the child of TestKilledAtAnyMoment, and on which file.
const childVar = "MARQUE_TEST_STORE_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVar); path != "" {
		if err := child(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if path := os.Getenv(compactVar); path != "" {
		if err := compactWithin(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// perMove is how many events the child stores with each move: half a move would be fewer.
const perMove = 3

// endsAt is the version with which the child's tables end.
const endsAt = 12

// child plays at four tables at once, for ever, and says on standard output what was acknowledged: "commit TABLE VERSION" or "publish TABLE VERSION".
func child(path string) error {
	s, err := Open(path)
	if err != nil {
		return err
	}
	ctx := context.Background()
	active, err := s.ByGuild(ctx, "g", storage.Active, 0, 1000)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	failed := make(chan error)
	for i := range 4 {
		mine := []storage.Head{}
		for j := i; j < len(active); j += 4 {
			mine = append(mine, active[j])
		}
		go func() { failed <- play(ctx, s, mine) }()
	}
	return <-failed
}

func play(ctx context.Context, s *Store, tables []storage.Head) error {
	ack := func(what string, h storage.Head) {
		os.Stdout.WriteString(fmt.Sprintf("%s %d %d\n", what, h.ID, h.Version))
	}
	for {
		if len(tables) == 0 {
			h := opening("g", "c", "ann", "bob").Head
			id, err := s.Create(ctx, opening("g", "c", "ann", "bob"))
			if err != nil {
				return err
			}
			h.ID = id
			ack("commit", h)
			tables = append(tables, h)
		}
		h := tables[0]
		c := next(h, perMove)
		c.Head.Due = []storage.Due{{Kind: "clock", At: storage.Stamp(c.Head.Version)}}
		if c.Head.Version == endsAt {
			end := ending(h, games.Seat(h.ID%2))
			c.Head.Status, c.Head.Due, c.Result = end.Head.Status, nil, end.Result
		}
		if err := s.Commit(ctx, c); err != nil {
			return err
		}
		ack("commit", c.Head)
		tables[0] = c.Head
		if rand.IntN(2) == 0 {
			if err := s.MarkPublished(ctx, h.ID, c.Head.Version, "", storage.Tenure{}); err != nil {
				return err
			}
			ack("publish", c.Head)
		}
		if c.Head.Status == storage.Over {
			tables = tables[1:]
		}
	}
}

// A process that is killed at any moment loses no acknowledged move, leaves none half done, and keeps the mark of what is not published.
func TestKilledAtAnyMoment(t *testing.T) {
	times := 300
	if testing.Short() {
		times = 25
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := file(t)
	commits, published := map[storage.ID]uint64{}, map[storage.ID]uint64{}
	acked := 0
	for range times {
		acked += killed(t, exe, path, commits, published)
		verify(t, path, commits, published)
		if t.Failed() {
			return
		}
	}
	t.Logf("killed %d times, %d acknowledgements at %d tables", times, acked, len(commits))
	if acked < times {
		t.Errorf("only %d acknowledgements: the test does not test", acked)
	}
}

// killed runs the child and kills it at a random moment. It notes what was acknowledged.
func killed(t *testing.T, exe, path string, commits, published map[storage.ID]uint64) int {
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
	kill := time.AfterFunc(time.Duration(rand.IntN(20_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	n := 0
	for {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break // a line cut off was not acknowledged
		}
		if err != nil {
			t.Fatal(err)
		}
		var what string
		var id, version uint64
		if _, err := fmt.Sscanf(line, "%s %d %d", &what, &id, &version); err != nil {
			t.Fatalf("the child says %q: %v", line, err)
		}
		n++
		if what == "commit" {
			commits[storage.ID(id)] = max(commits[storage.ID(id)], version)
		} else {
			published[storage.ID(id)] = max(published[storage.ID(id)], version)
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("the child was not killed but ended: %v", err)
	}
	return n
}

// verify opens the file and compares it with what was acknowledged.
func verify(t *testing.T, path string, commits, published map[storage.ID]uint64) {
	t.Helper()
	ctx := t.Context()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := s.Check(ctx); err != nil {
		t.Error(err)
	}
	pending := map[storage.ID]bool{}
	ids, err := s.Pending(ctx, 0, 1_000_000)
	if err != nil {
		t.Error(err)
	}
	for _, id := range ids {
		pending[id] = true
	}
	ended := map[storage.ID]bool{}
	results, err := s.Results(ctx, storage.ResultQuery{Guild: "g", Limit: 1_000_000})
	if err != nil {
		t.Error(err)
	}
	for _, r := range results {
		ended[r.Table] = true
	}
	for id, version := range commits {
		got, err := s.Load(ctx, id)
		if err != nil {
			t.Errorf("table %d, acknowledged at version %d: %v", id, version, err)
			continue
		}
		h := got.Head
		if h.Version < version {
			t.Errorf("table %d is at version %d, %d was acknowledged", id, h.Version, version)
		}
		if want := 1 + perMove*int(h.Version-1); len(got.Events) != want {
			t.Errorf("table %d at version %d has %d events, want %d: a move is half there", id, h.Version, len(got.Events), want)
		}
		if got.Published < published[id] {
			t.Errorf("table %d is published up to %d, %d was acknowledged", id, got.Published, published[id])
		}
		if pending[id] != (got.Published < h.Version) {
			t.Errorf("table %d: version %d, published %d, marked %v", id, h.Version, got.Published, pending[id])
		}
		if ended[id] != (h.Version == endsAt) {
			t.Errorf("table %d at version %d: result %v", id, h.Version, ended[id])
		}
	}
	line, err := s.Standing(ctx, storage.Board{Guild: "g", Game: "heap"}, "ann")
	over, err2 := s.ByGuild(ctx, "g", storage.Finished, 0, 1_000_000)
	if err = errors.Join(err, err2); err != nil || line.Games != len(over) {
		t.Errorf("%d games are counted, %d tables are over (%v)", line.Games, len(over), err)
	}
}
