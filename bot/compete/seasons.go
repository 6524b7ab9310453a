package compete

import (
	"context"
	"math/rand/v2"
	"strconv"
	"time"

	"marque/games/competition"
)

// leastBetween is the minimum entry period of a league's next season.
const leastBetween = competition.Stamp(24 * time.Hour / time.Millisecond)

// goOn creates the next season of a league as a separate competition, and enters everybody who has not withdrawn
// (CO-63). Its key names the previous season, so that repeated attempts create a single season.
func (s *Service) goOn(ctx context.Context, n *Competition) error {
	start := competition.Stamp(s.now()) + max(n.Rules.Setup.Break, leastBetween)
	rules, err := n.Rules.NextSeason(start, rand.Uint64())
	if err != nil {
		return err
	}
	next := Competition{
		Server: n.Server, Version: 1, Drawn: 1, Changed: s.now(),
		Keys: []string{"after-" + strconv.FormatUint(n.Number, 10)},
		Name: n.Name, Channel: n.Channel, Host: n.Host, Options: n.Options, Clock: n.Clock, Unrated: n.Unrated,
		Role: n.Role, Rules: rules, Credited: s.now(), Looked: s.now(),
	}
	for _, p := range n.People {
		if _, enters := rules.Entrant(p.User); enters {
			next.People = append(next.People, p)
		}
	}
	next.Due = s.due(next)
	// The next season replaces the one that has ended, even beyond the limit of competitions.
	number, err := s.store.AddCompetition(ctx, next, mostWithSeasons)
	if err != nil {
		return err
	}
	s.workers.poke(ID{Server: n.Server, Number: number}, true)
	return s.proceed(ctx, n, func(n *Competition) error {
		n.Next = number
		return nil
	})
}
