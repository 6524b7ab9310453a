package bottest

import (
	"bytes"
	"encoding/json"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
)

// NextSaying waits for a message that contains the text what, and that is newer than the message with the id after.
func (r *Rig) NextSaying(channel, after, what string) *localdiscord.Message {
	r.T.Helper()
	return r.Next(channel, after, func(m *localdiscord.Message) bool { return strings.Contains(m.Text(), what) })
}

// WantText fails the test unless a message contains the text what.
func (r *Rig) WantText(m *localdiscord.Message, what string) {
	r.T.Helper()
	if !strings.Contains(m.Text(), what) {
		r.T.Errorf("said %q, want %q", m.Text(), what)
	}
}

// Edited waits until the message with an id contains the text want, and returns it.
func (r *Rig) Edited(channel, id, want string) *localdiscord.Message {
	r.T.Helper()
	m, err := r.WaitMessage(channel, localdiscord.Anne, func(m *localdiscord.Message) bool {
		return m.ID == id && strings.Contains(m.Text(), want)
	})
	if err != nil {
		r.T.Fatalf("waiting for %q in message %s: %v", want, id, err)
	}
	return m
}

// Lacks fails the test if a text contains any of the words.
func Lacks(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(text, w) {
			t.Errorf("%s says %q: %s", what, w, text)
		}
	}
}

// More presses the button "More" of a board and then a button of the answer, and returns the bot's answer.
func (r *Rig) More(user string, board *localdiscord.Message, label string) *localdiscord.Message {
	r.T.Helper()
	return r.Click(user, r.Click(user, board, "More"), label)
}

// IsLobby reports whether a message has a Join button, as a lobby has.
func IsLobby(m *localdiscord.Message) bool { _, ok := m.Button("Join"); return ok }

// Submit sends a form and returns the bot's answer.
func (r *Rig) Submit(user string, form *localdiscord.Modal, values ...localdiscord.Option) *localdiscord.Message {
	r.T.Helper()
	reply, err := r.Server.SubmitModal(r.Ctx, user, form, values...)
	return r.Answer(reply, err, form.Title)
}

// PlayForm sends /play, presses a button of the answer, and returns the form that it opens.
func (r *Rig) PlayForm(user, channel string) *localdiscord.Modal {
	r.T.Helper()
	reply, err := r.Server.Click(r.Ctx, user, r.Command(user, channel, "play").ID, "new///people")
	if err != nil || reply.Modal == nil {
		r.T.Fatalf("the first screen opens no form: %v\n%s", err, r.Log)
	}
	return reply.Modal
}

// CheckBoard fails the test unless a message shows one PNG that is PictureWidth wide, with an alternative text.
func CheckBoard(t *testing.T, r *Rig, m *localdiscord.Message) {
	t.Helper()
	pictures := m.Pictures()
	if len(pictures) != 1 || len(pictures[0].Description) < 20 {
		t.Fatalf("a turn message has the pictures %v, want one with an alt text", pictures)
	}
	data, ok := r.Server.Attachment(pictures[0].URL)
	if !ok {
		t.Fatalf("the picture %s is not there", pictures[0].URL)
	}
	cfg, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil || cfg.Width != PictureWidth {
		t.Fatalf("the board is no PNG of the usual width: %v, %d wide", err, cfg.Width)
	}
}

// CheckStep checks the message of a step in a move: it shows the board and perhaps the hand. The marks that the alt
// texts of these pictures name are words that can be chosen in the message, each named once.
func (r *Rig) CheckStep(m *localdiscord.Message) {
	r.T.Helper()
	pictures := m.Pictures()
	if len(pictures) == 0 || len(pictures) > 2 {
		r.T.Fatalf("a step shows %d pictures, want the board, and the hand if there is one: %s", len(pictures),
			m.Text())
	}
	var words []string
	for _, c := range m.Interactive() {
		words = append(words, strings.Fields(c.Label)...)
		for _, o := range c.Options {
			words = append(words, strings.Fields(o.Label)...)
		}
	}
	for i, p := range pictures {
		data, ok := r.Server.Attachment(p.URL)
		if cfg, err := png.DecodeConfig(bytes.NewReader(data)); !ok || err != nil || cfg.Width != PictureWidth {
			r.T.Fatalf("picture %d of a step is no PNG of the usual width: %v, %d wide", i, err, cfg.Width)
		}
		if len(p.Description) < 20 {
			r.T.Errorf("picture %d of a step has the alt text %q", i, p.Description)
		}
		_, list, marked := strings.Cut(p.Description, "You can choose ")
		list, _, ok = strings.Cut(list, ".")
		if !marked || !ok {
			continue
		}
		r.Marked++
		heard := map[string]bool{}
		for _, key := range strings.FieldsFunc(list, func(c rune) bool { return c == ' ' || c == ',' }) {
			if heard[key] {
				r.T.Errorf("the alt text of a step names %q twice: %s", key, list)
			}
			heard[key] = true
			if key != "or" && !slices.ContainsFunc(words, func(w string) bool {
				return strings.Trim(w, "(),.:;") == key
			}) {
				r.T.Errorf("%q is marked in the picture, but nothing of %q is called so", key, words)
			}
		}
	}
}

// Later reports whether the snowflake id a is later than b.
func Later(a, b string) bool { return len(a) > len(b) || len(a) == len(b) && a > b }

// IsTurn reports whether a message is a board that asks for a move.
func IsTurn(m *localdiscord.Message) bool { _, ok := m.Button("Move"); return ok }

// IsOver reports whether a message shows the end of a game.
func IsOver(m *localdiscord.Message) bool {
	_, ok := m.Button("Rematch")
	return ok
}

// TurnOrEnd reports whether a message is a board that asks for a move, or shows the end of a game.
func TurnOrEnd(m *localdiscord.Message) bool { return IsTurn(m) || IsOver(m) }

// AfterWord returns the part of a text that follows a word.
func AfterWord(text, word string) string {
	_, after, _ := strings.Cut(text, word)
	return after
}

// Contains fails the test unless a text contains all the words.
func Contains(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s does not say %q: %s", what, w, text)
		}
	}
}

// MenuOf returns the custom_id of a message's first menu or button whose custom_id ends with a slash and the text
// about.
func MenuOf(t testing.TB, m *localdiscord.Message, about string) string {
	t.Helper()
	for _, c := range m.Interactive() {
		if strings.HasSuffix(c.CustomID, "/"+about) {
			return c.CustomID
		}
	}
	t.Fatalf("no menu about %q in: %s", about, m.Text())
	return ""
}

// SettingsPage opens a page of /server settings and returns it.
func (r *Rig) SettingsPage(user, channel, page string) *localdiscord.Message {
	r.T.Helper()
	first := r.Command(user, channel, "server settings")
	if page == "people" {
		return first
	}
	reply, err := r.Server.Click(r.Ctx, user, first.ID, MenuOf(r.T, first, page))
	return r.Answer(reply, err, page)
}

// Threads returns the threads of the server Tortuga.
func (r *Rig) Threads() []localdiscord.Channel {
	var list []localdiscord.Channel
	for _, c := range r.Server.Channels(localdiscord.Tortuga, localdiscord.Mary) {
		if c.Thread {
			list = append(list, c)
		}
	}
	return list
}

// BoardMessages returns the public messages of a channel that have a picture of a board.
func (r *Rig) BoardMessages(channel string) (list []*localdiscord.Message) {
	for _, m := range r.PublicMessages(channel) {
		if p := m.Pictures(); len(p) > 0 && strings.Contains(p[0].URL, "board-") {
			list = append(list, m)
		}
	}
	return list
}

// PublicMessages returns the messages of a channel that everybody can see.
func (r *Rig) PublicMessages(channel string) []*localdiscord.Message {
	return slices.DeleteFunc(r.Server.Messages(channel, localdiscord.Anne), func(m *localdiscord.Message) bool {
		return m.EphemeralTo != ""
	})
}

// CardEdited waits until the card of table 1 shows whose turn it is and no edit of it is due.
func (r *Rig) CardEdited(c *manual.Clock) {
	r.T.Helper()
	r.Eventually("the edit of the card is noted", func() bool {
		h, err := r.Tables.Lookup.Head(r.Ctx, 1)
		// Card.Shown ends with the player whose turn it is, or with a space before the game.
		return err == nil && h.Card.Next.Time().After(c.Now()) && !strings.HasSuffix(h.Card.Shown, " ")
	})
}

// Attached returns the content of a message's file that is not a picture. It fails the test unless there is exactly
// one.
func (r *Rig) Attached(m *localdiscord.Message) string {
	r.T.Helper()
	files := m.Files()
	if len(files) != 1 {
		r.T.Fatalf("%d files are attached, want one: %s", len(files), m.Text())
	}
	data, ok := r.Server.Attachment(files[0].URL)
	if !ok {
		r.T.Fatal("the file is not there")
	}
	return string(data)
}

// HasButton reports whether a message has a button with a label or custom_id.
func HasButton(m *localdiscord.Message, name string) bool { _, ok := m.Button(name); return ok }

// PostedSaying waits for a message that is newer than the one with the id after, and that contained the text what when
// it was posted. It also finds a message that has been edited since, such as the card of a table.
func (r *Rig) PostedSaying(channel, after, what string) *localdiscord.Message {
	r.T.Helper()
	words, err := json.Marshal(what)
	r.Must(err)
	var m struct{ ID string }
	r.Eventually("a message that says "+what, func() bool {
		return slices.ContainsFunc(r.Server.Requests(), func(q localdiscord.Request) bool {
			return q.Method == http.MethodPost && q.Path == "/channels/"+channel+"/messages" &&
				bytes.Contains(q.Body, bytes.Trim(words, `"`)) && json.Unmarshal(q.Response, &m) == nil &&
				Later(m.ID, after)
		})
	})
	return r.Edited(channel, m.ID, "")
}

// Delete deletes a message from a channel, as a moderator does. The bot is not notified, because it does not subscribe
// to deletions.
func (r *Rig) Delete(channel, id string) {
	r.T.Helper()
	req, err := http.NewRequestWithContext(r.Ctx, http.MethodDelete, discordgo.EndpointChannelMessage(channel, id), nil)
	r.Must(err)
	req.Header.Set("Authorization", "Bot "+r.Server.Token())
	answer, err := r.Server.HTTPClient().Do(req)
	r.Must(err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusNoContent {
		r.T.Fatalf("deleting a message: %s", answer.Status)
	}
}
