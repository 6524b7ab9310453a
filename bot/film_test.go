package bot_test

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"marque/bot/bottest"
	"marque/bot/table"
	"marque/games"
	"marque/games/computer"
)

// TestFilmOfATurn plays a turn of Loyal Captain in the page and takes a picture of each step: the board, the choices
// after Move, and the next board. It runs only if MARQUE_FILM names a file, to which it writes the steps as an
// animation, such as docs/turn.gif. The machine needs Chromium and a font with emoji, such as Noto Color Emoji.
func TestFilmOfATurn(t *testing.T) {
	path := os.Getenv("MARQUE_FILM")
	if path == "" {
		t.Skip("MARQUE_FILM names no file: no film of a turn was made")
	}
	r := bottest.New(t)
	turn := r.OpenLoyal(bottest.Two)
	player := computer.New(computer.Hard, computer.Limit{Iterations: 2000}, 1)
	next := func() (*table.Snapshot, string) {
		snap := r.Table()
		move, _, err := player.Choose(r.Ctx, snap.View(snap.ToMove))
		r.Must(err)
		return snap, games.Spell(snap.View(snap.ToMove).State, move)
	}
	for range 11 { // the board then has some pieces
		snap, move := next()
		_, err := r.Server.Say(snap.Mover(), turn.ChannelID, move+"!") // so that the next message has its author's name
		r.Must(err)
		_, err = r.Tables.Move(r.Ctx, table.Actor{User: snap.Mover()}, snap.ID, move, 0)
		r.Must(err)
		turn = r.TurnAfter(turn.ChannelID, turn)
	}
	snap, move := next()
	b := bottest.OpenBrowser(t, r.Server.URL())
	b.Do(chromedp.EmulateViewport(600, 1400))
	b.Be(snap.Mover())
	b.Enter("Tortuga", "game-tables")
	const board = `[...document.querySelectorAll("#log .message:not(.ephemeral)")].at(-1)`
	frames := []image.Image{frame(b, board)}
	s := b.Private(func() { b.Press("Move") })
	frames = append(frames, frame(b, bottest.LastPrivate))
	for !slices.ContainsFunc(s.Buttons, func(c struct{ Label, ID string }) bool {
		return c.Label == "Make this move"
	}) {
		i := slices.IndexFunc(s.Buttons, func(c struct{ Label, ID string }) bool {
			chosen := c.ID[strings.LastIndex(c.ID, "/")+1:] // the button's kind, and then the move so far
			return len(chosen) > 1 && strings.HasPrefix(move, chosen[1:])
		})
		if i < 0 {
			t.Fatalf("no button leads to %s: %+v", move, s.Buttons)
		}
		s = b.Private(func() { b.Use(fmt.Sprintf(`[data-cid=%q]`, s.Buttons[i].ID), "") })
		frames = append(frames, frame(b, bottest.LastPrivate))
	}
	b.Press("Make this move")
	r.TurnAfter(turn.ChannelID, turn)
	b.Until(board + `.querySelector("[data-cid^='move/']") !== null`)
	var film bytes.Buffer
	r.Must(gif.EncodeAll(&film, filmOf(append(frames, frame(b, board)))))
	r.Must(os.WriteFile(path, film.Bytes(), 0o644))
}

// frame returns a picture of one message.
func frame(b *bottest.Browser, message string) image.Image {
	b.T.Helper()
	b.Until(bottest.Settled + ` && [...` + message +
		`.querySelectorAll("img")].every((i) => i.complete && i.naturalWidth)`)
	b.Do(chromedp.Evaluate[chromedp.Void](`void (() => {
		document.querySelector("#film")?.removeAttribute("id");
		` + message + `.id = "film";
	})()`))
	data, err := chromedp.Run(b.Ctx, chromedp.Screenshot(chromedp.CSS(`#film`)))
	if err != nil {
		b.Fail(err)
	}
	im, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		b.Fail(err)
	}
	return im
}

// tally adds the number of pixels of each colour of a picture to count.
func tally(im image.Image, count map[color.Color]int) {
	for y := im.Bounds().Min.Y; y < im.Bounds().Max.Y; y++ {
		for x := im.Bounds().Min.X; x < im.Bounds().Max.X; x++ {
			count[im.At(x, y)]++
		}
	}
}

// frequent returns colours from the most frequent to the rarest. most is the maximum number of them.
func frequent(count map[color.Color]int, most int) color.Palette {
	colours := slices.SortedFunc(maps.Keys(count),
		func(x, y color.Color) int { return cmp.Compare(count[y], count[x]) })
	return colours[:min(most, len(colours))]
}

// filmOf returns an animation of the frames in their most frequent colours. All its frames have the same size.
func filmOf(frames []image.Image) *gif.GIF {
	area, count := image.Rectangle{}, map[color.Color]int{}
	for _, f := range frames {
		area = area.Union(f.Bounds())
		tally(f, count)
	}
	colours := frequent(count, 256)
	last := frames[len(frames)-1] // the page's background is in its corner
	ground := image.NewUniform(last.At(last.Bounds().Dx()-1, last.Bounds().Dy()-1))
	film := &gif.GIF{}
	for _, f := range frames {
		im := image.NewPaletted(area.Inset(-12), colours)
		draw.Draw(im, im.Rect, ground, image.Point{}, draw.Src)
		draw.Draw(im, f.Bounds(), f, image.Point{}, draw.Src)
		im.Rect = im.Rect.Sub(im.Rect.Min)
		film.Image, film.Delay = append(film.Image, im), append(film.Delay, 250) // 250 is 2.5 seconds
	}
	return film
}
