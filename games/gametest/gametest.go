// Package gametest is the conformance suite for games. A new game's test is a single call of Run. Run checks guarantees
// of State, Sim and Game in random games, for every number of seats and every combination of options.
package gametest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"marque/games"
	"marque/games/scene"
	"marque/games/text"
)

// Config sets how thoroughly a game is tested.
type Config struct {
	// Games is the number of random games for each setup; 0 means 20.
	Games int
	// Every is the number of plies between positions with the expensive checks (masks, samples, scenes); 0 means 5.
	Every int
	// Seed selects the random game of the golden playthrough, so that a short game can be chosen; 0 means 1.
	Seed uint64
	// Perft lists positions and depths to count. The counts are in testdata/perft.txt.
	Perft []Perft
}

// Run checks g in random games against guarantees of the games' interfaces. It also checks g's lessons, and
// compares random games, and numbers of ways to play, with golden files.
func Run(t *testing.T, g games.Game, c Config) {
	t.Helper()
	if c.Games == 0 {
		c.Games = 20
	}
	if c.Every == 0 {
		c.Every = 5
	}
	if c.Seed == 0 {
		c.Seed = 1
	}
	t.Run("Info", func(t *testing.T) { checkInfo(t, g) })
	t.Run("Setups", func(t *testing.T) { checkSetups(t, g) })
	for _, setup := range Setups(g) {
		t.Run(Name(setup), func(t *testing.T) {
			t.Run("States", func(t *testing.T) { checkStates(t, g, setup, c) })
			t.Run("Sim", func(t *testing.T) { checkSim(t, g, setup, c) })
			t.Run("Uniform", func(t *testing.T) { checkUniform(t, g, setup, c) })
			t.Run("Replay", func(t *testing.T) { checkReplay(t, g, setup, c) })
			t.Run("Playthrough", func(t *testing.T) { checkPlaythrough(t, g, setup, c) })
		})
	}
	t.Run("Leftovers", func(t *testing.T) { checkNoLeftovers(t, g) })
	t.Run("Traits", func(t *testing.T) { checkTraits(t, g, c) })
	t.Run("Lessons", func(t *testing.T) { checkLessons(t, g) })
	t.Run("Perft", func(t *testing.T) { checkPerft(t, g, c) })
}

// Setups returns all setups of g: each number of seats with each combination of options.
func Setups(g games.Game) []games.Setup {
	least, most := g.Seats()
	combos := [][]games.Setting{nil}
	for _, o := range g.Options() {
		var next [][]games.Setting
		for _, c := range combos {
			for _, v := range o.Values {
				next = append(next, append(c[:len(c):len(c)], games.Setting{Key: o.Key, Value: v}))
			}
		}
		combos = next
	}
	var all []games.Setup
	for n := least; n <= most; n++ {
		for _, c := range combos {
			all = append(all, games.Setup{Seats: n, Options: c})
		}
	}
	return all
}

// Name returns a setup as one word, such as "seats=2,opening=offered".
func Name(s games.Setup) string {
	parts := []string{fmt.Sprintf("seats=%d", s.Seats)}
	for _, o := range s.Options {
		parts = append(parts, o.Key+"="+o.Value)
	}
	return strings.Join(parts, ",")
}

// Random plays a random move in s, or an outcome in proportion to its weight. It returns the play and the position
// after the play.
func Random(s games.State, rng *rand.Rand) (games.Move, games.State) {
	var m games.Move
	if s.ToMove() == games.Chance {
		outs := s.Outcomes()
		total := 0
		for _, o := range outs {
			total += o.Weight
		}
		x := rng.IntN(total)
		for _, o := range outs {
			if x < o.Weight {
				m = o.Move
				break
			}
			x -= o.Weight
		}
	} else {
		moves := s.Moves()
		m = moves[rng.IntN(len(moves))]
	}
	return m, s.Apply(m)
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x6d61727175650001)) }

func checkInfo(t *testing.T, g games.Game) {
	info := g.Info()
	if info.Name.ID != g.Key()+".name" {
		t.Errorf("the name's id is %q, want %q", info.Name.ID, g.Key()+".name")
	}
	if len(info.Quick) != 5 {
		t.Errorf("the quick start has %d sentences, want 5", len(info.Quick))
	}
	if len(info.Rules) < 3 || len(info.Rules) > 25 {
		t.Errorf("the rules have %d sections, want 3 to 25 (a select menu's limit)", len(info.Rules))
	}
	seen := map[string]bool{}
	for _, s := range info.Rules {
		if s.Key == "" || s.Title.IsZero() || s.Body.IsZero() || seen[s.Key] {
			t.Errorf("rules section %+v lacks something or its key is taken", s)
		}
		seen[s.Key] = true
	}
	for _, o := range g.Options() {
		if len(o.Values) < 2 {
			t.Errorf("option %s has %d values, want at least 2", o.Key, len(o.Values))
		}
		for _, word := range append([]string{o.Key}, o.Values...) {
			if !optionWord.MatchString(word) {
				t.Errorf("option %s has the word %q, want small letters, digits and hyphens", o.Key, word)
			}
		}
	}
}

// optionWord matches keys and values of options, which are part of message ids, of records and of commands.
var optionWord = regexp.MustCompile("^[a-z0-9]+(-[a-z0-9]+)*$")

// checkSetups checks that no two setups have the same initial position.
func checkSetups(t *testing.T, g games.Game) {
	seen := map[string]string{}
	for _, setup := range Setups(g) {
		start := JSON(t, g.New(setup))
		if other, ok := seen[start]; ok {
			t.Errorf("%s and %s begin with the same state %s: what was chosen is part of it", other, Name(setup), start)
		}
		seen[start] = Name(setup)
	}
}

func checkStates(t *testing.T, g games.Game, setup games.Setup, c Config) {
	for seed := range uint64(c.Games) {
		rng := newRand(seed)
		s := g.New(setup)
		var trail []games.Step
		ply := 0
		for ; s.ToMove() != games.Nobody && ply <= g.Traits().Longest && !t.Failed(); ply++ {
			at := func() string {
				return fmt.Sprintf("%s, random game %d, ply %d: %s", Name(setup), seed, ply, JSON(t, s))
			}
			checkMoves(t, s, at)
			if ply%c.Every == 0 {
				checkViews(t, g, s, setup, trail, rng, at)
			}
			before, was := s, JSON(t, s)
			m, next := Random(s, rng)
			if now := encoded(t, before); now != was {
				t.Fatalf("%s\nApply(%s) changed the state it was called on to\n%s", at(), games.Spell(before, m), now)
			}
			trail = append(trail, games.Step{Before: before, Seat: before.ToMove(), Move: m})
			if len(trail) > 6 {
				trail = trail[1:]
			}
			s = next
		}
		if t.Failed() {
			return
		}
		if s.ToMove() != games.Nobody {
			t.Fatalf("%s: random game %d has not ended after %d plies", Name(setup), seed, g.Traits().Longest)
		}
		at := func() string { return fmt.Sprintf("%s, random game %d, its end: %s", Name(setup), seed, JSON(t, s)) }
		checkViews(t, g, s, setup, trail, rng, at)
		checkResult(t, s, setup, at)
	}
}

func checkResult(t *testing.T, s games.State, setup games.Setup, at func() string) {
	r := s.Result()
	if len(r.Winners) == 0 {
		t.Errorf("%s\nover without winners", at())
	}
	for i, w := range r.Winners {
		if w < 0 || int(w) >= setup.Seats || i > 0 && r.Winners[i-1] >= w {
			t.Errorf("%s\nwinners %v are not seats in rising order", at(), r.Winners)
		}
	}
	if r.Why.IsZero() {
		t.Errorf("%s\nover without a reason", at())
	}
	if r.Scores != nil && len(r.Scores) != setup.Seats {
		t.Errorf("%s\nscores %v for %d seats", at(), r.Scores, setup.Seats)
	}
	if s.Moves() != nil || s.Outcomes() != nil {
		t.Errorf("%s\nover, yet moves or outcomes are listed", at())
	}
	if m, ok := games.Forced(s); ok {
		t.Errorf("%s\nover, yet %v is forced", at(), m)
	}
}

// checkMoves checks the outcomes if chance is to move. Otherwise it checks that the moves have a fixed order and
// different notations, and that each notation, and no other text that it tries, is parsed as its move.
func checkMoves(t *testing.T, s games.State, at func() string) {
	if s.ToMove() == games.Chance {
		checkOutcomes(t, s, at)
		return
	}
	moves := s.Moves()
	if len(moves) == 0 || s.Outcomes() != nil {
		t.Errorf("%s\nseat %d is to move: moves %v, outcomes %v", at(), s.ToMove(), moves, s.Outcomes())
	}
	if again := s.Moves(); !reflect.DeepEqual(moves, again) {
		t.Errorf("%s\nmoves are listed as %v, then as %v", at(), moves, again)
	}
	if f, ok := games.Forced(s); ok && !slices.Contains(moves, f) {
		t.Errorf("%s\nthe forced move %q is not legal", at(), games.Spell(s, f))
	}
	menu := games.NewMenu(s)
	seen := map[string]games.Move{}
	for _, m := range moves {
		words := s.Spell(m)
		n := games.Notation(words)
		if other, twice := seen[n]; twice {
			t.Errorf("%s\nmoves %v and %v are both spelled %q", at(), other, m, n)
		}
		seen[n] = m
		checkNotation(t, menu, m, n, at)
		checkWords(t, menu, words, n, at)
	}
	for _, bad := range []string{"", "zzz", "-", "resigns", "0", "💀", strings.Repeat("9", 300)} {
		if m, err := menu.Parse(bad); err == nil {
			t.Errorf("%s\n%q parses to %v, want an error", at(), bad, m)
		}
	}
}

func checkOutcomes(t *testing.T, s games.State, at func() string) {
	outs := s.Outcomes()
	if len(outs) == 0 || s.Moves() != nil {
		t.Errorf("%s\nchance is due: outcomes %v, moves %v", at(), outs, s.Moves())
	}
	seen := map[string]bool{}
	for _, o := range outs {
		n := games.Spell(s, o.Move)
		if o.Weight < 1 || seen[n] {
			t.Errorf("%s\noutcome %q has weight %d, or is listed twice", at(), n, o.Weight)
		}
		seen[n] = true
		if back, err := games.FindOutcome(s, n); err != nil || back != o.Move {
			t.Errorf("%s\noutcome %q reads back as %v, %v, want %v", at(), n, back, err, o.Move)
		}
	}
	if !reflect.DeepEqual(outs, s.Outcomes()) {
		t.Errorf("%s\noutcomes are listed differently the second time", at())
	}
}

// checkNotation checks that a notation is not empty, neither begins nor ends with a space, and is parsed as its move,
// even in capitals.
func checkNotation(t *testing.T, menu *games.Menu, m games.Move, n string, at func() string) {
	if n == games.Resigns || n != strings.TrimSpace(n) || n == "" {
		t.Errorf("%s\n%q is no notation for a move", at(), n)
	}
	if got, err := menu.Parse(n); err != nil || got != m {
		t.Errorf("%s\n%q parses to %v, %v, want %v", at(), n, got, err, m)
	}
	if got, err := menu.Parse("  " + strings.ToUpper(n) + " "); err != nil || got != m {
		t.Errorf("%s\n%q in capitals parses to %v, %v, want %v", at(), n, got, err, m)
	}
}

// checkWords checks that every word of a move has a label, and that the menu offers the word after the previous words.
func checkWords(t *testing.T, menu *games.Menu, words []games.Word, n string, at func() string) {
	path := ""
	for i, w := range words {
		if i == 0 && w.Sep != "" || w.Key == "" || w.Label.IsZero() || w.Ask.IsZero() {
			t.Errorf("%s\nword %d of %q lacks something: %+v", at(), i, n, w)
		}
		choices, ok := menu.At(path)
		if !ok || !slices.ContainsFunc(choices, func(c games.Choice) bool {
			return c.Word.Sep == w.Sep && c.Word.Key == w.Key
		}) {
			t.Errorf("%s\nthe menu after %q does not offer %q, word %d of %q", at(), path, w.Key, i, n)
		}
		path += w.Sep + w.Key
	}
}

// checkSpots checks that the picture for the seat to move contains every spot that a word of a move names, and that
// spots that are not on cards are inside its edges. At one step of a move no two words may have the same spot.
func checkSpots(t *testing.T, s games.State, menu *games.Menu, at func() string) {
	seat := s.ToMove()
	sc := games.Mask(s, seat).Scene(seat, nil)
	spots := map[string]bool{}
	for _, spot := range sc.Spots {
		spots[spot.Name] = true
		if spot.Card < 0 || spot.Card > len(sc.Hand) {
			t.Errorf("%s\nthe spot %+v is on no card of %d", at(), spot, len(sc.Hand))
		}
		for _, p := range []scene.Point{spot.At, spot.Beside} {
			if spot.Card == 0 && (p.X < 0 || p.X > sc.W || p.Y < 0 || p.Y > sc.H || spot.R <= 0) {
				t.Errorf("%s\nthe spot %+v is not in the picture", at(), spot)
			}
		}
	}
	steps := map[string]bool{}
	for _, c := range menu.Candidates() {
		path := ""
		for _, w := range c.Words {
			if w.Spot != "" && !spots[w.Spot] {
				t.Errorf("%s\nthe picture has no spot %q, of %q in %q", at(), w.Spot, w.Key, c.Notation)
			}
			steps[path] = true
			path += w.Sep + w.Key
		}
	}
	for path := range steps {
		marked := scene.Scene{Spots: sc.Spots, Pieces: sc.Pieces}
		menu.Mark(&marked, path)
		for _, m := range marked.Marks {
			if strings.Contains(m.Text, " ") {
				t.Errorf("%s\nafter %q one spot is called %q", at(), path, m.Text)
			}
		}
	}
}

// checkViews checks that masks are idempotent, that a sample has the mask from which it was drawn and gives the same
// picture, and that pictures can be drawn, with a spot for each choice.
func checkViews(t *testing.T, g games.Game, s games.State, setup games.Setup, trail []games.Step, rng *rand.Rand,
	at func() string) {
	whole, hides := JSON(t, s), g.Traits().Hidden
	for v := games.Spectator; int(v) < setup.Seats; v++ {
		if v == games.Nobody || v == games.Chance {
			continue
		}
		mask := games.Mask(s, v)
		maskJSON := JSON(t, mask)
		if !hides && (maskJSON != whole || slices.ContainsFunc(s.Moves(), func(m games.Move) bool {
			return games.MaskMove(s, m, v) != m
		})) {
			t.Errorf("%s\nnothing is hidden in this game, but %d sees less than all of a play or of\n%s", at(), v, maskJSON)
		}
		if again := JSON(t, games.Mask(mask, v)); again != maskJSON {
			t.Errorf("%s\nmasked twice for %d:\n%s\nwant\n%s", at(), v, again, maskJSON)
		}
		if mask.ToMove() != s.ToMove() {
			t.Errorf("%s\nthe mask for %d says that %d is to move", at(), v, mask.ToMove())
		}
		if s.ToMove() == v && !reflect.DeepEqual(mask.Moves(), s.Moves()) {
			t.Errorf("%s\nthe view of seat %d lists other moves than the state", at(), v)
		}
		picture := checkScene(t, mask, v, trail, at)

		other := games.Sample(mask, v, rng)
		if back := JSON(t, games.Mask(other, v)); back != maskJSON {
			t.Errorf("%s\na sample for %d, masked, is\n%s\nwant\n%s\nthe sample: %s", at(), v, back, maskJSON,
				JSON(t, other))
			continue
		}
		if other.ToMove() != s.ToMove() {
			t.Errorf("%s\na sample for %d has %d to move", at(), v, other.ToMove())
		}
		if encoded(t, other) != whole { // otherwise the same position was already checked
			if other.ToMove() >= 0 {
				checkMoves(t, other, at)
			}
			// The positions differ only in what v may not know, so the picture for v must not change.
			if twin := checkScene(t, games.Mask(other, v), v, trail, at); twin != picture {
				t.Errorf("%s\nthe picture for %d changes with what %d may not know:\n%s\n%s", at(), v, v, picture, twin)
			}
		}
		if hides || v == games.Spectator || v == s.ToMove() { // all other seats see the same as a spectator
			checkMaskedPlays(t, s, v, at)
		}
	}
	if s.ToMove() >= 0 {
		checkSpots(t, s, games.NewMenu(s), at)
	}
}

// checkMaskedPlays checks, for at most twelve plays, that a masked play reveals nothing that is hidden in the masked
// position after the play.
func checkMaskedPlays(t *testing.T, s games.State, v games.Seat, at func() string) {
	var plays []games.Move
	plays = append(plays, s.Moves()...)
	for _, o := range s.Outcomes() {
		plays = append(plays, o.Move)
	}
	if len(plays) > 12 {
		plays = plays[:12]
	}
	mask := games.Mask(s, v)
	type seen struct {
		next                  games.State
		after, notation, told string
	}
	var all []seen
	for _, m := range plays {
		mm := games.MaskMove(s, m, v)
		told := mask.Describe(mm)
		if told.IsZero() {
			t.Errorf("%s\nnothing is told to %d of %q", at(), v, games.Spell(s, m))
		}
		if s.ToMove() == v && mm != m {
			t.Errorf("%s\nseat %d's own move %q is masked from it", at(), v, games.Spell(s, m))
		}
		next := s.Apply(m)
		after := encoded(t, games.Mask(next, v))
		if s.ToMove() == v {
			// A preview depends on the view alone. Only the end of the game may reveal hidden facts.
			if got := encoded(t, games.Mask(mask.Apply(m), v)); got != after && next.ToMove() != games.Nobody {
				t.Errorf("%s\nseat %d's view, after its own %q, is\n%s\nwant\n%s", at(), v, games.Spell(s, m), got,
					after)
			}
		}
		all = append(all, seen{next, after, games.Spell(mask, mm), fmt.Sprint(told)})
	}
	for i, a := range all {
		for _, b := range all[:i] {
			if a.after != b.after || a.notation == b.notation && a.told == b.told {
				continue
			}
			// Two plays that lead to the same position may have different sentences, because these reveal nothing.
			if encoded(t, a.next) != encoded(t, b.next) {
				t.Errorf("%s\nthe view of %d is the same after two plays, but it is told %q (%s) and %q (%s)", at(), v,
					a.notation, a.told, b.notation, b.told)
			}
		}
	}
}

// maxText is the maximum number of characters in a text board. The rest of the message is for the legend.
const maxText = 1700

func checkScene(t *testing.T, mask games.State, v games.Seat, trail []games.Step, at func() string) string {
	var seen []games.Step
	for _, st := range trail {
		seen = append(seen, games.Step{Before: games.Mask(st.Before, v), Seat: st.Seat,
			Move: games.MaskMove(st.Before, st.Move, v)})
	}
	sc := mask.Scene(v, seen)
	if sc.Board == "" || sc.W <= 0 || sc.H <= 0 || len(sc.Alt) == 0 || len(sc.Text) == 0 || len(sc.Panels) == 0 {
		t.Errorf("%s\nthe scene for %d lacks its board, size, alt text, text board or panels", at(), v)
	}
	winner := slices.ContainsFunc(sc.Panels, func(p scene.Panel) bool { return p.Winner })
	if winner == sc.Won.IsZero() {
		t.Errorf("%s\nthe scene for %d has a winner (%v), and says that it was won by %v", at(), v, winner, sc.Won)
	}
	if (len(sc.Hand) > 0) == sc.HandAlt.IsZero() {
		t.Errorf("%s\nthe scene for %d has the hand %v, told as %v", at(), v, sc.Hand, sc.HandAlt)
	}
	if v < 0 && len(sc.Hand) > 0 {
		t.Errorf("%s\na spectator sees the hand %v", at(), sc.Hand)
	}
	checkArrows(t, sc.Marks, at)
	size := 0
	for _, line := range sc.Text {
		n := utf8.RuneCountInString(line)
		size += n + 1
		if n > scene.TextWidth || strings.ContainsAny(line, "\t\n`") {
			t.Errorf("%s\ntext board line of %d columns, or with a tab, newline or backtick: %q", at(), n, line)
		}
	}
	if size > maxText {
		t.Errorf("%s\nthe text board has %d characters, want at most %d", at(), size, maxText)
	}
	return Dump(sc) + fmt.Sprint(sc.Spots)
}

// checkArrows checks that the newest arrow in a picture looks different from older arrows of other players.
func checkArrows(t *testing.T, marks []scene.Mark, at func() string) {
	var arrows []scene.Mark
	for _, m := range marks {
		if m.Kind == scene.Arrow {
			arrows = append(arrows, m)
		}
	}
	for _, m := range arrows {
		switch newest := arrows[len(arrows)-1]; {
		case newest.Old && !marks[len(marks)-1].Old:
			// A later play has added a mark that is not an arrow.
		case newest.Old:
			t.Errorf("%s\nthe newest arrow %v looks like an older one", at(), newest)
		case m.Color != newest.Color && !m.Old:
			t.Errorf("%s\nthe arrow %v looks as new as that of the last play, %v", at(), m, newest)
		}
	}
}

// Dump returns a scene as text, with one element per line, for golden files and comparisons.
func Dump(sc scene.Scene) string {
	var b strings.Builder
	fmt.Fprintf(&b, "board %s %gx%g, ground of %d shapes\n", sc.Board, sc.W, sc.H, len(sc.Ground))
	for _, p := range sc.Pieces {
		fmt.Fprintf(&b, "piece %s\n", compact(p))
	}
	for _, m := range sc.Marks {
		fmt.Fprintf(&b, "mark %s\n", compact(m))
	}
	for _, p := range sc.Panels {
		fmt.Fprintf(&b, "panel %s\n", compact(p))
	}
	if !sc.Won.IsZero() {
		fmt.Fprintf(&b, "won %s\n", message(sc.Won))
	}
	for _, s := range sc.Status {
		fmt.Fprintf(&b, "status %s\n", compact(s))
	}
	for _, p := range sc.Hand {
		fmt.Fprintf(&b, "hand %s\n", compact(p))
	}
	for _, a := range sc.Alt {
		fmt.Fprintf(&b, "alt %s\n", message(a))
	}
	for _, l := range sc.Text {
		fmt.Fprintf(&b, "text |%s\n", strings.TrimRight(l, " "))
	}
	for _, a := range sc.Legend {
		fmt.Fprintf(&b, "legend %s\n", message(a))
	}
	return b.String()
}

// message returns the ID and the arguments of a text.Message. Package fmt sorts the keys of maps.
func message(m text.Message) string {
	if m.Args == nil {
		return m.ID
	}
	return fmt.Sprintf("%s %v", m.ID, map[string]any(m.Args))
}

// compact returns a struct's Kind, if it has one, and its other fields that are not zero.
func compact(v any) string {
	val := reflect.ValueOf(v)
	var parts []string
	for i := range val.NumField() {
		f := val.Field(i)
		if val.Type().Field(i).Name == "Kind" {
			parts = append(parts, fmt.Sprint(f.Interface()))
			continue
		}
		if f.IsZero() || f.Kind() == reflect.Slice && f.Len() == 0 {
			continue
		}
		if m, ok := f.Interface().(text.Message); ok {
			parts = append(parts, val.Type().Field(i).Name+"="+message(m))
			continue
		}
		if f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Struct &&
			f.Type().Elem() != reflect.TypeOf(scene.Point{}) {
			var items []string
			for j := range f.Len() {
				items = append(items, compact(f.Index(j).Interface()))
			}
			parts = append(parts, val.Type().Field(i).Name+"=["+strings.Join(items, "; ")+"]")
			continue
		}
		if p, ok := f.Interface().(scene.Point); ok {
			parts = append(parts, fmt.Sprintf("%s=(%.0f,%.0f)", val.Type().Field(i).Name, p.X, p.Y))
			continue
		}
		if f.Kind() == reflect.Float64 {
			parts = append(parts, fmt.Sprintf("%s=%.2f", val.Type().Field(i).Name, f.Float()))
			continue
		}
		if ps, ok := f.Interface().([]scene.Point); ok {
			s := val.Type().Field(i).Name + "="
			for _, p := range ps {
				s += fmt.Sprintf("(%.0f,%.0f)", p.X, p.Y)
			}
			parts = append(parts, s)
			continue
		}
		parts = append(parts, fmt.Sprintf("%s=%v", val.Type().Field(i).Name, f.Interface()))
	}
	return strings.Join(parts, " ")
}

// JSON returns a state's JSON. It fails the test if the JSON is not one valid line.
func JSON(t testing.TB, s games.State) string {
	t.Helper()
	out := encoded(t, s)
	if !json.Valid([]byte(out)) || strings.ContainsAny(out, "\n\r") {
		t.Fatalf("not one line of JSON: %s", out)
	}
	return out
}

// encoded returns the JSON of a state, for comparisons only.
func encoded(t testing.TB, s games.State) string {
	t.Helper()
	b, err := s.MarshalJSON()
	if err != nil {
		t.Fatalf("a state without JSON: %v", err)
	}
	return string(b)
}

// checkReplay checks that replaying a log gives the same position, and that encoding and decoding a record preserves
// the record.
func checkReplay(t *testing.T, g games.Game, setup games.Setup, c Config) {
	for seed := range uint64(min(c.Games, 5)) {
		m := play(t, g, setup, seed)
		again, err := games.Replay(g, m.Header(), m.Log())
		if err != nil {
			t.Fatalf("game %d does not replay: %v", seed, err)
		}
		if again.Digest() != m.Digest() {
			t.Errorf("game %d replays to another position:\n%s\n%s", seed, JSON(t, m.State()), JSON(t, again.State()))
		}
		rec := m.Record()
		read, err := games.DecodeRecord(strings.NewReader(rec.Encode()))
		if err != nil {
			t.Fatalf("game %d's record does not read back: %v", seed, err)
		}
		if read.Encode() != rec.Encode() {
			t.Errorf("game %d's record reads back as\n%s\nwant\n%s", seed, read.Encode(), rec.Encode())
		}
		if _, err := read.Replay(g); err != nil {
			t.Errorf("game %d's record does not replay: %v", seed, err)
		}
	}
}

func play(t *testing.T, g games.Game, setup games.Setup, seed uint64) *games.Match {
	t.Helper()
	m, err := games.NewMatch(g, games.Header{Setup: setup})
	if err != nil {
		t.Fatal(err)
	}
	rng := newRand(seed)
	for !m.Over() && m.Len() < g.Traits().Longest {
		mv, _ := Random(m.State(), rng)
		if err := m.Play(mv); err != nil {
			t.Fatalf("game %d, ply %d: a listed play is refused: %v", seed, m.Len(), err)
		}
	}
	return m
}
