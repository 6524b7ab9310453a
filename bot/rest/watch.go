package rest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

// Exchange is a request to Discord and its answer.
type Exchange struct {
	Method string
	Route  string // path with placeholders for ids and tokens, as routeOf returns it
	Status int    // HTTP status of the answer; 0 if there was none
	Err    error  // why there was no answer; nil if there was one
	Took   time.Duration
}

// Watch returns a transport that sends requests with through, or with http.DefaultTransport if through is nil. It calls
// f after each request, before it returns the answer. f must return quickly.
func Watch(through http.RoundTripper, f func(Exchange)) http.RoundTripper {
	if through == nil {
		through = http.DefaultTransport
	}
	return watcher{through, f}
}

// Lost reports whether the request or its answer was lost. It is false for requests that the bot cancelled, and for
// those that do not go to Discord's API.
func (e Exchange) Lost() bool {
	return e.Err != nil && !errors.Is(e.Err, context.Canceled) && e.Route != other
}

// Answered reports whether Discord's API answered the request, even if with a refusal.
func (e Exchange) Answered() bool { return e.Status != 0 && e.Route != other }

type watcher struct {
	through http.RoundTripper
	tell    func(Exchange)
}

func (w watcher) RoundTrip(q *http.Request) (*http.Response, error) {
	began := time.Now()
	answer, err := w.through.RoundTrip(q)
	e := Exchange{Method: q.Method, Route: routeOf(q.URL.Path), Err: err, Took: time.Since(began)}
	if answer != nil {
		e.Status = answer.StatusCode
	}
	w.tell(e)
	return answer, err
}

// words are the parts of paths in Discord's API that are neither ids nor tokens.
var words = map[string]bool{
	"applications": true, "bot": true, "callback": true, "channels": true, "commands": true, "gateway": true,
	"guilds":       true,
	"interactions": true, "members": true, "messages": true, "oauth2": true, "permissions": true, "recipients": true,
	"roles":          true,
	"thread-members": true, "threads": true, "users": true, "webhooks": true, "@me": true, "@original": true,
}

// longestRoute is the maximum number of parts in a path that gets a route of its own.
const longestRoute = 7

// other is the route of longer paths, of paths that begin with none of words, and of paths outside Discord's API.
const other = "other"

// routeOf returns the route of a path in Discord's API, such as "/channels/{id}/messages". Numbers become {id}, and
// other parts that are not in words become {token}, so that there are few routes. For a path that has more than
// longestRoute parts, begins with none of words, or is outside the API, routeOf returns other.
func routeOf(path string) string {
	rest, ok := strings.CutPrefix(path, "/api/")
	if !ok {
		return other
	}
	if version, after, found := strings.Cut(rest, "/"); found && strings.HasPrefix(version, "v") {
		rest = after
	}
	parts := strings.Split(strings.Trim(rest, "/"), "/")
	if len(parts) > longestRoute || !words[parts[0]] {
		return other
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
