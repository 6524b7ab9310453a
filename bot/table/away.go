package table

import (
	"context"
	"time"

	"marque/bot/choices"
	"marque/bot/table/clock"
	"marque/games/text"
	"marque/storage"
)

// GoAway stops the user's clocks on a server from now until a given time. It returns the user's preferences with this
// absence, which replaces any present one. It returns ErrBadTime if the time is past or more than a year ahead, and
// ErrBudget if the user would then be away for more days than the server allows per year.
func (s *Service) GoAway(ctx context.Context, user, guild string, until time.Time) (choices.Preferences, error) {
	settings, err := s.Choices.Settings(ctx, guild)
	if err != nil {
		return choices.Preferences{}, err
	}
	now, end := s.tables.now(), storage.At(until)
	if end <= now || end > now+Stamp(clock.Year.Milliseconds()) {
		return choices.Preferences{}, Refuse(ErrBadTime, clock.AwayTime(now.Time()))
	}
	return s.Choices.ChangePreferences(ctx, user, func(p *choices.Preferences) error {
		p.Away = p.Away.Ended(guild, now)
		used := p.Away.Used(guild, now)
		budget := time.Duration(settings.DaysAway()) * 24 * time.Hour
		if budget == 0 {
			return Refuse(ErrBudget, text.M("table.error.away-never"))
		}
		if used+time.Duration(end-now)*time.Millisecond > budget {
			left := max(0, int((budget-used)/(24*time.Hour)))
			return Refuse(ErrBudget, text.M("table.error.away-budget", "Count", left, "Days", settings.DaysAway()))
		}
		p.Away = p.Away.With(clock.Away{Guild: guild, From: now, Until: end})
		return nil
	})
}

// Return ends the user's absence from a server now. It reports whether there was one.
func (s *Service) Return(ctx context.Context, user, guild string) (bool, error) {
	was := false
	now := s.tables.now()
	_, err := s.Choices.ChangePreferences(ctx, user, func(p *choices.Preferences) error {
		was = p.AwayAt(guild, now) != clock.Away{}
		p.Away = p.Away.Ended(guild, now)
		return nil
	})
	return was, err
}
