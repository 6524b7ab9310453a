package table

import (
	"errors"

	"marque/storage"
)

// Share divides the tables among processes that share a store. Any process carries out people's commands. All other
// work at a table is done by one process, the one that serves its server.
type Share struct {
	// Fence returns the lease under which this process acts on a server without a command: it publishes events, lets
	// computers move, and carries out due work. If held is false, it must not do so.
	Fence func(guild string) (t storage.Fence, held bool)
	// Exclusive reports whether this process holds a server's lease, and no handover of it is in progress or has just
	// ended. Only then may memory keep the server's tables. Other processes can still change them, but seldom do.
	Exclusive func(guild string) bool
	// Alone reports whether no other process is running.
	Alone func() bool
}

// ErrNotOwner means that this process does not serve the server, and so does no work there without a command.
var ErrNotOwner = errors.New("another process does that")

// ownership records which tables this process serves: all, until Sharing.Begin is called.
type ownership struct{ share *Share }

// fence returns the result of Share.Fence. Without a Share, this process serves every server.
func (o *ownership) fence(guild string) (fence storage.Fence, held bool) {
	if o.share == nil {
		return fence, true
	}
	return o.share.Fence(guild)
}

// mine reports whether this process serves a server, and so acts there without a command.
func (o *ownership) mine(guild string) bool {
	_, held := o.fence(guild)
	return held
}

// exclusive returns the result of Share.Exclusive, or true without a Share.
func (o *ownership) exclusive(guild string) bool { return o.share == nil || o.share.Exclusive(guild) }

// alone returns the result of Share.Alone, or true without a Share.
func (o *ownership) alone() bool { return o.share == nil || o.share.Alone() }
