package page

import (
	"encoding/json"
	"net/http"
	"sync"
)

// Event is what an open page hears; "t" names its kind.
type Event map[string]any

// Feed carries events to the open pages, each of which shows the world to one user. All methods are
// safe for concurrent use.
type Feed struct {
	mu      sync.Mutex
	closed  bool
	viewers map[*viewer]bool
}

// viewer is one open page, with the queue that its stream empties.
type viewer struct {
	userID string
	queue  chan []byte
	gone   chan struct{}
}

const (
	viewerQueue = 256 // a page that is further behind is dropped; it reconnects and reads everything anew
	maxViewers  = 64
)

// NewFeed returns a feed without pages.
func NewFeed() *Feed { return &Feed{viewers: map[*viewer]bool{}} }

// Empty reports whether no page is open.
func (f *Feed) Empty() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.viewers) == 0
}

// Send queues an event for the pages of the users that to accepts; nil accepts everyone. It does
// not wait for them.
func (f *Feed) Send(e Event, to func(userID string) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var raw []byte
	for v := range f.viewers {
		if to != nil && !to(v.userID) {
			continue
		}
		if raw == nil {
			var err error
			if raw, err = json.Marshal(e); err != nil {
				panic("localdiscord/page: " + err.Error()) // an event is made of what JSON can say
			}
		}
		select {
		case v.queue <- raw:
		default:
			f.end(v)
		}
	}
}

// Close ends all streams; none begins from now on.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for v := range f.viewers {
		f.end(v)
	}
}

func (f *Feed) end(v *viewer) {
	if f.viewers[v] {
		delete(f.viewers, v)
		close(v.gone)
	}
}

// watch opens a stream for a user; nil when there are too many.
func (f *Feed) watch(userID string) *viewer {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || len(f.viewers) >= maxViewers {
		return nil
	}
	v := &viewer{userID: userID, queue: make(chan []byte, viewerQueue), gone: make(chan struct{})}
	f.viewers[v] = true
	return v
}

func (f *Feed) unwatch(v *viewer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end(v)
}

// ServeHTTP streams the events for a user (server-sent) until the page goes away.
func (f *Feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := f.watch(r.URL.Query().Get("user"))
	if v == nil {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer f.unwatch(v)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	flush := http.NewResponseController(w)
	put := func(raw []byte) bool {
		_, err := w.Write(append(append([]byte("data: "), raw...), "\n\n"...))
		return err == nil && flush.Flush() == nil
	}
	if !put([]byte(`{"t":"hello"}`)) {
		return
	}
	for {
		select {
		case raw := <-v.queue:
			if !put(raw) {
				return
			}
		case <-v.gone:
			return
		case <-r.Context().Done():
			return
		}
	}
}
