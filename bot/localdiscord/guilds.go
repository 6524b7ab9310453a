package localdiscord

import (
	"net/http"
	"slices"
)

// guildAPI handles requests about servers, members and the application itself.
type guildAPI struct{ hub *hub }

func (api *guildAPI) getGateway(*call) (int, any, error) {
	return http.StatusOK, map[string]any{"url": api.hub.gateway.url()}, nil
}

func (api *guildAPI) getGatewayBot(*call) (int, any, error) {
	return http.StatusOK, api.hub.gateway.botJSON(), nil
}

func (api *guildAPI) getApplication(*call) (int, any, error) {
	ways := map[int]any{}
	for _, w := range api.hub.state.ways {
		ways[w] = map[string]any{}
	}
	return http.StatusOK, map[string]any{"id": Application, "integration_types_config": ways,
		"name": api.hub.state.users[Application].Username, "icon": nil, "description": "",
		"bot_public": true, "bot_require_code_grant": false,
		"verify_key": "0000000000000000000000000000000000000000000000000000000000000000",
		"type":       nil, "flags_new": "0", "redirect_uris": []any{}, "interactions_endpoint_url": nil,
		"role_connections_verification_url": nil, "approximate_user_install_count": 0,
		"approximate_user_authorization_count": 0, "explicit_content_filter": 0, "team": nil,
		"eligible_oauth2_scopes": []any{},
		"flags":                  0, "bot": api.hub.state.userJSON(Application), "owner": api.hub.state.userJSON(Anne),
		"approximate_guild_count": len(api.hub.state.botGuilds())}, nil
}

func (api *guildAPI) getUser(c *call) (int, any, error) {
	id := c.vars("user_id")
	if api.hub.state.users[id] == nil {
		return 0, nil, errUnknownUser
	}
	return http.StatusOK, api.hub.state.userJSON(id), nil
}

// botGuild finds the server in the path. It returns an error if the bot is not a member.
func (api *guildAPI) botGuild(c *call) (*guild, error) {
	g := api.hub.state.guilds[c.vars("guild_id")]
	if g == nil || g.member(Application) == nil {
		return nil, errUnknownGuild
	}
	return g, nil
}

func (api *guildAPI) getGuild(c *call) (int, any, error) {
	g, err := api.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	w := api.hub.state.guildJSON(g)
	if c.r.URL.Query().Get("with_counts") == "true" {
		w["approximate_member_count"], w["approximate_presence_count"] = len(g.Members), len(g.Members)
	}
	return http.StatusOK, w, nil
}

func (api *guildAPI) getChannels(c *call) (int, any, error) {
	g, err := api.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	out := []any{}
	for _, id := range g.Channels {
		if ch := api.hub.state.channels[id]; !ch.isThread() {
			out = append(out, api.hub.state.channelJSON(ch))
		}
	}
	return http.StatusOK, out, nil
}

func (api *guildAPI) getRoles(c *call) (int, any, error) {
	g, err := api.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, api.hub.state.guildJSON(g)["roles"], nil
}

func (api *guildAPI) getMember(c *call) (int, any, error) {
	g, err := api.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	m := api.hub.state.memberJSON(g, c.vars("user_id"), nil, true)
	if m == nil {
		return 0, nil, errUnknownMember
	}
	return http.StatusOK, m, nil
}

func (api *guildAPI) addRole(c *call) (int, any, error) {
	return api.changeRoles(c, func(roles []string, id string) []string {
		if slices.Contains(roles, id) {
			return roles
		}
		return append(slices.Clone(roles), id)
	})
}

func (api *guildAPI) removeRole(c *call) (int, any, error) {
	return api.changeRoles(c, func(roles []string, id string) []string {
		return slices.DeleteFunc(slices.Clone(roles), func(r string) bool { return r == id })
	})
}

// changeRoles changes a member's roles. The bot needs the permission to manage roles, and a role above the changed one.
func (api *guildAPI) changeRoles(c *call, change func(roles []string, id string) []string) (int, any, error) {
	g, err := api.botGuild(c)
	if err != nil {
		return 0, nil, err
	}
	m, r, own := g.member(c.vars("user_id")), g.role(c.vars("role_id")), g.member(Application)
	switch {
	case m == nil:
		return 0, nil, errUnknownMember
	case r == nil || r.ID == g.ID:
		return 0, nil, errUnknownRole
	case api.hub.state.guildPermissions(g, own)&PermissionManageRoles == 0:
		return 0, nil, errMissingPermissions
	}
	highest := 0
	for _, id := range own.Roles {
		if o := g.role(id); o != nil {
			highest = max(highest, o.Position)
		}
	}
	if r.Position >= highest {
		return 0, nil, errMissingPermissions
	}
	m.Roles = change(m.Roles, r.ID)
	api.hub.memberChanged(g, m.UserID, "GUILD_MEMBER_UPDATE")
	return http.StatusNoContent, nil, nil
}
