package guide

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/incident"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/games/text"
)

// maxReport limits the characters of a fault report.
const maxReport = 500

// fieldFault is the custom_id of the form's input for the report.
const fieldFault = "fault"

// askFault answers the context menu command on a board's message with a form that asks for a description of the fault.
func (rm *Room) askFault(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, n, err := rm.find.Board(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	return interact.Reply{Modal: show.Form(
		show.CustomID{Action: actionFault, Table: snap.ID.String(), Version: show.Version(snap), Play: n},
		r.Say.Say(text.M("bot.fault.title", "Table", snap.ID.String())),
		show.Asked(r.Say.Say(text.M("bot.fault.label")), r.Say.Say(text.M("bot.fault.help")), discordgo.TextInput{
			CustomID: fieldFault, Style: discordgo.TextInputParagraph, MaxLength: maxReport,
		}))}, nil
}

// reportFault answers the form of a fault report. It logs the report with the table and the play under an id, which
// it shows to the user.
func (rm *Room) reportFault(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	id := incident.ID(ctx)
	said := show.Clip(strings.Join(strings.Fields(r.Form.Value(fieldFault)), " "), maxReport)
	rm.log.WarnContext(ctx, "a player reports a fault", "incident", id, "table", snap.ID, "game", snap.Game,
		"play", r.Control.Play, "version", r.Control.Version,
		"now", snap.Version, "channel", r.ChannelID, "guild", r.GuildID, "said", said)
	return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.fault.done", "Incident", text.Code(id))))}, nil
}
