package league

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/games/rating"
	"marque/games/text"
	"marque/render"
	"marque/storage"
)

// boardArg encodes a leaderboard for a custom_id, after a word that distinguishes the leaderboard's buttons.
func boardArg(word string, b storage.Board) string {
	with := interact.WithPeople
	if b.Computers {
		with = interact.WithComputers
	}
	return strings.Join([]string{word, b.Game, with, strconv.Itoa(b.Season)}, "|")
}

func parseBoardArg(guild, arg string) storage.Board {
	parts := append(strings.Split(arg, "|"), "", "", "")
	season, _ := strconv.Atoi(parts[3])
	return storage.Board{Guild: guild, Game: parts[1], Computers: parts[2] == interact.WithComputers,
		Season: max(0, season)}
}

func (rm *Room) leaderboard(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	board := storage.Board{Guild: r.GuildID, Game: r.Option("game"),
		Computers: r.Option("with") == interact.WithComputers}
	if s := r.Option("season"); s != "" {
		n, err := rm.season(ctx, r, s)
		if err != nil {
			return interact.Reply{}, err
		}
		board.Season = n
	}
	if r.Option("with") == "" {
		var err error
		if board, err = rm.company(ctx, r, board); err != nil {
			return interact.Reply{}, err
		}
	}
	m, err := rm.leadersMessage(ctx, r, board, 0)
	return interact.Reply{New: m}, err
}

// season returns the number of the season that a user typed: its number or its title, in any case of letters. It is 0
// for all time. Of several seasons with the title, the latest is meant.
func (rm *Room) season(ctx context.Context, r *interact.Request, typed string) (int, error) {
	league, err := rm.results.Rules(ctx, r.GuildID)
	if err != nil {
		return 0, err
	}
	if n, err := strconv.Atoi(typed); err == nil && n >= 0 && n <= len(league.Seasons) {
		return n, nil
	}
	plain := r.Say.Plain()
	cleaned := plain.Say(text.NewName(typed).Raw()) // as titles are
	titled := func(title text.Message) bool { return strings.EqualFold(cleaned, plain.Say(title)) }
	for i := len(league.Seasons) - 1; i >= 0; i-- {
		if titled(seasonName(league.Seasons[i])) {
			return league.Seasons[i].Number, nil
		}
	}
	if titled(text.M("bot.leaders.always")) {
		return 0, nil
	}
	return 0, show.Refuse(text.M("bot.error.no-season", "Season", typed))
}

// company returns the leaderboard of games with people or of games with computers. It returns the former, unless the
// user has played only with computers.
func (rm *Room) company(ctx context.Context, r *interact.Request, board storage.Board) (storage.Board, error) {
	own := func(b storage.Board) (int, error) {
		list, err := rm.results.Leaderboard(ctx, b, 0, 1, r.User.ID)
		return list.Own.Games, err
	}
	computers := board
	computers.Computers = true
	if games, err := own(board); err != nil || games > 0 {
		return board, err
	}
	if games, err := own(computers); err != nil || games == 0 {
		return board, err
	}
	return computers, nil
}

// standings replies to the button that opens the leaderboard of all games.
func (rm *Room) standings(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	board, err := rm.company(ctx, r, storage.Board{Guild: r.GuildID})
	if err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.leadersMessage(ctx, r, board, 0)
	return interact.Reply{New: m}, err
}

// leadersPage replies to the buttons below a leaderboard.
func (rm *Room) leadersPage(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	m, err := rm.leadersMessage(ctx, r, parseBoardArg(r.GuildID, r.Control.Arg), r.Control.Page)
	return interact.Reply{Update: m}, err
}

// boardTitle returns a leaderboard's title, which names the game, and a note that names the season and the kind of
// opponents.
func (rm *Room) boardTitle(ctx context.Context, board storage.Board) (title, note text.Message, err error) {
	title = text.M("bot.leaders.all")
	if board.Game != storage.AllGames {
		g, err := rm.games.Find(board.Game)
		if err != nil {
			return title, note, err
		}
		title = g.Info().Name
	}
	when := text.M("bot.leaders.always")
	if board.Season > 0 {
		league, err := rm.results.Rules(ctx, board.Guild)
		if err != nil {
			return title, note, err
		}
		if board.Season > len(league.Seasons) {
			return title, note, show.Refuse(text.M("bot.error.no-season", "Season", strconv.Itoa(board.Season)))
		}
		when = seasonName(league.Seasons[board.Season-1])
	}
	who := text.M("bot.leaders.people")
	if board.Computers {
		who = text.M("bot.leaders.computers")
	}
	return title, text.M("bot.leaders.note", "When", when, "Who", who), nil
}

// seasonName returns a season's title, or its number if it has none.
func seasonName(s storage.Season) text.Message {
	if !s.Name.IsZero() {
		return s.Name.Raw()
	}
	return text.M("bot.season.number", "Number", s.Number)
}

func (rm *Room) leadersMessage(ctx context.Context, r *interact.Request, board storage.Board,
	page int) (*show.Message, error) {
	title, note, err := rm.boardTitle(ctx, board)
	if err != nil {
		return nil, err
	}
	list, err := rm.results.Leaderboard(ctx, board, page*show.PageSize, show.PageSize, r.User.ID)
	if err != nil {
		return nil, err
	}
	if last := max(0, (list.Total-1)/show.PageSize); page > last {
		page = last
		if list, err = rm.results.Leaderboard(ctx, board, page*show.PageSize, show.PageSize,
			r.User.ID); err != nil {
			return nil, err
		}
	}
	m, err := rm.sheetMessage(ctx, r, board, title, note, list)
	if err != nil {
		return nil, err
	}
	m.Components = append(m.Components, leaderButtons(r, board, page, list)...)
	return m, nil
}

// sheetMessage returns a message with a picture of a leaderboard's page. If only the user sees the message, it has the
// user's own place.
func (rm *Room) sheetMessage(ctx context.Context, r *interact.Request, board storage.Board, title, note text.Message,
	list storage.BoardPage) (*show.Message, error) {
	say := r.Say.Plain().Say // alt texts and the texts in pictures contain no markup
	sheet := render.Sheet{
		Title: say(title), Note: say(note), Empty: say(text.M("bot.leaders.unranked")),
		Heads: render.SheetHeads{Player: say(text.M("bot.leaders.player")), Rating: say(text.M("bot.leaders.rating")),
			Games: say(text.M("bot.leaders.games")), Wins: say(text.M("bot.leaders.wins")),
			Streak: say(text.M("bot.leaders.streak"))},
	}
	plate := text.M("bot.plate.leaders", "Game", title)
	alt := []string{say(plate) + ".", say(text.M("bot.leaders.alt", "Game", title, "Note", note, "Count", list.Total))}
	var who []string
	for _, l := range list.Lines {
		name := say(playerName(r, l.Standing))
		fresh := ""
		if !l.Rating.Settled() {
			fresh = say(text.M("bot.leaders.new"))
		}
		sheet.Rows = append(sheet.Rows, render.SheetRow{
			Rank: l.Rank, Name: name, Seed: l.Player, Rating: l.Rating.Points(), Band: l.Rating.Band(), New: fresh,
			Games: l.Games, Wins: l.Wins, Streak: l.Streak, Own: l.Player == r.User.ID && !r.Everyone(),
			Computer: l.Computer(),
		})
		alt = append(alt, say(text.M("bot.leaders.alt-line", "Rank", l.Rank, "Name", name,
			"Rating", ratingText(l.Rating),
			"Games", text.M("bot.count.games", "Count", l.Games), "Wins", text.M("bot.count.wins", "Count", l.Wins),
			"Streak", streak(l.Streak))))
		who = append(who, fmt.Sprintf("%d. %s", l.Rank, r.Say.Say(standingMention(l.Standing))))
	}
	if len(list.Lines) == 0 {
		alt = append(alt, sheet.Empty)
	}
	data, err := rm.pictures.SheetPNG(ctx, sheet, render.Options{Title: say(plate),
		Theme: show.ThemeOf(ctx)})
	if err != nil {
		return nil, fmt.Errorf("painting a leaderboard: %w", err)
	}
	file := show.PNG("leaderboard.png", data)
	parts := show.Sheet(file.Name, strings.Join(alt, " "), r.Say)
	if len(who) == 0 {
		who = []string{sheet.Empty}
	}
	parts = append(parts, show.Paragraph("-# "+strings.Join(who, " · ")))
	if list.Recounting {
		parts = append(parts, show.Paragraph("-# "+say(text.M("bot.leaders.counting"))))
	}
	league, err := rm.results.Rules(ctx, board.Guild)
	if err != nil {
		return nil, err
	}
	if list.Own.Player != "" && !r.Everyone() {
		ended := board.Season > 0 && league.Seasons[board.Season-1].Ended != 0
		switch {
		case list.Own.Rank == 0 && ended: // nothing can change
		case list.Own.Games == 0:
			parts = append(parts, show.Paragraph("-# "+r.Say.Say(text.M("bot.leaders.unplaced"))))
		case list.Own.Rank == 0:
			lacks := missing(list.Own.Standing, league.Least, board.Computers)
			parts = append(parts, show.Paragraph("-# "+r.Say.Say(lacks)))
		default:
			id := "bot.leaders.own"
			if ended {
				id = "bot.leaders.own-then"
			}
			parts = append(parts, show.Paragraph("-# "+r.Say.Say(text.M(id, "Rank", list.Own.Rank,
				"Count", list.Total, "Rating", ratingText(list.Own.Rating)))))
		}
	}
	return &show.Message{Files: []*discordgo.File{file},
		Components: []discordgo.MessageComponent{show.Container(show.Accent, parts...)}}, nil
}

// ratingText formats a rating with its band, or as the rating of a new player if it is not settled.
func ratingText(r rating.Rating) text.Message {
	if !r.Settled() {
		return text.M("bot.rating.new", "Points", r.Points())
	}
	return text.M("bot.rating.settled", "Points", r.Points(), "Band", r.Band())
}

// streak returns a phrase for a number of consecutive wins or losses.
func streak(n int) text.Message {
	switch {
	case n > 1:
		return text.M("bot.count.streak", "Count", n)
	case n < -1:
		return text.M("bot.count.losses", "Count", -n)
	}
	return text.M("bot.count.no-streak")
}

// playerName returns the name of a line's player: for a computer the name of its level, for the reader their current
// name, and for others the name in their latest game, if it is stored.
func playerName(r *interact.Request, s storage.Standing) text.Message {
	switch {
	case s.Computer():
		return computerName(s)
	case s.Player == r.User.ID:
		return r.User.Name.Raw()
	case s.Name.IsZero():
		return text.M("bot.leaders.nameless")
	}
	return s.Name.Raw()
}

// standingMention returns the name of a line's player in Discord markup.
func standingMention(s storage.Standing) text.Message {
	if s.Computer() {
		return show.Bold(computerName(s))
	}
	return show.Mention(storage.Occupant{User: s.Player})
}

// computerName returns the common name of all computer players of a level.
func computerName(s storage.Standing) text.Message {
	return text.M("bot.leaders.computer", "Level", text.M("computer.level."+s.Level()))
}

// leaderButtons returns buttons that turn the pages, go to the user's own place if only the user sees them, and switch
// between the leaderboards of games with people and with computers.
func leaderButtons(r *interact.Request, board storage.Board, page int,
	list storage.BoardPage) []discordgo.MessageComponent {
	last := max(0, (list.Total-1)/show.PageSize)
	to := func(label, word string, page int, off bool) discordgo.Button {
		bt := show.Button(discordgo.SecondaryButton, label, show.CustomID{Action: actionLeaders, Page: max(0, page),
			Arg: boardArg(word, board)})
		bt.Disabled = off
		return bt
	}
	var buttons []discordgo.Button
	if last > 0 {
		buttons = append(buttons, to("⏮", "a", 0, page == 0), to("◀", "b", page-1, page == 0),
			to("▶", "c", page+1, page >= last), to("⏭", "d", last, page >= last))
		if list.Own.Rank > 0 && !r.Everyone() {
			own := (list.Own.Rank - 1) / show.PageSize
			buttons = append(buttons, to(r.Say.Say(text.M("bot.leaders.mine")), "e", own, own == page))
		}
	}
	other := board
	other.Computers = !board.Computers
	label := "bot.leaders.show-computers"
	if board.Computers {
		label = "bot.leaders.show-people"
	}
	buttons = append(buttons, show.Button(discordgo.SecondaryButton, r.Say.Say(text.M(label)),
		show.CustomID{Action: actionLeaders, Arg: boardArg("f", other)}))
	return show.Rows(buttons...)
}

// missing returns what a player without a rank still needs for one: games, other opponents, or both.
func missing(own storage.Standing, least int, computers bool) text.Message {
	games, people := max(1, least)-own.Games, storage.LeastOpponents-len(own.Met)
	switch {
	case computers || people <= 0:
		return text.M("bot.leaders.too-few", "Count", games)
	case games <= 0:
		return text.M("bot.leaders.few-met", "Count", people)
	}
	return text.M("bot.leaders.too-few-met", "Count", games, "Least", storage.LeastOpponents)
}

// completeSeason suggests all time, and then a server's seasons, the latest first.
func (rm *Room) completeSeason(ctx context.Context, r *interact.Request) []*discordgo.ApplicationCommandOptionChoice {
	league, err := rm.results.Rules(ctx, r.GuildID)
	if err != nil {
		return nil
	}
	choice := func(m text.Message, n int) *discordgo.ApplicationCommandOptionChoice {
		return &discordgo.ApplicationCommandOptionChoice{Name: show.Clip(r.Say.Plain().Say(m), show.MaxChoiceName),
			Value: strconv.Itoa(n)}
	}
	list := []*discordgo.ApplicationCommandOptionChoice{choice(text.M("bot.leaders.always"), 0)}
	typed := strings.ToLower(r.Option("season"))
	for i := len(league.Seasons) - 1; i >= 0 && len(list) < show.MaxChoices; i-- {
		s := league.Seasons[i]
		if c := choice(seasonName(s), s.Number); strings.Contains(strings.ToLower(c.Name), typed) {
			list = append(list, c)
		}
	}
	return list
}
