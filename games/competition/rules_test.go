package competition

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// entered returns a competition with n users, u0 to u(n-1), from the strongest to the weakest.
func entered(t *testing.T, s Setup, n int) Competition {
	t.Helper()
	s.Start = 1000
	if s.Time == 0 {
		s.Time = 7 * Day
	}
	c, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if c, err = c.Enter(user(i), 2000-i, 1); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func user(i int) string { return fmt.Sprint("u", i) }

// begun returns a competition that began at time 1000.
func begun(t *testing.T, s Setup, n int) Competition {
	t.Helper()
	return entered(t, s, n).Advance(1000)
}

// must fails the test if a transition is refused.
func must(t *testing.T) func(Competition, error) Competition {
	return func(c Competition, err error) Competition {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

// firstWins is the outcome of a game that the first seat won.
var firstWins = Outcome{End: Played, Places: []int{1, 2}}

// openAll opens a table for every pairing that needs one.
func openAll(t *testing.T, c Competition) Competition {
	t.Helper()
	for _, p := range c.ToOpen() {
		c = must(t)(c.Opened(p.No, fmt.Sprint("t", p.No)))
	}
	return c
}

// CO-1: a pairing has only one table, and a pairing that has ended gets none.
func TestCO1_OneTableForAPairing(t *testing.T) {
	c := begun(t, Setup{Kind: RoundRobin}, 4)
	no := c.ToOpen()[0].No
	c = must(t)(c.Opened(no, "t1"))
	c = must(t)(c.Opened(no, "t1"))
	if _, err := c.Opened(no, "t2"); !errors.Is(err, ErrTable) {
		t.Errorf("CO-1: a second table: %v", err)
	}
	c = must(t)(c.Report(no, firstWins, 2000))
	other := c.ToOpen()[0].No
	c = must(t)(c.Withdraw(c.Entrants[c.Pairings[c.find(other)].Seats[0]].User, OutLeft, 2000))
	if _, err := c.Opened(other, "t3"); !errors.Is(err, ErrOver) {
		t.Errorf("CO-1: a table for a pairing that has ended: %v", err)
	}
}

// CO-3: entry closes when the competition is full or begins, and too few entrants prevent its beginning. An entrant who
// leaves before the beginning is removed completely.
func TestCO3_Entry(t *testing.T) {
	c := entered(t, Setup{Kind: RoundRobin, Min: 3, Max: 4}, 4)
	if _, err := c.Enter("late", 1500, 2); !errors.Is(err, ErrFull) {
		t.Errorf("CO-3: a fifth of four: %v", err)
	}
	c = must(t)(c.Withdraw("u1", OutLeft, 2))
	c = must(t)(c.Withdraw("u2", OutLeft, 2))
	if len(c.Entrants) != 2 {
		t.Errorf("CO-3: %d entrants are left of 4 when two go", len(c.Entrants))
	}
	if _, err := c.Begin(3); !errors.Is(err, ErrFew) {
		t.Errorf("CO-3: two of three began: %v", err)
	}
	few := c.Advance(1000)
	if few.Phase != Ended || few.Why != EndFew {
		t.Errorf("CO-3: two of three: %s %s", few.Phase, few.Why)
	}
	c = must(t)(c.Enter("u7", 1500, 4)).Advance(1000)
	if c.Phase != Running {
		t.Errorf("CO-3: three of three: %s", c.Phase)
	}
	if _, err := c.Enter("late", 1500, 1001); !errors.Is(err, ErrClosed) {
		t.Errorf("CO-3: entry after the start: %v", err)
	}
}

// CO-4: entrants are seeded by rating, and those with equal ratings by order of entry.
func TestCO4_Seeding(t *testing.T) {
	c := entered(t, Setup{Kind: RoundRobin}, 0)
	for i, rating := range []int{1500, 1700, 1500, 1600} {
		c = must(t)(c.Enter(user(i), rating, 1))
	}
	if got, want := c.seeding(), []int{1, 3, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("CO-4: seeding %v, want %v", got, want)
	}
}

// CO-7: places at tables of two to five give the expected points.
func TestCO7_Points(t *testing.T) {
	for _, tc := range []struct{ places, want []int }{
		{[]int{1, 2}, []int{24, 0}},
		{[]int{1, 1}, []int{12, 12}},
		{[]int{2, 1, 3}, []int{12, 24, 0}},
		{[]int{1, 2, 3, 4}, []int{24, 16, 8, 0}},
		{[]int{1, 1, 3, 4}, []int{20, 20, 8, 0}},
		{[]int{5, 4, 3, 2, 1}, []int{0, 6, 12, 18, 24}},
		{[]int{1, 2, 2, 2, 2}, []int{24, 9, 9, 9, 9}},
	} {
		p := Pairing{Seats: make([]int, len(tc.places))}
		new(Competition).finish(&p, Outcome{End: Played, Places: tc.places}, 1)
		if !slices.Equal(p.Points, tc.want) {
			t.Errorf("CO-7: places %v give %v, want %v", tc.places, p.Points, tc.want)
		}
	}
}

// CO-8: a game at its deadline is decided by the time that each seat has used, or shared. A later result does not
// count.
func TestCO8_Deadline(t *testing.T) {
	for _, tc := range []struct {
		used []Stamp
		left []int
		want []int
	}{
		{[]Stamp{100, 100}, nil, []int{1, 1}},
		{[]Stamp{200, 100}, nil, []int{1, 1}},
		{[]Stamp{201, 100}, nil, []int{2, 1}},
		{[]Stamp{0, 0}, nil, []int{1, 1}},
		{[]Stamp{0, 5}, nil, []int{1, 2}},
		{[]Stamp{10, 10, 41}, nil, []int{1, 1, 3}},
		{[]Stamp{10, 10, 10, 10, 20}, nil, []int{1, 1, 1, 1, 1}},
		{[]Stamp{10, 10, 0}, []int{2}, []int{1, 1, 3}}, // CO-7: seats that have left come last
		{[]Stamp{21, 10, 90}, []int{2}, []int{2, 1, 3}},
		{[]Stamp{0, 10, 10, 0}, []int{0, 3}, []int{3, 1, 1, 3}},
	} {
		o := ByTime(tc.used, tc.left...)
		if !slices.Equal(o.Places, tc.want) || !o.fits(Pairing{Seats: make([]int, len(tc.used))}) {
			t.Errorf("CO-8: %v taken, %v left: places %v, want %v", tc.used, tc.left, o.Places, tc.want)
		}
	}
	c := openAll(t, begun(t, Setup{Kind: RoundRobin, Time: Day}, 4))
	due, _ := c.Due()
	if due.At != 1000+Day || due.What != DueDeadline {
		t.Fatalf("CO-8: due %+v", due)
	}
	late := c.Overdue(due.At)
	if len(late) != 2 || len(c.Overdue(due.At-1)) != 0 {
		t.Fatalf("CO-8: %d overdue, %d before", len(late), len(c.Overdue(due.At-1)))
	}
	c = must(t)(c.Report(late[0].No, ByTime([]Stamp{900, 1}), due.At))
	c = c.Advance(due.At)
	a, _ := c.Pairing(late[0].No)
	b, _ := c.Pairing(late[1].No)
	if !slices.Equal(a.Points, []int{0, Win}) || !slices.Equal(b.Points, []int{12, 12}) || a.End != Unfinished ||
		b.End != Unfinished {
		t.Errorf("CO-8: %+v and %+v", a, b)
	}
	after := must(t)(c.Report(b.No, firstWins, due.At+1))
	if !reflect.DeepEqual(after, c) {
		t.Errorf("CO-8: a result after the deadline changed %+v", after.Pairings[after.find(b.No)])
	}
}

// CO-9: the players of a game without a result share its points, and a corrected result changes the points.
func TestCO9_NoResult(t *testing.T) {
	c := openAll(t, begun(t, Setup{Kind: RoundRobin}, 4))
	p := c.ToOpen()
	if len(p) != 0 {
		t.Fatalf("%d pairings still want tables", len(p))
	}
	c = must(t)(c.Report(1, Outcome{End: Abandoned}, 2000))
	if p, _ := c.Pairing(1); !slices.Equal(p.Points, []int{12, 12}) {
		t.Errorf("CO-9: abandoned gives %v", p.Points)
	}
	c = must(t)(c.Report(2, firstWins, 2000))
	c = must(t)(c.Correct(2, Outcome{End: Void}))
	if p, _ := c.Pairing(2); !slices.Equal(p.Points, []int{12, 12}) || p.End != Void {
		t.Errorf("CO-9: declared void: %+v", p)
	}
	c = must(t)(c.Correct(2, firstWins))
	if p, _ := c.Pairing(2); !slices.Equal(p.Points, []int{24, 0}) || p.End != Played {
		t.Errorf("CO-9: taken back: %+v", p)
	}
	if _, err := c.Report(3, Outcome{End: Played, Places: []int{2, 2}}, 2000); !errors.Is(err, ErrOutcome) {
		t.Errorf("CO-9: nobody first: %v", err)
	}
}

// CO-10: an entrant who withdraws keeps the points so far, and loses the remaining games. With a single entrant left,
// the competition ends.
func TestCO10_Withdraw(t *testing.T) {
	c := openAll(t, begun(t, Setup{Kind: RoundRobin}, 4))
	for _, p := range c.Pairings[:2] {
		if p.Seat(0) >= 0 {
			places := []int{2, 2}
			places[p.Seat(0)] = 1
			c = must(t)(c.Report(p.No, Outcome{End: Played, Places: places}, 2000))
		}
	}
	c = must(t)(c.Withdraw("u0", OutLeft, 3000))
	for _, l := range c.Standings(0) {
		want := Win
		if l.Points != want && l.Entrant == 0 {
			t.Errorf("CO-10: who withdrew has %d points", l.Points)
		}
	}
	won := 0
	for _, p := range c.Pairings {
		if s := p.Seat(0); s >= 0 && p.End == Walkover && p.Points[1-s] == Win {
			won++
		}
	}
	if won != 2 {
		t.Errorf("CO-10: %d walkovers against who withdrew after one of three games", won)
	}
	c = must(t)(c.Withdraw("u1", OutLeft, 3000))
	c = must(t)(c.Withdraw("u2", OutLeft, 3000))
	if c.Phase != Ended || c.Why != EndFew {
		t.Errorf("CO-10: one is left: %s %s", c.Phase, c.Why)
	}
}

// CO-11: an entrant who loses two consecutive games on time is withdrawn. A game in between that was played, or that
// the opponent lost on time, resets the count.
func TestCO11_Lapses(t *testing.T) {
	const noTime, otherLate, late = 0, 1, 2
	lose := func(c Competition, how int) Competition {
		for _, p := range c.ToOpen() {
			o := Outcome{End: Played, Places: []int{1, 1}}
			if s := p.Seat(0); s >= 0 && how != noTime {
				if how == otherLate {
					s = 1 - s
				}
				o = Outcome{End: TimeUp, Places: []int{1, 1}, Late: []int{s}}
				o.Places[s] = 2
			}
			c = must(t)(c.Report(p.No, o, 2000))
		}
		return c.Advance(2000)
	}
	c := begun(t, Setup{Kind: RoundRobin, Lapses: 2}, 8)
	for i, how := range []int{late, noTime, late, otherLate, late} {
		if c = lose(c, how); c.Entrants[0].Out != 0 {
			t.Fatalf("CO-11: withdrawn after %d games, of which no two in a row were lost on time", i+1)
		}
	}
	if c = lose(c, late); c.Entrants[0].OutFor != OutLapsed {
		t.Errorf("CO-11: two in a row: %+v", c.Entrants[0])
	}
}

// CO-12: deleting a user's data withdraws the user and removes the user's id. The standings keep the entrant's line.
func TestCO12_Forget(t *testing.T) {
	c := openAll(t, begun(t, Setup{Kind: RoundRobin}, 4))
	before := len(c.Standings(0))
	c = c.Forget("u1", 2000)
	b, _ := json.Marshal(c)
	if strings.Contains(string(b), "u1") || len(c.Standings(0)) != before || c.Entrants[1].Out == 0 {
		t.Errorf("CO-12: %s", b)
	}
	if _, ok := c.Entrant("u1"); ok {
		t.Error("CO-12: the id is still there")
	}
	if again := c.Forget("u1", 3000); !reflect.DeepEqual(again, c) {
		t.Error("CO-12: forgetting twice changes something")
	}
}

// CO-13: absences extend a deadline up to the setup's limit, and each counts only once.
func TestCO13_Stretch(t *testing.T) {
	c := begun(t, Setup{Kind: RoundRobin, Time: 7 * Day, Stretch: 3 * Day}, 4)
	for _, tc := range []struct{ total, want Stamp }{{Day, 8 * Day}, {Day, 8 * Day}, {2 * Day, 9 * Day}, {Day, 9 * Day},
		{20 * Day, 10 * Day}} {
		c = must(t)(c.Stretch(1, tc.total))
		if p, _ := c.Pairing(1); p.Deadline != 1000+tc.want {
			t.Errorf("CO-13: %v away in all: deadline %v after the start, want %v", tc.total, p.Deadline-1000, tc.want)
		}
	}
}

// CO-14: a hold postpones the next deadline by its length. A competition ends after too long a hold.
func TestCO14_Hold(t *testing.T) {
	c := begun(t, Setup{Kind: RoundRobin, Time: Day}, 4).Hold("outage", 2000)
	c = c.Hold("server", 3000).Release("server", 4000)
	if c.Held != 2000 || len(c.ToOpen()) != 0 {
		t.Errorf("CO-14: held since %d, %d to open", c.Held, len(c.ToOpen()))
	}
	if late := c.Advance(1000 + 2*Day); !reflect.DeepEqual(late, c) {
		t.Error("CO-14: something was due while it was held")
	}
	on := c.Release("outage", 2000+2*Day)
	if due, _ := on.Due(); due.At != 1000+3*Day {
		t.Errorf("CO-14: due %d after the start, want three days", due.At-1000)
	}
	if gone := c.Advance(2000 + HoldLimit); gone.Why != EndHeld {
		t.Errorf("CO-14: after %d days: %s %s", HoldLimit/Day, gone.Phase, gone.Why)
	}
}

// CO-15: a substitute who accepts takes the entrant's place under the same number. An offer that was declined or
// withdrawn, or has ended in another way, cannot be accepted.
func TestCO15_Substitute(t *testing.T) {
	const at = 2000
	c := begun(t, Setup{Kind: RoundRobin}, 4)
	asked := must(t)(c.Ask("u1", "fresh", at))
	if i, in := asked.Entrant("u1"); i != 1 || !in {
		t.Errorf("CO-15: before the answer the entrant is %d, %v", i, in)
	}
	for what, err := range map[string]error{
		"somebody who has entered": second(c.Ask("u2", "u3", at)),
		"nobody":                   second(c.Ask("u2", "", at)),
		"who is asked already":     second(asked.Ask("u2", "fresh", at)),
	} {
		if !errors.Is(err, ErrTaken) {
			t.Errorf("CO-15: %s: %v", what, err)
		}
	}
	if _, err := entered(t, Setup{Kind: RoundRobin}, 4).Ask("u1", "fresh", at); !errors.Is(err, ErrPhase) {
		t.Errorf("CO-15: before the start: %v", err)
	}
	took := must(t)(asked.TakeOver("fresh"))
	if i, in := took.Entrant("fresh"); i != 1 || !in || len(took.Offers) != 0 {
		t.Errorf("CO-15: the substitute is %d, %v; %+v", i, in, took.Offers)
	}
	if _, err := took.TakeOver("fresh"); !errors.Is(err, ErrOffer) {
		t.Errorf("CO-15: once more: %v", err)
	}
	game := c.Pairings[slices.IndexFunc(c.Pairings, func(p Pairing) bool { return p.Ready != 0 && p.Seat(1) >= 0 })].No
	for what, after := range map[string]Competition{
		"declined":       must(t)(asked.Refuse("fresh")),
		"taken back":     must(t)(asked.Unask("u1")),
		"lapsed":         asked.Advance(at + Day),
		"the game over":  must(t)(asked.Report(game, firstWins, at)),
		"withdrawn":      must(t)(asked.Withdraw("u1", OutLeft, at)),
		"called off":     asked.CallOff(at),
		"data deleted":   asked.Forget("fresh", at),
		"another asked":  must(t)(asked.Ask("u1", "other", at)),
		"one's deleted":  asked.Forget("u1", at),
		"the other came": enters(t, asked, "fresh"),
	} {
		if _, err := after.TakeOver("fresh"); !errors.Is(err, ErrOffer) {
			t.Errorf("CO-15: %s: %v, %+v", what, err, after.Offers)
		}
	}
	late := asked.Advance(at + Day - notice(Day))
	if _, waits := late.OfferTo("fresh"); !waits || !late.Offers[0].Called {
		t.Errorf("CO-17: six hours before its end: %+v", late.Offers)
	}
	held := asked.Hold("x", at).Release("x", at+5*Hour)
	if held.Offers[0].Until != at+Day+5*Hour {
		t.Errorf("CO-14: the offer lapses at %d", held.Offers[0].Until)
	}
	c = must(t)(c.Withdraw("u3", OutLeft, at))
	if _, err := c.Ask("u3", "other", at); !errors.Is(err, ErrEntrant) {
		t.Errorf("CO-15: for who has withdrawn: %v", err)
	}
}

func second(_ Competition, err error) error { return err }

// enters makes a competition a Swiss tournament with late entries, and adds an entrant.
func enters(t *testing.T, c Competition, who string) Competition {
	t.Helper()
	c.Setup.Kind, c.Setup.Late = Swiss, 5
	return must(t)(c.Enter(who, 1, 2000))
}

// CO-16: a competition that is called off ends with its current standings.
func TestCO16_CallOff(t *testing.T) {
	c := openAll(t, begun(t, Setup{Kind: RoundRobin}, 4))
	c = must(t)(c.Report(1, firstWins, 2000)).CallOff(3000)
	if _, due := c.Due(); due || c.Why != EndCalled || c.Standings(0)[0].Points != Win {
		t.Errorf("CO-16: %s %s, due %v, %+v", c.Phase, c.Why, due, c.Standings(0)[0])
	}
	if later := must(t)(c.Report(2, firstWins, 4000)); !reflect.DeepEqual(later, c) {
		t.Error("CO-16: a game counted after it")
	}
}

// CO-18: competitions with the same lot get the same draws, and one with another lot gets others.
func TestCO18_Lots(t *testing.T) {
	a, b := begun(t, Setup{Kind: RoundRobin, Lot: 7}, 8), begun(t, Setup{Kind: RoundRobin, Lot: 7}, 8)
	other := begun(t, Setup{Kind: RoundRobin, Lot: 8}, 8)
	if !reflect.DeepEqual(a, b) || reflect.DeepEqual(a.Pairings, other.Pairings) {
		t.Error("CO-18: lots do not follow from their number alone")
	}
}

// CO-21: a break separates the last game of a round from the next round.
func TestCO21_Break(t *testing.T) {
	c := begun(t, Setup{Kind: RoundRobin, Break: Hour}, 4)
	c = must(t)(c.Report(1, firstWins, 2000))
	if c.Next != 0 || c.Round != 1 {
		t.Errorf("CO-21: round %d, next at %d while a game runs", c.Round, c.Next)
	}
	c = must(t)(c.Report(2, firstWins, 3000))
	if due, _ := c.Due(); due.At != 3000+Hour || due.What != DueRound {
		t.Errorf("CO-21: due %+v", due)
	}
	old := c
	if c = c.Advance(3000 + Hour); c.Round != 2 || len(c.ToOpen()) != 2 {
		t.Errorf("CO-21: round %d with %d tables", c.Round, len(c.ToOpen()))
	}
	t.Log(c.Changes(old))
}

// CO-80, CO-81, CO-83, CO-84, CO-85: the standings of a round robin equal those calculated by hand.
func TestCO80_Standings(t *testing.T) {
	c := begun(t, Setup{Kind: RoundRobin}, 4)
	// u0 beats u1, u1 beats u2, u2 beats u0, and u3 draws with everyone, so each of the four has 1½ points.
	for i := range c.Pairings {
		p := &c.Pairings[i]
		places := []int{1, 1}
		for s, e := range p.Seats {
			if o := p.Seats[1-s]; e < 3 && o < 3 && o == (e+1)%3 {
				places = []int{2, 2}
				places[s] = 1
			}
		}
		c.finish(p, Outcome{End: Played, Places: places}, 2000)
	}
	want := []Standing{
		{Place: 1, Entrant: 0, Points: 36, Played: 3, Won: 1, Drawn: 1, Lost: 1, Ties: []int{36, 1, 36 + 18}},
		{Place: 2, Entrant: 1, Points: 36, Played: 3, Won: 1, Drawn: 1, Lost: 1, Ties: []int{36, 1, 36 + 18}},
		{Place: 3, Entrant: 2, Points: 36, Played: 3, Won: 1, Drawn: 1, Lost: 1, Ties: []int{36, 1, 36 + 18}},
		{Place: 4, Entrant: 3, Points: 36, Played: 3, Drawn: 3, Ties: []int{36, 0, 54}},
	}
	if got := c.Standings(0); !reflect.DeepEqual(got, want) {
		t.Errorf("CO-80 CO-81 CO-83 CO-84 CO-85: got\n%+v\nwant\n%+v", got, want)
	}
}

// CO-2: each of these transitions can be repeated without effect, does not change its receiver, and gives a value that
// survives JSON.
func TestCO2_Repeats(t *testing.T) {
	c := begun(t, Setup{Kind: RoundRobin, Stretch: Day}, 5)
	for name, step := range map[string]func(Competition) (Competition, error){
		"enter":    func(c Competition) (Competition, error) { return c.Enter("u1", 9, 5) },
		"withdraw": func(c Competition) (Competition, error) { return c.Withdraw("u2", OutLeft, 5000) },
		"opened":   func(c Competition) (Competition, error) { return c.Opened(1, "t") },
		"report":   func(c Competition) (Competition, error) { return c.Report(1, firstWins, 5000) },
		"stretch":  func(c Competition) (Competition, error) { return c.Stretch(1, Hour) },
		"begin":    func(c Competition) (Competition, error) { return c.Begin(5000) },
		"advance":  func(c Competition) (Competition, error) { return c.Advance(1000 + 7*Day), nil },
		"hold":     func(c Competition) (Competition, error) { return c.Hold("x", 5000), nil },
		"call off": func(c Competition) (Competition, error) { return c.CallOff(5000), nil },
		"ask":      func(c Competition) (Competition, error) { return c.Ask("u1", "other", 5000) },
	} {
		before, _ := json.Marshal(c)
		once := must(t)(step(c))
		if after, _ := json.Marshal(c); string(after) != string(before) {
			t.Errorf("CO-2: %s changed the old value", name)
		}
		if twice := must(t)(step(once)); !reflect.DeepEqual(twice, once) {
			t.Errorf("CO-2: %s twice is not %s once", name, name)
		}
		var back Competition
		b, _ := json.Marshal(once)
		if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, once) {
			t.Errorf("CO-2: after %s the value does not come back from JSON", name)
		}
	}
}

// CO-2, CO-10: a competition other than a ladder that all entrants leave, one after another, ends immediately or, at
// larger tables, with its last game.
func TestCO10_EverybodyLeaves(t *testing.T) {
	for _, kind := range []Kind{RoundRobin, Swiss, KnockOut, Pods, League} {
		for n := kind.fewest(); n <= 16; n++ {
			for played := range 6 {
				c := begun(t, Setup{Kind: kind, Break: Hour}, n)
				c = openAll(t, c)
				for no := 1; no <= played; no++ {
					if p, ok := c.Pairing(no); ok && len(p.Seats) > 1 {
						c = must(t)(c.Report(no, Outcome{End: Abandoned}, 2000))
					}
				}
				for i := range n {
					c = must(t)(c.Withdraw(user(i), OutLeft, 3000))
				}
				if kind == Pods {
					c = c.Advance(1000 + 7*Day)
				}
				if c.Phase != Ended {
					t.Fatalf("CO-10: %s of %d, %d played: still %s in round %d of %d: %+v", kind, n, played, c.Phase,
						c.Round, c.Rounds, c.Pairings)
				}
				for _, l := range c.Standings(c.Divisions()) {
					if l.Place < 1 || l.Place > n {
						t.Errorf("CO-10: %s: place %d of %d", kind, l.Place, n)
					}
				}
			}
		}
	}
}
