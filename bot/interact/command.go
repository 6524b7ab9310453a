package interact

import (
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/show"
)

// Command is a slash command with its options, its access, its handler, and the actions of the buttons in its answers.
//
// Name is the text after the slash: "play", "table join" for a command of the family /table, or "server season start"
// for a command of a group in a family. Rooms declare the commands of a family one by one, and the registry collects
// them. In the ids of their sentences, dots replace the spaces: "command.table.join.description". Families and groups
// also have sentences: "command.table.description".
//
// A command with a Menu is in the context menu of people or messages. Its Name is the English entry there, and "Show
// this position" has the sentence "command.menu.show-this-position".
type Command struct {
	Name    string
	Menu    discordgo.ApplicationCommandType // UserApplicationCommand, MessageApplicationCommand; 0 for a slash command
	Topic   Topic                            // page of /help that lists the command
	Options []Option
	Access  Access // all commands of a family must have the same access
	// Anywhere also offers the command outside the bot's servers: in direct messages with the bot, and everywhere to
	// users who have installed it. Discord offers either all or no commands of a family.
	Anywhere bool
	Route
	Actions []Action // actions of the command's buttons, menus and forms, which have the command's access
}

// path returns the command's key among the routes. For a context menu command, the key also contains the kind of menu,
// because a menu can have the name of a slash command or of another menu.
func (c Command) path() string { return commandPath(c.Menu, c.Name) }

func commandPath(menu discordgo.ApplicationCommandType, name string) string {
	switch menu {
	case discordgo.UserApplicationCommand:
		return "user: " + name
	case discordgo.MessageApplicationCommand:
		return "message: " + name
	}
	return name
}

// menuSentence returns the id of the sentence that names a command of the context menu.
func (c Command) menuSentence() string {
	return "command.menu." + strings.ReplaceAll(strings.ToLower(c.Name), " ", "-")
}

// Action declares the handler of the controls whose custom_id has this action.
type Action struct {
	Name     show.Action
	Anywhere bool // the control also works outside the bot's servers, even if its command is not offered there
	Route
}

// Access determines who can give a command.
type Access int

const (
	// Everybody can give the command. The command can still be refused, for example to users who do not play at the
	// table.
	Everybody Access = iota
	// Managers have Discord's permission Manage Server. Other users are refused. They see the command only if the
	// server's settings on Discord allow it.
	Managers
	// Moderators are managers, and members with the moderators' role in the bot's settings. Discord offers the command
	// to managers, and to members to whom the server's settings on Discord allow it. The router checks neither: the
	// handler must refuse other users.
	Moderators
)

// permissions returns the permissions that a member needs to see the command in Discord, or nil for none.
func (a Access) permissions() *int64 {
	if a == Everybody {
		return nil
	}
	manage := int64(discordgo.PermissionManageGuild)
	return &manage
}

// Option is a parameter of a command. Its description is the sentence "command.option.NAME.description" in all
// commands, unless Described sets another.
type Option struct {
	name        string
	kind        discordgo.ApplicationCommandOptionType
	required    bool
	completed   bool
	least, most *float64
	length      int
	choices     []choice
	description string // id of the sentence that describes it; "" for the usual id
}

// choice is a possible value of an option, with the id of the sentence that names it.
type choice struct{ sentence, value string }

// Typed returns an option that takes text.
func Typed(name string) Option {
	return Option{name: name, kind: discordgo.ApplicationCommandOptionString}
}

// Count returns an option that takes a whole number.
func Count(name string) Option {
	return Option{name: name, kind: discordgo.ApplicationCommandOptionInteger}
}

// Flag returns an option that is true or false.
func Flag(name string) Option {
	return Option{name: name, kind: discordgo.ApplicationCommandOptionBoolean}
}

// Somebody returns an option that names a user.
func Somebody(name string) Option {
	return Option{name: name, kind: discordgo.ApplicationCommandOptionUser}
}

// SomeRole returns an option that names a role of the server.
func SomeRole(name string) Option {
	return Option{name: name, kind: discordgo.ApplicationCommandOptionRole}
}

// Upload returns an option that takes a file. Request.Upload returns Discord's description of the file.
func Upload(name string) Option {
	return Option{name: name, kind: discordgo.ApplicationCommandOptionAttachment}
}

// Required makes the option mandatory.
func (o Option) Required() Option { o.required = true; return o }

// Completed turns on autocomplete: while the user types, the route's Complete returns the choices.
func (o Option) Completed() Option { o.completed = true; return o }

// From sets the minimum value of the option.
func (o Option) From(least float64) Option { o.least = &least; return o }

// To sets the maximum value of the option.
func (o Option) To(most float64) Option { o.most = &most; return o }

// UpTo sets the maximum length of the option in characters.
func (o Option) UpTo(characters int) Option { o.length = characters; return o }

// Or adds a possible value of the option, and the id of the sentence that names it.
func (o Option) Or(sentence, value string) Option {
	o.choices = append(o.choices[:len(o.choices):len(o.choices)], choice{sentence, value})
	return o
}

// OneOf adds possible values of the option. Each is named by the sentence prefix + "." + value.
func (o Option) OneOf(prefix string, values ...string) Option {
	for _, v := range values {
		o = o.Or(prefix+"."+v, v)
	}
	return o
}

// Described sets the id of the sentence that describes the option.
func (o Option) Described(sentence string) Option { o.description = sentence; return o }

// TableOption returns an option that names a table. Finder.Table finds the named table.
func TableOption() Option { return Typed("table").Completed() }

// ShareOption returns an option with which the user can show the answer to everybody. Shared returns its value.
func ShareOption() Option { return Flag("share") }

// Shared reports whether the user wants everybody to see the answer.
func Shared(r *Request) bool { return r.Flag("share") }

// GameOption returns an option that names one of the games.
func GameOption(all show.Games) Option {
	o := Typed("game")
	for _, g := range all {
		o = o.Or(g.Key()+".name", g.Key())
	}
	return o
}

// WithOption returns an option to select games among people or games with computers.
func WithOption() Option {
	return Typed("with").OneOf("command.option.with", WithPeople, WithComputers)
}

// Values of the option that WithOption returns.
const (
	WithPeople    = "people"
	WithComputers = "computers"
)

// MaxTyped limits the characters of a typed move or line of moves.
const MaxTyped = 100
