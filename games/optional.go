package games

import (
	"math/rand/v2"

	"marque/games/text"
)

// A game may implement these interfaces besides State and Sim. Their callers look for each interface by a type
// assertion, and do without it if a game lacks it:
//
//	a State that is a | is asked by          | without it
//	------------------+----------------------+---------------------------------------------
//	Hider             | Mask, MaskMove,      | everybody knows everything
//	                  | Sample               |
//	Forcer            | Forced               | every move is asked for
//	Withdrawer        | Match.Resign         | the match ends when a player resigns, and all
//	                  |                      | who are left share the win
//	Striker           | hints, stalled games | hints name no threat but that of winning
//	Foreteller        | Menu.Effect          | choices do not say what they bring about
//	Refuser           | Menu.Parse           | a refusal says what could be typed, not why
//	LaterTeller       | Tellings             | each play is told by a sentence of its own
//
//	a Sim that is a   | is asked by          | without it
//	------------------+----------------------+---------------------------------------------
//	Tuner             | computer players     | they search with the usual Tuning
//	Redealer          | computer players     | they take it that nothing is hidden
//	Adversary         | computer players     | they search by playouts
//	Urgency           | computer players     | Tuning.FirstTry must be 0
//	Folder            | computer players     | every outcome is searched by itself
//	Counter           | puzzles              | its puzzles are not proved by a solver
//
//	a Game that is a  | is asked by          | without it
//	------------------+----------------------+---------------------------------------------
//	Teacher           | lessons              | it is not taught
//
// A game whose Traits say Hidden must be a Hider and have a Redealer; package gametest checks it.

// Hider is a State of a game in which players know what others, or a Spectator, do not.
type Hider interface {
	// Mask is the position as viewer, a seat or Spectator, may know it. Masking twice for the same viewer changes
	// nothing.
	Mask(viewer Seat) State
	// MaskMove is m, played or drawn in this full state, as viewer may know it: a card that was dealt to somebody
	// else becomes an unknown card.
	MaskMove(m Move, viewer Seat) Move
	// Sample draws a full state uniformly, as far as the rules allow, from those whose mask for viewer is this masked
	// state: s.Sample(v, rng).Mask(v) == s.
	Sample(viewer Seat, rng *rand.Rand) State
}

// Mask is s as viewer may know it: s itself where nothing is hidden.
func Mask(s State, viewer Seat) State {
	if h, ok := s.(Hider); ok {
		return h.Mask(viewer)
	}
	return s
}

// MaskMove is m, played or drawn in the full state s, as viewer may know it: m itself where nothing is hidden.
func MaskMove(s State, m Move, viewer Seat) Move {
	if h, ok := s.(Hider); ok {
		return h.MaskMove(m, viewer)
	}
	return m
}

// Sample is a full state that looks like s, which is masked for viewer: s itself where nothing is hidden.
func Sample(s State, viewer Seat, rng *rand.Rand) State {
	if h, ok := s.(Hider); ok {
		return h.Sample(viewer, rng)
	}
	return s
}

// Forcer is a State of a game in which the table plays some moves without asking (GE-1).
type Forcer interface {
	// Forced returns such a move of this state, if there is one: a pass that is the only legal move, or a move for
	// which the public facts leave no choice.
	Forced() (Move, bool)
}

// Forced is the move that the table plays in s without asking, if there is one.
func Forced(s State) (Move, bool) {
	if f, ok := s.(Forcer); ok {
		return f.Forced()
	}
	return 0, false
}

// Withdrawer is a State whose game continues for the others when a player is out (MD-6, PP-11), by its own rules or by
// ours.
type Withdrawer interface {
	// Withdraw is the position after seat, which is still in, left the game for good. It may end
	// the game. It is not asked while chance is due.
	Withdraw(seat Seat) State
}

// Striker is a State of a game in which something can be taken: pirates captured, ships boarded,
// treasure seized. Advice names what a move threatens by it.
type Striker interface {
	// Strike says in sentences what seat takes by the play m of this (masked) state, whoever plays
	// it; false when seat takes nothing. m has been through MaskMove, and is legal or an outcome.
	Strike(m Move, seat Seat) (text.Message, bool)
}

// Foreteller is a State whose choices say what they bring about.
type Foreteller interface {
	// Foretell says in a few words a consequence of the legal move m that the move's own words leave out: "captures 2".
	// It is zero for nothing of note.
	Foretell(m Move) text.Message
}

// Refuser is a State that knows why a move cannot be made.
type Refuser interface {
	// Refuse says which rule forbids the typed move. The move is not legal in this state, which is masked for the seat
	// to move. typed is in small letters and without needless blanks. ok is false if typed cannot be read as a move of
	// the game in any position.
	Refuse(typed string) (why Reason, ok bool)
}

// Reason is why a move cannot be made.
type Reason struct {
	Rule string       // the rule's id in docs/rules: "LC-2"
	Why  text.Message // a clause that follows "because"
}

// Because returns a reason: a rule, and the sentence of an id. pairs are the arguments of text.M.
func Because(rule, id string, pairs ...any) Reason { return Reason{rule, text.M(id, pairs...)} }

// Tuner is a Sim that knows how it is best searched.
type Tuner interface{ Tuning() Tuning }

// Tuning says how a game is best searched.
type Tuning struct {
	// Playout is the number of plies that are played at random from a leaf of the tree before
	// Evaluate is asked how the game stands. 0 asks after the move that Evaluate likes best, which
	// pays where Evaluate knows more than random play does.
	Playout int
	// Exploration is how much the search tries moves that it knows little about: 0.2 trusts Evaluate, 1 hardly looks at
	// it.
	Exploration float64
	// PriorWeight is the weight of a move's evaluation, in playouts.
	PriorWeight float64
	// Expansion is how often a leaf must have been tried before its moves are listed and evaluated. 0
	// lists them at once.
	Expansion int
	// FirstTry, if not 0, says how few moves of a leaf are evaluated at its first try: one in FirstTry, and the urgent
	// ones. The best of them is played; the second try lists all. The Sim has Urgency.
	FirstTry int
	// Relative is set if hands are hidden and their luck matters more than single moves. A playout then counts by the
	// difference between its result and Evaluate's estimate for the cards dealt for it, and Exploration is in standard
	// deviations of that difference.
	Relative bool
	// AlphaBeta is set when alpha-beta finds better moves than playouts. The Sim is an Adversary.
	AlphaBeta bool
}

// Adversary is a Sim of two seats that decide everything: without chance, and with nothing hidden. It
// can be searched by alpha-beta.
type Adversary interface {
	// Hash tells positions apart by 64 bits. Positions with the same moves and the same results have the same Hash. How
	// often a position has occurred does not count.
	Hash() uint64
	Urgency
}

// Urgency is a Sim that knows which moves to search first. Alpha-beta follows these moves to their end.
type Urgency interface {
	// Urgency says how much a legal move takes at once, 0 for nothing.
	Urgency(m Move) int
}

// Redealer is a Sim of a game that hides something.
type Redealer interface {
	// Redeal draws everything again that viewer does not know, like State.Sample of the mask for
	// viewer.
	Redeal(viewer Seat, r *Rand)
}

// Folder is a Sim of a game with outcomes that a search should not tell apart.
type Folder interface {
	// Fold returns the same code for outcomes that a search may treat alike: two rolls with one total, or cards with
	// too many kinds to look at each.
	Fold(outcome Move) Move
}

// Counter is a Sim of an Adversary's game in which captures can be counted.
type Counter interface {
	// Material says how far seat is ahead by captures: capturing a token makes it one more, losing
	// one makes it one less. Only differences mean something.
	Material(seat Seat) int
}
