package interact

import (
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/show"
)

// Command is a slash command with everything that belongs to it: what it takes, who may give it,
// who answers it, and what the buttons do that come of it.
//
// Name is what is typed behind the slash: "play"; "seat join" for a command of the family /seat;
// "server season start" for one of a group of a family. Rooms declare commands of one family apart,
// and the registry gathers them. Sentences have points for the spaces:
// "command.seat.join.description", and "command.seat.join.name" (the last word) in languages that
// call it something else; families and groups have theirs, as "command.seat.description".
//
// A command with a Menu is in the context menu of people or messages: its Name is what stands there
// in English, and the sentence "command.menu.show-this-position" for "Show this position".
type Command struct {
	Name    string
	Menu    discordgo.ApplicationCommandType // UserApplicationCommand, MessageApplicationCommand; 0 for a slash command
	Topic   Topic                            // its page of /help
	Options []Option
	Access  Access // the same in a whole family
	// Anywhere lets the command be given where the bot is not, too: in direct messages with it, and by
	// whoever has installed it for themselves wherever they are. Discord offers a family where it offers
	// one of its commands.
	Anywhere bool
	Route
	Actions []Action // of buttons, menus and forms; they have the command's access
}

// path is what the command is routed by: kind and name, as a menu may have the name of a slash
// command or of another menu.
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

// menuSentence is the id of what a command of the context menu is called.
func (c Command) menuSentence() string {
	return "command.menu." + strings.ReplaceAll(strings.ToLower(c.Name), " ", "-")
}

// Action says who answers the controls with an action.
type Action struct {
	Name     show.Action
	Anywhere bool // the control is there where the bot is not, even if its command is not
	Route
}

// Access says who may give a command.
type Access int

const (
	// Everybody may give the command; the table may still refuse what they want.
	Everybody Access = iota
	// Managers have Discord's permission Manage Server. Nobody else is offered the command.
	Managers
	// Moderators are managers, and who has the role that the settings name. Discord offers the
	// command to the former, and to whom the server lets see it besides; the table asks for the role.
	Moderators
)

// permissions are what Discord wants of those to whom it offers the command; nil for nothing.
func (a Access) permissions() *int64 {
	if a == Everybody {
		return nil
	}
	manage := int64(discordgo.PermissionManageGuild)
	return &manage
}

// Option is one thing that a command takes. Its sentences are "command.option.NAME.description" and
// ".name", whatever the command.
type Option struct {
	name        string
	kind        discordgo.ApplicationCommandOptionType
	required    bool
	completed   bool
	least, most *float64
	length      int
	choices     []choice
	description string // the sentence's id, where it is another than the name says
}

// choice is one of the values that an option takes, with the id of what it is called.
type choice struct{ sentence, value string }

// Typed is an option of words.
func Typed(name string) Option {
	return Option{name: name, kind: discordgo.ApplicationCommandOptionString}
}

// Count is an option of whole numbers.
func Count(name string) Option {
	return Option{name: name, kind: discordgo.ApplicationCommandOptionInteger}
}

// Flag is an option that is true or false.
func Flag(name string) Option {
	return Option{name: name, kind: discordgo.ApplicationCommandOptionBoolean}
}

// Somebody is an option that names a user.
func Somebody(name string) Option {
	return Option{name: name, kind: discordgo.ApplicationCommandOptionUser}
}

// SomeRole is an option that names a role of the server.
func SomeRole(name string) Option {
	return Option{name: name, kind: discordgo.ApplicationCommandOptionRole}
}

// Upload is an option that is a file; Request.Upload reads what Discord says of it.
func Upload(name string) Option {
	return Option{name: name, kind: discordgo.ApplicationCommandOptionAttachment}
}

// Required makes an option that cannot be left out.
func (o Option) Required() Option { o.required = true; return o }

// Completed makes an option that is completed while it is typed, by the route's Complete.
func (o Option) Completed() Option { o.completed = true; return o }

// From makes an option that is at least so much.
func (o Option) From(least float64) Option { o.least = &least; return o }

// To makes an option that is at most so much.
func (o Option) To(most float64) Option { o.most = &most; return o }

// UpTo makes an option of at most so many characters.
func (o Option) UpTo(characters int) Option { o.length = characters; return o }

// Or adds a value that the option may have, called by the sentence of that id.
func (o Option) Or(sentence, value string) Option {
	o.choices = append(o.choices[:len(o.choices):len(o.choices)], choice{sentence, value})
	return o
}

// OneOf makes an option with these values alone, each called by the sentence prefix + "." + value.
func (o Option) OneOf(prefix string, values ...string) Option {
	for _, v := range values {
		o = o.Or(prefix+"."+v, v)
	}
	return o
}

// Described makes an option that is described by the sentence of that id.
func (o Option) Described(sentence string) Option { o.description = sentence; return o }

// TableOption names a table; Finder.Table finds it.
func TableOption() Option { return Typed("table").Completed() }

// ShareOption says that everybody shall see the answer; Shared reads it.
func ShareOption() Option { return Flag("share") }

// Shared reports whether the user wants everybody to see the answer.
func Shared(r *Request) bool { return r.Flag("share") }

// GameOption names one of the games.
func GameOption(all show.Games) Option {
	o := Typed("game")
	for _, g := range all {
		o = o.Or(g.Key()+".name", g.Key())
	}
	return o
}

// WithOption says whether games among people or with computers are meant.
func WithOption() Option {
	return Typed("with").OneOf("command.option.with", WithPeople, WithComputers)
}

// The values of the option "with".
const (
	WithPeople    = "people"
	WithComputers = "computers"
)

// MaxTyped bounds a typed move, in characters.
const MaxTyped = 100
