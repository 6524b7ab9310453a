package localdiscord

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fault changes how the bot's REST requests are answered.
type Fault struct {
	Method string // requests of this method; "" for any
	Path   string // requests whose path without /api/vN, or whose Route, contains this; "" for any
	Times  int    // number of requests after which the fault ends; 0 for a fault that stays
	// Old restricts the fault to requests whose path ends in the id of a message that is older than this; 0 for no
	// restriction.
	Old time.Duration

	Latency time.Duration   // wait before the request is carried out
	Hold    <-chan struct{} // the request waits until Hold is closed
	Status  int             // if not 0, status of the fault's answer; the request is then carried out only with Lost
	Header  http.Header     // header of the fault's answer
	Body    string          // body of the fault's answer
	// Lost makes the server carry out the request, and then break the connection without an answer or give the fault's
	// answer.
	Lost bool
}

type activeFault struct {
	Fault
	left int
}

// faultList has the active faults.
type faultList struct {
	mu     sync.Mutex
	active []*activeFault
}

func (l *faultList) add(f Fault) (remove func()) {
	a := &activeFault{Fault: f, left: f.Times}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active = append(l.active, a)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.active = slices.DeleteFunc(l.active, func(o *activeFault) bool { return o == a })
	}
}

// any reports whether there are active faults.
func (l *faultList) any() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.active) > 0
}

// pick returns the first active fault that matches a request, and counts the request for that fault; nil if none
// matches.
func (l *faultList) pick(method, path, route string, now time.Time) *Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, a := range l.active {
		if a.Method != "" && a.Method != method || !strings.Contains(path, a.Path) && !strings.Contains(route, a.Path) {
			continue
		}
		if at, ok := madeAt(path[strings.LastIndex(path, "/")+1:]); a.Old > 0 && (!ok || now.Sub(at) <= a.Old) {
			continue
		}
		if a.Times > 0 {
			if a.left--; a.left == 0 {
				l.active = slices.Delete(slices.Clone(l.active), i, i+1)
			}
		}
		f := a.Fault
		return &f
	}
	return nil
}

// delay waits as the fault requires, or until the client is gone.
func (f *Fault) delay(ctx context.Context) {
	if f.Latency > 0 {
		t := time.NewTimer(f.Latency)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
	if f.Hold != nil {
		select {
		case <-f.Hold:
		case <-ctx.Done():
		}
	}
}

// answer writes the fault's answer.
func (f *Fault) answer(w http.ResponseWriter) {
	for key, values := range f.Header {
		w.Header()[key] = values
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(f.Status)
	io.WriteString(w, f.Body)
}

// ServerError returns a fault that answers with a 5xx status.
func ServerError(status int) Fault {
	return Fault{Status: status, Body: `{"message": "` + http.StatusText(status) + `", "code": 0}`}
}

// Refusal returns a fault that answers with one of Discord's error codes.
func Refusal(status, code int, message string) Fault {
	body, _ := json.Marshal(refuse(status, code, message))
	return Fault{Status: status, Body: string(body)}
}

// RateLimited returns a fault that answers 429 with Discord's body, and with the headers that Discord documents if
// headers is true. A global limit names no bucket.
func RateLimited(after time.Duration, global, headers bool) Fault {
	body, _ := json.Marshal(map[string]any{"message": "You are being rate limited.", "retry_after": after.Seconds(),
		"global": global, "code": 0})
	f := Fault{Status: http.StatusTooManyRequests, Body: string(body), Header: http.Header{}}
	if headers {
		f.Header.Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
		if global {
			f.Header.Set("X-RateLimit-Global", "true")
			f.Header.Set("X-RateLimit-Scope", "global")
			return f
		}
		f.Header.Set("X-RateLimit-Limit", "5")
		f.Header.Set("X-RateLimit-Remaining", "0")
		f.Header.Set("X-RateLimit-Reset-After", formatSeconds(after))
		f.Header.Set("X-RateLimit-Bucket", "faulty")
		f.Header.Set("X-RateLimit-Scope", "user")
	}
	return f
}

// OldEdits returns a fault that refuses edits of messages older than an hour in a channel, as Discord does after many
// such edits.
func OldEdits(channel string, after time.Duration) Fault {
	f := RateLimited(after, false, true)
	body, _ := json.Marshal(map[string]any{"code": 30046, "retry_after": after.Seconds(), "global": false,
		"message": "Maximum number of edits to messages older than 1 hour reached. Try again later."})
	f.Body, f.Method, f.Path, f.Old = string(body), http.MethodPatch, "/channels/"+channel+"/messages/", time.Hour
	return f
}

// RateLimitedHTML returns a fault that answers 429 with a web page, like the proxy in front of Discord.
func RateLimitedHTML() Fault {
	return Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Content-Type": {"text/html"}},
		Body: "<!DOCTYPE html><html><head><title>Access denied</title></head><body>error code: 1015</body></html>"}
}
