package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/rest"
	"marque/bot/table"
	"marque/games/text"
	"marque/storage"
)

// Activity describes the page inside Discord. There the page is in a frame of Discord's client, and is reached through
// Discord's proxy. Source: Discord's documentation, "How Activities Work", "Networking" and "Multiplayer Experience".
type Activity struct {
	Proxy  string // the proxy's origin, with * for the application's id; "" without an Activity
	Frames string // origins that can show the page in a frame, separated by spaces
}

// OnDiscord is the Activity for applications on Discord itself.
var OnDiscord = Activity{Proxy: "https://*.discordsays.com",
	Frames: "https://discord.com https://*.discord.com https://*.discordsays.com"}

const (
	// keepWithin is the time limit for storing a launch. maxJoined is the maximum number of users of an instance whose
	// launches are read.
	keepWithin = 5 * time.Second
	maxJoined  = 50
	// opaque is the origin of a page in a sandboxed frame.
	opaque = "null"
	// proxied multiplies the limits for the address of Discord's proxy, because many users share it.
	proxied = 10
)

// instanceID matches the id of an instance of an Activity.
var instanceID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,` + strconv.Itoa(storage.MaxInstance) + `}$`)

// proxy returns the origin of Discord's proxy for the page. It returns "" without an Activity, and as long as the
// application's id is unknown.
func (rm *Room) proxy() string {
	if app := rm.application.Load(); app != nil {
		return strings.Replace(rm.Activity.Proxy, "*", *app, 1)
	}
	return ""
}

// inDiscord reports whether an origin can belong to the page inside Discord. Other pages can also have an opaque
// origin. This does no harm, because every answer about a user or a game requires a session, a login or a link.
func (rm *Room) inDiscord(origin string) bool {
	at := rm.proxy()
	return at != "" && (origin == opaque || strings.EqualFold(origin, at))
}

// launch opens the Activity. From a button it shows the button's table, and from the application's Entry Point the
// user's games. If Discord opens no Activity there, the answer is a link.
func (rm *Room) launch(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	u := *rm.URL
	u.Path = "/"
	said, link, id := r.Say.Say(text.M("bot.page.not-here")), u.String(), table.ID(0)
	if r.Control.Table != "" {
		snap, err := rm.Find.Table(ctx, r)
		if err != nil {
			return interact.Reply{}, err
		}
		id = snap.ID
		if link, err = rm.link(ctx, r.User.ID, id); err != nil {
			return interact.Reply{}, err
		}
		said += "\n" + rm.aboutLink(r)
	}
	return interact.Reply{New: linkMessage(said, link, r.Say), Launched: func(instance string) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepWithin)
		defer cancel()
		if err := rm.launched(ctx, r.User.ID, instance, id); err != nil {
			rm.Log.WarnContext(ctx, "what an Activity was opened for could not be stored; it shows its user's games",
				"error", rest.Scrub(err))
		}
	}}, nil
}

// launched stores the table that a user has opened in an instance, because the frame may send its requests to another
// process.
func (rm *Room) launched(ctx context.Context, user, instance string, id table.ID) error {
	now := rm.Clock.Now()
	var key storage.Secret
	return rm.changeLogin(ctx, user, &key, func(d *storage.Login) {
		d.Launches = slices.DeleteFunc(d.Launches, func(l storage.Launch) bool {
			return l.Instance == instance || l.At.Time().Add(sessionTime).Before(now)
		})
		d.Launches = append(d.Launches[max(0, len(d.Launches)-storage.MaxLaunches+1):],
			storage.Launch{Instance: instance, Table: id, At: storage.At(now)})
	})
}

// opened returns the table of a user's launch in an instance. If the user has launched nothing there, it returns the
// table of the latest launch by the users in the instance. It returns 0 if there is no launch, or if the launch was
// from the Entry Point.
func (rm *Room) opened(ctx context.Context, user, instance string, in []string) (table.ID, error) {
	var last storage.Launch
	for _, who := range append([]string{user}, in[:min(len(in), maxJoined)]...) {
		d, err := rm.Store.Login(ctx, who)
		if err != nil {
			return 0, err
		}
		for _, l := range d.Launches {
			switch {
			case l.Instance != instance:
			case who == user:
				return l.Table, nil
			case l.At >= last.At:
				last = l
			}
		}
	}
	return last.Table, nil
}

// join admits a user who has logged in inside Discord and is in an instance of the Activity. It returns a session, and
// the table that was opened there, or 0. It returns errClosed without an Activity, and if the user is not in the
// instance. Other errors are those of login, of Discord and of the store.
func (rm *Room) join(ctx context.Context, a ask) (session string, id table.ID, err error) {
	if rm.proxy() == "" || !instanceID.MatchString(a.Instance) {
		return "", 0, errClosed
	}
	user, session, err := rm.login(ctx, a.Code, a.Verifier, "")
	if err != nil {
		return "", 0, err
	}
	in, err := rm.peopleIn(ctx, user, a.Instance)
	if err != nil {
		return "", 0, err
	}
	id, err = rm.opened(ctx, user, a.Instance, in)
	return session, id, err
}

// peopleIn asks Discord for the users in an instance. It returns errClosed if the user is not among them.
func (rm *Room) peopleIn(ctx context.Context, user, instance string) ([]string, error) {
	endpoint := discordgo.EndpointAPI + "applications/" + *rm.application.Load() + "/activity-instances/"
	b, err := rm.Session.RequestWithBucketID(http.MethodGet, endpoint+instance, nil, endpoint,
		discordgo.WithContext(ctx), discordgo.WithRetryOnRatelimit(false))
	if rest.Status(err) == http.StatusNotFound {
		return nil, errClosed
	}
	if err != nil {
		return nil, fmt.Errorf("asking Discord about an instance of the Activity: %w", err)
	}
	var in struct {
		Users []string `json:"users"`
	}
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("reading an instance of the Activity: %w", err)
	}
	if !slices.Contains(in.Users, user) {
		return nil, errClosed
	}
	return in.Users, nil
}

// aboutLink returns the sentence that explains a link to a table.
func (rm *Room) aboutLink(r *interact.Request) string {
	return r.Say.Say(text.M("bot.page.link", "Count", int(linkTime.Minutes())))
}

// admit answers the preflight requests (CORS) of a page with an opaque origin.
func admit(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Access-Control-Allow-Headers", "authorization, content-type")
	w.Header().Set("Access-Control-Max-Age", "7200")
	w.WriteHeader(http.StatusNoContent)
}
