package games

// What follows is optional: a Sim may say more about its game to the computer players that search it.

// Tuning says how a game is best searched.
type Tuning struct {
	// Playout is the number of plies that are played at random from a leaf of the tree before Lead is asked
	// how the game stands. 0 asks after the move that Lead likes best, which pays where Lead knows more than random play does.
	Playout int
	// Explore is how much the search tries what it knows little of: 0.2 trusts Lead, 1 hardly looks at it.
	Explore float64
	// Trust is the number of playouts that Lead's opinion of a move weighs as much as.
	Trust float64
}

// Tuner is a Sim that knows how it is best searched.
type Tuner interface{ Tuning() Tuning }

// Redealer is a Sim of a game that hides something.
type Redealer interface {
	// Redeal draws everything anew that viewer does not know, like State.Sample of the mask for viewer.
	Redeal(viewer Seat, r *Rand)
}

// Folder is a Sim of a game with outcomes that are better not told apart by a search.
type Folder interface {
	// Fold returns the same code for outcomes that a search may treat alike: two rolls with one total,
	// or cards of which there are too many kinds to look at each.
	Fold(outcome Move) Move
}
