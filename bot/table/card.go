package table

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"marque/games"
	"marque/storage"
)

// A table that has its own thread has a card: a message in the thread's parent channel that links to the thread. When
// somebody joins or leaves, or the game ends, the card is edited immediately. A change of turn is shown once cardPause
// has passed since the last edit. The table's head stores the state that the card shows and the time of the next edit,
// so that no edit is lost after a restart.
const (
	// cardPause is the minimum time between two edits of a card that can wait, and the first pause before a failed edit
	// is tried again.
	cardPause = 5 * time.Minute
	// cardRefused is the pause before an edit that Discord has refused is tried again.
	cardRefused = 6 * time.Hour
)

// ErrNoCard means that a table's card no longer exists.
var ErrNoCard = errors.New("the table's card is gone")

// cardState returns the state of a table's card in two parts: the part whose changes are shown immediately, and whose
// turn it is.
func cardState(h Head, invited int) (seats, turn string) {
	sum := fnv.New64a()
	fmt.Fprintf(sum, "%d %q %s %s %d %d %s %t", h.Status, h.Ending, h.Paused, h.Channel, h.Most, invited, h.Host,
		h.Card.Nameless)
	for i, o := range h.Seats {
		fmt.Fprintf(sum, " %s %s %t", o.User, o.Computer, IsOpen(h, games.Seat(i)))
	}
	if h.Status == Playing && h.Card.Message != "" {
		turn = fmt.Sprint(h.ToMove)
	}
	return fmt.Sprintf("%x", sum.Sum64()), turn
}

// namedAfter returns a hash of the names in the name of a table's thread (NamesThread). Discord allows two renames in
// ten minutes, so the name does not change for players who join before the start.
func namedAfter(h Head) string {
	sum := fnv.New64a()
	for _, o := range NamesThread(h) {
		fmt.Fprintf(sum, "%q %q ", o.User, o.Name.Plain())
	}
	return fmt.Sprintf("%x", sum.Sum64())
}

// NamesThread returns the players whose names are in the name of a table's thread: the host before the start, and all
// people and computers afterwards. It returns none once the name must not name players, because a player's data was
// deleted.
func NamesThread(h Head) []Occupant {
	switch {
	case h.Card.Nameless:
		return nil
	case h.Status != Lobby:
		return slices.DeleteFunc(slices.Clone(h.Seats), func(o Occupant) bool {
			return o.Player() == "" || storage.HasDeparted(o.User)
		})
	}
	return slices.DeleteFunc(slices.Clone(h.Seats), func(o Occupant) bool { return o.User == "" || o.User != h.Host })
}

// shownAs returns the state of a card in the form stored in Card.Shown.
func shownAs(seats, turn string) string { return seats + " " + turn }

// nextCard returns when to edit a table's card next; 0 if the table has no card, or the card is up to date.
func nextCard(d *draft) Stamp {
	if d.Card.Channel == "" || d.Card.Shown == shownAs(cardState(d.Head, len(d.seen().Invited))) {
		return 0
	}
	if d.Card.Next > d.now {
		return d.Card.Next
	}
	return d.retry(cardPause)
}

// nextArchive returns when to archive the thread of a table that is over; 0 if it need not be archived. It keeps the
// time in Card.Archive, and sets it anew if the commit has events.
func nextArchive(d *draft) (storage.Stamp, error) {
	card := &d.Card
	if card.Thread == "" || card.Thread != d.Channel { // the table has no thread, or has moved away
		card.Archive = 0
		return 0, nil
	}
	if len(d.events) > 0 {
		settings, err := d.settings()
		if err != nil {
			return 0, err
		}
		card.Archive = d.now + storage.Stamp(settings.ThreadTime().Milliseconds())
	}
	if card.Archive != 0 && card.Archive <= d.now { // archiving has begun, and is tried again if it fails
		return d.retry(cardPause), nil
	}
	return card.Archive, nil
}
