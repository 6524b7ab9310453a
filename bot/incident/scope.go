package incident

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// scope holds the fields that all log lines about one interaction share.
type scope struct {
	id    string
	table atomic.Pointer[string] // nil until the table is known
}

type scopeKey struct{}

// Begin returns a context with the id of a new incident. A handler of Attach adds the id to every line that is logged
// with the context.
func Begin(ctx context.Context) context.Context {
	return context.WithValue(ctx, scopeKey{}, &scope{id: newID()})
}

// ID returns the id that Begin added to the context, or a new one if there is none.
func ID(ctx context.Context) string {
	if s, ok := ctx.Value(scopeKey{}).(*scope); ok {
		return s.id
	}
	return newID()
}

// About sets the table of the interaction in ctx. Later log lines of the interaction have the table.
func About(ctx context.Context, table string) {
	if s, ok := ctx.Value(scopeKey{}).(*scope); ok {
		s.table.Store(&table)
	}
}

// Attach returns a log handler that adds the id and the table of an interaction to its lines, unless a line already has
// them.
func Attach(to slog.Handler) slog.Handler { return attacher{to} }

type attacher struct{ slog.Handler }

func (a attacher) Handle(ctx context.Context, r slog.Record) error {
	s, ok := ctx.Value(scopeKey{}).(*scope)
	if !ok {
		return a.Handler.Handle(ctx, r)
	}
	named, about := false, s.table.Load() == nil
	r.Attrs(func(attr slog.Attr) bool {
		named = named || attr.Key == "incident"
		about = about || attr.Key == "table"
		return true
	})
	r = r.Clone()
	if !named {
		r.AddAttrs(slog.String("incident", s.id))
	}
	if !about {
		r.AddAttrs(slog.String("table", *s.table.Load()))
	}
	return a.Handler.Handle(ctx, r)
}

func (a attacher) WithAttrs(attrs []slog.Attr) slog.Handler {
	return attacher{a.Handler.WithAttrs(attrs)}
}

func (a attacher) WithGroup(name string) slog.Handler { return attacher{a.Handler.WithGroup(name)} }
