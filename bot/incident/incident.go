// Package incident handles faults of the program, not of players. It turns panics into errors for the log. It creates
// the ids by which an operator finds a player's "something went wrong" in the log.
package incident

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"runtime/debug"
)

// Panic is a panic of a handler, for the log.
type Panic struct {
	value any
	stack []byte
}

// Recovered returns an error with the value of recover and the stack of the calling goroutine.
func Recovered(value any) *Panic { return &Panic{value: value, stack: debug.Stack()} }

// Error includes the stack.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }

// newID returns an id for an incident: eight hexadecimal digits.
func newID() string {
	var id [4]byte
	rand.Read(id[:])
	return hex.EncodeToString(id[:])
}
