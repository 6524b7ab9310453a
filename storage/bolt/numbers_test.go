package bolt

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"marque/storage"
)

// Tables are counted by what their heads say, over more than one of the count's transactions, those
// that are over too.
func TestTally(t *testing.T) {
	s := idle(t, file(t))
	want := map[storage.Group]int{}
	err := s.do(t.Context(), func(x *txn) error {
		for i := range tallyPage + 300 {
			c := opening("g", fmt.Sprintf("c-%d", i%700), "a", "b")
			c.Head.Game = fmt.Sprintf("game-%d", i%3)
			if err := put(x, &c, nil); err != nil {
				return err
			}
			if i%7 > 2 {
				e := next(c.Head, 2)
				switch i % 7 {
				case 3:
					e.Head.Paused = storage.PausedByModerator
				case 4, 5:
					e = ending(c.Head, 0)
				}
				if err := put(x, &e, x.get(tableBucket, headKey(c.Head.ID))); err != nil {
					return err
				}
				c = e
			}
			want[storage.Group{Game: c.Head.Game, Status: c.Head.Status, Paused: c.Head.Paused != ""}]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Tally(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 12 {
		t.Errorf("counted otherwise (-want +got):\n%s", diff)
	}
}

// The file's size is what the system says, and its free pages are what a check reads of them.
func TestSize(t *testing.T) {
	path := file(t)
	s := idle(t, path)
	for range 20 {
		h := create(t, s, opening("g", "c", "a", "b"))
		if err := s.Commit(t.Context(), ending(h, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DeleteGuild(t.Context(), "g"); err != nil {
		t.Fatal(err)
	}
	size, err := s.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := readPages(f)
	if err != nil {
		t.Fatal(err)
	}
	pages.fault = func(e pageFault) { t.Error(e) }
	pages.used = newPageSet(pages.end)
	free := int64(0)
	for set, id := pages.free(), uint64(0); id < pages.end; id++ {
		if set.has(id) {
			free++
		}
	}
	want := storage.Size{Bytes: info.Size(), FreePages: free, FreeBytes: free * int64(pages.size)}
	if size.Bytes > want.Bytes || size.Bytes == 0 || size.FreePages != want.FreePages || size.FreeBytes != want.FreeBytes || free == 0 {
		t.Errorf("the size is %+v, want %+v", size, want)
	}
}
