package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"golang.org/x/text/language"

	"marque/bot/show"
	"marque/games"
	"marque/games/catalog"
	"marque/games/scene"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/render"
)

// boardsCommand paints sample pictures of all games, so that people can judge the art as a whole.
type boardsCommand struct {
	Out   string `required:"" placeholder:"DIR" help:"The folder for the pictures; it is made if there is none."`
	Width int    `default:"1200" help:"How wide a picture is, in pixels, from 100 to 2000."`
	Seed  uint64 `default:"7" help:"Decides the games whose positions are shown."`

	Language string `default:"en" placeholder:"TAG" help:"The language of what the pictures say: de, or one of --locales."`
	Locales  string `placeholder:"DIR" help:"A folder of translations beside the built-in ones, as for MARQUE_LOCALES."`
}

// Run paints four positions of each game in every theme: an early, a middle and the last position of a random game with
// all seats taken, and a position whose signs are numbered. For each theme it also paints a sheet with all of them.
func (c boardsCommand) Run(ctx context.Context, std streams) error {
	if c.Width < 100 || c.Width > 2000 {
		return fmt.Errorf("--width is %d; it can be from 100 to 2000", c.Width)
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	speaker, err := c.speaker()
	if err != nil {
		return err
	}
	renderer, err := render.New(render.UsualWidth)
	if err != nil {
		return err
	}
	say := speaker.Say
	var list []render.Named
	for _, g := range catalog.Games {
		shown, err := c.positions(g, say)
		if err != nil {
			return fmt.Errorf("%s: %w", g.Key(), err)
		}
		called, err := show.Busiest(g)
		if err != nil {
			return fmt.Errorf("%s: %w", g.Key(), err)
		}
		called.CallOut(called.Signs())
		list = append(append(list, shown...), render.Named{Name: g.Key() + "-called-out", Scene: called,
			Players: crew[:], Title: say(g.Info().Name)})
	}
	paths, err := renderer.Contact(ctx, c.Out, list, render.Options{Width: c.Width, Say: say})
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%d pictures are in %s; contact-%s.png and its like show all of a theme.\n", len(paths), c.Out,
		render.Dark)
	return nil
}

// speaker returns the speaker for the words in the pictures, in the command's language.
func (c boardsCommand) speaker() (*locale.Speaker, error) {
	var own []fs.FS
	if c.Locales != "" {
		own = append(own, os.DirFS(c.Locales))
	}
	sentences, err := locale.Load(own...)
	if err != nil {
		return nil, fmt.Errorf("--locales: %w", err)
	}
	asked, err := language.Parse(c.Language)
	if err != nil {
		return nil, fmt.Errorf("--language: %w", err)
	}
	if !slices.Contains(sentences.Languages(), asked) {
		return nil, fmt.Errorf("--language is %s; complete are %v (`marque texts check` says what another lacks)", asked,
			sentences.Languages())
	}
	return sentences.Speaker(nil, c.Language).Plain(), nil
}

// crew are the names of the players in the pictures.
var crew = [...]text.Name{
	text.NewName("Anne Bonny"), text.NewName("Black Bart"), text.NewName("Calico Jack"),
	text.NewName("Mary Read"), text.NewName("Henry Avery"), text.NewName("Grace O'Malley"),
}

// Positions and plays that the pictures show.
const (
	earlyPosition = 5 // number of decisions before the early position
	shownTrail    = 3 // number of latest plays that are marked in a picture
)

// positions returns the early, the middle and the last position of one random game.
func (c boardsCommand) positions(g games.Game, say func(text.Message) string) ([]render.Named, error) {
	_, seats := g.Seats()
	setup, err := games.NewSetup(g, seats)
	if err != nil {
		return nil, err
	}
	rng := games.NewRand(c.Seed)
	s := g.New(setup)
	var log []games.Step
	var decisions []int // length of the log of plays at each decision
	for s.ToMove() != games.Nobody && len(log) < g.Traits().Longest {
		step := games.Step{Before: s, Seat: s.ToMove()}
		if step.Seat == games.Chance {
			step.Move = rng.Outcome(s.Outcomes())
		} else {
			decisions = append(decisions, len(log))
			list := s.Moves()
			step.Move = list[rng.IntN(len(list))]
		}
		log = append(log, step)
		s = s.Apply(step.Move)
	}
	at := func(n int) scene.Scene {
		state := s
		if n < len(log) {
			state = log[n].Before
		}
		viewer := state.ToMove()
		if viewer < 0 { // a spectator sees no hand
			viewer = games.Spectator
		}
		var trail []games.Step
		for _, step := range log[max(0, n-shownTrail):n] {
			trail = append(trail, games.Step{Before: games.Mask(step.Before, viewer), Seat: step.Seat,
				Move: games.MaskMove(step.Before, step.Move, viewer)})
		}
		return games.Mask(state, viewer).Scene(viewer, trail)
	}
	named := func(when string, n int) render.Named {
		return render.Named{Name: g.Key() + "-" + when, Scene: at(n), Players: crew[:min(seats, len(crew))],
			Title: say(text.M("bot.plate.example", "Game", g.Info().Name))}
	}
	return []render.Named{
		named("opening", decisions[min(earlyPosition, len(decisions)-1)]),
		named("middle", decisions[len(decisions)/2]),
		named("end", len(log)),
	}, nil
}
