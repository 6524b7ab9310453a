package render

import (
	"context"
	"image"
	"image/draw"

	"marque/games/scene"
)

// Titled is a board with its name.
type Titled struct {
	Title string
	Scene scene.Scene
}

// Dimensions of a shelf in thousandths of its width, and its number of columns.
const (
	shelfColumns = 3
	shelfCell    = 1000.0 / shelfColumns
	shelfWide    = 300.0 // maximum width of a board
	shelfTall    = 190.0
	shelfEm      = 31.0
	shelfTop     = 14.0
	shelfRow     = shelfTop + shelfTall + 46
)

// ShelfPNG paints boards in rows, each without its panels and above its name. It fails only if ctx ends before the
// painting begins, with ctx's error.
func (r *Renderer) ShelfPNG(ctx context.Context, boards []Titled, o Options) ([]byte, error) {
	o = r.normal(o)
	key := "shelf"
	for i := range boards {
		key += boards[i].Title + pictureKey('b', &boards[i].Scene, &o)
	}
	return r.cached(ctx, "sheet", key, func() *image.Paletted { return r.shelf(boards, o) })
}

// SmallPNG paints a board without its panels, so that it fits into a square of the width in o.
func (r *Renderer) SmallPNG(ctx context.Context, s scene.Scene, o Options) ([]byte, error) {
	o = r.normal(o)
	return r.cached(ctx, "sheet", "small"+pictureKey('b', &s, &o), func() *image.Paletted {
		board := r.bareBoard(&s, o, 1000, 1000)
		pal := newPalette(r.paints[o.Theme].designed(), board, paletteSize)
		im := r.frame(board.Rect.Dx(), board.Rect.Dy(), pal)
		pal.indexed(im.Pix, board)
		return im
	})
}

func (r *Renderer) shelf(boards []Titled, o Options) *image.Paletted {
	place := func(i int) (x, y float64) {
		return shelfCell * (0.5 + float64(i%shelfColumns)), shelfRow*float64(i/shelfColumns) + shelfTop
	}
	rows := (len(boards) + shelfColumns - 1) / shelfColumns
	full := r.fullPaper(o, shelfRow*float64(rows)+shelfTop, func(b *brush) {
		for i := range boards {
			x, y := place(i)
			b.write(boards[i].Title, spot{x, y + shelfTall + 24, shelfEm, 0.5, shelfCell - 16}, b.p.text)
		}
	})
	scale := float64(o.Width) / 1000
	for i := range boards {
		board := r.bareBoard(&boards[i].Scene, o, shelfWide, shelfTall)
		x, y := place(i)
		at := image.Pt(int(x*scale)-board.Rect.Dx()/2, int((y+shelfTall/2)*scale)-board.Rect.Dy()/2)
		draw.Draw(full, board.Rect.Add(at), board, image.Point{}, draw.Src)
	}
	pal := newPalette(r.paints[o.Theme].designed(), full, paletteSize)
	im := r.frame(full.Rect.Dx(), full.Rect.Dy(), pal)
	pal.indexed(im.Pix, full)
	return im
}
