package table

import (
	"fmt"
	"slices"

	"marque/games"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
)

// maxInputs bounds how often people come and go at a table before it starts: all of it is shown
// when the game starts.
const maxInputs = 40

// restless refuses another player where too many have come and gone.
func restless() error { return refuse(ErrRestless, text.M("table.error.restless")) }

// mix adds to what is mixed into the draws of a table that has not started: that somebody takes a
// seat, or the start, and the interaction that brought it. Under the first version there are only
// the ids of those who are seated.
func (d *draft) mix(kind fair.InputKind, id string) {
	detail := d.details()
	switch {
	case detail.Fairness == fair.Second:
		detail.Inputs = append(detail.Inputs, fair.Input{Kind: kind, ID: id}.String())
	case kind.Seats():
		detail.Inputs = append(detail.Inputs, id)
	}
}

// mixOut is mix for who gives up a seat, or is taken from it, and is among Seats still.
func (d *draft) mixOut(kind fair.InputKind, id string, seat games.Seat) error {
	detail := d.details()
	if detail.Fairness != fair.Second {
		detail.Inputs = slices.Delete(detail.Inputs, int(seat), int(seat)+1)
		return nil
	}
	list, err := fair.ParseInputs(detail.Inputs)
	if err != nil {
		return fmt.Errorf("%w (what is mixed into the draws: %v)", storage.ErrDamaged, err)
	}
	detail.Inputs = append(detail.Inputs, fair.Input{Kind: kind, ID: id, Of: fair.Seated(list)[seat]}.String())
	return nil
}
