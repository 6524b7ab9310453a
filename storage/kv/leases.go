package kv

import (
	"context"
	"time"
)

// SeenFor is how long Leases.First knows a key.
const SeenFor = 30 * time.Minute

// Limits of what Leases are told, in bytes.
const (
	MaxProcess = 64
	MaxSeen    = 128
	MaxSent    = 7500
)

// Leases say which process serves which shard of the bot's servers, where several share a store.
// Package bot/shards has the protocol; here is what one step of it does. Every method is one
// transaction, and takes the time from the store's clock alone: processes whose clocks differ agree
// on it all the same. What is longer than the limits is ErrLimits.
//
// A lease has an owner until it runs out. It also has a term, which rises by one with every new owner and does not fall
// while there are that many shards; leases that were never claimed have term 0. It may have an heir: the process that
// the owner is about to hand it to. A process is named by text that no other process has or had.
type Leases interface {
	// Renew says that a process lives, for as long as life from now, and lets the leases that it
	// owns run out no sooner than that, also those that had run out and that nobody claimed since.
	// A process that did not live joins. shards is into how many shards the process would divide
	// the servers: that counts when no other process lives, and otherwise what those have agreed
	// on; Roster.Shards is the number in force. When it changes, no lease has an owner.
	Renew(ctx context.Context, process string, shards int, life time.Duration) (Roster, error)
	// Claim makes a process that lives the owner of a lease that has none, whose owner let it run
	// out, or that is its own already; it has no heir then. It returns the new term, and ErrNotOwner
	// when the lease is another's, the process does not live, or there is no such shard.
	Claim(ctx context.Context, process string, shard int, life time.Duration) (term uint64, err error)
	// Offer names the heir of a lease, "" for none; no heir is ready then. It returns ErrNotOwner
	// unless the process owns the lease in this term.
	Offer(ctx context.Context, process string, shard int, term uint64, heir string) error
	// Accept says that the heir is ready to own the lease: connected for the shard. It returns
	// ErrNotOwner unless the process is the heir of the lease in this term.
	Accept(ctx context.Context, heir string, shard int, term uint64) error
	// Hand makes the heir, who is ready and lives, the owner of a lease in the next term. It
	// returns ErrNotOwner unless the process owns the lease in this term and there is such an heir.
	Hand(ctx context.Context, process string, shard int, term uint64, life time.Duration) error
	// Leave says that a process ends. Its leases have no owner then, and those that it is the heir of no heir.
	Leave(ctx context.Context, process string) error
	// Turn takes a turn of a group of shards, and returns 0. When any process took the last turn of
	// the group less than pause ago, it takes none and returns how long to wait.
	Turn(ctx context.Context, group int, pause time.Duration) (wait time.Duration, err error)
	// First reports whether nobody has asked for the same key in the time SeenFor before.
	First(ctx context.Context, key string) (bool, error)
	// Send sends a text to all processes that listen. It is quick, and may be lost.
	Send(ctx context.Context, text string) error
	// Listen calls heard with every text that is sent, by this process, too, until ctx ends or something comes between
	// it and the store. Its first call, with "", says that it listens from now on.
	Listen(ctx context.Context, heard func(text string)) error
}

// Roster says which process serves which shard at one moment.
type Roster struct {
	Shards  int      // into how many shards the servers are divided
	Members []string // processes that live, in the order in which they joined
	Leases  []Lease  // of all shards, in their order
}

// Lease is a lease at one moment.
type Lease struct {
	Shard int
	Term  uint64
	Owner string        // "" when it has none, or it has run out
	Left  time.Duration // until it runs out; 0 without an owner
	Heir  string        // "" for none, and without an owner
	Ready bool          // the heir is
}
