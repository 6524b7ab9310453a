package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/gateway"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/timesource"
	"marque/games/text"
	"marque/games/text/locale"
)

// pressTime limits the duration of the test in a channel, in which somebody must press the button.
const pressTime = 5 * time.Minute

// interactionPosts tests, step by step in a channel, how boards are posted with the token of a click when players use
// buttons.
func (d *doctor) interactionPosts(ctx context.Context, session *discordgo.Session) {
	const about = "interaction posts"
	sentences, err := locale.Load()
	if err != nil {
		d.amiss(about, "%v", err)
		return
	}
	say := sentences.Speaker(nil, "en").Say
	client := rest.Client{Session: session}
	// step prints the outcome of one step, and reports whether to go on with the test.
	step := func(what string, err error) bool {
		switch {
		case err == nil:
			d.fine(about, "%s", what)
		case rest.Code(err) == 40060:
			d.amiss(about, "%s: another process of the bot has answered the click already; stop the bot, and try again",
				what)
		default:
			d.amiss(about,
				"%s: it does not hold, %v; MARQUE_INTERACTION_POSTS=false has boards posted with the bot's token alone",
				what, rest.Scrub(err))
		}
		return err == nil
	}

	ctx, cancel := context.WithTimeout(ctx, pressTime)
	defer cancel()
	link := gateway.New(session, timesource.System{}, slog.New(slog.DiscardHandler))
	link.Force(d.cfg.Shards)
	button := show.CustomID{Action: "doctor", Arg: rand.Text()}
	pressed := make(chan *discordgo.Interaction, 1)
	link.On(func(_ bool, e *discordgo.InteractionCreate) {
		if e.Interaction == nil || e.Type != discordgo.InteractionMessageComponent ||
			e.MessageComponentData().CustomID != button.String() {
			return
		}
		select {
		case pressed <- e.Interaction:
		default:
		}
	})
	if !step("the gateway takes a connection", link.Open(ctx)) {
		return
	}
	defer func() {
		leaving, leave := context.WithCancel(context.WithoutCancel(ctx))
		leave()
		_ = link.Keep(leaving)
	}()
	m := show.Text(say(text.M("bot.doctor.press")))
	m.Components = append(m.Components, show.Rows(show.Button(discordgo.PrimaryButton, say(text.M("bot.doctor.button")),
		button))...)
	first, err := client.Post(ctx, d.channel, m)
	if !step("a message is posted with the bot's token; press its button in Discord", err) {
		return
	}
	remove := func(id string) {
		_ = session.ChannelMessageDelete(d.channel, id, discordgo.WithContext(context.WithoutCancel(ctx)))
	}
	defer remove(first)
	var click *discordgo.Interaction
	select {
	case click = <-pressed:
	case <-ctx.Done():
		d.amiss(about, "nobody pressed the button within %v", pressTime)
		return
	}
	if !step("the click is answered by a deferred update",
		client.Respond(ctx, click, rest.Callback{Type: discordgo.InteractionResponseDeferredMessageUpdate}, nil)) {
		return
	}
	second := show.Text(say(text.M("bot.doctor.posted", "Who", text.User(user(click)))))
	second.Pings = []string{user(click)}
	id, err := client.PostBy(ctx, click, second)
	if !step("a second message is posted with the click's token", err) {
		return
	}
	defer remove(id)
	stands, err := session.ChannelMessage(d.channel, id, discordgo.WithContext(ctx))
	if !step("the channel has it", err) {
		return
	}
	if !slices.ContainsFunc(stands.Mentions, func(u *discordgo.User) bool { return u.ID == user(click) }) {
		d.amiss(about,
			"it pings who is named: it does not hold; MARQUE_INTERACTION_POSTS=false has boards posted with the bot's token alone")
		return
	}
	d.fine(about, "it pings who is named")
	if !step("the message with the button is edited with the click's token",
		client.EditOriginal(ctx, click, show.Text(say(text.M("bot.doctor.folded"))))) {
		return
	}
	folded, err := session.ChannelMessage(d.channel, first, discordgo.WithContext(ctx))
	if err == nil && len(folded.Components) != 1 {
		d.amiss(about,
			"it has lost its button: it does not hold; MARQUE_INTERACTION_POSTS=false has boards posted with the bot's token alone")
		return
	}
	if step("it has lost its button", err) && step("the second message is edited with the bot's token",
		client.Edit(ctx, d.channel, id, show.Text(say(text.M("bot.doctor.folded"))))) {
		step("the first message is deleted with the click's token", client.DeleteOriginal(ctx, click))
	}
}

// user returns the id of the user who made an interaction.
func user(i *discordgo.Interaction) string {
	if i.Member != nil {
		return i.Member.User.ID
	}
	return i.User.ID
}
