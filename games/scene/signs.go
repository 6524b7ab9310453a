package scene

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Sign is an object in a picture that has a meaning.
type Sign struct {
	Name   string // "token", "arrow", "icon-reserve"
	Common bool   // set if the sign has the same meaning in every game

	At    []Point // places on the board; none if the sign is next to the board
	Far   float64 // radius of the sign around At
	Wide  float64 // half the width of a strip; 0 for all other signs
	piece *Piece
	shape bool // set if the sign is a space or a path of the ground
	// onSide is set if a number at At hides nothing.
	onSide bool
}

// mostPlaces is the maximum number of places stored for a sign.
const mostPlaces = 40

// Signs returns the signs in the picture, each once: first those of the ground, the pieces and the marks, then those of
// the hand, the panels and the status line.
func (s *Scene) Signs() []Sign {
	l := signList{index: map[string]int{}}
	for i := range s.Ground {
		l.shape(&s.Ground[i])
	}
	for i := range s.Pieces {
		l.piece(&s.Pieces[i], true)
	}
	for i := range s.Marks {
		l.mark(&s.Marks[i])
	}
	for i := range s.Hand {
		l.piece(&s.Hand[i], false)
	}
	for i := range s.Panels {
		l.panel(&s.Panels[i])
	}
	for _, st := range s.Status {
		l.icon(st.Icon)
	}
	return l.signs
}

type signList struct {
	signs []Sign
	index map[string]int
}

// add adds a sign, or only the places if the list already contains the sign.
func (l *signList) add(sign Sign, at ...Point) {
	i, ok := l.index[sign.Name]
	if !ok {
		i = len(l.signs)
		l.index[sign.Name] = i
		l.signs = append(l.signs, sign)
	}
	if s := &l.signs[i]; len(s.At) < mostPlaces {
		s.At = append(s.At, at...)
	}
}

// shapeSigns holds the names of the discs and lines of the ground that have a meaning.
var shapeSigns = map[ShapeKind]map[Material]string{
	Disc: {Parchment: "space", Hatch: "hatch", GoldSpace: "gold-space", SilverSpace: "silver-space",
		Hull: "double-place"},
	Line: {Rope: "path", BlackPath: "black-path"},
}

func (l *signList) shape(sh *Shape) {
	if len(sh.Points) == 0 {
		return
	}
	if sh.Kind == Polygon && sh.Material == Wood && sh.Color != NoColor {
		for i, p := range sh.Points {
			side := []Point{p, sh.Points[(i+1)%len(sh.Points)]}
			l.add(Sign{Name: "rowboat", onSide: true}, middle(side))
		}
	} else if name := shapeSigns[sh.Kind][sh.Material]; name != "" {
		l.add(Sign{Name: name, shape: true, Far: sh.R}, middle(sh.Points))
	}
}

// middle returns the mean of the given points.
func middle(points []Point) Point {
	var m Point
	for _, p := range points {
		m.X += p.X / float64(len(points))
		m.Y += p.Y / float64(len(points))
	}
	return m
}

func (l *signList) piece(p *Piece, onBoard bool) {
	var at []Point
	if onBoard {
		at = []Point{p.At}
	}
	far := p.Size / 2
	if p.Ghost {
		l.add(Sign{Name: "ghost", Common: true, piece: p, Far: far}, at...)
		return
	}
	for _, name := range pieceSigns(p) {
		l.add(Sign{Name: name, Common: p.Kind == Die, piece: p, Far: far}, at...)
	}
	switch {
	case !p.Marked || p.Kind == ShipCounter: // a marked ship has a separate sign
	case onBoard:
		l.add(Sign{Name: "glow", Common: true, piece: p, Far: far}, at...)
	default:
		l.add(Sign{Name: "glow-hand", Common: true, piece: p, Far: far})
	}
	for i := range p.Attacks {
		a := &p.Attacks[i]
		below, high := AttackRow(i, len(p.Attacks))
		strip := p.Size * high / 2
		low := make([]Point, len(at)) // attacks are in the lower half of the ship
		for j := range at {
			low[j] = Point{X: at[j].X, Y: at[j].Y + p.Size*below}
		}
		attack := Sign{Name: "attack", Far: strip, Wide: p.Size * 0.47}
		l.add(attack, low...)
		if a.Pirate > 0 {
			attack.Name = "attack-pirate"
			l.add(attack, low...)
		}
		if a.Stronger {
			attack.Name = "attack-stronger"
			l.add(attack, low...)
		}
	}
}

// pieceSigns returns the names of the parts of a piece, except the glow and the attacks.
func pieceSigns(p *Piece) []string {
	pick := func(yes bool, a, b string) string {
		if yes {
			return a
		}
		return b
	}
	switch p.Kind {
	case Token:
		name := pick(len(p.Layers) > 1, "tokens", "token")
		switch {
		case p.Count > 0:
			return []string{name, "flag"}
		case p.BackOff && name == "token":
			return []string{"token-sea"}
		}
		return []string{name}
	case ShipCounter:
		switch {
		case p.Marked:
			return []string{"ship-doubled"}
		case p.Color != NoColor:
			return []string{"ship-boarded"}
		}
		return []string{"ship"}
	case Pirate:
		names := []string{[...]string{NoCoin: "pirate", Silver: "pirate-silver", Gold: "pirate-gold"}[p.Carries]}
		if p.HasBack {
			names = append(names, "back")
		}
		return names
	case Coin:
		return []string{pick(p.Carries == Gold, "gold", "silver")}
	case Card:
		return []string{"card-" + suitNames[p.Suit]}
	case CardBack:
		return []string{"stack-" + suitNames[p.Suit]}
	}
	return []string{[...]string{Boat: "boat", Dutchman: "dutchman", Warehouse: "warehouse", DoubleCounter: "double",
		TradingShip: "trading-ship", Die: "die"}[p.Kind]}
}

var suitNames = [...]string{SeaCard: "sea", DutchmanCard: "dutchman", TradingCard: "trading",
	PirateShipCard: "pirate-ship", PirateCard: "pirate", AdmiralCard: "admiral"}

// warningR is the radius around the warning sign on a Threat.
const warningR = 34

func (l *signList) mark(m *Mark) {
	name := [...]string{Arrow: "arrow", Ring: "ring", Captured: "captured", Threat: "threat", Placed: "placed",
		Choice: "", Sides: "sides"}[m.Kind]
	if name == "" || len(m.Points) == 0 {
		return
	}
	if m.Kind == Arrow && m.Old {
		name = "arrow-old"
	}
	at, far := m.Points[0], m.R
	if m.Kind == Threat {
		far = warningR
	}
	if n := len(m.Points); n > 1 {
		a, b := m.Points[(n-1)/2], m.Points[(n-1)/2+1]
		at = Point{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2}
	}
	l.add(Sign{Name: name, Common: true, Far: far}, at)
}

func (l *signList) panel(p *Panel) {
	common := func(is bool, name string) {
		if is {
			l.add(Sign{Name: name, Common: true})
		}
	}
	common(p.Color != NoColor, "seat")
	common(p.Color == NoColor, "letter")
	common(p.ToMove, "to-move")
	common(p.Winner, "winner")
	common(p.Out, "out")
	for _, st := range p.Stats {
		l.icon(st.Icon)
	}
}

// icon adds the sign of an icon. Most icons have the same meaning in every game.
func (l *signList) icon(i Icon) {
	if i != NoIcon {
		l.add(Sign{Name: "icon-" + iconNames[i], Common: i != PirateIcon && i != MoneyIcon && i != ShipIcon})
	}
}

var iconNames = [...]string{
	ReserveIcon: "reserve", CaptiveIcon: "captive", TowerIcon: "tower", MoneyIcon: "money", DebtIcon: "debt",
	BoatIcon: "boat", CardIcon: "card",
	ShipIcon: "ship", SilverIcon: "silver", GoldIcon: "gold", PirateIcon: "pirate", DieIcon: "die", ClockIcon: "clock",
	ScoreIcon:   "score",
	SeaCardIcon: "sea-card", DutchmanIcon: "dutchman", WarehouseIcon: "warehouse",
	LostIcon: "lost", TokenIcon: "token",
}

// CallOut adds numbers, from 1, next to signs on the board, and returns the numbered signs in order. The numbers hide
// as little as possible, and never each other if there is room. The scene keeps its other marks.
func (s *Scene) CallOut(signs []Sign) []Sign {
	const em = 0.036 // height of a number, as a fraction of the board's width
	margin := em * s.W
	var placed []Point
	var out []Sign
	marks := slices.Clone(s.Marks)
	for _, sign := range signs {
		best, room := Point{}, math.Inf(-1)
		for _, at := range sign.At {
			for _, p := range sign.around(at, s.W) {
				if p.X < margin || p.X > s.W-margin || p.Y < margin || p.Y > s.H-margin {
					continue
				}
				free := math.Min(apart(p, placed, margin, s.W), s.beside(p, at, sign.shape, margin))
				if free > room {
					best, room = p, free
				}
			}
		}
		if math.IsInf(room, -1) {
			continue
		}
		placed = append(placed, best)
		out = append(out, sign)
		marks = append(marks, Mark{Kind: Choice, Points: []Point{best}, R: em * s.W,
			Text: strconv.Itoa(len(out))})
	}
	s.Marks = marks
	return out
}

// apart returns the distance of a number at p from the numbers that are already placed, at most 3 em, or a very
// negative value if it would cover one of them. em is the height of a number, and width the width of the board.
func apart(p Point, placed []Point, em, width float64) float64 {
	const plate = 1.5 // minimum distance between the middles of two numbers, in ems
	free := 3 * em
	for _, q := range placed {
		far := math.Hypot(p.X-q.X, p.Y-q.Y)
		free = math.Min(free, far)
		if far < plate*em {
			free -= 2 * width
		}
	}
	return free
}

// beside returns the distance of a number at p from the pieces, the spaces for coins and the crosses, which should stay
// visible. Objects at the sign's place do not count, but a shape of the ground gets a very negative value if a piece is
// on it. Numbers also avoid names with digits, because a partly covered 15 reads as 5.
func (s *Scene) beside(p, at Point, shape bool, margin float64) float64 {
	free := math.Inf(1)
	for i := range s.Ground {
		switch g := &s.Ground[i]; {
		case g.Kind == Label && !g.Faint && strings.ContainsAny(g.Text, "0123456789"):
			wide := g.R / 4 * float64(utf8.RuneCountInString(g.Text)) // half of the width of a label
			if math.Abs(p.X-g.Points[0].X) < margin*0.75+wide && math.Abs(p.Y-g.Points[0].Y) < margin*0.75+g.R/3 {
				free = math.Min(free, margin/2)
			}
		case g.Kind == Disc && (g.Material == GoldSpace || g.Material == SilverSpace) && g.Points[0] != at:
			free = math.Min(free, math.Hypot(p.X-g.Points[0].X, p.Y-g.Points[0].Y)-g.R+margin)
		}
	}
	for i := range s.Marks {
		if m := &s.Marks[i]; m.Kind == Captured && m.Points[0] != at {
			free = math.Min(free, math.Hypot(p.X-m.Points[0].X, p.Y-m.Points[0].Y)-m.R+margin)
		}
	}
	for j := range s.Pieces {
		other := &s.Pieces[j]
		switch here := math.Hypot(at.X-other.At.X, at.Y-other.At.Y) < other.Size/2; {
		case !here:
			free = math.Min(free, math.Hypot(p.X-other.At.X, p.Y-other.At.Y)-other.Size/2+margin)
		case shape:
			free = math.Min(free, -s.W)
		}
	}
	return free
}

// around returns possible places for a number near a sign: the place itself if a number hides nothing there, both ends
// of a strip and below it, or up to eight directions around any other sign. width is the width of the board.
func (sign *Sign) around(at Point, width float64) []Point {
	if sign.onSide {
		return []Point{at}
	}
	gap := 0.012 * width
	far := math.Max(sign.Far, 0.02*width) + gap
	if sign.Wide > 0 {
		return []Point{{X: at.X - sign.Wide - gap, Y: at.Y}, {X: at.X + sign.Wide + gap, Y: at.Y},
			{X: at.X, Y: at.Y + sign.Far + 0.03*width}}
	}
	aspect, captioned := 1.0, false
	if p := sign.piece; p != nil && (p.Kind == TradingShip || p.Kind == Card || p.Kind == CardBack) {
		aspect, captioned = 1.3, p.Kind == Card
	}
	var list []Point
	for i := range 8 {
		sin, cos := math.Sincos((float64(i) + 0.5) * math.Pi / 4)
		if captioned && math.Abs(sin) > 0.5 { // cards have text above and below
			continue
		}
		list = append(list, Point{X: at.X + far*cos, Y: at.Y + far*sin*aspect})
	}
	return list
}
