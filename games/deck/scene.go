package deck

import (
	"math"

	"marque/games/scene"
)

// The picture's measures, in units of the scene.
const (
	Width     = 1000.0
	Height    = 1200.0
	spaceR    = 52.0 // radius of a space
	tokenSize = 92.0 // diameter of a token on a space

	unitX, unitY = 142.0, 120.0 // pixels of a unit of the layout (DK-3)
	middleY      = 606.0        // of the layout: the bow needs a little more room than the stern
	ropeWidth    = 9.0
	blackWidth   = 20.0
	labelHeight  = 34.0
	labelGap     = 28.0 // from the rim of a space to the middle of its number
	arrowGap     = 6.0  // from an arrow's point to the rim of a space
	frameWidth   = 15.0 // width of the picture's frame
	choiceHeight = 40.0 // for writing on a space that can be chosen
)

// Place is the middle of a space in the picture. The sea has no place: see seaEnd.
func Place(s Space) scene.Point {
	x, y := At(s)
	return scene.Point{X: Width/2 + x*unitX, Y: middleY + y*unitY}
}

// seaEnd is where the black path of a hatch ends, over the side (DK-1).
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

// behind is the point to which a back on s is turned.
func behind(s, back Space) scene.Point {
	if back == Sea {
		return seaEnd(s)
	}
	return Place(back)
}

// facing is the angle in which a token on s looks: away from its back (DK-4), or inwards if its back is to the sea.
func facing(s, back Space) float64 {
	return direction(behind(s, back), Place(s))
}

func direction(from, to scene.Point) float64 { return math.Atan2(to.Y-from.Y, to.X-from.X) }

// toward is the point at this distance from a on the way to b.
func toward(a, b scene.Point, distance float64) scene.Point {
	sin, cos := math.Sincos(direction(a, b))
	return scene.Point{X: a.X + distance*cos, Y: a.Y + distance*sin}
}

// Rim is the point on the rim of a token on s nearest to another space.
func Rim(s, to Space) scene.Point { return toward(Place(s), Place(to), tokenSize/2) }

// Token is a single token on s. Towers and captors set Layers and Count on it.
func Token(s, back Space, c scene.Color) scene.Piece {
	return scene.Piece{Kind: scene.Token, At: Place(s), Size: tokenSize, Angle: facing(s, back), Color: c,
		HasBack: true, BackOff: back == Sea}
}

// Ghost returns the token as it stood before the last move.
func Ghost(s, back Space, c scene.Color) scene.Piece {
	p := Token(s, back, c)
	p.Ghost = true
	return p
}

// Arrow is a token's way from space to space, with at least two spaces. The arrow ends before the back of the token on
// the last space, because that back faces the arrow, and both must stay visible.
func Arrow(c scene.Color, way ...Space) scene.Mark {
	m := scene.Mark{Kind: scene.Arrow, Color: c}
	for _, s := range way {
		m.Points = append(m.Points, Place(s))
	}
	last := len(m.Points) - 1
	m.Points[last] = toward(m.Points[last], m.Points[last-1], spaceR+arrowGap)
	return m
}

// Captured marks that something of this colour was removed or taken on s.
func Captured(s Space, c scene.Color) scene.Mark { return round(scene.Captured, s, c) }

// Placed marks a token of this colour that has just been placed on s.
func Placed(s Space, c scene.Color) scene.Mark { return round(scene.Placed, s, c) }

func round(k scene.MarkKind, s Space, c scene.Color) scene.Mark {
	return scene.Mark{Kind: k, Points: []scene.Point{Place(s)}, R: spaceR, Color: c}
}

// Threat is a line from the piece on one space to the piece on its neighbour, rim to rim.
func Threat(from, to Space, c scene.Color) scene.Mark {
	return scene.Mark{Kind: scene.Threat, Color: c, Points: []scene.Point{Rim(from, to), Rim(to, from)}}
}
