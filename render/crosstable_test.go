package render

import (
	"bytes"
	"fmt"
	"image/png"
	"testing"
)

// The golden picture is the crosstable of a league of ten in mid-season, with the places that each player can still
// reach.
func TestGoldenCrosstable(t *testing.T) {
	r := sharedRenderer(t)
	names := []string{"Anne Bonny", "Calico Jack", "Mary Read", "Bartholomew Roberts", "Grace O’Malley", "Sam Bellamy",
		"Ching Shih", "François l’Olonnais", "Ned Low", "Jeanne de Clisson"}
	points := []string{"6½", "5½", "5", "4", "4", "3", "2½", "2", "1½", "1"}
	places := []string{"1–2", "1–4", "1–4", "2–6", "2–6", "4–8", "5–9", "6–10", "7–10", "7–10"}
	table := Crosstable{Title: "Winter league", Note: "division 1, 35 of 45 games", Player: "Captain", Points: "Points",
		Places: "Places"}
	for i, name := range names {
		row := CrosstableRow{StandingsRow: StandingsRow{Rank: i + 1, Name: name, Seed: fmt.Sprint(i), Own: i == 3},
			Points: points[i], Places: places[i]}
		for j := range names {
			cell := "1" // the higher player usually wins
			switch a, b := min(i, j), max(i, j); {
			case i == j:
				cell = "×"
			case (a+b)%5 == 4:
				cell = "·"
			case (a+2*b)%6 == 0:
				cell = "½"
			case i > j:
				cell = "0"
			}
			row.Cells = append(row.Cells, cell)
		}
		table.Rows = append(table.Rows, row)
	}
	b, err := r.CrosstablePNG(t.Context(), table, Options{Title: "Crosstable"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "crosstable", got)
}
