package storage

import "marque/storage/kv"

// What processes agree on that share a store; see package kv.
type (
	Leases = kv.Leases
	Roster = kv.Roster
	Lease  = kv.Lease
)

// MaxSent is how long what Leases send may be, in bytes.
const MaxSent = kv.MaxSent

// ErrNotOwner says that a lease is not the caller's to do that with.
var ErrNotOwner = kv.ErrNotOwner

// Fence is a lease in the term of one owner. What a process writes without being asked, it writes
// under one: the store refuses it once the term is over. The zero Fence is none.
type Fence = kv.Fence
