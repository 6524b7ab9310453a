// Package storage stores tables with their events, results, leaderboards and settings. A [Store] keeps them in an
// engine of package kv: a file or a database server. Other packages declare the methods that they need of a store as an
// interface with these types.
//
// Every stored kind is declared once, in declared.go: the parts of its key, its value, its owner, its indexes, and the
// parts of it that stay when a user is forgotten. The declaration decides how a value is written, sealed, checked,
// repaired and moved, and which values are deleted with a server.
//
// A table has three parts. The Head is small and changes with every commit. The Detail is large and rarely changes
// after the start. The events are everything that happened at the table, in order; the plays among them are the log of
// the match (Log). A Change contains everything that one accepted command changes. It is committed completely or not at
// all.
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

// ID is the number of a table. Later tables have higher ids; the first is 1.
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

// Stamp is a moment in milliseconds since 1970; 0 stands for no moment.
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

// Status is the stage of a table's life.
type Status uint8

// The stages.
const (
	Lobby   Status = iota // waiting for players
	Playing               // started
	Over                  // ended, with or without a result
)

// Phase selects tables in lists.
type Phase bool

// The phases.
const (
	Active   Phase = false // waiting or playing
	Finished Phase = true
)

// Active reports whether the table is waiting or playing.
func (s Status) Active() bool { return s != Over }

// Occupant is a seat's holder: a person or a computer player.
type Occupant struct {
	User     string    `json:"u,omitempty"` // id of the person; "" for a computer
	Name     text.Name `json:"n,omitzero"`  // name when they sat down, for records
	Computer string    `json:"c,omitempty"` // level of the computer player; "" for a person
	Called   int       `json:"k,omitempty"` // number of a computer's name, from 1; 0 for a person
}

// ProposalKind is the kind of an offer to the other players.
type ProposalKind string

// The kinds of proposals.
const (
	NoProposal     ProposalKind = ""
	DrawProposal   ProposalKind = "draw"    // end the game as a draw of all remaining players
	AbandonOffered ProposalKind = "abandon" // end the game without a result
	UndoProposal   ProposalKind = "undo"    // take By's last move back
)

// Proposal is an offer that all remaining players must agree to.
type Proposal struct {
	Kind   ProposalKind `json:"k,omitempty"`
	By     games.Seat   `json:"b,omitempty"` // the seat that made the offer
	Agreed uint64       `json:"a,omitempty"` // bit n: seat n agrees; By's bit is set
	Asked  uint64       `json:"v,omitempty"` // the table's version that contains the offer
}

// Has reports whether seat agrees.
func (p Proposal) Has(seat games.Seat) bool { return p.Agreed>>uint(seat)&1 == 1 }

// Due is a moment at which something must be done at a table. A table has at most one of each kind.
type Due struct {
	Kind string `json:"k"` // what is due, at most 32 bytes
	At   Stamp  `json:"t"`
}

// Head is the small part of a table: the facts that lists show, and those that decide whether a command is stale.
type Head struct {
	ID       ID           `json:"-"`
	Version  uint64       `json:"-"`           // increases by one with every commit, from 1
	Board    uint64       `json:"b,omitempty"` // the version in which the position last changed
	Status   Status       `json:"s,omitempty"`
	Game     string       `json:"g"`            // key of the game
	Guild    string       `json:"gu,omitempty"` // the table's server
	Channel  string       `json:"ch,omitempty"` // channel or thread of the table
	Host     string       `json:"h,omitempty"`  // user who opened the table, or became host later
	Seats    []Occupant   `json:"o,omitempty"`  // in order of seats after the start, in order of joining before
	Least    int          `json:"l,omitempty"`  // minimum number of players
	Most     int          `json:"m,omitempty"`  // maximum number of players
	ToMove   games.Seat   `json:"t"`            // the seat that must decide; Nobody unless Playing
	Events   uint64       `json:"-"`            // number of events
	Plays    int          `json:"p,omitempty"`  // number of entries in the match's log
	Digest   string       `json:"d,omitempty"`  // games.Match.Digest of the position; "" before the start
	Proposal Proposal     `json:"q,omitzero"`
	Ending   games.Ending `json:"x,omitempty"` // how the game ended, unless by the rules
	Opened   Stamp        `json:"ot,omitempty"`
	Started  Stamp        `json:"st,omitempty"`
	Changed  Stamp        `json:"ct,omitempty"` // moment of the last commit
	Due      []Due        `json:"du,omitempty"`
	Touched  Stamp        `json:"tc,omitempty"` // when a person last did something at the table
	Timing   Timing       `json:"tm,omitzero"`
	Open     uint64       `json:"of,omitempty"` // bit n: others may take over seat n
	// bit n: others may take over seat n even after its late player has moved, because its player or a moderator
	// offered it
	Stays   uint64 `json:"os,omitempty"`
	Paused  string `json:"pa,omitempty"` // why nobody can move, one of the Pause reasons; "" when they can
	Rematch ID     `json:"re,omitempty"` // the table that this is a rematch of; 0 for none
	// number of plays after which people may offer a draw again, once a computer has declined
	DrawAsk int     `json:"da,omitempty"`
	DrawBid int     `json:"db,omitempty"` // number of plays after which a computer may offer a draw again
	Retell  Retell  `json:"rt,omitzero"`
	Card    Card    `json:"cd,omitzero"`
	Contest Contest `json:"co,omitzero"`
	// number of consecutive failed attempts of the job that is due
	Tries int `json:"tr,omitempty"`
	// increases when a user is removed from the table's data; data that was read before may still name the user
	Forgotten uint64 `json:"fo,omitempty"`
}

// Publication says up to which version a table was published.
type Publication struct {
	Version   uint64 // the last published version; 0 for none
	Forgotten uint64 // Head.Forgotten of the published version
	Note      string // the publisher's note, at most MaxNote bytes
}

// Contest is the competition's game that a table belongs to. Create does not open a second table for a game.
type Contest struct {
	Number   uint64 `json:"n,omitempty"` // number of the competition; 0 for none
	Game     uint64 `json:"g,omitempty"` // number of the game in the competition
	Reported bool   `json:"r,omitempty"` // whether the competition knows the table's outcome
}

// Card is the message about a table in the channel of its thread.
type Card struct {
	Channel string `json:"c,omitempty"` // "" for a table without one
	Message string `json:"m,omitempty"` // "" once somebody has deleted it
	Shown   string `json:"s,omitempty"` // what it shows, in its editor's own words; "" for nothing yet
	Next    Stamp  `json:"n,omitempty"` // the card is not edited before this moment, unless the edit cannot wait

	Thread  string `json:"t,omitempty"` // the thread for the table, or for an earlier table there
	Archive Stamp  `json:"a,omitempty"` // when to archive the thread; 0 before the end and after archiving
	Named   string `json:"d,omitempty"` // what the thread is named after; empty when Archive is 0
	// the thread's name must not name anybody, because a player's data was deleted
	Nameless bool `json:"o,omitempty"`
}

// Retell is the progress of sending messages again that the channel refused.
type Retell struct {
	Tries int `json:"n,omitempty"` // number of postponed attempts
	// moment of the next attempt; 0 during an attempt, and when there will be no more
	At Stamp `json:"t,omitempty"`
}

// LostChannel reports whether a game is paused because its channel is gone.
func (h Head) LostChannel() bool { return h.Status == Playing && h.Paused == PausedChannelGone }

// InThreadOf reports whether the table is played in its card's thread, under the given channel.
func (h Head) InThreadOf(channel string) bool {
	return h.Card.Channel == channel && h.Card.Thread == h.Channel
}

// Seat returns a user's index in Seats, or Spectator.
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
	Rules    int         `json:"r"`           // games.Game.Version of the rules
	Seed     fair.Seed   `json:"-"`           // secret until the end; never printed
	Fairness int         `json:"y,omitempty"` // version of package fair for the table's draws
	Inputs   []string    `json:"j,omitempty"` // inputs to all draws, in order; they grow until the start
	Seating  []int       `json:"l,omitempty"` // value of games.Header, by seat; nil before the start
	Invited  []string    `json:"i,omitempty"` // users whose invitation is open; each has a reserved seat
	WhenFull bool        `json:"f,omitempty"` // start automatically once all seats are taken
	Fixed    bool        `json:"x,omitempty"` // seats are in the order of joining, not drawn
	// users in the order of their seats, provided that all join; "" for a computer
	Order   []string `json:"o,omitempty"`
	Unrated bool     `json:"u,omitempty"` // the result is not counted on leaderboards
	// bit n: seat n had a hint against computers; the computers' win counts, a win of seat n does not
	Hinted uint64     `json:"h,omitempty"`
	Hints  bool       `json:"k,omitempty"` // the server allowed hints in rated games at the start
	Resign bool       `json:"c,omitempty"` // a losing computer may resign
	Asks   Conditions `json:"q,omitzero"`  // conditions for joining without an invitation
	Plans  []Plan     `json:"p,omitempty"` // conditional moves, each secret to its owner
}

// Plan is a line of conditional moves. While the other players follow the line, the player's own moves are played
// immediately.
type Plan struct {
	Seat games.Seat `json:"s"`
	From int        `json:"f"` // number of plays before the line
	Line []string   `json:"l"` // plays of the line, in the notation of the rules
}

// Commitment returns the SHA-256 of the seed, shown when the table opens.
func (d Detail) Commitment() string { return d.Seed.Commitment() }

// Format prints the detail without its seed, for every verb. Without Format, package fmt could print the seed's bytes.
func (d Detail) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "{%+v rules %d, inputs %q, invited %q}", d.Setup, d.Rules, d.Inputs, d.Invited)
}

// Kind is the kind of an event at a table.
type Kind uint8

// The kinds of events. The numbers are stored: add kinds, never change a number.
const (
	Opened   Kind = 1  // User opened the table; Text is the name
	Joined   Kind = 2  // User sat down; Text is the name
	Left     Kind = 3  // User left before the start
	Refused  Kind = 4  // User declined the invitation
	Hosted   Kind = 5  // User became the host
	Started  Kind = 6  // the game began
	Played   Kind = 7  // Seat played Text
	Forced   Kind = 8  // the table played Text for Seat: the only possible move
	Drew     Kind = 9  // dice or cards were drawn: Text
	Resigned Kind = 10 // Seat resigned
	Proposed Kind = 11 // Seat proposed Text, a ProposalKind, to the others
	Agreed   Kind = 12 // Seat agreed to Text
	Declined Kind = 13 // Seat refused Text, which ends the proposal; Nobody if the game has continued
	Withdrew Kind = 14 // Seat withdrew its proposal Text
	// the game ended; Text is the games.Ending, "" if it ended by the rules. User is the moderator or host who ended
	// it, or ""
	Ended      Kind = 15
	Rehoused   Kind = 16 // the table was moved to channel Text
	TimedOut   Kind = 17 // Seat's time ran out; Text is the Late rule that applies
	Reminded   Kind = 18 // Seat was reminded of the turn; Text is the number of the reminder for this decision
	TookBack   Kind = 19 // Seat took moves back; Text is the number of plays removed from the log
	Offered    Kind = 20 // others may take Seat over; User is the moderator who offered it, or ""
	OfferEnded Kind = 21 // others can no longer take over Seat
	Taken      Kind = 22 // User has taken over Seat; Text is the name
	Removed    Kind = 23 // the moderator User removed Seat's holder; Text is the holder's name
	Paused     Kind = 24 // the game paused; Text is why, User the moderator who paused it, or ""
	Resumed    Kind = 25 // the game continued after a pause
	IdleSoon   Kind = 26 // the table will be closed at Text (milliseconds since 1970) for inactivity
	Idle       Kind = 27 // the table was closed for inactivity
	Moderated  Kind = 28 // the moderator User caused the next event; Text is the name
	Voided     Kind = 29 // the result was voided; the result says why
	Restored   Kind = 30 // the result counts again
	Invited    Kind = 31 // User was invited after the table was opened; Text is the name
	Chosen     Kind = 32 // User changed an option after the table was opened; Text is the key and the value
	Recovered  Kind = 33 // the table was restored from a backup; Text is the Stamp of the backup's latest knowledge
	PutBack    Kind = 34 // the channel has shown a later version (Text) than the store has
	// the competition decided the game, because its deadline passed or an entrant left
	Halted    Kind = 35
	lastKnown      = Halted
)

// Known reports whether this program knows the kind.
func (k Kind) Known() bool { return k >= Opened && k <= lastKnown }

// Play reports whether an event of this kind is an entry of the match's log.
func (k Kind) Play() bool { return k >= Played && k <= Resigned }

// Named reports whether the Text of an event of this kind is its User's name.
func (k Kind) Named() bool {
	switch k {
	case Opened, Joined, Left, Refused, Hosted, Taken, Moderated, Invited:
		return true
	}
	return false
}

// Name returns the Text of an event as a name.
func (e Event) Name() text.Name { return text.NewName(e.Text) }

// Event is one event at a table.
type Event struct {
	Kind    Kind
	Version uint64 // the table's version that contains the event
	At      Stamp
	Seat    games.Seat // the acting seat, once the game has started; games.Chance for dice and cards
	User    string     // the acting user, if they do not hold the seat, or before the start
	// Interaction is Discord's id of the interaction that caused a play; "" for a play that followed from another play,
	// and for other events.
	Interaction string
	Text        string
}

// Reasons why a table is paused.
const (
	PausedByModerator = "moderator" // a moderator paused it
	PausedChannelGone = "channel"   // its channel or thread is gone, or refuses messages
	PausedRemoved     = "server"    // the bot was removed from the server
)

// Back returns the number of plays that a TookBack event removes from the log.
func (e Event) Back() int {
	n, err := strconv.Atoi(e.Text)
	if e.Kind != TookBack || err != nil || n < 0 {
		return 0
	}
	return n
}

// Log returns the match's log, without plays that were taken back.
func Log(events []Event) []games.Entry {
	log, _ := Logs(events)
	return log
}

// SeatsHeld returns, for each user, the seats that they have held at any time in a started game, as bits.
func (t Table) SeatsHeld() map[string]uint64 {
	held := map[string]uint64{}
	founders := founders(t.Events)
	for seat, number := range t.Detail.Seating {
		if number < len(founders) {
			held[founders[number].User] |= 1 << uint(seat)
		}
	}
	for _, e := range t.Events {
		if e.Kind == Taken {
			held[e.User] |= 1 << uint(e.Seat)
		}
	}
	delete(held, "")
	return held
}

// founders returns the people at the start of the game, in the order of joining; computers have no user.
func founders(events []Event) []Occupant {
	var who []Occupant
	for _, e := range events {
		switch e.Kind {
		case Opened, Joined:
			who = append(who, Occupant{User: e.User})
		case Left:
			// The last computer leaves.
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

// Logs returns the match's logs, in order: the log before each take-back, and the current one.
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

// Result is a table's result, for leaderboards and histories.
type Result struct {
	Table   ID           `json:"-"`
	Game    string       `json:"g"`
	Guild   string       `json:"gu,omitempty"`
	Setup   games.Setup  `json:"s"`
	Seats   []Occupant   `json:"o"`
	Winners []games.Seat `json:"w,omitempty"` // as in games.Result
	Drawn   bool         `json:"d,omitempty"`
	Scores  []int        `json:"sc,omitempty"`
	Ending  games.Ending `json:"x,omitempty"`
	Plays   int          `json:"p"`
	Turns   int          `json:"t"`
	Started Stamp        `json:"st"`
	Ended   Stamp        `json:"et"`
	// not counted on leaderboards, because the players chose so or the store was put back
	Unrated bool `json:"u,omitempty"`
	// bit n: seat n, held by a person, had made fewer than LeastDecisions decisions at the end
	DecidedFew uint64 `json:"b,omitempty"`
	// by seat: how much had been played when the seat's holder resigned or ran out of time, in per cent of a quarter of
	// the game's usual length; 100 for the other seats. nil if all have 100
	Stayed []int `json:"q,omitempty"`
	// version of the computer players that took part; 0 for games from before it was recorded
	ComputerVersion int `json:"c,omitempty"`

	// The store sets these fields.
	Order  uint64   `json:"n,omitempty"`  // position in the order in which results are rated
	Season int      `json:"se,omitempty"` // number of the season; 0 for none
	Voided *Voiding `json:"vo,omitempty"`
	// new ratings, by seat, on its game's all-time leaderboard; nil unless the result counts
	Ratings []rating.Rating `json:"r,omitempty"`
}

// Won reports whether seat won, alone or with others, and the game is no draw.
func (r Result) Won(seat games.Seat) bool { return !r.Drawn && r.has(seat) }

// Drew reports whether seat shares a draw.
func (r Result) Drew(seat games.Seat) bool { return r.Drawn && r.has(seat) }

func (r Result) has(seat games.Seat) bool {
	for _, w := range r.Winners {
		if w == seat {
			return true
		}
	}
	return false
}

// LeastDecisions is the number of decisions that each of two people must have made for the result between them to
// count. Games with computers always count: a computer does not lose on purpose.
const LeastDecisions = 3

// Seat returns a user's first seat; -1 for none.
func (r Result) Seat(user string) games.Seat {
	return games.Seat(slices.IndexFunc(r.Seats, func(o Occupant) bool { return o.User == user }))
}

// Counts reports whether the result counts on leaderboards. Abandoned, unrated and voided results do not. Results among
// people also need at least two people who have made LeastDecisions decisions.
func (r Result) Counts() bool {
	return r.Ending != games.Abandoned && !r.Unrated && r.Voided == nil &&
		(r.DecidedFew == 0 || r.Computers() || len(r.Seats)-bits.OnesCount64(r.DecidedFew) >= 2)
}

// CountsFor reports whether a counted result counts for a seat.
func (r Result) CountsFor(seat games.Seat) bool {
	return r.DecidedFew>>uint(seat)&1 == 0 || r.Computers()
}

// Change contains everything that one command changes. It is committed completely or not at all.
type Change struct {
	// Key identifies the command, so that a repeated command is carried out once; "" for none. At most 128 bytes.
	Key string
	// Head is the head after the change. Its Version is one above the stored one (1 for a new table), and its Events
	// the number including Events below.
	Head Head
	// Detail is the detail after the change; nil if unchanged. A new table needs one.
	Detail *Detail
	// Events are appended to the table's events.
	Events []Event
	// Result is set if the change ends a match.
	Result *Result
	// Conduct is added to the players' conduct on the table's server, at most one item for each player.
	Conduct []Conducted
	// Pairing is the key of the pairing that the new table is for, "" for none. Create deletes the pairing, and returns
	// ErrNoPairing if it does not exist.
	Pairing string
	// Alone makes Create return a *BusyError if the channel has another unfinished table.
	Alone bool
	// Limits restrict the server's unfinished tables after this change. If one is exceeded, Create and Commit return a
	// *LimitError.
	Limits []Limit
	// Fence is the lease for a change that no user requested, when processes share the store.
	Fence Fence
}

// LimitKind says what a limit counts.
type LimitKind uint8

// These kinds count among the unfinished tables of one server.
const (
	ServerTables    LimitKind = iota // all tables of the server
	UserTables                       // tables at which the user sits
	UserLobbies                      // tables that have not started and whose host is the user, seated there
	UserInvitations                  // unanswered invitations to the tables of UserLobbies
)

// Limit restricts a number of tables or invitations after a change. A change that adds nothing to that number is always
// allowed.
type Limit struct {
	Kind LimitKind
	User string // "" for ServerTables
	Most int
}

// Table is everything stored about a table.
type Table struct {
	Head      Head
	Detail    Detail
	Events    []Event
	Published uint64 // the last published version; 0 for none
	// Note is the publisher's note, at most 4,096 bytes. Its first line holds ids of messages. The rest may name
	// people, and is removed when a player of the table is forgotten.
	Note string
}

// Turn is a table that waits for a user's move.
type Turn struct {
	Table ID
	Guild string
	Since Stamp // when the decision fell due
}

// DueTable is a due moment with its table.
type DueTable struct {
	Table ID
	Due
}

// Size is the size of a store.
type Size = kv.Size

// Group is the key by which Tally counts tables.
type Group struct {
	Game   string
	Status Status
	Paused bool
}

// Errors of a store.
var (
	// ErrStale says that a change was made from a version that is no longer stored.
	ErrStale = errors.New("the table has changed since")
	// ErrNoTable says that there is no table with this id.
	ErrNoTable = errors.New("no such table")
	// ErrInvalid says that a change contradicts itself or the store, which is a bug in the program.
	ErrInvalid = errors.New("not a valid change")

	// ErrClosed says that the store is closed, or closing.
	ErrClosed = kv.ErrClosed
	// ErrLocked says that another process has the file open.
	ErrLocked = kv.ErrLocked
	// ErrNewer says that the file was written by a newer version of the program.
	ErrNewer = kv.ErrNewer
	// ErrDamaged says that the file, or a part of it, cannot be read.
	ErrDamaged = kv.ErrDamaged
)

// DamagedError says which stored value is unreadable or altered. It wraps ErrDamaged.
type DamagedError struct {
	Table ID     // the value's table; 0 for none
	What  string // which value, as "event 12 of table 5"
	Why   string // what is wrong with it, as "its checksum is wrong"
}

func (e *DamagedError) Error() string { return fmt.Sprintf("%v (%s: %s)", ErrDamaged, e.What, e.Why) }

// Unwrap returns ErrDamaged.
func (e *DamagedError) Unwrap() error { return ErrDamaged }

// DoneError says that the command with this key has already been carried out.
type DoneError struct {
	Key     string
	Table   ID
	Version uint64 // the table's version after the command
}

func (e *DoneError) Error() string {
	return fmt.Sprintf("command %s was done before (table %d, version %d)", e.Key, e.Table, e.Version)
}

// WorkKind is the kind of a Work.
type WorkKind string

// The kinds of jobs.
const (
	Recounting WorkKind = "recounting" // recounting a server's leaderboards
	Forgetting WorkKind = "forgetting" // forgetting a user
	Deleting   WorkKind = "deleting"   // deleting a server
)

// Work is a background job for a server or a user, whose running time grows with the store. It proceeds in small steps,
// and continues after restarts.
type Work struct {
	Kind WorkKind
	Of   string
}

// BusyError says that a channel has an unfinished table.
type BusyError struct {
	Channel string
	Table   ID // the oldest unfinished table
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

// ResultQuery asks for results of a server, of a game on a server, or of a user, newest first. Guild and Game, unless
// empty, narrow down a user's results.
type ResultQuery struct {
	Guild, Game, User string
	// Before is the last result of the previous page; zero for the first page.
	Before Result
	Limit  int
	// Keep selects results; nil selects all. It gets the Table, Game, Guild, Winners, Drawn, whether the Ending is
	// games.Abandoned, and the User or Computer of the Seats; other fields may be unset. The result is valid only
	// during the call. At most Scan results are examined; 0 means all.
	Keep func(Result) bool
	Scan int
}

// Problems of the medium on which a store is kept.
type (
	DiskProblem      = kv.DiskProblem
	DiskError        = kv.DiskError
	UnreachableError = kv.UnreachableError
)

// The problems of disks.
const (
	DiskFull     = kv.DiskFull
	DiskReadOnly = kv.DiskReadOnly
	DiskFailed   = kv.DiskFailed
)
