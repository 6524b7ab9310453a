package settings

import (
	"context"
	"strconv"
	"strings"
	"time"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table/clock"
	"marque/games/text"
)

// away answers /me away. It stops the user's clocks on this server until a given time, or starts them again.
func (rm *Room) away(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	typed := r.Option("until")
	if typed == "" {
		was, err := rm.tables.Return(ctx, r.User.ID, r.GuildID)
		if err != nil {
			return interact.Reply{}, err
		}
		if !was {
			return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.away.not")))}, nil
		}
		return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.away.back")))}, nil
	}
	until, ok := rm.parseUntil(typed, r.Prefs.Zone)
	if !ok {
		return interact.Reply{}, show.Refuse(clock.AwayTime(rm.tables.Lookup.Now()))
	}
	if _, err := rm.tables.GoAway(ctx, r.User.ID, r.GuildID, until); err != nil {
		return interact.Reply{}, err
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.away.gone", "When", text.Moment(until, text.Full))))},
		nil
}

// parseUntil parses a day, such as "2026-08-31", or a number of days. For a day the result is the end of the day, and
// for a number of days the same time of day so many days from now.
func (rm *Room) parseUntil(s, zone string) (time.Time, bool) {
	loc := clock.Zone(zone)
	now := rm.tables.Lookup.Now().In(loc)
	if n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.ToLower(s), "d"))); err == nil {
		return clock.Later(now, n), n > 0
	}
	day, err := time.Parse(time.DateOnly, s)
	y, m, d := day.Date()
	return clock.Midnight(y, m, d+1, loc), err == nil
}
