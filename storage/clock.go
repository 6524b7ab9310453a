package storage

// ClockMode says how a table limits its players' time.
type ClockMode string

// The clock modes.
const (
	NoClock ClockMode = ""     // time is not limited
	PerMove ClockMode = "move" // each decision has the time ClockRule.Time
	// Each player has the time ClockRule.Time for all decisions together, and gains ClockRule.Add with each decision.
	Bank ClockMode = "bank"
)

// Late is the rule for a player whose time has run out.
type Late string

// The rules for late players.
const (
	LateOffer    Late = ""         // the seat is offered to others; until somebody takes it, the player may still move
	LateComputer Late = "computer" // the computer plays one move; if no computer can play, the seat is offered
	LateForfeit  Late = "forfeit"  // the player is out, as if they had resigned
)

// ClockRule is a table's time control. Times are in milliseconds.
type ClockRule struct {
	Mode ClockMode `json:"m,omitempty"`
	Time int64     `json:"t,omitempty"`
	Add  int64     `json:"a,omitempty"`
	Late Late      `json:"l,omitempty"`
}

// Timing is the state of a table's clock and reminders. Durations are in milliseconds.
type Timing struct {
	Rule      ClockRule `json:"r,omitzero"`
	Banks     []int64   `json:"b,omitempty"` // each seat's time left at the start of its turn; only with Bank
	Turn      Stamp     `json:"u,omitempty"` // when the table began to wait for the current decision
	Since     Stamp     `json:"s,omitempty"` // when the clock started to run; 0 while it is stopped
	Used      int64     `json:"d,omitempty"` // how much of the decision's time was used before Since
	Reminded  int       `json:"n,omitempty"` // number of reminders sent for this decision
	Called    bool      `json:"c,omitempty"` // whether the last reminder before time runs out was sent
	Last      Stamp     `json:"l,omitempty"` // when the player to move was last reminded, or pinged after a pause
	Out       bool      `json:"o,omitempty"` // whether time has run out on this decision, and the seat is offered
	HeldSince Stamp     `json:"x,omitempty"` // when unsent messages stopped the clock; 0 if they did not
	Stood     []Span    `json:"y,omitempty"` // latest spans, now over, in which unsent messages stopped the clock
	Closing   Stamp     `json:"w,omitempty"` // when the event Idle follows; 0 until the event IdleSoon warns of it
}

// Departed is the prefix of the names that replace the ids of users whose data was deleted. Such a name does not
// identify the user.
const Departed = "departed-"

// HasDeparted reports whether a user id is a name with the prefix Departed.
func HasDeparted(user string) bool {
	return len(user) > len(Departed) && user[:len(Departed)] == Departed
}
