package table

import "marque/games/text"

// Roles are a user's roles at a table and on its server, as bits.
type Roles uint8

// The roles. A user who manages the server is also a moderator.
const (
	Player    Roles = 1 << iota // has a seat at the table
	Host                        // is the table's host, with or without a seat
	Moderator                   // has the role named in the settings
	Manager                     // has Discord's permission Manage Server
)

// Act is an action that requires a role.
type Act string

// The acts that require a role. Acts for oneself, such as joining or moving, are not among them.
const (
	AddComputers  Act = "computers" // including their removal, and giving them offered seats
	StartGame     Act = "start"
	CloseTable    Act = "close"   // before its game has started
	ChangeOptions Act = "options" // before its game has started
	InvitePlayers Act = "invite"  // before its game has started
	MoveTable     Act = "move"
	ChangeHost    Act = "host"
	RemovePlayer  Act = "remove"
	PauseGame     Act = "pause" // including its resumption
	EndGame       Act = "end"
	OpenAnywhere  Act = "open"
	Organise      Act = "organise" // create competitions, and run other people's competitions
	KeepSettings  Act = "settings"
	KeepSeasons   Act = "seasons"
	DecideResults Act = "results" // void and restore results; set the number of games for a rank
)

// Power lists the roles that allow an act: a user with any of them may perform it. The text "table.power.ACT" describes
// the act.
type Power struct {
	Act Act
	May Roles

	refusal string // id of the text that refuses users without these roles
}

// Powers returns the Power of each act. Acts with the same roles follow each other. The checks of these acts use this
// list, and /help and docs/organisers.md show it.
func Powers() []Power {
	return []Power{
		{AddComputers, Player | Moderator, "table.error.not-seated"},
		{StartGame, Host | Moderator, "table.error.host-starts"},
		{CloseTable, Host | Moderator, "table.error.host-closes"},
		{ChangeOptions, Host | Moderator, "table.error.host-chooses"},
		{InvitePlayers, Host | Moderator, "table.error.host-invites"},
		{MoveTable, Host | Moderator, "table.error.host-rehouses"},
		{ChangeHost, Host | Moderator, "table.error.host-hands-over"},
		{RemovePlayer, Moderator, "table.error.moderators"},
		{PauseGame, Moderator, "table.error.moderators"},
		{EndGame, Moderator, "table.error.propose-abandon"},
		{OpenAnywhere, Moderator, "table.error.moderators"},
		{Organise, Moderator, "table.error.organiser"},
		{KeepSettings, Manager, "bot.error.managers"},
		{KeepSeasons, Manager, "bot.error.managers"},
		{DecideResults, Manager, "bot.error.managers"},
	}
}

// power returns the Power of an act. Nobody may perform an act that is not in the list of Powers.
func power(act Act) Power {
	for _, p := range Powers() {
		if p.Act == act {
			return p
		}
	}
	return Power{Act: act, refusal: "table.error.moderators"}
}

// Sentence returns the text that describes the act.
func (p Power) Sentence() text.Message { return text.M("table.power." + string(p.Act)) }

// Sentence returns the text that describes the people who have one of the roles. There are texts for the roles in
// Powers.
func (r Roles) Sentence() text.Message {
	switch r {
	case Player | Moderator:
		return text.M("table.power.players")
	case Host | Moderator:
		return text.M("table.power.hosts")
	case Moderator:
		return text.M("table.power.moderators")
	default:
		return text.M("table.power.managers")
	}
}

// roles returns the actor's roles on the server, without their roles at its tables.
func (by Actor) roles() Roles {
	switch {
	case by.Manager:
		return Manager | Moderator
	case by.Moderator:
		return Moderator
	}
	return 0
}

// May reports whether the actor's roles on the server allow an act. Their roles at its tables do not count.
func (by Actor) May(act Act) bool { return power(act).May&by.roles() != 0 }

// Check refuses an act that the actor may not perform on the server.
func (by Actor) Check(act Act) error { return refuseWithout(by.roles(), act) }

// rolesAt returns a user's roles at the table itself.
func rolesAt(h Head, user string) Roles {
	var r Roles
	if h.Seat(user) >= 0 {
		r |= Player
	}
	if h.Host == user {
		r |= Host
	}
	return r
}

// may refuses an act that the actor may not perform at the table.
func (d *draft) may(act Act) error {
	return refuseWithout(d.by.roles()|rolesAt(d.Head, d.by.User), act)
}

// refuseWithout refuses an act to a user without a role that allows it: with ErrNotSeated if a seat would be enough,
// otherwise with ErrNotAllowed.
func refuseWithout(have Roles, act Act) error {
	p := power(act)
	switch {
	case p.May&have != 0:
		return nil
	case p.May&Player != 0:
		return Refuse(ErrNotSeated, text.M(p.refusal))
	}
	return Refuse(ErrNotAllowed, text.M(p.refusal))
}
