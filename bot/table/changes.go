package table

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// Change says that a table has changed. The subscriber reads what the table is now.
type Change struct {
	Table ID
	// Version is the table's version after the change; 0 if the outcome of a commit is not known.
	Version uint64
	// Position says that the pieces on the board may have changed. Otherwise seats, offers, times or settings have.
	Position bool
}

// Interest says of which tables a subscriber wants to hear.
type Interest struct {
	Tables []ID
	User   string // also of those at which this user has a seat, or had one before the change; "" for nobody
}

// mostChanges bounds the tables whose changes wait in a subscription.
const mostChanges = 256

// Subscription collects the changes of tables until its subscriber takes them. It holds up nobody. It keeps one change
// a table, the latest: a slow subscriber reads a table once for all its changes. It tells of commits that came after
// Subscribe, in no order between tables.
type Subscription struct {
	changes *changes
	of      Interest
	ready   chan struct{} // has a token when there is something to take

	// under the lock of changes
	waiting map[ID]change
	all     bool
}

// change is a Change with the ids of those whom it concerns. Processes send it to each other as JSON.
type change struct {
	Change
	Guild string
	Users []string // users who have seats, or had before
	Looks looking  `json:",omitempty"` // no commit: what Users do
}

// looking says who opens or closes a table on a page.
type looking int8

const (
	looksOn looking = 1 + iota
	looksAway
)

// Ready receives when Take has something to return.
func (s *Subscription) Ready() <-chan struct{} { return s.ready }

// Take returns the changes since the last Take. With all there may be others, and the subscriber looks again at
// everything that it shows: more changes came than a subscription has room for, or another process, or the deletion of
// somebody's data, may have changed tables.
func (s *Subscription) Take() (changes []Change, all bool) {
	list, all := s.take()
	for _, c := range list {
		changes = append(changes, c.Change)
	}
	return changes, all
}

func (s *Subscription) take() (list []change, all bool) {
	s.changes.mu.Lock()
	defer s.changes.mu.Unlock()
	list = slices.SortedFunc(maps.Values(s.waiting), func(a, b change) int { return cmp.Compare(a.Table, b.Table) })
	all = s.all
	clear(s.waiting)
	s.all = false
	return list, all
}

// Close ends the subscription. It may be called again.
func (s *Subscription) Close() { s.changes.end(s) }

// changes tells subscribers which tables have changed.
type changes struct {
	mu      sync.Mutex
	all     map[*Subscription]struct{}
	byTable map[ID]map[*Subscription]struct{}
	byUser  map[string]map[*Subscription]struct{}
	relay   *Subscription // receives all commits of this process, see Sharing.Relay; nil without other processes
}

func newChanges() *changes {
	return &changes{
		all: map[*Subscription]struct{}{}, byTable: map[ID]map[*Subscription]struct{}{},
		byUser: map[string]map[*Subscription]struct{}{},
	}
}

// commit is what a commit did to a table.
type commit struct {
	before, after Head // before has no seats for a new table; after has only the id when the outcome is not known
	events        []Event
	told          bool // the committer asks for what follows
}

// change returns the change that a commit has made.
func (c commit) change() change {
	n := change{Guild: cmp.Or(c.after.Guild, c.before.Guild)}
	n.Table, n.Version = c.after.ID, c.after.Version
	n.Position = n.Version == 0 || c.before.Board != c.after.Board
	for _, o := range slices.Concat(c.before.Seats, c.after.Seats) {
		n.seat(o.User)
	}
	return n
}

// seat notes who has a seat; "" is a computer.
func (c *change) seat(user string) {
	if user != "" && !slices.Contains(c.Users, user) {
		c.Users = append(slices.Clip(c.Users), user)
	}
}

// publish tells subscribers of a commit of this process. It waits for no subscriber.
func (n *changes) publish(c commit) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.all) == 0 {
		return
	}
	changed := c.change()
	n.tell(changed)
	if n.relay != nil {
		n.relay.add(changed)
	}
}

// heard tells subscribers of a commit of another process.
func (n *changes) heard(c change) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tell(c)
}

// tell is called with the lock held.
func (n *changes) tell(c change) {
	for s := range n.byTable[c.Table] {
		s.add(c)
	}
	for _, user := range c.Users {
		for s := range n.byUser[user] {
			s.add(c)
		}
	}
}

// doubt tells all subscribers that any table may have changed.
func (n *changes) doubt() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for s := range n.all {
		if s != n.relay { // set when this process has something to send
			s.lose()
		}
	}
}

// add is called with the lock of changes held.
func (s *Subscription) add(c change) {
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

// lose is called with the lock of changes held.
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

func (n *changes) subscribe(of Interest) *Subscription {
	s := &Subscription{changes: n, of: of, ready: make(chan struct{}, 1), waiting: map[ID]change{}}
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

func (n *changes) end(s *Subscription) {
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
