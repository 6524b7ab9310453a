package localdiscord

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf16"
)

// options reads the options of a menu or a group, and returns the number of default options.
func (r *componentRules) options(f form, c *component, least, most int) (defaults int) {
	f.required("options")
	values := map[string]bool{}
	for _, o := range f.objects("options", least, most) {
		o.required("label")
		o.required("value")
		opt := &selectOption{
			Label:       o.str("label", 1, 100),
			Value:       o.str("value", 1, 100),
			Description: o.str("description", 0, 100),
			Emoji:       r.emoji(o),
		}
		opt.Default, _ = o.boolean("default")
		if opt.Default {
			defaults++
		}
		if values[opt.Value] {
			o.fail("value", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
		}
		values[opt.Value] = true
		c.Options = append(c.Options, opt)
	}
	return defaults
}

// group reads a group of radio buttons or check boxes.
func (r *componentRules) group(f form, c *component) {
	r.customID(f, c)
	least, most := 2, 1 // minimum number of options, and maximum number of chosen ones
	if c.Type == typeCheckboxGroup {
		least = 1
	}
	c.Required = optionalBool(f, "required")
	defaults := r.options(f, c, least, 10)
	if c.Type == typeCheckboxGroup {
		most = r.several(f, c, len(c.Options))
	}
	if most > len(c.Options) {
		f.fail("max_values", "SELECT_COMPONENT_MAX_VALUES_EXCEEDS_OPTIONS",
			"Must be less than or equal to the number of options")
	}
	if defaults > most {
		f.fail("options", "SELECT_COMPONENT_TOO_MANY_DEFAULTS",
			"The number of default options cannot exceed max_values")
	}
}

func (r *componentRules) fileUpload(f form, c *component) {
	r.customID(f, c)
	c.Required = optionalBool(f, "required")
	r.several(f, c, 1)
}

// several reads how many boxes or files can be chosen, and returns the maximum. most is the maximum that applies if the
// request sets none.
func (r *componentRules) several(f form, c *component, most int) int {
	if n, ok := f.integer("max_values", 1, 10); ok {
		c.MaxValues, most = &n, n
	}
	n, ok := f.integer("min_values", 0, 10)
	if !ok {
		return most
	}
	c.MinValues = &n
	if n > most {
		f.fail("min_values", "SELECT_COMPONENT_MIN_VALUES_EXCEEDS_MAX", "min_values must not exceed max_values")
	}
	if n == 0 && c.required() {
		f.fail("required", "COMPONENT_REQUIRED_WITHOUT_VALUES", "Must be false where min_values is 0")
	}
	return most
}

// required reports whether the component of a modal must be filled in.
func (c *component) required() bool { return c.Required == nil || *c.Required }

// preset returns the initial choice in a modal's component.
func (c *component) preset() []string {
	out := []string{}
	for _, o := range c.Options {
		if o.Default {
			out = append(out, o.Value)
		}
	}
	var list []struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(c.Defaults, &list) == nil {
		for _, d := range list {
			out = append(out, d.ID)
		}
	}
	return out
}

// put returns the fields that the client sends for one component of a modal, besides its type and id. given is the
// user's input. If it is nil, the component keeps its default.
func (c *component) put(given any, resolved *wireResolved) (w map[string]any, err error) {
	chosen := c.preset()
	switch v := given.(type) {
	case []string:
		chosen = v
	case string:
		chosen = []string{v}
	}
	w = map[string]any{"custom_id": c.CustomID}
	switch {
	case c.Type == typeTextInput:
		w["value"], err = c.typed(given)
	case c.isSelect():
		w["values"] = chosen
		if c.required() || len(chosen) > 0 {
			err = checkSelection(c, chosen, resolved)
		}
	case c.Type == typeRadioGroup:
		w["value"], err = c.radio(chosen)
	case c.Type == typeCheckboxGroup:
		w["values"], err = chosen, c.checkBoxes(chosen)
	case c.Type == typeCheckbox:
		on := c.Default
		if v, ok := given.(bool); ok {
			on = v
		}
		w["value"] = on
	case c.Type == typeFileUpload:
		w["values"], err = c.uploads(given, resolved)
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

// bad returns the error for a value that a component does not accept.
func (c *component) bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrBadModal, c.CustomID, fmt.Sprintf(format, args...))
}

// typed returns the text in a text input.
func (c *component) typed(given any) (string, error) {
	text := c.Value
	if given != nil {
		text = fmt.Sprint(given)
	}
	n := units(text)
	if c.required() && n == 0 || n > 0 && c.MinLength != nil && n < *c.MinLength ||
		c.MaxLength != nil && n > *c.MaxLength || n > 4000 {
		return "", c.bad("%s", wrongLength(n, c.MinLength, c.MaxLength, 4000))
	}
	return text, nil
}

// wrongLength returns the error text for a text of n characters, which is too short or too long. usual is the maximum
// if most is nil.
func wrongLength(n int, least, most *int, usual int) string {
	from, to := 1, usual
	if least != nil {
		from = *least
	}
	if most != nil {
		to = *most
	}
	return fmt.Sprintf("%d characters, and it takes %d to %d", n, from, to)
}

// radio returns the value that a radio group sends for a choice; nil for none.
func (c *component) radio(chosen []string) (any, error) {
	switch {
	case len(chosen) > 1 || len(chosen) == 0 && c.required():
		return nil, c.bad("%d chosen", len(chosen))
	case len(chosen) == 0:
		return nil, nil
	case !c.offers(chosen[0]):
		return nil, c.bad("%q is not offered", chosen[0])
	}
	return chosen[0], nil
}

// checkBoxes returns an error if these check boxes of a group cannot be chosen together.
func (c *component) checkBoxes(chosen []string) error {
	if !c.howMany(len(chosen), len(c.Options)) {
		return c.bad("%d chosen", len(chosen))
	}
	for i, v := range chosen {
		if !c.offers(v) || slices.Contains(chosen[:i], v) {
			return c.bad("%q is not offered", v)
		}
	}
	return nil
}

// uploads stores the files that the user has chosen, and returns their ids.
func (c *component) uploads(given any, resolved *wireResolved) ([]string, error) {
	var files []File
	switch v := given.(type) {
	case File:
		files = []File{v}
	case []File:
		files = v
	}
	if !c.howMany(len(files), 1) {
		return nil, c.bad("%d files", len(files))
	}
	ids := []string{}
	for _, f := range files {
		if len(f.Data) > maxFileBytes {
			return nil, c.bad("the file is larger than 10 MiB")
		}
		a := resolved.state.keepUpload(resolved.ch, f)
		resolved.file(a)
		ids = append(ids, a.ID)
	}
	return ids, nil
}

// offers reports whether a value is one of the component's options.
func (c *component) offers(value string) bool {
	return slices.ContainsFunc(c.Options, func(o *selectOption) bool { return o.Value == value })
}

// howMany reports whether n boxes or files can be chosen. most is the maximum that applies if the component sets none.
func (c *component) howMany(n, most int) bool {
	if n == 0 && !c.required() {
		return true
	}
	least := 1
	if c.MinValues != nil {
		least = *c.MinValues
	}
	if c.MaxValues != nil {
		most = *c.MaxValues
	}
	return n >= least && n <= most
}

// units returns the length of a text as Discord counts it, in UTF-16 units. Most emoji have two or more.
func units(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}
