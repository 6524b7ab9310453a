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

// mix adds to what is mixed into the draws of a table that has not started.
func (d *draft) mix(in fair.Input) {
	detail := d.details()
	detail.Inputs = append(detail.Inputs, in.String())
}

// mixOut is mix for who gives up a seat, or is taken from it, and is among Seats still.
func (d *draft) mixOut(kind fair.InputKind, id string, seat games.Seat) error {
	list, err := fair.ParseInputs(d.seen().Inputs)
	if err != nil {
		return fmt.Errorf("%w (what is mixed into the draws: %w)", storage.ErrDamaged, err)
	}
	d.mix(fair.Input{Kind: kind, ID: id, Of: fair.Seated(list)[seat]})
	return nil
}

// draw is the next outcome of chance in a match, from the table's secret.
func draw(m *games.Match, seed fair.Seed) games.Move {
	outcomes := m.State().Outcomes()
	weights := make([]int, len(outcomes))
	for i, o := range outcomes {
		weights[i] = o.Weight
	}
	return outcomes[fair.Pick(seed, m.Mixed(m.Len()), m.Len(), weights)].Move
}

// cameWith notes that the last entry of the log came with the command's interaction, unless an
// entry before it did, or nobody gave the command. Whoever takes a move back and plays it again
// gets no other draws: the interaction stays that of the first time.
func cameWith(d *draft) (interaction string) {
	if d.noted || d.by.Key == "" {
		return ""
	}
	d.noted = true
	log := d.match.Log()
	last := len(log) - 1
	interaction = d.by.Key
	for _, before := range d.takenBack {
		if len(before) > last && before[last].Interaction != "" && slices.EqualFunc(before[:last+1], log, samePlay) {
			interaction = before[last].Interaction
			break
		}
	}
	d.match.CameWith(interaction)
	return interaction
}

func samePlay(a, b games.Entry) bool { return a.Seat == b.Seat && a.Text == b.Text }

// maxTakenBack bounds how many logs are remembered of which something was taken back. Whoever plays
// again what was taken back before that gets draws that nobody knows.
const maxTakenBack = 32

// remember notes the log before something of it is taken back.
func remember(takenBack [][]games.Entry, log []games.Entry) [][]games.Entry {
	list := append(slices.Clip(takenBack), log)
	return list[max(0, len(list)-maxTakenBack):]
}
