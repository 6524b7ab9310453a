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
	// letterPause is how long after a letter that called a user on a server the first board of a game calls them by a
	// letter without a sound.
	letterPause = time.Minute
	// maxPinged bounds how many pings are remembered: the latest.
	maxPinged = 8192
)

// pings remembers who was pinged, so that they are again only after a pause.
type pings struct {
	pause time.Duration
	mu    sync.Mutex
	last  *simplelru.LRU[pinged, time.Time]
}

// pinged is a user on a server.
type pinged struct{ guild, user string }

func newPings(pause time.Duration) *pings {
	last, _ := simplelru.NewLRU[pinged, time.Time](maxPinged, nil) // fails for sizes below 1 alone
	return &pings{pause: pause, last: last}
}

// take returns those of some users who may be pinged now, and remembers that they were. undo forgets that, for a
// message that could not be posted.
func (p *pings) take(guild string, users []string, now time.Time) (may []string, undo func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, u := range users {
		at, ok := p.last.Peek(pinged{guild, u})
		if ok && now.Sub(at) < p.pause || slices.Contains(may, u) {
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
