package localdiscord

import (
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// Message is a message as discordgo decodes it, with fields for tests.
type Message struct {
	*discordgo.Message
	EphemeralTo string   // its only reader; "" if everyone sees it
	Pinged      []string // users who were notified
	Loading     bool     // a deferred reply that has not been filled in
	Version     int      // number of the message's version: 1, and 1 more after each change
	CommandLine string   // "/play game: pirat", or the name of a context menu command; "" for others

	components []*component
}

// reading caches a message as decoded by discordgo, with the versions of everything that was decoded. Users' names have
// no version, because they never change.
type reading struct {
	version           int
	referenced        *message
	referencedVersion int
	message           discordgo.Message
}

// snapshot copies a message for callers outside the package. The copies share the data behind the message's pointers.
func (s *state) snapshot(m *message) *Message {
	w := s.decoded(m)
	w.GuildID = m.GuildID
	out := &Message{Message: &w, EphemeralTo: m.EphemeralTo, Pinged: slices.Clone(m.Pinged), Loading: m.loading(),
		Version: m.Version, components: m.Components}
	if m.Invocation != nil {
		out.CommandLine = m.Invocation.Text
	}
	return out
}

// decoded returns a message as decoded by discordgo. It caches the last result, because waiting for a message reads the
// whole channel repeatedly.
func (s *state) decoded(m *message) discordgo.Message {
	now := reading{version: m.Version, referenced: s.referenced(m)}
	if now.referenced != nil {
		now.referencedVersion = now.referenced.Version
	}
	if l := m.lastReading; l != nil && l.version == now.version && l.referenced == now.referenced &&
		l.referencedVersion == now.referencedVersion {
		return l.message
	}
	if err := now.message.UnmarshalJSON(mustJSON(s.messageJSON(m))); err != nil {
		panic("localdiscord: discordgo cannot read a message: " + err.Error())
	}
	// A message with a thread is not cached, because the thread can change without the message.
	if m.Flags&flagHasThread == 0 && (now.referenced == nil || now.referenced.Flags&flagHasThread == 0) {
		m.lastReading = &now
	}
	return now.message
}

// Text returns the text of the message: content, text displays, and titles, descriptions and fields of embeds.
func (m *Message) Text() string {
	parts := []string{}
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	add(m.Content)
	walk(m.components, func(c *component) { add(c.Content) })
	for _, e := range m.Embeds {
		add(e.Title)
		add(e.Description)
		for _, f := range e.Fields {
			add(f.Name)
			add(f.Value)
		}
	}
	return strings.Join(parts, "\n")
}

// Component is a button or a menu of a message.
type Component struct {
	Type        int // Discord's component type: 2 button, 3 string select, …
	CustomID    string
	Label       string // only for a button
	Style       int    // only for a button: 1 primary, 2 secondary, 3 success, 4 danger, 5 link
	URL         string // only for a link button
	Emoji       string
	Placeholder string // only for a menu
	Options     []SelectOption
	Disabled    bool
}

// SelectOption is an option of a string select menu.
type SelectOption struct {
	Label, Value, Description string
	Default                   bool
}

// Interactive lists the buttons and menus of the message in reading order.
func (m *Message) Interactive() []Component {
	var out []Component
	walk(m.components, func(c *component) {
		if c.Type != typeButton && !c.isSelect() {
			return
		}
		w := Component{Type: c.Type, CustomID: c.CustomID, Label: c.Label, Style: c.Style, URL: c.URL,
			Placeholder: c.Placeholder, Disabled: c.Disabled}
		if c.Emoji != nil {
			w.Emoji = c.Emoji.Name
		}
		for _, o := range c.Options {
			w.Options = append(w.Options, SelectOption{o.Label, o.Value, o.Description, o.Default})
		}
		out = append(out, w)
	})
	return out
}

// Button finds a button by its label or custom_id.
func (m *Message) Button(name string) (Component, bool) {
	return m.find(func(c Component) bool { return c.Type == typeButton && (c.Label == name || c.CustomID == name) })
}

// Menu finds a menu by its custom_id or placeholder; "" finds the first.
func (m *Message) Menu(name string) (Component, bool) {
	return m.find(func(c Component) bool {
		return c.Type != typeButton && (name == "" || c.CustomID == name || c.Placeholder == name)
	})
}

func (m *Message) find(want func(Component) bool) (Component, bool) {
	all := m.Interactive()
	if i := slices.IndexFunc(all, want); i >= 0 {
		return all[i], true
	}
	return Component{}, false
}

// FileLink is a file that a message offers for download.
type FileLink struct{ Name, URL string }

// Files lists the files in the message's File components.
func (m *Message) Files() []FileLink {
	var out []FileLink
	walk(m.components, func(c *component) {
		if c.File != nil {
			out = append(out, FileLink{c.Name, c.File.URL})
		}
	})
	return out
}

// Picture is an image that a message shows, in a gallery, as a thumbnail or in an embed.
type Picture struct{ URL, Description string }

// Pictures lists the images in galleries and thumbnails with their alt texts, and the images in embeds.
func (m *Message) Pictures() []Picture {
	var out []Picture
	walk(m.components, func(c *component) {
		if c.Media != nil {
			out = append(out, Picture{c.Media.URL, c.Description})
		}
		for _, it := range c.Items {
			out = append(out, Picture{it.Media.URL, string(it.Description)})
		}
	})
	for _, e := range m.Embeds {
		if e.Image != nil {
			out = append(out, Picture{e.Image.URL, ""})
		}
	}
	return out
}
