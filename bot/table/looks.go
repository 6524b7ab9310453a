package table

import (
	"sync"
	"time"
)

// A player to move who has the table open on a page needs no board in the channel. So the boards of a quick game wait
// until nobody has played for a while (quietAfter), and never long (heldAtMost). The news stay in the store meanwhile,
// so they are told whatever happens to the process.
const (
	quietAfter = 20 * time.Second
	heldAtMost = 90 * time.Second // less than lateNews: no clock stops because a board waits
	lookEvery  = 30 * time.Second // how often other processes hear who looks
	lookHolds  = 75 * time.Second // how long other processes rely on that
)

// look is a user with a table open.
type look struct {
	table ID
	user  string
}

// looks has who has which table open on a page, in this process or another.
type looks struct {
	now  func() Stamp
	gone func(ID) // called when a user closes their last page of a table

	mu        sync.Mutex
	pages     map[look]int // of this process
	elsewhere map[look]Stamp
	news      []change      // changes since the last take, if there are other processes
	ready     chan struct{} // has a token when there are; nil without other processes
}

// mostLooks bounds what is kept of other processes, and for them.
const mostLooks = 10_000

func newLooks(now func() Stamp, gone func(ID)) *looks {
	return &looks{now: now, gone: gone, pages: map[look]int{}, elsewhere: map[look]Stamp{}}
}

// share says that there are other processes; they hear who looks.
func (o *looks) share() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ready == nil {
		o.ready = make(chan struct{}, 1)
	}
}

func (o *looks) open(l look) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pages[l]++; o.pages[l] == 1 {
		o.tell(l, looksOn)
	}
}

func (o *looks) close(l look) {
	o.mu.Lock()
	o.pages[l]--
	last := o.pages[l] == 0
	if last {
		delete(o.pages, l)
		o.tell(l, looksAway)
	}
	o.mu.Unlock()
	if last {
		o.gone(l.table)
	}
}

// at reports whether a user has a table open.
func (o *looks) at(id ID, user string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	l := look{id, user}
	return o.pages[l] > 0 || o.elsewhere[l] > o.now()
}

// tell records a change for other processes. The caller holds the lock.
func (o *looks) tell(l look, what looking) {
	if o.ready == nil || len(o.news) == mostLooks {
		return
	}
	o.news = append(o.news, change{Change: Change{Table: l.table}, Users: []string{l.user}, Looks: what})
	select {
	case o.ready <- struct{}{}:
	default:
	}
}

// take returns what other processes need to hear: the changes, or everybody who looks now.
func (o *looks) take(all bool) []change {
	o.mu.Lock()
	defer o.mu.Unlock()
	if all {
		for l := range o.pages {
			o.tell(l, looksOn)
		}
	}
	list := o.news
	o.news = nil
	return list
}

// heard takes in a message of another process.
func (o *looks) heard(c change) {
	o.mu.Lock()
	now := o.now()
	for _, user := range c.Users {
		l := look{c.Table, user}
		if c.Looks == looksAway {
			delete(o.elsewhere, l)
			continue
		}
		if len(o.elsewhere) >= mostLooks {
			for l, until := range o.elsewhere {
				if until <= now {
					delete(o.elsewhere, l)
				}
			}
		}
		if len(o.elsewhere) < mostLooks {
			o.elsewhere[l] = now + Stamp(lookHolds.Milliseconds())
		}
	}
	o.mu.Unlock()
	if c.Looks == looksAway {
		o.gone(c.Table)
	}
}
