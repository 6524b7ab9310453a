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

// gatherTime is how often failures of one kind are logged at most.
const gatherTime = time.Minute

// Gather is a log in which failures that come by the thousand when they come are a line a minute,
// with how many there were besides: of a disk that takes nothing, of a database that cannot be
// reached, and of tables whose channels are gone. Which of these it is tells the attribute "error"
// of a record. Of any other warning or error, told apart by its words and its attribute "what",
// there are burst lines a minute; what comes beyond them is one line after the minute, with how
// many they were, the last of them, and their incidents.
func Gather(to slog.Handler) slog.Handler {
	return gatherer{Handler: to, kinds: &[gatheredKinds]gathered{}, repeated: &repeats{}}
}

// The kinds of failures that are gathered.
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

// gathered are the failures of one kind.
type gathered struct {
	mu      sync.Mutex
	waiting bool // until gatherTime after the last line
	more    int  // since that line
	last    slog.Record
	to      slog.Handler // of the last
}

// Handle logs a record, or keeps it for the next line of its kind.
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

// tell logs the last of those that were kept, as an example, and how many there were.
func (of *gathered) tell() {
	of.mu.Lock()
	defer of.mu.Unlock()
	of.waiting = false
	if of.more == 0 {
		return
	}
	of.last.AddAttrs(slog.Int("times", of.more))
	_ = of.to.Handle(context.Background(), of.last) // as the log itself does
	of.more, of.last, of.to = 0, slog.Record{}, nil
	of.wait()
}

// WithAttrs gathers together with g.
func (g gatherer) WithAttrs(attrs []slog.Attr) slog.Handler {
	return gatherer{g.Handler.WithAttrs(attrs), g.kinds, g.repeated}
}

// WithGroup gathers together with g.
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
