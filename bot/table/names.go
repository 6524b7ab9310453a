package table

import (
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// Short names for types of package storage.
type (
	ID           = storage.ID
	Head         = storage.Head
	Occupant     = storage.Occupant
	Event        = storage.Event
	Proposal     = storage.Proposal
	ProposalKind = storage.ProposalKind
	Result       = storage.Result
	ResultQuery  = storage.ResultQuery
	Standing     = storage.Standing
	Stamp        = storage.Stamp
)

// The stages of a table.
const (
	Lobby   = storage.Lobby
	Playing = storage.Playing
	Over    = storage.Over
)

// The kinds of proposals.
const (
	Draw    = storage.DrawProposal
	Abandon = storage.AbandonOffered
	Undo    = storage.UndoProposal
)

// Actor is the user who gives a command.
type Actor struct {
	User      string
	Name      text.Name // name shown on the server, for records
	Moderator bool      // has the moderators' role of the server's settings; see Powers
	Roles     []string  // ids of the roles on the server
	Manager   bool      // can manage the server, and is therefore a moderator
	// Key is Discord's interaction id, or the random bytes of a web page. It identifies the command, which is
	// carried out only once even if it is delivered again. Open, Join, Begin and AddComputer need a key, because it
	// is also mixed into the table's draws.
	Key string

	system bool // true for SystemActor
}

// SystemActor is the bot acting on its own, on servers whose lease this process holds.
var SystemActor = Actor{system: true}

// IsSystem reports whether the actor is the bot acting on its own.
func (by Actor) IsSystem() bool { return by.system }

// IsOpen reports whether a seat is offered to others.
func IsOpen(h Head, seat games.Seat) bool { return seat >= 0 && h.Open>>uint(seat)&1 == 1 }

// stays reports whether a seat is offered for a reason other than its player being late.
func stays(h Head, seat games.Seat) bool { return seat >= 0 && h.Stays>>uint(seat)&1 == 1 }

// isLate reports whether a seat's player has run out of time and has not moved since.
func isLate(h Head, seat games.Seat) bool { return h.Timing.Out && h.ToMove == seat }

func isPerson(o Occupant) bool { return o.User != "" }

func holder(h Head, seat games.Seat) Occupant {
	if seat < 0 || int(seat) >= len(h.Seats) {
		return Occupant{}
	}
	return h.Seats[seat]
}
