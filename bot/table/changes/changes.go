// Package changes notifies subscribers, such as open pages, of changes at tables, and knows which tables users have
// open.
package changes

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"marque/storage"
)

// Change says that a table has changed. The subscriber reads what the table is now.
type Change struct {
	Table storage.ID
	// Version is the table's version after the change; 0 if the outcome of a commit is not known.
	Version uint64
	// Position says that the pieces on the board may have changed. Otherwise seats, offers, times or settings have.
	Position bool
}

// Interest says which tables a subscriber wants to know about.
type Interest struct {
	Tables []storage.ID
	User   string // also of those at which this user has a seat, or had one before the change; "" for nobody
}

// mostChanges bounds the tables whose changes wait in a subscription.
const mostChanges = 256

// Subscription collects the changes of tables until its subscriber takes them. A commit never waits for it. It stores
// only the latest change of each table, so a slow subscriber reads a table once for all its changes. It has the
// commits after Subscribe, in no order between tables.
type Subscription struct {
	hub   *Hub
	of    Interest
	ready chan struct{} // has a token when there is something to take

	// under the lock of the hub
	waiting map[storage.ID]Notice
	all     bool
}

// Notice is a Change with the ids of those whom it concerns. Processes send it to each other as JSON.
type Notice struct {
	Change
	Guild string
	Users []string // users who have seats, or had before
	Looks looking  `json:",omitempty"` // what Users look at; set if the notice is not of a commit
}

// looking says who opens or closes a table on a page.
type looking int8

const (
	looksOn looking = 1 + iota
	looksAway
)

// Ready receives when Take has something to return.
func (s *Subscription) Ready() <-chan struct{} { return s.ready }

// Take returns the changes since the last Take. If all is true, any table may have changed, and the subscriber must
// read everything that it shows again. That happens when a subscription has no room for more changes, and when another
// process or the deletion of a user's data may have changed tables.
func (s *Subscription) Take() (changes []Change, all bool) {
	list, all := s.Notices()
	for _, c := range list {
		changes = append(changes, c.Change)
	}
	return changes, all
}

// Notices is Take, but also returns the ids of those whom the changes concern.
func (s *Subscription) Notices() (list []Notice, all bool) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	list = slices.SortedFunc(maps.Values(s.waiting), func(a, b Notice) int { return cmp.Compare(a.Table, b.Table) })
	all = s.all
	clear(s.waiting)
	s.all = false
	return list, all
}

// Close ends the subscription. It may be called again.
func (s *Subscription) Close() { s.hub.end(s) }

// Hub notifies subscribers of changed tables.
type Hub struct {
	mu      sync.Mutex
	all     map[*Subscription]struct{}
	byTable map[storage.ID]map[*Subscription]struct{}
	byUser  map[string]map[*Subscription]struct{}
	relay   *Subscription // receives all commits of this process, see Relay; nil without other processes
}

// NewHub makes a Hub.
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

// seat adds the user of a seat; "" is a computer.
func (c *Notice) seat(user string) {
	if user != "" && !slices.Contains(c.Users, user) {
		c.Users = append(slices.Clip(c.Users), user)
	}
}

// Publish tells subscribers of a commit of this process. before has no seats for a new table; after has only the id if
// the outcome is not known. Publish waits for no subscriber.
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

// Heard passes a commit of another process to the subscribers.
func (n *Hub) Heard(c Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tell(c)
}

// tell is called with the lock held.
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

// Doubt tells all subscribers that any table may have changed.
func (n *Hub) Doubt() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for s := range n.all {
		if s != n.relay { // set when this process has something to send
			s.lose()
		}
	}
}

// add is called with the lock of the hub held.
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

// lose is called with the lock of the hub held.
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

// Subscribe begins to collect the changes of tables, until Close.
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

// Relay begins to collect the changes that this process makes, for others.
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
