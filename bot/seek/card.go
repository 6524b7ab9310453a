package seek

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/publish"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/webhook"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

const (
	// lookPause is the time from one search for due seeks to the next, unless Keep is woken earlier or is still busy.
	lookPause = 15 * time.Second
	// patience is the time limit for the work on one server.
	patience = time.Minute
	// atOnce limits the servers that are processed at the same time.
	atOnce = 8
	// maxShown limits the seeks in the text of the list. Its menu has all of them.
	maxShown = 12
)

// Keep opens the tables of paired users, lets seeks expire and updates the messages with the open seeks, until ctx
// ends.
func (rm *Room) Keep(ctx context.Context) {
	for ctx.Err() == nil {
		var busy sync.WaitGroup
		slots := make(chan struct{}, atOnce)
		looked, err := rm.Matchmaking.Due(ctx, func(guild string) {
			slots <- struct{}{}
			busy.Go(func() {
				defer func() { <-slots }()
				rm.tend(ctx, guild)
			})
		})
		busy.Wait()
		if err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
			rm.Log.ErrorContext(ctx, "who looks for a game cannot be read; trying again", "error", err)
		}
		rm.Matchmaking.Wait(ctx, looked, lookPause)
	}
}

// tend does the work that is due on a server. Failed steps are retried later.
func (rm *Room) tend(ctx context.Context, guild string) {
	work, cancel := context.WithTimeout(rest.For(ctx, rest.Boards), patience)
	defer cancel()
	err := rm.advance(work, guild)
	if err == nil || ctx.Err() != nil || errors.Is(err, table.ErrNotOwner) || errors.Is(err, table.ErrClosing) {
		return
	}
	// The server or Discord is the cause, not the program.
	if rest.Failed(err) || rest.Final(err) && rest.Code(err) != rest.CodeInvalidForm {
		rm.Log.WarnContext(ctx, "the list of those who look for a game could not be kept; trying again later",
			"guild", guild, "error", rest.Scrub(err))
	} else {
		rm.Log.ErrorContext(ctx, "the list of those who look for a game could not be kept; trying again later",
			"guild", guild, "error", rest.Scrub(err))
	}
	if err := rm.Matchmaking.PutOff(ctx, guild); err != nil && ctx.Err() == nil && !errors.Is(err,
		table.ErrNotOwner) && !errors.Is(err, table.ErrClosing) {
		rm.Log.ErrorContext(ctx, "it could not be noted when the list is tried again", "guild", guild, "error", err)
	}
}

func (rm *Room) advance(ctx context.Context, guild string) error {
	now, err := rm.Matchmaking.Advance(ctx, guild, rm.keys())
	if err != nil {
		return err
	}
	settings, err := rm.Tables.Choices.Settings(ctx, guild)
	if err != nil {
		return err
	}
	s := rm.Languages.Public(guild, settings)
	var failed error // the following steps are independent of each other
	for _, p := range now.Found {
		failed = errors.Join(failed, rm.open(ctx, guild, now.Channel, settings, p, s))
	}
	if now, err = rm.Matchmaking.On(ctx, guild); err != nil {
		return errors.Join(failed, err)
	}
	for _, w := range now.Lapsed {
		failed = errors.Join(failed, rm.lapsed(ctx, guild, now.Channel, w))
	}
	if now, err = rm.Matchmaking.On(ctx, guild); err != nil || now.Version == now.Shown {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, rm.show(ctx, guild, settings, now, s))
}

// lapsed tells a user, in a silent direct message, that their search has ended without a game. If direct messages do
// not reach the user, they see only that the message with the open seeks no longer lists them.
func (rm *Room) lapsed(ctx context.Context, guild, channel string, w storage.Seek) error {
	prefs, err := rm.Tables.Choices.Preferences(ctx, w.User)
	if err != nil {
		return err
	}
	settings, err := rm.Tables.Choices.Settings(ctx, guild)
	if err != nil {
		return err
	}
	s := rm.Languages.Personal(w.User, guild, prefs, settings)
	m := show.Text(s.Say(text.M("bot.seek.lapsed", "Game", rm.gameName(w.Game), "Channel", text.Channel(channel))))
	m.Nonce, m.Silent = "lapse-"+w.Key, true
	dm, err := rm.Rest.Session.UserChannelCreate(w.User, discordgo.WithContext(ctx))
	if err == nil {
		_, err = rm.Rest.Post(ctx, dm.ID, m)
	}
	if err != nil && !rest.Unwanted(err) {
		return err
	}
	rm.found(guild, w.User)
	return rm.Matchmaking.DropLapsed(ctx, guild, w.Key)
}

// found deletes the private message to a user who was looking for a game, because its button is no longer useful.
func (rm *Room) found(guild, user string) {
	rm.Private.Asked(user, privately(guild), rm.steps.Add(1))
}

// open opens the table of a pairing, in a thread under the message to its users, or in the channel.
func (rm *Room) open(ctx context.Context, guild, channel string, settings choices.Settings, p storage.Pairing,
	s *locale.Speaker) error {
	again := p.Card.Message != ""
	if !again {
		roles, err := rm.roles(ctx, guild, p)
		if err != nil {
			return err
		}
		if stands, err := rm.Matchmaking.Recheck(ctx, guild, p.Key, roles); err != nil || !stands {
			return err
		}
		var who []text.Message
		m := &show.Message{Nonce: "seek-" + p.Key}
		for _, o := range p.Players {
			who = append(who, text.User(o.User).Raw())
			m.Pings = append(m.Pings, o.User)
			rm.found(guild, o.User)
		}
		id := "bot.seek.pair"
		if len(p.Players) == 1 {
			id = "bot.seek.against-computer"
		}
		m.Components = show.Text(s.Say(text.M(id, "Who", who, "Game", rm.gameName(p.Game)))).Components
		found := publish.Call{
			Letter: text.M("bot.call.found", "Game", rm.gameName(p.Game), "Link", text.Link(guild, channel, "")),
		}
		if len(p.Players) > 1 { // the webhook of a user who plays only computers is not called
			found.Waits = storage.WebhookCall{Event: webhook.CalledToGame, Server: guild, Channel: channel}
		}
		message, err := rm.Publish.Call(ctx, publish.Calling{
			Guild: guild, Settings: settings, Why: func(string) publish.Call { return found },
			Stands: func() (string, error) { return "", nil },
			Post:   func() (string, error) { return rm.Rest.Post(ctx, channel, m) },
		}, m)
		if err != nil {
			return err
		}
		p.Card = storage.Card{Channel: channel, Message: message}
		if err := rm.Matchmaking.Posted(ctx, guild, p.Key, p.Card); err != nil {
			return err
		}
	}
	card := p.Card
	here, err := rm.thread(ctx, settings, card, p, again, s)
	if err != nil {
		return err
	}
	p.Card = storage.Card{} // a table in the channel itself needs no message of its own
	if here != card.Channel {
		p.Card = storage.Card{Channel: card.Channel, Message: card.Message, Thread: here}
	}
	computers := rm.Lobby.Computers(s, p.Computers)
	_, err = rm.Tables.OpenPairing(ctx, guild, here, p, computers)
	refused := (*table.Refusal)(nil)
	switch {
	case errors.Is(err, storage.ErrNoPairing): // another attempt has opened the table, or the pairing was dissolved
		return nil
	case errors.As(err, &refused):
		rm.Lobby.Drop(ctx, p.Card, card)
		return rm.Matchmaking.GiveUp(ctx, guild, p.Key)
	}
	return err
}

// roles returns the current roles of a pairing's players, by user. Users who have left the server have no entry.
func (rm *Room) roles(ctx context.Context, guild string, p storage.Pairing) (map[string][]string, error) {
	roles := map[string][]string{}
	for _, o := range p.Players {
		m, err := rm.Rest.Session.GuildMember(guild, o.User, discordgo.WithContext(ctx))
		switch {
		case err == nil:
			roles[o.User] = m.Roles
		case rest.Code(err) != rest.CodeUnknownMember && rest.Code(err) != rest.CodeUnknownUser:
			return nil, fmt.Errorf("asking for a member's roles: %w", err)
		}
	}
	return roles, nil
}

// thread opens the thread of a table under its message, if the server's settings want threads, and returns the thread's
// id. Without a thread it returns the channel's id. It reuses the thread of an earlier attempt.
func (rm *Room) thread(ctx context.Context, settings choices.Settings, card storage.Card, p storage.Pairing, again bool,
	s *locale.Speaker) (string, error) {
	if settings.Threads == choices.ThreadsNever {
		return card.Channel, nil
	}
	if settings.Threads == choices.ThreadsWhenBusy {
		there, err := rm.Tables.Lookup.InChannel(ctx, card.Channel)
		if err != nil || len(there) == 0 {
			return card.Channel, err
		}
	}
	if again {
		_, err := rm.Rest.Session.Channel(card.Message, discordgo.WithContext(ctx))
		if err == nil {
			return card.Message, nil
		}
		if rest.Code(err) != rest.CodeUnknownChannel {
			return "", fmt.Errorf("looking for a thread: %w", err)
		}
	}
	err := rm.Lobby.StartThread(ctx, card.Channel, card.Message, s, p.Game, p.Players[0].Name)
	if rest.Threadless(err) {
		return card.Channel, nil
	}
	if err != nil {
		return "", fmt.Errorf("opening a thread: %w", err)
	}
	return card.Message, nil
}

// show updates the message with the open seeks. If users have joined since the last ping and that ping is old enough,
// it posts the message again, so that everybody sees it.
func (rm *Room) show(ctx context.Context, guild string, settings choices.Settings, now storage.Seeks,
	s *locale.Speaker) error {
	card := now.Card
	if len(now.Waiting) == 0 && card.Message == "" && settings.SeekChannel == "" {
		return rm.Matchmaking.Shown(ctx, guild, now, card, false)
	}
	call := rm.Matchmaking.Calls(now, settings)
	m, err := rm.card(ctx, guild, settings, now, s)
	if err != nil {
		return err
	}
	if card.Message != "" && card.Channel == now.Channel && !call {
		err := rm.Rest.Edit(ctx, card.Channel, card.Message, m)
		old := (*rest.OldEditsError)(nil)
		switch gone := rest.Code(err) == rest.CodeUnknownMessage || rest.Code(err) == rest.CodeUnknownChannel; {
		case err == nil:
			return rm.Matchmaking.Shown(ctx, guild, now, card, false)
		case gone: // the message was deleted
			card = storage.Card{}
		case !errors.As(err, &old): // a message that is too old for edits is replaced below
			return err
		}
	}
	if card.Message != "" { // the old message is deleted first, so that there are never two
		if err := rm.Rest.Delete(ctx, card.Channel, card.Message); err != nil {
			return err
		}
	}
	m.Nonce = fmt.Sprintf("seeks-%d", now.Version)
	if call && settings.SeekRole != "" && !settings.Silent {
		m.PingRoles = []string{settings.SeekRole}
		m.Components = append(m.Components, show.Paragraph("-# "+s.Say(text.M("bot.seek.calling",
			"Role", text.Role(settings.SeekRole)))))
	}
	id, err := rm.Rest.Post(ctx, now.Channel, m)
	if err != nil {
		return err
	}
	return rm.Matchmaking.Shown(ctx, guild, now, storage.Card{Channel: now.Channel, Message: id}, call)
}

// card returns the message that lists the open seeks.
func (rm *Room) card(ctx context.Context, guild string, settings choices.Settings, now storage.Seeks,
	s *locale.Speaker) (*show.Message, error) {
	lines := []string{"### " + s.Say(text.M("bot.seek.title"))}
	if len(now.Waiting) == 0 {
		lines = append(lines, s.Say(text.M("bot.seek.nobody")))
	}
	for i, w := range now.Waiting {
		if i == maxShown {
			lines = append(lines, s.Say(text.M("bot.seek.more", "Count", len(now.Waiting)-maxShown)))
			break
		}
		line, err := rm.line(ctx, guild, w, s)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	parts := []discordgo.MessageComponent{show.Container(show.Accent,
		show.Paragraph(show.Clip(strings.Join(lines, "\n"), show.MaxText)))}
	if len(now.Waiting) > 0 {
		menu := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu,
			CustomID: show.CustomID{Action: actionAnswer}.String(), Placeholder: s.Say(text.M("bot.seek.answer"))}
		for _, w := range now.Waiting {
			label := s.Plain().Say(text.M("bot.seek.option", "Who", w.Name, "Game", rm.gameName(w.Game),
				"Speed", speedText(w)))
			menu.Options = append(menu.Options, discordgo.SelectMenuOption{Label: show.Clip(label, show.MaxOptionLabel),
				Value: w.User})
		}
		parts = append(parts, discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}})
	}
	buttons := []discordgo.Button{show.SeekButton(s)}
	if len(now.Waiting) > 0 {
		buttons = append(buttons, stopButton(s))
	}
	if settings.SeekRole != "" {
		buttons = append(buttons, show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.button.seek-call")),
			show.CustomID{Action: actionCall}))
	}
	return &show.Message{Components: append(parts, show.Rows(buttons...)...)}, nil
}

func (rm *Room) line(ctx context.Context, guild string, w storage.Seek, s *locale.Speaker) (string, error) {
	rating, err := rm.Tables.Rating(ctx, guild, w.Game, w.User)
	if err != nil {
		return "", err
	}
	conduct, err := rm.Tables.Conduct(ctx, guild, w.User)
	if err != nil {
		return "", err
	}
	until := "bot.seek.until"
	if w.Computer {
		until = "bot.seek.until-computer"
	}
	line := s.Say(text.M("bot.seek.line", "Who", text.User(w.User), "Rating", rating, "Game", rm.gameName(w.Game),
		"Speed", speedText(w),
		"Until", text.M(until, "Until", text.Moment(w.Until.Time(), text.Relative))))
	if asks, any := show.ConditionsText(w.Conditions); any {
		line += "\n-# " + s.Say(asks)
	}
	if conduct.Known() {
		line += "\n-# " + s.Say(show.ConductText(conduct))
	}
	return line, nil
}

// speedText returns the time for each move that a user wants, as text.
func speedText(w storage.Seek) text.Message {
	if w.Time == 0 {
		return text.M("bot.seek.any-speed")
	}
	return text.M("bot.seek.each-move", "Time", show.DurationText(time.Duration(w.Time)*time.Millisecond))
}
