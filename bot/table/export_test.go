package table

import (
	"context"

	"marque/storage"
)

// UsedBySeat is how much time each seat of a competition's game has taken, as its deadline reckons it.
func UsedBySeat(ctx context.Context, s *Service, t storage.Table) ([]Stamp, error) {
	return s.Competitions.usedBySeat(ctx, t)
}
