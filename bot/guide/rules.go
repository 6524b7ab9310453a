package guide

import (
	"context"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/games"
	"marque/games/text"
)

// rules answers /rules with the quick start of a game and a menu of its chapters, or with one chapter. Without a game
// it asks for a game.
func (rm *Room) rules(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	if r.Option("game") == "" {
		return rm.askWhichRules(r), nil
	}
	g, err := rm.games.Find(r.Option("game"))
	if err != nil {
		return interact.Reply{}, err
	}
	section := r.Option("section")
	if section == "" {
		return rm.rulesMessage(ctx, r, g, "")
	}
	for _, s := range chapters(g) {
		if strings.EqualFold(s.Key, section) || strings.EqualFold(r.Say.Say(s.Title), section) {
			return rm.rulesMessage(ctx, r, g, s.Key)
		}
	}
	return interact.Reply{}, show.Refuse(text.M("bot.error.no-section", "Section", section, "Want", text.Or(titles(g))))
}

// legend is the key of the chapter about the signs in a game's pictures. Every game has this chapter.
const legend = "legend"

// chapters returns the chapters of a game's rules and the legend.
func chapters(g games.Game) []games.Section {
	return append(slices.Clone(g.Info().Rules), games.Section{Key: legend, Title: text.M("bot.button.legend")})
}

func titles(g games.Game) []text.Message {
	var list []text.Message
	for _, s := range chapters(g) {
		list = append(list, s.Title)
	}
	return list
}

// rulesChapter answers the Rules buttons, and the menu of chapters below the rules. If the custom_id has no game, it
// asks for a game. The Legend button of a board without a table is answered with a new message, so that the board
// stays.
func (rm *Room) rulesChapter(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	key, besides := strings.CutSuffix(r.Control.Arg, show.LegendArg)
	chosen := ""
	if besides {
		chosen = legend
	}
	if len(r.Values) == 1 {
		chosen = r.Values[0]
	}
	if key == "" {
		return rm.askWhichRules(r), nil
	}
	g, err := rm.games.Find(key)
	if err != nil {
		return interact.Reply{}, err
	}
	rep, err := rm.rulesMessage(ctx, r, g, chosen)
	if err == nil && r.Private() && !besides {
		rep = interact.Reply{Update: rep.New}
	}
	return rep, err
}

func (rm *Room) askWhichRules(r *interact.Request) interact.Reply {
	m := show.Text(r.Say.Say(text.M("bot.rules.which")))
	m.Components = append(m.Components, rm.games.Buttons(show.ActionRules, "", r.Say)...)
	return interact.Reply{New: m}
}

// quickStart is the key of the chapter with a game's main sentences and a picture.
const quickStart = "quick"

// rulesMessage returns a chapter of g's rules, or the quick start with a picture, and a menu of all chapters.
func (rm *Room) rulesMessage(ctx context.Context, r *interact.Request, g games.Game,
	key string) (interact.Reply, error) {
	info := g.Info()
	menu := discordgo.SelectMenu{
		MenuType:    discordgo.StringSelectMenu,
		CustomID:    show.CustomID{Action: show.ActionRules, Arg: g.Key()}.String(),
		Placeholder: show.Clip(r.Say.Say(text.M("bot.rules.choose")), 150),
		Options: []discordgo.SelectMenuOption{{Label: show.Clip(r.Say.Say(text.M("bot.rules.quick")),
			show.MaxOptionLabel), Value: quickStart, Default: key == "" || key == quickStart}},
	}
	m := &show.Message{}
	parts := []discordgo.MessageComponent{}
	found := false
	for _, s := range chapters(g) {
		menu.Options = append(menu.Options, discordgo.SelectMenuOption{Label: show.Clip(r.Say.Say(s.Title),
			show.MaxOptionLabel), Value: s.Key, Default: s.Key == key})
		switch {
		case s.Key != key:
		case key == legend:
			found = true
			called, err := rm.legendChapter(ctx, r, g, m)
			if err != nil {
				return interact.Reply{}, err
			}
			parts = append(parts, called...)
		default:
			found = true
			parts = append(parts, show.Paragraph("## "+r.Say.Say(info.Name)+" · "+r.Say.Say(s.Title)+"\n"+
				r.Say.Say(s.Body)))
		}
	}
	if !found {
		lines := []string{"## " + r.Say.Say(info.Name), "*" + r.Say.Say(info.Tagline) + "*"}
		for _, q := range info.Quick {
			lines = append(lines, "- "+r.Say.Say(q))
		}
		lines = append(lines, "-# "+r.Say.Say(info.Credits))
		parts = append(parts, show.Paragraph(strings.Join(lines, "\n")))
		file, alt, err := rm.paint.Sample(ctx, g, r.Say)
		if err != nil {
			return interact.Reply{}, err
		}
		m.Files = append(m.Files, file)
		parts = append(parts, show.Picture(file.Name, alt))
	}
	m.Components = []discordgo.MessageComponent{show.Container(show.Accent, parts...),
		discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}}}
	m.Components = append(m.Components, show.Rows(show.LessonsButtons(g, r.Say)...)...)
	return interact.Reply{New: m}, nil
}

// legendChapter returns a board with numbers at its signs, and explains these signs and those next to the board. It
// adds the picture's file to m.
func (rm *Room) legendChapter(ctx context.Context, r *interact.Request, g games.Game,
	m *show.Message) ([]discordgo.MessageComponent, error) {
	sc, err := show.Busiest(g)
	if err != nil {
		return nil, err
	}
	words, numbered := show.Key(g, &sc, r.Say)
	board, _, err := rm.paint.Example(ctx, g, sc, r.Say, "picture.png")
	if err != nil {
		return nil, err
	}
	m.Files = append(m.Files, board)
	return []discordgo.MessageComponent{
		show.Paragraph("## " + r.Say.Say(g.Info().Name) + " · " + r.Say.Say(text.M("bot.button.legend"))),
		show.Picture(board.Name, r.Say.Plain().Say(text.M("bot.rules.called-out", "Count", numbered))),
		show.Paragraph(words),
	}, nil
}

// completeSection suggests the chapters of the chosen game that contain the typed text in their title or key.
func (rm *Room) completeSection(_ context.Context, r *interact.Request) []*discordgo.ApplicationCommandOptionChoice {
	g, err := rm.games.Find(r.Option("game"))
	if err != nil {
		return nil
	}
	typed := strings.ToLower(r.Option("section"))
	var out []*discordgo.ApplicationCommandOptionChoice
	for _, s := range chapters(g) {
		if title := r.Say.Say(s.Title); strings.Contains(strings.ToLower(title), typed) || strings.Contains(s.Key,
			typed) {
			out = append(out, &discordgo.ApplicationCommandOptionChoice{Name: show.Clip(title, show.MaxChoiceName),
				Value: s.Key})
		}
	}
	return out
}
