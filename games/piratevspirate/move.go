package piratevspirate

import "marque/games"

// A move's code: bits 0-2 are its kind; bits 8-15 the starting triangle or the first die; bits 16-23 the destination or
// the second die; bits 24-31 the triangle of a taken coin, plus one; bits 32-33 a new back, plus one. Bit 34 is set if
// the move attacks, bit 35 if the pirate leaves its coin.
const (
	fromShift = 8
	toShift   = 16
	coinShift = 24
	backShift = 32

	attackBit games.Move = 1 << 34
	leftBit   games.Move = 1 << 35
)

type kind uint8

const (
	passKind kind = iota
	rollKind
	stepKind
	setKind
	readyKind
)

const (
	passMove  = games.Move(passKind)
	readyMove = games.Move(readyKind)
)

func rollMove(a, b int) games.Move {
	return games.Move(rollKind) | games.Move(a)<<fromShift | games.Move(b)<<toShift
}

func stepMove(from, to triangle) games.Move {
	return games.Move(stepKind) | games.Move(from)<<fromShift | games.Move(to)<<toShift
}

func setMove(t triangle, back edge) games.Move {
	return turnedTo(games.Move(setKind)|games.Move(t)<<fromShift, back)
}

// taking returns the step m with a coin that it takes.
func taking(m games.Move, coin triangle) games.Move { return m | games.Move(coin+1)<<coinShift }

// turnedTo returns m with a new back.
func turnedTo(m games.Move, back edge) games.Move { return m | games.Move(back+1)<<backShift }

func kindOf(m games.Move) kind     { return kind(m & 7) }
func fromOf(m games.Move) triangle { return triangle(m >> fromShift) }
func toOf(m games.Move) triangle   { return triangle(m >> toShift) }

// coinOf returns the triangle where m takes a coin, or nowhere.
func coinOf(m games.Move) triangle {
	if c := uint8(m >> coinShift); c != 0 {
		return triangle(c - 1)
	}
	return nowhere
}

// backOf returns the back that m sets, or noEdge.
func backOf(m games.Move) edge {
	if b := m >> backShift & 3; b != 0 {
		return edge(b - 1)
	}
	return noEdge
}

func diceOf(m games.Move) [2]uint8 { return [2]uint8{uint8(m >> fromShift), uint8(m >> toShift)} }

// rollOutcomes are the sixteen rolls, which are equally likely (PP-4, PP-5).
var rollOutcomes = func() (list [faces * faces]games.Outcome) {
	for i := range list {
		list[i] = games.Outcome{Move: rollMove(i/faces+1, i%faces+1), Weight: 1}
	}
	return list
}()
