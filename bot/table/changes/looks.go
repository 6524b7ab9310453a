package changes

import (
	"sync"
	"time"

	"marque/storage"
)

// againEvery is how often a process sends all its open pages to other processes again. lookHolds is how long they count
// as open there.
const (
	againEvery = 30 * time.Second
	lookHolds  = 75 * time.Second
)

// Look is a user who has a table open on a page.
type Look struct {
	Table storage.ID
	User  string
}

// Looks records which users have which tables open on a page, in this process or another.
type Looks struct {
	now  func() storage.Stamp
	gone func(storage.ID) // called when a user closes their last page of a table in this or another process

	mu        sync.Mutex
	pages     map[Look]int // number of open pages in this process
	elsewhere map[Look]storage.Stamp
	news      []Notice      // notices for other processes since the last Take
	ready     chan struct{} // receives a value when there are notices in news; nil until Share is called
}

// mostLooks is the maximum number of remembered looks of other processes, and of notices that wait to be sent.
const mostLooks = 10_000

// NewLooks returns Looks in which no table is open. gone is called when a user closes their last page of a table in one
// process, even if they still have one open in another.
func NewLooks(now func() storage.Stamp, gone func(storage.ID)) *Looks {
	return &Looks{now: now, gone: gone, pages: map[Look]int{}, elsewhere: map[Look]storage.Stamp{}}
}

// Share makes Looks collect changes for other processes from now on.
func (o *Looks) Share() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ready == nil {
		o.ready = make(chan struct{}, 1)
	}
}

// Open records that a user has opened a page of a table.
func (o *Looks) Open(l Look) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pages[l]++; o.pages[l] == 1 {
		o.tell(l, looksOn)
	}
}

// Close records that a user has closed a page of a table.
func (o *Looks) Close(l Look) {
	o.mu.Lock()
	o.pages[l]--
	last := o.pages[l] == 0
	if last {
		delete(o.pages, l)
		o.tell(l, looksAway)
	}
	o.mu.Unlock()
	if last {
		o.gone(l.Table)
	}
}

// At reports whether a user has a table open.
func (o *Looks) At(l Look) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.pages[l] > 0 || o.elsewhere[l] > o.now()
}

// Ready returns a channel that receives a value when Take has something to return. Until Share is called, it returns
// nil.
func (o *Looks) Ready() <-chan struct{} { return o.ready }

// tell records a notice for other processes, if Share was called and there is room. The caller holds the lock.
func (o *Looks) tell(l Look, what looking) {
	if o.ready == nil || len(o.news) == mostLooks {
		return
	}
	o.news = append(o.news, Notice{Change: Change{Table: l.Table}, Users: []string{l.User}, Looks: what})
	select {
	case o.ready <- struct{}{}:
	default:
	}
}

// Take returns the notices for other processes: the changes since the last Take and, if all is true, every open look.
// It returns at most mostLooks notices.
func (o *Looks) Take(all bool) []Notice {
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

// Heard records a notice about looks from another process.
func (o *Looks) Heard(c Notice) {
	o.mu.Lock()
	now := o.now()
	for _, user := range c.Users {
		l := Look{c.Table, user}
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
			o.elsewhere[l] = now + storage.Stamp(lookHolds.Milliseconds())
		}
	}
	o.mu.Unlock()
	if c.Looks == looksAway {
		o.gone(c.Table)
	}
}
