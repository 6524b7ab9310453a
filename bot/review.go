package bot

import (
	"context"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/computer"
	"marque/games/review"
	"marque/games/text"
)

// reviewWait is how long /review waits for the last turning point before it shows what there is. It leaves most of the time for an answer to the picture.
const reviewWait = 8 * time.Second

// review answers /review: the turning points of a game that is over, one to a page.
func (b *Bot) review(ctx context.Context, r *request) (reply, error) {
	snap, err := b.latestTable(ctx, r)
	if err != nil {
		return reply{}, err
	}
	m, err := b.reviewMessage(ctx, r, snap.ID, 0)
	return reply{new: m}, err
}

// reviewPage answers the arrows under a turning point; the version in the custom_id is its number.
func (b *Bot) reviewPage(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	m, err := b.reviewMessage(ctx, r, snap.ID, r.id.version)
	return reply{update: m}, err
}

func (b *Bot) reviewMessage(ctx context.Context, r *request, id table.ID, page int) (*message, error) {
	wait, cancel := context.WithTimeout(ctx, reviewWait)
	defer cancel()
	found, err := b.tables.Review(wait, id)
	if err != nil {
		return nil, err
	}
	s := mentioning(r.say, found.Snapshot)
	head := fmt.Sprintf("### %s · #%s\n", s.Say(found.Game().Info().Name), found.ID)
	if !found.Done {
		head += "-# " + s.Say(text.M("bot.review.looking", "At", found.Looked, "Of", found.Plays)) + "\n"
	}
	if len(found.Points) == 0 {
		if found.Done {
			head += s.Say(text.M("bot.review.none"))
		}
		return say(head), nil
	}
	page = max(0, min(page, len(found.Points)-1))
	p := found.Points[page]
	file, alt, err := b.boardPicture(ctx, found.Snapshot, games.Spectator, p.Play, p.Play+1, r.say)
	if err != nil {
		return nil, err
	}
	head += "**" + s.Say(text.M("bot.review.point", "At", page+1, "Of", len(found.Points))) + "**\n" +
		s.Say(text.M("bot.review.cost", "Play", p.Play+1, "Who", text.Player(p.Seat), "Played", p.Played, "Better", p.Better, "Left", computer.Percent(p.Left), "Had", computer.Percent(p.Had), "Lost", p.LostPercent()))
	m := &message{}
	m.files = append(m.files, file)
	m.components = append(m.components, container(accentOf(found.Snapshot, p.Seat), paragraph(head), picture(file.Name, alt)))
	to := func(label string, n int) customID {
		return customID{action: actionReview, table: id.String(), version: max(0, n), arg: label}
	}
	back, on := b.arrow("◀", to("◀", page-1), page == 0), b.arrow("▶", to("▶", page+1), page == len(found.Points)-1)
	m.components = append(m.components, rows(back, on, b.walkButton(found.Snapshot, p.Play+1, r.say))...)
	return m, nil
}

// markLine says of the play that led to a position that it was a turning point; "" when it was none.
func markLine(points []review.TurningPoint, n int, s speaker) string {
	for _, p := range points {
		if p.Play == n-1 {
			return s.Say(p.Tell())
		}
	}
	return ""
}

// marksLine lists the turning points among the plays from one number up to and without another; "" when there are none.
func marksLine(points []review.TurningPoint, from, to int, s speaker) string {
	var moves []text.Message
	for _, p := range points {
		if from <= p.Play && p.Play < to {
			moves = append(moves, text.M("bot.review.at", "Sign", p.Sign(), "Play", p.Play+1))
		}
	}
	if len(moves) == 0 {
		return ""
	}
	return s.Say(text.M("bot.review.marks", "Moves", moves, "Count", len(moves)))
}

// markButtons lead from a position to the turning points before and after it; none in a game without any.
func (b *Bot) markButtons(snap *table.Snapshot, points []review.TurningPoint, n int) []discordgo.Button {
	if len(points) == 0 {
		return nil
	}
	before, after := -1, -1
	for _, p := range points {
		switch at := p.Play + 1; {
		case at < n:
			before = at
		case at > n && after < 0:
			after = at
		}
	}
	to := func(label string, at int) discordgo.Button {
		return b.arrow(label, customID{action: actionAt, table: snap.ID.String(), version: max(0, at), arg: label}, at < 0)
	}
	return []discordgo.Button{to("◀ ??", before), to("?? ▶", after)}
}
