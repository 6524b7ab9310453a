package bot

import (
	"context"
	"errors"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games/text"
)

// quietDates is the control of the settings, and the input of its form, for days of the calendar on which clocks stand.
const quietDates = "dates"

// maxDatesTyped bounds what the form takes, in characters: more than the most ranges take.
const maxDatesTyped = 1000

// datesLine says which days of the calendar are quiet.
func (b *Bot) datesLine(r *request, c table.Settings) string {
	var days []text.Message
	for _, d := range c.QuietDates(b.tables.Now()) {
		if d.First == d.Last {
			days = append(days, text.Raw(d.First))
			continue
		}
		days = append(days, text.M("bot.settings.dates-range", "First", d.First, "Last", d.Last))
	}
	if len(days) == 0 {
		return r.say.Say(text.M("bot.settings.dates-none"))
	}
	return r.say.Say(text.M("bot.settings.dates-now", "Days", days))
}

// askDates opens the form, which shows what holds now.
func (b *Bot) askDates(r *request) reply {
	var lines []string
	for _, d := range r.settings.QuietDates(b.tables.Now()) {
		lines = append(lines, d.String())
	}
	optional := false
	return reply{modal: &discordgo.InteractionResponseData{
		CustomID: customID{action: actionSettings, arg: quietDates + "-set"}.String(),
		Title:    clip(r.say.Say(text.M("bot.settings.dates-title")), maxModalLabel),
		Components: []discordgo.MessageComponent{discordgo.Label{
			Label:       clip(r.say.Say(text.M("bot.settings.dates-label")), maxModalLabel),
			Description: clip(r.say.Say(text.M("bot.settings.dates-help", "Zone", zoneName(r.settings.QuietNow().Zone))), maxModalHelp),
			Component: discordgo.TextInput{
				CustomID: quietDates, Style: discordgo.TextInputParagraph, Required: &optional, MaxLength: maxDatesTyped,
				Value: clip(strings.Join(lines, "\n"), maxDatesTyped), Placeholder: "2026-12-24 to 2026-12-26\n2027-01-01",
			},
		}},
	}}
}

// setDates takes the form in. What cannot be meant is explained beside what was typed, and nothing changes.
func (b *Bot) setDates(ctx context.Context, r *request) (reply, error) {
	typed := r.fields[quietDates]
	dates, err := table.ReadDates(typed, b.tables.Now(), r.settings.QuietNow().Zone)
	if refusal := (*table.Refusal)(nil); errors.As(err, &refusal) {
		m := say(r.say.Say(refusal.Text()) + "\n```\n" + strings.ReplaceAll(typed, "`", "'") + "\n```")
		m.components = append(m.components, rows(button(discordgo.SecondaryButton, r.say.Say(text.M("bot.settings.dates-again")),
			customID{action: actionSettings, arg: quietDates}.String()))...)
		return reply{new: m}, nil
	}
	if err != nil {
		return reply{}, err
	}
	settings, err := b.tables.ChangeSettings(ctx, r.GuildID, func(c *table.Settings) { c.SetQuietDates(b.tables.Now(), dates) })
	if err != nil {
		return reply{}, err
	}
	return reply{update: b.settingsPanel(r, settings)}, nil
}
