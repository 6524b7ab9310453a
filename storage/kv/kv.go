// Package kv defines the storage engine of marque: ordered keys with values, in spaces. Package storage builds tables,
// results and settings on it.
//
// Every engine implements [Engine]. The engine of kv/bolt is a file, and that of kv/postgres a database server. The
// engine of kv/strict is in memory, for tests; it detects uses that this contract does not allow. kv/kvtest has the
// tests that every engine must pass. Programs use an engine through a [DB], which puts Works that wait at the same time
// into one transaction.
//
// Keys are bytes and compare byte by byte. A key has 1 to MaxKey bytes, a value 0 to MaxValue bytes. The slices that a
// Reader returns must not be changed, and are valid until the transaction ends. Slices that were passed to a Writer
// must not be changed afterwards.
package kv

import (
	"bytes"
	"context"
	"time"
)

// Maximum lengths of keys and values, in bytes.
const (
	MaxKey   = 1024
	MaxValue = 16 << 20
)

// Space is the name of an independent set of ordered keys. A space exists once it has a key. The name is not empty.
type Space string

// Key is a key in a space.
type Key struct {
	Space Space
	Key   []byte
}

// Range is the half-open interval [From, To) of the keys of a space. A nil From stands for the beginning of the space,
// a nil To for its end.
type Range struct {
	Space    Space
	From, To []byte
}

// Has reports whether a key is in the range.
func (r Range) Has(key Key) bool {
	return r.Space == key.Space && bytes.Compare(key.Key, r.From) >= 0 &&
		(r.To == nil || bytes.Compare(key.Key, r.To) < 0)
}

// Prefix returns the range of all keys that begin with prefix.
func Prefix(space Space, prefix []byte) Range {
	return Range{Space: space, From: prefix, To: After(prefix)}
}

// After returns the first key after all keys that begin with prefix. If there is none, it returns nil, the end of a
// space.
func After(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xff {
			end := append([]byte(nil), prefix[:i+1]...)
			end[i]++
			return end
		}
	}
	return nil
}

// Order is the direction of a scan.
type Order bool

// Directions of a scan.
const (
	Ascending  Order = false
	Descending Order = true
)

// Pair is a key with its value.
type Pair struct {
	Key, Value []byte
}

// Reader reads a consistent snapshot.
type Reader interface {
	// Get returns the values of keys, in the same order and in one round trip. A missing key has the value nil, and an
	// empty value is a non-nil empty slice.
	Get(keys ...Key) ([][]byte, error)
	// Scan returns the first pairs of a range in the given order, in one round trip. It returns at most limit pairs;
	// limit must be positive. If it returns fewer, there are no more.
	Scan(r Range, order Order, limit int) ([]Pair, error)
	// Count returns the number of keys in a range, without fetching them.
	Count(r Range) (int, error)
}

// Writer is the state of a transaction as one Work sees it: with the Work's own changes, and those of earlier Works in
// the group. Put and Delete return ErrLimits for keys and values that are too long, for empty keys, and for spaces
// without a name.
type Writer interface {
	Reader
	Put(key Key, value []byte) error
	Delete(key Key) error
	DeleteRange(r Range) error
}

// Lock is the name of a resource that only one Work uses at a time, such as "table 17". A Work holds its locks until it
// is committed. Works without a common lock may run at the same time in other groups or processes.
type Lock string

// Use tells whether a Work reads or writes keys.
type Use string

// The kinds of use.
const (
	Reads   Use = "reads"
	Puts    Use = "puts"
	Deletes Use = "deletes"
)

// Fence identifies a lease in one term of its owner (see Leases). A Work with a fence is refused with ErrNotOwner once
// the term is over. The zero Fence stands for no lease.
type Fence struct {
	Process string
	Shard   int
	Term    uint64
}

// Want has the keys and ranges that a Work reads first. They are fetched together with those of the group's other
// Works, and take no extra round trip. A Work can also read other keys; each such read takes a round trip.
type Want struct {
	Keys   []Key
	Ranges []WantRange
}

// WantRange is a scan in a Want.
type WantRange struct {
	Range
	Order Order
	Limit int
}

// Work is a change that is committed completely or not at all.
type Work struct {
	// Locks are held by the Work alone. They must cover all keys that the Work reads for a decision: two Works must
	// share a lock if one could change a key on which the other's decision depends. kv/strict checks this.
	Locks []Lock
	Want  Want
	// Fence is the lease that the Work needs; the zero Fence if it needs none.
	Fence Fence
	// Run does the work. It may be called more than once, and must not keep w or slices from it. If it returns an
	// error, the Work is refused and its changes are dropped. The other Works of the group are not affected.
	Run func(w Writer) error
}

// Engine stores keys and values. Its methods are safe for concurrent use.
//
// When Commit returns nil, the changes are durable, and every transaction that begins later in any process sees them.
// When it returns an error, nothing was changed. Two errors leave this open: a *DiskError with DiskFailed, and an
// *UnreachableError that is Unsure. An *AgainError says that running the whole transaction again may help.
type Engine interface {
	// View calls read with a consistent snapshot, which is valid until read returns. It returns read's error.
	View(ctx context.Context, read func(r Reader) error) error
	// Begin begins a write transaction. It takes the locks, in an order that all processes follow, checks the fences,
	// and fetches wants, at best in one round trip. held reports for each fence whether the lease is still held. The
	// transaction sees at least everything that was committed before it got its locks. Begin returns ErrCrowded if it
	// cannot take so many locks.
	Begin(ctx context.Context, locks []Lock, fences []Fence, wants []Want) (tx Tx, held []bool, err error)
	// Parallel returns the maximum number of concurrent write transactions; 1 for a file.
	Parallel() int
	// Spaces lists the spaces that have keys, sorted by name.
	Spaces(ctx context.Context) ([]Space, error)
	// Alive commits a write transaction. It returns nil if the commit succeeded.
	Alive(ctx context.Context) error
	// Size returns the size of the store.
	Size(ctx context.Context) (Size, error)
	// Close releases the engine's resources. No other call may be running.
	Close() error
}

// Tx is a write transaction. Only one goroutine may use it. After an error, only Rollback may be called.
type Tx interface {
	// Reader reads the state without the transaction's own changes, which the DB keeps in memory until Commit.
	Reader
	// Commit makes changes in order, makes them durable, and ends the transaction.
	Commit(ctx context.Context, changes []Change) error
	// Rollback ends the transaction without changes. After Commit it does nothing.
	Rollback()
}

// Change is one change in a transaction: a put, or the deletion of a key or a range. Tx.Commit gets deletions of ranges
// first, and then puts and deletions of distinct keys, sorted by space and key.
type Change struct {
	Key    Key
	Value  []byte // nil to delete the key
	Delete *Range // range to delete; if it is not nil, Key and Value are empty
}

// Overseer is an engine that checks each Work as it runs. A DB calls the engine's Run instead of the Work's. Run can
// run the Work several times, each time on a new Writer from fresh. Only the changes to the last Writer are kept.
type Overseer interface {
	Run(work Work, fresh func() Writer) error
}

// Size is the size of a store.
type Size struct {
	Bytes     int64 // size of the file, or of the tables with their indexes
	FreePages int64 // number of free pages in the file, which are used before the file grows
	FreeBytes int64 // number of bytes in the free pages
}

// Observer is called after every attempt to commit the changes of a group, with the duration of the transaction, the
// number of Works in the group, and the error. It must return quickly, because commits wait for it.
type Observer func(took time.Duration, works int, err error)
