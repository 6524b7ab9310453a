package render

import (
	"context"
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"marque/games/scene"
)

var (
	update = flag.Bool("update", false, "write the golden pictures anew; look at each")
	deep   = flag.Bool("deep", false, "compare more pictures, which takes minutes")
)

// mostBytes is what a picture may weigh in any theme.
const mostBytes = 150_000

// TestGoldenPictures compares pictures with those that were looked at. The
// palette is fitted to the ground, so a small change anywhere moves many pixels
// by a little: a pixel counts when it differs by more than tolerance in some
// channel, and one in five hundred may.
func TestGoldenPictures(t *testing.T) {
	r := newRenderer(t)
	check := func(name string, im image.Image) { t.Helper(); golden(t, name, im) }
	for i, p := range samples() {
		o := Options{Names: sampleNames, Plate: "Sample · #12", Caption: "play 17", Theme: Themes()[i%len(Themes())],
			Width: 400}
		im, err := r.Draw(context.Background(), p.scene, o)
		if err != nil {
			t.Fatal(err)
		}
		check(p.name, im)
		key := r.paint(r.key(signsOf(&p.scene), o.normal(r.tf)))
		check(p.name+"-key", key)
		if len(p.scene.Hand) > 0 {
			hand := r.paint(r.hand(&p.scene, o.normal(r.tf)))
			check(p.name+"-hand", hand)
		}
		card := sampleCard(p.scene)
		check(p.name+"-card", r.card(&card, o.normal(r.tf)))
	}
}

// golden compares a picture with the one that was looked at, or writes it.
func golden(t *testing.T, name string, im image.Image) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	if *update {
		writePNG(t, path, im)
		return
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatalf("%v (make it with -update, and look at it)", err)
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, name, want, im, 500)
}

// sampleCard is the card of a game that ended with a scene.
func sampleCard(final scene.Scene) Card {
	c := Card{
		Result: "Anne wins: both treasures of Jack are aboard.", Final: final, Head: "The decisive moment",
		Moment: "Move 41: Jack played h1-h4, and his chances fell from 62 to 31 %; h1-h3 was better.",
	}
	for i, p := range final.Panels {
		c.Rows = append(c.Rows, CardRow{Name: sampleNames[i%len(sampleNames)].Plain(), Color: p.Color, Winner: i == 1,
			Played: []string{"36 points", "accuracy 87 %", "luck +14"}})
	}
	return c
}

const tolerance = 24

// compare reports how got differs from want, and writes a picture of where, when
// more than one in share pixels does (share 0: when any does).
func compare(t *testing.T, name string, want, got image.Image, share int) {
	t.Helper()
	if want.Bounds().Size() != got.Bounds().Size() {
		t.Errorf("%s: %v, want %v", name, got.Bounds().Size(), want.Bounds().Size())
		return
	}
	size := want.Bounds().Size()
	diff := image.NewRGBA(image.Rect(0, 0, size.X, size.Y))
	n := 0
	for y := range size.Y {
		for x := range size.X {
			a := color.RGBAModel.Convert(want.At(want.Bounds().Min.X+x, want.Bounds().Min.Y+y)).(color.RGBA)
			b := color.RGBAModel.Convert(got.At(got.Bounds().Min.X+x, got.Bounds().Min.Y+y)).(color.RGBA)
			d := max(apart(a.R, b.R), apart(a.G, b.G), apart(a.B, b.B))
			diff.SetRGBA(x, y, color.RGBA{b.R / 4, b.G / 4, b.B / 4, 255})
			if d > tolerance {
				n++
				diff.SetRGBA(x, y, color.RGBA{255, 0, 0, 255})
			}
		}
	}
	if n == 0 || share > 0 && n <= size.X*size.Y/share {
		return
	}
	dir := filepath.Join(os.TempDir(), "marque-golden")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	writePNG(t, filepath.Join(dir, name+"-got.png"), got)
	writePNG(t, filepath.Join(dir, name+"-difference.png"), diff)
	t.Errorf("%s: %d of %d pixels differ; see %s and %s-got.png beside it", name, n, size.X*size.Y,
		filepath.Join(dir, name+"-difference.png"), name)
}

func apart(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

func writePNG(t *testing.T, path string, im image.Image) {
	t.Helper()
	f, err := os.Create(path)
	if err == nil {
		err = png.Encode(f, im)
		if e := f.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
