// Package puzzles shows puzzles on private boards: the puzzle of the day, and others by game and grade. It stores
// streaks and each server's monthly table, and posts the puzzle of the day in servers' channels.
package puzzles

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/interact"
	"marque/bot/practice"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/puzzle"
	"marque/games/text"
)

// Config has the dependencies and settings of a Room.
type Config struct {
	Tables    *table.Service
	Days      *Days
	Games     show.Games
	Find      *interact.Finder
	Paint     *show.Painter
	Languages *show.Languages
	Rest      rest.Client // posts the puzzle of the day
	Log       *slog.Logger
}

// Room answers the commands about puzzles, and posts the puzzle of the day.
type Room struct {
	Config
	boards *practice.Boards
	wake   chan struct{} // makes KeepPosting check again
}

// New returns a Room. It posts no puzzle before KeepPosting.
func New(c Config) *Room {
	rm := &Room{Config: c, wake: make(chan struct{}, 1)}
	rm.boards = practice.New(actionBoard, kind{rm}, c.Paint)
	return rm
}

// Actions of the controls that this package handles.
const (
	actionBoard show.Action = "solve"
	actionDaily show.Action = "puzzle"
	actionMonth show.Action = "puzzles"
)

// Commands returns the commands about puzzles.
func (rm *Room) Commands() []interact.Command {
	return []interact.Command{
		{
			Name: "puzzle", Topic: interact.TopicPlay, Anywhere: true,
			Options: []interact.Option{interact.GameOption(rm.Games),
				interact.Count("grade").From(1).To(puzzle.Grades)},
			Route: interact.Route{Handle: rm.puzzle, Work: interact.Painting},
			Actions: []interact.Action{
				rm.boards.Action(),
				{Name: actionDaily, Route: interact.Route{Handle: rm.open, Work: interact.Painting}},
				{Name: actionMonth, Route: interact.Route{Handle: rm.month}},
			},
		},
		{
			Name: "server puzzle", Topic: interact.TopicServer, Access: interact.Managers,
			Options: []interact.Option{interact.Flag("daily").Required()},
			Route:   interact.Route{Handle: rm.configure},
		},
	}
}

// puzzle answers /puzzle with today's puzzle, or with another one by game and level.
func (rm *Room) puzzle(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	game := r.Option("game")
	grade, graded := r.Number("grade")
	if game == "" && !graded {
		return rm.show(ctx, r, dayKey(rm.Days.Today()))
	}
	ref, ok := pick(game, grade, r.ID, rm.reserved()...)
	if !ok {
		return interact.Reply{}, show.Refuse(text.M("bot.puzzle.none"))
	}
	return rm.show(ctx, r, refKey(ref))
}

// open answers the button below the posted puzzle of the day.
func (rm *Room) open(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.show(ctx, r, r.Control.Arg)
}

func (rm *Room) show(ctx context.Context, r *interact.Request, key string) (interact.Reply, error) {
	m, err := rm.boards.Show(ctx, r, key)
	if err != nil {
		return interact.Reply{}, err
	}
	m.Ephemeral = true
	return interact.Reply{New: m}, nil
}

// reserved lists the puzzles that are not picked at random: today's puzzle and the puzzles of the coming days. It
// reaches one day further than the days for which riddle refuses a puzzle, so that users can finish a puzzle that they
// have begun.
func (rm *Room) reserved() []puzzle.Ref {
	return puzzle.Coming(rm.Days.Today()-1, 1+keptDays+1)
}

// mostLines limits the users in a month's table.
const mostLines = 15

// month shows the users who solved the puzzles of the day on this server in this month and the previous one.
func (rm *Room) month(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	if r.GuildID == "" {
		return interact.Reply{}, show.Refuse(text.M("bot.puzzle.no-server"))
	}
	today := rm.Days.Today()
	first := DayStart(today).AddDate(0, 0, 1-DayStart(today).Day())
	var lines []string
	for i, day := range []int{today, DayOf(first) - 1} {
		month, err := rm.Days.Month(ctx, r.GuildID, day, mostLines)
		if err != nil {
			return interact.Reply{}, err
		}
		if i == 1 && month.Total == 0 {
			break
		}
		lines = append(lines, "**"+r.Say.Say(text.M("bot.puzzle.month", "Month", text.Month(DayStart(day))))+"**")
		if month.Total == 0 {
			lines = append(lines, r.Say.Say(text.M("bot.puzzle.nobody")))
		}
		rank := 0
		for n, l := range month.Lines {
			if n == 0 || l.Solved != month.Lines[n-1].Solved || l.First != month.Lines[n-1].First {
				rank = n + 1
			}
			lines = append(lines, r.Say.Say(text.M("bot.puzzle.line", "Rank", rank, "Who", text.User(l.User),
				"Count", l.Solved, "First", l.First)))
		}
		if more := month.Total - len(month.Lines); more > 0 {
			lines = append(lines, r.Say.Say(text.M("bot.puzzle.more", "Count", more)))
		}
	}
	own, err := rm.Days.Of(ctx, r.User.ID)
	if err != nil {
		return interact.Reply{}, err
	}
	if streak := rm.Days.streak(own); streak > 0 {
		lines = append(lines, r.Say.Say(text.M("bot.puzzle.streak", "Count", streak, "Best", own.Best)))
	}
	m := show.Framed(lines)
	m.Ephemeral = true
	return interact.Reply{New: m}, nil
}

// configure answers /server puzzle. It chooses this channel for the puzzle of the day, or none.
func (rm *Room) configure(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	channel := ""
	if r.Flag("daily") {
		if _, err := rm.Find.Place(ctx, r); err != nil {
			return interact.Reply{}, err
		}
		channel = r.ChannelID
	}
	_, err := rm.Tables.Choices.ChangeSettings(ctx, r.GuildID, func(s *choices.Settings) {
		s.PuzzleChannel,
			s.PuzzleDay = channel, 0
	})
	if err != nil {
		return interact.Reply{}, err
	}
	said := text.M("bot.puzzle.nowhere")
	if channel != "" {
		said = text.M("bot.puzzle.here")
		rm.LookAgain()
	}
	return interact.Reply{New: show.Text(r.Say.Say(said))}, nil
}

func (rm *Room) monthButton(s show.Speaker) discordgo.Button {
	return show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.puzzle.month-button")),
		show.CustomID{Action: actionMonth})
}

// title returns a sentence with a puzzle's game and level. pairs are further arguments of the sentence.
func title(s show.Speaker, id string, f puzzle.File, p puzzle.Puzzle, pairs ...any) string {
	return s.Say(text.M(id, append(pairs, "Game", text.M(f.Game+".name"),
		"Grade", strings.Repeat("★", p.Grade)+strings.Repeat("☆", puzzle.Grades-p.Grade))...))
}

func pictureTitle(m *games.Match) text.Message {
	return text.M("bot.plate.puzzle", "Game", m.Game().Info().Name)
}

func task(c puzzle.Claim) text.Message {
	switch goal := c.Goal; {
	case !c.Proved():
		return text.M("bot.puzzle.task.chance")
	case goal.Gain == 0:
		return text.M("bot.puzzle.task.win", "Count", goal.Moves)
	default:
		return text.M("bot.puzzle.task.gain", "Gain", goal.Gain, "Count", goal.Moves)
	}
}

// claimed returns the reason why the solution is right.
func claimed(c puzzle.Claim) text.Message {
	if c.Proved() {
		return text.M("bot.puzzle.proved")
	}
	return text.M("bot.puzzle.margin", "Best", c.Best.Mean, "Next", c.Next.Mean)
}

// solution returns a puzzle's solution in the notation of the rules.
func solution(p puzzle.Puzzle) text.Code {
	return text.Code(strings.Join(p.Solution, ", "))
}

func date(day int) text.Message { return text.Day(DayStart(day)) }

func damaged(key string, err error) error { return fmt.Errorf("the puzzle %s: %w", key, err) }
