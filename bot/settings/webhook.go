package settings

import (
	"context"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/webhook"
	"marque/games/text"
	"marque/storage"
)

// Arguments of the webhook's controls.
const (
	webhookAsk    = "ask"
	webhookSet    = "set"
	webhookRemove = "remove"
)

// webhookState is the state of a user's webhook that the preferences show.
type webhookState struct {
	set, failing bool
	key          storage.Secret // key that signs the webhook's calls; "" if it is not shown
}

func (rm *Room) webhookState(ctx context.Context, r *interact.Request) (webhookState, error) {
	set, failed, err := rm.webhooks.Of(ctx, r.User.ID)
	return webhookState{set: set, failing: failed > 0}, err
}

// webhook adds the state of the webhook, with buttons to set and to remove it.
func (p *panel) webhook(is webhookState) {
	now := "bot.preferences.webhook-none"
	switch {
	case is.failing:
		now = "bot.preferences.webhook-failing"
	case is.set:
		now = "bot.preferences.webhook-set"
	}
	p.heading(p.say("bot.preferences.webhook"), p.say(now))
	if is.key != "" {
		once := text.M("bot.preferences.webhook-key", "Key", text.Code("whsec_"+is.key.Reveal()))
		p.parts = append(p.parts, show.Paragraph(p.r.Say.Say(once)))
	}
	id := func(arg string) show.CustomID { return show.CustomID{Action: actionWebhook, Arg: arg} }
	buttons := []discordgo.Button{show.Button(discordgo.SecondaryButton, p.say("bot.preferences.webhook-button"),
		id(webhookAsk))}
	if is.set {
		buttons = append(buttons, show.Button(discordgo.SecondaryButton, p.say("bot.preferences.webhook-remove"),
			id(webhookRemove)))
	}
	p.parts = append(p.parts, show.Rows(buttons...)...)
}

// webhook answers the controls of the webhook. The text typed into its form is never shown again.
func (rm *Room) webhook(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	var key storage.Secret
	switch r.Control.Arg {
	case webhookAsk:
		say := func(id string) string { return r.Say.Plain().Say(text.M(id)) }
		return interact.Reply{Modal: show.Form(show.CustomID{Action: actionWebhook, Arg: webhookSet},
			say("bot.preferences.webhook-button"),
			show.Asked(say("bot.preferences.webhook-label"), say("bot.preferences.webhook-help"), discordgo.TextInput{
				CustomID: webhookSet, Style: discordgo.TextInputShort, MaxLength: storage.MaxWebhook,
				Placeholder: "https://example.org/marque",
			}))}, nil
	case webhookSet:
		address, err := webhook.Parse(r.Form.Value(webhookSet))
		if err == nil {
			key, err = rm.webhooks.Set(ctx, r.User.ID, address)
		}
		if err != nil {
			return interact.Reply{}, err
		}
	case webhookRemove:
		if err := rm.webhooks.Remove(ctx, r.User.ID); err != nil {
			return interact.Reply{}, err
		}
	}
	is, err := rm.webhookState(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	is.key = key
	return interact.Reply{Update: rm.preferencesPanel(r, r.Prefs, is)}, nil
}
