package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/rest"
	"marque/bot/table"
	"marque/games/text"
)

// Activity is the page inside Discord: a frame in its client, which reaches the page through a proxy of Discord's.
// Source: Discord's documentation, "How Activities Work", "Networking" and "Multiplayer Experience".
type Activity struct {
	Proxy  string // the proxy's origin, with * for the application; "" where the page is no Activity
	Frames string // origins that may show the page in a frame, separated by spaces
}

// OnDiscord is the Activity of an application on Discord.
var OnDiscord = Activity{Proxy: "https://*.discordsays.com",
	Frames: "https://discord.com https://*.discord.com https://*.discordsays.com"}

const (
	// maxLaunches is the number of launches whose table is remembered.
	maxLaunches = 20_000
	// opaque is the origin of a page in a sandboxed frame.
	opaque = "null"
	// proxied multiplies the limits of an address that is Discord's proxy, because many users share it.
	proxied = 10
)

// instanceID is the form of Discord's ids of an Activity's instances.
var instanceID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// proxy returns the origin of Discord's proxy for the page; "" without an Activity, and until the application's id is
// known.
func (rm *Room) proxy() string {
	if app := rm.application.Load(); app != nil {
		return strings.Replace(rm.Activity.Proxy, "*", *app, 1)
	}
	return ""
}

// inDiscord reports whether an origin is the page's inside Discord. Other pages can have an opaque origin, too. That
// does no harm, because every answer needs a session.
func (rm *Room) inDiscord(origin string) bool {
	at := rm.proxy()
	return at != "" && (origin == opaque || strings.EqualFold(origin, at))
}

// launch opens the Activity: at the button's table, or, from the application's Entry Point, with the user's games. If
// Discord opens no Activity there, it answers with a link.
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
		// a user who joins the instance sees the table opened last
		rm.launches.Add(instance, id)
		rm.launches.Add(instance+"/"+r.User.ID, id)
	}}, nil
}

// join logs in a user who has logged in inside Discord and is in an instance of the Activity. It returns a session and
// the table opened in the instance; 0 for none. It returns the errors of loggedIn.
func (rm *Room) join(ctx context.Context, a ask) (session string, id table.ID, err error) {
	if rm.proxy() == "" || !instanceID.MatchString(a.Instance) {
		return "", 0, errClosed
	}
	user, session, err := rm.login(ctx, a.Code, a.Verifier, "")
	if err != nil {
		return "", 0, err
	}
	if err := rm.isIn(ctx, user, a.Instance); err != nil {
		return "", 0, err
	}
	id, ok := rm.launches.Get(a.Instance + "/" + user)
	if !ok {
		id, _ = rm.launches.Get(a.Instance)
	}
	return session, id, nil
}

// isIn returns errClosed unless Discord confirms that a user is in an instance.
func (rm *Room) isIn(ctx context.Context, user, instance string) error {
	endpoint := discordgo.EndpointAPI + "applications/" + *rm.application.Load() + "/activity-instances/"
	b, err := rm.Session.RequestWithBucketID(http.MethodGet, endpoint+instance, nil, endpoint,
		discordgo.WithContext(ctx), discordgo.WithRetryOnRatelimit(false))
	if rest.Status(err) == http.StatusNotFound {
		return errClosed
	}
	if err != nil {
		return fmt.Errorf("asking Discord about an instance of the Activity: %w", err)
	}
	var in struct {
		Users []string `json:"users"`
	}
	if err := json.Unmarshal(b, &in); err != nil {
		return fmt.Errorf("reading an instance of the Activity: %w", err)
	}
	if !slices.Contains(in.Users, user) {
		return errClosed
	}
	return nil
}

// aboutLink explains a link to a table.
func (rm *Room) aboutLink(r *interact.Request) string {
	return r.Say.Say(text.M("bot.page.link", "Count", int(linkTime.Minutes())))
}

// admit answers the preflight requests (CORS) of a page with an opaque origin.
func admit(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Access-Control-Allow-Headers", "authorization, content-type")
	w.Header().Set("Access-Control-Max-Age", "7200")
	w.WriteHeader(http.StatusNoContent)
}
