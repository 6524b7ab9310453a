package settings

import (
	"context"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
)

// at finds the interaction's table and calls do with it. Its answer is the sentence with the id done.
func (rm *Room) at(ctx context.Context, r *interact.Request, done string,
	do func(snap *table.Snapshot) error) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if err := do(snap); err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	who, _, _ := r.Person("who")
	return interact.Reply{New: show.Text(r.Say.Say(text.M(done, "Table", snap.ID.String(), "Who", text.User(who))))},
		nil
}

// remove answers /moderate remove.
func (rm *Room) remove(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.at(ctx, r, "bot.moderate.removed", func(snap *table.Snapshot) error {
		who, _, _ := r.Person("who")
		_, err := rm.tables.Remove(ctx, r.Actor(), snap.ID, who)
		return err
	})
}

// pause answers /moderate pause.
func (rm *Room) pause(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.at(ctx, r, "bot.moderate.paused", func(snap *table.Snapshot) error {
		_, err := rm.tables.Pause(ctx, r.Actor(), snap.ID)
		return err
	})
}

// resume answers /moderate resume.
func (rm *Room) resume(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.at(ctx, r, "bot.moderate.resumed", func(snap *table.Snapshot) error {
		_, err := rm.tables.Resume(ctx, r.Actor(), snap.ID, "")
		return err
	})
}

// end answers /moderate end.
func (rm *Room) end(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.at(ctx, r, "bot.moderate.ended", func(snap *table.Snapshot) error {
		if !r.Actor().May(table.EndGame) {
			return show.Refuse(text.M("table.error.moderators"))
		}
		_, err := rm.tables.Abandon(ctx, r.Actor(), snap.ID)
		return err
	})
}

// handOver answers /table host. The host or a moderator makes another user the host. That user must be able to see the
// table.
func (rm *Room) handOver(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.at(ctx, r, "bot.moderate.host", func(snap *table.Snapshot) error {
		who, name, _ := r.Person("who")
		if err := r.Invitable(who); err != nil {
			return err
		}
		if err := rm.find.AllSee(ctx, r, snap.Channel, who); err != nil {
			return err
		}
		_, err := rm.tables.HandOver(ctx, r.Actor(), snap.ID, who, name)
		return err
	})
}

// bringHere answers /table here. The host or a moderator moves a table to this channel. Its players must be able to see
// the channel.
func (rm *Room) bringHere(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.at(ctx, r, "bot.moderate.here", func(snap *table.Snapshot) error {
		if _, err := rm.find.Place(ctx, r); err != nil {
			return err
		}
		var players []string
		for _, o := range snap.Seats {
			players = append(players, o.User)
		}
		if err := rm.find.AllSee(ctx, r, r.ChannelID, players...); err != nil {
			return err
		}
		_, err := rm.tables.Rehouse(ctx, r.Actor(), snap.ID, r.ChannelID)
		return err
	})
}
