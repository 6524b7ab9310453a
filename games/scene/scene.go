// Package scene describes a picture of a game as plain data: what is where, not how it is painted. Games create scenes;
// package render paints them. A scene contains no language either: its words are text.Messages.
//
// Coordinates are in the scene's own units: x grows to the right, y grows downwards, (0,0) is the top left corner,
// (W,H) the bottom right. Angles are in radians, 0 to the right, growing clockwise as seen (y is down), so that a
// direction (dx,dy) has the angle math.Atan2(dy, dx).
package scene

//go:generate go run golang.org/x/tools/cmd/stringer@v0.52.0 -type=Color,PieceKind,Carry,Suit,MarkKind,Icon -output=names.go

import (
	"maps"
	"math"
	"slices"
	"strings"

	"marque/games/text"
)

// Scene is a picture of one position as one viewer may see it.
type Scene struct {
	// Board names the ground. Scenes with equal Board have equal Ground, W and H, so a renderer can paint the ground
	// once and cache it.
	Board string
	// W and H are the size of the board area in units; W is usually 1000.
	W, H float64
	// Ground is the part that never changes during a match, painted first, in order.
	Ground []Shape
	// Pieces are painted on the ground, in order.
	Pieces []Piece
	// Marks are painted over the pieces, in order, except rings, which are painted beneath them.
	Marks []Mark
	// Spots are the places that words of moves name (games.Word.Spot), on the board and in the hand. They are not
	// painted, but marks of the kind Choice are placed on them.
	Spots []Spot
	// Panels show the public facts of each seat, in seat order.
	Panels []Panel
	// CornerPanels is the width, in units, of panels in the upper corners of the board, alternating left and right.
	// With 0 the panels are under the board.
	CornerPanels float64
	// Won says by how much the game was won, in a few words: "Captives 4 : 3". It is zero until somebody has won.
	Won text.Message
	// Status holds short public facts of the whole table: dice, remaining cards, a running count.
	Status []Stat
	// Hand holds the viewer's own cards in the game's order, without X and Y. It is empty for every other viewer and in
	// games without hands.
	Hand []Piece
	// HandAlt describes the viewer's cards in words. It is zero without a hand.
	HandAlt text.Message
	// Alt describes the position and the last move in order of importance, for people who do not see the picture.
	// During the game the first message says what the player to move must do.
	Alt []text.Message
	// Text is the same picture for a monospaced font, in at most TextWidth columns if the game fits. It contains only
	// signs and letters, and no tabs. The legend explains them. ">" marks the player to move and nothing else.
	Text []string
	// Legend explains the signs used in Text.
	Legend []text.Message
}

// Point is a place in units.
type Point struct{ X, Y float64 }

// Material is the material of a shape of the ground. The theme decides how it looks.
type Material int

// The materials.
const (
	Wood         Material = iota // planks of a ship's deck
	Hull                         // the dark wood of a ship's side, and of frames
	Sea                          // water
	SeaAlt                       // the other shade of water, for chequered seas
	Parchment                    // a chart, a card, a space for pieces
	ParchmentAlt                 // the other shade of parchment
	Sand                         // beach
	SandAlt                      // the other shade of sand
	Brass                        // fittings, rims of spaces
	Rope                         // the paths between spaces
	BlackPath                    // a path that leads off the board
	Hatch                        // a start space
	GoldSpace                    // a space where gold belongs
	SilverSpace                  // a space where silver belongs
	Ink                          // fine lines and quiet labels
	Felt                         // a table under cards
	Oak                          // planks of a clean deck, laid fore and aft
	Teak                         // the red planks of a deck
	Driftwood                    // the grey planks of a weathered deck
	Strait                       // green water
	Lagoon                       // shallow water
	Tar                          // a black ship's side
	Lacquer                      // a red ship's side
)

// ShapeKind is the geometry of a Shape.
type ShapeKind int

// The kinds of shapes.
const (
	Polygon ShapeKind = iota // Points, closed, filled (and outlined when Width > 0)
	Line                     // Points, open, stroked with Width
	Curve                    // Points as a smooth closed outline through them, filled
	Disc                     // Points[0] with radius R, filled (and rimmed when Width > 0)
	Label                    // Text at Points[0], R high: a quiet coordinate
	Frame                    // around the box of Points, Width broad inwards, in the pattern of its material
	// Scenery without meaning, seen from above: Points[0] is its middle, Points[1] the point that it faces, R its
	// radius.
	Gun
	Cask
	Bale
	Skull
	Palm
	Rose // a compass rose, on the water
)

// Shape is a shape of the ground.
type Shape struct {
	Kind     ShapeKind
	Material Material
	Points   []Point
	R        float64 // units
	Width    float64 // width of the stroke, in units
	Text     string  // name of a Label's space
	Color    Color   // tints the shape for a player (a home corner); NoColor for no tint
	Faint    bool    // for a Label: pieces and marks stay visible above it
}

// Color is a player colour. The theme chooses its paint. Every colour also has its own letter and shape, so that colour
// is never the only sign.
type Color int

// The player colours.
const (
	NoColor Color = iota
	Red
	Blue
	Green
	Yellow
	Violet
)

// Letter returns the colour's sign in text boards: R, B, G, Y, V; "-" for NoColor.
func (c Color) Letter() string {
	if c <= NoColor || int(c) > len(colorLetters) {
		return "-"
	}
	return colorLetters[c-1 : c]
}

// ColorOf returns the colour of a seat, from 0, in games without their own colours; NoColor for seat -1.
func ColorOf[S ~int | ~int8 | ~uint8](seat S) Color { return Color(seat) + 1 }

const colorLetters = "RBGYV"

// PieceKind is the kind of a piece.
type PieceKind int

// The kinds of pieces. A kind does not use the fields that its comment does not mention.
const (
	// Token is a pirate token seen from above, its face towards Angle. Layers lists the tokens under it and itself,
	// bottom first (a tower, or a captor on its captive). If Count > 0, a flag with that number stands for the tokens
	// that are not drawn. BackOff is set if its back is to the sea, off the board.
	Token PieceKind = iota
	// Boat is a freebooter's boat of Color; Count above 1 is a pile of them.
	Boat
	// Dutchman is the Flying Dutchman.
	Dutchman
	// ShipCounter is a ship to be boarded, with Value and Share. Color boarded it, unless it is NoColor. Marked is set
	// if its value is doubled.
	ShipCounter
	// Warehouse is a pirate warehouse counter.
	Warehouse
	// DoubleCounter doubles the ships of Value.
	DoubleCounter
	// Pirate moves on the triangle board. Carries is its load; Angle is the direction of its back if HasBack is set.
	Pirate
	// Coin is a coin on the board; Carries is its kind.
	Coin
	// TradingShip is a ship worth Value gold, called Text ("S3"), launched by Seat; Attacks (at most four) are the
	// cards on it. The ship and the attacks below it (AttackRow) are drawn within a box around At of width Size and
	// height 1.25 Size. Each seat's ships have a different build. A name or letter (SeatLetter) identifies the seat,
	// never a colour, because the colours are those of the cards.
	TradingShip
	// Card is a card face up: Suit is its kind, with Value, Color and Text as the kind needs. For a trading, pirate
	// ship, pirate or admiral card on the table, Text is the ship that it was played on ("S2", "" for none), and Seat
	// the player; a caption beneath shows both. In a hand Seat is -1.
	Card
	// CardBack is a stack of Count cards face down; Suit identifies the stack.
	CardBack
	// Die shows Value.
	Die
)

// Carry is a coin on a Pirate or on the ground.
type Carry int

// The coins.
const (
	NoCoin Carry = iota
	Silver
	Gold
)

// Suit is the kind of a Card.
type Suit int

// The suits.
const (
	SeaCard        Suit = iota // Text is the square, "C4"
	DutchmanCard               // Text is the row or column, "3" or "C"
	TradingCard                // Value in gold
	PirateShipCard             // Value skulls of Color
	PirateCard                 // the pirate of Color
	AdmiralCard                // the admiral
)

// Attack is one player's attack on a trading ship.
type Attack struct {
	Seat   int   // the attacking seat
	Color  Color // colour of the attacking ships
	Skulls int   // sum of the skulls
	// 0 without a pirate; otherwise 1 for the first played on this ship, 2 for the second, and so on: the highest is
	// strongest
	Pirate   int
	Stronger bool // strictly stronger than every other attack
}

// AttackRow returns the position of attack i on a TradingShip, relative to the ship's Size: the distance of the
// attack's middle below that of the ship, and the attack's height. The fewer attacks, the higher each is.
func AttackRow(i, attacks int) (below, high float64) {
	const bottom = 0.6
	all := [...]float64{0, 0.26, 0.38, 0.5, 0.52}[min(attacks, 4)]
	high = all / float64(max(attacks, 1))
	return bottom - all + (float64(i)+0.5)*high, high
}

// SeatLetter returns the letter of a seat in games whose colours have another meaning: A, B, C, D, E; "" for nobody.
func SeatLetter(seat int) string {
	if seat < 0 || seat >= len(seatLetters) {
		return ""
	}
	return seatLetters[seat : seat+1]
}

const seatLetters = "ABCDE"

// Piece is one object on the ground, or one card in a hand.
type Piece struct {
	Kind    PieceKind
	At      Point
	Size    float64 // diameter or width, in units
	Angle   float64
	Color   Color
	Layers  []Color
	Count   int
	Value   int
	Share   int
	Seat    int // -1 for nobody
	Suit    Suit
	Carries Carry
	Text    string
	Attacks []Attack
	HasBack bool
	BackOff bool
	Marked  bool // highlighted: doubled, just moved, to be resolved
	Ghost   bool // the place before the last move: painted faintly
}

// MarkKind is the meaning of a mark.
type MarkKind int

// The kinds of marks.
const (
	Arrow    MarkKind = iota // the path of a move through Points
	Ring                     // a circle around Points[0] with radius R: look here
	Captured                 // a cross at Points[0]: something was removed here
	Threat                   // a fine line from Points[0] to Points[1]: the first attacks the second
	Placed                   // around Points[0]: newly placed
	Choice                   // Text, R high, on Points[0] or on a card: a possible choice
	Sides                    // a square around Points[0], its sides R from the middle: look here
)

// Mark is a sign painted on top of the position.
type Mark struct {
	Kind   MarkKind
	Points []Point
	R      float64
	Color  Color
	Old    bool   // of an earlier play than the newest: painted less prominently
	Text   string // text of a Choice, as in the menu
	Card   int    // of a Choice: the number of the card in the hand, from 1; 0 on the board
}

// Age makes the present marks old, before a newer play adds its own.
func (s *Scene) Age() { Age(s.Marks) }

// Age makes marks old, before a newer play adds its own to them.
func Age(marks []Mark) {
	for i := range marks {
		marks[i].Old = true
	}
}

// Spot is a named place in the picture. Several spots may share a name: a square, and the card in the hand that sails
// there.
type Spot struct {
	Name   string
	At     Point   // the middle of the spot
	Beside Point   // a point where words hide no pieces
	R      float64 // maximum height of words at the spot
	Card   int     // the number of the card in the hand, from 1; 0 on the board
}

// Offer marks all spots of this name with words for a choice. If there is a piece on a spot, the words are next to it.
// A spot with two choices has one mark with both.
func (s *Scene) Offer(name, words string) {
	for _, spot := range s.Spots {
		if name == "" || spot.Name != name {
			continue
		}
		at := spot.At
		for i := range s.Pieces {
			if p := &s.Pieces[i]; spot.Card == 0 && !p.Ghost && math.Hypot(p.At.X-at.X, p.At.Y-at.Y) < p.Size/2 {
				at = spot.Beside
				break
			}
		}
		same := func(m Mark) bool { return m.Kind == Choice && m.Card == spot.Card && m.Points[0] == at }
		if i := slices.IndexFunc(s.Marks, same); i >= 0 {
			s.Marks[i].Text += " " + words
			continue
		}
		s.Marks = append(s.Marks, Mark{Kind: Choice, Points: []Point{at}, R: spot.R, Text: words,
			Card: spot.Card})
	}
}

// Pick shows that a place was chosen: the piece or card there gets a gold rim, and an empty place gets a ring.
func (s *Scene) Pick(name string) {
	for _, spot := range s.Spots {
		if name == "" || spot.Name != name {
			continue
		}
		if spot.Card > 0 && spot.Card <= len(s.Hand) {
			s.Hand = slices.Clone(s.Hand)
			s.Hand[spot.Card-1].Marked = true
			continue
		}
		if p := s.on(spot.At); p != nil {
			p.Marked = true
			continue
		}
		s.Marks = append(s.Marks, Mark{Kind: Ring, Points: []Point{spot.At}, R: spot.R})
	}
}

// Carry shows that a piece moves from one place to another: the piece at its new place, and pale at its old one. Carry
// reports whether there is a piece at from.
func (s *Scene) Carry(from, to string) bool {
	at := func(name string) int {
		return slices.IndexFunc(s.Spots, func(spot Spot) bool { return spot.Name == name && spot.Card == 0 })
	}
	i, j := at(from), at(to)
	if from == "" || to == "" || i < 0 || j < 0 {
		return false
	}
	p := s.on(s.Spots[i].At)
	if p == nil {
		return false
	}
	moved := *p
	moved.At.X += s.Spots[j].At.X - s.Spots[i].At.X
	moved.At.Y += s.Spots[j].At.Y - s.Spots[i].At.Y
	moved.Marked = true
	p.Ghost = true
	s.Pieces = append(s.Pieces, moved)
	return true
}

// on returns the uppermost piece at a place, or nil if there is none. It copies Pieces first, so that a change of the
// piece changes this scene alone.
func (s *Scene) on(at Point) *Piece {
	s.Pieces = slices.Clone(s.Pieces)
	for i := range slices.Backward(s.Pieces) {
		if p := &s.Pieces[i]; !p.Ghost && p.Kind != CardBack && math.Hypot(p.At.X-at.X, p.At.Y-at.Y) < p.Size*0.7 {
			return p
		}
	}
	return nil
}

// Panel shows the public facts of one seat.
type Panel struct {
	Seat   int
	Color  Color
	ToMove bool
	Out    bool // no longer in the game
	Winner bool
	Stats  []Stat
}

// End changes the scene to the picture of a game that did not end by its rules. why replaces the task in Alt, nobody is
// to move, the winners have crowns, and seats that are out are marked.
func (s *Scene) End(why []text.Message, winners, out func(seat int) bool) {
	if len(s.Alt) > 0 {
		s.Alt = append(slices.Clone(why), s.Alt[1:]...)
	}
	s.Panels = slices.Clone(s.Panels)
	for i := range s.Panels {
		p := &s.Panels[i]
		p.ToMove, p.Winner, p.Out = false, winners(p.Seat), p.Out || out(p.Seat)
	}
	s.Text = slices.Clone(s.Text)
	for i, line := range s.Text {
		s.Text[i] = strings.ReplaceAll(line, toMoveSign, " ")
	}
	s.Legend = slices.DeleteFunc(slices.Clone(s.Legend), func(m text.Message) bool {
		return strings.HasSuffix(m.ID, toMoveLegend)
	})
	for i, m := range s.Legend {
		if sign, ok := m.Args["Sign"].(text.Code); ok && strings.Contains(string(sign), toMoveSign) {
			m.Args = maps.Clone(m.Args)
			m.Args["Sign"] = text.Code(strings.TrimSpace(strings.ReplaceAll(string(sign), toMoveSign, " ")))
			s.Legend[i] = m
		}
	}
}

// toMoveSign marks the player to move in text boards. A message whose id ends in toMoveLegend explains the sign.
const (
	toMoveSign   = ">"
	toMoveLegend = ".legend.to-move"
)

// Icon is the small picture next to a fact.
type Icon int

// The icons.
const (
	NoIcon Icon = iota
	ReserveIcon
	CaptiveIcon
	TowerIcon
	MoneyIcon
	DebtIcon
	BoatIcon
	CardIcon
	ShipIcon
	SilverIcon
	GoldIcon
	PirateIcon
	DieIcon
	ClockIcon
	ScoreIcon
	SeaCardIcon
	DutchmanIcon
	DoubleIcon
	WarehouseIcon
	LostIcon
	TokenIcon
)

// Stat is one fact: an icon with a value, and its meaning in words.
type Stat struct {
	Icon  Icon
	Value string       // short: "5", "3+1"
	Label text.Message // in words, for alt text and wide pictures: "5 in reserve"
	// Head is the fact in a word or two, as a column heading: "Boats left". If the facts of all panels have the same
	// heads, the panels are the rows of one table.
	Head text.Message
}
