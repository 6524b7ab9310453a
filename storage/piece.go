package storage

import (
	"context"
	"encoding/json"
)

// Piece is one thing of a store on its way to another one: what exactly one of its fields holds.
type Piece struct {
	Table    *TablePiece
	Result   *Result // with the ratings after it
	Line     *LinePiece
	League   *LeaguePiece
	Settings *SettingsPiece
	Note     *NotePiece
	Film     *Film
	Work     *WorkPiece
	Given    *GivenPiece
}

// TablePiece is a table with what was found in its game; a nil Review when nothing was looked for.
type TablePiece struct {
	Table
	Review *Review
}

// LinePiece is a line of a leaderboard.
type LinePiece struct {
	Board
	Standing
}

// LeaguePiece is what a server has set for its leaderboards.
type LeaguePiece struct {
	Guild string
	League
}

// SettingsPiece is what a server or a user has chosen.
type SettingsPiece struct {
	User  bool
	Of    string
	Value json.RawMessage
}

// NotePiece is what the bot notes about itself, under a name.
type NotePiece struct {
	Name  string
	Value json.RawMessage
}

// WorkPiece is work that was asked for and is not done. It begins anew where it arrives.
type WorkPiece struct {
	Work
	As   string // the other name of who is forgotten
	Upto ID     // the last table of a server that is deleted
}

// GivenPiece is which numbers were given.
type GivenPiece struct {
	Tables  ID
	Results uint64 // Result.Order
}

// Exporter is what gives all of a store away. The keys of commands stay: who could give one again asked a bot that runs.
type Exporter interface {
	// Export calls f with every piece of the store as it is at one moment, results by their Order, and ends with f's error. It
	// returns ErrDamaged for what cannot be read.
	Export(ctx context.Context, f func(Piece) error) error
}
