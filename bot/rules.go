package bot

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/games"
	"marque/games/text"
)

// rules answers /rules: the quick start of a game with its chapters to choose from, or one chapter.
func (b *Bot) rules(ctx context.Context, r *request) (reply, error) {
	g, err := b.game(r.option("game"))
	if err != nil {
		return reply{}, err
	}
	section := r.option("section")
	if section == "" {
		return b.rulesMessage(ctx, r, g, "")
	}
	for _, s := range g.Info().Rules {
		if strings.EqualFold(s.Key, section) || strings.EqualFold(r.say.Say(s.Title), section) {
			return b.rulesMessage(ctx, r, g, s.Key)
		}
	}
	return reply{}, playerError{text.M("bot.error.no-section", "Section", section, "Want", text.Or(titles(g)))}
}

func titles(g games.Game) []text.Message {
	var list []text.Message
	for _, s := range g.Info().Rules {
		list = append(list, s.Title)
	}
	return list
}

// rulesChapter answers the select menu under a rules text.
func (b *Bot) rulesChapter(ctx context.Context, r *request) (reply, error) {
	g, err := b.game(r.id.arg)
	if err != nil {
		return reply{}, err
	}
	key := ""
	if len(r.values) == 1 {
		key = r.values[0]
	}
	rep, err := b.rulesMessage(ctx, r, g, key)
	if err == nil && r.Message != nil && r.Message.Flags&discordgo.MessageFlagsEphemeral != 0 {
		rep = reply{update: rep.new}
	}
	return rep, err
}

// quickStart is the chapter's key that stands for the five sentences and the picture.
const quickStart = "quick"

// rulesMessage shows a chapter of g's rules, or the quick start with a picture, and a menu of all chapters.
func (b *Bot) rulesMessage(ctx context.Context, r *request, g games.Game, key string) (reply, error) {
	info := g.Info()
	menu := discordgo.SelectMenu{
		MenuType:    discordgo.StringSelectMenu,
		CustomID:    customID{action: "rules", arg: g.Key()}.String(),
		Placeholder: clip(r.say.Say(text.M("bot.rules.choose")), 150),
		Options:     []discordgo.SelectMenuOption{{Label: clip(r.say.Say(text.M("bot.rules.quick")), maxOptionLabel), Value: quickStart, Default: key == "" || key == quickStart}},
	}
	m := &message{}
	parts := []discordgo.MessageComponent{}
	found := false
	for _, s := range info.Rules {
		menu.Options = append(menu.Options, discordgo.SelectMenuOption{Label: clip(r.say.Say(s.Title), maxOptionLabel), Value: s.Key, Default: s.Key == key})
		if s.Key == key {
			found = true
			parts = append(parts, paragraph("## "+r.say.Say(info.Name)+" · "+r.say.Say(s.Title)+"\n"+r.say.Say(s.Body)))
		}
	}
	if !found {
		lines := []string{"## " + r.say.Say(info.Name), "*" + r.say.Say(info.Tagline) + "*"}
		for _, q := range info.Quick {
			lines = append(lines, "- "+r.say.Say(q))
		}
		lines = append(lines, "-# "+r.say.Say(info.Credits))
		parts = append(parts, paragraph(strings.Join(lines, "\n")))
		file, alt, err := b.samplePicture(ctx, g, r.say)
		if err != nil {
			return reply{}, err
		}
		m.files = append(m.files, file)
		parts = append(parts, picture(file.Name, alt))
	}
	m.components = []discordgo.MessageComponent{container(accent, parts...), discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}}}
	return reply{new: m}, nil
}

// completeSection offers the chapters of the game chosen.
func (b *Bot) completeSection(_ context.Context, r *request) []*discordgo.ApplicationCommandOptionChoice {
	g, err := b.game(r.option("game"))
	if err != nil {
		return nil
	}
	typed := strings.ToLower(r.option("section"))
	var out []*discordgo.ApplicationCommandOptionChoice
	for _, s := range g.Info().Rules {
		if title := r.say.Say(s.Title); strings.Contains(strings.ToLower(title), typed) || strings.Contains(s.Key, typed) {
			out = append(out, &discordgo.ApplicationCommandOptionChoice{Name: clip(title, maxChoiceName), Value: s.Key})
		}
	}
	return out
}
