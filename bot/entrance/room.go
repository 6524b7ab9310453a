// Package entrance is the way in for those who never type a slash: a lasting message with buttons.
package entrance

import (
	"context"
	"fmt"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/lobby"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/games/text"
)

// Room answers the commands of this package.
type Room struct {
	find      *interact.Finder
	languages *show.Languages
	rest      rest.Client // posts the panel
	lobby     *lobby.Room
}

// New makes a Room.
func New(find *interact.Finder, languages *show.Languages, client rest.Client, lobbyRoom *lobby.Room) *Room {
	return &Room{find, languages, client, lobbyRoom}
}

// Commands are how the panel comes into a channel.
func (rm *Room) Commands() []interact.Command {
	return []interact.Command{{Name: "server panel", Topic: interact.TopicServer, Access: interact.Managers,
		Route: interact.Route{Handle: rm.panel}}}
}

// panel answers /server panel: it posts the panel in this channel. Nothing of it is kept: what its
// buttons do stands in them.
func (rm *Room) panel(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	if _, err := rm.find.Place(ctx, r); err != nil {
		return interact.Reply{}, err
	}
	s := rm.languages.Public(r.GuildID, r.Settings)
	buttons := append(rm.lobby.OpenButtons(s), show.SeekButton(s), show.AllLessonsButton(s),
		show.MyGamesButton(s), show.LeadersButton(s), show.AllRulesButton(s))
	m := &show.Message{
		Components: append([]discordgo.MessageComponent{show.Container(show.Accent,
			show.Paragraph(s.Say(text.M("bot.entrance"))))}, show.Rows(buttons...)...),
		Nonce: r.ID,
	}
	_, err := rm.rest.Post(ctx, r.ChannelID, m)
	switch rest.Code(err) {
	case rest.CodeUnknownChannel, rest.CodeMissingAccess, rest.CodeMissingPermissions, rest.CodeThreadArchived,
		rest.CodeThreadLocked:
		return interact.Reply{}, show.Refuse(text.M("bot.entrance.refused"))
	}
	if err != nil {
		return interact.Reply{}, fmt.Errorf("posting the panel: %w", err)
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.entrance.posted")))}, nil
}
