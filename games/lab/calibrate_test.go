package lab

import (
	"testing"

	"marque/games"
	"marque/games/loyalcaptain"
)

// A calibration gives the same result with one worker and with three. Its curve predicts the results of its games
// better than the searches do.
func TestCalibrate(t *testing.T) {
	g := loyalcaptain.Game
	setup, err := games.NewSetup(g, 0)
	if err != nil {
		t.Fatal(err)
	}
	maker, err := ParsePlayer("hard", g.Key())
	if err != nil {
		t.Fatal(err)
	}
	c := Calibration{Games: 24, Players: []Maker{maker}, Iterations: 100, Every: 6, Seed: 3, Workers: 1, MaxPlies: 300}
	one, err := Calibrate(t.Context(), g, setup, c)
	if err != nil {
		t.Fatal(err)
	}
	c.Workers = 3
	three, err := Calibrate(t.Context(), g, setup, c)
	if err != nil || *three.Curve != *one.Curve || three.Bins != one.Bins {
		t.Errorf("by three workers it is %+v, %v, by one %+v", three, err, one)
	}
	positions := 0
	for _, b := range one.Bins {
		positions += b.Positions
	}
	if one.Positions < 50 || positions != one.Positions || !(one.Fitted < one.Found) {
		t.Errorf("%d positions, %d of them in bins; loss %.4f as found, %.4f as fitted", one.Positions, positions,
			one.Found,
			one.Fitted)
	}
}
