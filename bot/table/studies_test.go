package table_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
	"marque/storage"
)

// There are at most so many studies at a time; those that have ended make room, and whoever has one may begin another.
func TestStudiesAreBounded(t *testing.T) {
	t.Parallel()
	b := ashore(t)
	b.launch(table.Config{Studies: 3})
	defer b.sink()
	open := func(user string) error {
		_, err := b.Studies.Open(t.Context(), user, table.Study{Table: 1})
		return err
	}
	for i := range 3 {
		if err := open(fmt.Sprint("user", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := open("user3"); !errors.Is(err, table.ErrBusy) {
		t.Errorf("a fourth study: %v, want %v", err, table.ErrBusy)
	}
	if err := open("user1"); err != nil {
		t.Errorf("another study in the place of one's own: %v", err)
	}
}

// A line holds at most table.MaxLine plays of its own, and a record at most so much; the version of
// a study tells old commands.
func TestStudiesHaveLimits(t *testing.T) {
	t.Parallel()
	b := newShip(t)
	defer b.sink()
	st, err := b.Studies.Open(t.Context(), "ann", table.Study{Table: 1})
	if err != nil {
		t.Fatal(err)
	}
	keep := func(user string, n int) (table.Study, error) {
		next := st
		next.Line = make([]string, n)
		return b.Studies.Keep(t.Context(), user, next)
	}
	if _, err := keep("ann", table.MaxLine+1); !errors.Is(err, table.ErrLongLine) {
		t.Errorf("%d plays: %v, want %v", table.MaxLine+1, err, table.ErrLongLine)
	}
	next, err := keep("ann", table.MaxLine)
	if err != nil || next.Version != st.Version+1 {
		t.Errorf("%d plays: version %d after %d, %v", table.MaxLine, next.Version, st.Version, err)
	}
	if _, err := keep("ann", 0); !errors.Is(err, storage.ErrStale) {
		t.Errorf("a change of what has changed since: %v, want %v", err, storage.ErrStale)
	}
	if _, err := keep("bob", 0); !errors.Is(err, table.ErrNoStudy) {
		t.Errorf("a change of another's study: %v, want %v", err, table.ErrNoStudy)
	}
	r := games.Record{Log: make([]games.Entry, table.MaxRecordPlays+1)}
	if err := new(table.Study).Pack(r); !errors.Is(err, table.ErrLongRecord) {
		t.Errorf("a record of %d plays: %v, want %v", len(r.Log), err, table.ErrLongRecord)
	}
}

// A play that the line has already goes on in it; another one drops what followed.
func TestStudyLines(t *testing.T) {
	t.Parallel()
	g, _ := catalog.Find("loyal-captain")
	m, err := games.NewMatch(g, games.Header{})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if err := m.Play(m.State().Moves()[0]); err != nil {
			t.Fatal(err)
		}
	}
	st := table.Study{Kept: 4, At: 1}
	st.Play(m, m.Log()[1].Text)
	if st.Kept != 4 || st.At != 2 || len(st.Line) != 0 {
		t.Errorf("after the game's own play: %+v", st)
	}
	at := m.Cut(2)
	moves := at.State().Moves()
	other := games.Spell(at.State(), moves[len(moves)-1])
	st.Play(m, other)
	if st.Kept != 2 || st.At != 3 || strings.Join(st.Line, " ") != other {
		t.Errorf("after another play: %+v", st)
	}
	line, err := st.Match(m)
	if err != nil || line.Len() != 3 || m.Len() != 4 {
		t.Fatalf("the line has %v plays and the game %d, %v", line, m.Len(), err)
	}
	st.At = 0
	st.Play(m, m.Log()[0].Text)
	if st.Kept != 2 || len(st.Line) != 1 || st.At != 1 {
		t.Errorf("after the line's first play: %+v", st)
	}
	if _, err := (table.Study{Kept: 5}).Match(m); !errors.Is(err, table.ErrNoStudy) {
		t.Errorf("a line that begins with more plays than there are: %v", err)
	}
}
