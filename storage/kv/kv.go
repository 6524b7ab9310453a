// Package kv defines what marque needs of an engine: ordered keys with values, in spaces. Package storage stands above
// it; it knows tables, results and settings.
//
// An engine is an [Engine]: kv/bolt is a file, kv/postgres a database server. kv/strict is in memory, for tests; it
// refuses any use that this contract does not allow. kv/kvtest has the tests that every engine must pass. Programs use
// an engine through a [DB], which puts works that wait at the same time into one transaction.
//
// Keys are bytes and compare byte by byte. A key has 1 to MaxKey bytes, a value 0 to MaxValue bytes. What a Reader
// returns must not be changed, and is valid until the transaction ends. What was given to a Writer must not be changed
// any more.
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

// Range is the half-open interval [From, To) of the keys of a space. A nil From or To stands for the beginning or the
// end of the space.
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

// After returns the first key behind all keys that begin with prefix; nil, the end of a space, if there is none.
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
	// Get returns the values of keys, in their order and in one round trip: nil for a missing key, an empty slice for
	// an empty value.
	Get(keys ...Key) ([][]byte, error)
	// Scan returns the first pairs of a range in an order, at most limit (above 0), in one round trip. If it returns
	// fewer than limit, there are no more.
	Scan(r Range, order Order, limit int) ([]Pair, error)
	// Count returns the number of keys in a range, without fetching them.
	Count(r Range) (int, error)
}

// Writer is the state of a transaction as one work sees it: with its own changes and those of earlier works in the
// group. Put, Delete and DeleteRange return ErrLimits for keys and values beyond the limits.
type Writer interface {
	Reader
	Put(key Key, value []byte) error
	Delete(key Key) error
	DeleteRange(r Range) error
}

// Lock names something that only one work uses at a time, such as "table 17". A work holds its locks until it is
// committed. Works without a common lock, in other groups or processes, may run at the same time.
type Lock string

// Use is whether a work reads or writes keys.
type Use string

// The uses.
const (
	Reads   Use = "reads"
	Puts    Use = "puts"
	Deletes Use = "deletes"
)

// Fence is a lease in one owner's term, see Leases. A work under a fence is refused with ErrNotOwner once the term is
// over. The zero Fence is none.
type Fence struct {
	Process string
	Shard   int
	Term    uint64
}

// Want names the keys and ranges that a work reads first. They are fetched together with the wants of the group's other
// works, so that reading them takes no round trip. A work may read other keys too, one round trip each.
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

// Work is a change that is committed whole or not at all.
type Work struct {
	// Locks are held by the work alone. They must cover all keys that the work reads for a decision: two works must
	// share a lock if one could change what the other decides by. kv/strict checks this.
	Locks []Lock
	Want  Want
	// Fence, unless zero, is the lease that the work needs.
	Fence Fence
	// Run does the work. It may be called more than once and must not keep what it was given. An error refuses the
	// work: its changes are dropped. The group's other works are not run again.
	Run func(w Writer) error
}

// Engine stores keys and values. Its methods may be called by many goroutines at once.
//
// When Commit returns nil, the changes are durable, and every transaction of any process that begins later sees them.
// After any other error nothing was changed, except for two unsure ones: a *DiskError with DiskFailed, and an
// *UnreachableError that is Unsure. An *AgainError says that running the whole transaction again may help.
type Engine interface {
	// View runs read on one consistent state, which holds until read returns. It returns read's error.
	View(ctx context.Context, read func(r Reader) error) error
	// Begin begins a transaction that writes. It takes the locks, in an order that all processes keep, checks the
	// fences, and fetches what is wanted, at best in one round trip. held says for each fence whether it holds. The
	// transaction sees at least everything that was committed when it got its locks. Begin returns ErrCrowded if it
	// cannot take so many locks.
	Begin(ctx context.Context, locks []Lock, fences []Fence, wants []Want) (tx Tx, held []bool, err error)
	// Parallel is how many transactions that write may run at the same time; 1 for a file.
	Parallel() int
	// Spaces lists the spaces that have keys, in their order.
	Spaces(ctx context.Context) ([]Space, error)
	// Alive returns nil after committing a transaction that writes, otherwise why it could not.
	Alive(ctx context.Context) error
	// Size returns the size of the store.
	Size(ctx context.Context) (Size, error)
	// Close releases the engine's resources. Nothing may be running.
	Close() error
}

// Tx is a transaction that writes. It is used by one goroutine. After an error, only Rollback may be called.
type Tx interface {
	// Reader reads the state without the transaction's own changes; these are kept above it until Commit.
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
	Value  []byte // nil: delete the key
	Delete *Range // unless nil, the range to delete; Key and Value are empty then
}

// Overseer is an engine that watches works: a DB has the Overseer run them. fresh returns a new state for each run; the
// last one counts.
type Overseer interface {
	Run(work Work, fresh func() Writer) error
}

// Size is the size of a store.
type Size struct {
	Bytes     int64 // the file, or the tables with their indexes
	FreePages int64 // free pages in the file, used before it grows
	FreeBytes int64 // bytes in the free pages
}

// Observer is called for every committed group with its duration until it was durable, the number of works, and its
// error. It must be quick: commits wait for it.
type Observer func(took time.Duration, works int, err error)
