package league

import (
	"context"
	"strings"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
	"marque/storage"
)

// startSeason replies to /server season start with a public message that the season begins.
func (rm *Room) startSeason(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	season, err := rm.results.StartSeason(ctx, r.Actor(), r.GuildID, text.NewName(r.Option("title")))
	if err != nil {
		return interact.Reply{}, err
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.season.started", "Season", seasonName(season))))}, nil
}

// endSeason replies to /server season end with a public message that names the podium over all games, and the best
// player of each game.
func (rm *Room) endSeason(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	season, err := rm.results.EndSeason(ctx, r.Actor(), r.GuildID)
	if err != nil {
		return interact.Reply{}, err
	}
	board := storage.Board{Guild: r.GuildID, Season: season.Number}
	list, err := rm.results.Leaderboard(ctx, board, 0, show.PageSize, "")
	if err != nil {
		return interact.Reply{}, err
	}
	lines := []string{"## " + r.Say.Say(text.M("bot.season.ended", "Season", seasonName(season)))}
	for _, l := range list.Lines {
		if l.Rank > 3 {
			break
		}
		lines = append(lines, r.Say.Say(text.M("bot.season.podium", "Medal", [...]string{"🥇", "🥈", "🥉"}[l.Rank-1],
			"Who", standingMention(l.Standing), "Rating", ratingText(l.Rating),
			"Wins", text.M("bot.count.wins", "Count", l.Wins))))
	}
	if len(list.Lines) == 0 {
		lines = append(lines, r.Say.Say(text.M("bot.season.empty")))
		return interact.Reply{New: show.Text(strings.Join(lines, "\n"))}, nil
	}
	for _, g := range rm.games {
		best, err := rm.results.Leaderboard(ctx, storage.Board{Guild: r.GuildID, Game: g.Key(),
			Season: season.Number}, 0, 1, "")
		if err != nil {
			return interact.Reply{}, err
		}
		if len(best.Lines) > 0 {
			lines = append(lines, r.Say.Say(text.M("bot.season.champion", "Game", g.Info().Name,
				"Who", standingMention(best.Lines[0].Standing), "Count", best.Total)))
		}
	}
	title, note, err := rm.boardTitle(ctx, board)
	if err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.sheetMessage(ctx, r, board, title, note, list)
	if err != nil {
		return interact.Reply{}, err
	}
	m.Components = append(show.Text(strings.Join(lines, "\n")).Components, m.Components...)
	return interact.Reply{New: m}, nil
}

func (rm *Room) voidResult(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.changeResult(ctx, r, "bot.ratings.voided", func(id table.ID) (table.Result, error) {
		return rm.results.Void(ctx, r.Actor(), r.GuildID, id, text.NewName(r.Option("reason")))
	})
}

func (rm *Room) restoreResult(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.changeResult(ctx, r, "bot.ratings.restored", func(id table.ID) (table.Result, error) {
		return rm.results.Restore(ctx, r.Actor(), r.GuildID, id)
	})
}

// changeResult calls change, which voids or restores a result, for the table in the option, and replies with the new
// state.
func (rm *Room) changeResult(ctx context.Context, r *interact.Request, said string, change func(table.ID) (table.Result,
	error)) (interact.Reply, error) {
	named := strings.TrimPrefix(r.Option("ended"), "#")
	id, err := storage.ParseID(named)
	if err != nil {
		return interact.Reply{}, show.Refuse(text.M("bot.error.table-number", "Table", named))
	}
	if head, err := rm.tables.Lookup.Head(ctx, id); err == nil {
		if sees, err := rm.find.Sees(ctx, r, head); err != nil {
			return interact.Reply{}, err
		} else if !sees {
			return interact.Reply{}, show.Refuse(text.M("table.error.no-result", "Table", id.String()))
		}
	}
	res, err := change(id)
	if err != nil {
		return interact.Reply{}, err
	}
	who := make([]text.Message, len(res.Seats))
	for i, o := range res.Seats {
		who[i] = show.Mention(o)
	}
	why := text.Message{}
	if res.Voided != nil && !res.Voided.Why.IsZero() {
		why = text.M("bot.ratings.why", "Why", res.Voided.Why)
	}
	answer := r.Say.Say(text.M(said, "Table", id.String(), "Who", who, "Why", why))
	if counting, err := rm.results.Recounting(ctx, r.GuildID); err == nil && counting {
		answer += "\n" + r.Say.Say(text.M("bot.ratings.counting"))
	}
	return interact.Reply{New: show.Text(answer)}, nil
}

func (rm *Room) setLeast(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, _ := r.Number("count")
	if err := rm.results.SetLeast(ctx, r.Actor(), r.GuildID, max(1, n)); err != nil {
		return interact.Reply{}, err
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.ratings.least", "Count", max(1, n))))}, nil
}
