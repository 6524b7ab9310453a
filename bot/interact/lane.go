package interact

import (
	"context"
	"sync"

	"marque/bot/show"
	"marque/games/text"
)

// Work is the kind of work that an answer needs. Each kind except Quick has a lane, which is a queue in which users
// take turns. Each user has a small share of a lane, so that no user blocks the others.
type Work int

const (
	// Quick answers need none of the other kinds of work.
	Quick Work = iota
	// Painting is painting a picture.
	Painting
	// Thinking is a computer player's search for a move.
	Thinking
	// Animation is painting the pictures of a whole game.
	Animation
	// Reviewing is waiting for the turning points of a game.
	Reviewing
	// Fetching is downloading and parsing a file from Discord, or collecting a user's data from the whole store.
	Fetching
)

// lane is a fair queue for one kind of work. atOnce limits the running tickets. ofUser and ofServer limit the running
// and waiting tickets of each user and of each server. Users take turns. Tickets of a user are called in order.
type lane struct {
	atOnce, ofUser, ofServer int

	mu      sync.Mutex
	running int
	users   map[string]int       // number of waiting and running tickets of each user; no entry for none
	servers map[string]int       // number of waiting and running tickets of each server; no entry for none
	waiting map[string][]*ticket // waiting tickets by user; no entry for none
	turns   []string             // users with waiting tickets, next first
}

// ticket is a place in a lane, waiting or running.
type ticket struct {
	user, server string
	called       chan struct{} // closed when the work can begin
}

func newLane(atOnce, ofUser, ofServer int) *lane {
	return &lane{
		atOnce: atOnce, ofUser: ofUser, ofServer: ofServer,
		users: map[string]int{}, servers: map[string]int{}, waiting: map[string][]*ticket{},
	}
}

// enter returns a ticket for a user of a server. It refuses immediately if the user or the server has too many tickets.
// The work can begin when the ticket is called. The caller must release the ticket with leave.
func (l *lane) enter(user, server string) (*ticket, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.users[user] >= l.ofUser:
		return nil, show.Refuse(text.M("bot.error.too-many", "Count", l.ofUser))
	case l.servers[server] >= l.ofServer:
		return nil, show.Refuse(text.M("bot.error.too-many-here"))
	}
	l.users[user]++
	l.servers[server]++
	t := &ticket{user, server, make(chan struct{})}
	if len(l.waiting[user]) == 0 {
		l.turns = append(l.turns, user)
	}
	l.waiting[user] = append(l.waiting[user], t)
	l.call()
	return t, nil
}

// call calls the next tickets while there is room. The caller must hold the lock.
func (l *lane) call() {
	for l.running < l.atOnce && len(l.turns) > 0 {
		user := l.turns[0]
		l.turns = l.turns[1:]
		t := l.waiting[user][0]
		if rest := l.waiting[user][1:]; len(rest) > 0 {
			l.waiting[user] = rest
			l.turns = append(l.turns, user)
		} else {
			delete(l.waiting, user)
		}
		l.running++
		close(t.called)
	}
}

// wait waits until the ticket is called. It returns a refusal if ctx ends first.
func (t *ticket) wait(ctx context.Context) error {
	select {
	case <-t.called:
		return nil
	case <-ctx.Done():
		return show.Refuse(text.M("bot.error.busy"))
	}
}

// leave releases a ticket, whether or not the work has begun.
func (l *lane) leave(t *ticket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	decrease(l.users, t.user)
	decrease(l.servers, t.server)
	select {
	case <-t.called:
		l.running--
	default:
		l.withdraw(t)
	}
	l.call()
}

// withdraw removes a ticket that was never called. The caller must hold the lock.
func (l *lane) withdraw(t *ticket) {
	var rest []*ticket
	for _, w := range l.waiting[t.user] {
		if w != t {
			rest = append(rest, w)
		}
	}
	if len(rest) > 0 {
		l.waiting[t.user] = rest
		return
	}
	delete(l.waiting, t.user)
	for i, user := range l.turns {
		if user == t.user {
			l.turns = append(l.turns[:i:i], l.turns[i+1:]...)
			break
		}
	}
}

func decrease(counts map[string]int, key string) {
	if counts[key]--; counts[key] <= 0 {
		delete(counts, key)
	}
}
