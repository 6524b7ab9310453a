package incident

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	// burst is how many lines of one kind there are in a minute.
	burst = 20
	// maxKinds bounds the kinds that are told apart; the others are one together.
	maxKinds = 500
	// maxIncidents bounds the incidents that a line names of those that were left out.
	maxIncidents = 50
)

// repeats are the lines of the present minute, by what they say.
type repeats struct {
	mu    sync.Mutex
	kinds map[string]*repeat // nil while there are none
}

// repeat are the lines of one kind.
type repeat struct {
	logged    int
	left      int // how many were left out
	last      slog.Record
	to        slog.Handler // of the last
	incidents []string     // of those that were left out
}

// pass reports whether a line is to be logged now. It keeps one that is not.
func (rs *repeats) pass(r slog.Record, to slog.Handler) bool {
	kind, id := r.Message, ""
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "what":
			kind += "\x00" + a.Value.String()
		case "incident":
			id = a.Value.String()
		}
		return true
	})
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.kinds == nil {
		rs.kinds = map[string]*repeat{}
		time.AfterFunc(gatherTime, rs.tell)
	}
	of := rs.kinds[kind]
	if of == nil {
		if len(rs.kinds) >= maxKinds {
			kind = ""
		}
		if of = rs.kinds[kind]; of == nil {
			of = &repeat{}
			rs.kinds[kind] = of
		}
	}
	if of.logged < burst {
		of.logged++
		return true
	}
	of.left++
	of.last, of.to = r.Clone(), to
	if id != "" && len(of.incidents) < maxIncidents {
		of.incidents = append(of.incidents, id)
	}
	return false
}

// tell ends the minute: it logs a line for each kind of which some were left out.
func (rs *repeats) tell() {
	rs.mu.Lock()
	kinds := rs.kinds
	rs.kinds = nil
	rs.mu.Unlock()
	for _, of := range kinds {
		if of.left == 0 {
			continue
		}
		of.last.AddAttrs(slog.Int("times", of.left))
		if len(of.incidents) > 0 {
			of.last.AddAttrs(slog.String("incidents", strings.Join(of.incidents, " ")))
		}
		_ = of.to.Handle(context.Background(), of.last) // as the log itself does
	}
}
