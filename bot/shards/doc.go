// Package shards decides which process serves which shard, where several processes share one store. Nobody
// configures it: a process that starts joins, takes its share from the others, and a process that dies is
// replaced by those that live. Who is alone serves all.
//
// # What is agreed on
//
// The store has a lease for each shard, with an owner, a term and an end (storage.Leases). The
// owner of the lease serves the shard: it does what nobody asked for there (tells news, lets
// computers move, carries out what falls due), and it answers. There is no leader, and processes do
// not talk to each other.
//
// A process renews its membership and its leases together, at a third of their life, and reads who else lives and who
// owns what. From that each decides alone, by the same rules:
//
//   - A lease without an owner is claimed by who has less than its share: the shards by the living
//     processes, rounded up.
//   - Who has at least two more than another names that one the heir of one of its leases, and so on, until nobody has.
//   - Who stops names heirs for all it has, and so does who has had no session with Discord for
//     eight seconds; once it has one again it takes back what no heir has accepted.
//   - Who has named heirs for all it has is nobody's heir. When that is so of all others, who stops
//     does not wait for them.
//
// # The states of a shard, for one process
//
//	none     it neither owns nor inherits the lease, and has no connection for it
//	heir     its owner named it: it identifies while the owner is still connected, and accepts once READY came
//	owner    the lease is its own, and it trusts it (see below)
//	offering it is owner and has named an heir
//	yielding the heir has accepted: from here it trusts the lease no more in this term, whatever becomes of it, and hands it over
//	lapsed   it owns the lease as far as it knows, and has not been able to renew it for too long
//
// none goes to owner by a claim, to heir by an offer. heir goes to owner when it is handed the
// lease, and to none when it is not its heir any more. owner goes to offering and back, when the
// heir dies; offering to yielding when the heir accepts; yielding to none when the lease is handed
// over, or, when that fails, to owner again by claiming its own lease: in a new term, so that a
// handing that is still under way comes too late. owner and offering go to lapsed by themselves,
// and back by a renewal. Any state goes to none when the roster names another owner; the connection
// ends with it.
//
// # Trust
//
// The owner trusts a lease until its life, less a margin, has passed on its own monotonic clock
// since before the renewal or the claim was sent. The store gave the lease its life later than
// that, so it is not over before, as long as the two clocks run alike within the margin: a fifth.
// Before anything is said or done unasked, Fence is asked, and what is written then carries it:
// the store refuses it once the lease is another's (storage.ErrNotOwner), and whoever wrote lets it be.
// What was begun before the trust ended is harmless: changes of tables also carry the version that
// they were made from, and messages a nonce.
//
// # What holds
//
//   - No two processes trust the lease of a shard at the same time.
//   - Terms of a shard rise, one for each owner.
//   - While some process lives and reaches the store, every shard has an owner no later than a lease's life and
//     two seconds after its owner died; its first connection waits for its turn to identify besides.
//   - In a handing over, from the offer until the old owner's connection is closed, at least one
//     connected process answers. Each asks the store whether it is the first to see an interaction,
//     and is silent when it is not (Answers).
//   - All processes together identify no more often than Discord takes it (storage.Leases.Turn).
//
// # How many shards there are
//
// The first process decides it, by what Discord says or the operator wants, and those that join
// follow: they could not share what they divide otherwise. Who is alone takes the number that it
// found when it started. So another number comes with a start after all have stopped; who would
// have another says so in its log.
//
// # What can go wrong
//
//   - A process dies: its membership and its leases run out together. Others poll for that moment.
//   - A process is stopped for longer than the life of a lease and goes on: its trust is over
//     before it can do anything, since it is asked after by the clock; its next round finds other
//     owners, and it ends its connections. What Discord sent it meanwhile is too old to be
//     answered: Discord waits for three seconds, and the player has tried again or done something
//     else. It drops what is older (Lapsed), and before it answers the rest its next round tells
//     whether the lease is its own still: another owner, who is the only one connected, answers
//     without asking the store.
//   - The store cannot be reached: trust runs out everywhere and nothing is done unasked.
//     Connections stay, and players are told that it is the store. Who is cut off alone cannot know
//     what the shard's new owner does with the same interaction, and says that it does not know
//     (Answers). When the store is back, who comes first renews or claims; nothing was lost but
//     time.
//   - The outcome of a step is unknown, for the connection to the store broke: the next round reads
//     what became of it. A lease that may have been handed over counts as handed over until then.
//   - A process cannot reach Discord: it hands its leases to those that can. An heir accepts only
//     while it has a session for the shard, so that where nobody can reach Discord every lease
//     stays where it is.
//   - All processes are stopped at once: each sees that the others give everything away, and leaves.
//   - The heir dies before it is handed the lease: the owner goes on, and names another.
//   - Two processes claim the same lease: the store lets one.
package shards
