package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"marque/bot/interact"
	"marque/bot/table"
	"marque/bot/table/changes"
	"marque/storage"
)

const (
	maxPages     = 2000
	pagesOfOne   = 8 // maximum number of pages of one user
	greetWithin  = 10 * time.Second
	writeWithin  = 10 * time.Second
	pingEvery    = 30 * time.Second
	silentAtMost = 75 * time.Second
	maxMessage   = 512                    // maximum number of bytes of a message from a page
	turnPause    = 250 * time.Millisecond // time after a message of a page in which no other is handled
)

// hub counts the pages with an open websocket.
type hub struct {
	mu      sync.Mutex
	closed  bool
	all     int
	users   map[string]int
	closing chan struct{}
	ended   sync.WaitGroup
}

func newHub() *hub { return &hub{users: map[string]int{}, closing: make(chan struct{})} }

func (h *hub) pages() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all
}

// enter counts a page of a user until leave is called. It returns false if there are too many, or after close.
func (h *hub) enter(user string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.all >= maxPages || h.users[user] >= pagesOfOne {
		return false
	}
	h.all++
	h.users[user]++
	h.ended.Add(1)
	return true
}

func (h *hub) leave(user string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all--
	if h.users[user]--; h.users[user] == 0 {
		delete(h.users, user)
	}
	h.ended.Done()
}

// close closes all pages' connections, and waits for them.
func (h *hub) close() {
	h.mu.Lock()
	if !h.closed {
		h.closed = true
		close(h.closing)
	}
	h.mu.Unlock()
	h.ended.Wait()
}

// listens is a message from a page. The first message has the page's session. Each message has the table that is open
// in the page, and whether the page is hidden from the user.
type listens struct {
	Session string `json:"session"`
	Table   string `json:"table"`
	Hidden  bool   `json:"hidden"`
}

// changed is a message to a page. The listed tables may have changed. If All is set, any table that the page shows may
// have changed.
type changed struct {
	Tables []string `json:"tables"`
	All    bool     `json:"all,omitempty"`
}

// live sends a page the changes of its tables over a websocket. ServeHTTP has checked the origin.
func (rm *Room) live(w http.ResponseWriter, q *http.Request) {
	upgrader := websocket.Upgrader{HandshakeTimeout: writeWithin, ReadBufferSize: 1024, WriteBufferSize: 1024,
		CheckOrigin: func(*http.Request) bool { return true }}
	ws, err := upgrader.Upgrade(w, q, nil)
	if err != nil {
		return // the upgrader has already answered
	}
	defer ws.Close()
	ws.SetReadLimit(maxMessage)
	var first listens
	ws.SetReadDeadline(time.Now().Add(greetWithin))
	if ws.ReadJSON(&first) != nil {
		return
	}
	user, _, err := rm.visitor(q.Context(), first.Session)
	if err != nil {
		bye(ws, websocket.ClosePolicyViolation)
		return
	}
	if !rm.hub.enter(user) {
		bye(ws, websocket.CloseTryAgainLater)
		return
	}
	defer rm.hub.leave(user)
	ctx, cancel := context.WithTimeout(q.Context(), sessionTime)
	defer cancel()
	said := make(chan listens, 1) // the page's latest message
	go func() {
		defer cancel()
		ws.SetPongHandler(func(string) error { return ws.SetReadDeadline(time.Now().Add(silentAtMost)) })
		for {
			ws.SetReadDeadline(time.Now().Add(silentAtMost))
			var next listens
			if ws.ReadJSON(&next) != nil {
				return
			}
			select {
			case <-said:
			default:
			}
			said <- next
		}
	}()
	rm.tell(ctx, ws, user, first, said)
}

// tell sends messages to a page. It stops if ctx is done, the bot stops, or the page does not read in time.
func (rm *Room) tell(ctx context.Context, ws *websocket.Conn, user string, first listens, said <-chan listens) {
	sub, away := rm.subscribe(ctx, user, first)
	defer func() { sub.Close(); away() }()
	send := func(c changed) bool {
		ws.SetWriteDeadline(time.Now().Add(writeWithin))
		rm.Sent()
		return ws.WriteJSON(c) == nil
	}
	if !send(changed{Tables: []string{}, All: true}) { // from now on the page receives every change
		return
	}
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	turn, pause := said, (<-chan time.Time)(nil) // limit a page that changes tables often
	for {
		select {
		case <-sub.Ready():
			list, all := sub.Take()
			c := changed{Tables: make([]string, len(list)), All: all}
			for i, change := range list {
				c.Tables[i] = change.Table.String()
			}
			if !send(c) {
				return
			}
		case <-pause:
			turn, pause = said, nil
		case next := <-turn:
			turn, pause = nil, time.After(turnPause)
			before, left := sub, away
			sub, away = rm.subscribe(ctx, user, next)
			before.Close()
			left()
			if !send(changed{Tables: []string{next.Table}}) {
				return
			}
		case <-ping.C:
			if ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeWithin)) != nil {
				return
			}
		case <-rm.hub.closing:
			bye(ws, websocket.CloseGoingAway)
			return
		case <-ctx.Done():
			return
		}
	}
}

// subscribe subscribes to the changes of a user's tables, and of the table in their page if they can see it. Until away
// is called, boards of that table in the channel can be delayed.
func (rm *Room) subscribe(ctx context.Context, user string, to listens) (sub *changes.Subscription, away func()) {
	of := changes.Interest{User: user}
	away = func() {}
	if id, err := storage.ParseID(to.Table); err == nil {
		v := &visit{user: user, id: id, ctx: ctx, ask: ask{Table: to.Table}}
		if _, refused := rm.perform(v, "page-live", interact.Quick, nil,
			func(ctx context.Context, r *interact.Request) (interact.Reply, error) {
				_, err := rm.Find.Table(ctx, r)
				return interact.Reply{}, err
			}); refused == "" {
			of.Tables = []table.ID{id}
			if !to.Hidden {
				away = rm.Tables.Look(user, id)
			}
		}
	}
	return rm.Tables.Subscribe(of), away
}

func bye(ws *websocket.Conn, code int) {
	ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
}
