package loyalcaptain

import (
	"slices"
	"strconv"

	"marque/games"
	"marque/games/deck"
	"marque/games/scene"
	"marque/games/text"
)

// color returns the colour of a side in pictures.
func (c side) color() scene.Color { return scene.ColorOf(c) }

// Scene returns the deck with the tokens and their backs, the latest plays, and the groups that are one space from
// capture.
func (s state) Scene(_ games.Seat, trail []games.Step) scene.Scene {
	p := &s.p
	sc := deck.Galley.Scene()
	sc.Panels, sc.Status = []scene.Panel{s.panel(0), s.panel(1)}, p.status()
	sc.Won = s.won()
	s.trail(&sc, trail)
	threats := p.threats()
	for _, t := range threats {
		for _, l := range t.lines {
			sc.Marks = append(sc.Marks, deck.Threat(l[0], l[1], t.side.other().color()))
		}
	}
	moved := lastMoved(trail)
	var on [deck.Spaces]deck.Standing
	for _, c := range [2]side{red, blue} {
		for rest := p.on[c]; rest != 0; {
			at := rest.Take()
			back := p.backOf(c, at)
			token := deck.Token(at, back, c.color())
			token.Marked = at == moved
			sc.Pieces = append(sc.Pieces, token)
			on[at] = deck.Standing{Sign: c.color().Letter(), Back: back}
		}
	}
	sc.Alt = s.alt(trail, threats)
	sc.Text = append(deck.TextBoard(&on), p.textFacts(trail, threats)...)
	sc.Legend = append(deck.TextLegend(&on, red.color(), blue.color()), p.legend(trail, threats)...)
	return sc
}

// textFacts returns the lines of the text board below the deck. The legend explains them.
func (p *position) textFacts(trail []games.Step, threats []threat) []string {
	var lines []string
	for _, c := range [2]side{red, blue} {
		sign := "  "
		if p.toMove() != games.Nobody && p.phase >= phaseTurn && p.seat(c) == p.toMove() {
			sign = "> "
		}
		lines = append(lines, sign+p.textSide(c))
	}
	for _, t := range threats {
		lines = append(lines, t.text())
	}
	switch {
	case p.phase > phaseAnswer:
	case p.left > 0:
		lines = append(lines, p.textCount())
	case p.phase == phaseAnswer:
		lines = append(lines, p.textProposed())
	case p.phase == phaseTurn && p.mayPropose():
		lines = append(lines, "=")
	}
	return append(lines, deck.TextTrail(trail)...)
}

// textSide returns a side's line, for example "R +5 x1".
func (p *position) textSide(c side) string {
	return c.color().Letter() + " +" + strconv.Itoa(int(p.reserve[c])) + " x" + strconv.Itoa(p.lost(c))
}

// text returns the threat's line, for example "! R 9 10 (11)".
func (t threat) text() string {
	return "! " + t.side.color().Letter() + " " + spaces(t.group) + " (" + t.gap.String() + ")"
}

// textCount returns the line of a count, for example "# B 12".
func (p *position) textCount() string {
	return "# " + p.refuser.color().Letter() + " " + strconv.Itoa(int(p.left))
}

// textProposed returns the line of a proposal, for example "= R".
func (p *position) textProposed() string { return "= " + p.mover.color().Letter() }

// legend returns an explanation of each kind of line on this text board.
func (p *position) legend(trail []games.Step, threats []threat) []text.Message {
	c := p.mover
	legend := []text.Message{text.M("loyal-captain.legend.side", "Sign", text.Code(p.textSide(c)),
		"Color", text.ColorOf(c), "Facts",
		[]text.Message{text.M("loyal-captain.stat.reserve", "Count", int(p.reserve[c])),
			text.M("loyal-captain.stat.lost", "Count", p.lost(c))})}
	if p.toMove() != games.Nobody && p.phase >= phaseTurn {
		legend = append(legend, text.M("deck.legend.to-move"))
	}
	if len(threats) > 0 {
		t := threats[0]
		legend = append(legend, text.M("loyal-captain.legend.threat", "Sign", text.Code(t.text()),
			"Threat", text.M("loyal-captain.alt.threat", "Color", text.ColorOf(t.side), "Spaces", spaceList(t.group),
				"Gap", t.gap.String(), "Count", t.group.Len())))
	}
	switch {
	case p.phase > phaseAnswer:
	case p.left > 0:
		legend = append(legend, text.M("loyal-captain.legend.count", "Sign", text.Code(p.textCount()),
			"Color", text.ColorOf(p.refuser), "Count", int(p.left)))
	case p.phase == phaseAnswer:
		legend = append(legend, text.M("loyal-captain.legend.proposed", "Sign", text.Code(p.textProposed()),
			"Color", text.ColorOf(p.mover)))
	case p.phase == phaseTurn && p.mayPropose():
		legend = append(legend, text.M("loyal-captain.legend.quiet"))
	}
	if len(trail) > 0 {
		legend = append(legend, text.M("loyal-captain.legend.last"))
	}
	return legend
}

// spaces returns the numbers of a set's spaces, separated by blanks.
func spaces(set deck.Set) string {
	out := ""
	for set != 0 {
		if out != "" {
			out += " "
		}
		out += set.Take().String()
	}
	return out
}

// trail adds the latest plays: paths, former places of tokens, placements and captures.
func (s state) trail(sc *scene.Scene, trail []games.Step) {
	empty := s.p.empty()
	for _, st := range trail {
		before, ok := st.Before.(state)
		if !ok || st.Move >= moveWords {
			continue
		}
		sc.Age()
		p := before.p
		c := p.mover
		switch w := way(st.Move); {
		case st.Move < wayCount && w.places():
			s.markPlaced(sc, c, w.end())
		case st.Move < wayCount:
			from, to := w.from(), w.to()
			arrow := deck.Arrow(c.color(), from, to)
			if empty.Has(from) {
				sc.Pieces = append(sc.Pieces, deck.Ghost(from, p.backOf(c, from), c.color()))
			} else {
				arrow.Points[0] = deck.Rim(from, to)
			}
			sc.Marks = append(sc.Marks, arrow)
		default:
			for c, h := range offered(st.Move) {
				s.markPlaced(sc, side(c), h)
			}
		}
		for c, set := range p.play(st.Move) {
			// A cross on an occupied space would make its token look captured.
			for rest := set & empty; rest != 0; {
				sc.Marks = append(sc.Marks, deck.Captured(rest.Take(), side(c).color()))
			}
		}
	}
}

// markPlaced marks a token that was placed on h, if it is still there.
func (s state) markPlaced(sc *scene.Scene, c side, h deck.Space) {
	if s.p.back[c]>>seaWay(h)&1 != 0 {
		sc.Marks = append(sc.Marks, deck.Placed(h, c.color()))
	}
}

// lastMoved returns the space of the token that the latest play moved or placed, even if the same play captured the
// token. It is Sea if there is no play, or if the latest play is no turn.
func lastMoved(trail []games.Step) deck.Space {
	if len(trail) == 0 || trail[len(trail)-1].Move >= wayCount {
		return deck.Sea
	}
	return way(trail[len(trail)-1].Move).end()
}

// threat is a group that is one space from capture: the other side threatens it from every neighbouring space except
// one, which is empty.
type threat struct {
	side  side
	group deck.Set
	gap   deck.Space
	lines [][2]deck.Space // the threats to the group (LC-3)
}

// threats returns the groups that are one space from capture (LC-4), red ones first. It returns none after the game.
func (p *position) threats() []threat {
	var found []threat
	if p.phase > phaseAnswer {
		return nil
	}
	for _, c := range [2]side{red, blue} {
		for rest := p.on[c]; rest != 0; {
			group := p.group(c, rest.Take())
			rest &^= group
			near := around(group) &^ group
			gap := near & p.empty()
			if gap.Len() != 1 || into(group)&p.back[c.other()] != 0 {
				continue
			}
			t := threat{side: c, group: group, gap: gap.Nth(0)}
			for by := near &^ gap; by != 0; {
				from := by.Take()
				for at := group & deck.Neighbours(from); at != 0; {
					t.lines = append(t.lines, [2]deck.Space{from, at.Take()})
				}
			}
			found = append(found, t)
		}
	}
	return found
}

// group returns the group of c's token on s (LC-4).
func (p *position) group(c side, s deck.Space) deck.Set {
	group := deck.Set(1) << s
	for {
		grown := group | around(group)&p.on[c]
		if grown == group {
			return group
		}
		group = grown
	}
}

// lost returns the number of c's tokens that were captured.
func (p *position) lost(c side) int { return tokens - p.tokens(c) }

func (s state) panel(seat games.Seat) scene.Panel {
	p, r := &s.p, s.Result()
	panel := scene.Panel{Seat: int(seat), ToMove: p.toMove() == seat,
		Winner: !r.Drawn && slices.Contains(r.Winners, seat)}
	if p.phase < phaseTurn {
		// LC-9: the seats have no colours yet.
		return panel
	}
	c := p.side(seat)
	panel.Color = c.color()
	reserve, lost := int(p.reserve[c]), p.lost(c)
	panel.Stats = []scene.Stat{
		{Icon: scene.ReserveIcon, Value: strconv.Itoa(reserve), Label: text.M("loyal-captain.stat.reserve", "Count", reserve)},
		{Icon: scene.LostIcon, Value: strconv.Itoa(lost), Label: text.M("loyal-captain.stat.lost", "Count", lost)},
	}
	return panel
}

// won returns the number of tokens that each seat's opponent has lost, and the reason for the result. It is empty if
// nobody has won.
func (s state) won() text.Message {
	loser, over := s.p.loser()
	if !over {
		return text.Message{}
	}
	r := s.Result()
	r.Scores = []int{s.p.lost(s.p.side(1)), s.p.lost(s.p.side(0))}
	switch {
	case s.p.phase == phaseSpent:
		return text.M("loyal-captain.won.count", "Score", r.Score(), "Count", countTurns)
	case s.p.tokens(loser) == 0:
		return text.M("loyal-captain.won.no-tokens", "Score", r.Score())
	default:
		return text.M("loyal-captain.won.stuck", "Score", r.Score())
	}
}

func (p *position) status() []scene.Stat {
	switch {
	case p.phase > phaseAnswer:
		return nil
	case p.left > 0:
		n := int(p.left)
		return []scene.Stat{{Icon: scene.ClockIcon, Value: strconv.Itoa(n), Label: text.M("loyal-captain.stat.count",
			"Color", text.ColorOf(p.refuser), "Count", n)}}
	case p.phase == phaseAnswer:
		return []scene.Stat{{Icon: scene.ClockIcon, Value: "?", Label: text.M("loyal-captain.stat.proposed",
			"Color", text.ColorOf(p.mover))}}
	case p.phase == phaseTurn && p.mayPropose():
		return []scene.Stat{{Icon: scene.ClockIcon, Value: strconv.Itoa(quietTurns),
			Label: text.M("loyal-captain.stat.quiet", "Count", quietTurns)}}
	default:
		return nil
	}
}

// alt describes the position in words: the end of the game or the player to move, the latest plays, a possible
// stalemate or a count, the threats, and the pieces.
func (s state) alt(trail []games.Step, threats []threat) []text.Message {
	p := &s.p
	var alt []text.Message
	if p.toMove() == games.Nobody {
		r := s.Result()
		alt = append(alt, r.Why)
		if len(r.Winners) > 0 && !r.Drawn {
			alt = append(alt, text.M("loyal-captain.alt.won", "Who", text.Player(r.Winners[0]),
				"Color", text.ColorOf(p.side(r.Winners[0]))))
		}
	}
	switch p.phase {
	case phaseOffer:
		alt = append(alt, text.M("loyal-captain.alt.offer", "Who", text.Player(0)))
	case phaseChoose:
		alt = append(alt, text.M("loyal-captain.alt.choose", "Who", text.Player(1)))
	case phaseTurn:
		alt = append(alt, text.M("loyal-captain.alt.to-move", "Who", text.Player(p.toMove()),
			"Color", text.ColorOf(p.mover)))
	case phaseAnswer:
		alt = append(alt, text.M("loyal-captain.alt.answer", "Who", text.Player(p.toMove()),
			"Other", text.Player(p.seat(p.mover))))
	}
	alt = append(alt, games.Descriptions(trail)...)
	if p.phase != phaseAnswer {
		for _, st := range p.status() {
			alt = append(alt, st.Label)
		}
	}
	for _, t := range threats {
		alt = append(alt, text.M("loyal-captain.alt.threat", "Color", text.ColorOf(t.side),
			"Spaces", spaceList(t.group), "Gap", t.gap.String(), "Count", t.group.Len()))
	}
	for _, c := range [2]side{red, blue} {
		alt = append(alt, p.altSide(c))
	}
	return alt
}

func (p *position) altSide(c side) text.Message {
	reserve, lost := int(p.reserve[c]), p.lost(c)
	var stands []text.Message
	for rest := p.on[c]; rest != 0; {
		at := rest.Take()
		stands = append(stands, deck.Stands(at, p.backOf(c, at)))
	}
	rest := []text.Message{text.M("loyal-captain.stat.reserve", "Count", reserve), text.M("loyal-captain.stat.lost",
		"Count", lost)}
	if len(stands) == 0 {
		return text.M("loyal-captain.alt.none", "Color", text.ColorOf(c), "Rest", rest)
	}
	return text.M("loyal-captain.alt.tokens", "Color", text.ColorOf(c), "Tokens", stands, "Rest", rest)
}
