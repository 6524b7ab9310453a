package show_test

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"marque/bot/show"
)

// Clip and ClipWords cut a text to a limit in UTF-16 units, which Discord counts, and never split a code point. They do
// not change a text within the limit.
func TestTextsFitAsDiscordCounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "text"), rapid.IntRange(1, 40).Draw(t, "room")
		for name, clip := range map[string]func(string, int) string{"Clip": show.Clip, "ClipWords": show.ClipWords} {
			got := clip(s, n)
			if units := len(utf16.Encode([]rune(got))); units > n || !utf8.ValidString(got) {
				t.Errorf("%s(%q, %d) is %q, of %d units", name, s, n, got, units)
			}
			if len(utf16.Encode([]rune(s))) <= n && got != s {
				t.Errorf("%s(%q, %d) is %q, though it fits", name, s, n, got)
			}
		}
	})
	if name := strings.Repeat("🏴‍☠️", 60); show.Length(show.Clip(name, show.MaxThreadName)) > show.MaxThreadName {
		t.Errorf("a thread's name of flags has %d units, want at most %d", show.Length(show.Clip(name, show.MaxThreadName)),
			show.MaxThreadName)
	}
}
