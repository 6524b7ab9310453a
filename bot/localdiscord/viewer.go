package localdiscord

import "slices"

// viewer is one open page: the user it shows the world to, and the queue of events that its stream empties.
type viewer struct {
	userID string
	queue  chan []byte
	gone   chan struct{}
}

// event is what a page hears; "t" names its kind.
type event map[string]any

const (
	viewerQueue = 256 // a page that is further behind is dropped; it reconnects and reads everything anew
	maxViewers  = 64
)

// watch opens a stream of events for a user; ok is false when there are too many.
func (s *Server) watch(userID string) (v *viewer, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.viewers) >= maxViewers {
		return nil, false
	}
	v = &viewer{userID: userID, queue: make(chan []byte, viewerQueue), gone: make(chan struct{})}
	s.viewers[v] = true
	return v, true
}

func (s *Server) unwatch(v *viewer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endViewer(v)
}

// endViewer ends the stream; the caller holds the lock.
func (s *Server) endViewer(v *viewer) {
	if s.viewers[v] {
		delete(s.viewers, v)
		close(v.gone)
	}
}

func (s *Server) sendViewer(v *viewer, raw []byte) {
	select {
	case v.queue <- raw:
	default:
		s.endViewer(v)
	}
}

// broadcast tells the pages of a user ("" for everyone's); the caller holds the lock.
func (s *Server) broadcast(userID string, e event) {
	if len(s.viewers) == 0 {
		return
	}
	raw := mustJSON(e)
	for v := range s.viewers {
		if userID == "" || v.userID == userID {
			s.sendViewer(v, raw)
		}
	}
}

// pageMessage is a message with what the page alone needs.
type pageMessage struct {
	*wireMessage
	Ephemeral bool     `json:"ephemeral"`
	Loading   bool     `json:"loading"`
	Line      string   `json:"line"`
	Pinged    []string `json:"pinged"`
	Version   int      `json:"version"`
}

func (s *Server) pageMessage(m *message) *pageMessage {
	p := &pageMessage{wireMessage: s.messageJSON(m), Ephemeral: m.EphemeralTo != "", Loading: m.loading(), Pinged: orEmpty(m.Pinged), Version: m.Version}
	if m.Invocation != nil {
		p.Line = m.Invocation.Text
	}
	return p
}

// showMessage sends a new or changed message to the pages of everyone who sees it, and tells all pages who was pinged.
func (s *Server) showMessage(m *message) {
	if len(s.viewers) == 0 {
		return
	}
	c := s.channels[m.ChannelID]
	raw := mustJSON(event{"t": "message", "m": s.pageMessage(m)})
	for v := range s.viewers {
		if m.visibleTo(v.userID) && s.canSee(v.userID, c) {
			s.sendViewer(v, raw)
		}
	}
	if m.Version == 1 && slices.ContainsFunc(m.Pinged, func(id string) bool { return s.users[id] != nil }) {
		s.broadcast("", event{"t": "ping", "users": m.Pinged, "channel": m.ChannelID})
	}
}
