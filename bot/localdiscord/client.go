package localdiscord

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"marque/bot/localdiscord/page"
)

// Errors of actions that Discord's client refuses without sending them to the bot.
var (
	ErrNoCommand    = errors.New("localdiscord: no such command here")
	ErrBadOption    = errors.New("localdiscord: the client refuses this option")
	ErrNoComponent  = errors.New("localdiscord: the message has no such component")
	ErrDisabled     = errors.New("localdiscord: the component is disabled")
	ErrBadSelection = errors.New("localdiscord: the menu refuses this selection")
	ErrBadModal     = errors.New("localdiscord: the modal refuses this input")
	ErrNotAllowed   = errors.New("localdiscord: the user may not do this here")
)

// availableCommands returns the commands of the given types that Discord's client offers a user in a channel.
func (s *state) availableCommands(userID string, ch *channel, types ...int) []*command {
	if s.permissions(userID, ch)&PermissionUseCommands == 0 {
		return nil
	}
	var out []*command
	scopes := []string{""}
	if s.hasBot(ch.GuildID) {
		scopes = []string{ch.GuildID, ""}
	}
	installed := s.installs(userID, ch)
	for _, scope := range scopes {
		for _, cmd := range s.commands[scope] {
			if !slices.Contains(types, cmd.Type) || cmd.Contexts != nil && !slices.Contains(cmd.Contexts,
				ch.context()) {
				continue
			}
			if !slices.ContainsFunc(cmd.IntegrationTypes, func(how int) bool { return installed[how] != "" }) {
				continue
			}
			if cmd.DefaultMemberPermissions != nil && ch.GuildID != "" && !s.guilds[ch.GuildID].allows(userID,
				cmd.Name) {
				need, _ := strconv.ParseInt(*cmd.DefaultMemberPermissions, 10, 64)
				has := s.permissions(userID, ch)
				if has&need != need || need == 0 && has&PermissionAdministrator == 0 {
					continue
				}
			}
			out = append(out, cmd)
		}
	}
	return out
}

// hasBot reports whether the server exists and the bot is in it.
func (s *state) hasBot(guildID string) bool {
	g := s.guilds[guildID]
	return g != nil && g.member(Application) != nil
}

// installs returns the owners of the application's installations that apply to a user in a channel. For installUser,
// the owner is the user's id. For installGuild, it is the server's id, or "0" in a DM with the bot if the user shares a
// server with the bot.
func (s *state) installs(userID string, ch *channel) map[int]string {
	how := map[int]string{}
	if s.users[userID].Installed {
		how[installUser] = userID
	}
	shared := func(g *guild) bool { return g.member(userID) != nil }
	switch {
	case s.hasBot(ch.GuildID):
		how[installGuild] = ch.GuildID
	case ch.Type == channelDM && slices.ContainsFunc(s.botGuilds(), shared):
		how[installGuild] = "0"
	}
	return how
}

// client acts for a user as Discord's client does: it refuses impossible actions, and sends other actions to the bot.
// Its methods, except await, run under the hub's lock.
type client struct {
	hub          *hub
	interactions *interactions
}

// startCommand uses a command. If focus names an option, it requests the choices of that option instead.
func (cl *client) startCommand(userID, channelID, line, focus string, given []Option) (*interaction, error) {
	ch, err := cl.hub.state.visibleChannel(userID, channelID)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, ErrNoCommand
	}
	var cmd *command
	for _, c := range cl.hub.state.availableCommands(userID, ch, commandChat) {
		if c.Name == words[0] {
			cmd = c
			break
		}
	}
	if cmd == nil {
		return nil, fmt.Errorf("%w: /%s", ErrNoCommand, words[0])
	}
	in := &interaction{kind: interactionCommand, userID: userID, channelID: ch.ID, command: strings.Join(words, " ")}
	if focus != "" {
		in.kind = interactionAutocomplete
	}
	b := &optionBuilder{state: cl.hub.state, ch: ch, in: in, focus: focus, given: given,
		resolved: cl.hub.state.resolve(userID, ch)}
	opts, err := b.build(cmd.Options, words[1:])
	if err != nil {
		return nil, err
	}
	in.text = "/" + strings.Join(append([]string{in.command}, b.typed...), " ")
	data := map[string]any{"id": cmd.ID, "name": cmd.Name, "type": cmd.Type, "options": orEmpty(opts),
		"resolved": b.resolved}
	if cmd.GuildID != "" {
		data["guild_id"] = cmd.GuildID
	}
	if in.kind == interactionCommand && ch.isThread() && ch.Thread.Archived && !ch.Thread.Locked {
		cl.hub.wakeThread(ch)
	}
	cl.interactions.begin(in, data)
	return in, nil
}

// startMenu chooses a command in the context menu of a user or of a message, or the Entry Point of the application's
// Activity, which has no target.
func (cl *client) startMenu(userID, channelID, name, targetID string) (*interaction, error) {
	ch, err := cl.hub.state.visibleChannel(userID, channelID)
	if err != nil {
		return nil, err
	}
	offered := cl.hub.state.availableCommands(userID, ch, commandUser, commandMessage, commandEntry)
	i := slices.IndexFunc(offered, func(c *command) bool { return c.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoCommand, name)
	}
	cmd := offered[i]
	resolved := cl.hub.state.resolve(userID, ch)
	if cmd.Type == commandUser && !resolved.addUser(targetID) {
		return nil, ErrNoUser
	}
	if cmd.Type == commandMessage {
		m := ch.message(targetID)
		// Discord's client has no context menu commands on ephemeral messages.
		if m == nil || !m.visibleTo(userID) || m.EphemeralTo != "" {
			return nil, ErrNoMessage
		}
		resolved.Messages = map[string]*wireMessage{m.ID: cl.hub.state.messageJSON(m)}
	}
	in := &interaction{kind: interactionCommand, userID: userID, channelID: ch.ID, command: cmd.Name, text: cmd.Name}
	data := map[string]any{"id": cmd.ID, "name": cmd.Name, "type": cmd.Type}
	switch {
	case cmd.Type != commandEntry:
		data["target_id"], data["resolved"] = targetID, resolved
	case cmd.Handler != entryByApp:
		return nil, fmt.Errorf("%w: Discord itself answers it, which is not here", ErrNoCommand)
	}
	cl.interactions.begin(in, data)
	return in, nil
}

// startComponent clicks a button, if values is nil, or chooses values from a menu.
func (cl *client) startComponent(userID, messageID, customID string, values []string) (*interaction, error) {
	ch, m, err := cl.hub.state.visibleMessage(userID, messageID)
	if err != nil {
		return nil, err
	}
	c := findComponent(m.Components, customID)
	if c == nil || c.isSelect() != (values != nil) {
		return nil, fmt.Errorf("%w: %q", ErrNoComponent, customID)
	}
	if c.Disabled || m.loading() {
		return nil, fmt.Errorf("%w: %q", ErrDisabled, customID)
	}
	data := map[string]any{"custom_id": customID, "component_type": c.Type, "id": c.ID}
	if c.isSelect() {
		resolved := cl.hub.state.resolve(userID, ch)
		if err := checkSelection(c, values, resolved); err != nil {
			return nil, err
		}
		if data["resolved"] = resolved; len(values) > 0 { // phones omit empty fields
			data["values"] = values
		}
	}
	in := &interaction{kind: interactionComponent, userID: userID, channelID: ch.ID, source: m}
	cl.interactions.begin(in, data)
	return in, nil
}

var optionKindOfSelect = map[int]int{typeUserSelect: optionUser, typeRoleSelect: optionRole,
	typeMentionableSelect: optionMentionable, typeChannelSelect: optionChannel}

// checkSelection returns an error if the values cannot be chosen from a menu. It adds chosen users, roles and channels
// to resolved.
func checkSelection(c *component, values []string, resolved *wireResolved) error {
	lo, hi := 1, 1
	if c.MinValues != nil {
		lo = *c.MinValues
	}
	if c.MaxValues != nil {
		hi = *c.MaxValues
	}
	if len(values) < lo || len(values) > hi {
		return fmt.Errorf("%w: %d values, between %d and %d wanted", ErrBadSelection, len(values), lo, hi)
	}
	for i, v := range values {
		known := slices.ContainsFunc(c.Options, func(o *selectOption) bool { return o.Value == v })
		if c.Type != typeStringSelect {
			known = resolved.add(optionKindOfSelect[c.Type], v)
		}
		if !known || slices.Contains(values[:i], v) {
			return fmt.Errorf("%w: %q", ErrBadSelection, v)
		}
	}
	return nil
}

// startModal submits the modal that answered an interaction.
func (cl *client) startModal(userID string, opened *interaction, given []Option) (*interaction, error) {
	if opened.modal == nil || opened.userID != userID {
		return nil, fmt.Errorf("%w: it was not opened for this user", ErrBadModal)
	}
	ch, err := cl.hub.state.visibleChannel(userID, opened.channelID)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	for _, g := range given {
		if findComponent(opened.modal.Components, g.Name) == nil {
			return nil, fmt.Errorf("%w: there is no input %q", ErrBadModal, g.Name)
		}
		values[g.Name] = g.Value
	}
	resolved := cl.hub.state.resolve(userID, ch)
	components, err := submitted(opened.modal.Components, values, resolved)
	if err != nil {
		return nil, err
	}
	in := &interaction{kind: interactionModal, userID: userID, channelID: ch.ID, source: opened.source, opener: opened,
		command: opened.command, text: opened.text}
	cl.interactions.begin(in, map[string]any{"custom_id": opened.modal.CustomID, "components": components,
		"resolved": resolved})
	return in, nil
}

// submitted returns a modal's components with the values that the user entered, in Discord's format.
func submitted(cs []*component, values map[string]any, resolved *wireResolved) ([]map[string]any, error) {
	out := []map[string]any{}
	for _, c := range cs {
		w := map[string]any{"type": c.Type, "id": c.ID}
		switch {
		case c.Type == typeActionRow:
			inner, err := submitted(c.Components, values, resolved)
			if err != nil {
				return nil, err
			}
			w["components"] = inner
		case c.Type == typeLabel:
			inner, err := submitted([]*component{c.Component}, values, resolved)
			if err != nil {
				return nil, err
			}
			w["component"] = inner[0]
		case c.CustomID != "":
			put, err := c.put(values[c.CustomID], resolved)
			if err != nil {
				return nil, err
			}
			maps.Copy(w, put)
		}
		out = append(out, w)
	}
	return out, nil
}

// say posts a message of a user.
func (cl *client) say(userID, channelID, content string) (*message, error) {
	ch, err := cl.hub.state.visibleChannel(userID, channelID)
	if err != nil {
		return nil, err
	}
	if cl.hub.state.permissions(userID, ch)&sendPermission(ch) == 0 {
		return nil, ErrNotAllowed
	}
	content = strings.TrimSpace(content)
	if n := units(content); n == 0 || n > maxContent {
		return nil, fmt.Errorf("%w: between 1 and %d characters", ErrBadOption, maxContent)
	}
	if ch.isThread() && ch.Thread.Archived {
		if ch.Thread.Locked {
			return nil, ErrNotAllowed
		}
		cl.hub.wakeThread(ch)
	}
	m := &message{Type: messageDefault, AuthorID: userID, Content: content}
	cl.hub.place(ch, m)
	cl.hub.state.mention(m, nil, true)
	cl.hub.announce(m, "MESSAGE_CREATE")
	return m, nil
}

// dismiss removes an ephemeral message from its addressee's view.
func (cl *client) dismiss(userID, messageID string) error {
	ch, m, err := cl.hub.state.visibleMessage(userID, messageID)
	if err != nil {
		return err
	}
	if m.EphemeralTo != userID {
		return ErrNotAllowed
	}
	cl.hub.removeMessage(ch, m)
	return nil
}

// markRead records that a user has read everything in a channel.
func (cl *client) markRead(userID, channelID string) error {
	ch, err := cl.hub.state.visibleChannel(userID, channelID)
	if err != nil {
		return err
	}
	last := ch.lastMessageID()
	if last == "" || cl.hub.state.reads[userID][channelID] == last {
		return nil
	}
	cl.hub.state.read(userID, channelID, last)
	cl.hub.touch()
	cl.hub.feed.Send(page.Event{"t": "read", "user": userID, "channel": channelID}, nil)
	return nil
}

// forge begins an interaction that Discord's own client would not begin.
func (cl *client) forge(userID, channelID, messageID string, kind int, data map[string]any) (*interaction, error) {
	ch, err := cl.hub.state.visibleChannel(userID, channelID)
	if err != nil {
		return nil, err
	}
	in := &interaction{kind: kind, userID: userID, channelID: ch.ID, focusType: optionString}
	if messageID != "" {
		if in.source = ch.message(messageID); in.source == nil {
			return nil, ErrNoMessage
		}
	}
	if kind == interactionComponent && in.source == nil {
		return nil, ErrNoMessage
	}
	cl.interactions.begin(in, data)
	if kind == interactionModal { // a modal needs an interaction that opened it
		opener := *in
		opener.kind = interactionCommand
		if in.source != nil {
			opener.kind = interactionComponent
		}
		in.opener = &opener
	}
	return in, nil
}

// await begins an interaction, and returns when it is answered or its time is over. It returns an error if begin fails,
// ctx ends or the server is closed. It takes the hub's lock itself.
func (cl *client) await(ctx context.Context, begin func() (*interaction, error)) (in *interaction, err error) {
	if err := cl.hub.try(func() error { in, err = begin(); return err }); err != nil {
		return nil, err
	}
	select {
	case <-in.done:
		return in, nil
	case <-cl.hub.closing:
		return nil, ErrInteractionFailed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
