package deck

import (
	"math"
	"strings"
	"testing"

	"marque/games/scene"
)

// DK-1, DK-2: the picture has all 24 paths, 18 spaces with their numbers, and a black path for each hatch.
func TestGround_ShowsTheBoard(t *testing.T) {
	boards := map[string]Ship{}
	for ship := range ships {
		showsTheBoard(t, ship)
		if other, ok := boards[builds[ship].board]; ok {
			t.Errorf("ships %d and %d have the board %s, though they do not look alike", other, ship, builds[ship].board)
		}
		boards[builds[ship].board] = ship
	}
}

func showsTheBoard(t *testing.T, ship Ship) {
	count := map[scene.Material]int{}
	numbers := map[string]bool{}
	for _, s := range grounds[ship] {
		if s.Kind == scene.Line || s.Kind == scene.Disc {
			count[s.Material]++
		}
		if s.Kind == scene.Label {
			numbers[s.Text] = true
		}
		for _, p := range s.Points {
			if p.X < 0 || p.X > Width || p.Y < 0 || p.Y > Height {
				t.Errorf("shape of material %v leaves the picture at %v", s.Material, p)
			}
		}
	}
	for m, want := range map[scene.Material]int{scene.Rope: 24, scene.BlackPath: 6, scene.Hatch: 6,
		scene.Parchment: 12} {
		if count[m] != want {
			t.Errorf("%d shapes of material %v, want %d", count[m], m, want)
		}
	}
	for s := Space(0); s < Spaces; s++ {
		if !numbers[s.String()] {
			t.Errorf("no number for space %v", s)
		}
	}
}

// No space is covered by another space, a number or an object on the deck. No object covers a number, and all spaces
// are on the deck.
func TestGround_NothingOverlaps(t *testing.T) {
	distance := func(a, b scene.Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }
	for a := Space(0); a < Spaces; a++ {
		for b := Space(0); b < Spaces; b++ {
			if d := distance(Place(a), Place(b)); a != b && d < 2*spaceR+30 {
				t.Errorf("spaces %v and %v are %.0f apart", a, b, d)
			}
			if d := distance(Place(a), numberPlace(b)); d < spaceR+labelHeight/2 {
				t.Errorf("the number of %v is %.0f from the middle of %v", b, d, a)
			}
		}
		for ship := range ships {
			for _, p := range builds[ship].outline(bulwark) {
				if d := distance(p, Place(a)); d < spaceR {
					t.Errorf("%s: space %v reaches over the side at %v (%.0f)", builds[ship].board, a, p, d)
				}
			}
			for _, s := range grounds[ship] {
				if s.Kind <= scene.Frame {
					continue
				}
				if d := distance(s.Points[0], Place(a)); d < spaceR+s.R/2 {
					t.Errorf("%s: what stands at %v hides space %v", builds[ship].board, s.Points[0], a)
				}
				if d := distance(s.Points[0], numberPlace(a)); d < labelHeight/2+s.R/2 {
					t.Errorf("%s: what stands at %v hides the number of %v", builds[ship].board, s.Points[0], a)
				}
			}
		}
	}
}

// DK-4: a token faces away from its back, and inwards if its back is to the sea.
func TestDK4_Facing(t *testing.T) {
	for _, c := range []struct {
		s, back int
		want    float64
	}{
		{10, 9, math.Pi / 2},
		{9, 10, -math.Pi / 2},
		{11, 13, 0},
		{13, 11, math.Pi},
		{1, 19, math.Pi / 2},
		{4, 19, -math.Pi / 2},
		{2, 19, math.Pi},
		{5, 19, 0},
	} {
		got := facing(Space(c.s-1), Space(c.back-1))
		if math.Abs(got-c.want) > 1e-9 {
			t.Errorf("token on %d with its back to %v looks to %.3f, want %.3f", c.s, Space(c.back-1), got, c.want)
		}
	}
}

func TestArrow_StopsBeforeTheBack(t *testing.T) {
	m := Arrow(scene.Red, 0, 6, 8)
	if len(m.Points) != 3 || m.Points[0] != Place(0) || m.Points[1] != Place(6) {
		t.Fatalf("arrow goes through %v", m.Points)
	}
	end := Place(8)
	if d := math.Hypot(m.Points[2].X-end.X, m.Points[2].Y-end.Y); math.Abs(d-spaceR-arrowGap) > 1e-9 {
		t.Errorf("arrow ends %.2f from the middle of 9, want %.2f", d, spaceR+arrowGap)
	}
}

func TestTextBoard(t *testing.T) {
	on := [Spaces]Standing{2: {"B", Sea}, 8: {"R", 9}, 9: {"B", 10}, 10: {"B", 12}, 11: {"R14", 13}, 12: {"B", 10},
		13: {"B/R", 11}, 5: {"R", Sea}}
	want := `
                  [1]
               /       \
          (7)             (8)
        /     \         /     \
      /         9:R<10          \
  6:R<~            |             [2]
    |           10:B<11           |
    |           /     \           |
 13:B<11 - 11:B<13  12:R14<14 14:B/R<12
    |           \     /           |
    |            (15)             |
   [5]             |            3:B<~
      \          (16)           /
        \     /         \     /
         (17)            (18)
               \       /
                  [4]`
	got := "\n" + strings.Join(TextBoard(&on), "\n")
	if got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
	for i, l := range TextBoard(&[Spaces]Standing{8: {"R14", 9}, 13: {"R14", 11}, 1: {"R14", 13}}) {
		if len(l) > scene.TextWidth || l != strings.TrimRight(l, " ") {
			t.Errorf("line %d is %d columns: %q", i, len(l), l)
		}
	}
}
