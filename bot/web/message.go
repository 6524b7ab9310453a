package web

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

// Message is a message of the bot in the page's format.
type Message struct {
	Parts []Part `json:"parts"`
}

// Part is a part of a message. The page shows the parts one below the other. Exactly one kind of content is set.
type Part struct {
	Text    string   `json:"text,omitempty"` // in Discord's markdown, without mentions of users
	Picture string   `json:"picture,omitempty"`
	Alt     string   `json:"alt,omitempty"` // alternative text of Picture
	Buttons []Button `json:"buttons,omitempty"`
	Menu    *Menu    `json:"menu,omitempty"`
}

// Button is a button. It sends Press as a request, or plays the move Play.
type Button struct {
	Label   string `json:"label"`
	Press   string `json:"press,omitempty"`
	Play    string `json:"play,omitempty"`
	Primary bool   `json:"primary,omitempty"`
}

// Menu lets the user choose one of several options.
type Menu struct {
	Label   string   `json:"label"`
	Press   string   `json:"press"`
	Options []Option `json:"options"`
}

// Option is a choice in a menu.
type Option struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// pressable lists the actions of controls that a page can press. They need no form.
var pressable = map[show.Action]bool{
	show.ActionRules: true, show.ActionKey: true, show.ActionText: true, show.ActionUndo: true, show.ActionHint: true,
	show.ActionAgree: true, show.ActionDecline: true, "hint-sure": true, "confirm": true,
	show.ActionDropPlans: true, show.ActionRematch: true,
}

// commands are the commands of /table that a page can give.
var commands = []string{"draw", "resign", "abandon"}

// buttons returns the buttons for a user's actions at a table, except moving.
func (rm *Room) buttons(r *interact.Request, snap *table.Snapshot, viewer games.Seat) (list []Button) {
	add := func(sentence, press string) {
		list = append(list, Button{Label: r.Say.Plain().Say(text.M(sentence)), Press: press})
	}
	own := func(b discordgo.Button) { list = append(list, Button{Label: b.Label, Press: b.CustomID}) }
	s := show.Plain(r.Say, snap)
	if snap.Status == table.Over && viewer >= 0 {
		own(show.RematchButton(snap, s))
		list[0].Primary = true
	}
	if snap.Status == table.Playing && viewer >= 0 && snap.In(viewer) && snap.Paused == "" {
		if snap.ToMove == viewer && len(rm.Tables.Levels()) > 0 && snap.TakesHints(r.Settings) {
			own(show.HintButton(snap, s))
		}
		if snap.TakesBack(viewer) {
			own(show.UndoButton(snap, s))
		}
		add("bot.page.draw", "/table draw")
		add("bot.page.resign", "/table resign")
		add("bot.page.abandon", "/table abandon")
	}
	own(show.RulesButton(snap.Rules(), s))
	own(show.KeyButton(snap, snap.Plays-1, snap.Plays, s))
	own(show.TextButton(snap, snap.Plays-1, snap.Plays, s))
	return list
}

// answerPress uses a control of a message, or gives a command.
func (rm *Room) answerPress(v *visit) (a answer, _ []byte) {
	v.ctx = context.WithoutCancel(v.ctx)
	if v.Key == "" {
		return answer{code: http.StatusBadRequest}, nil
	}
	var data discordgo.InteractionData
	if name, ok := strings.CutPrefix(v.Press, "/table "); ok && slices.Contains(commands, name) {
		option := &discordgo.ApplicationCommandInteractionDataOption{Name: "table",
			Type: discordgo.ApplicationCommandOptionString, Value: v.Table}
		data = discordgo.ApplicationCommandInteractionData{
			Name: "table", CommandType: discordgo.ChatApplicationCommand,
			Options: []*discordgo.ApplicationCommandInteractionDataOption{{
				Name: name, Type: discordgo.ApplicationCommandOptionSubCommand,
				Options: []*discordgo.ApplicationCommandInteractionDataOption{option},
			}},
		}
	} else {
		id, ok := show.ParseCustomID(v.Press)
		if !ok || !pressable[id.Action] || id.Table != "" && id.Table != v.Table {
			return answer{code: http.StatusBadRequest}, nil
		}
		v.opens = id.Action == show.ActionRematch
		d := discordgo.MessageComponentInteractionData{CustomID: v.Press}
		if v.Value != "" {
			d.Values = []string{v.Value}
		}
		data = d
	}
	reply, refused := rm.perform(v, "", interact.Quick, data, nil)
	if refused != "" {
		return answer{Error: refused}, nil
	}
	snap, err := rm.Tables.Lookup.Snapshot(v.ctx, v.id)
	if err != nil {
		return answer{}, nil
	}
	for _, m := range []*show.Message{reply.New, reply.Update} {
		if m != nil {
			a.Message = rm.message(snap, m)
		}
	}
	if v.opens {
		rm.toRematch(v, snap, &a)
	}
	return a, nil
}

// toRematch adds the rematch of a table to the answer to its button: the new table if its game has begun, or else a
// sentence about that table. The sentence replaces the bot's reply, which can link to a thread.
func (rm *Room) toRematch(v *visit, old *table.Snapshot, a *answer) {
	v.opens = false
	rm.perform(v, "page-rematch", interact.Quick, nil,
		func(ctx context.Context, r *interact.Request) (interact.Reply, error) {
			next, err := rm.Tables.Lookup.RematchOf(ctx, old)
			switch {
			case err != nil || next == nil:
			case next.Status == table.Playing:
				a.Table = next.ID.String()
			default:
				said := r.Say.Say(text.M("bot.page.rematch", "Table", next.ID.String()))
				a.Message = rm.message(old, show.Text(said))
			}
			return interact.Reply{}, err
		})
}

// mention matches a mention of a user in Discord's markdown.
var mention = regexp.MustCompile(`<@!?(\d+)>`)

// message converts a message of the bot to the page's format. It replaces mentions of the table's players by their
// names, and mentions of other users by a question mark.
func (rm *Room) message(snap *table.Snapshot, m *show.Message) *Message {
	out := &Message{Parts: []Part{}}
	pictures := map[string]string{}
	for _, f := range m.Files {
		if b, err := io.ReadAll(f.Reader); err == nil && f.ContentType == "image/png" {
			pictures["attachment://"+f.Name] = "data:image/png;base64," + base64.StdEncoding.EncodeToString(b)
		}
	}
	named := func(said string) string {
		return mention.ReplaceAllStringFunc(said, func(m string) string {
			for _, o := range snap.Seats {
				if strings.Trim(m, "<@!>") == o.User {
					return "**" + o.Name.Markdown() + "**"
				}
			}
			return "?"
		})
	}
	var walk func(list []discordgo.MessageComponent)
	walk = func(list []discordgo.MessageComponent) {
		for _, c := range list {
			switch c := c.(type) {
			case discordgo.TextDisplay:
				out.Parts = append(out.Parts, Part{Text: named(c.Content)})
			case discordgo.Container:
				walk(c.Components)
			case discordgo.MediaGallery:
				for _, item := range c.Items {
					p := Part{Picture: pictures[item.Media.URL]}
					if item.Description != nil {
						p.Alt = *item.Description
					}
					if p.Picture != "" {
						out.Parts = append(out.Parts, p)
					}
				}
			case discordgo.ActionsRow:
				out.Parts = append(out.Parts, rowParts(c)...)
			}
		}
	}
	walk(m.Components)
	return out
}

// rowParts returns the controls of a row that a page can use.
func rowParts(row discordgo.ActionsRow) (parts []Part) {
	var buttons []Button
	for _, c := range row.Components {
		switch c := c.(type) {
		case discordgo.Button:
			id, _ := show.ParseCustomID(c.CustomID)
			b := Button{Label: c.Label, Primary: c.Style != discordgo.SecondaryButton}
			switch {
			case c.Disabled:
				continue
			case id.Action == "do": // the button plays the hinted move
				b.Play = id.Arg
			case pressable[id.Action]:
				b.Press = c.CustomID
			default:
				continue
			}
			buttons = append(buttons, b)
		case discordgo.SelectMenu:
			if id, _ := show.ParseCustomID(c.CustomID); pressable[id.Action] {
				m := &Menu{Label: c.Placeholder, Press: c.CustomID}
				for _, o := range c.Options {
					m.Options = append(m.Options, Option{o.Label, o.Value})
				}
				parts = append(parts, Part{Menu: m})
			}
		}
	}
	if len(buttons) > 0 {
		parts = append(parts, Part{Buttons: buttons})
	}
	return slices.Clip(parts)
}
