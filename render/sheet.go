package render

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fogleman/gg"
)

// Sheet is a leaderboard as a picture. All its words are in the reader's language.
type Sheet struct {
	Title string // the subject of the ranking
	Note  string // the season and the kind of opponents; shown next to the title
	Heads SheetHeads
	Rows  []SheetRow
	Empty string // shown when there are no rows
}

// SheetHeads are the headings of the columns.
type SheetHeads struct{ Player, Rating, Games, Wins, Streak string }

// SheetRow is a player's line.
type SheetRow struct {
	Rank     int // 0 for a player without a rank
	Name     string
	Seed     string // determines the avatar's colour; constant for a player whatever their name
	Rating   int
	Band     int
	New      string // word instead of Band for a player with too few games; empty for others
	Games    int
	Wins     int
	Streak   int  // wins in a row; negative for losses
	Own      bool // whether this is the reader's line
	Computer bool
}

// Dimensions of a sheet in thousandths of its width. Letters of the height headingSize are more than 11 pixels high if
// the sheet is 400 pixels wide.
const (
	sheetTitle = 92.0
	sheetHead  = 50.0
	sheetRow   = 74.0
	sheetEnd   = 22.0
	sheetSide  = 18.0
)

// SheetPNG paints a leaderboard. It fails only if ctx ends before the painting begins, with ctx's error.
func (r *Renderer) SheetPNG(ctx context.Context, s Sheet, o Options) ([]byte, error) {
	return r.paper(ctx, o, sheetTitle+sheetHead+sheetRow*float64(max(len(s.Rows), 1))+sheetEnd,
		func(b *brush) { b.sheet(&s) })
}

// paper paints a sheet of the given height, in thousandths of the width, with the palette of sheets.
func (r *Renderer) paper(ctx context.Context, o Options, high float64, paint func(*brush)) ([]byte, error) {
	done := r.began("sheet")
	o = r.normal(o)
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	defer r.leave()
	full := r.fullPaper(o, high, paint)
	pal := r.paperPalette(o)
	im := r.frame(full.Rect.Dx(), full.Rect.Dy(), pal)
	defer r.frames.Put(im)
	pal.indexed(im.Pix, full)
	b := r.encoder.encode(im)
	done(false)
	return b, nil
}

// fullPaper paints a sheet in full colour. A title in o is on a plate at its bottom.
func (r *Renderer) fullPaper(o Options, high float64, paint func(*brush)) *image.RGBA {
	scale := float64(o.Width) / 1000
	const foot = 14.0
	if o.title() != "" {
		high += plateHigh + foot
	}
	dc := gg.NewContext(o.Width, int(math.Ceil(high*scale)))
	b := &brush{Context: dc, k: 1, p: r.paints[o.Theme], tf: r.tf}
	dc.SetColor(b.p.canvas)
	dc.Clear()
	b.at(0, 0, scale, func() {
		dc.DrawRoundedRectangle(2, 2, 996, high-4, 18)
		b.paint(b.p.plaque, b.p.plaqueEdge, 3)
		paint(b)
		if o.title() != "" {
			s, em := r.tf.fitted(o.title(), plateSize, 1000-2*(margin+plateSide))
			w := r.tf.width(s, em) + 2*plateSide
			b.at(500-w/2, high-plateHigh-foot, 1, func() { b.plate(w) })
			b.text(s, 500, high-plateHigh/2-foot, em, b.p.engraved())
		}
	})
	return dc.Image().(*image.RGBA)
}

// paperPalette returns the palette of a theme's sheets, other than cards and shelves. It is computed from samples of a
// leaderboard, a curve and reports, which show every colour.
func (r *Renderer) paperPalette(o Options) *palette {
	key := groundKey{content: "paper", theme: o.Theme}
	if g, ok := r.grounds.get(key); ok {
		return g.pal
	}
	o.Title = "Sample"
	sample := Sheet{Title: "Sample", Note: "sample", Heads: SheetHeads{"Player", "Rating", "Games", "Wins", "Streak"}}
	for i := range 2 * len(avatarColours) {
		sample.Rows = append(sample.Rows, SheetRow{Rank: i + 1, Name: "Sample", Seed: fmt.Sprint(i), Rating: 1500,
			Band: 100, Games: 10, Wins: 5, Streak: 3 - i, Own: i%3 == 1, Computer: i == 7})
	}
	board := r.fullPaper(o, 1200, func(b *brush) { b.sheet(&sample) })
	curve := Curve{Title: "Sample", Points: []CurvePoint{{1500, 900}, {1700, 500}, {1650, 300}, {1800, 200}}}
	both := r.fullPaper(o, curveHigh, func(b *brush) { b.curve(&curve) })
	both.Pix = append(both.Pix, board.Pix...)
	report := sampleReport()
	both.Pix = append(both.Pix, r.fullPaper(o, report.high(), func(b *brush) { b.report(report) }).Pix...)
	report.Rows = report.Rows[:2]
	both.Pix = append(both.Pix, r.fullPaper(o, report.high(), func(b *brush) { b.report(report) }).Pix...)
	pal := newPalette(r.paints[o.Theme].designed(), both, paletteSize)
	return r.grounds.put(key, &ground{pal: pal, im: image.NewPaletted(image.Rect(0, 0, 1, 1), pal.colors)}).pal
}

// spot is a place for a line of letters on a sheet. The line begins at x (anchor 0), is centred there (0.5) or ends
// there (1). Its middle is at y, its letters have the height em, and its width is at most room.
type spot struct{ x, y, em, anchor, room float64 }

// write writes s, cut to its room, and returns its width.
func (b *brush) write(s string, at spot, ink color.Color) float64 {
	s = b.tf.fit(clean(s), at.em, at.room)
	w := b.letters(s, at.x, at.y+at.em*capHeight/2, at.em, at.anchor)
	b.fill(ink)
	return w
}

// titles writes the title of a sheet at the left and the note at the right. The note shrinks if it leaves too little
// room for the title.
func (b *brush) titles(title, note string) {
	const noteSize, all = 32.0, 1000 - 2*sheetSide - 60
	room := max(560, all-b.tf.width(clean(note), noteSize))
	w := b.write(title, spot{sheetSide + 12, sheetTitle / 2, 46, 0, room}, b.p.text)
	em := b.fitted(clean(note), noteSize, all-w)
	b.write(note, spot{1000 - sheetSide - 8, sheetTitle/2 + 4, em, 1, all - w + 1}, b.p.quiet)
}

// heading is the heading of a column of a sheet. It begins at x (anchor 0), is centred there (0.5) or ends there (1).
type heading struct {
	text            string
	x, anchor, room float64
}

// The maximum and the minimum height of headings that fit their columns.
const (
	headingSize = 29.0
	leastHeads  = 25.0
)

// headings writes the headings of a sheet. All have the height at which the widest one fits. A heading that does not
// fit at the minimum height shrinks further.
func (b *brush) headings(list []heading) {
	em := headingSize
	for _, h := range list {
		em = max(leastHeads, min(em, b.fitted(clean(h.text), headingSize, h.room)))
	}
	for _, h := range list {
		b.write(h.text, spot{h.x, sheetTitle + sheetHead/2, b.fitted(clean(h.text), em, h.room), h.anchor, h.room + 1},
			b.p.quiet)
	}
}

// name writes a player's name, or "?" if the fonts have none of its letters. A name that is too wide first shrinks,
// and is then cut.
func (b *brush) name(s string, at spot, ink color.Color) {
	if !b.tf.readable(s) {
		s = "?"
	}
	at.em = max(headingSize, b.fitted(clean(s), at.em, at.room-1))
	b.write(s, at, ink)
}

// numberSize is the height of numbers on a sheet.
const numberSize = 34

// number writes n so that it ends at x, and returns its width. A number wider than room shrinks.
func (b *brush) number(n int, x, y, room float64, ink color.Color) float64 {
	s := fmt.Sprint(n)
	return b.write(s, spot{x, y, b.fitted(s, numberSize, room), 1, room + 1}, ink)
}

// Places of the columns of a sheet: right ends of numbers, left ends of words, and the middle of the avatars.
const (
	columnRank   = 84.0
	columnAvatar = 128.0
	columnName   = 172.0
	columnRating = 590.0
	columnBand   = 598.0
	columnGames  = 768.0
	columnWins   = 868.0
	columnStreak = 978.0
)

func (b *brush) sheet(s *Sheet) {
	p := b.p
	b.titles(s.Title, s.Note)
	b.headings([]heading{
		{s.Heads.Player, columnName, 0, 280}, {s.Heads.Rating, columnRating + 4, 0.5, 144},
		{s.Heads.Games, columnGames, 1, 94}, {s.Heads.Wins, columnWins, 1, 92}, {s.Heads.Streak, columnStreak, 1, 102},
	})
	top := sheetTitle + sheetHead
	if len(s.Rows) == 0 {
		b.write(s.Empty, spot{500, top + sheetRow/2, b.fitted(s.Empty, 34, 940), 0.5, 941}, p.text)
	}
	for i := range s.Rows {
		b.sheetRow(&s.Rows[i], top+sheetRow*float64(i), i%2 == 0)
	}
}

// line paints the background, the rank and the player of a line of a leaderboard or of standings. The line is centred
// at y. room is the width for the name.
func (b *brush) line(row *SheetRow, y float64, striped bool, room float64) {
	p, top := b.p, y-sheetRow/2
	ink := p.text
	switch {
	case row.Own:
		b.DrawRoundedRectangle(sheetSide-6, top+3, 1000-2*sheetSide+12, sheetRow-6, 12)
		b.paint(mix(p.plaque, p.gold, 0.22), p.gold, 3)
	case striped:
		b.DrawRoundedRectangle(sheetSide-6, top+3, 1000-2*sheetSide+12, sheetRow-6, 12)
		b.fill(mix(p.plaque, p.text, 0.07))
	}
	if row.Rank > 0 {
		if row.Rank <= 3 {
			b.medal(row.Rank, columnRank-24, y)
		} else {
			s := fmt.Sprint(row.Rank)
			b.write(s, spot{columnRank, y, b.fitted(s, 38, columnRank-sheetSide), 1, 80}, ink)
		}
	} else {
		b.write("–", spot{columnRank - 6, y, 38, 1, 80}, p.quiet)
	}
	b.avatar(row, columnAvatar, y, 31)
	b.name(row.Name, spot{columnName, y, 38, 0, room}, ink)
}

func (b *brush) sheetRow(row *SheetRow, top float64, striped bool) {
	p := b.p
	y := top + sheetRow/2
	ink := p.text
	b.line(row, y, striped, columnRating-columnName-110)
	b.write(fmt.Sprint(row.Rating), spot{columnRating, y, 38, 1, 120}, ink)
	band := row.New
	if band == "" {
		band = fmt.Sprintf("±%d", row.Band)
	}
	b.write(band, spot{columnBand, y + 2, b.fitted(band, 29, 84), 0, 85}, p.quiet)
	b.number(row.Games, columnGames, y, 84, ink)
	b.number(row.Wins, columnWins, y, 84, ink)
	switch {
	case row.Streak > 1:
		w := b.number(row.Streak, columnStreak, y, 66, ink)
		b.polygon(columnStreak-w-30, y+10, columnStreak-w-19, y-12, columnStreak-w-8, y+10)
		b.paint(p.player[2], p.ink, 1.5)
	case row.Streak < -1:
		w := b.number(-row.Streak, columnStreak, y, 66, ink)
		b.polygon(columnStreak-w-30, y-10, columnStreak-w-19, y+12, columnStreak-w-8, y-10)
		b.paint(p.danger, p.ink, 1.5)
	default:
		b.write("–", spot{columnStreak, y, 34, 1, 70}, p.quiet)
	}
}

// medal paints a coin for the ranks one to three.
func (b *brush) medal(rank int, x, y float64) {
	metal := [...]color.RGBA{b.p.gold, b.p.silver, hex(0xcd8a4c)}[rank-1]
	b.DrawCircle(x, y, 27)
	b.paint(metal, darker(metal, 0.45), 3)
	b.write(fmt.Sprint(rank), spot{x, y, 36, 0.5, 50}, hex(0x2a1d14))
}

// avatarColours are backgrounds for white letters. The page of the local Discord has the same list in dom.js, so that a
// player has the same colour there.
var avatarColours = []color.RGBA{
	hex(0x5865f2), hex(0x2d7d46), hex(0xa8580f), hex(0xc2417a), hex(0x1f7a8e), hex(0x7a55c2), hex(0xb8543c),
	hex(0x5c7a29),
}

// avatarColour returns the colour of a player's avatar. It is computed as in dom.js.
func avatarColour(player string) color.RGBA {
	n := 7
	for _, c := range player {
		n = (n*31 + int(c)) % 9973
	}
	return avatarColours[n%len(avatarColours)]
}

// avatar paints the initials of a name on a disc, or on a square for a computer player.
func (b *brush) avatar(row *SheetRow, x, y, r float64) {
	fill := avatarColour(row.Seed)
	if row.Computer {
		fill = mix(b.p.ink, b.p.silver, 0.25)
		b.DrawRoundedRectangle(x-r+2, y-r+2, 2*r-4, 2*r-4, 8)
	} else {
		b.DrawCircle(x, y, r)
	}
	b.paint(fill, darker(fill, 0.4), 2)
	s := b.initials(row.Name)
	b.write(s, spot{x, y, b.fitted(s, 31, 1.6*r), 0.5, 2 * r}, hex(0xffffff))
}

// initials returns the first characters, as capitals, of the first and the last word of a name, without words whose
// first character the fonts lack. It returns "?" if there are none. Text in brackets after a name does not count:
// "(she/her)", "(out)".
func (b *brush) initials(name string) string {
	if before, _, bracketed := strings.Cut(name, "("); bracketed && strings.TrimSpace(before) != "" {
		name = before
	}
	var letters []string
	for _, w := range strings.FieldsFunc(clean(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		r, _ := utf8.DecodeRuneInString(w)
		if s := string(unicode.ToUpper(r)); b.tf.readable(s) {
			letters = append(letters, s)
		}
	}
	switch len(letters) {
	case 0:
		return "?"
	case 1:
		return letters[0]
	}
	return letters[0] + letters[len(letters)-1]
}
