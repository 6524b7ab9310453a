package rest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

// Exchange is one request to Discord with its answer.
type Exchange struct {
	Method string
	Route  string // the path with ids and tokens replaced, as routeOf writes it
	Status int    // status of the answer; 0 for none
	Err    error  // why there was no answer
	Took   time.Duration
}

// Watch returns a transport that calls f with every request that goes through it. The requests use through, or
// http.DefaultTransport if through is nil. f must return quickly.
func Watch(through http.RoundTripper, f func(Exchange)) http.RoundTripper {
	if through == nil {
		through = http.DefaultTransport
	}
	return watcher{through, f}
}

// Lost reports whether the request did not reach Discord, or its answer did not come back. It is false for requests
// that the bot canceled, and for those that do not go to Discord's API.
func (e Exchange) Lost() bool {
	return e.Err != nil && !errors.Is(e.Err, context.Canceled) && e.Route != other
}

// Answered reports whether Discord answered the request, even if with a refusal.
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

// words are the parts of Discord's paths that are neither ids nor tokens.
var words = map[string]bool{
	"applications": true, "bot": true, "callback": true, "channels": true, "commands": true, "gateway": true,
	"guilds":       true,
	"interactions": true, "members": true, "messages": true, "oauth2": true, "permissions": true, "recipients": true,
	"roles":          true,
	"thread-members": true, "threads": true, "users": true, "webhooks": true, "@me": true, "@original": true,
}

// longestRoute is the number of parts of the longest path that gets its own route.
const longestRoute = 7

// other is the route of longer paths, and of paths outside Discord's API.
const other = "other"

// routeOf returns the route of a path of Discord's API: "/channels/{id}/messages". Every number becomes {id}, and every
// other part that is not among words becomes {token}, so that there are few routes. See other.
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
