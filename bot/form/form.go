// Package form adds what the Discord library lacks for forms: radio groups and groups of check boxes, the values that
// users put into any form, and the reading of interactions with components that the library does not know.
package form

import (
	"encoding/json"

	"github.com/bwmarrin/discordgo"
)

// The types of components that the library has no names for, as Discord numbers them.
const (
	radioGroupComponent    discordgo.ComponentType = 21
	checkboxGroupComponent discordgo.ComponentType = 22
)

// Discord's limits.
const (
	// MaxOptions is how many options a group may have. A radio group has two at least.
	MaxOptions = 10
)

// Option is one line of a group.
type Option struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Default     bool   `json:"default"` // never left out: some clients keep an earlier tick if it is
}

// RadioGroup lets the user choose exactly one of two to MaxOptions options. It belongs in a discordgo.Label.
type RadioGroup struct {
	CustomID string
	Options  []Option
}

// Type is Discord's number of the component.
func (RadioGroup) Type() discordgo.ComponentType { return radioGroupComponent }

// MarshalJSON returns the component as Discord takes it.
func (g RadioGroup) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type     discordgo.ComponentType `json:"type"`
		CustomID string                  `json:"custom_id"`
		Options  []Option                `json:"options"`
		Required bool                    `json:"required"`
	}{g.Type(), g.CustomID, g.Options, true})
}

// CheckboxGroup lets the user choose any number of one to MaxOptions options. It belongs in a discordgo.Label.
type CheckboxGroup struct {
	CustomID string
	Options  []Option
}

// Type is Discord's number of the component.
func (CheckboxGroup) Type() discordgo.ComponentType { return checkboxGroupComponent }

// MarshalJSON returns the component as Discord takes it.
func (g CheckboxGroup) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type      discordgo.ComponentType `json:"type"`
		CustomID  string                  `json:"custom_id"`
		Options   []Option                `json:"options"`
		MinValues int                     `json:"min_values"`
		MaxValues int                     `json:"max_values"`
		Required  bool                    `json:"required"`
	}{g.Type(), g.CustomID, g.Options, 0, len(g.Options), false})
}
