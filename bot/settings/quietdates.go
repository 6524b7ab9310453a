package settings

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table/clock"
	"marque/games/text"
)

// quietDates is the argument of the control, and the custom_id of the form's input, for calendar days on which clocks
// stop.
const quietDates = "dates"

// maxDatesTyped limits the characters of the form's text. The maximum number of ranges fits.
const maxDatesTyped = 1000

// datesLine returns the line with the quiet calendar days.
func datesLine(p *panel, c choices.Settings) string {
	var days []text.Message
	for _, d := range c.QuietDates(p.now) {
		if d.First == d.Last {
			days = append(days, sayDay(d.First))
			continue
		}
		days = append(days, text.M("bot.settings.dates-range", "First", sayDay(d.First), "Last", sayDay(d.Last)))
	}
	if len(days) == 0 {
		return p.say("bot.settings.dates-none")
	}
	return p.r.Say.Say(text.M("bot.settings.dates-now", "Days", days))
}

// sayDay returns a day in the format of time.DateOnly as a message.
func sayDay(day string) text.Message {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return text.Raw(day)
	}
	return text.Day(t)
}

// askDates returns the form with the current quiet dates.
func (rm *Room) askDates(r *interact.Request) interact.Reply {
	var lines []string
	for _, d := range r.Settings.QuietDates(rm.tables.Lookup.Now()) {
		lines = append(lines, d.String())
	}
	optional := false
	first, last := clock.ExampleDates(rm.tables.Lookup.Now())
	help := r.Say.Plain().Say(text.M("bot.settings.dates-help", "First", first, "Last", last,
		"Zone", zoneName(r.Settings.QuietNow().Zone)))
	return interact.Reply{Modal: show.Form(show.CustomID{Action: actionSettings, Arg: quietDates + "-set"},
		r.Say.Say(text.M("bot.settings.dates-title")),
		show.Asked(r.Say.Say(text.M("bot.settings.dates-label")), help, discordgo.TextInput{
			CustomID: quietDates, Style: discordgo.TextInputParagraph, Required: &optional,
			MaxLength: maxDatesTyped,
			Value:     show.Clip(strings.Join(lines, "\n"), maxDatesTyped), Placeholder: clock.DateRange{First: first, Last: last}.String(),
		}))}
}

// setDates stores the dates from the form. If it refuses a line, it changes nothing, and shows the typed text with
// the reason.
func (rm *Room) setDates(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	typed := r.Form.Value(quietDates)
	dates, err := clock.ReadDates(typed, rm.tables.Lookup.Now(), r.Settings.QuietNow().Zone)
	if bad := (*clock.DateError)(nil); errors.As(err, &bad) {
		m := show.Text(r.Say.Say(bad.Text()) + "\n```\n" + text.Untick(typed) + "\n```")
		m.Components = append(m.Components, show.Rows(show.Button(discordgo.SecondaryButton,
			r.Say.Say(text.M("bot.settings.dates-again")),
			show.CustomID{Action: actionSettings, Arg: quietDates}))...)
		return interact.Reply{New: m}, nil
	}
	if err != nil {
		return interact.Reply{}, err
	}
	settings, err := rm.tables.Choices.ChangeSettings(ctx, r.GuildID,
		func(c *choices.Settings) { c.SetQuietDates(rm.tables.Lookup.Now(), dates) })
	if err != nil {
		return interact.Reply{}, err
	}
	return interact.Reply{Update: rm.settingsPage(ctx, r, settings, pageDays)}, nil
}
