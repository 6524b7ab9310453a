package madagascar

import (
	"fmt"
	"slices"
	"strconv"

	"marque/games"
	"marque/games/deck"
	"marque/games/scene"
	"marque/games/text"
)

// flagHeight is the number of tokens from which a tower has a flag with that number (MD-5).
const flagHeight = 6

func color(seat uint8) scene.Color { return scene.ColorOf(seat) }

// Scene returns the deck with the towers, their backs and heights, and the latest plays.
func (s state) Scene(_ games.Seat, trail []games.Step) scene.Scene {
	if s.ended == won || s.ended == allPassed {
		s = s.Stopped().(state)
	}
	sc := deck.Wreck.Scene()
	sc.Status, sc.Alt = s.status(), s.alt(trail)
	sc.Won = s.won()
	for seat := range s.seats {
		sc.Panels = append(sc.Panels, s.panel(seat))
	}
	s.trail(&sc, trail)
	moved := lastMoved(trail)
	var on [deck.Spaces]deck.Standing
	for rest := s.all(); rest != 0; {
		st := rest.Take()
		tower := s.stacks[st.Space()]
		token := deck.Token(st.Space(), st.Back(), color(tower.top()))
		token.Marked = st.Space() == moved
		sign := color(tower.top()).Letter()
		if tower.height() > 1 {
			token.Layers = tower.layers()
			sign += strconv.Itoa(tower.height())
		}
		if tower.height() >= flagHeight {
			token.Count = tower.height() // MD-5
		}
		sc.Pieces = append(sc.Pieces, token)
		on[st.Space()] = deck.Standing{Sign: sign, Back: st.Back()}
	}
	sc.Text = append(deck.TextBoard(&on), s.textFacts(trail)...)
	sc.Legend = append(deck.TextLegend(&on, colors(s.seats)...), s.legend(&on)...)
	if s.past.count > 1 {
		sc.Legend = append(sc.Legend, s.ofRepetition(text.M("madagascar.legend.times"),
			text.M("madagascar.legend.times-forbidden")))
	}
	if len(trail) > 0 {
		sc.Legend = append(sc.Legend, text.M("madagascar.legend.last"))
	}
	return sc
}

// layers returns the colours of a stack, bottom first.
func (s stack) layers() []scene.Color {
	layers := make([]scene.Color, s.height())
	for i := range layers {
		layers[i] = color(s.layer(i))
	}
	return layers
}

// trail adds the latest plays: paths, former places of towers, and placements.
func (s state) trail(sc *scene.Scene, trail []games.Step) {
	for _, step := range trail {
		before, ok := step.Before.(state)
		m := move(step.Move)
		if !ok {
			continue
		}
		turn := before.turn
		if k := m.kind(); k == placeKind || k == walkKind {
			sc.Age()
		}
		switch m.kind() {
		case placeKind:
			if s.towers[turn].Has(deck.StanceOf(m.hatch(), deck.Sea)) {
				sc.Marks = append(sc.Marks, deck.Placed(m.hatch(), color(turn)))
			}
		case walkKind:
			from := before.towers[turn].On(m.from()).First()
			tower := before.stacks[m.from()]
			if s.stacks[m.from()] == 0 {
				ghost := deck.Ghost(from.Space(), from.Back(), color(turn))
				switch {
				case tower.height() >= flagHeight: // the tower at its new space shows the layers
					ghost.Count = tower.height() // MD-5
				case tower.height() > 1:
					ghost.Layers = tower.layers()
				}
				sc.Pieces = append(sc.Pieces, ghost)
			}
			empty := deck.AllStances&^before.all().Spread() | from.Set().Spread()
			sc.Marks = append(sc.Marks, deck.Arrow(color(turn), from.Route(tower.height(), empty, m.to())...))
		}
	}
}

// lastMoved returns the space of the tower that moved last, even if players have passed since. It returns Sea if no
// tower has moved, or if a token was placed later.
func lastMoved(trail []games.Step) deck.Space {
	for _, step := range slices.Backward(trail) {
		switch m := move(step.Move); m.kind() {
		case walkKind:
			return m.to().Space()
		case placeKind:
			return deck.Sea
		}
	}
	return deck.Sea
}

// commands returns a seat's number of towers, and the number of tokens in them.
func (p *position) commands(seat uint8) (towers, tokens int) {
	for rest := p.towers[seat]; rest != 0; towers++ {
		tokens += p.stacks[rest.Take().Space()].height()
	}
	return towers, tokens
}

func (s state) stats(seat uint8) []scene.Stat {
	reserve := int(s.reserve[seat])
	towers, tokens := s.commands(seat)
	return []scene.Stat{
		{Icon: scene.ReserveIcon, Value: strconv.Itoa(reserve), Label: text.M("madagascar.stat.reserve", "Count", reserve)},
		{Icon: scene.TowerIcon, Value: strconv.Itoa(towers), Label: text.M("madagascar.stat.towers", "Count", towers)},
		{Icon: scene.TokenIcon, Value: strconv.Itoa(tokens), Label: text.M("madagascar.stat.tokens", "Count", tokens)},
	}
}

func (s state) panel(seat uint8) scene.Panel {
	return scene.Panel{
		Seat: int(seat), Color: color(seat),
		ToMove: s.toMove() == games.Seat(seat),
		Out:    s.out(seat),
		Winner: s.ended == won && s.winners().Has(games.Seat(seat)),
		Stats:  s.stats(seat),
	}
}

// won returns each seat's number of towers, or nothing if nobody has won. Only seats that left the game can have towers
// besides the winner (MD-6).
func (s state) won() text.Message {
	if s.ended != won {
		return text.Message{}
	}
	r := s.Result()
	r.Scores = make([]int, s.seats)
	for seat := range s.seats {
		r.Scores[seat], _ = s.commands(seat)
	}
	return text.M("madagascar.won.towers", "Score", r.Score())
}

// status returns the number of times that the position has occurred, if it is more than one (MD-8).
func (s state) status() []scene.Stat {
	if s.past.count < 2 {
		return nil
	}
	return []scene.Stat{{Icon: scene.ClockIcon, Value: fmt.Sprintf("%d/%d", s.past.count, manyTimes),
		Label: s.ofRepetition(text.M("madagascar.stat.times", "Count", s.past.count, "Most", manyTimes),
			text.M("madagascar.stat.times-forbidden", "Count", s.past.count))}}
}

// ofRepetition returns the message that applies under the table's option for repetition.
func (s state) ofRepetition(draws, forbidden text.Message) text.Message {
	if s.forbids {
		return forbidden
	}
	return draws
}

// alt describes the position in words: the end of the game or the player to move, the latest plays, how often the
// position has occurred, and the pieces.
func (s state) alt(trail []games.Step) []text.Message {
	var alt []text.Message
	if s.ended != going {
		alt = append(alt, s.Result().Why)
	}
	switch {
	case s.ended != going:
	case s.setup():
		alt = append(alt, text.M("madagascar.alt.first", "Who", text.Player(s.turn), "Color", text.ColorOf(s.turn)))
	default:
		alt = append(alt, text.M("madagascar.alt.to-move", "Who", text.Player(s.turn), "Color", text.ColorOf(s.turn)))
	}
	alt = append(alt, games.Descriptions(trail)...)
	for _, stat := range s.status() {
		alt = append(alt, text.M("madagascar.alt.fact", "Fact", stat.Label))
	}
	for seat := range s.seats {
		alt = append(alt, s.altSide(seat))
	}
	return alt
}

func (s state) altSide(seat uint8) text.Message {
	var towers, facts []text.Message
	for rest := s.towers[seat]; rest != 0; {
		st := rest.Take()
		where, tower := deck.Stands(st.Space(), st.Back()), s.stacks[st.Space()]
		if tower.height() > 1 {
			where = text.M("madagascar.alt.tower", "Where", where, "Count", tower.height(),
				"Layers", tower.layerMessages())
		}
		towers = append(towers, where)
	}
	for _, stat := range s.stats(seat) {
		facts = append(facts, stat.Label)
	}
	id := text.ColorOf(seat)
	switch {
	case s.gone>>seat&1 != 0 && towers == nil:
		return text.M("madagascar.alt.gone", "Color", id)
	case s.gone>>seat&1 != 0:
		return text.M("madagascar.alt.gone-towers", "Color", id, "Towers", towers)
	case s.out(seat):
		return text.M("madagascar.alt.out", "Color", id)
	case towers == nil:
		return text.M("madagascar.alt.none", "Color", id, "Facts", facts[:1]) // only the reserve can be more than zero
	}
	return text.M("madagascar.alt.towers", "Color", id, "Towers", towers, "Facts", facts)
}

// layerMessages describes a stack from the bottom. Adjacent tokens of a colour are counted together, for example "2
// Red, 1 Blue".
func (s stack) layerMessages() []text.Message {
	var list []text.Message
	for i, n := 0, 0; i < s.height(); i++ {
		n++
		if i+1 == s.height() || s.layer(i+1) != s.layer(i) {
			list = append(list, text.M("madagascar.alt.layers", "Count", n, "Color", text.ColorOf(s.layer(i))))
			n = 0
		}
	}
	return list
}

// letters returns the letters of a stack's colours, bottom first, for example "RRB".
func (s stack) letters() string {
	out := ""
	for _, c := range s.layers() {
		out += c.Letter()
	}
	return out
}

func colors(seats uint8) []scene.Color {
	list := make([]scene.Color, seats)
	for seat := range list {
		list[seat] = color(uint8(seat))
	}
	return list
}

// textSide returns a player's line, for example "R +5 =4".
func (s state) textSide(seat uint8) string {
	_, tokens := s.commands(seat)
	return fmt.Sprintf("%s +%d =%d", color(seat).Letter(), s.reserve[seat], tokens)
}

// legend returns explanations of the highest tower on the text board, of a player's line, and of the signs for the
// player to move and for players who are out.
func (s state) legend(on *[deck.Spaces]deck.Standing) (legend []text.Message) {
	best, height := deck.Stance(0), 1
	for rest := s.all(); rest != 0; {
		if st := rest.Take(); s.stacks[st.Space()].height() > height {
			best, height = st, s.stacks[st.Space()].height()
		}
	}
	if height > 1 {
		at := best.Space()
		legend = append(legend, text.M("madagascar.legend.tower", "Sign", deck.TextSign(at, best.Back(), on[at].Sign),
			"Color", text.Color(color(s.stacks[at].top())), "Count", height))
	}
	_, tokens := s.commands(s.turn)
	legend = append(legend, text.M("madagascar.legend.side", "Sign", text.Code(s.textSide(s.turn)),
		"Color", text.Color(color(s.turn)), "Facts",
		[]text.Message{text.M("madagascar.stat.reserve", "Count", int(s.reserve[s.turn])),
			text.M("madagascar.stat.tokens", "Count", tokens)}))
	if s.toMove() >= 0 {
		legend = append(legend, text.M("deck.legend.to-move"))
	}
	for seat := range s.seats {
		if s.out(seat) {
			return append(legend, text.M("madagascar.legend.out"))
		}
	}
	return legend
}

// textFacts returns the lines of the text board below the deck. The legend explains them.
func (s state) textFacts(trail []games.Step) []string {
	var lines []string
	for seat := range s.seats {
		sign := "  "
		switch {
		case s.toMove() == games.Seat(seat):
			sign = "> "
		case s.out(seat):
			sign = "x "
		}
		lines = append(lines, sign+s.textSide(seat))
	}
	towers := []string{"|"}
	for rest := s.all(); rest != 0; {
		st := rest.Take()
		if tower := s.stacks[st.Space()]; tower.height() > 1 {
			towers = append(towers, st.Space().String()+":"+tower.letters())
		}
	}
	if len(towers) > 1 {
		lines = append(lines, scene.TextLines(towers)...)
	}
	if s.past.count > 1 {
		lines = append(lines, fmt.Sprintf("# %d/%d", s.past.count, manyTimes))
	}
	return append(lines, deck.TextTrail(trail)...)
}
