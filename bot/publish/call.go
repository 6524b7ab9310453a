package publish

import (
	"context"
	"errors"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/webhook"
	"marque/games/text"
	"marque/storage"
)

// Call is the reason why a message pings a user, with the texts and events for the user's other ways to be notified.
type Call struct {
	Letter  text.Message        // text of the direct message
	Presses bool                // urgent: the user's digest would come too late
	Begins  bool                // a game begins: the direct message is silent shortly after another one
	Waits   storage.WebhookCall // event for the user's webhook; empty if the webhook is not called
}

// Calling describes a message that may ping people, with the functions that find and post it.
type Calling struct {
	Guild    string // "" for direct messages, in which Preferences.Calls has no effect
	Settings choices.Settings
	Why      func(user string) Call // reason for each pinged user
	// Stands returns the message's id if it has been posted before, else "". Post posts the message and returns its id.
	Stands, Post func() (string, error)
}

// Call posts a message, unless it has already been posted. It pings each user in the way they chose: in the
// channel, by direct message, by both, or in the daily digest. It also calls their webhooks. On a server that chose
// no pings, it notifies nobody. All pings of users go through Call. If the message has already been posted, Call
// repeats only the webhook calls, because it is unknown whether they were scheduled.
func (rm *Room) Call(ctx context.Context, c Calling, m *show.Message) (id string, err error) {
	if c.Settings.Silent {
		m.Pings = nil
	}
	called := m.Pings
	if id, err = c.Stands(); id == "" && err == nil {
		if m.Pings, err = rm.callDirectly(ctx, c, m); err == nil {
			id, err = c.Post()
		}
	}
	if err == nil {
		rm.callWebhooks(ctx, c, m.Nonce, called)
	}
	return id, err
}

// callDirectly sends direct messages to the users who want them. It returns the users whom the message in the channel
// must ping: those who chose the channel or both, those whose digest would come too late, and those who cannot get a
// direct message. If the channel is itself a direct message, these are all users.
func (rm *Room) callDirectly(ctx context.Context, c Calling, m *show.Message) ([]string, error) {
	var here []string
	for _, user := range m.Pings {
		p, err := rm.tables.Choices.Preferences(ctx, user)
		if err != nil {
			return nil, err
		}
		why := c.Why(user)
		if c.Guild == "" || p.Calls == choices.CallInChannel || p.Calls == choices.CallDaily && why.Presses {
			here = append(here, user)
			continue
		}
		if p.Calls == choices.CallDaily {
			continue
		}
		letter := show.Text(rm.languages.Personal(user, c.Guild, p, c.Settings).Say(why.Letter))
		fresh, undo := rm.letters.take(c.Guild, []string{user}, rm.tables.Lookup.Now())
		letter.Nonce, letter.Silent = m.Nonce, why.Begins && len(fresh) == 0
		dm, err := rm.session.UserChannelCreate(user, discordgo.WithContext(ctx))
		if err == nil {
			_, err = rm.rest.Post(ctx, dm.ID, letter)
		}
		if err != nil {
			undo()
		}
		if err != nil && !rest.Unwanted(err) {
			rm.log.InfoContext(ctx, "somebody could not be called by direct message; they are called in the channel",
				"message", m.Nonce, "error", rest.Scrub(err))
		}
		if err != nil || p.Calls == choices.CallBoth {
			here = append(here, user)
		}
	}
	return here, ctx.Err()
}

// callWebhooks calls the webhooks of the pinged users, each with an id of its own, because one program can serve
// several users. A call that cannot be recorded is dropped, because the message is already in the channel.
func (rm *Room) callWebhooks(ctx context.Context, c Calling, id string, called []string) {
	for _, user := range called {
		why := c.Why(user)
		if why.Waits.Event == "" {
			continue
		}
		if err := rm.webhooks.Call(ctx, user, id+"-"+user, why.Waits); err != nil && ctx.Err() == nil &&
			!errors.Is(err, table.ErrClosing) {
			rm.log.ErrorContext(ctx, "a call of a webhook could not be noted; it is left out", "message", id,
				"error", err)
		}
	}
}

// why returns the reason why a message about a table's events pings a user.
func why(n table.News, user string) Call {
	c := Call{
		Presses: n.Presses(), Begins: startedNow(n),
		Letter: text.M("bot.call.direct", "Game", n.Rules().Info().Name, "Table", n.ID.String(),
			"Link", text.Link(n.Guild, n.Channel, "")),
	}
	if !n.IsSolo() {
		c.Waits = webhook.CallOf(n.Snapshot, user, boardIsNews(n) || calls(n))
	}
	return c
}
