package tournament

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/compete"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/games/competition"
	"marque/games/text"
	"marque/render"
)

// crosstable replies to the action "crosstable" and to the Crosstable button.
func (rm *Room) crosstable(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.sheet(ctx, r, rm.crosstableMessage, false)
}

// crosstablePage replies to the arrows below a crosstable.
func (rm *Room) crosstablePage(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.sheet(ctx, r, rm.crosstableMessage, true)
}

// The contents of crosstable cells without points.
const (
	fieldOwn  = "×"
	fieldOpen = "·" // an unfinished game, or one that has not begun
)

// nameWidth is the number of characters of a name in a text crosstable.
const nameWidth = 14

// crosstableMessage returns a message with the results of every player against every other, as a picture and as text,
// for one division in a league.
func (rm *Room) crosstableMessage(
	ctx context.Context, r *interact.Request, n compete.Competition, p page,
) (*show.Message, error) {
	switch {
	case !n.Rules.Setup.Kind.AllMeet():
		return nil, show.Refuse(text.M("bot.competition.error.no-crosstable"))
	case n.Rules.Phase == competition.Entry || n.Rules.Round == 0:
		return nil, show.Refuse(text.M("bot.competition.error.no-pairings"))
	}
	say, note := r.Say.Plain().Say, rm.noteOf(n)
	lines, cells := n.Rules.Standings(p.division), n.Rules.Crosstable(p.division)
	possible := possiblePlaces(n.Rules, p.division)
	sheet := render.Crosstable{
		Title: say(p.title(n)), Note: say(note),
		Player: say(text.M("bot.leaders.player")), Points: say(text.M("bot.competition.points")),
	}
	if len(possible) > 0 {
		sheet.Places = say(text.M("bot.competition.places"))
	}
	plate := text.M("bot.plate.crosstable", "Game", rm.Games.Name(n.Rules.Setup.Game))
	alt := []string{say(plate) + ".",
		say(text.M("bot.competition.alt", "Name", p.title(n), "Note", note, "Count", len(lines)))}
	var drawn []string
	for i, l := range lines {
		row := rm.row(r, n, l)
		row.Cells = nil
		for _, cell := range cells[i] {
			row.Cells = append(row.Cells, say(fieldOf(cell)))
		}
		row.Cells[i] = fieldOwn
		sheet.Rows = append(sheet.Rows, render.CrosstableRow{
			StandingsRow: row, Points: say(points(l.Points)), Places: possible[l.Entrant],
		})
		name := []rune(strings.Map(plainRune, row.Name))
		drawn = append(drawn, strings.TrimRight(fmt.Sprintf("%2d %-*s %s %4s  %s", l.Place, nameWidth,
			show.Clip(string(name), nameWidth), strings.Join(row.Cells, " "), say(points(l.Points)),
			possible[l.Entrant]), " "))
		alt = append(alt, say(text.M("bot.competition.alt-line", "Place", l.Place, "Name", row.Name,
			"Points", points(l.Points), "Games", text.M("bot.count.games", "Count", l.Played))))
	}
	data, err := rm.Pictures.CrosstablePNG(ctx, sheet, render.Options{Title: say(plate),
		Theme: show.ThemeOf(ctx)})
	if err != nil {
		return nil, fmt.Errorf("painting a crosstable: %w", err)
	}
	file := show.PNG("crosstable.png", data)
	container := show.Container(show.Accent, append(show.Sheet(file.Name, strings.Join(alt, " "), r.Say),
		show.Paragraph("```\n"+heading(len(lines))+strings.Join(drawn, "\n")+"\n```"))...)
	m := &show.Message{Files: []*discordgo.File{file}, Components: []discordgo.MessageComponent{container}}
	m.Components = append(m.Components, show.PageButtons(actionCrossPage, number(n), p.at, p.at < p.last)...)
	return m, nil
}

// heading returns the column numbers of a text crosstable. Of a number with two digits it shows only the last digit.
func heading(columns int) string {
	var list []string
	for i := range columns {
		list = append(list, strconv.Itoa((i+1)%10))
	}
	return strings.Repeat(" ", 4+nameWidth) + strings.Join(list, " ") + "\n"
}

// plainRune replaces the characters in a name that could end the row or the code block around it.
func plainRune(r rune) rune {
	if r == '`' || r == '\n' {
		return '\''
	}
	return r
}

// fieldOf returns the text of an entrant's points against another entrant.
func fieldOf(c competition.Cell) text.Message {
	switch {
	case c.Pairing == 0 || c.End == "":
		return text.Raw(fieldOpen)
	case c.Points == competition.Win:
		return text.Raw("1")
	case c.Points == 0:
		return text.Raw("0")
	}
	return points(c.Points)
}
