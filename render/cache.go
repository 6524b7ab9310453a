package render

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// cache keeps the most recently used values, up to a limit in bytes. A value depends only on its key.
type cache[K comparable, V any] struct {
	mu    sync.Mutex
	limit int
	bytes int
	size  func(K, V) int
	items *simplelru.LRU[K, V] // its limit on the number of values is never reached
}

func newCache[K comparable, V any](limit int, size func(K, V) int) *cache[K, V] {
	c := &cache[K, V]{limit: limit, size: size}
	// NewLRU fails only for sizes below 1.
	c.items, _ = simplelru.NewLRU(math.MaxInt, func(k K, v V) { c.bytes -= size(k, v) })
	return c
}

func (c *cache[K, V]) get(k K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.items.Get(k)
}

// put stores v under k and returns it. If another goroutine stored a value first, put returns that one. A value above
// the limit is not stored.
func (c *cache[K, V]) put(k K, v V) V {
	n := c.size(k, v)
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept, ok := c.items.Peek(k); ok {
		return kept
	}
	if n > c.limit {
		return v
	}
	for c.bytes+n > c.limit {
		c.items.RemoveOldest()
	}
	c.items.Add(k, v)
	c.bytes += n
	return v
}

func (c *cache[K, V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items.Purge()
}
