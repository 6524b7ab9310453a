package show

import (
	"marque/games/text"
)

// PlayerError is an error that a player caused (games.PlayerError). Its sentence explains the correct action.
type PlayerError struct{ message text.Message }

// Refuse returns an error with the sentence m for the player.
func Refuse(m text.Message) error { return &PlayerError{m} }

// Error returns the message's id, for logs and tests.
func (e *PlayerError) Error() string { return e.message.ID }

// Text returns the sentence for the player.
func (e *PlayerError) Text() text.Message { return e.message }
