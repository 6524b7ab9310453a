package render

import (
	"context"
	"fmt"
)

// Crosstable is a picture of the results of all players against each other. All its words are in the reader's language.
type Crosstable struct {
	Title  string // name of the competition, with the division if there are several
	Note   string // progress of the competition; shown next to the title
	Player string // heading of the names
	Points string // heading of the points
	Places string // heading of the places that are still possible; "" for no such column
	Rows   []CrosstableRow
}

// CrosstableRow is a player's line. Its cells are the results against the players of all lines, in the order of the
// lines. MostCrossed limits their number.
type CrosstableRow struct {
	StandingsRow
	Points string
	Places string
}

// MostCrossed is the maximum number of players of a crosstable.
const MostCrossed = 16

// Dimensions of a crosstable in thousandths of its width.
const (
	crossRow    = 62.0
	leastPoints = 76.0
	crossPlaces = 108.0
	crossCell   = 56.0 // maximum width of a cell
)

// CrosstablePNG paints a crosstable. It fails only if ctx ends before the painting begins, with ctx's error.
func (r *Renderer) CrosstablePNG(ctx context.Context, c Crosstable, o Options) ([]byte, error) {
	c.Rows = c.Rows[:min(len(c.Rows), MostCrossed)]
	high := sheetTitle + sheetHead + crossRow*float64(max(len(c.Rows), 1)) + sheetEnd
	return r.paper(ctx, o, high, func(b *brush) { b.crosstable(&c) })
}

func (b *brush) crosstable(c *Crosstable) {
	p := b.p
	b.titles(c.Title, c.Note)
	right := 1000.0 - sheetSide - 6
	places := right
	if c.Places != "" {
		right -= crossPlaces
	}
	points := right
	crossPoints := min(max(leastPoints, b.tf.width(clean(c.Points), headingSize)+14), crossPlaces)
	right -= crossPoints
	const left = 66.0 // left end of the names
	cell := min(crossCell, (right-left-210)/float64(max(len(c.Rows), 1)))
	first := right - cell*float64(len(c.Rows)) - 8
	middle := func(column int) float64 { return first + cell*(float64(column)+0.5) }
	b.headings([]heading{
		{c.Player, left, 0, first - left - 12}, {c.Points, points, 1, crossPoints - 8},
		{c.Places, places, 1, crossPlaces - 8},
	})
	for i := range c.Rows {
		n := fmt.Sprint(i + 1)
		b.write(n, spot{middle(i), sheetTitle + sheetHead/2, b.fitted(n, headingSize, cell-4), 0.5, cell - 3}, p.quiet)
	}
	for i, row := range c.Rows {
		top := sheetTitle + sheetHead + crossRow*float64(i)
		y := top + crossRow/2
		switch {
		case row.Own:
			b.DrawRoundedRectangle(sheetSide-6, top+2, 1000-2*sheetSide+12, crossRow-4, 12)
			b.paint(mix(p.plaque, p.gold, 0.22), p.gold, 3)
		case i%2 == 0:
			b.DrawRoundedRectangle(sheetSide-6, top+2, 1000-2*sheetSide+12, crossRow-4, 12)
			b.fill(mix(p.plaque, p.text, 0.07))
		}
		b.write(fmt.Sprint(row.Rank), spot{left - 12, y, 34, 1, left - sheetSide - 8}, p.quiet)
		b.name(row.Name, spot{left, y, 34, 0, first - left - 10}, p.text)
		for j, s := range row.Cells[:min(len(row.Cells), len(c.Rows))] {
			ink := p.text
			if i == j {
				b.DrawRectangle(middle(j)-cell/2+3, top+6, cell-6, crossRow-12)
				b.fill(mix(p.plaque, p.text, 0.22))
				continue
			}
			b.write(s, spot{middle(j), y, b.fitted(clean(s), 36, cell-4), 0.5, cell - 3}, ink)
		}
		b.write(row.Points, spot{points, y, b.fitted(row.Points, 36, crossPoints-8), 1, crossPoints - 7}, p.text)
		b.write(row.Places, spot{places, y, b.fitted(row.Places, 34, crossPlaces-10), 1, crossPlaces - 9}, p.quiet)
	}
}
