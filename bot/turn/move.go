package turn

import (
	"cmp"
	"context"
	"errors"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

func isStale(err error) bool { return errors.Is(err, storage.ErrStale) }

// move handles /move. The player types a move in the notation of the rules, or chooses one from autocomplete.
func (rm *Room) move(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if _, err := interact.MySeat(r, snap); err != nil {
		return interact.Reply{}, err
	}
	typed := r.Option("move")
	after, err := rm.tables.Move(ctx, r.Actor(), snap.ID, typed, 0)
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	written := cmp.Or(after.PlayedBy(r.Actor().Key), typed)
	return interact.Reply{New: rm.played(ctx, r, after, written), Ephemeral: interact.TransientOf(after)}, nil
}

// completeMove offers the legal moves that match the typed text, or tables for the option "table".
func (rm *Room) completeMove(ctx context.Context, r *interact.Request) []*discordgo.ApplicationCommandOptionChoice {
	if r.Focused == "table" {
		return rm.find.CompleteTable(ctx, r)
	}
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return nil
	}
	_, menu, err := myMenu(r, snap)
	if err != nil {
		return nil
	}
	s := show.Plain(r.Say, snap)
	var out []*discordgo.ApplicationCommandOptionChoice
	typed := r.Option("move")
	list, more := menu.Complete(typed, show.MaxChoices, s.Say)
	for _, c := range list {
		name := c.Notation
		if label := games.Label(c.Words, s.Say); label != "" {
			name += " · " + label
		}
		out = append(out, &discordgo.ApplicationCommandOptionChoice{Name: show.Clip(name, show.MaxChoiceName),
			Value: c.Notation})
	}
	if more > 0 {
		// This choice shows how many more moves match the typed text.
		out = append(out, &discordgo.ApplicationCommandOptionChoice{
			Name:  show.Clip(s.Say(text.M("bot.move.more", "Count", more)), show.MaxChoiceName),
			Value: cmp.Or(typed, "…")})
	}
	return out
}

// hand handles /table hand and the My hand button. It shows the user's own cards, which only the user sees.
func (rm *Room) hand(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	seat, err := interact.MySeat(r, snap)
	if err != nil {
		return interact.Reply{}, err
	}
	s := show.Plain(r.Say, snap)
	sc := show.SceneAt(snap, seat, snap.Plays, snap.Plays)
	plate := show.TablePlate(snap, snap.Plays)
	file, err := rm.paint.Hand(ctx, sc, plate, s)
	if err != nil {
		return interact.Reply{}, err
	}
	if file == nil {
		if snap.Hidden() { // a hand can be empty, above all at the end
			return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.hand.empty")))}, nil
		}
		return interact.Reply{}, show.Refuse(text.M("bot.hand.none", "Game", snap.Rules().Info().Name))
	}
	m := &show.Message{Files: []*discordgo.File{file}}
	said, alt := show.HandText(snap, seat, show.Named(r.Say, snap)), show.Alt(plate, show.HandText(snap, seat, s), s)
	m.Components = []discordgo.MessageComponent{show.Container(show.AccentOf(snap, seat),
		show.Paragraph("### "+r.Say.Say(text.M("bot.hand.title"))+"\n"+said), show.Picture(file.Name, alt))}
	if _, ok := snap.Menu(seat); ok {
		m.Components = append(m.Components, show.Rows(show.MoveButton(snap, r.Say))...)
	}
	return interact.Reply{New: m}, nil
}

// nextTable returns a text with a link to the next table at which the user is to move, other than the table with the id
// but. It returns "" if there is none.
func (rm *Room) nextTable(ctx context.Context, r *interact.Request, but table.ID) string {
	next, others, err := rm.tables.Lookup.NextTurn(ctx, r.User.ID, r.GuildID, but)
	if err != nil || others == 0 {
		return ""
	}
	name := text.Raw(next.Game)
	if g, err := rm.games.Find(next.Game); err == nil {
		name = g.Info().Name
	}
	return r.Say.Say(text.M("bot.next-table", "Count", others, "Game", name,
		"Link", rm.find.BoardLink(ctx, next)))
}
