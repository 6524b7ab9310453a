package compete

import (
	"context"
	"slices"

	"marque/bot/table"
	"marque/bot/table/clock"
	"marque/games/competition"
	"marque/storage"
)

// credit extends the deadlines of a competition by intervals in which nobody could play, because the bot was down or
// the server had an outage (CO-14). Each interval counts once.
func credit(n *Competition, downtimes, outages []clock.Span) {
	// An outage that has not ended puts the competition on hold instead of extending deadlines.
	ended := slices.DeleteFunc(slices.Clone(outages), func(s clock.Span) bool { return s.To == 0 })
	for _, s := range clock.Merge(slices.Concat(downtimes, ended)) {
		if s.To <= n.Credited {
			continue
		}
		n.Rules = n.Rules.Missed(competition.Stamp(max(s.From, n.Credited)), competition.Stamp(s.To))
		n.Credited = s.To
	}
}

// release ends a hold that has the given reason, and extends the deadlines.
func release(n *Competition, reason string, now storage.Stamp) {
	if n.HeldFor(reason) {
		n.Rules = n.Rules.Release(reason, competition.Stamp(now))
		n.Credited = max(n.Credited, now)
	}
}

// stood returns the length of the intervals since a pairing became ready in which its players could not play, because
// one of them was away, or its table was paused or had an unsent message (CO-13). It leaves out intervals in which
// nobody could play, which have already extended the deadline (CO-14).
func (s *Service) stood(
	ctx context.Context, n Competition, p competition.Pairing, t storage.Table,
) (competition.Stamp, error) {
	settings, err := s.tables.Choices.Settings(ctx, n.Server)
	if err != nil {
		return 0, err
	}
	lost := slices.Concat(s.tables.Downtimes(), settings.Outages)
	began, now := storage.Stamp(p.Ready), s.now()
	stood := slices.Clone(table.Stood(t.Head.Timing, now))
	for _, e := range p.Seats {
		prefs, err := s.tables.Choices.Preferences(ctx, n.Rules.Entrants[e].User)
		if err != nil {
			return 0, err
		}
		stood = append(stood, prefs.Away.Spans(n.Server)...)
	}
	from, why := storage.Stamp(0), ""
	for _, e := range t.Events {
		switch {
		case e.Kind == storage.Paused && from == 0:
			from, why = e.At, e.Text
		case e.Kind == storage.Resumed && from != 0:
			if why == storage.PausedRemoved {
				lost = append(lost, clock.Span{From: from, To: e.At})
			} else {
				stood = append(stood, clock.Span{From: from, To: e.At})
			}
			from = 0
		}
	}
	if from != 0 {
		stood = append(stood, clock.Span{From: from})
	}
	return competition.Stamp(length(slices.Concat(stood, lost), began, now) - length(lost, began, now)), nil
}

// length returns how much of the time between from and to the spans cover. A span whose To is 0 has not ended.
func length(spans []clock.Span, from, to storage.Stamp) (sum storage.Stamp) {
	var within []clock.Span
	for _, s := range spans {
		if s.To == 0 || s.To > to {
			s.To = to
		}
		if s.From = max(s.From, from); s.From < s.To {
			within = append(within, s)
		}
	}
	for _, s := range clock.Merge(within) {
		sum += s.To - s.From
	}
	return sum
}
