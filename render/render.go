// Package render paints scenes as PNG and GIF pictures.
//
// The ground of a board is constant for a width and a theme, so it is painted once and cached. Every piece, mark and
// word is cached as a sprite. A picture is a copy of the ground with sprites on it. Its palette is chosen for that
// ground and the objects that can appear on it. All caches have limits; see CacheBytes.
package render

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fogleman/gg"

	"marque/games/scene"
	"marque/games/text"
)

// Options determine how a scene is painted. The zero value is valid.
type Options struct {
	// Width is the width of the picture in pixels, from 100 to 2000. 0 is the renderer's width, at most 560 for a
	// replay.
	Width int
	Theme Theme
	// Names are the names of the players by seat. A seat without a name is shown as its number.
	Names []text.Name
	// Say translates messages into the reader's language. If it is nil, only literal messages appear.
	Say func(text.Message) string
	// Title is the title of the picture, such as a game and a table. It appears on a brass plate, together with
	// Caption.
	Title string
	// Caption describes the play that the picture shows.
	Caption string
	// Captions are the captions of a replay's scenes, in order. Scenes beyond the last of Captions have Caption.
	Captions []string
}

// title returns the whole text of the plate.
func (o *Options) title() string {
	if o.Title == "" || o.Caption == "" {
		return o.Title + o.Caption
	}
	return o.Title + " · " + o.Caption
}

// at returns the options for a replay's scene.
func (o Options) at(scene int) Options {
	if scene < len(o.Captions) {
		o.Caption = clean(o.Captions[scene])
	}
	return o
}

// UsualWidth is the default width of pictures in pixels, about three times their width in Discord on a phone.
const UsualWidth = 1200

func (r *Renderer) normal(o Options) Options {
	if o.Width == 0 {
		o.Width = r.width
	}
	o.Width = min(max(o.Width, 100), 2000)
	if o.Theme < Dark || o.Theme > Contrast {
		o.Theme = Dark
	}
	names := make([]text.Name, min(len(o.Names), mostPanels))
	for i, n := range o.Names[:len(names)] {
		if r.tf.readable(clean(n.Plain())) {
			names[i] = n
		}
	}
	o.Names = names
	if o.Say == nil {
		o.Say = say
	}
	o.Title, o.Caption = clean(o.Title), clean(o.Caption)
	return o
}

// Limits of the caches in bytes.
const (
	groundBytes  = 24 << 20
	spriteBytes  = 32 << 20
	pictureBytes = 16 << 20
	widthBytes   = 256 << 10

	// CacheBytes is the sum of the limits of a Renderer's caches.
	CacheBytes = groundBytes + spriteBytes + pictureBytes + widthBytes
)

// Renderer paints scenes. It is safe for concurrent use. The number of goroutines that paint at the same time is
// limited to the number of processors.
type Renderer struct {
	width    int // default width of pictures
	tf       *typeface
	paints   map[Theme]*paints
	slots    chan struct{}
	grounds  *cache[groundKey, *ground]
	sprites  *cache[spriteKey, sprite]
	pictures *cache[string, []byte]
	encoder  pngEncoder
	frames   sync.Pool // of *image.Paletted
	items    sync.Pool // of *[]item
	canvases canvases
	observer atomic.Pointer[func(Painted)]
}

// Painted describes a picture and the time that it took.
type Painted struct {
	Kind   string // board, hand or replay; sheet for any other picture
	Cached bool   // whether the picture came from the cache
	Took   time.Duration
}

// Observe makes the renderer call f for every PNG file and replay that it paints, or takes from its cache, from now
// on. f should return quickly.
func (r *Renderer) Observe(f func(Painted)) { r.observer.Store(&f) }

// began starts the measurement of a picture. The returned function must be called when the picture is done.
func (r *Renderer) began(kind string) func(cached bool) {
	f := r.observer.Load()
	if f == nil {
		return func(bool) {}
	}
	at := time.Now()
	return func(cached bool) { (*f)(Painted{Kind: kind, Cached: cached, Took: time.Since(at)}) }
}

// New returns a Renderer. width is the default width of pictures.
func New(width int) (*Renderer, error) {
	tf, err := newTypeface()
	if err != nil {
		return nil, err
	}
	r := &Renderer{
		width: width, tf: tf, paints: palettes(),
		slots:    make(chan struct{}, runtime.GOMAXPROCS(0)),
		grounds:  newCache(groundBytes, func(k groundKey, g *ground) int { return len(k.content) + g.bytes() }),
		sprites:  newCache(spriteBytes, func(k spriteKey, s sprite) int { return len(k.s) + s.bytes() }),
		pictures: newCache(pictureBytes, func(k string, b []byte) int { return len(k) + len(b) + 200 }),
	}
	return r, nil
}

// Forget empties the caches of pictures, sprites and widths of texts, which can contain names.
func (r *Renderer) Forget() {
	r.pictures.clear()
	r.sprites.clear()
	r.tf.widths.clear()
}

// ground is the painted ground of a board with the palette of its pictures.
type ground struct {
	im  *image.Paletted
	pal *palette
}

func (g *ground) bytes() int { return len(g.im.Pix) + 1<<cellBits + paletteSize*32 }

type groundKey struct {
	content string // encoding of everything that was painted
	width   int
	theme   Theme
	set     set // pieces and colours in the palette
}

// enter waits for a free slot. It returns ctx's error if ctx ends first.
func (r *Renderer) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case r.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *Renderer) leave() { <-r.slots }

// PNG paints the public picture of a scene: the board, the status and the seats' panels. It fails only if ctx ends
// before the painting begins, with ctx's error.
func (r *Renderer) PNG(ctx context.Context, s scene.Scene, o Options) ([]byte, error) {
	o = r.normal(o)
	return r.cached(ctx, "board", pictureKey('b', &s, &o), func() *image.Paletted { return r.draw(&s, o) })
}

// cached returns the picture with this key, which it paints if the cache lacks it.
func (r *Renderer) cached(ctx context.Context, kind, key string, paint func() *image.Paletted) ([]byte, error) {
	done := r.began(kind)
	if b, ok := r.pictures.get(key); ok {
		done(true)
		return b, nil
	}
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	defer r.leave()
	im := paint()
	defer r.frames.Put(im)
	b := r.pictures.put(key, r.encoder.encode(im))
	done(false)
	return b, nil
}

// Draw paints the public picture of a scene as PNG does.
func (r *Renderer) Draw(ctx context.Context, s scene.Scene, o Options) (*image.Paletted, error) {
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	defer r.leave()
	return r.draw(&s, r.normal(o)), nil
}

// boardSize returns the board's height in pixels, and the number of pixels per unit of the scene. It limits extreme
// proportions.
func boardSize(s *scene.Scene, width int) (h int, scale float64) {
	w, high := s.W, s.H
	if !sane(w, high) || w < 10 || w > 1e5 {
		return width / 10, float64(width) / 1000
	}
	scale = float64(width) / w
	return int(math.Round(math.Min(math.Max(high*scale, 1), 3*float64(width)))), scale
}

func (r *Renderer) composer(o Options, scale float64) *composer {
	const usual = 128 // usual number of a picture's items
	var out []item
	if list, _ := r.items.Get().(*[]item); list != nil {
		out = (*list)[:0]
	} else {
		out = make([]item, 0, usual)
	}
	return &composer{out: out, o: o, p: r.paints[o.Theme], tf: r.tf, canvases: &r.canvases, scale: scale,
		ui: float64(o.Width) / 1000}
}

// page is a picture as a list of items. The upper part is a ground, and the part below it has one colour.
type page struct {
	c       *composer
	ground  *scene.Scene
	high    int          // height of the ground in pixels
	below   int          // height of the part below it in pixels
	canvas  color.RGBA   // colour of the part below the ground
	onBoard int          // number of items at the beginning of the list that are clipped to the ground
	set     set          // set of the pieces on the page
	like    *scene.Scene // scene whose palette this page uses, nil for the palette of ground
}

func (r *Renderer) draw(s *scene.Scene, o Options) *image.Paletted { return r.paint(r.board(s, o)) }

// board returns the page of a scene.
func (r *Renderer) board(s *scene.Scene, o Options) *page {
	high, scale := boardSize(s, o.Width)
	c := r.composer(o, scale)
	p := &page{c: c, ground: s, set: setOf(s), high: high, canvas: c.p.canvas, like: s.Like}
	c.board(s)
	p.onBoard = len(c.out)
	p.below = c.strip(s, high)
	return p
}

// paint paints a page.
func (r *Renderer) paint(p *page) *image.Paletted {
	c := p.c
	g := r.ground(c, p.ground, p.high, p.set, p.like)
	im := r.frame(c.o.Width, p.high+p.below, g.pal)
	n := copy(im.Pix, g.im.Pix)
	below, colour := im.Pix[n:], g.pal.of(p.canvas)
	for i := range below {
		below[i] = colour
	}
	top := *im
	top.Rect.Max.Y = p.high
	r.lay(&top, g.pal, c, c.out[:p.onBoard])
	r.lay(im, g.pal, c, c.out[p.onBoard:])
	list := c.out
	clear(list) // so that the list does not retain the painting functions
	r.items.Put(&list)
	return im
}

// lay draws items on a picture.
func (r *Renderer) lay(im *image.Paletted, p *palette, c *composer, items []item) {
	for i := range items {
		blit(im, p, r.sprite(c, &items[i]), items[i].x, items[i].y)
	}
}

// frame returns a picture of the given size with undefined pixels.
func (r *Renderer) frame(w, h int, p *palette) *image.Paletted {
	im, _ := r.frames.Get().(*image.Paletted)
	if im == nil || cap(im.Pix) < w*h {
		im = &image.Paletted{Pix: make([]uint8, w*h)}
	}
	im.Pix, im.Stride, im.Rect, im.Palette = im.Pix[:w*h], w, image.Rect(0, 0, w, h), p.colors
	return im
}

func (r *Renderer) sprite(c *composer, it *item) sprite {
	it.key.theme = c.o.Theme
	if s, ok := r.sprites.get(it.key); ok {
		return s
	}
	if it.key.ghost { // the original sprite is usually in the cache
		plain := *it
		plain.key.ghost = false
		return r.sprites.put(it.key, r.sprite(c, &plain).faded())
	}
	cv, at := c.paintItem(it)
	defer r.canvases.put(cv)
	return r.sprites.put(it.key, cv.sprite(at))
}

// ground returns the painted ground of a scene, with a palette for the pieces of a set. If like is not nil, the palette
// of the scene like is used.
func (r *Renderer) ground(c *composer, s *scene.Scene, high int, in set, like *scene.Scene) *ground {
	key := groundKey{content: groundContent(s), width: c.o.Width, theme: c.o.Theme, set: in}
	if g, ok := r.grounds.get(key); ok {
		return g
	}
	im := c.paintGround(s, high)
	g := &ground{im: &image.Paletted{Pix: make([]uint8, len(im.Pix)/4)}}
	if like != nil {
		g.pal = r.ground(c, like, int(math.Round(like.H*c.scale)), in, nil).pal
	} else {
		sample := sampleOn(float64(c.o.Width)/c.scale, float64(high)/c.scale, in)
		most := paletteSize
		if c.o.Width > wide && in != handSet && in != allSets {
			most = wideColours
		}
		g.pal = newPalette(c.p.designed(), r.full(sample, c.scale, Options{Width: c.o.Width, Theme: c.o.Theme,
			Title: "58", Say: say}, im), most)
	}
	g.pal.indexed(g.im.Pix, im)
	return r.grounds.put(key, g)
}

// full paints a scene on its ground in full colour.
func (r *Renderer) full(s *scene.Scene, scale float64, o Options, ground *image.RGBA) *image.RGBA {
	high := ground.Rect.Dy()
	c := r.composer(o, scale)
	c.board(s)
	extra := c.strip(s, high)
	im := image.NewRGBA(image.Rect(0, 0, o.Width, high+extra))
	draw.Draw(im, im.Rect, image.NewUniform(c.p.canvas), image.Point{}, draw.Src)
	draw.Draw(im, ground.Rect, ground, image.Point{}, draw.Src)
	for i := range c.out {
		it := &c.out[i]
		over(im, r.sprite(c, it).image(), image.Pt(it.x, it.y))
	}
	return im
}

// paintGround paints the ground in full colour.
func (c *composer) paintGround(s *scene.Scene, high int) *image.RGBA {
	dc := gg.NewContext(c.o.Width, high)
	c.groundOn(&brush{Context: dc, k: 1, p: c.p, tf: c.tf}, s, high)
	return dc.Image().(*image.RGBA)
}

// groundOn paints the ground with rounded corners.
func (c *composer) groundOn(b *brush, s *scene.Scene, high int) {
	b.at(0, 0, c.scale, func() { paintGround(b, s) })
	w, h, r := float64(c.o.Width), float64(high), 18*c.ui
	b.SetFillRuleEvenOdd()
	b.DrawRectangle(0, 0, w, h)
	b.DrawRoundedRectangle(0, 0, w, h, r)
	b.fill(c.p.canvas)
	b.SetFillRuleWinding()
	line := 3 * c.ui
	b.DrawRoundedRectangle(line/2, line/2, w-line, h-line, r-line/2)
	b.stroke(darker(c.p.hull, 0.5), line)
}
