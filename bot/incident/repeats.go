package incident

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	// burst is how many lines of one kind are logged in a minute.
	burst = 20
	// maxKinds bounds the kinds that are counted apart; all further ones count as one kind.
	maxKinds = 500
	// maxIncidents bounds the incidents that the line about left-out lines names.
	maxIncidents = 50
)

// repeats are the lines of the current minute, by their words and their attribute "what".
type repeats struct {
	mu    sync.Mutex
	kinds map[string]*repeat // nil while there are none
}

// repeat are the lines of one kind.
type repeat struct {
	logged    int
	left      int // how many were left out
	last      slog.Record
	to        slog.Handler // where last is logged
	incidents []string     // of the lines left out
}

// pass reports whether to log a line now. An omitted line is counted, and stored as the last one.
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

// tell ends the minute: for each kind with lines left out, it logs the last of them with their number.
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
		_ = of.to.Handle(context.Background(), of.last) // the log itself ignores such errors, too
	}
}
