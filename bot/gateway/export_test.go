package gateway

import "context"

// Take makes the reader of a connection without a socket handle a frame. It reports whether the reader would continue.
func (g *Gateway) Take(compressed bool, raw []byte) bool {
	c := connection{of: g, over: context.Background(), session: &session{over: context.Background(), end: func() {}}}
	return c.take(decode(compressed, raw))
}
