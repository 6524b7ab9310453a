package storage_test

import (
	"slices"
	"testing"

	"marque/games"
	"marque/storage"
)

// A move belongs to the user who had the seat when it was made, not to those who had the seat before or later. Moves
// that were taken back belong to nobody.
func TestMoversHadTheSeatThen(t *testing.T) {
	t.Parallel()
	played := func(seat games.Seat) storage.Event { return storage.Event{Kind: storage.Played, Seat: seat} }
	table := storage.Table{Detail: storage.Detail{Seating: []int{1, 0, 2}}, Events: []storage.Event{
		{Kind: storage.Opened, User: "ann"}, {Kind: storage.Joined, User: "bob"}, {Kind: storage.Joined}, // a computer
		{Kind: storage.Started}, {Kind: storage.Drew, Seat: games.Chance},
		played(0), played(1), played(2), played(0),
		{Kind: storage.TookBack, Seat: 0, Text: "1"},
		{Kind: storage.Offered, Seat: 0}, played(0), // who offers the seat still has it
		{Kind: storage.Taken, Seat: 0, User: "cid"}, played(0),
		{Kind: storage.Removed, Seat: 1, User: "cid"}, {Kind: storage.Forced, Seat: 1},
		{Kind: storage.Taken, Seat: 1, User: "bob"}, {Kind: storage.Resigned, Seat: 1},
	}}
	want := []string{"", "bob", "ann", "", "bob", "cid", "", "bob"}
	if got := table.Movers(); !slices.Equal(got, want) || len(got) != len(storage.Log(table.Events)) {
		t.Errorf("the movers are %q, want %q", got, want)
	}
}
