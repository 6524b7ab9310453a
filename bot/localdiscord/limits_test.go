package localdiscord

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"marque/bot/timesource/manual"
)

// limited returns a server with Discord's limits, its clock, which stands still, and a function that sends requests
// with a given token. requests is the number of requests a second, or 0 for Discord's usual limit.
func limited(t *testing.T, requests int) (*Server, *manual.Clock,
	func(method, path, token string) (*http.Response, map[string]any)) {
	t.Helper()
	clock := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	srv := New(Options{Clock: clock, Requests: requests})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	client := srv.HTTPClient()
	return srv, clock, func(method, path, token string) (*http.Response, map[string]any) {
		t.Helper()
		q, err := http.NewRequest(method, "https://discord.com/api/v10"+path, strings.NewReader(`{"content":"ahoy"}`))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Authorization", "Bot "+token)
		resp, err := client.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var body map[string]any
		if json.NewDecoder(resp.Body).Decode(&body) != nil {
			body = nil
		}
		return resp, body
	}
}

// A token allows fifty requests a second, or as many as Discord has granted. Requests about interactions do not count.
// Further requests are refused as Discord documents.
func TestRequestsOfASecondAreLimited(t *testing.T) {
	t.Parallel()
	for _, most := range []int{0, 120} {
		_, clock, ask := limited(t, most)
		if most == 0 {
			most = 50
		}
		channel := 0
		post := func() (*http.Response, map[string]any) {
			channel++
			return ask("POST", fmt.Sprintf("/channels/%d/messages", channel), DefaultToken)
		}
		for range most {
			if resp, body := post(); resp.StatusCode != http.StatusNotFound {
				t.Fatalf("request %d of %d: %d %v", channel, most, resp.StatusCode, body)
			}
			clock.Advance(time.Millisecond)
		}
		resp, body := post()
		h := resp.Header
		wait := time.Second - time.Duration(most)*time.Millisecond
		if resp.StatusCode != 429 || body["global"] != true || body["retry_after"] != wait.Seconds() ||
			h.Get("Retry-After") != "1" || h.Get("X-RateLimit-Global") != "true" ||
			h.Get("X-RateLimit-Scope") != "global" || h.Get("X-RateLimit-Reset-After") != "" ||
			h.Get("X-RateLimit-Bucket") != "" {
			t.Errorf("request %d of %d: %d %v %v", channel, most, resp.StatusCode, body, h)
		}
		if resp, _ := ask("POST", "/interactions/1/none/callback",
			DefaultToken); resp.StatusCode != http.StatusNotFound {
			t.Errorf("an answer to an interaction: %d", resp.StatusCode)
		}
		clock.Advance(wait)
		if resp, body := post(); resp.StatusCode != http.StatusNotFound {
			t.Errorf("after the wait: %d %v", resp.StatusCode, body)
		}
	}
}

// A route has a separate bucket for each channel. The headers of the answers show the remaining requests, and further
// requests are refused until the bucket is reset.
func TestBucketsAreLimited(t *testing.T) {
	t.Parallel()
	_, clock, ask := limited(t, 0)
	post := func(channel string) (*http.Response, map[string]any) {
		return ask("POST", "/channels/"+channel+"/messages", DefaultToken)
	}
	name := ""
	for n := range 5 {
		resp, body := post(TortugaTables)
		h := resp.Header
		name = h.Get("X-RateLimit-Bucket")
		if resp.StatusCode != 200 || h.Get("X-RateLimit-Remaining") != fmt.Sprint(4-n) ||
			h.Get("X-RateLimit-Reset-After") != fmt.Sprintf("%.3f", 5-.9*float64(n)) {
			t.Errorf("message %d: %d %v %v", n+1, resp.StatusCode, body, h)
		}
		clock.Advance(900 * time.Millisecond)
	}
	resp, body := post(TortugaTables)
	if h := resp.Header; resp.StatusCode != 429 || body["global"] != false || h.Get("Retry-After") != "1" ||
		h.Get("X-RateLimit-Bucket") != name ||
		h.Get("X-RateLimit-Remaining") != "0" || h.Get("X-RateLimit-Scope") != "user" ||
		h.Get("X-RateLimit-Global") != "" {
		t.Errorf("the sixth message: %d %v %v", resp.StatusCode, body, h)
	}
	if resp, _ := post(TortugaTavern); resp.StatusCode != 200 || resp.Header.Get("X-RateLimit-Bucket") != name {
		t.Errorf("a message in another channel: %d %v", resp.StatusCode, resp.Header)
	}
	clock.Advance(time.Second)
	if resp, body := post(TortugaTables); resp.StatusCode != 200 {
		t.Errorf("after the wait: %d %v", resp.StatusCode, body)
	}
}

// An address is banned for a while after ten thousand invalid requests in ten minutes. The answer is then a page
// without a JSON body.
func TestInvalidRequestsAreLimited(t *testing.T) {
	t.Parallel()
	srv, clock, ask := limited(t, 0)
	ask("GET", "/users/@me", "wrong")
	for range maxInvalid - 2 {
		srv.rest.limits.answered([]int{401, 403, 429}[clock.Now().Second()%3])
		clock.Advance(invalidTime / maxInvalid)
	}
	if resp, _ := ask("GET", "/users/@me", DefaultToken); resp.StatusCode != 200 {
		t.Errorf("one before the limit: %d", resp.StatusCode)
	}
	ask("GET", "/users/@me", "wrong")
	resp, body := ask("GET", "/users/@me", DefaultToken)
	if resp.StatusCode != 429 || body != nil || resp.Header.Get("Retry-After") != "3600" ||
		resp.Header.Get("X-RateLimit-Bucket") != "" {
		t.Errorf("after %d invalid requests: %d %v %v", maxInvalid, resp.StatusCode, body, resp.Header)
	}
	clock.Advance(banTime)
	if resp, _ := ask("GET", "/users/@me", DefaultToken); resp.StatusCode != 200 {
		t.Errorf("after the ban: %d", resp.StatusCode)
	}
}
