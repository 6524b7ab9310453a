package show

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/bwmarrin/discordgo"

	"marque/games"
	"marque/games/scene"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/render"
)

// Meanings say what the signs in pictures of g mean, in the order of signs.
func Meanings(g games.Game, signs []scene.Sign, s Speaker) []string {
	list := make([]string, len(signs))
	for i, sign := range signs {
		list[i] = s.Say(games.Meaning(g, sign))
	}
	return list
}

// KeyPlate says which game's signs a key explains.
func KeyPlate(g games.Game) text.Message { return text.M("bot.plate.key", "Game", g.Info().Name) }

// Key paints the signs in pictures of g with their meanings beside them. s says these, and must be plain.
func (p *Painter) Key(ctx context.Context, g games.Game, signs []scene.Sign,
	s *locale.Speaker) (*discordgo.File, error) {
	lines := make([]render.KeyLine, len(signs))
	for i, words := range Meanings(g, signs, s) {
		lines[i] = render.KeyLine{Sign: signs[i], Words: words}
	}
	data, err := p.renderer.KeyPNG(ctx, lines, render.Options{Plate: s.Say(KeyPlate(g)), Say: s.Say,
		Theme: ThemeOf(ctx)})
	if err != nil {
		return nil, fmt.Errorf("painting the key of %s: %w", g.Key(), err)
	}
	return PNG("key.png", data), nil
}

// How many plays of a game are tried for a picture with many signs, and how many of them it shows as the latest.
const (
	tellingPlies = 100
	tellingTrail = 3
)

// Telling is the scene with the most signs of a random game, as the player to move sees it. The game is the same every
// time.
func Telling(g games.Game) (scene.Scene, error) {
	setup, err := games.NewSetup(g, 0)
	if err != nil {
		return scene.Scene{}, err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	state := g.New(setup)
	var trail []games.Step
	var best scene.Scene
	most := 0
	for range tellingPlies {
		var m games.Move
		if outcomes := state.Outcomes(); outcomes != nil {
			m = outcomes[rng.IntN(len(outcomes))].Move
		} else {
			viewer := state.ToMove()
			if viewer < 0 {
				break
			}
			var seen []games.Step
			for _, step := range trail[max(0, len(trail)-tellingTrail):] {
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
