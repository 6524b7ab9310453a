package render

import "unicode"

// arabicForms is the number of shapes of each letter from U+0621 in the Unicode block Arabic Presentation Forms-B. The
// block begins with these shapes at U+FE80. The shapes of a letter have this order: alone, at the end, at the
// beginning, in the middle. 0 means: not a joining letter.
var arabicForms = [...]rune{
	1, 2, 2, 2, 2, 4, 2, 4, 2, 4, 4, 4, 4, 4, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, // 0621-063A
	0, 0, 0, 0, 0, 0, // 063B-0640
	4, 4, 4, 4, 4, 4, 4, 2, 2, 4, // 0641-064A
}

// arabicShape returns the lone shape of r and how many shapes r has.
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

// joined replaces Arabic letters by the shapes that they have beside their neighbours. The fonts have these shapes as
// signs of their own. Arabic is the only joining script in the fonts, so names need no other shaping. A shaping library
// (go-text/typesetting) would make a program 2 MB larger, and would parse the four fonts a second time, for the same
// shapes.
func joined(s string) string {
	in := []rune(s)
	letters := in[:0:0]
	for _, r := range in {
		if !unicode.Is(unicode.Mn, r) { // marks for vowels stand over letters; a name can be read without them
			letters = append(letters, r)
		}
	}
	out := make([]rune, 0, len(letters))
	before := false // whether the previous letter joins the present one
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
