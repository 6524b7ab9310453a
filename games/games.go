// Package games is the contract between the games and everything that plays them: the table, the presenters, the
// computer players, the engine protocol.
//
// A Game makes States. A State is an immutable position that lists its legal moves; a move is legal if it is in that
// list. Chance (dice, cards) is a player whose draws are moves in the log, so a log can be replayed without a random
// generator. A View is a position as one viewer may know it; presenters and computer players get nothing else.
package games

import (
	"encoding/json"
	"slices"

	"marque/games/scene"
	"marque/games/text"
)

// Seat is a place at the table: 0..n-1 for players, in turn order, or one of the
// negative values.
type Seat int8

// Values of Seat that are not players.
const (
	Chance    Seat = -1 // dice and cards
	Nobody    Seat = -2 // the seat to move when the game is over
	Spectator Seat = -3 // a viewer who knows only what is public
)

// Move is one decision of a seat, or one outcome of chance, as a code that its game chooses. Within a game the same
// code always means the same move. The code and the position are all that Apply needs. Spell turns a code into words.
type Move uint64

// Outcome is one possible result of chance.
type Outcome struct {
	Move   Move
	Weight int // at least 1; the probability is Weight divided by the sum of all weights
}

// Word is one step of a move's notation. The notation is the words' Sep and Key
// one after the other, so "1-9<7" is "1", "-9", "<7". Two legal moves never
// have the same notation.
type Word struct {
	Sep string // what stands before the key: "", " ", "-", "x", "<", "="; "" for the first word
	Key string // what the player decides here: "9", "C4", "sail"
	// Label names the choice in words ("to space 9").
	Label text.Message
	// Ask is the question that this word answers ("Where to?").
	Ask text.Message
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
	// Result says how the game ended. It is the zero Result before the end.
	Result() Result
	// Spell returns the words of a legal (or masked) move or outcome of this position.
	Spell(Move) []Word
	// Tell returns the sentence about a move or outcome of this (masked) state, as its viewer may know it. m has been
	// through MaskMove (Hider).
	Tell(m Move) text.Message
	// Scene returns the picture of this (masked) position for viewer. trail holds the latest plays that led here,
	// oldest first, as that viewer may know them; the picture shows them as the last move.
	Scene(viewer Seat, trail []Step) scene.Scene
	// Sim returns the position in the mutable form for computer players. Call it on full and sampled states only.
	Sim() Sim
}

// Step is one play of a trail: the (masked) position before it, who played (or
// Chance), and the (masked) move.
type Step struct {
	Before State
	Seat   Seat
	Move   Move
}

// LaterTeller is a State of a game in which one action takes two plays, such as choosing a stack and getting its card.
type LaterTeller interface {
	// TellsLater reports whether the sentence of the play that directly follows m also describes m. A text about both
	// plays then needs only that sentence.
	TellsLater(m Move) bool
}

// Tellings returns the sentences about a trail's plays, newest first. It leaves out a play that the next play's
// sentence also describes.
func Tellings(trail []Step) []text.Message {
	var list []text.Message
	for i, step := range slices.Backward(trail) {
		if b, ok := step.Before.(LaterTeller); ok && i+1 < len(trail) && b.TellsLater(step.Move) {
			continue
		}
		list = append(list, step.Before.Tell(step.Move))
	}
	return list
}

// Game describes one game and creates its positions.
type Game interface {
	// Key is the game's name in the engine protocol and the store: "loyal-captain".
	Key() string
	// Info returns the game's description.
	Info() Info
	// Seats returns the least and the greatest number of players.
	Seats() (least, most int)
	// Options lists the table options in a fixed order.
	Options() []Option
	// Traits returns facts that hold for every match of the game, whatever its setup.
	Traits() Traits
	// Version numbers the implemented rules. It rises whenever an older log would lead to another position. A new
	// option does not raise it, because its first value leaves older logs unchanged. A table or record of another
	// version can neither be continued nor replayed.
	Version() int
	// New returns the position before the first move, for a setup made by NewSetup.
	New(Setup) State
}

// Traits are facts about a game that callers could otherwise learn only by playing it. Package gametest checks them
// against random games.
type Traits struct {
	// Chance is set if the game has dice or cards, so that ToMove may be Chance.
	Chance bool
	// Hidden is set if players know things that others, or a Spectator, do not, so that Mask may leave something out.
	// The game's States are then Hiders, and its Sim is a Redealer.
	Hidden bool
	// Longest is the maximum number of plays in a game, including dice and cards, if the rules limit it. Otherwise
	// about one random game in a thousand is longer.
	Longest int
	// Usual is the mean number of plays in a game between two casual computer players, including dice and cards.
	Usual int
}

// Option is a choice that a table makes before the game starts.
type Option struct {
	Key    string   // "opening"
	Values []string // "standard", "offered"; the first is the default
}

// Setup is the number of seats and a value for each of the game's options, in the game's order of options.
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

// Sim is a position in a mutable form. A computer player simulates many thousand games with it. It agrees with State
// move by move (package gametest checks this) and allocates nothing once its buffers have grown.
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
	// PlayRandom plays a random move and returns it. Legal moves are equally likely; outcomes have the probabilities of
	// their weights. The game must not be over.
	PlayRandom(*Rand) Move
	// Payoff returns the value of a finished game for seat: 1 for a win, 0 for a loss. A shared win or a draw is
	// divided by the number of winners.
	Payoff(Seat) float64
	// Evaluate quickly estimates the value of an unfinished game for seat, from 0 (lost) to 1 (won). The estimates of
	// all seats add up to 1, as the payoffs do; a seat that is out has 0.
	Evaluate(Seat) float64
}
