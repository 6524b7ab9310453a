package localdiscord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const maxRequestLog = 2000

// Request is one REST request of the bot and what became of it.
type Request struct {
	Seq      int // counts from 1
	Time     time.Time
	Method   string
	Path     string // without /api/vN
	Route    string // template of the OpenAPI description, "/channels/{channel_id}/messages"; "" if there is none
	Query    url.Values
	Body     []byte // JSON: the body, or payload_json of a multipart request
	Files    []RequestFile
	Status   int
	Response []byte
}

// RequestFile is a file that came with a request.
type RequestFile struct {
	Field, Name, ContentType string
	Size                     int
}

// Requests returns the latest requests, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// call is a request being answered.
type call struct {
	r       *http.Request
	route   string
	public  bool // needs no bot token
	handle  handler
	vars    func(string) string
	form    form
	list    []any // body, where it is an array
	uploads []upload
}

// handler answers a call with a body for the status, or an error; it runs under the server's lock.
type handler func(c *call) (status int, body any, err error)

type callKey struct{}

func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	add := func(method, template string, public bool, h handler) {
		mux.HandleFunc(method+" "+template, func(_ http.ResponseWriter, r *http.Request) {
			c := r.Context().Value(callKey{}).(*call)
			c.route, c.public, c.handle, c.vars = template, public, h, r.PathValue
		})
	}
	for _, scope := range []string{"/applications/{application_id}/commands", "/applications/{application_id}/guilds/{guild_id}/commands"} {
		add("GET", scope, false, s.listCommands)
		add("PUT", scope, false, s.overwriteCommands)
		add("POST", scope, false, s.createCommand)
		add("GET", scope+"/{command_id}", false, s.getCommand)
		add("PATCH", scope+"/{command_id}", false, s.editCommand)
		add("DELETE", scope+"/{command_id}", false, s.deleteCommand)
	}
	add("GET", "/gateway", true, s.getGateway)
	add("GET", "/gateway/bot", false, s.getGatewayBot)
	add("GET", "/applications/@me", false, s.getApplication)
	add("GET", "/oauth2/applications/@me", false, s.getApplication)
	add("GET", "/users/@me", false, s.getMe)
	add("GET", "/users/@me/guilds", false, s.getMyGuilds)
	add("POST", "/users/@me/channels", false, s.createDM)
	add("GET", "/users/{user_id}", false, s.getUser)
	add("DELETE", "/users/@me/guilds/{guild_id}", false, s.leaveGuild)
	add("GET", "/guilds/{guild_id}", false, s.getGuild)
	add("GET", "/guilds/{guild_id}/channels", false, s.getGuildChannels)
	add("GET", "/guilds/{guild_id}/roles", false, s.getGuildRoles)
	add("GET", "/guilds/{guild_id}/members/{user_id}", false, s.getMember)
	add("GET", "/guilds/{guild_id}/threads/active", false, s.getActiveThreads)
	add("GET", "/channels/{channel_id}", false, s.getChannel)
	add("PATCH", "/channels/{channel_id}", false, s.modifyChannel)
	add("DELETE", "/channels/{channel_id}", false, s.deleteChannel)
	add("POST", "/channels/{channel_id}/typing", false, s.typing)
	add("GET", "/channels/{channel_id}/messages", false, s.listMessages)
	add("POST", "/channels/{channel_id}/messages", false, s.createMessage)
	add("GET", "/channels/{channel_id}/messages/{message_id}", false, s.getMessage)
	add("PATCH", "/channels/{channel_id}/messages/{message_id}", false, s.editMessage)
	add("DELETE", "/channels/{channel_id}/messages/{message_id}", false, s.deleteMessage)
	add("POST", "/channels/{channel_id}/messages/{message_id}/threads", false, s.threadFromMessage)
	add("POST", "/channels/{channel_id}/threads", false, s.threadWithoutMessage)
	add("GET", "/channels/{channel_id}/threads/archived/public", false, s.archivedThreads)
	add("GET", "/channels/{channel_id}/thread-members", false, s.threadMembers)
	add("PUT", "/channels/{channel_id}/thread-members/@me", false, s.joinThread)
	add("DELETE", "/channels/{channel_id}/thread-members/@me", false, s.leaveThread)
	add("PUT", "/channels/{channel_id}/thread-members/{user_id}", false, s.joinThread)
	add("DELETE", "/channels/{channel_id}/thread-members/{user_id}", false, s.leaveThread)
	add("POST", "/interactions/{interaction_id}/{interaction_token}/callback", true, s.callback)
	add("POST", "/webhooks/{webhook_id}/{webhook_token}", true, s.followup)
	for _, m := range []string{"@original", "{message_id}"} {
		add("GET", "/webhooks/{webhook_id}/{webhook_token}/messages/"+m, true, s.getReply)
		add("PATCH", "/webhooks/{webhook_id}/{webhook_token}/messages/"+m, true, s.editReply)
		add("DELETE", "/webhooks/{webhook_id}/{webhook_token}/messages/"+m, true, s.deleteReply)
	}
	return mux
}

var versionPattern = regexp.MustCompile(`^/api(/v(9|10))?/`)

// statusOnly hears which status a ServeMux would have answered.
type statusOnly struct {
	header http.Header
	status int
}

func (w *statusOnly) Header() http.Header         { return w.header }
func (w *statusOnly) Write(b []byte) (int, error) { return len(b), nil }
func (w *statusOnly) WriteHeader(status int)      { w.status = status }

func (s *Server) serveREST(w http.ResponseWriter, r *http.Request) {
	prefix := versionPattern.FindString(r.URL.Path)
	if prefix == "" {
		prefix = "/api/"
	}
	path := strings.TrimPrefix(r.URL.Path, strings.TrimSuffix(prefix, "/"))
	req := Request{Time: s.clock.Now(), Method: r.Method, Path: path, Query: r.URL.Query()}

	c := &call{r: r}
	routed := r.WithContext(context.WithValue(r.Context(), callKey{}, c))
	routed.URL = &url.URL{Path: path}
	verdict := &statusOnly{header: http.Header{}}
	s.rest.ServeHTTP(verdict, routed)
	req.Route = c.route

	readErr := c.readBody(&req)

	s.mu.Lock()
	fault := s.fault(req.Method, path, c.route)
	s.mu.Unlock()
	if fault != nil {
		fault.delay(r.Context())
		if fault.Status != 0 {
			req.Status, req.Response = fault.Status, []byte(fault.Body)
			s.record(req)
			for key, values := range fault.Header {
				w.Header()[key] = values
			}
			if w.Header().Get("Content-Type") == "" {
				w.Header().Set("Content-Type", "application/json")
			}
			w.WriteHeader(fault.Status)
			io.WriteString(w, fault.Body)
			return
		}
	}

	s.mu.Lock()
	status, body, err := s.answer(c, verdict.status, readErr)
	var refusal *apiError
	if errors.As(err, &refusal) {
		status, body = refusal.status, refusal
		s.log.Debug("refused as Discord would", "method", req.Method, "route", c.route, "error", refusal)
	}
	if status != http.StatusNoContent {
		req.Response = mustJSON(body)
	}
	req.Status = status
	s.mu.Unlock()
	s.record(req)

	if fault != nil && fault.Lost {
		panic(http.ErrAbortHandler)
	}
	h := w.Header()
	h.Set("X-RateLimit-Limit", "50")
	h.Set("X-RateLimit-Remaining", "49")
	h.Set("X-RateLimit-Reset", strconv.FormatFloat(float64(time.Now().UnixMilli()+1000)/1000, 'f', 3, 64))
	h.Set("X-RateLimit-Reset-After", "1.000")
	h.Set("X-RateLimit-Bucket", bucketOf(c.route))
	if status == http.StatusNoContent {
		w.WriteHeader(status)
		return
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(req.Response)
}

// answer routes the call; the caller holds the lock.
func (s *Server) answer(c *call, muxStatus int, readErr error) (int, any, error) {
	if c.handle == nil {
		if muxStatus == http.StatusMethodNotAllowed {
			return 0, nil, errMethodNotAllowed
		}
		return 0, nil, errNotFound
	}
	if !c.public && (!strings.HasPrefix(c.r.Header.Get("Authorization"), "Bot ") || !s.validToken(c.r.Header.Get("Authorization"))) {
		return 0, nil, errUnauthorized
	}
	if readErr != nil {
		return 0, nil, readErr
	}
	return c.handle(c)
}

// record puts the request into the log and hands it to the hook.
func (s *Server) record(req Request) {
	s.mu.Lock()
	s.requestSeq++
	req.Seq = s.requestSeq
	if len(s.requests) == maxRequestLog {
		s.requests = append(s.requests[:0:0], s.requests[maxRequestLog/2:]...)
	}
	s.requests = append(s.requests, req)
	s.touch()
	s.mu.Unlock()
	if s.opts.OnRequest != nil {
		s.opts.OnRequest(req)
	}
}

// bucketOf names a rate limit bucket: stable for a route, as Discord's hashes are.
func bucketOf(route string) string {
	h := uint64(14695981039346656037)
	for _, b := range []byte(route) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return fmt.Sprintf("%016x", h)
}

func formatSeconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

// readBody reads JSON or multipart into the call and notes it in the log entry.
func (c *call) readBody(req *Request) error {
	c.form = form{m: map[string]any{}, errs: formErrors{}}
	buf := bytes.NewBuffer(make([]byte, 0, min(max(c.r.ContentLength, 0), maxRequest)+bytes.MinRead))
	if _, err := buf.ReadFrom(io.LimitReader(c.r.Body, maxRequest+1)); err != nil {
		return errInvalidBody
	}
	raw := buf.Bytes()
	if len(raw) > maxRequest {
		return errTooLarge
	}
	mediaType, params, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if mediaType == "multipart/form-data" {
		payload, err := c.readMultipart(req, raw, params["boundary"])
		if err != nil {
			return err
		}
		raw = payload
	}
	req.Body = raw
	if len(raw) == 0 {
		return nil
	}
	if mediaType != "application/json" && mediaType != "multipart/form-data" {
		return refuse(http.StatusBadRequest, codeInvalidForm, "Expected \"Content-Type\" header to be one of {'application/json', 'multipart/form-data'}.")
	}
	var body any
	if json.Unmarshal(raw, &body) != nil {
		return errInvalidBody
	}
	switch b := body.(type) {
	case map[string]any:
		c.form.m = b
	case []any:
		c.list = b
	case nil:
	default:
		c.form.errs.add("", "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
		return c.form.errs.err()
	}
	return nil
}

var filesField = regexp.MustCompile(`^files?\[?([0-9]*)\]?$`)

func (c *call) readMultipart(req *Request, raw []byte, boundary string) (payload []byte, err error) {
	mr := multipart.NewReader(bytes.NewReader(raw), boundary)
	tooLarge := false
	for {
		part, err := mr.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, errInvalidBody
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return nil, errInvalidBody
		}
		if part.FormName() == "payload_json" {
			payload = data
			continue
		}
		field := filesField.FindStringSubmatch(part.FormName())
		if field == nil || part.FileName() == "" {
			continue
		}
		index := field[1]
		if index == "" {
			index = itoa(len(c.uploads))
		}
		req.Files = append(req.Files, RequestFile{part.FormName(), part.FileName(), part.Header.Get("Content-Type"), len(data)})
		c.uploads = append(c.uploads, upload{index, part.FileName(), part.Header.Get("Content-Type"), data})
		tooLarge = tooLarge || len(data) > maxFileBytes
	}
	if tooLarge {
		return payload, errTooLarge
	}
	return payload, nil
}
