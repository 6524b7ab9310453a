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

// News is what happened at a table since the last version that was published.
type News struct {
	*Snapshot
	Since uint64 // the last version that was published; 0 when nothing was
	// Events of the versions Since+1 to Version, in order; never empty. The plays among them are
	// without Text, which others may not know: Trail(viewer, From, Plays) tells them as a viewer
	// may know them.
	Events []Event
	From   int    // the number of plays before the first event
	Note   string // what Publish returned for Since
	// Begun says that the table waited to be told when the program started: the one before it may
	// have told the same and ended before it could note that. See Key.
	Begun bool

	held func() bool // see Ours
	keys []string    // see Keys
}

// Presses reports whether the news also call users who are called once a day: time is about to run out, or
// the table to be closed.
func (n News) Presses() bool {
	return slices.ContainsFunc(n.Events, func(e Event) bool {
		return e.Kind == storage.IdleSoon || e.Kind == storage.Reminded && e.Text == lastCall
	})
}

// Ours reports whether it is still this process that tells the news. A publisher that has painted or waited since
// Publish began asks again before it sends something, and returns ErrNotOwner if it is not.
func (n News) Ours() bool { return n.held == nil || n.held() }

// Key names what the news say, the same whenever they are told: it stays over changes of the table
// that are no news. It is another one after the table was restored from a copy, whatever was told before.
func (n News) Key() string { return newsKey(n.ID, n.Events[len(n.Events)-1]) }

// Keys are those of all news that may have been told of what these tell, by a process that ended
// before it could note that.
func (n News) Keys() []string { return n.keys }

// newsKey has the moment of the last event in it: where a store was put back to an earlier state,
// what happens at the same version is something else. Its length leaves room in a nonce, which has
// at most 25 characters.
func newsKey(id ID, last Event) string {
	return fmt.Sprintf("%s-v%d-%s", id, last.Version, strconv.FormatInt(int64(last.At)%(36*36*36*36), 36))
}

// Publisher tells a table's channel what happened. Publish is called by several goroutines, but by
// one at a time for each table.
//
// It returns a note, at most 4,096 bytes, that it gets back with the table's next news: a first line
// of ids, and lines that may name people, which are gone once one of them is forgotten. When it
// returns an error the same news, and what has come since, are published again: at once after Poke,
// when the table changes again and at the next start, or after a while, which after a
// *PermanentError is long.
type Publisher interface {
	Publish(ctx context.Context, n News) (note string, err error)
	// ShowCard edits a table's card to what the table is now, see storage.Card. It returns ErrNoCard
	// when the card is gone, and a *PermanentError as Publish does.
	ShowCard(ctx context.Context, snap *Snapshot) error
	// ArchiveThread archives the thread of a table that is over. It returns a *PermanentError as Publish does.
	ArchiveThread(ctx context.Context, snap *Snapshot) error
	// NameThread names a table's thread after the table, and after those of NamesThread. It returns a
	// *PermanentError as Publish does.
	NameThread(ctx context.Context, snap *Snapshot) error
}

// outbox tells the publisher what happened at tables and was not told yet.
type outbox struct {
	*ownership
	store outboxStore
	pub   Publisher // from Start on
	log   *slog.Logger
	came  func(*job, time.Time) // told when the oldest of a table's news came

	mu    sync.Mutex
	begun map[ID]struct{} // tables that waited at the start, and were not told since
	tried int             // how many of those that a channel had refused were tried by may
	fresh map[ID]*fresh   // tables whose news were told, with the later commits; other tables are read from the store

	clears uint64 // how often fresh was cleared
}

// fresh is what the store has to tell of a table, as this process committed it.
type fresh struct {
	published storage.Publication // what is marked as published
	version   uint64              // the last that is known
	events    []Event             // of the versions behind the published one
	forgotten uint64              // Head.Forgotten of the events
	clears    uint64              // outbox.clears when it was asked for
}

// mostFresh bounds the tables whose news the outbox keeps in memory.
const mostFresh = maxJobs

// committed takes in the result of a commit; it is called for every commit, in the order of a table's versions. The
// call may come after a clear, or after a read of the store that had the commit in it: what is unknown is read from the
// store.
func (o *outbox) committed(h Head, events []Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.fresh[h.ID]
	if f != nil && f.version+1 == h.Version && f.forgotten == h.Forgotten {
		f.version, f.events = h.Version, append(slices.Clip(f.events), events...)
		return
	}
	delete(o.fresh, h.ID)
}

// learn notes what is known of a table from now on. It is called with the lock held.
func (o *outbox) learn(id ID, f *fresh) {
	for other := range o.fresh {
		if len(o.fresh) < mostFresh {
			break
		}
		delete(o.fresh, other)
	}
	o.fresh[id] = f
}

// clear forgets what commits have brought: of tables that are not this process's alone, or whose
// events are being changed.
func (o *outbox) clear() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clears++
	clear(o.fresh)
}

// stored is what the store has to tell of a table, up to the snapshot's version at least. It
// returns storage.ErrStale when the snapshot may name somebody who was forgotten since.
func (o *outbox) stored(ctx context.Context, snap *Snapshot) (*fresh, error) {
	o.mu.Lock()
	clears := o.clears
	if f := o.fresh[snap.ID]; f != nil && f.version >= snap.Version && f.forgotten == snap.Forgotten &&
		o.sole(snap.Guild) {
		known := *f
		known.clears = clears
		o.mu.Unlock()
		return &known, nil
	}
	o.mu.Unlock()
	// Read after the snapshot, so that no event of its versions can be missing.
	stored, err := o.store.News(ctx, snap.ID)
	if err == nil && stored.Head.Forgotten != snap.Forgotten {
		err = storage.ErrStale
	}
	published := storage.Publication{Version: stored.Published, Forgotten: stored.Head.Forgotten, Note: stored.Note}
	return &fresh{published, stored.Head.Version, stored.Events, stored.Head.Forgotten, clears}, err
}

// marked notes what was marked as published; f is what was known before. What was known before the
// last clear is not kept.
func (o *outbox) marked(id ID, f *fresh, p storage.Publication) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if f.clears != o.clears {
		return
	}
	if now := o.fresh[id]; now != nil && now.version > f.version {
		f = now // there were commits meanwhile
	}
	behind := slices.IndexFunc(f.events, func(e Event) bool { return e.Version > p.Version })
	if behind < 0 {
		behind = len(f.events)
	}
	o.learn(id, &fresh{
		published: p, version: f.version, events: slices.Clone(f.events[behind:]),
		forgotten: f.forgotten,
	})
}

// mostRefused is how many tables whose news a channel has refused are tried again because of a
// start, and not at their time. Discord takes ten thousand requests in ten minutes that it refuses,
// and bars an address that makes more. Source: Discord's documentation, topic "Rate Limits", section "Invalid
// Request Limit".
const mostRefused = 1000

// may reports whether a table is tried now whose news a channel has refused and that nobody asked for.
func (o *outbox) may() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tried++
	return o.tried <= mostRefused
}

// recall notes which tables wait at the start.
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

// done notes that a table has been told since the start.
func (o *outbox) done(id ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.begun, id)
}

// tell publishes what of a table was not published yet, if there is something, and marks it as
// published. told reports whether there was something, and the publisher took it; j remembers what
// was published and could not be marked. It returns the publisher's error, ErrNotOwner when it is
// another process that tells it, and storage.ErrStale when the snapshot may name somebody who was
// forgotten since.
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

// news are the events that the publisher was not told of yet, up to the snapshot's version. Plays
// that were taken back before they could be told are left out.
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

// late is the moment of the oldest of a table's news that wait to be told, if that is long ago; else 0. waits reports
// whether any do.
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
