package bot

import (
	"context"
	"fmt"
	"slices"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

// sailorNames is how many names computer players have ("computer.name.1" and on).
const sailorNames = 4

// sailor is a computer player of a level with a name, in the server's language, that none of those taken has, at whatever level.
func (b *Bot) sailor(ctx context.Context, guild, level string, taken []string) table.Sailor {
	s := b.public(ctx, guild)
	named := func(n int, level string) string {
		return s.Say(text.M(fmt.Sprintf("computer.name.%d", n), "Level", text.M("computer.level."+level)))
	}
	for n := 1; ; n++ {
		used := slices.ContainsFunc(b.tables.Levels(), func(l string) bool { return slices.Contains(taken, named(n, l)) })
		if !used || n == sailorNames {
			return table.Sailor{Level: level, Name: named(n, level)}
		}
	}
}

// sailors are the computer players that /play asks for. A level alone asks for one.
func (b *Bot) sailors(ctx context.Context, r *request) []table.Sailor {
	levels := b.tables.Levels()
	if len(levels) == 0 {
		return nil
	}
	n, asked := r.number("computers")
	level := r.option("level")
	if !asked && level != "" {
		n = 1
	}
	if level == "" {
		level = levels[len(levels)/2]
	}
	var list []table.Sailor
	var taken []string
	for range min(n, len(opponentOptions)) {
		c := b.sailor(ctx, r.GuildID, level, taken)
		list, taken = append(list, c), append(taken, c.Name)
	}
	return list
}

// computerOptions are the options of /play about computer players; none when there are none.
func (b *Bot) computerOptions(c commandSet, most int) []*discordgo.ApplicationCommandOption {
	levels := b.tables.Levels()
	if len(levels) == 0 {
		return nil
	}
	count := c.option(discordgo.ApplicationCommandOptionInteger, "computers")
	least := 0.0
	count.MinValue, count.MaxValue = &least, float64(most-1)
	return []*discordgo.ApplicationCommandOption{count, b.levelOption(c), c.option(discordgo.ApplicationCommandOptionBoolean, "resign")}
}

// computerCommands are the commands about computer players; none when there are none.
func (b *Bot) computerCommands(c commandSet, tableOption func() *discordgo.ApplicationCommandOption) []*discordgo.ApplicationCommand {
	if len(b.tables.Levels()) == 0 {
		return nil
	}
	return []*discordgo.ApplicationCommand{
		c.command("hint", tableOption()),
		c.command("review", tableOption()),
		c.command("computer", required(b.levelOption(c)), tableOption()),
	}
}

func (b *Bot) levelOption(c commandSet) *discordgo.ApplicationCommandOption {
	level := c.option(discordgo.ApplicationCommandOptionString, "level")
	for _, l := range b.tables.Levels() {
		level.Choices = append(level.Choices, c.choice("computer.level."+l, l))
	}
	return level
}

// computer answers /computer: a computer player comes to a table that has not started, or takes over a seat that is offered.
func (b *Bot) computer(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	c := b.sailor(ctx, snap.Guild, r.option("level"), names(snap))
	if snap.Status == table.Lobby {
		_, err = b.tables.AddComputer(ctx, r.actor(), snap.ID, c)
	} else {
		_, err = b.tables.TakeByComputer(ctx, r.actor(), snap.ID, games.Nobody, c)
	}
	if err != nil {
		return reply{}, naming(err, r, snap)
	}
	return reply{new: say(r.say.Say(text.M("bot.computer.added", "Name", escape(c.Name), "Table", snap.ID.String())))}, nil
}

// computerButtons are the lobby's buttons about computer players.
func (b *Bot) computerButtons(n table.News, s speaker) []discordgo.Button {
	if len(b.tables.Levels()) == 0 {
		return nil
	}
	id := func(action string) string { return customID{action: action, table: n.ID.String()}.String() }
	buttons := []discordgo.Button{button(discordgo.SecondaryButton, s.Say(text.M("bot.button.add-computer")), id(actionComputer))}
	if slices.ContainsFunc(n.Seats, func(o table.Occupant) bool { return o.Computer != "" }) {
		buttons = append(buttons, button(discordgo.SecondaryButton, s.Say(text.M("bot.button.dismiss-computer")), id(actionDismiss)))
	}
	return buttons
}

// askLevel answers the Add computer button: it asks how well the computer shall play.
func (b *Bot) askLevel(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	m := say(r.say.Say(text.M("bot.computer.which")))
	var buttons []discordgo.Button
	for _, l := range b.tables.Levels() {
		id := customID{action: actionLevel, table: snap.ID.String(), arg: l}
		buttons = append(buttons, button(discordgo.SecondaryButton, r.say.Say(text.M("computer.level."+l)), id.String()))
	}
	m.components = append(m.components, rows(buttons...)...)
	return reply{new: m}, nil
}

// addComputer answers the choice of a level.
func (b *Bot) addComputer(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	c := b.sailor(ctx, snap.Guild, r.id.arg, names(snap))
	if _, err := b.tables.AddComputer(ctx, r.actor(), snap.ID, c); err != nil {
		return reply{}, naming(err, r, snap)
	}
	return reply{update: say(r.say.Say(text.M("bot.computer.added", "Name", escape(c.Name), "Table", snap.ID.String())))}, nil
}

// dismissComputer answers the button that sends the last computer away.
func (b *Bot) dismissComputer(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if _, err := b.tables.DismissComputer(ctx, r.actor(), snap.ID); err != nil {
		return reply{}, naming(err, r, snap)
	}
	return reply{new: say(r.say.Say(text.M("bot.computer.dismissed", "Table", snap.ID.String())))}, nil
}

// arrow is a button that turns a page.
func (b *Bot) arrow(label string, id customID, off bool) discordgo.Button {
	bt := button(discordgo.SecondaryButton, label, id.String())
	bt.Disabled = off
	return bt
}
