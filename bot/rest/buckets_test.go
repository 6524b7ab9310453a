package rest_test

import (
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/gateway"
	"marque/bot/localdiscord"
	"marque/bot/rest"
)

// onLocalDiscord returns a local Discord, and a session that uses it as the bot does.
func onLocalDiscord(t *testing.T) (*localdiscord.Server, *discordgo.Session) {
	t.Helper()
	srv := localdiscord.New(localdiscord.Options{Log: slog.New(slog.DiscardHandler), Requests: localdiscord.Unlimited})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	session, err := gateway.NewSession(srv.Token(), srv.HTTPClient())
	if err != nil {
		t.Fatal(err)
	}
	return srv, session
}

// Concurrent posts in thousands of channels leave at most about a thousand rate limit buckets in memory.
func TestBucketsAreBounded(t *testing.T) {
	_, session := onLocalDiscord(t)
	const channels, at = 6 * rest.TidyEvery, 8
	var all sync.WaitGroup
	for i := range at {
		all.Go(func() {
			for n := i; n < channels; n += at {
				// The channel does not exist, but discordgo keeps a bucket for it.
				if _, err := session.ChannelMessageSend(strconv.Itoa(2e18+n),
					"ahoy"); rest.Status(err) != http.StatusNotFound {
					t.Errorf("posting in no channel: %v", err)
				}
			}
		})
	}
	all.Wait()
	left := rest.Buckets(session.Ratelimiter)
	t.Logf("after posting in %d channels there are %d buckets", channels, len(left))
	if len(left) == 0 || len(left) > rest.TidyEvery+at {
		t.Errorf("there are %d buckets, want some and at most %d", len(left), rest.TidyEvery+at)
	}
}

// Rate limit buckets that are in use or exhausted are kept, and so is the global limit.
func TestBucketsInUseAreKept(t *testing.T) {
	srv, session := onLocalDiscord(t)
	endpoint := discordgo.EndpointChannelMessages
	post := func(channel string) {
		t.Helper()
		if _, err := session.ChannelMessageSend(channel, "ahoy"); err != nil {
			t.Fatal(err)
		}
	}
	post(localdiscord.TortugaTavern) // makes a bucket that becomes idle
	post(localdiscord.TortugaHarbour)
	limited := session.Ratelimiter.LockBucket(endpoint(localdiscord.TortugaHarbour))
	limited.Release(http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset-After": {"3600"}})

	held := make(chan struct{})
	srv.AddFault(localdiscord.Fault{Method: http.MethodPost, Path: localdiscord.TortugaTables, Hold: held})
	arrived, posted := make(chan struct{}), make(chan error, 1)
	through := session.Client.Transport
	session.Client.Transport = roundTripper(func(q *http.Request) (*http.Response,
		error) {
		close(arrived)
		return through.RoundTrip(q)
	})
	go func() {
		_, err := session.ChannelMessageSend(localdiscord.TortugaTables, "ahoy")
		posted <- err
	}()
	<-arrived
	rest.DropIdle(session.Ratelimiter)
	left := rest.Buckets(session.Ratelimiter)
	for channel, want := range map[string]bool{localdiscord.TortugaTavern: false, localdiscord.TortugaHarbour: true,
		localdiscord.TortugaTables: true} {
		if _, kept := left[endpoint(channel)]; kept != want {
			t.Errorf("the bucket of channel %s is kept: %v, want %v", channel, kept, want)
		}
	}
	close(held)
	if err := <-posted; err != nil {
		t.Errorf("the request under way: %v", err)
	}

	global := session.Ratelimiter.LockBucket("everything")
	global.Release(http.Header{"X-Ratelimit-Global": {"true"}, "X-Ratelimit-Reset-After": {"3600"}})
	rest.DropIdle(session.Ratelimiter)
	if wait := session.Ratelimiter.GetWaitTime(session.Ratelimiter.GetBucket("new"), 1); wait < 30*time.Minute {
		t.Errorf("after a limit for everything a new bucket waits %v", wait)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(q *http.Request) (*http.Response, error) { return f(q) }
