// Package show builds messages as data, and sends nothing. It has controls, names and mentions, pictures and links, and
// the sentences about clocks and turning points.
package show

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/bwmarrin/discordgo"
)

// Accent is the colour of the edge of messages that belong to no player.
const Accent = 0xB8860B

// Message is the content of one Discord message. It uses only Components V2, in which a picture can have an alt text.
type Message struct {
	Components []discordgo.MessageComponent
	Files      []*discordgo.File
	Pings      []string // ids of users whom the message can ping; its mentions of other users ping nobody
	PingRoles  []string // roles that the message pings
	Ephemeral  bool     // whether only the user of an interaction sees the message
	Silent     bool     // whether the message is sent without a notification sound
	Nonce      string   // makes Discord post a repeated message only once; "" for answers to interactions
	Marked     string   // in an edit, the nonce whose Mark the message gets; "" for messages without a Mark
}

// Body is a message in Discord's JSON format, for channel messages, callbacks, edits and follow-ups. The library's
// types are unsuitable: they lack the nonce, and they send empty content and embeds, which Components V2 do not allow.
type Body struct {
	Components      []discordgo.MessageComponent      `json:"components"`
	Flags           discordgo.MessageFlags            `json:"flags"`
	AllowedMentions *discordgo.MessageAllowedMentions `json:"allowed_mentions"`
	Attachments     []attachment                      `json:"attachments"`
	Nonce           string                            `json:"nonce,omitempty"`
	EnforceNonce    bool                              `json:"enforce_nonce,omitempty"`
}

// Mark returns the id of the first component of a message with a nonce. The bot later finds the message by this id,
// because a message from Discord contains the ids of its components, but not its nonce.
func Mark(nonce string) int {
	h := fnv.New32a()
	h.Write([]byte(nonce))
	return int(h.Sum32()&(1<<30-1) | 1<<30) // far above the small ids that Discord assigns
}

// marked is a component with an id that the bot has chosen.
type marked struct {
	discordgo.MessageComponent
	id int
}

// MarshalJSON returns the component's JSON with the id added. Some of the library's types have no field for an id.
func (c marked) MarshalJSON() ([]byte, error) {
	data, err := c.MessageComponent.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return append(fmt.Appendf(nil, `{"id":%d,`, c.id), data[1:]...), nil
}

// attachment names an uploaded file. An edit removes every earlier attachment that it does not name.
type attachment struct {
	ID       string `json:"id"`
	Filename string `json:"filename"`
}

// Body returns the message in Discord's format.
func (m *Message) Body() Body {
	b := Body{
		Components: m.Components,
		Flags:      discordgo.MessageFlagsIsComponentsV2,
		AllowedMentions: &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{},
			Users: once(m.Pings), Roles: once(m.PingRoles)},
		Attachments:  []attachment{},
		Nonce:        m.Nonce,
		EnforceNonce: m.Nonce != "",
	}
	if b.Components == nil {
		b.Components = []discordgo.MessageComponent{}
	}
	if key := cmp.Or(m.Nonce, m.Marked); key != "" && len(b.Components) > 0 {
		b.Components = slices.Clone(b.Components)
		b.Components[0] = marked{b.Components[0], Mark(key)}
	}
	if m.Ephemeral {
		b.Flags |= discordgo.MessageFlagsEphemeral
	}
	if m.Silent {
		b.Flags |= discordgo.MessageFlagsSuppressNotifications
	}
	for i, f := range m.Files {
		b.Attachments = append(b.Attachments, attachment{ID: strconv.Itoa(i), Filename: f.Name})
	}
	return b
}

// once returns the ids without duplicates. Discord rejects a message that allows a mention twice.
func once(ids []string) []string {
	var kept []string
	for _, id := range ids {
		if !slices.Contains(kept, id) {
			kept = append(kept, id)
		}
	}
	return kept
}

// Text returns a message with one text.
func Text(text string) *Message {
	return &Message{Components: []discordgo.MessageComponent{discordgo.TextDisplay{Content: Clip(text, MaxText)}}}
}

// Discord's limits. Characters are UTF-16 units.
const (
	MaxText        = 4000 // characters of all text displays of a message together
	maxLabel       = 80   // characters of a button's label; a select option has 100
	MaxOptionLabel = 100
	MaxOptions     = 25 // options of a select menu
	MaxChoices     = 25 // choices of an autocomplete answer
	MaxChoiceName  = 100
	MaxCustomID    = 100
	maxAlt         = 1024 // characters of a picture's description
	MaxModalLabel  = 45   // characters of a modal's title, and of its labels
	MaxModalHelp   = 100  // characters of the help below such a label
	MaxThreadName  = 100
	RowButtons     = 5
)

// Length returns the length of a text in UTF-16 units, as Discord counts. Many emoji have two units or more.
func Length(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// Clip shortens s to a Length of at most n, with an ellipsis at the end of a shortened text.
func Clip(s string, n int) string {
	if Length(s) <= n {
		return s
	}
	return cut(s, n-1) + "…"
}

// cut returns the longest prefix of s whose Length is at most n.
func cut(s string, n int) string {
	for i, r := range s {
		if n -= utf16.RuneLen(r); n < 0 {
			return s[:i]
		}
	}
	return s
}

// ClipWords shortens s to a Length of at most n, at the end of a word if there is one.
func ClipWords(s string, n int) string {
	if Length(s) <= n {
		return s
	}
	begin := cut(s, n-1)
	if end := strings.LastIndexAny(begin, " \n"); end > 0 {
		return strings.TrimRight(begin[:end], " ,;:\n") + " …"
	}
	return Clip(s, n)
}

// Paragraph returns a component with a text in Discord's markdown.
func Paragraph(s string) discordgo.MessageComponent {
	return discordgo.TextDisplay{Content: Clip(s, MaxText)}
}

// Picture returns a gallery with one picture and its alt text. name is the name of the picture's file in the message.
func Picture(name, alt string) discordgo.MessageComponent {
	alt = ClipWords(alt, maxAlt)
	return discordgo.MediaGallery{Items: []discordgo.MediaGalleryItem{{
		Media:       discordgo.UnfurledMediaItem{URL: "attachment://" + name},
		Description: &alt,
	}}}
}

// Button returns a button. It shortens label to Discord's limit.
func Button(style discordgo.ButtonStyle, label string, id CustomID) discordgo.Button {
	return discordgo.Button{Style: style, Label: Clip(label, maxLabel), CustomID: id.String()}
}

// Rows arranges buttons in action rows of up to five.
func Rows(buttons ...discordgo.Button) []discordgo.MessageComponent {
	var out []discordgo.MessageComponent
	for chunk := range slices.Chunk(buttons, RowButtons) {
		row := discordgo.ActionsRow{}
		for _, b := range chunk {
			row.Components = append(row.Components, b)
		}
		out = append(out, row)
	}
	return out
}

// Container returns a frame with a coloured edge around components.
func Container(accent int, components ...discordgo.MessageComponent) discordgo.MessageComponent {
	return discordgo.Container{AccentColor: &accent, Components: components}
}

// Framed returns a message that shows lines in a frame.
func Framed(lines []string) *Message {
	return &Message{Components: []discordgo.MessageComponent{Container(Accent, Paragraph(strings.Join(lines, "\n")))}}
}
