package quedah

import (
	"fmt"
	"slices"
	"strconv"

	"marque/games"
	"marque/games/deck"
	"marque/games/scene"
	"marque/games/text"
)

// The die is on the water to port of the bow.
var (
	diePlace = scene.Point{X: 120, Y: 120}
	dieSize  = 120.0
)

func color(seat int) scene.Color { return scene.ColorOf(seat) }

// Scene returns the deck with the tokens, their backs and their captives, the die, and the latest plays.
func (s state) Scene(_ games.Seat, trail []games.Step) scene.Scene {
	if s.ended != going && s.ended != tooQuiet {
		s = s.Stopped().(state)
	}
	sc := deck.Merchantman.Scene()
	sc.Panels, sc.Status, sc.Alt = []scene.Panel{s.panel(0), s.panel(1)}, s.status(), s.alt(trail)
	sc.Won = s.won()
	s.trail(&sc, trail)
	moved := lastMoved(trail)
	var on [deck.Spaces]deck.Standing
	for rest := s.tokens[0] | s.tokens[1]; rest != 0; {
		st := rest.Take()
		seat := s.seatAt(st)
		token := deck.Token(st.Space(), st.Back(), color(seat))
		token.Marked = moved.Has(st)
		sign := color(seat).Letter()
		if s.holding.Has(st) {
			token.Layers = []scene.Color{color(1 - seat), color(seat)}
			sign += captiveSigns[1-seat]
		}
		sc.Pieces = append(sc.Pieces, token)
		on[st.Space()] = deck.Standing{Sign: sign, Back: st.Back()}
	}
	if s.roll > 0 {
		sc.Pieces = append(sc.Pieces, scene.Piece{Kind: scene.Die, At: diePlace, Size: dieSize, Value: int(s.roll),
			Color: color(int(s.turn))})
	}
	sc.Text = append(deck.TextBoard(&on), s.textFacts(trail)...)
	sc.Legend = deck.TextLegend(&on, color(0), color(1))
	if s.holding != 0 {
		st := s.holding.First()
		seat := s.seatAt(st)
		sc.Legend = append(sc.Legend, text.M("quedah-merchant.legend.captive",
			"Sign", deck.TextSign(st.Space(), st.Back(), on[st.Space()].Sign),
			"Color", text.Color(color(seat)), "Other", text.Color(color(1-seat))))
	}
	turn := int(s.turn)
	sc.Legend = append(sc.Legend, text.M("quedah-merchant.legend.side", "Sign", text.Code(s.textSide(turn)),
		"Color", text.Color(color(turn)), "Facts",
		[]text.Message{text.M("quedah-merchant.stat.reserve", "Count", int(s.reserve[turn])),
			text.M("quedah-merchant.stat.captives", "Count", s.captivesOf(turn))}))
	if s.ended == going {
		sc.Legend = append(sc.Legend, text.M("deck.legend.to-move"))
	}
	if s.roll > 0 {
		sc.Legend = append(sc.Legend, text.M("quedah-merchant.legend.die",
			"Sign", text.Code(fmt.Sprintf("[%d]", s.roll))))
	}
	if s.quiet > 0 {
		sc.Legend = append(sc.Legend, text.M("quedah-merchant.legend.quiet",
			"Sign", text.Code(fmt.Sprintf("# %d/%d", s.quiet, quietTurns)), "Count", int(s.quiet), "Most", quietTurns))
	}
	if len(trail) > 0 {
		sc.Legend = append(sc.Legend, text.M("quedah-merchant.legend.last"))
	}
	return sc
}

// captiveSigns has the text board's letter for captives of each colour.
var captiveSigns = [2]string{"r", "b"}

// trail adds the latest plays: paths, former places of tokens, steps of freed tokens, and placements.
func (s state) trail(sc *scene.Scene, trail []games.Step) {
	occupied := s.occupied()
	for _, step := range trail {
		before, ok := step.Before.(state)
		m := move(step.Move)
		if !ok {
			continue
		}
		seat := int(before.turn)
		if k := m.kind(); k == placeKind || k == stepKind {
			sc.Age()
		}
		switch m.kind() {
		case placeKind:
			s.markPlaced(sc, seat, m.target())
		case stepKind:
			from := before.tokens[seat].On(m.from()).First()
			if !occupied.Has(from) {
				sc.Pieces = append(sc.Pieces, deck.Ghost(from.Space(), from.Back(), color(seat)))
			}
			empty := deck.AllStances&^before.occupied() | from.Set().Spread()
			sc.Marks = append(sc.Marks, deck.Arrow(color(seat), from.Route(int(before.roll), empty, m.to())...))
			for i, e := range before.entered(m) {
				if i > 0 {
					sc.Marks = append(sc.Marks, deck.Arrow(color(seat), e.at.Back(), e.at.Space()))
				}
			}
			if hatch, ok := m.hatch(); ok {
				s.markPlaced(sc, seat, hatch)
			}
		}
	}
}

// markPlaced marks a token that was placed on a hatch, if it is still there.
func (s state) markPlaced(sc *scene.Scene, seat int, hatch deck.Space) {
	if s.tokens[seat].Has(deck.StanceOf(hatch, deck.Sea)) {
		sc.Marks = append(sc.Marks, deck.Placed(hatch, color(seat)))
	}
}

// lastMoved returns the stances of the token that moved last and of the tokens that it freed.
func lastMoved(trail []games.Step) deck.StanceSet {
	for _, step := range slices.Backward(trail) {
		before, ok := step.Before.(state)
		if m := move(step.Move); ok && m.kind() == stepKind {
			var moved deck.StanceSet
			for _, e := range before.entered(m) {
				moved |= e.at.Set()
			}
			return moved
		}
	}
	return 0
}

func (s state) panel(seat int) scene.Panel {
	held, reserve := s.captivesOf(seat), int(s.reserve[seat])
	return scene.Panel{
		Seat: seat, Color: color(seat),
		ToMove: s.ended == going && int(s.turn) == seat,
		Winner: s.ended != tooQuiet && slices.Contains(s.Result().Winners, games.Seat(seat)),
		Stats: []scene.Stat{
			{Icon: scene.ReserveIcon, Value: strconv.Itoa(reserve), Label: text.M("quedah-merchant.stat.reserve", "Count", reserve)},
			{Icon: scene.CaptiveIcon, Value: strconv.Itoa(held), Label: text.M("quedah-merchant.stat.captives", "Count", held)},
		},
	}
}

// won returns the number of captives that each seat holds, and the reason for the win if it is not these numbers. It is
// empty if nobody has won.
func (s state) won() text.Message {
	if s.ended == going || s.ended == tooQuiet {
		return text.Message{}
	}
	r := s.Result()
	r.Scores = []int{s.captivesOf(0), s.captivesOf(1)}
	switch s.ended {
	case stuck:
		return text.M("quedah-merchant.won.stuck", "Score", r.Score())
	case unusable:
		return text.M("quedah-merchant.won.unusable", "Score", r.Score())
	default:
		return text.M("quedah-merchant.won.captives", "Score", r.Score())
	}
}

func (s state) status() []scene.Stat {
	held := s.holding.Len()
	stats := []scene.Stat{{Icon: scene.CaptiveIcon, Value: fmt.Sprintf("%d/%d", held, manyCaptives),
		Label: text.M("quedah-merchant.stat.together", "Count", held, "Most", manyCaptives)}}
	if s.roll > 0 {
		stats = append(stats, scene.Stat{Icon: scene.DieIcon, Value: strconv.Itoa(int(s.roll)),
			Label: text.M("quedah-merchant.stat.roll", "Roll", int(s.roll)), Dice: []int{int(s.roll)}})
	}
	if s.quiet > 0 {
		stats = append(stats, scene.Stat{Icon: scene.ClockIcon, Value: fmt.Sprintf("%d/%d", s.quiet, quietTurns),
			Label: text.M("quedah-merchant.stat.quiet", "Count", int(s.quiet), "Most", quietTurns)})
	}
	return stats
}

// alt describes the position in words: the end of the game or the player to move, the latest plays, the number of
// captives, and the pieces.
func (s state) alt(trail []games.Step) []text.Message {
	var alt []text.Message
	if s.ended != going {
		alt = append(alt, s.Result().Why)
	}
	if s.ended != going && s.ended != tooQuiet {
		alt = append(alt, text.M("quedah-merchant.alt.won", "Who", text.Player(s.winner()),
			"Color", text.ColorOf(s.winner())))
	}
	who := text.Player(s.turn)
	switch {
	case s.ended != going:
	case s.setup():
		alt = append(alt, text.M("quedah-merchant.alt.first", "Who", who, "Color", text.ColorOf(s.turn)))
	case s.roll == 0:
		alt = append(alt, text.M("quedah-merchant.alt.roll", "Who", who, "Color", text.ColorOf(s.turn)))
	default:
		alt = append(alt, text.M("quedah-merchant.alt.move", "Who", who, "Color", text.ColorOf(s.turn),
			"Roll", int(s.roll)))
	}
	alt = append(alt, games.Descriptions(trail)...)
	alt = append(alt, text.M("quedah-merchant.alt.together", "Count", s.holding.Len(), "Most", manyCaptives))
	for seat := range s.tokens {
		alt = append(alt, s.altSide(seat))
	}
	return alt
}

func (s state) altSide(seat int) text.Message {
	var tokens []text.Message
	for rest := s.tokens[seat]; rest != 0; {
		st := rest.Take()
		where := stands(st)
		if s.holding.Has(st) {
			where = text.M("quedah-merchant.alt.captor", "Where", where, "Other", text.ColorOf(1-seat))
		}
		tokens = append(tokens, where)
	}
	facts := []text.Message{text.M("quedah-merchant.stat.reserve", "Count", int(s.reserve[seat])),
		text.M("quedah-merchant.stat.captives", "Count", s.captivesOf(seat))}
	if tokens == nil {
		return text.M("quedah-merchant.alt.none", "Color", text.ColorOf(seat), "Facts", facts)
	}
	return text.M("quedah-merchant.alt.tokens", "Color", text.ColorOf(seat), "Tokens", tokens, "Facts", facts)
}

// textSide returns a player's line, for example "R +5 x2".
func (s state) textSide(seat int) string {
	return fmt.Sprintf("%s +%d x%d", color(seat).Letter(), s.reserve[seat], s.captivesOf(seat))
}

// textFacts returns the lines of the text board below the deck. The legend explains them.
func (s state) textFacts(trail []games.Step) []string {
	var lines []string
	for seat := range s.tokens {
		sign := "  "
		if s.ended == going && int(s.turn) == seat {
			sign = "> "
		}
		lines = append(lines, sign+s.textSide(seat))
	}
	if s.roll > 0 {
		lines = append(lines, fmt.Sprintf("[%d]", s.roll))
	}
	if s.quiet > 0 {
		lines = append(lines, fmt.Sprintf("# %d/%d", s.quiet, quietTurns))
	}
	return append(lines, deck.TextTrail(trail)...)
}
