package publish

import (
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// pingPause is how long after an invitation pinged a user on a server no other pings them there.
	pingPause = 10 * time.Minute
	// maxPinged bounds how many pings are remembered: the latest.
	maxPinged = 8192
)

// pings remembers whom invitations have pinged.
type pings struct {
	mu   sync.Mutex
	last *simplelru.LRU[pinged, time.Time]
}

// pinged is a user on a server.
type pinged struct{ guild, user string }

func newPings() *pings {
	last, _ := simplelru.NewLRU[pinged, time.Time](maxPinged, nil) // fails for sizes below 1 alone
	return &pings{last: last}
}

// take returns those of the invited whom an invitation may ping now, and remembers that it did. undo forgets that, for
// an invitation that could not be posted.
func (p *pings) take(guild string, invited []string, now time.Time) (may []string, undo func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, u := range invited {
		at, ok := p.last.Peek(pinged{guild, u})
		if ok && now.Sub(at) < pingPause || slices.Contains(may, u) {
			continue
		}
		p.last.Add(pinged{guild, u}, now)
		may = append(may, u)
	}
	return may, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, u := range may {
			p.last.Remove(pinged{guild, u})
		}
	}
}
