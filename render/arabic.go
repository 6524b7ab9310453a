package render

import "unicode"

// arabicForms has the number of forms of each letter from U+0621. In the Unicode block Arabic Presentation Forms-B the
// forms begin at U+FE80, in the order of the letters. The forms of a letter are isolated, final, initial and medial, as
// far as the letter has them. Characters with 0 have no forms.
var arabicForms = [...]rune{
	1, 2, 2, 2, 2, 4, 2, 4, 2, 4, 4, 4, 4, 4, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, // 0621-063A
	0, 0, 0, 0, 0, 0, // 063B-0640
	4, 4, 4, 4, 4, 4, 4, 2, 2, 4, // 0641-064A
}

// arabicShape returns the isolated form of r and the number of its forms, or 0 and 0 if r has none.
func arabicShape(r rune) (first, forms rune) {
	i := r - 0x621
	if i < 0 || int(i) >= len(arabicForms) || arabicForms[i] == 0 {
		return 0, 0
	}
	first = 0xfe80
	for _, n := range arabicForms[:i] {
		first += n
	}
	return first, arabicForms[i]
}

// joined replaces the letters in arabicForms by their contextual forms, which the fonts have as separate glyphs, and
// removes vowel marks. Letters of other joining scripts stay legible, but are not joined. A shaping library
// (go-text/typesetting) would add 2 MB to the program and parse the four fonts a second time.
func joined(s string) string {
	in := []rune(s)
	letters := in[:0:0]
	for _, r := range in {
		if !unicode.Is(unicode.Mn, r) { // leaves out vowel marks; a name is legible without them
			letters = append(letters, r)
		}
	}
	out := make([]rune, 0, len(letters))
	before := false // whether the previous letter joins this one
	for i := 0; i < len(letters); i++ {
		r := letters[i]
		first, forms := arabicShape(r)
		if forms == 0 {
			before = false
			out = append(out, r)
			continue
		}
		if r == 0x644 && i+1 < len(letters) { // lam and alef become one sign
			if lig, ok := map[rune]rune{0x622: 0xfef5, 0x623: 0xfef7, 0x625: 0xfef9, 0x627: 0xfefb}[letters[i+1]]; ok {
				if before {
					lig++
				}
				out = append(out, lig)
				before = false
				i++
				continue
			}
		}
		after := false
		if forms == 4 && i+1 < len(letters) {
			_, next := arabicShape(letters[i+1])
			after = next > 1
		}
		shape := first
		switch {
		case before && after:
			shape += 3
		case after:
			shape += 2
		case before && forms > 1:
			shape++
		}
		out = append(out, shape)
		before = after
	}
	return string(out)
}
