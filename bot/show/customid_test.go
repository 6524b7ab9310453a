package show

import "testing"

// A parsed custom_id is still the same after formatting and parsing it again. All its numbers are within their limits.
func FuzzParseCustomID(f *testing.F) {
	for _, s := range []string{"", "move/1/2/", "move/1/2/9-10", "step/k3/17/a/b/c", "at/1/-1/x",
		"at/1/99999999999999999999/x", "////", "at/1/007/", "at/1/n12/x", "move/k3/v17n4g2/9-10", "x/1/vn/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, ok := ParseCustomID(s)
		if !ok {
			return
		}
		if min(c.Version, c.Play, c.Page) < 0 || max(c.Version, c.Play, c.Page) > MaxNumber || !Fits(s) {
			t.Fatalf("%q is taken: %+v", s, c)
		}
		again, ok := ParseCustomID(c.String())
		if !ok || again != c {
			t.Fatalf("%q is %+v, but %q is %+v", s, c, c.String(), again)
		}
	})
}

// A well-formed custom_id is parsed, and a malformed one is refused.
func TestCustomIDs(t *testing.T) {
	for path, want := range map[string]CustomID{
		"at/k3/n12/x":       {Action: "at", Table: "k3", Play: 12, Arg: "x"},
		"do/k3/v17/a/b":     {Action: "do", Table: "k3", Version: 17, Arg: "a/b"},
		"leaders//g2/b||p|": {Action: "leaders", Page: 2, Arg: "b||p|"},
	} {
		if got, ok := ParseCustomID(path); !ok || got != want {
			t.Errorf("%q is read as %+v (%v), want %+v", path, got, ok, want)
		}
	}
	for _, path := range []string{"move/k3/v/x", "move/k3/vv1/x", "move/k3/v1x/x", "move/k3/v-1/x", "move/k3",
		"move/k3/17/9-10", "games//0/mine"} {
		if got, ok := ParseCustomID(path); ok {
			t.Errorf("%q is read as %+v", path, got)
		}
	}
}
