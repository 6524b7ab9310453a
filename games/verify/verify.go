// Package verify checks a record: every play must be legal, and the seats, dice and cards must follow from the
// committed seed. docs/fairness.md explains what this proves.
package verify

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"marque/games"
	"marque/games/fair"
	"marque/games/text"
)

// Report holds the results of checking a legal record.
type Report struct {
	Match    *games.Match
	Plays    int  // number of log entries
	Draws    int  // number of log entries for dice and cards
	ByLot    bool // the seats were drawn by lot
	Complete bool // the game is over
	// Sealed is set if the record has no seed yet because the game is not over. Without the seed, nobody can check the
	// dice, the cards or a draw of the seats.
	Sealed bool
	// Start is the ID of the input that started the game (fair.Input), and Fingerprint the fingerprint of its
	// beginning. The button Fair play shows both.
	Start, Fingerprint string
	// Competition is the number of the game's competition on the server, and Pairing the number of its pairing. Both
	// are 0 for games outside competitions.
	Competition uint64
	Pairing     int
}

// Legal replays a record by the rules of the game that find returns. It returns a *games.RecordError with the line and
// the reason if find returns no game, or if the record cannot be replayed.
func Legal(r games.Record, find func(key string) (games.Game, bool)) (*games.Match, error) {
	g, ok := find(r.Header.Game)
	if !ok {
		return nil, damaged(r, "game", text.M("record.game", "Got", text.Code(r.Header.Game)))
	}
	return r.Replay(g)
}

// Record checks the record of a table. The record must pass Legal and contain the beginning of the game. Once the game
// is over, its seats, dice and cards must follow from the committed seed. Record returns a *games.RecordError with the
// line and the reason if something is wrong or missing. It does not check the names themselves, and cannot know whether
// the game was actually played.
func Record(r games.Record, find func(key string) (games.Game, bool)) (Report, error) {
	m, err := Legal(r, find)
	if err != nil {
		return Report{}, err
	}
	report := Report{Match: m, Plays: m.Len(), Complete: m.Over(), Sealed: r.Seed == ""}
	for _, e := range m.Log() {
		if e.Seat == games.Chance {
			report.Draws++
		}
	}
	if err := begins(r, &report); err != nil {
		return report, err
	}
	switch {
	case report.Sealed && report.Complete:
		return report, damaged(r, "seating", text.M("record.no-seed"))
	case report.Sealed:
		return report, whole(r, m)
	}
	if err := draws(r, m, report.ByLot); err != nil {
		return report, err
	}
	if !report.Complete {
		return report, damaged(r, "seed", text.M("record.early-seed"))
	}
	return report, whole(r, m)
}

// whole checks that a record has the form of a table's export: its options are in order, it has the digest if the game
// is over, and a game that was drawn by agreement or abandoned ended at a player's turn. A record from before an option
// existed lacks the option, and its game was played with the option's first value. A table draws dice and cards
// immediately, so no player can end a game before a draw.
func whole(r games.Record, m *games.Match) error {
	named := r.Header.Setup.Options
	for _, o := range m.Header().Setup.Options {
		if len(named) > 0 && named[0] == o {
			named = named[1:]
		}
	}
	if len(named) > 0 {
		return damaged(r, "option", text.M("record.setup"))
	}
	ended := r.Ending == games.Agreed || r.Ending == games.Abandoned
	switch {
	case r.Digest == "" && m.Over():
		return damaged(r, "seats", missing("digest"))
	case ended && m.Cut(m.Len()).ToMove() == games.Chance:
		return damaged(r, "ending", text.M("record.due"))
	}
	return nil
}

// damaged returns an error for the first line of a record that begins with key.
func damaged(r games.Record, key string, reason text.Message) *games.RecordError {
	return &games.RecordError{Line: r.HeaderLine(key), Reason: reason}
}

// missing returns a message that a record has no line that begins with key.
func missing(key string) text.Message {
	return text.M("record.missing", "Want", text.Code(key+": ..."))
}

// begins checks the header lines about the start of the game: the commitment, the version of the draws, the inputs, the
// seating and the players. The inputs must end with the start and seat as many players as the game has. Outside
// competitions, the ids of inputs can be the random bytes of a web page, where rematches are started. begins also sets
// the fields of report that follow from the inputs.
func begins(r games.Record, report *Report) error {
	switch h := r.Header; {
	case h.Commitment == "":
		return damaged(r, "seats", missing("commitment"))
	case h.Fairness != fair.Version:
		return damaged(r, "fairness", text.M("record.fairness", "Drawn", h.Fairness, "Here", fair.Version))
	}
	list, err := fair.ParseInputs(r.Header.Inputs)
	paired := slices.ContainsFunc(list, func(in fair.Input) bool { return in.Kind == fair.Pairs })
	for i := 0; err == nil && i < len(list); i++ {
		if in := list[i]; !fair.IsID(in.ID) && (paired || !fair.IsBytes(in.ID)) &&
			!(in.Kind.Vacates() && in.ID == fair.NoID) {
			err = fmt.Errorf("input %d: %q is no id", i+1, in.ID)
		}
	}
	if err != nil {
		return &games.RecordError{Line: r.HeaderLine("input"), Reason: text.M("record.inputs"), Err: err}
	}
	seats := r.Header.Setup.Seats
	if n := len(list); n == 0 || list[n-1].Kind != fair.Starts {
		return damaged(r, "input", text.M("record.no-start"))
	}
	if seated := fair.Seated(list); len(seated) != seats {
		return damaged(r, "input", text.M("record.seated", "Seated", len(seated), "Play", seats))
	}
	start := list[len(list)-1]
	report.Start, report.ByLot = start.ID, start.Seating == nil
	if n := len(list); n > 1 && list[n-2].Kind == fair.Pairs {
		report.Competition, _ = strconv.ParseUint(list[n-2].ID, 10, 64) // already checked with IsID
		report.Pairing = list[n-2].Of
	}
	report.Fingerprint = fair.Fingerprint(r.Header.Commitment, r.Header.Inputs)
	switch seating := r.Header.Seating; {
	case len(seating) == 0:
		return damaged(r, "input", missing("seating"))
	case !report.ByLot && !slices.Equal(seating, start.Seating):
		return damaged(r, "seating", text.M("record.seated-as", "Got", text.Code(fair.Numbers(seating)), "Want",
			text.Code(fair.Numbers(start.Seating))))
	}
	if names := len(r.Header.Players); names != seats {
		return damaged(r, "seats", text.M("record.named", "Play", seats, "Named", names))
	}
	return nil
}

// draws recomputes every draw and, if the seats were drawn by lot, the seats.
func draws(r games.Record, m *games.Match, byLot bool) error {
	seed, err := fair.ParseSeed(r.Seed)
	if err == nil && seed.Reveal() != r.Seed {
		err = errors.New("its digits are 0 to 9 and a to f")
	}
	if err != nil {
		return &games.RecordError{Line: r.HeaderLine("seed"), Reason: text.M("record.seed"), Err: err}
	}
	if !seed.Fits(r.Header.Commitment) {
		return damaged(r, "seed", text.M("record.other-seed"))
	}
	if want := fair.Shuffle(seed, r.Header.Inputs, r.Header.Setup.Seats); byLot && !slices.Equal(r.Header.Seating,
		want) {
		return damaged(r, "seating", text.M("record.lot", "Got", text.Code(fair.Numbers(r.Header.Seating)),
			"Want", text.Code(fair.Numbers(want))))
	}
	for i, e := range m.Log() {
		if e.Seat != games.Chance {
			continue
		}
		outcomes := m.At(i).Outcomes()
		weights := make([]int, len(outcomes))
		for k, o := range outcomes {
			weights[k] = o.Weight
		}
		want := games.Spell(m.At(i), outcomes[fair.Pick(seed, m.Mixed(i), i, weights)].Move)
		if e.Text != want {
			return &games.RecordError{Line: r.Line(i), Reason: text.M("record.draw", "Got", text.Code(e.Text), "Want",
				text.Code(want))}
		}
	}
	return nil
}
