package render

import (
	"reflect"
	"slices"
	"testing"

	"marque/games/catalog"
	"marque/games/scene"
	"marque/games/text"
)

// The key of a board in the cache covers each field of its scene, except those that the picture does not show, and the
// language of its words.
func TestTheKeyOfAPictureCoversItsScene(t *testing.T) {
	hidden := []string{"Spots", "Hand", "HandAlt", "Alt", "Text", "Legend"}
	r := sharedRenderer(t)
	covered := map[string]bool{}
	for _, g := range catalog.Games {
		_, most := g.Seats()
		for _, s := range play(t, g, most) {
			o := r.normal(Options{Say: func(m text.Message) string { return m.ID }})
			key := pictureKey('b', &s, &o)
			for i := range reflect.TypeFor[scene.Scene]().NumField() {
				name, less := reflect.TypeFor[scene.Scene]().Field(i).Name, s
				field := reflect.ValueOf(&less).Elem().Field(i)
				if field.IsZero() || slices.Contains(hidden, name) {
					continue
				}
				covered[name] = true
				field.SetZero()
				if pictureKey('b', &less, &o) == key {
					t.Fatalf("%s: the same key without %s", g.Key(), name)
				}
			}
			other := r.normal(Options{Say: func(m text.Message) string { return "other " + m.ID }})
			if worded := !s.Won.IsZero() || len(s.Status) > 0; worded && pictureKey('b', &s, &other) == key {
				t.Fatalf("%s: the same key in another language: %v, %v", g.Key(), s.Won, s.Status)
			}
		}
	}
	for i := range reflect.TypeFor[scene.Scene]().NumField() {
		if name := reflect.TypeFor[scene.Scene]().Field(i).Name; !covered[name] && !slices.Contains(hidden, name) {
			t.Errorf("no scene has a %s", name)
		}
	}
}
