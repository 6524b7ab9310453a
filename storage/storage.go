// Package storage stores tables with their events, results, leaderboards and settings. A [Store] keeps them in an
// engine of package kv: a file or a database server. Other packages declare the methods that they need of a store as an
// interface with these types.
//
// Every kind of stored value is declared once, in declarations.go or jobs.go: the parts of its key, its encoding,
// its owners, its indexes, and what happens to it when a user is forgotten. The declaration decides how a value is
// written, sealed, checked and repaired, and which values are deleted with a server.
//
// A table has three parts. The Head is small and every Change replaces it. The Detail is large and rarely changes
// after the start. The events are everything that happened at the table, in order; Log makes the log of the match
// from them. A Change is what Create or Commit stores. It is committed completely or not at all.
package storage

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"marque/games"
	"marque/games/fair"
	"marque/games/rating"
	"marque/games/text"
	"marque/storage/kv"
)

// ID is the number of a table, from 1. Later tables have higher ids.
type ID uint64

// String returns the id in decimal, as it appears in messages and custom_ids.
func (id ID) String() string { return strconv.FormatUint(uint64(id), 10) }

// ParseID parses a decimal id. Its error says that the text is not a table number.
func ParseID(text string) (ID, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q isn't a table number", text)
	}
	return ID(n), nil
}

// Stamp is a moment in milliseconds since 1970; 0 stands for none.
type Stamp int64

// At returns the stamp of a time.
func At(t time.Time) Stamp { return Stamp(t.UnixMilli()) }

// Time returns the stamp's time; the zero time for 0.
func (s Stamp) Time() time.Time {
	if s == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(s))
}

// Status is the stage of a table.
type Status uint8

// Stages of a table.
const (
	Lobby   Status = iota // waiting for players to join
	Playing               // started
	Over                  // ended, with or without a result
)

// Phase selects unfinished or finished tables in lists.
type Phase bool

// Values of Phase.
const (
	Active   Phase = false // Status is Lobby or Playing
	Finished Phase = true
)

// Active reports whether the table is unfinished: its game has not started, or is in play.
func (s Status) Active() bool { return s != Over }

// Occupant is a seat's holder: a person or a computer player. It is zero for a vacant seat.
type Occupant struct {
	User     string    `json:"u,omitempty"` // id of the person; "" for a computer
	Name     text.Name `json:"n,omitzero"`  // name when the occupant took the seat, for records
	Computer string    `json:"c,omitempty"` // level of the computer player; "" for a person
	Called   int       `json:"k,omitempty"` // number that selects a computer player's name, from 1; 0 for a person
}

// ProposalKind is the kind of an offer to the other players.
type ProposalKind string

// Kinds of proposals.
const (
	NoProposal     ProposalKind = ""
	DrawProposal   ProposalKind = "draw"    // end the game as a draw of all remaining players
	AbandonOffered ProposalKind = "abandon" // end the game without a result
	UndoProposal   ProposalKind = "undo"    // take back By's last move
)

// Proposal is an offer to the other players. It is carried out when all who are asked agree.
type Proposal struct {
	Kind   ProposalKind `json:"k,omitempty"`
	By     games.Seat   `json:"b,omitempty"` // seat that made the proposal
	Agreed uint64       `json:"a,omitempty"` // bit n is set if seat n agrees, or is not asked about an undo
	Asked  uint64       `json:"v,omitempty"` // version of the table in which the proposal was made
}

// Has reports whether a seat has agreed to the proposal, or is not asked about an undo.
func (p Proposal) Has(seat games.Seat) bool { return p.Agreed>>uint(seat)&1 == 1 }

// Due is a moment at which the bot must do something at a table. A table has at most one Due of each kind.
type Due struct {
	Kind string `json:"k"` // names the thing to do; at most MaxName bytes
	At   Stamp  `json:"t"`
}

// Head is the small part of a table: the data that lists show, and the data that decides whether a command is stale.
type Head struct {
	ID       ID           `json:"-"`
	Version  uint64       `json:"-"`           // from 1; a commit adds one, a restoration from a backup more
	Board    uint64       `json:"b,omitempty"` // last version that changed the position or an option, or ended the game
	Status   Status       `json:"s,omitempty"`
	Game     string       `json:"g"`            // key of the game
	Guild    string       `json:"gu,omitempty"` // id of the table's server; empty in direct messages
	Channel  string       `json:"ch,omitempty"` // id of the table's channel or thread
	Host     string       `json:"h,omitempty"`  // id of the user who opened the table or became host later
	Seats    []Occupant   `json:"o,omitempty"`  // occupants: by seat after the start, in order of joining before
	Least    int          `json:"l,omitempty"`  // minimum number of players
	Most     int          `json:"m,omitempty"`  // maximum number of players
	ToMove   games.Seat   `json:"t"`            // seat that must decide; games.Nobody unless Status is Playing
	Events   uint64       `json:"-"`            // number of events
	Plays    int          `json:"p,omitempty"`  // number of entries in the log of the match
	Digest   string       `json:"d,omitempty"`  // digest of the position (games.Match.Digest); "" before the start
	Proposal Proposal     `json:"q,omitzero"`
	Ending   games.Ending `json:"x,omitempty"` // how the game ended; empty if it ended by its rules
	Opened   Stamp        `json:"ot,omitempty"`
	Started  Stamp        `json:"st,omitempty"`
	Changed  Stamp        `json:"ct,omitempty"` // time of the last Create or Commit
	Due      []Due        `json:"du,omitempty"`
	Touched  Stamp        `json:"tc,omitempty"` // when a person last did something at the table
	Timing   Timing       `json:"tm,omitzero"`
	Open     uint64       `json:"of,omitempty"` // bit n is set if others may take over seat n
	// Bit n is set if others may take over seat n even after its late player has moved, because the player or a
	// moderator has offered the seat.
	Stays   uint64 `json:"os,omitempty"`
	Paused  string `json:"pa,omitempty"` // reason why the game is paused, such as PausedByModerator; "" if it is not
	Rematch ID     `json:"re,omitempty"` // table of which this one is a rematch; 0 for none
	// Number of plays after which people may offer a draw again, after a computer player has declined one.
	DrawAsk     int             `json:"da,omitempty"`
	DrawBid     int             `json:"db,omitempty"` // number of plays after which a computer may offer a draw again
	Retry       PublishRetry    `json:"rt,omitzero"`
	Card        Card            `json:"cd,omitzero"`
	Competition CompetitionGame `json:"co,omitzero"`
	// Number of consecutive failed attempts at the action that is due.
	Tries int `json:"tr,omitempty"`
	// Increases when a user is forgotten at this table. Data that was read before may still name the user.
	Forgotten uint64 `json:"fo,omitempty"`
}

// Publication records which version of a table was published in its channel.
type Publication struct {
	Version   uint64 // last published version; 0 for none
	Forgotten uint64 // Head.Forgotten when the version was read
	Note      string // note about the published messages, at most MaxNote bytes
}

// CompetitionGame identifies the game of a competition that is played at a table. Create opens only one table for each
// such game.
type CompetitionGame struct {
	Number   uint64 `json:"n,omitempty"` // number of the competition; 0 for none
	Game     uint64 `json:"g,omitempty"` // number of the game in the competition
	Reported bool   `json:"r,omitempty"` // whether the competition has recorded the outcome of the table
}

// Card is the message about a table in the channel to which the table's thread belongs. The cards of seeks and pairings
// use only Channel, Message and Thread.
type Card struct {
	Channel string `json:"c,omitempty"` // id of the channel of the card; "" for a table without a card
	Message string `json:"m,omitempty"` // id of the message; "" if there is none, such as after its deletion
	Shown   string `json:"s,omitempty"` // identifies the content of the last edit; "" before the first one
	Next    Stamp  `json:"n,omitempty"` // earliest time of the next edit, unless the edit cannot wait

	Thread  string `json:"t,omitempty"` // id of the thread of this table, or of an earlier table with the same card
	Archive Stamp  `json:"a,omitempty"` // when to archive the thread; 0 for never, or not yet
	Named   string `json:"d,omitempty"` // hash of the people at the last attempt to name the thread; "" before it
	// Whether the thread's name must not name players, because a player's data was deleted.
	Nameless bool `json:"o,omitempty"`
}

// PublishRetry is the state of the retries of messages that the table's channel has refused.
type PublishRetry struct {
	Tries int `json:"n,omitempty"` // number of retries that were scheduled
	// When to try next; 0 during an attempt, and when there will be no other attempt.
	At Stamp `json:"t,omitempty"`
}

// LostChannel reports whether a game is paused because its channel is gone.
func (h Head) LostChannel() bool { return h.Status == Playing && h.Paused == PausedChannelGone }

// InThreadOf reports whether the table is played in a thread of the given channel.
func (h Head) InThreadOf(channel string) bool {
	return h.Card.Channel == channel && h.Card.Thread == h.Channel
}

// Seat returns the first seat of a user, or games.Spectator.
func (h Head) Seat(user string) games.Seat {
	for i, o := range h.Seats {
		if o.User == user && user != "" {
			return games.Seat(i)
		}
	}
	return games.Spectator
}

// Detail is the large part of a table. It rarely changes after the start.
type Detail struct {
	Setup    games.Setup `json:"s"`
	Rules    int         `json:"r"`           // version of the rules (games.Game.Version)
	Seed     fair.Seed   `json:"-"`           // secret until the end of the game
	Fairness int         `json:"y,omitempty"` // version of package fair that makes the table's draws
	Inputs   []string    `json:"j,omitempty"` // inputs to all draws, in order; complete at the start
	Seating  []int       `json:"l,omitempty"` // value of games.Header.Seating; nil before the start
	Invited  []string    `json:"i,omitempty"` // ids of users with open invitations, each of whom has a reserved seat
	WhenFull bool        `json:"f,omitempty"` // whether the game starts once all seats are taken
	Fixed    bool        `json:"x,omitempty"` // whether seats are in the order of joining, not drawn
	// Ids of the users in the order of their seats, if all of them join; "" for a computer player.
	Order   []string `json:"o,omitempty"`
	Unrated bool     `json:"u,omitempty"` // whether the result does not count on leaderboards
	// Bit n is set if seat n had a hint, in a game against computers, that the server did not allow in rated games. The
	// result does not count if such a seat wins or finishes ahead of another.
	Hinted uint64     `json:"h,omitempty"`
	Hints  bool       `json:"k,omitempty"` // whether the server allowed hints in rated games at the start
	Resign bool       `json:"c,omitempty"` // whether a losing computer player may resign
	Asks   Conditions `json:"q,omitzero"`  // conditions for users who join without an invitation
	Plans  []Plan     `json:"p,omitempty"` // conditional moves, each of them secret to its owner
}

// Plan is a sequence of conditional moves of a player. While the other players' moves follow it, the player's own moves
// are played immediately.
type Plan struct {
	Seat games.Seat `json:"s"`
	From int        `json:"f"` // number of plays before the sequence
	Line []string   `json:"l"` // plays of the sequence, in the notation of the rules
}

// Commitment returns the SHA-256 of the seed, which is shown when the table opens.
func (d Detail) Commitment() string { return d.Seed.Commitment() }

// Format prints a part of the detail, without its seed. Without Format, package fmt could print the seed's bytes.
func (d Detail) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "{%+v rules %d, inputs %q, invited %q}", d.Setup, d.Rules, d.Inputs, d.Invited)
}

// Kind is the kind of an event at a table.
type Kind uint8

// Kinds of events. Their numbers are stored: add kinds, but never change a number.
const (
	Opened   Kind = 1  // User opened the table; Text is the user's name
	Joined   Kind = 2  // User, or a computer player, joined; Text is the user's name, or describes the computer player
	Left     Kind = 3  // User, or a computer player, left before the start; Text is like that of Joined
	Refused  Kind = 4  // User declined the invitation
	Hosted   Kind = 5  // User became the host
	Started  Kind = 6  // the game began
	Played   Kind = 7  // Seat played Text
	Forced   Kind = 8  // the only possible move, Text, was played for Seat
	Drew     Kind = 9  // dice or cards were drawn: Text
	Resigned Kind = 10 // Seat resigned
	Proposed Kind = 11 // Seat proposed Text, a ProposalKind
	Agreed   Kind = 12 // Seat agreed to the proposal Text
	Declined Kind = 13 // Seat declined the proposal Text; if Seat is Nobody, it ended with the next play
	Withdrew Kind = 14 // Seat withdrew its own proposal Text
	// The table is over. Text is the games.Ending, "" if the game ended by its rules. User is the moderator or host
	// who ended it, or "".
	Ended      Kind = 15
	Rehoused   Kind = 16 // the table was moved to the channel Text
	TimedOut   Kind = 17 // Seat ran out of time; Text is the Late rule that applies
	Reminded   Kind = 18 // Seat was reminded of the turn; Text is the reminder's number for this decision, or "last"
	TookBack   Kind = 19 // Seat took moves back; Text is the number of plays that were removed from the log
	Offered    Kind = 20 // others may take over Seat, because its holder has offered it
	OfferEnded Kind = 21 // Seat can no longer be taken over
	Taken      Kind = 22 // User, or a computer player if User is "", took over Seat; Text is the name
	Removed    Kind = 23 // User, a moderator, removed the holder of Seat; Text is the holder's name
	Paused     Kind = 24 // the game was paused; Text is the reason, User the moderator who did it, or ""
	Resumed    Kind = 25 // the game was resumed after a pause
	IdleSoon   Kind = 26 // warns of Idle at the moment Text (milliseconds since 1970)
	Idle       Kind = 27 // the table was closed for inactivity, or the player to move resigned because of it
	Moderated  Kind = 28 // User, a moderator, caused the next event; Text is the moderator's name
	Voided     Kind = 29 // the result was voided
	Restored   Kind = 30 // a voided result counts again
	Invited    Kind = 31 // User was invited after the table was opened; Text is the user's name
	Chosen     Kind = 32 // User changed an option after the table was opened; Text is its key and value
	Recovered  Kind = 33 // the table is from a backup; what came after Text (milliseconds since 1970) is lost
	PutBack    Kind = 34 // the channel shows a version, Text, that is later than the stored one
	Halted     Kind = 35 // the competition stopped the game
	lastKnown       = Halted
)

// Known reports whether this program knows this kind.
func (k Kind) Known() bool { return k >= Opened && k <= lastKnown }

// Play reports whether an event of this kind is an entry in the log of the match.
func (k Kind) Play() bool { return k >= Played && k <= Resigned }

// Named reports whether the Text of an event of this kind is its User's name, if it has a User.
func (k Kind) Named() bool {
	switch k {
	case Opened, Joined, Left, Refused, Hosted, Taken, Moderated, Invited:
		return true
	}
	return false
}

// Name returns the Text of an event as a name. The kind of the event must be Named.
func (e Event) Name() text.Name { return text.NewName(e.Text) }

// Event is one event at a table.
type Event struct {
	Kind    Kind
	Version uint64 // version of the table in which the event was committed
	At      Stamp
	Seat    games.Seat // seat that acted or is concerned, after the start; games.Chance for dice and cards
	User    string     // id of the user who acted or whom the event is about, unless Seat tells it; "" for none
	// Id of the interaction that caused a play, or the random bytes of a web page. It is "" for other events, for a
	// play that followed from another play, and for a play by a computer player or the clock.
	Interaction string
	Text        string
}

// Reasons why a table is paused.
const (
	PausedByModerator = "moderator" // a moderator paused the table
	PausedChannelGone = "channel"   // the table's channel or thread is gone or refuses messages
	PausedRemoved     = "server"    // the bot was removed from the server
)

// Back returns the number of plays that a TookBack event removed from the log; 0 for other events.
func (e Event) Back() int {
	n, err := strconv.Atoi(e.Text)
	if e.Kind != TookBack || err != nil || n < 0 {
		return 0
	}
	return n
}

// Log returns the log of the match, without plays that were taken back.
func Log(events []Event) []games.Entry {
	log, _ := Logs(events)
	return log
}

// SeatsHeld returns the seats that each user has held at any time since the start of the game. Bit n stands for seat n.
func (t Table) SeatsHeld() map[string]uint64 {
	held := map[string]uint64{}
	for seat, user := range t.first() {
		held[user] |= 1 << uint(seat)
	}
	for _, e := range t.Events {
		if e.Kind == Taken {
			held[e.User] |= 1 << uint(e.Seat)
		}
	}
	delete(held, "")
	return held
}

// Movers returns the user who held the seat of each entry of Log when it was made; "" for a computer player, for dice
// and cards, and for a seat whose player had been removed.
func (t Table) Movers() (who []string) {
	holders := t.first()
	for _, e := range t.Events {
		switch {
		case e.Kind == Taken:
			holders[e.Seat] = e.User
		case e.Kind == Removed:
			delete(holders, e.Seat)
		case e.Kind == TookBack:
			who = who[:max(0, len(who)-e.Back())]
		case e.Kind.Play():
			who = append(who, holders[e.Seat])
		}
	}
	return who
}

// first returns the users who held the seats at the start of the game.
func (t Table) first() map[games.Seat]string {
	holders := map[games.Seat]string{}
	founders := founders(t.Events)
	for seat, number := range t.Detail.Seating {
		if number < len(founders) {
			holders[games.Seat(seat)] = founders[number].User
		}
	}
	return holders
}

// founders returns the occupants at the start of the game, in the order of joining; nil before the start. Computer
// players have no user.
func founders(events []Event) []Occupant {
	var who []Occupant
	for _, e := range events {
		switch e.Kind {
		case Opened, Joined:
			who = append(who, Occupant{User: e.User})
		case Left:
			// Of the computer players, the last one leaves.
			for i := len(who) - 1; i >= 0; i-- {
				if who[i].User == e.User {
					who = slices.Delete(who, i, i+1)
					break
				}
			}
		case Started:
			return who
		}
	}
	return nil
}

// Logs returns the current log of the match, and the log before each take-back, in order.
func Logs(events []Event) (log []games.Entry, before [][]games.Entry) {
	for _, e := range events {
		switch {
		case e.Kind == TookBack:
			before = append(before, log)
			log = slices.Clip(log[:max(0, len(log)-e.Back())])
		case e.Kind == Resigned:
			log = append(log, games.Entry{Seat: e.Seat, Text: games.Resigns, Interaction: e.Interaction})
		case e.Kind.Play():
			log = append(log, games.Entry{Seat: e.Seat, Text: e.Text, Interaction: e.Interaction})
		}
	}
	return log, before
}

// Result is the result of a table's game, for leaderboards and histories.
type Result struct {
	Table   ID           `json:"-"`
	Game    string       `json:"g"`
	Guild   string       `json:"gu,omitempty"`
	Setup   games.Setup  `json:"s"`
	Seats   []Occupant   `json:"o"`
	Winners []games.Seat `json:"w,omitempty"` // winners, or the seats that share a draw
	Drawn   bool         `json:"d,omitempty"`
	Scores  []int        `json:"sc,omitempty"`
	Ending  games.Ending `json:"x,omitempty"`
	Plays   int          `json:"p"`
	Turns   int          `json:"t"`
	Started Stamp        `json:"st"`
	Ended   Stamp        `json:"et"`
	// Whether the result does not count on leaderboards, for example because the players chose so or a hint helped a
	// player.
	Unrated bool `json:"u,omitempty"`
	// Bit n is set if seat n made fewer than LeastDecisions decisions and has no computer player.
	DecidedFew uint64 `json:"b,omitempty"`
	// How much of the game had been played when a person left it early, by seat, in per cent of a quarter of the
	// game's usual length; at most 100. A seat that nobody left early has 100; nil if all seats have 100.
	Stayed []int `json:"q,omitempty"`
	// Version of the computer players that have seats; 0 if there are none.
	ComputerVersion int `json:"c,omitempty"`

	// The store sets the following fields.
	Order  uint64   `json:"n,omitempty"`  // position of the result in the order in which results are rated
	Season int      `json:"se,omitempty"` // number of the season; 0 for none
	Voided *Voiding `json:"vo,omitempty"`
	// Ratings after the game, by seat, on the all-time leaderboard of its game; nil unless the result counts.
	Ratings []rating.Rating `json:"r,omitempty"`
}

// Won reports whether a seat won, alone or with others. A draw is no win.
func (r Result) Won(seat games.Seat) bool { return !r.Drawn && r.has(seat) }

// Drew reports whether a seat shares a draw.
func (r Result) Drew(seat games.Seat) bool { return r.Drawn && r.has(seat) }

func (r Result) has(seat games.Seat) bool {
	for _, w := range r.Winners {
		if w == seat {
			return true
		}
	}
	return false
}

// LeastDecisions is the number of decisions that two people must each have made for the result between them to count.
// No decisions are needed for a result against a computer, because a computer does not lose on purpose.
const LeastDecisions = 3

// Seat returns the first seat of a user; -1 if there is none.
func (r Result) Seat(user string) games.Seat {
	return games.Seat(slices.IndexFunc(r.Seats, func(o Occupant) bool { return o.User == user }))
}

// Counts reports whether the result counts on leaderboards. Abandoned, unrated and voided results do not. In a game
// among people, at least two seats must have made LeastDecisions decisions.
func (r Result) Counts() bool {
	return r.Ending != games.Abandoned && !r.Unrated && r.Voided == nil &&
		(r.DecidedFew == 0 || r.Computers() || len(r.Seats)-bits.OnesCount64(r.DecidedFew) >= 2)
}

// CountsFor reports whether a counted result counts for a seat.
func (r Result) CountsFor(seat games.Seat) bool {
	return r.DecidedFew>>uint(seat)&1 == 0 || r.Computers()
}

// Change is what Create or Commit stores. It is committed completely or not at all.
type Change struct {
	// Key identifies the command, so that a repeated command is carried out once; "" for none. It has at most MaxKey
	// bytes.
	Key string
	// Head is the head after the change. Its Version is the stored version plus one, or 1 for a new table. Its Events
	// is the number of events including those of the change.
	Head Head
	// Detail is the detail after the change; nil if it has not changed. A new table needs one.
	Detail *Detail
	// Events are the events to append to those of the table.
	Events []Event
	// Result is set if the change ends the game.
	Result *Result
	// Conduct is added to players' conduct on the table's server. It has at most one item for each player.
	Conduct []Conducted
	// Pairing is the key of the pairing for which a new table is opened; "" for none. Create deletes the pairing, and
	// returns ErrNoPairing if it does not exist.
	Pairing string
	// Alone makes Create return a *BusyError if the channel already has an unfinished table.
	Alone bool
	// Limits restrict the server's unfinished tables after this change. Create and Commit return a *LimitError if the
	// change exceeds one of them.
	Limits []Limit
	// Fence is the lease under which a process makes a change that no user requested, when several processes share the
	// store.
	Fence Fence
}

// LimitKind says what a limit restricts.
type LimitKind uint8

// Kinds of limits. Each counts among the unfinished tables of one server.
const (
	ServerTables    LimitKind = iota // all tables of the server
	UserTables                       // tables at which the user has a seat
	UserLobbies                      // tables that have not started, and at which the user is the host and has a seat
	UserInvitations                  // unanswered invitations to tables that UserLobbies counts
)

// Limit restricts the number of tables or invitations after a change. A change to a table that adds nothing to this
// number (Weight) is always allowed.
type Limit struct {
	Kind LimitKind
	User string // id of the user; "" for ServerTables
	Most int
}

// Table is a table as Load or News returns it.
type Table struct {
	Head      Head
	Detail    Detail
	Events    []Event
	Published uint64 // last published version; 0 for none
	// Note is a note about the published messages, at most MaxNote bytes. Its first line has ids of messages. The
	// rest may name people.
	Note string
}

// Turn is a table that waits for a user's move.
type Turn struct {
	Table ID
	Guild string
	Since Stamp // when the table began to wait for the user
}

// DueTable is a moment at which the bot must do something at a table.
type DueTable struct {
	Table ID
	Due
}

// Size is the size of a store.
type Size = kv.Size

// Group is a group of tables that Tally counts together.
type Group struct {
	Game   string
	Status Status
	Paused bool
}

// Errors of a store.
var (
	// ErrStale says that a change does not follow the stored state of the table or competition.
	ErrStale = errors.New("the table has changed since")
	// ErrNoTable says that no table has this id.
	ErrNoTable = errors.New("no such table")
	// ErrInvalid says that a change or a value is not valid, or contradicts the store.
	ErrInvalid = errors.New("not a valid change")

	// ErrClosed says that the store is closed, or closing.
	ErrClosed = kv.ErrClosed
	// ErrLocked says that another process has the file open.
	ErrLocked = kv.ErrLocked
	// ErrNewer says that the store was written by a newer version of the program.
	ErrNewer = kv.ErrNewer
	// ErrDamaged says that the store, or a part of it, cannot be read or was altered.
	ErrDamaged = kv.ErrDamaged
)

// DamagedError says that a stored value cannot be read or was altered. It wraps ErrDamaged.
type DamagedError struct {
	Table ID     // table to which the value belongs; 0 for none
	What  string // name of the value, such as "event 12 of table 5"
	Why   string // what is wrong with the value, such as "its checksum is wrong"
}

func (e *DamagedError) Error() string { return fmt.Sprintf("%v (%s: %s)", ErrDamaged, e.What, e.Why) }

// Unwrap returns ErrDamaged.
func (e *DamagedError) Unwrap() error { return ErrDamaged }

// DoneError says that the command with this key has already been carried out, or that the competition's game already
// has a table.
type DoneError struct {
	Key     string
	Table   ID
	Version uint64 // version of the table after the command
}

func (e *DoneError) Error() string {
	return fmt.Sprintf("command %s was done before (table %d, version %d)", e.Key, e.Table, e.Version)
}

// WorkKind is the kind of a background job.
type WorkKind string

// Kinds of background jobs.
const (
	Recounting WorkKind = "recounting" // recounts the leaderboards of a server
	Forgetting WorkKind = "forgetting" // removes the data of a user
	Deleting   WorkKind = "deleting"   // removes the data of a server
)

// Work identifies a background job for a server or a user.
type Work struct {
	Kind WorkKind
	Of   string
}

// BusyError says that a channel already has an unfinished table.
type BusyError struct {
	Channel string
	Table   ID // oldest unfinished table of the channel
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("table %d goes on in channel %s", e.Table, e.Channel)
}

// LimitError says that a change exceeds one of its limits.
type LimitError struct{ Limit Limit }

func (e *LimitError) Error() string {
	what := map[LimitKind]string{
		ServerTables: "tables of the server", UserTables: "tables", UserLobbies: "tables that wait for players",
		UserInvitations: "invitations",
	}
	if e.Limit.User == "" {
		return fmt.Sprintf("more than %d %s", e.Limit.Most, what[e.Limit.Kind])
	}
	return fmt.Sprintf("more than %d %s of user %s", e.Limit.Most, what[e.Limit.Kind], e.Limit.User)
}

// ResultQuery selects results of a server, of a game on a server, or of a user. A query for a user can be narrowed down
// with Guild and Game.
type ResultQuery struct {
	Guild, Game, User string
	// Before is the last result of the previous page; the zero Result for the first page.
	Before Result
	Limit  int
	// Keep reports whether to return a result; nil keeps all. It gets the Table, Game, Guild, Winners, Drawn, whether
	// the Ending is games.Abandoned, and the User or Computer of the Seats; other fields may be unset. The result is
	// valid only during the call. At most Scan results are examined; 0 means all.
	Keep func(Result) bool
	Scan int
}

// Types of package kv for errors of the disk or the server.
type (
	DiskProblem      = kv.DiskProblem
	DiskError        = kv.DiskError
	UnreachableError = kv.UnreachableError
)

// Values of DiskProblem.
const (
	DiskFull     = kv.DiskFull
	DiskReadOnly = kv.DiskReadOnly
	DiskFailed   = kv.DiskFailed
)
