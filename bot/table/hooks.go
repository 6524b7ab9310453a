package table

import (
	"context"
)

// Hooks are functions of another package that the table service calls. A nil hook is not called. Attach adds hooks
// before Start.
type Hooks struct {
	// Over is called when a game of a competition is over, and when its result no longer counts or counts again. The
	// call is repeated until NoteReported is called for the table.
	Over func(ctx context.Context, snap *Snapshot) error
	// Sweep carries out work that has fallen due. It is called in each sweep, about every 15 seconds, while the bot is
	// online.
	Sweep func(ctx context.Context)
	// Export returns the stored data of a user, and the name of the data in the user's file; nil if there is none.
	Export func(ctx context.Context, user string) (name string, data any, err error)
	// Withdraw removes a user, whose data is about to be deleted, from everything that could still seat them at a
	// table.
	Withdraw func(ctx context.Context, user string) error
	// Forget deletes the stored data of a user, or replaces the user with a departed player, whose id is as.
	Forget func(ctx context.Context, user, as string) error
	// Cleared is called when tables were dropped from memory because they may name a forgotten user or be out of date.
	// The hook clears the other package's memory too.
	Cleared func()
	// Partial reports whether a user gains or loses by the result of a game in which they have no seat.
	Partial func(ctx context.Context, h Head, user string) (bool, error)
	// Close stops the other package's own work. It is called before the tables refuse commands.
	Close func()
}

// rooms holds the hooks of other packages.
type rooms struct{ list []Hooks }

func (r *rooms) over(ctx context.Context, snap *Snapshot) error {
	for _, h := range r.list {
		if h.Over == nil {
			continue
		}
		if err := h.Over(ctx, snap); err != nil {
			return err
		}
	}
	return nil
}

func (r *rooms) sweep(ctx context.Context) {
	for _, h := range r.list {
		if h.Sweep != nil {
			h.Sweep(ctx)
		}
	}
}

func (r *rooms) export(ctx context.Context, user string) (map[string]any, error) {
	data := map[string]any{}
	for _, h := range r.list {
		if h.Export == nil {
			continue
		}
		name, stored, err := h.Export(ctx, user)
		if err != nil {
			return nil, err
		}
		if stored != nil {
			data[name] = stored
		}
	}
	return data, nil
}

func (r *rooms) withdraw(ctx context.Context, user string) error {
	for _, h := range r.list {
		if h.Withdraw == nil {
			continue
		}
		if err := h.Withdraw(ctx, user); err != nil {
			return err
		}
	}
	return nil
}

func (r *rooms) forget(ctx context.Context, user, as string) error {
	for _, h := range r.list {
		if h.Forget == nil {
			continue
		}
		if err := h.Forget(ctx, user, as); err != nil {
			return err
		}
	}
	return nil
}

func (r *rooms) cleared() {
	for _, h := range r.list {
		if h.Cleared != nil {
			h.Cleared()
		}
	}
}

func (r *rooms) partial(ctx context.Context, h Head, user string) (bool, error) {
	for _, hook := range r.list {
		if hook.Partial == nil {
			continue
		}
		if partial, err := hook.Partial(ctx, h, user); partial || err != nil {
			return partial, err
		}
	}
	return false, nil
}

func (r *rooms) close() {
	for _, h := range r.list {
		if h.Close != nil {
			h.Close()
		}
	}
}
