package madagascar

// stack is the list of a tower's tokens. From the lowest bit, it has two bits for the seat of each token, bottom first.
// The number of tokens begins at bit heightShift. There is room for all eighteen tokens of a game of three.
type stack uint64

const heightShift = 40

func single(seat uint8) stack { return 1<<heightShift | stack(seat) }

func (s stack) height() int { return int(s >> heightShift) }

// layer returns the seat of the i-th token from the bottom, counted from 0.
func (s stack) layer(i int) uint8 { return uint8(s >> (2 * i) & 3) }

// top returns the seat of the token on top, which owns the tower (MD-2).
func (s stack) top() uint8 { return s.layer(s.height() - 1) }

// on returns the stack with s on top of under (MD-4).
func (s stack) on(under stack) stack {
	const layers = 1<<heightShift - 1
	return s&^layers + under&^layers | under&layers | s&layers<<(2*under.height())
}
