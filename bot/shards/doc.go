// Package shards decides which process serves which shard, when several processes share one store. It needs no
// configuration: a new process takes its share from the others, and the others take the shards of a process that dies.
// A single process serves all shards.
//
// # What is agreed on
//
// The store has a lease for each shard, with an owner, a term and an end (storage.Leases). The owner of the lease
// serves the shard: it answers users, posts news, lets computers move, and does what falls due. There is no leader.
// Processes also send each other messages (table.Sharing.Relay), but only to be quick: no agreement depends on them.
//
// A process renews its membership and its leases together, when a third of their life of nine seconds has passed, and
// reads which processes live and which leases they own. If the store does not answer a request in time, the process
// gives it up, so that another one fits in before the leases end. From the result each process decides alone, by the
// same rules:
//
//   - A process with less than its share claims leases without an owner. A share is the number of shards
//     divided by that of living processes, rounded up.
//   - A process with at least two leases more than another names that one the heir of one lease, and so on, until
//     the difference is at most one.
//   - A process that stops names heirs for all its leases. So does one that has had no session with Discord for
//     eight seconds, or no answer to any of its requests; once it has one again, it takes back the leases that no
//     heir has accepted.
//   - A process that has named heirs for all its leases becomes nobody's heir. When all others have done so, a process
//     that stops does not wait for them.
//
// # The states of a shard, for one process
//
//	none     it neither owns nor inherits the lease, and has no connection for it
//	heir     its owner named it: it identifies while the owner is still connected, and accepts once READY came
//	owner    the lease is its own, and it trusts it (see below)
//	offering it is owner and has named an heir
//	yielding the heir has accepted: it never trusts the lease again in this term, whatever happens, and hands it over
//	lapsed   it owns the lease as far as it knows, and has not been able to renew it for too long
//
// none becomes owner by a claim, and heir by an offer. heir becomes owner when it is handed the lease, and none when
// it is no longer the heir. owner becomes offering, and owner again when the heir dies. offering becomes yielding
// when the heir accepts. yielding becomes none when the lease is handed over. When the handing over fails, it claims
// its own lease and is owner again, in a new term, so that a handing over still under way comes too late. owner and
// offering become lapsed as time passes, and go back by a renewal. Any state becomes none when the roster names another
// owner, and the connection ends with it.
//
// # Trust
//
// The owner trusts a lease for four fifths of the lease's life; the last fifth is a margin. The owner counts this time
// on its own monotonic clock, from before it sent the renewal or the claim. The store starts the lease's life later
// than that, so the lease is not over before the trust is, as long as the two clocks run alike within the margin.
// Before anything is said or done without a command, the owner asks Fence, and writes with it: the store refuses the
// write once the lease is another's (storage.ErrNotOwner), and the writer drops it. Work that began before the trust
// ended does no harm: changes of tables also carry the version that they were made from, and messages carry a nonce.
//
// # What holds
//
//   - No two processes trust the lease of a shard at the same time.
//   - Terms of a shard rise, one for each owner.
//   - While some process lives and reaches the store, every shard has an owner no later than a lease's life and
//     two seconds after its owner died; its first connection also waits for its turn to identify.
//   - While a lease is handed over, from the offer until the old owner's connection is closed, at least one
//     connected process answers. Each asks the store whether it is the first to see an interaction, and is silent
//     when it is not (Answers).
//   - When all processes but one die or freeze at once, or one dies and the process that claims its shards stops then,
//     a shard is silent for at most 20 seconds, and those behind it wait for their turns to identify.
//   - All processes together identify no more often than Discord takes it (storage.Leases.Turn).
//
// # How many shards there are
//
// The first process decides the number, by what Discord says or the operator wants, and processes that join use the
// same: they could not share the shards otherwise. A process that is alone uses the number that it found when it
// started. So a new number takes effect when all processes have stopped and one starts; a process that wants another
// number logs that.
//
// # What can go wrong
//
//   - A process dies: its membership and its leases run out together. The others look again at that moment.
//   - A process is stopped for longer than the life of a lease and goes on: its trust is over before it can do
//     anything, since trust depends on the clock. Its next round finds other owners, and it ends its connections.
//     Interactions that Discord sent meanwhile are too old: Discord waits for three seconds, and the player has tried
//     again or done something else. The process drops those (Lapsed). Before it answers others, it waits for its
//     next round, which tells whether it still owns the lease: a new owner that is the only one connected answers
//     without asking the store.
//   - The store cannot be reached: trust runs out everywhere and nothing is done without a command. Connections
//     stay, and players are told that it is the store. If only one process is cut off, it cannot know what the
//     shard's new owner does with the same interaction, and says that it does not know (Answers). When the store is
//     back, each process renews or claims; only time was lost.
//   - The connection to the store breaks and the outcome of a step is unknown: the next round reads what became of
//     it. Until then, a lease that may have been handed over counts as handed over.
//   - A process cannot reach Discord: it hands its leases to those that can. An heir accepts only while it has a
//     session for the shard, and asks Discord for the gateway's address before it begins one, so that where nobody can
//     reach Discord every lease stays where it is.
//   - All processes are stopped at once: each sees that the others give everything away, and leaves.
//   - The heir dies before it is handed the lease: the owner goes on, and names another.
//   - Two processes claim the same lease: the store lets one.
package shards
