package publish

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/compete"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// besidePatience is the time limit for work that is not part of publishing a table's events, so that they do not wait
// longer. Failed work is tried again later.
const besidePatience = 5 * time.Second

// beside returns a context for work that is not part of publishing a table's events.
func beside(ctx context.Context, kind rest.Kind) (context.Context, context.CancelFunc) {
	return context.WithTimeout(rest.For(ctx, kind), besidePatience)
}

// ArchiveThread archives the thread of a table that is over.
func (rm *Room) ArchiveThread(ctx context.Context, snap *table.Snapshot) error {
	ctx, cancel := beside(ctx, rest.Tidying)
	defer cancel()
	archived := true
	err := rm.modify(ctx, snap.Channel, &discordgo.ChannelEdit{Archived: &archived})
	if err != nil {
		return Failed(err)
	}
	return nil
}

// ShowCard edits the table's card: the message in the thread's parent channel that links to the table. It returns
// table.ErrNoCard if the message or the channel does not exist.
func (rm *Room) ShowCard(ctx context.Context, snap *table.Snapshot) error {
	ctx, cancel := beside(ctx, rest.Cards)
	defer cancel()
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
		return Failed(err)
	}
	return nil
}

// NameThread sets the name of a table's thread, unless the table is over and the thread has a later table.
func (rm *Room) NameThread(ctx context.Context, snap *table.Snapshot) error {
	ctx, cancel := beside(ctx, rest.Cards)
	defer cancel()
	if snap.Status == table.Over { // the thread may have another game now
		active, err := rm.tables.Lookup.InChannel(ctx, snap.Channel)
		if err != nil {
			return err
		}
		if last, err := rm.tables.Lookup.LastInChannel(ctx, snap.Channel); err != nil || last != snap.ID ||
			len(active) > 0 {
			return err
		}
	}
	settings, err := rm.tables.Choices.TableSettings(ctx, snap.Head)
	if err != nil {
		return err
	}
	var of text.Name
	if snap.OfCompetition() {
		n, err := rm.competitions.Get(ctx, compete.ID{Server: snap.Guild, Number: snap.Competition.Number})
		if err != nil && !errors.Is(err, storage.ErrNoCompetition) {
			return err
		}
		of = n.Name
	}
	return Failed(rest.Named(threadNames(snap, of, rm.languages.Table(snap.Head, settings)), func(name string) error {
		return rm.nameThread(ctx, snap.Channel, name)
	}))
}

// nameThread renames a thread. An archived thread stays archived.
func (rm *Room) nameThread(ctx context.Context, thread, name string) error {
	edit := &discordgo.ChannelEdit{Name: name}
	err := rm.modify(ctx, thread, edit)
	if rest.Code(err) != rest.CodeThreadArchived {
		return err
	}
	archived, open := true, false
	edit.Archived = &open
	if err = rm.modify(ctx, thread, edit); err == nil {
		err = rm.modify(ctx, thread, &discordgo.ChannelEdit{Archived: &archived})
	}
	return err
}

// modify changes a channel. Discord allows two renames of a channel in ten minutes. A refused request is not repeated,
// and requests to other routes do not wait for this limit.
func (rm *Room) modify(ctx context.Context, channel string, edit *discordgo.ChannelEdit) error {
	body, err := json.Marshal(edit)
	if err != nil {
		return err
	}
	bucket := discordgo.NewRatelimiter().LockBucket("channel")
	_, err = rm.session.RequestWithLockedBucket(http.MethodPatch, discordgo.EndpointChannel(channel),
		"application/json", body, bucket, 0,
		discordgo.WithContext(ctx), discordgo.WithRetryOnRatelimit(false))
	return err
}

// threadNames returns the possible names of a table's thread, the best first. The first has the table's number, its
// game or competition, and the players that table.NamesThread returns. The next ones leave out the players, whose
// names a server may refuse, and then the competition.
func threadNames(snap *table.Snapshot, of text.Name, s *locale.Speaker) (list []string) {
	var names []string
	for _, o := range table.NamesThread(snap.Head) {
		names = append(names, show.NameOf(o, s).Plain())
	}
	game := snap.Rules().Info().Name
	what := game
	if !of.IsZero() {
		what = of.Raw()
	}
	called := func(id string, what text.Message) {
		list = append(list, show.Clip(s.Plain().Say(text.M(id, "Table", snap.ID.String(), "Game", what,
			"Who", text.NewName(strings.Join(names, ", ")))), show.MaxThreadName))
	}
	if len(names) > 0 {
		called("bot.thread.name", what)
	}
	called("bot.thread.nameless", what)
	if !of.IsZero() {
		called("bot.thread.nameless", game)
	}
	return list
}
