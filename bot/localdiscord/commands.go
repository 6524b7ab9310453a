package localdiscord

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// commandAPI handles requests about commands.
type commandAPI struct{ hub *hub }

// scope checks the ids in the path, and returns the id of the server; "" for global commands.
func (api *commandAPI) scope(c *call) (string, error) {
	if c.vars("application_id") != Application {
		return "", errUnknownApplication
	}
	guildID := c.vars("guild_id")
	if strings.Contains(c.route, "{guild_id}") {
		if g := api.hub.state.guilds[guildID]; g == nil || g.member(Application) == nil {
			return "", errMissingAccess
		}
	}
	return guildID, nil
}

// list lists the commands. Like Discord, it includes translations only if they are requested.
func (api *commandAPI) list(c *call) (int, any, error) {
	scope, err := api.scope(c)
	if err != nil {
		return 0, nil, err
	}
	commands := orEmpty(api.hub.state.commands[scope])
	if c.r.URL.Query().Get("with_localizations") == "true" {
		return http.StatusOK, commands, nil
	}
	var bare any
	if err := json.Unmarshal(mustJSON(commands), &bare); err != nil {
		return 0, nil, err
	}
	dropTranslations(bare)
	return http.StatusOK, bare, nil
}

// dropTranslations removes the translations from decoded commands.
func dropTranslations(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			dropTranslations(e)
		}
	case map[string]any:
		delete(v, "name_localizations")
		delete(v, "description_localizations")
		for _, e := range v {
			dropTranslations(e)
		}
	}
}

// overwrite replaces all commands of a scope. A command with the same type and name keeps its id, and also its version
// if nothing has changed.
func (api *commandAPI) overwrite(c *call) (int, any, error) {
	scope, err := api.scope(c)
	if err != nil {
		return 0, nil, err
	}
	if c.list == nil {
		c.form.errs.add("", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
		return 0, nil, c.form.errs.err()
	}
	var cmds []*command
	seen := map[string]bool{}
	for i, v := range c.list {
		f, ok := c.form.asObject(itoa(i), v)
		if !ok {
			continue
		}
		cmd := readCommand(f)
		key := fmt.Sprint(cmd.Type, " ", cmd.Name)
		if seen[key] {
			f.fail("name", "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
		}
		seen[key] = true
		for _, w := range cmd.IntegrationTypes {
			f.oneOf("integration_types", w, api.hub.state.ways...)
		}
		cmds = append(cmds, cmd)
	}
	if err := c.form.errs.err(); err != nil {
		return 0, nil, err
	}
	if err := countCommands(cmds); err != nil {
		return 0, nil, err
	}
	if hasEntryPoint(api.hub.state.commands[scope]) && !hasEntryPoint(cmds) {
		return 0, nil, errRemovesEntryPoint
	}
	for _, cmd := range cmds {
		api.adopt(cmd, scope)
	}
	api.hub.state.commands[scope] = cmds
	api.hub.worldChanged()
	return http.StatusOK, orEmpty(cmds), nil
}

func countCommands(cmds []*command) error {
	n := map[int]int{}
	for _, cmd := range cmds {
		n[cmd.Type]++
	}
	if n[commandChat] > maxCommands || n[commandUser] > maxContextMenu || n[commandMessage] > maxContextMenu ||
		n[commandEntry] > 1 {
		return errMaxCommands
	}
	return nil
}

func hasEntryPoint(cmds []*command) bool {
	return slices.ContainsFunc(cmds, func(c *command) bool { return c.Type == commandEntry })
}

// adopt gives cmd the id of the command with the same type and name that it replaces, or a new id. It also gives cmd a
// new version, unless nothing has changed.
func (api *commandAPI) adopt(cmd *command, scope string) {
	cmd.GuildID = scope
	if scope == "" {
		inDMs := cmd.Contexts == nil || slices.Contains(cmd.Contexts, contextBotDM)
		cmd.DMPermission = &inDMs
	}
	for _, old := range api.hub.state.commands[scope] {
		if old.Type == cmd.Type && old.Name == cmd.Name {
			cmd.ID, cmd.Version = old.ID, old.Version
			if bytes.Equal(mustJSON(old), mustJSON(cmd)) {
				return
			}
		}
	}
	cmd.Version = api.hub.state.newID()
	if cmd.ID == "" {
		cmd.ID = api.hub.state.newID()
	}
}
