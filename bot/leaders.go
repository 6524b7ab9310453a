package bot

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games/text"
	"marque/render"
	"marque/storage"
)

// Leaderboards are pictures, ten lines a page. Under the picture the players of the page stand as mentions, which Discord shows by their
// present names: a picture has the name of the latest game.

// The values of the option "with".
const (
	withPeople    = "people"
	withComputers = "computers"
)

// boardArg is a leaderboard as it stands in a custom_id, after a word that tells the buttons apart.
func boardArg(word string, b storage.Board) string {
	with := withPeople
	if b.Computers {
		with = withComputers
	}
	return strings.Join([]string{word, b.Game, with, strconv.Itoa(b.Season)}, "|")
}

func parseBoardArg(guild, arg string) storage.Board {
	parts := append(strings.Split(arg, "|"), "", "", "")
	season, _ := strconv.Atoi(parts[3])
	return storage.Board{Guild: guild, Game: parts[1], Computers: parts[2] == withComputers, Season: max(0, season)}
}

// leaderboard answers /leaderboard.
func (b *Bot) leaderboard(ctx context.Context, r *request) (reply, error) {
	board := storage.Board{Guild: r.GuildID, Game: r.option("game"), Computers: r.option("with") == withComputers}
	if s := r.option("season"); s != "" {
		n, err := strconv.Atoi(s)
		league, lerr := b.tables.League(ctx, r.GuildID)
		if lerr != nil {
			return reply{}, lerr
		}
		if err != nil || n < 0 || n > len(league.Seasons) {
			return reply{}, playerError{text.M("bot.error.no-season", "Season", s)}
		}
		board.Season = n
	}
	m, err := b.leadersMessage(ctx, r, board, 0)
	return reply{new: m}, err
}

// leadersPage answers the arrows under a leaderboard.
func (b *Bot) leadersPage(ctx context.Context, r *request) (reply, error) {
	m, err := b.leadersMessage(ctx, r, parseBoardArg(r.GuildID, r.id.arg), r.id.version)
	return reply{update: m}, err
}

// boardTitle is what is ranked, and the season and company in which.
func (b *Bot) boardTitle(ctx context.Context, r *request, board storage.Board) (title, note text.Message, err error) {
	title = text.M("bot.leaders.all")
	if board.Game != table.AllGames {
		g, err := b.game(board.Game)
		if err != nil {
			return title, note, err
		}
		title = g.Info().Name
	}
	when := text.M("bot.leaders.always")
	if board.Season > 0 {
		league, err := b.tables.League(ctx, board.Guild)
		if err != nil {
			return title, note, err
		}
		if board.Season > len(league.Seasons) {
			return title, note, playerError{text.M("bot.error.no-season", "Season", strconv.Itoa(board.Season))}
		}
		when = seasonName(league.Seasons[board.Season-1])
	}
	who := text.M("bot.leaders.people")
	if board.Computers {
		who = text.M("bot.leaders.computers")
	}
	return title, text.M("bot.leaders.note", "When", when, "Who", who), nil
}

// seasonName is a season's title, or its number.
func seasonName(s storage.Season) text.Message {
	if s.Name != "" {
		return text.Raw(s.Name)
	}
	return text.M("bot.season.number", "Number", s.Number)
}

func (b *Bot) leadersMessage(ctx context.Context, r *request, board storage.Board, page int) (*message, error) {
	title, note, err := b.boardTitle(ctx, r, board)
	if err != nil {
		return nil, err
	}
	list, err := b.tables.Leaderboard(ctx, board, page*pageSize, pageSize, r.user.id)
	if err != nil {
		return nil, err
	}
	if last := max(0, (list.Total-1)/pageSize); page > last {
		page = last
		if list, err = b.tables.Leaderboard(ctx, board, page*pageSize, pageSize, r.user.id); err != nil {
			return nil, err
		}
	}
	m, err := b.sheetMessage(ctx, r, board, title, note, list)
	if err != nil {
		return nil, err
	}
	m.components = append(m.components, b.leaderButtons(r, board, page, list)...)
	return m, nil
}

// sheetMessage shows the lines of a page.
func (b *Bot) sheetMessage(ctx context.Context, r *request, board storage.Board, title, note text.Message, list storage.BoardPage) (*message, error) {
	say := r.say.Say
	sheet := render.Sheet{
		Title: say(title), Note: say(note), Empty: say(text.M("bot.leaders.none")),
		Heads: render.SheetHeads{Player: say(text.M("bot.leaders.player")), Rating: say(text.M("bot.leaders.rating")), Games: say(text.M("bot.leaders.games")), Wins: say(text.M("bot.leaders.wins")), Streak: say(text.M("bot.leaders.streak"))},
	}
	alt := []string{say(text.M("bot.leaders.alt", "Game", title, "Note", note, "Count", list.Total))}
	var who []string
	for _, l := range list.Lines {
		name := b.playerName(r, l.Standing)
		sheet.Rows = append(sheet.Rows, render.SheetRow{
			Rank: l.Rank, Name: name, Seed: l.Player, Rating: l.Rating.Points(), Band: l.Rating.Band(),
			Games: l.Games, Wins: l.Wins, Streak: l.Streak, Own: l.Player == r.user.id && !r.flag("share"), Computer: l.Computer(),
		})
		alt = append(alt, say(text.M("bot.leaders.alt-line", "Rank", l.Rank, "Name", name, "Rating", l.Rating.Points(), "Band", l.Rating.Band(),
			"Games", text.M("bot.count.games", "Count", l.Games), "Wins", text.M("bot.count.wins", "Count", l.Wins), "Streak", streak(l.Streak))))
		who = append(who, fmt.Sprintf("%d. %s", l.Rank, b.standingMention(r, l.Standing)))
	}
	if len(list.Lines) == 0 {
		alt = append(alt, sheet.Empty)
	}
	data, err := b.pictures.SheetPNG(ctx, sheet, render.Options{Width: boardWidth, Theme: themeOf(ctx)})
	if err != nil {
		return nil, fmt.Errorf("painting a leaderboard: %w", err)
	}
	file := png("leaderboard.png", data)
	parts := []discordgo.MessageComponent{picture(file.Name, strings.Join(alt, " "))}
	if len(who) > 0 {
		parts = append(parts, paragraph("-# "+strings.Join(who, " · ")))
	}
	league, err := b.tables.League(ctx, board.Guild)
	if err != nil {
		return nil, err
	}
	if list.Own.Player != "" {
		switch {
		case list.Own.Games == 0:
			parts = append(parts, paragraph("-# "+say(text.M("bot.leaders.unplaced"))))
		case list.Own.Rank == 0:
			parts = append(parts, paragraph("-# "+say(text.M("bot.leaders.too-few", "Count", max(1, league.Least)-list.Own.Games))))
		default:
			parts = append(parts, paragraph("-# "+say(text.M("bot.leaders.own", "Rank", list.Own.Rank, "Count", list.Total, "Rating", list.Own.Rating.Points(), "Band", list.Own.Rating.Band()))))
		}
	}
	return &message{files: []*discordgo.File{file}, components: []discordgo.MessageComponent{container(accent, parts...)}}, nil
}

// streak says wins or losses in a row.
func streak(n int) text.Message {
	switch {
	case n > 1:
		return text.M("bot.count.streak", "Count", n)
	case n < -1:
		return text.M("bot.count.losses", "Count", -n)
	}
	return text.M("bot.count.no-streak")
}

// playerName is the name of a line's player as of their latest game; the reader's own is the present one.
func (b *Bot) playerName(r *request, s storage.Standing) string {
	switch {
	case s.Computer():
		return r.say.Say(text.M("bot.leaders.computer", "Level", text.M("computer.level."+s.Level())))
	case s.Player == r.user.id:
		return r.user.name
	case s.Name == "":
		return r.say.Say(text.M("bot.leaders.nameless"))
	}
	return s.Name
}

// standingMention is a line's player for Discord's text.
func (b *Bot) standingMention(r *request, s storage.Standing) string {
	if s.Computer() {
		return "**" + escape(b.playerName(r, s)) + "**"
	}
	if storage.HasDeparted(s.Player) {
		return "**" + r.say.Say(text.M("bot.departed")) + "**"
	}
	return "<@" + s.Player + ">"
}

// leaderButtons turn the pages and switch between people and computers.
func (b *Bot) leaderButtons(r *request, board storage.Board, page int, list storage.BoardPage) []discordgo.MessageComponent {
	last := max(0, (list.Total-1)/pageSize)
	to := func(label, word string, page int, off bool) discordgo.Button {
		bt := button(discordgo.SecondaryButton, label, customID{action: actionLeaders, version: max(0, page), arg: boardArg(word, board)}.String())
		bt.Disabled = off
		return bt
	}
	var buttons []discordgo.Button
	if last > 0 {
		buttons = append(buttons, to("⏮", "a", 0, page == 0), to("◀", "b", page-1, page == 0), to("▶", "c", page+1, page >= last), to("⏭", "d", last, page >= last))
		if list.Own.Rank > 0 {
			own := (list.Own.Rank - 1) / pageSize
			buttons = append(buttons, to(r.say.Say(text.M("bot.leaders.mine")), "e", own, own == page))
		}
	}
	other := board
	other.Computers = !board.Computers
	label := "bot.leaders.show-computers"
	if board.Computers {
		label = "bot.leaders.show-people"
	}
	buttons = append(buttons, button(discordgo.SecondaryButton, r.say.Say(text.M(label)), customID{action: actionLeaders, arg: boardArg("f", other)}.String()))
	return rows(buttons...)
}

// completeSeason offers a server's seasons, the latest first, and all time.
func (b *Bot) completeSeason(ctx context.Context, r *request) []*discordgo.ApplicationCommandOptionChoice {
	league, err := b.tables.League(ctx, r.GuildID)
	if err != nil {
		return nil
	}
	choice := func(m text.Message, n int) *discordgo.ApplicationCommandOptionChoice {
		return &discordgo.ApplicationCommandOptionChoice{Name: clip(r.say.Say(m), maxChoiceName), Value: strconv.Itoa(n)}
	}
	list := []*discordgo.ApplicationCommandOptionChoice{choice(text.M("bot.leaders.always"), 0)}
	typed := strings.ToLower(r.option("season"))
	for i := len(league.Seasons) - 1; i >= 0 && len(list) < maxChoices; i-- {
		s := league.Seasons[i]
		if c := choice(seasonName(s), s.Number); strings.Contains(strings.ToLower(c.Name), typed) {
			list = append(list, c)
		}
	}
	return list
}
