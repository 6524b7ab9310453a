package localdiscord

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

// componentRules reads the components of one message or modal, and collects the errors with which Discord would refuse
// them.
type componentRules struct {
	v2        bool
	modal     bool
	files     map[string]bool // names of files to which attachment:// can refer
	customIDs map[string]bool
	ids       map[int]bool
	total     int
	textRunes int
}

const (
	maxComponentsV2 = 40
	maxTextV2       = 4000
)

var (
	topClassic = []int{typeActionRow}
	topV2      = []int{typeActionRow, typeSection, typeTextDisplay, typeMediaGallery, typeFile, typeSeparator,
		typeContainer}
	inContainer = []int{typeActionRow, typeSection, typeTextDisplay, typeMediaGallery, typeFile, typeSeparator}
	inRow       = []int{typeButton, typeStringSelect, typeUserSelect, typeRoleSelect, typeMentionableSelect,
		typeChannelSelect}
	topModal = []int{typeActionRow, typeTextDisplay, typeLabel}
	inLabel  = []int{typeStringSelect, typeTextInput, typeUserSelect, typeRoleSelect, typeMentionableSelect,
		typeChannelSelect, typeFileUpload, typeRadioGroup, typeCheckboxGroup, typeCheckbox}
	inSection     = []int{typeTextDisplay}
	inAccessory   = []int{typeButton, typeThumbnail}
	inModalRow    = []int{typeTextInput}
	maxTopClassic = 5
)

// read validates the list under key and returns the decoded components.
func (r *componentRules) read(f form, key string) []*component {
	r.customIDs, r.ids = map[string]bool{}, map[int]bool{}
	top, min, max := topClassic, 0, maxTopClassic
	switch {
	case r.modal:
		top, min, max = topModal, 1, 5
	case r.v2:
		top, max = topV2, maxComponentsV2
	}
	out := r.list(f, key, min, max, top)
	if r.v2 && r.total > maxComponentsV2 {
		f.fail(key, "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED",
			"The total number of components exceeds the maximum of %d.", maxComponentsV2)
	}
	if r.v2 && r.textRunes > maxTextV2 {
		f.fail(key, "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
			"The total displayable text size exceeds the maximum of %d.", maxTextV2)
	}
	// A component without an id gets the next unused one.
	next := 1
	walk(out, func(c *component) {
		if c.ID == 0 {
			for r.ids[next] {
				next++
			}
			c.ID = next
			r.ids[next] = true
		}
		if !r.modal {
			c.complete()
		}
	})
	return out
}

func (r *componentRules) list(f form, key string, min, max int, allowed []int) []*component {
	var out []*component
	for _, o := range f.objects(key, min, max) {
		if c := r.component(o, allowed); c != nil {
			out = append(out, c)
		}
	}
	return out
}

func (r *componentRules) component(f form, allowed []int) *component {
	r.total++
	if !f.required("type") {
		return nil
	}
	t, ok := f.integer("type", 1, 1000)
	if !ok || !f.oneOf("type", t, allowed...) {
		return nil
	}
	c := &component{Type: t}
	if id, ok := f.integer("id", 0, 1<<31-1); ok && id != 0 {
		if r.ids[id] {
			f.fail("id", "COMPONENT_ID_DUPLICATED", "Component id cannot be duplicated")
		}
		r.ids[id] = true
		c.ID = id
	}
	switch t {
	case typeActionRow:
		r.row(f, c)
	case typeButton:
		r.button(f, c)
	case typeStringSelect, typeUserSelect, typeRoleSelect, typeMentionableSelect, typeChannelSelect:
		r.selectMenu(f, c)
	case typeTextInput:
		r.textInput(f, c)
	case typeSection:
		r.section(f, c)
	case typeTextDisplay:
		f.required("content")
		c.Content = f.str("content", 1, maxTextV2)
		r.textRunes += units(c.Content)
	case typeThumbnail:
		c.Media = r.media(f, "media", true)
		c.Description = f.str("description", 0, 1024)
		c.Spoiler, _ = f.boolean("spoiler")
	case typeMediaGallery:
		r.gallery(f, c)
	case typeFile:
		c.File = r.media(f, "file", false)
		c.Spoiler, _ = f.boolean("spoiler")
	case typeSeparator:
		c.Divider = optionalBool(f, "divider")
		if n, ok := f.integer("spacing", 1, 2); ok {
			c.Spacing = &n
		}
	case typeContainer:
		r.container(f, c)
	case typeLabel:
		r.label(f, c)
	case typeFileUpload:
		r.fileUpload(f, c)
	case typeRadioGroup, typeCheckboxGroup:
		r.group(f, c)
	case typeCheckbox:
		r.customID(f, c)
		c.Default, _ = f.boolean("default")
	}
	return c
}

func (r *componentRules) section(f form, c *component) {
	f.required("components")
	c.Components = r.list(f, "components", 1, 3, inSection)
	c.Accessory = r.only(f, "accessory", inAccessory)
}

func (r *componentRules) gallery(f form, c *component) {
	f.required("items")
	for _, o := range f.objects("items", 1, 10) {
		it := &galleryItem{Media: r.media(o, "media", true), Description: nullString(o.str("description", 0, 1024))}
		it.Spoiler, _ = o.boolean("spoiler")
		c.Items = append(c.Items, it)
	}
}

func (r *componentRules) container(f form, c *component) {
	f.required("components")
	c.Components = r.list(f, "components", 1, maxComponentsV2, inContainer)
	if n, ok := f.integer("accent_color", 0, 0xFFFFFF); ok {
		c.AccentColor = &n
	}
	c.Spoiler, _ = f.boolean("spoiler")
}

func (r *componentRules) label(f form, c *component) {
	f.required("label")
	c.Label = f.str("label", 1, 45)
	c.Description = f.str("description", 1, 100)
	c.Component = r.only(f, "component", inLabel)
}

// only reads the single component under key, whose type must be one of allowed. A missing component is refused.
func (r *componentRules) only(f form, key string, allowed []int) *component {
	if !f.required(key) {
		return nil
	}
	o, ok := f.object(key)
	if !ok {
		return nil
	}
	return r.component(o, allowed)
}

func (r *componentRules) row(f form, c *component) {
	allowed := inRow
	if r.modal {
		allowed = inModalRow
	}
	f.required("components")
	c.Components = r.list(f, "components", 1, 5, allowed)
	width := 0
	for _, child := range c.Components {
		if child.Type == typeButton {
			width++
		} else {
			width += 5
		}
	}
	if width > 5 {
		f.fail("components", "COMPONENT_LAYOUT_WIDTH_EXCEEDED",
			"The maximum width of an action row is 5; a select menu takes all of it.")
	}
}

func (r *componentRules) customID(f form, c *component) {
	if !f.required("custom_id") {
		return
	}
	c.CustomID = f.str("custom_id", 1, 100)
	if c.CustomID != "" && r.customIDs[c.CustomID] {
		f.fail("custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	r.customIDs[c.CustomID] = true
}

func (r *componentRules) button(f form, c *component) {
	c.Label = f.str("label", 0, 80)
	c.Emoji = r.emoji(f)
	c.Disabled, _ = f.boolean("disabled")
	c.Style, _ = f.integer("style", 1, 6)
	if !f.required("style") {
		return
	}
	if c.Label == "" && c.Emoji == nil {
		f.fail("label", "BUTTON_COMPONENT_MISSING_LABEL_OR_EMOJI", "A button needs a label or an emoji")
	}
	if c.Style != styleLink {
		r.customID(f, c)
		if f.str("url", 0, 512) != "" {
			f.fail("url", "BUTTON_COMPONENT_URL_FORBIDDEN", "A url belongs to link buttons alone")
		}
		return
	}
	f.required("url")
	c.URL = f.str("url", 1, 512)
	if c.URL != "" && !hasScheme(c.URL, "http", "https", "discord") {
		f.fail("url", "URL_TYPE_INVALID_SCHEME",
			"Scheme \"%s\" is not supported. Scheme must be one of ('http', 'https', 'discord').", scheme(c.URL))
	}
	if f.str("custom_id", 0, 100) != "" {
		f.fail("custom_id", "BUTTON_COMPONENT_CUSTOM_ID_FORBIDDEN", "A custom id and a url cannot both be specified")
	}
}

func (r *componentRules) selectMenu(f form, c *component) {
	r.customID(f, c)
	c.Placeholder = f.str("placeholder", 0, 150)
	c.Disabled, _ = f.boolean("disabled")
	if r.modal && c.Disabled {
		f.fail("disabled", "SELECT_COMPONENT_DISABLED_IN_MODAL", "A component of a modal cannot be disabled")
	}
	c.Required = optionalBool(f, "required")
	c.MinValues, c.MaxValues = r.bounds(f, 0, 25)
	if asks := c.Required != nil && *c.Required || r.modal && c.Required == nil; asks && c.MinValues != nil &&
		*c.MinValues == 0 {
		f.fail("min_values", "SELECT_COMPONENT_REQUIRED_ZERO_MIN_VALUES",
			"Select menus marked as required cannot have a min_values of 0")
	}
	if d := f.list("default_values", 0, 25); d != nil {
		c.Defaults, _ = json.Marshal(d)
	}
	for _, v := range f.list("channel_types", 0, 20) {
		if n, ok := v.(float64); ok {
			c.ChannelTypes = append(c.ChannelTypes, int(n))
		}
	}
	if c.Type != typeStringSelect {
		return
	}
	defaults := r.options(f, c, 1, 25)
	max := 1
	if c.MaxValues != nil {
		max = *c.MaxValues
	}
	if max > len(c.Options) {
		f.fail("max_values", "SELECT_COMPONENT_MAX_VALUES_EXCEEDS_OPTIONS",
			"Must be less than or equal to the number of options")
	}
	if defaults > max {
		f.fail("options", "SELECT_COMPONENT_TOO_MANY_DEFAULTS",
			"The number of default options cannot exceed max_values")
	}
}

func (r *componentRules) bounds(f form, min, max int) (lo, hi *int) {
	if n, ok := f.integer("min_values", min, max); ok {
		lo = &n
	}
	if n, ok := f.integer("max_values", 1, max); ok {
		hi = &n
	}
	if lo != nil && (hi != nil && *lo > *hi || hi == nil && *lo > 1) {
		f.fail("min_values", "SELECT_COMPONENT_MIN_VALUES_EXCEEDS_MAX", "min_values must not exceed max_values")
	}
	return lo, hi
}

func optionalBool(f form, key string) *bool {
	if b, ok := f.boolean(key); ok {
		return &b
	}
	return nil
}

func (r *componentRules) textInput(f form, c *component) {
	r.customID(f, c)
	f.required("style")
	c.Style, _ = f.integer("style", 1, 2)
	c.Label = f.str("label", 1, 45)
	if !r.inLabel(f) {
		f.required("label")
	}
	c.Placeholder = f.str("placeholder", 0, 100)
	c.Value = f.str("value", 0, 4000)
	c.Required = optionalBool(f, "required")
	if n, ok := f.integer("min_length", 0, 4000); ok {
		c.MinLength = &n
	}
	if n, ok := f.integer("max_length", 1, 4000); ok {
		c.MaxLength = &n
		if units(c.Value) > n {
			f.fail("value", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", n)
		}
	}
}

// inLabel reports whether the component is inside a Label. The Label has the text that describes it.
func (r *componentRules) inLabel(f form) bool { return strings.HasSuffix(f.at, ".component") }

func (r *componentRules) emoji(f form) *emoji {
	o, ok := f.object("emoji")
	if !ok {
		return nil
	}
	e := &emoji{ID: o.str("id", 0, 20), Name: o.str("name", 0, 32)}
	e.Animated, _ = o.boolean("animated")
	if e.ID == "" && !looksLikeEmoji(e.Name) {
		f.fail("emoji.name", "COMPONENT_INVALID_EMOJI", "Invalid emoji")
	}
	return e
}

// looksLikeEmoji is a simple test: it reports whether a name has no letters and no spaces, and at least one character
// outside ASCII.
func looksLikeEmoji(name string) bool {
	beyond := false
	for _, c := range name {
		if unicode.IsLetter(c) || unicode.IsSpace(c) {
			return false
		}
		beyond = beyond || c > unicode.MaxASCII
	}
	return beyond
}

func (r *componentRules) media(f form, key string, remote bool) *media {
	if !f.required(key) {
		return nil
	}
	o, ok := f.object(key)
	if !ok || !o.required("url") {
		return nil
	}
	m := &media{URL: o.str("url", 1, 2048)}
	name, isAttachment := strings.CutPrefix(m.URL, "attachment://")
	switch {
	case isAttachment && !r.files[name]:
		o.fail("url", "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", "The referenced attachment was not found")
	case isAttachment:
	case !remote:
		o.fail("url", "UNFURLED_MEDIA_ITEM_ATTACHMENT_REQUIRED",
			"Only attachment://<filename> references are supported")
	case !hasScheme(m.URL, "http", "https"):
		o.fail("url", "URL_TYPE_INVALID_SCHEME",
			"Scheme \"%s\" is not supported. Scheme must be one of ('http', 'https', 'attachment').", scheme(m.URL))
	}
	return m
}

func scheme(url string) string {
	s, _, ok := strings.Cut(url, "://")
	if !ok {
		return ""
	}
	return strings.ToLower(s)
}

func hasScheme(url string, allowed ...string) bool {
	for _, a := range allowed {
		if scheme(url) == a {
			return true
		}
	}
	return false
}

func itoa(n int) string { return strconv.Itoa(n) }
