package storage

import "marque/games"

// Review is what a computer player found in a game that is over.
type Review struct {
	Looked int            `json:"n"`           // how many plays have been looked at, from the first on
	Points []TurningPoint `json:"p,omitempty"` // at most MaxPoints, in the order of the game
}

// MaxPoints bounds the turning points of a review.
const MaxPoints = 5

// TurningPoint is a decision that cost its player a good part of the chance of winning.
type TurningPoint struct {
	Play   int        `json:"i"` // number of the play, from 0
	Seat   games.Seat `json:"s"`
	Played string     `json:"m"` // in the notation of the rules
	Better string     `json:"b"` // what a computer player would have played
	Had    float64    `json:"h"` // the chance of winning with Better
	Left   float64    `json:"l"` // the chance of winning with Played
}

// Lost is how much of the chance of winning the decision gave away.
func (p TurningPoint) Lost() float64 { return p.Had - p.Left }
