package render

import "strconv"

// paintBadge paints a small disc with a number.
func paintBadge(b *brush, s string, x, y, r float64) {
	b.DrawCircle(x, y, r)
	b.paint(b.p.parchment, b.p.ink, 3)
	b.text(s, x, y, b.fitted(s, r*1.45, r*1.6), b.p.ink)
}

// short writes n, which must not be negative, in at most four characters.
func short(n int) string {
	switch {
	case n <= -1_000_000 || n >= 1_000_000_000:
		return "∞"
	case n >= 1_000_000:
		return strconv.Itoa(n/1_000_000) + "M"
	case n >= 10_000:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.Itoa(n)
}
