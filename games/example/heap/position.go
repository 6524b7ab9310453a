package heap

import "marque/games"

const (
	maxSeats   = 4
	usualCoins = 12
	smallCoins = 5
	mostTaken  = 3
	mostAdded  = 5
	nobody     = -1 // the winner before the end
)

// position is the whole game as a small value. State and Sim share it, so they cannot disagree.
type position struct {
	coins  int8
	added  int8 // number of coins added by rolls
	seats  int8
	turn   int8
	winner int8 // the seat that took the last coin
	dice   bool // the die is rolled next
	gone   games.SeatSet
}

// The code of a move is the number of coins taken. The code of a roll is the constant rolled plus 3 for a
// three, or plus 1 for any other face.
const rolled games.Move = 100

const (
	rollOther = rolled + 1
	rollThree = rolled + 3
)

func (p *position) toMove() games.Seat {
	switch {
	case p.winner != nobody:
		return games.Nobody
	case p.dice:
		return games.Chance
	default:
		return games.Seat(p.turn)
	}
}

func (p *position) appendMoves(buf []games.Move) []games.Move {
	if p.toMove() < 0 {
		return buf
	}
	for n := range min(mostTaken, p.coins) {
		buf = append(buf, games.Move(n+1))
	}
	return buf
}

func (p *position) appendOutcomes(buf []games.Outcome) []games.Outcome {
	if p.toMove() != games.Chance {
		return buf
	}
	return append(buf, games.Outcome{Move: rollOther, Weight: 2}, games.Outcome{Move: rollThree, Weight: 1})
}

// adds reports whether a roll adds a coin: a 3 does, unless mostAdded coins have been added.
func (p *position) adds(roll games.Move) bool { return roll == rollThree && p.added < mostAdded }

func (p *position) play(m games.Move) {
	if p.dice {
		if p.adds(m) {
			p.coins++
			p.added++
		}
		p.dice = false
		return
	}
	p.coins -= int8(m)
	if p.coins == 0 {
		p.winner = p.turn
		return
	}
	p.dice = true
	p.pass()
}

// pass passes the turn to the next seat that is still in the game.
func (p *position) pass() {
	for {
		p.turn = (p.turn + 1) % p.seats
		if !p.gone.Has(games.Seat(p.turn)) {
			return
		}
	}
}

// withdraw removes a seat from the game, which continues without it.
func (p *position) withdraw(seat games.Seat) {
	p.gone.Add(seat)
	if games.Seat(p.turn) == seat {
		p.pass()
	}
}
