package incident

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	// burst limits the lines of one kind that are logged in a minute.
	burst = 20
	// maxKinds limits the kinds that are counted separately. All further kinds are counted as one.
	maxKinds = 500
	// maxIncidents limits the incidents in the line about omitted lines.
	maxIncidents = 50
)

// repeats counts the lines of the current minute, by their message and their attribute "what".
type repeats struct {
	mu    sync.Mutex
	kinds map[string]*repeat // by message and attribute; nil if there were no lines in this minute
}

// repeat counts the lines of one kind.
type repeat struct {
	logged    int
	left      int // number of omitted lines
	last      slog.Record
	to        slog.Handler // handler of the record in last
	incidents []string     // incidents of the omitted lines
}

// pass reports whether to log a line now. Otherwise it counts the line and stores it as the last omitted one.
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

// tell ends the minute. For each kind with omitted lines, it logs the last of them with their number.
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
		_ = of.to.Handle(context.Background(), of.last) // the logger ignores these errors as well
	}
}
