package lobby

import (
	"context"
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/fair"
	"marque/games/text"
)

// fairness replies to the Fair play button. The fingerprints, and the inputs of the draws with their times, are in
// small print.
func (rm *Room) fairness(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	say := func(id string, args ...any) string { return r.Say.Say(text.M(id, args...)) }
	fixed, check := "bot.fairness.fixed", "bot.fairness.check"
	chance := snap.Rules().Traits().Chance // without it, at most the seats are drawn, before the first move
	if !chance {
		fixed = "bot.fairness.fixed-seats"
	}
	if snap.Status == table.Over {
		if check = "bot.fairness.check-over"; !snap.HasStarted() {
			check = "table.news.closed"
		}
	}
	plain := []string{show.Title(snap, r.Say), say(fixed), say(check)}

	small := []string{say("bot.fairness.commitment", "Commitment", text.Code(snap.Commitment()))}
	if seed := snap.Seed(); seed != "" && snap.Status == table.Over {
		small = append(small, say("bot.fairness.seed", "Seed", text.Code(seed)))
	}
	id := "bot.fairness.inputs-so-far"
	if snap.HasStarted() {
		id = "bot.fairness.inputs"
		start, fingerprint := snap.Start()
		small = append(small, say("bot.fairness.beginning", "Start", text.Code(start),
			"Fingerprint", text.Code(fingerprint)))
	}
	small = append(small, say(id))
	for i, in := range snap.Inputs() {
		read, _ := fair.ParseInput(in)
		small = append(small, fmt.Sprintf("%d. %s", i+1, text.Code(in).Markdown())+momentOf(read.ID))
	}
	if last := snap.LastPlayed(); last != "" && snap.Status != table.Over && chance {
		_, id, _ := fair.ParsePlayed(last)
		small = append(small, say("bot.fairness.played", "Played", text.Code(last))+momentOf(id))
	}
	if snap.HasStarted() || snap.Status != table.Over {
		small = append(small, say("bot.fairness.export"))
	}
	return interact.Reply{New: &show.Message{Components: []discordgo.MessageComponent{show.Container(show.Accent,
		show.Paragraph(strings.Join(plain, "\n")), show.Paragraph("-# "+strings.Join(small, "\n-# ")))}}}, nil
}

// momentOf returns the time at which Discord created an id, as a text to be written after the id. It returns "" for
// other ids.
func momentOf(id string) string {
	at, ok := fair.Moment(id)
	if !ok {
		return ""
	}
	return fmt.Sprintf(" · <t:%d:T>", at/1000)
}
