package table

import (
	"context"
	"slices"
	"time"

	"marque/bot/choices"
	"marque/bot/table/conduct"
	"marque/games"
	"marque/games/rating"
	"marque/games/text"
	"marque/storage"
)

// Conditions are the requirements of a table for players who join without an invitation. A requirement about conduct
// that is not known yet, because a player has played few games, keeps nobody out. A player without a rating counts with
// the initial one.
type Conditions = storage.Conditions

// admission checks whether users meet the conditions of tables.
type admission struct {
	store   Store
	choices *choices.Service
	now     func() Stamp
}

func ratingOf(ctx context.Context, store Store, guild, game, user string) (int, error) {
	line, err := store.Standing(ctx, storage.Board{Guild: guild, Game: game}, user)
	if line.Games == 0 {
		line.Rating = rating.New()
	}
	return line.Rating.Points(), err
}

// admits returns ErrLacking, with the unmet conditions, for an actor who does not meet all of them.
func (k *admission) admits(ctx context.Context, by Actor, guild string, g games.Game, c Conditions) error {
	lacking, err := k.lacking(ctx, by.User, by.Roles, guild, g, c)
	if err != nil || len(lacking) == 0 {
		return err
	}
	return Refuse(ErrLacking, text.M("table.error.lacking", "Lacking", lacking))
}

// lacking returns the conditions that a user with the given roles does not meet.
func (k *admission) lacking(ctx context.Context, user string, roles []string, guild string, g games.Game,
	c Conditions) (list []text.Message, err error) {
	if c.RatingFrom != 0 || c.RatingTo != 0 {
		own, err := ratingOf(ctx, k.store, guild, g.Key(), user)
		switch {
		case err != nil:
			return nil, err
		case own < c.RatingFrom:
			list = append(list, text.M("table.lacks.rating-from", "Least", c.RatingFrom, "Rating", own))
		case c.RatingTo != 0 && own > c.RatingTo:
			list = append(list, text.M("table.lacks.rating-to", "Most", c.RatingTo, "Rating", own))
		}
	}
	if c.Answers != 0 || c.Finishes != 0 {
		own, err := conduct.Of(ctx, k.store, guild, user, k.now())
		if err != nil {
			return nil, err
		}
		if c.Answers != 0 && !own.AnswersWithin(time.Duration(c.Answers)*time.Hour) {
			list = append(list, text.M("table.lacks.answers", "Count", c.Answers))
		}
		if !own.Finishes(c.Finishes) {
			list = append(list, text.M("table.lacks.finishes", "Least", c.Finishes, "Have", 100-own.Left))
		}
	}
	if c.Lessons {
		p, err := k.choices.Preferences(ctx, user)
		if err != nil {
			return nil, err
		}
		left := 0
		for _, l := range games.Lessons(g) {
			if !p.HasLearned(g.Key(), l.Key) {
				left++
			}
		}
		if left > 0 {
			list = append(list, text.M("table.lacks.lessons", "Game", g.Info().Name, "Count", left))
		}
	}
	if c.Role != "" && !slices.Contains(roles, c.Role) {
		list = append(list, text.M("table.lacks.role", "Role", text.Role(c.Role)))
	}
	return list, nil
}

// Asks returns the table's conditions for players who join.
func (s *Snapshot) Asks() Conditions { return s.detail.Asks }
