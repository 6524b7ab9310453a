package kv

import (
	"context"
	"time"
)

// SeenFor is how long Leases.First remembers a key.
const SeenFor = 30 * time.Minute

// Limits of the arguments of Leases, in bytes.
const (
	MaxProcess = 64
	MaxSeen    = 128
	MaxSent    = 7500
)

// Leases record which process serves which shard of the bot's servers, when several processes share a store. Package
// bot/shards has the protocol; a method here is one of its steps. Every method is one transaction. It takes the time
// from the store's clock alone, so that processes with wrong clocks agree. Arguments beyond the limits are ErrLimits.
//
// A lease has an owner until it runs out. Its term rises by one with every new owner, and does not fall while there are
// that many shards; a lease that was never claimed has term 0. It may have an heir: the process that the owner is about
// to hand it to. A process is named by a text that no other process has or had.
type Leases interface {
	// Renew says that a process is alive for the duration life from now, and extends its leases to that moment. That
	// includes leases that have run out and that nobody claimed since. A process that was not alive joins. shards is
	// the number of shards that the process proposes; it counts only if no other process is alive. Roster.Shards is the
	// number in force. When it changes, all leases lose their owners.
	Renew(ctx context.Context, process string, shards int, life time.Duration) (Roster, error)
	// Claim makes a living process the owner of a lease that has no owner, has run out, or is its own already. The
	// lease has no heir then. Claim returns the new term. It returns ErrNotOwner if the lease is another's, the process
	// is not alive, or there is no such shard.
	Claim(ctx context.Context, process string, shard int, life time.Duration) (term uint64, err error)
	// Offer names the heir of a lease, "" for none. The new heir is not ready yet. Offer returns ErrNotOwner unless the
	// process owns the lease in this term.
	Offer(ctx context.Context, process string, shard int, term uint64, heir string) error
	// Accept says that the heir is ready: connected for the shard. It returns ErrNotOwner unless the process is the
	// lease's heir in this term.
	Accept(ctx context.Context, heir string, shard int, term uint64) error
	// Hand makes the heir, who must be ready and alive, the owner in the next term. It returns ErrNotOwner unless the
	// process owns the lease in this term and there is such an heir.
	Hand(ctx context.Context, process string, shard int, term uint64, life time.Duration) error
	// Leave says that a process ends. Its leases lose their owner. Leases that it would inherit lose their heir.
	Leave(ctx context.Context, process string) error
	// Turn takes a turn of a group of shards and returns 0. If the group's last turn, of any process, was less than
	// pause ago, Turn takes none and returns how long to wait.
	Turn(ctx context.Context, group int, pause time.Duration) (wait time.Duration, err error)
	// First reports whether nobody has asked for the same key within the last SeenFor.
	First(ctx context.Context, key string) (bool, error)
	// Send sends a text to all listening processes. It is quick, and the text may be lost.
	Send(ctx context.Context, text string) error
	// Listen calls heard for every text that any process sends, this one included, until ctx ends or the connection to
	// the store breaks. The first call, with "", says that listening has begun.
	Listen(ctx context.Context, heard func(text string)) error
}

// Roster is which process serves which shard at one moment.
type Roster struct {
	Shards  int      // number of shards of all servers
	Members []string // living processes, in the order in which they joined
	Leases  []Lease  // one for each shard, in order
}

// Lease is a lease at one moment.
type Lease struct {
	Shard int
	Term  uint64
	Owner string        // "" when it has none, or it has run out
	Left  time.Duration // time until it runs out; 0 without an owner
	Heir  string        // "" for none, and without an owner
	Ready bool          // the heir is ready
}
