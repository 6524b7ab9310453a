package web

import (
	"testing"
	"time"
)

// The rate of requests from an address is limited: a number of requests at the same time, and then some each second.
// Other addresses are not affected.
func TestAnAddressAsksSoOften(t *testing.T) {
	t.Parallel()
	c, now := newCallers(1), time.Unix(1_800_000_000, 0)
	many := func(address string) (n int) {
		for c.may(address, now) {
			n++
		}
		return n
	}
	if n := many("192.0.2.1"); n != burst {
		t.Errorf("an address may ask %d times at once, want %d", n, burst)
	}
	if n := many("192.0.2.2"); n != burst {
		t.Errorf("another may ask %d times at once, want %d", n, burst)
	}
	now = now.Add(2 * time.Second)
	if n := many("192.0.2.1"); n != 2*perSecond {
		t.Errorf("two seconds later it may ask %d times, want %d", n, 2*perSecond)
	}
}
