package games

import (
	"math/rand/v2"

	"marque/games/text"
)

// A game may implement these interfaces in addition to Game, State and Sim. Callers check for each interface with a
// type assertion, and have a default for games without it:
//
//	a State that is a | is used by           | default
//	------------------+----------------------+---------------------------------------------
//	Hider             | Mask, MaskMove,      | everybody knows everything
//	                  | Sample               |
//	Forcer            | Forced               | players make every move themselves
//	Withdrawer        | Match.Resign         | the match ends when a player resigns, and the
//	                  |                      | others share the win
//	Eliminator        | Match.In             | players are out only if they leave
//	Striker           | hints, lessons,      | hints mention no threats
//	                  | stalled games        |
//	EffectDescriber   | Menu.Effect          | choices do not mention their effects
//	Refuser           | Menu.Parse           | a refusal says what could be typed, not why
//	CombinedDescriber | Descriptions         | every play has its own sentence
//	Stopper           | Match.Scene          | the last picture is that of the last position
//
//	a Sim that is a   | is used by           | default
//	------------------+----------------------+---------------------------------------------
//	Tuner             | computer players     | they search with the default Tuning
//	Redealer          | computer players     | they assume that nothing is hidden
//	Adversary         | computer players     | they search by playouts
//	Urgency           | computer players     | Tuning.FirstTry must be 0
//	Folder            | computer players     | each outcome has a node in the search tree
//	Counter           | puzzles              | no solver proves its puzzles
//
//	a Game that is a  | is used by           | default
//	------------------+----------------------+---------------------------------------------
//	Teacher           | lessons              | the game has no lessons
//
// A game whose Traits say Hidden must be a Hider and have a Redealer; package gametest checks this.

// Hider is a State of a game in which some viewers do not know everything.
type Hider interface {
	// Mask returns the position as viewer, a seat or Spectator, may see it. Masking the result for the same viewer
	// changes nothing.
	Mask(viewer Seat) State
	// MaskMove returns m, played or drawn in this full state, as viewer may see it. For example, a card dealt to
	// another player becomes an unknown card.
	MaskMove(m Move, viewer Seat) Move
	// Sample returns a random full state whose mask for viewer is this masked state: s.Sample(v, rng).Mask(v) == s. The
	// distribution is uniform as far as the rules allow.
	Sample(viewer Seat, rng *rand.Rand) State
}

// Mask returns s as viewer may see it. It returns s itself if the game hides nothing.
func Mask(s State, viewer Seat) State {
	if h, ok := s.(Hider); ok {
		return h.Mask(viewer)
	}
	return s
}

// MaskMove returns m, played or drawn in the full state s, as viewer may see it. It returns m itself if the game hides
// nothing.
func MaskMove(s State, m Move, viewer Seat) Move {
	if h, ok := s.(Hider); ok {
		return h.MaskMove(m, viewer)
	}
	return m
}

// Sample returns a random full state whose mask for viewer is s. It returns s itself if the game hides nothing.
func Sample(s State, viewer Seat, rng *rand.Rand) State {
	if h, ok := s.(Hider); ok {
		return h.Sample(viewer, rng)
	}
	return s
}

// Stopper is a State whose picture changes when the match is ended other than by the rules.
type Stopper interface {
	// Stopped returns the position for the last picture, without details that matter only for later moves, such as
	// threats. The first message of that picture's alt text can be empty, because Match.Scene replaces it.
	Stopped() State
}

// Forcer is a State of a game in which the table plays some moves automatically (GE-1).
type Forcer interface {
	// Forced returns the forced move of this state, if there is one: a pass that is the only legal move, or a move that
	// public information makes inevitable.
	Forced() (Move, bool)
}

// Forced returns the move that the table plays automatically in s, if there is one.
func Forced(s State) (Move, bool) {
	if f, ok := s.(Forcer); ok {
		return f.Forced()
	}
	return 0, false
}

// Withdrawer is a State whose game continues for the remaining players when a player leaves it (GE-3), by the game's
// rules or by a rule of this program.
type Withdrawer interface {
	// Withdraw returns the position after seat, which has not left before, leaves the game for good. The game can be
	// over then. Withdraw must not be called while chance is due.
	Withdraw(seat Seat) State
}

// Eliminator is a State of a game that can put a player out before the end (MD-6, PP-11).
type Eliminator interface {
	// Out reports whether a seat is out by the rules, or because it has left. A seat that is out never moves again and
	// wins nothing.
	Out(seat Seat) bool
}

// Striker is a State of a game in which players can take something: capture pirates, board ships, seize treasure. Hints
// use it to mention threats.
type Striker interface {
	// Strike returns a sentence about the pieces that seat takes by the play m of this (masked) state, whichever seat
	// makes the play. The result is false if seat takes nothing. m is a legal move or an outcome, and a result of
	// MaskMove.
	Strike(m Move, seat Seat) (text.Message, bool)
}

// EffectDescriber is a State that describes the effects of choices.
type EffectDescriber interface {
	// DescribeEffect describes in a few words an effect of the legal move m that the move's words do not mention, such
	// as "captures 2". It returns the zero Message if no effect is worth mentioning.
	DescribeEffect(m Move) text.Message
}

// Refuser is a State that can explain why a move is impossible.
type Refuser interface {
	// Refuse returns the rule that forbids the typed move. The move is not legal in this state, which is masked for the
	// seat to move. typed is in lower case, without needless spaces. ok is false if typed is not a move of the game in
	// any position.
	Refuse(typed string) (why Reason, ok bool)
}

// Reason says why a move is impossible.
type Reason struct {
	Rule string       // the rule's id in docs/rules: "LC-2"
	Why  text.Message // a clause that follows "because"
}

// Because returns the Reason with this rule and the clause with this id. pairs are the arguments of text.M.
func Because(rule, id string, pairs ...any) Reason { return Reason{rule, text.M(id, pairs...)} }

// Tuner is a Sim that gives the search parameters of its game.
type Tuner interface{ Tuning() Tuning }

// Tuning holds the search parameters of a game.
type Tuning struct {
	// Playout is the number of random plies from a leaf of the tree before Evaluate estimates the position. With 0,
	// Evaluate estimates the position after the best move by its own estimates. That is better if Evaluate is more
	// accurate than random play.
	Playout int
	// Exploration controls how often the search tries moves with few tries: 0.2 relies on Evaluate, and 1 hardly uses
	// it.
	Exploration float64
	// PriorWeight is the weight of a move's evaluation, in playouts.
	PriorWeight float64
	// Expansion is the minimum number of visits to a leaf before the search lists and evaluates its moves. With 0 the
	// search lists them at the first visit while the tree has much room. The fuller the tree, the more visits it takes.
	Expansion int
	// FirstTry, if not 0, reduces the evaluations at the first visit to a leaf: only one move in FirstTry, and the
	// urgent moves, are evaluated, and the best of them is played. The second visit lists all moves. The Sim must
	// implement Urgency.
	FirstTry int
	// Relative is set if hands are hidden and the luck of the deal matters more than single moves. The value of a
	// playout is then the difference between its result and Evaluate's estimate for the sampled cards, and Exploration
	// is in standard deviations of that difference.
	Relative bool
	// AlphaBeta is set if alpha-beta finds better moves than playouts do. The Sim must be an Adversary.
	AlphaBeta bool
}

// Adversary is a Sim of a game without chance and hidden information. Alpha-beta can search it if the game has two
// seats.
type Adversary interface {
	// Hash identifies a position with 64 bits. Positions with the same moves and the same results have the same Hash.
	// The number of times that a position has occurred does not affect it.
	Hash() uint64
	Urgency
}

// Urgency is a Sim that reports which moves are urgent, such as captures. Alpha-beta searches these moves early and
// extends its search along them. See also Tuning.FirstTry.
type Urgency interface {
	// Urgency returns 0 for a legal move that is not urgent, and otherwise a greater number for a more urgent move,
	// such as the number of captured tokens.
	Urgency(m Move) int
}

// Redealer is a Sim of a game with hidden information.
type Redealer interface {
	// Redeal replaces everything that viewer does not know by a random draw, like Hider.Sample of the state masked
	// for viewer.
	Redeal(viewer Seat, r *Rand)
}

// Folder is a Sim of a game with outcomes that a search may treat alike.
type Folder interface {
	// Fold returns the same code for outcomes that a search may treat alike, such as two rolls with the same total, or
	// cards of kinds that are too many to search separately.
	Fold(outcome Move) Move
}

// Counter is a Sim of an Adversary's game in which captures can be counted.
type Counter interface {
	// Material returns seat's lead in captures: capturing a token adds one, losing one subtracts one. Only differences
	// are meaningful.
	Material(seat Seat) int
}
