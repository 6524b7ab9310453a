// Package storagetest helps other packages' tests: it opens a store in a file, makes changes that open, continue and
// end a table, and tests implementations of leases.
package storagetest

import (
	"context"
	"fmt"

	"marque/games"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
	"marque/storage/kv/bolt"
)

// OpenFile opens a store in a file.
func OpenFile(path string) (*storage.Store, error) {
	engine, err := bolt.Open(path)
	if err != nil {
		return nil, err
	}
	return storage.Open(context.Background(), engine)
}

// Opening returns a change that opens a table for the users, of whom the first is the host.
func Opening(guild, channel string, users ...string) storage.Change {
	h := storage.Head{
		Version: 1, Game: "heap", Guild: guild, Channel: channel, Least: 2, Most: 2, Host: users[0],
		ToMove: games.Nobody, Events: 1, Opened: 1000, Changed: 1000,
	}
	for _, u := range users {
		h.Seats = append(h.Seats, storage.Occupant{User: u, Name: text.NewName("Captain " + u)})
	}
	return storage.Change{
		Head: h,
		Detail: &storage.Detail{
			Setup: games.Setup{Seats: 2, Options: []games.Setting{{Key: "a", Value: "b"}}},
			Rules: 3, Seed: fair.Seed{1, 2, 3}, Inputs: []string{"j1", "j2"}, Invited: []string{"z"}, WhenFull: true,
		},
		Events: []storage.Event{{Kind: storage.Opened, Version: 1, At: 1000, Seat: games.Nobody, User: users[0],
			Text: "Captain " + users[0]}},
	}
}

// Next returns a change with n plays, which follows the head h.
func Next(h storage.Head, n int) storage.Change {
	h.Version++
	h.Status = storage.Playing
	h.Changed += 10
	h.Board = h.Version
	h.Plays += n
	c := storage.Change{}
	for i := range n {
		c.Events = append(c.Events, storage.Event{
			Kind: storage.Played, Version: h.Version, At: h.Changed, Seat: games.Seat(i % 2),
			Text: fmt.Sprintf("take %d", h.Events+uint64(i)),
		})
	}
	h.Events += uint64(n)
	c.Head = h
	return c
}

// Ending returns a change that follows the head h and ends the table. The given seats win.
func Ending(h storage.Head, winners ...games.Seat) storage.Change {
	c := Next(h, 1)
	c.Head.Status, c.Head.ToMove, c.Head.Due = storage.Over, games.Nobody, nil
	c.Result = &storage.Result{
		Game: h.Game, Guild: h.Guild, Seats: h.Seats, Winners: winners, Plays: c.Head.Plays, Ended: c.Head.Changed,
	}
	return c
}
