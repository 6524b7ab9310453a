package storage_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"marque/games"
	"marque/storage"
	"marque/storage/storagetest"
)

// A user can make one prediction for a table, within limits. It counts for the month in which it was made, and its
// points follow from the table's current result. Nothing is left of the predictions of a forgotten user or a deleted
// server.
func predictions(t *testing.T, s *store) {
	ctx := t.Context()
	at := func(text string) storage.Stamp {
		moment, err := time.Parse(time.RFC3339, text)
		s.must(err)
		return storage.At(moment)
	}
	first, last := at("2026-11-01T00:00:00Z"), at("2026-10-31T23:59:59Z")
	anything := func(storage.Head) error { return nil }
	playing := func(server string) storage.Head {
		return s.commit(storagetest.Next(s.create(storagetest.Opening(server, "c-"+server, "ann", "bob")), 3))
	}
	head := playing("g")
	predict := func(user string, h storage.Head, seat games.Seat, chance int, at storage.Stamp, want error) {
		t.Helper()
		p := storage.Prediction{User: user, Table: h.ID, Seat: seat, Chance: chance, Play: 3, At: at}
		err := s.AddPrediction(ctx, p, anything)
		if !errors.Is(err, want) {
			t.Errorf("%s predicts: %v, want %v", user, err, want)
		}
	}
	predict("cid", head, 0, 250, last, nil)
	predict("cid", head, 1, 750, first, storage.ErrPredicted) // a second prediction is refused in another month, too
	predict("dan", head, 1, 750, first, nil)
	predict("", head, 0, 0, first, storage.ErrInvalid)
	predict("eve", head, 0, 1001, first, storage.ErrInvalid)
	predict("eve", storage.Head{ID: 999}, 0, 1, first, storage.ErrNoTable)
	no := errors.New("no")
	err := s.AddPrediction(ctx, storage.Prediction{User: "eve", Table: head.ID, At: first}, func(h storage.Head) error {
		if h.ID != head.ID {
			t.Errorf("what is checked is table %d", h.ID)
		}
		return no
	})
	if !errors.Is(err, no) {
		t.Errorf("what was checked and refused is %v", err)
	}
	points := func(what string, list []storage.Prediction, err error, want ...string) {
		t.Helper()
		var got []string
		for _, p := range list {
			n, counts := p.Points()
			got = append(got, fmt.Sprint(p.User, " ", p.Server, " ", p.Seat, " ", n, " ", counts))
		}
		s.same(what, want, got, err)
	}
	table := func(what string, want ...string) {
		t.Helper()
		list, err := s.PredictionsAt(ctx, head.ID)
		points(what, list, err, want...)
	}
	month := func(month, user string, want ...string) {
		t.Helper()
		list, err := s.PredictionsIn(ctx, "g", month, user)
		points("the month "+month, list, err, want...)
	}
	table("before the end", "cid g 0 0 false", "dan g 1 0 false")
	s.commit(storagetest.Ending(head, 0))
	for range 2 {
		table("a win and a loss", "cid g 0 750 true", "dan g 1 -750 true")
		month("2026-10", "", "cid g 0 750 true")
		month("2026-11", "", "dan g 1 -750 true")
		month("2026-11", "cid")
		month("2026-10", "cid", "cid g 0 750 true")
		s.again()
	}
	_, err = s.Void(ctx, head.ID, &storage.Voiding{By: "mod", At: 5})
	s.must(err)
	table("a void result", "cid g 0 0 false", "dan g 1 0 false")
	_, err = s.Void(ctx, head.ID, nil)
	s.must(err)
	table("put back", "cid g 0 750 true", "dan g 1 -750 true")

	// A prediction by a user who had a seat at the end does not count. If several seats win, each of them counts as a
	// share of a win.
	shared := playing("g")
	predict("cid", shared, 0, 400, first, nil)
	predict("bob", shared, 0, 400, first, nil)
	s.commit(storagetest.Ending(shared, 0, 1))
	month("2026-11", "", "dan g 1 -750 true", "bob g 0 0 false", "cid g 0 100 true")

	// A user who takes a seat during the game loses their prediction, even if another player has the seat at the end.
	taken := playing("t")
	predict("cid", taken, 0, 400, last, nil)
	predict("eve", taken, 0, 400, last, nil)
	takes := storagetest.Next(taken, 1)
	takes.Events = append(takes.Events, storage.Event{Kind: storage.Taken, Version: takes.Head.Version, User: "cid"})
	takes.Head.Events++
	s.commit(storagetest.Ending(s.commit(takes), 0))
	left, err := s.PredictionsAt(ctx, taken.ID)
	points("after one took a seat", left, err, "eve t 0 600 true")
	own, err := s.PredictionsIn(ctx, "t", "2026-10", "cid")
	points("of who took a seat", own, err)

	// A user may make MaxPredictionsOf predictions a day on a server.
	for i := range storage.MaxPredictionsOf {
		want := error(nil)
		if i == storage.MaxPredictionsOf-1 { // cid has already made one on this day
			want = storage.ErrPredictedMuch
		}
		predict("cid", playing("g"), 0, 500, first, want)
	}
	predict("cid", playing("g"), 0, 500, at("2026-11-02T00:00:00Z"), nil)
	predict("cid", playing("h"), 0, 500, first, nil)
	s.deleteGuild("h")
	if list, err := s.PredictionsIn(ctx, "h", "2026-11", ""); err != nil || len(list) > 0 {
		t.Errorf("a deleted server has predictions: %v, %v", list, err)
	}

	// A table can have at most MaxPredictionsAt predictions.
	full := playing("k")
	for i := range storage.MaxPredictionsAt {
		predict(fmt.Sprint("w", i), full, 0, 500, first, nil)
	}
	predict("cid", full, 0, 500, first, storage.ErrPredictions)
	s.owns("predicted", "dan", fmt.Sprintf(
		`what user dan predicted on server g in 2026-11 of table %d: {"seat":1,"chance":750,"play":3,"at":%d}`, head.ID, first))
	s.forget("dan", storage.Departed+"77")
	if s.holds("dan") {
		t.Error("something of who is forgotten is left")
	}
	table("after one was forgotten", "cid g 0 750 true")
}
