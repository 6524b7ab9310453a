package table

import (
	"errors"

	"marque/storage"
)

// Share says which tables are this process's when several processes share a store. Any process does what people ask of
// it. What nobody asked for is done by the process that serves the server.
type Share struct {
	// Fence is the lease under which this process acts on its own for a server: it tells news, lets computers move, and
	// carries out what falls due. It may not if held is false.
	Fence func(guild string) (t storage.Fence, held bool)
	// Sole reports whether no other process changes a server's tables, so that memory has what is stored. It is false
	// if Fence is not held.
	Sole func(guild string) bool
	// Alone reports whether no other process is running.
	Alone func() bool
}

// ErrNotOwner says that another process has to do what nobody asked for.
var ErrNotOwner = errors.New("another process does that")

// ownership says which tables are this process's: all, until Sharing.Begin says otherwise.
type ownership struct{ share *Share }

// fence is Share.Fence; a process that knows of no others serves every server.
func (o *ownership) fence(guild string) (fence storage.Fence, held bool) {
	if o.share == nil {
		return fence, true
	}
	return o.share.Fence(guild)
}

// mine reports whether this process acts on its own for a server.
func (o *ownership) mine(guild string) bool {
	_, held := o.fence(guild)
	return held
}

// sole is Share.Sole.
func (o *ownership) sole(guild string) bool { return o.share == nil || o.share.Sole(guild) }

// alone is Share.Alone.
func (o *ownership) alone() bool { return o.share == nil || o.share.Alone() }
