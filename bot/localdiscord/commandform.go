package localdiscord

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Discord's limits on commands.
const (
	maxCommands     = 100 // chat input commands; each kind of context menu has 15
	maxContextMenu  = 15
	maxOptions      = 25
	maxChoices      = 25
	maxCommandRunes = 8000
)

// Types of commands and options.
const (
	commandChat    = 1
	commandUser    = 2
	commandMessage = 3
	commandEntry   = 4 // the Entry Point of the application's Activities
	entryByApp     = 1 // the handler value for an Entry Point that the application answers

	optionSubcommand  = 1
	optionGroup       = 2
	optionString      = 3
	optionInteger     = 4
	optionBoolean     = 5
	optionUser        = 6
	optionChannel     = 7
	optionRole        = 8
	optionMentionable = 9
	optionNumber      = 10
	optionAttachment  = 11
)

// The contexts in which a command can be used.
const (
	contextGuild   = 0
	contextBotDM   = 1
	contextPrivate = 2 // group DMs, and DMs between people
)

// The ways in which an application can be installed.
const (
	installGuild = 0
	installUser  = 1
)

// command is a registered command as Discord returns it. Missing fields have their default value. Missing translations
// are null, even if they were sent as {}.
type command struct {
	ID                       string            `json:"id"`
	ApplicationID            string            `json:"application_id"`
	GuildID                  string            `json:"guild_id,omitempty"`
	Version                  string            `json:"version"`
	Type                     int               `json:"type"`
	Name                     string            `json:"name"`
	NameLocalizations        map[string]string `json:"name_localizations"`
	Description              string            `json:"description"`
	DescriptionLocalizations map[string]string `json:"description_localizations"`
	Options                  []*option         `json:"options,omitempty"`
	DefaultMemberPermissions *string           `json:"default_member_permissions"`
	DMPermission             *bool             `json:"dm_permission,omitempty"` // only for global commands
	Contexts                 []int             `json:"contexts"`
	IntegrationTypes         []int             `json:"integration_types"`
	NSFW                     bool              `json:"nsfw"`
	Handler                  int               `json:"handler,omitempty"` // only for an Entry Point
}

type option struct {
	Type                     int               `json:"type"`
	Name                     string            `json:"name"`
	NameLocalizations        map[string]string `json:"name_localizations"`
	Description              string            `json:"description"`
	DescriptionLocalizations map[string]string `json:"description_localizations"`
	Required                 bool              `json:"required,omitempty"`
	Autocomplete             bool              `json:"autocomplete,omitempty"`
	Choices                  []choice          `json:"choices,omitempty"`
	Options                  []*option         `json:"options,omitempty"`
	ChannelTypes             []int             `json:"channel_types,omitempty"`
	MinValue                 *float64          `json:"min_value,omitempty"`
	MaxValue                 *float64          `json:"max_value,omitempty"`
	MinLength                *int              `json:"min_length,omitempty"`
	MaxLength                *int              `json:"max_length,omitempty"`
}

type choice struct {
	Name              string            `json:"name"`
	NameLocalizations map[string]string `json:"name_localizations"`
	Value             any               `json:"value"`
}

var (
	commandNamePattern = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)
	locales            = []string{"id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu",
		"nl", "no", "pl",
		"pt-BR", "ro", "fi", "sv-SE", "vi", "tr", "cs", "el", "bg", "ru", "uk", "hi", "th", "zh-CN", "ja", "zh-TW",
		"ko"}
)

func chatName(s string) bool { return commandNamePattern.MatchString(s) && s == strings.ToLower(s) }

// readCommand reads and validates a command.
func readCommand(f form) *command {
	cmd := &command{ApplicationID: Application, Type: commandChat, IntegrationTypes: []int{0}}
	if t, ok := f.integer("type", 1, 4); ok {
		cmd.Type = t
	}
	f.required("name")
	cmd.Name = f.str("name", 1, 32)
	chat := cmd.Type == commandChat
	if chat && cmd.Name != "" && !chatName(cmd.Name) {
		f.fail("name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
	}
	cmd.NameLocalizations = readLocalizations(f, "name_localizations", 32, chat)
	cmd.Description = f.str("description", 0, 100)
	if chat && cmd.Description == "" {
		f.fail("description", "BASE_TYPE_REQUIRED", "This field is required")
	}
	if cmd.Type == commandEntry {
		cmd.Handler, _ = f.integer("handler", 1, 2)
	} else if !chat && cmd.Description != "" {
		f.fail("description", "APPLICATION_COMMAND_DESCRIPTION_FORBIDDEN",
			"Context menu commands cannot have description")
	}
	cmd.DescriptionLocalizations = readLocalizations(f, "description_localizations", 100, false)
	cmd.Options = readOptions(f, 0)
	if !chat && len(cmd.Options) > 0 {
		f.fail("options", "APPLICATION_COMMAND_OPTIONS_FORBIDDEN", "Context menu commands cannot have options")
	}
	if v := f.str("default_member_permissions", 0, 20); v != "" {
		cmd.DefaultMemberPermissions = &v
	}
	if f.m["contexts"] != nil {
		cmd.Contexts = readInts(f, "contexts", 3, 0, 2)
	} else if dm, ok := f.boolean("dm_permission"); ok && !dm {
		cmd.Contexts = []int{contextGuild}
	}
	if f.m["integration_types"] != nil {
		cmd.IntegrationTypes = readInts(f, "integration_types", 2, 0, 1)
	}
	cmd.NSFW, _ = f.boolean("nsfw")
	size := longest(cmd.Name, cmd.NameLocalizations) + longest(cmd.Description, cmd.DescriptionLocalizations) +
		optionsSize(cmd.Options)
	if size > maxCommandRunes {
		f.fail("", "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (%d)", maxCommandRunes)
	}
	return cmd
}

func readInts(f form, key string, max, lo, hi int) []int {
	out := []int{}
	for i, v := range f.list(key, 0, max) {
		n, ok := v.(float64)
		if !ok || n != float64(int(n)) || int(n) < lo || int(n) > hi {
			f.errs.add(f.path(key)+"."+itoa(i), "BASE_TYPE_CHOICES", "Value must be between %d and %d.", lo, hi)
			continue
		}
		out = append(out, int(n))
	}
	return out
}

func readLocalizations(f form, key string, max int, chat bool) map[string]string {
	o, ok := f.object(key)
	if !ok {
		return nil
	}
	out := map[string]string{}
	for locale := range o.m {
		if !slices.Contains(locales, locale) {
			o.fail(locale, "BASE_TYPE_CHOICES", "%q is not a locale", locale)
			continue
		}
		text := o.str(locale, 1, max)
		if text == "" {
			continue
		}
		if chat && !chatName(text) {
			o.fail(locale, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
		}
		out[locale] = text
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func readOptions(f form, depth int) []*option {
	var out []*option
	names := map[string]bool{}
	optional, nested, flat := false, false, false
	for _, o := range f.objects("options", 0, maxOptions) {
		opt := readOption(o, depth)
		if names[opt.Name] && opt.Name != "" {
			o.fail("name", "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name already exists")
		}
		names[opt.Name] = true
		if opt.Type == optionSubcommand || opt.Type == optionGroup {
			nested = true
		} else {
			flat = true
			if opt.Required && optional {
				o.fail("required", "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
					"Required options must be placed before non-required options")
			}
			optional = optional || !opt.Required
		}
		out = append(out, opt)
	}
	if nested && flat {
		f.fail("options", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
			"Sub-command and sub-command group option types are mutually exclusive to all other types")
	}
	return out
}

func readOption(f form, depth int) *option {
	f.required("type")
	f.required("name")
	f.required("description")
	opt := &option{Name: f.str("name", 1, 32), Description: f.str("description", 1, 100)}
	opt.Type, _ = f.integer("type", 1, 11)
	if opt.Name != "" && !chatName(opt.Name) {
		f.fail("name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
	}
	opt.NameLocalizations = readLocalizations(f, "name_localizations", 32, true)
	opt.DescriptionLocalizations = readLocalizations(f, "description_localizations", 100, false)
	opt.Required, _ = f.boolean("required")
	opt.Autocomplete, _ = f.boolean("autocomplete")
	opt.ChannelTypes = readInts(f, "channel_types", 20, 0, 16)

	nested := opt.Type == optionSubcommand || opt.Type == optionGroup
	if nested && depth >= 3-opt.Type {
		f.fail("type", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-commands cannot be nested this deep")
	}
	if f.has("options") {
		opt.Options = readOptions(f, depth+1)
		if !nested && len(opt.Options) > 0 {
			f.fail("options", "APPLICATION_COMMAND_OPTIONS_FORBIDDEN", "Only sub-commands and groups have options")
		}
		for i, child := range opt.Options {
			if opt.Type == optionGroup && child.Type != optionSubcommand {
				f.errs.add(f.path("options")+"."+itoa(i)+".type", "BASE_TYPE_CHOICES", "Value must be one of {1}.")
			}
		}
	}
	textual := opt.Type == optionString
	numeric := opt.Type == optionInteger || opt.Type == optionNumber
	if n, ok := f.number("min_value", -1<<53, 1<<53); ok {
		opt.MinValue = &n
	}
	if n, ok := f.number("max_value", -1<<53, 1<<53); ok {
		opt.MaxValue = &n
	}
	if !numeric && (opt.MinValue != nil || opt.MaxValue != nil) {
		f.fail("min_value", "APPLICATION_COMMAND_OPTION_MIN_MAX_FORBIDDEN",
			"min_value and max_value belong to numbers alone")
	}
	if n, ok := f.integer("min_length", 0, 6000); ok {
		opt.MinLength = &n
	}
	if n, ok := f.integer("max_length", 1, 6000); ok {
		opt.MaxLength = &n
	}
	if !textual && (opt.MinLength != nil || opt.MaxLength != nil) {
		f.fail("min_length", "APPLICATION_COMMAND_OPTION_MIN_MAX_FORBIDDEN",
			"min_length and max_length belong to strings alone")
	}
	opt.Choices = readChoices(f, opt.Type)
	if opt.Autocomplete && len(opt.Choices) > 0 {
		f.fail("autocomplete", "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES_EXCLUSIVE",
			"autocomplete and choices are mutually exclusive")
	}
	if (opt.Autocomplete || len(opt.Choices) > 0) && !textual && !numeric {
		f.fail("type", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
			"Only strings and numbers have choices or autocomplete")
	}
	return opt
}

// readChoices reads and validates the choices of a command's option or of an autocomplete answer. optionType is the
// type of the option.
func readChoices(f form, optionType int) []choice {
	var out []choice
	names := map[string]bool{}
	for _, o := range f.objects("choices", 0, maxChoices) {
		o.required("name")
		c := choice{Name: o.str("name", 1, 100), NameLocalizations: readLocalizations(o, "name_localizations", 100,
			false)}
		if names[c.Name] && c.Name != "" {
			o.fail("name", "APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS",
				"Option choice name already exists")
		}
		names[c.Name] = true
		if !o.required("value") {
			continue
		}
		switch v := o.m["value"].(type) {
		case string:
			if optionType != optionString {
				o.fail("value", "NUMBER_TYPE_COERCE", "Value \"%s\" is not int.", v)
			}
			o.length("value", units(v), 1, 100)
		case float64:
			switch {
			case optionType == optionString:
				o.fail("value", "STRING_TYPE_CONVERT", "Could not interpret \"%v\" as string.", v)
			case optionType == optionInteger && v != float64(int64(v)):
				o.fail("value", "NUMBER_TYPE_COERCE", "Value \"%v\" is not int.", v)
			}
		default:
			o.fail("value", "STRING_TYPE_CONVERT", "Could not interpret \"%v\" as string.", v)
		}
		c.Value = o.m["value"]
		out = append(out, c)
	}
	return out
}

// longest returns the length of the longest of a text and its translations. This length counts towards Discord's limit
// of 8,000 characters.
func longest(text string, translations map[string]string) int {
	n := units(text)
	for _, t := range translations {
		n = max(n, units(t))
	}
	return n
}

func optionsSize(opts []*option) int {
	n := 0
	for _, o := range opts {
		n += longest(o.Name, o.NameLocalizations) + longest(o.Description, o.DescriptionLocalizations) +
			optionsSize(o.Options)
		for _, c := range o.Choices {
			n += longest(c.Name, c.NameLocalizations) + units(fmt.Sprint(c.Value))
		}
	}
	return n
}
