package page

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Event is an event for open pages. Its key "t" has its kind.
type Event map[string]any

// Feed sends events to the open pages, each of which shows the world to one user. All methods are safe for concurrent
// use.
//
// A page connects by WebSocket. A browser allows about two hundred WebSockets, but only six HTTP/1.1 connections to a
// host: if each tab kept one of those open, a seventh tab would wait forever.
type Feed struct {
	mu      sync.Mutex
	closed  bool
	viewers map[*viewer]bool
	writers sync.WaitGroup
}

// viewer is an open page with a queue, from which its writer sends.
type viewer struct {
	userID string
	queue  chan []byte
	gone   chan struct{}
}

const (
	viewerQueue = 256 // maximum number of waiting events; a page with more is dropped, reconnects and reads everything
	maxViewers  = 64
	writeWithin = 10 * time.Second
)

// NewFeed returns a feed without pages.
func NewFeed() *Feed { return &Feed{viewers: map[*viewer]bool{}} }

// Empty reports whether no page is open.
func (f *Feed) Empty() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.viewers) == 0
}

// Send queues an event for the pages of the users for whom to returns true, or for all pages if to is nil. It does not
// block.
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
				panic("localdiscord/page: " + err.Error()) // events have only JSON values
			}
		}
		select {
		case v.queue <- raw:
		default:
			f.end(v)
		}
	}
}

// Close ends all connections and refuses new ones. Wait waits until they have ended.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for v := range f.viewers {
		f.end(v)
	}
}

// Wait returns when no connection is being written to any more.
func (f *Feed) Wait() { f.writers.Wait() }

func (f *Feed) end(v *viewer) {
	if f.viewers[v] {
		delete(f.viewers, v)
		close(v.gone)
	}
}

// watch adds a page of a user, and sends events to it until it ends. It returns nil if there are too many pages, or if
// the feed is closed.
func (f *Feed) watch(userID string, ws *websocket.Conn) *viewer {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || len(f.viewers) >= maxViewers {
		return nil
	}
	v := &viewer{userID: userID, queue: make(chan []byte, viewerQueue), gone: make(chan struct{})}
	v.queue <- []byte(`{"t":"hello"}`)
	f.viewers[v] = true
	f.writers.Go(func() { v.write(ws) })
	return v
}

func (f *Feed) unwatch(v *viewer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end(v)
}

// write sends the queued events, and closes the connection.
func (v *viewer) write(ws *websocket.Conn) {
	defer ws.Close()
	for {
		select {
		case raw := <-v.queue:
			ws.SetWriteDeadline(time.Now().Add(writeWithin))
			if ws.WriteMessage(websocket.TextMessage, raw) != nil {
				return
			}
		case <-v.gone:
			bye(ws, websocket.CloseGoingAway, "")
			return
		}
	}
}

func bye(ws *websocket.Conn, code int, why string) {
	ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, why), time.Now().Add(time.Second))
}

// upgrader accepts browsers' connections only from this page. Browsers send the origin of the script, and the zero
// value compares it with the server's own host.
var upgrader websocket.Upgrader

// ServeHTTP sends a user's events to a page until the page is closed.
func (f *Feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	v := f.watch(r.URL.Query().Get("user"), ws)
	if v == nil {
		bye(ws, websocket.CloseTryAgainLater, "too many pages are open")
		ws.Close()
		return
	}
	defer f.unwatch(v)
	ws.SetReadLimit(512) // a page sends nothing; reading detects its end
	for {
		if _, _, err := ws.ReadMessage(); err != nil {
			return
		}
	}
}
