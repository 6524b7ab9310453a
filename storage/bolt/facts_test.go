package bolt

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// What a filter is given of a result is what the result says, whatever was in the lists that are used
// anew.
func TestFactsAreThoseOfTheResult(t *testing.T) {
	var scratch storage.Result
	rapid.Check(t, func(rt *rapid.T) {
		r := storage.Result{
			Table: 7, Game: rapid.SampledFrom([]string{"heap", "ship"}).Draw(rt, "game"), Guild: rapid.SampledFrom([]string{"", "g"}).Draw(rt, "server"),
			Drawn: rapid.Bool().Draw(rt, "drawn"), Ending: rapid.SampledFrom([]games.Ending{games.NotEnded, games.Agreed, games.Abandoned}).Draw(rt, "ending"),
			Plays: 12, Started: 3, Ended: 4,
		}
		for range rapid.IntRange(2, 6).Draw(rt, "seats") {
			r.Seats = append(r.Seats, rapid.SampledFrom([]storage.Occupant{
				{}, {User: "ann", Name: text.NewName("Captain Ann")}, {User: "an"}, {Computer: "hard", Name: text.NewName("Bosun")},
			}).Draw(rt, "holder"))
		}
		for seat := range r.Seats {
			if rapid.Bool().Draw(rt, "wins") {
				r.Winners = append(r.Winners, games.Seat(seat))
			}
		}
		b, err := encodeResult(r)
		if err != nil {
			rt.Fatal(err)
		}
		key := tableKey(r.Table)
		b = seal(resultBucket, key, b)
		whole, err := decodeResult(key, b)
		if diff := cmp.Diff(r, whole, cmpopts.EquateEmpty()); err != nil || diff != "" {
			rt.Fatal(err, diff)
		}
		want := storage.Result{Table: r.Table, Game: r.Game, Guild: r.Guild, Drawn: r.Drawn, Winners: r.Winners}
		if r.Ending == games.Abandoned {
			want.Ending = r.Ending
		}
		for _, o := range r.Seats {
			want.Seats = append(want.Seats, storage.Occupant{User: o.User, Computer: o.Computer})
		}
		if scratch, err = decodeFacts(key, b, scratch); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, scratch, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// A filter that finds nothing is shown as many results as it may look through and no more, and of each only what it asks for is
// decoded: its place and its names. All of a result would be ten times as many allocations.
func TestAFilterThatFindsNothingReadsLittle(t *testing.T) {
	s := openStore(t, file(t))
	s.db.NoSync = true
	const results = 600
	if err := fillLeague(t.Context(), s, results, 60); err != nil {
		t.Fatal(err)
	}
	shown := 0
	search := func(scan int) {
		list, err := s.Results(t.Context(), storage.ResultQuery{Guild: "g", Limit: 11, Scan: scan, Keep: func(storage.Result) bool { shown++; return false }})
		if err != nil || len(list) > 0 {
			t.Fatalf("%d results are found, %v", len(list), err)
		}
	}
	for _, tc := range []struct{ scan, want int }{{100, 100}, {500, 500}, {0, results}, {5000, results}} {
		shown = 0
		if search(tc.scan); shown != tc.want {
			t.Errorf("a search through %d of %d results is shown %d, want %d", tc.scan, results, shown, tc.want)
		}
	}
	const most = 3
	few, many := testing.AllocsPerRun(20, func() { search(100) }), testing.AllocsPerRun(20, func() { search(500) })
	if each := (many - few) / 400; each > most {
		t.Errorf("a result that is looked at takes %.2f allocations, want at most %d", each, most)
	}
}
