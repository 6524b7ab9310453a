package publish

import (
	"context"

	"github.com/bwmarrin/discordgo"

	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
)

// ArchiveThread archives the thread of a table that is over.
func (rm *Room) ArchiveThread(ctx context.Context, snap *table.Snapshot) error {
	archived := true
	_, err := rm.session.ChannelEditComplex(snap.Channel, &discordgo.ChannelEdit{Archived: &archived}, discordgo.WithContext(rest.For(ctx, rest.Tidying)))
	if err != nil {
		return publishError(err)
	}
	return nil
}

// ShowCard edits the message by which the channel of a table's thread knows of it.
func (rm *Room) ShowCard(ctx context.Context, snap *table.Snapshot) error {
	ctx = rest.For(ctx, rest.Cards)
	settings, err := rm.tables.Choices.TableSettings(ctx, snap.Head)
	if err != nil {
		return err
	}
	s := show.Mentioning(rm.languages.Table(snap.Head, settings), snap)
	err = rm.edit(ctx, snap.Card.Channel, snap.Card.Message, rm.lobby.Card(snap, s))
	switch rest.Code(err) {
	case rest.CodeUnknownMessage, rest.CodeUnknownChannel:
		return table.ErrNoCard
	}
	if err != nil {
		return publishError(err)
	}
	return nil
}
