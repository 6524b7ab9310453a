package fair

import (
	"slices"
	"strings"
	"testing"
)

func TestInputsReadBack(t *testing.T) {
	texts := []string{"open 1", "computer 1", "join 22", "leave 333 3", "remove 4 2", "join 5", "leave - 6", "join 7",
		"start 7 1 0"}
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
	if in, err := ParseInput("start 7 lot"); err != nil || in.Seating != nil || in.String() != "start 7 lot" {
		t.Errorf("a start with the seats drawn by lot reads back as %q, %v", in, err)
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
		"open 1\nstart 1 lot\njoin 2":           "follows the start",
		"open 1\nstart 1":                       "words",
		"open 1\nstart 1 lot lot":               "no number",
		"open 1\nstart 1 1":                     "do not seat",
		"open 1\njoin 2\nstart 1 0 0":           "do not seat",
		"open 1\njoin 2\nstart 1 0 01":          "no number",
		"join ":                                 "words",
		"open 1\njoin 2\nremove 3 2\nleave 4 2": "nobody sits there",
	} {
		if _, err := ParseInputs(strings.Split(text, "\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Only decimal digits are accepted as a Discord id, and no other spelling of a number.
func TestIDs(t *testing.T) {
	for text, want := range map[string]bool{
		"1": true, "1297650035004182446": true, "18446744073709551615": true, "18446744073709551616": false, "0": false,
		"01": false, "": false,
		"-1": false, "+1": false, "1 ": false, "-": false, "١٢": false,
	} {
		if got := IsID(text); got != want {
			t.Errorf("IsID(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestPlayedReadsBack(t *testing.T) {
	if n, id, err := ParsePlayed(Played(4, "1297650149110220801")); err != nil || n != 4 ||
		id != "1297650149110220801" {
		t.Errorf("%d, %q, %v", n, id, err)
	}
	for _, bad := range []string{"", "4", "4 ", "0 7", "04 7", "4 07", "4 7 8", "x 7", " 4 7"} {
		if n, id, err := ParsePlayed(bad); err == nil {
			t.Errorf("ParsePlayed(%q) = %d, %q, want an error", bad, n, id)
		}
	}
}
