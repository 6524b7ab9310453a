// Package scene describes a picture of a game as plain data: the objects and their places, but not how to paint them.
// Games create scenes, and package render paints them. The words of a scene are text.Messages, so a scene does not
// depend on a language.
//
// Coordinates are in the scene's units: x grows to the right, y grows downwards, (0,0) is the top left corner, (W,H)
// the bottom right. Angles are in radians, 0 to the right, growing clockwise as seen (y is down), so that a direction
// (dx,dy) has the angle math.Atan2(dy, dx).
package scene

//go:generate go run golang.org/x/tools/cmd/stringer@v0.52.0 -type=Color,PieceKind,Carry,Suit,MarkKind,Icon -output=names.go

import (
	"maps"
	"math"
	"slices"
	"strings"

	"marque/games/text"
)

// Scene is a picture of a position as one viewer may see it.
type Scene struct {
	// Board is the key of the ground. Scenes with equal Board have equal Ground, W and H, so a renderer can paint the
	// ground once and cache it.
	Board string
	// W and H are the size of the board area in units; W is usually 1000.
	W, H float64
	// Ground is painted first, in order.
	Ground []Shape
	// Like is another scene with the same materials. Pictures have the palette of Like instead of their own, so that a
	// game with several boards needs one palette. It is nil if the scene has a palette of its own.
	Like *Scene
	// Pieces are painted over the ground, in order.
	Pieces []Piece
	// Marks are painted over the pieces, in order, but rings are painted below the pieces.
	Marks []Mark
	// Spots are the places on the board and in the hand that words of moves name (games.Word.Spot). They are not
	// painted, but marks of the kind Choice are placed on them.
	Spots []Spot
	// Panels show public information about each seat, in seat order.
	Panels []Panel
	// CornerPanels is the width, in units, of panels in the upper corners of the board, alternately left and right. If
	// it is 0, the panels are below the board.
	CornerPanels float64
	// Won is the margin of the win, in a few words: "Captives 4 : 3". It is zero unless the game was won by its
	// rules.
	Won text.Message
	// Status holds short public information about the whole table, such as dice, remaining cards or a running count.
	Status []Stat
	// Hand holds the viewer's cards in the game's order, without At. It is empty for viewers and games without a hand.
	Hand []Piece
	// HandAlt describes the cards in Hand in words. It is zero if Hand is empty.
	HandAlt text.Message
	// Alt describes the position and the last move in order of importance, for people who do not see the picture.
	// During the game the first message is the task of the player to move.
	Alt []text.Message
	// Text is the picture in a monospaced font, in at most TextWidth columns. It contains no tabs, newlines or
	// backticks, and ">" only marks the player to move.
	Text []string
	// Legend explains the signs used in Text.
	Legend []text.Message
}

// Point is a position in the scene's units.
type Point struct{ X, Y float64 }

// Material is the material of a shape of the ground. The theme determines its appearance.
type Material int

// The materials.
const (
	Wood         Material = iota // planks of a ship's deck
	Hull                         // the dark wood of a ship's side, and of frames
	Sea                          // water
	SeaAlt                       // another shade of water, for chequered seas
	Parchment                    // a chart, a card, a space for pieces
	ParchmentAlt                 // another shade of parchment
	Sand                         // beach
	SandAlt                      // another shade of sand
	Brass                        // fittings, rims of spaces
	Rope                         // paths between spaces
	BlackPath                    // a path that leads off the board
	Hatch                        // a space where pieces start
	GoldSpace                    // a space where gold belongs
	SilverSpace                  // a space where silver belongs
	Ink                          // fine lines and subdued labels
	Felt                         // a table on which cards lie
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
	Polygon ShapeKind = iota // a closed polygon, filled (and outlined if Width > 0)
	Line                     // open lines through Points, stroked with Width
	Curve                    // a smooth closed outline through Points, filled (and outlined if Width > 0)
	Disc                     // a disc at Points[0] with radius R, filled (and rimmed if Width > 0)
	Label                    // Text at Points[0] with height R: a subdued coordinate
	Frame                    // a frame inside the bounding box of Points, of breadth Width, with its material's pattern
	// Gun and the kinds below are scenery without meaning. Points[0] is the middle, and R the radius. A Gun and a Bale
	// face Points[1], if there is one.
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
	R        float64 // radius or height, in units
	Width    float64 // width of the stroke or of the frame, in units
	Text     string  // text of a Label
	Color    Color   // tints the shape in a player's colour, such as a home corner; NoColor for no tint
	Faint    bool    // paints a Label faintly, so that pieces and marks above it stay clear
}

// Color is a player colour. The theme chooses its paint. Every colour also has a letter and a shape, so that players
// need not distinguish colours.
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

// Letter returns the colour's letter in text boards: R, B, G, Y or V, and "-" for NoColor.
func (c Color) Letter() string {
	if c <= NoColor || int(c) > len(colorLetters) {
		return "-"
	}
	return colorLetters[c-1 : c]
}

// ColorOf returns the default colour of a seat, for games that define no colours. Seats count from 0. It returns
// NoColor for seat -1.
func ColorOf[S ~int | ~int8 | ~uint8](seat S) Color { return Color(seat) + 1 }

const colorLetters = "RBGYV"

// PieceKind is the kind of a piece.
type PieceKind int

// The kinds of pieces. Apart from Kind, At, Size, Marked and Ghost, a kind only uses the fields that its comment
// mentions.
const (
	// Token is a pirate token seen from above, with its face towards Angle. Layers holds the tokens below it and the
	// token itself, bottom first (a tower, or a captor on its captive); a token without Layers has Color. If Count > 0,
	// a flag shows it: the height of a tower that is not drawn whole. BackOff is set if the token's back is to the sea,
	// off the board.
	Token PieceKind = iota
	// Boat is a freebooter's boat of Color. A Count above 1 is a pile of boats.
	Boat
	// Dutchman is the Flying Dutchman.
	Dutchman
	// ShipCounter is a ship that can be boarded, with Value and Share. Color is the player who boarded it, or NoColor.
	// Marked is set if its value is doubled.
	ShipCounter
	// Warehouse is a pirate warehouse counter.
	Warehouse
	// DoubleCounter is a counter that doubles the ships of Value.
	DoubleCounter
	// Pirate is a pirate of Color on the triangle board. Carries is its load, and Angle is the direction of its back if
	// HasBack is set.
	Pirate
	// Coin is a coin on the board. Carries is its kind.
	Coin
	// TradingShip is a ship that is worth Value gold, has the name Text ("S3"), and was launched by Seat. Attacks (at
	// most four) are the cards on it. The ship and the attacks below it (AttackRow) are drawn within a box around At of
	// width Size and height 1.25 Size. Each seat's ships have a different shape. Names or letters (SeatLetter) identify
	// the seat, but colours do not, because the cards use them.
	TradingShip
	// Card is a card face up. Suit is its kind, with Value, Color and Text as the kind needs. For a trading, pirate
	// ship, pirate or admiral card on the table, Text is the ship that it launched or was played on ("S2", or ""
	// for none), and Seat is the player. A caption below the card shows both. In a hand Seat is -1.
	Card
	// CardBack is a stack of Count cards face down. Suit identifies the stack.
	CardBack
	// Die is a die that shows Value.
	Die
)

// Carry is the kind of a coin on a Pirate or on the ground.
type Carry int

// The kinds of coins.
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
	TradingCard                // Value is in gold
	PirateShipCard             // Value is the number of skulls of Color
	PirateCard                 // the pirate of Color
	AdmiralCard                // the admiral
)

// Attack is one player's attack on a trading ship.
type Attack struct {
	Seat   int   // the attacking seat
	Color  Color // colour of the attacking ships
	Skulls int   // total number of skulls
	// order in which pirates were played on this ship, from 1; 0 without a pirate; the highest is the strongest
	Pirate   int
	Stronger bool // set if strictly stronger than every other attack
}

// AttackRow returns the position of attack number i, from 0, of a TradingShip, as multiples of the ship's Size: the
// distance of the attack's middle below that of the ship, and the attack's height, which is greater with fewer attacks.
func AttackRow(i, attacks int) (below, high float64) {
	const bottom = 0.6
	all := [...]float64{0, 0.26, 0.38, 0.5, 0.52}[min(attacks, 4)]
	high = all / float64(max(attacks, 1))
	return bottom - all + (float64(i)+0.5)*high, high
}

// SeatLetter returns the letter of a seat in games whose colours do not identify seats: A, B, C, D or E, and "" for no
// seat.
func SeatLetter(seat int) string {
	if seat < 0 || seat >= len(seatLetters) {
		return ""
	}
	return seatLetters[seat : seat+1]
}

const seatLetters = "ABCDE"

// Piece is an object on the ground, or a card in a hand.
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
	Seat    int // seat of a TradingShip, or of the player of a Card on the table; -1 for nobody
	Suit    Suit
	Carries Carry
	Text    string
	Attacks []Attack
	HasBack bool
	BackOff bool
	Marked  bool // highlighted: doubled, just moved or played, chosen, or playable now
	Ghost   bool // painted faintly, at the place that it leaves
}

// MarkKind is the meaning of a mark.
type MarkKind int

// The kinds of marks.
const (
	Arrow    MarkKind = iota // the path of a move along Points
	Ring                     // a circle around Points[0] with radius R, to draw attention
	Captured                 // a cross at Points[0], where something was removed
	Threat                   // a dotted line with a warning sign, from the attacker at Points[0] to Points[1]
	Placed                   // a mark around Points[0], where something was placed
	Choice                   // a possible choice: Text, with height R, at Points[0] or on a card
	Sides                    // a square around Points[0], whose sides have distance R, to draw attention
)

// Mark is a sign that is painted over the position.
type Mark struct {
	Kind   MarkKind
	Points []Point
	R      float64
	Color  Color
	Old    bool   // from an earlier play than the newest, and painted less prominently
	Text   string // text of a Choice, as in the menu
	Card   int    // for a Choice: the number of the card in the hand, from 1; 0 on the board
}

// Age sets Old in the scene's marks, before a newer play adds its marks.
func (s *Scene) Age() { Age(s.Marks) }

// Age sets Old in marks, before a newer play adds its marks to them.
func Age(marks []Mark) {
	for i := range marks {
		marks[i].Old = true
	}
}

// Spot is a named place in the picture. Several spots can have the same name, such as a square and the card in the hand
// that sails there.
type Spot struct {
	Name   string
	At     Point   // middle of the spot
	Beside Point   // a point at which words hide no pieces
	R      float64 // maximum height of words at the spot
	Card   int     // number of the card in the hand, from 1; 0 on the board
}

// Offer marks all spots with the given name as a choice, with the given words. If a piece is on a spot, the words are
// next to it. A spot with two choices has a single mark with the words of both.
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

// Pick marks a place as chosen: the piece or card there gets a gold rim, and an empty place gets a ring.
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

// Carry moves a piece from one place to another, and leaves a pale copy at its old place. A Token turns its back to the
// old place. Carry reports whether it moved a piece.
func (s *Scene) Carry(from, to string) bool {
	i, j := s.spot(from), s.spot(to)
	if i < 0 || j < 0 {
		return false
	}
	p := s.on(s.Spots[i].At)
	if p == nil {
		return false
	}
	moved := *p
	was, is := s.Spots[i].At, s.Spots[j].At
	moved.At = Point{X: is.X + (p.At.X - was.X), Y: is.Y + (p.At.Y - was.Y)}
	moved.Marked = true
	p.Ghost = true
	s.Pieces = append(s.Pieces, moved)
	s.TurnBack(to, from)
	return true
}

// TurnBack turns the Token at a place so that its back is towards another place, from which it comes.
func (s *Scene) TurnBack(at, from string) {
	i, j := s.spot(at), s.spot(from)
	if i < 0 || j < 0 {
		return
	}
	to, back := s.Spots[i].At, s.Spots[j].At
	if p := s.on(to); p != nil && p.Kind == Token {
		p.Angle, p.BackOff = math.Atan2(to.Y-back.Y, to.X-back.X), false
	}
}

// spot returns the index of the spot on the board with a name, or -1.
func (s *Scene) spot(name string) int {
	return slices.IndexFunc(s.Spots, func(spot Spot) bool { return name != "" && spot.Name == name && spot.Card == 0 })
}

// on returns the uppermost piece at a place, apart from ghosts and stacks of cards, or nil if no such piece is there.
// It first copies Pieces, so that changing the piece does not change other scenes.
func (s *Scene) on(at Point) *Piece {
	s.Pieces = slices.Clone(s.Pieces)
	for i := range slices.Backward(s.Pieces) {
		if p := &s.Pieces[i]; !p.Ghost && p.Kind != CardBack && math.Hypot(p.At.X-at.X, p.At.Y-at.Y) < p.Size*0.7 {
			return p
		}
	}
	return nil
}

// Panel shows public information about one seat.
type Panel struct {
	Seat   int
	Color  Color
	ToMove bool
	Out    bool // no longer in the game
	Winner bool
	Stats  []Stat
}

// End changes the scene to the picture of a game that was ended other than by its rules. The messages in why replace
// the task in Alt, nobody is to move, no card in the hand is highlighted, the winners have crowns, and seats that are
// out are marked.
func (s *Scene) End(why []text.Message, winners, out func(seat int) bool) {
	if len(s.Alt) > 0 {
		s.Alt = append(slices.Clone(why), s.Alt[1:]...)
	}
	s.Panels = slices.Clone(s.Panels)
	for i := range s.Panels {
		p := &s.Panels[i]
		p.ToMove, p.Winner, p.Out = false, winners(p.Seat), p.Out || out(p.Seat)
	}
	s.Hand = slices.Clone(s.Hand)
	for i := range s.Hand { // no card can be played any more
		s.Hand[i].Marked = false
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

// toMoveSign marks the player to move in text boards. The id of the message that explains it ends in toMoveLegend.
const (
	toMoveSign   = ">"
	toMoveLegend = ".legend.to-move"
)

// Icon is a small picture next to a Stat's value.
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
	WarehouseIcon
	LostIcon
	TokenIcon
)

// Stat is a short piece of information: an icon with a value, and its meaning in words.
type Stat struct {
	Icon  Icon
	Value string       // short: "5", "3+1"
	Label text.Message // in words, for alt text and wide pictures: "5 in reserve"
	// Head is a column heading of a word or two for the value, such as "Boats left". If the Stats of all panels have
	// the same heads, the panels are the rows of one table.
	Head text.Message
	// Dice holds the number that each die shows. It belongs to DieIcon, which is drawn once for each die.
	Dice []int
}
