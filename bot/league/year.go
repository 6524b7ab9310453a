package league

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/table/clock"
	"marque/games"
	"marque/games/text"
	"marque/render"
	"marque/storage"
)

// mostOfYear is the maximum number of a user's latest results that are searched for those of a year.
const mostOfYear = 5000

// yearShown returns the year that /me year shows at a given time: the current year in December, and the previous year
// in January. It returns false in other months.
func yearShown(now time.Time) (int, bool) {
	switch now.Month() {
	case time.December:
		return now.Year(), true
	case time.January:
		return now.Year() - 1, true
	}
	return 0, false
}

// yearOf is a summary of a user's games in a year.
type yearOf struct {
	games, won, drawn int
	months            [12]render.YearMonth // without labels
	favourite         string               // key of the most played game
	often             int                  // number of games of favourite
	best              table.Result         // win against the highest-rated person; zero if there is none
	beaten            games.Seat           // seat of that person in best
	longest           table.Result         // longest game; zero if there is none
}

// count summarizes the results of a year, by the calendar of a time zone. Abandoned and voided results do not count.
func count(results []table.Result, user string, zone *time.Location) yearOf {
	var y yearOf
	often := map[string]int{}
	for _, res := range results {
		me := res.Seat(user)
		if me < 0 || !stands(res) {
			continue
		}
		month := &y.months[res.Ended.Time().In(zone).Month()-1]
		y.games++
		month.Games++
		if often[res.Game]++; often[res.Game] > y.often {
			y.often, y.favourite = often[res.Game], res.Game
		}
		if res.Turns > y.longest.Turns {
			y.longest = res
		}
		switch {
		case res.Drew(me):
			y.drawn++
		case res.Won(me):
			y.won++
			month.Won++
			for i, o := range res.Seats {
				if seat := games.Seat(i); o.User != "" && o.User != user && !show.Departed(o) && !res.Won(seat) &&
					i < len(res.Ratings) && (y.best.Table == 0 ||
					res.Ratings[i].Points() > y.best.Ratings[y.beaten].Points()) {
					y.best, y.beaten = res, seat
				}
			}
		}
	}
	return y
}

// yearResults returns the latest results of a user in a year on a server, or on all servers if server is "".
func (rm *Room) yearResults(ctx context.Context, user, server string, year int,
	zone *time.Location) (list []table.Result, err error) {
	from := storage.At(clock.Midnight(year, time.January, 1, zone))
	until := storage.At(clock.Midnight(year+1, time.January, 1, zone))
	q := table.ResultQuery{User: user, Guild: server, Limit: mostResults}
	for looked := 0; looked < mostOfYear; looked += mostResults {
		page, err := rm.results.Results(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, res := range page {
			if res.Ended >= from && res.Ended < until {
				list = append(list, res)
			}
		}
		if len(page) < q.Limit || page[len(page)-1].Ended < from {
			break
		}
		q.Before = page[len(page)-1]
	}
	return list, nil
}

func (rm *Room) year(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	if r.Settings.Without.Year && r.Where == interact.OnServer {
		return interact.Reply{}, show.Refuse(text.M("bot.year.without"))
	}
	zone := clock.Zone(r.Prefs.Zone)
	year, ok := yearShown(rm.tables.Lookup.Now().In(zone))
	if !ok {
		return interact.Reply{}, show.Refuse(text.M("bot.year.later"))
	}
	results, err := rm.yearResults(ctx, r.User.ID, r.GuildID, year, zone)
	if err != nil {
		return interact.Reply{}, err
	}
	y := count(results, r.User.ID, zone)
	title := text.M("bot.year.title", "Year", fmt.Sprint(year))
	if r.Everyone() {
		title = text.M("bot.year.title-of", "Who", text.User(r.User.ID), "Year", fmt.Sprint(year))
	}
	if y.games == 0 {
		return interact.Reply{New: show.Text(r.Say.Say(title) + "\n" + r.Say.Say(text.M("bot.year.none")))}, nil
	}
	rows, err := rm.yearRows(ctx, r, y, year, results)
	if err != nil {
		return interact.Reply{}, err
	}
	say := r.Say.Plain().Say // alt texts and the texts in pictures contain no markup
	lost := y.games - y.won - y.drawn
	picture := render.Year{Title: r.User.Name.Plain(), Note: fmt.Sprint(year), Below: say(text.M("bot.year.below"))}
	for i, n := range []int{y.games, y.won, y.drawn, lost} {
		id := []string{"games", "won", "drawn", "lost"}[i]
		label := say(text.M("bot.year."+id, "Count", n))
		picture.Counts = append(picture.Counts, render.YearCount{Label: label, Count: n})
	}
	letters := strings.Fields(say(text.M("bot.year.months")))
	for i, m := range y.months {
		if i < len(letters) {
			m.Label = letters[i]
		}
		picture.Months = append(picture.Months, m)
	}
	summary := text.M("bot.year.summary", "Games", text.M("bot.count.games", "Count", y.games), "Won", y.won,
		"Drawn", y.drawn, "Lost", lost)
	lines, alt := []string{"## " + r.Say.Say(title), r.Say.Say(summary)}, []string{say(summary)}
	for _, row := range rows {
		head, what := say(row.head), say(row.said(false))
		picture.Rows = append(picture.Rows, render.YearRow{Head: head, Text: what})
		alt = append(alt, head+": "+what+".")
		lines = append(lines, "- "+r.Say.Say(row.head)+": "+r.Say.Say(row.said(true)))
	}
	plate := text.M("bot.plate.year", "Year", fmt.Sprint(year))
	data, err := rm.pictures.YearPNG(ctx, picture, render.Options{Title: say(plate),
		Theme: show.ThemeOf(ctx)})
	if err != nil {
		return interact.Reply{}, fmt.Errorf("painting a year: %w", err)
	}
	file := show.PNG("year.png", data)
	return interact.Reply{New: &show.Message{Files: []*discordgo.File{file}, Components: []discordgo.MessageComponent{
		show.Container(show.Accent, append([]discordgo.MessageComponent{show.Paragraph(strings.Join(lines, "\n"))},
			show.Sheet(file.Name, say(plate)+". "+strings.Join(alt, " "), r.Say)...)...)}}}, nil
}

// yearRow is a line of a year's highlights. Its sentence can name a player, with a mention in text and with the
// plain name in pictures.
type yearRow struct {
	head  text.Message
	id    string
	pairs []any
	who   storage.Occupant // zero if the sentence names nobody
}

func (row yearRow) said(mention bool) text.Message {
	who := row.who.Name.Raw()
	if mention {
		who = show.Mention(row.who)
	}
	return text.M(row.id, append(slices.Clone(row.pairs), "Who", who)...)
}

// yearRows returns the highlights of a year. A public message does not name users who hide their results against
// other players.
func (rm *Room) yearRows(ctx context.Context, r *interact.Request, y yearOf, year int, results []table.Result) (
	rows []yearRow, err error) {
	named := func(o storage.Occupant) (bool, error) {
		if !r.Everyone() {
			return true, nil
		}
		p, err := rm.tables.Choices.Preferences(ctx, o.User)
		return !p.Hidden.Rivals, err
	}
	add := func(what string, who storage.Occupant, pairs ...any) {
		rows = append(rows, yearRow{text.M("bot.year." + what), "bot.year." + what + "-is", pairs, who})
	}
	add("favourite", storage.Occupant{}, "Game", rm.games.Name(y.favourite), "Games",
		text.M("bot.count.games", "Count", y.often))
	if y.best.Table != 0 {
		who := y.best.Seats[y.beaten]
		if ok, err := named(who); err != nil {
			return nil, err
		} else if ok {
			add("best", who, "Game", rm.games.Name(y.best.Game), "Rating", y.best.Ratings[y.beaten].Points())
		}
	}
	met := slices.DeleteFunc(rivals(results, r.User.ID), func(v rival) bool { return v.User == "" })
	if len(met) > 0 {
		v := met[0]
		if ok, err := named(v.Occupant); err != nil {
			return nil, err
		} else if ok {
			add("rival", v.Occupant, "Games", text.M("bot.count.games", "Count", v.games), "Won", v.won, "Lost", v.lost)
		}
	}
	if y.longest.Table != 0 {
		add("longest", storage.Occupant{}, "Game", rm.games.Name(y.longest.Game), "Count", y.longest.Turns)
	}
	n, err := rm.days.SolvedIn(ctx, r.User.ID, year)
	if err != nil {
		return nil, err
	}
	if n > 0 {
		add("puzzles", storage.Occupant{}, "Count", n)
	}
	return rows, nil
}
