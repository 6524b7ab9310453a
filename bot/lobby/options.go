package lobby

import (
	"context"
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

// resignOption is the key under which the lobby asks whether lost computer players resign; no game
// has an option of that name.
const resignOption = "resign"

// button opens the options of a table that has not started, where there are any.
func (a arranging) button(snap *table.Snapshot, s show.Speaker) []discordgo.Button {
	if len(snap.Rules().Options()) == 0 && len(a.Tables.Levels()) == 0 {
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
		after, err = a.Tables.Arranging.ChooseOption(ctx, r.Actor(), snap.ID, games.Setting{Key: r.Control.Arg, Value: r.Values[0]})
	}
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{Update: a.message(after, r.Say)}, nil
}

// message has a menu for each of the options, with what is chosen now.
func (a arranging) message(snap *table.Snapshot, s show.Speaker) *show.Message {
	parts := []discordgo.MessageComponent{show.Paragraph(s.Say(text.M("bot.options.title", "Game", snap.Rules().Info().Name, "Table", snap.ID.String())))}
	menu := func(key string, title text.Message, options ...discordgo.SelectMenuOption) {
		for i := range options {
			options[i].Label = show.Clip(options[i].Label, show.MaxOptionLabel)
		}
		id := show.CustomID{Action: actionOption, Table: snap.ID.String(), Arg: key}
		parts = append(parts, show.Paragraph(s.Say(text.M("bot.bold", "What", title))), discordgo.ActionsRow{Components: []discordgo.MessageComponent{
			discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: id.String(), Options: options},
		}})
	}
	chosen := map[string]string{}
	for _, o := range snap.Setup().Options {
		chosen[o.Key] = o.Value
	}
	for _, o := range snap.Rules().Options() {
		id := snap.Head.Game + ".option." + o.Key
		var options []discordgo.SelectMenuOption
		for _, v := range o.Values {
			options = append(options, discordgo.SelectMenuOption{Label: s.Say(text.M(id + "." + v)), Value: v, Default: chosen[o.Key] == v})
		}
		menu(o.Key, text.M(id), options...)
	}
	if len(a.Tables.Levels()) > 0 {
		resigns := snap.ComputersResign()
		menu(resignOption, text.M("bot.options.resign"),
			discordgo.SelectMenuOption{Label: s.Say(text.M("bot.options.resign-no")), Value: strconv.FormatBool(false), Default: !resigns},
			discordgo.SelectMenuOption{Label: s.Say(text.M("bot.options.resign-yes")), Value: strconv.FormatBool(true), Default: resigns})
	}
	return &show.Message{Components: []discordgo.MessageComponent{show.Container(show.Accent, parts...)}}
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
	return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.invited", "Who", text.User(who), "Table", snap.ID.String())))}, nil
}
