package archive

import (
	"context"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/study"
	"marque/bot/table"
	"marque/games"
	"marque/games/computer"
	"marque/games/text"
)

// reviewWait is how long /record review waits for the last turning point before it shows what there is. It
// leaves most of the time for an answer to the picture.
const reviewWait = 8 * time.Second

// review answers /record review: the turning points of a game that is over, one to a page.
func (rm *Room) review(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.LatestTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.reviewMessage(ctx, r, snap.ID, 0)
	return interact.Reply{New: m}, err
}

// reviewPage answers the arrows under a turning point; the page in the custom_id is its number.
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
	found, err := rm.Tables.Reviews.Review(wait, id)
	if err != nil {
		return nil, err
	}
	s := show.Mentioning(r.Say, found.Snapshot)
	head := fmt.Sprintf("### %s · #%s\n", s.Say(found.Rules().Info().Name), found.ID)
	if !found.Done {
		head += "-# " + s.Say(text.M("bot.review.looking", "At", found.Looked, "Of", found.Plays)) + "\n"
	}
	if len(found.Points) == 0 {
		if found.Done {
			head += s.Say(text.M("bot.review.none"))
		}
		return show.Text(head), nil
	}
	page = max(0, min(page, len(found.Points)-1))
	p := found.Points[page]
	file, alt, err := rm.Paint.Board(ctx, found.Snapshot, games.Spectator, p.Play, p.Play+1, r.Say)
	if err != nil {
		return nil, err
	}
	head += "**" + s.Say(text.M("bot.review.point", "At", page+1, "Of", len(found.Points))) + "**\n" +
		s.Say(text.M("bot.review.cost", "Play", p.Play+1, "Who", text.Player(p.Seat), "Played", text.Code(p.Played),
			"Better", text.Code(p.Better), "Left", computer.Percent(p.Left), "Had", computer.Percent(p.Had), "Lost",
			p.LostPercent()))
	m := &show.Message{}
	m.Files = append(m.Files, file)
	m.Components = append(m.Components, show.Container(show.AccentOf(found.Snapshot, p.Seat), show.Paragraph(head),
		show.Picture(file.Name, alt)))
	to := func(label string, n int) show.CustomID {
		return show.CustomID{Action: actionReview, Table: id.String(), Page: max(0, n), Arg: label}
	}
	back, on := show.Arrow("◀", to("◀", page-1), page == 0),
		show.Arrow("▶", to("▶", page+1), page == len(found.Points)-1)
	m.Components = append(m.Components, show.Rows(
		append([]discordgo.Button{back, on, WalkButton(found.Snapshot, p.Play+1, r.Say)},
			study.Button(found.Snapshot, p.Play, r.Say)...)...)...)
	return m, nil
}
