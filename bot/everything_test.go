package bot

import (
	"slices"
	"testing"

	"github.com/bwmarrin/discordgo"

	"marque/bot/show"
)

// Everything is what a bot registers and what its controls may do, for the tests that walk all of it.
func Everything(t *testing.T) ([]*discordgo.ApplicationCommand, []show.Action) {
	t.Helper()
	commands, registry := furnished(t)
	actions := registry.Actions()
	slices.Sort(actions)
	return commands, actions
}
