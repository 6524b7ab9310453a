package table

import (
	"context"
	"slices"
	"time"

	"marque/games/text"
	"marque/storage"
)

// maxAways bounds the absences kept for a user.
const maxAways = 200

// GoAway stops the user's clocks on a server from now until a moment. It returns what holds then, ErrBadTime when that is not to come or more than a year ahead, and ErrBudget
// when the server's days of a year do not suffice. An absence that goes on is replaced.
func (s *Service) GoAway(ctx context.Context, user, guild string, until time.Time) (Preferences, error) {
	settings, err := s.Settings(ctx, guild)
	if err != nil {
		return Preferences{}, err
	}
	now, end := s.now(), storage.At(until)
	year := Stamp((365 * 24 * time.Hour).Milliseconds())
	if end <= now || end > now+year {
		return Preferences{}, refuse(ErrBadTime, text.M("table.error.away-time"))
	}
	return s.ChangePreferences(ctx, user, func(p *Preferences) error {
		p.Away = comeBack(p.Away, guild, now, year)
		used := awayFor(p.Away, guild, now-year)
		budget := time.Duration(settings.awayDays()) * 24 * time.Hour
		if settings.AwayDays >= 0 && used+time.Duration(end-now)*time.Millisecond > budget {
			left := max(0, int((budget-used)/(24*time.Hour)))
			return refuse(ErrBudget, text.M("table.error.away-budget", "Count", left, "Days", settings.awayDays()))
		}
		p.Away = append(p.Away, Away{Guild: guild, From: now, Until: end})
		p.Away = p.Away[max(0, len(p.Away)-maxAways):]
		return nil
	})
}

// Return ends the user's absence from a server now. It reports whether there was one.
func (s *Service) Return(ctx context.Context, user, guild string) (bool, error) {
	was := false
	now := s.now()
	_, err := s.ChangePreferences(ctx, user, func(p *Preferences) error {
		was = p.AwayAt(guild, now) != Away{}
		p.Away = comeBack(p.Away, guild, now, Stamp((365 * 24 * time.Hour).Milliseconds()))
		return nil
	})
	return was, err
}

// comeBack ends the absence from a server that covers now, and forgets those that ended more than keep ago.
func comeBack(aways []Away, guild string, now, keep Stamp) []Away {
	aways = slices.Clone(aways)
	for i, a := range aways {
		if a.Guild == guild && a.Until > now {
			aways[i].Until = max(a.From, now)
		}
	}
	return slices.DeleteFunc(aways, func(a Away) bool { return a.Until < now-keep || a.Until <= a.From })
}

// awayFor is how long a user was away from a server since a moment.
func awayFor(aways []Away, guild string, since Stamp) time.Duration {
	var total Stamp
	for _, a := range aways {
		if a.Guild == guild {
			total += max(0, a.Until-max(a.From, since))
		}
	}
	return time.Duration(total) * time.Millisecond
}
