// Package verify checks a record: that every play in it is legal, and that the seats, dice and
// cards fell as the seed that was committed to says. docs/fairness.md says what that proves.
package verify

import (
	"errors"
	"fmt"
	"slices"

	"marque/games"
	"marque/games/fair"
)

// Report is what a check found. A record that it is made of is legal.
type Report struct {
	Match    *games.Match
	Plays    int  // entries of the log
	Draws    int  // those of them that are dice and cards
	ByLot    bool // the seats were drawn
	Complete bool // the game is over
	// Sealed says that the seed is not shown yet, so nothing can be said about draws and lot: the game goes on.
	Sealed bool
	// Start is the id of the interaction that started the game, and Fingerprint that of how it
	// began: the message in the channel with which the game begins says both.
	Start, Fingerprint string
}

// Legal plays a record by the rules of one of the games that find knows, whoever wrote it. It
// returns a *games.RecordError with the line and the reason where a play is not legal.
func Legal(r games.Record, find func(key string) (games.Game, bool)) (*games.Match, error) {
	g, ok := find(r.Header.Game)
	if !ok {
		return nil, &games.RecordError{Line: r.HeaderLine("game"), Reason: fmt.Sprintf("there is no game %q here",
			r.Header.Game)}
	}
	return r.Replay(g)
}

// Record checks the record of a table: all that Legal does, that it says how the game began, and,
// once the game is over, that seats, dice and cards are what the seed that was committed to says.
// It returns a *games.RecordError with the line and the reason where something is not as it should
// be, or missing. It does not look at names, and cannot know whether the game was played.
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
		return report, &games.RecordError{Line: r.HeaderLine("seating"),
			Reason: "the game is over, and the line \"seed: ...\" is missing"}
	case report.Sealed:
		return report, nil
	}
	if err := draws(r, m, report.ByLot); err != nil {
		return report, err
	}
	if !report.Complete {
		return report, &games.RecordError{Line: r.HeaderLine("seed"),
			Reason: "a seed is shown when the game is over, and these plays do not end it"}
	}
	return report, nil
}

// begins checks what says how the game began: the commitment, the version, the inputs, which tell
// the life of a table up to the start with as many seated then as play, and the seating.
func begins(r games.Record, report *Report) error {
	wrong := func(key, reason string, err error) error {
		return &games.RecordError{Line: r.HeaderLine(key), Reason: reason, Err: err}
	}
	switch h := r.Header; {
	case h.Commitment == "":
		return wrong("seats", "the line \"commitment: ...\" is missing", nil)
	case h.Fairness != fair.Version:
		return wrong("fairness", fmt.Sprintf("drawn by version %d of the fairness, here is version %d", h.Fairness,
			fair.Version), nil)
	}
	list, err := fair.ParseInputs(r.Header.Inputs)
	for i := 0; err == nil && i < len(list); i++ {
		if in := list[i]; !fair.IsID(in.ID) && !(in.Kind.Vacates() && in.ID == fair.NoID) {
			err = fmt.Errorf("input %d: %q is no id", i+1, in.ID)
		}
	}
	if err != nil {
		return wrong("input", "what is mixed into the draws is no life of a table", err)
	}
	seats := r.Header.Setup.Seats
	if n := len(list); n == 0 || list[n-1].Kind != fair.Starts {
		return wrong("input", "what is mixed into the draws does not end with the start", nil)
	}
	if seated := fair.Seated(list); len(seated) != seats {
		return wrong("input", fmt.Sprintf("%d were seated at the start, but %d play", len(seated), seats), nil)
	}
	start := list[len(list)-1]
	report.Start, report.ByLot = start.ID, start.Seating == nil
	report.Fingerprint = fair.Fingerprint(r.Header.Commitment, r.Header.Inputs)
	switch seating := r.Header.Seating; {
	case len(seating) == 0:
		return wrong("input", "the line \"seating: ...\" is missing", nil)
	case !report.ByLot && !slices.Equal(seating, start.Seating):
		return wrong("seating", fmt.Sprintf("the players sit as %v, but were seated as %v", seating, start.Seating),
			nil)
	}
	if names := len(r.Header.Players); names != seats {
		return wrong("seats", fmt.Sprintf("%d play, but %d are named", seats, names), nil)
	}
	return nil
}

// draws recomputes the seats, if they were drawn by lot, and every draw.
func draws(r games.Record, m *games.Match, byLot bool) error {
	seed, err := fair.ParseSeed(r.Seed)
	if err == nil && seed.Reveal() != r.Seed {
		err = errors.New("its digits are 0 to 9 and a to f")
	}
	if err != nil {
		return &games.RecordError{Line: r.HeaderLine("seed"), Reason: "not a seed", Err: err}
	}
	if !seed.Fits(r.Header.Commitment) {
		return &games.RecordError{Line: r.HeaderLine("seed"),
			Reason: "not the seed that was committed to: its SHA-256 is not the commitment"}
	}
	if want := fair.Shuffle(seed, r.Header.Inputs, r.Header.Setup.Seats); byLot && !slices.Equal(r.Header.Seating,
		want) {
		return &games.RecordError{Line: r.HeaderLine("seating"),
			Reason: fmt.Sprintf("the players sit as %v, but the seed gives %v", r.Header.Seating, want)}
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
			return &games.RecordError{Line: r.Line(i), Reason: fmt.Sprintf("the draw is %q, but the seed gives %q",
				e.Text, want)}
		}
	}
	return nil
}
