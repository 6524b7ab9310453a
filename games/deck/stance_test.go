package deck

import "testing"

func TestDK4_EveryStanceIsASpaceAndABack(t *testing.T) {
	seen := map[[2]Space]bool{}
	for st := range Stance(StanceCount) {
		s, back := st.Space(), st.Back()
		if back != Sea && !Neighbours(s).Has(back) || back == Sea && !Hatches.Has(s) {
			t.Errorf("DK-4 stance %d is on %v with its back to %v", st, s, back)
		}
		if StanceOf(s, back) != st {
			t.Errorf("DK-4 StanceOf(%v, %v) = %d, want %d", s, back, StanceOf(s, back), st)
		}
		seen[[2]Space{s, back}] = true
	}
	if len(seen) != StanceCount {
		t.Errorf("%d different stances, want %d", len(seen), StanceCount)
	}
}

// DK-4, DK-5: a step leads ahead and turns the back to where the token came from.
func TestDK5_StepTurnsTheBack(t *testing.T) {
	for st := range Stance(StanceCount) {
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
