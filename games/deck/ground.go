package deck

import (
	"math"

	"marque/games/scene"
)

// hullShape is half the ship's width by the distance from the top of the picture, bow to stern, in
// units.
var hullShape = [][2]float64{
	{24, 0}, {38, 36}, {66, 96}, {104, 160}, {152, 226}, {205, 290}, {265, 350}, {335, 412}, {410, 452}, {490, 470},
	{600, 474}, {700, 471}, {790, 462}, {870, 444}, {950, 412}, {1020, 370}, {1080, 315}, {1128, 240}, {1158, 150}, {1170, 60},
}

// bulwark is the thickness of the ship's side.
const bulwark = 18.0

// outline is the ship's side as a closed line, inset by this many units.
func outline(inset float64) []scene.Point {
	var right, left []scene.Point
	for i, h := range hullShape {
		// The inset goes along the normal of the side, so that the bulwark is as thick at the bow
		// as amidships.
		before, after := hullShape[max(i-1, 0)], hullShape[min(i+1, len(hullShape)-1)]
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
	for i := len(left) - 1; i >= 0; i-- {
		right = append(right, left[i])
	}
	return right
}

// Ground is the deck seen from above, bow up (DK-3): sea, hull, the wooden deck, the paths and the
// spaces with their numbers. It is the same for every table; the caller may keep but not change it.
func Ground() []scene.Shape { return ground }

// ground is made from the tables once, when the package is loaded.
var ground = makeGround()

func makeGround() []scene.Shape {
	shapes := []scene.Shape{
		{Kind: scene.Polygon, Material: scene.Sea, Points: []scene.Point{{X: 0, Y: 0}, {X: Width, Y: 0}, {X: Width, Y: Height}, {X: 0, Y: Height}}},
		{Kind: scene.Curve, Material: scene.Hull, Points: outline(0)},
		{Kind: scene.Curve, Material: scene.Wood, Points: outline(bulwark)},
	}
	for _, p := range paths {
		shapes = append(shapes, scene.Shape{Kind: scene.Line, Material: scene.Rope, Width: ropeWidth, Points: []scene.Point{Place(Space(p[0] - 1)), Place(Space(p[1] - 1))}})
	}
	for hatches := Hatches; hatches != 0; {
		h := hatches.Take()
		shapes = append(shapes, scene.Shape{Kind: scene.Line, Material: scene.BlackPath, Width: blackWidth, Points: []scene.Point{Place(h), SeaEnd(h)}})
	}
	for s := Space(0); s < Spaces; s++ {
		m := scene.Parchment
		if Hatches.Has(s) {
			m = scene.Hatch
		}
		shapes = append(shapes, scene.Shape{Kind: scene.Disc, Material: m, Points: []scene.Point{Place(s)}, R: SpaceR, Width: 4})
	}
	for s := Space(0); s < Spaces; s++ {
		shapes = append(shapes, scene.Shape{Kind: scene.Label, Material: scene.Ink, Points: []scene.Point{numberPlace(s)}, R: labelHeight, Text: s.String()})
	}
	for i := range shapes {
		shapes[i].Color = scene.NoColor
	}
	return shapes
}

// numberSides is on which side of its space each number stands, x to starboard, y towards the
// stern: beside the space, where no path and no token hides it.
var numberSides = [Spaces][2]float64{
	{0, 1}, {-1, 0}, {-1, 0}, {0, -1}, {1, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0.35}, {1, -0.3},
	{0, -1}, {0, -1}, {-1, 0}, {1, 0}, {1, 0.3}, {1, -0.35}, {0, -1}, {0, -1},
}

func numberPlace(s Space) scene.Point {
	p, side := Place(s), numberSides[s]
	return toward(p, scene.Point{X: p.X + side[0], Y: p.Y + side[1]}, SpaceR+labelGap)
}

// Spots are the spaces by their numbers (Space.String). They must not be changed.
func Spots() []scene.Spot { return spots[:] }

var spots = func() (list [Spaces]scene.Spot) {
	for s := range Space(Spaces) {
		list[s] = scene.Spot{Name: s.String(), At: Place(s), Beside: numberPlace(s), R: choiceHeight}
	}
	return list
}()
