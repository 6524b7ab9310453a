package rest

import (
	"net/http"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/bwmarrin/discordgo"
)

// tidyEvery is after how many requests it is looked which buckets are idle. There are so many more
// of them than are in use, at most.
const tidyEvery = 1024

// Tidy is a client for a session whose rate limiter forgets the buckets that are idle. The library
// has one for each channel and kind of request, and keeps them for ever, half a kilobyte for every
// thread that was ever posted in.
func Tidy(client *http.Client, limiter *discordgo.RateLimiter) *http.Client {
	tidied := *client
	through := client.Transport
	if through == nil {
		through = http.DefaultTransport
	}
	tidied.Transport = &tidier{through: through, limiter: limiter}
	return &tidied
}

// tidier is a transport that tidies up now and then.
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

// dropIdle takes those buckets from a limiter that nobody waits for and that hold nobody up: a new
// one allows as much. Who has got hold of a bucket in this moment, and has not locked it yet, goes
// on with it beside a new one, and at worst is told by Discord to wait.
func dropIdle(limiter *discordgo.RateLimiter) {
	limiter.Lock()
	defer limiter.Unlock()
	all := buckets(limiter)
	for key, b := range all {
		if !b.TryLock() {
			continue // a request is under way
		}
		if limiter.GetWaitTime(b, 1) == 0 {
			delete(all, key)
		}
		b.Unlock()
	}
}

// buckets are those of a limiter, whose lock is held; nil where the library keeps them otherwise
// than it did, and a test notices. It has no way to be rid of one.
func buckets(limiter *discordgo.RateLimiter) map[string]*discordgo.Bucket {
	field := reflect.ValueOf(limiter).Elem().FieldByName("buckets")
	if !field.IsValid() || field.Type() != reflect.TypeFor[map[string]*discordgo.Bucket]() {
		return nil
	}
	return *(*map[string]*discordgo.Bucket)(unsafe.Pointer(field.UnsafeAddr()))
}
