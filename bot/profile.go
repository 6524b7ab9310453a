package bot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/rating"
	"marque/games/text"
	"marque/render"
	"marque/storage"
)

const (
	// profileResults is how many of a player's latest results their opponents are counted from and their curve is made of.
	profileResults = 1000
	// curvePoints is how many of them a curve shows.
	curvePoints = 200
	// profileOpponents and profileTables are how many opponents and open tables a profile lists.
	profileOpponents = 5
	profileTables    = 5
)

// person is the user whom an option names, the one who asks when none is; with their name when it is known.
func (r *request) person(option string) (id, name string, bot bool) {
	o, ok := r.options[option]
	if !ok {
		return r.user.id, r.user.name, false
	}
	id, _ = o.Value.(string)
	if resolved := r.ApplicationCommandData().Resolved; resolved != nil {
		if u := resolved.Users[id]; u != nil {
			name, bot = u.DisplayName(), u.Bot
		}
		if m := resolved.Members[id]; m != nil && m.Nick != "" {
			name = m.Nick
		}
	}
	return id, name, bot
}

// profile answers /profile: how a player has fared on this server.
func (b *Bot) profile(ctx context.Context, r *request) (reply, error) {
	id, name, bot := r.person("player")
	if bot {
		return reply{}, playerError{text.M("bot.error.no-profile", "Who", "<@"+id+">")}
	}
	say := r.say.Say
	lines := []string{"## " + say(text.M("bot.profile.title", "Who", "<@"+id+">"))}
	total, err := b.profileLines(ctx, r, id, &lines)
	if err != nil {
		return reply{}, err
	}
	results, err := b.tables.Results(ctx, table.ResultQuery{User: id, Guild: r.GuildID, Limit: profileResults, Scan: profileResults})
	if err != nil {
		return reply{}, err
	}
	if met := opponents(results, id); len(met) > 0 {
		lines = append(lines, "### "+say(text.M("bot.profile.opponents")))
		for _, o := range met[:min(len(met), profileOpponents)] {
			lines = append(lines, say(text.M("bot.profile.opponent", "Who", mentionOr(r.say, o.Occupant), "Games", text.M("bot.count.games", "Count", o.games), "Won", o.won, "Lost", o.lost, "Drawn", o.games-o.won-o.lost)))
		}
	}
	open, err := b.tables.ByUser(ctx, id, false, 0, maxListed)
	if err != nil {
		return reply{}, err
	}
	open = slices.DeleteFunc(open, func(h table.Head) bool { return h.Guild != r.GuildID })
	if len(open) > 0 {
		lines = append(lines, "### "+say(text.M("bot.profile.open", "Count", len(open))))
		for _, h := range open[:min(len(open), profileTables)] {
			lines = append(lines, b.gameLine(ctx, r, h))
		}
	}
	if total == 0 && len(open) == 0 {
		lines = append(lines, say(text.M("bot.profile.none")))
	}
	m := &message{}
	parts := []discordgo.MessageComponent{paragraph(strings.Join(lines, "\n"))}
	if file, alt, err := b.curvePicture(ctx, r, results, id, name); err != nil {
		return reply{}, err
	} else if file != nil {
		m.files = append(m.files, file)
		parts = append(parts, picture(file.Name, alt))
	}
	m.components = []discordgo.MessageComponent{container(accent, parts...)}
	return reply{new: m}, nil
}

// profileLines adds a line for each game that a player has played, and returns how many games that makes.
func (b *Bot) profileLines(ctx context.Context, r *request, id string, lines *[]string) (total int, err error) {
	say := r.say.Say
	for _, computers := range []bool{false, true} {
		keys := []string{table.AllGames}
		for _, g := range b.games {
			keys = append(keys, g.Key())
		}
		for i, key := range keys {
			board := storage.Board{Guild: r.GuildID, Game: key, Computers: computers}
			list, err := b.tables.Leaderboard(ctx, board, 0, 0, id)
			if err != nil {
				return total, err
			}
			own := list.Own
			if own.Games == 0 {
				if i == 0 {
					break
				}
				continue
			}
			name := text.M("bot.leaders.all")
			if i == 0 {
				total += own.Games
				head := "bot.profile.people"
				if computers {
					head = "bot.profile.computers"
				}
				*lines = append(*lines, "### "+say(text.M(head)))
			} else if g, err := b.game(key); err == nil {
				name = g.Info().Name
			}
			rank := text.M("bot.profile.unranked")
			if own.Rank > 0 {
				rank = text.M("bot.profile.rank", "Rank", own.Rank, "Count", list.Total)
			}
			*lines = append(*lines, say(text.M("bot.profile.game", "Game", name, "Rating", own.Rating.Points(), "Band", own.Rating.Band(), "Rank", rank,
				"Games", text.M("bot.count.games", "Count", own.Games), "Wins", text.M("bot.count.wins", "Count", own.Wins), "Draws", text.M("bot.count.draws", "Count", own.Draws), "Streak", streak(own.Streak), "Best", own.Best)))
		}
	}
	return total, nil
}

// opponent is how somebody fared against another.
type opponent struct {
	storage.Occupant
	games, won, lost int
}

// opponents counts whom a player has met, the most frequent first. Won are the games that they won and the other did not.
func opponents(results []table.Result, user string) []opponent {
	index := map[string]int{}
	var list []opponent
	for _, res := range results {
		me := games.Seat(slices.IndexFunc(res.Seats, func(o table.Occupant) bool { return o.User == user }))
		if me < 0 || res.Ending == games.Abandoned || res.Voided != nil {
			continue
		}
		for i, o := range res.Seats {
			if games.Seat(i) == me {
				continue
			}
			at, ok := index[o.Player()]
			if !ok {
				at = len(list)
				index[o.Player()] = at
				list = append(list, opponent{Occupant: o})
			}
			list[at].games++
			switch mine, theirs := res.Won(me), res.Won(games.Seat(i)); {
			case mine && !theirs:
				list[at].won++
			case theirs && !mine:
				list[at].lost++
			}
		}
	}
	slices.SortStableFunc(list, func(a, b opponent) int { return cmp.Compare(b.games, a.games) })
	return list
}

// curvePicture paints how the player's rating went in the game that is asked for, or in the one they play most; nil when they have no rating in it.
func (b *Bot) curvePicture(ctx context.Context, r *request, results []table.Result, id, name string) (*discordgo.File, string, error) {
	key, computers, ok := curveGame(results, r.option("game"), id)
	if !ok {
		return nil, "", nil
	}
	g, err := b.game(key)
	if err != nil {
		return nil, "", err
	}
	var went []rating.Rating
	for _, res := range results {
		seat := slices.IndexFunc(res.Seats, func(o table.Occupant) bool { return o.User == id })
		if res.Game != key || res.Computers() != computers || seat < 0 || seat >= len(res.Ratings) {
			continue
		}
		if name == "" {
			name = res.Seats[seat].Name
		}
		went = append(went, res.Ratings[seat])
	}
	line, err := b.tables.Standing(ctx, storage.Board{Guild: r.GuildID, Game: key, Computers: computers}, id)
	if err != nil {
		return nil, "", err
	}
	went = went[:min(len(went), curvePoints)]
	slices.Reverse(went)
	say := r.say.Say
	now, first := went[len(went)-1], max(1, line.Games-len(went)+1)
	curve := render.Curve{
		Title: name, Below: say(text.M("bot.profile.curve-below")), First: first,
		Note: say(text.M("bot.profile.curve-note", "Game", g.Info().Name, "Rating", now.Points(), "Band", now.Band())),
	}
	for _, p := range went {
		curve.Points = append(curve.Points, render.CurvePoint{Rating: p.Points(), Band: p.Band()})
	}
	data, err := b.pictures.CurvePNG(ctx, curve, render.Options{Width: boardWidth, Theme: themeOf(ctx)})
	if err != nil {
		return nil, "", fmt.Errorf("painting a curve: %w", err)
	}
	low, high := slices.MinFunc(curve.Points, byRating), slices.MaxFunc(curve.Points, byRating)
	alt := say(text.M("bot.profile.curve-alt", "Name", name, "Game", g.Info().Name, "Count", len(went), "From", curve.Points[0].Rating, "Rating", now.Points(), "Band", now.Band(), "Low", low.Rating, "High", high.Rating))
	return png("rating.png", data), alt, nil
}

func byRating(a, b render.CurvePoint) int { return cmp.Compare(a.Rating, b.Rating) }

// curveGame is the game, and the company, in which a player has the most rated results; of the wanted game, unless that is "".
func curveGame(results []table.Result, want, id string) (key string, computers, ok bool) {
	type company struct {
		game      string
		computers bool
	}
	count := map[company]int{}
	best := 0
	for _, res := range results {
		if res.Ratings == nil || want != "" && res.Game != want {
			continue
		}
		c := company{res.Game, res.Computers()}
		count[c]++
		if count[c] > best {
			best, key, computers = count[c], c.game, c.computers
		}
	}
	return key, computers, best > 0
}
