package localdiscord

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"marque/bot/localdiscord/page"
)

// pageView is the World of the page: it presents the state of the hub.
type pageView struct {
	hub          *hub
	interactions *interactions
	client       *client
	admin        *Admin
	starters     []Starter
	server       *Server
}

func pageStarters(starters []Starter) []page.Starter {
	out := []page.Starter{}
	for _, st := range starters {
		values := map[string]any{}
		for _, o := range st.Options {
			values[o.Name] = o.Value
		}
		out = append(out, page.Starter{Title: st.Title, Label: st.Label, Command: st.Command, Options: values,
			Text: st.Text, Picture: st.Picture != nil, Beside: pageStarters(st.Beside)})
	}
	return out
}

// pageMessage is a message with additional fields for the page.
type pageMessage struct {
	*wireMessage
	Ephemeral bool     `json:"ephemeral"`
	Loading   bool     `json:"loading"`
	Line      string   `json:"line"`
	Pinged    []string `json:"pinged"`
	Version   int      `json:"version"`
}

func (s *state) pageMessage(m *message) *pageMessage {
	p := &pageMessage{wireMessage: s.messageJSON(m), Ephemeral: m.EphemeralTo != "", Loading: m.loading(),
		Pinged: orEmpty(m.Pinged), Version: m.Version}
	if m.Invocation != nil {
		p.Line = m.Invocation.Text
	}
	return p
}

// pageError returns an error with a message for the page's user, in place of an error of this package.
func pageError(err error) error {
	if err == nil {
		return nil
	}
	said := strings.TrimPrefix(err.Error(), "localdiscord: ")
	first, size := utf8.DecodeRuneInString(said)
	return errors.New(string(unicode.ToUpper(first)) + strings.TrimSuffix(said[size:], ".") + ".")
}

// State implements page.World. It treats an unknown user and the bot as the first user.
func (pv *pageView) State(userID string) page.State {
	pv.hub.mu.Lock()
	defer pv.hub.mu.Unlock()
	s := pv.hub.state
	me := s.users[userID]
	if me == nil || me.Bot {
		me = s.users[s.userOrder[1]]
	}
	out := page.State{Me: me.ID, Bot: Application, Connected: pv.hub.gateway.connected() > 0, Guilds: []page.Guild{},
		DMs: []page.Entry{}, Locales: locales, Starters: pageStarters(pv.starters)}
	for _, id := range s.userOrder {
		u := s.users[id]
		out.Users = append(out.Users, page.User{ID: u.ID, Name: u.GlobalName, Username: u.Username, Bot: u.Bot,
			Locale: u.Locale, Installed: u.Installed, Pings: pingsOf(s, u)})
	}
	for _, id := range s.guildOrder {
		if g := s.guilds[id]; g.member(me.ID) != nil {
			out.Guilds = append(out.Guilds, pageGuild(s, me.ID, g))
		}
	}
	for _, c := range s.channels {
		if c.context() != contextGuild && s.canSee(me.ID, c) {
			out.DMs = append(out.DMs, pageEntry(s, me.ID, c))
		}
	}
	// The DM with the bot has no name, so it is first.
	slices.SortFunc(out.DMs, func(a, b page.Entry) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// pingsOf returns how often a user was pinged since they last looked.
func pingsOf(s *state, u *user) (sum int) {
	if u.Bot {
		return 0
	}
	for _, c := range s.channels {
		if s.canSee(u.ID, c) {
			_, n := s.unread(u.ID, c)
			sum += n
		}
	}
	return sum
}

func pageGuild(s *state, userID string, g *guild) page.Guild {
	out := page.Guild{ID: g.ID, Name: g.Name, Bot: s.hasBot(g.ID), Channels: []page.Entry{}}
	for _, id := range g.Channels {
		if c := s.channels[id]; s.canSee(userID, c) {
			out.Channels = append(out.Channels, pageEntry(s, userID, c))
		}
	}
	for _, m := range g.Members {
		out.Members = append(out.Members, page.Member{ID: m.UserID, Owner: g.OwnerID == m.UserID, Roles: m.Roles})
	}
	for _, r := range g.Roles {
		out.Roles = append(out.Roles, page.Role{ID: r.ID, Name: r.Name, Color: r.Color})
	}
	return out
}

func pageEntry(s *state, userID string, c *channel) page.Entry {
	unread, pings := s.unread(userID, c)
	e := page.Entry{ID: c.ID, Guild: c.GuildID, Name: c.Name, Topic: c.Topic, Parent: c.ParentID, Thread: c.isThread(),
		Unread: unread, Pings: pings}
	if c.isThread() {
		e.Archived, e.Locked = c.Thread.Archived, c.Thread.Locked
	}
	return e
}

// Channel implements page.World.
func (pv *pageView) Channel(userID, channelID string) (page.Channel, error) {
	pv.hub.mu.Lock()
	defer pv.hub.mu.Unlock()
	s := pv.hub.state
	c, err := s.visibleChannel(userID, channelID)
	if err != nil {
		return page.Channel{}, pageError(err)
	}
	messages := []*pageMessage{}
	for _, m := range c.Messages {
		if m.visibleTo(userID) {
			messages = append(messages, s.pageMessage(m))
		}
	}
	return page.Channel{
		Messages: messages,
		Commands: orEmpty(s.availableCommands(userID, c, commandChat)),
		Menus:    orEmpty(s.availableCommands(userID, c, commandUser, commandMessage, commandEntry)),
		MaySend:  s.permissions(userID, c)&sendPermission(c) != 0 && (c.Thread == nil || !c.Thread.Locked),
		Read:     s.reads[userID][c.ID],
	}, nil
}

// pageOptions returns the values of a form as Options.
func pageOptions(values map[string]any) []Option {
	var out []Option
	for name, v := range values {
		switch f := v.(type) {
		case page.File:
			v = File(f)
		case []page.File:
			files := []File{}
			for _, one := range f {
				files = append(files, File(one))
			}
			v = files
		}
		out = append(out, Opt(name, v))
	}
	return out
}

// interact begins an interaction and returns its outcome to the page.
func (pv *pageView) interact(ctx context.Context, begin func() (*interaction, error)) (page.Answer, error) {
	in, err := pv.client.await(ctx, begin)
	if errors.Is(err, ErrInteractionFailed) {
		return page.Answer{Failed: true}, nil
	}
	if err != nil {
		return page.Answer{}, pageError(err)
	}
	pv.hub.mu.Lock()
	defer pv.hub.mu.Unlock()
	out := page.Answer{ID: in.id, Failed: in.failed, Type: in.answer, Choices: orEmpty(in.choices)}
	if in.modal != nil {
		out.Modal = in.modal
	}
	if in.activity != nil {
		_, port, _ := strings.Cut(pv.server.listener.Addr().String(), ":")
		out.Frame = pv.server.activities.frame(in.activity, port)
	}
	return out, nil
}

// Command implements page.World.
func (pv *pageView) Command(ctx context.Context, c page.Command) (page.Answer, error) {
	return pv.interact(ctx, func() (*interaction, error) {
		return pv.client.startCommand(c.User, c.Channel, c.Line, c.Focus, pageOptions(c.Values))
	})
}

// Menu implements page.World.
func (pv *pageView) Menu(ctx context.Context, userID, channelID, name, targetID string) (page.Answer, error) {
	return pv.interact(ctx, func() (*interaction, error) {
		return pv.client.startMenu(userID, channelID, name, targetID)
	})
}

// Component implements page.World.
func (pv *pageView) Component(ctx context.Context, userID, messageID, customID string,
	values []string) (page.Answer, error) {
	return pv.interact(ctx, func() (*interaction, error) {
		return pv.client.startComponent(userID, messageID, customID, values)
	})
}

// Modal implements page.World.
func (pv *pageView) Modal(ctx context.Context, userID, interactionID string,
	values map[string]any) (page.Answer, error) {
	return pv.interact(ctx, func() (*interaction, error) {
		in := pv.interactions.byID(interactionID)
		if in == nil {
			return nil, ErrInteractionFailed
		}
		return pv.client.startModal(userID, in, pageOptions(values))
	})
}

// Say implements page.World.
func (pv *pageView) Say(userID, channelID, content string) (id string, err error) {
	err = pv.hub.try(func() error {
		m, err := pv.client.say(userID, channelID, content)
		if err == nil {
			id = m.ID
		}
		return err
	})
	return id, pageError(err)
}

// Dismiss implements page.World.
func (pv *pageView) Dismiss(userID, messageID string) error {
	return pageError(pv.hub.try(func() error { return pv.client.dismiss(userID, messageID) }))
}

// SetLocale implements page.World.
func (pv *pageView) SetLocale(userID, locale string) error {
	if !slices.Contains(locales, locale) {
		return pageError(ErrBadOption)
	}
	return pageError(pv.admin.SetLocale(userID, locale))
}

// Install implements page.World.
func (pv *pageView) Install(userID string, on bool) error {
	return pageError(pv.admin.SetInstalled(userID, on))
}

// Authorize implements page.World.
func (pv *pageView) Authorize(userID string, asked map[string]any) (code string, err error) {
	err = pv.hub.try(func() (err error) {
		code, err = pv.server.oauth.authorizeFrame(userID, asked)
		return err
	})
	return code, pageError(err)
}

// Picture implements page.World.
func (pv *pageView) Picture(ctx context.Context, starter int) ([]byte, error) {
	if starter < 0 || starter >= len(pv.starters) || pv.starters[starter].Picture == nil {
		return nil, errors.New("this starter has no picture")
	}
	return pv.starters[starter].Picture(ctx)
}

// Leave implements page.World.
func (pv *pageView) Leave(userID, instance string) { pv.server.LeaveActivity(userID, instance) }

// DM implements page.World.
func (pv *pageView) DM(userID string) (id string, err error) {
	err = pv.hub.try(func() error {
		if pv.hub.state.users[userID] == nil {
			return ErrNoUser
		}
		id = pv.hub.dmChannel(userID).ID
		return nil
	})
	return id, pageError(err)
}

// MarkRead implements page.World.
func (pv *pageView) MarkRead(userID, channelID string) error {
	return pageError(pv.hub.try(func() error { return pv.client.markRead(userID, channelID) }))
}
