package publish_test

import (
	"testing"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
)

// On a server that keeps boards, the message after a pause says that it is an empty seat's turn.
func TestAnEmptySeatIsNotAskedToMove(t *testing.T) {
	t.Parallel()
	const mary = localdiscord.Mary
	r := bottest.New(t)
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Boards = choices.BoardsKeep })
	turn := r.OpenLoyal(bottest.Two)
	mover := r.Mover(turn)
	r.Command(mary, bottest.TablesChannel, "moderate remove", localdiscord.Opt("who", mover))
	r.Command(mary, bottest.TablesChannel, "moderate pause")
	r.Command(mary, bottest.TablesChannel, "moderate resume")
	resumed := r.NextSaying(bottest.TablesChannel, turn.ID, "The game continues")
	bottest.Contains(t, "the end of the pause", resumed.Text(), "It's an empty seat's turn.")
	bottest.Lacks(t, "the end of the pause", resumed.Text(), "it's your turn")
}
