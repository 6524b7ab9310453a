package localdiscord

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"marque/bot/localdiscord/page"
)

// answerLaunch is the type of the answer that opens the application's Activity.
const answerLaunch = 12

// activityHost is the host name under which the server serves the Activity, in place of discordsays.com.
const activityHost = Application + ".discordsays.localhost"

// ActivityFaults are faults that some clients have in Activities. Source: github.com/discord/embedded-app-sdk, issues
// 280 and 321.
type ActivityFaults struct {
	NoCustomID bool // the frame's address has no custom_id and no referrer_id; otherwise both are "undefined"
	Opaque     bool // the frame's origin is opaque
	NoThreads  bool // Activities cannot be opened in threads
}

// activities has the running instances of the application's Activity, and is the proxy through which frames reach it.
type activities struct {
	hub       *hub
	target    *url.URL // the owner's mapping of the address "/"; nil without an Activity
	instances map[string]*instance
	faults    ActivityFaults
	log       *slog.Logger
}

// instance is an Activity that runs in a channel.
type instance struct {
	ID       string   `json:"instance_id"`
	App      string   `json:"application_id"`
	Launch   string   `json:"launch_id"`
	Location location `json:"location"`
	Users    []string `json:"users"`
}

type location struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Channel string `json:"channel_id"`
	Guild   string `json:"guild_id,omitempty"`
}

// EnableActivity switches Activities on, and maps the Activity to an address, like an owner in the developer portal.
func (s *Server) EnableActivity(target *url.URL) {
	s.Admin.EnableActivities()
	s.hub.do(func() { s.activities.target = target })
}

// SetActivityFaults sets the faults of Activities from now on.
func (s *Server) SetActivityFaults(f ActivityFaults) { s.hub.do(func() { s.activities.faults = f }) }

// Origin returns the origin of the page.
func (s *Server) Origin() string { return strings.TrimSuffix(s.URL(), "/") }

// ActivityProxy returns the origin at which frames reach Activities, with * in place of the application's id.
func (s *Server) ActivityProxy() string {
	_, port, _ := strings.Cut(s.listener.Addr().String(), ":")
	return "http://*." + strings.TrimPrefix(activityHost, Application+".") + ":" + port
}

// launch opens the Activity for the user of an interaction. Users in the same channel share an instance. Activities
// cannot be opened in threads of forums, or by users who cannot send messages. Sources: issue 7184 of Discord's
// documentation repository, and its pull request 5128 for the error code.
func (ac *activities) launch(in *interaction, ch *channel) error {
	st := ac.hub.state
	if ac.target == nil || st.inForum(ch) || ac.faults.NoThreads && ch.isThread() ||
		ch.GuildID != "" && st.permissions(in.userID, ch)&sendPermission(ch) == 0 {
		return errNoActivity
	}
	i := ac.in(ch.ID)
	if i == nil {
		at := location{ID: "pc-" + ch.ID, Kind: "pc", Channel: ch.ID}
		if ch.GuildID != "" {
			at = location{ID: "gc-" + ch.GuildID + "-" + ch.ID, Kind: "gc", Channel: ch.ID, Guild: ch.GuildID}
		}
		launch := st.newID()
		i = &instance{ID: "i-" + launch + "-" + at.ID, App: Application, Launch: launch, Location: at}
		ac.instances[i.ID] = i
	}
	i.join(in.userID)
	in.activity = i
	return nil
}

// inForum reports whether a channel is a thread of a forum or a media channel.
func (s *state) inForum(ch *channel) bool {
	in := s.channels[ch.ParentID]
	return in != nil && (in.Type == int(Forum) || in.Type == int(Media))
}

func (ac *activities) in(channel string) *instance {
	for _, i := range ac.instances {
		if i.Location.Channel == channel {
			return i
		}
	}
	return nil
}

// leave removes a user from an instance. The instance ends when the last user has left.
func (ac *activities) leave(userID, id string) {
	if i := ac.instances[id]; i != nil {
		i.Users = slices.DeleteFunc(i.Users, func(u string) bool { return u == userID })
		if len(i.Users) == 0 {
			delete(ac.instances, id)
		}
	}
}

// frame returns the frame in which a client shows an instance.
func (ac *activities) frame(i *instance, port string) *page.Frame {
	q := url.Values{"instance_id": {i.ID}, "location_id": {i.Location.ID}, "launch_id": {i.Launch},
		"channel_id": {i.Location.Channel}, "frame_id": {rand.Text()}, "platform": {"desktop"}}
	if i.Location.Guild != "" {
		q.Set("guild_id", i.Location.Guild)
	}
	if !ac.faults.NoCustomID {
		q.Set("custom_id", "undefined")
		q.Set("referrer_id", "undefined")
	}
	return &page.Frame{URL: "http://" + activityHost + ":" + port + "/?" + q.Encode(), Instance: i.ID,
		ID: q.Get("frame_id"), Application: Application, Opaque: ac.faults.Opaque}
}

// get handles the application's request for an instance.
func (ac *activities) get(c *call) (int, any, error) {
	if c.vars("application_id") != Application {
		return 0, nil, errUnknownApplication
	}
	i := ac.instances[c.vars("instance_id")]
	if i == nil {
		return 0, nil, errNotFound
	}
	return http.StatusOK, i, nil
}

// authorizeFrame accepts a frame's AUTHORIZE command for a user, and returns a code. Although this login does not
// redirect, an address must be registered. Source: github.com/discord/embedded-app-sdk, src/commands/authorize.ts and
// issue 49.
func (o *oauth) authorizeFrame(userID string, asked map[string]any) (code string, err error) {
	challenge, _ := asked["code_challenge"].(string)
	switch {
	case o.hub.state.users[userID] == nil:
		return "", ErrNoUser
	case asked["client_id"] != Application || asked["response_type"] != "code" || len(o.redirects) == 0,
		fmt.Sprint(asked["scope"]) != "[identify]",
		challenge != "" && (len(challenge) != 43 || asked["code_challenge_method"] != "S256"):
		return "", ErrNotAllowed
	}
	return o.keep(o.codes, grant{user: userID, challenge: challenge}, codeTime), nil
}

// AuthorizeFrame gives a user's consent to an AUTHORIZE command with a challenge, for tests. It returns a code.
func (s *Server) AuthorizeFrame(userID, challenge string) (code string, err error) {
	err = s.hub.try(func() (err error) {
		code, err = s.oauth.authorizeFrame(userID, map[string]any{"client_id": Application, "response_type": "code",
			"scope": []string{"identify"}, "code_challenge": challenge, "code_challenge_method": "S256"})
		return err
	})
	return code, err
}

// Instance returns the instance of the Activity that a reply opened for its user; "" if it opened none.
func (r *Reply) Instance() string {
	if r.in.activity == nil {
		return ""
	}
	return r.in.activity.ID
}

// JoinActivity adds a user to an instance of the Activity. It returns ErrNoInstance if the instance is not running.
func (s *Server) JoinActivity(userID, instance string) error {
	return s.hub.try(func() error {
		i := s.activities.instances[instance]
		if i == nil {
			return ErrNoInstance
		}
		i.join(userID)
		return nil
	})
}

func (i *instance) join(userID string) {
	if !slices.Contains(i.Users, userID) {
		i.Users = append(i.Users, userID)
	}
}

// LeaveActivity closes a user's frame of an instance.
func (s *Server) LeaveActivity(userID, instance string) {
	s.hub.do(func() { s.activities.leave(userID, instance) })
}

// scriptTag matches the start tag of a script.
var scriptTag = regexp.MustCompile(`<script(( [a-z]+="[^"]*")*)>`)

// ServeHTTP forwards a frame's request to the Activity, without cookies, and replaces the page's content security
// policy. The new policy allows inline scripts by a nonce, scripts from blobs, and scripts from the frame's own origin,
// which an opaque frame does not have. Discord's rule for styles is unknown; this proxy allows no inline styles.
func (ac *activities) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var target *url.URL
	ac.hub.do(func() { target = ac.target })
	if target == nil {
		http.NotFound(w, r)
		return
	}
	p := &httputil.ReverseProxy{
		ErrorLog: slog.NewLogLogger(ac.log.Handler(), slog.LevelDebug),
		Rewrite: func(q *httputil.ProxyRequest) {
			q.Out.URL.Path = strings.TrimPrefix(q.Out.URL.Path, "/.proxy")
			q.SetURL(target)
			q.Out.Host = target.Host
			q.Out.Header.Del("Cookie")
		},
		ModifyResponse: func(a *http.Response) error {
			nonce := rand.Text()
			self := "//" + r.Host + "/"
			a.Header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'unsafe-eval' 'nonce-"+nonce+
				"' blob:; style-src 'self'; img-src 'self' blob: data:; connect-src http:"+self+" ws:"+self)
			if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
				return nil
			}
			b, err := io.ReadAll(a.Body)
			a.Body.Close()
			b = scriptTag.ReplaceAllFunc(b, func(tag []byte) []byte {
				if bytes.Contains(tag, []byte(" src=")) {
					return tag
				}
				return fmt.Appendf(nil, "%s nonce=%q>", tag[:len(tag)-1], nonce)
			})
			a.Body, a.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
			a.Header.Set("Content-Length", strconv.Itoa(len(b)))
			return err
		},
	}
	p.ServeHTTP(w, r)
}
