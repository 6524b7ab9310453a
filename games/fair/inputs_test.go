package fair

import (
	"slices"
	"strings"
	"testing"
)

func TestInputsReadBack(t *testing.T) {
	texts := []string{"open 1", "computer 1", "join 22", "leave 333 3", "remove 4 2", "join 5", "leave - 6", "join 7", "start 7"}
	list, err := ParseInputs(texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, in := range list {
		if in.String() != texts[i] {
			t.Errorf("%q reads back as %q", texts[i], in)
		}
	}
	for n, want := range [][]int{{}, {1}, {1, 2}, {1, 2, 3}, {1, 2}, {1}, {1, 6}, {1}, {1, 8}, {1, 8}} {
		if got := Seated(list[:n]); !slices.Equal(got, want) {
			t.Errorf("after %d inputs %v are seated, want %v", n, got, want)
		}
	}
	if got := (Input{Kind: Leaves, Of: 2}).String(); got != "leave - 2" {
		t.Errorf("a leave without an interaction is %q", got)
	}
}

func TestInputsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "is none of",
		"open":                                  "words",
		"open 1 2":                              "words",
		"open  1":                               "words",
		"sneak 1":                               "is none of",
		"join 1":                                "the first opens",
		"open 1\nopen 2":                        "only the first",
		"open 1\nleave 2":                       "words",
		"open 1\nleave 2 x":                     "number",
		"open 1\nleave 2 01":                    "number",
		"open 1\nleave 2 2":                     "nobody sits there",
		"open 1\nleave 2 1\nstart":              "words",
		"open 1\nstart 1\njoin 2":               "follows the start",
		"open 1\njoin 2\nremove 3 2\nleave 4 2": "nobody sits there",
	} {
		if _, err := ParseInputs(strings.Split(text, "\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
