package deck

import (
	"math"
	"slices"

	"marque/games/scene"
)

// Ship is the look of a game's deck. All ships have the same spaces and paths (DK-1).
type Ship int

// The ships.
const (
	Galley      Ship = iota // Loyal Captain: armed, of scrubbed oak, on the open sea
	Merchantman             // Quedah Merchant: broad, laden, of teak
	Wreck                   // Madagascar: weathered, in a lagoon with palms
	ships
)

// build describes the look of a ship.
type build struct {
	board             string
	water, side, deck scene.Material
	frame             scene.Material
	gilt              bool         // whether the ship has a golden stripe along its side
	beam              [][2]float64 // distances from the picture's top, each with half the ship's width
	rail              []fitting
	around            []scene.Shape
}

// fitting is an object on the rail, drawn both to port and to starboard.
type fitting struct {
	kind scene.ShapeKind
	y, r float64
}

var builds = [ships]build{
	Galley: {
		board: "galley", water: scene.Sea, side: scene.Tar, deck: scene.Oak, gilt: true, frame: scene.Tar,
		beam: [][2]float64{
			{24, 0}, {40, 36}, {68, 92}, {106, 152}, {154, 216}, {212, 280}, {270, 336}, {325, 396}, {375, 430},
			{430, 443}, {480, 446}, {520, 446}, {600, 446},
			{700, 446}, {800, 446}, {840, 445}, {900, 434}, {960, 404}, {1020, 356}, {1075, 300}, {1120, 256},
			{1150, 236}, {1166, 214}, {1170, 170}, {1170, 60},
		},
		rail: []fitting{
			{scene.Gun, 275, 34}, {scene.Gun, 500, 34}, {scene.Gun, 553, 34}, {scene.Gun, 659, 34},
			{scene.Gun, 712, 34},
			{scene.Gun, 925, 34},
		},
		around: []scene.Shape{stands(scene.Rose, 100, 1086, 66)},
	},
	Merchantman: {
		board: "merchantman", water: scene.Strait, side: scene.Lacquer, deck: scene.Teak, gilt: true,
		frame: scene.Lacquer,
		beam: [][2]float64{
			{34, 0}, {38, 60}, {54, 124}, {88, 186}, {140, 244}, {200, 300}, {260, 352}, {318, 398}, {370, 430},
			{420, 445}, {470, 448}, {520, 448}, {700, 448},
			{800, 448}, {880, 448}, {930, 447}, {990, 438}, {1050, 418}, {1100, 394}, {1140, 364}, {1164, 326},
			{1170, 270}, {1170, 140},
		},
		rail: []fitting{
			{scene.Bale, 255, 19}, {scene.Cask, 305, 19}, {scene.Cask, 492, 20}, {scene.Bale, 542, 20},
			{scene.Bale, 670, 20}, {scene.Cask, 720, 20},
			{scene.Cask, 876, 20}, {scene.Bale, 926, 20}, {scene.Cask, 976, 20}, {scene.Bale, 1100, 19},
		},
	},
	Wreck: {
		board: "wreck", water: scene.Lagoon, side: scene.Hull, deck: scene.Driftwood, frame: scene.Rope,
		beam: [][2]float64{
			{24, 0}, {38, 34}, {66, 88}, {104, 146}, {152, 208}, {205, 272}, {265, 336}, {325, 398}, {375, 432},
			{430, 445}, {480, 449}, {530, 450}, {580, 450}, {700, 450},
			{760, 450}, {810, 447}, {865, 434}, {930, 400}, {1000, 350}, {1060, 288}, {1110, 222}, {1146, 150},
			{1164, 76}, {1168, 30},
		},
		rail: []fitting{
			{scene.Skull, 280, 17}, {scene.Skull, 520, 17}, {scene.Skull, 692, 17},
		},
		around: []scene.Shape{
			islet(0, 0, 190), stands(scene.Palm, 76, 78, 64), islet(Width, Height, 200),
			stands(scene.Palm, 918, 1120, 68),
		},
	},
}

// stands returns an object of the scenery beside the ship.
func stands(kind scene.ShapeKind, x, y, r float64) scene.Shape {
	return scene.Shape{Kind: kind, Material: scene.Ink, Points: []scene.Point{{X: x, Y: y},
		{X: Width / 2, Y: Height / 2}}, R: r}
}

// islet returns sand around a point at a corner of the picture, with a radius of about r.
func islet(x, y, r float64) scene.Shape {
	s := scene.Shape{Kind: scene.Polygon, Material: scene.Sand, Points: []scene.Point{{X: x, Y: y}}}
	dx, dy := math.Copysign(r, Width/2-x), math.Copysign(r, Height/2-y)
	const steps = 12
	for i := range steps + 1 {
		a := float64(i) * math.Pi / 2 / steps
		d := 0.9 + 0.1*math.Cos(9*a)
		s.Points = append(s.Points, scene.Point{X: x + dx*d*math.Cos(a), Y: y + dy*d*math.Sin(a)})
	}
	return s
}

// bulwark is the thickness of the ship's side.
const bulwark = 18.0

// outline returns the ship's side as a closed line, inset by the given number of units.
func (b *build) outline(inset float64) []scene.Point {
	var right, left []scene.Point
	for i, h := range b.beam {
		// The inset follows the normal of the side, so that the bulwark is equally thick at the bow and amidships.
		before, after := b.beam[max(i-1, 0)], b.beam[min(i+1, len(b.beam)-1)]
		dy, dx := after[0]-before[0], after[1]-before[1]
		if i == 0 {
			dx, dy = 1, 0
		}
		n := math.Hypot(dx, dy)
		x, y := h[1]-inset*dy/n, h[0]+inset*dx/n
		right = append(right, scene.Point{X: Width/2 + x, Y: y})
		if h[1] > 0 {
			left = append(left, scene.Point{X: Width/2 - x, Y: y})
		}
	}
	slices.Reverse(left)
	return append(right, left...)
}

// onRail returns the middle of the starboard rail at a distance from the top of the picture, and a point outboard of
// it.
func (b *build) onRail(y float64) (at, out scene.Point) {
	i := 1
	for i < len(b.beam)-1 && b.beam[i][0] < y {
		i++
	}
	p, q := b.beam[i-1], b.beam[i]
	t, n := (y-p[0])/(q[0]-p[0]), math.Hypot(q[0]-p[0], q[1]-p[1])
	dx, dy := (q[0]-p[0])/n, -(q[1]-p[1])/n
	at = scene.Point{X: Width/2 + p[1] + (q[1]-p[1])*t - dx*bulwark/2, Y: y - dy*bulwark/2}
	return at, scene.Point{X: at.X + dx, Y: at.Y + dy}
}

// Scene returns the picture of the ship without tokens. The caller must not change its Ground and Spots, which all
// scenes share.
func (s Ship) Scene() scene.Scene {
	return scene.Scene{Board: builds[s].board, W: Width, H: Height, Ground: grounds[s], Spots: spots[:]}
}

// grounds show the decks from above, bow up (DK-3): water, hull, the wooden deck, the paths and the spaces with their
// numbers.
var grounds = func() (list [ships][]scene.Shape) {
	for s := range list {
		list[s] = builds[s].ground()
	}
	return list
}()

func (b *build) ground() []scene.Shape {
	picture := []scene.Point{{X: 0, Y: 0}, {X: Width, Y: 0}, {X: Width, Y: Height}, {X: 0, Y: Height}}
	shapes := []scene.Shape{{Kind: scene.Polygon, Material: b.water, Points: picture}}
	shapes = append(shapes, b.around...)
	shapes = append(shapes,
		scene.Shape{Kind: scene.Frame, Material: b.frame, Points: picture, Width: frameWidth},
		scene.Shape{Kind: scene.Curve, Material: b.side, Points: b.outline(0)})
	if b.gilt {
		shapes = append(shapes, scene.Shape{Kind: scene.Curve, Material: scene.Brass, Points: b.outline(bulwark / 2)})
	}
	shapes = append(shapes, scene.Shape{Kind: scene.Curve, Material: b.deck, Points: b.outline(bulwark)})
	for _, f := range b.rail {
		at, out := b.onRail(f.y)
		for _, points := range [][]scene.Point{{at, out}, {mirrored(at), mirrored(out)}} {
			shapes = append(shapes, scene.Shape{Kind: f.kind, Material: scene.Ink, Points: points, R: f.r})
		}
	}
	for _, p := range paths {
		shapes = append(shapes, scene.Shape{Kind: scene.Line, Material: scene.Rope, Width: ropeWidth,
			Points: []scene.Point{Place(Space(p[0] - 1)), Place(Space(p[1] - 1))}})
	}
	for hatches := Hatches; hatches != 0; {
		h := hatches.Take()
		shapes = append(shapes, scene.Shape{Kind: scene.Line, Material: scene.BlackPath, Width: blackWidth,
			Points: []scene.Point{Place(h), seaEnd(h)}})
	}
	for s := Space(0); s < Spaces; s++ {
		m := scene.Parchment
		if Hatches.Has(s) {
			m = scene.Hatch
		}
		shapes = append(shapes, scene.Shape{Kind: scene.Disc, Material: m, Points: []scene.Point{Place(s)}, R: spaceR,
			Width: 4})
	}
	for s := Space(0); s < Spaces; s++ {
		shapes = append(shapes, scene.Shape{Kind: scene.Label, Material: scene.Ink,
			Points: []scene.Point{numberPlace(s)}, R: labelHeight, Text: s.String()})
	}
	return shapes
}

// mirrored returns the corresponding place on the other side of the ship.
func mirrored(p scene.Point) scene.Point { return scene.Point{X: Width - p.X, Y: p.Y} }

// numberSides has the direction from each space to its number, x to starboard, y towards the stern. The number is next
// to the space, clear of the paths. It is not straight above the space, where a tower would hide it.
var numberSides = [Spaces][2]float64{
	{0, 1}, {-1, 0}, {-1, 0}, {1, 0.3}, {1, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0.35}, {1, -0.3},
	{0, 1}, {0, 1}, {-1, 0}, {1, 0}, {1, 0.3}, {1, -0.35}, {-1, 0.3}, {1, 0.3},
}

func numberPlace(s Space) scene.Point {
	p, side := Place(s), numberSides[s]
	return toward(p, scene.Point{X: p.X + side[0], Y: p.Y + side[1]}, spaceR+labelGap)
}

// spots are the spaces with their numbers as names (Space.String).
var spots = func() (list [Spaces]scene.Spot) {
	for s := range Space(Spaces) {
		list[s] = scene.Spot{Name: s.String(), At: Place(s), Beside: numberPlace(s), R: choiceHeight}
	}
	return list
}()
