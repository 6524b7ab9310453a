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

	"marque/bot/table"
	"marque/games"
	"marque/games/computer"
)

// A turn of Loyal Captain in the page, by Move, the menu and Play this, each step a message that is seen whole. It is
// played where MARQUE_FILM names a file, and the steps are written there as a film: so docs/turn.gif is made. Have a
// font with emoji beside Chromium, such as Noto Color Emoji.
func TestFilmOfATurn(t *testing.T) {
	path := os.Getenv("MARQUE_FILM")
	if path == "" {
		t.Skip("MARQUE_FILM names no file: no film of a turn was made")
	}
	r := newRig(t)
	turn := r.openLoyal(two)
	player := computer.New(computer.Hard, computer.Limit{Iterations: 2000}, 1)
	next := func() (*table.Snapshot, string) {
		snap := r.table()
		move, _, err := player.Choose(r.ctx, snap.View(snap.ToMove))
		r.must(err)
		return snap, games.Spell(snap.View(snap.ToMove).State, move)
	}
	for range 11 { // so that there is something to see on the board
		snap, move := next()
		_, err := r.srv.Say(snap.Mover(), turn.ChannelID, move+"!") // so the next message has its author's name
		r.must(err)
		_, err = r.tables.Move(r.ctx, table.Actor{User: snap.Mover()}, snap.ID, move, 0)
		r.must(err)
		turn = r.turnAfter(turn.ChannelID, turn)
	}
	snap, move := next()
	b := openBrowser(t, r.srv.URL())
	b.do(chromedp.EmulateViewport(600, 1400))
	b.be(snap.Mover())
	b.enter("Tortuga", "game-tables")
	const board = `[...document.querySelectorAll("#log .message:not(.ephemeral)")].at(-1)`
	frames := []image.Image{b.frame(board)}
	s := b.private(func() { b.press("Move") })
	frames = append(frames, b.frame(lastPrivate))
	for len(s.Menus) > 0 {
		i := slices.IndexFunc(s.Menus[0].Options, func(o struct{ Label, Value string }) bool {
			return strings.HasPrefix(move, strings.TrimSuffix(o.Value, "\n."))
		})
		b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (() => {
			%s.querySelector(".select").click();
			window.option = document.querySelectorAll(".listbox:not([hidden]) li")[%d];
			window.option.scrollIntoView({ block: "nearest" });
			window.option.dispatchEvent(new MouseEvent("mousemove"));
		})()`, lastPrivate, i)))
		frames = append(frames, b.frame(lastPrivate))
		s = b.private(func() { b.do(chromedp.Evaluate[chromedp.Void](`void window.option.click()`)) })
		frames = append(frames, b.frame(lastPrivate))
	}
	b.press("Play this")
	r.turnAfter(turn.ChannelID, turn)
	b.until(board + `.querySelector("[data-cid^='move/']") !== null`)
	var film bytes.Buffer
	r.must(gif.EncodeAll(&film, filmOf(append(frames, b.frame(board)))))
	r.must(os.WriteFile(path, film.Bytes(), 0o644))
}

// frame is a picture of one message.
func (b *browser) frame(message string) image.Image {
	b.t.Helper()
	b.until(settled + ` && [...` + message + `.querySelectorAll("img")].every((i) => i.complete && i.naturalWidth)`)
	b.do(chromedp.Evaluate[chromedp.Void](`void (() => {
		document.querySelector("#film")?.removeAttribute("id");
		` + message + `.id = "film";
	})()`))
	data, err := chromedp.Run(b.ctx, chromedp.Screenshot(chromedp.CSS(`#film`)))
	if err != nil {
		b.fail(err)
	}
	im, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		b.fail(err)
	}
	return im
}

// filmOf is an animation of the frames, all as high as the highest, in the colours that are most frequent.
func filmOf(frames []image.Image) *gif.GIF {
	area, count := image.Rectangle{}, map[color.Color]int{}
	for _, f := range frames {
		area = area.Union(f.Bounds())
		for i := range f.Bounds().Dx() * f.Bounds().Dy() {
			count[f.At(i%f.Bounds().Dx(), i/f.Bounds().Dx())]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count),
		func(x, y color.Color) int { return cmp.Compare(count[y], count[x]) })
	last := frames[len(frames)-1] // the page's ground is in its corner
	ground := image.NewUniform(last.At(last.Bounds().Dx()-1, last.Bounds().Dy()-1))
	film := &gif.GIF{}
	for _, f := range frames {
		im := image.NewPaletted(area.Inset(-12), colours[:min(256, len(colours))])
		draw.Draw(im, im.Rect, ground, image.Point{}, draw.Src)
		draw.Draw(im, f.Bounds(), f, image.Point{}, draw.Src)
		im.Rect = im.Rect.Sub(im.Rect.Min)
		film.Image, film.Delay = append(film.Image, im), append(film.Delay, 250) // hundredths of a second
	}
	return film
}
