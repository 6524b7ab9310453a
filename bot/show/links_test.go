package show

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// The note about a table's messages is parsed back unchanged, even one of an earlier version. A note that would be too
// long keeps the latest sentences and the number of omitted ones.
func TestPosted(t *testing.T) {
	t.Parallel()
	for note, want := range map[string]Posted{
		"":        {},
		"123":     {Board: "123"},
		"123 456": {Board: "123", Reminder: "456"},
	} {
		if got := ParsePosted(note); !reflect.DeepEqual(got, want) {
			t.Errorf("the note %q is read as %+v, want %+v", note, got, want)
		}
		if got := want.String(); got != note {
			t.Errorf("%+v is noted as %q, want %q", want, got, note)
		}
	}
	whole := Posted{Board: "123", Reminder: "456", Channel: "789", Begins: true, Earlier: 3,
		Lines: []Line{{"<@1> \"sails\"\nto **B2**.", true}, {"Jack left.", false}}}
	if got := ParsePosted(whole.String()); !reflect.DeepEqual(got, whole) {
		t.Errorf("%+v came back as %+v", whole, got)
	}
	if first, _, _ := strings.Cut(whole.String(), "\n"); strings.Contains(first, "<@") {
		t.Errorf("the first line of a note names somebody: %s", first)
	}
	long := Posted{Board: "123"}
	for i := range 200 {
		long.Lines = append(long.Lines, Line{fmt.Sprintf("Sentence %d, %s", i, strings.Repeat("é", 40)), true})
	}
	got := ParsePosted(long.String())
	n := len(got.Lines)
	if len(long.String()) > 4096 || n == 0 || got.Earlier != 200-n || !reflect.DeepEqual(got.Lines,
		long.Lines[200-n:]) {
		t.Errorf("of 200 sentences %d are noted in %d bytes, %d said to be left out", n, len(long.String()),
			got.Earlier)
	}
}
