// Package incident is for what is our fault and not a player's: panics as errors for the log, and
// the ids under which a player's "something went wrong" is found there.
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

// Recovered makes an error of what recover returned, with the stack of the goroutine that calls it.
func Recovered(value any) *Panic { return &Panic{value: value, stack: debug.Stack()} }

// Error has the stack, too.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }

// NewID makes an incident's id: eight hexadecimal digits.
func NewID() string {
	var id [4]byte
	rand.Read(id[:])
	return hex.EncodeToString(id[:])
}
