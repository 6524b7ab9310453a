package storage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"marque/storage/kv"
)

// GuildSettings reads a server's settings into v, a pointer to a struct with JSON tags. Fields of v whose settings were
// never stored stay unchanged.
func (s *Store) GuildSettings(ctx context.Context, guild string, v any) error {
	return s.chosen(ctx, serverSettings, key{server: guild}, v)
}

// ChangeGuildSettings changes a server's settings through edit. It returns edit's error, and ErrInvalid for an id that
// CheckName refuses.
func (s *Store) ChangeGuildSettings(ctx context.Context, guild string, edit Edit) error {
	if err := CheckName(guild); err != nil {
		return err
	}
	return s.change(ctx, serverSettings, key{server: guild}, edit)
}

// UserSettings reads a user's settings into v, a pointer to a struct with JSON tags. Fields of v whose settings were
// never stored stay unchanged.
func (s *Store) UserSettings(ctx context.Context, user string, v any) error {
	return s.chosen(ctx, userSettings, key{user: user}, v)
}

// ChangeUserSettings changes a user's settings through edit. It returns edit's error, and ErrInvalid for an id that
// CheckName refuses.
func (s *Store) ChangeUserSettings(ctx context.Context, user string, edit Edit) error {
	if err := CheckName(user); err != nil {
		return err
	}
	return s.change(ctx, userSettings, key{user: user}, edit)
}

// dueEntries lists a user by the field "due" of their settings, the next moment at which the bot must do something for
// them.
func dueEntries(k key, settings json.RawMessage) []entry {
	var at struct {
		Due Stamp `json:"due"`
	}
	if err := json.Unmarshal(settings, &at); err != nil || at.Due == 0 {
		return nil
	}
	return []entry{{usersDue, key{moment: at.Due, user: k.user}, nil}}
}

// UsersDue lists the users whose settings have a field "due" no later than until, ordered by that moment.
func (s *Store) UsersDue(ctx context.Context, until Stamp, limit int) (users []string, err error) {
	return s.usersUntil(ctx, usersDue, until, limit)
}

// usersUntil lists the users in an index of moments and users, up to a moment and in the order of the index.
func (s *Store) usersUntil(ctx context.Context, in *index, until Stamp, limit int) (users []string, err error) {
	keys, err := s.keysIn(ctx, in, kv.Range{Space: in.space, To: in.begin(key{moment: until + 1}, 1)}, limit)
	for _, k := range keys {
		users = append(users, k.user)
	}
	return users, err
}

func (s *Store) chosen(ctx context.Context, x *kind[json.RawMessage], at key, v any) error {
	b, there, err := x.get1(ctx, s, at)
	if err != nil || !there {
		return err
	}
	return parseChosen(x, at, b, v)
}

func parseChosen(x *kind[json.RawMessage], at key, b json.RawMessage, v any) error {
	if err := json.Unmarshal(b, v); err != nil {
		return damaged(x, at, err.Error())
	}
	return nil
}

// errChanged says that a value has changed since it was read.
var errChanged = errors.New("changed meanwhile")

// change changes a value through edit, and calls edit again if the value has changed in the meantime.
func (s *Store) change(ctx context.Context, x *kind[json.RawMessage], at key, edit Edit) error {
	for {
		before, there, err := x.get1(ctx, s, at)
		if err != nil {
			return err
		}
		before = slices.Clone(before)
		v, err := edit(func(v any) error {
			if !there {
				return nil
			}
			return parseChosen(x, at, before, v)
		})
		if err != nil || v == nil {
			return err
		}
		b, err := json.Marshal(v)
		if err != nil {
			return errors.Join(ErrInvalid, err)
		}
		err = s.update(ctx, work{
			locks: []kv.Lock{x.locks[0].of(at)}, want: kv.Want{Keys: []kv.Key{x.key(at)}},
			run: func(t *txn) error {
				now, is, err := x.get(t, at)
				if err != nil {
					return err
				}
				if is != there || !bytes.Equal(now, before) {
					return errChanged
				}
				return x.put(t, at, b)
			},
		})
		if !errors.Is(err, errChanged) {
			return err
		}
	}
}

// UsersNaming lists the users whose settings contain an id, ordered by user. Its running time grows with the number of
// users.
func (s *Store) UsersNaming(ctx context.Context, id string) ([]string, error) {
	var users []string
	err := s.view(ctx, func(r kv.Reader) error {
		return each(r, kv.Range{Space: userSettings.space}, func(p kv.Pair) error {
			if k, ok := userSettings.parse(p.Key); ok && bytes.Contains(p.Value, []byte(id)) {
				users = append(users, k.user)
			}
			return nil
		})
	})
	return users, err
}

// Span is the half-open interval of time [From, To).
type Span struct {
	From Stamp `json:"f"`
	To   Stamp `json:"t"`
}

// Uptime records when people could reach the bot.
type Uptime struct {
	Alive Stamp  `json:"alive"`          // last moment at which the bot is known to have been reachable
	Down  []Span `json:"down,omitempty"` // spans of downtime, in order
}

// Removal records that the bot was removed from a server.
type Removal struct {
	Guild string `json:"guild"`
	At    Stamp  `json:"at"`
}

// revising converts change to an Edit. change returns the new value and whether it differs from the old one. If it does
// not, the Edit writes nothing.
func revising[V any](change func(V) (V, bool)) Edit {
	return func(read func(any) error) (any, error) {
		var v V
		if err := read(&v); err != nil {
			return nil, err
		}
		if v, changed := change(v); changed {
			return v, nil
		}
		return nil, nil
	}
}

// Names of the values that the bot stores for itself.

var (
	uptimeKey       = key{name: "uptime"}
	removalsKey     = key{name: "removals"}
	restorationsKey = key{name: "restorations"}
)

// Uptime returns the stored Uptime.
func (s *Store) Uptime(ctx context.Context) (u Uptime, err error) {
	err = s.chosen(ctx, botNotes, uptimeKey, &u)
	return u, err
}

// ChangeUptime replaces the stored Uptime with the result of change, which may be called more than once.
func (s *Store) ChangeUptime(ctx context.Context, change func(Uptime) Uptime) error {
	return s.change(ctx, botNotes, uptimeKey, revising(func(u Uptime) (Uptime, bool) { return change(u), true }))
}

// Removals returns the servers from which the bot was removed, in the order in which this was recorded.
func (s *Store) Removals(ctx context.Context) (list []Removal, err error) {
	err = s.chosen(ctx, botNotes, removalsKey, &list)
	return list, err
}

// AddRemoval records that the bot was removed from a server. If this is already recorded, AddRemoval does nothing.
func (s *Store) AddRemoval(ctx context.Context, r Removal) error {
	return s.change(ctx, botNotes, removalsKey, revising(func(list []Removal) ([]Removal, bool) {
		there := slices.ContainsFunc(list, func(o Removal) bool { return o.Guild == r.Guild })
		return append(list, r), !there
	}))
}

// DropRemoval deletes the record that the bot was removed from a server.
func (s *Store) DropRemoval(ctx context.Context, guild string) error {
	return s.change(ctx, botNotes, removalsKey, revising(func(list []Removal) ([]Removal, bool) {
		n := len(list)
		list = slices.DeleteFunc(list, func(o Removal) bool { return o.Guild == guild })
		return list, len(list) < n
	}))
}

// Restorations returns the latest restorations of this store, newest last.
func (s *Store) Restorations(ctx context.Context) (list []Restoration, err error) {
	err = s.chosen(ctx, botNotes, restorationsKey, &list)
	return list, err
}
