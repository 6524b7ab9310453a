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

// News is what happened at a table since the last published version.
type News struct {
	*Snapshot
	Since uint64 // the last published version; 0 if there is none
	// Events are those of the versions Since+1 to Version, in order; never empty. Plays have no Text, because others
	// may not know it: Trail(viewer, From, Plays) gives them as a viewer may know them.
	Events []Event
	From   int    // the number of plays before the first event
	Note   string // the note that Publish returned for Since
	// Begun says that the news already waited when the program started. The process before may have published them and
	// ended before it could record that. See Key.
	Begun bool

	held func() bool // see Ours
	keys []string    // see Keys
}

// Presses reports whether the news also ping users who get one message a day: their time is about to run out, or the
// table is about to be closed.
func (n News) Presses() bool {
	return slices.ContainsFunc(n.Events, func(e Event) bool {
		return e.Kind == storage.IdleSoon || e.Kind == storage.Reminded && e.Text == lastCall
	})
}

// Ours reports whether this process may still publish the news. A publisher that has painted or waited since Publish
// began asks again before it sends something, and returns ErrNotOwner if the answer is no.
func (n News) Ours() bool { return n.held == nil || n.held() }

// Key identifies the content of the news. It stays the same on every try, and when the table changes without news.
// After the store was restored from a copy it differs from all earlier keys.
func (n News) Key() string { return newsKey(n.ID, n.Events[len(n.Events)-1]) }

// Keys lists the keys of all news with the same content that a process may have published before it ended without
// recording that.
func (n News) Keys() []string { return n.keys }

// newsKey includes the moment of the last event: after a store was put back to an earlier state, something else happens
// at the same version. Its length leaves room in a nonce, which has at most 25 characters.
func newsKey(id ID, last Event) string {
	return fmt.Sprintf("%s-v%d-%s", id, last.Version, strconv.FormatInt(int64(last.At)%(36*36*36*36), 36))
}

// Publisher publishes a table's news in its channel. Several goroutines call Publish, but only one at a time for each
// table.
//
// It returns a note of at most 4,096 bytes, and receives it again with the table's next news: a first line of ids, and
// lines that may name people. When one of these people is forgotten, those lines are removed. After an error the same
// news, and later ones, are published again: at once after Poke, when the table changes again and at the next start,
// or after a pause, which is long after a *PermanentError.
type Publisher interface {
	Publish(ctx context.Context, n News) (note string, err error)
	// ShowCard updates a table's card, see storage.Card. It returns ErrNoCard if the card is gone, and a
	// *PermanentError as Publish does.
	ShowCard(ctx context.Context, snap *Snapshot) error
	// ArchiveThread archives the thread of a table that is over. It returns a *PermanentError as Publish does.
	ArchiveThread(ctx context.Context, snap *Snapshot) error
	// NameThread names a table's thread after the table and the people of NamesThread. It returns a *PermanentError as
	// Publish does.
	NameThread(ctx context.Context, snap *Snapshot) error
}

// outbox publishes the news of tables that are not published yet.
type outbox struct {
	*ownership
	store Store
	pub   Publisher // set by Start
	log   *slog.Logger
	came  func(*job, time.Time) // receives the time of a table's oldest unpublished event

	mu    sync.Mutex
	begun map[ID]struct{}     // tables that waited at the start and have not been published since
	tried int                 // how many tables may has been asked about
	news  map[ID]*pendingNews // unpublished news from this process's commits; for other tables the store is read

	clears uint64 // how often news was cleared
}

// pendingNews holds the unpublished news of a table, as known from the store and from this process's commits.
type pendingNews struct {
	published storage.Publication // the published version
	version   uint64              // the last known version
	events    []Event             // events of the versions after the published one
	forgotten uint64              // Head.Forgotten at the events
	clears    uint64              // outbox.clears when the store was read
}

// mostPending bounds the tables whose news the outbox keeps in memory.
const mostPending = maxJobs

// committed adds a commit's events to the table's pending news. It is called for every commit, in the order of a
// table's versions. The call may come after a clear, or after a read of the store that already had the commit. If the
// commit does not follow the last known version, the outbox drops the news and reads them from the store later.
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

// learn keeps a table's pending news in memory, and drops those of other tables if there are too many. The caller holds
// the lock.
func (o *outbox) learn(id ID, f *pendingNews) {
	for other := range o.news {
		if len(o.news) < mostPending {
			break
		}
		delete(o.news, other)
	}
	o.news[id] = f
}

// clear drops all pending news from memory. It is called when other processes may change tables, too, or when events in
// the store are being changed.
func (o *outbox) clear() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clears++
	clear(o.news)
}

// stored returns the unpublished news of a table, at least up to the snapshot's version. It returns storage.ErrStale if
// the snapshot may name somebody who was forgotten since.
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
	// Read after the snapshot, so that no event of its versions is missing.
	stored, err := o.store.News(ctx, snap.ID)
	if err == nil && stored.Head.Forgotten != snap.Forgotten {
		err = storage.ErrStale
	}
	published := storage.Publication{Version: stored.Published, Forgotten: stored.Head.Forgotten, Note: stored.Note}
	return &pendingNews{published, stored.Head.Version, stored.Events, stored.Head.Forgotten, clears}, err
}

// marked records that news were marked as published. f is what was known before; it is dropped if there was a clear
// since.
func (o *outbox) marked(id ID, f *pendingNews, p storage.Publication) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if f.clears != o.clears {
		return
	}
	if now := o.news[id]; now != nil && now.version > f.version {
		f = now // commits came meanwhile
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

// mostRefused is how many tables with refused news are tried again at a start, before their pause is over. Discord bars
// an address that makes more than ten thousand refused requests in ten minutes. Source: Discord's documentation, topic
// "Rate Limits", section "Invalid Request Limit".
const mostRefused = 1000

// may reports whether to try a table with refused news again at the start. It counts its calls.
func (o *outbox) may() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tried++
	return o.tried <= mostRefused
}

// recall records which tables wait at the start.
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

// recallPage is how many waiting tables are read from the store at once when the bot starts.
const recallPage = 4096

// wasBegun reports whether a table has waited since the start.
func (o *outbox) wasBegun(id ID) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, ok := o.begun[id]
	return ok
}

// done records that a table has been published since the start.
func (o *outbox) done(id ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.begun, id)
}

// tell publishes the unpublished news of a table, if there are any, and marks them as published. told reports whether
// there were news and the publisher took them. j remembers published news that could not be marked. It returns the
// publisher's error, ErrNotOwner if another process has to publish them, and storage.ErrStale if the snapshot may name
// somebody who was forgotten since.
func (o *outbox) tell(ctx context.Context, snap *Snapshot, j *job) (told bool, err error) {
	stored, err := o.stored(ctx, snap)
	if err != nil {
		return false, freezeDamaged(ctx, o.log, snap.ID, err)
	}
	if j.told.Version < stored.published.Version {
		j.told = stored.published
	}
	if j.told.Forgotten != snap.Forgotten {
		j.told.Forgotten, j.told.Note = snap.Forgotten, storage.NamelessNote(snap.Head, j.told.Note)
	}
	if j.told.Version < snap.Version {
		note := j.told.Note
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
			told = true
		}
		j.told = storage.Publication{Version: snap.Version, Forgotten: snap.Forgotten, Note: note}
		o.done(snap.ID)
	}
	if j.told.Version == stored.published.Version {
		o.marked(snap.ID, stored, j.told)
		return told, nil
	}
	fence, held := o.fence(snap.Guild)
	if !held {
		return told, ErrNotOwner
	}
	err = o.store.MarkPublished(ctx, snap.ID, j.told, fence)
	if errors.Is(err, storage.ErrNotOwner) {
		return told, ErrNotOwner
	}
	if err == nil {
		o.marked(snap.ID, stored, j.told)
	}
	return told, freezeDamaged(ctx, o.log, snap.ID, err)
}

// news returns the unpublished events up to the snapshot's version. It leaves out plays that were taken back before
// they were published.
func news(snap *Snapshot, events []Event, j *job) News {
	n := News{Snapshot: snap, Since: j.told.Version, Note: j.told.Note, From: snap.Plays}
	for _, e := range events {
		if e.Version <= j.told.Version || e.Version > snap.Version {
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

// call calls the publisher and turns its panic into an error.
func (o *outbox) call(ctx context.Context, n News) (note string, err error) {
	defer o.recover(n.ID, &err)
	return o.pub.Publish(ctx, n)
}

// showCard has the publisher show a table's card, and recovers from a panic as call does.
func (o *outbox) showCard(ctx context.Context, snap *Snapshot) (err error) {
	defer o.recover(snap.ID, &err)
	return o.pub.ShowCard(ctx, snap)
}

// archive has the publisher archive a table's thread, and recovers from a panic as call does.
func (o *outbox) archive(ctx context.Context, snap *Snapshot) (err error) {
	defer o.recover(snap.ID, &err)
	return o.pub.ArchiveThread(ctx, snap)
}

// nameThread has the publisher name a table's thread, and recovers from a panic as call does.
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
// reports whether the table has unpublished events.
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
