package table

import (
	"errors"

	"marque/storage"
)

// Share divides the tables among processes that share a store. Any process carries out people's commands. All other
// work at a table is done by the process that serves its server.
type Share struct {
	// Fence returns the lease under which this process acts on a server without a command: it publishes news, lets
	// computers move, and carries out due work. If held is false, it may not do so.
	Fence func(guild string) (t storage.Fence, held bool)
	// Exclusive reports whether no other process changes a server's tables, so that memory equals the store. It is
	// false if Fence is not held.
	Exclusive func(guild string) bool
	// Alone reports whether no other process is running.
	Alone func() bool
}

// ErrNotOwner says that another process is responsible for work without a command.
var ErrNotOwner = errors.New("another process does that")

// ownership says which tables belong to this process: all, until Sharing.Begin is called.
type ownership struct{ share *Share }

// fence returns Share.Fence. A process without a Share serves every server.
func (o *ownership) fence(guild string) (fence storage.Fence, held bool) {
	if o.share == nil {
		return fence, true
	}
	return o.share.Fence(guild)
}

// mine reports whether this process acts without a command on a server.
func (o *ownership) mine(guild string) bool {
	_, held := o.fence(guild)
	return held
}

// exclusive returns Share.Exclusive, and true without a Share.
func (o *ownership) exclusive(guild string) bool { return o.share == nil || o.share.Exclusive(guild) }

// alone returns Share.Alone, and true without a Share.
func (o *ownership) alone() bool { return o.share == nil || o.share.Alone() }
