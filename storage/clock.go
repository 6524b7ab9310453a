package storage

// ClockMode is how a table counts time.
type ClockMode string

// How time is counted.
const (
	NoClock ClockMode = ""     // not at all
	PerMove ClockMode = "move" // each decision has ClockRule.Time
	// each player has ClockRule.Time for all decisions together, and gains ClockRule.Add with each
	Bank ClockMode = "bank"
)

// Late says what happens to a player whose time has run out.
type Late string

// What becomes of them.
const (
	LateOffer    Late = ""         // the seat is offered to others; until somebody takes it, the player may still move
	LateComputer Late = "computer" // the computer plays one move; where none can, the seat is offered
	LateForfeit  Late = "forfeit"  // they are out, as if they had resigned
)

// ClockRule is the time that a table agreed on. Times are milliseconds.
type ClockRule struct {
	Mode ClockMode `json:"m,omitempty"`
	Time int64     `json:"t,omitempty"`
	Add  int64     `json:"a,omitempty"`
	Late Late      `json:"l,omitempty"`
}

// Timing is where a table's clock and its reminders stand. Durations are milliseconds.
type Timing struct {
	Rule     ClockRule `json:"r,omitzero"`
	Banks    []int64   `json:"b,omitempty"` // each seat's time left when its present turn began; Bank alone
	Turn     Stamp     `json:"u,omitempty"` // when the present decision fell due
	Since    Stamp     `json:"s,omitempty"` // since when the clock runs; 0 while it stands
	Used     int64     `json:"d,omitempty"` // how much of the decision's time was used up before Since
	Reminded int       `json:"n,omitempty"` // how many reminders were sent for this decision
	Called   bool      `json:"c,omitempty"` // the last call before time runs out was sent
	Last     Stamp     `json:"l,omitempty"` // when the last of the reminders was sent, or a pause ended
	Out      bool      `json:"o,omitempty"` // time has run out on this decision, and the seat is offered
	Untold   Stamp     `json:"x,omitempty"` // since when the clock stands because news wait to be told; 0 when it does not
	Stood    []Span    `json:"y,omitempty"` // when the clock stood for that before in this game, the latest at least
	Closing  Stamp     `json:"w,omitempty"` // when the table will be closed because nobody plays, once that was said
}

// Departed begins what stands for a user whose data were deleted: nobody knows any more who it was.
const Departed = "departed-"

// HasDeparted reports whether a user id stands for somebody whose data were deleted.
func HasDeparted(user string) bool {
	return len(user) > len(Departed) && user[:len(Departed)] == Departed
}
