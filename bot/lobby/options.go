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

// resignOption is the key of the option that lets computer players resign lost games. Keys of games' options
// contain no plus.
const resignOption = "+resign"

// ratedOption is the key of the option that makes the result count.
const ratedOption = "+rated"

// optionsButton returns the button that opens the options of a table that has not started, or nil if the table has no
// options.
func (rm *Room) optionsButton(snap *table.Snapshot, s show.Speaker) []discordgo.Button {
	if len(rm.choices(snap.Rules())) == 0 && snap.Guild == "" {
		return nil
	}
	id := show.CustomID{Action: actionOptions, Table: snap.ID.String()}
	return []discordgo.Button{show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.button.options")), id)}
}

// showOptions replies to the Options button.
func (rm *Room) showOptions(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if err := rm.Tables.MayArrange(ctx, r.Actor(), snap); err != nil {
		return interact.Reply{}, err
	}
	return interact.Reply{New: rm.optionsMessage(snap, r.Say)}, nil
}

// setOption replies to the choice of an option's value in a menu.
func (rm *Room) setOption(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if len(r.Values) != 1 {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	var after *table.Snapshot
	switch yes := r.Values[0] == strconv.FormatBool(true); r.Control.Arg {
	case resignOption:
		after, err = rm.Tables.LetResign(ctx, r.Actor(), snap.ID, yes)
	case ratedOption:
		after, err = rm.Tables.Rate(ctx, r.Actor(), snap.ID, yes)
	default:
		after, err = rm.Tables.ChooseOption(ctx, r.Actor(), snap.ID,
			games.Setting{Key: r.Control.Arg, Value: r.Values[0]})
	}
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{Update: rm.optionsMessage(after, r.Say)}, nil
}

// optionsMessage returns a message with a menu for each option, which shows the current choice. It has a button that
// starts the game if no other player has to join.
func (rm *Room) optionsMessage(snap *table.Snapshot, s show.Speaker) *show.Message {
	parts := []discordgo.MessageComponent{show.Paragraph(s.Say(text.M("bot.options.title",
		"Game", snap.Rules().Info().Name, "Table", snap.ID.String())))}
	list := rm.choices(snap.Rules())
	if snap.Guild != "" {
		list = append(list, choice{
			key: ratedOption, title: text.M("bot.options.rated"), values: yesOrNo,
			labels: []text.Message{text.M("bot.options.rated-no"), text.M("bot.options.rated-yes")},
		})
	}
	for _, c := range list {
		value := snap.Setup().Option(c.key)
		switch c.key {
		case resignOption:
			value = strconv.FormatBool(snap.ComputersResign())
		case ratedOption:
			value = strconv.FormatBool(!snap.Unrated())
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

// yesOrNo lists the values of a yes-or-no choice.
var yesOrNo = []string{strconv.FormatBool(false), strconv.FormatBool(true)}

// choice is a setting of a table that has not started.
type choice struct {
	key    string
	title  text.Message
	values []string
	labels []text.Message
}

// choices returns the settings of a game's table: the game's options, and whether computer players resign.
func (rm *Room) choices(g games.Game) []choice {
	var list []choice
	for _, o := range g.Options() {
		id := g.Key() + ".option." + o.Key
		c := choice{key: o.Key, title: text.M(id), values: o.Values}
		for _, v := range o.Values {
			c.labels = append(c.labels, text.M(id+"."+v))
		}
		list = append(list, c)
	}
	if len(rm.Tables.Levels()) > 0 {
		list = append(list, choice{
			key: resignOption, title: text.M("bot.options.resign"), values: yesOrNo,
			labels: []text.Message{text.M("bot.options.resign-no"), text.M("bot.options.resign-yes")},
		})
	}
	return list
}

// menu returns a menu of the values, in which the value with index chosen is selected.
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

// invite replies to /table invite by reserving a seat for a user at a table that has not started.
func (rm *Room) invite(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	who, name, _ := r.Person("who")
	if err := r.Invitable(who); err != nil {
		return interact.Reply{}, err
	}
	if _, err := rm.Tables.Invite(ctx, r.Actor(), snap.ID, who, name); err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.invited", "Who", text.User(who),
		"Table", snap.ID.String())))}, nil
}
