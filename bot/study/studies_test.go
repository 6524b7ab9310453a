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

// studies returns a Studies in memory that keeps at most the given number of studies.
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

// The number of studies is limited, but a user who has a study can replace it with another one.
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

// A line with more than MaxLine plays after those of the game is refused, and so are a record with more than
// MaxRecordPlays plays, a change that is based on an old version of a study, and a change of another user's study.
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

// Playing the next play of the line advances in it. A different play replaces the rest of the line.
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
