package study

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
	"marque/storage"
	"marque/storage/kv/strict"
)

// studies are studies in memory, at most most at a time.
func studies(t *testing.T, most int) *Studies {
	t.Helper()
	store, err := storage.Open(t.Context(), strict.New(storage.Cover))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	log := slog.New(slog.DiscardHandler)
	return NewStudies(table.New(table.Config{Store: store, Log: log}), store, nil, log, most)
}

// There are at most so many studies at a time; those that have ended make room, and whoever has one may begin another.
func TestStudiesAreBounded(t *testing.T) {
	t.Parallel()
	st := studies(t, 3)
	open := func(user string) error {
		_, err := st.Open(t.Context(), user, Study{storage.Study{Table: 1}})
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

// A line holds at most MaxLine plays of its own, and a record at most so much; the version of
// a study tells old commands.
func TestStudiesHaveLimits(t *testing.T) {
	t.Parallel()
	all := studies(t, 3)
	st, err := all.Open(t.Context(), "ann", Study{storage.Study{Table: 1}})
	if err != nil {
		t.Fatal(err)
	}
	keep := func(user string, n int) (Study, error) {
		next := st
		next.Line = make([]string, n)
		return all.Keep(t.Context(), user, next)
	}
	if _, err := keep("ann", MaxLine+1); !errors.Is(err, table.ErrLongLine) {
		t.Errorf("%d plays: %v, want %v", MaxLine+1, err, table.ErrLongLine)
	}
	next, err := keep("ann", MaxLine)
	if err != nil || next.Version != st.Version+1 {
		t.Errorf("%d plays: version %d after %d, %v", MaxLine, next.Version, st.Version, err)
	}
	if _, err := keep("ann", 0); !errors.Is(err, storage.ErrStale) {
		t.Errorf("a change of what has changed since: %v, want %v", err, storage.ErrStale)
	}
	if _, err := keep("bob", 0); !errors.Is(err, table.ErrNoStudy) {
		t.Errorf("a change of another's study: %v, want %v", err, table.ErrNoStudy)
	}
	r := games.Record{Log: make([]games.Entry, MaxRecordPlays+1)}
	if err := new(Study).Pack(r); !errors.Is(err, table.ErrLongRecord) {
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
	st := Study{storage.Study{Prefix: 4, At: 1}}
	st.Play(m, m.Log()[1].Text)
	if st.Prefix != 4 || st.At != 2 || len(st.Line) != 0 {
		t.Errorf("after the game's own play: %+v", st)
	}
	at := m.Cut(2)
	moves := at.State().Moves()
	other := games.Spell(at.State(), moves[len(moves)-1])
	st.Play(m, other)
	if st.Prefix != 2 || st.At != 3 || strings.Join(st.Line, " ") != other {
		t.Errorf("after another play: %+v", st)
	}
	line, err := st.Match(m)
	if err != nil || line.Len() != 3 || m.Len() != 4 {
		t.Fatalf("the line has %v plays and the game %d, %v", line, m.Len(), err)
	}
	st.At = 0
	st.Play(m, m.Log()[0].Text)
	if st.Prefix != 2 || len(st.Line) != 1 || st.At != 1 {
		t.Errorf("after the line's first play: %+v", st)
	}
	if _, err := (Study{storage.Study{Prefix: 5}}).Match(m); !errors.Is(err, table.ErrNoStudy) {
		t.Errorf("a line that begins with more plays than there are: %v", err)
	}
}
