// Package kv is what marque asks of an engine that keeps its data: ordered keys with values, in spaces. Everything that
// knows tables, results or settings stands above it, in package storage, and is written once.
//
// An engine is an [Engine]: kv/bolt is a file, kv/postgres a database server, kv/strict is in
// memory and refuses whatever this contract does not promise; kv/kvtest is what each of them is
// asked to do. Programs use an engine through a [DB], which puts works that wait at the same time
// into one transaction.
//
// Keys are bytes and compare byte by byte. A key has at most MaxKey bytes and is not empty; a value
// has at most MaxValue bytes and may be empty. What a Reader returns must not be changed, and is
// good as long as the transaction lasts. What is given to a Writer must not be changed any more.
package kv

import (
	"bytes"
	"context"
	"time"
)

// Limits of what is stored, in bytes.
const (
	MaxKey   = 1024
	MaxValue = 16 << 20
)

// Space is a named part of a store with an order of keys of its own. It is there as soon as
// something is put into it. Its name is not empty.
type Space string

// Key is a key in a space.
type Key struct {
	Space Space
	Key   []byte
}

// Range is the keys of a space from From on, up to but without To; nil is the beginning and the end of the space.
type Range struct {
	Space    Space
	From, To []byte
}

// Has reports whether a key is in the range.
func (r Range) Has(key Key) bool {
	return r.Space == key.Space && bytes.Compare(key.Key, r.From) >= 0 &&
		(r.To == nil || bytes.Compare(key.Key, r.To) < 0)
}

// Prefix is the range of all keys that begin with prefix.
func Prefix(space Space, prefix []byte) Range {
	return Range{Space: space, From: prefix, To: After(prefix)}
}

// After is the first key behind all that begin with prefix; nil, the end of a space, when there is none.
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

// Pair is a key of a known space with its value.
type Pair struct {
	Key, Value []byte
}

// Reader reads one consistent state.
type Reader interface {
	// Get returns the values of keys, in their order and in one round trip; nil where there is none, an empty slice
	// for an empty value.
	Get(keys ...Key) ([][]byte, error)
	// Scan returns the first pairs of a range in an order, at most limit, which is above 0, in one round trip. Fewer
	// than limit means that there are no more.
	Scan(r Range, order Order, limit int) ([]Pair, error)
	// Count returns how many keys a range has, without fetching them.
	Count(r Range) (int, error)
}

// Writer is the state of a transaction as one work sees it: it reads back what the work has put,
// and what those before it in the group have. Put, Delete and DeleteRange return ErrLimits for what
// is longer than the limits.
type Writer interface {
	Reader
	Put(key Key, value []byte) error
	Delete(key Key) error
	DeleteRange(r Range) error
}

// Lock names what a work has to itself until it is committed, such as "table 17". Works that have no lock in common, in
// other groups or other processes, may run at the same time.
type Lock string

// Use is how a work uses keys.
type Use string

// The uses.
const (
	Reads   Use = "reads"
	Puts    Use = "puts"
	Deletes Use = "deletes"
)

// Fence is a lease in the term of one owner, see Leases. A work under a fence is refused with
// ErrNotOwner when the term is over. The zero Fence is none.
type Fence struct {
	Process string
	Shard   int
	Term    uint64
}

// Want is what a work reads first. What is wanted is fetched together with the wants of the other works of the group;
// reading it is no round trip then. Reading anything else is allowed, and takes one.
type Want struct {
	Keys   []Key
	Ranges []WantRange
}

// WantRange is a scan that is wanted.
type WantRange struct {
	Range
	Order Order
	Limit int
}

// Work is a change that the store carries out whole or not at all.
type Work struct {
	// Locks are the locks that the work holds alone while it decides. They must cover everything that the work reads
	// for a decision: two works have a lock in common if one could change what the other reads for a decision.
	// kv/strict checks this.
	Locks []Lock
	Want  Want
	// Fence, unless zero, is the lease under which the work is done.
	Fence Fence
	// Run does the work. It may be called more than once and must not keep what it was given. An error refuses the
	// work: nothing of it is kept, and the other works of its group are not run again.
	Run func(w Writer) error
}

// Engine keeps keys and values. Its methods may be called by many goroutines at once.
//
// What Commit returned nil for was done, is durable, and is seen by every transaction that begins
// later, of any process. After any other error nothing was changed, except after a *DiskError with
// DiskFailed and an *UnreachableError that is Unsure. Where it helps to run the whole transaction
// again the error is an *AgainError.
type Engine interface {
	// View runs read on one consistent state, which holds as long as read runs. It returns read's error.
	View(ctx context.Context, read func(r Reader) error) error
	// Begin begins a transaction that writes: it takes the locks, in an order that all processes
	// keep, looks whether the fences hold, and fetches what is wanted, at best in one round trip.
	// held says for each fence whether it does. From then on the transaction reads what is
	// committed, at least what was committed when it had its locks. It returns ErrCrowded where
	// fewer locks may be had.
	Begin(ctx context.Context, locks []Lock, fences []Fence, wants []Want) (tx Tx, held []bool, err error)
	// Parallel is how many transactions that write may be begun at the same time; 1 for a file.
	Parallel() int
	// Spaces lists the spaces that have keys, in their order.
	Spaces(ctx context.Context) ([]Space, error)
	// Alive returns nil when it has committed a transaction that writes, otherwise why it could not.
	Alive(ctx context.Context) error
	// Size says how large the store is.
	Size(ctx context.Context) (Size, error)
	// Close gives back what the engine holds. Nothing may be under way.
	Close() error
}

// Tx is a transaction that writes. It is used by one goroutine. After an error it is of no use but for Rollback.
type Tx interface {
	// Reader reads the state before the transaction's own changes, which are kept above it until Commit.
	Reader
	// Commit carries out changes, in their order, and makes them durable. It ends the transaction.
	Commit(ctx context.Context, changes []Change) error
	// Rollback ends the transaction without changes. After Commit it does nothing.
	Rollback()
}

// Change is one change of a transaction: a put, or the deletion of a key or of a range. Ranges are
// deleted first; then come puts and deletions, whose keys are distinct and sorted by space and key.
type Change struct {
	Key    Key
	Value  []byte // nil deletes
	Delete *Range // unless nil, the range that is deleted; Key and Value are empty then
}

// Overseer is an engine that looks over the shoulder of works: a DB has them run by it. fresh makes
// the state that a work runs on; what was done to the one made last counts.
type Overseer interface {
	Run(work Work, fresh func() Writer) error
}

// Size says how large a store is.
type Size struct {
	Bytes     int64 // of the file, or of the tables with their indexes
	FreePages int64 // in the file, and used before it grows
	FreeBytes int64 // in those pages
}

// Observer is told of every group that was committed: how long it took from its beginning until it
// was durable, how many works were in it, and its error. It must be quick: commits wait for it.
type Observer func(took time.Duration, works int, err error)
