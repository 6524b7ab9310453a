package lobby

import (
	"context"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

// anything is the option value for no condition, even if the server has one.
const anything = "any"

// ConditionOptions returns the command options for the conditions of joining a table, apart from the required role.
func ConditionOptions() []interact.Option {
	answers := []string{anything}
	for _, h := range choices.AskedAnswers {
		answers = append(answers, strconv.Itoa(h))
	}
	return []interact.Option{
		interact.Typed("rating").Completed(), interact.Typed("answers").OneOf("bot.answers", answers...),
		interact.Count("finishes").From(0).To(100), interact.Flag("lessons"),
	}
}

// Asks returns the conditions of joining a table, from the options of a command and, for missing options, from the
// server's settings.
func Asks(ctx context.Context, tables *table.Service, r *interact.Request, game string) (table.Conditions, error) {
	c, err := AsksOf(ctx, tables, r, game, r.Option("rating"))
	if err != nil {
		return c, err
	}
	if hours := r.Option("answers"); hours != "" {
		c.Answers, _ = strconv.Atoi(hours) // 0 sets no condition
	}
	if n, ok := r.Number("finishes"); ok {
		c.Finishes = n
	}
	c.Lessons = r.FlagOr("lessons", c.Lessons)
	if _, given := r.Options["role"]; given {
		c.Role = r.Role("role")
	}
	return c, nil
}

// AsksOf returns the server's conditions with the typed ratings, or the server's ratings if typed is "".
func AsksOf(ctx context.Context, tables *table.Service, r *interact.Request, game,
	typed string) (table.Conditions, error) {
	own := 0
	if typed != "" || r.Settings.Near {
		var err error
		if own, err = tables.Rating(ctx, r.GuildID, game, r.User.ID); err != nil {
			return table.Conditions{}, err
		}
	}
	c := r.Settings.Default(own)
	if typed != "" {
		from, to, ok := choices.ParseRatings(typed, own)
		if !ok {
			return c, show.Refuse(text.M("bot.error.ratings", "Typed", typed))
		}
		c.RatingFrom, c.RatingTo = from, to
	}
	return c, nil
}

// asks returns the conditions of joining a new table. There are none in direct messages, where nobody else can join.
func (rm *Room) asks(ctx context.Context, r *interact.Request, g games.Game) (table.Conditions, error) {
	if r.Where != interact.OnServer {
		return table.Conditions{}, nil
	}
	return Asks(ctx, rm.Tables, r, g.Key())
}

// CompleteRatings suggests ratings for the option "rating".
func CompleteRatings(_ context.Context, r *interact.Request) []*discordgo.ApplicationCommandOptionChoice {
	if r.Focused != "rating" {
		return nil
	}
	typed := strings.ToLower(r.Option("rating"))
	var out []*discordgo.ApplicationCommandOptionChoice
	if from, to, ok := choices.ParseRatings(typed, 0); ok && from+to > 0 && typed != "near" {
		out = append(out, &discordgo.ApplicationCommandOptionChoice{Name: show.Clip(typed, show.MaxChoiceName),
			Value: typed})
	}
	for _, v := range []string{anything, "near", "1200-1600", "1500+", "-1500"} {
		name := v
		if v == anything || v == "near" {
			name = r.Say.Say(text.M("bot.ratings."+v, "Count", choices.NearRating))
		}
		if v != typed && (strings.Contains(v, typed) || strings.Contains(strings.ToLower(name), typed)) {
			out = append(out, &discordgo.ApplicationCommandOptionChoice{Name: show.Clip(name, show.MaxChoiceName),
				Value: v})
		}
	}
	return out
}
