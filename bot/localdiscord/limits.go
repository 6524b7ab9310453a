package localdiscord

import (
	"cmp"
	"maps"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"marque/bot/timesource"
)

// Unlimited is a value of Options.Requests that removes all rate limits, for tests and measurements of other things.
const Unlimited = -1

// Discord's limits. Source: Discord's documentation, topic "Rate Limits".
const (
	requestsPerSecond = 50    // requests with a token, except requests about interactions
	maxInvalid        = 10000 // answers 401, 403 and 429 to an address within invalidTime
	invalidTime       = 10 * time.Minute
	banTime           = time.Hour // not documented by Discord
)

// bucketLimit is the maximum number of requests in a bucket within a time. Discord documents no numbers, because they
// change. bucketLimits has those that Discord has long used for messages.
type bucketLimit struct {
	requests int
	per      time.Duration
}

var (
	bucketLimits = map[string]bucketLimit{
		"POST /channels/{channel_id}/messages":                               {5, 5 * time.Second},
		"PATCH /channels/{channel_id}/messages/{message_id}":                 {5, 5 * time.Second},
		"DELETE /channels/{channel_id}/messages/{message_id}":                {5, time.Second},
		"POST /webhooks/{webhook_id}/{webhook_token}":                        {5, 2 * time.Second},
		"PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original":    {5, 2 * time.Second},
		"PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}": {5, 2 * time.Second},
	}
	otherLimit = bucketLimit{50, time.Second}
)

// limits refuses requests that exceed a rate limit. Each method and route has a separate bucket for each channel,
// server, webhook or interaction.
type limits struct {
	clock timesource.Clock
	most  int // maximum number of requests a second with the token, or Unlimited

	mu      sync.Mutex
	latest  []time.Time // times of the requests with the token that were accepted in the last second
	buckets map[string]*bucket
	began   time.Time // beginning of the time in which invalid requests are counted
	invalid int
	barred  time.Time // end of the ban, until which all requests are refused
}

type bucket struct {
	left  int
	reset time.Time
}

// manyBuckets is the number of buckets at which expired ones are dropped.
const manyBuckets = 4096

// refusal is a 429 answer with a JSON body, or with a page if the address is banned.
type refusal struct {
	after  time.Duration
	global bool
	page   bool
}

// SetRequests sets how many requests with the token the server accepts in a second from now on; see Options.Requests.
func (s *Server) SetRequests(n int) {
	l := s.rest.limits
	l.mu.Lock()
	defer l.mu.Unlock()
	l.most = cmp.Or(n, requestsPerSecond)
	clear(l.buckets)
}

// take counts a request, and returns the headers for its answer. It refuses a request that exceeds a limit.
func (l *limits) take(c *call, method string) (http.Header, *refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, h := l.clock.Now(), http.Header{}
	if now.Before(l.barred) {
		return h, &refusal{after: l.barred.Sub(now), page: true}
	}
	most := bucketLimits[method+" "+c.route]
	if most == (bucketLimit{}) {
		most = otherLimit
	}
	name := bucketOf(method + " " + c.route)
	b := l.bucket(name+" "+c.major(), most, now)
	var refused *refusal
	if l.most != Unlimited {
		refused = l.count(c, b, now)
	}
	if refused != nil && refused.global { // Discord's global refusals name no bucket
		return h, refused
	}
	reset := b.reset.Sub(now)
	h.Set("X-RateLimit-Limit", strconv.Itoa(most.requests))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(b.left))
	h.Set("X-RateLimit-Reset", strconv.FormatFloat(float64(b.reset.UnixMilli())/1000, 'f', 3, 64))
	h.Set("X-RateLimit-Reset-After", formatSeconds(reset))
	h.Set("X-RateLimit-Bucket", name)
	return h, refused
}

// count counts a request against the limits of its token and its bucket.
func (l *limits) count(c *call, b *bucket, now time.Time) *refusal {
	if !c.public {
		for len(l.latest) > 0 && now.Sub(l.latest[0]) >= time.Second {
			l.latest = l.latest[1:]
		}
		if len(l.latest) >= l.most {
			return &refusal{after: l.latest[len(l.latest)-l.most].Add(time.Second).Sub(now), global: true}
		}
	}
	if b.left == 0 {
		return &refusal{after: b.reset.Sub(now)}
	}
	b.left--
	if !c.public {
		l.latest = append(l.latest, now)
	}
	return nil
}

func (l *limits) bucket(key string, most bucketLimit, now time.Time) *bucket {
	b := l.buckets[key]
	if b != nil && now.Before(b.reset) {
		return b
	}
	if b == nil {
		if len(l.buckets) >= manyBuckets {
			maps.DeleteFunc(l.buckets, func(_ string, o *bucket) bool { return !now.Before(o.reset) })
		}
		b = &bucket{}
		l.buckets[key] = b
	}
	b.left, b.reset = most.requests, now.Add(most.per)
	return b
}

// answered counts invalid requests by the status of their answers, and bans the address after too many.
func (l *limits) answered(status int) {
	if l.most == Unlimited || status != http.StatusUnauthorized && status != http.StatusForbidden &&
		status != http.StatusTooManyRequests {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	if now.Sub(l.began) >= invalidTime {
		l.began, l.invalid = now, 0
	}
	if l.invalid++; l.invalid >= maxInvalid {
		l.barred, l.invalid = now.Add(banTime), 0
	}
}

// fault returns a Fault that answers with the refusal and the bucket's headers.
func (r *refusal) fault(bucket http.Header) Fault {
	f := RateLimited(r.after, r.global, true)
	if r.page {
		f = RateLimitedHTML()
		f.Header.Set("Retry-After", strconv.Itoa(int(math.Ceil(r.after.Seconds()))))
	}
	maps.Copy(f.Header, bucket)
	return f
}

// major returns the channel, server, webhook or interaction in a path. Each of these has its own buckets.
func (c *call) major() string {
	if c.vars != nil {
		for _, name := range []string{"channel_id", "guild_id", "webhook_token", "interaction_token"} {
			if id := c.vars(name); id != "" {
				return id
			}
		}
	}
	return ""
}
