package table

import (
	"errors"

	"marque/storage"
)

// Share is what of the tables is this process's, where several processes share a store. What people ask for is done by
// whoever they ask; what nobody asked for, by the process whose the server is.
type Share struct {
	// Fence is the lease under which this process is to do what nobody asked for in a server: tell
	// news, let computers move, carry out what falls due. It is not to when held is false.
	Fence func(guild string) (t storage.Fence, held bool)
	// Sole reports whether no other process changes what belongs to a server: what is in memory of
	// its tables is what is stored. It is not so where Fence is not held.
	Sole func(guild string) bool
	// Alone reports whether no other process lives.
	Alone func() bool
}

// ErrNotOwner says that what nobody asked for is another process's to do.
var ErrNotOwner = errors.New("another process does that")

// ownership says what of the tables is this process's: everything, until Sharing.Begin says otherwise.
type ownership struct{ share *Share }

// fence is Share.Fence; a process that knows of no others does everything.
func (o *ownership) fence(guild string) (fence storage.Fence, held bool) {
	if o.share == nil {
		return fence, true
	}
	return o.share.Fence(guild)
}

// mine reports whether this process is to do what nobody asked for in a server.
func (o *ownership) mine(guild string) bool {
	_, held := o.fence(guild)
	return held
}

// sole is Share.Sole.
func (o *ownership) sole(guild string) bool { return o.share == nil || o.share.Sole(guild) }

// alone is Share.Alone.
func (o *ownership) alone() bool { return o.share == nil || o.share.Alone() }
