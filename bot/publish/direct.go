package publish

import (
	"context"
	"errors"

	"github.com/bwmarrin/discordgo"

	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
)

// callDirectly writes to those of the called who want to be called by direct message, and returns
// whom the message in the channel calls: the others, those who want both, and those to whom nothing
// can be written.
func (rm *Room) callDirectly(ctx context.Context, n table.News, m *show.Message,
	settings table.Settings) ([]string, error) {
	var here []string
	for _, user := range m.Pings {
		p, err := rm.tables.Choices.Preferences(ctx, user)
		if err != nil {
			return nil, err
		}
		if n.Guild == "" || p.Calls == table.CallInChannel || p.Calls == table.CallDaily && n.Presses() {
			here = append(here, user)
			continue
		}
		if p.Calls == table.CallDaily {
			continue
		}
		s := rm.languages.Personal(user, n.Guild, p, settings)
		letter := show.Text(s.Say(text.M("bot.call.direct", "Game", n.Rules().Info().Name, "Table", n.ID.String(),
			"Link", text.Link(n.Guild, n.Channel, ""))))
		letter.Nonce = m.Nonce
		dm, err := rm.session.UserChannelCreate(user, discordgo.WithContext(ctx))
		if err == nil {
			_, err = rm.rest.Post(ctx, dm.ID, letter)
		}
		if err != nil && !rest.Unwanted(err) {
			rm.log.InfoContext(ctx, "somebody could not be called by direct message; they are called in the channel",
				"table", n.ID, "error", rest.Scrub(err))
		}
		if err != nil || p.Calls == table.CallBoth {
			here = append(here, user)
		}
	}
	return here, ctx.Err()
}

// callWebhooks has the called told by their webhooks, too. What the channel has been told stands: where
// a call cannot be noted, it is missing.
func (rm *Room) callWebhooks(ctx context.Context, n table.News, id string, called []string) {
	if n.IsSolo() {
		return
	}
	for _, user := range called {
		if err := rm.tables.Webhooks.Call(ctx, user, id, n.Snapshot); err != nil && ctx.Err() == nil &&
			!errors.Is(err, table.ErrClosing) {
			rm.log.ErrorContext(ctx, "a call of a webhook could not be noted; it is left out", "table", n.ID,
				"error", err)
		}
	}
}
