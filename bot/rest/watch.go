package rest

import (
	"net/http"
	"strings"
	"time"
)

// Exchange is one request to Discord with its answer.
type Exchange struct {
	Method string
	Route  string // the path with ids and tokens replaced, as routeOf writes it
	Status int    // of the answer; 0 when there was none
	Took   time.Duration
}

// Watch is a transport that tells f of every request that goes through it. f must be quick.
func Watch(through http.RoundTripper, f func(Exchange)) http.RoundTripper {
	return watcher{through, f}
}

type watcher struct {
	through http.RoundTripper
	tell    func(Exchange)
}

func (w watcher) RoundTrip(q *http.Request) (*http.Response, error) {
	began := time.Now()
	answer, err := w.through.RoundTrip(q)
	e := Exchange{Method: q.Method, Route: routeOf(q.URL.Path), Took: time.Since(began)}
	if answer != nil {
		e.Status = answer.StatusCode
	}
	w.tell(e)
	return answer, err
}

// words are the parts of Discord's paths that are neither ids nor tokens.
var words = map[string]bool{
	"applications": true, "bot": true, "callback": true, "channels": true, "commands": true, "gateway": true,
	"guilds":       true,
	"interactions": true, "members": true, "messages": true, "oauth2": true, "permissions": true, "recipients": true,
	"roles":          true,
	"thread-members": true, "threads": true, "users": true, "webhooks": true, "@me": true, "@original": true,
}

// longestRoute is how many parts the longest path has that gets a route of its own.
const longestRoute = 7

// routeOf is a path of Discord's interface with {id} in place of every number and {token} in place of everything else
// that is no word of the interface, so that there are few routes: "/channels/{id}/messages". Longer paths, and paths
// outside the interface, are "other".
func routeOf(path string) string {
	rest, ok := strings.CutPrefix(path, "/api/")
	if !ok {
		return "other"
	}
	if version, after, found := strings.Cut(rest, "/"); found && strings.HasPrefix(version, "v") {
		rest = after
	}
	parts := strings.Split(strings.Trim(rest, "/"), "/")
	if len(parts) > longestRoute || !words[parts[0]] {
		return "other"
	}
	for i, part := range parts {
		switch {
		case words[part]:
		case strings.Trim(part, "0123456789") == "":
			parts[i] = "{id}"
		default:
			parts[i] = "{token}"
		}
	}
	return "/" + strings.Join(parts, "/")
}
