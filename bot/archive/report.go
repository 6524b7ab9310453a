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
	"marque/games/review"
	"marque/games/scene"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/render"
)

// report replies to /record report and to the Report button with the quality of each player's play, the chances during
// the game, and the influence of dice and cards.
func (rm *Room) report(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	found, err := rm.judged(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.reportMessage(ctx, found, r.Say)
	return interact.Reply{New: m}, err
}

// judged returns the review of the requested game. If the review takes long, it is returned before it is Done.
func (rm *Room) judged(ctx context.Context, r *interact.Request) (reviews.Review, error) {
	snap, err := rm.Find.StartedTable(ctx, r)
	if err != nil {
		return reviews.Review{}, err
	}
	wait, cancel := context.WithTimeout(ctx, reviewWait)
	defer cancel()
	return rm.Reviews.Review(wait, snap.ID)
}

// lookingMessage returns a message about how much of a game the computer has reviewed, with the button to ask again.
func lookingMessage(found reviews.Review, s *locale.Speaker, again discordgo.Button) *show.Message {
	m := show.Text(show.Title(found.Snapshot, s) + "\n" +
		s.Say(text.M("bot.report.looking", "At", found.Turn(found.Looked), "Of", found.Turn(found.Plays))))
	m.Components = append(m.Components, show.Rows(again)...)
	return m
}

// Report returns a description of a reviewed game in Discord's markdown, and a graph of the chances with an alt text.
func (rm *Room) Report(ctx context.Context, found reviews.Review, say *locale.Speaker) (said string,
	sheet *discordgo.File, alt string, err error) {
	s := show.Mentioning(say, found.Snapshot)
	lines := []string{show.Title(found.Snapshot, s)}
	players := found.Players()
	for seat, p := range players {
		lines = append(lines, playerLines(found, games.Seat(seat), p, s)...)
	}
	lines = append(lines, luckLines(found, s)...)
	lines = append(lines, "-# "+s.Say(text.M("bot.report.how")))
	sheet, alt, err = rm.reportPicture(ctx, found, players, say)
	return strings.Join(lines, "\n"), sheet, alt, err
}

func (rm *Room) reportMessage(ctx context.Context, found reviews.Review, say *locale.Speaker) (*show.Message, error) {
	if !found.Done {
		return lookingMessage(found, show.Mentioning(say, found.Snapshot), show.ReportButton(found.Snapshot, say)), nil
	}
	final, alt, err := rm.Paint.Board(ctx, found.Snapshot, games.Spectator, found.Plays-1, found.Plays, say)
	if err != nil {
		return nil, err
	}
	said, sheet, about, err := rm.Report(ctx, found, say)
	if err != nil {
		return nil, err
	}
	m := &show.Message{Files: []*discordgo.File{sheet, final}}
	parts := append([]discordgo.MessageComponent{show.Paragraph(said)}, show.Sheet(sheet.Name, about, say)...)
	parts = append(parts, show.BoardBeside(final.Name, alt,
		show.SceneAt(found.Snapshot, games.Spectator, found.Plays-1, found.Plays), show.Named(say, found.Snapshot), 1,
		said, about)...)
	m.Components = append(m.Components, show.Container(show.Accent, parts...))
	var buttons []discordgo.Button
	if len(extremes(found.Players())) > 0 {
		buttons = append(buttons, show.Button(discordgo.SecondaryButton, say.Say(text.M("bot.report.moves")),
			show.CustomID{Action: actionMoves, Table: found.ID.String()}))
	}
	if len(found.Points) > 0 {
		id := show.CustomID{Action: actionPoints, Table: found.ID.String()}
		buttons = append(buttons, show.Button(discordgo.SecondaryButton, say.Say(text.M("bot.report.points")), id))
	}
	buttons = append(buttons, show.ShareButton(found.Snapshot, say), show.WalkButton(found.Snapshot, 0, say),
		show.TextButton(found.Snapshot, found.Plays-1, found.Plays, say))
	m.Components = append(m.Components, show.Rows(append(buttons, show.TryButtons(found.Snapshot, found.Plays,
		say)...)...)...)
	return m, nil
}

func playerLines(found reviews.Review, seat games.Seat, p review.Player, s show.Speaker) []string {
	who := text.Player(seat)
	if p.Decisions == 0 {
		return []string{"- " + s.Say(text.M("bot.report.nothing", "Who", who))}
	}
	var line string
	counts := []any{"Who", who, "Count", p.Decisions, "Good", p.Classes[review.Good], "Inaccurate",
		p.Classes[review.Inaccurate], "Bad", p.Classes[review.Bad], "Lost", p.Classes[review.Lost]}
	if p.HasAccuracy {
		line = s.Say(text.M("bot.report.player", append(counts, "Accuracy", int(math.Round(p.Accuracy)))...))
	} else {
		line = s.Say(text.M("bot.report.player-few", counts...))
	}
	lines := []string{"- " + line}
	if p.Best >= 0 {
		lines = append(lines, "  - "+bestLine(found, p.Best, s))
	}
	if p.Worst >= 0 {
		lines = append(lines, "  - "+worstLine(found, p.Worst, s))
	}
	return lines
}

func bestLine(found reviews.Review, play int, s show.Speaker) string {
	_, _, ahead, _ := found.Course.At(play)
	return s.Say(text.M("bot.report.best", "Turn", found.Turn(play+1), "Move", text.Code(found.Notation(play)),
		"Ahead", points(ahead)))
}

func worstLine(found reviews.Review, play int, s show.Speaker) string {
	_, part, _, _ := found.Course.At(play)
	lost := points(part)
	if p, ok := pointAt(found, play); ok {
		lost = p.LostPercent()
	}
	return s.Say(text.M("bot.report.worst", "Turn", found.Turn(play+1), "Move", text.Code(found.Notation(play)),
		"Lost", lost))
}

// pointAt returns the turning point at a play. The bool is false if there is none.
func pointAt(found reviews.Review, play int) (review.TurningPoint, bool) {
	for _, p := range found.Points {
		if p.Play == play {
			return p, true
		}
	}
	return review.TurningPoint{}, false
}

// points converts a fraction of the chance of winning to whole percent.
func points(part float64) int { return int(math.Round(100 * part)) }

// decidedByLuck is the minimum luck of the winner at which the report says that luck played a large part. Luck is the
// sum of the changes that draws made to the chance of winning, which is from 0 to 1.
const decidedByLuck = 0.25

// luckLines returns the report's sentences about luck with dice and cards.
func luckLines(found reviews.Review, s show.Speaker) []string {
	if found.Luck == nil || found.Luck.Draws == 0 {
		return nil
	}
	twice := found.Luck.Then != nil
	lines := []string{s.Say(text.M("bot.report.luck"))}
	if twice {
		lines[0] = s.Say(text.M("bot.report.luck-twice"))
	}
	for seat, part := range found.Luck.Seats {
		of := text.M("bot.report.luck-of", "Who", text.Player(games.Seat(seat)), "Luck", signed(part))
		if twice {
			of = text.M("bot.report.luck-of-twice", "Who", text.Player(games.Seat(seat)), "Luck", signed(part),
				"Then", signed(found.Luck.Then[seat]))
		}
		lines = append(lines, "- "+s.Say(of))
	}
	if l := found.Luck; points(math.Abs(l.Change)) >= 5 {
		id := "bot.report.luckiest"
		if l.Change < 0 {
			id = "bot.report.unluckiest"
		}
		lines = append(lines, "- "+s.Say(text.M(id, "Turn", max(1, found.Turn(l.Greatest+1)),
			"Draw", text.Code(found.Notation(l.Greatest)), "Who", text.Player(l.For), "Luck", signed(l.Change))))
	}
	if winners := found.Outcome().Winners; len(winners) == 1 {
		switch luck := found.Luck.Seats[winners[0]]; {
		case luck >= decidedByLuck:
			lines = append(lines, s.Say(text.M("bot.report.by-luck")))
		case luck <= 0:
			lines = append(lines, s.Say(text.M("bot.report.against-luck")))
		default:
			lines = append(lines, s.Say(text.M("bot.report.by-moves")))
		}
	}
	return lines
}

// signed formats a change of the chance of winning in whole percent, with its sign.
func signed(part float64) string {
	n := points(part)
	if n < 0 {
		return fmt.Sprintf("−%d", -n)
	}
	return fmt.Sprintf("+%d", n)
}

// reportPicture returns a graph of the chances during the game, with a line for each player, and its alt text.
func (rm *Room) reportPicture(ctx context.Context, found reviews.Review, players []review.Player,
	s *locale.Speaker) (*discordgo.File, string, error) {
	say := show.Plain(s, found.Snapshot).Say
	percent := func(n int) string { return say(text.M("bot.report.percent", "Percent", n)) }
	laid := found.AfterTurn(0) // the graph begins before the first move of a player
	rep := render.Report{
		Title: show.Name(found.Snapshot, s.Plain()), Note: say(text.M("bot.report.title")), Plays: found.Plays - laid,
		Count: found.Turn(found.Plays), Below: say(text.M("bot.report.below")),
		Heads: render.ReportHeads{Accuracy: say(text.M("bot.report.accuracy"))},
		Parts: [3]string{percent(0), percent(50), percent(100)},
	}
	if found.Luck != nil && found.Luck.Draws > 0 {
		rep.Heads.Luck = say(text.M("bot.report.luck-head"))
	}
	for _, p := range found.Points {
		rep.Turns = append(rep.Turns, p.Play-laid)
		rep.Below = say(text.M("bot.report.below-turns"))
	}
	final := show.SceneAt(found.Snapshot, games.Spectator, found.Plays, found.Plays)
	plate := text.M("bot.plate.report", "Game", found.Rules().Info().Name, "Table", found.ID)
	alt := []string{say(plate) + ".", say(text.M("bot.report.alt", "Count", found.Turn(found.Plays)))}
	for seat, p := range players {
		row := render.ReportRow{Name: show.Names(found.Snapshot, s)[seat].Plain(), Accuracy: "–"}
		row.Color, row.Winner = standing(found, &final, seat)
		if p.HasAccuracy {
			row.Accuracy = percent(int(math.Round(p.Accuracy)))
		}
		if rep.Heads.Luck != "" {
			row.Luck = signed(found.Luck.Seats[seat])
		}
		for _, c := range p.Chances {
			if at := c.Plays - laid; at >= 0 {
				row.Chances = append(row.Chances, render.ChancePoint{Plays: at, Of: c.Of})
			}
		}
		if n := len(p.Chances); n > 0 {
			low, high := 1.0, 0.0
			for _, c := range p.Chances {
				low, high = min(low, c.Of), max(high, c.Of)
			}
			alt = append(alt, say(text.M("bot.report.alt-player", "Who", text.Player(games.Seat(seat)),
				"First", points(p.Chances[0].Of), "Low", points(low), "High", points(high), "Last",
				points(p.Chances[n-1].Of))))
		}
		rep.Rows = append(rep.Rows, row)
	}
	data, err := rm.Pictures.ReportPNG(ctx, rep, render.Options{Title: say(plate),
		Theme: show.ThemeOf(ctx)})
	if err != nil {
		return nil, "", fmt.Errorf("painting a report: %w", err)
	}
	return show.PNG("report-"+found.ID.String()+".png", data), strings.Join(alt, " "), nil
}

// standing returns a seat's colour, and whether the seat won.
func standing(found reviews.Review, final *scene.Scene, seat int) (color scene.Color, winner bool) {
	outcome := found.Outcome()
	return colorOf(final, seat), !outcome.Drawn && slices.Contains(outcome.Winners, games.Seat(seat))
}

// colorOf returns a seat's colour, or its default colour in games whose seats have no colours.
func colorOf(final *scene.Scene, seat int) scene.Color {
	for _, panel := range final.Panels {
		if panel.Seat == seat && panel.Color != scene.NoColor {
			return panel.Color
		}
	}
	return scene.ColorOf(seat)
}
