package settings

import (
	"context"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
)

// moderate answers the subcommands of /moderate.
func (rm *Room) moderate(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	who, name, _ := r.Person("who")
	var done string
	switch r.Sub {
	case "remove":
		done = "bot.moderate.removed"
		_, err = rm.tables.Remove(ctx, r.Actor(), snap.ID, who)
	case "pause":
		done = "bot.moderate.paused"
		_, err = rm.tables.Pause(ctx, r.Actor(), snap.ID)
	case "resume":
		done = "bot.moderate.resumed"
		_, err = rm.tables.Resume(ctx, r.Actor(), snap.ID, "")
	case "end":
		if !r.Actor().May(table.EndGame) {
			return interact.Reply{}, show.Refuse(text.M("table.error.moderators"))
		}
		done = "bot.moderate.ended"
		_, err = rm.tables.Abandon(ctx, r.Actor(), snap.ID)
	case "host":
		done = "bot.moderate.host"
		_, err = rm.tables.HandOver(ctx, r.Actor(), snap.ID, who, name)
	case "here":
		if _, err := rm.find.Place(ctx, r); err != nil {
			return interact.Reply{}, err
		}
		done = "bot.moderate.here"
		_, err = rm.tables.Rehouse(ctx, r.Actor(), snap.ID, r.ChannelID)
	default:
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M(done, "Table", snap.ID.String(), "Who", text.User(who))))}, nil
}
