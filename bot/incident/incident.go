// Package incident handles faults of the program. It turns panics into errors for the log, creates the ids by which an
// operator finds a player's "something went wrong" in the log, and limits repeated lines.
package incident

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"runtime/debug"
)

// Panic is an error that describes a panic.
type Panic struct {
	value any
	stack []byte
}

// Recovered returns an error with the value of recover and the stack of the calling goroutine.
func Recovered(value any) *Panic { return &Panic{value: value, stack: debug.Stack()} }

// Error includes the stack.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }

// newID returns a random incident id of eight hexadecimal digits.
func newID() string {
	var id [4]byte
	rand.Read(id[:])
	return hex.EncodeToString(id[:])
}
