package main

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"testing"

	"marque/games/catalog"
	"marque/render"
)

// If MARQUE_BOARDS names a file, a picture with a board of each game is written to it. docs/boards.png is made this
// way.
func TestBoardOfEachGame(t *testing.T) {
	path := os.Getenv("MARQUE_BOARDS")
	if path == "" {
		t.Skip("MARQUE_BOARDS names no file: no picture was made")
	}
	const columns, wide, high = 3, 396, 516 // number of columns, and size of a cell in pixels
	c := boardsCommand{Seed: 7, Language: "en"}
	speaker, err := c.speaker()
	if err != nil {
		t.Fatal(err)
	}
	renderer, err := render.New(render.UsualWidth)
	if err != nil {
		t.Fatal(err)
	}
	rows := (len(catalog.Games) + columns - 1) / columns
	all := image.NewRGBA(image.Rect(0, 0, columns*wide, rows*high))
	draw.Draw(all, all.Rect, image.NewUniform(color.RGBA{0x1e, 0x1f, 0x22, 0xff}), image.Point{}, draw.Src)
	for i, g := range catalog.Games {
		list, err := c.positions(g, speaker.Say)
		if err != nil {
			t.Fatal(err)
		}
		board := list[1] // from the middle of the game
		o := render.Options{Width: wide - 20, Names: board.Players, Title: board.Title, Say: speaker.Say}
		var im image.Image
		for fits := false; !fits; o.Width -= 2 {
			data, err := renderer.PNG(t.Context(), board.Scene, o)
			if err != nil {
				t.Fatal(err)
			}
			if im, err = png.Decode(bytes.NewReader(data)); err != nil {
				t.Fatal(err)
			}
			fits = im.Bounds().Dy() <= high-20
		}
		size := im.Bounds().Size()
		at := image.Pt(i%columns*wide+(wide-size.X)/2, i/columns*high+(high-size.Y)/2)
		draw.Draw(all, image.Rectangle{Min: at, Max: at.Add(size)}, im, image.Point{}, draw.Src)
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, all); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
