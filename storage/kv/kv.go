// Package kv defines the storage engine of marque: ordered keys with values, in spaces. Package storage is built on top
// of it and adds tables, results and settings.
//
// An engine is an [Engine]: kv/bolt is a file, kv/postgres a database server. kv/strict is in memory, for tests; it
// refuses any use that this contract does not allow. kv/kvtest has the tests that every engine must pass. Programs use
// an engine through a [DB], which puts works that wait at the same time into one transaction.
//
// Keys are bytes and compare byte by byte. A key has 1 to MaxKey bytes, a value 0 to MaxValue bytes. Callers must not
// change the slices that a Reader returns; these are valid until the transaction ends. Callers must not change slices
// after passing them to a Writer.
package kv

import (
	"bytes"
	"context"
	"time"
)

// Limits of keys and values, in bytes.
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

// Range is the half-open interval [From, To) of the keys of a space. A nil From is the beginning of the space, a nil To
// its end.
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

// After returns the first key after all keys that begin with prefix. It returns nil, the end of a space, if there is
// none.
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

// The directions.
const (
	Ascending  Order = false
	Descending Order = true
)

// Pair is a key with its value.
type Pair struct {
	Key, Value []byte
}

// Reader reads one consistent state.
type Reader interface {
	// Get returns the values of keys, in the order of keys and in one round trip: nil for a missing key, an empty slice
	// for an empty value.
	Get(keys ...Key) ([][]byte, error)
	// Scan returns the first pairs of a range in an order, in one round trip. It returns at most limit pairs (limit is
	// above 0). Fewer than limit mean that there are no more.
	Scan(r Range, order Order, limit int) ([]Pair, error)
	// Count returns the number of keys in a range, without fetching them.
	Count(r Range) (int, error)
}

// Writer is the state of a transaction as seen by one work: with the work's own changes and those of earlier works in
// the group. Put, Delete and DeleteRange return ErrLimits for keys and values beyond the limits.
type Writer interface {
	Reader
	Put(key Key, value []byte) error
	Delete(key Key) error
	DeleteRange(r Range) error
}

// Lock names a resource that only one work uses at a time, such as "table 17". A work holds its locks until it is
// committed. Works without a common lock may run at the same time in other groups or processes.
type Lock string

// Use says whether a work reads or writes keys.
type Use string

// The uses.
const (
	Reads   Use = "reads"
	Puts    Use = "puts"
	Deletes Use = "deletes"
)

// Fence is a lease in one owner's term, see Leases. A work under a fence is refused with ErrNotOwner once the term is
// over. The zero Fence stands for no lease.
type Fence struct {
	Process string
	Shard   int
	Term    uint64
}

// Want names the keys and ranges that a work reads first. They are fetched together with those of the group's other
// works, so that reading them takes no extra round trip. A work may read other keys too, one round trip each.
type Want struct {
	Keys   []Key
	Ranges []WantRange
}

// WantRange is a wanted scan.
type WantRange struct {
	Range
	Order Order
	Limit int
}

// Work is a change that is committed completely or not at all.
type Work struct {
	// Locks are held exclusively by the work. They must cover all keys that the work reads for a decision: two works
	// must share a lock if one could change a key on which the other's decision depends. kv/strict checks this.
	Locks []Lock
	Want  Want
	// Fence, unless zero, is the lease that the work needs.
	Fence Fence
	// Run does the work. It may be called more than once and must not keep w or slices from it. An error refuses the
	// work: its changes are dropped. The group's other works are not run again.
	Run func(w Writer) error
}

// Engine stores keys and values. Its methods are safe for concurrent use.
//
// When Commit returns nil, the changes are durable, and every transaction of any process that begins later sees them.
// When it returns an error, nothing was changed. Two errors leave that open: a *DiskError with DiskFailed, and an
// *UnreachableError that is Unsure. An *AgainError says that running the whole transaction again may help.
type Engine interface {
	// View runs read on one consistent state, which is valid until read returns. It returns read's error.
	View(ctx context.Context, read func(r Reader) error) error
	// Begin begins a write transaction. It takes the locks, in an order that all processes follow, checks the fences,
	// and fetches wants, at best in one round trip. held says for each fence whether it holds. The transaction sees at
	// least everything that was committed before it got its locks. Begin returns ErrCrowded if it cannot take so many
	// locks.
	Begin(ctx context.Context, locks []Lock, fences []Fence, wants []Want) (tx Tx, held []bool, err error)
	// Parallel returns the number of write transactions that may run at the same time; 1 for a file.
	Parallel() int
	// Spaces lists the spaces that have keys, in their order.
	Spaces(ctx context.Context) ([]Space, error)
	// Alive commits a write transaction. It returns nil if that succeeded, otherwise the reason why it failed.
	Alive(ctx context.Context) error
	// Size returns the size of the store.
	Size(ctx context.Context) (Size, error)
	// Close releases the engine's resources. No call may be running.
	Close() error
}

// Tx is a write transaction. It is used by one goroutine. After an error, only Rollback may be called.
type Tx interface {
	// Reader reads the state without the transaction's own changes. The DB keeps these in memory until Commit.
	Reader
	// Commit makes changes, in order, and makes them durable. It ends the transaction.
	Commit(ctx context.Context, changes []Change) error
	// Rollback ends the transaction without changes. After Commit it does nothing.
	Rollback()
}

// Change is one change of a transaction: a put, or the deletion of a key or of a range. Deletions of ranges come first.
// Then come puts and deletions of distinct keys, sorted by space and key.
type Change struct {
	Key    Key
	Value  []byte // nil to delete the key
	Delete *Range // unless nil, the range to delete; Key and Value are then empty
}

// Overseer is an engine that checks works: a DB lets the Overseer run them. fresh returns a new state for each run; the
// last one counts.
type Overseer interface {
	Run(work Work, fresh func() Writer) error
}

// Size is the size of a store.
type Size struct {
	Bytes     int64 // of the file, or of the tables with their indexes
	FreePages int64 // free pages in the file, which are used before the file grows
	FreeBytes int64 // bytes in the free pages
}

// Observer is called for every committed group with the time that the commit took, the number of works, and its error.
// It must return quickly, because commits wait for it.
type Observer func(took time.Duration, works int, err error)
