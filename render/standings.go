package render

import (
	"context"
)

// Standings are a competition's table as a picture. All its words are in the reader's language.
type Standings struct {
	Title string   // name of the competition, with the division if there are several
	Note  string   // progress of the competition; shown next to the title
	Heads []string // headings of the names and of at most MostColumns columns after them
	Rows  []StandingsRow
	Empty string // shown when there are no rows
}

// StandingsRow is a player's line.
type StandingsRow struct {
	Rank  int // 0 for a player who is out
	Name  string
	Seed  string   // determines the avatar's colour; constant for a player whatever their name
	Cells []string // values of the columns
	Own   bool     // whether this is the reader's line
}

// MostColumns is the maximum number of columns after the names.
const MostColumns = 6

// The width of a column in thousandths of the picture's width is columnCell with up to wideColumns columns, and
// narrowCell with more.
const (
	columnCell  = 104.0
	narrowCell  = 88.0
	wideColumns = 5
)

// StandingsPNG paints standings. It fails only if ctx ends before the painting begins, with ctx's error.
func (r *Renderer) StandingsPNG(ctx context.Context, s Standings, o Options) ([]byte, error) {
	return r.paper(ctx, o, sheetTitle+sheetHead+sheetRow*float64(max(len(s.Rows), 1))+sheetEnd,
		func(b *brush) { b.standings(&s) })
}

func (b *brush) standings(s *Standings) {
	p := b.p
	b.titles(s.Title, s.Note)
	columns := min(max(len(s.Heads)-1, 0), MostColumns)
	columnCell := columnCell
	if columns > wideColumns {
		columnCell = narrowCell
	}
	right := func(column int) float64 { return columnStreak - columnCell*float64(columns-1-column) }
	names := right(-1) - columnName - 16
	var heads []heading
	for i, head := range s.Heads[:min(len(s.Heads), columns+1)] {
		h := heading{head, columnName, 0, names}
		if i > 0 {
			h = heading{head, right(i - 1), 1, columnCell - 10}
		}
		heads = append(heads, h)
	}
	b.headings(heads)
	top := sheetTitle + sheetHead
	if len(s.Rows) == 0 {
		b.write(s.Empty, spot{500, top + sheetRow/2, b.fitted(s.Empty, 34, 940), 0.5, 941}, p.text)
	}
	for i, row := range s.Rows {
		line := SheetRow{Rank: row.Rank, Name: row.Name, Seed: row.Seed, Own: row.Own}
		y := top + sheetRow*(float64(i)+0.5)
		b.line(&line, y, i%2 == 0, names)
		ink := p.text
		if row.Rank == 0 {
			ink = p.quiet
		}
		for n, cell := range row.Cells[:min(len(row.Cells), columns)] {
			b.write(cell, spot{right(n), y, b.fitted(clean(cell), 36, columnCell-12), 1, columnCell - 11}, ink)
		}
	}
}
