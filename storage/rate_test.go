package storage

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"marque/games"
	"marque/games/rating"
)

// board is an in-memory leaderboard.
type board map[string]*Standing

// play counts a game among people, which the first of them wins.
func (b board) play(t *testing.T, table ID, ended Stamp, brief uint64, users ...string) Result {
	t.Helper()
	r := Result{Table: table, Guild: "g", Game: "heap", Winners: []games.Seat{0}, Ended: ended, DecidedFew: brief}
	for _, u := range users {
		r.Seats = append(r.Seats, Occupant{User: u})
	}
	return b.count(t, r)
}

// count rates a result and updates the players' standings.
func (b board) count(t *testing.T, r Result) Result {
	t.Helper()
	err := r.Rate(func(of Board, player string) (*Standing, error) {
		key := fmt.Sprint(of, player)
		if of.Game == "heap" {
			key = player
		}
		if b[key] == nil {
			b[key] = &Standing{Player: player, Rating: rating.New()}
		}
		return b[key], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Among people, a result does not change the rating of a player who made fewer than LeastDecisions decisions, and
// nobody gains from that player.
func TestBriefResultsWeighNothing(t *testing.T) {
	b := board{}
	if r := b.play(t, 1, 1, 0b10, "ann", "bob"); r.Counts() || r.Ratings != nil || len(b) != 0 {
		t.Errorf("a game that bob resigned at once counts: %+v", b)
	}
	r := b.play(t, 2, 2, 0b100, "ann", "bob", "cid")
	if !r.Counts() || b["ann"].Games != 1 || b["bob"].Games != 1 || b["cid"].Games != 0 ||
		b["cid"].Rating != rating.New() {
		t.Errorf("of three, cid resigned at once: ann %+v, bob %+v, cid %+v", b["ann"], b["bob"], b["cid"])
	}
	two := board{}
	two.play(t, 1, 2, 0, "ann", "bob")
	if b["ann"].Rating != two["ann"].Rating || b["bob"].Rating != two["bob"].Rating {
		t.Errorf("between ann and bob the game of three weighs %+v, a game of two %+v", b["ann"].Rating,
			two["ann"].Rating)
	}
}

// A result counts between a person and a computer from the first move. It does not count between two people if one of
// them made too few decisions.
func TestBriefResultsWithComputers(t *testing.T) {
	r := Result{Table: 1, Guild: "g", Game: "heap", Winners: []games.Seat{0}, DecidedFew: 0b010,
		Seats: []Occupant{{User: "ann"}, {User: "bob"}, {Computer: "easy"}}}
	rate := func(r *Result) board {
		lines := board{}
		if err := r.Rate(func(of Board, player string) (*Standing, error) {
			if of.Game == AllGames {
				return &Standing{Player: player, Rating: rating.New()}, nil
			}
			if lines[player] == nil {
				lines[player] = &Standing{Player: player, Rating: rating.New()}
			}
			return lines[player], nil
		}); err != nil {
			t.Fatal(err)
		}
		return lines
	}
	lines := rate(&r)
	alone := Result{Table: 2, Guild: "g", Game: "heap", Winners: []games.Seat{0},
		Seats: []Occupant{{User: "ann"}, {Computer: "easy"}}}
	if one := rate(&alone)["ann"].Rating; lines["ann"].Rating != one || lines["ann"].Met != nil {
		t.Errorf("beside bob, who resigned at once, the computer's loss makes ann %+v, without him %+v", lines["ann"],
			one)
	}
	if l := lines["bob"]; l.Games != 1 || l.Streak != -1 || l.Rating == rating.New() {
		t.Errorf("bob, who left the computer, has %+v", l)
	}
}

// A player who leaves a game early loses as much as one who stays to the end. If the player stayed for a fifth, the
// winner gains a fifth.
func TestLeavingEarlyLiftsLittle(t *testing.T) {
	play := func(stayed []int) board {
		b := board{}
		b.count(t, Result{Table: 1, Guild: "g", Game: "heap", Winners: []games.Seat{0}, Stayed: stayed,
			Seats: []Occupant{{User: "ann"}, {User: "bob"}}})
		return b
	}
	full, early := play(nil), play([]int{100, 20})
	if early["bob"].Rating != full["bob"].Rating {
		t.Errorf("who leaves early has %+v, who leaves late %+v", early["bob"].Rating, full["bob"].Rating)
	}
	got, want := early["ann"].Rating.Mu-rating.New().Mu, (full["ann"].Rating.Mu-rating.New().Mu)/5
	if math.Abs(got-want) > 1e-5 || early["ann"].Rating.Sigma <= full["ann"].Rating.Sigma {
		t.Errorf("the other gains %.4f, want %.4f, and is %+v, against %+v", got, want, early["ann"].Rating,
			full["ann"].Rating)
	}
}

// The n-th win against the same player within a short time raises the winner's rating by 1/n of the first gain. After a
// long time, earlier results no longer weaken a new one.
func TestRepeatedResultsWeighLessAndLess(t *testing.T) {
	b := board{}
	table := ID(0)
	gain := func(at Stamp, loser string) float64 {
		before := rating.New()
		if l := b["ann"]; l != nil {
			before = l.Rating
		}
		table++
		b[loser] = &Standing{Player: loser, Rating: rating.New(), Number: 7} // so that each win is equally surprising
		if l := b["ann"]; l != nil {
			l.Rating, before = rating.New(), rating.New()
		}
		b.play(t, table, at, 0, "ann", loser)
		return b["ann"].Rating.Mu - before.Mu
	}
	first := gain(1, "bob")
	for n := 2; n <= 5; n++ {
		b["bob"].Met = nil
		if g := gain(1, "bob"); g > first/float64(n)+1e-5 || g < first/float64(n)-1e-5 {
			t.Errorf("result number %d gains %.4f, want 1/%d of %.4f", n, g, n, first)
		}
	}
	if g := gain(1+20*meetingHalf, "bob"); g < 0.99*first {
		t.Errorf("long afterwards a result gains %.4f, want %.4f again", g, first)
	}
}

// A player of games among people needs LeastOpponents different opponents to be ranked. A standing remembers at most
// maxMet opponents.
func TestOpponentsMakeARank(t *testing.T) {
	b := board{}
	for n := range 5 {
		b.play(t, ID(n+1), 1, 0, "ann", "bob")
	}
	if l := b["ann"]; l.Games != 5 || l.RankedGames(false) != 0 || l.RankedGames(true) != 5 {
		t.Errorf("with one opponent: %d games, %d of them for a rank", l.Games, l.RankedGames(false))
	}
	b.play(t, 6, 1, 0, "ann", "cid")
	if l := b["ann"]; l.RankedGames(false) != 6 {
		t.Errorf("with two opponents %d games count for a rank, want 6", l.RankedGames(false))
	}
	for n := range 2 * maxMet {
		b.play(t, ID(n+7), 1, 0, "ann", fmt.Sprint("u", n))
	}
	if n := len(b["ann"].Met); n != maxMet {
		t.Errorf("%d people met are remembered, want %d", n, maxMet)
	}
}

// When the computer players of a level get a new version, the level's rating stays near its mean but becomes less
// certain. A later result of an older version counts like one of the new version.
func TestLevelsAreRatedAnewWithTheirPlayers(t *testing.T) {
	lines := board{}
	table := ID(0)
	play := func(crew int) *Standing {
		table++
		r := Result{Table: table, Guild: "g", Game: "heap", Winners: []games.Seat{games.Seat(table % 2)},
			ComputerVersion: crew,
			Seats:           []Occupant{{User: "ann"}, {Computer: "easy"}}}
		if err := r.Rate(func(of Board, player string) (*Standing, error) {
			key := fmt.Sprint(of, player)
			if of.Game == "heap" {
				key = player
			}
			if lines[key] == nil {
				lines[key] = &Standing{Player: player, Rating: rating.New()}
			}
			return lines[key], nil
		}); err != nil {
			t.Fatal(err)
		}
		return lines["~easy"]
	}
	for range 30 {
		play(0)
	}
	before := *lines["~easy"]
	first := *play(2) // the level wins this game
	if first.Rating.Sigma < 1.3*before.Rating.Sigma || first.ComputerVersion != 2 || first.Games != before.Games+1 {
		t.Errorf("the first game of other players makes %+v of %+v", first, before)
	}
	if up := first.Rating.Mu - before.Rating.Mu; up <= 0 || up > before.Rating.Anew().Sigma {
		t.Errorf("a win of other players lifts the middle by %.2f, from %+v", up, before.Rating)
	}
	later := *play(2)
	old := *play(1)
	if later.Rating.Sigma >= first.Rating.Sigma || old.Rating.Sigma >= later.Rating.Sigma || old.ComputerVersion != 2 {
		t.Errorf("further games make %+v and %+v of %+v", later, old, first)
	}
	t.Logf("after 30 games %+v, with other players %+v", before.Rating, first.Rating)
}

// lifted returns the lower end of ann's rating interval in points after all her wins, and the number of games
// played. First, the accomplices play a number of rounds, given by among, with each other. Then ann wins against
// one accomplice after another, or against all of them at one table if company is set. All players but the winner
// leave after a share of a quarter of a usual game; stayed is that share in per cent.
func lifted(t *testing.T, accomplices, wins, among int, company bool, stayed int) (sure, played int) {
	b := board{}
	play := func(users ...string) {
		played++
		r := Result{Table: ID(played), Guild: "g", Game: "heap", Winners: []games.Seat{0}, Ended: 1}
		for i, u := range users {
			r.Seats, r.Stayed = append(r.Seats, Occupant{User: u}), append(r.Stayed, max(stayed, 100*(1-i)))
		}
		b.count(t, r)
	}
	var all []string
	for i := range accomplices {
		all = append(all, fmt.Sprint("accomplice", i))
	}
	for round := range among {
		if company {
			play(all...)
			continue
		}
		for i := range accomplices / 2 {
			play(all[(round+i)%accomplices], all[(round+accomplices-1-i)%accomplices])
		}
	}
	for n := range wins {
		if company {
			play(append([]string{"ann"}, all...)...)
		} else {
			play("ann", all[n%accomplices])
		}
	}
	r := b["ann"].Rating
	return r.Points() - r.Band(), played
}

// Accomplices lift ann's rating less than they would if their games counted in full (before). They lift it to 1000 at
// most if they play only with her, and to 1500 at most if they also play among themselves.
func TestAccomplicesLiftLittle(t *testing.T) {
	for _, tt := range []struct {
		accomplices, wins, among int
		company                  bool
		stayed                   int
		before, most             int
	}{
		{accomplices: 3, wins: 50, stayed: 100, before: 1532, most: 900},
		{accomplices: 10, wins: 20, stayed: 100, before: 1849, most: 1000},
		{accomplices: 4, wins: 1, stayed: 100, company: true, before: 1268, most: 700},
		{accomplices: 4, wins: 5, stayed: 100, company: true, before: 1617, most: 900},
		{accomplices: 3, wins: 50, stayed: 100, among: 20, most: 1150},
		{accomplices: 10, wins: 20, stayed: 100, among: 5, most: 1500},
		// The accomplices leave after 33 per cent of a quarter of a usual game.
		{accomplices: 3, wins: 50, stayed: 33, before: 1532, most: 700},
		{accomplices: 10, wins: 20, stayed: 33, before: 1849, most: 700},
		{accomplices: 4, wins: 5, stayed: 33, company: true, before: 1617, most: 700},
		{accomplices: 4, wins: 20, stayed: 33, company: true, most: 900},
		{accomplices: 10, wins: 20, stayed: 33, among: 5, most: 1100},
	} {
		sure, played := lifted(t, tt.accomplices, tt.wins, tt.among, tt.company, tt.stayed)
		t.Logf("%d accomplices, %d wins, %d games of each among them, company %v, %d %% played: a sure %d with %d games,"+
			" before %d",
			tt.accomplices, tt.wins, tt.among, tt.company, tt.stayed, sure, played, tt.before)
		if sure > tt.most {
			t.Errorf("a sure %d, want at most %d", sure, tt.most)
		}
	}
}

// Among people with random opponents, the rule against accomplices makes ratings hardly less accurate than they are
// with the rule for repeated results alone.
func TestHonestRatingsHardlyChange(t *testing.T) {
	const people, played, day = 30, 1200, 24 * 60 * 60 * 1000
	rng := rand.New(rand.NewPCG(5, people))
	strength := make([]float64, people)
	for i := range strength {
		strength[i] = 25 + rng.NormFloat64()*5
	}
	b, full := board{}, board{}
	for n := range played {
		i, j := rng.IntN(people), rng.IntN(people)
		if i == j {
			continue
		}
		if rng.Float64() > 1/(1+math.Exp((strength[j]-strength[i])/6)) {
			i, j = j, i
		}
		users := []string{fmt.Sprint("p", i), fmt.Sprint("p", j)}
		at := Stamp(n) * day / people
		r := Result{Table: ID(n + 1), Guild: "g", Game: "heap", Winners: []games.Seat{0}, Ended: at,
			Seats: []Occupant{{User: users[0]}, {User: users[1]}}}
		if n%20 == 0 { // every twentieth loser resigns in the first quarter of a usual game
			r.Stayed = []int{100, 20 + n%80}
		}
		b.count(t, r)
		lines := make([]*Standing, 2)
		for k, u := range users {
			if full[u] == nil {
				full[u] = &Standing{Rating: rating.New(), Number: b[u].Number}
			}
			lines[k] = full[u]
		}
		after := rating.Rate([]rating.Rating{lines[0].Rating, lines[1].Rating}, []int{1, 2}, func(i, j int) float64 {
			return 1 / (1 + lines[i].met(lines[j], at))
		})
		lines[0].Rating, lines[1].Rating = after[0], after[1]
		lines[0].meet(lines[1], at)
		lines[1].meet(lines[0], at)
	}
	var off, offFull, apart, band, bandFull float64
	for i, s := range strength {
		now, was := b[fmt.Sprint("p", i)].Rating, full[fmt.Sprint("p", i)].Rating
		off += math.Abs(float64(now.Points())-60*s) / people
		offFull += math.Abs(float64(was.Points())-60*s) / people
		apart += math.Abs(float64(now.Points()-was.Points())) / people
		band += float64(now.Band()) / people
		bandFull += float64(was.Band()) / people
	}
	t.Logf("%d people, %d games: off by %.0f points, band %.0f; if all counted in full %.0f and %.0f; %.0f apart",
		people, played, off, band, offFull, bandFull, apart)
	if off > offFull*1.1+5 || band > bandFull*1.1 || apart > 70 {
		t.Error("honest ratings change")
	}
}
