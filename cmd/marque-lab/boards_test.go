package main

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marque/games/catalog"
	"marque/render"
)

// Boards are painted for every game in every theme, into a new folder.
func TestBoardsPaintsEveryGameInEveryTheme(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "boards")
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"boards", "--out", dir, "--width", "120"},
		streams{strings.NewReader(""), &out, &errs}); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	names := []string{"contact"}
	for _, g := range catalog.Games {
		for _, when := range []string{"opening", "middle", "end"} {
			names = append(names, g.Key()+"-"+when)
		}
	}
	for _, theme := range render.Themes() {
		for _, n := range names {
			path := filepath.Join(dir, n+"-"+theme.String()+".png")
			b, err := os.ReadFile(path)
			if err != nil {
				t.Error(err)
				continue
			}
			im, err := png.Decode(bytes.NewReader(b))
			if err != nil {
				t.Errorf("%s: %v", path, err)
			} else if w := im.Bounds().Dx(); n != "contact" && w != 120 {
				t.Errorf("%s is %d pixels wide, want 120", path, w)
			}
		}
	}
}

// A width that cannot be painted is refused with an error that gives the possible widths.
func TestBoardsRefusesAWidthItCannotPaint(t *testing.T) {
	var out, errs bytes.Buffer
	code := run(context.Background(), []string{"boards", "--out", t.TempDir(), "--width", "50"},
		streams{strings.NewReader(""), &out, &errs})
	if want := "marque-lab: --width is 50; it can be from 100 to 2000\n"; code != 1 || errs.String() != want {
		t.Errorf("exit code %d, %q; want 1, %q", code, errs.String(), want)
	}
}
