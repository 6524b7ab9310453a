package bottest

import (
	"encoding/json"
	"fmt"
)

// Types of components that ClientFaults checks. Source: Discord's documentation, section "Component Reference".
const (
	stringSelect  = 3
	userSelect    = 5
	channelSelect = 8
	label         = 18
	fileUpload    = 19
	radioGroup    = 21
	checkboxGroup = 22
	checkbox      = 23
)

// ClientFaults describes the parts of a request's body that Discord accepts, but that some of its clients show wrongly:
//
//   - A box or an option without an explicit "not selected" keeps an earlier tick.
//   - A select, a file upload or a group of boxes that may be empty can be emptied on a phone only if it says so: in a
//     form by both min_values 0 and required false, in a message by min_values. Selects of people, roles and channels
//     therefore always have min_values.
//   - The default of a radio group can be invisible on a phone. The help above the group must name it.
//     ClientFaults only checks that there is some help.
//
// Source: docs/discord.md, section Forms.
func ClientFaults(body []byte) []string {
	var all any
	if json.Unmarshal(body, &all) != nil {
		return nil
	}
	var faults []string
	form, _ := all.(map[string]any)
	clientFaults(all, form["type"] == 9.0, "", &faults)
	return faults
}

// clientFaults checks a value and all values in it. help is the description of the label that contains the value.
func clientFaults(value any, form bool, help string, faults *[]string) {
	if list, ok := value.([]any); ok {
		for _, v := range list {
			clientFaults(v, form, help, faults)
		}
		return
	}
	c, ok := value.(map[string]any)
	if !ok {
		return
	}
	add := func(format string, a ...any) {
		*faults = append(*faults, fmt.Sprintf("%v: %s", c["custom_id"], fmt.Sprintf(format, a...)))
	}
	said := func(where map[string]any, key string) bool { _, ok := where[key]; return ok }
	kind, _ := c["type"].(float64)
	if said(c, "custom_id") {
		options, _ := c["options"].([]any)
		chosen := false
		for _, o := range options {
			o, _ := o.(map[string]any)
			if !said(o, "default") {
				add("it is not said whether %v is chosen from the start", o["value"])
			}
			chosen = chosen || o["default"] == true
		}
		entities := kind >= userSelect && kind <= channelSelect
		switch {
		case kind == checkbox && !said(c, "default"):
			add("it is not said whether it is ticked from the start")
		case kind == radioGroup && chosen && help == "":
			add("no help says which option is chosen from the start")
		case form && (kind == stringSelect || entities || kind == fileUpload || kind == checkboxGroup):
			if (c["required"] == false) != (c["min_values"] == 0.0) {
				add("required is %v and min_values %v: a phone cannot leave it empty", c["required"], c["min_values"])
			}
		}
		if entities && !said(c, "min_values") {
			add("min_values is not said")
		}
	}
	if kind == label {
		help, _ = c["description"].(string)
	}
	for key, v := range c {
		if key != "options" {
			clientFaults(v, form, help, faults)
		}
	}
}
