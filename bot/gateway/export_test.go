package gateway

import "context"

// Take has the reader of a connection without a socket carry out a frame, and reports whether it went on.
func (g *Gateway) Take(compressed bool, raw []byte) bool {
	c := connection{of: g, over: context.Background(), session: &session{over: context.Background(), end: func() {}}}
	return c.take(decode(compressed, raw))
}
