package deck

import "testing"

func TestDK1_CountsOfWays(t *testing.T) {
	for s := Space(0); s < Spaces; s++ {
		want := 3
		if Hatches.Has(s) {
			want = 2
		}
		if got := Neighbours(s).Len(); got != want {
			t.Errorf("DK-1 space %v has %d ways, want %d", s, got, want)
		}
	}
}

func TestDK2_WaysGoBothWays(t *testing.T) {
	edges := 0
	for a := Space(0); a < Spaces; a++ {
		for _, b := range NeighbourList(a) {
			edges++
			if !Neighbours(b).Has(a) {
				t.Errorf("DK-2 %v-%v has no way back", a, b)
			}
		}
	}
	if edges != 48 {
		t.Errorf("DK-2 %d directed ways, want 48", edges)
	}
}

// DK-3: the graph is symmetric about its long axis and about the axis across it.
func TestDK3_Symmetry(t *testing.T) {
	for name, flip := range map[string][2]float64{"about the long axis": {-1, 1}, "about the axis across": {1, -1}} {
		var image [Spaces]Space
		for s := Space(0); s < Spaces; s++ {
			x, y := At(s)
			found := false
			for o := Space(0); o < Spaces; o++ {
				if ox, oy := At(o); ox == x*flip[0] && oy == y*flip[1] {
					image[s], found = o, true
				}
			}
			if !found {
				t.Fatalf("DK-3 %s: no mirror image of %v", name, s)
			}
		}
		for a := Space(0); a < Spaces; a++ {
			for _, b := range NeighbourList(a) {
				if !Neighbours(image[a]).Has(image[b]) {
					t.Errorf("DK-3 %s: %v-%v becomes %v-%v, which is no way", name, a, b, image[a], image[b])
				}
			}
		}
	}
}

func TestDK4_TheBackIsNoWay(t *testing.T) {
	if got, want := Ahead(9, 8), Neighbours(9).Without(8); got != want {
		t.Errorf("DK-4 token on 10 with its back to 9 goes to %b, want %b", got, want)
	}
	if got := Ahead(0, Sea); got != Neighbours(0) {
		t.Errorf("DK-4 token on 1 with its back to the sea goes to %b, want both ways", got)
	}
}
