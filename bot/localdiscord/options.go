package localdiscord

import (
	"bytes"
	"fmt"
	"image"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// Option is a user's value for a command's option or for a modal's component.
type Option struct {
	Name string
	// Value is a string (which can be the id of a user, channel or role), a bool, a number or a File. In a modal it can
	// also be a []string, for a menu or a group, or a []File.
	Value any
}

// Opt returns an Option with a name and a value.
func Opt(name string, value any) Option { return Option{name, value} }

// File is an attachment that a user adds to a command or a modal.
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
	Messages    map[string]*wireMessage   `json:"messages,omitempty"` // the message whose context menu was used

	state  *state
	userID string
	ch     *channel // the interaction's channel
}

type optionBuilder struct {
	state    *state
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
		case focused: // the text typed so far, which may be incomplete
			out = append(out, &wireOption{Name: d.Name, Type: d.Type, Value: fmt.Sprint(b.given[i].Value),
				Focused: true})
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

// value checks a value as Discord's client does, and encodes it.
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
		n := units(text)
		if d.MinLength != nil && n < *d.MinLength || d.MaxLength != nil && n > *d.MaxLength || n > 6000 {
			return bad("%s", wrongLength(n, d.MinLength, d.MaxLength, 6000))
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
		if !isText || !b.resolved.add(d.Type, text) {
			return bad("%v is not there", v)
		}
		shown = b.state.mentionText(d.Type, text)
	case optionAttachment:
		f, ok := v.(File)
		if !ok {
			return bad("%v is not a file", v)
		}
		if len(f.Data) > maxFileBytes {
			return bad("the file is larger than 10 MiB")
		}
		a := b.state.keepUpload(b.ch, f)
		b.resolved.file(a)
		v, shown = a.ID, f.Name
	}
	if len(d.Choices) > 0 && !slices.ContainsFunc(d.Choices, func(c choice) bool { return c.Value == v }) {
		return bad("%v is not a choice", v)
	}
	b.typed = append(b.typed, d.Name+": "+shown)
	return v, nil
}

func (s *state) mentionText(kind int, id string) string {
	switch {
	case kind == optionChannel:
		return "<#" + id + ">"
	case s.users[id] != nil:
		return "<@" + id + ">"
	}
	return "<@&" + id + ">"
}

// resolve returns resolved data for an interaction, still without users, channels and roles.
func (s *state) resolve(userID string, ch *channel) *wireResolved {
	return &wireResolved{state: s, userID: userID, ch: ch}
}

// add adds the user, channel or role with an id, for an option of a kind. It reports whether the user can choose it.
func (r *wireResolved) add(kind int, id string) bool {
	isUser := kind == optionUser || kind == optionMentionable
	isRole := kind == optionRole || kind == optionMentionable
	return isUser && r.addUser(id) || isRole && r.addRole(id) || kind == optionChannel && r.addChannel(id)
}

func (r *wireResolved) addUser(id string) bool {
	if r.state.users[id] == nil {
		return false
	}
	if r.Users == nil {
		r.Users, r.Members = map[string]*wireUser{}, map[string]*wireMember{}
	}
	r.Users[id] = r.state.userJSON(id)
	if g := r.state.guilds[r.ch.GuildID]; g != nil {
		if m := r.state.memberJSON(g, id, r.ch, false); m != nil {
			r.Members[id] = m
		}
	}
	return true
}

func (r *wireResolved) addRole(id string) bool {
	g := r.state.guilds[r.ch.GuildID]
	if g == nil || g.role(id) == nil {
		return false
	}
	if r.Roles == nil {
		r.Roles = map[string]any{}
	}
	r.Roles[id] = roleJSON(g.role(id))
	return true
}

// addChannel adds a channel with the permissions of the user and of the bot in it.
func (r *wireResolved) addChannel(id string) bool {
	c := r.state.channels[id]
	if c == nil || c.GuildID != r.ch.GuildID || !r.state.canSee(r.userID, c) {
		return false
	}
	if r.Channels == nil {
		r.Channels = map[string]map[string]any{}
	}
	w := r.state.channelJSON(c)
	delete(w, "permission_overwrites")
	w["permissions"] = strconv.FormatInt(r.state.permissions(r.userID, c), 10)
	w["app_permissions"] = strconv.FormatInt(r.state.permissions(Application, c), 10)
	r.Channels[id] = w
	return true
}

func (r *wireResolved) file(a *attachment) {
	if r.Attachments == nil {
		r.Attachments = map[string]*attachment{}
	}
	r.Attachments[a.ID] = a
}

// keepUpload stores a user's file, so that the bot can fetch it from the CDN.
func (s *state) keepUpload(ch *channel, f File) *attachment {
	a := &attachment{ID: s.newID(), Filename: f.Name, ContentType: f.ContentType, Size: len(f.Data), Ephemeral: true}
	if a.ContentType == "" {
		a.ContentType = http.DetectContentType(f.Data)
	}
	if cfg, _, err := image.DecodeConfig(bytes.NewReader(f.Data)); err == nil {
		a.Width, a.Height = cfg.Width, cfg.Height
	}
	a.URL = "https://cdn.discordapp.com/attachments/" + ch.ID + "/" + a.ID + "/" + url.PathEscape(f.Name)
	a.ProxyURL = a.URL
	s.files.put(a, f.Data)
	return a
}
