// Package competition implements the rules of tournaments, leagues and ladders: pairings, results and deadlines.
// docs/rules/competition.md describes them, and comments refer to its ids (CO-1 and so on).
//
// A Competition is a value that can be stored as JSON. Every transition returns a new value and leaves the old one
// unchanged. The package has no clock and no random source: callers pass times in, and draws follow from Setup.Lot, on
// a ladder together with the ids of challenges. A transition that is repeated changes nothing the second time, except
// Missed. A program runs a competition as follows, and can stop between any two steps:
//
//   - When a user enters, withdraws or challenges, and when a table ends, the program calls the transition and stores
//     the result.
//   - It opens tables for ToOpen, and stores each id with Opened. A repeat finds the existing table by the competition
//     and Pairing.No.
//   - It keeps the time of Due in an index. When that time has come, it first reports the pairings of Overdue as
//     Unfinished (ByTime), and then calls Advance.
//   - After it was stopped, it first calls Missed with the interval of the stop (CO-14).
//   - It tells the players the Changes between the stored value and the new one.
//
// An entrant's number is its index in Entrants, which does not change after the start. Users' ids occur only in
// Entrants and in Offers. A competition always ends or waits for a time that Due returns (CO-2). Only a ladder without
// an end can wait for challenges alone.
package competition

import (
	"slices"
)

// Stamp is a time in milliseconds since 1970, or a duration in milliseconds. It is the same as storage.Stamp.
type Stamp int64

// Units of Stamp as a duration.
const (
	Minute Stamp = 60_000
	Hour         = 60 * Minute
	Day          = 24 * Hour
)

// Kind is the format of a competition.
type Kind string

// The kinds.
const (
	RoundRobin Kind = "round-robin" // CO-20: in rounds, everybody plays everybody once
	Swiss      Kind = "swiss"       // CO-30: in rounds, entrants with similar points play each other
	KnockOut   Kind = "knock-out"   // CO-40: matches of two games with the seats swapped, the loser is out
	Pods       Kind = "pods"        // CO-50: in rounds, at tables of at most five
	League     Kind = "league"      // CO-60: a season in divisions, everybody plays everybody in parallel
	Ladder     Kind = "ladder"      // CO-70: in challenges, the winner takes the higher place
)

// Setup holds the organiser's choices. They can change until the competition begins. Afterwards only End is postponed
// together with the deadlines (CO-14).
type Setup struct {
	Kind Kind   `json:"kind"`
	Game string `json:"game"` // the game's key
	Lot  uint64 `json:"lot"`  // seed of all draws by lot (CO-18)

	Start Stamp `json:"start"`         // planned end of the Entry phase (CO-3)
	Min   int   `json:"min,omitempty"` // minimum number of entrants; at least 2, 3 in Pods, and 6 in a League
	Max   int   `json:"max,omitempty"` // maximum number of entrants, at most the kind's Limit; 0 for that limit

	// time limit of a game; in a League, of all games of the season
	Time    Stamp `json:"time"`
	Break   Stamp `json:"break,omitempty"`   // time between the end of a round and the next round
	Stretch Stamp `json:"stretch,omitempty"` // maximum extension of a deadline by absences and pauses (CO-13)
	Lapses  int   `json:"lapses,omitempty"`  // consecutive losses on time that withdraw a player (CO-11); 0 for none

	Rounds int `json:"rounds,omitempty"` // Swiss and Pods: wanted number of rounds; 0 for the default
	Late   int `json:"late,omitempty"`   // Swiss and Pods: last round that late entrants can enter (CO-5); 0 for none
	Seats  int `json:"seats,omitempty"`  // Pods: seats at a table, 3 to 5

	Division int `json:"division,omitempty"` // League: wanted number of entrants in a division, 6 to 16
	Promote  int `json:"promote,omitempty"`  // League: number of entrants who move up or down between two divisions
	AtOnce   int `json:"atOnce,omitempty"`   // League: maximum simultaneous games of an entrant; 0 for no limit
	Season   int `json:"season,omitempty"`   // League: the season's number, from 1
	// League: number of seasons; 0 if seasons follow until the league is called off
	Seasons int `json:"seasons,omitempty"`

	Reach  int   `json:"reach,omitempty"`  // Ladder: number of places upwards that an entrant can challenge
	Answer Stamp `json:"answer,omitempty"` // Ladder: time to accept or decline
	// Ladder: consecutive challenges that an entrant can decline or leave unanswered without losing the place
	Declines int   `json:"declines,omitempty"`
	Rest     Stamp `json:"rest,omitempty"` // Ladder: time after a loss before the loser can challenge again
	Away     Stamp `json:"away,omitempty"` // Ladder: maximum length of an absence
	End      Stamp `json:"end,omitempty"`  // Ladder: end of challenges; 0 if the ladder runs until it is closed
}

// Phase is the phase of a competition.
type Phase string

// The phases, in order of time.
const (
	Entry   Phase = "entry"
	Running Phase = "running"
	Ended   Phase = "ended"
)

// The reasons why a competition ended.
const (
	EndPlayed = "played" // all games have ended
	EndFew    = "few"    // too few users entered, or fewer than two entrants are left (CO-3, CO-10)
	EndCalled = "called" // the organiser called it off or closed it
	EndHeld   = "held"   // the hold of the competition reached HoldLimit (CO-14)
)

// Competition is the state of a competition. New creates it; the zero value is not valid.
type Competition struct {
	Setup    Setup     `json:"setup"`
	Phase    Phase     `json:"phase"`
	Why      string    `json:"why,omitempty"` // one of the End reasons; empty before the end
	Entrants []Entrant `json:"entrants"`
	Pairings []Pairing `json:"pairings,omitempty"` // sorted by number
	// KnockOut: the entrants at the beginning of each round, in bracket order, and the winner at the end; -1 for an
	// empty place
	Bracket [][]int `json:"bracket,omitempty"`
	Order   []int   `json:"order,omitempty"`   // Ladder: entrants from the top place down
	Offers  []Offer `json:"offers,omitempty"`  // open offers to take over a place
	Round   int     `json:"round,omitempty"`   // the current or last round, from 1; 0 before the first and in a Ladder
	Rounds  int     `json:"rounds,omitempty"`  // number of rounds, fixed at the start; 0 in a Ladder
	Next    Stamp   `json:"next,omitempty"`    // start time of the next round; 0 during a round
	Held    Stamp   `json:"held,omitempty"`    // start time of the current hold (CO-14); 0 if not on hold
	HeldFor string  `json:"heldFor,omitempty"` // the reason passed to Hold
	Begun   Stamp   `json:"begun,omitempty"`   // start time
	Over    Stamp   `json:"over,omitempty"`    // end time
}

// Entrant is a user who has entered. The entrant's number is the index in Competition.Entrants.
type Entrant struct {
	User   string `json:"user,omitempty"` // "" once the user's data are deleted (CO-12)
	Rating int    `json:"rating"`         // at entry, for the seeding
	From   int    `json:"from,omitempty"` // first round of a late entrant, or 0
	Out    Stamp  `json:"out,omitempty"`  // time of the withdrawal; 0 if not withdrawn
	OutFor string `json:"outFor,omitempty"`
	Lapses int    `json:"lapses,omitempty"` // consecutive games lost on time

	Division int    `json:"division,omitempty"` // League: from 1, the highest; 0 before the competition begins
	Rank     int    `json:"rank,omitempty"`     // League: rank after the last season, from 1; 0 if new (CO-63)
	Away     Stamp  `json:"away,omitempty"`     // Ladder: no challenge by or to the entrant before this time (CO-74)
	Rest     Stamp  `json:"rest,omitempty"`     // Ladder: the entrant cannot challenge before this time (CO-73)
	Declined int    `json:"declined,omitempty"` // Ladder: consecutive challenges declined or left unanswered
	Record   [3]int `json:"record,omitzero"`    // Ladder: games won, drawn and lost
}

// The reasons why an entrant has withdrawn or was withdrawn.
const (
	OutLeft    = "left"    // the entrant withdrew
	OutLapsed  = "lapsed"  // the entrant lost too many consecutive games on time (CO-11)
	OutGone    = "gone"    // the user is no longer on the server, or had the data deleted (CO-12)
	OutRemoved = "removed" // the organiser removed the entrant
)

// Pairing is a meeting of entrants at a table. In a round robin and a league all pairings exist from the beginning. A
// pairing can be played once Ready is set.
type Pairing struct {
	No         int    `json:"no"` // from 1, never reused
	Round      int    `json:"round,omitempty"`
	Division   int    `json:"division,omitempty"`   // League: from 1, the highest
	Match      int    `json:"match,omitempty"`      // KnockOut: number of the match in the round, from 1
	Leg        int    `json:"leg,omitempty"`        // KnockOut: 1, 2, or 3 for the decider
	Seats      []int  `json:"seats"`                // entrants by seat; a single one has a bye or a walkover
	Table      string `json:"table,omitempty"`      // id of the table, once opened
	Ready      Stamp  `json:"ready,omitempty"`      // time from which it can be played; 0 if it cannot be played yet
	Deadline   Stamp  `json:"deadline,omitempty"`   // latest end of the game; 0 before Ready, but not in a League
	Challenger int    `json:"challenger,omitempty"` // Ladder: entrant number of the challenger
	ID         string `json:"id,omitempty"`         // Ladder: id of the challenge's interaction, used in the draw
	// Ladder: deadline for a reply to the challenge; 0 once accepted or ended
	Answer  Stamp `json:"answer,omitempty"`
	Called  bool  `json:"called,omitempty"`  // Ladder: the time of the reminder has come
	Call    Stamp `json:"call,omitempty"`    // Ladder: time of the reminder, set by PutCall; 0 if CO-17 sets the time
	Stretch Stamp `json:"stretch,omitempty"` // extension of the deadline so far by absences and pauses
	End     End   `json:"end,omitempty"`     // how it ended; "" while it has not
	Points  []int `json:"points,omitempty"`  // indexed by seat; Win for a won game; nil without a result
	Ended   Stamp `json:"ended,omitempty"`
	Drawn   []int `json:"drawn,omitempty"` // Pods: the original seats, if an entrant left before a table was opened
	Was     []Was `json:"was,omitempty"`   // earlier results that were corrected, oldest first, at most one a round
}

// Was is an earlier result of a pairing that was corrected.
type Was struct {
	Round  int   `json:"round"` // the current round at the time of the correction
	End    End   `json:"end"`
	Points []int `json:"points"`
}

// Win is the number of points of a won game (CO-7). Half of it is divisible by the number of opponents at every table.
const Win = 24

// End is the way in which a pairing ended.
type End string

// The ways in which a pairing can end.
const (
	Played     End = "played"     // by the game's rules, an agreed draw or a resignation
	TimeUp     End = "time"       // a seat's time ran out
	Unfinished End = "unfinished" // the game was not over at the deadline (CO-8)
	Void       End = "void"       // the result was declared void, or both have withdrawn (CO-9, CO-10)
	Abandoned  End = "abandoned"  // the game ended without a result, or the table was deleted (CO-9)
	Declined   End = "declined"   // Ladder: the challenge was declined (CO-71)
	Unanswered End = "unanswered" // Ladder: the challenge was not answered in time (CO-71)
	Walkover   End = "walkover"   // all opponents have withdrawn (CO-10)
	Bye        End = "bye"        // no opponent was left to pair (CO-6)
)

// Outcome describes how a game ended, for Report and Correct.
type Outcome struct {
	End    End   // Played, TimeUp, Unfinished, Void or Abandoned
	Places []int // indexed by seat, from 1; equal seats share a place; nil for Void and Abandoned
	Late   []int // seats whose time ran out (CO-11)
}

// Limits of a Setup and of a Competition.
const (
	MaxRounds = 20        // maximum number of rounds in Swiss and Pods
	MinTime   = Hour      // minimum time of a game, and for a reply to a challenge
	MaxTime   = 366 * Day // maximum of each duration in a Setup
	HoldLimit = 60 * Day  // maximum length of a hold (CO-14)
	keptEnded = 64        // Ladder: number of ended challenges in Pairings above which the oldest are removed
)

// The minimum and maximum number of entrants in a league's division.
const (
	MinDivision = 6
	MaxDivision = 16
)

// Limit returns the maximum number of entrants of a competition of this kind, or 0 for an unknown kind.
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

// AllMeet reports whether every entrant meets every other one, in a League those of the division.
func (k Kind) AllMeet() bool { return k == RoundRobin || k == League }

// fewest returns the minimum number of entrants of a competition of this kind.
func (k Kind) fewest() int {
	switch k {
	case Pods:
		return 3
	case League:
		return MinDivision
	}
	return 2
}

// Reason is the error of a transition that was refused. Its text is not meant for players.
type Reason string

// The reasons why a transition can be refused.
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

// New returns a competition that is open for entries. It sets defaults for zero values of Max, Seats, Season, Division,
// Reach and Answer, and raises Min to the minimum of the kind. New returns ErrSetup for a setup that is not within its
// limits.
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

// clone returns a copy with its own slices. The slices inside their elements are shared, so they must be replaced and
// never written to.
func (c Competition) clone() Competition {
	c.Entrants = slices.Clone(c.Entrants)
	c.Pairings = slices.Clone(c.Pairings)
	c.Bracket = slices.Clone(c.Bracket)
	c.Order = slices.Clone(c.Order)
	c.Offers = slices.Clone(c.Offers)
	return c
}

// Entrant returns the entrant number of a user who has entered, even if the user has withdrawn.
func (c Competition) Entrant(user string) (int, bool) {
	i := slices.IndexFunc(c.Entrants, func(e Entrant) bool { return user != "" && e.User == user })
	return i, i >= 0
}

// Pairing returns the pairing with the given number.
func (c Competition) Pairing(no int) (Pairing, bool) {
	i := c.find(no)
	if i < 0 {
		return Pairing{}, false
	}
	return c.Pairings[i], true
}

// find returns the index of the pairing with the given number, or -1.
func (c Competition) find(no int) int {
	// In most competitions, the pairing with number n has the index n-1.
	if i := no - 1; i >= 0 && i < len(c.Pairings) && c.Pairings[i].No == no {
		return i
	}
	i, ok := slices.BinarySearchFunc(c.Pairings, no, func(p Pairing, no int) int { return p.No - no })
	if !ok {
		return -1
	}
	return i
}

// Seat returns the seat of an entrant in the pairing, or -1.
func (p Pairing) Seat(entrant int) int { return slices.Index(p.Seats, entrant) }

// in returns the entrants who have not withdrawn, in seeding order (CO-4).
func (c Competition) in() []int {
	var list []int
	for _, e := range c.seeding() {
		if c.Entrants[e].Out == 0 {
			list = append(list, e)
		}
	}
	return list
}

// seeding returns all entrants by rating, highest first, and those with equal ratings in order of entry (CO-4).
func (c Competition) seeding() []int {
	list := make([]int, len(c.Entrants))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int { return c.Entrants[b].Rating - c.Entrants[a].Rating })
	return list
}
