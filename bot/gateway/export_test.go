package gateway

import "context"

// Take has the reader of a connection without a socket carry out a frame, and reports whether it went on.
func (g *Gateway) Take(compressed bool, raw []byte) bool {
	return (&connection{of: g, over: context.Background()}).take(decode(compressed, raw))
}
