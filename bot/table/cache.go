package table

import (
	"math"
	"reflect"
	"sync"
	"unsafe"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"marque/games"
	"marque/storage"
)

// DefaultCacheBytes is what the tables in memory may take unless Config says otherwise: about a
// thousand of usual length.
const DefaultCacheBytes = 32 << 20

// cache keeps the snapshots that were used last, as many as have room in a number of bytes.
type cache struct {
	mu   sync.Mutex
	room int64 // bytes
	used int64
	byID *simplelru.LRU[ID, cached]

	clears uint64 // how often it was cleared, or a table dropped
}

type cached struct {
	snap *Snapshot
	size int64
}

func newCache(room int64) *cache {
	c := &cache{room: room}
	// Bytes bound it, not the number. It fails for a number below 1 alone.
	c.byID, _ = simplelru.NewLRU(math.MaxInt, func(_ ID, e cached) { c.used -= e.size })
	return c
}

func (c *cache) get(id ID) *Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, _ := c.byID.Get(id)
	return e.snap
}

// cleared is how often something was taken out because it may be out of date.
func (c *cache) cleared() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clears
}

// put keeps a snapshot, unless the cache was cleared since cleared was clears.
func (c *cache) put(s *Snapshot, clears uint64) {
	e := cached{snap: s, size: s.bytes()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.clears != clears {
		return
	}
	c.byID.Remove(s.ID)
	c.byID.Add(s.ID, e)
	for c.used += e.size; c.used > c.room; {
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

// bytes estimates what a snapshot takes in memory: mostly the positions of its match, one for each
// play.
func (s *Snapshot) bytes() int64 {
	const (
		fixed = 2048 // the snapshot, its entry in the cache, what the header of the match repeats
		word  = int64(unsafe.Sizeof(uintptr(0)))
		text  = 16 // a short text with its string header's share of an allocation
	)
	n := int64(fixed)
	for _, o := range s.Seats {
		n += 2 * (int64(unsafe.Sizeof(o)) + int64(len(o.User)+len(o.Name.Plain())+len(o.Computer)))
	}
	for _, list := range [][]string{s.detail.Inputs, s.detail.Invited, s.detail.Order} {
		for _, t := range list {
			n += 2*word + int64(len(t))
		}
	}
	for _, p := range s.detail.Plans {
		n += int64(unsafe.Sizeof(storage.Plan{})) + int64(len(p.Line))*(2*word+text)
	}
	if s.match == nil {
		return n
	}
	position := 2*word + sizeOf(reflect.ValueOf(s.match.State()), 1)
	play := int64(unsafe.Sizeof(games.Entry{})) + text + int64(unsafe.Sizeof(games.Move(0)))
	plays := int64(s.match.Len() + 1)
	return n + plays*(position+play)*5/4 // slices grow by a quarter
}

// sizeOf is what a value takes, with what it points to, pointers in that not followed further than
// depth: a position may share what lies deeper with those before it.
func sizeOf(v reflect.Value, depth int) int64 {
	return int64(v.Type().Size()) + outside(v, depth)
}

// outside is what a value takes besides itself.
func outside(v reflect.Value, depth int) int64 {
	if !hasPointers(v.Type()) {
		return 0
	}
	n := int64(0)
	switch v.Kind() {
	case reflect.String:
		n = int64(v.Len())
	case reflect.Struct:
		for i := range v.NumField() {
			n += outside(v.Field(i), depth)
		}
	case reflect.Array:
		for i := range v.Len() {
			n += outside(v.Index(i), depth)
		}
	case reflect.Slice:
		n = int64(v.Cap()) * int64(v.Type().Elem().Size())
		for i := range v.Len() {
			n += outside(v.Index(i), depth)
		}
	case reflect.Map:
		n = int64(v.Len()) * 2 * int64(v.Type().Key().Size()+v.Type().Elem().Size())
	case reflect.Pointer, reflect.Interface:
		if depth > 0 && !v.IsNil() {
			n = sizeOf(v.Elem(), depth-1)
		}
	}
	return n
}

var pointers sync.Map // of reflect.Type to bool: as many as there are types in positions

// hasPointers reports whether values of a type may point to something.
func hasPointers(t reflect.Type) bool {
	if known, ok := pointers.Load(t); ok {
		return known.(bool)
	}
	has := true
	switch k := t.Kind(); {
	case k <= reflect.Complex128:
		return false
	case k == reflect.Array:
		has = hasPointers(t.Elem())
	case k == reflect.Struct:
		has = false
		for i := range t.NumField() {
			has = has || hasPointers(t.Field(i).Type)
		}
	}
	pointers.Store(t, has)
	return has
}
