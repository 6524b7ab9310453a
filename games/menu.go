package games

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/rangetable"
	"golang.org/x/text/width"

	"marque/games/scene"
	"marque/games/text"
)

// Menu is a trie of the words of the legal moves. It gives the possible next words after the words chosen so far.
// Autocomplete, buttons, select menus and parse errors all use it, for every game.
type Menu struct {
	state State
	moves []Candidate
	root  *node
}

// Candidate is one legal move with its words.
type Candidate struct {
	Move     Move
	Words    []Word
	Notation string
	normal   string // Notation in the form that the function normal returns, for comparison with typed text
}

// Choice is one possible next word.
type Choice struct {
	Word Word
	Path string // the notation up to and including this word
	Move Move   // the complete move, if Ends is set
	Ends bool   // a move ends with this word
	More bool   // other moves continue after this word
	Left int    // the number of moves that begin with the words of Path
}

type node struct {
	word     Word
	path     string
	move     Move
	ends     bool
	left     int
	children []*node
}

// NewMenu returns the menu of the legal moves of s, which must be a full state or the view of the seat to move. The
// menu is empty if no seat is to move.
func NewMenu(s State) *Menu {
	m := &Menu{state: s, root: &node{}}
	for _, mv := range s.Moves() {
		words := s.Spell(mv)
		notation := Notation(words)
		e := Candidate{Move: mv, Words: words, Notation: notation, normal: normal(notation)}
		n := m.root
		n.left++
		for _, w := range words {
			n = n.child(w)
			n.left++
		}
		n.ends, n.move = true, mv
		m.moves = append(m.moves, e)
	}
	return m
}

func (n *node) child(w Word) *node {
	for _, c := range n.children {
		if c.word.Sep == w.Sep && c.word.Key == w.Key {
			return c
		}
	}
	c := &node{word: w, path: n.path + w.Sep + w.Key}
	n.children = append(n.children, c)
	return c
}

// Candidates lists all legal moves in the game's order.
func (m *Menu) Candidates() []Candidate { return m.moves }

// find returns the first node with exactly this path, or nil if there is none.
func (m *Menu) find(path string) *node { return m.root.find(path) }

func (n *node) find(path string) *node {
	if n.path == path {
		return n
	}
	for _, c := range n.children {
		if !strings.HasPrefix(path, c.path) {
			continue
		}
		if found := c.find(path); found != nil {
			return found
		}
	}
	return nil
}

// At returns the choices after the words whose notation is path ("" at the start), in the game's order. ok is false
// if no move begins with these words.
func (m *Menu) At(path string) (choices []Choice, ok bool) {
	n := m.find(path)
	if n == nil {
		return nil, false
	}
	for _, c := range n.children {
		choices = append(choices, c.choice())
	}
	return choices, true
}

// half reports whether the node's word is half of a name, which the next word completes.
func (n *node) half() bool { return len(n.children) > 0 && n.children[0].word.Sep == "" }

func (n *node) choice() Choice {
	return Choice{Word: n.word, Path: n.path, Move: n.move, Ends: n.ends, More: len(n.children) > 0, Left: n.left}
}

// Mark marks the words chosen in path, and each next choice that has a text in the picture (Word.Written). sc is the
// picture of the position for the player to move.
func (m *Menu) Mark(sc *scene.Scene, path string) {
	n := m.find(path)
	if n == nil {
		return
	}
	at := ""
	chosen := m.Chosen(path)
	for i, w := range chosen {
		switch w.Sep {
		case "-", "x": // the piece goes to this spot
			if !sc.Carry(at, w.Spot) {
				sc.Pick(w.Spot)
			}
			at = w.Spot
		case "<": // the piece comes from this spot
			sc.TurnBack(at, w.Spot)
		default:
			if i == len(chosen)-1 && n.half() {
				sc.Offer(w.Spot, w.Written())
			} else {
				sc.Pick(w.Spot)
			}
			at = w.Spot
		}
	}
	for _, c := range n.children {
		if sign := c.word.Written(); sign != "" {
			sc.Offer(c.word.Spot, sign)
		}
	}
}

// Reach returns the choices after path that have a place in the picture. The choices after a word replace that word if
// it has no place, such as a kind of move, or if the next word completes it, such as the column of a crossing before
// its row. A player who touches a place chooses all words up to that place's word. Several choices can have the same
// place.
func (m *Menu) Reach(path string) (places []Choice) {
	n := m.find(path)
	if n == nil {
		return nil
	}
	var walk func(n *node)
	walk = func(n *node) {
		for _, c := range n.children {
			if c.word.Spot == "" || c.half() {
				walk(c)
			} else {
				places = append(places, c.choice())
			}
		}
	}
	walk(n)
	return places
}

// Ahead returns later choices with a place in the picture, beyond those of Reach, if only one path leads to the
// place. The choices are destinations of pieces, and words that follow a space. A player who touches the place
// chooses all words up to that place's word.
func (m *Menu) Ahead(path string) (places []Choice) {
	n := m.find(path)
	if n == nil {
		return nil
	}
	near, ways := map[string]bool{"": true}, map[string]int{} // both keyed by place
	for _, c := range n.children {
		near[c.word.Spot] = true
	}
	for _, c := range m.Reach(path) {
		near[c.Word.Spot] = true
	}
	var walk func(n *node)
	walk = func(n *node) {
		for _, c := range n.children {
			if w := c.word; !near[w.Spot] && (w.goes() || w.Sep == " ") {
				ways[w.Spot]++
				places = append(places, c.choice())
			}
			walk(c)
		}
	}
	walk(n)
	return slices.DeleteFunc(places, func(c Choice) bool { return ways[c.Word.Spot] > 1 })
}

// Effect returns the common effect of all moves that begin with path, as the game's EffectDescriber describes it. It is
// the zero Message if the effects differ, or if the game is no EffectDescriber.
func (m *Menu) Effect(path string) (effect text.Message) {
	f, ok := m.state.(EffectDescriber)
	n := m.find(path)
	if !ok || n == nil {
		return text.Message{}
	}
	said := ""
	n.each(func(mv Move) bool {
		of := f.DescribeEffect(mv)
		switch say := fmt.Sprint(of); { // fmt sorts the keys of maps
		case said == "":
			effect, said = of, say
		case said != say:
			effect = text.Message{}
		}
		return !effect.IsZero()
	})
	return effect
}

// each calls f for the moves at n and below n, in order, until f returns false.
func (n *node) each(f func(Move) bool) bool {
	if n.ends && !f(n.move) {
		return false
	}
	for _, c := range n.children {
		if !c.each(f) {
			return false
		}
	}
	return true
}

// Chosen returns the words of path, in order.
func (m *Menu) Chosen(path string) []Word {
	end := m.find(path)
	if end == nil {
		return nil
	}
	var words []Word
	for n := m.root; n != end; {
		n = n.toward(end)
		words = append(words, n.word)
	}
	return words
}

// Ancestors returns the prefixes of path that consist of whole words, from "" to path, or nil if no move begins with
// the words of path.
func (m *Menu) Ancestors(path string) []string {
	end := m.find(path)
	if end == nil {
		return nil
	}
	var way []string
	for n := m.root; n != end; n = n.toward(end) {
		way = append(way, n.path)
	}
	return append(way, end.path)
}

// toward returns the child of n that is end or an ancestor of end.
func (n *node) toward(end *node) *node {
	for _, c := range n.children {
		if c == end || c.toward(end) != nil {
			return c
		}
	}
	return nil
}

// Move returns the legal move with exactly this notation.
func (m *Menu) Move(notation string) (Move, bool) {
	n := m.find(notation)
	if n == nil || !n.ends {
		return 0, false
	}
	return n.move, true
}

// Parse returns the legal move that a player typed. It ignores case, all characters that fold removes, and needless
// spaces, even next to a sign ("9 - 10"). It returns a *ParseError for any other text. FindMove, for records, accepts
// only the exact notation.
func (m *Menu) Parse(input string) (Move, error) {
	if mv, ok := m.Move(input); ok {
		return mv, nil
	}
	want := normal(fold(input))
	for _, e := range m.moves {
		if e.normal == want {
			return e.Move, nil
		}
	}
	return 0, m.explain(input)
}

// fold reverses the changes that phones, keyboards and copying make to a notation. It replaces dashes and minus signs
// by hyphens, × by x, and full-width characters by normal ones. It removes zero-width characters and surrounding
// quotes, backticks and spaces.
func fold(typed string) string {
	typed = strings.Map(func(r rune) rune {
		switch {
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		case unicode.In(r, unicode.Pd, dashes):
			return '-'
		case r == '×':
			return 'x'
		}
		return r
	}, width.Fold.String(typed))
	return strings.TrimFunc(typed, func(r rune) bool {
		return unicode.In(r, unicode.White_Space, unicode.Quotation_Mark, accents)
	})
}

var (
	dashes  = rangetable.New('−', '⁃', '➖') // a minus sign, a bullet and an emoji, besides the dashes of Unicode
	accents = rangetable.New('`', '´')      // used in place of quotes
)

// normal folds case and removes spaces next to a sign, at the ends, and after another space.
func normal(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' && (isSign(s[i-1]) || isSign(s[i+1])) {
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func isSign(c byte) bool { return strings.IndexByte("-<=+*@/", c) >= 0 }

// explain returns why the input is not a legal move, the part of it that fits, and the possible continuations of that
// part.
func (m *Menu) explain(input string) *ParseError {
	in := normal(fold(input))
	best, from := m.root, ""
	var walk func(n *node, first string)
	walk = func(n *node, first string) {
		for _, c := range n.children {
			p := normal(c.path)
			if !strings.HasPrefix(in, p) || splits(in, len(p)) {
				continue
			}
			start := first
			if n == m.root {
				start = c.word.Key
			}
			if len(c.path) > len(best.path) {
				best, from = c, start
			}
			walk(c, start)
		}
	}
	walk(m.root, "")
	e := &ParseError{Input: strings.TrimSpace(input), After: best.path}
	e.Got = strings.TrimSpace(strings.TrimPrefix(in, normal(best.path)))
	next := best.children
	if goes := slices.DeleteFunc(slices.Clone(next), func(c *node) bool { return !c.word.goes() }); len(goes) > 0 {
		next, e.from = goes, from
	}
	seen := map[string]bool{}
	for _, c := range next {
		if key := c.word.Key; !seen[key] {
			seen[key] = true
			e.Want, e.seps, e.ask = append(e.Want, key), append(e.seps, c.word.Sep), c.word.Ask
		}
	}
	if e.Got == "" && len(next) > 0 {
		return e // the text is only incomplete
	}
	if s, ok := Mask(m.state, m.state.ToMove()).(Refuser); ok && in != "" {
		e.Why, _ = s.Refuse(in)
	}
	return e
}

// goes reports whether the word is a piece's destination.
func (w *Word) goes() bool { return w.Sep == "-" || w.Sep == "x" }

// splits reports whether index i is inside a number or word of s, with letters or digits on both sides, as 1 is in
// "12".
func splits(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return false
	}
	a, b := s[i-1], s[i]
	return isDigit(a) && isDigit(b) || isLetter(a) && isLetter(b)
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

// Complete returns legal moves that match the text typed so far, and the number of other matching moves. Moves whose
// notation begins with the text come first, then moves whose notation or label, in say's language, contains the text.
// Both groups are in the game's order. If more than limit moves match, Complete returns limit-1 of them, spread evenly
// over the next words, so that the caller has room for a line with the number of the others.
func (m *Menu) Complete(typed string, limit int, say func(text.Message) string) (list []Candidate, more int) {
	in := normal(fold(typed))
	var starts, contains []Candidate
	for _, e := range m.moves {
		switch {
		case strings.HasPrefix(e.normal, in):
			starts = append(starts, e)
		case strings.Contains(e.normal, in) || strings.Contains(strings.ToLower(Label(e.Words, say)), in):
			contains = append(contains, e)
		}
	}
	all := len(starts) + len(contains)
	if all <= limit {
		return append(starts, contains...), 0
	}
	list = spread(starts, 0, limit-1)
	list = append(list, spread(contains, 0, limit-1-len(list))...)
	return list, all - len(list)
}

// spread returns at most n of the moves, in order. It returns equal numbers of each kind, as far as possible, and does
// the same within a kind. Moves are of the same kind if their words at depth are equal.
func spread(moves []Candidate, depth, n int) []Candidate {
	switch {
	case n <= 0:
		return nil
	case len(moves) <= n:
		return moves
	}
	var kinds [][]Candidate
	index := map[string]int{}
	for _, e := range moves {
		key := e.Notation // a move without a word at depth is its own kind
		if depth < len(e.Words) {
			key = e.Words[depth].Sep + e.Words[depth].Key
		}
		i, ok := index[key]
		if !ok {
			i, index[key] = len(kinds), len(kinds)
			kinds = append(kinds, nil)
		}
		kinds[i] = append(kinds[i], e)
	}
	share := make([]int, len(kinds))
	if len(kinds) > n {
		for i := range n {
			share[i*len(kinds)/n] = 1
		}
		n = 0
	}
	for n > 0 {
		for i := range kinds {
			if n > 0 && share[i] < len(kinds[i]) {
				share[i]++
				n--
			}
		}
	}
	var list []Candidate
	for i, kind := range kinds {
		list = append(list, spread(kind, depth+1, share[i])...)
	}
	return list
}

// Label joins the labels of a move's words, such as "token on 9, to 10".
func Label(words []Word, say func(text.Message) string) string {
	parts := make([]string, 0, len(words))
	for _, w := range words {
		if l := say(w.Label); l != "" {
			parts = append(parts, l)
		}
	}
	return strings.Join(parts, ", ")
}
