package publish

import (
	"context"

	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
)

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
