package archive

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/reviews"
	"marque/bot/show"
	"marque/games"
	"marque/games/computer"
	"marque/games/ledger"
	"marque/games/review"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/render"
)

// card replies to /record card, to the button “Result picture”, and to the button that posts the card in the channel.
// The reply is one picture about a finished game or, while its review is not done, a message about the review.
func (rm *Room) card(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	found, err := rm.judged(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if !found.Done {
		return interact.Reply{New: lookingMessage(found, show.Mentioning(r.Say, found.Snapshot),
			show.ShareButton(found.Snapshot, r.Say))}, nil
	}
	m, err := rm.cardMessage(ctx, found, r.Say)
	if err != nil {
		return interact.Reply{}, err
	}
	buttons := []discordgo.Button{show.TextButton(found.Snapshot, found.Plays-1, found.Plays, r.Say)}
	if r.Control.Action == show.ActionShare && r.Where == interact.OnServer {
		buttons = slices.Insert(buttons, 0, show.Button(discordgo.PrimaryButton, r.Say.Say(text.M("bot.card.post")),
			show.CustomID{Action: actionPost, Table: found.ID.String()}))
	}
	m.Components = append(m.Components, show.Rows(buttons...)...)
	return interact.Reply{New: m}, nil
}

func (rm *Room) cardMessage(ctx context.Context, found reviews.Review, s *locale.Speaker) (*show.Message, error) {
	plain := show.Plain(s, found.Snapshot)
	say := plain.Say
	names := show.Names(found.Snapshot, s)
	c := render.Card{
		Result: say(found.Match().ResultText()),
		Final:  show.SceneAt(found.Snapshot, games.Spectator, found.Plays, found.Plays),
		Head:   say(text.M("bot.card.moment")), Moment: say(moment(found)),
	}
	plate := text.M("bot.plate.card", "Game", found.Rules().Info().Name, "Table", found.ID)
	told := []string{say(plate) + ".", c.Result}
	for seat, p := range found.Players() {
		row := render.CardRow{Name: names[seat].Plain(), Played: playedHow(found, seat, p, say)}
		row.Color, row.Winner = standing(found, &c.Final, seat)
		c.Rows = append(c.Rows, row)
		if row.Played != nil {
			told = append(told, row.Name+": "+strings.Join(row.Played, ", ")+".")
		}
	}
	told = append(told, c.Moment, show.Describe(c.Final, plain))
	data, err := rm.Pictures.CardPNG(ctx, c, render.Options{Title: say(plate), Names: names,
		Say: say, Theme: show.ThemeOf(ctx)})
	if err != nil {
		return nil, fmt.Errorf("painting a card: %w", err)
	}
	file := show.PNG("card-"+found.ID.String()+".png", data)
	m := &show.Message{}
	m.Files = append(m.Files, file)
	m.Components = append(m.Components, show.Sheet(file.Name, show.AltOf(strings.Join(told, " "), plain), s)...)
	return m, nil
}

// playedHow returns phrases about a seat's score, accuracy and luck, if they are known.
func playedHow(found reviews.Review, seat int, p review.Player, say func(text.Message) string) (parts []string) {
	if scores := found.Outcome().Scores; scores != nil {
		parts = append(parts, say(text.M("bot.card.score", "Count", scores[seat])))
	}
	if p.HasAccuracy {
		parts = append(parts, say(text.M("bot.card.accuracy", "Accuracy", int(math.Round(p.Accuracy)))))
	}
	if found.Luck != nil && found.Luck.Draws > 0 {
		parts = append(parts, say(text.M("bot.card.luck", "Luck", signed(found.Luck.Seats[seat]))))
	}
	return parts
}

// moment returns a sentence about the move or draw that decided a game, or a sentence that none did.
func moment(found reviews.Review) text.Message {
	worst, draw, who := decisive(found.Points, found.Luck, found.Outcome())
	switch {
	case who != games.Nobody:
		return text.M("bot.card.draw", "Turn", max(1, found.Turn(draw.Play+1)), "Draw",
			found.Notation(draw.Play), "Who", text.Player(who), "Luck", signed(draw.Change))
	case worst != nil:
		return text.M("bot.card.mistake", "Turn", found.Turn(worst.Play+1), "Who", text.Player(worst.Seat), "Played",
			worst.Played, "Better", worst.Better, "Had", computer.Percent(worst.Had), "Left",
			computer.Percent(worst.Left))
	}
	return text.M("bot.card.even")
}

// leastLuck limits the draws that a card mentions: a draw must change the chance of winning by more than leastLuck.
const leastLuck = 0.1

// decisive returns the move or the draw that decided a game. worst is the costliest mistake of the players who did not
// win, or nil. draw is the draw that helped a winner most, and who is that winner. who is Nobody if the draw helped no
// more than worst cost, or no more than leastLuck. In a drawn game the mistakes and draws of all players count.
func decisive(points []review.TurningPoint, l *ledger.Ledger, ended games.Result) (worst *review.TurningPoint,
	draw ledger.Draw, who games.Seat) {
	won := func(seat games.Seat) bool { return slices.Contains(ended.Winners, seat) }
	least := leastLuck
	for i, p := range points {
		if (ended.Drawn || !won(p.Seat)) && (worst == nil || p.Lost() > worst.Lost()) {
			worst, least = &points[i], max(leastLuck, p.Lost())
		}
	}
	who = games.Nobody
	if l == nil {
		return worst, draw, who
	}
	for seat, best := range l.Best {
		if s := games.Seat(seat); (ended.Drawn || won(s)) && best.Change > max(least, draw.Change) {
			draw, who = best, s
		}
	}
	return worst, draw, who
}
