package interact

import (
	"context"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/form"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
)

// Request is a parsed interaction for its handler.
type Request struct {
	*discordgo.Interaction
	Where   Where // unless it is OnServer, GuildID is empty and Member is nil
	User    User
	Say     *locale.Speaker // speaks the answer's language; after Naming, writes seats as mentions
	Options map[string]*discordgo.ApplicationCommandInteractionDataOption
	Focused string          // name of the option that the user is typing
	Control show.CustomID   // custom_id of the component or modal
	Values  []string        // values chosen in a select menu
	Form    form.Submission // the filled-in form; empty for other interactions
	Command string          // name of the command, such as "server season start"; "" for other interactions

	Settings choices.Settings // the server's settings
	Prefs    choices.Preferences

	own      *locale.Speaker // speaks the user's language
	everyone bool            // whether everybody sees the answer
	registry *Registry       // for Offered and Link
	arrival  Arrival
	first    time.Duration // time until Discord accepted the first answer, or until Perform had a reply
	changed  func() bool   // reports whether the store changed anything; nil unless Router.limit was called
	doubt    bool          // whether it is unknown if Discord accepted a deferred answer
	outcome  Outcome       // "" for Done
}

// User is the acting user.
type User struct {
	ID   string
	Name text.Name // the user's display name on this server, or elsewhere on Discord
	// Manager is set for users with Discord's permission Manage Server.
	Manager bool
	// Moderator is set for managers, and for users with the role in the settings. table.Powers lists the powers of
	// moderators.
	Moderator bool
}

// Option returns the text of a string option; "" if it is not set.
func (r *Request) Option(name string) string {
	if o, ok := r.Options[name]; ok && o.Type == discordgo.ApplicationCommandOptionString {
		return strings.TrimSpace(o.StringValue())
	}
	return ""
}

// Number returns the value of an integer option, and false if it is not set.
func (r *Request) Number(name string) (int, bool) {
	if o, ok := r.Options[name]; ok && o.Type == discordgo.ApplicationCommandOptionInteger {
		return int(o.IntValue()), true
	}
	return 0, false
}

// Flag returns the value of a boolean option; false if it is not set.
func (r *Request) Flag(name string) bool {
	o, ok := r.Options[name]
	return ok && o.Type == discordgo.ApplicationCommandOptionBoolean && o.BoolValue()
}

// FlagOr returns the value of a boolean option, or set if the option is missing.
func (r *Request) FlagOr(name string, set bool) bool {
	if _, ok := r.Options[name]; ok {
		return r.Flag(name)
	}
	return set
}

// Reply is a handler's answer. Exactly one of New, Update and Modal is set; none if a page needs no answer (see
// Router.Perform).
type Reply struct {
	// Launched, unless nil, means that the answer opens the application's Activity. It is called with the Activity's
	// instance. New is then the answer for the case that Discord does not open the Activity.
	Launched func(instance string)
	New      *show.Message // a new message; everybody sees it if the route is Public and it is not Ephemeral
	Update   *show.Message // replaces the message that the component is on
	Modal    *discordgo.InteractionResponseData
	// Ephemeral, unless nil, makes a private message replace the user's earlier private message at a table (see
	// rest.Ephemerals).
	Ephemeral *rest.Ephemeral
}

// EphemeralOf returns the value of Reply.Ephemeral for a message about a table in its current state.
func EphemeralOf(snap *table.Snapshot) *rest.Ephemeral {
	return &rest.Ephemeral{Table: snap.ID.String(), Version: uint64(snap.Version)}
}

// TransientOf returns the value of Reply.Ephemeral for a message that confirms an action and is deleted after a minute.
func TransientOf(snap *table.Snapshot) *rest.Ephemeral {
	e := EphemeralOf(snap)
	e.Transient = true
	return e
}

// Handler answers an interaction. Its error is either a games.PlayerError, whose sentence is shown to the user, or
// another error, which is logged. For a fault of the program the user gets an id that is also in the log.
type Handler func(ctx context.Context, r *Request) (Reply, error)

// Completer returns choices for a partly typed option, of which the first 25 are sent. It must be fast, because Discord
// cannot defer autocomplete.
type Completer func(ctx context.Context, r *Request) []*discordgo.ApplicationCommandOptionChoice

// Route describes how one kind of interaction is handled.
type Route struct {
	Handle   Handler
	Complete Completer
	// Public reports whether the answer is for everybody. A deferred answer is then public, even if an error or an
	// Ephemeral message follows.
	Public func(*Request) bool
	// Updates means that the answer can replace the message with the component.
	Updates bool
	// Beside restricts Updates to messages that only the user sees. On a public message the answer is a new message.
	Beside bool
	// Holds keeps the click's token, so that the bot can edit the clicked message later (see rest.ClickTokens). The
	// reply is then a separate message.
	Holds bool
	// Work is the kind of work that the answer needs.
	Work Work
}

// holds reports whether the click's token is kept. If it is unknown whether Discord accepted a message posted with the
// token, the bot looks for the message in the channel, so the bot must be able to read there.
func (ro *Router) holds(r *Request, rt Route) bool {
	return rt.Holds && ro.rest.Clicks != nil && r.Where == OnServer && r.Message != nil && !r.Private() &&
		r.AppPermissions&discordgo.PermissionReadMessageHistory != 0
}

// hold answers a click with a deferred update, and keeps the click's token.
func (ro *Router) hold(ctx context.Context, r *Request) error {
	err := ro.respond(ctx, r, rest.Callback{Type: discordgo.InteractionResponseDeferredMessageUpdate}, nil)
	if err == nil {
		ro.rest.Clicks.Keep(r.Interaction)
	}
	return err
}

// what returns the name of the interaction for the log.
func (r *Request) what() string {
	if r.Command != "" {
		if r.ApplicationCommandData().CommandType > discordgo.ChatApplicationCommand {
			return r.Command
		}
		return "/" + r.Command
	}
	return string(r.Control.Action)
}

// Naming makes the sentence of an error name the players of the table. It returns err.
func Naming(err error, r *Request, snap *table.Snapshot) error {
	r.Say, r.own = show.Mentioning(r.Say, snap), show.Mentioning(r.own, snap)
	return err
}

// Person returns the user that an option names or whose context menu contained the command. If there is none, it
// returns the user who gives the command. name is set only if it is known.
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

// Invitable returns a refusal if the user whom an option or a form invites is a bot or not on this server.
func (r *Request) Invitable(user string) error {
	var users map[string]*discordgo.User
	var members map[string]*discordgo.Member
	switch d := r.Data.(type) {
	case discordgo.ApplicationCommandInteractionData:
		if d.Resolved != nil {
			users, members = d.Resolved.Users, d.Resolved.Members
		}
	case form.Submission:
		users, members = d.Resolved.Users, d.Resolved.Members
	}
	switch u := users[user]; {
	case u != nil && u.Bot:
		return show.Refuse(text.M("bot.error.invited-bot", "Who", text.User(user)))
	case r.Where == OnServer && members[user] == nil:
		return show.Refuse(text.M("bot.error.stranger", "Who", text.User(user)))
	}
	return nil
}

// Role returns the required role that an option names, as Demanded returns it. It is "" if the option is not set.
func (r *Request) Role(option string) string {
	if o, ok := r.Options[option]; ok && o.Type == discordgo.ApplicationCommandOptionRole {
		id, _ := o.Value.(string)
		return r.Demanded(id)
	}
	return ""
}

// Demanded returns the role that users need for something, or "" (no restriction) for @everyone. Discord offers
// @everyone among the roles, with the server's id. Everybody has that role, but a member's list of roles does not
// contain it.
func (r *Request) Demanded(role string) string {
	if role == r.GuildID {
		return ""
	}
	return role
}

// target returns the id of the user or message whose context menu contained the command, or "" for other commands.
func (r *Request) target(menu discordgo.ApplicationCommandType) string {
	if d, ok := r.Data.(discordgo.ApplicationCommandInteractionData); ok && d.CommandType == menu {
		return d.TargetID
	}
	return ""
}

// Board returns the table and the number of plays of the board in a message, for a command in the message's context
// menu. The caller must check that the user can see the table. ok is false for a message without a board of the bot.
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
	return show.BoardIn(m.Components)
}

// Upload returns the file that a user attached as an option, or nil.
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

// Everyone reports whether everybody on the server sees the answer, unless it is an error. Such an answer must not
// address the user.
func (r *Request) Everyone() bool { return r.everyone }

// Private reports whether the control is on a message that only its user sees.
func (r *Request) Private() bool {
	return r.Message != nil && r.Message.Flags&discordgo.MessageFlagsEphemeral != 0
}

// Actor returns the acting user of an interaction. The interaction's id is the command's key, so that the command is
// executed only once.
func (r *Request) Actor() table.Actor {
	return table.Actor{User: r.User.ID, Name: r.User.Name, Moderator: r.User.Moderator, Manager: r.User.Manager,
		Key: r.ID, Roles: r.member().Roles}
}

// MySeat returns the acting user's seat, or a refusal with the reason why they have none.
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
