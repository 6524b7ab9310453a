package storage

import "slices"

// Span is a time from From up to and without To.
type Span struct {
	From Stamp `json:"f"`
	To   Stamp `json:"t"`
}

// Uptime says when the bot could be reached.
type Uptime struct {
	Alive Stamp  `json:"alive"`          // when the bot was last known to be up
	Down  []Span `json:"down,omitempty"` // when it was down, in order
}

// Removal is a server that the bot was removed from.
type Removal struct {
	Guild string `json:"guild"`
	At    Stamp  `json:"at"`
}

// ChangingUptime is the Edit of an Uptime that Engine.ChangeUptime makes.
func ChangingUptime(change func(Uptime) Uptime) Edit {
	return func(read func(any) error) (any, error) {
		var u Uptime
		if err := read(&u); err != nil {
			return nil, err
		}
		return change(u), nil
	}
}

// AddingRemoval is the Edit of a list of removals that Engine.AddRemoval makes.
func AddingRemoval(r Removal) Edit {
	return editRemovals(func(list []Removal) ([]Removal, bool) {
		if slices.ContainsFunc(list, func(o Removal) bool { return o.Guild == r.Guild }) {
			return nil, false
		}
		return append(list, r), true
	})
}

// DroppingRemoval is the Edit of a list of removals that Engine.DropRemoval makes.
func DroppingRemoval(guild string) Edit {
	return editRemovals(func(list []Removal) ([]Removal, bool) {
		n := len(list)
		list = slices.DeleteFunc(list, func(o Removal) bool { return o.Guild == guild })
		return list, len(list) < n
	})
}

func editRemovals(change func([]Removal) ([]Removal, bool)) Edit {
	return func(read func(any) error) (any, error) {
		var list []Removal
		if err := read(&list); err != nil {
			return nil, err
		}
		if list, changed := change(list); changed {
			return list, nil
		}
		return nil, nil
	}
}
