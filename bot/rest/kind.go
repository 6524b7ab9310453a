package rest

import "context"

// Kind is the purpose of a request with the bot's token. If requests wait for the token's budget, the lowest kind goes
// first.
type Kind int

const (
	Answers   Kind = iota // answers to waiting users, and all requests without a kind
	Boards                // an event at a table
	Reminders             // notices of turns, and other messages that are not answers to commands
	Cards                 // cards of tables in their channels
	Tidying               // old messages folded or deleted, threads archived
	kinds
)

// String returns the kind's name, for metrics.
func (k Kind) String() string {
	return [kinds]string{"answers", "boards", "reminders", "cards", "tidying"}[k]
}

type kindKey struct{}

// For returns a context that gives the requests made with it a kind.
func For(ctx context.Context, k Kind) context.Context { return context.WithValue(ctx, kindKey{}, k) }

func kindOf(ctx context.Context) Kind {
	k, _ := ctx.Value(kindKey{}).(Kind)
	return k
}
