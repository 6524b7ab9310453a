package localdiscord

import (
	"cmp"
	"encoding/json"
)

// Types of components.
const (
	typeActionRow         = 1
	typeButton            = 2
	typeStringSelect      = 3
	typeTextInput         = 4
	typeUserSelect        = 5
	typeRoleSelect        = 6
	typeMentionableSelect = 7
	typeChannelSelect     = 8
	typeSection           = 9
	typeTextDisplay       = 10
	typeThumbnail         = 11
	typeMediaGallery      = 12
	typeFile              = 13
	typeSeparator         = 14
	typeContainer         = 17
	typeLabel             = 18
	typeFileUpload        = 19
	typeRadioGroup        = 21
	typeCheckboxGroup     = 22
	typeCheckbox          = 23
)

const styleLink = 5

// component is a component of a message or a modal in Discord's format. Its Type determines which fields are used.
type component struct {
	Type         int             `json:"type"`
	ID           int             `json:"id,omitempty"`
	CustomID     string          `json:"custom_id,omitempty"`
	Label        string          `json:"label,omitempty"`
	Description  string          `json:"description,omitempty"`
	Style        int             `json:"style,omitempty"`
	Emoji        *emoji          `json:"emoji,omitempty"`
	URL          string          `json:"url,omitempty"`
	Disabled     bool            `json:"disabled,omitempty"`
	Placeholder  string          `json:"placeholder,omitempty"`
	MinValues    *int            `json:"min_values,omitempty"`
	MaxValues    *int            `json:"max_values,omitempty"`
	Options      []*selectOption `json:"options,omitempty"`
	ChannelTypes []int           `json:"channel_types,omitempty"`
	Defaults     json.RawMessage `json:"default_values,omitempty"`
	Required     *bool           `json:"required,omitempty"`
	MinLength    *int            `json:"min_length,omitempty"`
	MaxLength    *int            `json:"max_length,omitempty"`
	Value        string          `json:"value,omitempty"`
	Default      bool            `json:"default,omitempty"` // only for a check box
	Content      string          `json:"content,omitempty"`
	Media        *media          `json:"media,omitempty"`
	File         *media          `json:"file,omitempty"`
	Name         string          `json:"name,omitempty"` // only for File
	Size         int             `json:"size,omitempty"` // only for File
	Items        []*galleryItem  `json:"items,omitempty"`
	Spoiler      bool            `json:"spoiler,omitempty"`
	Divider      *bool           `json:"divider,omitempty"`
	Spacing      *int            `json:"spacing,omitempty"`
	AccentColor  *int            `json:"accent_color,omitempty"`
	Accessory    *component      `json:"accessory,omitempty"`
	Component    *component      `json:"component,omitempty"`
	Components   []*component    `json:"components,omitempty"`
}

type emoji struct {
	ID       string `json:"id,omitempty"`
	Name     string `json:"name,omitempty"`
	Animated bool   `json:"animated,omitempty"`
}

type selectOption struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Emoji       *emoji `json:"emoji,omitempty"`
	Default     bool   `json:"default,omitempty"`
}

type media struct {
	ID          string `json:"id,omitempty"` // id of the attachment
	URL         string `json:"url"`
	ProxyURL    string `json:"proxy_url,omitempty"`
	Width       int    `json:"width,omitempty"`
	Height      int    `json:"height,omitempty"`
	ContentType string `json:"content_type,omitempty"`
	Attachment  string `json:"attachment_id,omitempty"`
}

type galleryItem struct {
	Media       *media     `json:"media"`
	Description nullString `json:"description"`
	Spoiler     bool       `json:"spoiler"`
}

// nullString is a text that is encoded as null if it is empty.
type nullString string

// MarshalJSON returns the text or null.
func (s nullString) MarshalJSON() ([]byte, error) { return json.Marshal(nullable(string(s))) }

// MarshalJSON writes a component as Discord returns it: some fields are always present, others only when set.
func (c *component) MarshalJSON() ([]byte, error) {
	type plain component
	switch c.Type {
	case typeThumbnail:
		return json.Marshal(struct {
			*plain
			Description nullString `json:"description"`
			Spoiler     bool       `json:"spoiler"`
		}{(*plain)(c), nullString(c.Description), c.Spoiler})
	case typeFile:
		return json.Marshal(struct {
			*plain
			Name    string `json:"name"`
			Size    int    `json:"size"`
			Spoiler bool   `json:"spoiler"`
		}{(*plain)(c), c.Name, c.Size, c.Spoiler})
	case typeContainer:
		return json.Marshal(struct {
			*plain
			AccentColor *int `json:"accent_color"`
			Spoiler     bool `json:"spoiler"`
		}{(*plain)(c), c.AccentColor, c.Spoiler})
	}
	return json.Marshal((*plain)(c))
}

// complete sets the missing fields of a message's menu or separator to their defaults.
func (c *component) complete() {
	one, divider := 1, true
	switch {
	case c.isSelect():
		c.MinValues, c.MaxValues = cmp.Or(c.MinValues, &one), cmp.Or(c.MaxValues, &one)
	case c.Type == typeSeparator:
		c.Divider, c.Spacing = cmp.Or(c.Divider, &divider), cmp.Or(c.Spacing, &one)
	}
}

// children returns the direct children of a component, in reading order.
func (c *component) children() []*component {
	out := c.Components
	if c.Component != nil {
		out = append(out[:len(out):len(out)], c.Component)
	}
	if c.Accessory != nil {
		out = append(out[:len(out):len(out)], c.Accessory)
	}
	return out
}

// walk calls f for every component of the trees, parents first.
func walk(cs []*component, f func(*component)) {
	for _, c := range cs {
		f(c)
		walk(c.children(), f)
	}
}

func findComponent(cs []*component, customID string) *component {
	var found *component
	walk(cs, func(c *component) {
		if found == nil && c.CustomID != "" && c.CustomID == customID {
			found = c
		}
	})
	return found
}

// mediaOf returns pointers to the fields of a component that refer to a picture or a file.
func (c *component) mediaOf() []*media {
	var out []*media
	if c.Media != nil {
		out = append(out, c.Media)
	}
	if c.File != nil {
		out = append(out, c.File)
	}
	for _, it := range c.Items {
		if it.Media != nil {
			out = append(out, it.Media)
		}
	}
	return out
}

func (c *component) isSelect() bool {
	return c.Type == typeStringSelect || c.Type >= typeUserSelect && c.Type <= typeChannelSelect
}
