package render

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// The typefaces, in the order of lookup. The first is the usual one. The others add scripts (Greek, Cyrillic, Hebrew,
// Arabic and symbols; Chinese and Japanese; Korean), because a player's name can be in any script. Their licences are
// in render/font.
var (
	//go:embed font/AveriaSerifGWF-Bold.ttf
	averia []byte
	//go:embed font/DejaVuSans-Bold.ttf
	dejavu []byte
	//go:embed font/DroidSansFallbackFull.ttf
	droid []byte
	//go:embed font/NanumSquareB.ttf
	nanum []byte
)

// typeface is a chain of fonts. Text is drawn as outlines, so one parsed font serves all sizes and goroutines.
type typeface struct {
	fonts  []*sfnt.Font
	widths *cache[string, float64] // cached widths of lines for an em of 1, because every picture measures names
}

func newTypeface() (*typeface, error) {
	tf := &typeface{widths: newCache(widthBytes, func(s string, _ float64) int { return len(s) + 150 })}
	for _, data := range [][]byte{averia, dejavu, droid, nanum} {
		f, err := sfnt.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("render: embedded font: %w", err)
		}
		tf.fonts = append(tf.fonts, f)
	}
	return tf, nil
}

// glyph is a glyph with its place on a line that starts at 0.
type glyph struct {
	font  *sfnt.Font
	index sfnt.GlyphIndex
	x, y  float64
}

// glyphUnits is the size of loaded outlines, which are then scaled.
const glyphUnits = 64

// find returns the first font that has r. Characters that no font has are left out, not shown as boxes. So are control
// characters, joiners and other format characters, and variation selectors.
func (tf *typeface) find(buf *sfnt.Buffer, r rune) (*sfnt.Font, sfnt.GlyphIndex, bool) {
	if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
		return nil, 0, false
	}
	for _, f := range tf.fonts {
		if i, err := f.GlyphIndex(buf, r); err == nil && i != 0 {
			return f, i, true
		}
	}
	return nil, 0, false
}

// layout places the glyphs of s next to each other at the height em, in any unit, and returns them with the width of
// the line. It puts right-to-left text into visual order.
func (tf *typeface) layout(s string, em float64) ([]glyph, float64) {
	var buf sfnt.Buffer
	scale := em / glyphUnits
	out := make([]glyph, 0, len(s))
	x := 0.0
	var last *sfnt.Font
	var lastIndex sfnt.GlyphIndex
	for _, r := range visual(s) {
		f, i, ok := tf.find(&buf, r)
		if !ok {
			continue
		}
		if f == last {
			if k, err := f.Kern(&buf, lastIndex, i, fixed.I(glyphUnits), font.HintingNone); err == nil {
				x += float64(k) / 64 * scale
			}
		}
		out = append(out, glyph{font: f, index: i, x: x})
		if a, err := f.GlyphAdvance(&buf, i, fixed.I(glyphUnits), font.HintingNone); err == nil {
			x += float64(a) / 64 * scale
		}
		last, lastIndex = f, i
	}
	return out, x
}

// width returns the width of s at the given height.
func (tf *typeface) width(s string, em float64) float64 {
	w, ok := tf.widths.get(s)
	if !ok {
		_, w = tf.layout(s, 1)
		tf.widths.put(s, w)
	}
	return w * em
}

// fit shortens s with an ellipsis until its width is at most max.
func (tf *typeface) fit(s string, em, max float64) string {
	if tf.width(s, em) <= max {
		return s
	}
	runes := []rune(s)
	low, high := 0, len(runes)
	for low < high { // find the longest prefix that fits with the ellipsis
		mid := (low + high + 1) / 2
		if tf.width(shorten(runes[:mid]), em) <= max {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return shorten(runes[:low])
}

// fold breaks s into lines of at most max, between words if possible. It reports whether it broke a word.
func (tf *typeface) fold(s string, em, max float64) (lines []string, broken bool) {
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && tf.width(line+" "+word, em) <= max {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		line = word
		if tf.width(word, em) <= max {
			continue
		}
		line, broken = "", true
		for _, r := range word {
			if line != "" && !unicode.In(r, unicode.Mn, unicode.Cf) && tf.width(line+string(r), em) > max {
				lines, line = append(lines, line), ""
			}
			line += string(r)
		}
	}
	return append(lines, line), broken
}

func shorten(r []rune) string { return strings.TrimRightFunc(string(r), unicode.IsSpace) + "…" }

// longestLine is the maximum number of characters of a line of text. There is a limit because names can be long and
// consist of characters that no font has.
const longestLine = 120

// clean makes s a single line of at most longestLine composed characters.
func clean(s string) string {
	s = norm.NFC.String(strings.ToValidUTF8(s, ""))
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > longestLine {
		s = string(r[:longestLine])
	}
	return s
}

// readable reports whether the fonts can show at least one character of s.
func (tf *typeface) readable(s string) bool {
	var buf sfnt.Buffer
	for _, r := range s {
		if unicode.IsSpace(r) {
			continue
		}
		if _, _, ok := tf.find(&buf, r); ok {
			return true
		}
	}
	return false
}

// visual puts right-to-left text into visual order and replaces Arabic letters by their contextual forms.
func visual(s string) string {
	rtl := false
	for _, r := range s {
		if r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfefc {
			rtl = true
			break
		}
	}
	if !rtl {
		return s
	}
	var p bidi.Paragraph
	if _, err := p.SetString(joined(s)); err != nil {
		return s
	}
	order, err := p.Order()
	if err != nil {
		return s
	}
	var out strings.Builder
	for i := range order.NumRuns() {
		run := order.Run(i)
		if run.Direction() == bidi.RightToLeft {
			out.WriteString(bidi.ReverseString(run.String()))
		} else {
			out.WriteString(run.String())
		}
	}
	return out.String()
}

// wrap breaks s between words into lines of at most the given width. It cuts a word that is wider.
func (tf *typeface) wrap(s string, em, width float64) []string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(s) {
		w = tf.fit(w, em, width)
		if line != "" && tf.width(line+" "+w, em) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+w, " ")
	}
	return append(lines, line)
}
