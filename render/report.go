package render

import (
	"context"
	"fmt"
	"image/color"

	"marque/games/scene"
)

// Report is the course of a game: the players' chances after each play, and a line for each player. All its words are
// in the reader's language.
type Report struct {
	Title string // name of the game and number of the table
	Note  string // what the report is about; shown next to the title
	Heads ReportHeads
	Rows  []ReportRow // in the order of seats; at least two
	Plays int         // number of plays without a deal before the first move; the axis of the chart ends there
	Count int         // label at the end of the axis: the number of turns
	Turns []int       // indexes of the plays counted in Plays that were turning points, in ascending order
	Below string      // label of the axis
	// Parts are 0, 50 and 100 percent, as the language writes them.
	Parts [3]string
}

// ReportHeads are the headings of the columns. A column with an empty heading is omitted.
type ReportHeads struct{ Accuracy, Luck string }

// ReportRow is a player's line.
type ReportRow struct {
	Name     string
	Color    scene.Color
	Winner   bool
	Accuracy string // "–" if it is not known
	Luck     string
	Chances  []ChancePoint // chances in ascending order of plays
}

// ChancePoint is a chance of winning, from 0 to 1, after a number of plays, counted as in Report.Plays.
type ChancePoint struct {
	Plays int
	Of    float64
}

// Dimensions of a report in thousandths of its width.
const (
	reportTop    = 100.0 // top of the chart
	reportBottom = 430.0
	reportLeft   = 108.0
	reportRight  = 975.0
	reportHead   = 528.0 // middle of the headings
	reportRows   = 556.0 // start of the rows
	reportLast   = 965.0 // right end of the last column
	reportScore  = 740.0 // right end of the accuracies if there is a column of luck
	reportSmall  = 31.0  // height of the smallest letters, which are legible if the report is 300 pixels wide
	reportSign   = 18.0  // radius of the players' signs in the chart
)

// score returns the right end of the column of accuracies.
func (rep *Report) score() float64 {
	if rep.Heads.Luck == "" {
		return reportLast
	}
	return reportScore
}

func (rep *Report) high() float64 { return reportRows + sheetRow*float64(len(rep.Rows)) + sheetEnd }

// ReportPNG paints a report. It fails only if ctx ends before the painting begins, with ctx's error.
func (r *Renderer) ReportPNG(ctx context.Context, rep Report, o Options) ([]byte, error) {
	return r.paper(ctx, o, rep.high(), func(b *brush) { b.report(&rep) })
}

func (b *brush) report(rep *Report) {
	p := b.p
	note := b.write(rep.Note, spot{1000 - sheetSide - 8, 52, 34, 1, 520}, p.quiet)
	b.write(rep.Title, spot{sheetSide + 12, 50, 46, 0, 1000 - 2*sheetSide - 50 - note}, p.text)
	x := func(plays int) float64 {
		return reportLeft + float64(plays)/float64(max(rep.Plays, 1))*(reportRight-reportLeft)
	}
	y := func(chance float64) float64 { return reportBottom - chance*(reportBottom-reportTop) }
	if len(rep.Rows) == 2 {
		b.sides(rep, x, y)
	}
	for i, part := range rep.Parts {
		at := y(float64(i) / 2)
		b.DrawLine(reportLeft, at, reportRight, at)
		b.stroke(mix(p.plaque, p.text, 0.25), 2)
		b.write(part, spot{reportLeft - 10, at, reportSmall, 1, 90}, p.quiet)
	}
	for _, turn := range rep.Turns {
		b.SetDash(7, 7)
		b.DrawLine(x(turn+1), reportTop, x(turn+1), reportBottom)
		b.stroke(p.text, 3)
		b.SetDash()
	}
	if len(rep.Rows) > 2 {
		for _, row := range rep.Rows {
			b.chances(row.Chances, x, y, p.of(row.Color), 5)
		}
		for i, row := range rep.Rows { // the players' signs are at different places, so that they rarely overlap
			if n := len(row.Chances); n > 0 {
				first, last := row.Chances[0].Plays, row.Chances[n-1].Plays
				plays := first + (last-first)*(2*i+1)/(2*len(rep.Rows))
				b.player(row.Color, x(plays), y(chanceAt(row.Chances, plays)), reportSign)
			}
		}
	}
	b.write("0", spot{reportLeft, reportBottom + 28, reportSmall, 0.5, 80}, p.quiet)
	b.write(fmt.Sprint(rep.Count), spot{reportRight, reportBottom + 28, reportSmall, 1, 120}, p.quiet)
	below := b.fitted(rep.Below, reportSmall, 600)
	b.write(rep.Below, spot{(reportLeft + reportRight) / 2, reportBottom + 28, below, 0.5, 601}, p.quiet)
	b.write(rep.Heads.Accuracy, spot{rep.score(), reportHead, b.fitted(rep.Heads.Accuracy, reportSmall, 210), 1, 211},
		p.quiet)
	b.write(rep.Heads.Luck, spot{reportLast, reportHead, b.fitted(rep.Heads.Luck, reportSmall, 200), 1, 201}, p.quiet)
	for i, row := range rep.Rows {
		b.reportRow(rep, row, reportRows+sheetRow*float64(i), i%2 == 0)
	}
}

// sides fills the chart of a game of two: the area below the line in the first player's colour, the area above it in
// the second's.
func (b *brush) sides(rep *Report, x func(int) float64, y func(float64) float64) {
	first, second := b.p.of(rep.Rows[0].Color), b.p.of(rep.Rows[1].Color)
	line := together(rep.Rows[0].Chances, rep.Rows[1].Chances)
	b.DrawRectangle(reportLeft, reportTop, reportRight-reportLeft, reportBottom-reportTop)
	b.fill(mix(b.p.plaque, second, 0.55))
	if len(line) == 0 {
		return
	}
	b.NewSubPath()
	b.LineTo(reportLeft, reportBottom)
	b.LineTo(reportLeft, y(line[0].Of))
	for _, c := range line {
		b.LineTo(x(c.Plays), y(c.Of))
	}
	b.LineTo(reportRight, y(line[len(line)-1].Of))
	b.LineTo(reportRight, reportBottom)
	b.ClosePath()
	b.fill(mix(b.p.plaque, first, 0.55))
	b.chances(line, x, y, b.p.text, 4)
	const in = 12 + reportSign
	b.player(rep.Rows[0].Color, reportLeft+in, reportBottom-in, reportSign)
	b.player(rep.Rows[1].Color, reportLeft+in, reportTop+in, reportSign)
}

// chanceAt returns the chance on a line after a number of plays. plays must be between those of the first and last
// point.
func chanceAt(line []ChancePoint, plays int) float64 {
	for i := 1; i < len(line); i++ {
		if from, to := line[i-1], line[i]; from.Plays <= plays && plays <= to.Plays && from.Plays < to.Plays {
			return from.Of + float64(plays-from.Plays)/float64(to.Plays-from.Plays)*(to.Of-from.Of)
		}
	}
	return line[0].Of
}

// together returns a line with the points of two players, as chances of the first. Where both have a point, the line
// has that of the first.
func together(first, second []ChancePoint) (line []ChancePoint) {
	for len(first) > 0 || len(second) > 0 {
		if len(second) == 0 || len(first) > 0 && first[0].Plays <= second[0].Plays {
			if len(second) > 0 && second[0].Plays == first[0].Plays {
				second = second[1:]
			}
			line, first = append(line, first[0]), first[1:]
			continue
		}
		line, second = append(line, ChancePoint{second[0].Plays, 1 - second[0].Of}), second[1:]
	}
	return line
}

func (b *brush) chances(line []ChancePoint, x func(int) float64, y func(float64) float64, ink color.RGBA,
	width float64) {
	for i, under := range []float64{width + 3, width} {
		b.NewSubPath()
		for _, c := range line {
			b.LineTo(x(c.Plays), y(c.Of))
		}
		b.SetLineJoinRound()
		if i == 0 {
			b.stroke(b.p.edge(ink), under)
		} else {
			b.stroke(ink, under)
		}
	}
}

func (b *brush) reportRow(rep *Report, row ReportRow, top float64, striped bool) {
	p := b.p
	mid := top + sheetRow/2
	if striped {
		b.DrawRoundedRectangle(sheetSide-6, top+3, 1000-2*sheetSide+12, sheetRow-6, 12)
		b.fill(mix(p.plaque, p.text, 0.07))
	}
	b.player(row.Color, 58, mid, 21)
	name := row.Name
	if !b.tf.readable(name) {
		name = "?"
	}
	room := rep.score() - 100 - 130
	if row.Winner {
		room -= 50
	}
	w := b.write(name, spot{100, mid, 38, 0, room}, p.text)
	if row.Winner {
		b.at(100+w+36, mid, 0.2, func() { b.standing(false, true, false) })
	}
	if rep.Heads.Accuracy != "" {
		b.write(row.Accuracy, spot{rep.score(), mid, 36, 1, 160}, p.text)
	}
	if rep.Heads.Luck != "" {
		b.write(row.Luck, spot{reportLast, mid, 36, 1, 200}, p.text)
	}
}

// sampleReport returns a report that contains every colour of reports.
func sampleReport() *Report {
	rep := &Report{Title: "Sample", Note: "sample", Heads: ReportHeads{"Accuracy", "Luck"}, Plays: 40, Count: 40,
		Turns: []int{12}, Parts: [3]string{"0 %", "50 %", "100 %"}}
	for i := range players {
		row := ReportRow{Name: "Sample", Color: scene.ColorOf(i), Winner: i == 0, Accuracy: "50 %", Luck: "+3"}
		for n := range 9 {
			row.Chances = append(row.Chances, ChancePoint{5 * n, float64((n*7+i*3)%10) / 10})
		}
		rep.Rows = append(rep.Rows, row)
	}
	return rep
}
