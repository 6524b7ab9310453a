package web_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/web"
)

// crowd is how many clients are slow at once, and perClient how many bytes each may take.
const (
	crowd     = 1000
	perClient = 64 << 10
)

// While a thousand clients send half a request or take no answer, players are answered; the program takes little memory
// for the slow ones, and closes their connections.
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
	closed.Wait() // the server closes each; else the test never ends
	if s := c.state(""); s.Status != "playing" {
		t.Errorf("after slow clients a player is told %+v", s)
	}
}

// One address may have only so many requests open, pages that listen among them; the others' are answered.
func TestAnAddressHasSoMuchOpen(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	c := enter(r, localdiscord.Anne, r.OpenLoyal(bottest.Two))
	address := strings.Replace(r.PageURL, "http", "ws", 1) + "/api/live"
	refused := 0
	for range web.AtOnce + 10 {
		ws, got, err := websocket.DefaultDialer.DialContext(r.Ctx, address, http.Header{"Origin": {r.PageURL},
			"X-Forwarded-For": {"203.0.113.7"}})
		if err == nil {
			defer ws.Close()
		} else if got == nil || got.StatusCode != http.StatusTooManyRequests {
			t.Fatalf("a connection too many is answered %v, %v", got, err)
		} else {
			refused++
		}
	}
	if refused != 10 {
		t.Errorf("of %d connections of one address %d were refused, want 10", web.AtOnce+10, refused)
	}
	if s := c.state(""); s.Status != "playing" {
		t.Errorf("another address is told %+v", s)
	}
}
