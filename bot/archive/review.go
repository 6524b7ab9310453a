package archive

import (
	"context"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/reviews"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/turn"
	"marque/games"
	"marque/games/computer"
	"marque/games/review"
	"marque/games/text"
)

// reviewWait is how long replies wait for the review of a game before they show what has been found. The remaining time
// for an answer is for painting the picture.
const reviewWait = 8 * time.Second

// review replies to /record review and to a report's button with the first turning point of a finished game.
func (rm *Room) review(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.reviewMessage(ctx, r, snap.ID, 0)
	return interact.Reply{New: m}, err
}

// reviewPage replies to the arrows below a turning point. The page in the custom_id is the index of the turning point.
func (rm *Room) reviewPage(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.reviewMessage(ctx, r, snap.ID, r.Control.Page)
	return interact.Reply{Update: m}, err
}

func (rm *Room) reviewMessage(ctx context.Context, r *interact.Request, id table.ID, page int) (*show.Message, error) {
	wait, cancel := context.WithTimeout(ctx, reviewWait)
	defer cancel()
	found, err := rm.Reviews.Review(wait, id)
	if err != nil {
		return nil, err
	}
	s := show.Mentioning(r.Say, found.Snapshot)
	head := fmt.Sprintf("### %s · #%s\n", s.Say(found.Rules().Info().Name), found.ID)
	if !found.Done {
		head += "-# " + s.Say(text.M("bot.review.looking", "At", found.Turn(found.Looked), "Of", found.Turn(found.Plays))) + "\n"
	}
	if len(found.Points) == 0 {
		if found.Done {
			head += s.Say(text.M("bot.review.none"))
		}
		return show.Text(head), nil
	}
	page = max(0, min(page, len(found.Points)-1))
	p := found.Points[page]
	said := "**" + s.Say(text.M("bot.review.point", "At", page+1, "Of", len(found.Points))) + "**\n" + CostLine(found.Snapshot, p, s)
	return rm.movePage(ctx, r, found, actionReview, [2]int{page, len(found.Points)},
		lookedAt{p.Play, p.Seat, head + said, p.Better})
}

// CostLine returns a line about the move at a turning point and the better move.
func CostLine(snap *table.Snapshot, p review.TurningPoint, s show.Speaker) string {
	return s.Say(text.M("bot.review.cost", "Turn", snap.Turn(p.Play+1), "Who", text.Player(p.Seat),
		"Played", text.Code(p.Played), "Better", text.Code(p.Better), "Left", computer.Percent(p.Left),
		"Had", computer.Percent(p.Had), "Lost",
		p.LostPercent()))
}

type lookedAt struct {
	play   int
	seat   games.Seat
	said   string
	better string // the better move, as the rules write it; "" if it is not known
}

// movePage returns a page with the board after a move and, if there is a better move, the board after that move below
// it. at is the index of the page and the number of pages. The arrows to other pages have the given action.
func (rm *Room) movePage(ctx context.Context, r *interact.Request, found reviews.Review, action show.Action, at [2]int,
	l lookedAt) (*show.Message, error) {
	snap, s := found.Snapshot, show.Mentioning(r.Say, found.Snapshot)
	file, alt, err := rm.Paint.Board(ctx, snap, games.Spectator, l.play, l.play+1, r.Say)
	if err != nil {
		return nil, err
	}
	m := &show.Message{Files: []*discordgo.File{file}}
	named := show.Named(r.Say, snap)
	parts := append([]discordgo.MessageComponent{show.Paragraph(l.said)}, show.BoardBeside(file.Name, alt,
		show.SceneAt(snap, games.Spectator, l.play, l.play+1), named, 2, l.said)...)
	if l.better != "" && l.better != found.Notation(l.play) {
		sc, err := snap.Instead(games.Spectator, l.play, l.better)
		if err != nil {
			return nil, fmt.Errorf("play %d of table %s: %w", l.play, snap.ID, err)
		}
		plate := text.M("bot.plate.preview", "Plate", show.TablePlate(snap, l.play), "Move", l.better)
		file, alt, err := rm.Paint.Paint(ctx, sc, plate, show.Names(snap, r.Say), show.Plain(r.Say, snap),
			fmt.Sprintf("better-%s-%d.png", snap.ID, l.play))
		if err != nil {
			return nil, err
		}
		m.Files = append(m.Files, file)
		parts = append(parts, show.Paragraph(s.Say(text.M("bot.review.better", "Better", text.Code(l.better)))))
		parts = append(parts, show.BoardBeside(file.Name, alt, sc, named, 2, l.said)...)
	}
	m.Components = append(m.Components, show.Container(show.AccentOf(snap, l.seat), parts...))
	to := func(label string, n int) show.CustomID {
		return show.CustomID{Action: action, Table: snap.ID.String(), Page: max(0, n), Arg: label}
	}
	back, on := show.Arrow("◀", to("◀", at[0]-1), at[0] == 0), show.Arrow("▶", to("▶", at[0]+1), at[0] == at[1]-1)
	m.Components = append(m.Components, show.Rows(
		append([]discordgo.Button{back, on, show.WalkButton(snap, l.play+1, r.Say),
			show.TextButton(snap, l.play, l.play+1, r.Say)}, show.TryButtons(snap, l.play, r.Say)...)...)...)
	return m, nil
}

type extreme struct {
	play  int
	seat  games.Seat
	worst bool
}

// extremes returns the best and then the worst move of each player, if there are such moves, in seat order.
func extremes(players []review.Player) (list []extreme) {
	for seat, p := range players {
		if p.Best >= 0 {
			list = append(list, extreme{p.Best, games.Seat(seat), false})
		}
		if p.Worst >= 0 {
			list = append(list, extreme{p.Worst, games.Seat(seat), true})
		}
	}
	return list
}

// moves replies to a report's button with the best and the worst move of each player, one per page.
func (rm *Room) moves(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	m, err := rm.movesMessage(ctx, r, 0)
	return interact.Reply{New: m}, err
}

// movesPage replies to the arrows below the best and worst moves.
func (rm *Room) movesPage(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	m, err := rm.movesMessage(ctx, r, r.Control.Page)
	return interact.Reply{Update: m}, err
}

func (rm *Room) movesMessage(ctx context.Context, r *interact.Request, page int) (*show.Message, error) {
	found, err := rm.judged(ctx, r)
	if err != nil {
		return nil, err
	}
	s := show.Mentioning(r.Say, found.Snapshot)
	list := extremes(found.Players())
	switch {
	case !found.Done:
		return lookingMessage(found, s, show.ReportButton(found.Snapshot, s)), nil
	case len(list) == 0: // another version of the computer players can rate the moves differently
		return show.Text(show.Title(found.Snapshot, s) + "\n" + s.Say(text.M("bot.review.none"))), nil
	}
	page = max(0, min(page, len(list)-1))
	e := list[page]
	l := lookedAt{play: e.play, seat: e.seat}
	line := bestLine(found, e.play, s)
	if e.worst {
		line, l.better = rm.worstLine(ctx, found, e.play, s)
	}
	l.said = show.Title(found.Snapshot, s) + "\n" + s.Say(text.M("match.player", "Who", text.Player(e.seat))) + ": " + line
	return rm.movePage(ctx, r, found, actionMove, [2]int{page, len(list)}, l)
}

// worstLine returns a line about a player's worst move, and the notation of the move that a computer player would have
// made. better is "" if that move is not known or is the same.
func (rm *Room) worstLine(ctx context.Context, found reviews.Review, play int, s show.Speaker) (line, better string) {
	line = worstLine(found, play, s)
	if p, ok := pointAt(found, play); ok {
		return line + "\n" + turn.ChoiceLine(&p, s), p.Better
	}
	d := rm.Reviews.Choice(ctx, found.Snapshot, play)
	if d == nil || d.Better == d.Played {
		return line, ""
	}
	return line + "\n" + turn.ChoiceLine(&d.TurningPoint, s), d.Better
}
