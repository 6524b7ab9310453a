package publish

import (
	"context"
	"strings"

	"marque/bot/choices"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// moderated returns the events of moderators' acts, except those that leaveOut selects. Each act has two events: one
// with the moderator's name, then the act itself.
func moderated(n table.News, leaveOut func(table.Event) bool) []table.Event {
	var acts []table.Event
	for i, e := range n.Events {
		if e.Kind == storage.Moderated && (i+1 == len(n.Events) || !leaveOut(n.Events[i+1])) {
			acts = append(acts, n.Events[i:min(i+2, len(n.Events))]...)
		}
	}
	return acts
}

// sayEvents returns a line for each event that has a text.
func sayEvents(n table.News, events []table.Event, s *locale.Speaker) []string {
	var lines []string
	for _, e := range events {
		if said := s.Say(describeEvent(n, e)); said != "" {
			lines = append(lines, said)
		}
	}
	return lines
}

// logModerators reports moderators' acts in the server's log channel, if there is one. The report is sent before the
// table's message, so that a stop between them loses neither. If the log channel cannot be reached, the table's message
// is posted without the report.
func (rm *Room) logModerators(ctx context.Context, n table.News, s *locale.Speaker, channel string) {
	acts := moderated(n, func(table.Event) bool { return false })
	if channel == "" || len(acts) == 0 {
		return
	}
	where := s.Say(text.M("bot.log.where", "Game", n.Rules().Info().Name, "Table", n.ID.String(),
		"Channel", text.Channel(n.Channel)))
	m := show.Text(strings.Join(append([]string{where}, sayEvents(n, acts, s)...), "\n"))
	m.Nonce = nonce(n) + "-l"
	if _, err := rm.post(ctx, n, channel, m, choices.Settings{}); err != nil && ctx.Err() == nil {
		rm.log.WarnContext(ctx, "what a moderator did could not be told in the server's log channel", "table", n.ID,
			"server", n.Guild, "error", rest.Scrub(err))
	}
}
