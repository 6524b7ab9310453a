package settings

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/servers"
	"marque/bot/show"
	"marque/games/text"
)

// Arguments of the buttons below /me privacy.
const (
	privacyExport = "export"
	privacyDelete = "delete"
	privacySure   = "sure"
)

// privacy answers /me privacy with a description of the stored data, and buttons to get and to delete them.
func (rm *Room) privacy(_ context.Context, r *interact.Request) (interact.Reply, error) {
	m := show.Text(r.Say.Say(text.M("bot.privacy", "Days", int(servers.Grace.Hours()/24))))
	id := func(arg string) show.CustomID { return show.CustomID{Action: actionPrivacy, Arg: arg} }
	m.Components = append(m.Components, show.Rows(
		show.Button(discordgo.SecondaryButton, r.Say.Say(text.M("bot.privacy.export")), id(privacyExport)),
		show.Button(discordgo.DangerButton, r.Say.Say(text.M("bot.privacy.delete")), id(privacyDelete)),
	)...)
	return interact.Reply{New: m}, nil
}

// private answers the buttons below /me privacy.
func (rm *Room) private(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	switch r.Control.Arg {
	case privacyExport:
		all, err := rm.stored.Export(ctx, r.User.ID)
		if err != nil {
			return interact.Reply{}, err
		}
		data, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return interact.Reply{}, err
		}
		file := &discordgo.File{Name: "marque-data.json", ContentType: "application/json",
			Reader: bytes.NewReader(data)}
		said := []discordgo.MessageComponent{
			show.Paragraph(r.Say.Say(text.M("bot.privacy.exported"))),
			discordgo.FileComponent{File: discordgo.UnfurledMediaItem{URL: "attachment://" + file.Name}},
		}
		if all.Partial {
			said = append(said, show.Paragraph(r.Say.Say(text.M("bot.privacy.partial"))))
		}
		return interact.Reply{New: &show.Message{Files: []*discordgo.File{file}, Components: said}}, nil
	case privacyDelete:
		m := show.Text(r.Say.Say(text.M("bot.privacy.sure")))
		m.Components = append(m.Components, show.Rows(show.Button(discordgo.DangerButton,
			r.Say.Say(text.M("bot.privacy.sure-button")), show.CustomID{Action: actionPrivacy, Arg: privacySure}))...)
		return interact.Reply{New: m}, nil
	case privacySure:
		if err := rm.stored.Forget(ctx, r.User.ID); err != nil {
			return interact.Reply{}, err
		}
		id := "bot.privacy.deleted"
		if going, err := rm.tables.Forgetting(ctx, r.User.ID); err == nil && going {
			id = "bot.privacy.deleting"
		}
		return interact.Reply{New: show.Text(r.Say.Say(text.M(id)))}, nil
	}
	return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
}
