package interact

import (
	"context"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/form"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
)

// Request is one interaction, taken apart for a handler.
type Request struct {
	*discordgo.Interaction
	Where   Where // elsewhere than OnServer there is no GuildID and no Member
	User    User
	Say     *locale.Speaker // the language of who sees the answer: the user's, or the server's; seats as mentions
	Options map[string]*discordgo.ApplicationCommandInteractionDataOption
	Focused string          // the option that is being completed
	Control show.CustomID   // of the component or modal
	Values  []string        // chosen in a select menu
	Form    form.Submission // what was filled in; empty for what is no form
	Command string          // what was typed behind the slash: "server season start"; "" for what is no command

	Settings table.Settings // of the server
	Prefs    table.Preferences

	own      *locale.Speaker // the user's language
	registry *Registry       // see Offered
	arrival  Arrival
	first    time.Duration // until Discord took the first answer
	outcome  Outcome       // Done when ""
}

// User is who did something.
type User struct {
	ID   string
	Name text.Name // as shown in this server
	// Manager has Discord's permission Manage Server.
	Manager bool
	// Moderator is a manager, or who has the role that the settings name; table.Powers says what
	// they may do.
	Moderator bool
}

// Option is the text of a string option; "" when it is not set.
func (r *Request) Option(name string) string {
	if o, ok := r.Options[name]; ok && o.Type == discordgo.ApplicationCommandOptionString {
		return strings.TrimSpace(o.StringValue())
	}
	return ""
}

// Number is the value of an integer option.
func (r *Request) Number(name string) (int, bool) {
	if o, ok := r.Options[name]; ok && o.Type == discordgo.ApplicationCommandOptionInteger {
		return int(o.IntValue()), true
	}
	return 0, false
}

// Flag is the value of a boolean option; false when it is not set.
func (r *Request) Flag(name string) bool {
	o, ok := r.Options[name]
	return ok && o.Type == discordgo.ApplicationCommandOptionBoolean && o.BoolValue()
}

// FlagOr is the value of a boolean option, or what the server has set when it is not given.
func (r *Request) FlagOr(name string, set bool) bool {
	if _, ok := r.Options[name]; ok {
		return r.Flag(name)
	}
	return set
}

// Reply is a handler's answer: exactly one of New, Update and Modal is set.
type Reply struct {
	New    *show.Message // a new message; ephemeral unless the message says otherwise
	Update *show.Message // replaces the message that the component is on
	Modal  *discordgo.InteractionResponseData
	// Sole says that the message, if it is private, is the only one that the user has at a table;
	// see rest.Ephemerals. Nil for others.
	Sole *rest.Ephemeral
}

// Sole is of a message about a table as it is.
func Sole(snap *table.Snapshot) *rest.Ephemeral {
	return &rest.Ephemeral{Table: snap.ID.String(), Version: uint64(snap.Version)}
}

// Brief is Sole of a message that says what was done, and is deleted after a minute.
func Brief(snap *table.Snapshot) *rest.Ephemeral {
	sole := Sole(snap)
	sole.Brief = true
	return sole
}

// Handler answers an interaction. Its error is either a games.PlayerError, which the player is
// told, or ours, which is logged under an id that the player is told.
type Handler func(ctx context.Context, r *Request) (Reply, error)

// Completer answers a half-typed option with at most 25 choices, from memory.
type Completer func(ctx context.Context, r *Request) []*discordgo.ApplicationCommandOptionChoice

// Route is how one kind of interaction is answered.
type Route struct {
	Handle   Handler
	Complete Completer
	// Public says that the answer is a message that everybody sees, so that a promise to answer
	// later must be one too.
	Public func(*Request) bool
	// Updates says that the answer replaces the message that the component is on.
	Updates bool
	// Holds says that the click is answered so that its token can edit the message that it came
	// from, and the answer comes beside it: see rest.Clicks.
	Holds bool
	// Work is what the answer costs.
	Work Work
}

// holds reports whether a click is to be held. Who has tried to post with its token and does not
// know whether that was taken looks for the message in the channel, and has to be able to.
func (ro *Router) holds(r *Request, rt Route) bool {
	return rt.Holds && ro.rest.Clicks != nil && r.Where == OnServer && r.Message != nil && !r.Private() &&
		r.AppPermissions&discordgo.PermissionReadMessageHistory != 0
}

// hold answers a click so that it is held.
func (ro *Router) hold(ctx context.Context, r *Request) error {
	err := ro.respond(ctx, r, rest.Callback{Type: discordgo.InteractionResponseDeferredMessageUpdate}, nil)
	if err == nil {
		ro.rest.Clicks.Keep(r.Interaction)
	}
	return err
}

// what names the interaction for the log.
func (r *Request) what() string {
	if r.Command != "" {
		if r.ApplicationCommandData().CommandType > discordgo.ChatApplicationCommand {
			return r.Command
		}
		return "/" + r.Command
	}
	return string(r.Control.Action)
}

// Naming lets an error's sentence name the people at the table.
func Naming(err error, r *Request, snap *table.Snapshot) error {
	r.Say, r.own = show.Mentioning(r.Say, snap), show.Mentioning(r.own, snap)
	return err
}

// Person is the user whom an option names, or in whose context menu the command was chosen, the one
// who asks when none is; with their name when it is known.
func (r *Request) Person(option string) (id string, name text.Name, bot bool) {
	if o, ok := r.Options[option]; ok {
		id, _ = o.Value.(string)
	} else if id = r.target(discordgo.UserApplicationCommand); id == "" {
		return r.User.ID, r.User.Name, false
	}
	if resolved := r.ApplicationCommandData().Resolved; resolved != nil {
		if u := resolved.Users[id]; u != nil {
			name, bot = text.NewName(u.DisplayName()), u.Bot
		}
		if m := resolved.Members[id]; m != nil && m.Nick != "" {
			name = text.NewName(m.Nick)
		}
	}
	return id, name, bot
}

// Role is the role that an option names; "" when it is not set.
func (r *Request) Role(option string) string {
	if o, ok := r.Options[option]; ok && o.Type == discordgo.ApplicationCommandOptionRole {
		id, _ := o.Value.(string)
		return id
	}
	return ""
}

// target is the id of whose context menu the command was chosen in; "" where it was none of that kind.
func (r *Request) target(menu discordgo.ApplicationCommandType) string {
	if d, ok := r.Data.(discordgo.ApplicationCommandInteractionData); ok && d.CommandType == menu {
		return d.TargetID
	}
	return ""
}

// Board is which table's position the message shows in whose context menu the command was chosen,
// and after how many plays. Anybody can post such a message: who may see the table has to be asked.
// ok is false for a message without a board of ours.
func (r *Request) Board() (id string, play int, ok bool) {
	target := r.target(discordgo.MessageApplicationCommand)
	if target == "" {
		return "", 0, false
	}
	resolved := r.ApplicationCommandData().Resolved
	if resolved == nil || resolved.Messages[target] == nil {
		return "", 0, false
	}
	m := resolved.Messages[target]
	if m.Author == nil || m.Author.ID != r.AppID {
		return "", 0, false
	}
	for _, a := range m.Attachments {
		if id, play, ok = show.ParseBoardName(a.Filename); ok {
			return id, play, true
		}
	}
	return "", 0, false
}

// Upload is what a user attached as an option; nil when nothing was.
func (r *Request) Upload(option string) *discordgo.MessageAttachment {
	o, ok := r.Options[option]
	if !ok || o.Type != discordgo.ApplicationCommandOptionAttachment {
		return nil
	}
	id, _ := o.Value.(string)
	if resolved := r.ApplicationCommandData().Resolved; resolved != nil {
		return resolved.Attachments[id]
	}
	return nil
}

// Private reports whether the control is on a message that its user alone sees.
func (r *Request) Private() bool {
	return r.Message != nil && r.Message.Flags&discordgo.MessageFlagsEphemeral != 0
}

// Actor is who gives a command; the interaction's id names the command, so that it is done once.
func (r *Request) Actor() table.Actor {
	return table.Actor{User: r.User.ID, Name: r.User.Name, Moderator: r.User.Moderator, Manager: r.User.Manager,
		Key: r.ID, Roles: r.member().Roles}
}

// MySeat is the seat of the user who acts, or why they have none here.
func MySeat(r *Request, snap *table.Snapshot) (games.Seat, error) {
	switch seat := snap.Seat(r.User.ID); {
	case snap.Status == table.Lobby:
		return 0, show.Refuse(text.M("table.error.not-started"))
	case seat == games.Spectator:
		return 0, show.Refuse(text.M("table.error.not-seated"))
	default:
		return seat, nil
	}
}
