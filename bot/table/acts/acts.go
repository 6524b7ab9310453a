// Package acts limits how often users notify others.
package acts

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"marque/bot/timesource"
)

const (
	// actsTime is the time in which a user's allowance of acts is fully restored. mostActs is the full allowance at one
	// place (a table, a competition, a server), and mostActsAnywhere at all places together.
	actsTime         = 10 * time.Minute
	mostActs         = 40
	mostActsAnywhere = 160
	// UndoCost is how many acts an undo counts as at a table with other players, who are pinged again for the next
	// move.
	UndoCost = 4
	// mostActors is the maximum number of actors that a Counter remembers. It forgets those who have not acted for
	// longest.
	mostActors = 16_384
)

// Counter counts the acts of users that can notify others, such as offers, pauses, changes of seats, and organisers'
// requests. Without a limit, users could withdraw and repeat these forever. Moves do not count, because the game limits
// them.
type Counter struct {
	clock timesource.Clock
	mu    sync.Mutex
	left  *simplelru.LRU[actor, allowance]
}

// actor is a user at a place; the place "" stands for all places together.
type actor struct{ user, place string }

// allowance is how many acts an actor had left at a time. It is fully restored within actsTime.
type allowance struct {
	left float64
	at   time.Time
}

// New returns a Counter without acts.
func New(clock timesource.Clock) *Counter {
	left, _ := simplelru.NewLRU[actor, allowance](mostActors, nil) // NewLRU fails only for sizes below 1
	return &Counter{clock: clock, left: left}
}

// Take counts an act of a user at a place as cost acts. If that exceeds a limit, the act does not count, and Take
// returns when this limit would allow it.
func (a *Counter) Take(user, place string, cost float64) (until time.Time, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.clock.Now()
	at := [...]actor{{user, place}, {user, ""}}
	var next [len(at)]allowance
	for i, most := range [...]float64{mostActs, mostActsAnywhere} {
		had, ok := a.left.Peek(at[i])
		if !ok {
			had = allowance{most, now}
		}
		grown := most * now.Sub(had.at).Seconds() / actsTime.Seconds()
		next[i] = allowance{min(most, had.left+max(grown, 0)) - cost, now}
		if lacking := -next[i].left; lacking > 0 {
			return now.Add(time.Duration(lacking / most * float64(actsTime))).Add(time.Second), false
		}
	}
	for i := range at {
		a.left.Add(at[i], next[i])
	}
	return now, true
}
