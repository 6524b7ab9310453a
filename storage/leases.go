package storage

import "marque/storage/kv"

// Types of package kv for processes that share a store.
type (
	Leases = kv.Leases
	Roster = kv.Roster
	Lease  = kv.Lease
)

// MaxSent is the maximum length of a text for Leases.Send, in bytes.
const MaxSent = kv.MaxSent

// ErrNotOwner says that the process does not own the lease.
var ErrNotOwner = kv.ErrNotOwner

// Fence identifies a lease in one term of its owner. A process uses a fence for writes that no user requested. The
// store refuses such a write after the term is over. The zero Fence stands for no lease.
type Fence = kv.Fence
