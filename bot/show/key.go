package show

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"marque/games"
	"marque/games/scene"
	"marque/games/text"
)

// likenesses maps the names of signs in pictures to similar characters.
var likenesses = map[string]string{
	"card-admiral": "🎖️", "card-dutchman": "💀", "card-pirate": "🧔", "card-pirate-ship": "🏴‍☠️", "card-sea": "🗺️",
	"card-trading": "🚢", "die": "🎲", "icon-boat": "🚣", "icon-card": "🃏", "icon-clock": "⏳", "icon-die": "🎲",
	"icon-dutchman": "👻", "icon-gold": "🟡", "icon-lost": "❌", "icon-money": "🪙", "icon-score": "🧰",
	"icon-sea-card": "🧭", "icon-ship": "⛵",
	"icon-silver": "⚪", "icon-token": "🔘", "icon-tower": "🚩", "icon-warehouse": "🏠", "out": "☠️", "to-move": "☸️",
	"winner": "👑",
}

// Key numbers the signs on the board of sc. words explains the numbered signs, and then those next to the board.
// numbered is the number of numbered signs.
func Key(g games.Game, sc *scene.Scene, s Speaker) (words string, numbered int) {
	signs := sc.Signs()
	called := sc.CallOut(signs)
	var lines []string
	for i, sign := range called {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, s.Say(games.Meaning(g, sign))))
	}
	lines = append(lines, "", s.Say(text.M("bot.rules.beside")))
	for _, sign := range signs {
		if slices.ContainsFunc(called, func(c scene.Sign) bool { return c.Name == sign.Name }) {
			continue
		}
		likeness := likenesses[sign.Name]
		if likeness != "" {
			likeness += " "
		}
		lines = append(lines, "- "+likeness+s.Say(games.Meaning(g, sign)))
	}
	return strings.Join(lines, "\n"), len(called)
}

// busiestPlies is the number of plays among which Busiest searches. busiestTrail is the number of latest plays in its
// scene.
const (
	busiestPlies = 100
	busiestTrail = 3
)

// Busiest returns the scene with the most signs among the first busiestPlies plays of a random game, as the player to
// move sees it. It always returns the same scene for a game.
func Busiest(g games.Game) (scene.Scene, error) {
	setup, err := games.NewSetup(g, 0)
	if err != nil {
		return scene.Scene{}, err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	state := g.New(setup)
	var trail []games.Step
	var best scene.Scene
	most := 0
	for range busiestPlies {
		var m games.Move
		if outcomes := state.Outcomes(); outcomes != nil {
			m = outcomes[rng.IntN(len(outcomes))].Move
		} else {
			viewer := state.ToMove()
			if viewer < 0 {
				break
			}
			var seen []games.Step
			for _, step := range trail[max(0, len(trail)-busiestTrail):] {
				seen = append(seen, games.Step{Before: games.Mask(step.Before, viewer), Seat: step.Seat,
					Move: games.MaskMove(step.Before, step.Move, viewer)})
			}
			if sc := games.Mask(state, viewer).Scene(viewer, seen); len(sc.Signs()) > most {
				best, most = sc, len(sc.Signs())
			}
			moves := state.Moves()
			m = moves[rng.IntN(len(moves))]
		}
		trail = append(trail, games.Step{Before: state, Seat: state.ToMove(), Move: m})
		state = state.Apply(m)
	}
	return best, nil
}
