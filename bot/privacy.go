package bot

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games/text"
)

// What the buttons under /privacy do.
const (
	privacyExport = "export"
	privacyDelete = "delete"
	privacySure   = "sure"
)

// privacy answers /privacy: what is stored, with buttons to get it and to delete it.
func (b *Bot) privacy(_ context.Context, r *request) (reply, error) {
	m := say(r.say.Say(text.M("bot.privacy", "Days", int(table.Grace.Hours()/24))))
	id := func(arg string) string { return customID{action: actionPrivacy, arg: arg}.String() }
	m.components = append(m.components, rows(
		button(discordgo.SecondaryButton, r.say.Say(text.M("bot.privacy.export")), id(privacyExport)),
		button(discordgo.DangerButton, r.say.Say(text.M("bot.privacy.delete")), id(privacyDelete)),
	)...)
	return reply{new: m}, nil
}

// private answers those buttons.
func (b *Bot) private(ctx context.Context, r *request) (reply, error) {
	switch r.id.arg {
	case privacyExport:
		all, err := b.tables.Export(ctx, r.user.id)
		if err != nil {
			return reply{}, err
		}
		data, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return reply{}, err
		}
		file := &discordgo.File{Name: "marque-data.json", ContentType: "application/json", Reader: bytes.NewReader(data)}
		return reply{new: &message{files: []*discordgo.File{file}, components: []discordgo.MessageComponent{
			paragraph(r.say.Say(text.M("bot.privacy.exported"))), discordgo.FileComponent{File: discordgo.UnfurledMediaItem{URL: "attachment://" + file.Name}},
		}}}, nil
	case privacyDelete:
		m := say(r.say.Say(text.M("bot.privacy.sure")))
		m.components = append(m.components, rows(button(discordgo.DangerButton, r.say.Say(text.M("bot.privacy.sure-button")), customID{action: actionPrivacy, arg: privacySure}.String()))...)
		return reply{new: m}, nil
	case privacySure:
		if err := b.tables.Forget(ctx, r.user.id); err != nil {
			return reply{}, err
		}
		return reply{new: say(r.say.Say(text.M("bot.privacy.deleted")))}, nil
	}
	return reply{}, playerError{text.M("bot.error.unknown-control")}
}
