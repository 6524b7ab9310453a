package tournament

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/compete"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/games/competition"
	"marque/games/text"
	"marque/render"
	"marque/storage"
)

// standings replies to the action "standings" and to the Standings button.
func (rm *Room) standings(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.sheet(ctx, r, rm.standingsMessage, false)
}

// standingsPage replies to the arrows below standings.
func (rm *Room) standingsPage(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.sheet(ctx, r, rm.standingsMessage, true)
}

// sheet replies to a button or command with a page about a competition. In a league this is the user's division, unless
// the user chooses another.
func (rm *Room) sheet(
	ctx context.Context, r *interact.Request,
	show func(context.Context, *interact.Request, compete.Competition, page) (*show.Message, error), turned bool,
) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	at := r.Control.Page
	if !turned {
		at = firstPage(r, n)
	}
	m, err := show(ctx, r, n, pageOf(n.Rules, at))
	if turned {
		return interact.Reply{Update: m}, err
	}
	return interact.Reply{New: m}, err
}

// firstPage returns the index of the division that the user has chosen, or else of the user's division. It is 0 if
// there is neither.
func firstPage(r *interact.Request, n compete.Competition) int {
	if division, ok := r.Number("division"); ok {
		return division - 1
	}
	if i, known := n.Rules.Entrant(r.User.ID); known {
		return max(0, n.Rules.DivisionOf(i)-1)
	}
	return 0
}

// page is a page of the standings: a division of a league, or a number of lines of another competition.
type page struct {
	lines    []competition.Standing
	of       int // number of lines on all pages
	division int
	at, last int
}

func pageOf(c competition.Competition, at int) page {
	if d := c.Divisions(); d > 0 {
		p := page{at: min(max(0, at), d-1), last: d - 1}
		p.division = p.at + 1
		p.lines = c.Standings(p.division)
		p.of = len(p.lines)
		return p
	}
	lines := c.Standings(0)
	p := page{of: len(lines), last: max(0, (len(lines)-1)/show.PageSize)}
	p.at = min(max(0, at), p.last)
	p.lines = lines[p.at*show.PageSize : min(len(lines), (p.at+1)*show.PageSize)]
	return p
}

// title returns the title of a page's picture.
func (p page) title(n compete.Competition) text.Message {
	if p.division == 0 || n.Rules.Divisions() < 2 {
		return n.Name.Raw()
	}
	return text.M("bot.competition.in-division", "Name", n.Name, "Division", p.division)
}

// standingsMessage returns a page of the standings, as a picture with alt text and as text.
func (rm *Room) standingsMessage(
	ctx context.Context, r *interact.Request, n compete.Competition, p page,
) (*show.Message, error) {
	kind, ties := n.Rules.Setup.Kind, n.Rules.Setup.Kind.Ties()
	say := r.Say.Plain().Say // alt texts and the texts in pictures contain no markup
	note := rm.noteOf(n)
	sheet := render.Standings{
		Title: say(p.title(n)), Note: say(note), Empty: say(text.M("bot.competition.nobody")),
		Heads: []string{say(text.M("bot.leaders.player"))},
	}
	head := func(ids ...string) {
		for _, id := range ids {
			sheet.Heads = append(sheet.Heads, say(text.M(id)))
		}
	}
	if kind == competition.Ladder {
		head("bot.leaders.games", "bot.competition.won", "bot.competition.drawn", "bot.competition.lost")
	} else {
		head("bot.competition.points", "bot.leaders.games")
	}
	for _, t := range ties {
		head("bot.competition.tie." + string(t))
	}
	possible := possiblePlaces(n.Rules, p.division)
	if len(possible) > 0 {
		head("bot.competition.places")
	}
	plate := text.M("bot.plate.standings", "Game", rm.Games.Name(n.Rules.Setup.Game))
	alt := []string{say(plate) + ".",
		say(text.M("bot.competition.alt", "Name", p.title(n), "Note", note, "Count", p.of))}
	var said []string
	for _, l := range p.lines {
		row := rm.row(r, n, l)
		counts := []text.Message{}
		if kind == competition.Ladder {
			row.Cells = []string{strconv.Itoa(l.Played), strconv.Itoa(l.Won), strconv.Itoa(l.Drawn),
				strconv.Itoa(l.Lost)}
		} else {
			row.Cells = []string{say(points(l.Points)), strconv.Itoa(l.Played)}
		}
		for i, t := range ties {
			value := points(l.Ties[i])
			if t == competition.Wins {
				value = text.Raw(strconv.Itoa(l.Ties[i]))
			}
			row.Cells = append(row.Cells, say(value))
			if t == competition.Wins && l.Ties[i] == l.Won { // the line already contains this number
				continue
			}
			counts = append(counts, text.M("bot.competition.tie-value", "Tie", text.M("bot.competition.tie."+string(t)),
				"Value", value))
		}
		if places := possible[l.Entrant]; places != "" {
			row.Cells = append(row.Cells, places)
		}
		sheet.Rows = append(sheet.Rows, row)
		games := text.M("bot.count.games", "Count", l.Played)
		if kind == competition.Ladder {
			alt = append(alt,
				say(text.M("bot.competition.alt-rung", "Place", l.Place, "Name", row.Name, "Games", games)))
		} else {
			alt = append(alt, say(text.M("bot.competition.alt-line", "Place", l.Place, "Name", row.Name,
				"Points", points(l.Points), "Games", games)))
		}
		line := text.M(lineOf(kind), "Place", text.Code(strconv.Itoa(l.Place)), "Who", rm.person(n, l.Entrant),
			"Points", points(l.Points), "Won", l.Won, "Drawn", l.Drawn, "Lost", l.Lost)
		if len(counts) > 0 {
			line = text.M("bot.competition.line-ties", "Line", line, "Ties", counts)
		}
		if places := possible[l.Entrant]; places != "" {
			line = text.M("bot.competition.line-ties", "Line", line, "Ties",
				text.M("bot.competition.places-value", "Places", places))
		}
		said = append(said, r.Say.Say(line))
	}
	data, err := rm.Pictures.StandingsPNG(ctx, sheet, render.Options{Title: say(plate),
		Theme: show.ThemeOf(ctx)})
	if err != nil {
		return nil, fmt.Errorf("painting standings: %w", err)
	}
	file := show.PNG("standings.png", data)
	parts := show.Sheet(file.Name, strings.Join(alt, " "), r.Say)
	if len(said) > 0 {
		parts = append(parts, show.Paragraph(strings.Join(said, "\n")))
	}
	parts = append(parts, show.Paragraph("-# "+r.Say.Say(rm.ruleOf(n, len(possible) > 0))))
	m := &show.Message{Files: []*discordgo.File{file},
		Components: []discordgo.MessageComponent{show.Container(show.Accent, parts...)}}
	m.Components = append(m.Components, show.PageButtons(actionPage, number(n), p.at, p.at < p.last)...)
	return m, nil
}

// row returns an entrant's row in a picture, without its cells.
func (rm *Room) row(r *interact.Request, n compete.Competition, l competition.Standing) render.StandingsRow {
	e := n.Rules.Entrants[l.Entrant]
	name := rm.named(n, l.Entrant)
	if e.Out != 0 {
		name = text.M("bot.competition.out", "Name", name)
	}
	return render.StandingsRow{
		Rank: l.Place, Name: r.Say.Plain().Say(name), Seed: e.User, Own: e.User == r.User.ID && !r.Everyone(),
	}
}

// lineOf returns the id of the sentence that describes an entrant in the standings.
func lineOf(k competition.Kind) string {
	switch k {
	case competition.Pods: // places between the first and the last are not draws
		return "bot.competition.line-pods"
	case competition.Ladder:
		return "bot.competition.line-ladder"
	}
	return "bot.competition.line"
}

// ruleOf returns a sentence that explains how places are decided.
func (rm *Room) ruleOf(n compete.Competition, possible bool) text.Message {
	var how []text.Message
	kind := n.Rules.Setup.Kind
	for _, t := range kind.Ties() {
		id := string(t)
		if t == competition.Wins && kind.AllMeet() {
			id = "all-wins" // CO-85
		}
		how = append(how, text.M("bot.competition.tie-how."+id))
	}
	switch kind {
	case competition.KnockOut:
		return text.M("bot.competition.ties-knock-out")
	case competition.Ladder:
		return text.M("bot.competition.ties-ladder")
	case competition.Pods:
		return text.M("bot.competition.ties-pods", "How", how)
	}
	rule := text.M("bot.competition.ties", "How", how)
	if possible {
		return text.M("bot.competition.ties-places", "Rule", rule)
	}
	return rule
}

// possiblePlaces returns the places that each entrant of a division can still reach. It is empty if they are not shown
// (CO-90).
func possiblePlaces(c competition.Competition, division int) map[int]string {
	if c.Phase != competition.Running {
		return nil
	}
	said := map[int]string{}
	for _, p := range c.Possible(division) {
		said[p.Entrant] = ranges(p.Places)
	}
	return said
}

// ranges formats numbers in ascending order, such as "1", "2–5" or "1, 3–4".
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); i++ {
		first := i
		for i+1 < len(list) && list[i+1] == list[i]+1 {
			i++
		}
		part := strconv.Itoa(list[first])
		if i > first {
			part += "–" + strconv.Itoa(list[i])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// noteOf returns a few words about the progress of a competition.
func (rm *Room) noteOf(n compete.Competition) text.Message {
	c := n.Rules
	switch {
	case c.Phase == competition.Entry:
		return text.M("bot.competition.note-entry")
	case c.Phase == competition.Ended:
		return text.M("bot.competition.note-ended")
	}
	switch {
	case leagues.has(n):
		return text.M("bot.competition.note-season", "Season", c.Setup.Season)
	case ladders.has(n):
		return text.M("bot.competition.note-ladder", "Count", going(c))
	}
	return text.M("bot.competition.note-round", "Round", c.Round, "Rounds", c.Rounds)
}

// pageLines is the maximum number of pairings on a page, and in the announcement of a round.
const pageLines = 20

// pairingPage is a page of pairings of a round, of a division's round, or of a ladder's challenges.
type pairingPage struct {
	round, division int
	pairings        []competition.Pairing
}

// pairingPages returns the pages of all rounds in order, of a league's divisions, or of a ladder's challenges, the
// latest challenge first.
func pairingPages(c competition.Competition) (pages []pairingPage) {
	add := func(round, division int, in func(competition.Pairing) bool) {
		var list []competition.Pairing
		for _, p := range c.Pairings {
			if in(p) {
				list = append(list, p)
			}
		}
		if c.Setup.Kind == competition.Ladder {
			slices.Reverse(list)
		}
		for part := range slices.Chunk(list, pageLines) {
			pages = append(pages, pairingPage{round, division, part})
		}
	}
	if c.Setup.Kind == competition.Ladder {
		add(0, 0, func(competition.Pairing) bool { return true })
		return pages
	}
	if c.Setup.Kind == competition.League {
		for d := 1; d <= c.Divisions(); d++ {
			add(1, d, func(p competition.Pairing) bool { return p.Division == d })
		}
		return pages
	}
	for round := 1; round <= max(c.Rounds, c.Round); round++ {
		add(round, 0, func(p competition.Pairing) bool { return p.Round == round })
	}
	return pages
}

// pairings replies to the action "pairings" and to the Pairings button with the current round, or the challenges of a
// ladder, and arrows to the other pages. In a league it shows the user's division.
func (rm *Room) pairings(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	m, err := rm.pairingsOf(ctx, r, func(n compete.Competition, pages []pairingPage) int {
		return slices.IndexFunc(pages, func(p pairingPage) bool {
			return leagues.has(n) && p.division == firstPage(r, n)+1 || !leagues.has(n) && p.round == n.Rules.Round
		})
	})
	return interact.Reply{New: m}, err
}

// pairingsPage replies to the arrows below pairings.
func (rm *Room) pairingsPage(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	m, err := rm.pairingsOf(ctx, r, func(compete.Competition, []pairingPage) int { return r.Control.Page })
	return interact.Reply{Update: m}, err
}

// pairingsOf returns a page of the pairings.
func (rm *Room) pairingsOf(
	ctx context.Context, r *interact.Request, choose func(compete.Competition, []pairingPage) int,
) (*show.Message, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return nil, err
	}
	pages := pairingPages(n.Rules)
	switch {
	case len(pages) == 0 && ladders.has(n):
		return nil, show.Refuse(text.M("bot.competition.error.no-challenges"))
	case len(pages) == 0:
		return nil, show.Refuse(text.M("bot.competition.error.no-pairings"))
	}
	at := min(max(0, choose(n, pages)), len(pages)-1)
	title := text.M("bot.competition.pairings", "Name", n.Name, "Round", pages[at].round,
		"Rounds", max(n.Rules.Rounds, n.Rules.Round))
	switch {
	case ladders.has(n):
		title = text.M("bot.competition.challenges", "Name", n.Name)
	case leagues.has(n):
		title = text.M("bot.competition.pairings-league", "Name", n.Name, "Division", pages[at].division)
	}
	lines := []string{"### " + r.Say.Say(title)}
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
