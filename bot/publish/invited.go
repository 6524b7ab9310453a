package publish

import (
	"context"
	"slices"
	"strings"

	"marque/bot/choices"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text/locale"
	"marque/storage"
)

// callInvited pings users who were invited after the table was opened. Edits of the lobby ping nobody, so it posts
// a message below the lobby. It leaves out invitations that have been answered since.
func (rm *Room) callInvited(ctx context.Context, n table.News, settings choices.Settings, s *locale.Speaker) error {
	var who, lines []string
	for i, e := range n.Events {
		if !awaits(n, e) || slices.Contains(who, e.User) {
			continue
		}
		if i > 0 && (n.Events[i-1].Kind == storage.Moderated || n.Events[i-1].Kind == storage.Chosen) {
			lines = append(lines, s.Say(describeEvent(n, n.Events[i-1])))
		}
		who, lines = append(who, e.User), append(lines, s.Say(describeEvent(n, e)))
	}
	if len(who) == 0 || n.Status != table.Lobby {
		return nil
	}
	m := show.Text(strings.Join(lines, "\n"))
	m.Components = append(m.Components, show.Rows(rm.lobby.AnswerButtons(n.Snapshot, s)...)...)
	m.Nonce = nonce(n) + "-i"
	var undo func()
	m.Pings, undo = rm.pings.take(n.Guild, who, rm.tables.Lookup.Now())
	_, err := rm.post(ctx, n, n.Channel, m, settings)
	if err != nil {
		undo()
	}
	return err
}

// awaits reports whether an event is an invitation that has not been answered.
func awaits(n table.News, e table.Event) bool {
	return e.Kind == storage.Invited && slices.Contains(n.Invited(), e.User)
}
