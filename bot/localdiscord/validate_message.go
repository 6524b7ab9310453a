package localdiscord

import (
	"bytes"
	"encoding/json"
	"image"
	_ "image/gif"  // for attachments' sizes
	_ "image/jpeg" // for attachments' sizes
	_ "image/png"  // for attachments' sizes
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	maxContent     = 2000
	maxEmbeds      = 10
	maxEmbedRunes  = 6000
	maxAttachments = 10
	maxFileBytes   = 10 << 20
	maxRequest     = 25 << 20
)

// upload is a file that came with a request, under "files[index]".
type upload struct {
	index       string
	name        string
	contentType string
	data        []byte
}

// payload is a validated message from a request. In an edit, the parts that the request does not have stay unchanged.
type payload struct {
	content       string
	hasContent    bool
	embeds        []json.RawMessage
	hasEmbeds     bool
	components    []*component
	hasComponents bool
	keep          []string // ids of kept attachments
	hasKeep       bool
	uploads       []upload
	descriptions  map[string]string // descriptions by the index of the upload
	flags         int
	hasFlags      bool
	allowed       *allowedMentions
	reference     *messageReference
}

type allowedMentions struct {
	everyone, allUsers, allRoles bool
	users, roles                 []string
	repliedUser                  bool
}

// readPayload reads and validates a message that is created, if prev is nil, or edited.
func readPayload(f form, uploads []upload, prev *message) payload {
	p := payload{uploads: uploads, descriptions: map[string]string{}}
	p.flags, p.hasFlags = f.integer("flags", 0, 1<<31-1)
	v2 := p.flags&flagComponentsV2 != 0
	if prev != nil && prev.isV2() {
		if p.hasFlags && !v2 {
			f.fail("flags", "MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG",
				"The MessageFlags.IS_COMPONENTS_V2 flag cannot be removed")
		}
		v2 = true
	}

	p.hasContent = f.has("content")
	p.content = strings.TrimSpace(f.str("content", 0, maxContent))
	f.boolean("tts")
	p.hasEmbeds = f.has("embeds")
	p.embeds = readEmbeds(f)
	p.allowed = readAllowedMentions(f)
	p.reference = readReference(f)

	files := map[string]bool{}
	for _, u := range uploads {
		files[u.name] = true
	}
	p.readAttachments(f, prev, files)

	p.hasComponents = f.has("components")
	rules := componentRules{v2: v2, files: files}
	p.components = rules.read(f, "components")

	if v2 {
		content, embeds := p.content != "", len(p.embeds) > 0
		if prev != nil {
			content = content || !p.hasContent && prev.Content != ""
			embeds = embeds || !p.hasEmbeds && len(prev.Embeds) > 0
		}
		const code, text = "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
			"The '%s' field cannot be used when using MessageFlags.IS_COMPONENTS_V2"
		if content {
			f.fail("content", code, text, "content")
		}
		if embeds {
			f.fail("embeds", code, text, "embeds")
		}
	}
	return p
}

func (p *payload) readAttachments(f form, prev *message, files map[string]bool) {
	existing := map[string]*attachment{}
	if prev != nil {
		for _, a := range prev.Attachments {
			existing[a.ID] = a
		}
	}
	uploaded := map[string]*upload{}
	for i := range p.uploads {
		uploaded[p.uploads[i].index] = &p.uploads[i]
	}
	p.hasKeep = f.has("attachments")
	for _, o := range f.objects("attachments", 0, maxAttachments) {
		id, _ := o.m["id"].(string)
		if n, ok := o.m["id"].(float64); ok {
			id = itoa(int(n))
		}
		description := o.str("description", 0, 1024)
		if u := uploaded[id]; u != nil {
			p.descriptions[id] = description
			if name := o.str("filename", 0, 260); name != "" {
				u.name = name
				files[name] = true
			}
			continue
		}
		a := existing[id]
		if a == nil {
			o.fail("id", "ATTACHMENT_NOT_FOUND",
				"The attachment %q was not uploaded with this request and is not part of the message", id)
			continue
		}
		files[a.Filename] = true
		p.keep = append(p.keep, id)
	}
	if !p.hasKeep {
		for id, a := range existing {
			files[a.Filename] = true
			p.keep = append(p.keep, id)
		}
	}
	if n := len(p.keep) + len(p.uploads); n > maxAttachments {
		f.length("attachments", n, 0, maxAttachments)
	}
}

func readEmbeds(f form) []json.RawMessage {
	var out []json.RawMessage
	total := 0
	for _, e := range f.objects("embeds", 0, maxEmbeds) {
		count := func(s string) { total += units(s) }
		count(e.str("title", 0, 256))
		count(e.str("description", 0, 4096))
		e.str("url", 0, 2048)
		e.integer("color", 0, 0xFFFFFF)
		if o, ok := e.object("footer"); ok {
			o.required("text")
			count(o.str("text", 0, 2048))
		}
		if o, ok := e.object("author"); ok {
			o.required("name")
			count(o.str("name", 0, 256))
		}
		for _, field := range e.objects("fields", 0, 25) {
			if field.required("name") && field.required("value") {
				count(field.str("name", 1, 256))
				count(field.str("value", 1, 1024))
			}
		}
		e.m["type"] = "rich"
		raw, _ := json.Marshal(e.m) // cannot fail: it has just been decoded from JSON
		out = append(out, raw)
	}
	if total > maxEmbedRunes {
		f.fail("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of %d", maxEmbedRunes)
	}
	return out
}

func readAllowedMentions(f form) *allowedMentions {
	o, ok := f.object("allowed_mentions")
	if !ok {
		return nil
	}
	a := &allowedMentions{users: o.snowflakes("users", 100), roles: o.snowflakes("roles", 100)}
	if twice(a.users) {
		o.fail("users", "SET_TYPE_ALREADY_CONTAINS_VALUE", "The set already contains this value")
	}
	if twice(a.roles) {
		o.fail("roles", "SET_TYPE_ALREADY_CONTAINS_VALUE", "The set already contains this value")
	}
	for i, v := range o.list("parse", 0, 3) {
		switch v {
		case "everyone":
			a.everyone = true
		case "users":
			a.allUsers = true
		case "roles":
			a.allRoles = true
		default:
			o.errs.add(o.path("parse")+"."+itoa(i), "BASE_TYPE_CHOICES",
				"Value must be one of ('users', 'roles', 'everyone').")
		}
	}
	if a.allUsers && len(a.users) > 0 || a.allRoles && len(a.roles) > 0 {
		o.fail("parse", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
			"parse:[\"users\"] and users: [ids...] are mutually exclusive.")
	}
	a.repliedUser, _ = o.boolean("replied_user")
	return a
}

// twice reports whether an id occurs twice.
func twice(ids []string) bool {
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return true
		}
	}
	return false
}

func readReference(f form) *messageReference {
	o, ok := f.object("message_reference")
	if !ok {
		return nil
	}
	o.required("message_id")
	return &messageReference{MessageID: o.str("message_id", 1, 20), ChannelID: o.str("channel_id", 0, 20),
		GuildID: o.str("guild_id", 0, 20)}
}

// store turns uploads into attachments of the message, stores their content, and fills in the components that refer
// to them. It drops the attachments that an edit does not keep.
func (s *state) store(m *message, p payload) {
	kept := m.Attachments[:0:0]
	for _, a := range m.Attachments {
		stays := !p.hasKeep
		for _, id := range p.keep {
			stays = stays || id == a.ID
		}
		if stays {
			kept = append(kept, a)
		} else {
			s.files.drop(a.ID)
		}
	}
	for _, u := range p.uploads {
		a := &attachment{ID: s.newID(), Filename: u.name, Description: p.descriptions[u.index], Size: len(u.data),
			ContentType: u.contentType, Ephemeral: m.EphemeralTo != ""}
		if a.ContentType == "" || a.ContentType == "application/octet-stream" {
			a.ContentType = http.DetectContentType(u.data)
		}
		if cfg, _, err := image.DecodeConfig(bytes.NewReader(u.data)); err == nil {
			a.Width, a.Height = cfg.Width, cfg.Height
		}
		path := "attachments/" + m.ChannelID + "/" + a.ID + "/" + url.PathEscape(u.name)
		a.URL = "https://cdn.discordapp.com/" + path
		a.ProxyURL = "https://media.discordapp.net/" + path
		s.files.put(a, u.data)
		kept = append(kept, a)
	}
	m.Attachments = kept
	walk(m.Components, func(c *component) {
		for _, ref := range c.mediaOf() {
			name, ok := strings.CutPrefix(ref.URL, "attachment://")
			if !ok {
				if ref.ID == "" {
					ref.ID, ref.ProxyURL = s.newID(), ref.URL
				}
				continue
			}
			for _, a := range kept { // the last one with that name is the newest
				if a.Filename == name {
					*ref = media{ID: a.ID, URL: a.URL, ProxyURL: a.ProxyURL, Width: a.Width, Height: a.Height,
						ContentType: a.ContentType, Attachment: a.ID}
					if c.Type == typeFile {
						c.Name, c.Size = a.Filename, a.Size
					}
				}
			}
		}
	})
}
