package render

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"math"
	"strings"
	"testing"

	"marque/games/scene"
)

// What an empty leaderboard says is not cut off, however long it is in a language.
func TestAnEmptySheetSaysItsWholeSentence(t *testing.T) {
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	const long = "Nobody here has finished a game yet, so that the first who does will stand at the top of it, "
	var pictures [][]byte
	for _, end := range []string{"Anne", "Jack"} {
		b, err := r.SheetPNG(context.Background(), Sheet{Title: "All games", Empty: long + end}, Options{Width: 800})
		if err != nil {
			t.Fatal(err)
		}
		pictures = append(pictures, b)
	}
	if bytes.Equal(pictures[0], pictures[1]) {
		t.Error("sentences with different ends look alike")
	}
}

// The number of a game and what is counted stand below each other, also where there is one game.
func TestACurveOfOneGameIsReadable(t *testing.T) {
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.CurvePNG(context.Background(), Curve{Title: "Anne", Below: "games", First: 1, Points: []CurvePoint{{1500, 900}}}, Options{Width: 1000})
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	const gap = 12 // rows without ink that part two lines
	lines, bare := 0, gap
	for y := int(curveBottom) + 6; y < int(curveHigh)-4; y++ {
		if !row(img, y) {
			bare++
			continue
		}
		if bare >= gap {
			lines++
		}
		bare = 0
	}
	if lines != 2 {
		t.Errorf("below the axis are %d lines, want the number and what it counts", lines)
	}
}

// row reports whether something is written in the middle of a row.
func row(img image.Image, y int) bool {
	for x := 480; x < 620; x++ {
		if img.At(x, y) != img.At(470, y) {
			return true
		}
	}
	return false
}

// The sign of whose turn it is stands clear of the name beside it, however long that is.
func TestTheSignOfTheTurnStandsClearOfTheName(t *testing.T) {
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	const reach = 22 // of the sign's spokes from its middle, in thousandths of the width
	for seats := 1; seats <= 6; seats++ {
		for letters := 4; letters <= 32; letters += 4 {
			s := triangleScene()
			s.Panels, s.Aside = nil, 0
			var typed []string
			for i := range seats {
				s.Panels = append(s.Panels, scene.Panel{Seat: i, ToMove: true, Color: scene.NoColor})
				typed = append(typed, strings.Repeat("Anne", 8)[:letters])
			}
			o := Options{Width: 1000, Names: named(typed...)}.normal(r.tf)
			c := r.composer(o, 1)
			c.strip(&s, 0)
			var names, signs []item
			for _, i := range c.out {
				switch {
				case i.key.kind == crownSprite:
					signs = append(signs, i)
				case i.key.kind == textSprite: // a long name has several lines
					names = append(names, i)
				}
			}
			if len(names) < seats || len(signs) != seats {
				t.Fatalf("%d seats: %d lines of names and %d signs", seats, len(names), len(signs))
			}
			for _, name := range names {
				start := float64(name.x)
				end := start + r.tf.width(name.key.s, float64(name.key.n[0])/8)
				for _, sign := range signs { // of the panel to the left or of its own
					if x := float64(sign.x); x+reach > start && x-reach-end < 6 && math.Abs(float64(sign.y-name.y)) < headHeight {
						t.Errorf("%d seats, %q: the sign is %.0f thousandths away from the name", seats, name.key.s, x-reach-end)
					}
				}
			}
		}
	}
}
