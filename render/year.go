package render

import (
	"context"
	"fmt"
)

// Year is a player's year with its games and results. All its words are in the reader's language.
type Year struct {
	Title  string      // name of the player
	Note   string      // the year
	Counts []YearCount // shown next to each other
	Months []YearMonth // months in their order
	Below  string      // label of the axis of months
	Rows   []YearRow
}

// YearCount is a number with the name of the counted things.
type YearCount struct {
	Label string
	Count int
}

// YearMonth holds the numbers of games finished and won in a month.
type YearMonth struct {
	Label      string // short name of the month
	Games, Won int
}

// YearRow is a memorable event or number of the year, with a heading.
type YearRow struct{ Head, Text string }

// Dimensions of a year in thousandths of its width.
const (
	yearCounts = 138.0 // middle of the numbers
	yearLabels = 192.0
	yearTop    = 276.0 // top of the highest bar
	yearBottom = 440.0
	yearLeft   = 60.0
	yearRight  = 940.0
	yearRows   = 540.0 // start of the rows
	yearText   = 350.0 // left end of the rows' texts
)

func (y *Year) high() float64 { return yearRows + sheetRow*float64(len(y.Rows)) + sheetEnd }

// YearPNG paints a year. It fails only if ctx ends before the painting begins, with ctx's error.
func (r *Renderer) YearPNG(ctx context.Context, y Year, o Options) ([]byte, error) {
	return r.paper(ctx, o, y.high(), func(b *brush) { b.year(&y) })
}

func (b *brush) year(y *Year) {
	p := b.p
	note := b.write(y.Note, spot{1000 - sheetSide - 8, 52, 46, 1, 300}, p.quiet)
	b.write(y.Title, spot{sheetSide + 12, 52, 46, 0, 1000 - 2*sheetSide - 60 - note}, p.text)
	for i, c := range y.Counts {
		wide := (yearRight - yearLeft) / float64(len(y.Counts))
		mid, s := yearLeft+wide*(float64(i)+0.5), fmt.Sprint(c.Count)
		b.write(s, spot{mid, yearCounts, b.fitted(s, 70, wide-20), 0.5, wide}, p.text)
		b.write(c.Label, spot{mid, yearLabels, b.fitted(c.Label, 32, wide-20), 0.5, wide}, p.quiet)
	}
	most := 1
	for _, m := range y.Months {
		most = max(most, m.Games)
	}
	for i, m := range y.Months {
		step := (yearRight - yearLeft) / float64(len(y.Months))
		left, wide := yearLeft+step*float64(i)+9, step-18
		for _, bar := range []struct {
			games int
			won   bool
		}{{m.Games, false}, {m.Won, true}} {
			if bar.games == 0 {
				continue
			}
			high := (yearBottom - yearTop) * float64(bar.games) / float64(most)
			b.DrawRectangle(left, yearBottom-high, wide, high)
			if bar.won {
				b.paint(p.gold, p.ink, 3)
			} else {
				b.paint(mix(p.plaque, p.text, 0.25), p.ink, 3)
			}
		}
		if m.Games > 0 {
			high := (yearBottom - yearTop) * float64(m.Games) / float64(most)
			b.write(fmt.Sprint(m.Games), spot{left + wide/2, yearBottom - high - 20, 30, 0.5, step}, p.text)
		}
		b.write(m.Label, spot{left + wide/2, yearBottom + 26, b.fitted(m.Label, 30, step), 0.5, step + 1}, p.quiet)
	}
	// The line is drawn after the bars, because their outlines would cover it.
	b.DrawLine(yearLeft, yearBottom, yearRight, yearBottom)
	b.stroke(mix(p.plaque, p.text, 0.25), 3)
	below := b.fitted(y.Below, 30, yearRight-yearLeft)
	b.write(y.Below, spot{(yearLeft + yearRight) / 2, yearBottom + 68, below, 0.5, yearRight - yearLeft + 1}, p.quiet)
	for i, row := range y.Rows {
		top := yearRows + sheetRow*float64(i)
		if i%2 == 0 {
			b.DrawRoundedRectangle(sheetSide-6, top+3, 1000-2*sheetSide+12, sheetRow-6, 12)
			b.fill(mix(p.plaque, p.text, 0.07))
		}
		room := yearText - sheetSide - 30
		b.write(row.Head, spot{sheetSide + 12, top + sheetRow/2, b.fitted(row.Head, 32, room), 0, room + 1}, p.quiet)
		b.write(row.Text, spot{yearText, top + sheetRow/2, b.fitted(row.Text, 36, 970-yearText), 0, 971 - yearText},
			p.text)
	}
}
