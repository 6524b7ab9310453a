package table

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// DefaultCachePositions is how many positions of tables are in memory at most, unless Config says otherwise: those of
// about a thousand tables of usual length. One takes less than half a kilobyte, see TestCacheIsBounded.
const DefaultCachePositions = 60_000

// cache keeps the snapshots that were used last. Nearly all memory that a snapshot takes is its positions, one for each
// play, so a number of positions bounds them.
type cache struct {
	mu   sync.Mutex
	room int // positions
	used int
	byID *simplelru.LRU[ID, *Snapshot]

	clears uint64 // how often it was cleared, or a table dropped
}

func newCache(room int) *cache {
	c := &cache{room: room}
	// Positions bound it, not the number. It fails for a number below 1 alone.
	c.byID, _ = simplelru.NewLRU(math.MaxInt, func(_ ID, s *Snapshot) { c.used -= s.weight() })
	return c
}

func (c *cache) get(id ID) *Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, _ := c.byID.Get(id)
	return s
}

// cleared is how often something was taken out because it may be out of date.
func (c *cache) cleared() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clears
}

// put keeps a snapshot, unless the cache was cleared since cleared was clears.
func (c *cache) put(s *Snapshot, clears uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.clears != clears {
		return
	}
	c.byID.Remove(s.ID)
	c.byID.Add(s.ID, s)
	for c.used += s.weight(); c.used > c.room; {
		c.byID.RemoveOldest()
	}
}

func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clears++
	c.byID.Purge()
}

// drop forgets a table: somebody else has changed it. What is being read of it is not kept.
func (c *cache) drop(id ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clears++
	c.byID.Remove(id)
}

// weight is how many positions a snapshot is counted as: those of its match, and a few for everything else.
func (s *Snapshot) weight() int {
	const besides = 8
	return besides + s.Plays
}
