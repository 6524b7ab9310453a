// Package games is the contract between the games and everything that plays
// them: the table, the presenters, the computer players, the engine protocol.
//
// A game is a Game that makes States. A State is an immutable position that
// lists its legal moves; legality is membership in that list. Chance (dice,
// cards) is a player whose draws are moves of the log, so a log replays without
// any generator. What a viewer may know is a View; presenters and computer
// players never get more.
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

// Values of Seat that stand for no player.
const (
	Chance    Seat = -1 // dice and cards
	Nobody    Seat = -2 // to move when the game is over
	Spectator Seat = -3 // somebody who watches and knows what is public
)

// Move is one decision of a seat, or one outcome of chance, as a code that its game chooses. Within a game the same
// code always means the same move, and the code holds all that Apply needs besides the position. Spell makes words of
// it.
type Move uint64

// Outcome is one thing that chance may do.
type Outcome struct {
	Move   Move
	Weight int // at least 1; the probability is Weight over the sum of all
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
	// Spot names the place in the picture that the word speaks of (scene.Spot); "" when there is
	// none.
	Spot string
	// Sign is what the picture writes at Spot to offer this word, if that is not Key. Label has the sign, too. Unsigned
	// writes nothing.
	Sign string
}

// Unsigned is the Sign of words whose place in the picture says by itself what they are.
const Unsigned = "-"

// Written is what the picture writes at Spot to offer a word; "" for nothing.
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
// only if their JSON is equal. A masked state's JSON holds nothing that its viewer may not know. Slices and structs
// only: no maps, which have no order.
type State interface {
	json.Marshaler

	// ToMove is the seat whose decision is due; Chance while dice or cards are
	// due; Nobody when the game is over.
	ToMove() Seat
	// Moves lists the legal moves of the seat to move in the game's fixed order: never empty while a seat is to move,
	// nil otherwise. A masked state may be asked only when the viewer is to move (or the game hides nothing); then it
	// lists the same moves as the full state.
	Moves() []Move
	// Outcomes lists what chance may do, in a fixed order, when ToMove is Chance; nil otherwise. Only full and sampled
	// states may be asked.
	Outcomes() []Outcome
	// Apply returns the position after a listed move or outcome. A move that is
	// not listed has no meaning here; Apply may panic.
	Apply(Move) State
	// Result says how the game ended. It is the zero Result until ToMove is Nobody.
	Result() Result
	// Spell gives the words of a legal (or masked) move or outcome of this position.
	Spell(Move) []Word
	// Tell returns the sentence about a move or outcome of this state, as the viewer of this (masked) state may know
	// it; m has been through MaskMove (Hider).
	Tell(m Move) text.Message
	// Scene is the picture of this (masked) position for viewer. trail are the latest plays that
	// led here, oldest first, as that viewer may know them; the picture shows them as the last
	// move.
	Scene(viewer Seat, trail []Step) scene.Scene
	// Sim returns the position in the mutable form for computer players. Only full and sampled states may be asked.
	Sim() Sim
}

// Step is one play of a trail: the (masked) position before it, who played (or
// Chance), and the (masked) move.
type Step struct {
	Before State
	Seat   Seat
	Move   Move
}

// LaterTeller is a State of a game in which one act takes two plays, such as choosing a stack and getting its card.
type LaterTeller interface {
	// TellsLater reports whether the sentence of the play that directly follows m includes m's: a text about both
	// needs only that sentence.
	TellsLater(m Move) bool
}

// Tellings are the sentences of a trail's plays, the newest first, without those that the next play's sentence
// includes.
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

// Game makes positions of one game.
type Game interface {
	// Key is the game's name in the engine protocol and the store: "loyal-captain".
	Key() string
	// Info returns the game's description.
	Info() Info
	// Seats is the least and the greatest number of players.
	Seats() (least, most int)
	// Options lists the table options in a fixed order.
	Options() []Option
	// Traits hold for every match of the game, whatever its setup.
	Traits() Traits
	// Version numbers the rules as played here. It rises whenever an older log would replay to another position. A new
	// option does not raise it, because its first value leaves older logs unchanged. A table or record of another
	// version is neither played on nor replayed.
	Version() int
	// New is the position before the first move of a game set up as NewSetup made it.
	New(Setup) State
}

// Traits are facts about a game that would otherwise have to be found out by playing it. Package gametest compares them
// with play.
type Traits struct {
	// Chance is set when there are dice or cards: when ToMove may be Chance.
	Chance bool
	// Hidden is set when players know what others, or a Spectator, do not: when Mask may leave
	// something out. The game's States are Hiders then, and its Sim is a Redealer.
	Hidden bool
	// Longest bounds how many plays a game takes, dice and cards counted. If the rules bound it, no game is longer.
	// Otherwise hardly one random game in a thousand is longer.
	Longest int
	// Usual is the mean number of plays of a game between two casual computer players, counted likewise.
	Usual int
}

// Option is a choice that a table makes before the game starts.
type Option struct {
	Key    string   // "opening"
	Values []string // "standard", "offered"; the first is the default
}

// Setup is a table's choices: the number of seats, and a value for each of the game's options, in
// their order.
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

// Sim is a position in a mutable form, for the many thousand games that a
// computer player plays in its head. It agrees with State move by move (package
// gametest proves it) and allocates nothing once its buffers have grown.
type Sim interface {
	// CopyFrom makes the receiver the same position as other, which is a Sim of the same game.
	CopyFrom(other Sim)
	// ToMove returns the same seat as State.ToMove.
	ToMove() Seat
	// AppendMoves appends the legal moves to buf in State's order.
	AppendMoves(buf []Move) []Move
	// AppendOutcomes appends the possible outcomes of chance to buf in State's order.
	AppendOutcomes(buf []Outcome) []Outcome
	// Play plays a legal move, or an outcome while chance is due.
	Play(Move)
	// PlayRandom plays one of the legal moves, each as likely as the other, or an
	// outcome by its weight, and returns it. The game must not be over.
	PlayRandom(*Rand) Move
	// Payoff is the value of the ended game for seat: 1 for a win, 0 for a loss; a shared win or a draw is divided by
	// the number of winners.
	Payoff(Seat) float64
	// Evaluate estimates cheaply, between 0 (lost) and 1 (won), the chance of seat in a game that is
	// not over. The chances of all seats add up to 1, as the payoffs do; a seat that is out has 0.
	Evaluate(Seat) float64
}
