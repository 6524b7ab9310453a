package competition

import (
	"fmt"
	"testing"
)

// Changes reports the expected changes of steps of a round robin and a ladder, and none for a repeated step. It reports
// the rounds of a Swiss tournament in their order.
func TestChangesTellEachStepOnce(t *testing.T) {
	told := func(c, old Competition) string {
		s := ""
		for _, n := range c.Changes(old) {
			s += fmt.Sprintf("%s %d %d %d; ", n.What, n.Entrant, n.Pairing, n.Round)
		}
		return s
	}
	c := entered(t, Setup{Kind: RoundRobin}, 2)
	l := ladder(t, 2)
	for _, step := range []struct {
		name string
		old  *Competition
		do   func(Competition) (Competition, error)
		want string
	}{
		{"enter", &c, func(c Competition) (Competition, error) { return c.Enter("u2", 1, 1) }, "entered 2 0 0; "},
		{"withdraw before", &c, func(c Competition) (Competition, error) { return c.Withdraw("u0", OutLeft, 1) }, ""},
		{"begin", &c, func(c Competition) (Competition, error) { return c.Advance(1000), nil }, "began 0 0 0; round-began 0 0 1; pairing-ready 0 1 0; "},
		{"hold", &c, func(c Competition) (Competition, error) { return c.Hold("x", 2000), nil }, "held 0 0 0; "},
		{"release", &c, func(c Competition) (Competition, error) { return c.Release("x", 2000), nil }, "released 0 0 0; "},
		{"ask", &c, func(c Competition) (Competition, error) { return c.Ask("u2", "u8", 2000) }, "asked 1 0 0; "},
		{"refuse", &c, func(c Competition) (Competition, error) { c, _ = c.Refuse("u8"); return c, nil }, "unasked 1 0 0; "},
		{"ask another", &c, func(c Competition) (Competition, error) { return c.Ask("u2", "u9", 3000) }, "asked 1 0 0; "},
		{"late", &c, func(c Competition) (Competition, error) { return c.Advance(3000 + 18*Hour), nil }, "asked-still 1 0 0; "},
		{"substitute", &c, func(c Competition) (Competition, error) { c, _ = c.TakeOver("u9"); return c, nil }, "substitute 1 0 0; "},
		{"opened", &c, func(c Competition) (Competition, error) { return c.Opened(1, "t") }, ""},
		{"report", &c, func(c Competition) (Competition, error) { return c.Report(1, firstWins, 3000) },
			"pairing-ended 0 1 0; round-ended 0 0 1; ended 0 0 0; "},
		{"challenge", &l, func(c Competition) (Competition, error) { return c.Challenge("u1", "u0", "7", 2000) }, "challenged 0 1 0; "},
		{"late to answer", &l, func(c Competition) (Competition, error) { return c.Advance(2000 + 18*Hour), nil }, "waits 0 1 0; "},
		{"accept", &l, func(c Competition) (Competition, error) { return c.Accept(1, 2000) }, "pairing-ready 0 1 0; "},
		{"withdraw", &l, func(c Competition) (Competition, error) { return c.Withdraw("u0", OutLeft, 3000) }, "pairing-ended 0 1 0; left 0 0 0; "},
	} {
		old := *step.old
		*step.old = must(t)(step.do(old))
		if got := told(*step.old, old); got != step.want {
			t.Errorf("%s tells %q, want %q", step.name, got, step.want)
		}
		again := must(t)(step.do(old))
		if got := told(again, *step.old); got != "" {
			t.Errorf("%s tells again %q", step.name, got)
		}
	}
	w := newWorld(t, 3, Setup{Kind: Swiss, Time: Day, Rounds: 5}, 9)
	rounds := ""
	for w.c.Phase != Ended {
		old := w.c
		w.run(w.now + Hour)
		for _, n := range w.c.Changes(old) {
			if n.What == RoundBegan || n.What == RoundEnded {
				rounds += fmt.Sprint(n.What, n.Round, " ")
			}
		}
	}
	if want := "round-began1 round-ended1 round-began2 round-ended2 round-began3 round-ended3 round-began4 round-ended4 round-began5 round-ended5 "; rounds != want {
		t.Errorf("rounds told: %s", rounds)
	}
	w = newWorld(t, 3, Setup{Kind: Swiss, Time: Day, Rounds: 5}, 9)
	for w.c.Round == 0 {
		w.run(w.now + Hour)
	}
	if got := told(w.c.CallOff(w.now), w.c); got != "ended 0 0 0; " {
		t.Errorf("calling off in round %d tells %q", w.c.Round, got)
	}
}
