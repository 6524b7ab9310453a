package main

import (
	"strings"
	"testing"
)

// A match says how it went, the same for the same seed, and what is wrong with it when it cannot be played.
func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"won and lost", []string{"hard", "random", "--game", "loyal-captain", "--n", "4", "--seed", "2"}, 0, "loyal-captain, 2 seats, 4 games: 4 won, 0 lost, 0 drawn or shared; 100.0 % (95 %: 51.0 to 100.0; alike would be 50.0)"},
		{"stopped among three", []string{"random", "random", "--game", "madagascar", "--seats", "3", "--n", "6", "--max-plies", "3"}, 0, "6 drawn or shared (6 of them stopped after 3 plays); 33.3 % (95 %: "},
		{"no game", []string{"random", "random", "--game", "chess"}, 1, `there is no game "chess"`},
		{"no player", []string{"grandmaster", "random", "--game", "pirat"}, 1, `there is no player "grandmaster"`},
		{"no limit", []string{"hard:soon", "random", "--game", "pirat"}, 1, `"soon" is no limit`},
		{"no games", []string{"random", "random", "--game", "pirat", "--n", "0"}, 1, "--n and --max-plies must be at least 1"},
		{"no seats", []string{"random", "random", "--game", "pirat", "--seats", "9"}, 1, "2 to 5 players, not 9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := said(t, "", append([]string{"match"}, tt.args...)...)
			if code != tt.code || !strings.Contains(out+errs, tt.want) {
				t.Errorf("marque-lab match %s: %d, %q, %q, want %d and %q", strings.Join(tt.args, " "), code, out, errs,
					tt.code, tt.want)
			}
		})
	}
}
