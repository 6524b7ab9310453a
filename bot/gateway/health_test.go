package gateway

import (
	"runtime"
	"testing"
	"time"
)

// Health reports the lag as soon as the first heartbeat is answered, and no lag without a connection.
func TestHealthKnowsTheHeartbeat(t *testing.T) {
	t.Parallel()
	_, g, _ := harbour(t)
	if up, lag := g.Health(); up || lag != 0 {
		t.Errorf("before the connection: up %v, lag %v", up, lag)
	}
	began := time.Now()
	if err := g.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := g.links[0].live.Load()
	for up, _ := g.Health(); up && c.delay.Load() <= 0 && t.Context().Err() == nil; up, _ = g.Health() {
		runtime.Gosched()
	}
	if up, lag := g.Health(); !up || lag <= 0 || lag > time.Since(began) {
		t.Errorf("connected: up %v, lag %v", up, lag)
	}
	// This heartbeat was never sent, so no answer comes. The lag is then the time since c.sent.
	c.sent.Store(time.Now().Add(-time.Minute).UnixNano())
	c.acked.Store(time.Now().Add(-2 * time.Minute).UnixNano())
	if up, lag := g.Health(); !up || lag < time.Minute {
		t.Errorf("a heartbeat that is not answered for a minute: up %v, lag %v", up, lag)
	}
	g.links[0].leave()
	if up, _ := g.Health(); up {
		t.Error("after the connection: up")
	}
}
