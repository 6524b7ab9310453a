package render

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/image/font/sfnt"
	"pgregory.net/rapid"

	"marque/games/catalog"
	"marque/games/scene"
	"marque/games/text"
)

// Every run of the property tests uses the same seed. -rapid.seed sets another one.
var _ = flag.Set("rapid.seed", "26")

func newRenderer(t testing.TB) *Renderer {
	t.Helper()
	r, err := New(UsualWidth)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var sharedOnce = sync.OnceValues(func() (*Renderer, error) {
	r, err := New(UsualWidth)
	if err == nil {
		r.grounds.limit = 256 << 20 // room for the grounds of all games in all themes
	}
	return r, err
})

// sharedRenderer returns the same renderer to all its callers, so that they do not paint the same grounds again.
// TestSamePictureWhateverWasPaintedBefore shows that a picture does not depend on earlier pictures.
func sharedRenderer(t testing.TB) *Renderer {
	t.Helper()
	r, err := sharedOnce()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAnySceneIsPainted paints scenes with values that no game produces.
func TestAnySceneIsPainted(t *testing.T) {
	r := sharedRenderer(t)
	number := rapid.OneOf(rapid.Float64Range(-100, 1200), rapid.SampledFrom([]float64{0, -1, 1e-9, 1e7, 1e300, -1e300}))
	point := rapid.Custom(func(t *rapid.T) scene.Point {
		return scene.Point{X: number.Draw(t, "x"), Y: number.Draw(t, "y")}
	})
	whole := rapid.OneOf(rapid.IntRange(-3, 30), rapid.SampledFrom([]int{-1 << 62, 1 << 62, 99999, 1 << 31}))
	words := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "C4", "\x00\xff", strings.Repeat("Ж", 5000),
		"مرحبا", "👩‍👩‍👧"}))
	color := rapid.Custom(func(t *rapid.T) scene.Color { return scene.Color(rapid.IntRange(-3, 9).Draw(t, "color")) })
	stat := rapid.Custom(func(t *rapid.T) scene.Stat {
		return scene.Stat{Icon: scene.Icon(rapid.IntRange(-1, 25).Draw(t, "icon")), Value: words.Draw(t, "value")}
	})
	piece := rapid.Custom(func(t *rapid.T) scene.Piece {
		p := scene.Piece{Kind: scene.PieceKind(rapid.IntRange(-1, 14).Draw(t, "kind")), At: point.Draw(t, "at"),
			Size:  number.Draw(t, "size"),
			Angle: number.Draw(t, "angle"), Color: color.Draw(t, "color"), Layers: rapid.SliceOfN(color, 0, 9).Draw(t,
				"layers"),
			Count: whole.Draw(t, "count"), Value: whole.Draw(t, "value"), Share: whole.Draw(t, "share"),
			Seat:    whole.Draw(t, "seat"),
			Suit:    scene.Suit(rapid.IntRange(-1, 9).Draw(t, "suit")),
			Carries: scene.Carry(rapid.IntRange(-1, 5).Draw(t, "carries")), Text: words.Draw(t, "text"),
			HasBack: rapid.Bool().Draw(t, "back"), BackOff: rapid.Bool().Draw(t, "off"),
			Marked: rapid.Bool().Draw(t, "marked"), Ghost: rapid.Bool().Draw(t, "ghost")}
		for range rapid.IntRange(0, 6).Draw(t, "attacks") {
			p.Attacks = append(p.Attacks, scene.Attack{Seat: whole.Draw(t, "seat"), Color: color.Draw(t, "color"),
				Skulls: whole.Draw(t, "skulls"), Pirate: whole.Draw(t, "pirate")})
		}
		return p
	})
	rapid.Check(t, func(t *rapid.T) {
		s := scene.Scene{Board: words.Draw(t, "board"), W: number.Draw(t, "w"), H: number.Draw(t, "h")}
		for range rapid.IntRange(0, 6).Draw(t, "shapes") {
			s.Ground = append(s.Ground, scene.Shape{Kind: scene.ShapeKind(rapid.IntRange(-1, 6).Draw(t, "kind")),
				Material: scene.Material(rapid.IntRange(-1, 17).Draw(t, "material")),
				Points:   rapid.SliceOfN(point, 0, 6).Draw(t, "points"), R: number.Draw(t, "r"),
				Width: number.Draw(t, "width"), Text: words.Draw(t, "text"), Color: color.Draw(t, "color")})
		}
		s.Pieces = rapid.SliceOfN(piece, 0, 4).Draw(t, "pieces")
		s.Hand = rapid.SliceOfN(piece, 0, 3).Draw(t, "hand")
		for range rapid.IntRange(0, 3).Draw(t, "marks") {
			s.Marks = append(s.Marks, scene.Mark{Kind: scene.MarkKind(rapid.IntRange(-1, 6).Draw(t, "kind")),
				Points: rapid.SliceOfN(point, 0, 5).Draw(t, "points"), R: number.Draw(t, "r"),
				Color: color.Draw(t, "color")})
		}
		for range rapid.IntRange(0, 7).Draw(t, "panels") {
			s.Panels = append(s.Panels, scene.Panel{Seat: whole.Draw(t, "seat"), Color: color.Draw(t, "color"),
				ToMove: rapid.Bool().Draw(t, "move"), Out: rapid.Bool().Draw(t, "out"),
				Winner: rapid.Bool().Draw(t, "winner"), Stats: rapid.SliceOfN(stat, 0, 9).Draw(t, "stats")})
		}
		s.Status = rapid.SliceOfN(stat, 0, 4).Draw(t, "status")
		o := Options{Width: 120, Theme: Theme(rapid.IntRange(-1, 5).Draw(t, "theme")),
			Names: named(rapid.SliceOfN(words, 0, 6).Draw(t, "names")...), Caption: words.Draw(t, "caption")}
		for _, paint := range []func(context.Context, scene.Scene, Options) ([]byte, error){r.PNG, r.HandPNG} {
			b, err := paint(context.Background(), s, o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := png.Decode(bytes.NewReader(b)); err != nil {
				t.Fatalf("the picture is no PNG: %v", err)
			}
		}
	})
}

// TestSamePictureWhateverWasPaintedBefore: a renderer that paints scenes concurrently and one that paints them one by
// one, in reverse order, produce the same pixels.
func TestSamePictureWhateverWasPaintedBefore(t *testing.T) {
	list := positions(t)
	used := newRenderer(t)
	var wait sync.WaitGroup
	got := make([][]byte, len(list))
	for i := range list {
		wait.Go(func() {
			got[i], _ = used.PNG(context.Background(), list[i].scene, Options{Width: 400, Names: sampleNames})
		})
	}
	wait.Wait()
	fresh := newRenderer(t)
	for i := len(list) - 1; i >= 0; i-- {
		o := Options{Width: 400, Names: sampleNames}
		want, err := fresh.Draw(context.Background(), list[i].scene, o)
		if err != nil {
			t.Fatal(err)
		}
		back, err := png.Decode(bytes.NewReader(got[i]))
		if err != nil {
			t.Fatalf("%s: %v", list[i].name, err)
		}
		if im := back.(*image.Paletted); im.Rect != want.Rect || !bytes.Equal(im.Pix, want.Pix) {
			t.Errorf("%s: other pixels after other pictures than first", list[i].name)
		}
	}
}

// TestPicturesDecodeToTheDrawnPixels: the standard decoder, which checks every checksum, decodes our files to the drawn
// pixels.
func TestPicturesDecodeToTheDrawnPixels(t *testing.T) {
	r := sharedRenderer(t)
	for _, p := range positions(t) {
		im, err := r.Draw(context.Background(), p.scene, Options{Width: 333})
		if err != nil {
			t.Fatal(err)
		}
		b, _ := r.PNG(context.Background(), p.scene, Options{Width: 333})
		got, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		back := got.(*image.Paletted)
		if back.Rect != im.Rect || !bytes.Equal(back.Pix, im.Pix) {
			t.Errorf("%s: the file holds other pixels than were drawn", p.name)
		}
	}
}

// TestCachesKeepTheirLimits paints more than small caches can hold. Forget then empties the caches of pictures and
// widths.
func TestCachesKeepTheirLimits(t *testing.T) {
	r := newRenderer(t)
	r.grounds.limit, r.sprites.limit, r.pictures.limit, r.tf.widths.limit = 1<<20, 1<<18, 1<<17, 1<<10
	for _, p := range positions(t) {
		for _, th := range []Theme{Dark, Light} {
			if _, err := r.PNG(context.Background(), p.scene, Options{Theme: th, Width: 500}); err != nil {
				t.Fatal(err)
			}
			for name, c := range map[string]interface{ within() (int, int) }{"grounds": r.grounds, "sprites": r.sprites,
				"pictures": r.pictures, "widths": r.tf.widths} {
				if used, limit := c.within(); used > limit {
					t.Errorf("%s: %d bytes kept, the limit is %d", name, used, limit)
				}
			}
		}
	}
	r.Forget()
	for name, c := range map[string]interface{ within() (int, int) }{"pictures": r.pictures, "widths": r.tf.widths} {
		if used, _ := c.within(); used != 0 {
			t.Errorf("%s: %d bytes are kept that may hold names", name, used)
		}
	}
}

// Sprites take at most a tenth more memory than the cache counts for them. The test removes the sprites and measures
// the freed memory.
func TestSpritesTakeWhatTheyCount(t *testing.T) {
	r := newRenderer(t)
	for _, p := range positions(t) {
		if _, err := r.PNG(context.Background(), p.scene, Options{Width: 500}); err != nil {
			t.Fatal(err)
		}
	}
	inUse := func() int {
		runtime.GC()
		runtime.GC() // the second run also frees memory that pools keep over the first
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	counted, with := r.sprites.bytes, inUse()
	r.sprites = nil
	took := with - inUse()
	t.Logf("%d kB counted, %d kB taken", counted>>10, took>>10)
	if took > counted*11/10 {
		t.Errorf("sprites take %d kB, and are counted as %d", took>>10, counted>>10)
	}
	runtime.KeepAlive(r)
}

func (c *cache[K, V]) within() (used, limit int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.items.Keys() {
		v, _ := c.items.Peek(k)
		used += c.size(k, v)
	}
	return max(used, c.bytes), c.limit
}

// TestEndedContextPaintsNothing requests a picture while all slots in the pool are taken, with a context that ends.
func TestEndedContextPaintsNothing(t *testing.T) {
	r := newRenderer(t)
	ctx, cancel := context.WithCancel(context.Background())
	for range cap(r.slots) {
		if err := r.enter(ctx); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 1)
	go func() {
		_, err := r.PNG(ctx, deckScene(), Options{Width: 100})
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("PNG with an ended context: %v, want %v", err, context.Canceled)
	}
}

// TestPicturesOfGamesAreSmall: 24 pictures of a random game of every kind, with marks on the choices, do not exceed
// mostBytes.
func TestPicturesOfGamesAreSmall(t *testing.T) {
	r := sharedRenderer(t)
	for _, g := range catalog.Games {
		_, most := g.Seats()
		scenes := playMarked(t, g, most)
		for i := range 24 {
			o := Options{Theme: Themes()[i%len(Themes())], Names: sampleNames, Title: "Table 12", Caption: "17"}
			b, err := r.PNG(t.Context(), scenes[(len(scenes)-1)*i/23], o)
			if err != nil {
				t.Fatal(err)
			}
			if len(b) > mostBytes {
				t.Errorf("%s %v, picture %d of 24: %d bytes, want at most %d", g.Key(), o.Theme, i+1, len(b), mostBytes)
			}
		}
	}
}

// TestReplayFitsItsLimit makes replays with decreasing limits. Positions are omitted before pictures shrink. The last
// picture stays for at least gifHold. A limit that is too small gives a *SizeError.
func TestReplayFitsItsLimit(t *testing.T) {
	r := sharedRenderer(t)
	g := catalog.Games[len(catalog.Games)-1]
	scenes := play(t, g, 2)
	if len(scenes) > 60 {
		scenes = scenes[len(scenes)-60:]
	}
	frames, width := 1<<30, 1<<30
	for _, limit := range []int{8 << 20, 600_000, 150_000, 60_000, 25_000} {
		var out bytes.Buffer
		if err := r.GIF(context.Background(), &out, scenes, []time.Duration{time.Second / 2}, limit,
			Options{Width: 300}); err != nil {
			t.Fatalf("limit %d: %v", limit, err)
		}
		if out.Len() > limit {
			t.Errorf("limit %d: %d bytes", limit, out.Len())
		}
		replay, err := gif.DecodeAll(&out)
		if err != nil {
			t.Fatalf("limit %d: %v", limit, err)
		}
		n := len(replay.Image)
		t.Logf("limit %d: %d of %d positions, %d pixels wide", limit, n, len(scenes), replay.Config.Width)
		if replay.Config.Width > width || replay.Config.Width == width && n > frames {
			t.Errorf("limit %d: %d positions at %d pixels, more than under a wider limit (%d at %d)", limit, n,
				replay.Config.Width, frames, width)
		}
		if replay.Config.Width < 300 && n > gifFewest {
			t.Errorf("limit %d: the pictures shrank to %d pixels with %d positions left", limit, replay.Config.Width, n)
		}
		if hold := replay.Delay[n-1]; hold < int(gifHold/(10*time.Millisecond)) {
			t.Errorf("limit %d: the last position stays %d hundredths", limit, hold)
		}
		frames, width = n, replay.Config.Width
	}
	if err := r.GIF(context.Background(), &bytes.Buffer{}, scenes, nil, 500, Options{}); !errors.As(err,
		new(*SizeError)) {
		t.Errorf("limit 500: %v, want a *SizeError", err)
	}
}

// TestReplayEndsOnTheLastPosition: the composed last frame of a replay equals the picture of the last position.
func TestReplayEndsOnTheLastPosition(t *testing.T) {
	r := sharedRenderer(t)
	scenes := play(t, catalog.Games[0], 2)
	var out bytes.Buffer
	if err := r.GIF(context.Background(), &out, scenes[:min(9, len(scenes))], nil, 1<<20,
		Options{Width: 240}); err != nil {
		t.Fatal(err)
	}
	replay, err := gif.DecodeAll(&out)
	if err != nil {
		t.Fatal(err)
	}
	want, err := r.Draw(context.Background(), scenes[min(9, len(scenes))-1], Options{Width: 240})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "replay-end", want, shown(replay).SubImage(want.Rect), 0)
}

// TestContactSheetHoldsEveryScene writes contact sheets and checks that each scene and each sheet has a file in every
// theme.
func TestContactSheetHoldsEveryScene(t *testing.T) {
	r := sharedRenderer(t)
	dir := t.TempDir()
	if look := os.Getenv("MARQUE_LOOK"); look != "" {
		dir = look
	}
	var list []Named
	for _, p := range positions(t) {
		list = append(list, Named{Name: p.name, Scene: p.scene, Players: sampleNames})
	}
	paths, err := r.Contact(context.Background(), dir, list, Options{Width: 400})
	if err != nil {
		t.Fatal(err)
	}
	for _, theme := range Themes() {
		for _, n := range append(list, Named{Name: "contact"}) {
			name := n.Name + "-" + theme.String() + ".png"
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
	}
	t.Logf("%d files", len(paths))
}

// TestNamesInAnyScript: shortened names fit their room, and names are readable if the fonts have their script.
func TestNamesInAnyScript(t *testing.T) {
	tf := sharedRenderer(t).tf
	for _, name := range append(sampleNames, named(strings.Repeat("W", 500), strings.Repeat("ﷺ", 40),
		"a\u0301\u0301\u0301", "\u202eevil\u202c")...) {
		n := clean(name.Plain())
		if got := tf.fit(n, 30, 200); tf.width(got, 30) > 200 {
			t.Errorf("%q shortened to %q is %.0f wide, want at most 200", name.Plain(), got, tf.width(got, 30))
		}
	}
	for name, want := range map[string]bool{"Anne": true, "海賊": true, "해적": true, "קפטן": true, "\U000e0001": false,
		"": false, "\u200d\ufe0f": false} {
		if got := tf.readable(name); got != want {
			t.Errorf("readable(%q) = %v, want %v", name, got, want)
		}
	}
	// Letters take the forms of their places in the word: initial, medial, final.
	if got, want := joined("\u0628\u0628\u0628"), "\ufe91\ufe92\ufe90"; got != want {
		t.Errorf("joined beh beh beh = %+q, want %+q", got, want)
	}
	if got, want := joined("\u0644\u0627"), "\ufefb"; got != want {
		t.Errorf("joined lam alef = %+q, want %+q", got, want)
	}
}

// lettersOf has the letters of Discord's languages besides a to z. Hindi, Thai and languages with thousands of letters
// have some common ones.
var lettersOf = map[string]string{
	"bg": "абвгдежзийклмнопрстуфхцчшщъьюя", "cs": "áčďéěíňóřšťúůýž", "da": "æøåé", "de": "äöüß„“–",
	"el": "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ", "en-GB": "’“”", "en-US": "’“”", "es-419": "áéíñóúü¿¡",
	"es-ES": "áéíñóúü¿¡", "fi": "åäöšž", "fr": "àâæçéèêëîïôœùûüÿ«»", "hr": "čćđšž", "hu": "áéíóöőúüű", "id": "é",
	"it": "àéèìíîòóùú", "ja": "あいうえおかがきっんアイウエオカガッン海賊船金貨勝負時間。、「」", "ko": "가나다라해적배금화승부시간입니다",
	"lt": "ąčęėįšųūž", "nl": "áéëïóöü", "no": "æøåéò", "pl": "ąćęłńóśźż", "pt-BR": "ãáàâçéêíõóôú", "ro": "ăâîșț„”",
	"ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "sv-SE": "åäöé", "tr": "çğıİöşüâîû",
	"uk":    "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
	"vi":    "ăâđêôơưàảãáạằẳẵắặầẩẫấậèẻẽéẹềểễếệìỉĩíịòỏõóọồổỗốộờởỡớợùủũúụừửữứựỳỷỹýỵ",
	"zh-CN": "海盗船金币胜负时间您轮到谁，。“”", "zh-TW": "海盜船金幣勝負時間您輪到誰，。「」",
	"hi": "अआइईकखगसमुद्रीडाकू", "th": "กขคงโจรสลัดเรือ",
}

// The fonts have the letters of 30 of Discord's 32 languages, in lower and upper case. Hindi and Thai are missing, as
// docs/translate.md and package show say.
func TestLettersOfDiscordsLanguages(t *testing.T) {
	tf := sharedRenderer(t).tf
	if len(lettersOf) != 32 {
		t.Errorf("there are letters of %d languages, and Discord has 32", len(lettersOf))
	}
	for language, letters := range lettersOf {
		var buf sfnt.Buffer
		missing := ""
		for _, r := range letters + strings.ToUpper(letters) {
			if _, _, ok := tf.find(&buf, r); !ok {
				missing += string(r)
			}
		}
		if want := language == "hi" || language == "th"; want != (missing != "") {
			t.Errorf("%s: the fonts lack %q", language, missing)
		}
	}
}

// Pictures of different rolls differ: of each number of a die, and of two dice in both orders.
func TestADieShowsTheRoll(t *testing.T) {
	r := sharedRenderer(t)
	paint := func(dice ...int) []byte {
		s := deckScene()
		s.Status = []scene.Stat{{Icon: scene.DieIcon, Value: "the roll", Dice: dice}}
		b, err := r.PNG(context.Background(), s, Options{Width: 400})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	rolls := [][]int{{1}, {2}, {3}, {4}, {5}, {6}, {2, 4}, {4, 2}}
	for i, a := range rolls {
		for _, b := range rolls[:i] {
			if bytes.Equal(paint(a...), paint(b...)) {
				t.Errorf("the pictures of %v and %v are equal", a, b)
			}
		}
	}
}

// An older arrow has at most half as many painted pixels as the newest, even at the size of a phone.
func TestTheNewestArrowStandsOut(t *testing.T) {
	r := sharedRenderer(t)
	painted := func(width int, old bool) int {
		s := deckScene()
		s.Pieces, s.Marks = nil, nil
		bare, err := r.Draw(context.Background(), s, Options{Width: width})
		if err != nil {
			t.Fatal(err)
		}
		s.Marks = []scene.Mark{{Kind: scene.Arrow, Points: []scene.Point{{X: 300, Y: 300}, {X: 600, Y: 700}},
			Color: scene.Red, Old: old}}
		marked, err := r.Draw(context.Background(), s, Options{Width: width})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i := range bare.Pix {
			a, b := bare.Palette[bare.Pix[i]].(color.RGBA), marked.Palette[marked.Pix[i]].(color.RGBA)
			if max(apart(a.R, b.R), apart(a.G, b.G), apart(a.B, b.B)) > tolerance {
				n++
			}
		}
		return n
	}
	for _, width := range []int{400, 800} {
		if newest, older := painted(width, false), painted(width, true); older == 0 || 2*older > newest {
			t.Errorf("%d pixels wide: the newest arrow changes %d pixels, an older one %d, want between one and half of that", width, newest, older)
		}
	}
}

// Panels whose stats have the same headings become rows of one table. Its columns do not overlap, leave room for names,
// and are within the picture. Panels with different headings, or with headings too long to leave room for names, do not
// become a table.
func TestPanelsWithHeadsAreATable(t *testing.T) {
	r := sharedRenderer(t)
	panels := func(head string) []scene.Panel {
		var list []scene.Panel
		for seat := range 4 {
			p := scene.Panel{Seat: seat, Color: scene.ColorOf(seat)}
			for i := range 6 {
				p.Stats = append(p.Stats, scene.Stat{Icon: scene.MoneyIcon, Value: strings.Repeat("9", i%3+1),
					Head: text.Raw(head)})
			}
			list = append(list, p)
		}
		return list
	}
	c := r.composer(r.normal(Options{Names: sampleNames}), 1)
	got, ok := c.asTable(panels("Money"))
	if !ok || len(got.x) != 6 {
		t.Fatalf("six facts with heads make the table %v, %v", got, ok)
	}
	for i, x := range got.x {
		if end := x + got.widths[i]; x < margin+74+leastName || end > 1000-margin-tableSign+0.01 || i > 0 &&
			x < got.x[i-1]+got.widths[i-1] {
			t.Errorf("column %d is from %.0f to %.0f, after %v", i, x, end, got.x[:i])
		}
	}
	if _, ok := c.asTable(panels("A head that is far too long")); ok {
		t.Error("six long heads make a table, which leaves no room for names")
	}
	other := panels("Money")
	other[2].Stats[1].Head = text.Raw("Debt")
	if _, ok := c.asTable(other); ok {
		t.Error("panels with unlike heads make a table")
	}
	if _, ok := c.asTable(nil); ok {
		t.Error("no panels make a table")
	}
}

// A name shrinks before it is cut.
func TestNamesShrinkBeforeTheyAreCut(t *testing.T) {
	r := sharedRenderer(t)
	c := r.composer(r.normal(Options{}), 1)
	const name, em = "Anne Bonny the Pirate", 30.0
	full := r.tf.width(name, em)
	for _, tc := range []struct {
		share float64
		whole bool
	}{{1.01, true}, {0.9, true}, {0.75, true}, {0.6, false}} {
		s, size := c.tf.fitted(name, em, full*tc.share)
		if (s == name) != tc.whole || size > em || size < em*smallest*0.99 || r.tf.width(s, size) > full*tc.share {
			t.Errorf("in %.2f of its width the name is %q in letters of %.1f of %.0f", tc.share, s, size, em)
		}
	}
}
