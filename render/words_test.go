package render

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"testing"
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
