package render_test

import (
	"bytes"
	"fmt"
	"image/png"
	"testing"

	"marque/render"
)

// The rating next to a curve's title looks the same after a short and a long name.
func TestALongNameLeavesTheRatingRoom(t *testing.T) {
	r, err := render.New(render.UsualWidth)
	if err != nil {
		t.Fatal(err)
	}
	note := func(title string) string {
		t.Helper()
		b, err := r.CurvePNG(t.Context(), render.Curve{
			Title: title, Note: "1,432 ± 87 after 25 games", Points: []render.CurvePoint{{Rating: 1400, Band: 90},
				{Rating: 1432, Band: 87}},
		}, render.Options{Width: 1000})
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		var pixels []byte
		for y := range 80 {
			for x := 600; x < 1000; x++ {
				red, green, blue, _ := img.At(x, y).RGBA()
				pixels = fmt.Appendf(pixels, "%02x%02x%02x", red>>8, green>>8, blue>>8)
			}
		}
		return string(pixels)
	}
	short, long := note("Anne"), note("The dread pirate Captain Bartholomew Roberts of the Royal Fortune and her crew")
	if short != long {
		t.Error("the rating is painted otherwise beside a long name")
	}
}
