package bot

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/scene"
	"marque/games/text/locale"
	"marque/render"
)

// boardWidth is the width of a board's picture in pixels: about twice what Discord shows in the channel, for when it is opened.
const boardWidth = 800

// png makes a file of a picture.
func png(name string, data []byte) *discordgo.File {
	return &discordgo.File{Name: name, ContentType: "image/png", Reader: bytes.NewReader(data)}
}

// sceneAt is the picture as data after n plays, showing the plays from number from as the last ones.
func sceneAt(snap *table.Snapshot, viewer games.Seat, from, n int) scene.Scene {
	return snap.ViewAt(n, viewer).State.Scene(viewer, snap.Trail(viewer, from, n))
}

// boardPicture paints the position after n plays for viewer, and gives its alt text.
func (b *Bot) boardPicture(ctx context.Context, snap *table.Snapshot, viewer games.Seat, from, n int, s *locale.Speaker) (*discordgo.File, string, error) {
	return b.paint(ctx, sceneAt(snap, viewer, from, n), names(snap), plain(s, snap), boardName(snap, n))
}

// boardName is the file of the position after n plays.
func boardName(snap *table.Snapshot, n int) string {
	return fmt.Sprintf("board-%s-%d.png", snap.ID, n)
}

func (b *Bot) paint(ctx context.Context, sc scene.Scene, names []string, s *locale.Speaker, name string) (*discordgo.File, string, error) {
	data, err := b.pictures.PNG(ctx, sc, render.Options{Width: boardWidth, Names: names, Say: s.Say, Theme: themeOf(ctx)})
	if err != nil {
		return nil, "", fmt.Errorf("painting %s: %w", sc.Board, err)
	}
	return png(name, data), altText(sc, s), nil
}

// handPicture paints the viewer's cards; nil when there are none.
func (b *Bot) handPicture(ctx context.Context, sc scene.Scene, s *locale.Speaker) (*discordgo.File, error) {
	if len(sc.Hand) == 0 {
		return nil, nil
	}
	data, err := b.pictures.HandPNG(ctx, sc, render.Options{Width: boardWidth, Say: s.Say, Theme: themeOf(ctx)})
	if err != nil {
		return nil, fmt.Errorf("painting a hand: %w", err)
	}
	return png("hand.png", data), nil
}

// altText tells a scene in order of importance.
func altText(sc scene.Scene, s *locale.Speaker) string {
	parts := make([]string, 0, len(sc.Alt))
	for _, a := range sc.Alt {
		if t := s.Say(a); t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, " ")
}

// textPicture is a scene for a monospaced font, with its legend and alt text, as Discord markdown.
func textPicture(sc scene.Scene, s *locale.Speaker) string {
	lines := append([]string{"```"}, sc.Text...)
	lines = append(lines, "```")
	for _, l := range sc.Legend {
		lines = append(lines, "-# "+s.Say(l))
	}
	return strings.Join(lines, "\n")
}

// samplePlies is how far into a game the picture beside its rules is.
const samplePlies = 24

// samplePicture paints a position from the middle of a game, the same every time.
func (b *Bot) samplePicture(ctx context.Context, g games.Game, s *locale.Speaker) (*discordgo.File, string, error) {
	setup, err := games.NewSetup(g, 0)
	if err != nil {
		return nil, "", err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	state := g.New(setup)
	decisions := 0
	var trail []games.Step
	for decisions < samplePlies && state.ToMove() != games.Nobody {
		var m games.Move
		if outcomes := state.Outcomes(); outcomes != nil {
			m = outcomes[rng.IntN(len(outcomes))].Move
		} else {
			moves := state.Moves()
			m = moves[rng.IntN(len(moves))]
			decisions++
		}
		next := state.Apply(m)
		if next.ToMove() == games.Nobody {
			break
		}
		trail = []games.Step{{Before: state.Mask(games.Spectator), Seat: state.ToMove(), Move: state.MaskMove(m, games.Spectator)}}
		state = next
	}
	sc := state.Mask(games.Spectator).Scene(games.Spectator, trail)
	return b.paint(ctx, sc, nil, s, "example.png")
}
