package bot

import (
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"
)

// message is what one Discord message shows: Components V2 alone, so that a picture can carry its alt text.
type message struct {
	components []discordgo.MessageComponent
	files      []*discordgo.File
	pings      []string // ids of the users whom the mentions in it may ping; nobody else is pinged
	ephemeral  bool     // only the addressee of an interaction sees it
	nonce      string   // makes Discord post it once, however often it is sent; "" for answers to interactions
}

// body is a message as Discord's JSON, the same for channel messages, callbacks, edits and
// follow-ups. It is ours because the library's types lack the nonce, and send empty
// content and embeds, which do not belong beside Components V2.
type body struct {
	Components      []discordgo.MessageComponent      `json:"components"`
	Flags           discordgo.MessageFlags            `json:"flags"`
	AllowedMentions *discordgo.MessageAllowedMentions `json:"allowed_mentions"`
	Attachments     []attachment                      `json:"attachments"`
	Nonce           string                            `json:"nonce,omitempty"`
	EnforceNonce    bool                              `json:"enforce_nonce,omitempty"`
}

// attachment names an uploaded file; an edit drops every earlier attachment that is not named.
type attachment struct {
	ID       string `json:"id"`
	Filename string `json:"filename"`
}

func (m *message) body() body {
	b := body{
		Components:      m.components,
		Flags:           discordgo.MessageFlagsIsComponentsV2,
		AllowedMentions: &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}, Users: once(m.pings)},
		Attachments:     []attachment{},
		Nonce:           m.nonce,
		EnforceNonce:    m.nonce != "",
	}
	if b.Components == nil {
		b.Components = []discordgo.MessageComponent{}
	}
	if m.ephemeral {
		b.Flags |= discordgo.MessageFlagsEphemeral
	}
	for i, f := range m.files {
		b.Attachments = append(b.Attachments, attachment{ID: strconv.Itoa(i), Filename: f.Name})
	}
	return b
}

// once leaves out what comes again: Discord refuses a mention that is allowed twice.
func once(ids []string) []string {
	var kept []string
	for _, id := range ids {
		if !slices.Contains(kept, id) {
			kept = append(kept, id)
		}
	}
	return kept
}

// say is a message of one text.
func say(text string) *message {
	return &message{components: []discordgo.MessageComponent{discordgo.TextDisplay{Content: clip(text, maxText)}}}
}

// Discord's limits (FACTS: "What Discord enforces").
const (
	maxText        = 4000 // characters of all text displays of a message
	maxLabel       = 80   // of a button; a select option's label has 100
	maxOptionLabel = 100
	maxOptions     = 25 // of a select menu
	maxChoices     = 25 // of an autocomplete answer
	maxChoiceName  = 100
	maxCustomID    = 100
	maxAlt         = 1024 // of a picture's description
	maxModalLabel  = 45   // of a modal's title and of the labels in it
	maxModalHelp   = 100  // of the description under such a label
	maxRows        = 5    // action rows that we put into one message
	rowButtons     = 5
)

// clip shortens s to at most n characters, with an ellipsis where something is missing.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// paragraph is a text of Discord markdown.
func paragraph(s string) discordgo.MessageComponent {
	return discordgo.TextDisplay{Content: clip(s, maxText)}
}

// picture is a gallery of the message's file name with its alt text.
func picture(name, alt string) discordgo.MessageComponent {
	alt = clip(alt, maxAlt)
	return discordgo.MediaGallery{Items: []discordgo.MediaGalleryItem{{
		Media:       discordgo.UnfurledMediaItem{URL: "attachment://" + name},
		Description: &alt,
	}}}
}

// button makes a button; label is shortened to what Discord takes.
func button(style discordgo.ButtonStyle, label, customID string) discordgo.Button {
	return discordgo.Button{Style: style, Label: clip(label, maxLabel), CustomID: customID}
}

// rows puts buttons into action rows of five.
func rows(buttons ...discordgo.Button) []discordgo.MessageComponent {
	var out []discordgo.MessageComponent
	for chunk := range slices.Chunk(buttons, rowButtons) {
		row := discordgo.ActionsRow{}
		for _, b := range chunk {
			row.Components = append(row.Components, b)
		}
		out = append(out, row)
	}
	return out
}

// container frames components with a coloured edge.
func container(accent int, components ...discordgo.MessageComponent) discordgo.MessageComponent {
	return discordgo.Container{AccentColor: &accent, Components: components}
}
