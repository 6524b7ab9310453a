package web_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/web"
	"marque/games/text/locale"
)

// crowd is the number of slow clients. perClient is the maximum memory for each of them, in bytes.
const (
	crowd     = 1000
	perClient = 64 << 10
)

// A thousand clients that send half a request, or nothing over an open websocket, do not keep a player from being
// answered. They need little memory, and their connections are closed.
func TestSlowClientsHoldNobodyUp(t *testing.T) {
	r := withPage(t)
	c := enter(r, localdiscord.Anne, r.OpenLoyal(bottest.Two))
	host := strings.TrimPrefix(r.PageURL, "http://")
	head := func(line string, more ...string) string {
		return line + " HTTP/1.1\r\nHost: " + host + "\r\nOrigin: " + r.PageURL + "\r\n" + strings.Join(more, "\r\n")
	}
	kinds := []string{
		head("GET /")[:20],
		head("POST /api/state", "Content-Type: application/json", "Content-Length: 4000", "", "{"),
		head("GET /api/live", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
			"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""),
	}
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapInuse + m.StackInuse)
	}
	before := heap()
	var slow []net.Conn
	for i := range crowd {
		conn, err := net.Dial("tcp", host)
		r.Must(err)
		defer conn.Close()
		said := strings.Replace(kinds[i%len(kinds)], "\r\nOrigin",
			fmt.Sprintf("\r\nX-Forwarded-For: 203.0.113.%d\r\nOrigin", i%200), 1)
		_, err = io.WriteString(conn, said)
		r.Must(err)
		slow = append(slow, conn)
	}
	for range 20 {
		if s := c.state(""); s.Status != "playing" {
			t.Fatalf("among slow clients a player is told %+v", s)
		}
	}
	if each := (heap() - before) / crowd; each > perClient {
		t.Errorf("each of %d slow clients takes %d bytes, want at most %d", crowd, each, perClient)
	} else {
		t.Logf("each of %d slow clients takes %d bytes", crowd, each)
	}
	if testing.Short() {
		return
	}
	var closed sync.WaitGroup
	for _, conn := range slow {
		closed.Go(func() {
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error(err)
			}
		})
	}
	closed.Wait() // waits until the server has closed every connection
	if s := c.state(""); s.Status != "playing" {
		t.Errorf("after slow clients a player is told %+v", s)
	}
}

// held is a request body that blocks until it is released.
type held struct {
	reading chan<- struct{}
	let     <-chan struct{}
}

func (h held) Read([]byte) (int, error) {
	h.reading <- struct{}{}
	<-h.let
	return 0, io.EOF
}

// The number of open requests from an address is limited. Further requests are refused until one ends; other addresses
// are not affected.
func TestAnAddressHasSoMuchOpen(t *testing.T) {
	t.Parallel()
	at := &url.URL{Scheme: "https", Host: "play.example.org"}
	page := web.New(web.Config{URL: at, Log: slog.New(slog.DiscardHandler)})
	ask := func(address string, body io.Reader) (status int) {
		q := httptest.NewRequest(http.MethodPost, at.String()+"/api/shared", body)
		q.RemoteAddr = address + ":50000"
		q.Header.Set("Origin", at.String())
		q.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		page.ServeHTTP(w, q)
		return w.Code
	}
	reading, let := make(chan struct{}), make(chan struct{})
	var open sync.WaitGroup
	for range web.AtOnce {
		open.Go(func() { ask("203.0.113.7", held{reading, let}) })
		<-reading
	}
	none := strings.NewReader("") // an empty body, which is answered with 400
	if got := ask("203.0.113.7", none); got != http.StatusTooManyRequests {
		t.Errorf("beside %d open requests of its own an address is answered %d, want 429", web.AtOnce, got)
	}
	if got := ask("203.0.113.8", none); got != http.StatusBadRequest {
		t.Errorf("beside %d open requests of another an address is answered %d, want 400", web.AtOnce, got)
	}
	close(let)
	open.Wait()
	if got := ask("203.0.113.7", none); got != http.StatusBadRequest {
		t.Errorf("once its requests have ended an address is answered %d, want 400", got)
	}
}

// deadlines is a ResponseWriter that records the deadlines for reading its request.
type deadlines struct {
	*httptest.ResponseRecorder
	read []time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error {
	d.read = append(d.read, t)
	return nil
}

// The time limit for reading a request ends when the request is read: it does not cancel an answer that takes longer.
func TestASlowAnswerIsNotCancelled(t *testing.T) {
	t.Parallel()
	at := &url.URL{Scheme: "https", Host: "play.example.org"}
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	page := web.New(web.Config{URL: at, Sentences: sentences, Log: slog.New(slog.DiscardHandler)})
	q := httptest.NewRequest(http.MethodPost, at.String()+"/api/shared", strings.NewReader(`{"shared": "none"}`))
	q.Header.Set("Origin", at.String())
	q.Header.Set("Content-Type", "application/json")
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	page.ServeHTTP(w, q)
	if w.Code == http.StatusBadRequest || len(w.read) != 1 || !w.read[0].IsZero() {
		t.Errorf("a request that is answered %d has the deadlines %v, want none", w.Code, w.read)
	}
}
