package deck

import (
	"math/rand/v2"
	"testing"
)

func TestDK4_EveryStanceIsASpaceAndABack(t *testing.T) {
	seen := map[[2]Space]bool{}
	for st := range Stance(stanceCount) {
		s, back := st.Space(), st.Back()
		if back != Sea && !Neighbours(s).Has(back) || back == Sea && !Hatches.Has(s) {
			t.Errorf("DK-4 stance %d is on %v with its back to %v", st, s, back)
		}
		if StanceOf(s, back) != st {
			t.Errorf("DK-4 StanceOf(%v, %v) = %d, want %d", s, back, StanceOf(s, back), st)
		}
		seen[[2]Space{s, back}] = true
	}
	if len(seen) != stanceCount {
		t.Errorf("%d different stances, want %d", len(seen), stanceCount)
	}
}

// DK-4, DK-5: a step leads to a space ahead and turns the token's back to its previous space.
func TestDK5_StepTurnsTheBack(t *testing.T) {
	for st := range Stance(stanceCount) {
		var want StanceSet
		for _, to := range NeighbourList(st.Space()) {
			if to != st.Back() {
				want |= StanceOf(to, st.Space()).Set()
			}
		}
		if got := st.Set().Step(); got != want {
			t.Errorf("DK-5 from %v with its back to %v: %b, want %b", st.Space(), st.Back(), got, want)
		}
		if got, want := st.Set().Spread(), StanceSet(7)<<(3*st.Space()); got != want {
			t.Errorf("stances on %v are %b, want %b", st.Space(), got, want)
		}
	}
}

func TestStepOfASetIsTheUnion(t *testing.T) {
	set := StanceOf(8, 6).Set() | StanceOf(0, Sea).Set() | StanceOf(17, 15).Set()
	want := StanceOf(8, 6).Set().Step() | StanceOf(0, Sea).Set().Step() | StanceOf(17, 15).Set().Step()
	if got := set.Step(); got != want {
		t.Errorf("Step of three stances is %b, want %b", got, want)
	}
	if got := set.Spread().HatchCount(); got != 1 {
		t.Errorf("the set has %d hatches, want 1", got)
	}
	if got, want := set.Hatches(), Set(1); got != want {
		t.Errorf("hatches %b, want %b", got, want)
	}
}

func TestHatchesOfASet(t *testing.T) {
	for hatches := range Hatches + 1 {
		var set StanceSet
		for rest := hatches; rest != 0; {
			s := rest.Take()
			set |= StanceOf(s, NeighbourList(s)[int(s)%2]).Set()
		}
		set |= All.Without(0).stances() &^ HatchStances
		if got := set.Hatches(); got != hatches {
			t.Errorf("hatches of %b are %b, want %b", set, got, hatches)
		}
	}
}

// stances returns all stances on the spaces of the set.
func (set Set) stances() (all StanceSet) {
	for set != 0 {
		all |= 7 << (3 * set.Take())
	}
	return all
}

// DK-4, DK-5: a walk is a sequence of steps, all except the last into an empty space.
func TestWalkIsItsSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		empty := (Set(rng.Uint32()) & All).stances()
		for st := range Stance(stanceCount) {
			want := st.Set().Step()
			for n := 1; n <= 6; n++ {
				if got := st.Walk(n, empty); got != want {
					t.Fatalf("walks of %d steps from %v with its back to %v, empty %b: %b, want %b", n, st.Space(),
						st.Back(), empty, got, want)
				}
				want = (want & empty).Step()
			}
		}
	}
}

// A walk of at most three steps never returns to its starting space, because the deck has no triangle (DK-2). So the
// games need not mark the starting space as empty for these walks.
func TestDK2_ThreeStepsNeverComeBack(t *testing.T) {
	for st := range Stance(stanceCount) {
		for n := 1; n <= 3; n++ {
			if back := st.Walk(n, AllStances).On(st.Space()); back != 0 {
				t.Errorf("DK-2 %d steps from %v with its back to %v come back to it", n, st.Space(), st.Back())
			}
		}
	}
}

func TestNthOfASet(t *testing.T) {
	set := AllStances &^ HatchStances.first()
	for n, rest := 0, set; rest != 0; n, rest = n+1, rest.Rest() {
		if got := set.Nth(n); got != rest.First() {
			t.Errorf("stance %d of the set is %d, want %d", n, got, rest.First())
		}
	}
}

func TestDK6_SeaStances(t *testing.T) {
	var want StanceSet
	for hatches := Hatches; hatches != 0; {
		want |= StanceOf(hatches.Take(), Sea).Set()
	}
	if SeaStances != want {
		t.Errorf("DK-6 stances with the back to the sea are %b, want %b", SeaStances, want)
	}
}
