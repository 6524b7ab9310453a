package bot

import (
	"context"
	"errors"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

func isStale(err error) bool { return errors.Is(err, table.ErrStale) }

// move answers /move: a move typed in the notation of the rules, or chosen from what autocomplete offered.
func (b *Bot) move(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if _, err := b.mySeat(r, snap); err != nil {
		return reply{}, err
	}
	typed := r.option("move")
	after, err := b.tables.Move(ctx, r.actor(), snap.ID, typed, 0)
	if err != nil {
		return reply{}, naming(err, r, snap)
	}
	return reply{new: b.played(ctx, r, after, typed)}, nil
}

// completeMove offers the legal moves that fit what has been typed.
func (b *Bot) completeMove(ctx context.Context, r *request) []*discordgo.ApplicationCommandOptionChoice {
	if r.focused == "table" {
		return b.completeTable(ctx, r)
	}
	snap, err := b.table(ctx, r)
	if err != nil {
		return nil
	}
	_, menu, err := b.myMenu(r, snap)
	if err != nil {
		return nil
	}
	s := plain(r.say, snap)
	var out []*discordgo.ApplicationCommandOptionChoice
	for _, c := range menu.Complete(r.option("move"), maxChoices, s.Say) {
		name := c.Notation
		if label := games.Label(c.Words, s.Say); label != "" {
			name += " · " + label
		}
		out = append(out, &discordgo.ApplicationCommandOptionChoice{Name: clip(name, maxChoiceName), Value: c.Notation})
	}
	return out
}

// hand answers /hand and the My hand button: the user's own cards, for them alone.
func (b *Bot) hand(ctx context.Context, r *request) (reply, error) {
	snap, err := b.latestTable(ctx, r)
	if err != nil {
		return reply{}, err
	}
	seat, err := b.mySeat(r, snap)
	if err != nil {
		return reply{}, err
	}
	s := plain(r.say, snap)
	sc := sceneAt(snap, seat, snap.Plays, snap.Plays)
	file, err := b.handPicture(ctx, sc, s)
	if err != nil {
		return reply{}, err
	}
	if file == nil {
		if hasHands(snap) {
			return reply{new: say(r.say.Say(text.M("bot.hand.empty")))}, nil
		}
		return reply{}, playerError{text.M("bot.hand.none", "Game", snap.Game().Info().Name)}
	}
	m := &message{files: []*discordgo.File{file}}
	alt := b.handText(snap, seat, s)
	m.components = []discordgo.MessageComponent{container(accentOf(snap, seat), paragraph("### "+r.say.Say(text.M("bot.hand.title"))+"\n"+alt), picture(file.Name, alt))}
	if _, ok := snap.Menu(seat); ok {
		m.components = append(m.components, rows(b.moveButton(r.say.Say, snap))...)
	}
	return reply{new: m}, nil
}

// hasHands reports whether players of this game hold cards that others may not see: somebody's view differs from a spectator's.
func hasHands(snap *table.Snapshot) bool {
	if !snap.Hidden() {
		return false
	}
	for seat := range snap.Seats {
		if len(sceneAt(snap, games.Seat(seat), snap.Plays, snap.Plays).Hand) > 0 {
			return true
		}
	}
	return false
}
