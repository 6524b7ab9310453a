package table

import (
	"fmt"
	"slices"
	"strings"

	"marque/games"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
)

// maxInputs is the number of inputs to the draws of a table after which nobody else can get a seat before the start. It
// limits how often people join and leave, because the message about the start shows every input.
const maxInputs = 40

// restless refuses further changes of the seats or options when there have been too many.
func restless() error { return Refuse(ErrRestless, text.M("table.error.restless")) }

// mix adds an input to the draws of a table that has not started.
func (d *draft) mix(in fair.Input) {
	detail := d.details()
	detail.Inputs = append(detail.Inputs, in.String())
}

// mixOut adds an input to the draws for a player who gives up or loses a seat. id is the id of the interaction. The
// player must still be among Seats.
func (d *draft) mixOut(kind fair.InputKind, id string, seat games.Seat) error {
	list, err := fair.ParseInputs(d.seen().Inputs)
	if err != nil {
		return fmt.Errorf("%w (what is mixed into the draws: %w)", storage.ErrDamaged, err)
	}
	d.mix(fair.Input{Kind: kind, ID: id, Of: fair.Seated(list)[seat]})
	return nil
}

// draw returns the next chance outcome in a match, from the table's secret.
func draw(m *games.Match, seed fair.Seed) games.Move {
	outcomes := m.State().Outcomes()
	weights := make([]int, len(outcomes))
	for i, o := range outcomes {
		weights[i] = o.Weight
	}
	return outcomes[fair.Pick(seed, m.Mixed(m.Len()), m.Len(), weights)].Move
}

// cameWith records the command's interaction at the last entry of the log, and returns what it has recorded. It does
// nothing and returns "" if an earlier entry has that interaction, or if there is no command. A move that a player
// takes back and plays again keeps its first interaction, so that it gets the same draws.
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

// maxTakenBack is the maximum number of remembered logs from before an undo. Beyond it, a player who repeats a move
// that they took back gets new draws, which nobody can know beforehand.
const maxTakenBack = 32

// remember adds a log to the logs in takenBack, before a part of it is taken back.
func remember(takenBack [][]games.Entry, log []games.Entry) [][]games.Entry {
	list := append(slices.Clip(takenBack), log)
	return list[max(0, len(list)-maxTakenBack):]
}

// Commitment returns the SHA-256 of the table's secret seed, in hex.
func (s *Snapshot) Commitment() string { return s.detail.Commitment() }

// Inputs returns the texts mixed into every draw so far. They are final once the game has started.
func (s *Snapshot) Inputs() []string { return slices.Clone(s.detail.Inputs) }

// Start returns the ID of the game's start (fair.Starts), "" before the start, and the fingerprint of the inputs
// (fair.Fingerprint).
func (s *Snapshot) Start() (id, fingerprint string) {
	in, _ := fair.ParseInput(s.detail.Inputs[len(s.detail.Inputs)-1])
	if in.Kind != fair.Starts {
		in.ID = ""
	}
	return in.ID, fair.Fingerprint(s.Commitment(), s.detail.Inputs)
}

// LastPlayed returns the last play that came with an interaction, in the form of fair.Played; "" if there is none.
func (s *Snapshot) LastPlayed() string {
	if s.match == nil {
		return ""
	}
	n, id := s.match.LastInteraction(s.match.Len())
	if n == 0 {
		return ""
	}
	return fair.Played(n, id)
}

// PlayedBy returns the text of the play that came with an interaction, as in the log; "" if there is none.
func (s *Snapshot) PlayedBy(interaction string) string {
	if s.match == nil || interaction == "" {
		return ""
	}
	for _, e := range slices.Backward(s.match.Log()) {
		if e.Interaction == interaction {
			return e.Text
		}
	}
	return ""
}

// OpenedBy reports whether the interaction opened the table.
func (s *Snapshot) OpenedBy(id string) bool {
	return len(s.detail.Inputs) > 0 && s.detail.Inputs[0] == fair.Input{Kind: fair.Opens, ID: id}.String()
}

// Draws reports whether chance decides anything: dice or cards, or the seats.
func (s *Snapshot) Draws() bool {
	if s.match != nil {
		return s.game.Traits().Chance || strings.HasSuffix(s.detail.Inputs[len(s.detail.Inputs)-1], fair.ByLot)
	}
	return s.game.Traits().Chance || !s.detail.Fixed
}

// Seed returns the secret seed in hex once the table is over, and "" until then.
func (s *Snapshot) Seed() string {
	if s.Status != Over {
		return ""
	}
	return s.detail.Seed.Reveal()
}
