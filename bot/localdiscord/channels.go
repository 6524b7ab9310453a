package localdiscord

import (
	"net/http"
	"slices"
	"strings"
)

// channelAPI handles requests about channels and threads.
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
		return 0, nil, errWrongChannel
	}
	f := c.form
	name := readName(f, api.hub.state.guilds[ch.GuildID])
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
	// The creator may do everything except lock or unlock the thread, or unarchive a locked one. Anyone who can write
	// in the thread can unarchive it while it is not locked.
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
	if !parent.takesThreads() {
		return 0, nil, errWrongChannel
	}
	m, err := publicMessage(c, parent)
	if err != nil {
		return 0, nil, err
	}
	if m.Flags&flagHasThread != 0 {
		return 0, nil, errThreadExists
	}
	kind := channelPublicThread
	if parent.Type == int(Announcement) {
		kind = channelNewsThread
	}
	t, err := api.readThread(c.form, parent, m.ID, kind)
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
	if !parent.takesThreads() {
		return 0, nil, errWrongChannel
	}
	kind, ok := c.form.integer("type", 0, 100)
	if !ok {
		kind = channelPrivateThread // the kind that Discord uses by default
	}
	c.form.oneOf("type", kind, channelPublicThread, channelPrivateThread)
	need := PermissionCreatePublicThreads
	if kind == channelPrivateThread {
		need = PermissionCreatePrivateThreads
	}
	if api.hub.state.permissions(Application, parent)&need == 0 {
		return 0, nil, errMissingPermissions
	}
	t, err := api.readThread(c.form, parent, api.hub.state.newID(), kind)
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

// readName reads the name of a channel or thread from a request. The name must not contain a word that the server bars.
func readName(f form, g *guild) string {
	name := f.str("name", 1, 100)
	for _, word := range g.Barred {
		if strings.Contains(strings.ToLower(name), strings.ToLower(word)) {
			f.fail("name", "CONTAINS_BARRED_WORD", "Contains words not allowed for servers in Server Discovery.")
		}
	}
	return name
}

// readThread reads a new thread from a request.
func (api *channelAPI) readThread(f form, parent *channel, id string, kind int) (*channel, error) {
	f.required("name")
	t := &channel{ID: id, Type: kind, Name: readName(f, api.hub.state.guilds[parent.GuildID]), Thread: &threadState{}}
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
