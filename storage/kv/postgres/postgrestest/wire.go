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

// Wire is a port that leads to a server. What goes over it can be watched, held back and cut.
type Wire struct {
	listener net.Listener
	to       string

	mu             sync.Mutex
	open           []net.Conn
	sent, answered func(b []byte) bool
	stall          func(b []byte) bool // see StallInBatch
}

// Wire is a new port that leads to the server, until Close.
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

// lead copies what comes from one connection to the other where pass allows it; pass can be swapped while lead runs.
// Nothing passes any more once silent is set.
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

// lastBind is where the last message Bind begins in whole messages, each a letter and a length that counts itself.
// Source: PostgreSQL's documentation, section "Message Formats".
func lastBind(b []byte) (at int) {
	for i := 0; i+5 <= len(b); i += 1 + int(binary.BigEndian.Uint32(b[i+1:])) {
		if b[i] == 'B' {
			at = i
		}
	}
	return at
}

// StallInBatch has f asked about each batch of statements that clients send. Where f returns true the server gets the
// batch without its last statement. From then on nothing passes on that connection, in either direction, though the
// connection stays open. nil ends that.
func (w *Wire) StallInBatch(f func(b []byte) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stall = f
}

// URL is a connection string of a database of the server that goes over the wire.
func (w *Wire) URL(database string) string {
	u, err := url.Parse(database)
	if err != nil {
		return database
	}
	u.Host = w.listener.Addr().String()
	return u.String()
}

// Sent has f told of what clients send before the server gets it, which it does where f returns true; nil ends that.
func (w *Wire) Sent(f func(b []byte) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = f
}

// Answered is Sent for what the server answers.
func (w *Wire) Answered(f func(b []byte) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered = f
}

// Cut breaks all connections that are open.
func (w *Wire) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.open {
		_ = c.Close()
	}
	w.open = nil
}

// Close ends the wire.
func (w *Wire) Close() {
	_ = w.listener.Close()
	w.Cut()
}
