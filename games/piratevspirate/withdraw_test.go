package piratevspirate

import (
	"testing"

	"marque/games"
)

// TestPP11_Withdraw: a player who leaves a game of three is out and is skipped. The coins of that player's pirates stay
// on the board.
func TestPP11_Withdraw(t *testing.T) {
	sc := scenario{crews: []string{"e4o e6", "g2", "h8 h10"}, dice: [2]uint8{1, 1}}
	s := sc.state(t)
	left := s.Withdraw(1).(state)
	if left.ToMove() != 0 || !left.crew[1].empty() || left.phase != moving {
		t.Errorf("another leaves: to move %d, phase %d", left.ToMove(), left.phase)
	}
	left = s.Withdraw(0).(state)
	if left.phase != rolling || left.turn != 1 || !left.silver.has(named("e4")) || !left.lying().has(named("e4")) {
		t.Errorf("who is to move leaves: phase %d, turn %d, lying %v", left.phase, left.turn, left.lying())
	}
	if s.crew[0].empty() {
		t.Error("the position before was changed")
	}
	left.endTurn()
	left.endTurn()
	if left.turn != 1 {
		t.Errorf("after a round turn is %d, want 1: seat 0 is skipped", left.turn)
	}
	again := left.Withdraw(0).(state)
	if again.position != left.position {
		t.Error("who is out leaves again, and something changes")
	}
	end := left.Withdraw(2).(state)
	if r := end.Result(); end.ToMove() != games.Nobody || len(r.Winners) != 1 || r.Winners[0] != 1 {
		t.Errorf("PP-11 with one crew left: %+v", r)
	}
	// PP-12: a player who leaves while backs are being chosen is skipped. The other players choose, and the round ends.
	sc.backs, sc.dice = true, [2]uint8{}
	b := sc.state(t)
	b.phase = turning
	after := b.Withdraw(0).(state)
	if after.phase != turning || after.turn != 1 {
		t.Errorf("leaving while choosing backs: phase %d, turn %d", after.phase, after.turn)
	}
	var next games.State = after
	for next.(state).phase == turning {
		next = next.Apply(readyMove)
	}
	if p := next.(state); p.phase != rolling || p.turn != 1 || !p.unset(2).empty() {
		t.Errorf("after the backs: phase %d, turn %d", p.phase, p.turn)
	}
}
