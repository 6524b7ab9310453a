package interact

import (
	"context"
	"fmt"
	"slices"

	"github.com/bwmarrin/discordgo"

	"marque/bot/rest"
	"marque/bot/show"
	"marque/games/text"
)

// permission is a permission that the bot needs in a channel, with its name in Discord's settings.
type permission struct {
	bit int64
	id  string // id of the sentence that names the permission
}

// Permissions that the bot needs in a channel: ToWrite for messages, ToPost for messages with pictures, and
// toPostInThread for these in a thread. ToOpenThread has the additional ones for opening a thread.
var (
	ToWrite = []permission{
		{discordgo.PermissionViewChannel, "bot.permission.view"},
		{discordgo.PermissionSendMessages, "bot.permission.send"},
	}
	ToPost         = append(slices.Clip(ToWrite), permission{discordgo.PermissionAttachFiles, "bot.permission.files"})
	toPostInThread = []permission{
		{discordgo.PermissionViewChannel, "bot.permission.view"},
		{discordgo.PermissionSendMessagesInThreads, "bot.permission.send-threads"},
		{discordgo.PermissionAttachFiles, "bot.permission.files"},
	}
	ToOpenThread = []permission{
		{discordgo.PermissionCreatePublicThreads, "bot.permission.create-threads"},
		{discordgo.PermissionSendMessagesInThreads, "bot.permission.send-threads"},
	}
)

// Missing returns the names of those permissions of the list need that the bot lacks. may has the bot's permissions.
func Missing(may int64, need []permission) []text.Message {
	if may&discordgo.PermissionAdministrator != 0 {
		return nil
	}
	var list []text.Message
	for _, p := range need {
		if may&p.bit == 0 {
			list = append(list, text.M(p.id))
		}
	}
	return list
}

// Place returns the interaction's channel. It refuses a channel in which the bot cannot show a table.
func (f *Finder) Place(ctx context.Context, r *Request) (*discordgo.Channel, error) {
	ch, err := f.session.Channel(r.ChannelID, discordgo.WithContext(ctx))
	switch rest.Code(err) {
	case rest.CodeMissingAccess, rest.CodeMissingPermissions:
		return nil, show.Refuse(text.M("bot.error.permissions",
			"Permissions", []text.Message{text.M("bot.permission.view")}, "Count", 1))
	}
	if err != nil {
		return nil, fmt.Errorf("looking at a channel: %w", err)
	}
	need := ToPost
	if ch.IsThread() {
		need = toPostInThread
	}
	if list := Missing(r.AppPermissions, need); len(list) > 0 {
		return nil, show.Refuse(text.M("bot.error.permissions", "Permissions", list, "Count", len(list)))
	}
	return ch, nil
}
