package publish

import (
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// pingPause is how long after a ping for an invitation a user is not pinged for another invitation on the server.
	// The same pause applies to Room.Again. Without it, users could withdraw and repeat invitations and offers to ping
	// somebody.
	pingPause = 10 * time.Minute
	// letterPause is the time after a direct message about a server during which another one about the first board
	// of a game is silent. Messages during this time do not prolong it.
	letterPause = time.Minute
	// maxPinged is the maximum number of remembered pings. The oldest are dropped first.
	maxPinged = 8192
)

// pings records the last ping of each user, so that a pause follows it.
type pings struct {
	pause time.Duration
	mu    sync.Mutex
	last  *simplelru.LRU[pinged, ping]
}

// pinged is a user at a place. The place is a server's id or, for repeatable pings, the place in Room.Again.
type pinged struct{ place, user string }

// ping is the time of a ping and the reason for it.
type ping struct {
	at  time.Time
	why string
}

func newPings(pause time.Duration) *pings {
	last, _ := simplelru.NewLRU[pinged, ping](maxPinged, nil) // fails only for sizes below 1
	return &pings{pause: pause, last: last}
}

// take returns the users who may be pinged now, and records their pings. undo removes the records, for a message that
// could not be posted.
func (p *pings) take(place string, users []string, now time.Time) (may []string, undo func()) {
	return p.takeFor(place, "", users, now)
}

// takeFor does the same as take for a message that may be posted more than once. If why is not "" and was also the
// reason for a user's last ping, the user may be pinged again during the pause.
func (p *pings) takeFor(place, why string, users []string, now time.Time) (may []string, undo func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, u := range users {
		last, ok := p.last.Peek(pinged{place, u})
		if ok && now.Sub(last.at) < p.pause && (why == "" || why != last.why) || slices.Contains(may, u) {
			continue
		}
		p.last.Add(pinged{place, u}, ping{now, why})
		may = append(may, u)
	}
	return may, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, u := range may {
			p.last.Remove(pinged{place, u})
		}
	}
}
