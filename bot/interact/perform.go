package interact

import (
	"context"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/incident"
	"marque/bot/show"
	"marque/games/text"
)

// Perform executes a user's action outside Discord as an interaction, with the same limits, settings and preferences.
// It calls own, or the handler of the command or control if own is nil. It sends no answer to Discord. It returns the
// handler's reply, or a sentence with the reason why there is none.
func (ro *Router) Perform(ctx context.Context, i *discordgo.Interaction, own *Route) (reply Reply, refused string) {
	r, found, known := ro.route(i)
	if own != nil {
		found, known = declared{Route: *own, anywhere: true}, true
	}
	r.arrival = Arrival{At: time.Now()}
	ctx = incident.Begin(ctx)
	defer ro.report(r, known)
	have, room, _ := ro.enter(r.User.ID)
	if !room {
		r.outcome = Dropped
		return Reply{}, r.Say.Say(text.M("bot.error.busy"))
	}
	defer ro.leave(r.User.ID)
	err := error(show.Refuse(text.M("bot.error.too-many", "Count", ofOneUser)))
	if have < ofOneUser {
		reply, err = ro.perform(ctx, r, found, known)
	}
	switch {
	case err != nil && ctx.Err() != nil: // the user has stopped waiting
		r.outcome = Dropped
		return Reply{}, r.Say.Say(text.M("bot.error.busy"))
	case err != nil:
		refused = ro.explain(ctx, r, err)
	}
	r.first = time.Since(r.arrival.At)
	return reply, refused
}

func (ro *Router) perform(ctx context.Context, r *Request, found declared, known bool) (Reply, error) {
	giveBack, ok := ro.slot(ctx, func() {})
	if !ok {
		return Reply{}, ctx.Err()
	}
	defer giveBack()
	ctx, cancel := ro.limit(ctx, r)
	defer cancel()
	rt, refusal := found.Route, found.refuses(r, known)
	if refusal != nil {
		rt = Route{}
	}
	return ro.reply(ctx, r, rt, refusal)
}
