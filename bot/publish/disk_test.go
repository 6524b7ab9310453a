package publish_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games/catalog"
	"marque/storage"
)

// illDisk is a store whose disk refuses changes of tables while it has a problem.
type illDisk struct {
	*storage.Store
	problem *atomic.Pointer[storage.DiskError]
}

func (d illDisk) Commit(ctx context.Context, c storage.Change) error {
	if p := d.problem.Load(); p != nil {
		return p
	}
	return d.Store.Commit(ctx, c)
}

// A player whose move the disk refuses is told the reason, and whether the move can have been saved, instead of an
// incident. Each refusal is an error in the log, which tells the operator how to fix a full disk. Once the disk has
// space again, the game continues.
func TestAMoveThatTheDiskDoesNotTake(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	var problem atomic.Pointer[storage.DiskError]
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Wrap = func(s *storage.Store) bottest.Store { return illDisk{s, &problem} }
	})
	g, _ := catalog.Find(bottest.LoyalCaptain)
	turn := r.Open(channel, g, bottest.World[:2])
	for _, tc := range []struct {
		problem storage.DiskProblem
		want    string
	}{
		{storage.DiskFull, "I couldn't save this: my disk is full."},
		{storage.DiskReadOnly, "I couldn't save this: my storage is read-only."},
		{storage.DiskFailed, "check whether this was saved before you"},
	} {
		problem.Store(&storage.DiskError{Problem: tc.problem, Err: errors.New("writing to the disk")})
		if said := r.TypeMove(r.Mover(turn), channel, rand.New(rand.NewPCG(1, 1))); !strings.Contains(said, tc.want) {
			t.Errorf("%s: a move is answered %q, want %q", tc.problem, said, tc.want)
		}
	}
	problem.Store(nil)
	if said := r.TypeMove(r.Mover(turn), channel, rand.New(rand.NewPCG(1, 1))); !strings.Contains(said, "Played:") {
		t.Errorf("with room again a move is answered %q", said)
	}
	r.Next(channel, turn.ID, bottest.IsTurn)
	if snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1); err != nil || snap.Plays != 1 {
		t.Errorf("%d moves were made, %v; want one", snap.Plays, err)
	}
	log := r.Log.String()
	if n := strings.Count(log, "level=ERROR"); n != 3 || !strings.Contains(log,
		"make room on the disk of the database") {
		t.Errorf("%d errors in the log, want three that say what to do:\n%s", n, log)
	}
	r.Log.Clear() // a test must not end with errors in the log
}
