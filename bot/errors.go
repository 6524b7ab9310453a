package bot

import "marque/games/text"

// playerError is an error that a player caused; its text says what would be right.
type playerError struct{ message text.Message }

// Error is the message's id, for logs and tests.
func (e playerError) Error() string { return e.message.ID }

// Text is the sentence for the player.
func (e playerError) Text() text.Message { return e.message }
