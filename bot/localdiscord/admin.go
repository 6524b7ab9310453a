package localdiscord

import "slices"

// Admin changes the world: its users, servers, channels, roles and members. The bot gets the same events as from
// Discord.
type Admin struct{ hub *hub }

// AddUser adds a user who is not yet a member of any server, and returns the id.
func (a *Admin) AddUser(name string) (id string) {
	a.hub.do(func() {
		u := &user{ID: a.hub.state.newID(), Username: name, GlobalName: name, Locale: "en-US"}
		a.hub.state.addUser(u)
		a.hub.worldChanged()
		id = u.ID
	})
	return id
}

// SetLocale sets the language of a user's Discord client, as interactions report it ("en-US", "de", …).
func (a *Admin) SetLocale(userID, locale string) error {
	return a.hub.try(func() error {
		u := a.hub.state.users[userID]
		if u == nil {
			return ErrNoUser
		}
		u.Locale = locale
		a.hub.worldChanged()
		return nil
	})
}

// SetServerLocale sets a server's preferred language; the bot gets GUILD_UPDATE.
func (a *Admin) SetServerLocale(guildID, locale string) error {
	return a.inGuild(guildID, func(g *guild) error {
		g.Locale = locale
		a.hub.gateway.dispatch(g.ID, intentGuilds, "GUILD_UPDATE", a.hub.state.guildJSON(g))
		a.hub.worldChanged()
		return nil
	})
}

// EnableActivities switches Activities on, like the application's owner in the developer portal. The Entry Point of the
// Activities is then added to the global commands.
func (a *Admin) EnableActivities() {
	a.hub.do(func() {
		if hasEntryPoint(a.hub.state.commands[""]) {
			return
		}
		entry := &command{ApplicationID: Application, Type: commandEntry, Name: "launch", Handler: 2,
			IntegrationTypes: []int{installGuild, installUser},
			Contexts:         []int{contextGuild, contextBotDM, contextPrivate}}
		(&commandAPI{a.hub}).adopt(entry, "")
		a.hub.state.commands[""] = append(a.hub.state.commands[""], entry)
		a.hub.worldChanged()
	})
}

// SetInstalled sets whether a user has installed the application for themselves. The bot gets no event.
func (a *Admin) SetInstalled(userID string, installed bool) error {
	return a.hub.try(func() error {
		u := a.hub.state.users[userID]
		if u == nil {
			return ErrNoUser
		}
		u.Installed = installed
		a.hub.worldChanged()
		return nil
	})
}

// inGuild runs f with a server, or returns an error if there is no server with the id.
func (a *Admin) inGuild(id string, f func(g *guild) error) error {
	return a.hub.try(func() error {
		g := a.hub.state.guilds[id]
		if g == nil {
			return ErrNoGuild
		}
		return f(g)
	})
}

// AddGuild adds a server that belongs to a user, with the bot and without channels; the bot gets GUILD_CREATE.
func (a *Admin) AddGuild(name, ownerID string) (id string, err error) {
	err = a.hub.try(func() error {
		st := a.hub.state
		if st.users[ownerID] == nil {
			return ErrNoUser
		}
		id = st.newGuildID()
		g := st.newGuild(id, name, ownerID, st.clock.Now())
		st.newMember(id, ownerID, st.clock.Now())
		a.hub.gateway.dispatch(id, intentGuilds, "GUILD_CREATE", st.guildCreateJSON(g))
		a.hub.worldChanged()
		return nil
	})
	return id, err
}

// AddChannel adds a text channel at the end of the server's list and returns its id. Without overwrites every member
// sees it.
func (a *Admin) AddChannel(guildID, name string, overwrites ...Overwrite) (id string, err error) {
	err = a.inGuild(guildID, func(g *guild) error {
		c := a.hub.state.newChannel(a.hub.state.newID(), g.ID, name, "")
		c.Overwrites = overwrites
		a.hub.gateway.dispatch(g.ID, intentGuilds, "CHANNEL_CREATE", a.hub.state.channelJSON(c))
		a.hub.worldChanged()
		id = c.ID
		return nil
	})
	return id, err
}

// AddChannelOf adds a channel of a kind other than text, and returns its id.
func (a *Admin) AddChannelOf(kind Kind, guildID, name string) (id string, err error) {
	err = a.inGuild(guildID, func(g *guild) error {
		c := a.hub.state.newChannel(a.hub.state.newID(), g.ID, name, "")
		c.Type, id = int(kind), c.ID
		a.hub.gateway.dispatch(g.ID, intentGuilds, "CHANNEL_CREATE", a.hub.state.channelJSON(c))
		a.hub.worldChanged()
		return nil
	})
	return id, err
}

// AddPost adds a user's post to a forum or a media channel, and returns the id of its thread.
func (a *Admin) AddPost(forumID, userID, title string) (id string, err error) {
	err = a.hub.try(func() error {
		forum := a.hub.state.channels[forumID]
		if forum == nil || forum.Type != int(Forum) && forum.Type != int(Media) {
			return ErrNoChannel
		}
		t := &channel{ID: a.hub.state.newID(), Type: channelPublicThread, Name: title,
			Thread: &threadState{AutoArchiveDuration: archiveDurations[0]}}
		id = t.ID
		if err := a.hub.addThread(forum, t); err != nil {
			return err
		}
		t.OwnerID, t.ThreadMembers = userID, []string{userID}
		return nil
	})
	return id, err
}

// BarWords makes a server refuse the bot's names of channels and threads that contain one of these words, like servers
// in Server Discovery.
func (a *Admin) BarWords(guildID string, words ...string) error {
	return a.inGuild(guildID, func(g *guild) error {
		g.Barred = words
		return nil
	})
}

// SetOverwrites replaces a channel's permission overwrites; the bot gets CHANNEL_UPDATE.
func (a *Admin) SetOverwrites(channelID string, overwrites ...Overwrite) error {
	return a.inTextChannel(channelID, func(c *channel) { c.Overwrites = overwrites })
}

// DenyBot replaces the bot's own overwrites in a channel by one that denies permissions (PermissionViewChannel, …).
// With 0 it only removes them.
func (a *Admin) DenyBot(channelID string, permissions int64) error {
	return a.Deny(channelID, Application, permissions)
}

// Deny replaces a member's own overwrites in a channel by one that denies permissions. With 0 it only removes them.
func (a *Admin) Deny(channelID, userID string, permissions int64) error {
	return a.inTextChannel(channelID, func(c *channel) {
		c.Overwrites = slices.DeleteFunc(slices.Clone(c.Overwrites), func(o Overwrite) bool { return o.ID == userID })
		if permissions != 0 {
			c.Overwrites = append(c.Overwrites, Overwrite{ID: userID, Type: OverwriteMember, Deny: permissions})
		}
	})
}

func (a *Admin) inTextChannel(id string, change func(c *channel)) error {
	return a.hub.try(func() error {
		c := a.hub.state.channels[id]
		if c == nil || c.isThread() || c.context() != contextGuild {
			return ErrNoChannel
		}
		change(c)
		a.hub.channelUpdated(c)
		return nil
	})
}

// DeleteChannel deletes a channel with its threads, or a thread.
func (a *Admin) DeleteChannel(channelID string) error {
	return a.hub.try(func() error {
		c := a.hub.state.channels[channelID]
		if c == nil || c.context() != contextGuild {
			return ErrNoChannel
		}
		a.hub.removeChannel(c)
		return nil
	})
}

// ArchiveThread archives or unarchives a thread, and locks or unlocks it, as a moderator can. The bot gets
// THREAD_UPDATE.
func (a *Admin) ArchiveThread(threadID string, archived, locked bool) error {
	return a.hub.try(func() error {
		c := a.hub.state.channels[threadID]
		if c == nil || !c.isThread() {
			return ErrNoChannel
		}
		c.Thread.Archived, c.Thread.Locked, c.Thread.ArchiveTimestamp = archived, locked, a.hub.state.clock.Now().UTC()
		a.hub.channelUpdated(c)
		return nil
	})
}

// AddRole adds a role with permissions to a server and returns its id; the bot gets GUILD_ROLE_CREATE.
func (a *Admin) AddRole(guildID, name string, permissions int64) (id string, err error) {
	err = a.inGuild(guildID, func(g *guild) error {
		r := &role{ID: a.hub.state.newID(), Name: name, Permissions: permissions, Position: len(g.Roles)}
		g.Roles = append(g.Roles, r)
		a.hub.roleChanged(g, r, "GUILD_ROLE_CREATE")
		id = r.ID
		return nil
	})
	return id, err
}

// SetRolePermissions sets a role's permissions in the whole server. The id of the role @everyone is the server's id.
// The bot gets GUILD_ROLE_UPDATE.
func (a *Admin) SetRolePermissions(guildID, roleID string, permissions int64) error {
	return a.changeRole(guildID, roleID, func(r *role) { r.Permissions = permissions })
}

// SetMentionable sets whether everybody can mention a role. By default only members who may mention everyone can. The
// bot gets GUILD_ROLE_UPDATE.
func (a *Admin) SetMentionable(guildID, roleID string, mentionable bool) error {
	return a.changeRole(guildID, roleID, func(r *role) { r.Mentionable = mentionable })
}

func (a *Admin) changeRole(guildID, roleID string, change func(r *role)) error {
	return a.inGuild(guildID, func(g *guild) error {
		r := g.role(roleID)
		if r == nil {
			return ErrNoRole
		}
		change(r)
		a.hub.roleChanged(g, r, "GUILD_ROLE_UPDATE")
		return nil
	})
}

// AllowCommands allows a role to use these commands, whatever permissions the commands require. It replaces the
// commands that the role was allowed before. The id of the role @everyone is the server's id. On Discord, this is set
// in Server Settings > Integrations.
func (a *Admin) AllowCommands(guildID, roleID string, commands ...string) error {
	return a.inGuild(guildID, func(g *guild) error {
		r := g.role(roleID)
		if r == nil {
			return ErrNoRole
		}
		r.Commands = commands
		a.hub.worldChanged()
		return nil
	})
}

// SetRoles replaces a member's roles. The bot gets GUILD_MEMBER_UPDATE about itself, and about other members if it has
// the privileged intent.
func (a *Admin) SetRoles(guildID, userID string, roleIDs ...string) error {
	return a.inGuild(guildID, func(g *guild) error {
		m := g.member(userID)
		if m == nil {
			return ErrNoUser
		}
		for _, id := range roleIDs {
			if id == g.ID || g.role(id) == nil {
				return ErrNoRole
			}
		}
		m.Roles = append([]string{}, roleIDs...)
		a.hub.memberChanged(g, userID, "GUILD_MEMBER_UPDATE")
		return nil
	})
}

// AddMember adds a user to a server.
func (a *Admin) AddMember(guildID, userID string) error {
	return a.inGuild(guildID, func(g *guild) error {
		if a.hub.state.users[userID] == nil {
			return ErrNoUser
		}
		if a.hub.state.newMember(g.ID, userID, a.hub.state.clock.Now()) {
			a.hub.memberChanged(g, userID, "GUILD_MEMBER_ADD")
		}
		return nil
	})
}

// RemoveMember removes a user from a server. KickBot removes the bot.
func (a *Admin) RemoveMember(guildID, userID string) error {
	return a.inGuild(guildID, func(g *guild) error {
		if g.member(userID) == nil {
			return ErrNoUser
		}
		g.removeMember(userID)
		a.hub.memberChanged(g, userID, "GUILD_MEMBER_REMOVE")
		return nil
	})
}

// KickBot removes the bot from a server. The bot gets GUILD_DELETE, and its requests about the server are refused.
func (a *Admin) KickBot(guildID string) error {
	return a.inGuild(guildID, func(g *guild) error {
		if g.member(Application) == nil {
			return ErrNoUser
		}
		g.removeMember(Application)
		a.hub.gateway.dispatch(g.ID, intentGuilds, "GUILD_DELETE", map[string]any{"id": g.ID})
		a.hub.worldChanged()
		return nil
	})
}

// InviteBot adds the bot to a server again; the bot gets GUILD_CREATE.
func (a *Admin) InviteBot(guildID string) error {
	return a.inGuild(guildID, func(g *guild) error {
		a.hub.state.newMember(g.ID, Application, a.hub.state.clock.Now())
		a.hub.gateway.dispatch(g.ID, intentGuilds, "GUILD_CREATE", a.hub.state.guildCreateJSON(g))
		a.hub.worldChanged()
		return nil
	})
}

// SetGuildAvailable begins or ends an outage of a server (GUILD_DELETE with unavailable, GUILD_CREATE). Sessions that
// identify during an outage get its event after READY.
func (a *Admin) SetGuildAvailable(guildID string, available bool) error {
	return a.inGuild(guildID, func(g *guild) error {
		if g.member(Application) == nil {
			return ErrNoGuild
		}
		g.down = !available
		if available {
			a.hub.gateway.dispatch(g.ID, intentGuilds, "GUILD_CREATE", a.hub.state.guildCreateJSON(g))
		} else {
			a.hub.gateway.dispatch(g.ID, intentGuilds, "GUILD_DELETE", map[string]any{"id": g.ID, "unavailable": true})
		}
		return nil
	})
}
