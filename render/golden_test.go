package render

import (
	"context"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"marque/games/scene"
	"marque/games/text/locale"
)

var (
	update = flag.Bool("update", false, "write the golden pictures again; look at each")
	deep   = flag.Bool("deep", false, "compare more pictures, which takes minutes")
)

// mostBytes is the maximum size of a PNG file in the tests, in any theme.
const mostBytes = 150_000

// TestGoldenPictures compares pictures with approved ones. The palette is fitted to the ground, so a small change
// anywhere changes many pixels slightly. A pixel counts as different if some channel differs by more than tolerance.
// One pixel in five hundred may be different.
func TestGoldenPictures(t *testing.T) {
	r := sharedRenderer(t)
	check := func(name string, im image.Image) { t.Helper(); golden(t, name, im) }
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range samples() {
		o := Options{Names: sampleNames, Title: "Sample · #12", Caption: "play 17", Theme: Themes()[i%len(Themes())],
			Width: 400, Say: sentences.Speaker(nil, "en").Plain().Say}
		im, err := r.Draw(context.Background(), p.scene, o)
		if err != nil {
			t.Fatal(err)
		}
		check(p.name, im)
		if len(p.scene.Hand) > 0 {
			hand := r.paint(r.hand(&p.scene, r.normal(o)))
			check(p.name+"-hand", hand)
		}
		card := sampleCard(p.scene)
		check(p.name+"-card", r.card(&card, r.normal(o)))
	}
}

// golden compares a picture with the approved one. With -update it writes pictures that are missing or differ too much.
// The others keep their bytes, so that a change shows only the pictures that need a review.
func golden(t *testing.T, name string, im image.Image) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	want, err := readPNG(path)
	if *update {
		if err != nil || !alike(want, im) {
			writePNG(t, path, im)
		}
		return
	}
	if err != nil {
		t.Fatalf("%v (make it with -update, and look at it)", err)
	}
	compare(t, name, want, im, mayDiffer)
}

func readPNG(path string) (image.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return png.Decode(f)
}

// sampleCard returns the card of a game whose last scene is final.
func sampleCard(final scene.Scene) Card {
	c := Card{
		Result: "Anne wins: both treasures of Jack are aboard.", Final: final, Head: "The decisive moment",
		Moment: "Turn 41: Jack played h1-h4, and his chances fell from 62 to 31 %; h1-h3 was better.",
	}
	for i, p := range final.Panels {
		c.Rows = append(c.Rows, CardRow{Name: sampleNames[i%len(sampleNames)].Plain(), Color: p.Color, Winner: i == 1,
			Played: []string{"36 points", "accuracy 87 %", "luck +14"}})
	}
	return c
}

const tolerance = 24

// At most one pixel in mayDiffer may differ from a golden picture.
const mayDiffer = 500

// alike reports whether few enough pixels of got differ from a golden picture.
func alike(want, got image.Image) bool {
	size := want.Bounds().Size()
	if size != got.Bounds().Size() {
		return false
	}
	n, _ := differing(want, got)
	return n <= size.X*size.Y/mayDiffer
}

// differing counts the pixels that differ by more than tolerance, and draws their places.
func differing(want, got image.Image) (int, *image.RGBA) {
	a, b := toRGBA(want), toRGBA(got)
	diff, n := image.NewRGBA(a.Rect), 0
	for i := 0; i < len(a.Pix); i += 4 {
		p, q := a.Pix[i:i+3], b.Pix[i:i+3]
		c := color.RGBA{q[0] / 4, q[1] / 4, q[2] / 4, 255}
		if max(apart(p[0], q[0]), apart(p[1], q[1]), apart(p[2], q[2])) > tolerance {
			n++
			c = color.RGBA{255, 0, 0, 255}
		}
		diff.Pix[i], diff.Pix[i+1], diff.Pix[i+2], diff.Pix[i+3] = c.R, c.G, c.B, c.A
	}
	return n, diff
}

// toRGBA converts a picture and moves its upper left corner to (0,0).
func toRGBA(im image.Image) *image.RGBA {
	out := image.NewRGBA(image.Rectangle{Max: im.Bounds().Size()})
	draw.Draw(out, out.Rect, im, im.Bounds().Min, draw.Src)
	return out
}

// compare fails the test if the sizes differ, or more than one pixel in share, or any pixel if share is 0. If pixels
// differ, it writes the picture, and a picture with the differing pixels in red, to the folder for temporary files.
func compare(t *testing.T, name string, want, got image.Image, share int) {
	t.Helper()
	size := want.Bounds().Size()
	if size != got.Bounds().Size() {
		t.Errorf("%s: %v, want %v", name, got.Bounds().Size(), size)
		return
	}
	n, diff := differing(want, got)
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
