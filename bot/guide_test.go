package bot_test

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
	"marque/games/computer"
	"marque/games/text"
	"marque/games/text/locale"
)

var drawGuide = flag.Bool("guide", false, "make the pictures of docs/guide anew, with Chromium and an emoji font beside it")

// The player's guide has ten pictures of a first game in each language. The flag -guide makes the pictures from the
// page.
func TestPicturesOfTheGuide(t *testing.T) {
	for language, discords := range map[string]string{"en": "en-US", "de": "de"} {
		folder := filepath.Join("..", "docs", "guide", language)
		if *drawGuide {
			t.Run(language, func(t *testing.T) { guide(t, discords, folder) })
		}
		pictures, err := filepath.Glob(filepath.Join(folder, "*.png"))
		if err != nil || len(pictures) != 10 {
			t.Errorf("%s has %d pictures, want ten (%v)", folder, len(pictures), err)
		}
	}
}

// guide plays a first game, and writes a picture of each step into a folder.
func guide(t *testing.T, language, folder string) {
	r := bottest.New(t)
	anne, channel, opt := localdiscord.Anne, bottest.TablesChannel, localdiscord.Opt
	r.Must(r.Server.Admin.SetServerLocale(localdiscord.Tortuga, language))
	for _, p := range bottest.World {
		r.Must(r.Server.Admin.SetLocale(p, language))
	}
	sentences, err := locale.Load()
	r.Must(err)
	say := func(id string) string { return sentences.Speaker(nil, language).Say(text.M(id)) }

	b := bottest.OpenBrowser(t, r.Server.URL())
	b.Do(chromedp.EmulateViewport(560, 1600))
	b.Be(anne)
	b.Enter("Tortuga", "game-tables")
	r.Must(os.RemoveAll(folder))
	r.Must(os.MkdirAll(folder, 0o755))
	count := 0
	shoot := func(name string, m *localdiscord.Message) *localdiscord.Message {
		t.Helper()
		count++
		element := fmt.Sprintf(`document.querySelector("#log [data-id='%s']")`, m.ID)
		b.Until(element + ` !== null`)
		var file bytes.Buffer
		r.Must(png.Encode(&file, reduced(frame(b, element))))
		r.Must(os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d-%s.png", count, name)), file.Bytes(), 0o644))
		return m
	}

	// board waits for the first public message after the given one that has the given control.
	board := func(after, control string) *localdiscord.Message {
		t.Helper()
		m, err := r.WaitMessage(channel, anne, func(m *localdiscord.Message) bool {
			return bottest.Later(m.ID, after) && m.EphemeralTo == "" && bottest.HasButton(m, say(control))
		})
		r.Must(err)
		return m
	}
	player := computer.New(computer.Hard, computer.Limit{Iterations: 2000}, 1)
	play := func() {
		t.Helper()
		snap := r.Table()
		move, _, err := player.Choose(r.Ctx, snap.View(snap.ToMove))
		r.Must(err)
		_, err = r.Tables.Move(r.Ctx, table.Actor{User: snap.Mover()}, snap.ID,
			games.Spell(snap.View(snap.ToMove).State, move), 0)
		r.Must(err)
	}

	r.Command(localdiscord.Mary, channel, "server panel")
	shoot("play", board("0", "bot.button.play-others"))
	shoot("learn", r.Command(anne, channel, "learn", opt("game", bottest.LoyalCaptain)))
	before := r.Latest(channel)
	r.Command(anne, channel, "play", opt("game", bottest.LoyalCaptain), opt("rated", false))
	lobby := shoot("lobby", board(before, "bot.button.join"))
	r.Click(localdiscord.Jack, lobby, say("bot.button.join"))
	turn := board(lobby.ID, "bot.button.move")
	for r.Table().Plays < 12 || r.Table().Mover() != anne {
		play()
		turn = board(turn.ID, "bot.button.move")
	}
	shoot("board", turn)
	m := shoot("choose", r.Click(anne, turn, say("bot.button.move")))
	for !bottest.HasButton(m, say("bot.step.play")) {
		c := m.Interactive()[0]
		if len(c.Options) > 0 {
			m = r.Choose(anne, m, c.CustomID, c.Options[0].Value)
		} else {
			m = r.Click(anne, m, c.CustomID)
		}
	}
	shoot("preview", m)
	r.Click(anne, m, say("bot.step.play"))
	turn = shoot("next", board(turn.ID, "bot.button.move"))
	play()
	turn = board(turn.ID, "bot.button.move")
	shoot("hint", r.Click(anne, turn, say("bot.button.hint")))
	for r.Table().Status == table.Playing {
		play()
	}
	shoot("end", board(turn.ID, "bot.button.rematch"))
	r.Command(localdiscord.Mary, channel, "moderate create tournament", opt("game", bottest.LoyalCaptain),
		opt("name", "Regatta"))
	for _, p := range []string{localdiscord.Jack, localdiscord.Mary} {
		r.Command(p, channel, "tournament", bottest.Do("enter"))
	}
	shoot("tournament", board(turn.ID, "bot.competition.button.enter"))
}

// reduced returns the picture with at most 256 colours, which are enough for the page.
func reduced(im image.Image) image.Image {
	count := map[color.Color]int{}
	tally(im, count)
	small := image.NewPaletted(im.Bounds(), frequent(count, 256))
	draw.Draw(small, im.Bounds(), im, im.Bounds().Min, draw.Src)
	return small
}
