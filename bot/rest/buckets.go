package rest

import (
	"net/http"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/bwmarrin/discordgo"
)

// tidyEvery is the number of requests between two searches for idle buckets. Besides the buckets in use, at most that
// many idle ones exist.
const tidyEvery = 1024

// Tidy returns a copy of client that also makes a session's rate limiter drop idle buckets. The library makes a bucket
// for each channel and kind of request, and never drops one: half a kilobyte for every thread in which the bot has ever
// posted.
func Tidy(client *http.Client, limiter *discordgo.RateLimiter) *http.Client {
	tidied := *client
	through := client.Transport
	if through == nil {
		through = http.DefaultTransport
	}
	tidied.Transport = &tidier{through: through, limiter: limiter}
	return &tidied
}

// tidier is a transport that drops idle buckets from time to time.
type tidier struct {
	through http.RoundTripper
	limiter *discordgo.RateLimiter
	sent    atomic.Uint64
}

// RoundTrip is part of http.RoundTripper.
func (t *tidier) RoundTrip(q *http.Request) (*http.Response, error) {
	if t.sent.Add(1)%tidyEvery == 0 {
		dropIdle(t.limiter)
	}
	return t.through.RoundTrip(q)
}

// dropIdle drops the limiter's buckets that no request uses and that would delay no request. A new bucket allows just
// as much. If a request has just received a dropped bucket, there may be a second, new bucket; at worst Discord tells
// the request to wait.
func dropIdle(limiter *discordgo.RateLimiter) {
	limiter.Lock()
	defer limiter.Unlock()
	all := buckets(limiter)
	for key, b := range all {
		if !b.TryLock() {
			continue // a request uses the bucket
		}
		if limiter.GetWaitTime(b, 1) == 0 {
			delete(all, key)
		}
		b.Unlock()
	}
}

// buckets returns a limiter's map of buckets by reflection, because the library offers no way to drop one. It returns
// nil if a later version of the library stores them differently; a test would notice. The caller holds the limiter's
// lock.
func buckets(limiter *discordgo.RateLimiter) map[string]*discordgo.Bucket {
	field := reflect.ValueOf(limiter).Elem().FieldByName("buckets")
	if !field.IsValid() || field.Type() != reflect.TypeFor[map[string]*discordgo.Bucket]() {
		return nil
	}
	return *(*map[string]*discordgo.Bucket)(unsafe.Pointer(field.UnsafeAddr()))
}
