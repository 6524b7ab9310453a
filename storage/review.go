package storage

import "marque/games/review"

// Review is what a computer player found in a game that is over.
type Review struct {
	Looked int                   `json:"n"`           // how many plays have been looked at, from the first on
	Points []review.TurningPoint `json:"p,omitempty"` // at most review.MaxPoints, in the order of the game
}
