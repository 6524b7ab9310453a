package bottest

import (
	"fmt"
	"strings"

	"marque/bot/localdiscord"
	"marque/storage"
)

// ForgeCommand sends a slash command with arbitrary options, even if it is not registered, and returns the bot's
// answer.
func (r *Rig) ForgeCommand(user, channel, name string, options ...map[string]any) *localdiscord.Message {
	r.T.Helper()
	words := strings.Fields(name)
	options = append([]map[string]any{}, options...)
	for i := len(words) - 1; i > 0; i-- { // type 1 is a subcommand, type 2 a group
		options = []map[string]any{{"name": words[i], "type": len(words) - i, "options": options}}
	}
	reply, err := r.Server.Forge(r.Ctx, user, channel, "", 2, map[string]any{"id": "1", "name": words[0], "type": 1,
		"options": options})
	return r.Answer(reply, err, "forged /"+name)
}

// ManagersAlone fails the test if a command is offered to user, who cannot manage the server, or if the bot does not
// refuse the command when user forges it.
func (r *Rig) ManagersAlone(user, channel, command string) {
	r.T.Helper()
	if _, err := r.Server.Command(r.Ctx, user, channel, command); err == nil {
		r.T.Errorf("/%s is offered to %s", command, user)
	}
	r.WantText(r.ForgeCommand(user, channel, command), "Only members with the “Manage Server” permission can do that.")
}

// Forge presses a button that the message does not have and returns the bot's answer. With values, it selects them in a
// menu that the message does not have.
func (r *Rig) Forge(user string, m *localdiscord.Message, customID string, values ...string) *localdiscord.Message {
	r.T.Helper()
	data := map[string]any{"custom_id": customID, "component_type": 2}
	if len(values) > 0 {
		data["component_type"], data["values"] = 3, values
	}
	reply, err := r.Server.Forge(r.Ctx, user, m.ChannelID, m.ID, 3, data)
	return r.Answer(reply, err, "forged "+customID)
}

// TextOption returns an option of a forged command with a text.
func TextOption(name, value string) map[string]any {
	return map[string]any{"name": name, "type": 3, "value": value}
}

// UserOption returns an option of a forged command with a user's id.
func UserOption(name, user string) map[string]any {
	return map[string]any{"name": name, "type": 6, "value": user}
}

// LostFile is an option with an attachment that Discord leaves out of the interaction.
var LostFile = map[string]any{"name": "file", "type": 11, "value": "1"}

// NumberOption returns an option of a forged command with a number.
func NumberOption(name string, value int) map[string]any {
	return map[string]any{"name": name, "type": 4, "value": value}
}

// StateOf returns, as text, the state that a refused command must not change: the tables with their versions, statuses
// and seats, and the beginnings of the public messages of the channels.
func (r *Rig) StateOf(channels ...string) string {
	r.T.Helper()
	var b strings.Builder
	for id := storage.ID(1); ; id++ {
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, id)
		if err != nil {
			break
		}
		fmt.Fprintf(&b, "#%d version %d status %v seats %v\n", id, snap.Version, snap.Status, snap.Seats)
	}
	for _, c := range channels {
		fmt.Fprintf(&b, "channel %s has the messages\n", c)
		for _, m := range r.Server.Messages(c, localdiscord.Mary) {
			if m.EphemeralTo == "" {
				begins, _, _ := strings.Cut(m.Text(), "\n")
				fmt.Fprintf(&b, "  %s %.60s\n", m.ID, begins)
			}
		}
	}
	return b.String()
}

// Lobby opens a table with /play and returns its lobby message.
func (r *Rig) Lobby(user, channel string, options ...localdiscord.Option) *localdiscord.Message {
	r.T.Helper()
	before := r.Latest(channel)
	r.Command(user, channel, "play", options...)
	return r.Next(channel, before, IsLobby)
}

// FirstMove returns the first move that /move offers a user in a channel.
func (r *Rig) FirstMove(user, channel string) string {
	r.T.Helper()
	choices, err := r.Server.Autocomplete(r.Ctx, user, channel, "move", "move", localdiscord.Opt("move", ""))
	if err != nil || len(choices) == 0 {
		r.T.Fatalf("autocomplete of /move offers %v, %v", choices, err)
	}
	return choices[0].Value.(string)
}
