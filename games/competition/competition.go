// Package competition holds the rules of tournaments, leagues and ladders: who meets whom, what counts, and what is due
// when. They are written down in docs/rules/competition.md, with the ids that stand here (CO-1 and so on).
//
// A Competition is a value that goes into JSON and back. Every transition returns a new one and leaves the old as it
// was. The package has no clock and no chance: callers pass times in, and lots follow from Setup.Lot. A transition may
// be repeated: the second call changes nothing and returns no error. So a program keeps a competition as follows, and
// may stop between any two steps:
//
//   - When somebody enters, withdraws or challenges, and when a table ends, it calls the transition and stores the
//     result together with whatever else the event changes.
//   - It opens tables for ToOpen, under a name that follows from the competition and Pairing.No, so that a repeat finds
//     the table that is there, and notes each by Opened.
//   - It keeps the time of Due in an index. When that time has come, it first reports the pairings of Overdue as
//     Unfinished (ByTime), and then calls Advance.
//   - When it was down, it calls Missed with that time before anything else (CO-14).
//   - It tells the players the Changes between the stored value and the new one.
//
// Entrants are named by their number, the index in Entrants, which never changes; users' ids stand in Entrants alone.
// A competition always ends or waits for a time that Due tells (CO-2).
package competition

import (
	"slices"
)

// Stamp is a time in milliseconds since 1970, or a span in milliseconds. It is storage.Stamp.
type Stamp int64

// Spans.
const (
	Minute Stamp = 60_000
	Hour         = 60 * Minute
	Day          = 24 * Hour
)

// Kind is how a competition pairs its entrants.
type Kind string

// The kinds.
const (
	RoundRobin Kind = "round-robin" // CO-20: rounds, everybody against everybody once
	Swiss      Kind = "swiss"       // CO-30: rounds, everybody against people with about as many points
	KnockOut   Kind = "knock-out"   // CO-40: pairs of two legs with the seats changed, the loser is out
	Pods       Kind = "pods"        // CO-50: rounds of tables of three to five
	League     Kind = "league"      // CO-60: one season: divisions, everybody against everybody at once
	Ladder     Kind = "ladder"      // CO-70: challenges, the winner takes the place
)

// Setup holds the organiser's choices before the first entry. It does not change afterwards.
type Setup struct {
	Kind Kind   `json:"kind"`
	Game string `json:"game"` // the game's key
	Lot  uint64 `json:"lot"`  // the source of everything drawn by lot (CO-18)

	Start Stamp `json:"start"`         // when entry closes and play begins (CO-3)
	Min   int   `json:"min,omitempty"` // how many must have entered by then; at least 2, and 3 in Pods
	Max   int   `json:"max,omitempty"` // how many may enter, at most MaxEntrants

	// for a game, and so for a round; in a League the season; in a Ladder a challenge's game
	Time    Stamp `json:"time"`
	Break   Stamp `json:"break,omitempty"`   // between the end of a round and the next
	Stretch Stamp `json:"stretch,omitempty"` // the most by which absences and pauses put off a deadline (CO-13)
	Lapses  int   `json:"lapses,omitempty"`  // so many games lost on time in a row withdraw a player (CO-11); 0: none

	Rounds int `json:"rounds,omitempty"` // Swiss and Pods: how many; 0: as many as the entrants need
	Late   int `json:"late,omitempty"`   // Swiss and Pods: late entry until this round begins (CO-5); 0: none
	Seats  int `json:"seats,omitempty"`  // Pods: seats at a table, 3 to 5

	Division int `json:"division,omitempty"` // League: people in a division, 6 to 16
	Promote  int `json:"promote,omitempty"`  // League: how many go up and down between divisions
	AtOnce   int `json:"atOnce,omitempty"`   // League: how many games of one entrant run at the same time; 0: all
	Season   int `json:"season,omitempty"`   // League: its number, from 1
	// League: how many there are; 0: one after the other until it is called off
	Seasons int `json:"seasons,omitempty"`

	Reach  int   `json:"reach,omitempty"`  // Ladder: how many places above oneself one may challenge
	Answer Stamp `json:"answer,omitempty"` // Ladder: time to accept or decline
	// Ladder: how many challenges in a row one may decline or leave unanswered
	Declines int   `json:"declines,omitempty"`
	Rest     Stamp `json:"rest,omitempty"` // Ladder: after a loss, before one may challenge again
	Away     Stamp `json:"away,omitempty"` // Ladder: how long at most an absence keeps challenges off
	End      Stamp `json:"end,omitempty"`  // Ladder: no challenges after it; 0: until it is closed
}

// Phase is the state of a competition.
type Phase string

// The phases, in their order.
const (
	Entry   Phase = "entry"
	Running Phase = "running"
	Ended   Phase = "ended"
)

// Why a competition ended.
const (
	EndPlayed = "played" // all games have ended
	EndFew    = "few"    // too few entered, or fewer than two are left (CO-3, CO-10)
	EndCalled = "called" // the organiser called it off or closed it
	EndHeld   = "held"   // the competition was on hold for longer than HoldLimit (CO-14)
)

// Competition is the state of a competition. The zero value is none; New makes one.
type Competition struct {
	Setup    Setup     `json:"setup"`
	Phase    Phase     `json:"phase"`
	Why      string    `json:"why,omitempty"` // when Ended: one of the End reasons
	Entrants []Entrant `json:"entrants"`
	Pairings []Pairing `json:"pairings,omitempty"` // by rising number; see Pairing
	// KnockOut: the entrants by line at the beginning of each round; -1: nobody
	Bracket [][]int `json:"bracket,omitempty"`
	Order   []int   `json:"order,omitempty"`   // Ladder: entrants from the top
	Offers  []Offer `json:"offers,omitempty"`  // places of entrants that others are asked to take
	Round   int     `json:"round,omitempty"`   // the round that runs or has ended last, from 1; 0 before the first
	Rounds  int     `json:"rounds,omitempty"`  // how many there will be, fixed at the start; 0 in a Ladder
	Next    Stamp   `json:"next,omitempty"`    // when the next round begins, between two
	Held    Stamp   `json:"held,omitempty"`    // since when it is held up; 0: it is not (CO-14)
	HeldFor string  `json:"heldFor,omitempty"` // the reason that Hold was given
	Begun   Stamp   `json:"begun,omitempty"`   // when it began
	Over    Stamp   `json:"over,omitempty"`    // when it ended
}

// Entrant is somebody who has entered. Its number is its index in Entrants.
type Entrant struct {
	User   string `json:"user,omitempty"` // "" once the user's data are deleted (CO-12)
	Rating int    `json:"rating"`         // on entry, for the seeding
	From   int    `json:"from,omitempty"` // the first round that the entrant plays, when late
	Out    Stamp  `json:"out,omitempty"`  // since when withdrawn; 0: takes part
	OutFor string `json:"outFor,omitempty"`
	Lapses int    `json:"lapses,omitempty"` // games in a row lost on time

	Division int    `json:"division,omitempty"` // League: from 1, the highest; 0 before the start
	Rank     int    `json:"rank,omitempty"`     // League: after the last season, from 1; 0: new (CO-63)
	Away     Stamp  `json:"away,omitempty"`     // Ladder: until then nobody may challenge (CO-74)
	Rest     Stamp  `json:"rest,omitempty"`     // Ladder: until then the entrant may not challenge (CO-73)
	Declined int    `json:"declined,omitempty"` // Ladder: challenges in a row that were declined or left unanswered
	Record   [3]int `json:"record,omitzero"`    // Ladder: games won, drawn and lost
}

// Why an entrant is out.
const (
	OutLeft    = "left"    // withdrew
	OutLapsed  = "lapsed"  // lost too many games in a row on time (CO-11)
	OutGone    = "gone"    // left the server, or had the data deleted (CO-12)
	OutRemoved = "removed" // the organiser removed them
)

// Pairing is a meeting of entrants at a table. In a round robin and a league all of them exist from the start; they
// are played when Ready.
type Pairing struct {
	No         int    `json:"no"` // from 1, never used twice
	Round      int    `json:"round,omitempty"`
	Division   int    `json:"division,omitempty"`   // League: from 1, the highest
	Match      int    `json:"match,omitempty"`      // KnockOut: its number in the round, from 1
	Leg        int    `json:"leg,omitempty"`        // KnockOut: 1, 2, or 3 for the decider
	Seats      []int  `json:"seats"`                // entrants by seat; one alone has a bye or a walkover
	Table      string `json:"table,omitempty"`      // the table's id, when it is open
	Ready      Stamp  `json:"ready,omitempty"`      // since when it may be played; 0: not yet
	Deadline   Stamp  `json:"deadline,omitempty"`   // when it ends without more play; 0 before it is ready
	Challenger int    `json:"challenger,omitempty"` // Ladder: who challenged
	ID         string `json:"id,omitempty"`         // Ladder: id of the interaction that challenged, mixed into the lot
	// Ladder: until when the challenge waits for an answer; 0 once accepted
	Answer  Stamp `json:"answer,omitempty"`
	Called  bool  `json:"called,omitempty"`  // Ladder: the opponent has been reminded
	Call    Stamp `json:"call,omitempty"`    // Ladder: the moment of the reminder, set by PutCall; 0: as CO-17 says
	Stretch Stamp `json:"stretch,omitempty"` // how far absences and pauses have put off the deadline
	End     End   `json:"end,omitempty"`     // how it ended; "" while it has not
	Points  []int `json:"points,omitempty"`  // by seat, in parts of a Win; once it has ended
	Ended   Stamp `json:"ended,omitempty"`
	Drawn   []int `json:"drawn,omitempty"` // the seats as they were given, where somebody withdrew from them
	Was     []Was `json:"was,omitempty"`   // its results before they were corrected, the earliest first
}

// Was is the result of a pairing until it was corrected.
type Was struct {
	Round  int   `json:"round"` // the last round that was paired by this result
	End    End   `json:"end"`
	Points []int `json:"points"`
}

// Win is the value of a won game (CO-7). It divides evenly by the places of every table.
const Win = 24

// End is how a pairing ended.
type End string

// How pairings end.
const (
	Played     End = "played"     // by the game's rules, by an agreed draw or by resigning
	TimeUp     End = "time"       // somebody's time ran out
	Unfinished End = "unfinished" // the deadline came first (CO-8)
	Void       End = "void"       // the result was declared void (CO-9)
	Abandoned  End = "abandoned"  // those at the table agreed to stop, or it was deleted (CO-9)
	Declined   End = "declined"   // Ladder: the challenge was declined (CO-71)
	Unanswered End = "unanswered" // Ladder: the challenge was not answered in time (CO-71)
	Walkover   End = "walkover"   // the others have withdrawn (CO-10)
	Bye        End = "bye"        // nobody was left to play against (CO-6)
)

// Outcome is how a game ended, for Report and Correct.
type Outcome struct {
	End    End   // Played, TimeUp, Unfinished, Void or Abandoned
	Places []int // by seat: 1 came first; equal places are shared. Nil for Void and Abandoned
	Late   []int // seats whose time ran out (CO-11)
}

// Limits.
const (
	MaxRounds = 20        // Swiss and Pods
	MinTime   = Hour      // shortest time of a game
	MaxTime   = 366 * Day // longest span in a Setup
	HoldLimit = 60 * Day  // CO-14
	keptEnded = 64        // Ladder: ended challenges that stay in Pairings
)

// Divisions of a league.
const (
	MinDivision = 6
	MaxDivision = 16
)

// Limit is the most entrants of a competition of this kind, 0 for an unknown kind.
func (k Kind) Limit() int {
	switch k {
	case RoundRobin:
		return 16
	case Swiss, KnockOut, Pods:
		return 128
	case Ladder:
		return 256
	case League:
		return 512
	}
	return 0
}

// fewest is the least number of entrants of a competition of this kind.
func (k Kind) fewest() int {
	switch k {
	case Pods:
		return 3
	case League:
		return MinDivision
	}
	return 2
}

// Reason says why a transition was refused. It is an error; its text is for programs.
type Reason string

// The reasons.
const (
	ErrSetup   Reason = "the setup is not within its limits"
	ErrClosed  Reason = "entry is closed"
	ErrFull    Reason = "everybody whom it takes has entered"
	ErrEntrant Reason = "the user takes no part"
	ErrPhase   Reason = "the competition is not in that phase"
	ErrFew     Reason = "too few have entered"
	ErrPairing Reason = "no such pairing"
	ErrOver    Reason = "the pairing has ended"
	ErrTable   Reason = "the pairing has another table"
	ErrOutcome Reason = "no outcome for this pairing"
	ErrReach   Reason = "the other does not stand so many places above"
	ErrBusy    Reason = "one of them is in a challenge already"
	ErrRest    Reason = "the user has lost a short time ago"
	ErrAway    Reason = "one of them is away"
	ErrTaken   Reason = "the other takes part, or is asked already"
	ErrOffer   Reason = "nobody is asked to go on for somebody"
)

func (r Reason) Error() string { return "competition: " + string(r) }

// New returns a competition that is open for entries. Fields that the setup leaves empty get defaults. It returns
// ErrSetup for a setup that is not within its limits.
func New(s Setup) (Competition, error) {
	if s.Max == 0 {
		s.Max = s.Kind.Limit()
	}
	s.Min = max(s.Min, s.Kind.fewest())
	switch {
	case s.Kind == Pods && s.Seats == 0:
		s.Seats = 3
	case s.Kind == League:
		s.Season = max(s.Season, 1)
		if s.Division == 0 {
			s.Division = 10
		}
	case s.Kind == Ladder:
		if s.Reach == 0 {
			s.Reach = 3
		}
		if s.Answer == 0 {
			s.Answer = 3 * Day
		}
	}
	if !s.within() {
		return Competition{}, ErrSetup
	}
	return Competition{Setup: s, Phase: Entry}, nil
}

// within reports whether the setup is within its limits.
func (s Setup) within() bool {
	for _, span := range []Stamp{s.Time, s.Break, s.Stretch, s.Answer, s.Rest, s.Away} {
		if span < 0 || span > MaxTime {
			return false
		}
	}
	for _, number := range []int{s.Lapses, s.Rounds, s.Late, s.Promote, s.AtOnce, s.Declines, s.Seasons} {
		if number < 0 || number > s.Kind.Limit() {
			return false
		}
	}
	return s.Start > 0 && s.Time >= MinTime && s.Max <= s.Kind.Limit() && s.Min <= s.Max && s.Rounds <= MaxRounds &&
		(s.Kind != Pods || s.Seats >= 3 && s.Seats <= 5) &&
		(s.Kind != League || s.Division >= MinDivision && s.Division <= MaxDivision && 2*s.Promote <= MinDivision) &&
		(s.Kind != Ladder || s.Reach > 0 && s.Answer >= MinTime && (s.End == 0 || s.End > s.Start))
}

// clone is a copy that may be changed; the slices of a pairing are replaced, never written into.
func (c Competition) clone() Competition {
	c.Entrants = slices.Clone(c.Entrants)
	c.Pairings = slices.Clone(c.Pairings)
	c.Bracket = slices.Clone(c.Bracket)
	c.Order = slices.Clone(c.Order)
	c.Offers = slices.Clone(c.Offers)
	return c
}

// Entrant returns the number of a user who has entered, withdrawn or not.
func (c Competition) Entrant(user string) (int, bool) {
	i := slices.IndexFunc(c.Entrants, func(e Entrant) bool { return user != "" && e.User == user })
	return i, i >= 0
}

// Pairing returns the pairing with a number.
func (c Competition) Pairing(no int) (Pairing, bool) {
	i := c.find(no)
	if i < 0 {
		return Pairing{}, false
	}
	return c.Pairings[i], true
}

// find is the index of the pairing of that number, or -1.
func (c Competition) find(no int) int {
	// Most competitions have the pairing with number n in place n-1.
	if i := no - 1; i >= 0 && i < len(c.Pairings) && c.Pairings[i].No == no {
		return i
	}
	i, ok := slices.BinarySearchFunc(c.Pairings, no, func(p Pairing, no int) int { return p.No - no })
	if !ok {
		return -1
	}
	return i
}

// Seat is the seat of an entrant in the pairing, or -1.
func (p Pairing) Seat(entrant int) int { return slices.Index(p.Seats, entrant) }

// in lists the entrants who take part, by their seeding (CO-4).
func (c Competition) in() []int {
	var list []int
	for _, e := range c.seeding() {
		if c.Entrants[e].Out == 0 {
			list = append(list, e)
		}
	}
	return list
}

// seeding lists all entrants: by rating, the highest first, and among equal ratings in the order of entry (CO-4).
func (c Competition) seeding() []int {
	list := make([]int, len(c.Entrants))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int { return c.Entrants[b].Rating - c.Entrants[a].Rating })
	return list
}
