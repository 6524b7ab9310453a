package bot

import (
	"slices"
	"testing"

	"github.com/bwmarrin/discordgo"

	"marque/bot/show"
)

// Everything returns the commands that a bot registers and the actions of its controls, for tests that use all of them.
func Everything(t *testing.T) ([]*discordgo.ApplicationCommand, []show.Action) {
	t.Helper()
	commands, registry := furnished(t)
	actions := registry.Actions()
	slices.Sort(actions)
	return commands, actions
}
