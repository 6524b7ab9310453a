// Package form adds features of forms that the Discord library lacks: groups of radio buttons and of check boxes, the
// values of submitted forms, and the decoding of interactions with unknown components.
package form

import (
	"encoding/json"

	"github.com/bwmarrin/discordgo"
)

// Types of components for which the library has no names.
const (
	radioGroupComponent    discordgo.ComponentType = 21
	checkboxGroupComponent discordgo.ComponentType = 22
)

const (
	// MaxOptions is the maximum number of options of a group. A radio group has at least two.
	MaxOptions = 10
)

// Option is one radio button or one check box of a group.
type Option struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Default     bool   `json:"default"` // always sent, because some clients otherwise keep an earlier tick
}

// RadioGroup lets the user choose exactly one of two to MaxOptions options. It belongs in a discordgo.Label.
type RadioGroup struct {
	CustomID string
	Options  []Option
}

// Type returns Discord's number for the type of the component.
func (RadioGroup) Type() discordgo.ComponentType { return radioGroupComponent }

// MarshalJSON encodes the component in Discord's format.
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

// Type returns Discord's number for the type of the component.
func (CheckboxGroup) Type() discordgo.ComponentType { return checkboxGroupComponent }

// MarshalJSON encodes the component in Discord's format.
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
