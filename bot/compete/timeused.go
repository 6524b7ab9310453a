package compete

import (
	"context"
	"slices"

	"marque/bot/table"
	"marque/games"
	"marque/storage"
)

// TimeUsed returns the milliseconds that each seat has used for its moves so far. It leaves out intervals in which the
// clock is stopped (CO-8), such as pauses and the player's absences.
func TimeUsed(ctx context.Context, tables *table.Service, t storage.Table) ([]storage.Stamp, error) {
	settings, err := tables.Choices.Settings(ctx, t.Head.Guild)
	if err != nil {
		return nil, err
	}
	used, now := make([]storage.Stamp, len(t.Head.Seats)), storage.At(tables.Lookup.Now())
	var pauses []storage.Span
	for _, e := range t.Events {
		switch goes := len(pauses) > 0 && pauses[len(pauses)-1].To == now; {
		case e.Kind == storage.Paused && !goes:
			pauses = append(pauses, storage.Span{From: e.At, To: now})
		case e.Kind == storage.Resumed && goes:
			pauses[len(pauses)-1].To = e.At
		}
	}
	stopped := slices.Concat(pauses, table.Stood(t.Head.Timing, now))
	takes := func(seat games.Seat, from, to storage.Stamp) error {
		if seat < 0 || int(seat) >= len(used) || to <= from {
			return nil
		}
		stops, err := tables.Choices.Conditions(ctx, t.Head.Guild, settings, t.Head.Seats[seat].User)
		if err == nil {
			used[seat] += storage.Stamp(stops.Elapsed(from, to, slices.Clone(stopped)).Milliseconds())
		}
		return err
	}
	since := now
	for _, e := range t.Events {
		switch e.Kind {
		case storage.Started:
			since = e.At
		case storage.Played:
			if err := takes(e.Seat, since, e.At); err != nil {
				return nil, err
			}
			since = e.At
		}
	}
	return used, takes(t.Head.ToMove, since, now)
}
