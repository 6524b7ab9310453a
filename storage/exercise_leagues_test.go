package storage_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"marque/games"
	"marque/games/rating"
	"marque/games/text"
	"marque/storage"
	"marque/storage/storagetest"
)

func standings(t *testing.T, s *store) {
	ctx := t.Context()
	play := func(c storage.Change, edit func(*storage.Result), winners ...games.Seat) {
		t.Helper()
		end := storagetest.Ending(s.create(c), winners...)
		if edit != nil {
			edit(end.Result)
		}
		end.Head.Ending = end.Result.Ending
		s.commit(end)
	}
	play(storagetest.Opening("g", "c", "ann", "bob"), nil, 0)
	play(storagetest.Opening("g", "c", "bob", "ann"), nil, 1)
	play(storagetest.Opening("g", "c", "ann", "cid"), func(r *storage.Result) { r.Drawn = true }, 0, 1)
	play(storagetest.Opening("g", "c", "bob", "cid"), nil, 0, 1)
	play(storagetest.Opening("g", "c", "ann", "bob"), func(r *storage.Result) { r.Ending = games.Abandoned })
	play(storagetest.Opening("g", "c", "ann", "bob"), func(r *storage.Result) { r.Unrated = true }, 0)
	play(storagetest.Opening("elsewhere", "c", "cid", "ann"), nil, 0)
	other := storagetest.Opening("g", "c", "bob", "cid")
	other.Head.Game = "ship"
	play(other, nil, 0)
	computer := storagetest.Opening("g", "c", "dan", "x")
	computer.Head.Seats[1] = storage.Occupant{Name: text.NewName("Hard"), Computer: "hard"}
	play(computer, nil, 1)
	lines := func(b storage.Board, offset, limit int) []storage.Standing {
		t.Helper()
		page, err := s.Leaderboard(ctx, storage.BoardQuery{Board: b, Offset: offset, Limit: limit})
		s.must(err)
		var list []storage.Standing
		for _, l := range page.Lines {
			l.Last, l.Name, l.Rating, l.Number, l.Met = 0, text.NewName(""), rating.Rating{}, 0, nil
			list = append(list, l.Standing)
		}
		return list
	}
	heap := storage.Board{Guild: "g", Game: "heap"}
	want := []storage.Standing{
		{Player: "ann", Games: 3, Wins: 2, Draws: 1, Best: 2},
		{Player: "cid", Games: 2, Wins: 1, Shared: 1, Draws: 1, Streak: 1, Best: 1},
		{Player: "bob", Games: 3, Wins: 1, Shared: 1, Streak: 1, Best: 1},
	}
	for _, how := range []string{"at once", "after opening it again"} {
		s.same("heap in g "+how, want, lines(heap, 0, 10), nil)
		s.same("the page of one after the first "+how, want[1:2], lines(heap, 1, 1), nil)
		if all := lines(storage.Board{Guild: "g"}, 0, 9); len(all) != 3 ||
			all[0].Games+all[1].Games+all[2].Games != 10 {
			t.Errorf("all games in g %s: %+v, want three players with ten games among them", how, all)
		}
		s.same("with computers "+how, []storage.Standing{{Player: "~hard", Games: 1, Wins: 1, Streak: 1, Best: 1},
			{Player: "dan", Games: 1, Streak: -1}},
			lines(storage.Board{Guild: "g", Game: "heap", Computers: true}, 0, 9), nil)
		s.again()
	}
	if line, err := s.Standing(ctx, heap, "nobody"); err != nil || !line.Equal(storage.Standing{Player: "nobody"}) {
		t.Errorf("who never played: %+v, %v", line, err)
	}
	ann, err := s.Standing(ctx, heap, "ann")
	if err != nil || ann.Name != text.NewName("Captain ann") || ann.Last != 1010 || ann.Rating == rating.New() {
		t.Errorf("ann's line: %+v, %v", ann, err)
	}
	// A result has the players' ratings after the game, as on the leaderboard of the result's game.
	r, err := s.Result(ctx, 4)
	bob, _ := s.Standing(ctx, heap, "bob")
	if err != nil || len(r.Ratings) != 2 || r.Ratings[0] != bob.Rating {
		t.Errorf("the ratings after bob's last game are %v, %v; bob's is %v", r.Ratings, err, bob.Rating)
	}
	if r, err := s.Result(ctx, 5); err != nil || r.Ratings != nil {
		t.Errorf("an abandoned game has the ratings %v, %v", r.Ratings, err)
	}
	if _, err := s.Result(ctx, 999); !errors.Is(err, storage.ErrNoResult) {
		t.Errorf("the result of an unknown table: %v, want %v", err, storage.ErrNoResult)
	}
}

func ranks(t *testing.T, s *store) {
	ctx := t.Context()
	// Two pairs with one game each, one pair with two games, and one departed player.
	for _, users := range [][]string{{"eve", "fay"}, {"ann", "bob"}, {"cid", "dan"}, {"cid", "dan"},
		{storage.Departed + "1", "gus"}} {
		s.commit(storagetest.Ending(s.create(storagetest.Opening("g", "c", users...)), 0))
	}
	page := func(q storage.BoardQuery) storage.BoardPage {
		t.Helper()
		q.Guild = "g"
		p, err := s.Leaderboard(ctx, q)
		s.must(err)
		return p
	}
	names := func(p storage.BoardPage) (list []string) {
		for _, l := range p.Lines {
			list = append(list, fmt.Sprintf("%d %s %d", l.Rank, l.Player, l.Games))
		}
		return list
	}
	all := []string{"1 cid 2", "2 ann 1", "2 eve 1", "4 bob 1", "4 fay 1", "4 gus 1", "7 dan 2"}
	for i, o := range []storage.Board{{}, {Game: "heap"}} {
		p := page(storage.BoardQuery{Board: o, Limit: 10})
		s.same(fmt.Sprint("all lines of board ", i), all, names(p), nil)
		if p.Total != 7 || p.Recounting {
			t.Errorf("%d lines in total, being counted %v; want 7, not", p.Total, p.Recounting)
		}
	}
	p := page(storage.BoardQuery{Offset: 2, Limit: 3, Own: "fay"})
	s.same("the second page", all[2:5], names(p), nil)
	if p.Total != 7 || p.Own.Player != "fay" || p.Own.Rank != 4 || p.Own.Games != 1 {
		t.Errorf("of a page with an own line: total %d, own %+v", p.Total, p.Own)
	}
	if p = page(storage.BoardQuery{Least: 2, Limit: 10, Own: "cid"}); p.Total != 0 || p.Own.Rank != 0 ||
		p.Own.Games != 2 {
		t.Errorf("where nobody has met two people %d are ranked, own %+v", p.Total, p.Own)
	}
	s.commit(storagetest.Ending(s.create(storagetest.Opening("g", "c", "cid", "gus")), 0))
	p = page(storage.BoardQuery{Least: 2, Limit: 10, Own: "ann"})
	s.same("who has played twice", []string{"1 cid 3", "2 gus 2"}, names(p), nil)
	if p.Total != 2 || p.Own.Rank != 0 || p.Own.Games != 1 {
		t.Errorf("of who has not played enough: total %d, own %+v", p.Total, p.Own)
	}
	if p = page(storage.BoardQuery{Limit: 10, Own: "zoe"}); p.Own.Games != 0 || p.Own.Player != "zoe" ||
		p.Own.Rank != 0 {
		t.Errorf("of who has not played: own %+v", p.Own)
	}
	if p = page(storage.BoardQuery{Offset: 100, Limit: 10}); len(p.Lines) != 0 || p.Total != 7 {
		t.Errorf("behind the last line: %d lines, total %d", len(p.Lines), p.Total)
	}
}

// A seat without an occupant is on no leaderboard. The other player is rated nevertheless.
func emptySeat(t *testing.T, s *store) {
	h := s.create(storagetest.Opening("g", "c", "ann", "bob"))
	h.Seats = []storage.Occupant{h.Seats[0], {}}
	s.commit(storagetest.Ending(h, 0))
	page, err := s.Leaderboard(t.Context(), storage.BoardQuery{Board: storage.Board{Guild: "g"}, Limit: 10})
	if err != nil || page.Total != 1 || page.Lines[0].Player != "ann" || page.Lines[0].Wins != 1 ||
		page.Lines[0].Rating == rating.New() {
		t.Errorf("%+v, %v", page, err)
	}
}

// A computer player that holds several seats has one line on the leaderboard, to which the mean of its seats' changes
// is applied.
func severalSeats(t *testing.T, s *store) {
	h := s.create(storagetest.Opening("g", "c", "ann", "bob"))
	h.Seats = []storage.Occupant{{User: "ann"}, {Computer: "easy"}, {Computer: "easy"}, {Computer: "hard"}}
	c := storagetest.Ending(h, 1)
	c.Result.Scores = []int{5, 9, 1, 7}
	s.commit(c)
	after := rating.Rate([]rating.Rating{rating.New(), rating.New(), rating.New(), rating.New()}, []int{3, 1, 4, 2},
		func(i, j int) float64 { return 1 })
	mean := rating.Rating{Mu: (after[1].Mu + after[2].Mu) / 2, Sigma: (after[1].Sigma + after[2].Sigma) / 2}.Round()
	b := storage.Board{Guild: "g", Game: "heap", Computers: true}
	for _, want := range []storage.Standing{
		{Player: "~easy", Rating: mean, Games: 2, Wins: 1, Streak: -1, Best: 1, Last: 1010},
		{Player: "~hard", Rating: after[3].Round(), Games: 1, Streak: -1, Last: 1010},
		{Player: "ann", Rating: after[0].Round(), Games: 1, Streak: -1, Last: 1010},
	} {
		got, err := s.Standing(t.Context(), b, want.Player)
		got.Number = 0
		s.same("the line of "+want.Player, want, got, err)
	}
	r, err := s.Result(t.Context(), h.ID)
	s.same("the ratings of the result", []rating.Rating{after[0].Round(), mean, mean, after[3].Round()}, r.Ratings, err)
}

func seasons(t *testing.T, s *store) {
	ctx := t.Context()
	if l, err := s.League(ctx, "g"); err != nil || l.Least != 0 || len(l.Seasons) != 0 {
		t.Errorf("what was never set is %+v, %v", l, err)
	}
	if _, err := s.EndSeason(ctx, "g", 5); !errors.Is(err, storage.ErrNoSeason) {
		t.Errorf("ending no season: %v, want %v", err, storage.ErrNoSeason)
	}
	play := func() storage.ID {
		h := s.create(storagetest.Opening("g", "c", "ann", "bob"))
		s.commit(storagetest.Ending(h, 0))
		return h.ID
	}
	before := play()
	s.must(s.SetLeast(ctx, "g", 3))
	first := storage.Season{Number: 1, Name: text.NewName("The first"), Started: 10}
	got, err := s.StartSeason(ctx, "g", first.Name, 10)
	s.same("the first season", first, got, err)
	if _, err := s.StartSeason(ctx, "g", text.NewName("x"), 11); !errors.Is(err, storage.ErrSeasonRuns) {
		t.Errorf("another season while one runs: %v, want %v", err, storage.ErrSeasonRuns)
	}
	s.again()
	in := play()
	first.Ended = 20
	got, err = s.EndSeason(ctx, "g", 20)
	s.same("the first season, ended", first, got, err)
	between := play()
	second := storage.Season{Number: 2, Started: 30}
	got, err = s.StartSeason(ctx, "g", second.Name, 30)
	s.same("the second season", second, got, err)
	then := []storage.ID{play(), play()}
	league, err := s.League(ctx, "g")
	s.same("the league", storage.League{Least: 3, Seasons: []storage.Season{first, second}}, league, err)
	for season, want := range []int{5, 1, 2, 0} {
		l, err := s.Standing(ctx, storage.Board{Guild: "g", Season: season}, "ann")
		if err != nil || l.Games != want {
			t.Errorf("in season %d ann has %d games, %v; want %d", season, l.Games, err, want)
		}
	}
	for id, want := range map[storage.ID]int{before: 0, in: 1, between: 0, then[0]: 2, then[1]: 2} {
		if r, err := s.Result(ctx, id); err != nil || r.Season != want {
			t.Errorf("the result of table %d is of season %d, %v; want %d", id, r.Season, err, want)
		}
	}
	if l, err := s.League(ctx, "h"); err != nil || len(l.Seasons) != 0 {
		t.Errorf("another server has %+v, %v", l, err)
	}
	// A voided result that is put back counts in the season in which its game ended.
	for _, v := range []*storage.Voiding{{By: "mod", At: 3, Why: text.NewName("why")}, nil} {
		_, err := s.Void(ctx, in, v)
		s.must(err)
		s.done(storage.Recounting, "g")
		want := 1
		if v != nil {
			want = 0
		}
		if l, err := s.Standing(ctx, storage.Board{Guild: "g", Season: 1}, "ann"); err != nil || l.Games != want {
			t.Errorf("voided %v: in season 1 ann has %d games, %v; want %d", v != nil, l.Games, err, want)
		}
	}
	for n := 2; n < storage.MaxSeasons; n++ {
		if n%100 > 2 { // three seasons of each hundred are enough, and faster
			continue
		}
		_, err := s.EndSeason(ctx, "g", storage.Stamp(40+n))
		s.must(err)
		_, err = s.StartSeason(ctx, "g", text.NewName(""), storage.Stamp(41+n))
		s.must(err)
	}
	for _, guild := range []string{"a\x00b"} {
		if err := s.SetLeast(ctx, guild, 3); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("a server with a zero byte: %v, want %v", err, storage.ErrInvalid)
		}
		if _, err := s.StartSeason(ctx, guild, text.NewName(""), 3); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("a season of a server with a zero byte: %v, want %v", err, storage.ErrInvalid)
		}
	}
}

// ended plays seven games to their end. Up to two of them end in the same millisecond.
func (s *store) ended() {
	for i := range 7 {
		c := storagetest.Opening("g", "c", "ann", []string{"bob", "cid"}[i%2])
		c.Head.Game = []string{"heap", "ship"}[i/4]
		end := storagetest.Ending(s.create(c), 0)
		end.Result.Ended = storage.Stamp(100 + i/2)
		s.commit(end)
	}
}

func (s *store) resultsOf(q storage.ResultQuery) (list []storage.ID) {
	s.t.Helper()
	for {
		page, err := s.Results(context.Background(), q)
		s.must(err)
		for _, r := range page {
			list = append(list, r.Table)
		}
		if len(page) < q.Limit {
			return list
		}
		q.Before = page[len(page)-1]
	}
}

func latestFirst(_ *testing.T, s *store) {
	s.ended()
	for range 2 {
		for _, tc := range []struct {
			name string
			q    storage.ResultQuery
			want []storage.ID
		}{
			{"server", storage.ResultQuery{Guild: "g", Limit: 2}, []storage.ID{7, 5, 6, 3, 4, 1, 2}},
			{"game", storage.ResultQuery{Guild: "g", Game: "ship", Limit: 2}, []storage.ID{7, 5, 6}},
			{"user", storage.ResultQuery{User: "bob", Limit: 10}, []storage.ID{7, 5, 3, 1}},
			{"user and game", storage.ResultQuery{User: "bob", Game: "heap", Limit: 1}, []storage.ID{3, 1}},
			{"user and server", storage.ResultQuery{User: "bob", Guild: "g", Limit: 3}, []storage.ID{7, 5, 3, 1}},
			{"user elsewhere", storage.ResultQuery{User: "bob", Guild: "h", Limit: 3}, nil},
			{"another server", storage.ResultQuery{Guild: "h", Limit: 5}, nil},
		} {
			s.same(tc.name, tc.want, s.resultsOf(tc.q), nil)
		}
		s.again()
	}
}

func chosenByFacts(t *testing.T, s *store) {
	ctx := t.Context()
	s.ended()
	h := s.create(storagetest.Opening("g", "c", "ann", "bob"))
	h.Seats = []storage.Occupant{{User: "ann", Name: text.NewName("Ann")}, {Computer: "hard"}, {}}
	c := storagetest.Ending(h)
	c.Result.Ending, c.Result.Ended, c.Head.Ending = games.Abandoned, 500, games.Abandoned
	s.commit(c)
	h = s.create(storagetest.Opening("g", "c", "ann", "bob"))
	c = storagetest.Ending(h, 0, 1)
	c.Result.Drawn, c.Result.Ended = true, 400
	s.commit(c)
	var seen []storage.Result
	keep := func(r storage.Result) bool {
		f := storage.Result{Table: r.Table, Game: r.Game, Guild: r.Guild, Drawn: r.Drawn}
		if r.Ending == games.Abandoned {
			f.Ending = r.Ending
		}
		f.Winners = append(f.Winners, r.Winners...)
		for _, o := range r.Seats {
			f.Seats = append(f.Seats, storage.Occupant{User: o.User, Computer: o.Computer})
		}
		seen = append(seen, f)
		return r.Drawn || r.Table == 3
	}
	list, err := s.Results(ctx, storage.ResultQuery{Guild: "g", Limit: 2, Keep: keep})
	s.must(err)
	if len(list) != 2 || list[0].Table != 9 || list[1].Table != 3 || list[0].Plays != 1 || len(list[0].Ratings) != 2 ||
		list[0].Seats[0].Name != text.NewName("Captain ann") {
		t.Errorf("chosen: %+v, want the whole results of tables 9 and 3", list)
	}
	two := []storage.Occupant{{User: "ann"}, {User: "bob"}}
	want := []storage.Result{
		{Table: 8, Game: "heap", Guild: "g", Ending: games.Abandoned, Seats: []storage.Occupant{{User: "ann"}, {Computer: "hard"}, {}}},
		{Table: 9, Game: "heap", Guild: "g", Drawn: true, Winners: []games.Seat{0, 1}, Seats: two},
		{Table: 7, Game: "ship", Guild: "g", Winners: []games.Seat{0}, Seats: two},
	}
	s.same("what the filter was given first", want, seen[:min(3, len(seen))], nil)
	seen = nil
	list, err = s.Results(ctx, storage.ResultQuery{Guild: "g", Limit: 9, Keep: keep, Scan: 4})
	if err != nil || len(seen) != 4 || len(list) != 1 {
		t.Errorf("of four that are looked at: %d chosen of %d, %v; want 1", len(list), len(seen), err)
	}
	// Results of another game are read, but not passed to the query's filter.
	seen = nil
	list, err = s.Results(ctx, storage.ResultQuery{User: "bob", Game: "heap", Limit: 9,
		Keep: func(r storage.Result) bool { seen = append(seen, r); return true }})
	if err != nil || len(list) != 3 || len(seen) != 3 {
		t.Errorf("bob's games of heap: %d of %d, %v; want 3", len(list), len(seen), err)
	}
}

func stats(t *testing.T, s *store) {
	ctx := t.Context()
	const week = storage.Stamp(7 * 24 * 3600 * 1000)
	now := 100 * week
	play := func(guild, game string, plays int, ended storage.Stamp, ending games.Ending) storage.ID {
		c := storagetest.Opening(guild, "c", "ann", "bob")
		c.Head.Game = game
		end := storagetest.Ending(s.create(c), 0)
		end.Result.Plays, end.Result.Ended, end.Result.Ending, end.Head.Ending = plays, ended, ending, ending
		s.commit(end)
		return end.Head.ID
	}
	long := []storage.ID{play("g", "heap", 90, now-1, ""), play("g", "ship", 80, now-week, ""),
		play("g", "heap", 80, now-3*week+1, "")}
	play("g", "heap", 80, now-storage.StatWeeks*week, "") // before the first week that is counted
	play("g", "heap", 900, now, games.Abandoned)
	play("g", "gone", 5, now, "")
	play("h", "heap", 999, now, "")
	want := storage.Stats{
		Games: []storage.GameStats{{Game: "ship", Count: 1, Last: now - week}, {Game: "heap", Count: 3, Last: now - 1}},
		Weeks: []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1},
	}
	for _, id := range long {
		r, err := s.Result(ctx, id)
		s.must(err)
		want.Longest = append(want.Longest, r)
	}
	got, err := s.Stats(ctx, "g", []string{"ship", "none", "heap"}, now)
	s.same("what the server has played", want, got, err)
	got, err = s.Stats(ctx, "nowhere", []string{"ship"}, now)
	s.same("what nobody has played", storage.Stats{Weeks: make([]int, storage.StatWeeks)}, got, err)
}

// counted fails the test if the leaderboards do not follow from the results.
func (s *store) counted() {
	s.t.Helper()
	done, err := s.Rebuild(context.Background())
	if err != nil || done.Changed != 0 {
		s.t.Errorf("counting everything anew changed %d of %+v, %v", done.Changed, done, err)
	}
}

// Each result is counted exactly once, even if one is voided and put back while other games end.
func voidingMeanwhile(t *testing.T, s *store) {
	ctx := t.Context()
	end := func(i int) storage.ID {
		h := s.create(storagetest.Opening("g", "c", []string{"ann", "bob", "cid"}[i%3], "dan"))
		s.commit(storagetest.Ending(h, games.Seat(i%2)))
		return h.ID
	}
	first := end(0)
	errs := atOnce(11, func(i int) error {
		if i == 0 {
			for i := range 40 {
				c := storagetest.Opening("g", "c", []string{"ann", "bob", "cid"}[i%3], "dan")
				id, err := s.Create(ctx, c)
				if err != nil {
					return err
				}
				c.Head.ID = id
				if err := s.Commit(ctx, storagetest.Ending(c.Head, games.Seat(i%2))); err != nil {
					return err
				}
			}
			return nil
		}
		for _, v := range []*storage.Voiding{{By: "mod"}, nil} {
			if _, err := s.Void(ctx, first, v); err != nil {
				return err
			}
		}
		return nil
	})
	s.must(errors.Join(errs...))
	if r, err := s.Void(ctx, first, &storage.Voiding{By: "mod"}); err != nil || r.Voided == nil || r.Ratings != nil {
		t.Errorf("the voided result is %+v, %v", r, err)
	}
	s.done(storage.Recounting, "g")
	line, err := s.Standing(ctx, storage.Board{Guild: "g"}, "dan")
	if err != nil || line.Games != 40 {
		t.Errorf("dan has %d games, %v; want the 40 that count", line.Games, err)
	}
	if _, err := s.Void(ctx, 999, nil); !errors.Is(err, storage.ErrNoResult) {
		t.Errorf("voiding a table without a result: %v, want %v", err, storage.ErrNoResult)
	}
	s.counted()
}

// played plays n games among eight players to their end on a server.
func (s *store) played(guild string, n int) {
	s.t.Helper()
	for i := range n {
		h := s.create(storagetest.Opening(guild, "c", fmt.Sprint("sailor", i%7), "dan"))
		s.commit(storagetest.Ending(h, games.Seat(i%2)))
	}
}

// crowd plays n games among the same players as played, but 16 games at a time, which is faster. n must be a
// multiple of 16.
func (s *store) crowd(guild string, n int) {
	s.t.Helper()
	ctx := context.Background()
	s.must(errors.Join(atOnce(16, func(at int) error {
		for i := range n / 16 {
			c := storagetest.Opening(guild, "c", fmt.Sprint("sailor", (i+at)%7), "dan")
			id, err := s.Create(ctx, c)
			if err != nil {
				return err
			}
			c.Head.ID = id
			if err := s.Commit(ctx, storagetest.Ending(c.Head, games.Seat(i%2))); err != nil {
				return err
			}
		}
		return nil
	})...))
}

// A result that is voided, put back and voided again is voided in the end.
func voidedAndBack(t *testing.T, s *store) {
	ctx := t.Context()
	s.played("g", 30)
	want := s.board("g")
	v := &storage.Voiding{By: "mod", At: 77, Why: text.NewName("they said so")}
	r, err := s.Void(ctx, 1, v)
	if err != nil || r.Voided == nil || *r.Voided != *v || r.Ratings != nil {
		t.Errorf("the voided result is %+v, %v", r, err)
	}
	_, err = s.Void(ctx, 1, nil)
	s.must(err)
	s.done(storage.Recounting, "g")
	s.same("voided and put back", want, s.board("g"), nil)
	_, err = s.Void(ctx, 1, v)
	s.must(err)
	s.done(storage.Recounting, "g")
	if l, err := s.Standing(ctx, storage.Board{Guild: "g"}, "sailor0"); err != nil || l.Games != 4 {
		t.Errorf("sailor0 has %d games, %v; want 4 of 5", l.Games, err)
	}
	s.counted()
	s.again()
	r, err = s.Result(ctx, 1)
	s.same("the voiding after opening it again", v, r.Voided, err)
	for _, r := range s.resultsOf(storage.ResultQuery{User: "sailor0", Limit: 100}) {
		if _, err := s.Result(ctx, r); err != nil {
			t.Errorf("result %d: %v", r, err)
		}
	}
}

// Games that end at the same time are each counted once, even among the same players. Each result has its own place in
// the order of its server's results.
func manyEnd(t *testing.T, s *store) {
	ctx := t.Context()
	const each = 12
	var heads []storage.Head
	for i := range 8 * each {
		heads = append(heads, s.create(storagetest.Opening([]string{"g", "h"}[i%2], "c",
			[]string{"ann", "bob", "cid"}[i%3], "dan")))
	}
	errs := atOnce(8, func(i int) error {
		for j, h := range heads[i*each : (i+1)*each] {
			if err := s.Commit(ctx, storagetest.Ending(h, games.Seat(j%2))); err != nil {
				return err
			}
		}
		return nil
	})
	s.must(errors.Join(errs...))
	for _, g := range []string{"g", "h"} {
		if l, err := s.Standing(ctx, storage.Board{Guild: g}, "dan"); err != nil || l.Games != 4*each {
			t.Errorf("in %s dan has %d games, %v; want %d", g, l.Games, err, 4*each)
		}
	}
	type place struct {
		guild string
		order uint64
	}
	orders := map[place]storage.ID{}
	for _, h := range heads {
		r, err := s.Result(ctx, h.ID)
		s.must(err)
		at := place{r.Guild, r.Order}
		if other, taken := orders[at]; taken {
			t.Errorf("tables %d and %d have the same order", other, h.ID)
		}
		orders[at] = h.ID
	}
	s.counted()
}
