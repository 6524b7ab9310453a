package render

import (
	"container/list"
	"sync"
)

// cache keeps the values used last, up to a limit of bytes. Keys hold all that a
// value depends on, so that equal keys mean equal values.
type cache[K comparable, V any] struct {
	mu    sync.Mutex
	limit int
	bytes int
	size  func(K, V) int
	order *list.List // of entry[K, V], the one used last in front
	items map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
	bytes int
}

func newCache[K comparable, V any](limit int, size func(K, V) int) *cache[K, V] {
	return &cache[K, V]{limit: limit, size: size, order: list.New(), items: map[K]*list.Element{}}
}

func (c *cache[K, V]) get(k K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[k]
	if !ok {
		var none V
		return none, false
	}
	c.order.MoveToFront(e)
	return e.Value.(entry[K, V]).value, true
}

// put keeps v, and returns what is kept under k: another value when someone was faster.
func (c *cache[K, V]) put(k K, v V) V {
	n := c.size(k, v)
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[k]; ok {
		return e.Value.(entry[K, V]).value
	}
	if n > c.limit {
		return v
	}
	for c.bytes+n > c.limit {
		last := c.order.Back()
		old := c.order.Remove(last).(entry[K, V])
		delete(c.items, old.key)
		c.bytes -= old.bytes
	}
	c.items[k] = c.order.PushFront(entry[K, V]{k, v, n})
	c.bytes += n
	return v
}
