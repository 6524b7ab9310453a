package render

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/example/heap"
	"marque/games/scene"
)

// step is a picture with choices.
type step struct {
	position
	choices int // number of marks that the menu adds to the picture
}

// stepsOf returns pictures of the steps of moves that have a choice, from several positions of a random game of every
// kind and of the example game, as the seat to move sees them. For each position it takes the first and the last path
// through the menu.
func stepsOf(t testing.TB) []step {
	t.Helper()
	var list []step
	for _, g := range append([]games.Game{heap.Game}, catalog.Games...) {
		_, most := g.Seats()
		setup, err := games.NewSetup(g, most)
		if err != nil {
			t.Fatal(err)
		}
		s, rng := g.New(setup), games.NewRand(11)
		for ply := 0; s.ToMove() != games.Nobody && ply < 90; ply++ {
			if outs := s.Outcomes(); outs != nil {
				s = s.Apply(outs[rng.IntN(len(outs))].Move)
				continue
			}
			if seat := s.ToMove(); ply%15 > 12 || ply < 3 {
				menu := games.NewMenu(games.Mask(s, seat))
				for way := range 2 {
					for path, depth := "", 0; ; depth++ {
						sc := games.Mask(s, seat).Scene(seat, nil)
						said := len(sc.Marks)
						menu.Mark(&sc, path)
						choices, _ := menu.At(path)
						if len(choices) == 0 {
							break
						}
						if len(choices) > 1 && (way == 0 || depth > 0) {
							list = append(list, step{position{fmt.Sprintf("step-%s-%d-%d-%d", g.Key(), ply, way, depth),
								sc}, len(sc.Marks) - said})
						}
						path = choices[(len(choices)-1)*way].Path
					}
				}
			}
			moves := s.Moves()
			s = s.Apply(moves[rng.IntN(len(moves))])
		}
	}
	return list
}

// Choices are visible, and change the picture only in their places. The marked picture uses the ground and the palette
// of the board, so that all other pixels stay the same. With MARQUE_LOOK set to a directory the test writes the
// pictures there: at the usual width in one theme, and at 400 pixels in every theme.
func TestStepsMarkWhatCanBeChosen(t *testing.T) {
	const width = UsualWidth / 2
	r := sharedRenderer(t)
	for i, p := range stepsOf(t) {
		plain := p.scene
		plain.Marks = nil
		var onBoard []scene.Mark
		for _, m := range p.scene.Marks {
			if m.Kind != scene.Choice {
				plain.Marks = append(plain.Marks, m)
			} else if m.Card == 0 {
				onBoard = append(onBoard, m)
			}
		}
		before, err := r.Draw(context.Background(), plain, Options{Names: sampleNames, Width: width})
		if err != nil {
			t.Fatal(err)
		}
		after, err := r.Draw(context.Background(), p.scene, Options{Names: sampleNames, Width: width})
		if err != nil {
			t.Fatal(err)
		}
		scale := width / p.scene.W
		for y := range before.Rect.Dy() {
			for x := range before.Rect.Dx() {
				if before.Pix[y*before.Stride+x] == after.Pix[y*after.Stride+x] {
					continue
				}
				near := false
				for _, m := range onBoard {
					dx, dy := float64(x)/scale-m.Points[0].X, float64(y)/scale-m.Points[0].Y
					near = near || dx*dx < 9*m.R*m.R && dy*dy < 3*m.R*m.R
				}
				if !near {
					t.Fatalf("%s: the pixel %d,%d differs, which no choice stands near", p.name, x, y)
				}
			}
		}
		for _, m := range onBoard {
			x, y := int(m.Points[0].X*scale), int(m.Points[0].Y*scale)
			differs := false
			for dy := -5; dy <= 5; dy++ {
				for dx := -10; dx <= 10; dx++ {
					if x+dx < 0 || x+dx >= before.Rect.Dx() || y+dy < 0 || y+dy >= before.Rect.Dy() {
						continue
					}
					at := (y+dy)*before.Stride + x + dx
					differs = differs || before.Pix[at] != after.Pix[at]
				}
			}
			if !differs {
				t.Errorf("%s: nothing is seen of the choice %q", p.name, m.Text)
			}
		}
		if dir := os.Getenv("MARQUE_LOOK"); dir != "" {
			lookAt(t, r, dir, p.position, Themes()[i%len(Themes())], UsualWidth)
			for _, th := range Themes() {
				lookAt(t, r, dir, p.position, th, 400)
			}
		}
	}
}

// lookAt writes pictures of a position's board and hand.
func lookAt(t *testing.T, r *Renderer, dir string, p position, th Theme, width int) {
	t.Helper()
	for kind, paint := range map[string]func(context.Context, scene.Scene, Options) ([]byte, error){"board": r.PNG,
		"hand": r.HandPNG} {
		if kind == "hand" && len(p.scene.Hand) == 0 {
			continue
		}
		b, err := paint(context.Background(), p.scene, Options{Theme: th, Names: sampleNames, Width: width})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%s-%s-%d.png", p.name, kind, th, width)), b,
			0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Choices are below the cards of a hand. In hands of one row, the faces of the cards have identical pixels with and
// without choices.
func TestChoicesHideNothingOfTheHand(t *testing.T) {
	r := sharedRenderer(t)
	looked := 0
	for _, p := range stepsOf(t) {
		n := len(p.scene.Hand)
		chosen := 0
		plain := p.scene
		plain.Marks = nil
		for _, m := range p.scene.Marks {
			if m.Kind == scene.Choice && m.Card > 0 {
				chosen++
			}
		}
		if chosen == 0 || n > 5 { // a single row of cards keeps its place
			continue
		}
		looked++
		before, err := r.HandPNG(t.Context(), plain, Options{})
		if err != nil {
			t.Fatal(err)
		}
		after, err := r.HandPNG(t.Context(), p.scene, Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := png.Decode(bytes.NewReader(before))
		if err != nil {
			t.Fatal(err)
		}
		b, err := png.Decode(bytes.NewReader(after))
		if err != nil {
			t.Fatal(err)
		}
		high := a.Bounds().Dy()
		if grown := b.Bounds().Dy() - high; grown < high/10 {
			t.Errorf("%s: the hand is only %d pixels higher, which is no room for %d choices", p.name, grown, chosen)
		}
		differ := 0
		const w, space = 183.2, 14.0 // in thousandths, for up to five cards
		scale := float64(a.Bounds().Dx()) / 1000
		left := (1000 - float64(n)*(w+space) + space) / 2
		for i := range n {
			face := image.Rect(int((left+float64(i)*(w+space)+12)*scale), high/10,
				int((left+float64(i)*(w+space)+w-12)*scale), high*9/10)
			for y := face.Min.Y; y < face.Max.Y; y++ {
				for x := face.Min.X; x < face.Max.X; x++ {
					if a.At(x, y) != b.At(x, y) {
						differ++
					}
				}
			}
		}
		if differ > 0 {
			t.Errorf("%s: %d pixels of the cards differ where %d can be chosen", p.name, differ, chosen)
		}
	}
	if looked < 3 {
		t.Errorf("only %d steps choose from a hand of one row", looked)
	}
}
