package localdiscord

import (
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"
)

//go:embed page
var pageFiles embed.FS

const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

// pageRoutes serves the page, and under /local/ what it asks for. What changes anything is a POST from the page itself.
func (s *Server) pageRoutes() *http.ServeMux {
	mux := http.NewServeMux()
	files, _ := fs.Sub(pageFiles, "page") // the folder is part of the binary
	static := http.FileServerFS(files)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", pagePolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		static.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /local/state", s.pageState)
	mux.HandleFunc("GET /local/channel", s.pageChannel)
	mux.HandleFunc("GET /local/events", s.pageEvents)
	post := func(path string, act func(*pageCall) (any, error)) {
		protect := http.NewCrossOriginProtection()
		mux.HandleFunc("POST /local/"+path, func(w http.ResponseWriter, r *http.Request) {
			if protect.Check(r) != nil || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
				writePage(w, http.StatusForbidden, event{"error": "This is for the page itself."})
				return
			}
			c := &pageCall{r: r}
			if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(c); err != nil {
				writePage(w, http.StatusBadRequest, event{"error": "The request cannot be read."})
				return
			}
			answer, err := act(c)
			if err != nil {
				writePage(w, http.StatusUnprocessableEntity, event{"error": strings.TrimPrefix(err.Error(), "localdiscord: ")})
				return
			}
			writePage(w, http.StatusOK, answer)
		})
	}
	post("command", func(c *pageCall) (any, error) {
		opts, err := c.options()
		if err != nil {
			return nil, err
		}
		return s.pageInteraction(c, func() (*interaction, error) { return s.startCommand(c.User, c.Channel, c.Name, "", opts) })
	})
	post("autocomplete", func(c *pageCall) (any, error) {
		opts, err := c.options()
		if err != nil {
			return nil, err
		}
		return s.pageInteraction(c, func() (*interaction, error) { return s.startCommand(c.User, c.Channel, c.Name, c.Focus, opts) })
	})
	post("component", func(c *pageCall) (any, error) {
		return s.pageInteraction(c, func() (*interaction, error) { return s.startComponent(c.User, c.Message, c.CustomID, c.Values) })
	})
	post("modal", func(c *pageCall) (any, error) {
		opts, err := c.options()
		if err != nil {
			return nil, err
		}
		return s.pageInteraction(c, func() (*interaction, error) {
			for _, in := range s.pending {
				if in.id == c.Interaction {
					return s.startModal(c.User, in, opts)
				}
			}
			return nil, ErrInteractionFailed
		})
	})
	post("say", func(c *pageCall) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		m, err := s.say(c.User, c.Channel, c.Content)
		if err != nil {
			return nil, err
		}
		return event{"id": m.ID}, nil
	})
	post("dismiss", func(c *pageCall) (any, error) { return event{}, s.Dismiss(c.User, c.Message) })
	post("locale", func(c *pageCall) (any, error) {
		if !slices.Contains(locales, c.Name) {
			return nil, ErrBadOption
		}
		return event{}, s.SetLocale(c.User, c.Name)
	})
	post("read", func(c *pageCall) (any, error) { return event{}, s.markRead(c.User, c.Channel) })
	return mux
}

// pageCall is what the page sends; which fields count depends on the path.
type pageCall struct {
	r *http.Request

	User        string         `json:"user"`
	Channel     string         `json:"channel"`
	Message     string         `json:"message"`
	Interaction string         `json:"interaction"`
	Name        string         `json:"name"`
	Focus       string         `json:"focus"`
	CustomID    string         `json:"custom_id"`
	Values      []string       `json:"values"`
	Content     string         `json:"content"`
	Options     map[string]any `json:"options"`
}

// options turns the values of a form into those of a command or modal; files come as objects, menus as arrays.
func (c *pageCall) options() ([]Option, error) {
	var out []Option
	for name, v := range c.Options {
		switch v := v.(type) {
		case map[string]any:
			f, err := decodeFile(v)
			if err != nil {
				return nil, err
			}
			out = append(out, Opt(name, f))
		case []any:
			values := []string{}
			for _, e := range v {
				text, ok := e.(string)
				if !ok {
					return nil, ErrBadOption
				}
				values = append(values, text)
			}
			out = append(out, Opt(name, values))
		case nil:
		default:
			out = append(out, Opt(name, v))
		}
	}
	return out, nil
}

func writePage(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(mustJSON(body))
}

// pageInteraction starts an interaction and waits for its first answer, or for its failure.
func (s *Server) pageInteraction(c *pageCall, start func() (*interaction, error)) (any, error) {
	s.mu.Lock()
	in, err := start()
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case <-in.done:
	case <-s.closing:
		return event{"failed": true}, nil
	case <-c.r.Context().Done():
		return nil, c.r.Context().Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return event{"id": in.id, "failed": in.failed, "answer": in.answer, "modal": in.modal, "choices": orEmpty(in.choices)}, nil
}

// markRead notes that a user has seen everything in a channel.
func (s *Server) markRead(userID, channelID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := s.visibleChannel(userID, channelID)
	if err != nil {
		return err
	}
	if s.reads[userID] == nil {
		s.reads[userID] = map[string]string{}
	}
	last := ch.lastMessageID()
	if last == "" || s.reads[userID][channelID] == last {
		return nil
	}
	s.reads[userID][channelID] = last
	s.touch()
	s.broadcast("", event{"t": "read", "user": userID, "channel": channelID})
	return nil
}

// unread says whether there is something new for a user in a channel, and how often the user was pinged in it.
func (s *Server) unread(userID string, ch *channel) (anything bool, pings int) {
	read := s.reads[userID][ch.ID]
	for i := len(ch.Messages) - 1; i >= 0; i-- {
		m := ch.Messages[i]
		if !olderID(read, m.ID) {
			break
		}
		if m.AuthorID == userID || m.EphemeralTo != "" {
			continue
		}
		anything = true
		if slices.Contains(m.Pinged, userID) {
			pings++
		}
	}
	return anything, pings
}

func (s *Server) pageState(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	me := s.users[r.URL.Query().Get("user")]
	if me == nil || me.Bot {
		me = s.users[s.userOrder[1]]
	}
	users := []event{}
	for _, id := range s.userOrder {
		u := s.users[id]
		pings := 0
		if !u.Bot {
			for _, ch := range s.channels {
				if s.canSee(id, ch) {
					_, n := s.unread(id, ch)
					pings += n
				}
			}
		}
		users = append(users, event{"id": u.ID, "name": u.GlobalName, "username": u.Username, "bot": u.Bot, "locale": u.Locale, "pings": pings})
	}
	guilds := []event{}
	for _, id := range s.guildOrder {
		g := s.guilds[id]
		if g.member(me.ID) == nil {
			continue
		}
		channels, members, roles := []event{}, []event{}, []event{}
		for _, cid := range g.Channels {
			if ch := s.channels[cid]; s.canSee(me.ID, ch) && (ch.Type != channelPrivateThread || slices.Contains(ch.ThreadMembers, me.ID)) {
				channels = append(channels, s.pageChannelEntry(me.ID, ch))
			}
		}
		for _, m := range g.Members {
			members = append(members, event{"id": m.UserID, "owner": g.OwnerID == m.UserID, "roles": m.Roles})
		}
		for _, ro := range g.Roles {
			roles = append(roles, event{"id": ro.ID, "name": ro.Name, "color": ro.Color})
		}
		guilds = append(guilds, event{"id": g.ID, "name": g.Name, "channels": channels, "members": members, "roles": roles})
	}
	dms := []event{}
	for _, ch := range s.channels {
		if ch.Type == channelDM && ch.Recipient == me.ID {
			dms = append(dms, s.pageChannelEntry(me.ID, ch))
		}
	}
	connected := slices.ContainsFunc(mapValues(s.sessions), func(sess *session) bool { return sess.conn != nil })
	writePage(w, http.StatusOK, event{"me": me.ID, "users": users, "guilds": guilds, "dms": dms, "bot": Application,
		"connected": connected, "locales": locales})
}

func mapValues[K comparable, V any](m map[K]V) []V {
	out := make([]V, 0, len(m))
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

func (s *Server) pageChannelEntry(userID string, ch *channel) event {
	anything, pings := s.unread(userID, ch)
	e := event{"id": ch.ID, "guild": ch.GuildID, "name": ch.Name, "topic": ch.Topic, "parent": ch.ParentID, "thread": ch.isThread(), "unread": anything, "pings": pings}
	if ch.isThread() {
		e["archived"], e["locked"] = ch.Thread.Archived, ch.Thread.Locked
	}
	return e
}

func (s *Server) pageChannel(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := s.visibleChannel(q.Get("user"), q.Get("channel"))
	if err != nil {
		status := http.StatusNotFound
		if errors.Is(err, ErrNoUser) {
			status = http.StatusBadRequest
		}
		writePage(w, status, event{"error": strings.TrimPrefix(err.Error(), "localdiscord: ")})
		return
	}
	messages := []*pageMessage{}
	for _, m := range ch.Messages {
		if m.visibleTo(q.Get("user")) {
			messages = append(messages, s.pageMessage(m))
		}
	}
	maySend := s.permissions(q.Get("user"), ch)&sendPermission(ch) != 0 && (ch.Thread == nil || !ch.Thread.Locked)
	writePage(w, http.StatusOK, event{"messages": messages, "commands": orEmpty(s.availableCommands(q.Get("user"), ch)),
		"may_send": maySend, "read": s.reads[q.Get("user")][ch.ID]})
}

// pageEvents streams events (server-sent) until the page goes away.
func (s *Server) pageEvents(w http.ResponseWriter, r *http.Request) {
	v, ok := s.watch(r.URL.Query().Get("user"))
	if !ok {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer s.unwatch(v)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	flush := http.NewResponseController(w)
	put := func(raw []byte) bool {
		_, err := w.Write(append(append([]byte("data: "), raw...), "\n\n"...))
		return err == nil && flush.Flush() == nil
	}
	if !put(mustJSON(event{"t": "hello"})) {
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
