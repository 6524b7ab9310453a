package rest

import (
	"net/http"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/bwmarrin/discordgo"
)

// tidyEvery is the number of requests between two searches for idle buckets. It also limits the number of idle buckets
// to about as many.
const tidyEvery = 1024

// Tidy returns a copy of client that makes the rate limiter of a session drop idle buckets. discordgo makes a bucket
// for each channel and kind of request and never drops one. Each costs about half a kilobyte.
func Tidy(client *http.Client, limiter *discordgo.RateLimiter) *http.Client {
	tidied := *client
	through := client.Transport
	if through == nil {
		through = http.DefaultTransport
	}
	tidied.Transport = &tidier{through: through, limiter: limiter}
	return &tidied
}

// tidier is a transport that sometimes drops idle buckets before it sends a request.
type tidier struct {
	through http.RoundTripper
	limiter *discordgo.RateLimiter
	sent    atomic.Uint64
}

// RoundTrip implements http.RoundTripper.
func (t *tidier) RoundTrip(q *http.Request) (*http.Response, error) {
	if t.sent.Add(1)%tidyEvery == 0 {
		dropIdle(t.limiter)
	}
	return t.through.RoundTrip(q)
}

// dropIdle drops the limiter's buckets that no request uses and that would delay no request. A new bucket would allow
// just as much. A request may still use a dropped bucket while another uses a new one; at worst Discord then tells one
// of them to wait.
func dropIdle(limiter *discordgo.RateLimiter) {
	limiter.Lock()
	defer limiter.Unlock()
	all := buckets(limiter)
	for key, b := range all {
		if !b.TryLock() {
			continue // in use by a request
		}
		if limiter.GetWaitTime(b, 1) == 0 {
			delete(all, key)
		}
		b.Unlock()
	}
}

// buckets returns a limiter's map of buckets by reflection, because discordgo has no function that drops one. It
// returns nil if a later version of discordgo stores them differently, which a test would notice. The caller holds the
// limiter's lock.
func buckets(limiter *discordgo.RateLimiter) map[string]*discordgo.Bucket {
	field := reflect.ValueOf(limiter).Elem().FieldByName("buckets")
	if !field.IsValid() || field.Type() != reflect.TypeFor[map[string]*discordgo.Bucket]() {
		return nil
	}
	return *(*map[string]*discordgo.Bucket)(unsafe.Pointer(field.UnsafeAddr()))
}
