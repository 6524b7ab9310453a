package settings

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"marque/bot/choices"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table/clock"
	"marque/games/text"

	"github.com/bwmarrin/discordgo"
)

// prefer answers /me preferences.
func (rm *Room) prefer(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	prefs := r.Prefs
	if zone := r.Option("zone"); zone != "" {
		if _, known := clock.KnownZone(zone); !known {
			return interact.Reply{}, show.Refuse(text.M("bot.error.zone", "Zone", zone))
		}
		var err error
		if prefs, err = rm.tables.Choices.ChangePreferences(ctx, r.User.ID,
			func(p *choices.Preferences) error { p.Zone = zone; return nil }); err != nil {
			return interact.Reply{}, err
		}
	}
	return rm.showPreferences(ctx, r, prefs, false)
}

// preferred answers a control of the message with the preferences.
func (rm *Room) preferred(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	one := ""
	if len(r.Values) > 0 {
		one = r.Values[0]
	}
	prefs, err := rm.tables.Choices.ChangePreferences(ctx, r.User.ID, func(p *choices.Preferences) error {
		hour, err := strconv.Atoi(one)
		switch r.Control.Arg {
		case "remind":
			if err == nil && (hour == -1 || slices.Contains(remindHours, hour)) {
				p.Remind = hour
			}
		case "from", "to":
			if err != nil || hour < -1 || hour > 23 {
				break
			}
			i := 0
			if r.Control.Arg == "to" {
				i = 1
			}
			if hour < 0 {
				p.Night = [2]int{}
				break
			}
			if p.Night[0] == p.Night[1] { // no quiet hours are set, so the other end gets a usual hour
				p.Night = [2]int{22 * 60, 8 * 60}
			}
			p.Night[i] = hour * 60
		case "calls":
			if c := choices.Calls(strings.TrimPrefix(one, "channel")); slices.Contains(calls, c) {
				p.Calls = c
				if c == choices.CallDaily && p.Digest.From == 0 {
					p.Digest.Choose(choices.DefaultDigestHour, rm.tables.Lookup.Now())
				}
			}
		case "digest":
			if err == nil && hour >= 0 && hour <= 23 {
				p.Digest.Choose(hour, rm.tables.Lookup.Now())
			}
		case "blocked":
			p.Blocked = blocked(r)
		case "shown":
			for _, e := range extras {
				*e.is(&p.Hidden) = !slices.Contains(r.Values, e.value)
			}
		case "sharing":
			if c := choices.Sharing(strings.TrimPrefix(one, "nothing")); slices.Contains(sharing, c) {
				p.Sharing = c
			}
		case "preview":
			p.Quick = one == previewSurprises
		case "theme":
			p.Theme = strings.TrimPrefix(one, "auto")
		case "language":
			p.Language = strings.TrimPrefix(one, "auto")
		}
		return nil
	})
	if err != nil {
		return interact.Reply{}, err
	}
	return rm.showPreferences(ctx, r, prefs, true)
}

// showPreferences returns the message with the preferences, as a new message or as an update.
func (rm *Room) showPreferences(ctx context.Context, r *interact.Request, prefs choices.Preferences,
	update bool) (interact.Reply, error) {
	hook, err := rm.webhookState(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m := rm.preferencesPanel(r, prefs, hook)
	if update {
		return interact.Reply{Update: m}, nil
	}
	return interact.Reply{New: m}, nil
}

// hours adds a menu with the options in before, and then every hour of the day.
func (p *panel) hours(arg, sentence string, chosen int, before ...discordgo.SelectMenuOption) {
	for h := range 24 {
		label := p.r.Say.Say(text.M(sentence, "Hour", fmt.Sprintf("%d:00", h)))
		before = append(before, option(label, strconv.Itoa(h)))
	}
	p.menu(arg, 1, func(v string) bool { return v == strconv.Itoa(chosen) }, before...)
}

// blocked returns the users whom the user has chosen to block, without the user, and at most choices.MaxBlocked. It
// returns nil if there are none.
func blocked(r *interact.Request) []string {
	var list []string
	for _, u := range r.Values {
		if u != r.User.ID && len(list) < choices.MaxBlocked {
			list = append(list, u)
		}
	}
	return list
}

// calls lists the ways to notify a user.
var calls = []choices.Calls{choices.CallInChannel, choices.CallDirectly, choices.CallBoth, choices.CallDaily}

// sharing lists the ways to show games on pages.
var sharing = []choices.Sharing{choices.ShareNothing, choices.ShareUnnamed, choices.ShareByName}

// extra is a part of a profile that the user can hide from others.
type extra struct {
	value, says string
	is          func(*choices.Extras) *bool
}

var extras = []extra{
	{"rivals", "bot.settings.form-rivals", func(e *choices.Extras) *bool { return &e.Rivals }},
	{"badges", "bot.settings.form-badges", func(e *choices.Extras) *bool { return &e.Badges }},
	{"predictions", "bot.settings.form-predictions", func(e *choices.Extras) *bool { return &e.Predictions }},
}

// Values of the setting for previews of moves.
const (
	previewAll       = "all"
	previewSurprises = "surprises"
)

// remindHours lists the offered times until a reminder, in hours.
var remindHours = []int{3, 6, 12, 24, 48, 72, 168}

func (rm *Room) preferencesPanel(r *interact.Request, c choices.Preferences, hook webhookState) *show.Message {
	p := &panel{r: r, action: actionPreferences, sentences: rm.sentences}
	p.parts = append(p.parts, show.Paragraph("### "+p.say("bot.preferences.title")))
	p.heading(p.say("bot.preferences.remind"), p.say("bot.preferences.remind-help"))
	remind := c.Remind
	if remind == 0 {
		remind = choices.DefaultRemind
	}
	options := []discordgo.SelectMenuOption{option(p.say("bot.preferences.never"), "-1")}
	for _, h := range remindHours {
		after := show.DurationText(time.Duration(h) * time.Hour)
		options = append(options, option(r.Say.Say(text.M("bot.preferences.after", "Time", after)), strconv.Itoa(h)))
	}
	p.menu("remind", 1, func(v string) bool { return v == strconv.Itoa(remind) }, options...)
	p.heading(p.say("bot.preferences.calls"), p.say("bot.preferences.calls-help"))
	p.menu("calls", 1, func(v string) bool { return strings.TrimPrefix(v, "channel") == string(c.Calls) },
		option(p.say("bot.preferences.calls-channel"), "channel"), option(p.say("bot.preferences.calls-direct"),
			string(choices.CallDirectly)),
		option(p.say("bot.preferences.calls-both"), string(choices.CallBoth)),
		option(p.say("bot.preferences.calls-daily"), string(choices.CallDaily)))
	if c.Calls == choices.CallDaily {
		p.heading(p.say("bot.preferences.daily"), p.say("bot.preferences.daily-help"))
		p.hours("digest", "bot.preferences.digest", c.Digest.Hour)
	}
	p.webhook(hook)
	p.heading(p.say("bot.preferences.night"), r.Say.Say(text.M("bot.preferences.night-help", "Zone", zoneName(c.Zone))))
	for i, arg := range []string{"from", "to"} {
		if arg == "to" {
			p.heading(p.say("bot.preferences.night-end"), p.say("bot.preferences.night-end-help"))
		}
		chosen := c.Night[i] / 60
		if c.Night[0] == c.Night[1] {
			chosen = -1
		}
		p.hours(arg, "bot.preferences.night."+arg, chosen, option(p.say("bot.preferences.no-night"), "-1"))
	}
	p.heading(p.say("bot.preferences.preview"), p.say("bot.preferences.preview-help"))
	p.menu("preview", 1, func(v string) bool { return c.Quick == (v == previewSurprises) },
		option(p.say("bot.preferences.preview-all"), previewAll),
		option(p.say("bot.preferences.preview-surprises"), previewSurprises))
	p.heading(p.say("bot.preferences.blocked"), p.say("bot.preferences.blocked-help"))
	p.entities("blocked", "bot.preferences.blocked-none", discordgo.UserSelectMenu,
		discordgo.SelectMenuDefaultValueUser, choices.MaxBlocked, c.Blocked)
	p.heading(p.say("bot.preferences.shown"), p.say("bot.preferences.shown-help"))
	var shown []discordgo.SelectMenuOption
	for _, e := range extras {
		shown = append(shown, option(p.say(e.says), e.value))
	}
	p.menu("shown", len(shown)+1, func(v string) bool {
		return !slices.ContainsFunc(extras, func(e extra) bool { return e.value == v && *e.is(&c.Hidden) })
	}, shown...)
	p.heading(p.say("bot.preferences.sharing"), p.say("bot.preferences.sharing-help"))
	p.menu("sharing", 1, func(v string) bool { return strings.TrimPrefix(v, "nothing") == string(c.Sharing) },
		option(p.say("bot.preferences.sharing-nothing"), "nothing"),
		option(p.say("bot.share.unnamed"), string(choices.ShareUnnamed)),
		option(p.say("bot.share.name"), string(choices.ShareByName)))
	p.heading(p.say("bot.preferences.look"), p.say("bot.preferences.look-help"))
	p.themes(c.Theme, "bot.preferences.theme-auto")
	p.heading(p.say("bot.preferences.language"), p.say("bot.preferences.language-help"))
	p.languages(c.Language)
	return &show.Message{Components: p.parts, Ephemeral: true}
}
