package competition

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// underway returns a competition of the given kind with its first games open, and the number of one of its pairings. In
// a ladder, the pairing is an accepted challenge of u1 to u0.
func underway(t *testing.T, kind Kind) (c Competition, no int) {
	t.Helper()
	c = begun(t, Setup{Kind: kind, Stretch: 3 * Day, Late: 2, Rest: Day}, 9)
	if kind == Ladder {
		c = must(t)(must(t)(c.Challenge("u1", "u0", "7", 1000)).Accept(1, 1000))
	}
	no = c.ToOpen()[0].No
	return openAll(t, c), no
}

// inOrder returns an outcome in which the seats finish in ascending order, or in descending order if backwards is set.
func inOrder(p Pairing, backwards bool) Outcome {
	o := Outcome{End: Played}
	for i := range p.Seats {
		o.Places = append(o.Places, i+1)
	}
	if backwards {
		slices.Reverse(o.Places)
	}
	return o
}

// shares reports whether all seats of a pairing got the same points and the order of a ladder is unchanged.
func shares(before, c Competition, no int) bool {
	p, _ := c.Pairing(no)
	for _, n := range p.Points {
		if n != Win/2 {
			return false
		}
	}
	return len(p.Points) == len(p.Seats) && slices.Equal(c.Order, before.Order)
}

// In competitions of each kind, game results, the deadline, departures, absences, substitutes, deleted data, holds, and
// calling the competition off have the effects of CO-7 to CO-10, CO-12 to CO-16, CO-72 and CO-75.
func TestEveryKindTakesWhatHappens(t *testing.T) {
	for _, kind := range []Kind{RoundRobin, Swiss, KnockOut, Pods, League, Ladder} {
		t.Run(string(kind), func(t *testing.T) {
			c, no := underway(t, kind)
			p, _ := c.Pairing(no)
			user := c.Entrants[p.Seats[0]].User
			last := len(p.Seats) - 1
			point := func(c Competition, seat int) int {
				p, _ := c.Pairing(no)
				return p.Points[seat]
			}

			for _, backwards := range []bool{false, true} {
				o, winner := inOrder(p, backwards), p.Seats[0]
				if backwards {
					winner = p.Seats[last]
				}
				won := must(t)(c.Report(no, o, 2000))
				if point(won, p.Seat(winner)) != Win {
					t.Errorf("CO-7: who won has %d", point(won, p.Seat(winner)))
				}
				if kind == Ladder && won.Order[0] != winner {
					t.Errorf("CO-72: on top is %d, who won is %d", won.Order[0], winner)
				}
				void, err := won.Correct(no, Outcome{End: Void})
				switch {
				case kind == Ladder && (!errors.Is(err, ErrPhase) || !reflect.DeepEqual(void, won)):
					t.Errorf("CO-72: a result that is void later: %v", err)
				case kind != Ladder && (err != nil || !shares(won, void, no)):
					t.Errorf("CO-9: a result that is void later: %v, %+v", err, void.Pairings[void.find(no)])
				}
				if kind != Ladder {
					again := must(t)(void.Correct(no, o))
					if point(again, p.Seat(winner)) != Win || !slices.EqualFunc(again.Pairings, won.Pairings, met) {
						t.Errorf("CO-9: taken back: %+v", again.Pairings[again.find(no)])
					}
				}
			}

			for what, o := range map[string]Outcome{
				"CO-7: a draw":       {End: Played, Places: slices.Repeat([]int{1}, len(p.Seats))},
				"CO-9: void":         {End: Void},
				"CO-9: abandoned":    {End: Abandoned},
				"CO-8: its deadline": ByTime(slices.Repeat([]Stamp{5}, len(p.Seats))),
			} {
				if got := must(t)(c.Report(no, o, 2000)); !shares(c, got, no) {
					t.Errorf("%s: %+v, order %v", what, got.Pairings[got.find(no)], got.Order)
				}
			}
			if late := c.Advance(p.Deadline); !shares(c, late, no) {
				t.Errorf("CO-8: its deadline, with nothing reported: %+v", late.Pairings[late.find(no)])
			}

			away := must(t)(must(t)(c.Stretch(no, Day)).Stretch(no, Day))
			long := must(t)(away.Stretch(no, 20*Day))
			for _, tc := range []struct {
				c    Competition
				want Stamp
			}{{away, Day}, {long, 3 * Day}} {
				if got, _ := tc.c.Pairing(no); got.Deadline != p.Deadline+tc.want {
					t.Errorf("CO-13: the deadline is put off by %d, want %d", got.Deadline-p.Deadline, tc.want)
				}
			}

			for _, reason := range []string{"removed", "channel", "outage"} {
				held := c.Hold(reason, 2000)
				counted := must(t)(held.Report(no, inOrder(p, false), 3000))
				if point(counted, 0) != Win || len(counted.ToOpen()) != 0 || counted.Round != c.Round {
					t.Errorf("CO-14: held for %s: %+v", reason, counted.Pairings[counted.find(no)])
				}
				if still := held.Advance(p.Deadline); !reflect.DeepEqual(still, held) {
					t.Errorf("CO-14: held for %s, and something was due", reason)
				}
				on, _ := held.Release(reason, 2000+2*Day).Pairing(no)
				missed, _ := c.Missed(2000, 2000+2*Day).Pairing(no)
				if on.Deadline != p.Deadline+2*Day || missed.Deadline != on.Deadline {
					t.Errorf("CO-14: held for %s two days, the deadline is later by %d and %d", reason,
						on.Deadline-p.Deadline, missed.Deadline-p.Deadline)
				}
				if gone := held.Advance(2000 + HoldLimit); gone.Why != EndHeld {
					t.Errorf("CO-14: held for %s for too long: %s %s", reason, gone.Phase, gone.Why)
				}
			}

			for what, out := range map[string]Competition{
				"withdrawn": must(t)(c.Withdraw(user, OutLeft, 2000)),
				"gone":      must(t)(c.Withdraw(user, OutGone, 2000)),
				"deleted":   c.Forget(user, 2000),
			} {
				got, _ := out.Pairing(no)
				switch {
				case kind == Pods && got.End == "": // the game continues without the entrant
					out = must(t)(out.Report(no, inOrder(p, true), 3000))
					if point(out, 0) != 0 || point(out, last) != Win {
						t.Errorf("CO-10: %s: %+v", what, out.Pairings[out.find(no)])
					}
				case got.End != Walkover || got.Points[0] != 0 || got.Points[1] != Win:
					t.Errorf("CO-10: %s: %+v", what, got)
				}
				in := slices.ContainsFunc(out.Standings(out.DivisionOf(p.Seats[0])), func(l Standing) bool {
					return l.Entrant == p.Seats[0]
				})
				if in != (kind != Ladder) {
					t.Errorf("CO-10, CO-75: %s: in the standings %v", what, in)
				}
				stored, _ := json.Marshal(out)
				if what == "deleted" && strings.Contains(string(stored), `"`+user+`"`) {
					t.Errorf("CO-12: the id is still there: %s", stored)
				}
			}

			swapped := must(t)(must(t)(c.Ask(user, "fresh", 2000)).TakeOver("fresh"))
			i, in := swapped.Entrant("fresh")
			if !in || i != p.Seats[0] || !slices.EqualFunc(swapped.Pairings, c.Pairings, met) {
				t.Errorf("CO-15: who goes on is entrant %d, %v", i, in)
			}
			if off := c.CallOff(2000); off.Why != EndCalled || !reflect.DeepEqual(off,
				must(t)(off.Report(no, inOrder(p, false), 3000))) {
				t.Errorf("CO-16: called off: %s %s", off.Phase, off.Why)
			}
		})
	}
}

// met reports whether two pairings have the same number, and the same people in the same seats.
func met(a, b Pairing) bool { return a.No == b.No && slices.Equal(a.Seats, b.Seats) }

// CO-9: voiding a result after the next round was paired changes the points, but no pairing.
func TestCO9_PairingsThatStandStay(t *testing.T) {
	for _, kind := range []Kind{RoundRobin, Swiss, KnockOut, Pods} {
		c := begun(t, Setup{Kind: kind}, 9)
		no := c.ToOpen()[0].No
		c = playRound(t, c, 2000)
		void := must(t)(c.Correct(no, Outcome{End: Void}))
		if c.Round != 2 || !shares(c, void, no) || !slices.EqualFunc(void.Pairings, c.Pairings, met) ||
			!reflect.DeepEqual(void.Bracket, c.Bracket) {
			t.Errorf("CO-9: %s in round %d: %+v", kind, c.Round, void.Pairings)
		}
		for void.Phase == Running {
			void = playRound(t, void, 3000)
		}
		if err := void.Check(); err != nil {
			t.Errorf("CO-18: %s: what was paired is not paired again: %v", kind, err)
		}
	}
}
