// Package render paints scenes as PNG and GIF pictures.
//
// What never changes (the ground of a board, at a width, in a theme) is painted
// once and kept; so is every piece, mark and word, as a sprite. A picture is then
// a copy of the ground with sprites laid on it, in 256 colours chosen for that
// ground and what may stand on it. All caches are bounded; see CacheBytes.
package render

import (
	"context"
	"image"
	"image/color"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fogleman/gg"

	"marque/games/scene"
	"marque/games/text"
)

// Options say how a scene is painted.
type Options struct {
	// Width of the picture in pixels, from 100 to 2000; 0 is 800.
	Width int
	Theme Theme
	// Names of the players by seat; a seat without one is shown as its number.
	Names []text.Name
	// Say puts messages into the reader's language; nil says only literal ones.
	Say func(text.Message) string
	// Caption is a short line beside the status: the number of the move.
	Caption string
	// Captions are those of a replay's scenes, in place of Caption; a scene beyond them has
	// Caption.
	Captions []string
}

// at are the options for a replay's scene.
func (o Options) at(scene int) Options {
	if scene < len(o.Captions) {
		o.Caption = clean(o.Captions[scene])
	}
	return o
}

func (o Options) normal(tf *typeface) Options {
	if o.Width == 0 {
		o.Width = 800
	}
	o.Width = min(max(o.Width, 100), 2000)
	if o.Theme < Dark || o.Theme > Contrast {
		o.Theme = Dark
	}
	names := make([]text.Name, min(len(o.Names), mostPanels))
	for i, n := range o.Names[:len(names)] {
		if tf.readable(clean(n.Plain())) {
			names[i] = n
		}
	}
	o.Names = names
	if o.Say == nil {
		o.Say = say
	}
	o.Caption = clean(o.Caption)
	return o
}

// Limits of the caches in bytes; all together are CacheBytes.
const (
	groundBytes  = 24 << 20
	spriteBytes  = 24 << 20
	stripeBytes  = 6 << 20
	modelBytes   = 10 << 20
	pictureBytes = 8 << 20
	widthBytes   = 256 << 10

	// CacheBytes is the most memory that a Renderer keeps between pictures.
	CacheBytes = groundBytes + spriteBytes + stripeBytes + modelBytes + pictureBytes + widthBytes
)

// Renderer paints scenes. It is safe for use by many goroutines at once; at most
// as many as there are processors paint at the same time.
type Renderer struct {
	tf       *typeface
	paints   map[Theme]*paints
	slots    chan struct{}
	grounds  *cache[groundKey, *ground]
	sprites  *cache[spriteKey, *sprite]
	pictures *cache[string, []byte]
	encoder  *pngEncoder
	painted  atomic.Uint32 // grounds
	frames   sync.Pool     // of *image.Paletted
	items    sync.Pool     // of *[]item, lists to be filled
	canvases canvases
	observer atomic.Pointer[func(Painted)]
}

// Painted says what a picture took.
type Painted struct {
	Kind   string // board, hand, sheet or replay
	Cached bool   // it was there already
	Took   time.Duration
}

// Observe has f told of every picture from now on that was made without an error. f must be quick.
func (r *Renderer) Observe(f func(Painted)) { r.observer.Store(&f) }

// began takes the time of a picture; what it returns is called when that is there.
func (r *Renderer) began(kind string) func(cached bool) {
	f := r.observer.Load()
	if f == nil {
		return func(bool) {}
	}
	at := time.Now()
	return func(cached bool) { (*f)(Painted{Kind: kind, Cached: cached, Took: time.Since(at)}) }
}

// New returns a Renderer.
func New() (*Renderer, error) {
	tf, err := newTypeface()
	if err != nil {
		return nil, err
	}
	r := &Renderer{
		tf: tf, paints: palettes(), encoder: newPNGEncoder(),
		slots:    make(chan struct{}, runtime.GOMAXPROCS(0)),
		grounds:  newCache(groundBytes, func(k groundKey, g *ground) int { return len(k.content) + g.bytes() }),
		sprites:  newCache(spriteBytes, func(k spriteKey, s *sprite) int { return len(k.s) + s.bytes() }),
		pictures: newCache(pictureBytes, func(k string, b []byte) int { return len(k) + len(b) + 200 }),
	}
	return r, nil
}

// ground is the painted ground of a board with the palette of its pictures.
type ground struct {
	id  uint32 // unlike that of any other ground painted by this renderer
	im  *image.Paletted
	pal *palette
}

func (g *ground) bytes() int { return len(g.im.Pix) + 1<<16 + 256*32 }

type groundKey struct {
	content string // everything that is painted
	width   int
	theme   Theme
}

// enter waits for a place in the pool.
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

// PNG paints the public picture of a scene: the board, and under it the status
// and the seats' panels. The only error is that of ctx, when it ends before a
// place in the pool is free.
func (r *Renderer) PNG(ctx context.Context, s scene.Scene, o Options) ([]byte, error) {
	done := r.began("board")
	o = o.normal(r.tf)
	key := pictureKey('b', &s, &o)
	if b, ok := r.pictures.get(key); ok {
		done(true)
		return b, nil
	}
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	defer r.leave()
	im, pal := r.draw(&s, o)
	defer r.frames.Put(im)
	b := r.pictures.put(key, r.encoder.encode(im, pal.plte))
	done(false)
	return b, nil
}

// Draw paints the public picture of a scene as PNG does.
func (r *Renderer) Draw(ctx context.Context, s scene.Scene, o Options) (*image.Paletted, error) {
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	defer r.leave()
	im, _ := r.draw(&s, o.normal(r.tf))
	return im, nil
}

// boardSize is the board's size in pixels, its proportions kept within reason.
func boardSize(s *scene.Scene, width int) (h int, scale float64) {
	w, high := s.W, s.H
	if !sane(w, high) || w < 10 || w > 1e5 {
		return width / 10, float64(width) / 1000
	}
	scale = float64(width) / w
	return int(math.Round(math.Min(math.Max(high*scale, 1), 3*float64(width)))), scale
}

func (r *Renderer) composer(o Options, scale float64) *composer {
	const usual = 128 // items of a picture
	var out []item
	if list, _ := r.items.Get().(*[]item); list != nil {
		out = (*list)[:0]
	} else {
		out = make([]item, 0, usual)
	}
	return &composer{out: out, o: o, p: r.paints[o.Theme], tf: r.tf, canvases: &r.canvases, scale: scale, ui: float64(o.Width) / 1000}
}

func (r *Renderer) draw(s *scene.Scene, o Options) (*image.Paletted, *palette) {
	high, scale := boardSize(s, o.Width)
	c := r.composer(o, scale)
	g := r.ground(s, c, high)
	c.board(s)
	onBoard := len(c.out)
	extra := c.strip(s, high)
	im := r.frame(o.Width, high+extra, g.pal)
	n := copy(im.Pix, g.im.Pix)
	canvas := im.Pix[n:]
	for i := range canvas {
		canvas[i] = 0 // the palette's first colour is the canvas
	}
	top := *im
	top.Rect.Max.Y = high
	for i := range c.out {
		dst := im
		if i < onBoard {
			dst = &top
		}
		blit(dst, g.pal, r.sprite(c, &c.out[i], g), c.out[i].x, c.out[i].y)
	}
	list := c.out
	clear(list) // so that what they paint is not held on to
	r.items.Put(&list)
	return im, g.pal
}

// frame is a picture of that size, its pixels not yet set.
func (r *Renderer) frame(w, h int, p *palette) *image.Paletted {
	im, _ := r.frames.Get().(*image.Paletted)
	if im == nil || cap(im.Pix) < w*h {
		im = &image.Paletted{Pix: make([]uint8, w*h)}
	}
	im.Pix, im.Stride, im.Rect, im.Palette = im.Pix[:w*h], w, image.Rect(0, 0, w, h), p.colors
	return im
}

func (r *Renderer) sprite(c *composer, it *item, g *ground) *sprite {
	it.key.ground = g.id
	if s, ok := r.sprites.get(it.key); ok {
		return s
	}
	if it.key.ghost { // it stood there before, mostly
		it.key.ghost = false
		s := r.sprite(c, it, g).ghost()
		it.key.ghost = true
		return r.sprites.put(it.key, s)
	}
	cv, at := c.paintItem(it)
	defer r.canvases.put(cv)
	return r.sprites.put(it.key, cv.sprite(at, g.pal))
}

func (r *Renderer) ground(s *scene.Scene, c *composer, high int) *ground {
	return r.groundIn(s, c, high, func() *palette { return c.paletteOf(s, high) })
}

// groundIn is the ground in the colours of a palette, which is asked for when the ground is painted.
func (r *Renderer) groundIn(s *scene.Scene, c *composer, high int, colours func() *palette) *ground {
	key := groundKey{content: groundContent(s), width: c.o.Width, theme: c.o.Theme}
	if g, ok := r.grounds.get(key); ok {
		return g
	}
	pal := colours()
	im := c.paintGround(s, high)
	g := &ground{id: r.painted.Add(1), pal: pal, im: image.NewPaletted(im.Rect, pal.colors)}
	w := im.Rect.Dx()
	var above []uint8
	for y := range im.Rect.Dy() {
		row := g.im.Pix[y*w : y*w+w]
		pal.indices(row, above, rowsAt(im, y), 0, w)
		above = row
	}
	return r.grounds.put(key, g)
}

// paletteOf is made for a ground, with everything that may stand on it.
func (c *composer) paletteOf(s *scene.Scene, high int) *palette {
	im := c.paintGround(s, high)
	h := histogram{}
	h.add(im, 1)
	// The canvas comes first: a picture begins as all of that colour.
	fixed := append([]color.RGBA{c.p.canvas, c.p.plaque, c.p.text, c.p.gold}, c.p.player[:]...)
	for _, f := range flats(im, 1000, paletteSize/3) {
		if !slices.Contains(fixed, f) {
			fixed = append(fixed, f)
		}
	}
	c.showAll(im)
	h.add(im, 1.5)
	return newPalette(h, fixed, c.o.Width)
}

// paintGround paints the ground in full colours, with its corners rounded off.
func (c *composer) paintGround(s *scene.Scene, high int) *image.RGBA {
	dc := gg.NewContext(c.o.Width, high)
	b := &brush{Context: dc, k: 1, p: c.p, tf: c.tf}
	b.at(0, 0, c.scale, func() { paintGround(b, s) })
	w, h, r := float64(c.o.Width), float64(high), 18*c.ui
	dc.SetFillRuleEvenOdd()
	dc.DrawRectangle(0, 0, w, h)
	dc.DrawRoundedRectangle(0, 0, w, h, r)
	b.fill(c.p.canvas)
	dc.SetFillRuleWinding()
	dc.DrawRoundedRectangle(1, 1, w-2, h-2, r)
	b.stroke(darker(c.p.hull, 0.5), 3*c.ui)
	return dc.Image().(*image.RGBA)
}

// showAll lays samples of everything that may stand on a board on im, so that the
// palette knows their colours, and how they fade into the ground.
func (c *composer) showAll(im *image.RGBA) {
	size := 76 * c.ui
	all := sampledPieces()
	columns := 10
	for i, p := range all {
		q := p
		x := (float64(i%columns) + 0.5) * float64(im.Rect.Dx()) / float64(columns)
		y := (float64(i/columns) + 0.5) * float64(im.Rect.Dy()) / math.Ceil(float64(len(all))/float64(columns))
		it := item{box: around(size * 1.2), paint: func(b *brush) { b.at(0, 0, size/100, func() { paintPiece(b, &q) }) }}
		cv, at := c.paintItem(&it)
		over(im, cv.im, at.Add(image.Pt(int(x), int(y))))
		c.canvases.put(cv)
	}
}
