package verify_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/fair"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/games/verify"
)

// played returns a whole random game of g. The seats, dice and cards are drawn from a seed. Some moves have an
// interaction. The others have none, like the moves of computers.
func played(t *testing.T, g games.Game, seats int, chosen ...games.Setting) games.Record {
	t.Helper()
	inputs := []string{"open 1297650000000000001", "join 1297650035004182446", "leave 1297650049110220801 2"}
	for i := 1; i < seats; i++ {
		inputs = append(inputs, fmt.Sprint("join 12976501000000000", 10+i))
	}
	return playedAfter(t, g, seats, append(inputs, "start 1297650200000000001 lot"), chosen...)
}

// rematched returns a whole random game of two that was opened and started on a web page.
func rematched(t *testing.T, g games.Game) games.Record {
	t.Helper()
	return playedAfter(t, g, 2, []string{"open 5f0d0c6f3f1b0a29c2f4d1e6a7b80913",
		"join 00d0c6f3f1b0a29c2f4d1e6a7b809131", "start 00d0c6f3f1b0a29c2f4d1e6a7b809131 lot"})
}

// A record of a running game, which has neither seed nor digest, is legal, and cannot be checked further yet.
func TestARunningGameIsLegal(t *testing.T) {
	for _, key := range []string{"loyal-captain", "quedah-merchant"} {
		g, _ := catalog.Find(key)
		r := played(t, g, 2)
		r.Log, r.Seed, r.Digest, r.Ending = r.Log[:len(r.Log)/2], "", "", games.NotEnded
		read, err := decode(t, r.Encode())
		if err != nil {
			t.Fatal(err)
		}
		report, err := verify.Record(read, catalog.Find)
		if err != nil || !report.Sealed || report.Complete || report.Plays != len(r.Log) {
			t.Errorf("%s: %+v, %v", key, report, err)
		}
	}
}

// playedAfter returns a whole random game of g with these inputs. The seats are drawn by lot.
func playedAfter(t *testing.T, g games.Game, seats int, inputs []string, chosen ...games.Setting) games.Record {
	t.Helper()
	seed := fair.Seed{1, 2, 3}
	setup, err := games.NewSetup(g, seats, chosen...)
	if err != nil {
		t.Fatal(err)
	}
	h := games.Header{Setup: setup, Commitment: seed.Commitment(), Fairness: fair.Version, Inputs: inputs,
		Seating: fair.Shuffle(seed, inputs, seats), Players: make([]text.Name, seats)}
	for i := range h.Players {
		h.Players[i] = text.NewName(fmt.Sprintf("Captain %d", i))
	}
	m, err := games.NewMatch(g, h)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(uint64(seats), 6))
	for n := uint64(0); !m.Over(); n++ {
		if m.ToMove() == games.Chance {
			outcomes := m.State().Outcomes()
			weights := make([]int, len(outcomes))
			for i, o := range outcomes {
				weights[i] = o.Weight
			}
			err = m.Play(outcomes[fair.Pick(seed, m.Mixed(m.Len()), m.Len(), weights)].Move)
		} else {
			moves := m.State().Moves()
			if err = m.Play(moves[rng.IntN(len(moves))]); rng.IntN(3) > 0 {
				m.CameWith(fmt.Sprint(1297650300000000000 + n<<24))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	r := m.Record()
	r.Seed = seed.Reveal()
	return r
}

var update = flag.Bool("update", false, "write the records that are not there yet")

// The stored records verify, and encoding them again gives the same texts. The records cover every game, with the
// fewest and the most players and with each value of each option, games that ended early, and a game of a competition.
func TestRecordsOfEveryGameVerify(t *testing.T) {
	for _, g := range catalog.Games {
		least, most := g.Seats()
		holds(t, g, least)
		holds(t, g, most)
		for _, o := range g.Options() {
			for _, value := range o.Values[1:] {
				holds(t, g, least, games.Setting{Key: o.Key, Value: value})
			}
		}
	}
	for name, end := range map[string]func(m *games.Match) error{
		"agreed":    func(m *games.Match) error { return m.End(games.Agreed) },
		"abandoned": func(m *games.Match) error { return m.End(games.Abandoned) },
		"resigned": func(m *games.Match) error {
			return errors.Join(m.Resign(m.ToMove()), m.Resign(m.ToMove()))
		},
	} {
		verifies(t, "madagascar-3-"+name, true, func() games.Record { return endedEarly(t, end) })
	}
	verifies(t, "loyal-captain-2-pairing", false, func() games.Record { return paired(t) })
}

// endedEarly returns the record of a game of three players that the function end stops before its end by the rules.
func endedEarly(t *testing.T, end func(*games.Match) error) games.Record {
	t.Helper()
	g, _ := catalog.Find("madagascar")
	whole := played(t, g, 3)
	m, err := whole.Replay(g)
	if err == nil {
		m = m.Cut(20)
		err = end(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := m.Record()
	r.Seed = whole.Seed
	return r
}

// paired returns the record of a competition's game, with fixed seats. A computer was seated and removed before the
// start.
func paired(t *testing.T) games.Record {
	t.Helper()
	g, _ := catalog.Find("loyal-captain") // it has no dice or cards, which would depend on the inputs
	r := played(t, g, 2)
	r.Header.Seating = []int{1, 0}
	r.Header.Inputs = []string{"open 1297650000000000001", "computer 1297650035004182446",
		"remove 1297650049110220801 2", "join 1297650100000000011", "pairing 7 3", "start 1297650200000000001 1 0"}
	return r
}

// holds checks the stored record of a game.
func holds(t *testing.T, g games.Game, seats int, chosen ...games.Setting) {
	t.Helper()
	name := fmt.Sprintf("%s-%d", g.Key(), seats)
	for _, c := range chosen {
		name += "-" + c.Key + "-" + c.Value
	}
	verifies(t, name, true, func() games.Record { return played(t, g, seats, chosen...) })
}

// verifies checks a stored record. With -update it creates a missing one.
func verifies(t *testing.T, name string, byLot bool, play func() games.Record) {
	t.Helper()
	name = filepath.Join("testdata", name+".txt")
	b, err := os.ReadFile(name)
	if *update && errors.Is(err, fs.ErrNotExist) { // existing files stand for earlier exports and must not change
		b = []byte(play().Encode())
		err = os.WriteFile(name, b, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := decode(t, string(b))
	if err != nil || r.Encode() != string(b) {
		t.Errorf("%s: %v, or it is not written as it was read", name, err)
		return
	}
	report, err := verify.Record(r, catalog.Find)
	if err != nil || report.Sealed || report.ByLot != byLot || !report.Complete {
		t.Errorf("%s: %+v, %v", name, report, err)
	}
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
			if err != nil || !report.Complete || report.Plays != len(r.Log) || report.Sealed || !report.ByLot {
				t.Errorf("%s/%d: %+v, %v", g.Key(), seats, report, err)
			}
		}
	}
}

// Every playthrough in the testdata of a game of the catalogue begins with a valid record. The record encodes to the
// same text, and replaying it gives the result in the file.
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
		r, err := decode(t, text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if strings.TrimSpace(r.Encode()) != strings.TrimSpace(text) {
			t.Errorf("%s is not written as it was read:\n%s", name, r.Encode())
		}
		m, err := verify.Legal(r, catalog.Find)
		if err != nil || m.Len() != len(r.Log) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_, had, _ := strings.Cut(string(b), "\nresult ")
		is := m.Result()
		got := fmt.Sprintf("winners %v drawn %v scores %v why ", is.Winners, is.Drawn, is.Scores)
		if !strings.HasPrefix(had, got) {
			t.Errorf("%s: the result is %s; it was %s", name, got, had)
		}
	}
}

// The error for a damaged record gives the line and the fault.
func TestDamageGivesLineAndReason(t *testing.T) {
	g, _ := catalog.Find("loyal-captain")
	whole := played(t, g, 2)
	deals, _ := catalog.Find("pirat")
	cards := played(t, deals, 2)
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
	fixed := whole
	fixed.Header.Inputs = slices.Clone(whole.Header.Inputs)
	fixed.Header.Inputs[len(fixed.Header.Inputs)-1] = "start 1297650200000000001 1 0"
	fixed.Header.Seating = []int{1, 0}
	if _, err := verify.Record(fixed, catalog.Find); err != nil {
		t.Fatalf("fixed seats: %v", err)
	}
	cut := func(r games.Record) string {
		r.Log, r.Digest = r.Log[:5], ""
		return r.Encode()
	}
	rolls, _ := catalog.Find("quedah-merchant")
	dice := played(t, rolls, 2).Encode()
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
		{"too many seats", swap(whole, "seats: 2", "seats: 9"), 4, "is for 2 players, not 9"},
		{"an unknown line", swap(whole, "seats: 2", "seats: 2\nwind: east"), 5, "wind"},
		{"two seeds", swap(whole, "seed: ", "seed: 00\nseed: "), lineOf(whole.Encode(), "seed: ") + 1, "twice"},
		{"a short seed", swap(cards, "seed: 01", "seed: "), lineOf(cards.Encode(), "seed: "), "isn't a seed"},
		{"another seed", swap(cards, cards.Seed, otherSeed), lineOf(cards.Encode(), "seed: "), "promised"},
		{"another seating", strings.Replace(whole.Encode(), "seating: "+fair.Numbers(whole.Header.Seating), "seating: "+fair.Numbers([]int{whole.Header.Seating[1], whole.Header.Seating[0]}), 1), lineOf(whole.Encode(), "seating: "), "the seed gives"},
		{"no seating", swap(whole, "seating: "+fair.Numbers(whole.Header.Seating)+"\n", ""), lineOf(whole.Encode(), "input: "), "missing"},
		{"a seating in words", strings.Replace(whole.Encode(), "seating: ", "seating: x", 1), lineOf(whole.Encode(), "seating: "), "number for each seat"},
		{"seats said to be fixed", swap(whole, " lot\n", " 1 0\n"), 0, ""},
		{"seats fixed otherwise than they sit", swap(fixed, "seating: 1 0", "seating: 0 1"), lineOf(fixed.Encode(), "seating: "), "says 1 0"},
		{"no seed", swap(whole, "seed: "+whole.Seed+"\n", ""), lineOf(whole.Encode(), "seating: "), "missing"},
		{"no commitment", swap(whole, "commitment: "+whole.Header.Commitment+"\n", ""), 4, "missing"},
		{"a seed in capitals", swap(whole, "seed: 010203", "seed: 01020A"), lineOf(whole.Encode(), "seed: "), "isn't a seed"},
		{"the end left out", cut(whole), 0, "don't end it"},
		{"another fairness", swap(whole, "fairness: 4", "fairness: 2"), lineOf(whole.Encode(), "fairness: "), "version 2"},
		{"no fairness", swap(whole, "fairness: 4\n", ""), 1, "version 0"},
		{"a join of the first fairness", swap(whole, "input: join ", "join: "),
			lineOf(whole.Encode(), "input: join "), "line join doesn't belong"},
		{"a blank behind an input", swap(whole, "input: join 1297650035004182446", "input: join 1297650035004182446 "),
			lineOf(whole.Encode(), "input: join "), "no space, tab or carriage return"},
		{"two blanks in an input", swap(whole, "input: join ", "input: join  "), lineOf(whole.Encode(), "input: join "), "one way"},
		{"an id with a leading zero", swap(whole, "input: join 1297650035004182446", "input: join 01297650035004182446"), lineOf(whole.Encode(), "input: "), "no id"},
		{"an id in other digits", swap(whole, "input: join 1297650035004182446", "input: join ١٢٩٧"), lineOf(whole.Encode(), "input: "), "no id"},
		{"nobody's join", swap(whole, "input: join 1297650035004182446", "input: join -"), lineOf(whole.Encode(), "input: "), "no id"},
		{"a number with a leading zero", swap(whole, "input: leave 1297650049110220801 2", "input: leave 1297650049110220801 02"), lineOf(whole.Encode(), "input: "), "no number"},
		{"carriage returns", strings.ReplaceAll(whole.Encode(), "\n", "\r\n"), 1, "no space, tab or carriage return"},
		{"no line feed at the end", strings.TrimSuffix(whole.Encode(), "\n"), strings.Count(whole.Encode(), "\n"), "one way"},
		{"lines in another order", swap(whole, "game: loyal-captain\nrules: 1\n", "rules: 1\ngame: loyal-captain\n"), 2, "one way"},
		{"a name too few", swap(whole, "player 1: Captain 1\n", ""), 4, "names: 1"},
		{"an interaction of nothing", swap(whole, "\nplayed: ", "\nplayed: 999 1297650035004182446\nplayed: "), lineOf(whole.Encode(), "played: "), "Nobody made move 999"},
		{"an interaction of a card", swap(cards, "\nplayed: ", "\nplayed: 1 1297650035004182446\nplayed: "), lineOf(cards.Encode(), "played: "), "Nobody made move 1"},
		{"an interaction without its id", swap(whole, "\nplayed: ", "\nplayed: 1 x\nplayed: "), lineOf(whole.Encode(), "played: "), "the number of a move and an id"},
		{"the interactions left out", regexp.MustCompile("played: .*\n").ReplaceAllString(dice, ""), 0, "the seed gives"},
		{"no input of a kind", swap(whole, "input: join ", "input: sneak "), lineOf(whole.Encode(), "input: "), "sneak"},
		{"an input without its id", swap(whole, "input: join 1297650035004182446", "input: join"), lineOf(whole.Encode(), "input: "), "words"},
		{"two openings", swap(whole, "input: join ", "input: open "), lineOf(whole.Encode(), "input: "), "only the first"},
		{"no opening", swap(whole, "input: open ", "input: join "), lineOf(whole.Encode(), "input: "), "the first opens"},
		{"who leaves is not there", swap(whole, "input: leave 1297650049110220801 2", "input: leave 1297650049110220801 3"), lineOf(whole.Encode(), "input: "), "nobody sits there"},
		{"a leave left out", swap(whole, "input: leave 1297650049110220801 2\n", ""), lineOf(whole.Encode(), "input: "), "Seated: 3"},
		{"no start", swap(whole, "input: start 1297650200000000001 lot\n", ""), lineOf(whole.Encode(), "input: "),
			"must be the start"},
		{"a join after the start", swap(whole, "input: start 1297650200000000001 lot", "input: start 1297650200000000001 lot\ninput: join 1"), lineOf(whole.Encode(), "input: "), "follows the start"},
		{"an illegal play", swap(whole, firstPlay, "1. 0 999"), lineOf(whole.Encode(), firstPlay), "not allowed"},
		{"a play missing", swap(whole, secondPlay, "\n"), lineOf(whole.Encode(), secondPlay) + 1, "number 2, a dot"},
		{"an empty line among the plays", swap(whole, secondPlay, "\n"+secondPlay), lineOf(whole.Encode(), secondPlay) + 1, "empty line"},
		{"a seat that is none", swap(whole, firstPlay, strings.Replace(firstPlay, "1. 0", "1. x", 1)), lineOf(whole.Encode(), firstPlay), "A seat"},
		{"another draw", swap(cards, draw, fmt.Sprintf("%d. chance %s", drawn+1, another)), 0, ""},
		{"another last position", swap(whole, "digest: ", "digest: 00"), lineOf(whole.Encode(), "digest: "), "position"},
		{"what a player saw", swap(whole, "\n\n", "\nseen: 1\n\n"), lineOf(whole.Encode(), "\n\n") + 1, "were still hidden"},
	}
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	english := sentences.Speaker(nil, "en").Plain()
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
		said := english.Say(re.Reason)
		if re.Err != nil {
			said += " " + re.Err.Error()
		}
		if tt.line != 0 && re.Line != tt.line || !strings.Contains(said, tt.reason) {
			t.Errorf("%s: line %d, %q, want line %d and %q", tt.name, re.Line, said, tt.line, tt.reason)
		}
	}
}

// Record finds each changed draw of a game of Pirat and of Freebooter. The test changes each draw in turn to another
// possible outcome, and removes the later entries.
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
					forged.Log = append(append([]games.Entry(nil), r.Log[:i]...),
						games.Entry{Seat: games.Chance, Text: text})
					_, err := verify.Record(forged, catalog.Find)
					var re *games.RecordError
					if !errors.As(err, &re) || re.Line != forged.Line(i) ||
						!strings.Contains(fmt.Sprint(re.Reason.Args["Want"]), e.Text) {
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

// Record refuses a record that no table writes: one without the digest, or one that ends by agreement before a die roll
// or a card draw. The game is legal in both. Record accepts a record that lacks an option with its default value,
// because records from before that option existed lack it.
func TestWhatNoTableWrites(t *testing.T) {
	dropped := func(r games.Record, key string) string {
		var kept []string
		for line := range strings.Lines(r.Encode()) {
			if !strings.HasPrefix(line, key) {
				kept = append(kept, line)
			}
		}
		return strings.Join(kept, "")
	}
	for _, key := range []string{"quedah-merchant", "pirate-versus-pirate", "freebooter", "pirat"} {
		g, _ := catalog.Find(key)
		whole := played(t, g, 2)
		forged := map[string]string{"the digest is missing": dropped(whole, "digest: ")}
		for _, o := range g.Options() {
			r, err := decode(t, dropped(whole, "option: "+o.Key+"="))
			if err == nil {
				_, err = verify.Record(r, catalog.Find)
			}
			if err != nil {
				t.Errorf("%s: from before the option %s: %v", key, o.Key, err)
			}
		}
		for i, e := range whole.Log {
			if e.Seat != games.Chance {
				continue
			}
			cut := whole
			cut.Log, cut.Ending = whole.Log[:i], games.Agreed
			cut.Digest = ""
			m, err := cut.Replay(g)
			if err != nil {
				t.Fatalf("%s: %v", key, err)
			}
			cut.Digest = m.Digest()
			forged["agreed before "+e.Text] = cut.Encode()
			break
		}
		for what, text := range forged {
			r, err := decode(t, text)
			if err != nil {
				t.Fatalf("%s: %s: %v", key, what, err)
			}
			if _, err := verify.Legal(r, catalog.Find); err != nil {
				t.Errorf("%s: %s: not legal: %v", key, what, err)
			}
			if _, err := verify.Record(r, catalog.Find); err == nil {
				t.Errorf("%s: %s: accepted", key, what)
			}
		}
	}
}
