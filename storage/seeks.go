package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"marque/games/text"
	"marque/storage/kv"
)

// MaxSeeks limits, for one server, the users who seek a game at the same time, and also the users who must be told
// that nobody was found. Together with the users who wait for their table, there can be 4*MaxSeeks at most.
const MaxSeeks = 25

// ErrSeeks says that too many users seek a game on a server, wait for their table, or must be told that nobody was
// found.
var ErrSeeks = errors.New("as many look for a game as may")

// Seek is a request of a user to be paired with others for a game.
type Seek struct {
	Key        string    `json:"k"` // key of the command that began the seek, which identifies it
	User       string    `json:"u"`
	Name       text.Name `json:"n,omitzero"`
	Roles      []string  `json:"ro,omitempty"` // ids of the user's roles on the server when the seek began
	Game       string    `json:"g,omitempty"`  // key of the game; "" for any
	Time       int64     `json:"m,omitempty"`  // time for a move in milliseconds; 0 for any
	Conditions           // conditions for the other players
	Since      Stamp     `json:"s"`
	Until      Stamp     `json:"e"`           // when the seek expires, or computer players take the free seats
	Computer   bool      `json:"c,omitempty"` // whether computer players take the free seats at Until
}

// Pairing is a table to be opened for users whose seeks match.
type Pairing struct {
	Key       string    `json:"k"` // key of the first of its seeks
	Game      string    `json:"g"`
	Clock     ClockRule `json:"c,omitzero"`
	Players   []Seek    `json:"p"`           // seeks of the players, that of the host first
	Computers int       `json:"o,omitempty"` // number of seats for computer players
	Card      Card      `json:"d,omitzero"`  // message about the pairing, once it is posted
}

// Seeks has all seeks and pairings of a server, and the card that shows the seeks.
type Seeks struct {
	Server  string    `json:"-"`
	Channel string    `json:"ch,omitempty"` // id of the channel of the card
	Card    Card      `json:"cd,omitzero"`  // message that shows the seeks
	Version uint64    `json:"v,omitempty"`  // increases when the content of the card changes
	Shown   uint64    `json:"sh,omitempty"` // Version that the card shows
	Called  Stamp     `json:"ca,omitempty"` // when the card was last posted because of new seeks
	Retry   Stamp     `json:"r,omitempty"`  // when to try again after a failure; 0 if there was none
	Waiting []Seek    `json:"w,omitempty"`
	Found   []Pairing `json:"f,omitempty"`
	Lapsed  []Seek    `json:"l,omitempty"` // seeks whose users must be told that nobody was found; at most MaxSeeks
}

// due returns the next moment at which the bot must do something about the seeks; 0 for never.
func (s Seeks) due() Stamp {
	at := Stamp(0)
	if len(s.Found) > 0 || len(s.Lapsed) > 0 || s.Version != s.Shown {
		return max(1, s.Retry)
	}
	for _, w := range s.Waiting {
		if at == 0 || w.Until < at {
			at = w.Until
		}
	}
	return at
}

// check returns ErrSeeks for too many seeks, and ErrInvalid for seeks that cannot be stored.
func (s Seeks) check() error {
	all := slices.Concat(s.Waiting, s.Lapsed)
	for _, p := range s.Found {
		all = append(all, p.Players...)
		if err := CheckName(p.Game); err != nil || len(p.Players) == 0 {
			return fmt.Errorf("%w: the pairing %q", ErrInvalid, p.Key)
		}
	}
	if len(s.Waiting) > MaxSeeks || len(s.Lapsed) > MaxSeeks || len(all) > 4*MaxSeeks {
		return ErrSeeks
	}
	for _, w := range all {
		if err := errors.Join(CheckName(w.User), CheckName(w.Game)); err != nil || w.User == "" || len(w.Key) > MaxKey {
			return fmt.Errorf("%w: the seek %q", ErrInvalid, w.Key)
		}
	}
	return nil
}

// seekEntries returns the index entries of a server's seeks.
func seekEntries(k key, s Seeks) []entry {
	at := s.due()
	if at == 0 {
		return nil
	}
	return []entry{{seeksDue, key{moment: at, server: k.server}, nil}}
}

// Without removes a user's seeks and pairings, and reports whether there were any. The other users of these pairings
// seek a game again, as long as there are no more than MaxSeeks.
func (s Seeks) Without(user string) (Seeks, bool) {
	is := func(w Seek) bool { return w.User == user }
	before := len(s.Waiting)
	s.Waiting = slices.DeleteFunc(slices.Clone(s.Waiting), is)
	changed := len(s.Waiting) < before
	var found []Pairing
	for _, p := range s.Found {
		if !slices.ContainsFunc(p.Players, is) {
			found = append(found, p)
			continue
		}
		changed = true
		s.Waiting = append(s.Waiting, slices.DeleteFunc(slices.Clone(p.Players), is)...)
	}
	s.Found = found
	s.Waiting = s.Waiting[:min(len(s.Waiting), MaxSeeks)]
	if changed {
		s.Version++
	}
	if slices.ContainsFunc(s.Lapsed, is) {
		s.Lapsed, changed = slices.DeleteFunc(slices.Clone(s.Lapsed), is), true
	}
	return s, changed
}

// Seeks returns the seeks of a server.
func (s *Store) Seeks(ctx context.Context, server string) (Seeks, error) {
	v, _, err := seeks.get1(ctx, s, key{server: server})
	v.Server = server
	return v, err
}

// ChangeSeeks replaces a server's seeks with the result of change. change may be called more than once, outside any
// transaction. ChangeSeeks returns the error of change, ErrSeeks for too many seeks, ErrInvalid for seeks that cannot
// be stored, and ErrNotOwner if the fence's term is over.
func (s *Store) ChangeSeeks(ctx context.Context, server string, fence Fence,
	change func(Seeks) (Seeks, error)) (Seeks, error) {
	if err := CheckName(server); err != nil {
		return Seeks{}, err
	}
	at := key{server: server}
	for {
		before, err := s.Seeks(ctx, server)
		if err != nil {
			return before, err
		}
		was, err := toJSON(before)
		if err != nil {
			return before, err
		}
		after, err := change(before)
		if err == nil {
			err = after.check()
		}
		if err != nil {
			return before, err
		}
		err = s.update(ctx, work{
			locks: []kv.Lock{settingsLock.of(at)}, want: kv.Want{Keys: []kv.Key{seeks.key(at)}}, fence: fence,
			run: func(t *txn) error {
				now, _, err := seeks.get(t, at)
				if err != nil {
					return err
				}
				if is, err := toJSON(now); err != nil || !bytes.Equal(is, was) {
					return errors.Join(err, errChanged)
				}
				return seeks.put(t, at, after)
			},
		})
		if !errors.Is(err, errChanged) {
			return after, err
		}
	}
}

// SeeksDue lists the servers whose seeks are due no later than until, ordered by that moment.
func (s *Store) SeeksDue(ctx context.Context, until Stamp, limit int) (servers []string, err error) {
	within := kv.Range{Space: seeksDue.space, To: seeksDue.begin(key{moment: until + 1}, 1)}
	keys, err := s.keysIn(ctx, seeksDue, within, limit)
	for _, k := range keys {
		servers = append(servers, k.server)
	}
	return servers, err
}

// ErrNoPairing says that a pairing does not exist: its table was already opened, or the pairing was given up.
var ErrNoPairing = errors.New("there is no such pairing")

// expectPairing adds the locks and keys that the transaction needs to delete the pairing for which it opens a table.
func (c Change) expectPairing(w *work) {
	if c.Pairing == "" {
		return
	}
	at := key{server: c.Head.Guild}
	w.locks = append(w.locks, settingsLock.of(at))
	w.want.Keys = append(w.want.Keys, seeks.key(at))
}

// pair deletes the pairing for which a table was opened. It returns ErrNoPairing if there is no such pairing.
func (t *txn) pair(c Change) error {
	if c.Pairing == "" {
		return nil
	}
	at := key{server: c.Head.Guild}
	s, _, err := seeks.get(t, at)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(s.Found, func(p Pairing) bool { return p.Key == c.Pairing })
	if i < 0 {
		return ErrNoPairing
	}
	s.Found = slices.Delete(slices.Clone(s.Found), i, i+1)
	return seeks.put(t, at, s)
}

// SeekersOf lists a user's own seeks by server: open ones, those that nobody has answered, and those in pairings, all
// of them in Seeks.Waiting. Its running time grows with the number of servers.
func (s *Store) SeekersOf(ctx context.Context, user string) (list []Seeks, err error) {
	err = s.view(ctx, func(r kv.Reader) error {
		list = nil
		return each(r, kv.Range{Space: seeks.space}, func(p kv.Pair) error {
			if !bytes.Contains(p.Value, []byte(user)) {
				return nil
			}
			k, err := seeks.mustParse(p.Key)
			if err != nil {
				return err
			}
			v, err := seeks.open(k, p.Value)
			if err != nil {
				return err
			}
			own := Seeks{Server: k.server}
			for _, w := range slices.Concat(v.Waiting, v.Lapsed) {
				if w.User == user {
					own.Waiting = append(own.Waiting, w)
				}
			}
			for _, f := range v.Found {
				for _, w := range f.Players {
					if w.User == user {
						own.Waiting = append(own.Waiting, w)
					}
				}
			}
			if len(own.Waiting) > 0 {
				list = append(list, own)
			}
			return nil
		})
	})
	return list, err
}
