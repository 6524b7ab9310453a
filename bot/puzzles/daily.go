package puzzles

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/puzzle"
	"marque/games/text"
)

const (
	// postPatience is the time limit for one post.
	postPatience = 30 * time.Second
	// postRetry is the time before a failed post is retried.
	postRetry = 10 * time.Minute
)

// KeepPosting posts the puzzle of each day in the channels that are set for it, until ctx ends. After downtime, it
// posts only today's puzzle.
func (rm *Room) KeepPosting(ctx context.Context) {
	for ctx.Err() == nil {
		day := rm.Days.Today()
		err := rm.Days.posting(ctx, day, func(p post) error {
			err := rm.post(ctx, p)
			status, guild, channel := rest.Status(err), p.guild, p.settings.PuzzleChannel
			switch {
			case errors.Is(err, errUnwanted):
				return nil
			case ctx.Err() != nil:
				return ctx.Err()
			case status >= 400 && status < 500 && status != http.StatusTooManyRequests: // a retry would be refused
				rm.Log.WarnContext(ctx, "the puzzle of the day could not be posted", "guild", guild, "channel", channel,
					"error", rest.Scrub(err))
			case err != nil:
				rm.Log.WarnContext(ctx, "the puzzle of the day could not be posted; trying again", "guild", guild,
					"channel", channel, "error", rest.Scrub(err))
				return nil
			}
			return p.posted(context.WithoutCancel(ctx))
		})
		if err != nil && ctx.Err() == nil && !errors.Is(err, table.ErrClosing) {
			rm.Log.ErrorContext(ctx, "which channels want the puzzle of the day cannot be read", "error", err)
		}
		rm.Days.next(ctx, day, postRetry, rm.wake)
	}
}

// LookAgain makes KeepPosting check again in which channels the puzzle must be posted, for example after this process
// took over servers.
func (rm *Room) LookAgain() {
	select {
	case rm.wake <- struct{}{}:
	default: // a check is due already
	}
}

// errUnwanted means that the puzzle of the day was not posted, because the server no longer wants it, or another
// process posts it.
var errUnwanted = errors.New("the puzzle of the day is not to be posted here any more")

// post posts the puzzle of a day with the solution of the previous day.
func (rm *Room) post(ctx context.Context, p post) error {
	guild, settings, day := p.guild, p.settings, p.day
	ctx, cancel := context.WithTimeout(rest.For(show.WithTheme(ctx, settings.Theme), rest.Reminders), postPatience)
	defer cancel()
	s := rm.Languages.Public(guild, settings)
	x, m, err := rm.riddle(dayKey(day))
	if err != nil {
		return err
	}
	before, _, ok := puzzle.Daily(day - 1).Find()
	if !ok {
		return fmt.Errorf("day %d has no puzzle", day-1)
	}
	names := show.SampleNames(s)[:m.Header().Setup.Seats]
	seat := m.ToMove()
	named := s.Named(func(seat int) text.Message { return names[seat].Raw() })
	sc := m.View(seat).State.Scene(seat, m.Trail(seat, m.Len()-1, m.Len()))
	file, alt, err := rm.Paint.Paint(ctx, sc, pictureTitle(m), names, named.Plain(), "puzzle.png")
	if err != nil {
		return err
	}
	said := "### " + title(s, "bot.puzzle.day", x.file, x.Puzzle, "Date", date(day)) + "\n" +
		s.Say(text.M("bot.puzzle.posted", "Who", names[seat].Raw())) + "\n" + s.Say(task(x.Claim))
	yesterday := "-# " + s.Say(text.M("bot.puzzle.before", "Game", text.M(puzzle.Daily(day-1).Game+".name"),
		"Solution", solution(before)))
	message := &show.Message{
		Files: []*discordgo.File{file},
		Nonce: fmt.Sprintf("puzzle-%d", day),
		Components: []discordgo.MessageComponent{show.Container(show.Accent, slices.Concat(
			[]discordgo.MessageComponent{show.Paragraph(said)},
			show.BoardBeside(file.Name, alt, sc, named, 1, said, yesterday),
			[]discordgo.MessageComponent{show.Paragraph(yesterday)})...)},
	}
	message.Components = append(message.Components, show.Rows(
		show.Button(discordgo.PrimaryButton, s.Say(text.M("bot.puzzle.solve")),
			show.CustomID{Action: actionDaily, Arg: dayKey(day)}),
		rm.monthButton(s),
	)...)
	wanted, err := p.wanted(ctx)
	if err != nil {
		return err
	}
	if !wanted {
		return errUnwanted
	}
	_, err = rm.Rest.Post(ctx, settings.PuzzleChannel, message)
	return err
}
