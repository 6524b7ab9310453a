package bolt

import (
	"context"
	"reflect"
	"testing"

	"marque/games/review"
	"marque/storage"
)

// A review stays with its table through a compaction.
func TestReviewsStayInACompactedFile(t *testing.T) {
	ctx, path := context.Background(), file(t)
	s := openStore(t, path)
	over := commit(t, s, ending(create(t, s, opening("g", "c", "ann", "bob")), 0))
	create(t, s, opening("h", "c", "cid", "bob")) // rows of another table behind it
	want := storage.Review{Looked: 12, Points: []review.TurningPoint{{Play: 3, Seat: 1, Played: "take 2", Better: "take 1", Had: 0.75, Left: 0.25}}}
	if err := s.SetReview(ctx, over.ID, want); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Compact(path); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, path)
	if got, err := s.Review(ctx, over.ID); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the review is %+v, %v, want %+v", got, err, want)
	}
}
