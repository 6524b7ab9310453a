package table

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"marque/storage"
)

// News is what happened at a table since the last published version: the snapshot to publish, and the new events.
type News struct {
	*Snapshot
	Since uint64 // the last published version; 0 if there is none
	// Events are the events of the versions Since+1 to Version, in order, without plays that were taken back; never
	// empty. Plays have no Text, because it may be secret: Trail(viewer, From, Plays) returns them as the viewer may
	// see them.
	Events []Event
	From   int    // number of plays in the log before those in Events
	Note   string // the note that Publish returned for Since
	// Begun is true if the table was waiting to be published when the program started or got its server's lease, and
	// was not published since. The previous process may have published the news and ended before recording that. See
	// Key.
	Begun bool

	held func() bool // returns the result of Ours; nil if that is always true
	keys []string    // returned by Keys
}

// Presses reports whether the news is urgent enough to ping even users who chose one message a day: their time is about
// to run out, or the table is about to be closed.
func (n News) Presses() bool {
	return slices.ContainsFunc(n.Events, func(e Event) bool {
		return e.Kind == storage.IdleSoon || e.Kind == storage.Reminded && e.Text == lastCall
	})
}

// Ours reports whether this process may still publish the news. A publisher that has painted or waited since Publish
// began calls Ours again before sending anything, and returns ErrNotOwner if the result is false.
func (n News) Ours() bool { return n.held == nil || n.held() }

// Key identifies the news by its last event. It is the same for every attempt without new events. If the store was
// restored from a copy, another event of the same version almost certainly has another key.
func (n News) Key() string { return newsKey(n.ID, n.Events[len(n.Events)-1]) }

// Keys returns the possible keys of news since the last recorded publication: one for each event, including plays that
// were taken back. If a process published such news without recording that, the key of that news is among them.
func (n News) Keys() []string { return n.keys }

// newsKey includes the time of the last event, because the same version can have other events after the store was
// restored to an earlier state. The key is short enough to fit into a nonce, which has at most 25 characters.
func newsKey(id ID, last Event) string {
	return fmt.Sprintf("%s-v%d-%s", id, last.Version, strconv.FormatInt(int64(last.At)%(36*36*36*36), 36))
}

// Publisher publishes a table's news in its channel. Several goroutines call Publish, but only one at a time for each
// table.
//
// Publish returns a note of at most 4,096 bytes, and receives it again with the table's next news. The note has a first
// line of ids, and lines that may name people. When one of these people is forgotten, those lines are removed. After an
// error, the same news is published again, together with any later news: immediately after Poke and when the table
// changes again, at the next start, or otherwise after a pause. After a *PermanentError, the pause is long, and the
// next start tries only a limited number of tables.
type Publisher interface {
	Publish(ctx context.Context, n News) (note string, err error)
	// ShowCard edits a table's card; see storage.Card. It returns ErrNoCard if the card is gone, and a *PermanentError
	// like Publish.
	ShowCard(ctx context.Context, snap *Snapshot) error
	// ArchiveThread archives the thread of a table that is over. It returns a *PermanentError like Publish.
	ArchiveThread(ctx context.Context, snap *Snapshot) error
	// NameThread names a table's thread after the table and the players from NamesThread. It returns a *PermanentError
	// like Publish.
	NameThread(ctx context.Context, snap *Snapshot) error
}

// outbox publishes the unpublished events of tables.
type outbox struct {
	*ownership
	store Store
	pub   Publisher // set by Start
	log   *slog.Logger
	came  func(*job, time.Time) // called with the time of a table's oldest unpublished event

	mu    sync.Mutex
	begun map[ID]struct{}     // tables that waited at the last recall, and were not published since
	tried int                 // number of calls of may
	news  map[ID]*pendingNews // unpublished events in memory, by table

	clears uint64 // number of calls of clear
}

// pendingNews has the unpublished events of a table, as known from the store and from this process's commits.
type pendingNews struct {
	published storage.Publication // the last publication
	version   uint64              // the last known version
	events    []Event             // events of the versions after the published one
	forgotten uint64              // Head.Forgotten at the time of the events
	clears    uint64              // outbox.clears when stored was called
}

// mostPending is the maximum number of tables whose unpublished events the outbox keeps in memory.
const mostPending = maxJobs

// committed adds a commit's events to the table's unpublished events. tables.publish says when it is called. The call
// may come after a call of clear, or after a read of the store that already included the commit. If the commit does
// not follow the last known version, the outbox drops the table's events, and later reads them from the store.
func (o *outbox) committed(h Head, events []Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.news[h.ID]
	if f != nil && f.version+1 == h.Version && f.forgotten == h.Forgotten {
		f.version, f.events = h.Version, append(slices.Clip(f.events), events...)
		return
	}
	delete(o.news, h.ID)
}

// learn keeps a table's unpublished events in memory. If there are too many, it drops the events of other tables. The
// caller holds the lock.
func (o *outbox) learn(id ID, f *pendingNews) {
	for other := range o.news {
		if len(o.news) < mostPending {
			break
		}
		delete(o.news, other)
	}
	o.news[id] = f
}

// clear drops all unpublished events from memory. It is called when other processes may be changing tables, and when
// events in the store are being changed.
func (o *outbox) clear() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clears++
	clear(o.news)
}

// stored returns the unpublished events of a table, at least up to the snapshot's version. It returns storage.ErrStale
// if the snapshot may name somebody who has been forgotten since.
func (o *outbox) stored(ctx context.Context, snap *Snapshot) (*pendingNews, error) {
	o.mu.Lock()
	clears := o.clears
	if f := o.news[snap.ID]; f != nil && f.version >= snap.Version && f.forgotten == snap.Forgotten &&
		o.exclusive(snap.Guild) {
		known := *f
		known.clears = clears
		o.mu.Unlock()
		return &known, nil
	}
	o.mu.Unlock()
	// The store is read after the snapshot, so that no event of the snapshot's version is missing.
	stored, err := o.store.News(ctx, snap.ID)
	if err == nil && stored.Head.Forgotten != snap.Forgotten {
		err = storage.ErrStale
	}
	published := storage.Publication{Version: stored.Published, Forgotten: stored.Head.Forgotten, Note: stored.Note}
	return &pendingNews{published, stored.Head.Version, stored.Events, stored.Head.Forgotten, clears}, err
}

// marked records that a table's events up to p.Version were marked as published. f is the result of stored. If clear
// was called since, marked does nothing.
func (o *outbox) marked(id ID, f *pendingNews, p storage.Publication) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if f.clears != o.clears {
		return
	}
	if now := o.news[id]; now != nil && now.version > f.version {
		f = now // replace the value from before: there were commits in the meantime
	}
	behind := slices.IndexFunc(f.events, func(e Event) bool { return e.Version > p.Version })
	if behind < 0 {
		behind = len(f.events)
	}
	o.learn(id, &pendingNews{
		published: p, version: f.version, events: slices.Clone(f.events[behind:]),
		forgotten: f.forgotten,
	})
}

// mostRefused is the maximum number of tables whose channel refused events that are tried again at a start, before
// their pause is over. Discord blocks an address that makes more than ten thousand refused requests in ten minutes.
// Source: Discord's documentation, topic "Rate Limits", section "Invalid Request Limit".
const mostRefused = 1000

// may reports whether, after a start, another table is tried whose channel has refused events. It returns true for the
// first mostRefused calls.
func (o *outbox) may() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tried++
	return o.tried <= mostRefused
}

// recall records which tables wait now, when the program starts or gets the leases of servers.
func (o *outbox) recall(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.begun = map[ID]struct{}{}
	for after := ID(0); ; {
		ids, err := o.store.Pending(ctx, after, recallPage)
		if err != nil {
			return err
		}
		for _, id := range ids {
			o.begun[id] = struct{}{}
			after = id
		}
		if len(ids) < recallPage {
			return nil
		}
	}
}

// recallPage is the number of waiting tables in each read of recall.
const recallPage = 4096

// wasBegun reports whether a table was waiting at the last recall and has not been published since.
func (o *outbox) wasBegun(id ID) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, ok := o.begun[id]
	return ok
}

// done records that a table has been published since the last recall.
func (o *outbox) done(id ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.begun, id)
}

// publish publishes the unpublished events of a table, if there are any, and marks them as published. published reports
// whether there were any and the publisher accepted them. j.published keeps a publication that could not be marked.
// publish returns the publisher's error, ErrNotOwner if another process has to publish the events, and storage.ErrStale
// if the snapshot may name somebody who has been forgotten since.
func (o *outbox) publish(ctx context.Context, snap *Snapshot, j *job) (published bool, err error) {
	stored, err := o.stored(ctx, snap)
	if err != nil {
		return false, freezeDamaged(ctx, o.log, snap.ID, err)
	}
	if j.published.Version < stored.published.Version {
		j.published = stored.published
	}
	if j.published.Forgotten != snap.Forgotten {
		j.published.Forgotten, j.published.Note = snap.Forgotten, storage.NamelessNote(snap.Head, j.published.Note)
	}
	if j.published.Version < snap.Version {
		note := j.published.Note
		if n := news(snap, stored.events, j); len(n.Events) > 0 {
			n.Begun = o.wasBegun(snap.ID)
			o.came(j, n.Events[0].At.Time())
			n.held = func() bool { _, held := o.fence(snap.Guild); return held }
			if !n.Ours() {
				return false, ErrNotOwner
			}
			if note, err = o.call(ctx, n); err != nil {
				return false, err
			}
			published = true
		}
		j.published = storage.Publication{Version: snap.Version, Forgotten: snap.Forgotten, Note: note}
		o.done(snap.ID)
	}
	if j.published.Version == stored.published.Version {
		o.marked(snap.ID, stored, j.published)
		return published, nil
	}
	fence, held := o.fence(snap.Guild)
	if !held {
		return published, ErrNotOwner
	}
	err = o.store.MarkPublished(ctx, snap.ID, j.published, fence)
	if errors.Is(err, storage.ErrNotOwner) {
		return published, ErrNotOwner
	}
	if err == nil {
		o.marked(snap.ID, stored, j.published)
	}
	return published, freezeDamaged(ctx, o.log, snap.ID, err)
}

// news returns the News up to the snapshot's version. It leaves out plays that were taken back before they were
// published.
func news(snap *Snapshot, events []Event, j *job) News {
	n := News{Snapshot: snap, Since: j.published.Version, Note: j.published.Note, From: snap.Plays}
	for _, e := range events {
		if e.Version <= j.published.Version || e.Version > snap.Version {
			continue
		}
		n.keys = append(n.keys, newsKey(snap.ID, e))
		for back := e.Back(); back > 0; back-- {
			last := len(n.Events) - 1
			for last >= 0 && !n.Events[last].Kind.Play() {
				last--
			}
			if last < 0 {
				break
			}
			n.Events = slices.Delete(n.Events, last, last+1)
		}
		if e.Kind.Play() {
			e.Text = ""
		}
		n.Events = append(n.Events, e)
	}
	for _, e := range n.Events {
		if e.Kind.Play() {
			n.From--
		}
	}
	return n
}

// call calls Publish and turns a panic into an error.
func (o *outbox) call(ctx context.Context, n News) (note string, err error) {
	defer o.recover(n.ID, &err)
	return o.pub.Publish(ctx, n)
}

// showCard calls ShowCard and turns a panic into an error.
func (o *outbox) showCard(ctx context.Context, snap *Snapshot) (err error) {
	defer o.recover(snap.ID, &err)
	return o.pub.ShowCard(ctx, snap)
}

// archive calls ArchiveThread and turns a panic into an error.
func (o *outbox) archive(ctx context.Context, snap *Snapshot) (err error) {
	defer o.recover(snap.ID, &err)
	return o.pub.ArchiveThread(ctx, snap)
}

// nameThread calls NameThread and turns a panic into an error.
func (o *outbox) nameThread(ctx context.Context, snap *Snapshot) (err error) {
	defer o.recover(snap.ID, &err)
	return o.pub.NameThread(ctx, snap)
}

func (o *outbox) recover(id ID, err *error) {
	if r := recover(); r != nil {
		o.log.Error("the publisher panicked", "table", id.String(), "panic", r, "stack", string(debug.Stack()))
		*err = fmt.Errorf("the publisher panicked: %v", r)
	}
}

// late returns the time of a table's oldest unpublished event if it is older than lateNews, and 0 otherwise. waits
// reports whether the table has unpublished events. Events up to version told count as published.
func (o *outbox) late(ctx context.Context, snap *Snapshot, told uint64, now Stamp) (late Stamp, waits bool, err error) {
	stored, err := o.stored(ctx, snap)
	if err != nil {
		return 0, false, err
	}
	for _, e := range stored.events {
		if e.Version <= max(told, stored.published.Version) {
			continue
		}
		if now-e.At > Stamp(lateNews.Milliseconds()) {
			late = e.At
		}
		return late, true, nil
	}
	return 0, false, nil
}
