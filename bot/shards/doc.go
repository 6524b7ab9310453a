// Package shards decides which process serves which shard, when several processes share one store. It needs no
// configuration: a new process takes its share from the others, and the others take the shards of a process that dies.
// A single process serves all shards.
//
// # The agreement
//
// The store has a lease for each shard, with an owner, a term and an end (storage.Leases). The owner of the lease
// serves the shard: it answers users, posts messages, lets computer players move, and does scheduled work. There is no
// leader. Processes also send each other messages (table.Sharing.Relay), but only for speed: no agreement depends on
// them.
//
// A process renews its membership and its leases together, normally when a third of their life of nine seconds has
// passed, and reads which processes are alive and which leases they own. If the store does not answer a request in
// time, the process gives up the request, so that there is time for another one before the leases end. From the result
// each process decides on its own, by the same rules:
//
//   - A process with less than its share claims leases without an owner. A share is the number of shards
//     divided by the number of living processes, rounded up.
//   - If a process has at least two leases more than another one, it names that process the heir of a lease. It
//     repeats this until the difference is at most one.
//   - A process that stops names heirs for all its leases. A process also does this if it has had no session with
//     Discord, or no answer to at least three requests, for eight seconds. Once it reaches Discord again, it takes
//     back the leases that no heir has accepted.
//   - A process that has named heirs for all its leases cannot become an heir. When all others have done so, a process
//     that stops does not wait for them.
//
// # The states of a shard, for one process
//
//	none     the process neither owns nor inherits the lease, and has no connection for the shard
//	heir     the owner named this process: it identifies while the owner is still connected, and accepts after READY
//	owner    the process owns the lease, and trusts it (see below)
//	offering the process is the owner and has named an heir
//	yielding the heir has accepted: the process never trusts the lease again in this term, and hands it over
//	lapsed   the process owns the lease as far as it knows, but could not renew it for too long
//
// none becomes owner by a claim, and heir by an offer. heir becomes owner when it is handed the lease or claims it
// after the owner died, and none when it is no longer the heir. owner becomes offering, and owner again when the heir
// dies or the offer is withdrawn. offering becomes yielding when the heir accepts. yielding becomes none when the lease
// is handed over. If the handover fails, the process claims its own lease and is owner again, in a new term, so that a
// handover still in progress comes too late. owner and offering become lapsed with time, and return to their state by a
// renewal. Every state but heir becomes none when the roster names another owner, and then the connection ends.
//
// # Trust
//
// The owner trusts a lease for the lease's life less a margin of 1.8 seconds. The owner measures this time on its own
// monotonic clock, from before it sent the renewal or the claim. The store starts the lease's life later than that. So
// the lease does not end before the trust does, as long as the two clocks differ by less than the margin. Before the
// owner sends or changes anything that no command has asked for, it asks Fence, and writes with the fence: the store
// refuses the write once another process owns the lease (storage.ErrNotOwner), and the writer drops it. Work that began
// before the trust ended does no harm: changes of tables also carry the version that they were made from, and messages
// carry a nonce.
//
// # Guarantees
//
//   - No two processes trust the lease of a shard at the same time.
//   - The term of a shard rises by one with every claim and handover.
//   - While some process is alive and reaches the store, every shard has an owner no later than a lease's life and
//     little more than two seconds after its owner died; its first connection also waits for its turn to identify.
//   - While a lease is handed over, from the offer until the old owner's connection is closed, at least one
//     connected process answers. Each asks the store whether it is the first to see an interaction, and is silent
//     if it is not (Answers).
//   - If all processes but one die or freeze at the same time, or if one dies and the process that claims its shards
//     then stops, users of a shard get no answer for at most 20 seconds; later shards also wait for their turns to
//     identify.
//   - All processes together identify no more often than Discord allows (storage.Leases.Turn).
//
// # The number of shards
//
// The first process decides the number, by Discord's recommendation or the operator's setting. Processes that join use
// the same number, because they could not share the shards otherwise, and log a warning if they would decide on another
// one. A process that is alone uses its own number. So a new number takes effect only once a process with that number
// is alone.
//
// # Failures
//
//   - A process dies: its membership and its leases expire together. The others check again at that moment.
//   - A process is stopped for longer than the life of a lease and continues: its trust is over before it can do
//     anything, since trust depends on the clock. Its next round finds other owners, and it ends its connections.
//     Interactions that Discord sent in between are too old: Discord waits for three seconds, and the player has tried
//     again or done something else. The process drops these (Lapsed). Before it answers others, it waits for its
//     next round, which tells whether it still owns the lease: a new owner that is the only connected process answers
//     without asking the store.
//   - The store cannot be reached: trust expires in all processes, and nothing is done that no command has asked
//     for. Connections stay, and players are told that the store is the reason. If only one process is cut off, it
//     cannot know what the shard's new owner does with the same interaction, and says that it does not know
//     (Answers). When the store is back, each process renews or claims its leases.
//   - The connection to the store breaks and the outcome of a step is unknown: the next round reads the outcome.
//     Until then, a lease that may have been handed over counts as handed over.
//   - A process cannot reach Discord: it hands its leases to processes that can. An heir accepts only while it has a
//     session for the shard, and asks Discord for the gateway's address before it begins one. So if no process can
//     reach Discord, every lease stays with its owner.
//   - All processes are stopped at the same time: each sees that the others give away all their leases, and stops.
//   - The heir dies before the lease is handed over: the owner keeps it, and names another heir.
//   - Two processes claim the same lease: the store accepts one claim.
package shards
