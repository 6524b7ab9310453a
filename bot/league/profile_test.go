package league

import (
	"fmt"
	"slices"
	"testing"

	"marque/bot/table"
	"marque/games/text"
)

// A game against several computers of one level is one game with each of them.
func TestOpponentsOfOneLevel(t *testing.T) {
	computer := func(name string) table.Occupant {
		return table.Occupant{Computer: "easy", Name: text.NewName(name)}
	}
	seats := []table.Occupant{{User: "1"}, computer("Bosun (easy)"), computer("Gunner (easy)"), computer("Cook (easy)")}
	results := []table.Result{{Seats: seats}, {Seats: seats[:2]}}
	var got []string
	for _, o := range opponents(results, "1") {
		got = append(got, fmt.Sprint(o.Name.Plain(), " ", o.games))
	}
	if want := []string{"Bosun (easy) 2", "Gunner (easy) 1", "Cook (easy) 1"}; !slices.Equal(got, want) {
		t.Errorf("met are %v, want %v", got, want)
	}
}
