package competition

import (
	"fmt"
	"slices"
	"testing"
)

// CO-18: Check accepts a simulated competition of each kind except Ladder, and rejects changed data: swapped seats,
// wrong tables, a missing pairing, a false point, in Swiss and KnockOut a reversed result, and except in KnockOut
// another lot.
func TestCO18_WhatWasPairedIsPairedAgain(t *testing.T) {
	for i, kind := range []Kind{Swiss, Pods, KnockOut, RoundRobin, League} {
		w := newWorld(t, uint64(100+i), Setup{Kind: kind, Time: 7 * Day, Division: 6}, 13)
		w.run(366 * Day)
		if err := w.c.Check(); err != nil || w.c.Phase != Ended {
			t.Fatalf("%s: %v, %s", kind, err, w.c.Phase)
		}
		found := 0
		forge := func(what string, f func(c *Competition)) {
			t.Helper()
			c := w.c.clone()
			f(&c)
			if err := c.Check(); err == nil {
				t.Errorf("%s: nobody finds out that %s", kind, what)
			} else {
				found++
			}
		}
		last := func(c *Competition, f func(p Pairing) bool) *Pairing {
			for k := range slices.Backward(c.Pairings) {
				if f(c.Pairings[k]) {
					c.Pairings[k].Seats = slices.Clone(c.Pairings[k].Seats)
					c.Pairings[k].Points = slices.Clone(c.Pairings[k].Points)
					return &c.Pairings[k]
				}
			}
			t.Fatalf("%s: no such pairing", kind)
			return nil
		}
		full := func(p Pairing) bool { return len(p.Seats) > 1 && len(p.Drawn) == 0 }
		forge("seats were swapped", func(c *Competition) {
			p := last(c, full)
			p.Seats[0], p.Seats[1] = p.Seats[1], p.Seats[0]
		})
		forge("two were put at each other's tables", func(c *Competition) {
			p := last(c, full)
			q := last(c, func(q Pairing) bool {
				return full(q) && q.No != p.No && !slices.Contains(q.Seats, p.Seats[0])
			})
			for k, e := range q.Seats {
				if !slices.Contains(p.Seats, e) {
					p.Seats[0], q.Seats[k] = e, p.Seats[0]
					break
				}
			}
		})
		forge("a pairing is missing", func(c *Competition) {
			c.Pairings = c.Pairings[:len(c.Pairings)-1]
		})
		forge("somebody was given a point", func(c *Competition) { last(c, full).Points[0]++ })
		if kind != KnockOut { // in a knock-out the lot decides only seats, so two lots can give the same seats
			forge("the lot was drawn again", func(c *Competition) { c.Setup.Lot += 12345 })
		}
		if kind == Swiss || kind == KnockOut {
			forge("a result of the first rounds was turned", func(c *Competition) {
				p := last(c, func(p Pairing) bool {
					return p.Round <= 2 && p.End == Played && p.Points[0] != p.Points[1]
				})
				p.Points, p.Was = []int{p.Points[1], p.Points[0]}, nil
			})
		}
		for _, p := range w.c.Pairings {
			if p.End != Played || len(p.Seats) != 2 {
				continue
			}
			places := map[bool][]int{true: {1, 2}, false: {2, 1}}[p.Points[0] > p.Points[1]]
			if p.Points[0] == p.Points[1] {
				places = []int{1, 1}
			}
			if err := w.c.CheckResult(p.No, places); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
			if err := w.c.CheckResult(p.No, []int{places[0]%2 + 1, 1}); err == nil {
				t.Errorf("%s: pairing %d counts %v, and as well for %v", kind, p.No, p.Points, places)
			}
		}
		t.Logf("%s: %d pairings, %d forgeries found", kind, len(w.c.Pairings), found)
	}
}

// CO-18: Check rejects forged challenges of a ladder: seats that the lot did not give, an entrant in two challenges at
// the same time (CO-70), and a challenger who did not rest after a loss (CO-73).
func TestCO18_ForgedChallenges(t *testing.T) {
	c := ladder(t, 5)
	for _, played := range []struct {
		who, whom string
		at        Stamp
	}{{"u2", "u1", 2000}, {"u4", "u3", 3000}, {"u2", "u1", 10 * Day}} {
		c = must(t)(c.Challenge(played.who, played.whom, fmt.Sprint(played.at), played.at))
		p := c.Pairings[len(c.Pairings)-1]
		c = must(t)(c.Accept(p.No, played.at+1))
		places := []int{1, 1}
		places[p.Seat(p.Challenger)] = 2 // the challenged entrant wins
		c = must(t)(c.Report(p.No, Outcome{End: Played, Places: places}, played.at+Day))
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	for what, forge := range map[string]func(p *Pairing){
		"the seats were swapped":        func(p *Pairing) { p.Seats = []int{p.Seats[1], p.Seats[0]} },
		"the other challenged":          func(p *Pairing) { p.Challenger = p.challenged() },
		"a stranger challenged":         func(p *Pairing) { p.Challenger = 0 },
		"it has another's id":           func(p *Pairing) { p.ID = "2000" },
		"it was while another was on":   func(p *Pairing) { p.Ready = 3000 },
		"it was a day after the defeat": func(p *Pairing) { p.Ready = 2000 + 2*Day },
	} {
		forged := c.clone()
		forge(&forged.Pairings[2])
		if err := forged.Check(); err == nil {
			t.Errorf("nobody finds out that %s", what)
		}
	}
}
