package compete

import (
	"context"

	"marque/bot/table"
	"marque/games/verify"
	"marque/storage"
)

// Record returns the public data of a competition, which everybody can check, with the records of the finished games
// for which may returns true.
func (s *Service) Record(ctx context.Context, n Competition,
	may func(storage.Head) (bool, error)) (verify.Competition, error) {
	names := make([]string, len(n.Rules.Entrants))
	for i, e := range n.Rules.Entrants {
		if who, known := n.Person(e.User); known {
			names[i] = who.Name.Plain()
		}
	}
	record := verify.MakeCompetition(n.Name.Plain(), names, n.Rules)
	record.Number, record.Options = n.Number, n.Options
	for _, p := range n.Rules.Pairings {
		if p.Table == "" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return record, err
		}
		snap, err := s.tableOf(ctx, n, p.No)
		if err != nil {
			return record, err
		}
		if snap == nil || snap.Status != table.Over {
			continue
		}
		if sees, err := may(snap.Head); err != nil || !sees {
			if err != nil {
				return record, err
			}
			continue
		}
		if r, over := snap.Record(); over {
			record.Records[p.No] = r
		}
	}
	return record, nil
}
