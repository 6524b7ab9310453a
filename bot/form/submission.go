package form

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/bwmarrin/discordgo"
)

// Submission is a submitted form. Unlike the library's type, it accepts unknown components and decodes their values.
type Submission struct {
	CustomID string // custom_id of the form
	Resolved discordgo.ComponentInteractionDataResolved

	values map[string][]string // values of each component by its custom_id
}

// Type returns the type of an interaction that submits a form.
func (Submission) Type() discordgo.InteractionType { return discordgo.InteractionModalSubmit }

// Values returns the values of the component with that custom_id: a typed text, values of options, or ids of users,
// roles, channels or files. The list is empty if nothing was chosen, or if there is no such component.
func (s Submission) Values(customID string) []string { return s.values[customID] }

// Has reports whether the form had a component with that custom_id.
func (s Submission) Has(customID string) bool { _, ok := s.values[customID]; return ok }

// Value returns the text typed into the component with that custom_id, or its first choice, or "" if there is neither.
func (s Submission) Value(customID string) string {
	if v := s.values[customID]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// Chosen reports whether the value was chosen in the component with that custom_id.
func (s Submission) Chosen(customID, value string) bool {
	return slices.Contains(s.values[customID], value)
}

// File returns the first file in the component with that custom_id, or nil.
func (s Submission) File(customID string) *discordgo.MessageAttachment {
	return s.Resolved.Attachments[s.Value(customID)]
}

// UnmarshalJSON decodes the data of the interaction that submits a form.
func (s *Submission) UnmarshalJSON(raw []byte) error {
	var sent struct {
		CustomID   string                                     `json:"custom_id"`
		Components []json.RawMessage                          `json:"components"`
		Resolved   discordgo.ComponentInteractionDataResolved `json:"resolved"`
	}
	if err := json.Unmarshal(raw, &sent); err != nil {
		return err
	}
	*s = Submission{CustomID: sent.CustomID, Resolved: sent.Resolved, values: map[string][]string{}}
	for _, c := range sent.Components {
		s.read(c, 0)
	}
	return nil
}

// maxDepth limits the nesting of components. In a form, Discord nests a component only once, in a row or a label.
const maxDepth = 8

// read stores the values of a component and of the components in it. Values are texts, numbers, booleans, or lists of
// these. Other values are ignored.
func (s *Submission) read(raw json.RawMessage, depth int) {
	var c struct {
		CustomID   string            `json:"custom_id"`
		Value      any               `json:"value"`
		Values     []any             `json:"values"`
		Component  json.RawMessage   `json:"component"`
		Components []json.RawMessage `json:"components"`
	}
	if json.Unmarshal(raw, &c) != nil || depth > maxDepth {
		return
	}
	if c.CustomID != "" {
		values := []string{}
		for _, v := range append(c.Values, c.Value) {
			switch v := v.(type) {
			case string:
				values = append(values, v)
			case bool, float64:
				values = append(values, fmt.Sprint(v))
			}
		}
		s.values[c.CustomID] = values
	}
	if len(c.Component) > 0 {
		s.read(c.Component, depth+1)
	}
	for _, inner := range c.Components {
		s.read(inner, depth+1)
	}
}

// Unmarshal decodes an interaction as the library does, with two differences. The data of a form are a Submission. A
// message in the interaction with components that the library does not know is decoded without components.
func Unmarshal(raw []byte, i *discordgo.Interaction) error {
	var head struct {
		Type discordgo.InteractionType `json:"type"`
		Data json.RawMessage           `json:"data"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return err
	}
	if head.Type != discordgo.InteractionModalSubmit {
		return tolerant(raw, i)
	}
	var form Submission
	if err := json.Unmarshal(head.Data, &form); err != nil {
		return fmt.Errorf("a form: %w", err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	fields["data"] = json.RawMessage(`{}`)
	rest, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	if err := tolerant(rest, i); err != nil {
		return err
	}
	i.Data = form
	return nil
}

// tolerant decodes an interaction. If the library rejects it, tolerant decodes it again without components.
func tolerant(raw []byte, i *discordgo.Interaction) error {
	failed := json.Unmarshal(raw, i)
	if failed == nil {
		return nil
	}
	var all any
	if json.Unmarshal(raw, &all) != nil {
		return failed
	}
	dropComponents(all)
	bare, err := json.Marshal(all)
	if err != nil || json.Unmarshal(bare, i) != nil {
		return failed
	}
	return nil
}

// dropComponents removes all components from a value decoded from JSON, at any depth.
func dropComponents(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "components")
		for _, inner := range v {
			dropComponents(inner)
		}
	case []any:
		for _, inner := range v {
			dropComponents(inner)
		}
	}
}
