package table_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"marque/bot/table"
	"marque/games"
	"marque/storage"
)

// planks is a game that never ends. With "take 2" a player puts the next one out.
type planks struct{ laps }

func (planks) Key() string                     { return "planks" }
func (p planks) New(s games.Setup) games.State { return plank{p.laps.New(s).(lap)} }

type plank struct{ lap }

var _ games.Eliminator = plank{}

func (p plank) Apply(m games.Move) games.State {
	if m == 2 {
		p.gone.Add(games.Seat(p.next().turn))
	}
	return plank{p.next()}
}

func (p plank) Out(seat games.Seat) bool                  { return p.gone.Has(seat) }
func (p plank) Withdraw(seat games.Seat) games.State      { return plank{p.lap.Withdraw(seat).(lap)} }
func (p plank) Mask(games.Seat) games.State               { return p }
func (p plank) Sample(games.Seat, *rand.Rand) games.State { return p }

// GE-2: a player whom the rules have put out is not asked about a draw and has no part in it, whether they are put out
// before or after it is proposed. What they had proposed lapses.
func TestWhoIsOutIsNotAskedAboutADraw(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	const ann, bob, cid = games.Seat(0), games.Seat(1), games.Seat(2)
	start := func() table.ID { return startedGame(s, "planks", "ann", "bob", "cid").ID }
	drawn := func(what string, snap *table.Snapshot) {
		t.Helper()
		if r := snap.Outcome(); snap.Ending != games.Agreed || !slices.Equal(r.Winners, []games.Seat{ann, cid}) {
			t.Errorf("%s: ending %q, %v share it, want a draw between ann and cid", what, snap.Ending, r.Winners)
		}
	}

	id := start()
	snap := ok(s.Move(ctx, s.as("ann"), id, "take 2", 0))
	if snap.In(bob) || !slices.Equal(snap.StillIn(), []games.Seat{ann, cid}) {
		t.Errorf("bob is out, and %v are in", snap.StillIn())
	}
	_, err := s.Propose(ctx, s.as("bob"), id, table.Draw)
	refused(t, "bob proposes", err, table.ErrOut, "out of this game")
	ok(s.Propose(ctx, s.as("cid"), id, table.Draw))
	_, err = s.Accept(ctx, s.as("bob"), id, table.Draw, 0)
	refused(t, "bob agrees", err, table.ErrOut, "out of this game")
	drawn("bob was out", ok(s.Accept(ctx, s.as("ann"), id, table.Draw, 0)))

	id = start()
	ok(s.Propose(ctx, s.as("ann"), id, table.Draw))
	if snap = ok(s.Accept(ctx, s.as("cid"), id, table.Draw, 0)); snap.Status != table.Playing {
		t.Fatal("the draw is agreed without bob, who is in")
	}
	drawn("bob alone had not agreed", ok(s.Move(ctx, s.as("ann"), id, "take 2", 0)))

	id = start()
	ok(s.Propose(ctx, s.as("bob"), id, table.Draw))
	ok(s.Accept(ctx, s.as("ann"), id, table.Draw, 0))
	snap = ok(s.Move(ctx, s.as("ann"), id, "take 2", 0))
	if snap.Status != table.Playing || snap.Proposal.Kind != storage.NoProposal {
		t.Errorf("bob's proposal stays open: %+v", snap.Proposal)
	}
}

// The seat of a player whom the rules have put out is not offered. If the move that put them out is taken back, the
// seat is offered if nobody holds it.
func TestASeatThatIsOutIsNotOffered(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	id := startedGame(s, "planks", "ann", "bob", "cid").ID
	ok(s.Offer(ctx, s.as("bob"), id))
	if snap := ok(s.Move(ctx, s.as("ann"), id, "take 2", 0)); table.IsOpen(snap.Head, 1) {
		t.Error("the seat is offered although it is out")
	}
	if snap := ok(s.Remove(ctx, s.asModerator("mod"), id, "bob")); table.IsOpen(snap.Head, 1) {
		t.Error("a moderator offers a seat that is out")
	}
	if _, err := s.Take(ctx, s.as("dan"), id, 1); !errors.Is(err, table.ErrNotOffered) {
		t.Errorf("dan takes a seat that is out: %v", err)
	}
	snap := ok(s.Propose(ctx, s.as("ann"), id, table.Undo))
	if snap.Plays > 0 {
		snap = ok(s.Accept(ctx, s.as("cid"), id, table.Undo, 0))
	}
	if !snap.In(1) || !table.IsOpen(snap.Head, 1) {
		t.Errorf("after the undo the empty seat is in: %v, offered: %v", snap.In(1), table.IsOpen(snap.Head, 1))
	}
}
