package table

import "marque/games/text"

// Roles are the roles of a user at a table and on its server, as bits.
type Roles uint8

// The roles. A user who manages the server is a moderator, too.
const (
	Player    Roles = 1 << iota // has a seat at the table
	Host                        // is the table's host, with a seat or without
	Moderator                   // has the role that the settings name
	Manager                     // has Discord's permission Manage Server
)

// Act is something that not everybody may do.
type Act string

// Acts that not everybody may do. Every other act is for the seat that it concerns.
const (
	AddComputers  Act = "computers" // also remove them, and give them offered seats
	StartGame     Act = "start"
	CloseTable    Act = "close"   // before its game has started
	ChangeOptions Act = "options" // before its game has started
	InvitePlayers Act = "invite"  // before its game has started
	MoveTable     Act = "move"
	ChangeHost    Act = "host"
	RemovePlayer  Act = "remove"
	PauseGame     Act = "pause" // and resume it
	EndGame       Act = "end"
	OpenAnywhere  Act = "open"
	Organise      Act = "organise" // tournaments, and run those of others
	KeepSettings  Act = "settings"
	KeepSeasons   Act = "seasons"
	DecideResults Act = "results" // off the leaderboards and back; also how many games make a rank
)

// Power lists roles: a user with one of them may do the acts. The sentence "table.power.ACT" says what an act is.
type Power struct {
	Act Act
	May Roles

	refusal string // sentence for users without the roles
}

// Powers lists all powers; acts with the same roles stand together. Every check of rights reads this list, and /help
// and docs/organisers.md show it.
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

// power returns who may do an act. Nobody may do an act without a power.
func power(act Act) Power {
	for _, p := range Powers() {
		if p.Act == act {
			return p
		}
	}
	return Power{Act: act, refusal: "table.error.moderators"}
}

// Sentence says what an act is.
func (p Power) Sentence() text.Message { return text.M("table.power." + string(p.Act)) }

// Sentence says which people have one of the roles.
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

// roles returns the actor's roles on the server.
func (by Actor) roles() Roles {
	switch {
	case by.Manager:
		return Manager | Moderator
	case by.Moderator:
		return Moderator
	}
	return 0
}

// May reports whether the actor may do an act on the server, whatever their roles at its tables.
func (by Actor) May(act Act) bool { return power(act).May&by.roles() != 0 }

// may refuses an act that the actor may not do on the server.
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

// may refuses an act that the actor may not do at the table.
func (d *draft) may(act Act) error {
	return refuseWithout(d.by.roles()|rolesAt(d.Head, d.by.User), act)
}

// refuseWithout refuses a user without the roles: ErrNotSeated if a seat would do, otherwise ErrNotAllowed.
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
