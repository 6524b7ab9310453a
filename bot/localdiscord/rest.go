package localdiscord

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const maxRequestLog = 2000

// Request is a REST request of the bot, with its answer.
type Request struct {
	Seq      int // number of the request, from 1
	Time     time.Time
	Method   string
	Path     string // path without /api/vN
	Route    string // path template, such as "/channels/{channel_id}/messages"; "" if there is none
	Query    url.Values
	Body     []byte // the JSON body, or payload_json of a multipart request
	Files    []RequestFile
	Status   int
	Response []byte
}

// RequestFile is a file that came with a request.
type RequestFile struct {
	Field, Name, ContentType string
	Size                     int
}

// call is a request that is being answered.
type call struct {
	r       *http.Request
	route   string
	public  bool // the route needs no bot token
	handle  handler
	vars    func(string) string
	form    form
	list    []any      // the body if it is a JSON array
	values  url.Values // the form values of a token request
	uploads []upload
}

// handler answers a call with a status and a body, or an error. It runs under the hub's lock.
type handler func(c *call) (status int, body any, err error)

type callKey struct{}

// router is the REST part of the server. It finds the handler of a request, applies faults, logs requests, and writes
// answers in Discord's format.
type router struct {
	hub       *hub
	mux       *http.ServeMux
	faults    faultList
	limits    *limits
	onRequest func(Request)
	log       *slog.Logger

	mu   sync.Mutex
	seq  int
	kept []Request // the latest requests
}

func newRouter(h *hub, ia *interactions, auth *oauth, ac *activities, opts Options) *router {
	rt := &router{hub: h, mux: http.NewServeMux(), onRequest: opts.OnRequest, log: opts.Log,
		limits: &limits{clock: opts.Clock, most: cmp.Or(opts.Requests, requestsPerSecond),
			buckets: map[string]*bucket{}}}
	commands := &commandAPI{h}
	for _, scope := range []string{"/applications/{application_id}/commands",
		"/applications/{application_id}/guilds/{guild_id}/commands"} {
		rt.add("GET", scope, commands.list)
		rt.add("PUT", scope, commands.overwrite)
	}
	guilds := &guildAPI{h}
	rt.addPublic("GET", "/gateway", guilds.getGateway)
	rt.add("GET", "/gateway/bot", guilds.getGatewayBot)
	rt.add("GET", "/oauth2/applications/@me", guilds.getApplication)
	rt.add("GET", "/applications/@me", guilds.getApplication)
	rt.addPublic("GET", "/users/@me", auth.me)
	rt.addPublic("POST", tokenRoute, auth.token)
	rt.add("GET", "/users/{user_id}", guilds.getUser)
	rt.add("GET", "/guilds/{guild_id}", guilds.getGuild)
	rt.add("GET", "/guilds/{guild_id}/channels", guilds.getChannels)
	rt.add("GET", "/guilds/{guild_id}/roles", guilds.getRoles)
	rt.add("GET", "/guilds/{guild_id}/members/{user_id}", guilds.getMember)
	rt.add("PUT", "/guilds/{guild_id}/members/{user_id}/roles/{role_id}", guilds.addRole)
	rt.add("DELETE", "/guilds/{guild_id}/members/{user_id}/roles/{role_id}", guilds.removeRole)
	channels := &channelAPI{h}
	rt.add("POST", "/users/@me/channels", channels.createDM)
	rt.add("GET", "/channels/{channel_id}", channels.get)
	rt.add("PATCH", "/channels/{channel_id}", channels.modify)
	rt.add("DELETE", "/channels/{channel_id}", channels.delete)
	rt.add("POST", "/channels/{channel_id}/messages/{message_id}/threads", channels.threadFromMessage)
	rt.add("POST", "/channels/{channel_id}/threads", channels.threadWithoutMessage)
	rt.add("GET", "/channels/{channel_id}/thread-members/{user_id}", channels.getThreadMember)
	messages := &messageAPI{h}
	rt.add("GET", "/channels/{channel_id}/messages", messages.list)
	rt.add("POST", "/channels/{channel_id}/messages", messages.create)
	rt.add("GET", "/channels/{channel_id}/messages/{message_id}", messages.get)
	rt.add("PATCH", "/channels/{channel_id}/messages/{message_id}", messages.edit)
	rt.add("DELETE", "/channels/{channel_id}/messages/{message_id}", messages.delete)
	rt.add("GET", "/applications/{application_id}/activity-instances/{instance_id}", ac.get)
	replies := &replyAPI{h, ia, ac}
	rt.addPublic("POST", "/interactions/{interaction_id}/{interaction_token}/callback", replies.callback)
	rt.addPublic("POST", "/webhooks/{webhook_id}/{webhook_token}", replies.followup)
	for _, m := range []string{"@original", "{message_id}"} {
		rt.addPublic("GET", "/webhooks/{webhook_id}/{webhook_token}/messages/"+m, replies.get)
		rt.addPublic("PATCH", "/webhooks/{webhook_id}/{webhook_token}/messages/"+m, replies.edit)
		rt.addPublic("DELETE", "/webhooks/{webhook_id}/{webhook_token}/messages/"+m, replies.delete)
	}
	return rt
}

func (rt *router) add(method, template string, h handler) { rt.route(method, template, false, h) }

// addPublic adds a route that needs no bot token.
func (rt *router) addPublic(method, template string, h handler) {
	rt.route(method, template, true, h)
}

func (rt *router) route(method, template string, public bool, h handler) {
	rt.mux.HandleFunc(method+" "+template, func(_ http.ResponseWriter, r *http.Request) {
		c := r.Context().Value(callKey{}).(*call)
		c.route, c.public, c.handle, c.vars = template, public, h, r.PathValue
	})
}

// requests returns the latest requests, the oldest first.
func (rt *router) requests() []Request {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return slices.Clone(rt.kept)
}

var versionPattern = regexp.MustCompile(`^/api(/v(9|10))?/`)

// statusOnly is a ResponseWriter that records only the status of a ServeMux's answer.
type statusOnly struct {
	header http.Header
	status int
}

func (w *statusOnly) Header() http.Header         { return w.header }
func (w *statusOnly) Write(b []byte) (int, error) { return len(b), nil }
func (w *statusOnly) WriteHeader(status int)      { w.status = status }

// ServeHTTP carries out a request of the bot and answers it.
func (rt *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	prefix := versionPattern.FindString(r.URL.Path)
	if prefix == "" {
		prefix = "/api/"
	}
	path := strings.TrimPrefix(r.URL.Path, strings.TrimSuffix(prefix, "/"))
	req := Request{Time: rt.hub.state.clock.Now(), Method: r.Method, Path: path, Query: r.URL.Query()}

	c := &call{r: r}
	routed := r.WithContext(context.WithValue(r.Context(), callKey{}, c))
	routed.URL = &url.URL{Path: path}
	verdict := &statusOnly{header: http.Header{}}
	rt.mux.ServeHTTP(verdict, routed)
	req.Route = c.route

	readErr := c.readBody(&req)
	if errors.Is(readErr, errBrokenOff) {
		panic(http.ErrAbortHandler) // the client is gone, so no answer can reach it
	}

	answer := func(f Fault) {
		req.Status, req.Response = f.Status, []byte(f.Body)
		rt.record(req)
		f.answer(w)
	}
	headers, refused := rt.limits.take(c, req.Method)
	if refused != nil {
		answer(refused.fault(headers))
		return
	}
	fault := rt.faults.pick(req.Method, path, c.route, rt.hub.state.clock.Now())
	if fault != nil {
		fault.delay(r.Context())
		if fault.Status != 0 && !fault.Lost {
			answer(*fault)
			return
		}
	}
	rt.hub.do(func() {
		status, body, err := rt.answer(c, verdict.status, readErr)
		var refusal *apiError
		if errors.As(err, &refusal) {
			status, body = refusal.status, refusal
			rt.log.Debug("refused as Discord would", "method", req.Method, "route", c.route, "error", refusal)
		}
		if status != http.StatusNoContent {
			req.Response = mustJSON(body)
		}
		req.Status = status
	})
	rt.record(req)
	if fault != nil && fault.Lost {
		if fault.Status != 0 {
			fault.answer(w)
			return
		}
		panic(http.ErrAbortHandler)
	}
	h := w.Header()
	maps.Copy(h, headers)
	if req.Status == http.StatusNoContent {
		w.WriteHeader(req.Status)
		return
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(req.Status)
	w.Write(req.Response)
}

// answer checks the call's route, token and body, and calls its handler. It returns the status and the body of the
// response. The caller holds the lock.
func (rt *router) answer(c *call, muxStatus int, readErr error) (int, any, error) {
	if c.handle == nil {
		if muxStatus == http.StatusMethodNotAllowed {
			return 0, nil, errMethodNotAllowed
		}
		return 0, nil, errNotFound
	}
	if !c.public && (!strings.HasPrefix(c.r.Header.Get("Authorization"), "Bot ") ||
		!rt.hub.state.validToken(c.r.Header.Get("Authorization"))) {
		return 0, nil, errUnauthorized
	}
	if readErr != nil {
		return 0, nil, readErr
	}
	return c.handle(c)
}

// record counts and logs a request with its answer, wakes the calls that wait for any change, and calls onRequest.
func (rt *router) record(req Request) {
	rt.limits.answered(req.Status)
	rt.mu.Lock()
	rt.seq++
	req.Seq = rt.seq
	if len(rt.kept) == maxRequestLog {
		rt.kept = append(rt.kept[:0:0], rt.kept[maxRequestLog/2:]...)
	}
	rt.kept = append(rt.kept, req)
	rt.mu.Unlock()
	rt.hub.mu.Lock()
	rt.hub.touch()
	rt.hub.mu.Unlock()
	if rt.onRequest != nil {
		rt.onRequest(req)
	}
}

// bucketOf returns the name of a route's rate limit bucket. The name is stable, like Discord's hashes.
func bucketOf(route string) string {
	h := uint64(14695981039346656037)
	for _, b := range []byte(route) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return fmt.Sprintf("%016x", h)
}

func formatSeconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

// errBrokenOff means that the client has closed the connection in the middle of a request.
var errBrokenOff = errors.New("the request is broken off")

// readBody reads JSON or multipart into the call, and copies it to the log entry.
func (c *call) readBody(req *Request) error {
	c.form = form{m: map[string]any{}, errs: formErrors{}}
	buf := bytes.NewBuffer(make([]byte, 0, min(max(c.r.ContentLength, 0), maxRequest)+bytes.MinRead))
	if _, err := buf.ReadFrom(io.LimitReader(c.r.Body, maxRequest+1)); err != nil {
		return errBrokenOff
	}
	raw := buf.Bytes()
	if len(raw) > maxRequest {
		return errTooLarge
	}
	if c.route == tokenRoute { // secrets are not logged
		c.values, _ = url.ParseQuery(string(raw))
		return nil
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
		return refuse(http.StatusBadRequest, codeInvalidForm,
			"Expected \"Content-Type\" header to be one of {'application/json', 'multipart/form-data'}.")
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
		if errors.Is(err, io.EOF) {
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
		req.Files = append(req.Files, RequestFile{part.FormName(), part.FileName(), part.Header.Get("Content-Type"),
			len(data)})
		c.uploads = append(c.uploads, upload{index, part.FileName(), part.Header.Get("Content-Type"), data})
		tooLarge = tooLarge || len(data) > maxFileBytes
	}
	if tooLarge {
		return payload, errTooLarge
	}
	return payload, nil
}
