package lobby

import (
	"context"
	"slices"

	"github.com/bwmarrin/discordgo"

	"marque/bot/form"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/games"
	"marque/games/text"
)

// The fields of the form for a new table.
const (
	askedGame   = "game"
	askedPeople = "people"
	askedLevel  = "level"
	askedClock  = "clock"
	askedWishes = "wishes"
)

// The values of the checkboxes in the form for a new table.
const (
	wishRated   = "rated"
	wishOptions = "options"
	wishOrder   = "order"
)

// noComputers is the value for no computer players in the form.
const noComputers = "none"

// openForm opens a form for a new table. The server's settings are the defaults.
func (rm *Room) openForm(r *interact.Request) interact.Reply {
	s := r.Say.Plain()
	say := func(id string) string { return s.Say(text.M(id)) }
	parts := []discordgo.MessageComponent{show.Asked(say("bot.form.game"), "", rm.Games.Group(askedGame, s))}
	none, optional := 0, false
	people := r.Where == interact.OnServer
	if people {
		parts = append(parts, show.Asked(say("bot.form.people"), say("bot.form.people-help"), discordgo.SelectMenu{
			MenuType: discordgo.UserSelectMenu, CustomID: askedPeople, MinValues: &none, MaxValues: rm.mostSeats() - 1,
			Required:    &optional,
			Placeholder: say("bot.form.anybody"),
		}))
	}
	if levels := rm.Tables.Levels(); len(levels) > 0 {
		menu := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: askedLevel}
		help := say("bot.form.level-help")
		if people {
			menu.Options = append(menu.Options,
				discordgo.SelectMenuOption{Label: say("bot.form.no-computers"), Value: noComputers, Default: true})
		} else {
			help = ""
		}
		for i, l := range levels {
			menu.Options = append(menu.Options, discordgo.SelectMenuOption{
				Label: show.Clip(say("computer.level."+l), show.MaxOptionLabel), Value: l,
				Default: !people && i == len(levels)/2,
			})
		}
		parts = append(parts, show.Asked(say("bot.form.level"), help, menu))
	}
	parts = append(parts, show.Asked(say("bot.form.clock"), say("bot.form.clock-help"), discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: askedClock, Options: show.ClockOptions(r.Settings.Clock, s),
	}))
	wishes := form.CheckboxGroup{CustomID: askedWishes}
	if people {
		wishes.Options = append(wishes.Options, show.Tick(say("bot.form.rated"), wishRated, !r.Settings.Unrated),
			show.Tick(say("bot.form.order"), wishOrder, false))
	}
	wishes.Options = append(wishes.Options, show.Tick(say("bot.form.options"), wishOptions, false))
	parts = append(parts, show.Asked(say("bot.form.wishes"), "", wishes))
	return interact.Reply{Modal: show.Form(show.CustomID{Action: actionForm}, say("bot.form.title"), parts...)}
}

// submitForm replies to the form of a new table by opening the table.
func (rm *Room) submitForm(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	g, err := rm.Games.Find(r.Form.Value(askedGame))
	if err != nil {
		return interact.Reply{}, err
	}
	o, err := rm.opening(ctx, r, g)
	if err != nil {
		return interact.Reply{}, err
	}
	o.Fixed, o.WhenFull = r.Form.Chosen(askedWishes, wishOrder), !r.Form.Chosen(askedWishes, wishOptions)
	o.Unrated = !r.Form.Chosen(askedWishes, wishRated)
	o.Invited = r.Form.Values(askedPeople)
	for _, id := range o.Invited {
		if err := r.Invitable(id); err != nil {
			return interact.Reply{}, err
		}
	}
	if level := r.Form.Value(askedLevel); slices.Contains(rm.Tables.Levels(), level) {
		o.Computers = rm.computersOf(r, level, rm.missing(g, len(o.Invited)))
		o.Unrated = o.Unrated || forPractice(o.Computers)
	}
	if o.Clock, err = clockAs(r.Settings.Clock, r.Form.Value(askedClock), ""); err != nil {
		return interact.Reply{}, err
	}
	return rm.openTable(ctx, r, g, o)
}

// missing returns the number of computer players for a table with the given number of invited users: as many as the
// game needs, but at least one.
func (rm *Room) missing(g games.Game, invited int) int {
	least, _ := g.Seats()
	return max(1, least-1-invited)
}
