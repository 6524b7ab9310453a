package lobby

import (
	"context"
	"fmt"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

// openDirect opens a table for the user alone, in the user's direct messages with the bot. If the bot is not in the
// place of the command, openDirect first writes to the user in direct messages, and replies with a link to the game.
func (rm *Room) openDirect(ctx context.Context, r *interact.Request, g games.Game,
	o table.Opening) (interact.Reply, error) {
	if len(o.Invited) > 0 {
		return interact.Reply{}, show.Refuse(text.M("bot.error.people"))
	}
	rm.fillDirect(r, g, &o)
	o.Guild, o.Channel = "", r.ChannelID
	if err := rm.Tables.Check(ctx, r.Actor(), o); err != nil {
		return interact.Reply{}, err // refuses the command before it sends anything
	}
	id, letter := "bot.play.opened-direct", ""
	if r.Where == interact.Abroad {
		var err error
		if o.Channel, letter, err = rm.writeDirect(ctx, r, g); err != nil {
			return interact.Reply{}, err
		}
		id = "bot.play.opened-abroad"
	}
	snap, err := rm.Tables.Open(ctx, r.Actor(), o)
	if err != nil {
		if letter != "" {
			rm.dropCard(ctx, o.Channel, letter)
		}
		return interact.Reply{}, err
	}
	if o.Rematch != 0 && !snap.OpenedBy(r.Actor().Key) {
		return rm.toRematch(ctx, r, snap)
	}
	m := show.Text(r.Say.Say(text.M(id, "Game", g.Info().Name, "Table", snap.ID.String(),
		"Link", text.Link("", o.Channel, letter))))
	if !o.WhenFull {
		m.Components = append(m.Components, rm.optionsMessage(snap, r.Say).Components...)
	}
	return interact.Reply{New: m}, nil
}

// fillDirect gives other seats to computer players: as many as the user asked for, or as the game needs.
func (rm *Room) fillDirect(r *interact.Request, g games.Game, o *table.Opening) {
	levels := rm.Tables.Levels()
	if len(levels) == 0 {
		return
	}
	level := levels[len(levels)/2]
	if asked := r.Option("level"); asked != "" {
		level = asked
	}
	least, _ := g.Seats()
	seats := max(o.Seats, 1+len(o.Computers))
	if o.Seats == 0 {
		seats = max(seats, least)
	}
	var taken []table.Occupant
	for _, c := range o.Computers {
		taken = append(taken, c.Occupant())
	}
	for 1+len(o.Computers) < seats {
		c := rm.computerPlayer(r, level, taken)
		o.Computers, taken = append(o.Computers, c), append(taken, c.Occupant())
	}
}

// writeDirect posts a message about a beginning game in the user's direct messages. If it fails, no table is opened.
func (rm *Room) writeDirect(ctx context.Context, r *interact.Request, g games.Game) (
	channel, message string, err error,
) {
	dm, err := rm.Session.UserChannelCreate(r.User.ID, discordgo.WithContext(ctx))
	if err == nil {
		m := show.Text(r.Say.Say(text.M("bot.play.letter", "Game", g.Info().Name)))
		m.Nonce = "dm-" + r.ID
		channel = dm.ID
		message, err = rest.Client{Session: rm.Session}.Post(ctx, dm.ID, m)
	}
	switch {
	case rest.Unwanted(err):
		return "", "", show.Refuse(text.M("bot.error.closed-dm"))
	case err != nil:
		return "", "", fmt.Errorf("writing to a user: %w", err)
	}
	return channel, message, nil
}
