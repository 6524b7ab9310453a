package rest

import "context"

// Kind is the purpose of a request with the bot's token. If requests must wait for the budget, requests of the lowest
// Kind are sent first. Requests that have waited for a minute precede them.
type Kind int

const (
	Answers   Kind = iota // answers to waiting users, and requests without a kind
	Boards                // messages about tables and competitions, and about found opponents
	Reminders             // notices of turns, and other messages that answer no command
	Cards                 // cards of tables in channels, and names of their threads
	Tidying               // folding and deletion of old messages, archiving of threads
	kinds
)

// String returns the name of the kind for metrics.
func (k Kind) String() string {
	return [kinds]string{"answers", "boards", "reminders", "cards", "tidying"}[k]
}

type kindKey struct{}

// For returns a context whose requests have the kind k.
func For(ctx context.Context, k Kind) context.Context { return context.WithValue(ctx, kindKey{}, k) }

func kindOf(ctx context.Context) Kind {
	k, _ := ctx.Value(kindKey{}).(Kind)
	return k
}
