package bot

import (
	"context"
	"strings"

	"marque/games/text"
	"marque/storage"
)

// startSeason answers /season start: everybody reads that a season begins.
func (b *Bot) startSeason(ctx context.Context, r *request) (reply, error) {
	season, err := b.tables.StartSeason(ctx, r.actor(), r.GuildID, r.option("title"))
	if err != nil {
		return reply{}, err
	}
	return reply{new: say(r.say.Say(text.M("bot.season.started", "Season", seasonName(season))))}, nil
}

// endSeason answers /season end: everybody reads who stands on the podium, of all games and of each.
func (b *Bot) endSeason(ctx context.Context, r *request) (reply, error) {
	season, err := b.tables.EndSeason(ctx, r.actor(), r.GuildID)
	if err != nil {
		return reply{}, err
	}
	board := storage.Board{Guild: r.GuildID, Season: season.Number}
	list, err := b.tables.Leaderboard(ctx, board, 0, pageSize, "")
	if err != nil {
		return reply{}, err
	}
	lines := []string{"## " + r.say.Say(text.M("bot.season.ended", "Season", seasonName(season)))}
	for _, l := range list.Lines {
		if l.Rank > 3 {
			break
		}
		lines = append(lines, r.say.Say(text.M("bot.season.podium", "Medal", [...]string{"🥇", "🥈", "🥉"}[l.Rank-1], "Who", b.standingMention(r, l.Standing), "Rating", l.Rating.Points(), "Band", l.Rating.Band(), "Wins", text.M("bot.count.wins", "Count", l.Wins))))
	}
	if len(list.Lines) == 0 {
		lines = append(lines, r.say.Say(text.M("bot.season.empty")))
		return reply{new: say(strings.Join(lines, "\n"))}, nil
	}
	for _, g := range b.games {
		best, err := b.tables.Leaderboard(ctx, storage.Board{Guild: r.GuildID, Game: g.Key(), Season: season.Number}, 0, 1, "")
		if err != nil {
			return reply{}, err
		}
		if len(best.Lines) > 0 {
			lines = append(lines, r.say.Say(text.M("bot.season.champion", "Game", g.Info().Name, "Who", b.standingMention(r, best.Lines[0].Standing), "Count", best.Total)))
		}
	}
	title, note, err := b.boardTitle(ctx, r, board)
	if err != nil {
		return reply{}, err
	}
	m, err := b.sheetMessage(ctx, r, board, title, note, list)
	if err != nil {
		return reply{}, err
	}
	m.components = append(say(strings.Join(lines, "\n")).components, m.components...)
	return reply{new: m}, nil
}

// voidResult answers /ratings void.
func (b *Bot) voidResult(ctx context.Context, r *request) (reply, error) {
	return b.setVoid(ctx, r, true, "bot.ratings.voided")
}

// restoreResult answers /ratings restore.
func (b *Bot) restoreResult(ctx context.Context, r *request) (reply, error) {
	return b.setVoid(ctx, r, false, "bot.ratings.restored")
}

func (b *Bot) setVoid(ctx context.Context, r *request, void bool, said string) (reply, error) {
	named := strings.TrimPrefix(r.option("ended"), "#")
	id, err := storage.ParseID(named)
	if err != nil {
		return reply{}, playerError{text.M("bot.error.table-number", "Table", named)}
	}
	res, err := b.tables.Void(ctx, r.actor(), r.GuildID, id, void, r.option("reason"))
	if err != nil {
		return reply{}, err
	}
	who := make([]text.Message, len(res.Seats))
	for i, o := range res.Seats {
		who[i] = text.Raw(mentionOr(r.say, o))
	}
	why := text.Message{}
	if res.Voided != nil && res.Voided.Why != "" {
		why = text.M("bot.ratings.why", "Why", escape(res.Voided.Why))
	}
	return reply{new: say(r.say.Say(text.M(said, "Table", id.String(), "Who", who, "Why", why)))}, nil
}

// setLeast answers /ratings least.
func (b *Bot) setLeast(ctx context.Context, r *request) (reply, error) {
	n, _ := r.number("count")
	if err := b.tables.SetLeast(ctx, r.actor(), r.GuildID, max(1, n)); err != nil {
		return reply{}, err
	}
	return reply{new: say(r.say.Say(text.M("bot.ratings.least", "Count", max(1, n))))}, nil
}
