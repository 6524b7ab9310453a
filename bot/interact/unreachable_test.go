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

// leavingRoom has a command that stores something the given number of times, and then cannot reach the store.
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

// The answer "Nothing has changed" is given if the store cannot be reached, but not if the handler stored something
// before, or if another process might handle the same interaction.
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
