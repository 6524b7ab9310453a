package lobby

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
)

// SeatButtons returns the free seats, with buttons to take them.
func (rm *Room) SeatButtons(snap *table.Snapshot, s *locale.Speaker) []discordgo.MessageComponent {
	if snap.Status != table.Playing {
		return nil
	}
	var parts []discordgo.MessageComponent
	for i := range snap.Seats {
		if seat := games.Seat(i); table.IsOpen(snap.Head, seat) {
			var buttons []discordgo.Button
			label := show.Plain(s, snap).Say(text.M("bot.button.take", "Who", text.Player(seat)))
			buttons = append(buttons, show.Button(discordgo.SecondaryButton, label,
				show.CustomID{Action: actionTake, Table: snap.ID.String(), Arg: strconv.Itoa(i)}))
			if len(rm.Tables.Levels()) > 0 {
				label := show.Plain(s, snap).Say(text.M("bot.button.take-computer", "Who", text.Player(seat)))
				buttons = append(buttons, show.Button(discordgo.SecondaryButton, label,
					show.CustomID{Action: actionReplace, Table: snap.ID.String(), Arg: strconv.Itoa(i)}))
			}
			parts = append(parts, show.Paragraph(s.Say(text.M("bot.question.seat", "Who", text.Player(seat)))))
			parts = append(parts, show.Rows(buttons...)...)
		}
	}
	return parts
}

// replaceByComputer replies to the button that gives an offered seat to a computer player.
func (rm *Room) replaceByComputer(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	n, err := strconv.Atoi(r.Control.Arg)
	levels := rm.Tables.Levels()
	if err != nil || n < 0 || n >= len(snap.Seats) || len(levels) == 0 {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	c := rm.computerPlayer(r, levels[len(levels)/2], snap.Seats)
	after, err := rm.Tables.TakeByComputer(ctx, r.Actor(), snap.ID, games.Seat(n), c)
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{New: added(r, snap, after, c)}, nil
}

// take replies to the button of an offered seat.
func (rm *Room) take(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	n, err := strconv.Atoi(r.Control.Arg)
	if err != nil || n < 0 || n >= len(snap.Seats) {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	return rm.taken(ctx, r, snap, games.Seat(n))
}

func (rm *Room) taken(ctx context.Context, r *interact.Request, snap *table.Snapshot,
	seat games.Seat) (interact.Reply, error) {
	after, err := rm.Tables.Take(ctx, r.Actor(), snap.ID, seat)
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	m := show.Text(r.Say.Say(text.M("bot.joined", "Game", after.Rules().Info().Name, "Table", after.ID.String())))
	if after.Mover() == r.User.ID {
		m.Components = append(m.Components, show.Rows(show.MoveButton(after, r.Say))...)
	}
	return interact.Reply{New: m}, nil
}

// keep withdraws the offer of a player's seat. If the player has run out of time, keep offers the Move button instead,
// because only a move keeps the seat.
func (rm *Room) keep(ctx context.Context, r *interact.Request, snap *table.Snapshot,
	seat games.Seat) (interact.Reply, error) {
	after, err := rm.Tables.Keep(ctx, r.Actor(), snap.ID)
	if errors.Is(err, table.ErrLate) || err == nil && table.IsOpen(after.Head, seat) {
		m := show.Text(r.Say.Say(text.M("table.error.late")))
		m.Components = append(m.Components, show.Rows(show.MoveButton(snap, r.Say))...)
		return interact.Reply{New: m}, nil
	}
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.sub.kept", "Table", after.ID.String())))}, nil
}

// rematch replies to the rematch button. The rematch is the same game with the same players, each one seat earlier,
// without users whose data were deleted. The first press opens the table, and the other players join by pressing the
// button.
func (rm *Room) rematch(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	old, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	switch {
	case old.Status != table.Over:
		return interact.Reply{}, show.Refuse(text.M("bot.error.rematch-early"))
	case old.Seat(r.User.ID) < 0:
		return interact.Reply{}, show.Refuse(text.M("table.error.not-seated"))
	}
	if there, err := rm.Tables.Lookup.RematchOf(ctx, old); err != nil {
		return interact.Reply{}, err
	} else if there != nil {
		if sees, err := rm.Find.Sees(ctx, r, there.Head); err != nil || !sees {
			return interact.Reply{}, cmp.Or(err, show.Refuse(text.M("table.error.no-table",
				"Table", there.ID.String())))
		}
		return rm.toRematch(ctx, r, there)
	}
	o := table.Opening{
		Game: old.Rules().Key(), Options: old.Setup().Options, Seats: len(old.Seats), Guild: r.GuildID,
		Channel:  r.ChannelID,
		WhenFull: true, Clock: old.Timing.Rule, Rematch: old.ID, Unrated: old.Unrated(), Resign: old.ComputersResign(),
	}
	for i := range old.Seats {
		who := old.Seats[(i+1)%len(old.Seats)]
		switch {
		case who.Computer != "":
			o.Computers = append(o.Computers, table.ComputerPlayer{Level: who.Computer, Called: who.Called,
				Name: who.Name})
		case show.Departed(who): // the user's data were deleted
			o.Seats--
			continue
		case who.User != r.User.ID:
			o.Invited = append(o.Invited, who.User)
		}
		o.Order = append(o.Order, who.User)
	}
	return rm.openTable(ctx, r, old.Rules(), o)
}

// toRematch replies with a link to a rematch in which the user has a seat, or gives the user a seat there.
func (rm *Room) toRematch(ctx context.Context, r *interact.Request, there *table.Snapshot) (interact.Reply, error) {
	if there.Seat(r.User.ID) >= 0 {
		return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.rematch.there", "Table", there.ID.String(),
			"Channel", show.Place(there.Head))))}, nil
	}
	snap, err := rm.Tables.Join(ctx, r.Actor(), there.ID)
	if err != nil {
		return interact.Reply{}, err
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.joined", "Game", snap.Rules().Info().Name,
		"Table", snap.ID.String())))}, nil
}
