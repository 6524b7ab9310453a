package rest

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"marque/bot/timesource"
)

// briefly is how long a private message that confirms an action is shown.
const briefly = time.Minute

// Ephemerals manages private messages about tables. Each user has at most one for a table: a new message replaces the
// old one, which is deleted if its token is still valid. The list is only in memory, so a message from before a restart
// stays until its reader dismisses it.
type Ephemerals struct {
	rest  Client
	clock timesource.Clock
	log   *slog.Logger
	mu    sync.Mutex
	byKey *simplelru.LRU[ephemeralKey, *ephemeral]
}

type ephemeralKey struct{ user, table string }

// Ephemeral is a private message of a user about a table.
type Ephemeral struct {
	Table   string
	Version uint64 // version of the table that the message shows
	// Transient says that the message confirms an action. It is deleted after a minute.
	Transient bool
	// By is an interaction whose token can delete the message. Message is the id of the message, or "" for the first
	// answer to By, whose id is unknown.
	By      *discordgo.Interaction
	Message string
	// Updated says that By was a click on the message itself, and that the answer updated the message.
	Updated bool
}

// held is a private message, and how long its token is valid.
type held struct {
	Ephemeral // By is nil if there is no message
	until     time.Time
}

type ephemeral struct {
	held
	asked   uint64 // latest version of the table at which a board asked the user for a move
	clicks  int    // number of clicks being answered; the message stays while there are any
	dropped []held // dropped during these clicks, and deleted after them
	due     bool   // whether a transient message has been shown long enough
	stop    func() // stops the timer of a transient message
}

// NewEphemerals returns an empty Ephemerals, which deletes messages with client.
func NewEphemerals(client Client, clock timesource.Clock, log *slog.Logger) *Ephemerals {
	// NewLRU fails only if the size is below 1.
	byKey, _ := simplelru.NewLRU(maxTokens, func(_ ephemeralKey, e *ephemeral) { e.stop() })
	return &Ephemerals{rest: client, clock: clock, log: log, byKey: byKey}
}

// of returns the entry of a user at a table, and creates it if necessary. The caller holds the lock.
func (p *Ephemerals) of(user, table string) *ephemeral {
	key := ephemeralKey{user, table}
	e, ok := p.byKey.Get(key)
	if !ok {
		e = &ephemeral{stop: func() {}}
		p.byKey.Add(key, e)
	}
	return e
}

// Click records that a click on a user's private message is being answered. The message is not deleted until done is
// called.
func (p *Ephemerals) Click(user, table string) (done func()) {
	if p == nil {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.of(user, table)
	e.clicks++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if e.clicks--; e.clicks == 0 {
			for _, old := range e.dropped {
				p.delete(old)
			}
			e.dropped = nil
		}
		p.tidy(e)
	}
}

// Shown records a private message that a user now has at a table. Of this message and the previous one, Shown keeps the
// one of the later interaction, and deletes the other unless both are the same message.
func (p *Ephemerals) Shown(user string, m Ephemeral) {
	if p == nil {
		return
	}
	m.By = &discordgo.Interaction{ID: m.By.ID, AppID: m.By.AppID, Token: m.By.Token}
	stop := func() {}
	if m.Transient {
		stop = p.clock.AfterFunc(briefly, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if e := p.of(user, m.Table); e.By == m.By {
				e.due = true
				p.tidy(e)
			}
		})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.of(user, m.Table)
	// A later interaction was answered before this one.
	if e.By != nil && cmp.Or(cmp.Compare(len(m.By.ID), len(e.By.ID)), cmp.Compare(m.By.ID, e.By.ID)) < 0 {
		stop()
		same := m.Message == e.Message
		if m.Message == "" { // may be the message that the later click has updated
			same = e.Updated
		}
		if !m.Updated && !same {
			p.delete(held{m, p.clock.Now().Add(holdTime)})
		}
		return
	}
	if !m.Updated || e.Message != "" && e.Message != m.Message { // an update can arrive before its message is recorded
		p.drop(e)
	}
	if m.Updated { // a click on a dropped message, made after another message had replaced it
		e.dropped = slices.DeleteFunc(e.dropped, func(old held) bool { return old.Message == m.Message })
	}
	e.stop()
	e.held, e.due, e.stop = held{m, p.clock.Now().Add(holdTime)}, false, stop
	p.tidy(e)
}

// Asked records that a board asks a user for a move at this version of a table. Private messages about earlier versions
// are then out of date, and deleted.
func (p *Ephemerals) Asked(user, table string, version uint64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e, ok := p.byKey.Get(ephemeralKey{user, table})
	if !ok {
		return
	}
	e.asked = max(e.asked, version)
	p.tidy(e)
}

// tidy deletes a message that is out of date or was shown long enough, unless a click is being answered. The caller
// holds the lock.
func (p *Ephemerals) tidy(e *ephemeral) {
	if (e.due || e.Version < e.asked) && e.clicks == 0 {
		p.drop(e)
	}
}

// drop deletes a user's message, immediately or after the clicks that are being answered, because their answers may
// update the message. The caller holds the lock.
func (p *Ephemerals) drop(e *ephemeral) {
	e.stop()
	if e.clicks > 0 {
		e.dropped = append(e.dropped, e.held)
	} else {
		p.delete(e.held)
	}
	e.By = nil
}

// delete deletes a message, if there is one and its token is still valid. It does not wait for the deletion, and logs
// errors only at debug level.
func (p *Ephemerals) delete(old held) {
	if old.By == nil || !p.clock.Now().Before(old.until) {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), Timeout)
		defer cancel()
		id := old.Message
		if old.Updated || id == "" {
			id = original
		}
		if err := p.rest.deleteAnswer(ctx, old.By, id); err != nil {
			p.log.DebugContext(ctx, "a private message could not be deleted", "table", old.Table, "error", Scrub(err))
		}
	}()
}
