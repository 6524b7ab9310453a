package lobby

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/fair"
	"marque/games/text"
)

// FairnessLine says the first digits of the fingerprint of a table's seed. All of them are behind
// the FairnessButton, which belongs under it.
func FairnessLine(snap *table.Snapshot, s show.Speaker) string {
	return "-# " + s.Say(text.M("bot.lobby.commitment", "Commitment", fair.Short(snap.Commitment())))
}

// FairnessButton shows the whole fingerprint. It carries it, too, so that everybody has it from the
// moment on at which the message stands there, asked for or not.
func FairnessButton(snap *table.Snapshot, s show.Speaker) discordgo.Button {
	return show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.button.fairness")),
		show.CustomID{Action: actionFairness, Table: snap.ID.String(), Arg: snap.Commitment()})
}

// fairness answers the button: the whole fingerprint, what is mixed into the draws and when each of
// it happened, and how to check.
func (rm *Room) fairness(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	lines := []string{
		show.Title(snap, r.Say),
		r.Say.Say(text.M("bot.fairness.commitment", "Commitment", text.Code(snap.Commitment()))),
	}
	id := "bot.fairness.inputs-so-far"
	if snap.HasStarted() {
		id = "bot.fairness.inputs"
	}
	lines = append(lines, r.Say.Say(text.M(id)))
	for i, in := range snap.Inputs() {
		line := fmt.Sprintf("%d. %s", i+1, text.Code(in).Markdown())
		if at, ok := momentOf(in); ok {
			line += fmt.Sprintf(" · <t:%d:T>", at)
		}
		lines = append(lines, line)
	}
	how := "bot.fairness.how"
	if snap.Status == table.Over {
		how = "bot.fairness.how-over"
	}
	lines = append(lines, "-# "+r.Say.Say(text.M(how)))
	return interact.Reply{New: show.Framed(lines)}, nil
}

// discordEpoch is the first moment that an id of Discord can hold, in milliseconds since 1970.
const discordEpoch = 1420070400000

// momentOf is when Discord made the id in an input, in seconds since 1970; false without an id.
func momentOf(input string) (int64, bool) {
	id := input
	if in, err := fair.ParseInput(input); err == nil {
		id = in.ID
	}
	id, _, _ = strings.Cut(id, "-") // of computer players under the first version
	n, err := strconv.ParseUint(id, 10, 64)
	return (int64(n>>22) + discordEpoch) / 1000, err == nil && n>>22 > 0
}
