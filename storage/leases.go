package storage

import "marque/storage/kv"

// Processes that share a store agree on these; see package kv.
type (
	Leases = kv.Leases
	Roster = kv.Roster
	Lease  = kv.Lease
)

// MaxSent bounds a text for Leases.Send, in bytes.
const MaxSent = kv.MaxSent

// ErrNotOwner says that the process does not own the lease.
var ErrNotOwner = kv.ErrNotOwner

// Fence is a lease in one owner's term. A process uses a fence for writes that no user asked for. The store refuses the
// write once the term is over. The zero Fence is none.
type Fence = kv.Fence
