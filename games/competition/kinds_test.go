package competition

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// playRound reports a win for the better seed in every pairing that needs a table.
func playRound(t *testing.T, c Competition, at Stamp) Competition {
	t.Helper()
	for _, p := range c.ToOpen() {
		places := make([]int, len(p.Seats))
		for i, e := range p.Seats {
			for _, o := range p.Seats {
				if o <= e {
					places[i]++
				}
			}
		}
		c = must(t)(c.Report(p.No, Outcome{End: Played, Places: places}, at))
	}
	return c
}

// CO-5: entrants can enter a Swiss tournament until the round that the setup names begins, or the last round if that is
// earlier. They miss the earlier rounds. An entrant who withdrew can return.
func TestCO5_LateEntry(t *testing.T) {
	c := begun(t, Setup{Kind: Swiss, Rounds: 4, Late: 3}, 8)
	c = must(t)(c.Enter("late", 1900, 1500))
	c = must(t)(c.Withdraw("u3", OutLeft, 1500))
	c = must(t)(c.Enter("u3", 1, 1600))
	c = playRound(t, c, 2000)
	if i, _ := c.Entrant("late"); c.Entrants[i].From != 2 || len(c.in()) != 9 || c.Round != 2 {
		t.Errorf("CO-5: %+v of %d in round %d", c.Entrants[i], len(c.in()), c.Round)
	}
	c = playRound(t, c, 3000)
	if _, err := c.Enter("too late", 1, 3000); !errors.Is(err, ErrClosed) {
		t.Errorf("CO-5: entry in round %d: %v", c.Round, err)
	}
	c = playRound(t, begun(t, Setup{Kind: Swiss, Rounds: 2, Late: 4}, 8), 2000)
	if _, err := c.Enter("too late", 1, 2000); !errors.Is(err, ErrClosed) {
		t.Errorf("CO-5: entry in round %d of %d: %v", c.Round, c.Rounds, err)
	}
}

// best returns the minimum weight of all possible pairings of a field. It tries every set of players, and shares no
// code with the pairing except criteria.
func best(field []swissPlayer) [levels]int64 {
	n := len(field) + len(field)%2
	sums := make([]*[levels]int64, 1<<n)
	sums[0] = &[levels]int64{}
	for set := 1; set < 1<<n; set++ {
		if bits.OnesCount(uint(set))%2 == 1 {
			continue
		}
		i := bits.TrailingZeros(uint(set))
		for j := i + 1; j < n; j++ {
			if set>>j&1 == 0 {
				continue
			}
			var b *swissPlayer
			if j < len(field) {
				b = &field[j]
			}
			sum := criteria(len(field), i, j, &field[i], b)
			for k, v := range sums[set&^(1<<i|1<<j)] {
				sum[k] += v
			}
			if sums[set] == nil || slices.Compare(sum[:], sums[set][:]) < 0 {
				sums[set] = &sum
			}
		}
	}
	return *sums[1<<n-1]
}

// total returns the sum of the weights of a pairing.
func total(field []swissPlayer, pairs [][2]int) (sum [levels]int64) {
	for _, p := range pairs {
		var b *swissPlayer
		if p[1] < len(field) {
			b = &field[p[1]]
		}
		for k, v := range criteria(len(field), p[0], p[1], &field[p[0]], b) {
			sum[k] += v
		}
	}
	return sum
}

// CO-30, CO-6: in every round of simulated tournaments, the pairing has the minimum weight, as found by a search of all
// sets of players.
func TestCO30_PairingsAreTheBest(t *testing.T) {
	tournaments, largest := 150, 10
	if *deep {
		tournaments, largest = 5000, 14
	}
	rounds, worse := 0, 0
	for i := range tournaments {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		n := 3 + r.IntN(largest-2)
		s := Setup{Kind: Swiss, Start: 1000, Time: Day, Lot: uint64(i), Rounds: 1 + r.IntN(mostRounds(n)), Late: 3}
		c, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		for k := range n {
			c, _ = c.Enter(user(k), 1500+r.IntN(400), 1)
		}
		for c = c.Advance(1000); c.Phase == Running; {
			before := c
			before.Pairings = slices.DeleteFunc(slices.Clone(c.Pairings), func(p Pairing) bool {
				return p.Round == c.Round
			})
			field := before.swissField()
			pairs := swissPairs(field)
			rounds++
			if len(field) <= 16 {
				if got, want := total(field, pairs), best(field); got != want {
					worse++
					t.Errorf("CO-30: tournament %d round %d of %d players: %v, the best is %v", i, c.Round, len(field),
						got, want)
				}
			}
			for _, p := range c.ToOpen() {
				o := Outcome{End: Played, Places: [][]int{{1, 2}, {2, 1}, {1, 1}}[r.IntN(3)]}
				c = must(t)(c.Report(p.No, o, 2000))
				if r.IntN(30) == 0 && c.Phase == Running {
					c = must(t)(c.Withdraw(user(r.IntN(n)), OutLeft, 2000))
				}
				if r.IntN(30) == 0 && c.TakesLate() && len(c.in()) < largest {
					c, _ = c.Enter(fmt.Sprint("late", p.No), 1500, 2000)
				}
				if c.Phase != Running || c.Round != p.Round {
					break
				}
			}
			if late := c.ToOpen(); len(late) == 0 {
				c = c.Advance(1 << 50)
			}
		}
	}
	t.Logf("%d tournaments, %d rounds, %d differ", tournaments, rounds, worse)
}

// CO-31: the default number of rounds depends on the number of entrants. Six entrants play at most five rounds.
func TestCO31_Rounds(t *testing.T) {
	for n, want := range map[int]int{2: 1, 3: 3, 4: 3, 5: 4, 8: 4, 9: 5, 16: 5, 33: 7, 64: 7} {
		if c := begun(t, Setup{Kind: Swiss}, n); c.Rounds != want {
			t.Errorf("CO-31: %d entrants play %d rounds, want %d", n, c.Rounds, want)
		}
	}
	if c := begun(t, Setup{Kind: Swiss, Rounds: 9}, 6); c.Rounds != 5 {
		t.Errorf("CO-31: six entrants play %d rounds, more than they have others", c.Rounds)
	}
}

// CO-32: in 40 tournaments of seven rounds, the numbers of a player's games in the two seats differ by at most two.
func TestCO32_Seats(t *testing.T) {
	worst := 0
	for seed := range uint64(40) {
		c := begun(t, Setup{Kind: Swiss, Rounds: 7, Lot: seed}, 12+int(seed)%9)
		for c.Phase == Running {
			c = playRound(t, c, 2000)
		}
		for _, p := range c.swissField() {
			worst = max(worst, abs(p.balance))
		}
	}
	if worst > 2 {
		t.Errorf("CO-32: somebody had one seat %d times more than the other", worst)
	}
}

// CO-40, CO-41, CO-43, CO-6: six entrants play the expected bracket if the better seed always wins.
func TestCO40_Bracket(t *testing.T) {
	if got := bracket([]int{0, 1, 2, 3, 4, 5}); !slices.Equal(got, []int{0, nobody, 4, 3, 2, 5, nobody, 1}) {
		t.Errorf("CO-40: bracket of six: %v", got)
	}
	c := begun(t, Setup{Kind: KnockOut}, 6)
	byes := 0
	legs := map[[2]int]int{}
	for c.Phase == Running {
		for _, p := range c.Pairings {
			if p.Round != c.Round {
				continue
			}
			if p.End == Bye {
				byes++
			} else {
				legs[[2]int{p.Seats[0], p.Seats[1]}]++
			}
		}
		c = playRound(t, c, 2000)
	}
	if byes != 2 {
		t.Errorf("CO-6: %d byes", byes)
	}
	for pair, n := range legs {
		if n != 1 || legs[[2]int{pair[1], pair[0]}] != 1 {
			t.Errorf("CO-41: %v met %d times in these seats", pair, n)
		}
	}
	var places []int
	for e, l := range c.Standings(0) {
		if l.Entrant == e {
			places = append(places, l.Place)
		}
	}
	if !slices.Equal(places, []int{1, 2, 3, 3, 5, 5}) || c.Why != EndPlayed {
		t.Errorf("CO-43: places %v, %+v", places, c.Standings(0))
	}
}

// CO-42: two players who are level after two games play a third. If the third is drawn, the better seed advances. If
// one of the two withdraws from it, the other advances.
func TestCO42_Decider(t *testing.T) {
	draw := Outcome{End: Played, Places: []int{1, 1}}
	c := begun(t, Setup{Kind: KnockOut}, 4)
	for _, p := range c.ToOpen() {
		o := draw
		if p.Match == 2 {
			o = firstWins
		}
		c = must(t)(c.Report(p.No, o, 2000))
	}
	third := c.ToOpen()
	if len(third) != 2 || third[0].Leg != 3 || third[1].Leg != 3 {
		t.Fatalf("CO-42: after two level matches: %+v", third)
	}
	c = must(t)(c.Report(third[0].No, draw, 3000))
	c = must(t)(c.Withdraw("u1", OutLeft, 3000))
	if line := c.Bracket[1]; !slices.Equal(line, []int{0, 2}) {
		t.Errorf("CO-42: %v go on, want the better seed 0, and 2 for the withdrawn 1", line)
	}
}

// CO-50: table sizes are as equal as possible and do not exceed the setup's limit.
func TestCO50_Tables(t *testing.T) {
	for _, tc := range []struct {
		n, seats int
		want     []int
	}{{9, 3, []int{3, 3, 3}}, {10, 4, []int{4, 3, 3}}, {4, 3, []int{2, 2}}, {5, 4, []int{3, 2}},
		{11, 5, []int{4, 4, 3}}, {5, 5, []int{5}}} {
		if got := podSizes(tc.n, tc.seats); !slices.Equal(got, tc.want) {
			t.Errorf("CO-50: %d at tables of %d: %v, want %v", tc.n, tc.seats, got, tc.want)
		}
	}
}

// CO-51, CO-52, CO-53: nine players at tables of three meet each other exactly once in four rounds. In fields with
// more than two tables, the numbers of meetings of two pairs of players differ by at most two. Nobody sits first more
// often than an equal share of the rounds, rounded up, plus one. There are at most seven rounds.
func TestCO51_EverybodyMeetsAboutAsOften(t *testing.T) {
	for n := 6; n <= 40; n++ {
		for seats := 3; seats <= 5; seats++ {
			c := begun(t, Setup{Kind: Pods, Seats: seats, Lot: uint64(n)}, n)
			for c.Phase == Running {
				c = playRound(t, c, 2000)
			}
			met := c.metMatrix()
			least, most := 99, 0
			for i := range met {
				for j := range met {
					if i != j {
						least, most = min(least, met[i][j]), max(most, met[i][j])
					}
				}
			}
			if n == 9 && seats == 3 && (least != 1 || most != 1 || c.Rounds != 4) {
				t.Errorf("CO-51: nine at tables of three met %d to %d times in %d rounds", least, most, c.Rounds)
			}
			if most-least > 2 && n > 2*seats { // with two tables, there are too few arrangements
				t.Errorf("CO-51: %d at tables of %d met %d to %d times in %d rounds", n, seats, least, most, c.Rounds)
			}
			if c.Rounds > 7 {
				t.Errorf("CO-53: %d at tables of %d play %d rounds", n, seats, c.Rounds)
			}
			had := make([][5]int, n)
			for _, p := range c.Pairings {
				for seat, e := range p.Seats {
					had[e][seat]++
				}
			}
			for e, h := range had {
				if h[0] > (c.Rounds+seats-1)/seats+1 {
					t.Errorf("CO-52: %d of %d sat first %d times in %d rounds at tables of %d", e, n, h[0], c.Rounds,
						seats)
				}
			}
		}
	}
}

// CO-60: no division has more than 16 players. In leagues of 12 or more players, none has fewer than six.
func TestCO60_Divisions(t *testing.T) {
	for want := MinDivision; want <= MaxDivision; want++ {
		for n := MinDivision; n <= 512; n++ {
			sum := 0
			for _, size := range divisionSizes(n, want) {
				sum += size
				if size < MinDivision && n >= 2*MinDivision || size > MaxDivision {
					t.Fatalf("CO-60: %d in divisions of about %d: %v", n, want, divisionSizes(n, want))
				}
			}
			if sum != n {
				t.Fatalf("CO-60: %d in divisions of about %d: %v", n, want, divisionSizes(n, want))
			}
		}
	}
}

// CO-62, CO-63: two players are promoted and two are relegated between neighbouring divisions. If an entrant leaves
// before the next season, the free place goes to the next in order. New entrants start in the lowest division.
func TestCO62_PromotionAndRelegation(t *testing.T) {
	c := begun(t, Setup{Kind: League, Division: 6, Promote: 2}, 18)
	c = playRound(t, c, 2000) // the better seed wins: u0 to u5, u6 to u11, u12 to u17
	next, err := c.NextSeason(10_000, 5)
	if err != nil {
		t.Fatal(err)
	}
	next = must(t)(next.Withdraw("u0", OutLeft, 5000))
	next = must(t)(next.Enter("new", 5000, 5000))
	next = next.Advance(10_000)
	got := make([][]string, 3)
	for _, e := range next.Entrants {
		got[e.Division-1] = append(got[e.Division-1], e.User)
	}
	want := "[[u1 u2 u3 u6 u7 u4] [u5 u8 u9 u12 u13 u10] [u11 u14 u15 u16 u17 new]]"
	if fmt.Sprint(got) != want || next.Setup.Season != 2 {
		t.Errorf("CO-62 CO-63: season %d: %v, want %s", next.Setup.Season, got, want)
	}
}

// ladder returns a ladder of n entrants, with the strongest on top.
func ladder(t *testing.T, n int) Competition {
	t.Helper()
	return begun(t, Setup{Kind: Ladder, Reach: 2, Answer: Day, Declines: 1, Rest: 2 * Day, Away: 5 * Day, Time: 7 * Day,
		End: 100 * Day}, n)
}

// on returns the users of a ladder, from the top place down.
func on(c Competition) (users []string) {
	for _, e := range c.Order {
		users = append(users, c.Entrants[e].User)
	}
	return users
}

// CO-70, CO-72, CO-73: a challenge is limited to the places within reach. The winner takes the higher place, and the
// loser must rest.
func TestCO70_Challenge(t *testing.T) {
	c := ladder(t, 5)
	for _, tc := range []struct {
		who, whom string
		want      error
	}{{"u3", "u0", ErrReach}, {"u1", "u2", ErrReach}, {"u1", "nobody", ErrEntrant}, {"u2", "u0", nil},
		{"u2", "u0", nil}, {"u2", "u1", ErrBusy}, {"u1", "u0", ErrBusy}} {
		next, err := c.Challenge(tc.who, tc.whom, "7", 2000)
		if !errors.Is(err, tc.want) {
			t.Errorf("CO-70: %s challenges %s: %v, want %v", tc.who, tc.whom, err, tc.want)
		}
		c = next
	}
	if len(c.Pairings) != 1 || len(c.ToOpen()) != 0 {
		t.Fatalf("CO-70: %d challenges, %d to open before an answer", len(c.Pairings), len(c.ToOpen()))
	}
	if _, err := c.Report(1, firstWins, 2000); !errors.Is(err, ErrPairing) {
		t.Errorf("CO-70: a result before it was accepted: %v", err)
	}
	c = must(t)(c.Accept(1, 3000))
	c = must(t)(c.Accept(1, 3000))
	p := c.ToOpen()[0]
	places := []int{2, 2}
	places[p.Seat(2)] = 1
	c = must(t)(c.Report(1, Outcome{End: Played, Places: places}, 4000))
	if got := fmt.Sprint(on(c)); got != "[u2 u0 u1 u3 u4]" {
		t.Errorf("CO-72: %s", got)
	}
	if _, err := c.Challenge("u0", "u2", "7", 4000+Day); !errors.Is(err, ErrRest) {
		t.Errorf("CO-73: a challenge a day after the loss: %v", err)
	}
	if _, err := c.Challenge("u0", "u2", "7", 4000+2*Day); err != nil {
		t.Errorf("CO-73: a challenge two days after the loss: %v", err)
	}
}

// CO-71, CO-17: if the setup allows one declined challenge, an entrant who then leaves a challenge unanswered loses the
// place. A challenge brings one reminder.
func TestCO71_Answer(t *testing.T) {
	c := must(t)(ladder(t, 3).Challenge("u1", "u0", "7", 2000))
	c = must(t)(c.Decline(1, 3000))
	c = must(t)(c.Decline(1, 3000))
	if got := fmt.Sprint(on(c)); got != "[u0 u1 u2]" || c.Entrants[0].Declined != 1 {
		t.Errorf("CO-71: declined once: %s", got)
	}
	c = must(t)(c.Challenge("u2", "u0", "7", 4000))
	due, _ := c.Due()
	if due.What != DueAnswer || due.At != 4000+18*Hour {
		t.Errorf("CO-17: who is challenged is called once more: %+v", due)
	}
	c = c.Advance(due.At)
	due, _ = c.Due()
	if due.What != DueAnswer || due.At != 4000+Day || len(on(c)) != 3 || c.Pairings[1].End != "" {
		t.Errorf("CO-71: due %+v", due)
	}
	c = c.Advance(due.At)
	if got := fmt.Sprint(on(c)); got != "[u2 u0 u1]" {
		t.Errorf("CO-71: then not answered: %s", got)
	}
}

// CO-70: a ladder's standings have all three entrants after a declined challenge.
func TestCO70_StandingsAfterADecline(t *testing.T) {
	c := ladder(t, 3)
	c, err := c.Challenge("u2", "u1", "7", 10)
	if err == nil {
		c, err = c.Decline(1, 11)
	}
	if lines := c.Standings(0); err != nil || len(lines) != 3 || lines[2].Place != 3 {
		t.Errorf("%+v, %v", lines, err)
	}
}

// CO-74: entrants who are away cannot be challenged. An absence has a maximum length and can end early, and the next
// one cannot begin immediately.
func TestCO74_Away(t *testing.T) {
	c := must(t)(ladder(t, 3).SetAway("u0", 2000+30*Day, 2000))
	if _, err := c.Challenge("u1", "u0", "7", 2000+4*Day); !errors.Is(err, ErrAway) {
		t.Errorf("CO-74: while away: %v", err)
	}
	if _, err := c.Challenge("u1", "u0", "7", 2000+5*Day); err != nil {
		t.Errorf("CO-74: after the longest absence: %v", err)
	}
	if _, err := c.SetAway("u0", 2000+9*Day, 2000+6*Day); !errors.Is(err, ErrAway) {
		t.Errorf("CO-74: away again at once: %v", err)
	}
	back := must(t)(c.SetAway("u0", 0, 2000+Day))
	if _, err := back.Challenge("u1", "u0", "7", 2000+Day); err != nil {
		t.Errorf("CO-74: back earlier: %v", err)
	}
}

// CO-75: a ladder accepts new entrants at any time, at the bottom. An entrant who withdraws leaves the ladder, and
// those below move up.
func TestCO75_EntryOnALadder(t *testing.T) {
	c := must(t)(ladder(t, 3).Enter("new", 9999, 2000))
	c = must(t)(c.Challenge("u2", "u1", "7", 2000))
	c = must(t)(c.Withdraw("u1", OutLeft, 3000))
	c = must(t)(c.Enter("u1", 1, 4000))
	if got := fmt.Sprint(on(c)); got != "[u0 u2 new u1]" {
		t.Errorf("CO-75: %s", got)
	}
	if c = c.Advance(100 * Day); c.Why != EndPlayed {
		t.Errorf("CO-75: at its end: %s %s", c.Phase, c.Why)
	}
}

// CO-82: the standings have the correct Buchholz scores. A bye counts as an opponent with the same points.
func TestCO82_Buchholz(t *testing.T) {
	c := begun(t, Setup{Kind: Swiss, Rounds: 2}, 5) // u4 has the bye in round 1, and the better seeds win
	c = playRound(t, c, 2000)
	c = playRound(t, c, 3000)
	points, met := map[int]int{}, map[int][]int{}
	for _, p := range c.Pairings {
		for seat, e := range p.Seats {
			points[e] += p.Points[seat]
			if len(p.Seats) == 1 {
				met[e] = append(met[e], e)
			} else {
				met[e] = append(met[e], p.Seats[1-seat])
			}
		}
	}
	for _, l := range c.Standings(0) {
		want := 0
		for _, o := range met[l.Entrant] {
			want += points[o]
		}
		if l.Ties[0] != want || l.Points != points[l.Entrant] {
			t.Errorf("CO-82: %+v, want Buchholz %d", l, want)
		}
	}
	if cells := c.Crosstable(0); len(cells) != 5 || len(cells[0]) != 2 || cells[0][0].Pairing == 0 {
		t.Errorf("the crosstable: %+v", cells)
	}
}

// history makes up to the given number of random events in a round robin or a league: results and a few withdrawals.
func history(r *rand.Rand, c Competition, results int) Competition {
	for range results {
		var open []Pairing
		for _, p := range c.Pairings {
			if p.End == "" && p.Ready != 0 {
				open = append(open, p)
			}
		}
		if c.Phase != Running || len(open) == 0 {
			return c
		}
		p := open[r.IntN(len(open))]
		switch n := r.IntN(40); {
		case n == 0:
			c, _ = c.Report(p.No, Outcome{End: Void}, 2000)
		case n == 1 && r.IntN(3) == 0:
			c, _ = c.Withdraw(user(r.IntN(len(c.Entrants))), OutLeft, 2000)
		case n == 2:
			c, _ = c.Report(p.No, Outcome{End: TimeUp, Places: []int{2, 1}, Late: []int{0}}, 2000)
		default:
			c, _ = c.Report(p.No, Outcome{End: Played, Places: [][]int{{1, 2}, {2, 1}, {1, 1}}[r.IntN(3)]}, 2000)
		}
	}
	return c
}

// CO-90: nobody finishes in a place that Possible leaves out. The test plays several random continuations from a random
// point of each of many competitions.
func TestCO90_PossiblePlacesAreSound(t *testing.T) {
	const ends = 4
	beginnings := 300
	if *deep {
		beginnings = 250_000
	}
	open, all := 0, 0
	for i := range beginnings {
		if i%25_000 == 24_999 {
			t.Logf("%d histories", (i+1)*ends)
		}
		r := rand.New(rand.NewPCG(uint64(i), 9))
		n := 3 + r.IntN(6)
		kind := RoundRobin
		if i%2 == 0 {
			kind, n = League, 6+r.IntN(3)
		}
		if i%100 == 0 {
			n = 9 + r.IntN(5)
		}
		c, err := New(Setup{Kind: kind, Start: 1, Time: Day, Lot: uint64(i), Lapses: 2, Division: 16})
		if err != nil {
			t.Fatal(err)
		}
		for k := range n {
			c, _ = c.Enter(user(k), 1500+r.IntN(3), 1)
		}
		c = c.Advance(1)
		c = history(r, c, r.IntN(len(c.Pairings)))
		division := c.Divisions()
		possible := c.Possible(division)
		for range ends {
			end := c
			for end.Phase == Running {
				end = history(r, end, 1)
			}
			place := make([]int, n)
			for _, l := range end.Standings(division) {
				place[l.Entrant] = l.Place
			}
			for _, p := range possible {
				open, all = open+len(p.Places), all+n
				if !slices.Contains(p.Places, place[p.Entrant]) {
					t.Fatalf("CO-90: history %d (%s of %d): %d came to place %d, possible were %v", i, kind, n, p.Entrant,
						place[p.Entrant], p.Places)
				}
			}
		}
	}
	t.Logf("%d histories; %.0f %% of all places were still possible at a random moment", beginnings*ends,
		100*float64(open)/float64(all))
}

// CO-90: the best and worst places by points equal those found by trying every remaining result. When few games are
// left, only places that some result leads to count as possible.
func TestCO90_PossiblePlacesAreNarrow(t *testing.T) {
	compared, exact := 0, 0
	for i := range 200 {
		r := rand.New(rand.NewPCG(uint64(i), 3))
		n := 3 + r.IntN(5)
		c, _ := New(Setup{Kind: League, Start: 1, Time: Day, Lot: uint64(i), Division: 16})
		for k := range max(n, MinDivision) {
			c, _ = c.Enter(user(k), 1500, 1)
		}
		c = c.Advance(1)
		c = history(r, c, len(c.Pairings)-1-r.IntN(6))
		var left []int
		for k, p := range c.Pairings {
			if p.End == "" {
				left = append(left, k)
			}
		}
		standings := c.Standings(1)
		sets := c.bounds(standings, left)
		got := make([][2]int, len(standings)) // best and worst place by points, by entrant
		for e := range got {
			got[e] = [2]int{len(standings), 1}
		}
		points := make([]int, len(standings))
		for _, l := range standings {
			points[l.Entrant] = l.Points
		}
		var play func(k int)
		came := make([]uint32, len(points)) // sets of the places reached, by entrant
		whole := len(left) <= 4
		end := c.clone()
		play = func(k int) {
			if k == len(left) {
				if whole {
					for _, l := range end.Standings(1) {
						came[l.Entrant] |= 1 << (l.Place - 1)
					}
				}
				for e, p := range points {
					above, level := 0, 0
					for o, q := range points {
						if q > p {
							above++
						} else if q == p && o != e {
							level++
						}
					}
					got[e] = [2]int{min(got[e][0], above+1), max(got[e][1], above+level+1)}
				}
				return
			}
			p := c.Pairings[left[k]]
			for _, share := range [][2]int{{Win, 0}, {Win / 2, Win / 2}, {0, Win}} {
				points[p.Seats[0]] += share[0]
				points[p.Seats[1]] += share[1]
				end.Pairings[left[k]].End, end.Pairings[left[k]].Points = Played, share[:]
				play(k + 1)
				points[p.Seats[0]] -= share[0]
				points[p.Seats[1]] -= share[1]
			}
		}
		play(0)
		for e, b := range got {
			if want := uint32(1<<b[1] - 1<<(b[0]-1)); sets[e] != want {
				t.Fatalf("CO-90: history %d, %d games left: %d may come to %b, playing out gives %b", i, len(left), e,
					sets[e], want)
			}
			compared++
		}
		for _, p := range c.Possible(1) {
			told := uint32(0)
			for _, place := range p.Places {
				told |= 1 << (place - 1)
			}
			if told&^sets[p.Entrant] != 0 || whole && told != came[p.Entrant] {
				t.Fatalf("CO-90: history %d: told are places %b of %b, %b came", i, told, sets[p.Entrant],
					came[p.Entrant])
			}
			if whole {
				exact++
			}
		}
	}
	t.Logf("%d bounds are exact; so are all places of %d entrants with few games left", compared, exact)
}
