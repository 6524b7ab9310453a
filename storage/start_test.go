package storage_test

import (
	"context"
	"sync"
	"testing"

	"marque/storage"
	"marque/storage/kv"
	"marque/storage/kv/strict"
	"marque/storage/storagetest"
)

// interrupted is an engine that calls the function between once, after its first view or list of spaces.
type interrupted struct {
	kept

	once    *sync.Once
	between func()
}

func (e interrupted) View(ctx context.Context, read func(r kv.Reader) error) error {
	err := e.kept.View(ctx, read)
	e.once.Do(e.between)
	return err
}

func (e interrupted) Spaces(ctx context.Context) ([]kv.Space, error) {
	spaces, err := e.kept.Spaces(ctx)
	e.once.Do(e.between)
	return spaces, err
}

// A process can open an empty store even if another process writes the version while the first one is opening it.
func TestProcessesStartTogetherOnAnEmptyStore(t *testing.T) {
	e := kept{strict.New(storage.Cover)}
	second := interrupted{e, &sync.Once{}, func() {
		first, err := storage.Open(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = first.Close() })
	}}
	s, err := storage.Open(t.Context(), second)
	if err != nil {
		t.Fatalf("another process wrote the version while this one looked: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A digest of a store includes a value that is put into an empty space after the spaces were listed.
func TestACopyIsOfOneMoment(t *testing.T) {
	e := kept{strict.New(storage.Cover)}
	first, err := storage.Open(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = first.Close() })
	copied := interrupted{e, &sync.Once{}, func() {
		if _, err := first.Create(t.Context(), storagetest.Opening("g", "c", "ann")); err != nil {
			t.Error(err)
		}
	}}
	digest, err := storage.DigestOf(t.Context(), copied)
	if err != nil {
		t.Fatal(err)
	}
	if whole, err := storage.DigestOf(t.Context(), e); err != nil || digest != whole {
		t.Errorf("the copy has %d values, the store %d: %v", digest.Values, whole.Values, err)
	}
}
