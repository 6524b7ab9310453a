package localdiscord

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What Discord's client refuses before anything reaches the bot.
var (
	ErrNoCommand    = errors.New("localdiscord: no such command here")
	ErrBadOption    = errors.New("localdiscord: the client refuses this option")
	ErrNoComponent  = errors.New("localdiscord: the message has no such component")
	ErrDisabled     = errors.New("localdiscord: the component is disabled")
	ErrBadSelection = errors.New("localdiscord: the menu refuses this selection")
	ErrBadModal     = errors.New("localdiscord: the modal refuses this input")
	ErrNotAllowed   = errors.New("localdiscord: the user may not do this here")
)

// Option is a value that a user gives: of a command's option, or of a modal's component.
type Option struct {
	Name  string
	Value any // string (also the id of a user, channel or role), bool, a number, File, or []string for a modal's menu
}

// Opt is short for Option{name, value}.
func Opt(name string, value any) Option { return Option{name, value} }

// File is what a user attaches to a command or a modal.
type File struct {
	Name        string
	ContentType string
	Data        []byte
}

type wireOption struct {
	Name    string        `json:"name"`
	Type    int           `json:"type"`
	Value   any           `json:"value,omitempty"`
	Options []*wireOption `json:"options,omitempty"`
	Focused bool          `json:"focused,omitempty"`
}

type wireResolved struct {
	Users       map[string]*wireUser      `json:"users,omitempty"`
	Members     map[string]*wireMember    `json:"members,omitempty"`
	Roles       map[string]any            `json:"roles,omitempty"`
	Channels    map[string]map[string]any `json:"channels,omitempty"`
	Attachments map[string]*attachment    `json:"attachments,omitempty"`
}

func (s *Server) visibleChannel(userID, channelID string) (*channel, error) {
	if s.users[userID] == nil {
		return nil, ErrNoUser
	}
	ch := s.channels[channelID]
	if ch == nil || !s.canSee(userID, ch) {
		return nil, ErrNoChannel
	}
	return ch, nil
}

// availableCommands are the chat commands that Discord's client offers a user in a channel.
func (s *Server) availableCommands(userID string, ch *channel) []*command {
	if ch.GuildID != "" && s.guilds[ch.GuildID].member(Application) == nil || s.permissions(userID, ch)&PermissionUseCommands == 0 {
		return nil
	}
	var out []*command
	scopes := []string{""}
	context := 1
	if ch.GuildID != "" {
		scopes, context = []string{ch.GuildID, ""}, 0
	}
	for _, scope := range scopes {
		for _, cmd := range s.commands[scope] {
			if cmd.Type != commandChat || cmd.Contexts != nil && !slices.Contains(cmd.Contexts, context) {
				continue
			}
			if cmd.DefaultMemberPermissions != nil && ch.GuildID != "" {
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

// startCommand uses a command, or, when focus names an option, asks for that option's choices.
func (s *Server) startCommand(userID, channelID, line, focus string, given []Option) (*interaction, error) {
	ch, err := s.visibleChannel(userID, channelID)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, ErrNoCommand
	}
	var cmd *command
	for _, c := range s.availableCommands(userID, ch) {
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
	b := &optionBuilder{s: s, ch: ch, in: in, focus: focus, given: given, resolved: &wireResolved{}}
	opts, err := b.build(cmd.Options, words[1:])
	if err != nil {
		return nil, err
	}
	in.text = "/" + strings.Join(append([]string{in.command}, b.typed...), " ")
	data := map[string]any{"id": cmd.ID, "name": cmd.Name, "type": cmd.Type, "options": orEmpty(opts), "resolved": b.resolved}
	if cmd.GuildID != "" {
		data["guild_id"] = cmd.GuildID
	}
	if in.kind == interactionCommand && ch.isThread() && ch.Thread.Archived && !ch.Thread.Locked {
		s.wakeThread(ch)
	}
	s.begin(in, data)
	return in, nil
}

type optionBuilder struct {
	s        *Server
	ch       *channel
	in       *interaction
	focus    string
	given    []Option
	resolved *wireResolved
	typed    []string
}

func (b *optionBuilder) build(defined []*option, path []string) ([]*wireOption, error) {
	nested := len(defined) > 0 && (defined[0].Type == optionSubcommand || defined[0].Type == optionGroup)
	if nested != (len(path) > 0) {
		return nil, fmt.Errorf("%w: /%s", ErrNoCommand, b.in.command)
	}
	if nested {
		for _, d := range defined {
			if d.Name == path[0] {
				inner, err := b.build(d.Options, path[1:])
				return []*wireOption{{Name: d.Name, Type: d.Type, Options: inner}}, err
			}
		}
		return nil, fmt.Errorf("%w: /%s", ErrNoCommand, b.in.command)
	}
	for _, g := range b.given {
		if !slices.ContainsFunc(defined, func(d *option) bool { return d.Name == g.Name }) {
			return nil, fmt.Errorf("%w: there is no option %q", ErrBadOption, g.Name)
		}
	}
	var out []*wireOption
	for _, d := range defined {
		i := slices.IndexFunc(b.given, func(g Option) bool { return g.Name == d.Name })
		focused := b.focus == d.Name
		if focused {
			if !d.Autocomplete {
				return nil, fmt.Errorf("%w: %q has no autocomplete", ErrBadOption, d.Name)
			}
			b.in.focusType = d.Type
		}
		switch {
		case i < 0 && focused:
			out = append(out, &wireOption{Name: d.Name, Type: d.Type, Value: "", Focused: true})
		case i < 0 && d.Required && b.focus == "":
			return nil, fmt.Errorf("%w: %q is required", ErrBadOption, d.Name)
		case i < 0:
		case focused: // whatever was typed so far, be it complete or not
			out = append(out, &wireOption{Name: d.Name, Type: d.Type, Value: fmt.Sprint(b.given[i].Value), Focused: true})
		default:
			v, err := b.value(d, b.given[i].Value)
			if err != nil {
				return nil, err
			}
			out = append(out, &wireOption{Name: d.Name, Type: d.Type, Value: v})
		}
	}
	if b.focus != "" && b.in.focusType == 0 {
		return nil, fmt.Errorf("%w: there is no option %q", ErrBadOption, b.focus)
	}
	return out, nil
}

// value checks a value as the client does and turns it into what goes over the wire.
func (b *optionBuilder) value(d *option, v any) (any, error) {
	bad := func(format string, args ...any) (any, error) {
		return nil, fmt.Errorf("%w: %s: %s", ErrBadOption, d.Name, fmt.Sprintf(format, args...))
	}
	shown := fmt.Sprint(v)
	for _, c := range d.Choices {
		if c.Name == shown {
			v = c.Value // a user picks a choice by its name
		}
	}
	text, isText := v.(string)
	switch d.Type {
	case optionString:
		if !isText {
			return bad("%v is not text", v)
		}
		n := utf8.RuneCountInString(text)
		if d.MinLength != nil && n < *d.MinLength || d.MaxLength != nil && n > *d.MaxLength || n > 6000 {
			return bad("%d characters", n)
		}
		if d.Required && n == 0 {
			return bad("it is required")
		}
	case optionInteger, optionNumber:
		n, err := strconv.ParseFloat(fmt.Sprint(v), 64)
		if err != nil || d.Type == optionInteger && n != float64(int64(n)) {
			return bad("%v is not a number of the right kind", v)
		}
		if d.MinValue != nil && n < *d.MinValue || d.MaxValue != nil && n > *d.MaxValue {
			return bad("%v is out of range", v)
		}
		v = n
	case optionBoolean:
		switch text {
		case "true", "True":
			v = true
		case "false", "False":
			v = false
		}
		if _, ok := v.(bool); !ok {
			return bad("%v is neither true nor false", v)
		}
	case optionUser, optionChannel, optionRole, optionMentionable:
		if !isText || !b.resolved.add(b.s, b.ch, d.Type, text) {
			return bad("%v is not there", v)
		}
		shown = b.s.mentionText(d.Type, text)
	case optionAttachment:
		f, ok := v.(File)
		if !ok {
			return bad("%v is not a file", v)
		}
		a := b.s.keepUpload(b.ch, f)
		b.resolved.file(a)
		v, shown = a.ID, f.Name
	}
	if len(d.Choices) > 0 && !slices.ContainsFunc(d.Choices, func(c choice) bool { return c.Value == v }) {
		return bad("%v is not a choice", v)
	}
	b.typed = append(b.typed, d.Name+": "+shown)
	return v, nil
}

func (s *Server) mentionText(kind int, id string) string {
	switch {
	case kind == optionChannel:
		return "<#" + id + ">"
	case s.users[id] != nil:
		return "<@" + id + ">"
	}
	return "<@&" + id + ">"
}

// add resolves an id of the kind of option; it reports whether there is such a thing.
func (r *wireResolved) add(s *Server, ch *channel, kind int, id string) bool {
	g := s.guilds[ch.GuildID]
	if (kind == optionUser || kind == optionMentionable) && s.users[id] != nil {
		if r.Users == nil {
			r.Users, r.Members = map[string]*wireUser{}, map[string]*wireMember{}
		}
		r.Users[id] = s.userJSON(id)
		if g != nil {
			if m := s.memberJSON(g, id, ch, false); m != nil {
				r.Members[id] = m
			}
		}
		return true
	}
	if (kind == optionRole || kind == optionMentionable) && g != nil && g.role(id) != nil {
		if r.Roles == nil {
			r.Roles = map[string]any{}
		}
		ro := g.role(id)
		r.Roles[id] = map[string]any{"id": ro.ID, "name": ro.Name, "color": ro.Color, "permissions": strconv.FormatInt(ro.Permissions, 10), "position": ro.Position}
		return true
	}
	if kind == optionChannel {
		if c := s.channels[id]; c != nil && c.GuildID == ch.GuildID {
			if r.Channels == nil {
				r.Channels = map[string]map[string]any{}
			}
			r.Channels[id] = s.channelJSON(c)
			return true
		}
	}
	return false
}

func (r *wireResolved) file(a *attachment) {
	if r.Attachments == nil {
		r.Attachments = map[string]*attachment{}
	}
	r.Attachments[a.ID] = a
}

// keepUpload stores a user's file, so that the bot can fetch it from the CDN.
func (s *Server) keepUpload(ch *channel, f File) *attachment {
	a := &attachment{ID: s.newID(), Filename: f.Name, ContentType: f.ContentType, Size: len(f.Data), Ephemeral: true}
	if a.ContentType == "" {
		a.ContentType = http.DetectContentType(f.Data)
	}
	if cfg, _, err := image.DecodeConfig(bytes.NewReader(f.Data)); err == nil {
		a.Width, a.Height = cfg.Width, cfg.Height
	}
	a.URL = "https://cdn.discordapp.com/ephemeral-attachments/" + ch.ID + "/" + a.ID + "/" + url.PathEscape(f.Name)
	a.URL = strings.Replace(a.URL, "ephemeral-attachments", "attachments", 1)
	a.ProxyURL = a.URL
	s.files.put(a, f.Data)
	return a
}

// visibleMessage finds a message that the user sees.
func (s *Server) visibleMessage(userID, messageID string) (*channel, *message, error) {
	if s.users[userID] == nil {
		return nil, nil, ErrNoUser
	}
	for _, ch := range s.channels {
		if m := ch.message(messageID); m != nil && m.visibleTo(userID) && s.canSee(userID, ch) {
			return ch, m, nil
		}
	}
	return nil, nil, ErrNoMessage
}

// startComponent clicks a button (values nil) or chooses from a menu.
func (s *Server) startComponent(userID, messageID, customID string, values []string) (*interaction, error) {
	ch, m, err := s.visibleMessage(userID, messageID)
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
		resolved := &wireResolved{}
		if err := s.checkSelection(c, ch, values, resolved, 1); err != nil {
			return nil, err
		}
		data["values"], data["resolved"] = values, resolved
	}
	in := &interaction{kind: interactionComponent, userID: userID, channelID: ch.ID, source: m}
	s.begin(in, data)
	return in, nil
}

var optionKindOfSelect = map[int]int{typeUserSelect: optionUser, typeRoleSelect: optionRole, typeMentionableSelect: optionMentionable, typeChannelSelect: optionChannel}

// checkSelection checks the chosen values of a menu; least is how many there must be if the menu does not say.
func (s *Server) checkSelection(c *component, ch *channel, values []string, resolved *wireResolved, least int) error {
	lo, hi := least, 1
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
			known = resolved.add(s, ch, optionKindOfSelect[c.Type], v)
		}
		if !known || slices.Contains(values[:i], v) {
			return fmt.Errorf("%w: %q", ErrBadSelection, v)
		}
	}
	return nil
}

// startModal submits the modal that an interaction was answered with.
func (s *Server) startModal(userID string, opened *interaction, given []Option) (*interaction, error) {
	if opened.modal == nil || opened.userID != userID {
		return nil, fmt.Errorf("%w: it was not opened for this user", ErrBadModal)
	}
	ch, err := s.visibleChannel(userID, opened.channelID)
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
	resolved := &wireResolved{}
	components, err := s.submitted(opened.modal.Components, ch, values, resolved)
	if err != nil {
		return nil, err
	}
	in := &interaction{kind: interactionModal, userID: userID, channelID: ch.ID, source: opened.source, command: opened.command, text: opened.text}
	s.begin(in, map[string]any{"custom_id": opened.modal.CustomID, "components": components, "resolved": resolved})
	return in, nil
}

// submitted mirrors a modal's components with the values that were put in.
func (s *Server) submitted(cs []*component, ch *channel, values map[string]any, resolved *wireResolved) ([]map[string]any, error) {
	out := []map[string]any{}
	for _, c := range cs {
		w := map[string]any{"type": c.Type, "id": c.ID}
		switch {
		case c.Type == typeActionRow:
			inner, err := s.submitted(c.Components, ch, values, resolved)
			if err != nil {
				return nil, err
			}
			w["components"] = inner
		case c.Type == typeLabel:
			inner, err := s.submitted([]*component{c.Component}, ch, values, resolved)
			if err != nil {
				return nil, err
			}
			w["component"] = inner[0]
		case c.Type == typeTextInput:
			text := c.Value
			if v, ok := values[c.CustomID]; ok {
				text = fmt.Sprint(v)
			}
			n := utf8.RuneCountInString(text)
			required := c.Required == nil || *c.Required
			if required && n == 0 || n > 0 && c.MinLength != nil && n < *c.MinLength || c.MaxLength != nil && n > *c.MaxLength || n > 4000 {
				return nil, fmt.Errorf("%w: %s: %d characters", ErrBadModal, c.CustomID, n)
			}
			w["custom_id"], w["value"] = c.CustomID, text
		case c.isSelect():
			chosen := []string{}
			switch v := values[c.CustomID].(type) {
			case []string:
				chosen = v
			case string:
				chosen = []string{v}
			case nil:
				for _, o := range c.Options {
					if o.Default {
						chosen = append(chosen, o.Value)
					}
				}
			}
			if c.Required == nil || *c.Required || len(chosen) > 0 {
				if err := s.checkSelection(c, ch, chosen, resolved, 1); err != nil {
					return nil, err
				}
			}
			w["custom_id"], w["values"] = c.CustomID, chosen
		case c.Type == typeFileUpload:
			ids := []string{}
			if f, ok := values[c.CustomID].(File); ok {
				a := s.keepUpload(ch, f)
				resolved.file(a)
				ids = append(ids, a.ID)
			}
			if len(ids) == 0 && (c.Required == nil || *c.Required) {
				return nil, fmt.Errorf("%w: %s: a file is required", ErrBadModal, c.CustomID)
			}
			w["custom_id"], w["values"] = c.CustomID, ids
		}
		out = append(out, w)
	}
	return out, nil
}

// say posts a user's own words.
func (s *Server) say(userID, channelID, content string) (*message, error) {
	ch, err := s.visibleChannel(userID, channelID)
	if err != nil {
		return nil, err
	}
	if s.permissions(userID, ch)&sendPermission(ch) == 0 {
		return nil, ErrNotAllowed
	}
	content = strings.TrimSpace(content)
	if n := utf8.RuneCountInString(content); n == 0 || n > maxContent {
		return nil, fmt.Errorf("%w: between 1 and %d characters", ErrBadOption, maxContent)
	}
	if ch.isThread() && ch.Thread.Archived {
		if ch.Thread.Locked {
			return nil, ErrNotAllowed
		}
		s.wakeThread(ch)
	}
	m := &message{Type: messageDefault, AuthorID: userID, Content: content}
	s.place(ch, m)
	s.mention(m, nil, true)
	s.announce(m, "MESSAGE_CREATE")
	return m, nil
}

// dismiss takes an ephemeral message from the view of its addressee.
func (s *Server) dismiss(userID, messageID string) error {
	ch, m, err := s.visibleMessage(userID, messageID)
	if err != nil {
		return err
	}
	if m.EphemeralTo != userID {
		return ErrNotAllowed
	}
	s.removeMessage(ch, m)
	return nil
}

// decodeFile reads a file that the page sent as {"name", "type", "data"} with base64.
func decodeFile(v map[string]any) (File, error) {
	name, _ := v["name"].(string)
	kind, _ := v["type"].(string)
	data, _ := v["data"].(string)
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil || name == "" || len(raw) > maxFileBytes {
		return File{}, fmt.Errorf("%w: the file cannot be read or is too large", ErrBadOption)
	}
	return File{Name: name, ContentType: kind, Data: raw}, nil
}
