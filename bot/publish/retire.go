package publish

import (
	"cmp"
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text/locale"
)

// retire folds a table's previous message to its texts, deletes it, or leaves it alone, as the server's settings
// require. retire runs before the newer message is recorded, so that a restart after a kill repeats it. Nothing
// depends on its success.
func (rm *Room) retire(ctx context.Context, n table.News, settings choices.Settings, old show.Posted,
	s *locale.Speaker) {
	if old.Board == "" || settings.Boards == choices.BoardsKeep || old.Channel == "" && moved(n) {
		return
	}
	channel := cmp.Or(old.Channel, n.Channel)
	m := rm.folded(n, old, s)
	if m == nil || settings.Boards == choices.BoardsReplace && !old.Begins {
		rm.delete(ctx, n, channel, old.Board)
		return
	}
	rm.tidy(ctx, n.ID, "an old board could not be folded", func(ctx context.Context) error {
		return rm.edit(ctx, channel, old.Board, m)
	})
}

// assumedMoves is the assumed number of moves in a message whose content is no longer known.
const assumedMoves = 3

// folded returns the message that remains when a board is folded: its texts, and the button about fair draws if the
// message began the game. It returns nil if the message had only texts that no longer apply, such as a reminder.
func (rm *Room) folded(n table.News, old show.Posted, s *locale.Speaker) *show.Message {
	lines := said(old.Lines, old.Earlier, len(old.Lines), s)
	if old.Lines == nil {
		for i := max(show.LaidOut(n.Snapshot), n.From-assumedMoves); i < n.From; i++ {
			if t := show.DescribePlay(n.Snapshot, games.Spectator, i, s); t != "" {
				lines = append(lines, t)
			}
		}
	}
	var fairness []discordgo.Button
	if old.Begins {
		fairness = append(fairness, show.BegunFairButton(n.Snapshot, s))
	}
	if len(lines) == 0 && !old.Begins {
		return nil
	}
	m := show.Text(strings.Join(append([]string{"-# " + show.Name(n.Snapshot, s)}, lines...), "\n"))
	m.Components = append(m.Components, show.Rows(fairness...)...)
	return m
}

// delete deletes an outdated message of a table. Nothing depends on its success.
func (rm *Room) delete(ctx context.Context, n table.News, channel, id string) {
	if id == "" {
		return
	}
	rm.tidy(ctx, n.ID, "an old message could not be removed", func(ctx context.Context) error {
		if held := rm.rest.Clicks.Of(channel, id); held != nil {
			rm.rest.Clicks.Drop(id)
			if rm.rest.DeleteOriginal(ctx, held) == nil {
				return nil
			}
		}
		return rm.rest.Delete(ctx, channel, id)
	})
}
