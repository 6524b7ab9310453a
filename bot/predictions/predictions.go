// Package predictions stores spectators' predictions of the winners of games. The points of a prediction are the result
// of the predicted player less this player's chance at the time of the prediction. A user can predict once in a game,
// and cannot change the prediction. Predictions are possible only if the server and all players allow them, if nothing
// in the game is hidden, and if the game is not nearly over.
package predictions

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// Service accepts spectators' predictions and computes their points. It is safe for concurrent use.
type Service struct {
	store  *storage.Store
	tables *table.Service

	mu       sync.Mutex
	assessed *simplelru.LRU[position, odds]
}

// maxAssessed limits the positions whose odds are cached.
const maxAssessed = 64

// position identifies a table's position by the version in which it last changed (storage.Head's Board).
type position struct {
	table storage.ID
	board uint64
}

// odds are the estimated chances in a position.
type odds struct {
	chances []int // chance of each seat to win, in thousandths
	closed  bool
}

// New returns a Service and attaches it to its tables.
func New(tables *table.Service, store *storage.Store) *Service {
	s := &Service{store: store, tables: tables}
	tables.Attach(table.Hooks{Partial: s.partial})
	s.assessed, _ = simplelru.NewLRU[position, odds](maxAssessed, nil) // fails only for sizes below 1
	return s
}

// partial reports whether a user has predicted who wins at a table.
func (s *Service) partial(ctx context.Context, h storage.Head, user string) (bool, error) {
	given, err := s.store.PredictionsAt(ctx, h.ID)
	return slices.ContainsFunc(given, func(p storage.Prediction) bool { return p.User == user }), err
}

// Odds are the chances at which a spectator can predict the winner of a game.
type Odds struct {
	*table.Snapshot
	Chances []int // chance of each seat to win, in thousandths
	// whether the chances can be shown, which is so if the table gives hints
	Shown bool
}

// Offered reports whether spectators can predict the winner at a table. It does not check whether it is too late.
func (s *Service) Offered(ctx context.Context, snap *table.Snapshot) (bool, error) {
	err := s.offered(ctx, snap)
	if errors.Is(err, table.ErrNoPredicting) {
		return false, nil
	}
	return err == nil, err
}

func (s *Service) offered(ctx context.Context, snap *table.Snapshot) error {
	no := func(why string) error { return table.Refuse(table.ErrNoPredicting, text.M(why)) }
	settings, err := s.tables.Choices.Settings(ctx, snap.Guild)
	switch {
	case err != nil:
		return err
	case len(s.tables.Levels()) == 0 || snap.Guild == "" || settings.Without.Predictions:
		return no("table.error.predict-off")
	case !snap.HasStarted():
		return table.Refuse(table.ErrNoPredicting, text.M("table.error.not-started"))
	case snap.Status != table.Playing:
		return table.Refuse(table.ErrNoPredicting, text.M("table.error.over"))
	case snap.Hidden():
		return no("table.error.predict-hidden")
	}
	for _, o := range snap.Seats {
		prefs, err := s.tables.Choices.Preferences(ctx, o.User)
		if err != nil {
			return err
		}
		if prefs.Hidden.Predictions {
			return no("table.error.predict-players")
		}
	}
	return nil
}

// Odds returns the odds for a user who wants to predict. Its errors include storage.ErrNoTable, and
// table.ErrNoPredicting for players, for users who have already predicted, and if predictions are closed or not
// allowed.
func (s *Service) Odds(ctx context.Context, by table.Actor, id storage.ID) (Odds, error) {
	snap, err := s.tables.Lookup.Snapshot(ctx, id)
	if err != nil {
		return Odds{}, err
	}
	if err := s.offered(ctx, snap); err != nil {
		return Odds{}, err
	}
	t, err := s.store.Load(ctx, id)
	if err != nil {
		return Odds{}, err
	}
	if snap.Seat(by.User) >= 0 || t.SeatsHeld()[by.User] != 0 {
		return Odds{}, table.Refuse(table.ErrNoPredicting, text.M("table.error.predict-plays"))
	}
	given, err := s.store.PredictionsAt(ctx, id)
	if err != nil {
		return Odds{}, err
	}
	for _, g := range given {
		if g.User == by.User {
			return Odds{}, table.Refuse(table.ErrNoPredicting,
				text.M("table.error.predicted", "Who", text.Player(g.Seat)))
		}
	}
	settings, err := s.tables.Choices.Settings(ctx, snap.Guild)
	if err != nil {
		return Odds{}, err
	}
	found, err := s.assess(ctx, snap)
	if err != nil {
		return Odds{}, err
	}
	if found.closed {
		return Odds{}, table.Refuse(table.ErrNoPredicting, text.M("table.error.predict-late"))
	}
	return Odds{Snapshot: snap, Chances: found.chances, Shown: snap.TakesHints(settings)}, nil
}

// assess returns the odds of a position. Each chance is estimated from its seat's own view.
func (s *Service) assess(ctx context.Context, snap *table.Snapshot) (odds, error) {
	at := position{snap.ID, snap.Board}
	s.mu.Lock()
	found, ok := s.assessed.Get(at)
	s.mu.Unlock()
	if ok {
		return found, nil
	}
	chances, nearEnd, err := s.tables.Chances(ctx, snap)
	if err != nil {
		return odds{}, err
	}
	found.closed = nearEnd
	if !nearEnd {
		found.chances = make([]int, len(chances))
		for seat, c := range chances { // rounded to whole per cents, as shown to users
			found.chances[seat] = 10 * int(math.Round(100*c))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.assessed.Add(at, found)
	return found, nil
}

// Predict records the prediction that a seat wins. It returns the same errors as Odds, table.ErrNoPredicting also if
// the table or the user has too many predictions, ErrOut for a seat that cannot win any more, and ErrOver if the game
// has ended in the meantime.
func (s *Service) Predict(ctx context.Context, by table.Actor, id storage.ID, seat games.Seat) (Odds, error) {
	o, err := s.Odds(ctx, by, id)
	if err != nil {
		return o, err
	}
	if !slices.Contains(o.StillIn(), seat) {
		return o, table.Refuse(table.ErrOut, text.M("table.error.predict-out"))
	}
	done, err := s.tables.Work()
	if err != nil {
		return o, err
	}
	defer done()
	err = s.store.AddPrediction(ctx, storage.Prediction{User: by.User, Table: id, Seat: seat, Chance: o.Chances[seat],
		Play: o.Plays, At: storage.At(s.tables.Lookup.Now())}, func(h storage.Head) error {
		switch {
		case h.Status != table.Playing:
			return table.Refuse(table.ErrOver, text.M("table.error.over"))
		case h.Seat(by.User) >= 0:
			return table.Refuse(table.ErrNoPredicting, text.M("table.error.predict-plays"))
		}
		return nil
	})
	switch {
	case errors.Is(err, storage.ErrPredicted):
		err = table.Refuse(table.ErrNoPredicting, text.M("table.error.predicted-once"))
	case errors.Is(err, storage.ErrPredictions):
		err = table.Refuse(table.ErrNoPredicting, text.M("table.error.predict-full"))
	case errors.Is(err, storage.ErrPredictedMuch):
		err = table.Refuse(table.ErrNoPredicting, text.M("table.error.predict-day", "Count", storage.MaxPredictionsOf))
	}
	return o, err
}

// Line is a user's line in a server's monthly table of predictions.
type Line struct {
	User   string
	Points int // in thousandths of a win
	Count  int // number of counted predictions
	Right  int // number of counted predictions of the winner
	Open   int // number of predictions for unfinished games
}

// Least is the minimum number of counted predictions for a line in a month's table.
const Least = 5

// Month returns a server's table for a month, such as "2026-11". It is in descending order of points and then of the
// number of predictions. Month also returns the line of the user own, even if the table does not include it.
func (s *Service) Month(ctx context.Context, guild, month, own string) (list []Line, mine Line, err error) {
	given, err := s.store.PredictionsIn(ctx, guild, month, "")
	if err != nil {
		return nil, mine, err
	}
	at := map[string]*Line{own: {User: own}}
	for _, g := range given {
		line := at[g.User]
		if line == nil {
			line = &Line{User: g.User}
			at[g.User] = line
		}
		points, counts := g.Points()
		switch {
		case counts:
			line.Count++
			line.Points += points
			if g.Result.Won(g.Seat) {
				line.Right++
			}
		case g.Result == nil:
			line.Open++
		}
	}
	for _, line := range at {
		if line.Count >= Least {
			list = append(list, *line)
		}
	}
	slices.SortFunc(list, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(b.Count, a.Count), cmp.Compare(a.User, b.User))
	})
	return list, *at[own], nil
}

// Of returns a user's predictions on a server in a month, the latest first.
func (s *Service) Of(ctx context.Context, guild, month, user string) ([]storage.Prediction, error) {
	list, err := s.store.PredictionsIn(ctx, guild, month, user)
	slices.SortStableFunc(list, func(a, b storage.Prediction) int { return cmp.Compare(b.At, a.At) })
	return list, err
}

// Rightly returns the number of users who predicted the winner of a finished game, and the number of counted
// predictions. Both are 0 if the game has no winner.
func (s *Service) Rightly(ctx context.Context, snap *table.Snapshot) (right, all int, err error) {
	given, err := s.store.PredictionsAt(ctx, snap.ID)
	for _, g := range given {
		if _, counts := g.Points(); counts && !g.Result.Drawn {
			all++
			if g.Result.Won(g.Seat) {
				right++
			}
		}
	}
	return right, all, err
}
