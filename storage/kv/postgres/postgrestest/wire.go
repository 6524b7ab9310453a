//go:build unix

package postgrestest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
)

// Wire is a port that forwards to a server. A test can use it to watch, delay and cut the traffic.
type Wire struct {
	listener net.Listener
	to       string

	mu             sync.Mutex
	open           []net.Conn
	sent, answered func(b []byte) bool
	stall          func(b []byte) bool // function set by StallInBatch, or nil
}

// Wire opens a port that forwards to the server until the wire is closed.
func (s *Server) Wire() (*Wire, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &Wire{listener: l, to: fmt.Sprintf("127.0.0.1:%d", s.port)}
	go w.serve()
	return w, nil
}

func (w *Wire) serve() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", w.to)
		if err != nil {
			_ = client.Close()
			continue
		}
		w.mu.Lock()
		w.open = append(w.open, client, server)
		w.mu.Unlock()
		silent := &atomic.Bool{}
		go w.lead(client, server, &w.sent, silent)
		go w.lead(server, client, &w.answered, silent)
	}
}

// lead copies data from one connection to another unless *pass refuses it. *pass can be replaced meanwhile. Once
// silent is set, no more data passes.
func (w *Wire) lead(from, to net.Conn, pass *func(b []byte) bool, silent *atomic.Bool) {
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		w.mu.Lock()
		f, stall := *pass, w.stall
		w.mu.Unlock()
		if pass == &w.sent && stall != nil && stall(b[:n]) {
			_, _ = to.Write(b[:lastBind(b[:n])])
			silent.Store(true)
		}
		if n > 0 && !silent.Load() && (f == nil || f(b[:n])) {
			_, _ = to.Write(b[:n])
		}
		if err != nil {
			if errors.Is(err, io.EOF) && !silent.Load() {
				_ = to.Close()
			}
			return
		}
	}
}

// lastBind returns where the last Bind message begins in a sequence of whole messages. A message is a letter, a length
// that counts itself, and data. Source: PostgreSQL's documentation, section "Message Formats".
func lastBind(b []byte) (at int) {
	for i := 0; i+5 <= len(b); i += 1 + int(binary.BigEndian.Uint32(b[i+1:])) {
		if b[i] == 'B' {
			at = i
		}
	}
	return at
}

// StallInBatch sets a hook that is called with the data that clients send. If f returns true for a batch of
// statements, the server gets the batch without its last statement, and the connection passes no more data in
// either direction, though it stays open. A nil f removes the hook.
func (w *Wire) StallInBatch(f func(b []byte) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stall = f
}

// URL returns the connection string of one of the server's databases through the wire. database is the direct
// connection string.
func (w *Wire) URL(database string) string {
	u, err := url.Parse(database)
	if err != nil {
		return database
	}
	u.Host = w.listener.Addr().String()
	return u.String()
}

// Sent sets a hook that is called with the data that clients send. Each connection calls f in a goroutine of its own.
// The data is forwarded if f returns true. A nil f removes the hook.
func (w *Wire) Sent(f func(b []byte) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = f
}

// Answered sets a hook that is called with the data that the server sends. The data is forwarded if f returns true. A
// nil f removes the hook.
func (w *Wire) Answered(f func(b []byte) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered = f
}

// Cut breaks all open connections.
func (w *Wire) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.open {
		_ = c.Close()
	}
	w.open = nil
}

// Close closes the port and breaks its connections.
func (w *Wire) Close() {
	_ = w.listener.Close()
	w.Cut()
}
