package archive

import (
	"testing"

	"marque/bot/table"
)

// Games that end together are filmed one after the other, however many they are up to the bound; one
// that is put off comes last.
func TestEveryGameThatEndsIsFilmed(t *testing.T) {
	f := newFilms()
	for i := range filmQueue {
		if !f.add(ended{table: table.ID(i + 1)}) {
			t.Fatalf("there is no room for game %d of %d", i+1, filmQueue)
		}
	}
	if f.add(ended{table: filmQueue + 1}) {
		t.Errorf("the queue takes more than %d", filmQueue)
	}
	first, _ := f.next()
	if !f.add(ended{first.table, first.tries + 1}) {
		t.Error("a game that is put off has no room")
	}
	for want := table.ID(2); want <= filmQueue; want++ {
		if e, ok := f.next(); !ok || e.table != want {
			t.Fatalf("the next is game %d (%v), want %d", e.table, ok, want)
		}
	}
	if e, ok := f.next(); !ok || e != (ended{1, 1}) {
		t.Errorf("the last is %+v, want the game that was put off", e)
	}
	if e, ok := f.next(); ok {
		t.Errorf("the empty queue has %+v", e)
	}
}
