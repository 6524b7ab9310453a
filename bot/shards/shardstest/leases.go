// Package shardstest has leases in memory, for tests in which several processes share leases without a database. They
// implement storage.Leases with as little code as possible.
package shardstest

import (
	"context"
	"slices"
	"sync"
	"time"

	"marque/bot/timesource"
	"marque/storage"
)

// Leases is an in-memory storage.Leases with the time of a given clock.
type Leases struct {
	clock timesource.Clock

	mu      sync.Mutex
	members []member
	leases  []lease
	turns   map[int]time.Time
	keys    map[string]time.Time
	ears    map[chan string]struct{} // channels of the listeners
	down    error
}

type member struct {
	name  string
	until time.Time
}

type lease struct {
	term  uint64
	owner string
	until time.Time
	heir  string
	ready bool
}

// New returns leases without owners.
func New(clock timesource.Clock) *Leases {
	return &Leases{clock: clock, turns: map[int]time.Time{}, keys: map[string]time.Time{},
		ears: map[chan string]struct{}{}}
}

// Break makes later calls of the methods of storage.Leases return err. A nil err repairs the leases.
func (s *Leases) Break(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = err
}

// Owners returns the processes that own the leases, by shard; "" for none.
func (s *Leases) Owners() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	owners := make([]string, len(s.leases))
	for i, l := range s.leases {
		if l.owner != "" && s.clock.Now().Before(l.until) {
			owners[i] = l.owner
		}
	}
	return owners
}

// Holds reports whether t's process owns the lease in t's term, so that a store would accept a write under t. A lease
// that has expired counts until a process claims it. Holds returns false for the zero Fence.
func (s *Leases) Holds(t storage.Fence) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.Process != "" && s.owned(t.Process, t.Shard, t.Term) != nil
}

// begin is called at the start of each method of storage.Leases. It removes expired members, or returns the error set
// by Break. The caller holds the lock.
func (s *Leases) begin(ctx context.Context) (now time.Time, err error) {
	now = s.clock.Now()
	if s.down != nil {
		return now, s.down
	}
	s.members = slices.DeleteFunc(s.members, func(m member) bool { return !now.Before(m.until) })
	return now, ctx.Err()
}

func (s *Leases) lives(process string) bool {
	return slices.ContainsFunc(s.members, func(m member) bool { return m.name == process })
}

// owned returns the lease of a shard if process owns it in this term, even if the lease has expired; otherwise nil.
func (s *Leases) owned(process string, shard int, term uint64) *lease {
	if shard < 0 || shard >= len(s.leases) {
		return nil
	}
	if l := &s.leases[shard]; l.owner == process && l.term == term {
		return l
	}
	return nil
}

// Renew implements storage.Leases.
func (s *Leases) Renew(ctx context.Context, process string, shards int, life time.Duration) (storage.Roster, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.begin(ctx)
	if err != nil {
		return storage.Roster{}, err
	}
	if !slices.ContainsFunc(s.members, func(m member) bool { return m.name != process }) && len(s.leases) != shards {
		for len(s.leases) < shards {
			s.leases = append(s.leases, lease{})
		}
		s.leases = s.leases[:shards]
		for i := range s.leases {
			s.leases[i] = lease{term: s.leases[i].term}
		}
	}
	if i := slices.IndexFunc(s.members, func(m member) bool { return m.name == process }); i >= 0 {
		s.members[i].until = now.Add(life)
	} else {
		s.members = append(s.members, member{process, now.Add(life)})
	}
	r := storage.Roster{Shards: len(s.leases)}
	for _, m := range s.members {
		r.Members = append(r.Members, m.name)
	}
	for i := range s.leases {
		l := &s.leases[i]
		if l.owner == process && now.Add(life).After(l.until) {
			l.until = now.Add(life)
		}
		shown := storage.Lease{Shard: i, Term: l.term}
		if l.owner != "" && now.Before(l.until) {
			shown.Owner, shown.Left, shown.Heir, shown.Ready = l.owner, l.until.Sub(now), l.heir, l.ready
		}
		r.Leases = append(r.Leases, shown)
	}
	return r, nil
}

// Claim implements storage.Leases.
func (s *Leases) Claim(ctx context.Context, process string, shard int, life time.Duration) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.begin(ctx)
	if err != nil {
		return 0, err
	}
	if shard < 0 || shard >= len(s.leases) || !s.lives(process) {
		return 0, storage.ErrNotOwner
	}
	l := &s.leases[shard]
	if l.owner != "" && l.owner != process && now.Before(l.until) {
		return 0, storage.ErrNotOwner
	}
	*l = lease{term: l.term + 1, owner: process, until: now.Add(life)}
	return l.term, nil
}

// Offer implements storage.Leases.
func (s *Leases) Offer(ctx context.Context, process string, shard int, term uint64, heir string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.begin(ctx); err != nil {
		return err
	}
	l := s.owned(process, shard, term)
	if l == nil {
		return storage.ErrNotOwner
	}
	l.heir, l.ready = heir, false
	return nil
}

// Accept implements storage.Leases.
func (s *Leases) Accept(ctx context.Context, heir string, shard int, term uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.begin(ctx); err != nil {
		return err
	}
	if shard < 0 || shard >= len(s.leases) || s.leases[shard].heir != heir || s.leases[shard].term != term {
		return storage.ErrNotOwner
	}
	s.leases[shard].ready = true
	return nil
}

// Hand implements storage.Leases.
func (s *Leases) Hand(ctx context.Context, process string, shard int, term uint64, life time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.begin(ctx)
	if err != nil {
		return err
	}
	l := s.owned(process, shard, term)
	if l == nil || !l.ready || !s.lives(l.heir) {
		return storage.ErrNotOwner
	}
	*l = lease{term: l.term + 1, owner: l.heir, until: now.Add(life)}
	return nil
}

// Leave implements storage.Leases.
func (s *Leases) Leave(ctx context.Context, process string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.begin(ctx); err != nil {
		return err
	}
	s.members = slices.DeleteFunc(s.members, func(m member) bool { return m.name == process })
	for i := range s.leases {
		l := &s.leases[i]
		if l.owner == process {
			*l = lease{term: l.term}
		}
		if l.heir == process {
			l.heir, l.ready = "", false
		}
	}
	return nil
}

// Turn implements storage.Leases.
func (s *Leases) Turn(ctx context.Context, group int, pause time.Duration) (time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.begin(ctx)
	if err != nil {
		return 0, err
	}
	if wait := s.turns[group].Add(pause).Sub(now); wait > 0 {
		return wait, nil
	}
	s.turns[group] = now
	return 0, nil
}

// First implements storage.Leases.
func (s *Leases) First(ctx context.Context, key string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.begin(ctx)
	if err != nil {
		return false, err
	}
	for k, at := range s.keys {
		if now.Sub(at) >= storage.KeyKept {
			delete(s.keys, k)
		}
	}
	if _, seen := s.keys[key]; seen {
		return false, nil
	}
	s.keys[key] = now
	return true, nil
}

// Send implements storage.Leases. It drops the text for listeners that have no room.
func (s *Leases) Send(ctx context.Context, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.begin(ctx); err != nil {
		return err
	}
	for ear := range s.ears {
		select {
		case ear <- text:
		default:
		}
	}
	return nil
}

// Listen implements storage.Leases.
func (s *Leases) Listen(ctx context.Context, heard func(text string)) error {
	ear := make(chan string, 64)
	s.mu.Lock()
	_, err := s.begin(ctx)
	if err == nil {
		s.ears[ear] = struct{}{}
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.ears, ear)
	}()
	for text := ""; ; {
		heard(text)
		select {
		case text = <-ear:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
