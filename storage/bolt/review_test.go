package bolt

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"marque/games/review"
	"marque/storage"
)

// A review stays with its table through a restart and a compaction, and goes with it.
func TestReviewsStayWithTheirTable(t *testing.T) {
	ctx, path := context.Background(), file(t)
	s := openStore(t, path)
	running := create(t, s, opening("g", "c", "annabella", "bob"))
	over := commit(t, s, ending(create(t, s, opening("g", "c", "annabella", "bob")), 0))
	after := create(t, s, opening("h", "c", "cid", "bob")) // rows of another table behind it

	if r, err := s.Review(ctx, over.ID); err != nil || r.Looked != 0 || r.Points != nil {
		t.Errorf("a game that was not reviewed has %+v, %v", r, err)
	}
	want := storage.Review{Looked: 12, Points: []review.TurningPoint{{Play: 3, Seat: 1, Played: "take 2", Better: "take 1", Had: 0.75, Left: 0.25}}}
	for _, c := range []struct {
		what string
		id   storage.ID
		r    storage.Review
		err  error
	}{
		{"a table that goes on", running.ID, want, storage.ErrInvalid},
		{"no table", 99, want, storage.ErrNoTable},
		{"too many points", over.ID, storage.Review{Points: make([]review.TurningPoint, review.MaxPoints+1)}, storage.ErrInvalid},
		{"a move that is too long", over.ID, storage.Review{Points: []review.TurningPoint{{Played: strings.Repeat("x", storage.MaxText+1)}}}, storage.ErrInvalid},
		{"a first look", over.ID, storage.Review{Looked: 4}, nil},
		{"the whole", over.ID, want, nil},
	} {
		if err := s.SetReview(ctx, c.id, c.r); !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", c.what, err, c.err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Compact(path); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, path)
	if got, err := s.Review(ctx, over.ID); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("after a restart the review is %+v, %v, want %+v", got, err, want)
	}
	for _, id := range []storage.ID{over.ID, after.ID} {
		if _, err := s.Load(ctx, id); err != nil {
			t.Errorf("table %d beside a review: %v", id, err)
		}
		if _, err := s.News(ctx, id); err != nil {
			t.Errorf("news of table %d beside a review: %v", id, err)
		}
	}
	if err := s.Forget(ctx, "annabella", storage.Departed+"77"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Review(ctx, over.ID); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("after a player was forgotten the review is %+v, %v, want %+v", got, err, want)
	}
	if err := s.Check(ctx); err != nil {
		t.Error(err)
	}
	if err := deleteGuild(s, "g"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Review(ctx, over.ID); !errors.Is(err, storage.ErrNoTable) {
		t.Errorf("the review of a deleted table: %v, want %v", err, storage.ErrNoTable)
	}
	if err := s.SetReview(ctx, over.ID, want); !errors.Is(err, storage.ErrNoTable) {
		t.Errorf("reviewing a deleted table: %v, want %v", err, storage.ErrNoTable)
	}
	if holds(t, s, "take 2") {
		t.Error("the review of a deleted table is still in the file")
	}
}
