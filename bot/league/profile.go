package league

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/rating"
	"marque/games/text"
	"marque/render"
	"marque/storage"
)

const (
	// mostResults is the maximum number of a player's results in a read. A profile's opponents and graph follow
	// from its latest mostResults results.
	mostResults = 1000
	// curvePoints is the maximum number of results in the graph of a rating.
	curvePoints = 200
	// listedRivals and listedTables are the maximum numbers of opponents and open tables in a profile.
	listedRivals = 5
	listedTables = 5
)

// profile replies to /profile with a player's results on this server.
func (rm *Room) profile(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	id, name, bot := r.Person("player")
	if bot {
		return interact.Reply{}, show.Refuse(text.M("bot.error.no-profile", "Who", text.User(id)))
	}
	say := r.Say.Say
	lines := []string{"## " + say(text.M("bot.profile.title", "Who", text.User(id)))}
	won, err := rm.profileLines(ctx, r, id, &lines)
	if err != nil {
		return interact.Reply{}, err
	}
	earned, err := rm.badgeLines(ctx, r, id, won)
	if err != nil {
		return interact.Reply{}, err
	}
	lines = append(lines, earned...)
	results, err := rm.profileResults(ctx, r, id)
	if err != nil {
		return interact.Reply{}, err
	}
	met, err := rm.profileRivals(ctx, r, id, results)
	if err != nil {
		return interact.Reply{}, err
	}
	lines = append(lines, met.lines...)
	open, err := rm.tables.Lookup.ByUser(ctx, id, storage.Active, 0, interact.MaxListed)
	if err != nil {
		return interact.Reply{}, err
	}
	conduct, err := rm.tables.Conduct(ctx, r.GuildID, id)
	if err != nil {
		return interact.Reply{}, err
	}
	if conduct.Known() {
		lines = append(lines, "### "+say(text.M("bot.profile.conduct")), say(show.ConductText(conduct)))
	}
	open = rm.find.Visible(ctx, r, open)
	if len(open) > 0 {
		lines = append(lines, "### "+say(text.M("bot.profile.open", "Count", len(open))))
		for _, h := range open[:min(len(open), listedTables)] {
			lines = append(lines, rm.find.GameLine(ctx, r, h))
		}
	}
	if len(lines) == 1 {
		lines = append(lines, say(text.M("bot.profile.none")))
	}
	m := &show.Message{}
	parts := []discordgo.MessageComponent{show.Paragraph(strings.Join(lines, "\n"))}
	if file, alt, err := rm.curvePicture(ctx, r, results, id, name); err != nil {
		return interact.Reply{}, err
	} else if file != nil {
		m.Files = append(m.Files, file)
		parts = append(parts, show.Sheet(file.Name, alt, r.Say)...)
	}
	m.Components = append([]discordgo.MessageComponent{show.Container(show.Accent, parts...)}, met.more...)
	return interact.Reply{New: m}, nil
}

// profileResults returns a player's latest results on the request's server.
func (rm *Room) profileResults(ctx context.Context, r *interact.Request, user string) ([]table.Result, error) {
	return rm.results.Results(ctx, table.ResultQuery{User: user, Guild: r.GuildID, Limit: mostResults,
		Scan: mostResults})
}

// profileLines adds lines about a player's rated games, against people and against computers: one for all games
// together, and one for each game that the player has played. It returns the keys of the games in which the player has
// won.
func (rm *Room) profileLines(ctx context.Context, r *interact.Request, id string,
	lines *[]string) (won map[string]bool, err error) {
	say := r.Say.Say
	won = map[string]bool{}
	for _, computers := range []bool{false, true} {
		keys := []string{storage.AllGames}
		for _, g := range rm.games {
			keys = append(keys, g.Key())
		}
		for i, key := range keys {
			board := storage.Board{Guild: r.GuildID, Game: key, Computers: computers}
			list, err := rm.results.Leaderboard(ctx, board, 0, 0, id)
			if err != nil {
				return won, err
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
				head := "bot.profile.people"
				if computers {
					head = "bot.profile.computers"
				}
				*lines = append(*lines, "### "+say(text.M(head)))
			} else if g, err := rm.games.Find(key); err == nil {
				name = g.Info().Name
				won[key] = won[key] || own.Wins > 0
			}
			rank := text.M("bot.profile.unranked")
			if own.Rank > 0 {
				rank = text.M("bot.profile.rank", "Rank", own.Rank, "Count", list.Total)
			}
			*lines = append(*lines, say(text.M("bot.profile.game", "Game", name, "Rating", ratingText(own.Rating),
				"Rank", rank,
				"Games", text.M("bot.count.games", "Count", own.Games),
				"Wins", text.M("bot.count.wins", "Count", own.Wins),
				"Draws", text.M("bot.count.draws", "Count", own.Draws), "Streak", streak(own.Streak),
				"Best", own.Best)))
		}
	}
	return won, nil
}

// curvePicture returns a graph of the player's rating in the game and against the kind of opponents that curveGame
// chooses, with an alt text. The file is nil if the player has no rating there.
func (rm *Room) curvePicture(ctx context.Context, r *interact.Request, results []table.Result, id string,
	name text.Name) (*discordgo.File, string, error) {
	key, computers, ok := curveGame(results, r.Option("game"))
	if !ok {
		return nil, "", nil
	}
	g, err := rm.games.Find(key)
	if err != nil {
		return nil, "", err
	}
	// The order of counting also separates games that ended in the same millisecond.
	counted := slices.SortedFunc(slices.Values(results), func(a, b table.Result) int {
		return cmp.Compare(b.Order, a.Order)
	})
	var went []rating.Rating
	for _, res := range counted {
		seat := res.Seat(id)
		if res.Game != key || res.Computers() != computers || seat < 0 || int(seat) >= len(res.Ratings) {
			continue
		}
		if name.IsZero() {
			name = res.Seats[seat].Name
		}
		went = append(went, res.Ratings[seat])
	}
	line, err := rm.results.Standing(ctx, storage.Board{Guild: r.GuildID, Game: key, Computers: computers}, id)
	if err != nil {
		return nil, "", err
	}
	went = went[:min(len(went), curvePoints)]
	slices.Reverse(went)
	say := r.Say.Plain().Say // alt texts and the texts in pictures contain no markup
	now, first := went[len(went)-1], max(1, line.Games-len(went)+1)
	below, spoken := "bot.profile.curve-below", "bot.profile.curve-alt"
	if computers {
		below, spoken = "bot.profile.curve-below-computers", "bot.profile.curve-alt-computers"
	}
	curve := render.Curve{
		Title: name.Plain(), Below: say(text.M(below)), First: first,
		Note: say(text.M("bot.profile.curve-note", "Game", g.Info().Name, "Rating", ratingText(now))),
	}
	for _, p := range went {
		curve.Points = append(curve.Points, render.CurvePoint{Rating: p.Points(), Band: p.Band()})
	}
	plate := text.M("bot.plate.rating", "Game", g.Info().Name)
	data, err := rm.pictures.CurvePNG(ctx, curve, render.Options{Title: say(plate),
		Theme: show.ThemeOf(ctx)})
	if err != nil {
		return nil, "", fmt.Errorf("painting a curve: %w", err)
	}
	low, high := slices.MinFunc(curve.Points, byRating), slices.MaxFunc(curve.Points, byRating)
	alt := say(plate) + ". " + say(text.M(spoken, "Name", name, "Game", g.Info().Name,
		"Count", len(went), "From", curve.Points[0].Rating, "Rating", ratingText(now), "Low", low.Rating, "High",
		high.Rating))
	return show.PNG("rating.png", data), alt, nil
}

func byRating(a, b render.CurvePoint) int { return cmp.Compare(a.Rating, b.Rating) }

// curveGame returns the game and the kind of opponents (with computers, or people alone) of which a player has the most
// rated results. If want is not "", it considers only that game.
func curveGame(results []table.Result, want string) (key string, computers, ok bool) {
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
