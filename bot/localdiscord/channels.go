package localdiscord

import (
	"net/http"
	"slices"
)

// channelAPI answers for channels and threads.
type channelAPI struct{ hub *hub }

func (api *channelAPI) get(c *call) (int, any, error) {
	ch, err := api.hub.state.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, api.hub.state.channelJSON(ch), nil
}

var archiveDurations = []int{60, 1440, 4320, 10080}

func (api *channelAPI) modify(c *call) (int, any, error) {
	ch, err := api.hub.state.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	if ch.Type == channelDM {
		return 0, nil, errSystemMessage
	}
	f := c.form
	name := f.str("name", 1, 100)
	topic := f.str("topic", 0, 1024)
	archived, setArchived := f.boolean("archived")
	locked, setLocked := f.boolean("locked")
	duration, setDuration := f.integer("auto_archive_duration", 60, 10080)
	if setDuration {
		f.oneOf("auto_archive_duration", duration, archiveDurations...)
	}
	if err := f.errs.err(); err != nil {
		return 0, nil, err
	}
	has := api.hub.state.permissions(Application, ch)
	if !ch.isThread() {
		if has&PermissionManageChannels == 0 {
			return 0, nil, errMissingPermissions
		}
		if name != "" {
			ch.Name = name
		}
		if f.has("topic") {
			ch.Topic = topic
		}
		api.hub.channelUpdated(ch)
		return http.StatusOK, api.hub.state.channelJSON(ch), nil
	}
	// The creator may do everything but lock, and wake what is locked; anyone who may write in it
	// may wake a thread that is not locked.
	mayManage := has&PermissionManageThreads != 0
	wakes := setArchived && !archived
	onlyWakes := wakes && name == "" && !setLocked && !setDuration && has&PermissionSendMessagesInThreads != 0 &&
		!ch.Thread.Locked
	if !mayManage && !onlyWakes && (ch.OwnerID != Application || setLocked || wakes && ch.Thread.Locked) {
		return 0, nil, errMissingPermissions
	}
	if ch.Thread.Archived && !wakes {
		return 0, nil, errThreadArchived
	}
	if active, _ := api.hub.threads(api.hub.state.guilds[ch.GuildID]); wakes && ch.Thread.Archived &&
		active >= maxThreads {
		return 0, nil, errMaxActiveThreads
	}
	if name != "" {
		ch.Name = name
	}
	if setArchived && ch.Thread.Archived != archived {
		ch.Thread.Archived, ch.Thread.ArchiveTimestamp = archived, api.hub.state.clock.Now()
	}
	if setLocked {
		ch.Thread.Locked = locked
	}
	if setDuration {
		ch.Thread.AutoArchiveDuration = duration
	}
	api.hub.channelUpdated(ch)
	return http.StatusOK, api.hub.state.channelJSON(ch), nil
}

func (api *channelAPI) delete(c *call) (int, any, error) {
	ch, err := api.hub.state.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	need := PermissionManageChannels
	if ch.isThread() {
		need = PermissionManageThreads
	}
	if ch.Type == channelDM || api.hub.state.permissions(Application, ch)&need == 0 {
		return 0, nil, errMissingPermissions
	}
	w := api.hub.state.channelJSON(ch)
	api.hub.removeChannel(ch)
	return http.StatusOK, w, nil
}

func (api *channelAPI) threadFromMessage(c *call) (int, any, error) {
	parent, err := api.hub.state.botChannel(c, PermissionCreatePublicThreads)
	if err != nil {
		return 0, nil, err
	}
	if parent.isThread() || parent.context() != contextGuild {
		return 0, nil, errSystemMessage
	}
	m, err := publicMessage(c, parent)
	if err != nil {
		return 0, nil, err
	}
	if m.Flags&flagHasThread != 0 {
		return 0, nil, errThreadExists
	}
	t, err := readThread(c.form, m.ID, channelPublicThread)
	if err != nil {
		return 0, nil, err
	}
	if err := api.hub.addThread(parent, t); err != nil {
		return 0, nil, err
	}
	m.Flags |= flagHasThread
	api.hub.announce(m, "MESSAGE_UPDATE")
	return http.StatusCreated, api.hub.state.channelJSON(t), nil
}

func (api *channelAPI) threadWithoutMessage(c *call) (int, any, error) {
	parent, err := api.hub.state.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	if parent.isThread() || parent.context() != contextGuild {
		return 0, nil, errSystemMessage
	}
	kind, ok := c.form.integer("type", 0, 100)
	if !ok {
		kind = channelPrivateThread // Discord's default
	}
	c.form.oneOf("type", kind, channelPublicThread, channelPrivateThread)
	need := PermissionCreatePublicThreads
	if kind == channelPrivateThread {
		need = PermissionCreatePrivateThreads
	}
	if api.hub.state.permissions(Application, parent)&need == 0 {
		return 0, nil, errMissingPermissions
	}
	t, err := readThread(c.form, api.hub.state.newID(), kind)
	if err != nil {
		return 0, nil, err
	}
	if err := api.hub.addThread(parent, t); err != nil {
		return 0, nil, err
	}
	if kind == channelPublicThread {
		note := &message{Type: messageThreadCreated, AuthorID: Application, Content: t.Name,
			Reference: &messageReference{ChannelID: t.ID, GuildID: t.GuildID}}
		api.hub.place(parent, note)
		api.hub.announce(note, "MESSAGE_CREATE")
	}
	return http.StatusCreated, api.hub.state.channelJSON(t), nil
}

// readThread reads a new thread from a request.
func readThread(f form, id string, kind int) (*channel, error) {
	f.required("name")
	t := &channel{ID: id, Type: kind, Name: f.str("name", 1, 100), Thread: &threadState{}}
	duration, ok := f.integer("auto_archive_duration", 0, 10080)
	if !ok || duration == 0 {
		duration = 1440
	} else {
		f.oneOf("auto_archive_duration", duration, archiveDurations...)
	}
	t.Thread.AutoArchiveDuration = duration
	return t, f.errs.err()
}

func (api *channelAPI) getThreadMember(c *call) (int, any, error) {
	ch, err := api.hub.state.botChannel(c, 0)
	if err != nil {
		return 0, nil, err
	}
	user := c.vars("user_id")
	if !ch.isThread() || !slices.Contains(ch.ThreadMembers, user) {
		return 0, nil, errUnknownMember
	}
	return http.StatusOK, map[string]any{"id": ch.ID, "user_id": user, "join_timestamp": ch.Thread.CreateTimestamp,
		"flags": 0}, nil
}

func (api *channelAPI) createDM(c *call) (int, any, error) {
	c.form.required("recipient_id")
	id := c.form.str("recipient_id", 1, 20)
	if err := c.form.errs.err(); err != nil {
		return 0, nil, err
	}
	if api.hub.state.users[id] == nil {
		return 0, nil, errUnknownUser
	}
	if id == Application {
		return 0, nil, errCannotDM
	}
	return http.StatusOK, api.hub.state.channelJSON(api.hub.dmChannel(id)), nil
}
