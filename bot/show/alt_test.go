package show_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"marque/bot/show"
	"marque/games"
	"marque/games/example"
	"marque/games/gametest"
	"marque/games/text"
	"marque/games/text/locale"
)

// In random games, a shortened alt text is not cut within a word, and refers to “As text”. The full description and
// the board as text fit in a message with 300 characters to spare.
func TestAltTextsEndWithAWord(t *testing.T) {
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := sentences.Speaker(nil, "en")
	const more = " The rest doesn't fit here. If there's a button “As text”, it shows everything."
	long := 0
	for _, g := range example.Games {
		for _, setup := range gametest.Setups(g) {
			rng := rand.New(rand.NewPCG(7, 8))
			state := g.New(setup)
			var trail []games.Step
			for n := 0; state.ToMove() != games.Nobody && n < 200; n++ {
				m, next := gametest.Random(state, rng)
				trail = append(trail, games.Step{Before: games.Mask(state, games.Spectator), Seat: state.ToMove(),
					Move: games.MaskMove(state, m, games.Spectator)})
				trail = trail[max(0, len(trail)-12):]
				if state = next; n%10 != 0 {
					continue
				}
				sc := games.Mask(state, games.Spectator).Scene(games.Spectator, trail)
				plate := text.M("bot.plate.example", "Game", g.Info().Name)
				told := s.Plain().Say(plate) + ". " + show.Describe(sc, s.Plain())
				alt := show.Alt(plate, show.Describe(sc, s.Plain()), s.Plain())
				if utf8.RuneCountInString(alt) > 1024 {
					t.Fatalf("%s: an alt text of %d characters", g.Key(), utf8.RuneCountInString(alt))
				}
				if alt != told {
					long++
					begun, ok := strings.CutSuffix(alt, " …"+more)
					if rest, fits := strings.CutPrefix(told, begun); !ok || !fits || !strings.ContainsAny(rest[:1],
						" ,;:") {
						t.Fatalf("%s: the alt text is cut within a word: %s", g.Key(), alt)
					}
				}
				if size := utf8.RuneCountInString(show.Describe(sc, s)) +
					utf8.RuneCountInString(show.TextPicture(sc, s)); size > show.MaxText-300 {
					t.Fatalf("%s: %d characters as text", g.Key(), size)
				}
			}
		}
	}
	if long == 0 {
		t.Error("no alt text was too long")
	}
}
