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

// A table that has a thread of its own has a card in the thread's channel, and names the thread. The card shows at once
// that somebody has come or gone and how the game has ended; whose turn it is, it shows when cardPause has passed since
// the last edit. That an edit is due follows from what the card shows, which stands in the head with the time
// of the next edit: whatever comes in between, the due index brings the table again.
const (
	// cardPause is how long a card is left alone, and after how long a failed edit is tried again.
	cardPause = 5 * time.Minute
	// cardRefused is how long it is left alone after Discord has refused.
	cardRefused = 6 * time.Hour
)

// ErrNoCard says that a table's card is gone.
var ErrNoCard = errors.New("the table's card is gone")

// cardState says what a card shows of a table: first what cannot wait, then whose turn it is.
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

// namedAfter is what a thread is named after: the host, and once the game has started all who play.
// Discord takes two new names in ten minutes, so those who come before that are left out.
func namedAfter(h Head) string {
	sum := fnv.New64a()
	for _, o := range NamesThread(h) {
		fmt.Fprintf(sum, "%q %q ", o.User, o.Name.Plain())
	}
	return fmt.Sprintf("%x", sum.Sum64())
}

// NamesThread are the people that a table's thread is named after.
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

// shownAs is how a card's state is written in the head.
func shownAs(seats, turn string) string { return seats + " " + turn }

// nextCard is when a card that is out of date is edited by itself; 0 when it is not.
func nextCard(d *draft) Stamp {
	if d.Card.Channel == "" || d.Card.Shown == shownAs(cardState(d.Head, len(d.seen().Invited))) {
		return 0
	}
	if d.Card.Next > d.now {
		return d.Card.Next
	}
	return d.retry(cardPause)
}

// nextArchive is when the thread of a table that is over is archived; 0 when it is not to be.
func nextArchive(d *draft) (storage.Stamp, error) {
	card := &d.Card
	if card.Thread == "" || card.Thread != d.Channel { // it has no thread, or is elsewhere
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
	if card.Archive != 0 && card.Archive <= d.now { // it is being done, and is tried again if that fails
		return d.retry(cardPause), nil
	}
	return card.Archive, nil
}
