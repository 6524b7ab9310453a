package tournament

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/competition"
	"marque/games/text"
	"marque/render"
	"marque/storage"
)

// standings answers /tournament standings and the buttons.
func (rm *Room) standings(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.standingsMessage(ctx, r, n, 0)
	return interact.Reply{New: m}, err
}

// standingsPage answers the arrows under them.
func (rm *Room) standingsPage(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.standingsMessage(ctx, r, n, r.Control.Page)
	return interact.Reply{Update: m}, err
}

// standingsMessage is a page of the standings: as a picture, whose description says the same, and as text.
func (rm *Room) standingsMessage(ctx context.Context, r *interact.Request, n table.Competition,
	page int) (*show.Message, error) {
	lines := n.Rules.Standings(0)
	last := max(0, (len(lines)-1)/show.PageSize)
	page = min(max(0, page), last)
	shown := lines[page*show.PageSize : min(len(lines), (page+1)*show.PageSize)]
	ties := n.Rules.Setup.Kind.Ties()
	say := r.Say.Plain().Say // pictures and their descriptions hold no markup
	note := rm.noteOf(n)
	sheet := render.Standings{
		Title: say(n.Name.Raw()), Note: say(note), Empty: say(text.M("bot.cup.nobody")),
		Heads: []string{say(text.M("bot.leaders.player")), say(text.M("bot.cup.points")),
			say(text.M("bot.leaders.games"))},
	}
	for _, t := range ties {
		sheet.Heads = append(sheet.Heads, say(text.M("bot.cup.tie."+string(t))))
	}
	plate := text.M("bot.plate.standings", "Game", rm.Games.Name(n.Rules.Setup.Game))
	alt := []string{say(plate) + ".", say(text.M("bot.cup.alt", "Name", n.Name, "Note", note, "Count", len(lines)))}
	var said []string
	for _, l := range shown {
		e := n.Rules.Entrants[l.Entrant]
		row := render.StandingsRow{
			Rank: l.Place, Name: say(rm.named(n, l.Entrant)), Seed: e.User,
			Cells: []string{say(points(l.Points)), strconv.Itoa(l.Played)},
			Own:   e.User == r.User.ID && !r.Flag("share"),
		}
		tie := make([]text.Message, 0, len(ties))
		for i, t := range ties {
			value := points(l.Ties[i])
			if t == competition.Wins {
				value = text.Raw(strconv.Itoa(l.Ties[i]))
			}
			row.Cells = append(row.Cells, say(value))
			tie = append(tie, text.M("bot.cup.tie-value", "Tie", text.M("bot.cup.tie."+string(t)), "Value", value))
		}
		if e.Out != 0 {
			row.Name = say(text.M("bot.cup.out", "Name", rm.named(n, l.Entrant)))
		}
		sheet.Rows = append(sheet.Rows, row)
		alt = append(alt, say(text.M("bot.cup.alt-line", "Place", l.Place, "Name", row.Name,
			"Points", points(l.Points), "Games", text.M("bot.count.games", "Count", l.Played))))
		line := text.M("bot.cup.line", "Place", text.Code(strconv.Itoa(l.Place)), "Who", rm.person(n, l.Entrant),
			"Points", points(l.Points),
			"Won", l.Won, "Drawn", l.Drawn, "Lost", l.Lost)
		if len(tie) > 0 {
			line = text.M("bot.cup.line-ties", "Line", line, "Ties", tie)
		}
		said = append(said, r.Say.Say(line))
	}
	data, err := rm.Pictures.StandingsPNG(ctx, sheet, render.Options{Width: show.BoardWidth, Plate: say(plate),
		Theme: show.ThemeOf(ctx)})
	if err != nil {
		return nil, fmt.Errorf("painting standings: %w", err)
	}
	file := show.PNG("standings.png", data)
	parts := []discordgo.MessageComponent{show.Picture(file.Name, strings.Join(alt, " "))}
	if len(said) > 0 {
		parts = append(parts, show.Paragraph(strings.Join(said, "\n")))
	}
	var how []text.Message
	for _, t := range ties {
		how = append(how, text.M("bot.cup.tie-how."+string(t)))
	}
	rule := "bot.cup.ties"
	switch n.Rules.Setup.Kind {
	case competition.KnockOut:
		rule = "bot.cup.ties-knock-out"
	case competition.Pods:
		rule = "bot.cup.ties-pods"
	}
	parts = append(parts, show.Paragraph("-# "+r.Say.Say(text.M(rule, "How", how))))
	m := &show.Message{Files: []*discordgo.File{file},
		Components: []discordgo.MessageComponent{show.Container(show.Accent, parts...)}}
	m.Components = append(m.Components, show.PageButtons(actionPage, number(n), page, page < last)...)
	return m, nil
}

// noteOf says how far a competition is.
func (rm *Room) noteOf(n table.Competition) text.Message {
	c := n.Rules
	switch {
	case c.Phase == competition.Entry:
		return text.M("bot.cup.note-entry")
	case c.Phase == competition.Ended:
		return text.M("bot.cup.note-ended")
	}
	return text.M("bot.cup.note-round", "Round", c.Round, "Rounds", c.Rounds)
}

// pageLines is how many pairings a page has.
const pageLines = 20

// pairingPage is a part of a round.
type pairingPage struct {
	round    int
	pairings []competition.Pairing
}

// pairingPages are all rounds that are paired, in pages.
func pairingPages(c competition.Competition) (pages []pairingPage) {
	for round := 1; round <= max(c.Rounds, c.Round); round++ {
		var list []competition.Pairing
		for _, p := range c.Pairings {
			if p.Round == round {
				list = append(list, p)
			}
		}
		for part := range slices.Chunk(list, pageLines) {
			pages = append(pages, pairingPage{round, part})
		}
	}
	return pages
}

// pairings answers /tournament pairings and the buttons: the round that is played, with arrows to the others.
func (rm *Room) pairings(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	m, err := rm.pairingsOf(ctx, r, func(n table.Competition, pages []pairingPage) int {
		return slices.IndexFunc(pages, func(p pairingPage) bool { return p.round == n.Rules.Round })
	})
	return interact.Reply{New: m}, err
}

// pairingsPage answers the arrows.
func (rm *Room) pairingsPage(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	m, err := rm.pairingsOf(ctx, r, func(table.Competition, []pairingPage) int { return r.Control.Page })
	return interact.Reply{Update: m}, err
}

// pairingsOf is a page of the pairings.
func (rm *Room) pairingsOf(ctx context.Context, r *interact.Request,
	choose func(table.Competition, []pairingPage) int) (*show.Message, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return nil, err
	}
	pages := pairingPages(n.Rules)
	if len(pages) == 0 {
		return nil, show.Refuse(text.M("bot.cup.error.no-pairings"))
	}
	at := min(max(0, choose(n, pages)), len(pages)-1)
	lines := []string{"### " + r.Say.Say(text.M("bot.cup.pairings", "Name", n.Name, "Round", pages[at].round,
		"Rounds", max(n.Rules.Rounds, n.Rules.Round)))}
	for _, p := range pages[at].pairings {
		line := "- " + r.Say.Say(rm.resultLine(n, p))
		if id, err := storage.ParseID(p.Table); err == nil {
			if h, err := rm.Tables.Lookup.Head(ctx, id); err == nil {
				line += " · " + rm.Find.BoardLink(ctx, h).String()
			}
		}
		lines = append(lines, line)
	}
	m := show.Framed(lines)
	m.Components = append(m.Components, show.PageButtons(actionRound, number(n), at, at < len(pages)-1)...)
	return m, nil
}
