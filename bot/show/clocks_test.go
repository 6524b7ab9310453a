package show

import (
	"testing"

	"marque/storage"
)

// A clock that is written for a menu is read back as the same clock. A bank without an increment is not read as a time
// for each move.
func TestAClockIsReadAsItIsSpelled(t *testing.T) {
	for _, spelled := range []string{"none", "1h", "3d", "1d12h", "3d+12h", "1h+0", "25h+1d"} {
		clock, ok := ParseClock(spelled)
		if !ok {
			t.Fatalf("%s cannot be read", spelled)
		}
		if again, ok := ParseClock(SpellClock(clock)); !ok || again != clock {
			t.Errorf("%s is spelled %s, which is read as %+v, %v; want %+v", spelled, SpellClock(clock), again, ok, clock)
		}
	}
	if got := SpellClock(storage.ClockRule{Mode: storage.Bank, Time: 3_600_000}); got != "1h+0" {
		t.Errorf("a bank of an hour without an increment is spelled %q", got)
	}
}
