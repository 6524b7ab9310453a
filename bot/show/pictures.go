package show

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/bwmarrin/discordgo"

	"marque/bot/background"
	"marque/bot/table"
	"marque/games"
	"marque/games/scene"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/render"
)

// Painter paints the pictures of messages.
type Painter struct {
	renderer   *render.Renderer
	background *background.Gate
}

// NewPainter returns a Painter that uses r. While it paints, background work pauses, because users wait for its
// pictures.
func NewPainter(r *render.Renderer, background *background.Gate) *Painter {
	return &Painter{r, background}
}

// PNG returns a picture as a file.
func PNG(name string, data []byte) *discordgo.File {
	return &discordgo.File{Name: name, ContentType: "image/png", Reader: bytes.NewReader(data)}
}

// SceneAt returns the scene after n plays for viewer, in which the plays from index from on are shown as the latest.
func SceneAt(snap *table.Snapshot, viewer games.Seat, from, n int) scene.Scene {
	return snap.Scene(viewer, from, n)
}

// Board paints the position after n plays for viewer, in which the plays from index from on are shown as the latest. It
// returns the file and its alt text.
func (p *Painter) Board(ctx context.Context, snap *table.Snapshot, viewer games.Seat, from, n int,
	s *locale.Speaker) (*discordgo.File, string, error) {
	return p.Paint(ctx, SceneAt(snap, viewer, from, n), TablePlate(snap, n), Names(snap, s), Plain(s, snap),
		BoardName(snap, n))
}

// BoardName returns the file name of the picture of the position after n plays.
func BoardName(snap *table.Snapshot, n int) string {
	return fmt.Sprintf("board-%s-%d.png", snap.ID, n)
}

// boardName matches the names of BoardName. Its groups are the table's number and the number of plays.
var boardName = regexp.MustCompile(`^board-(\d+)-(\d{1,9})\.png$`)

// parseBoardName parses a file name that BoardName returned. ok is false for other names.
func parseBoardName(name string) (table string, n int, ok bool) {
	m := boardName.FindStringSubmatch(name)
	if m == nil {
		return "", 0, false
	}
	n, err := strconv.Atoi(m[2])
	return m[1], n, err == nil
}

// BoardIn returns the table and the number of plays of the board in a message. It searches the components from Discord
// for a picture whose address ends in a file name of BoardName. It cannot use the message's attachments, because
// Discord leaves them empty in these messages. ok is false if there is no such picture.
func BoardIn(components []discordgo.MessageComponent) (table string, n int, ok bool) {
	for _, c := range components {
		switch c := c.(type) {
		case *discordgo.Container:
			table, n, ok = BoardIn(c.Components)
		case *discordgo.MediaGallery:
			for _, item := range c.Items {
				if u, err := url.Parse(item.Media.URL); err == nil && !ok {
					table, n, ok = parseBoardName(path.Base(u.Path))
				}
			}
		}
		if ok {
			return table, n, true
		}
	}
	return "", 0, false
}

// TablePlate returns the text for a picture's plate: the game, the table, and the turns played before the position
// after n plays.
func TablePlate(snap *table.Snapshot, n int) text.Message {
	return text.M("bot.plate.table", "Game", snap.Rules().Info().Name, "Table", snap.ID, "Turns",
		TurnsPlayed(snap.Turn(n)))
}

// TurnsPlayed returns the number of turns before a position, in words. It counts the turns of all players.
func TurnsPlayed(turns int) text.Message {
	if turns == 0 {
		return text.M("bot.board.from-start")
	}
	return text.M("bot.plate.turns", "Count", turns)
}

// TurnOf returns a line with the turn of a position and the number of turns in the game.
func TurnOf(turn, of int) text.Message {
	if turn == 0 {
		return text.M("bot.board.start")
	}
	return text.M("bot.board.position", "At", turn, "Of", of)
}

// AtTurn returns the words for a position inside a sentence, as in: from start to turn 12.
func AtTurn(turn int) text.Message {
	if turn == 0 {
		return text.M("bot.board.from-start")
	}
	return text.M("bot.board.after", "Turn", turn)
}

// PlanPlate returns the text for the plate of a planned position: the table's text, and the planned moves.
func PlanPlate(snap *table.Snapshot, p table.PlanLine) text.Message {
	return text.M("bot.plate.preview", "Plate", TablePlate(snap, snap.Plays), "Move", strings.Join(p.Plays, "; "))
}

// Paint paints a scene to a file with the given name, and returns the file with its alt text. s must be plain. Picture
// and alt text begin with the text of plate.
func (p *Painter) Paint(ctx context.Context, sc scene.Scene, plate text.Message, names []text.Name, s *locale.Speaker,
	name string) (*discordgo.File, string, error) {
	p.background.Begin()
	defer p.background.End()
	if err := p.background.AfterRush(ctx); err != nil {
		return nil, "", fmt.Errorf("painting %s: %w", sc.Board, err)
	}
	data, err := p.renderer.PNG(ctx, sc, render.Options{Title: s.Say(plate), Names: names, Say: s.Say,
		Theme: ThemeOf(ctx)})
	if err != nil {
		return nil, "", fmt.Errorf("painting %s: %w", sc.Board, err)
	}
	return PNG(name, data), Alt(plate, Describe(sc, s), s), nil
}

// Alt returns the alt text of a picture: the text of its plate, then told.
func Alt(plate text.Message, told string, s *locale.Speaker) string {
	return AltOf(s.Say(plate)+". "+told, s)
}

// AltOf returns told as the alt text of a picture that also has a text version. If told is too long, AltOf cuts it
// after a word, and adds a sentence that mentions the text version.
func AltOf(told string, s *locale.Speaker) string {
	if Length(told) <= maxAlt {
		return told
	}
	more := " " + s.Say(text.M("bot.alt.more"))
	return ClipWords(told, maxAlt-Length(more)) + more
}

// Hand paints the viewer's cards. It returns nil if there are none.
func (p *Painter) Hand(ctx context.Context, sc scene.Scene, plate text.Message,
	s *locale.Speaker) (*discordgo.File, error) {
	if len(sc.Hand) == 0 {
		return nil, nil
	}
	data, err := p.renderer.HandPNG(ctx, sc, render.Options{Title: s.Say(plate), Say: s.Say,
		Theme: ThemeOf(ctx)})
	if err != nil {
		return nil, fmt.Errorf("painting a hand: %w", err)
	}
	return PNG("hand.png", data), nil
}

// Describe describes a scene, the most important facts first. With a plain speaker the result is an alt text, and with
// a speaker for Discord's markdown it is a paragraph.
func Describe(sc scene.Scene, s *locale.Speaker) string {
	parts := make([]string, 0, len(sc.Alt))
	for _, a := range sc.Alt {
		if t := s.Say(a); t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, " ")
}

// TextPicture returns a scene in a monospaced font, with its legend, as Discord's markdown.
func TextPicture(sc scene.Scene, s *locale.Speaker) string {
	lines := []string{"```"}
	for _, l := range sc.Text {
		lines = append(lines, text.Untick(l))
	}
	lines = append(lines, "```")
	for _, l := range sc.Legend {
		lines = append(lines, "-# "+s.Say(l))
	}
	return strings.Join(lines, "\n")
}

// TextBoard returns a message with a board as text: its description, and the board in a monospaced font. s must write
// seats as names.
func TextBoard(sc scene.Scene, s *locale.Speaker) *Message {
	board := TextPicture(sc, s)
	return &Message{Components: []discordgo.MessageComponent{
		Paragraph(ClipWords(Describe(sc, s), MaxText-Length(board)-spareText)),
		Paragraph(board),
	}}
}

// spareText is the number of characters of a message that are left free for a sentence above a text board.
const spareText = 300

// samplePlies is the number of players' moves before the earliest position that the picture in a game's rules can show,
// unless the game is shorter. The latest such position is after twice as many moves.
const samplePlies = 24

// samples has the results of SampleScene, by the game's key.
var samples sync.Map

// sampleNames are the ids of the sentences with the names of players in the rules' pictures.
var sampleNames = []string{"bot.rules.player.1", "bot.rules.player.2", "bot.rules.player.3", "bot.rules.player.4",
	"bot.rules.player.5"}

// Sample paints the scene that SampleScene returns.
func (p *Painter) Sample(ctx context.Context, g games.Game, s *locale.Speaker) (*discordgo.File, string, error) {
	sc, err := SampleScene(g)
	if err != nil {
		return nil, "", err
	}
	return p.Example(ctx, g, sc, s, "example.png")
}

// Shelf paints small boards of all games, with the positions of SampleScene. The renderer caches the picture.
func (p *Painter) Shelf(ctx context.Context, list Games, s *locale.Speaker) (*discordgo.File, string, error) {
	p.background.Begin()
	defer p.background.End()
	if err := p.background.AfterRush(ctx); err != nil {
		return nil, "", fmt.Errorf("painting the games: %w", err)
	}
	var boards []render.Titled
	var names []text.Message
	for _, g := range list {
		sc, err := SampleScene(g)
		if err != nil {
			return nil, "", err
		}
		boards = append(boards, render.Titled{Title: s.Plain().Say(g.Info().Name), Scene: sc})
		names = append(names, g.Info().Name)
	}
	data, err := p.renderer.ShelfPNG(ctx, boards, render.Options{Say: s.Plain().Say, Theme: ThemeOf(ctx)})
	if err != nil {
		return nil, "", fmt.Errorf("painting the games: %w", err)
	}
	return PNG("games.png", data), s.Plain().Say(text.M("bot.entrance.picture", "Games", names)), nil
}

// SampleScene returns a position from the middle of a random game: the first with the most pieces between samplePlies
// and twice as many moves, or the last of a shorter game. It always returns the same position for a game, and looks for
// it once.
func SampleScene(g games.Game) (scene.Scene, error) {
	if known, ok := samples.Load(g.Key()); ok {
		return known.(scene.Scene), nil
	}
	setup, err := games.NewSetup(g, 0)
	if err != nil {
		return scene.Scene{}, err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	state := g.New(setup)
	decisions := 0
	var best scene.Scene
	for decisions < 2*samplePlies && state.ToMove() != games.Nobody {
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
		trail := []games.Step{{Before: games.Mask(state, games.Spectator), Seat: state.ToMove(),
			Move: games.MaskMove(state, m, games.Spectator)}}
		state = next
		sc := games.Mask(state, games.Spectator).Scene(games.Spectator, trail)
		if decisions <= samplePlies || len(sc.Pieces) > len(best.Pieces) {
			best = sc
		}
	}
	samples.Store(g.Key(), best)
	return best, nil
}

// Example paints a scene of g without a table, with sample names for the players.
func (p *Painter) Example(ctx context.Context, g games.Game, sc scene.Scene, s *locale.Speaker,
	name string) (*discordgo.File, string, error) {
	names := SampleNames(s)[:len(sc.Panels)]
	named := s.Named(func(seat int) text.Message { return names[seat].Raw() }).Plain()
	return p.Paint(ctx, sc, text.M("bot.plate.example", "Game", g.Info().Name), names, named, name)
}

// SampleNames returns invented names of players for pictures in the rules, one for each seat that a game can have.
func SampleNames(s *locale.Speaker) []text.Name {
	names := make([]text.Name, len(sampleNames))
	for i, id := range sampleNames {
		names[i] = text.NewName(s.Plain().Say(text.M(id)))
	}
	return names
}

// HandText describes a seat's cards as text.
func HandText(snap *table.Snapshot, seat games.Seat, s Speaker) string {
	return s.Say(SceneAt(snap, seat, snap.Plays, snap.Plays).HandAlt)
}
