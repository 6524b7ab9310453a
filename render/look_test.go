package render

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"marque/games/scene"
)

// TestEveryThemePaintsEverySample decodes a picture of every sample in every theme. With MARQUE_LOOK set to a directory
// it writes the pictures there.
func TestEveryThemePaintsEverySample(t *testing.T) {
	r, err := New(UsualWidth)
	if err != nil {
		t.Fatal(err)
	}
	dir, list := os.Getenv("MARQUE_LOOK"), samples()
	if dir != "" { // only to look at: other tests check positions of games
		list = append(positions(t), list...)
	}
	for _, th := range Themes() {
		o := Options{Theme: th, Names: sampleNames, Title: "Sample · #12", Caption: "play 17"}
		for _, p := range list {
			name, s := p.name, p.scene
			for kind, paint := range map[string]func(context.Context, scene.Scene, Options) ([]byte,
				error){"board": r.PNG, "hand": r.HandPNG} {
				if kind == "hand" && len(s.Hand) == 0 {
					continue
				}
				b, err := paint(context.Background(), s, o)
				if err != nil {
					t.Fatalf("%s %s %s: %v", name, kind, th, err)
				}
				im, err := png.Decode(bytes.NewReader(b))
				if err != nil {
					t.Fatalf("%s %s %s: %v", name, kind, th, err)
				}
				if w := im.Bounds().Dx(); w != UsualWidth {
					t.Errorf("%s %s %s: %d pixels wide, want %d", name, kind, th, w, UsualWidth)
				}
				t.Logf("%s %s %s: %v, %d bytes", name, kind, th, im.Bounds().Max, len(b))
				if dir != "" {
					if err := os.WriteFile(filepath.Join(dir, name+"-"+kind+"-"+th.String()+".png"), b,
						0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

func samples() []position {
	return []position{{"deck", deckScene()}, {"sea", seaScene()}, {"triangle", triangleScene()},
		{"table", tableScene()}}
}
