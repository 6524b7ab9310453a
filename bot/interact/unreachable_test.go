package interact

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"marque/storage"
	"marque/storage/storagetest"
)

// leavingRoom has a command that stores something a given number of times, and then cannot reach the store.
type leavingRoom struct {
	store  *storage.Store
	stores int
	called *bool
}

func (d leavingRoom) Commands() []Command {
	return []Command{{Name: "games", Topic: TopicLook, Route: Route{Handle: func(ctx context.Context,
		_ *Request) (Reply, error) {
		*d.called = true
		for range d.stores {
			if err := d.store.SetLeast(ctx, "1", 5); err != nil {
				return Reply{}, err
			}
		}
		return Reply{}, &storage.UnreachableError{}
	}}}}
}

// "Nothing has changed" is true when it is said. It is not said if a first step was stored and a later step failed, or
// if another process may handle the same interaction. In the second case this process does not handle the interaction,
// and the other process says that nothing has changed if it cannot reach the store.
func TestNothingHasChangedIsTrue(t *testing.T) {
	store, err := storagetest.OpenFile(filepath.Join(t.TempDir(), "marque.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, tc := range []struct {
		what    string
		stores  int
		shared  bool
		carried bool
		want    string
	}{
		{"nothing is stored", 0, false, true, "Nothing has changed"},
		{"a first step is stored", 1, false, true, "I don't know whether it counted"},
		{"another process may carry it out", 1, true, false, "I don't know whether this counted"},
	} {
		t.Run(tc.what, func(t *testing.T) {
			called := false
			router, d := newTestRouter(t, leavingRoom{store, tc.stores, &called}, hanging{}, io.Discard)
			router.Accept(t.Context(), typed("1", "games"), Arrival{At: time.Now(), Shared: tc.shared})
			router.Drain(t.Context())
			if said := d.said["1"]; !strings.Contains(said, tc.want) || called != tc.carried {
				t.Errorf("carried out: %t, and the user reads %q; want %t and %q", called, said, tc.carried, tc.want)
			}
		})
	}
}
