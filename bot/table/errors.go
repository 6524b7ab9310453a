package table

import (
	"errors"
	"fmt"

	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// Reason is the reason why a command was refused. Reasons are errors: errors.Is(err, ErrNotYourTurn).
type Reason string

func (r Reason) Error() string { return string(r) }

// Reasons for refusing commands. A refusal can also have a reason of package storage, such as storage.ErrNoTable,
// ErrStale or ErrNoSeason.
const (
	ErrNoGame        Reason = "there is no such game"
	ErrNotSeated     Reason = "not a player at this table"
	ErrNotStarted    Reason = "the game has not started"
	ErrStarted       Reason = "the game has started"
	ErrOver          Reason = "the table is over"
	ErrNotYourTurn   Reason = "it is another player's turn"
	ErrJoined        Reason = "joined already"
	ErrFull          Reason = "every seat is taken"
	ErrKept          Reason = "the free seats are kept for those invited"
	ErrTooFew        Reason = "too few players to start"
	ErrTooMany       Reason = "more are invited than there are seats"
	ErrInvitedTwice  Reason = "somebody is invited twice, or is the host"
	ErrNotAllowed    Reason = "not allowed"
	ErrOut           Reason = "no longer in the game"
	ErrNotOver       Reason = "the game is not over"
	ErrBusy          Reason = "too much to do"
	ErrNoHints       Reason = "hints are off"
	ErrUnrates       Reason = "a hint takes the game off the leaderboards"
	ErrNoLevel       Reason = "there is no such level of computer players"
	ErrNoComputer    Reason = "no computer player has a seat"
	ErrNoProposal    Reason = "nothing was proposed"
	ErrOtherProposal Reason = "something else was proposed"
	ErrAgreed        Reason = "agreed already"
	ErrDeclined      Reason = "declined just now"
	ErrStaked        Reason = "the game counts, and computers play in it"
	ErrAlone         Reason = "nobody else is there to agree"
	ErrChannelBusy   Reason = "a table goes on in the channel"
	ErrNotProposer   Reason = "somebody else proposed it"
	ErrVoided        Reason = "the result is so already"
	ErrPaused        Reason = "the table is paused"
	ErrNoClock       Reason = "no such clock"
	ErrNoUndo        Reason = "cannot be taken back"
	ErrNotOffered    Reason = "the seat is not offered"
	ErrLate          Reason = "out of time"
	ErrNotPaused     Reason = "the table is not paused"
	ErrBudget        Reason = "the year's days away are used up"
	ErrNoPlan        Reason = "not a line that can be left"
	ErrBadTime       Reason = "not a time that can be meant"
	ErrPlaysHere     Reason = "a moderator who plays at this table"
	ErrHeldSeat      Reason = "had another seat of this table"
	ErrEmptied       Reason = "took the player from this seat"
	ErrRestless      Reason = "too many have come and gone"
	ErrNoStudy       Reason = "the study has ended"
	ErrNoStudying    Reason = "the game is not to be studied yet"
	ErrLongRecord    Reason = "the record is too long"
	ErrLongLine      Reason = "too much was tried out"
	ErrNoServer      Reason = "not on a server"
	ErrLimit         Reason = "as many go on as may"
	ErrNotInvitable  Reason = "takes no invitations"
	ErrNoSeek        Reason = "the seek is gone"
	ErrLacking       Reason = "does not meet the conditions"
	ErrNoSetup       Reason = "the rules know no such competition"
	ErrEntryClosed   Reason = "entry is closed"
	ErrNotEntered    Reason = "takes no part in the competition"
	ErrHeldUp        Reason = "the competition is held up"
	ErrFixedSeats    Reason = "the seats of a competition's table are fixed"
	ErrBeyondReach   Reason = "does not stand so many places above"
	ErrChallenged    Reason = "one of them is in a challenge already"
	ErrResting       Reason = "has lost a challenge a short time ago"
	ErrAbsent        Reason = "one of them is away"
	ErrNoPredicting  Reason = "who wins is not to be predicted"
	ErrNoChallenge   Reason = "no challenge waits for an answer"
	ErrAsked         Reason = "takes part, or is asked already"
	ErrTooSoon       Reason = "too soon after the last time"
	ErrNoOffer       Reason = "nobody is asked to go on for somebody"
)

// ErrClosing means that the service is shutting down.
var ErrClosing = errors.New("the bot is shutting down")

// ErrNoKey means that a command whose key is mixed into a table's draws, such as Open or Join, was called without a
// key.
var ErrNoKey = errors.New("a command that joins needs a key")

// Refusal is the error of a command that was refused and changed nothing.
type Refusal struct {
	Reason  error // a Reason, or an error of package storage
	Message text.Message
}

func (r *Refusal) Error() string { return r.Reason.Error() }

// Unwrap returns the reason for the refusal.
func (r *Refusal) Unwrap() error { return r.Reason }

// Text returns the message for the player.
func (r *Refusal) Text() text.Message { return r.Message }

// Refuse returns a Refusal with a reason, and with the message for the player.
func Refuse(reason error, m text.Message) error { return &Refusal{Reason: reason, Message: m} }

// The following functions return the refusals of commands.

func refuseNoTable(id ID) error {
	return Refuse(storage.ErrNoTable, text.M("table.error.no-table", "Table", id.String()))
}

// refuseLost returns the refusal for a missing table that may have been opened before the store was restored from a
// copy.
func refuseLost(id ID, r storage.Restoration) error {
	return Refuse(storage.ErrNoTable, text.M("table.error.lost-table", "Table", id.String(),
		"Until", text.Moment(r.Until.Time(), text.Full)))
}

func refuseStale() error { return Refuse(storage.ErrStale, text.M("table.error.stale")) }

// refuseOver returns the refusal for a table that is over. m is nil if the table closed before its game began.
func refuseOver(m *games.Match) error {
	if m == nil {
		return Refuse(ErrOver, text.M("table.news.closed"))
	}
	return Refuse(ErrOver, text.M("table.error.over"))
}

func refuseNotStarted() error { return Refuse(ErrNotStarted, text.M("table.error.not-started")) }

func refuseNotYourTurn(toMove games.Seat) error {
	return Refuse(ErrNotYourTurn, text.M("table.error.not-your-turn", "Who", text.Player(toMove)))
}

func refuseNoProposal() error { return Refuse(ErrNoProposal, text.M("table.error.no-proposal")) }

// refuseOtherProposal returns the refusal of a new proposal, because the open one must be settled first. by is the
// seat that made the open proposal, and seat is the one that is refused.
func refuseOtherProposal(by, seat games.Seat) error {
	if by == seat {
		return Refuse(ErrOtherProposal, text.M("table.error.own-proposal"))
	}
	return Refuse(ErrOtherProposal, text.M("table.error.other-proposal", "Who", text.Player(by)))
}

func refuseAgreed() error { return Refuse(ErrAgreed, text.M("table.error.agreed")) }

func refuseJoined() error { return Refuse(ErrJoined, text.M("table.error.joined")) }

func refuseFull() error { return Refuse(ErrFull, text.M("table.error.full")) }

func refuseKept(invited int) error {
	return Refuse(ErrKept, text.M("table.error.kept", "Count", invited))
}

// refuseNotOffered returns the refusal for a seat that is not offered. If no seat is offered, seat can be Nobody.
func refuseNotOffered(seat games.Seat) error {
	if seat != games.Nobody {
		return Refuse(ErrNotOffered, text.M("table.error.seat-gone"))
	}
	return Refuse(ErrNotOffered, text.M("table.error.not-offered"))
}

// refuseNoAdviser returns the refusal of a hint where no computer player can give one.
func refuseNoAdviser() error { return Refuse(ErrNoHints, text.M("table.error.hints-off")) }

func refuseNoHints() error { return Refuse(ErrNoHints, text.M("table.error.no-hints")) }

// FrozenError means that a table cannot be used until the program or the store is repaired. Either its log, replayed by
// the rules, does not lead to the stored position, or this program cannot replay the log, or the table's stored data is
// damaged (storage.ErrDamaged). The stored data stays unchanged.
type FrozenError struct {
	Table ID
	Err   error
}

// Error leaves out the log's play, which may be a hidden card. Err has it.
func (e *FrozenError) Error() string {
	var at *games.ReplayError
	if errors.As(e.Err, &at) {
		return fmt.Sprintf("table %d is frozen: play %d of its log, by seat %d, is not possible there", e.Table,
			at.Index+1, at.Entry.Seat)
	}
	return fmt.Sprintf("table %d is frozen: %v", e.Table, e.Err)
}

func (e *FrozenError) Unwrap() error { return e.Err }

// Text returns the message which tells the player that the fault is not theirs.
func (e *FrozenError) Text() text.Message {
	if errors.Is(e.Err, storage.ErrDamaged) {
		return text.M("table.error.damaged", "Table", e.Table.String())
	}
	return text.M("table.error.frozen", "Table", e.Table.String())
}

var (
	_ games.PlayerError = (*Refusal)(nil)
	_ games.PlayerError = (*FrozenError)(nil)
)

// refuseStaked returns the refusal for a game that can only be resigned. Its text tells the player what they can do.
func refuseStaked(h Head) error {
	if h.Competition.Number != 0 {
		return Refuse(ErrStaked, text.M("table.error.staked-competition"))
	}
	return Refuse(ErrStaked, text.M("table.error.staked"))
}

// refuseLimit returns a refusal whose text names the limit, and how to get below it.
func refuseLimit(l storage.Limit) error {
	id := map[storage.LimitKind]string{
		storage.ServerTables: "table.error.limit-server", storage.UserTables: "table.error.limit-tables",
		storage.UserLobbies: "table.error.limit-lobbies", storage.UserInvitations: "table.error.limit-invitations",
	}[l.Kind]
	return Refuse(ErrLimit, text.M(id, "Count", l.Most))
}

// PermanentError means that publishing cannot succeed until somebody acts, for example because the channel no
// longer exists or a permission is missing.
type PermanentError struct{ Err error }

func (e *PermanentError) Error() string { return "cannot be published: " + e.Err.Error() }

func (e *PermanentError) Unwrap() error { return e.Err }
