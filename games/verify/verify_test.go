package verify_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/fair"
	"marque/games/text"
	"marque/games/verify"
)

// played is a whole random game of g whose dice and cards are drawn from a seed by the second
// version of fairness.
func played(t *testing.T, g games.Game, seats int) games.Record {
	t.Helper()
	inputs := []string{"open 1297650000000000001", "join 1297650035004182446", "leave 1297650049110220801 2"}
	for i := 1; i < seats; i++ {
		inputs = append(inputs, fmt.Sprint("join 12976501000000000", 10+i))
	}
	return playedWith(t, g, seats, 2, append(inputs, "start 1297650200000000001"))
}

// playedWith is played under another version, or with other inputs.
func playedWith(t *testing.T, g games.Game, seats, version int, inputs []string) games.Record {
	t.Helper()
	seed := fair.Seed{1, 2, 3}
	setup, err := games.NewSetup(g, seats)
	if err != nil {
		t.Fatal(err)
	}
	h := games.Header{Setup: setup, Commitment: seed.Commitment(), Fairness: version, Inputs: inputs, Lot: fair.Shuffle(seed, inputs, seats), Players: make([]text.Name, seats)}
	for i := range h.Players {
		h.Players[i] = text.NewName(fmt.Sprintf("Captain %d", i))
	}
	m, err := games.NewMatch(g, h)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(uint64(seats), 5))
	for !m.Over() {
		if m.ToMove() == games.Chance {
			outcomes := m.State().Outcomes()
			weights := make([]int, len(outcomes))
			for i, o := range outcomes {
				weights[i] = o.Weight
			}
			err = m.Play(outcomes[fair.Pick(seed, h.Inputs, m.Len(), weights)].Move)
		} else {
			moves := m.State().Moves()
			err = m.Play(moves[rng.IntN(len(moves))])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	r := m.Record()
	r.Seed = seed.Reveal()
	return r
}

func decode(t *testing.T, text string) (games.Record, error) {
	t.Helper()
	return games.DecodeRecord(strings.NewReader(text))
}

func TestWholeGamesOfEveryKindAreProved(t *testing.T) {
	for _, g := range catalog.Games {
		least, most := g.Seats()
		for seats := least; seats <= most; seats++ {
			r := played(t, g, seats)
			again, err := decode(t, r.Encode())
			if err != nil || again.Encode() != r.Encode() {
				t.Fatalf("%s/%d: the record does not read back as it was written: %v", g.Key(), seats, err)
			}
			report, err := verify.Record(again, catalog.Find)
			if err != nil || !report.Complete || report.Plays != len(r.Log) || report.Fairness != verify.Proved || !report.Lot || report.Version != fair.Second {
				t.Errorf("%s/%d: %+v, %v", g.Key(), seats, report, err)
			}
		}
	}
}

// The playthroughs beside the games begin with a record. Each reads back, is legal, and is written
// as it was read.
func TestEveryPlaythroughIsARecord(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "*", "testdata", "playthrough", "*.txt"))
	if err != nil || len(files) < len(catalog.Games) {
		t.Fatalf("%d playthroughs, %v; want at least one for each of %d games", len(files), err, len(catalog.Games))
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text, _, ok := strings.Cut(string(b), "\n\n== after 0 plays")
		if !ok {
			t.Fatalf("%s does not begin with a record", name)
		}
		text += "\n"
		r, err := decode(t, text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if strings.TrimSpace(r.Encode()) != strings.TrimSpace(text) {
			t.Errorf("%s is not written as it was read:\n%s", name, r.Encode())
		}
		report, err := verify.Record(r, catalog.Find)
		if err != nil || report.Plays != len(r.Log) {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
}

// A damaged record gives the line on which the damage is, and says what is wrong with it.
func TestDamageGivesLineAndReason(t *testing.T) {
	g, _ := catalog.Find("loyal-captain")
	whole := played(t, g, 2)
	dice, _ := catalog.Find("pirat")
	cards := played(t, dice, 2)
	lineOf := func(text, part string) int {
		before, _, ok := strings.Cut(text, part)
		if !ok {
			t.Fatalf("no %q in the record", part)
		}
		return strings.Count(before, "\n") + 1
	}
	swap := func(r games.Record, old, new string) string { return strings.Replace(r.Encode(), old, new, 1) }
	firstPlay := fmt.Sprintf("1. %d %s", whole.Log[0].Seat, whole.Log[0].Text)
	secondPlay := fmt.Sprintf("\n2. %d %s\n", whole.Log[1].Seat, whole.Log[1].Text)
	drawn := 0
	for cards.Log[drawn].Seat != games.Chance {
		drawn++
	}
	draw := fmt.Sprintf("%d. chance %s", drawn+1, cards.Log[drawn].Text)
	another := "deal admiral"
	if cards.Log[drawn].Text == another {
		another = "deal 2"
	}
	otherSeed := fair.Seed{9}.Reveal()
	tests := []struct {
		name, text string
		line       int
		reason     string
	}{
		{"empty", "", 1, "empty"},
		{"no record", "hello\n", 1, "starts with"},
		{"another format", swap(whole, "marque record 1", "marque record 9"), 1, "starts with"},
		{"an unknown game", swap(whole, "game: loyal-captain", "game: ludo"), 2, "ludo"},
		{"no game", swap(whole, "game: loyal-captain\n", ""), strings.Count(whole.Encode(), "\n") - 1, "missing"},
		{"other rules", swap(whole, "rules: 1", "rules: 77"), 3, "version 77"},
		{"no number", swap(whole, "seats: 2", "seats: two"), 4, "number"},
		{"too many seats", swap(whole, "seats: 2", "seats: 9"), 4, "table"},
		{"an unknown line", swap(whole, "seats: 2", "seats: 2\nwind: east"), 5, "wind"},
		{"two seeds", swap(whole, "seed: ", "seed: 00\nseed: "), lineOf(whole.Encode(), "seed: ") + 1, "second"},
		{"a short seed", swap(cards, "seed: 01", "seed: "), lineOf(cards.Encode(), "seed: "), "not a seed"},
		{"another seed", swap(cards, cards.Seed, otherSeed), lineOf(cards.Encode(), "seed: "), "committed"},
		{"another lot", strings.Replace(strings.Replace(strings.Replace(whole.Encode(), "lot: 0 1", "lot: a", 1), "lot: 1 0", "lot: 0 1", 1), "lot: a", "lot: 1 0", 1), lineOf(whole.Encode(), "lot: "), "seats were drawn"},
		{"another fairness", swap(whole, "fairness: 2", "fairness: 3"), lineOf(whole.Encode(), "fairness: "), "not known"},
		{"a join of the first fairness", swap(whole, "input: join ", "join: "), lineOf(whole.Encode(), "input: join "), "input"},
		{"no input of a kind", swap(whole, "input: join ", "input: sneak "), lineOf(whole.Encode(), "input: "), "sneak"},
		{"an input without its id", swap(whole, "input: join 1297650035004182446", "input: join"), lineOf(whole.Encode(), "input: "), "words"},
		{"two openings", swap(whole, "input: join ", "input: open "), lineOf(whole.Encode(), "input: "), "only the first"},
		{"no opening", swap(whole, "input: open ", "input: join "), lineOf(whole.Encode(), "input: "), "the first opens"},
		{"who leaves is not there", swap(whole, "input: leave 1297650049110220801 2", "input: leave 1297650049110220801 3"), lineOf(whole.Encode(), "input: "), "nobody sits there"},
		{"a leave left out", swap(whole, "input: leave 1297650049110220801 2\n", ""), lineOf(whole.Encode(), "input: "), "3 were seated"},
		{"no start", swap(whole, "input: start 1297650200000000001\n", ""), lineOf(whole.Encode(), "input: "), "end with the start"},
		{"a join after the start", swap(whole, "input: start 1297650200000000001", "input: start 1297650200000000001\ninput: join 1"), lineOf(whole.Encode(), "input: "), "follows the start"},
		{"no lot", strings.Replace(whole.Encode(), "lot: ", "lot: x", 1), lineOf(whole.Encode(), "lot: "), "who drew it"},
		{"an illegal play", swap(whole, firstPlay, "1. 0 999"), lineOf(whole.Encode(), firstPlay), "legal"},
		{"a play missing", swap(whole, secondPlay, "\n"), lineOf(whole.Encode(), secondPlay) + 1, "2. SEAT MOVE"},
		{"an empty line among the plays", swap(whole, secondPlay, "\n"+secondPlay), lineOf(whole.Encode(), secondPlay) + 2, "empty line"},
		{"a seat that is none", swap(whole, firstPlay, strings.Replace(firstPlay, "1. 0", "1. x", 1)), lineOf(whole.Encode(), firstPlay), "seat"},
		{"another draw", swap(cards, draw, fmt.Sprintf("%d. chance %s", drawn+1, another)), 0, ""},
		{"another last position", swap(whole, "digest: ", "digest: 00"), lineOf(whole.Encode(), "digest: "), "position"},
		{"what a player saw", swap(whole, "\n\n", "\nseen: 1\n\n"), lineOf(whole.Encode(), "\n\n") + 1, "not allowed to know"},
	}
	for _, tt := range tests {
		r, err := decode(t, tt.text)
		if err == nil {
			_, err = verify.Record(r, catalog.Find)
		}
		var re *games.RecordError
		if !errors.As(err, &re) {
			t.Errorf("%s: %v, want a line and a reason", tt.name, err)
			continue
		}
		if tt.line != 0 && re.Line != tt.line || !strings.Contains(err.Error(), tt.reason) {
			t.Errorf("%s: %q, want line %d and %q", tt.name, err, tt.line, tt.reason)
		}
	}
}

// Every draw that could have been another one is caught: the first one that is changed to another
// possible outcome, with everything after it taken away.
func TestAChangedDrawIsFound(t *testing.T) {
	for _, key := range []string{"pirat", "freebooter"} {
		g, _ := catalog.Find(key)
		r := played(t, g, 2)
		m, err := r.Replay(g)
		if err != nil {
			t.Fatal(err)
		}
		changed := 0
		for i, e := range r.Log {
			if e.Seat != games.Chance {
				continue
			}
			for _, o := range m.At(i).Outcomes() {
				if text := games.Spell(m.At(i), o.Move); text != e.Text {
					forged := r
					forged.Digest = ""
					forged.Log = append(append([]games.Entry(nil), r.Log[:i]...), games.Entry{Seat: games.Chance, Text: text})
					_, err := verify.Record(forged, catalog.Find)
					var re *games.RecordError
					if !errors.As(err, &re) || re.Line != forged.Line(i) || !strings.Contains(re.Reason, e.Text) {
						t.Fatalf("%s: draw %d changed from %q to %q: %v", key, i, e.Text, text, err)
					}
					changed++
					break
				}
			}
		}
		if changed == 0 {
			t.Errorf("%s: no draw could be changed", key)
		}
	}
}
