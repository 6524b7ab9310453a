// Package games defines the interfaces between the games and the packages that use them: tables, presenters, computer
// players and the engine protocol.
//
// A Game makes States. A State is an immutable position that lists its legal moves; a move is legal if it is in that
// list. Chance (dice, cards) is a player whose draws are moves in the log, so a log can be replayed without a random
// generator. A View is a position as one viewer may see it. Presenters and computer players only get Views.
package games

import (
	"encoding/json"
	"slices"

	"marque/games/scene"
	"marque/games/text"
)

// Seat is a player's position in the turn order, from 0, or one of the negative values below.
type Seat int8

// Values of Seat that are not players.
const (
	Chance    Seat = -1 // dice and cards
	Nobody    Seat = -2 // the seat to move when the game is over
	Spectator Seat = -3 // a viewer who knows only what is public
)

// Move is a player's decision or an outcome of chance, as a code that its game chooses. A code has the same meaning in
// all positions of a game. Apply needs only the code and the position. Spell turns a code into words.
type Move uint64

// Outcome is one possible result of chance.
type Outcome struct {
	Move   Move
	Weight int // at least 1; the probability is Weight divided by the sum of all weights
}

// Word is one step of a move's notation. The notation is the Sep and Key of each word in order, so "1-9<7" has the
// words "1", "-9" and "<7". Two legal moves never have the same notation.
type Word struct {
	Sep string // the separator before the key, such as " ", "-" or "/"; "" for none
	Key string // what the player decides here: "9", "C4", "sail"
	// Label describes the choice in words ("to space 9").
	Label text.Message
	// Ask is the question that this word answers ("Where to?").
	Ask text.Message
	// Else describes the choice to stop before this word, if the words before it are a whole move. If it is zero, that
	// choice shows the move's notation.
	Else text.Message
	// Spot is the place in the picture that the word refers to (scene.Spot), or "" if there is none.
	Spot string
	// Sign is the text that the picture shows at Spot to offer this word, if it differs from Key. Label contains the
	// sign, too. With Unsigned the picture shows no text.
	Sign string
}

// Unsigned is the Sign of words whose place in the picture needs no text.
const Unsigned = "-"

// Written returns the text that the picture shows at Spot to offer a word, or "" for none.
func (w Word) Written() string {
	switch {
	case w.Spot == "" || w.Sign == Unsigned:
		return ""
	case w.Sign != "":
		return w.Sign
	}
	return w.Key
}

// Name returns the word's label, or its key if it has none.
func (w Word) Name() text.Message {
	if w.Label.IsZero() {
		return text.Raw(w.Key)
	}
	return w.Label
}

// State is an immutable position. Its methods leave it unchanged. The caller may keep the values that they return, but
// must not change them.
//
// MarshalJSON writes the position as one JSON object, complete and canonical: two states are the same position if and
// only if their JSON is equal. The JSON of a masked state reveals nothing that its viewer may not know. A State uses
// slices and structs, but no maps, because maps have no order.
type State interface {
	json.Marshaler

	// ToMove returns the seat that must decide now: Chance if dice or cards are due, Nobody if the game is over.
	ToMove() Seat
	// Moves lists the legal moves of the seat to move in the game's fixed order. The list is never empty while a seat
	// is to move, and nil otherwise. In a game with hidden information, call Moves on a masked state only if the viewer
	// is to move. It then lists the same moves as the full state.
	Moves() []Move
	// Outcomes lists the possible results of chance, in a fixed order, if ToMove is Chance, and nil otherwise. Call it
	// on full and sampled states only.
	Outcomes() []Outcome
	// Apply returns the position after a listed move or outcome. It may panic for any other move.
	Apply(Move) State
	// Result returns how the game ended, or the zero Result before the end.
	Result() Result
	// Spell returns the words of a legal (or masked) move or outcome of this position.
	Spell(Move) []Word
	// Describe returns a sentence that describes a move or outcome of this (masked) state, as its viewer may see it. m
	// is a result of MaskMove (see Hider).
	Describe(m Move) text.Message
	// Scene returns the picture of this (masked) position for viewer. trail holds the latest plays before this
	// position, oldest first, as viewer may see them. The picture marks them as the last move.
	Scene(viewer Seat, trail []Step) scene.Scene
	// Sim returns the position in the mutable form for computer players. Call it on full and sampled states only.
	Sim() Sim
}

// Step is one play of a trail: the (masked) position before the play, the seat that played (or Chance), and the
// (masked) move.
type Step struct {
	Before State
	Seat   Seat
	Move   Move
}

// CombinedDescriber is a State of a game in which one action takes two plays, such as choosing a stack and getting its
// card.
type CombinedDescriber interface {
	// DescribedByNext reports whether the sentence of the play directly after m also describes m. A text about both
	// plays then contains only the later sentence.
	DescribedByNext(m Move) bool
}

// Descriptions returns sentences that describe a trail's plays, newest first. It leaves out a play that the next play's
// sentence also describes.
func Descriptions(trail []Step) []text.Message {
	var list []text.Message
	for i, step := range slices.Backward(trail) {
		if b, ok := step.Before.(CombinedDescriber); ok && i+1 < len(trail) && b.DescribedByNext(step.Move) {
			continue
		}
		list = append(list, step.Before.Describe(step.Move))
	}
	return list
}

// Game describes one game and creates its positions.
type Game interface {
	// Key is the game's name in the engine protocol and in stored data, such as "loyal-captain".
	Key() string
	// Info returns the game's description.
	Info() Info
	// Seats returns the minimum and the maximum number of players.
	Seats() (least, most int)
	// Options lists the table options in a fixed order.
	Options() []Option
	// Traits returns properties that every match of the game has, whatever its setup.
	Traits() Traits
	// Version is the version of the implemented rules. It increases whenever a log would lead to another position than
	// before. A new option does not increase it, because the option's first value leaves older logs unchanged. A table
	// or record with another version can neither be continued nor replayed.
	Version() int
	// New returns the position before the first move, for a setup made by NewSetup.
	New(Setup) State
}

// Traits are properties of a game that cannot be read from its positions. Package gametest checks all but Usual in
// random games; a test of package lab checks Usual.
type Traits struct {
	// Chance is set if the game has dice or cards, so that ToMove may be Chance.
	Chance bool
	// Hidden is set if players know things that other viewers do not, so that Mask can leave something out. The game's
	// States are then Hiders, and its Sims are Redealers.
	Hidden bool
	// Longest is the maximum number of plays in a game, including dice and cards, if the rules limit that number.
	// Otherwise at most about one random game in a thousand is longer.
	Longest int
	// Usual is the mean number of plays in a game between two casual computer players, including dice and cards.
	Usual int
}

// Option is a rule variant that the host chooses before the game starts.
type Option struct {
	Key    string   // "opening"
	Values []string // "standard", "offered"; the first is the default
}

// Setup is a number of seats and a value for each of the game's options, in the order of Game.Options.
type Setup struct {
	Seats   int
	Options []Setting
}

// Setting is the value chosen for an option.
type Setting struct{ Key, Value string }

// Option returns the value chosen for key, or "" for a key that is not set.
func (s Setup) Option(key string) string {
	for _, o := range s.Options {
		if o.Key == key {
			return o.Value
		}
	}
	return ""
}

// Sim is a mutable position that computer players use to simulate thousands of games. It behaves like State move by
// move (package gametest checks this) and allocates nothing once its buffers have grown.
type Sim interface {
	// CopyFrom copies the position of other, which is a Sim of the same game.
	CopyFrom(other Sim)
	// ToMove returns the same seat as State.ToMove.
	ToMove() Seat
	// AppendMoves appends the legal moves to buf in State's order.
	AppendMoves(buf []Move) []Move
	// AppendOutcomes appends the possible outcomes of chance to buf in State's order.
	AppendOutcomes(buf []Outcome) []Outcome
	// Play plays a legal move, or an outcome while chance is due.
	Play(Move)
	// PlayRandom plays a random move and returns it. Legal moves are equally likely, and outcomes have probabilities in
	// proportion to their weights. The game must not be over.
	PlayRandom(*Rand) Move
	// Payoff returns the value of a finished game for seat: 1 for a win, 0 for a loss, and an equal part of 1 for each
	// seat that shares a win or a draw.
	Payoff(Seat) float64
	// Evaluate quickly estimates the value of an unfinished game for seat, from 0 (lost) to 1 (won). The estimates of
	// all seats add up to 1. The estimate is 0 for a seat that is out.
	Evaluate(Seat) float64
}
