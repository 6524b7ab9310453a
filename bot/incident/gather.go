package incident

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"marque/bot/table"
	"marque/storage"
)

// gatherTime is the minimum time between two lines about failures of the same kind, for the three kinds that Gather
// names. Other lines are counted for this time.
const gatherTime = time.Minute

// Gather returns a log handler that limits repeated lines.
//
// Three kinds of failures get one line a minute each: commits that the disk refuses, an unreachable database, and
// tables that cannot be published until somebody acts. A record's attribute "error" decides its kind. A line about
// omitted failures is the last of them, with their number.
//
// The kind of any other warning or error is its message and its attribute "what". Of each of these kinds, at most burst
// lines a minute are logged. After the minute, one more line has the number of omitted lines, the last of them, and the
// ids of up to maxIncidents of their incidents.
func Gather(to slog.Handler) slog.Handler {
	return gatherer{Handler: to, kinds: &[gatheredKinds]gathered{}, repeated: &repeats{}}
}

// Kinds of failures that get one line a minute.
const (
	ofDisk = iota
	ofServer
	ofChannels
	gatheredKinds
)

type gatherer struct {
	slog.Handler
	kinds    *[gatheredKinds]gathered
	repeated *repeats
}

// gathered counts the failures of one kind.
type gathered struct {
	mu      sync.Mutex
	waiting bool // whether less than gatherTime has passed since the last line
	more    int  // number of failures since the last line
	last    slog.Record
	to      slog.Handler // handler of the record in last
}

// Handle logs a record, or counts it for the next line of its kind.
func (g gatherer) Handle(ctx context.Context, r slog.Record) error {
	kind, ok := gatheredKind(r)
	if !ok {
		if r.Level >= slog.LevelWarn && !g.repeated.pass(r, g.Handler) {
			return nil
		}
		return g.Handler.Handle(ctx, r)
	}
	of := &g.kinds[kind]
	of.mu.Lock()
	defer of.mu.Unlock()
	if of.waiting {
		of.more++
		of.last, of.to = r.Clone(), g.Handler
		return nil
	}
	of.wait()
	return g.Handler.Handle(ctx, r)
}

func (of *gathered) wait() {
	of.waiting = true
	time.AfterFunc(gatherTime, of.tell)
}

// tell logs the last of the omitted failures, as an example, with their number.
func (of *gathered) tell() {
	of.mu.Lock()
	defer of.mu.Unlock()
	of.waiting = false
	if of.more == 0 {
		return
	}
	of.last.AddAttrs(slog.Int("times", of.more))
	_ = of.to.Handle(context.Background(), of.last) // the logger ignores these errors as well
	of.more, of.last, of.to = 0, slog.Record{}, nil
	of.wait()
}

// WithAttrs implements slog.Handler. The lines of the new handler are counted together with those of g.
func (g gatherer) WithAttrs(attrs []slog.Attr) slog.Handler {
	return gatherer{g.Handler.WithAttrs(attrs), g.kinds, g.repeated}
}

// WithGroup implements slog.Handler. The lines of the new handler are counted together with those of g.
func (g gatherer) WithGroup(name string) slog.Handler {
	return gatherer{g.Handler.WithGroup(name), g.kinds, g.repeated}
}

func gatheredKind(r slog.Record) (kind int, ok bool) {
	r.Attrs(func(a slog.Attr) bool {
		err, isError := a.Value.Any().(error)
		if a.Key != "error" || !isError {
			return true
		}
		disk, away, gone := (*storage.DiskError)(nil), (*storage.UnreachableError)(nil), (*table.PermanentError)(nil)
		switch {
		case errors.As(err, &away):
			kind, ok = ofServer, true
		case errors.As(err, &disk):
			kind, ok = ofDisk, true
		case errors.As(err, &gone):
			kind, ok = ofChannels, true
		}
		return false
	})
	return kind, ok
}
