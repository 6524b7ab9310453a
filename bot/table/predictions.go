package table

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"marque/games"
	"marque/games/computer"
	"marque/games/text"
	"marque/storage"
)

// Predictions are what those who watch a game say about who wins it, for points: one word a user, which
// stands. They are open where the server, and everybody who plays, has them, never in a game in which
// something is hidden, and until the game may be nearly over.
type Predictions struct {
	store   predictionStore
	tables  *tables
	choices *choices
	pool    *computerPool // nil without computer players

	mu     sync.Mutex
	looked *simplelru.LRU[position, odds]
}

// maxLooked is of how many positions it is remembered what they promise.
const maxLooked = 64

// position is a table's between two plays.
type position struct {
	table ID
	board uint64
}

// odds are what a position promises.
type odds struct {
	chances []int // of winning, by seat, per mille
	closed  bool
}

func newPredictions(store predictionStore, tables *tables, choices *choices, pool *computerPool) *Predictions {
	p := &Predictions{store: store, tables: tables, choices: choices, pool: pool}
	p.looked, _ = simplelru.NewLRU[position, odds](maxLooked, nil) // fails for sizes below 1 alone
	return p
}

// Odds are what somebody who watches can predict of a game.
type Odds struct {
	*Snapshot
	Chances []int // of winning, by seat, per mille
	// the chances may be shown, as hints are given at this table
	Shown bool
}

// Offered reports whether those who watch a table can predict who wins, as it is settled there: not
// whether it is too late.
func (p *Predictions) Offered(ctx context.Context, snap *Snapshot) (bool, error) {
	err := p.offered(ctx, snap)
	if errors.Is(err, ErrNoPredicting) {
		return false, nil
	}
	return err == nil, err
}

func (p *Predictions) offered(ctx context.Context, snap *Snapshot) error {
	no := func(why string) error { return Refuse(ErrNoPredicting, text.M(why)) }
	settings, err := p.choices.settings(ctx, snap.Guild)
	switch {
	case err != nil:
		return err
	case p.pool == nil || snap.Guild == "" || settings.Without.Predictions:
		return no("table.error.predict-off")
	case snap.match == nil:
		return Refuse(ErrNoPredicting, text.M("table.error.not-started"))
	case snap.Status != Playing:
		return Refuse(ErrNoPredicting, text.M("table.error.over"))
	case snap.Hidden():
		return no("table.error.predict-hidden")
	}
	for _, o := range snap.Seats {
		prefs, err := p.choices.preferences(ctx, o.User)
		if err != nil {
			return err
		}
		if prefs.Hidden.Predictions {
			return no("table.error.predict-players")
		}
	}
	return nil
}

// Odds are for a user who wants to predict. It returns storage.ErrNoTable, or ErrNoPredicting: for players, for
// users who have predicted, and where it is too late or not wanted.
func (p *Predictions) Odds(ctx context.Context, by Actor, id ID) (Odds, error) {
	snap, err := p.tables.Snapshot(ctx, id)
	if err != nil {
		return Odds{}, err
	}
	if err := p.offered(ctx, snap); err != nil {
		return Odds{}, err
	}
	t, err := p.tables.store.Load(ctx, id)
	if err != nil {
		return Odds{}, err
	}
	if snap.Seat(by.User) >= 0 || seatsHeld(t)[by.User] != 0 {
		return Odds{}, Refuse(ErrNoPredicting, text.M("table.error.predict-plays"))
	}
	given, err := p.store.PredictionsAt(ctx, id)
	if err != nil {
		return Odds{}, err
	}
	for _, g := range given {
		if g.User == by.User {
			return Odds{}, Refuse(ErrNoPredicting, text.M("table.error.predicted", "Who", text.Player(g.Seat)))
		}
	}
	settings, err := p.choices.settings(ctx, snap.Guild)
	if err != nil {
		return Odds{}, err
	}
	found, err := p.look(ctx, snap)
	if err != nil {
		return Odds{}, err
	}
	if found.closed {
		return Odds{}, Refuse(ErrNoPredicting, text.M("table.error.predict-late"))
	}
	return Odds{Snapshot: snap, Chances: found.chances, Shown: snap.TakesHints(settings)}, nil
}

// look judges a position as spectators see it.
func (p *Predictions) look(ctx context.Context, snap *Snapshot) (odds, error) {
	at := position{snap.ID, snap.Board}
	p.mu.Lock()
	found, ok := p.looked.Get(at)
	p.mu.Unlock()
	if ok {
		return found, nil
	}
	select {
	case p.pool.advisers <- struct{}{}:
		defer func() { <-p.pool.advisers }()
	case <-ctx.Done():
		return odds{}, ctx.Err()
	}
	seed := uint64(snap.ID)<<32 ^ snap.Board
	in := snap.match.StillIn()
	found.chances = make([]int, len(snap.Seats))
	if found.closed = computer.NearEnd(snap.View(in[0]), snap.Plays, seed); !found.closed {
		chances, sum := make([]float64, len(snap.Seats)), 0.0
		for _, seat := range in {
			chances[seat] = p.pool.mind.Estimate(ctx, snap.View(seat), seed, p.pool.waiting()+1)
			sum += chances[seat]
		}
		for seat, c := range chances { // in whole per cent: what is told is what counts
			found.chances[seat] = 10 * int(math.Round(100*c/max(sum, 1e-9)))
		}
	}
	if ctx.Err() != nil { // the estimates may be short
		return odds{}, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looked.Add(at, found)
	return found, nil
}

// Predict keeps that a seat wins. It returns what Odds returns, and ErrOut for a seat that is out.
func (p *Predictions) Predict(ctx context.Context, by Actor, id ID, seat games.Seat) (Odds, error) {
	o, err := p.Odds(ctx, by, id)
	if err != nil {
		return o, err
	}
	if !slices.Contains(o.match.StillIn(), seat) {
		return o, Refuse(ErrOut, text.M("table.error.predict-out"))
	}
	if err := p.tables.gate.enter(); err != nil {
		return o, err
	}
	defer p.tables.gate.leave()
	err = p.store.AddPrediction(ctx, storage.Prediction{User: by.User, Table: id, Seat: seat, Chance: o.Chances[seat],
		Play: o.Plays, At: p.tables.now()}, func(h Head) error {
		switch {
		case h.Status != Playing:
			return refuseOver()
		case h.Seat(by.User) >= 0:
			return Refuse(ErrNoPredicting, text.M("table.error.predict-plays"))
		}
		return nil
	})
	switch {
	case errors.Is(err, storage.ErrPredicted):
		err = Refuse(ErrNoPredicting, text.M("table.error.predicted-once"))
	case errors.Is(err, storage.ErrPredictions):
		err = Refuse(ErrNoPredicting, text.M("table.error.predict-full"))
	case errors.Is(err, storage.ErrPredictedMuch):
		err = Refuse(ErrNoPredicting, text.M("table.error.predict-day", "Count", storage.MaxPredictionsOf))
	}
	return o, err
}

// Seer is a user's line of a server's table of a month.
type Seer struct {
	User   string
	Points int // per mille of a win
	Count  int // predictions that count
	Right  int // of them those whose seat won
	Open   int // of games that go on
}

// LeastPredictions is how many must count for a line in the table of a month.
const LeastPredictions = 5

// Month is a server's table of a month, "2026-11": most points first, then most predictions, then by user;
// and the line of a user, in it or not.
func (p *Predictions) Month(ctx context.Context, guild, month, own string) (list []Seer, mine Seer, err error) {
	given, err := p.store.PredictionsIn(ctx, guild, month, "")
	if err != nil {
		return nil, mine, err
	}
	at := map[string]*Seer{own: {User: own}}
	for _, g := range given {
		line := at[g.User]
		if line == nil {
			line = &Seer{User: g.User}
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
		if line.Count >= LeastPredictions {
			list = append(list, *line)
		}
	}
	slices.SortFunc(list, func(a, b Seer) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(b.Count, a.Count), cmp.Compare(a.User, b.User))
	})
	return list, *at[own], nil
}

// Of are a user's predictions on a server in a month, the latest first.
func (p *Predictions) Of(ctx context.Context, guild, month, user string) ([]storage.Prediction, error) {
	list, err := p.store.PredictionsIn(ctx, guild, month, user)
	slices.SortStableFunc(list, func(a, b storage.Prediction) int { return cmp.Compare(b.At, a.At) })
	return list, err
}

// Foretold is how many predicted who has won a game that is over, and how many of those predictions
// count; none where nobody has won.
func (p *Predictions) Foretold(ctx context.Context, snap *Snapshot) (right, all int, err error) {
	given, err := p.store.PredictionsAt(ctx, snap.ID)
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
