package lobby

import (
	"context"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

// arranging answers what settles the options of a table, and who is invited, before it starts.
type arranging struct{ Config }

// resignOption is the key under which the lobby asks whether lost computer players resign. A plus is in
// no key of a game's option.
const resignOption = "+resign"

// button opens the options of a table that has not started, where there are any.
func (a arranging) button(snap *table.Snapshot, s show.Speaker) []discordgo.Button {
	if len(a.choices(snap.Rules())) == 0 {
		return nil
	}
	id := show.CustomID{Action: actionOptions, Table: snap.ID.String()}
	return []discordgo.Button{show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.button.options")), id)}
}

// options answers the Options button.
func (a arranging) options(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := a.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if err := a.Tables.Arranging.MayArrange(ctx, r.Actor(), snap); err != nil {
		return interact.Reply{}, err
	}
	return interact.Reply{New: a.message(snap, r.Say)}, nil
}

// choose answers a menu of the options.
func (a arranging) choose(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := a.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if len(r.Values) != 1 {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	var after *table.Snapshot
	if r.Control.Arg == resignOption {
		after, err = a.Tables.Arranging.LetResign(ctx, r.Actor(), snap.ID, r.Values[0] == strconv.FormatBool(true))
	} else {
		after, err = a.Tables.Arranging.ChooseOption(ctx, r.Actor(), snap.ID,
			games.Setting{Key: r.Control.Arg, Value: r.Values[0]})
	}
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{Update: a.message(after, r.Say)}, nil
}

// message has a menu for each of the options, with what is chosen now, and a button that starts the
// game when nobody else has to come.
func (a arranging) message(snap *table.Snapshot, s show.Speaker) *show.Message {
	parts := []discordgo.MessageComponent{show.Paragraph(s.Say(text.M("bot.options.title",
		"Game", snap.Rules().Info().Name, "Table", snap.ID.String())))}
	for _, c := range a.choices(snap.Rules()) {
		value := strconv.FormatBool(snap.ComputersResign())
		if c.key != resignOption {
			value = snap.Setup().Option(c.key)
		}
		id := show.CustomID{Action: actionOption, Table: snap.ID.String(), Arg: c.key}
		parts = append(parts, c.menu(id, slices.Index(c.values, value), s)...)
	}
	m := &show.Message{Components: []discordgo.MessageComponent{show.Container(show.Accent, parts...)}}
	if len(snap.Seats) >= snap.Least {
		id := show.CustomID{Action: actionStart, Table: snap.ID.String()}
		m.Components = append(m.Components, show.Rows(show.Button(discordgo.PrimaryButton,
			s.Say(text.M("bot.button.start")), id))...)
	}
	return m
}

// A choice is something that a table can be told before it starts.
type choice struct {
	key    string
	title  text.Message
	values []string
	labels []text.Message
}

// choices are what a table of a game can be told: the game's options, and what its computer players do.
func (a arranging) choices(g games.Game) []choice {
	var list []choice
	for _, o := range g.Options() {
		id := g.Key() + ".option." + o.Key
		c := choice{key: o.Key, title: text.M(id), values: o.Values}
		for _, v := range o.Values {
			c.labels = append(c.labels, text.M(id+"."+v))
		}
		list = append(list, c)
	}
	if len(a.Tables.Levels()) > 0 {
		list = append(list, choice{
			key: resignOption, title: text.M("bot.options.resign"),
			values: []string{strconv.FormatBool(false), strconv.FormatBool(true)},
			labels: []text.Message{text.M("bot.options.resign-no"), text.M("bot.options.resign-yes")},
		})
	}
	return list
}

// menu offers the values, of which the one with number chosen is chosen now.
func (c choice) menu(id show.CustomID, chosen int, s show.Speaker) []discordgo.MessageComponent {
	menu := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: id.String()}
	for i, v := range c.values {
		label := show.Clip(s.Say(c.labels[i]), show.MaxOptionLabel)
		menu.Options = append(menu.Options, discordgo.SelectMenuOption{Label: label, Value: v, Default: i == chosen})
	}
	return []discordgo.MessageComponent{
		show.Paragraph(s.Say(text.M("bot.bold", "What", c.title))),
		discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}},
	}
}

// invite answers /seat invite: it keeps a seat for somebody at a table that has not started.
func (a arranging) invite(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := a.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	who, name, isBot := r.Person("who")
	if isBot {
		return interact.Reply{}, show.Refuse(text.M("bot.error.invited-bot", "Who", text.User(who)))
	}
	if _, err := a.Tables.Arranging.Invite(ctx, r.Actor(), snap.ID, who, name); err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.invited", "Who", text.User(who),
		"Table", snap.ID.String())))}, nil
}
