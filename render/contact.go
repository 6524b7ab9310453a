package render

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"

	"github.com/fogleman/gg"

	"marque/games/scene"
	"marque/games/text"
)

// Named is a scene with its players and a name for its files.
type Named struct {
	Name    string
	Scene   scene.Scene
	Players []text.Name
	Title   string
}

const (
	contactColumns = 4
	contactWidth   = 400 // width of a picture on a contact sheet, as in Discord on a phone
	contactGap     = 24
	contactTitle   = 40
)

// Contact paints every scene in every theme into the existing directory dir. It writes NAME-THEME.png and, if there are
// cards in hand, NAME-hand-THEME.png. For each theme it also writes contact-THEME.png, which shows all scenes at the
// size of a phone. It returns the paths of the files. It uses only Say and Width of o. Errors come from ctx and from
// writing the files.
func (r *Renderer) Contact(ctx context.Context, dir string, scenes []Named, o Options) ([]string, error) {
	var paths []string
	write := func(name string, b []byte) error {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			return fmt.Errorf("render: contact sheet: %w", err)
		}
		paths = append(paths, path)
		return nil
	}
	for _, theme := range Themes() {
		o := Options{Width: o.Width, Say: o.Say, Theme: theme}
		for _, n := range scenes {
			o.Names, o.Title = n.Players, n.Title
			b, err := r.PNG(ctx, n.Scene, o)
			if err != nil {
				return paths, err
			}
			if err := write(n.Name+"-"+theme.String()+".png", b); err != nil {
				return paths, err
			}
			if len(n.Scene.Hand) == 0 {
				continue
			}
			if b, err = r.HandPNG(ctx, n.Scene, o); err != nil {
				return paths, err
			}
			if err := write(n.Name+"-hand-"+theme.String()+".png", b); err != nil {
				return paths, err
			}
		}
		sheet, err := r.sheet(ctx, scenes, o)
		if err != nil {
			return paths, err
		}
		path := filepath.Join(dir, "contact-"+theme.String()+".png")
		f, err := os.Create(path)
		if err == nil {
			err = png.Encode(f, sheet)
			if e := f.Close(); err == nil {
				err = e
			}
		}
		if err != nil {
			return paths, fmt.Errorf("render: contact sheet: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// sheet arranges small pictures of all scenes in rows.
func (r *Renderer) sheet(ctx context.Context, scenes []Named, o Options) (image.Image, error) {
	o.Width = contactWidth
	var pictures []*image.Paletted
	var heights []int // heights of the rows
	for i, n := range scenes {
		o.Names, o.Title = n.Players, n.Title
		im, err := r.Draw(ctx, n.Scene, o)
		if err != nil {
			return nil, err
		}
		pictures = append(pictures, im)
		if i%contactColumns == 0 {
			heights = append(heights, 0)
		}
		row := len(heights) - 1
		heights[row] = max(heights[row], im.Rect.Dy())
	}
	high := contactGap
	for _, h := range heights {
		high += h + contactTitle + contactGap
	}
	p := r.paints[o.Theme]
	dc := gg.NewContext(contactColumns*(contactWidth+contactGap)+contactGap, high)
	b := &brush{Context: dc, k: 1, p: p, tf: r.tf}
	dc.SetColor(p.canvas)
	dc.Clear()
	ink := r.composer(o, 1).onCanvas()
	y := contactGap
	for i, im := range pictures {
		x := contactGap + i%contactColumns*(contactWidth+contactGap)
		if i > 0 && i%contactColumns == 0 {
			y += heights[i/contactColumns-1] + contactTitle + contactGap
		}
		b.text(r.tf.fit(scenes[i].Name, 22, contactWidth), float64(x)+contactWidth/2, float64(y)+contactTitle/2, 22,
			ink)
		at := image.Rect(x, y+contactTitle, x+contactWidth, y+contactTitle+im.Rect.Dy())
		draw.Draw(dc.Image().(*image.RGBA), at, im, image.Point{}, draw.Src)
	}
	return dc.Image(), nil
}
