package kv

import (
	"context"
	"time"
)

// SeenFor is how long Leases.First remembers a key.
const SeenFor = 30 * time.Minute

// Maximum lengths of arguments of Leases, in bytes.
const (
	MaxProcess = 64
	MaxSeen    = 128
	MaxSent    = 7500
)

// Leases record which process serves which shard of the bot's servers when several processes share a store. Package
// bot/shards has the protocol, of which each method here is one step. The methods use only the store's clock, so that
// processes with wrong clocks agree. Renew, Offer, First and Send return ErrLimits for arguments that are too long.
//
// A lease has an owner until it expires. Its term increases by one with every claim and handing over, and never
// decreases while its shard exists. A lease that was never claimed has term 0. After a lease has expired, its last
// owner can still use its term until another process claims the lease. A lease can have an heir: the process to which
// the owner is about to hand it over. The name of a process must never have been used by another process.
type Leases interface {
	// Renew records that a process is alive for the duration life from now, and extends its leases to that moment. It
	// also extends its leases that have expired, unless another process has claimed them since. A process that was not
	// alive joins. shards is the number of shards that the process proposes; it counts only if no other process is
	// alive. Roster.Shards is the number in force. When it changes, all leases lose their owners.
	Renew(ctx context.Context, process string, shards int, life time.Duration) (Roster, error)
	// Claim makes a living process the owner of a lease that has no owner, has expired, or already belongs to the
	// process. The lease then has no heir. Claim returns the new term. It returns ErrNotOwner if another process owns
	// the lease, if the process is not alive, or if there is no such shard.
	Claim(ctx context.Context, process string, shard int, life time.Duration) (term uint64, err error)
	// Offer sets the heir of a lease; "" stands for none. A new heir is not ready yet. Offer returns ErrNotOwner unless
	// the process owns the lease in this term.
	Offer(ctx context.Context, process string, shard int, term uint64, heir string) error
	// Accept records that the heir of a lease is ready, because it is connected for the shard. It returns ErrNotOwner
	// unless the process is the heir of the lease in this term.
	Accept(ctx context.Context, heir string, shard int, term uint64) error
	// Hand makes the heir the owner of a lease, in the next term. The heir must be ready and alive. Hand returns
	// ErrNotOwner unless the process owns the lease in this term and the lease has such an heir.
	Hand(ctx context.Context, process string, shard int, term uint64, life time.Duration) error
	// Leave records that a process ends. Its leases lose their owner, and leases of which it is the heir lose their
	// heir.
	Leave(ctx context.Context, process string) error
	// Turn takes the next turn of a group of shards and returns 0. If any process took the group's last turn less than
	// pause ago, Turn takes no turn and returns how long to wait.
	Turn(ctx context.Context, group int, pause time.Duration) (wait time.Duration, err error)
	// First reports whether no call with key, among all processes, has returned true within the last SeenFor.
	First(ctx context.Context, key string) (bool, error)
	// Send sends a text to all listening processes. It is fast, but the text can get lost.
	Send(ctx context.Context, text string) error
	// Listen calls heard for every text that any process sends, including this one, until ctx ends or the connection to
	// the store breaks. The first call, with an empty text, says that listening has begun.
	Listen(ctx context.Context, heard func(text string)) error
}

// Roster is the state of all leases and processes at one moment.
type Roster struct {
	Shards  int      // number of all shards
	Members []string // living processes, in the order in which they joined
	Leases  []Lease  // leases of all shards, in order
}

// Lease is the state of a lease at one moment.
type Lease struct {
	Shard int
	Term  uint64
	Owner string        // "" if the lease has none or has expired
	Left  time.Duration // time until it expires; 0 without an owner
	Heir  string        // "" if the lease has none or no owner
	Ready bool          // whether the heir is ready
}
