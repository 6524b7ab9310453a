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

// A sentence of about a hundred characters on an empty leaderboard is not cut off.
func TestAnEmptySheetSaysItsWholeSentence(t *testing.T) {
	r, err := New(UsualWidth)
	if err != nil {
		t.Fatal(err)
	}
	const long = "Nobody here have finished a game yet, so that the first who does will stand at the top of it, "
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

// The notes on leaderboards, standings and crosstables and the words below the months of a year are not cut off at
// about a hundred characters.
func TestNotesSayTheirWholeSentence(t *testing.T) {
	r, err := New(UsualWidth)
	if err != nil {
		t.Fatal(err)
	}
	ctx, o := context.Background(), Options{Width: 800}
	const long = "Games by the months of the year, and those of them that were won are painted in gold, says "
	for name, paint := range map[string]func(end string) ([]byte, error){
		"leaderboard": func(end string) ([]byte, error) {
			return r.SheetPNG(ctx, Sheet{Title: "All", Note: long + end}, o)
		},
		"standings": func(end string) ([]byte, error) {
			return r.StandingsPNG(ctx, Standings{Title: "All", Note: long + end}, o)
		},
		"crosstable": func(end string) ([]byte, error) {
			return r.CrosstablePNG(ctx, Crosstable{Title: "All", Note: long + end}, o)
		},
		"year": func(end string) ([]byte, error) { return r.YearPNG(ctx, Year{Title: "Anne", Below: long + end}, o) },
	} {
		one, err := paint("Anne")
		if err != nil {
			t.Fatal(err)
		}
		if other, err := paint("Jack"); err != nil || bytes.Equal(one, other) {
			t.Errorf("%s: sentences with different ends look alike; %v", name, err)
		}
	}
}

// On the axis of a curve of one game, the game's number and the word below it do not overlap.
func TestACurveOfOneGameIsReadable(t *testing.T) {
	r, err := New(UsualWidth)
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.CurvePNG(context.Background(), Curve{Title: "Anne", Below: "games", First: 1,
		Points: []CurvePoint{{1500, 900}}}, Options{Width: 1000})
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	const gap = 12 // two lines are separated by at least this number of rows without ink
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

// row reports whether the middle of a row has ink.
func row(img image.Image, y int) bool {
	for x := 480; x < 620; x++ {
		if img.At(x, y) != img.At(470, y) {
			return true
		}
	}
	return false
}

// The sign of the turn does not touch the name next to it, for names of 4 to 32 letters and one to six seats.
func TestTheSignOfTheTurnStandsClearOfTheName(t *testing.T) {
	r, err := New(UsualWidth)
	if err != nil {
		t.Fatal(err)
	}
	const reach = 22 // distance from the sign's middle to the end of its spokes, in thousandths of the width
	for seats := 1; seats <= 6; seats++ {
		for letters := 4; letters <= 32; letters += 4 {
			s := triangleScene()
			s.Panels, s.CornerPanels = nil, 0
			var typed []string
			for i := range seats {
				s.Panels = append(s.Panels, scene.Panel{Seat: i, ToMove: true})
				typed = append(typed, strings.Repeat("Anne", 8)[:letters])
			}
			o := r.normal(Options{Width: 1000, Names: named(typed...)})
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
					if x := float64(sign.x); x+reach > start && x-reach-end < 6 &&
						math.Abs(float64(sign.y-name.y)) < headHeight {
						t.Errorf("%d seats, %q: the sign is %.0f thousandths away from the name", seats, name.key.s,
							x-reach-end)
					}
				}
			}
		}
	}
}

// Names of 32 wide letters, in different scripts, are shown whole in the rooms for names. Their letters have at least a
// sixth of the usual height.
func TestLongNamesStandWhole(t *testing.T) {
	r := sharedRenderer(t)
	c := r.composer(r.normal(Options{}), 1)
	for _, name := range []string{strings.Repeat("W", 32), strings.Repeat("海", 32), strings.Repeat("😀", 32),
		strings.Repeat("Wm ", 10) + "Wm", "Anne Bonny"} {
		for _, room := range []struct{ em, wide, high float64 }{{10.5, 43, 11.4}, {7.4, 90, 12}, {13, 90, 30},
			{nameSize, 180, headHeight - 8}, {nameSize * 0.86, leastName, 36}} {
			lines, em := c.folded(name, room.em, room.wide, room.high)
			for _, line := range lines {
				if w := r.tf.width(line, em); w > room.wide*1.001 {
					t.Errorf("%q in a room of %v: %q is %.1f wide", name, room, line, w)
				}
			}
			if high := float64(len(lines)) * em * lineApart; high > room.high*1.001 {
				t.Errorf("%q in a room of %v is %.1f high", name, room, high)
			}
			bare := func(s string) string { return strings.ReplaceAll(s, " ", "") }
			if got := bare(strings.Join(lines, "")); got != bare(name) || em < room.em/6 {
				t.Errorf("%q in a room of %v: %q in letters of %.1f", name, room, lines, em)
			}
		}
	}
}

// Ships of different seats differ in shape, not only in colour: at least a fifth of the pixels that two ships cover are
// covered by one of them alone.
func TestEverySeatsShipsHaveABuildOfTheirOwn(t *testing.T) {
	r := sharedRenderer(t)
	const size = 120
	var covered [players][]bool
	for seat := range players {
		c := r.composer(r.normal(Options{}), 1)
		cv, _ := c.paintItem(&item{box: around(size * 0.7),
			paint: func(b *brush) { b.at(0, 0, size/100.0, func() { paintShip(b, seat) }) }})
		for i := 3; i < len(cv.im.Pix); i += 4 {
			covered[seat] = append(covered[seat], cv.im.Pix[i] > 127)
		}
	}
	for a := range covered {
		for b := range a {
			differ, either := 0, 0
			for i := range covered[a] {
				if covered[a][i] != covered[b][i] {
					differ++
				}
				if covered[a][i] || covered[b][i] {
					either++
				}
			}
			t.Logf("seats %d and %d: %d of %d pixels", a, b, differ, either)
			if differ*5 < either {
				t.Errorf("the ships of seats %d and %d differ in %d of %d pixels, want a fifth", a, b, differ, either)
			}
		}
	}
}
