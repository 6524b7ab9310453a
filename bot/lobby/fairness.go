package lobby

import (
	"context"
	"fmt"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/fair"
	"marque/games/text"
)

// fairness replies to the Fairness button with the whole fingerprint, the inputs of the draws with their times, and
// instructions for checking them.
func (rm *Room) fairness(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	commitment := "bot.fairness.commitment"
	if !snap.Rules().Traits().Chance {
		commitment = "bot.fairness.commitment-seats"
	}
	lines := []string{
		show.Title(snap, r.Say),
		r.Say.Say(text.M(commitment, "Commitment", text.Code(snap.Commitment()))),
	}
	id := "bot.fairness.inputs-so-far"
	if snap.HasStarted() {
		id = "bot.fairness.inputs"
	}
	if snap.HasStarted() {
		start, fingerprint := snap.Start()
		lines = append(lines, r.Say.Say(text.M("bot.fairness.beginning", "Start", text.Code(start),
			"Fingerprint", text.Code(fingerprint))))
	}
	lines = append(lines, r.Say.Say(text.M(id)))
	for i, in := range snap.Inputs() {
		line := fmt.Sprintf("%d. %s", i+1, text.Code(in).Markdown())
		read, _ := fair.ParseInput(in)
		if at, ok := momentOf(read.ID); ok {
			line += fmt.Sprintf(" · <t:%d:T>", at)
		}
		lines = append(lines, line)
	}
	if last := snap.LastPlayed(); last != "" {
		_, id, _ := fair.ParsePlayed(last)
		line := r.Say.Say(text.M("bot.fairness.played", "Played", text.Code(last)))
		if at, ok := momentOf(id); ok {
			line += fmt.Sprintf(" · <t:%d:T>", at)
		}
		lines = append(lines, line)
	}
	how := "bot.fairness.how"
	if snap.Status == table.Over {
		if how = "bot.fairness.how-over"; !snap.HasStarted() {
			how = "table.news.closed"
		}
		if seed := snap.Seed(); seed != "" {
			lines = append(lines, r.Say.Say(text.M("bot.fairness.seed", "Seed", text.Code(seed))))
		}
	}
	lines = append(lines, "-# "+r.Say.Say(text.M(how)))
	return interact.Reply{New: show.Framed(lines)}, nil
}

// momentOf returns the time at which Discord created an id, in seconds since 1970.
func momentOf(id string) (int64, bool) {
	at, ok := fair.Moment(id)
	return at / 1000, ok
}
