package deck

import (
	"math"

	"marque/games/scene"
)

// The picture's dimensions, in units of the scene.
const (
	Width     = 1000.0
	Height    = 1200.0
	spaceR    = 52.0 // radius of a space
	tokenSize = 92.0 // diameter of a token on a space

	unitX, unitY = 142.0, 120.0 // size of a unit of At in the picture (DK-3)
	middleY      = 606.0        // y of the layout's middle; the bow needs a little more room than the stern
	ropeWidth    = 9.0
	blackWidth   = 20.0
	labelHeight  = 34.0
	labelGap     = 28.0 // distance from the rim of a space to the middle of its number
	arrowGap     = 6.0  // distance from the point of an arrow to the rim of a space
	frameWidth   = 15.0 // width of the picture's frame
	choiceHeight = 40.0 // height of labels of choices on a space
)

// Place returns the middle of a space in the picture. s must not be Sea.
func Place(s Space) scene.Point {
	x, y := At(s)
	return scene.Point{X: Width/2 + x*unitX, Y: middleY + y*unitY}
}

// seaEnd returns the end of a hatch's black path, outside the ship (DK-1).
func seaEnd(hatch Space) scene.Point {
	p := Place(hatch)
	switch {
	case p.X < Width/2-1:
		p.X = 4
	case p.X > Width/2+1:
		p.X = Width - 4
	case p.Y < middleY:
		p.Y = 4
	default:
		p.Y = Height - 4
	}
	return p
}

// behind returns the point behind a token on s with this back.
func behind(s, back Space) scene.Point {
	if back == Sea {
		return seaEnd(s)
	}
	return Place(back)
}

// facing returns the direction of a token on s: away from its back (DK-4), or inwards if its back is to the sea.
func facing(s, back Space) float64 {
	return direction(behind(s, back), Place(s))
}

func direction(from, to scene.Point) float64 { return math.Atan2(to.Y-from.Y, to.X-from.X) }

// toward returns the point at this distance from a on the line to b.
func toward(a, b scene.Point, distance float64) scene.Point {
	sin, cos := math.Sincos(direction(a, b))
	return scene.Point{X: a.X + distance*cos, Y: a.Y + distance*sin}
}

// Rim returns the point on the rim of a token on s nearest to another space.
func Rim(s, to Space) scene.Point { return toward(Place(s), Place(to), tokenSize/2) }

// Token returns the piece for a single token on s. For towers and captors, the caller sets Layers and Count.
func Token(s, back Space, c scene.Color) scene.Piece {
	return scene.Piece{Kind: scene.Token, At: Place(s), Size: tokenSize, Angle: facing(s, back), Color: c,
		HasBack: true, BackOff: back == Sea}
}

// Ghost returns the piece for a token that is no longer on s.
func Ghost(s, back Space, c scene.Color) scene.Piece {
	p := Token(s, back, c)
	p.Ghost = true
	return p
}

// Arrow returns the mark for a token's walk over at least two spaces. The arrow ends just before the last space, so
// that it does not cover the token there.
func Arrow(c scene.Color, way ...Space) scene.Mark {
	m := scene.Mark{Kind: scene.Arrow, Color: c}
	for _, s := range way {
		m.Points = append(m.Points, Place(s))
	}
	last := len(m.Points) - 1
	m.Points[last] = toward(m.Points[last], m.Points[last-1], spaceR+arrowGap)
	return m
}

// Captured returns the mark for the removal or capture of a piece of this colour on s.
func Captured(s Space, c scene.Color) scene.Mark { return round(scene.Captured, s, c) }

// Placed returns the mark for a token of this colour that has just been placed on s.
func Placed(s Space, c scene.Color) scene.Mark { return round(scene.Placed, s, c) }

func round(k scene.MarkKind, s Space, c scene.Color) scene.Mark {
	return scene.Mark{Kind: k, Points: []scene.Point{Place(s)}, R: spaceR, Color: c}
}

// Threat returns a line from the piece on a space to the piece on a neighbouring space, from rim to rim.
func Threat(from, to Space, c scene.Color) scene.Mark {
	return scene.Mark{Kind: scene.Threat, Color: c, Points: []scene.Point{Rim(from, to), Rim(to, from)}}
}
