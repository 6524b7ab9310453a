// Package changes notifies subscribers, such as open pages, of changes at tables. It also records which tables
// users have open on a page.
package changes

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"marque/storage"
)

// Change is the notice that a table has changed. The subscriber reads the table's present state.
type Change struct {
	Table storage.ID
	// Version is the table's version after the change; 0 after a commit that failed, whose outcome can be unknown.
	Version uint64
	// Position is true if the position may have changed.
	Position bool
}

// Interest selects the tables whose changes a subscription receives.
type Interest struct {
	Tables []storage.ID
	User   string // also the tables at which this user has a seat, or had one before the change; "" for nobody
}

// mostChanges is the maximum number of tables whose changes wait in a subscription.
const mostChanges = 256

// Subscription collects the changes of tables until its subscriber takes them. A commit never waits for it. It
// merges the changes of each table into one, so a slow subscriber reads a table once for several changes. It covers
// all commits of this process at its tables after Subscribe: if it has no room for one, Take reports that any table
// may have changed.
type Subscription struct {
	hub   *Hub
	of    Interest
	ready chan struct{} // receives a value when Take has something to return

	// The hub's lock guards waiting and all.
	waiting map[storage.ID]Notice
	all     bool
}

// Notice is a Change with the ids of the users whom it concerns. Processes exchange notices as JSON.
type Notice struct {
	Change
	Guild string
	Users []string // users who have or had seats; in a notice with Looks, the user who looks
	Looks looking  `json:",omitempty"` // whether Users have the table open on a page; 0 in a notice about a commit
}

// looking records whether a user has a table open on a page, or has closed it. It is 0 in notices about commits.
type looking int8

const (
	looksOn looking = 1 + iota
	looksAway
)

// Ready returns a channel that receives a value when Take has something to return.
func (s *Subscription) Ready() <-chan struct{} { return s.ready }

// Take returns the changes since the last Take. If all is true, any table may have changed, and the subscriber must
// read again all the tables that it shows. That happens when a subscription has no room for more changes, and when
// another process or the deletion of a user's data may have changed tables.
func (s *Subscription) Take() (changes []Change, all bool) {
	list, all := s.Notices()
	for _, c := range list {
		changes = append(changes, c.Change)
	}
	return changes, all
}

// Notices does the same as Take, but returns each change with the ids of the users whom it concerns.
func (s *Subscription) Notices() (list []Notice, all bool) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	list = slices.SortedFunc(maps.Values(s.waiting), func(a, b Notice) int { return cmp.Compare(a.Table, b.Table) })
	all = s.all
	clear(s.waiting)
	s.all = false
	return list, all
}

// Close ends the subscription. It can be called more than once.
func (s *Subscription) Close() { s.hub.end(s) }

// Hub notifies subscribers of changed tables.
type Hub struct {
	mu      sync.Mutex
	all     map[*Subscription]struct{}
	byTable map[storage.ID]map[*Subscription]struct{}
	byUser  map[string]map[*Subscription]struct{}
	relay   *Subscription // receives the commits of this process for other processes; nil while no relay runs
}

// NewHub returns a Hub without subscribers.
func NewHub() *Hub {
	return &Hub{
		all: map[*Subscription]struct{}{}, byTable: map[storage.ID]map[*Subscription]struct{}{},
		byUser: map[string]map[*Subscription]struct{}{},
	}
}

// noticeOf returns the notice about a commit; see Publish.
func noticeOf(before, after storage.Head) Notice {
	n := Notice{Guild: cmp.Or(after.Guild, before.Guild)}
	n.Table, n.Version = after.ID, after.Version
	n.Position = n.Version == 0 || before.Board != after.Board
	for _, o := range slices.Concat(before.Seats, after.Seats) {
		n.seat(o.User)
	}
	return n
}

// seat adds the user of a seat to Users. It adds nobody for "", which stands for a computer or a vacant seat.
func (c *Notice) seat(user string) {
	if user != "" && !slices.Contains(c.Users, user) {
		c.Users = append(slices.Clip(c.Users), user)
	}
}

// Publish notifies subscribers of a commit of this process. before has no seats for a new table; after has only the id
// if the commit failed. Publish does not wait for subscribers.
func (n *Hub) Publish(before, after storage.Head) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.all) == 0 {
		return
	}
	changed := noticeOf(before, after)
	n.tell(changed)
	if n.relay != nil {
		n.relay.add(changed)
	}
}

// Heard notifies subscribers of a commit of another process.
func (n *Hub) Heard(c Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tell(c)
}

// tell adds a notice to the subscriptions that it concerns. The caller holds the lock.
func (n *Hub) tell(c Notice) {
	for s := range n.byTable[c.Table] {
		s.add(c)
	}
	for _, user := range c.Users {
		for s := range n.byUser[user] {
			s.add(c)
		}
	}
}

// Doubt notifies all subscribers except the relay that any table may have changed.
func (n *Hub) Doubt() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for s := range n.all {
		if s != n.relay { // the relay gets changes of this process only
			s.lose()
		}
	}
}

// add records a change until the subscriber takes it. If there is no room, it calls lose. The caller holds the hub's
// lock.
func (s *Subscription) add(c Notice) {
	before, waits := s.waiting[c.Table]
	if !waits && len(s.waiting) == mostChanges {
		s.lose()
		return
	}
	c.Position = c.Position || before.Position
	for _, user := range before.Users {
		c.seat(user)
	}
	s.waiting[c.Table] = c
	s.wake()
}

// lose replaces the waiting changes by the notice that any table may have changed. The caller holds the hub's lock.
func (s *Subscription) lose() {
	clear(s.waiting)
	s.all = true
	s.wake()
}

func (s *Subscription) wake() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// Subscribe returns a subscription that collects the changes of the selected tables until its Close.
func (n *Hub) Subscribe(of Interest) *Subscription {
	s := &Subscription{hub: n, of: of, ready: make(chan struct{}, 1), waiting: map[storage.ID]Notice{}}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all[s] = struct{}{}
	for _, id := range of.Tables {
		enter(n.byTable, id, s)
	}
	if of.User != "" {
		enter(n.byUser, of.User, s)
	}
	return s
}

// Relay returns a subscription that collects the changes made by this process, to be sent to other processes.
func (n *Hub) Relay() *Subscription {
	s := n.Subscribe(Interest{})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.relay = s
	return s
}

func (n *Hub) end(s *Subscription) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.all, s)
	for _, id := range s.of.Tables {
		leave(n.byTable, id, s)
	}
	leave(n.byUser, s.of.User, s)
	if n.relay == s {
		n.relay = nil
	}
}

func enter[K comparable](in map[K]map[*Subscription]struct{}, k K, s *Subscription) {
	if in[k] == nil {
		in[k] = map[*Subscription]struct{}{}
	}
	in[k][s] = struct{}{}
}

func leave[K comparable](in map[K]map[*Subscription]struct{}, k K, s *Subscription) {
	if delete(in[k], s); len(in[k]) == 0 {
		delete(in, k)
	}
}
