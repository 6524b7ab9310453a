package bot

import (
	"strconv"
	"testing"
	"time"
)

// An interaction's computed age does not depend on the difference between Discord's clock and this machine's.
func TestAgesOfInteractions(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	id := func(made time.Time) string { return strconv.FormatInt((made.UnixMilli()-1420070400000)<<22, 10) }
	for _, apart := range []time.Duration{0, -time.Hour, time.Hour} {
		a := &ages{}
		for _, step := range []struct {
			after, waited, want time.Duration
		}{
			{0, 300 * time.Millisecond, 0},                                              // no reference yet
			{time.Second, 100 * time.Millisecond, 0},                                    // the quickest so far
			{time.Second, 300 * time.Millisecond, 200 * time.Millisecond},               //
			{40 * time.Second, 20 * time.Second, 20*time.Second - 100*time.Millisecond}, // as after a stop
			{0, 2 * time.Second, 2*time.Second - 100*time.Millisecond},
			{2 * time.Hour, 5 * time.Second, 0}, // the earlier reference has expired
		} {
			now = now.Add(step.after)
			if got := a.of(id(now.Add(apart-step.waited)), now); got != step.want {
				t.Errorf("clocks %v apart: one that waited %v is %v old, want %v", apart, step.waited, got, step.want)
			}
		}
	}
	if got := (&ages{}).of("no id", now); got != 0 {
		t.Errorf("what is no id is %v old", got)
	}
}
