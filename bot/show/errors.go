package show

import (
	"marque/games/text"
)

// PlayerError is an error that a player caused (games.PlayerError). Its sentence tells the player what went wrong.
type PlayerError struct{ message text.Message }

// Refuse returns a PlayerError with the sentence m.
func Refuse(m text.Message) error { return &PlayerError{m} }

// Error returns the message's id, for logs and tests.
func (e *PlayerError) Error() string { return e.message.ID }

// Text returns the sentence for the player.
func (e *PlayerError) Text() text.Message { return e.message }
