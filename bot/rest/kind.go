package rest

import "context"

// Kind is what a request with the bot's token is for. Where requests wait for the token's budget,
// those of a lower kind go first.
type Kind int

const (
	Answers   Kind = iota // to somebody who waits, and whatever is not said to be something else
	Boards                // what happened at a table
	Reminders             // of whose turn it is, and what else nobody asked for
	Cards                 // of tables in their channels
	Tidying               // old messages folded or deleted, threads archived
	kinds
)

// String names the kind, for metrics.
func (k Kind) String() string {
	return [kinds]string{"answers", "boards", "reminders", "cards", "tidying"}[k]
}

type kindKey struct{}

// For says what the requests are for that are made under the context.
func For(ctx context.Context, k Kind) context.Context { return context.WithValue(ctx, kindKey{}, k) }

func kindOf(ctx context.Context) Kind {
	k, _ := ctx.Value(kindKey{}).(Kind)
	return k
}
