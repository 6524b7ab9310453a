package bot

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// seatButtons let anybody take a seat that is offered.
func (b *Bot) seatButtons(snap *table.Snapshot, s *locale.Speaker) []discordgo.MessageComponent {
	if snap.Status != table.Playing {
		return nil
	}
	var buttons []discordgo.Button
	for i := range snap.Seats {
		if seat := games.Seat(i); table.IsOpen(snap.Head, seat) && len(buttons) < rowButtons {
			label := plain(s, snap).Say(text.M("bot.button.take", "Who", text.Player(seat)))
			buttons = append(buttons, button(discordgo.SecondaryButton, label, customID{action: actionTake, table: snap.ID.String(), arg: strconv.Itoa(i)}.String()))
			if len(b.tables.Levels()) > 0 && len(buttons) < rowButtons {
				label := plain(s, snap).Say(text.M("bot.button.take-computer", "Who", text.Player(seat)))
				buttons = append(buttons, button(discordgo.SecondaryButton, label, customID{action: actionRelieve, table: snap.ID.String(), arg: strconv.Itoa(i)}.String()))
			}
		}
	}
	return rows(buttons...)
}

// relieve answers the button that gives an offered seat to a computer player.
func (b *Bot) relieve(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	n, err := strconv.Atoi(r.id.arg)
	levels := b.tables.Levels()
	if err != nil || n < 0 || n >= len(snap.Seats) || len(levels) == 0 {
		return reply{}, playerError{text.M("bot.error.unknown-control")}
	}
	c := b.sailor(ctx, snap.Guild, levels[len(levels)/2], names(snap))
	if _, err := b.tables.TakeByComputer(ctx, r.actor(), snap.ID, games.Seat(n), c); err != nil {
		return reply{}, naming(err, r, snap)
	}
	return reply{new: say(r.say.Say(text.M("bot.computer.added", "Name", escape(c.Name), "Table", snap.ID.String())))}, nil
}

// take answers a button under an offered seat.
func (b *Bot) take(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	n, err := strconv.Atoi(r.id.arg)
	if err != nil || n < 0 || n >= len(snap.Seats) {
		return reply{}, playerError{text.M("bot.error.unknown-control")}
	}
	return b.taken(ctx, r, snap, games.Seat(n))
}

func (b *Bot) taken(ctx context.Context, r *request, snap *table.Snapshot, seat games.Seat) (reply, error) {
	after, err := b.tables.Take(ctx, r.actor(), snap.ID, seat)
	if err != nil {
		return reply{}, naming(err, r, snap)
	}
	m := say(r.say.Say(text.M("bot.joined", "Game", after.Game().Info().Name, "Table", after.ID.String())))
	if after.Mover() == r.user.id {
		m.components = append(m.components, rows(b.moveButton(r.say.Say, after))...)
	}
	return reply{new: m}, nil
}

// sub answers /sub: players offer their seat or keep it after all, others take one that is offered.
func (b *Bot) sub(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	seat := snap.Seat(r.user.id)
	if seat < 0 {
		return b.taken(ctx, r, snap, games.Nobody)
	}
	if table.IsOpen(snap.Head, seat) {
		after, err := b.tables.Keep(ctx, r.actor(), snap.ID)
		if errors.Is(err, table.ErrLate) || err == nil && table.IsOpen(after.Head, seat) {
			m := say(r.say.Say(text.M("table.error.late")))
			m.components = append(m.components, rows(b.moveButton(r.say.Say, snap))...)
			return reply{new: m}, nil
		}
		if err != nil {
			return reply{}, naming(err, r, snap)
		}
		return reply{new: say(r.say.Say(text.M("bot.sub.kept", "Table", after.ID.String())))}, nil
	}
	return b.seated(ctx, r, b.tables.Offer, "bot.sub.offered")
}

// undo answers /undo and the button that takes a move back.
func (b *Bot) undo(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if r.id.action == actionUndo && r.id.version < int(snap.Board) {
		return reply{}, b.movedOn(ctx, snap)
	}
	after, err := b.tables.Propose(ctx, r.actor(), snap.ID, table.Undo)
	if err != nil {
		return reply{}, naming(err, r, snap)
	}
	if after.Proposal.Kind == table.Undo {
		return reply{new: say(r.say.Say(text.M("bot.undo.asked")))}, nil
	}
	m := say(r.say.Say(text.M("bot.undo.done")))
	if after.Mover() == r.user.id {
		m.components = append(m.components, rows(b.moveButton(r.say.Say, after))...)
	}
	return reply{new: m}, nil
}

// nextTable leads to the next table that waits for the user, after a move at another; "" when none does.
func (b *Bot) nextTable(ctx context.Context, r *request, but table.ID) string {
	heads, err := b.tables.MyTurn(ctx, r.user.id)
	if err != nil {
		return ""
	}
	var next *table.Head
	others := 0
	for i, h := range heads {
		if h.ID == but || h.Paused != "" {
			continue
		}
		if others++; next == nil || next.Guild != r.GuildID && h.Guild == r.GuildID {
			next = &heads[i]
		}
	}
	if next == nil {
		return ""
	}
	name := text.Raw(next.Game)
	if g, err := b.game(next.Game); err == nil {
		name = g.Info().Name
	}
	return r.say.Say(text.M("bot.next-table", "Count", others, "Game", name, "Table", next.ID.String(), "Link", b.boardLink(ctx, *next)))
}

// rematch answers the Rematch button: the same game for the same people, who was second plays first. Who presses it first opens the table,
// the others join it by pressing too.
func (b *Bot) rematch(ctx context.Context, r *request) (reply, error) {
	old, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	switch {
	case old.Status != table.Over:
		return reply{}, playerError{text.M("bot.error.rematch-early")}
	case old.Seat(r.user.id) < 0:
		return reply{}, playerError{text.M("table.error.not-seated")}
	}
	if there, err := b.tables.RematchOf(ctx, old); err != nil {
		return reply{}, err
	} else if there != nil {
		return b.toRematch(ctx, r, there)
	}
	o := table.Opening{
		Game: old.Game().Key(), Options: old.Setup().Options, Seats: len(old.Seats), Guild: old.Guild, Channel: r.ChannelID,
		WhenFull: true, Clock: old.Timing.Rule, Rematch: old.ID, Unrated: old.Unrated(), Resign: old.ComputersResign(),
	}
	for i := range old.Seats {
		who := old.Seats[(i+1)%len(old.Seats)]
		switch {
		case who.Computer != "":
			o.Computers = append(o.Computers, table.Sailor{Level: who.Computer, Name: who.Name})
		case departed(who): // a departed sailor does not come back
			o.Seats--
			continue
		case who.User != r.user.id:
			o.Invited = append(o.Invited, who.User)
		}
		o.Order = append(o.Order, who.User)
	}
	return b.openTable(ctx, r, old.Game(), o)
}

// toRematch leads to the rematch that somebody has opened, and seats who has no seat there yet.
func (b *Bot) toRematch(ctx context.Context, r *request, there *table.Snapshot) (reply, error) {
	if there.Seat(r.user.id) >= 0 {
		return reply{new: say(r.say.Say(text.M("bot.rematch.there", "Table", there.ID.String(), "Channel", "<#"+there.Channel+">")))}, nil
	}
	snap, err := b.tables.Join(ctx, r.actor(), there.ID)
	if err != nil {
		return reply{}, err
	}
	return reply{new: say(r.say.Say(text.M("bot.joined", "Game", snap.Game().Info().Name, "Table", snap.ID.String())))}, nil
}

// takesBackAlone reports whether a user may take their move back without asking anybody, as far as the position says.
func takesBackAlone(snap *table.Snapshot, user string) bool {
	return snap.Status == table.Playing && snap.TakesBackAlone(snap.Seat(user))
}

// away answers /away: until when the user's clocks stand on this server, or that they are back.
func (b *Bot) away(ctx context.Context, r *request) (reply, error) {
	typed := r.option("until")
	if typed == "" {
		was, err := b.tables.Return(ctx, r.user.id, r.GuildID)
		if err != nil {
			return reply{}, err
		}
		if !was {
			return reply{new: say(r.say.Say(text.M("bot.away.not")))}, nil
		}
		return reply{new: say(r.say.Say(text.M("bot.away.back")))}, nil
	}
	until, ok := b.parseUntil(typed, r.prefs.Zone)
	if !ok {
		return reply{}, playerError{text.M("table.error.away-time")}
	}
	if _, err := b.tables.GoAway(ctx, r.user.id, r.GuildID, until); err != nil {
		return reply{}, err
	}
	return reply{new: say(r.say.Say(text.M("bot.away.gone", "When", "<t:"+strconv.FormatInt(until.Unix(), 10)+":f>")))}, nil
}

// parseUntil reads a day ("2026-08-31", until its end) or a number of days.
func (b *Bot) parseUntil(s, zone string) (time.Time, bool) {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		loc = time.UTC
	}
	now := b.tables.Now().In(loc)
	if n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.ToLower(s), "d"))); err == nil {
		return now.AddDate(0, 0, n), n > 0
	}
	day, err := time.Parse(time.DateOnly, s)
	y, m, d := day.Date()
	return table.Midnight(y, m, d+1, loc), err == nil
}

// moderate answers the subcommands of /moderate.
func (b *Bot) moderate(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	who, name, _ := r.person("who")
	var done string
	switch r.sub {
	case "remove":
		done = "bot.moderate.removed"
		_, err = b.tables.Remove(ctx, r.actor(), snap.ID, who)
	case "pause":
		done = "bot.moderate.paused"
		_, err = b.tables.Pause(ctx, r.actor(), snap.ID)
	case "resume":
		done = "bot.moderate.resumed"
		_, err = b.tables.Resume(ctx, r.actor(), snap.ID, "")
	case "end":
		if !r.user.manage {
			return reply{}, playerError{text.M("table.error.moderators")}
		}
		done = "bot.moderate.ended"
		_, err = b.tables.Abandon(ctx, r.actor(), snap.ID)
	case "host":
		done = "bot.moderate.host"
		_, err = b.tables.HandOver(ctx, r.actor(), snap.ID, who, name)
	case "here":
		if _, err := b.place(ctx, r); err != nil {
			return reply{}, err
		}
		done = "bot.moderate.here"
		_, err = b.tables.Rehouse(ctx, r.actor(), snap.ID, r.ChannelID)
	default:
		return reply{}, playerError{text.M("bot.error.unknown-control")}
	}
	if err != nil {
		return reply{}, naming(err, r, snap)
	}
	return reply{new: say(r.say.Say(text.M(done, "Table", snap.ID.String(), "Who", "<@"+who+">")))}, nil
}

// paused reports whether a table cannot go on because of its channel or server.
func paused(h table.Head) bool {
	return h.Paused == storage.PausedHomeless || h.Paused == storage.PausedAshore
}
