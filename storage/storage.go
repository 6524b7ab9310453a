// Package storage is what the project keeps: tables with their events, results, standings,
// settings. A [Store] keeps it in an engine of package kv, a file or a database server. Other
// packages declare the methods that they need of a store as an interface of these types.
//
// Everything that is kept is declared once, in declared.go: the parts of its key, its value, its
// owner, what is left of it when a user is forgotten, and the indexes that are derived from it.
// From that follow how it is written, sealed, checked, mended and moved, and what goes when a
// server is deleted.
//
// A table is three things. The Head is small and changes with every commit. The Detail is large and
// hardly ever changes after the start. The events are the truth: everything that happened at the
// table, in order. The plays among them are the log of the match (Log). A Change carries all that
// one accepted command changes, and is committed whole or not at all.
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

// ID names a table. IDs rise; the first is 1.
type ID uint64

// String is the id in decimal digits, as players see it and custom_ids carry it.
func (id ID) String() string { return strconv.FormatUint(uint64(id), 10) }

// ParseID reads what String wrote. Its error says that text is no table's number.
func ParseID(text string) (ID, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q isn't a table number", text)
	}
	return ID(n), nil
}

// Stamp is a moment in milliseconds since 1970; 0 is no moment.
type Stamp int64

// At is the stamp of a time.
func At(t time.Time) Stamp { return Stamp(t.UnixMilli()) }

// Time is the stamp as a time; the zero time for 0.
func (s Stamp) Time() time.Time {
	if s == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(s))
}

// Status is where a table is in its life.
type Status uint8

// The life of a table.
const (
	Lobby   Status = iota // waiting for players
	Playing               // started
	Over                  // ended, with or without a result
)

// Phase chooses among tables in lists.
type Phase bool

// The phases.
const (
	Active   Phase = false // something can still happen
	Finished Phase = true
)

// Active reports whether something can still happen at the table.
func (s Status) Active() bool { return s != Over }

// Occupant is who holds a seat: a person or a computer player.
type Occupant struct {
	User     string    `json:"u,omitempty"` // id of the person; "" for a computer
	Name     text.Name `json:"n,omitzero"`  // as shown when they sat down, for records
	Computer string    `json:"c,omitempty"` // level of the computer player; "" for a person
	Called   int       `json:"k,omitempty"` // which of the computers' names is theirs, from 1; 0 for a person
}

// ProposalKind is the kind of an offer to the others.
type ProposalKind string

// What can be agreed on.
const (
	NoProposal     ProposalKind = ""
	DrawProposal   ProposalKind = "draw"    // end the game as a draw of all who are still in
	AbandonOffered ProposalKind = "abandon" // stop the game without a result
	UndoProposal   ProposalKind = "undo"    // let By take their last move back
)

// Proposal is an offer that all who are still in must agree to.
type Proposal struct {
	Kind   ProposalKind `json:"k,omitempty"`
	By     games.Seat   `json:"b,omitempty"` // who asked
	Agreed uint64       `json:"a,omitempty"` // bit n: seat n agrees; By is among them
	Asked  uint64       `json:"v,omitempty"` // the table's version in which it was asked
}

// Has reports whether seat agrees.
func (p Proposal) Has(seat games.Seat) bool { return p.Agreed>>uint(seat)&1 == 1 }

// Due is a moment at which something falls due at a table. A table has at most one of each kind.
type Due struct {
	Kind string `json:"k"` // the event that falls due, at most 32 bytes
	At   Stamp  `json:"t"`
}

// Head is the small part of a table: enough for lists, and for deciding whether a command comes in time.
type Head struct {
	ID       ID           `json:"-"`
	Version  uint64       `json:"-"`           // rises by one with every commit; 1 when it opens
	Board    uint64       `json:"b,omitempty"` // the version in which the position last changed
	Status   Status       `json:"s,omitempty"`
	Game     string       `json:"g"`            // key of the game
	Guild    string       `json:"gu,omitempty"` // server
	Channel  string       `json:"ch,omitempty"` // channel or thread in which it is played
	Host     string       `json:"h,omitempty"`  // user who opened it, or took over
	Seats    []Occupant   `json:"o,omitempty"`  // by seat once started; in the order of joining before
	Least    int          `json:"l,omitempty"`  // how many players it needs to start
	Most     int          `json:"m,omitempty"`  // how many it has room for
	ToMove   games.Seat   `json:"t"`            // whose decision is due; Nobody unless Playing
	Events   uint64       `json:"-"`            // number of events
	Plays    int          `json:"p,omitempty"`  // length of the match's log
	Digest   string       `json:"d,omitempty"`  // games.Match.Digest of the position; "" before the start
	Proposal Proposal     `json:"q,omitzero"`
	Ending   games.Ending `json:"x,omitempty"` // how it ended unless by the rules
	Opened   Stamp        `json:"ot,omitempty"`
	Started  Stamp        `json:"st,omitempty"`
	Changed  Stamp        `json:"ct,omitempty"` // of the last commit
	Due      []Due        `json:"du,omitempty"`
	Touched  Stamp        `json:"tc,omitempty"` // when a person last did something here
	Timing   Timing       `json:"tm,omitzero"`
	Open     uint64       `json:"of,omitempty"` // bit n: seat n is offered to others
	// bit n: seat n, offered by its player or a moderator, stays so when a player who was late
	// moves
	Stays   uint64 `json:"os,omitempty"`
	Paused  string `json:"pa,omitempty"` // why nobody can move, one of the Pause reasons; "" when they can
	Rematch ID     `json:"re,omitempty"` // the table that this is a rematch of
	// from how many plays on people may offer a draw again, which a computer player has declined
	DrawAsk int     `json:"da,omitempty"`
	DrawBid int     `json:"db,omitempty"` // from how many plays on a computer player may offer a draw again
	Retell  Retell  `json:"rt,omitzero"`
	Card    Card    `json:"cd,omitzero"`
	Contest Contest `json:"co,omitzero"`
	// the failed attempts in a row that were made because something was due here
	Tries int `json:"tr,omitempty"`
	// rises whenever a user is taken out of the table's stored data: data read before may still name them
	Forgotten uint64 `json:"fo,omitempty"`
}

// Publication records how far a table was published.
type Publication struct {
	Version   uint64 // up to which it was; 0 for nothing
	Forgotten uint64 // Head.Forgotten of the published version
	Note      string // the publisher's, of at most MaxNote bytes
}

// Contest says which game of a competition of its server a table is. A game has one table: Create opens no second.
type Contest struct {
	Number   uint64 `json:"n,omitempty"` // of the competition; 0 for a table of none
	Game     uint64 `json:"g,omitempty"` // of the game in the competition
	Reported bool   `json:"r,omitempty"` // the competition knows how the table ended
}

// Card is the message by which the channel of a table's thread knows of it.
type Card struct {
	Channel string `json:"c,omitempty"` // "" for a table without one
	Message string `json:"m,omitempty"` // "" once somebody has deleted it
	Shown   string `json:"s,omitempty"` // what it shows, in its editor's own words; "" for nothing yet
	Next    Stamp  `json:"n,omitempty"` // it is not edited before, but for what cannot wait

	Thread  string `json:"t,omitempty"` // the thread that was opened for the table, or for one before it there
	Archive Stamp  `json:"a,omitempty"` // when to archive the thread; 0 before the game is over, and once that is done
	Named   string `json:"d,omitempty"` // what the thread is named after; empty in the same cases
	// the thread's name is to name nobody: data of somebody at the table were deleted
	Nameless bool `json:"o,omitempty"`
}

// Retell is the progress in repeating a table's news that its channel did not take.
type Retell struct {
	Tries int `json:"n,omitempty"` // how often it was put off
	// when it is tried again; 0 while it is being tried, and when it is not tried by itself any
	// more
	At Stamp `json:"t,omitempty"`
}

// LostChannel reports whether a game stands still because its channel is gone.
func (h Head) LostChannel() bool { return h.Status == Playing && h.Paused == PausedChannelGone }

// InThreadOf reports whether the table is played in its card's thread, in that channel.
func (h Head) InThreadOf(channel string) bool {
	return h.Card.Channel == channel && h.Card.Thread == h.Channel
}

// Seat is the seat of a user: their index in Seats. A user without one is a Spectator.
func (h Head) Seat(user string) games.Seat {
	for i, o := range h.Seats {
		if o.User == user && user != "" {
			return games.Seat(i)
		}
	}
	return games.Spectator
}

// Detail is the large part of a table, which hardly ever changes after the start.
type Detail struct {
	Setup    games.Setup `json:"s"`
	Rules    int         `json:"r"`           // version of the rules, as games.Game.Version
	Seed     fair.Seed   `json:"-"`           // secret until the end; it prints as nothing
	Fairness int         `json:"y,omitempty"` // by which version of package fair the table draws
	Inputs   []string    `json:"j,omitempty"` // the inputs mixed into all draws, in order; they grow until the start
	Seating  []int       `json:"l,omitempty"` // by seat, as games.Header has it; nil before the start
	Invited  []string    `json:"i,omitempty"` // invited users who have not answered; a seat is kept for each
	WhenFull bool        `json:"f,omitempty"` // start without being told when the last seat is taken
	Fixed    bool        `json:"x,omitempty"` // seats in the order of joining instead of by lot
	// users in the order in which they will sit, if they all come; "" for a computer
	Order   []string `json:"o,omitempty"`
	Unrated bool     `json:"u,omitempty"` // the result counts on no leaderboard
	// seats as bits that had a hint against computers: only their defeat counts on leaderboards
	Hinted uint64     `json:"h,omitempty"`
	Hints  bool       `json:"k,omitempty"` // the server allowed hints in rated games when the game started
	Resign bool       `json:"c,omitempty"` // a computer player that is lost may resign
	Asks   Conditions `json:"q,omitzero"`  // of those who join without being invited
	Plans  []Plan     `json:"p,omitempty"` // conditional moves, each its owner's secret
}

// Plan is a line of moves that a player left: when the others play as it says, the player's own
// moves in it are played at once.
type Plan struct {
	Seat games.Seat `json:"s"`
	From int        `json:"f"` // how many plays there were when it was left
	Line []string   `json:"l"` // the plays that follow, in the notation of the rules
}

// Commitment is the SHA-256 of the seed, shown when the table opens.
func (d Detail) Commitment() string { return d.Seed.Commitment() }

// Format prints the detail without its seed, for every verb. Without it, package fmt would print
// the seed's bytes where it does not call the seed's own methods.
func (d Detail) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "{%+v rules %d, inputs %q, invited %q}", d.Setup, d.Rules, d.Inputs, d.Invited)
}

// Kind is the kind of an event at a table.
type Kind uint8

// What happens at a table. The numbers are in files: add, never change.
const (
	Opened   Kind = 1  // User opened the table; Text is the name
	Joined   Kind = 2  // User sat down; Text is the name
	Left     Kind = 3  // User left before the start; Text is the name
	Refused  Kind = 4  // User, who was invited, does not come
	Hosted   Kind = 5  // User is the host from now on
	Started  Kind = 6  // the seats are taken and the game begins
	Played   Kind = 7  // Seat played Text
	Forced   Kind = 8  // the table played Text for Seat, which had no choice
	Drew     Kind = 9  // dice or cards: Text
	Resigned Kind = 10 // Seat resigned
	Proposed Kind = 11 // Seat asks the others to agree to Text, a ProposalKind
	Agreed   Kind = 12 // Seat agrees to Text
	Declined Kind = 13 // Seat does not agree to Text, which is off the table; Nobody when the game has moved on
	Withdrew Kind = 14 // Seat, who had asked, takes Text back
	// it is over; Text is the games.Ending, "" by the rules. User is the moderator or host who
	// ended it, if one did
	Ended     Kind = 15
	Rehoused  Kind = 16 // the table is in channel Text from now on
	TimedOut  Kind = 17 // Seat's time has run out; Text is the Late that is carried out
	Reminded  Kind = 18 // Seat is reminded of their turn; Text says which reminder of this decision it is
	TookBack  Kind = 19 // Seat took back; Text is the number of plays that are gone from the log
	Offered   Kind = 20 // Seat is offered to others. User is the moderator who offers it, if one does
	Kept      Kind = 21 // Seat is not offered any more
	Taken     Kind = 22 // Seat is User's from now on; Text is the name
	Removed   Kind = 23 // Seat's holder, whose name was Text, was removed by the moderator User
	Paused    Kind = 24 // nobody can move for now; Text is why, User the moderator who paused it, if one did
	Resumed   Kind = 25 // the game continues after a pause
	IdleSoon  Kind = 26 // the table will be closed at Text (milliseconds since 1970) because nobody plays
	Idle      Kind = 27 // the table is closed because nobody played
	Moderated Kind = 28 // the moderator User did the following; Text is the name
	Voided    Kind = 29 // the result counts no more; the result itself says why
	Restored  Kind = 30 // the result counts again
	Invited   Kind = 31 // a seat is kept for User, who was invited after the table was opened; Text is the name
	Chosen    Kind = 32 // User chose an option of the table after it was opened: Text is its key and value
	Recovered Kind = 33 // the table is as a copy of the store had it; Text is until when that knows it, as a Stamp
	PutBack   Kind = 34 // the channel knows a later version, Text, than the store: it was put back to an earlier state
	// the table's competition has decided the game, by its deadline or because somebody left
	Halted    Kind = 35
	lastKnown      = Halted
)

// Known reports whether this program knows the kind.
func (k Kind) Known() bool { return k >= Opened && k <= lastKnown }

// Play reports whether the event is an entry of the match's log.
func (k Kind) Play() bool { return k >= Played && k <= Resigned }

// Named reports whether the event's Text is the name of its User.
func (k Kind) Named() bool {
	switch k {
	case Opened, Joined, Left, Refused, Hosted, Taken, Moderated, Invited:
		return true
	}
	return false
}

// Name is the Text of an event that holds a name.
func (e Event) Name() text.Name { return text.NewName(e.Text) }

// Event is one thing that happened at a table.
type Event struct {
	Kind    Kind
	Version uint64 // the version of the table that brought it
	At      Stamp
	Seat    games.Seat // who, once the game has started; games.Chance for dice and cards
	User    string     // who did it when that is not the seat's holder, or before the start
	// Interaction is the id of the interaction that a play came with, as Discord gave it; "" for a
	// play that followed from one before, and for what is no play.
	Interaction string
	Text        string
}

// Why a table is paused.
const (
	PausedByModerator = "moderator" // a moderator said so
	PausedChannelGone = "channel"   // its channel or thread is gone or refuses messages
	PausedRemoved     = "server"    // the bot was removed from the server
)

// Back is how many plays a TookBack event takes from the log.
func (e Event) Back() int {
	n, err := strconv.Atoi(e.Text)
	if e.Kind != TookBack || err != nil || n < 0 {
		return 0
	}
	return n
}

// Log is the match's log that events make. What was taken back is not in it.
func Log(events []Event) []games.Entry {
	log, _ := Logs(events)
	return log
}

// SeatsHeld are the seats that each user has had in a game that has started, as bits.
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

// founders are the people who were there when the game started, in the order of coming; computers have no user.
func founders(events []Event) []Occupant {
	var who []Occupant
	for _, e := range events {
		switch e.Kind {
		case Opened, Joined:
			who = append(who, Occupant{User: e.User})
		case Left:
			// Of the computers the last one leaves.
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

// Logs are the match's logs that events make: the current one, and those before each taking back, in order.
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

// Result is how a table ended, for standings and histories.
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
	// it counts nowhere: the players wanted that, or the table was put back to an earlier state
	Unrated bool `json:"u,omitempty"`
	// bit n: seat n, which no computer held, had decided less than LeastDecisions times when it
	// ended
	Brief uint64 `json:"b,omitempty"`
	// by seat, in per cent: which share of a quarter of the usual length of such a game had been played when somebody
	// resigned it, or ran out of time; 100 for who did not. nil where it is 100 for all
	Stayed []int `json:"q,omitempty"`
	// version of the computer players, where some took part, from the first that was noted on
	ComputerVersion int `json:"c,omitempty"`

	// What the store adds.
	Order  uint64   `json:"n,omitempty"`  // results are rated in this order
	Season int      `json:"se,omitempty"` // in which it counts; 0 for none
	Voided *Voiding `json:"vo,omitempty"`
	// by seat, after it, on the board of its game of all time; nil unless it counts
	Ratings []rating.Rating `json:"r,omitempty"`
}

// Won reports whether seat is among the winners and the game is no draw.
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

// LeastDecisions is how often two people must have decided something for the result between them to
// count. What computers played in counts for everybody: they lose to nobody on purpose.
const LeastDecisions = 3

// Seat is the first seat that a user had; -1 for none.
func (r Result) Seat(user string) games.Seat {
	return games.Seat(slices.IndexFunc(r.Seats, func(o Occupant) bool { return o.User == user }))
}

// Counts reports whether the result counts in the standings: an abandoned, unrated or voided one
// does not, nor one among people that ended before two of them had decided LeastDecisions times.
func (r Result) Counts() bool {
	return r.Ending != games.Abandoned && !r.Unrated && r.Voided == nil &&
		(r.Brief == 0 || r.Computers() || len(r.Seats)-bits.OnesCount64(r.Brief) >= 2)
}

// CountsFor reports whether a result that counts does so for a seat.
func (r Result) CountsFor(seat games.Seat) bool { return r.Brief>>uint(seat)&1 == 0 || r.Computers() }

// Change is all that one command changes. It is committed whole or not at all.
type Change struct {
	// Key names the command, so that the same command given twice is done once; "" for none. At most 128 bytes.
	Key string
	// Head after the change. Its Version is one more than the stored one (1 for a new table), its
	// Events the number after Events are appended.
	Head Head
	// Detail after the change; nil when it is as before. A new table needs one.
	Detail *Detail
	// Events to append.
	Events []Event
	// Result, when the change ends a match.
	Result *Result
	// Conduct are the additions to what is known of how people play on the table's server, each of them once.
	Conduct []Conducted
	// Pairing is the key of the pairing that a new table is opened for, "" for none. Create takes the
	// pairing away, and returns ErrNoPairing where there is none.
	Pairing string
	// Alone makes Create return a *BusyError while the channel has another unfinished table.
	Alone bool
	// Limits hold for the server's unfinished tables with this change; otherwise Create and Commit return a
	// *LimitError.
	Limits []Limit
	// Fence is the lease under which a process changes the table without being asked, where processes share the store.
	Fence Fence
}

// LimitKind is the quantity that a limit bounds.
type LimitKind uint8

// The bounded quantities. All count unfinished tables of one server.
const (
	ServerTables    LimitKind = iota // the server's tables
	UserTables                       // tables at which the user sits
	UserLobbies                      // tables at which the user sits as the host and that have not started
	UserInvitations                  // invitations to those that have not been answered
)

// Limit is the most of something that there may be with a change which adds to it. One that adds
// nothing is not bounded.
type Limit struct {
	Kind LimitKind
	User string // "" for ServerTables
	Most int
}

// Table is all that is stored of a table.
type Table struct {
	Head      Head
	Detail    Detail
	Events    []Event
	Published uint64 // the last version that was published; 0 for none
	// Note is the publisher's note then, at most 4,096 bytes. Its first line names messages; the rest may name people,
	// and is dropped when somebody at the table is forgotten.
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

// Size says how large a store is.
type Size = kv.Size

// Group is a category by which tables are counted.
type Group struct {
	Game   string
	Status Status
	Paused bool
}

// Errors of a store.
var (
	// ErrStale says that a change was made for a version that is no longer the stored one.
	ErrStale = errors.New("the table has changed since")
	// ErrNoTable says that no table has this id.
	ErrNoTable = errors.New("no such table")
	// ErrInvalid says that a change contradicts itself or the store; it is a fault of the program.
	ErrInvalid = errors.New("not a valid change")

	// ErrClosed says that the store is closed, or closing.
	ErrClosed = kv.ErrClosed
	// ErrLocked says that another process has the file open.
	ErrLocked = kv.ErrLocked
	// ErrNewer says that the file was written by a newer version of the program.
	ErrNewer = kv.ErrNewer
	// ErrDamaged says that the file, or something in it, cannot be read.
	ErrDamaged = kv.ErrDamaged
)

// DamagedError says which stored value cannot be read, or is not what was written. It wraps ErrDamaged.
type DamagedError struct {
	Table ID     // the value's table; 0 for none
	What  string // which value, as "event 12 of table 5"
	Why   string // what is wrong with it, as "its checksum is wrong"
}

func (e *DamagedError) Error() string { return fmt.Sprintf("%v (%s: %s)", ErrDamaged, e.What, e.Why) }

// Unwrap is ErrDamaged.
func (e *DamagedError) Unwrap() error { return ErrDamaged }

// DoneError says that the command with this key was done before.
type DoneError struct {
	Key     string
	Table   ID
	Version uint64 // of the table, that the command led to
}

func (e *DoneError) Error() string {
	return fmt.Sprintf("command %s was done before (table %d, version %d)", e.Key, e.Table, e.Version)
}

// WorkKind is a kind of work that takes time in proportion to what is stored.
type WorkKind string

// The kinds of such work.
const (
	Recounting WorkKind = "recounting" // a server's leaderboards are counted again
	Forgetting WorkKind = "forgetting" // a user is forgotten
	Deleting   WorkKind = "deleting"   // a server is deleted
)

// Work is work that a store does in the background, in small steps, over restarts: of a server or of a user.
type Work struct {
	Kind WorkKind
	Of   string
}

// BusyError says that a channel already has an unfinished table.
type BusyError struct {
	Channel string
	Table   ID // the oldest of them
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("table %d goes on in channel %s", e.Table, e.Channel)
}

// LimitError says that a change would lead beyond one of its limits.
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

// ResultQuery asks for results, the latest first: of a server, of a game in a server, or of a user
// (there Guild and Game, unless empty, narrow it).
type ResultQuery struct {
	Guild, Game, User string
	// Before is the last result of the page before; zero for the first page.
	Before Result
	Limit  int
	// Keep chooses among them; nil keeps all. It is given the Table, Game, Guild, Winners and Drawn, whether
	// the Ending is games.Abandoned, and the User or Computer of the Seats; nothing else need be set. What
	// it is given is good for the call alone. At most Scan results are looked at; 0 for all.
	Keep func(Result) bool
	Scan int
}

// What can be wrong with where a store is kept.
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
