package learned

import (
	"math"
	"testing"

	"marque/games"
)

// A curve maps certain results to certain ones, keeps the order of chances, and makes no other chance certain. It does
// so even for perfectly separated outcomes and for very few outcomes.
func TestCurvesRise(t *testing.T) {
	separated := []Outcome{{0, 0.1, 0}, {0.2, 0.2, 0}, {0.5, 0.7, 1}, {0.9, 0.9, 1}, {1, 1e-9, 0}, {1, 1 - 1e-9, 1}}
	var many []Outcome
	for range 2000 {
		many = append(many, separated...)
	}
	var backwards []Outcome
	for _, o := range many {
		backwards = append(backwards, Outcome{o.Phase, o.Found, 1 - o.Won})
	}
	curves := make(map[string]*Curve)
	for name, outcomes := range map[string][]Outcome{"separated": many, "few": separated, "backwards": backwards} {
		curves[name], curves[name+", by slopes"] = FitCurve(outcomes), FitBySlopes(outcomes, 2)
		curves[name+", among five"] = FitBySlopes(outcomes, 5)
	}
	for name, c := range curves {
		if again := ParseCurve(c.Encode("why")); math.Abs(again.at(0.3, 0.4)-c.at(0.3, 0.4)) > 1e-4 {
			t.Errorf("%s: read again it is another curve", name)
		}
		for _, phase := range []float64{0, 0.33, 1} {
			if c.At(phase, 0) != 0 || c.At(phase, 1) != 1 {
				t.Errorf("%s: certain chances become %v and %v", name, c.At(phase, 0), c.At(phase, 1))
			}
			before := 0.0
			for p := 0.001; p < 1; p += 0.001 {
				told := c.At(phase, p)
				if !(told > before && told < 1) {
					t.Fatalf("%s, phase %.2f: %.3f becomes %v, a little less %v", name, phase, p, told, before)
				}
				before = told
			}
		}
	}
}

// A curve finds the true chances from biased searches, which here find half of the true log odds in the second half of
// the game, and the correct ones in the first half.
func TestCurvesFindTheTruth(t *testing.T) {
	rng := games.NewRand(1)
	lot := func() float64 { return float64(rng.Uint64()>>11) / (1 << 53) }
	var outcomes []Outcome
	for range 40_000 {
		o := Outcome{Phase: math.Floor(2*lot()) * 0.75, Found: 0.02 + 0.96*lot()}
		if lot() < trueChance(o) {
			o.Won = 1
		}
		outcomes = append(outcomes, o)
	}
	for name, c := range map[string]*Curve{"knots": FitCurve(outcomes), "slopes": FitBySlopes(outcomes, 2)} {
		for _, phase := range []float64{0, 0.75} {
			for p := 0.05; p < 1; p += 0.1 {
				want, got := trueChance(Outcome{Phase: phase, Found: p}), c.At(phase, p)
				t.Logf("%s, phase %.2f, found %.2f: comes true %.3f, told %.3f", name, phase, p, want, got)
				if math.Abs(got-want) > 0.04 {
					t.Errorf("%s, phase %.2f: %.2f comes true %.3f, but %.3f is told", name, phase, p, want, got)
				}
			}
		}
	}
}

// If most searches find nearly equal chances, a curve by slopes does not turn the few other estimates into near
// certainty, even if all of their games end as estimated.
func TestCurvesBySlopesKeepToWhatIsKnown(t *testing.T) {
	var outcomes []Outcome
	for i := range 1000 {
		outcomes = append(outcomes, Outcome{0, 0.49, float64(i % 2)}, Outcome{0, 0.51, float64(i % 2)})
	}
	for range 5 {
		outcomes = append(outcomes, Outcome{0, 0.6, 1}, Outcome{0, 0.4, 0})
	}
	c := FitBySlopes(outcomes, 2)
	if got := c.At(0, 0.6); got < 0.55 || got > 0.7 {
		t.Errorf("60 %%, of which next to nothing is known, is told as %.3f", got)
	}
}

// A curve fitted to games of three seats corrects wrong estimates, here estimates that are too high and too close
// together in the second half of the game. For five seats, the curve treats a fifth as it treats a third for three
// seats.
func TestCurvesOfManySeats(t *testing.T) {
	rng := games.NewRand(2)
	lot := func() float64 { return float64(rng.Uint64()>>11) / (1 << 53) }
	among := func(o Outcome, fair float64) float64 { // the true chance; fair is the log odds of an equal share
		if o.Phase == 0 {
			return o.Found
		}
		return sigmoid(1.5*(math.Log(o.Found/(1-o.Found))-fair) - 0.4 + fair)
	}
	half, quarter := math.Log(1.0/2), math.Log(1.0/4)
	var outcomes []Outcome
	for range 40_000 {
		o := Outcome{Phase: math.Floor(2*lot()) * 0.75, Found: 0.02 + 0.96*lot()}
		if lot() < among(o, half) {
			o.Won = 1
		}
		outcomes = append(outcomes, o)
	}
	list := ParseCurves(FitCurve(outcomes).Encode("of two"), FitBySlopes(outcomes, 3).Encode("of more"), 5)
	for seats, fair := range map[int]float64{3: half, 5: quarter} {
		for _, phase := range []float64{0, 0.75} {
			for p := 0.05; p < 1; p += 0.1 {
				want, got := among(Outcome{Phase: phase, Found: p}, fair), list[seats].At(phase, p)
				t.Logf("%d seats, phase %.2f, found %.2f: comes true %.3f, told %.3f", seats, phase, p, want, got)
				if math.Abs(got-want) > 0.012*float64(seats) {
					t.Errorf("%d seats, phase %.2f: %.2f comes true %.3f, but %.3f is told", seats, phase, p, want, got)
				}
			}
		}
	}
}

func trueChance(o Outcome) float64 {
	if o.Phase == 0 {
		return o.Found
	}
	return sigmoid(2 * math.Log(o.Found/(1-o.Found)))
}
