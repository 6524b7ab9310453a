package table

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// DefaultCachePositions is the default for the maximum number of positions in memory: about a thousand tables of usual
// length. A position takes less than half a kilobyte; see TestCacheIsBounded.
const DefaultCachePositions = 60_000

// cache keeps the most recently used snapshots. A snapshot has a position for each play, and these take nearly all of
// its memory, so the cache is limited by the number of positions.
type cache struct {
	mu   sync.Mutex
	room int // maximum number of positions
	used int
	byID *simplelru.LRU[ID, *Snapshot]

	clears uint64 // number of calls of clear and drop
}

func newCache(room int) *cache {
	c := &cache{room: room}
	// The cache is limited by positions, not by this number. NewLRU fails only for a size below 1.
	c.byID, _ = simplelru.NewLRU(math.MaxInt, func(_ ID, s *Snapshot) { c.used -= s.weight() })
	return c
}

func (c *cache) get(id ID) *Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, _ := c.byID.Get(id)
	return s
}

// cleared returns how often the cache was cleared or a table dropped.
func (c *cache) cleared() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clears
}

// put stores a snapshot in the cache, unless the cache has a newer one. clears is the value of cleared before the
// snapshot was read. If clear or drop was called since, the snapshot may be out of date: put then does not store it,
// and drops any cached snapshot of its table.
func (c *cache) put(s *Snapshot, clears uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept, there := c.byID.Peek(s.ID); there && kept.Version > s.Version && c.clears == clears {
		return
	}
	c.byID.Remove(s.ID)
	if c.clears != clears {
		return
	}
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

// drop removes a table whose cached snapshot may be out of date. A snapshot that is being read during the call is not
// cached either.
func (c *cache) drop(id ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clears++
	c.byID.Remove(id)
}

// weight returns how many positions a snapshot counts as: one for each play of its match, and a few for everything
// else.
func (s *Snapshot) weight() int {
	const besides = 8
	return besides + s.Plays
}
