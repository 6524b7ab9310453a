// Package conduct computes how people play with each other: how soon they answer, and how many games they leave. It
// reads a table's events only when a user leaves or finishes the game, so that moves cost nothing. Times when the clock
// is stopped (pauses, absences, quiet days, outages, the bot's downtime) do not count as waiting.
package conduct

import (
	"context"
	"slices"
	"time"

	"marque/games"
	"marque/storage"
)

// Least is the number of games with other people that a user must have played on a server recently before their conduct
// is shown.
const Least = 5

// Store keeps users' conduct, and counts their unfinished tables.
type Store interface {
	Conduct(ctx context.Context, user, server, since string) (storage.Conduct, error)
	ActiveOf(ctx context.Context, user, server string) (int, error)
}

// Conduct describes how a user has played with other people on a server in the last months.
type Conduct struct {
	Games int // games that they finished or left; if fewer than Least, Left, Usual and Answered are 0
	Left  int // percentage of those games that they left: out of time, idle, or by resigning in the first moves
	// Usual is the time within which the user gave at least half of their answers; 0 if it is unknown or longer than
	// the last of storage.AnswerTimes.
	Usual    time.Duration
	Answered int // number of answers from which Usual was computed
	Going    int // number of unfinished tables on the server at which they have a seat
}

// Known reports whether the user has played enough games for their conduct to be shown.
func (c Conduct) Known() bool { return c.Games >= Least }

// AnswersWithin reports whether the user usually answers within a time; true if that is unknown.
func (c Conduct) AnswersWithin(d time.Duration) bool {
	return !c.Known() || c.Answered == 0 || c.Usual != 0 && c.Usual <= d
}

// Finishes reports whether the user finishes at least a percentage of their games; true if that is unknown.
func (c Conduct) Finishes(percent int) bool { return !c.Known() || 100-c.Left >= percent }

// Of returns how a user played on a server in this month and in the earlier ones that still count (see
// storage.ConductSince).
func Of(ctx context.Context, store Store, guild, user string, now storage.Stamp) (Conduct, error) {
	going, err := store.ActiveOf(ctx, user, guild)
	if err != nil {
		return Conduct{}, err
	}
	sum, err := store.Conduct(ctx, user, guild, storage.ConductSince(now))
	c := Conduct{Games: sum.Games, Going: going}
	if err != nil || !c.Known() {
		return c, err
	}
	c.Left = (100*sum.Left + sum.Games/2) / sum.Games
	for _, n := range sum.Answers {
		c.Answered += n
	}
	within := 0
	for i, n := range sum.Answers {
		if within += n; 2*within >= c.Answered && i < len(storage.AnswerTimes) {
			c.Usual = storage.AnswerTimes[i]
			break
		}
	}
	return c, nil
}

// holder records how the present holder of a seat has played.
type holder struct {
	answers []int
	decided int
	late    bool // the holder ran out of time, and has not moved since
	fled    bool // the holder lost by being late or idle, or resigned while late or in the first moves
}

// Step has what a commit adds to a table.
type Step struct {
	Events []storage.Event
	Seats  []storage.Occupant // seats after the events
	Over   bool               // the game has ended, with a result or by being abandoned
	Ending games.Ending
	// Closed is true if the game was closed for inactivity.
	Closed bool
}

// Added returns the additions to users' conduct by a step that ends the game or takes a seat from a user. Other steps,
// and tables with fewer than two users, add nothing. before is the table before the step. elapsed returns the part of
// the time between two moments in which the user could play, excluding the pauses. Added returns the errors of elapsed.
func Added(before storage.Table, s Step,
	elapsed func(user string, from, to storage.Stamp, pauses []storage.Span) (time.Duration, error),
) ([]storage.Conducted, error) {
	if playedBy(before) < 2 {
		return nil, nil
	}
	w := observer{head: before.Head, elapsed: elapsed, seats: make([]holder, len(s.Seats)), mover: games.Nobody}
	for _, e := range before.Events {
		if err := w.observe(e, false); err != nil {
			return nil, err
		}
	}
	for _, e := range s.Events {
		if err := w.observe(e, true); err != nil {
			return nil, err
		}
	}
	if !s.Over {
		return w.list, nil
	}
	if s.Closed && before.Head.Paused == "" && before.Head.ToMove >= 0 {
		w.seats[before.Head.ToMove].fled = true
	}
	for seat, t := range w.seats {
		w.leave(s.Seats[seat].User, t, s.Ending != games.Abandoned)
	}
	return w.list, nil
}

// playedBy returns how many users have or had a seat in a game that has started.
func playedBy(t storage.Table) int {
	users := t.SeatsHeld()
	for _, o := range t.Head.Seats {
		if o.User != "" {
			users[o.User] |= 1
		}
	}
	return len(users)
}

// observer computes users' conduct from the events of a table.
type observer struct {
	head    storage.Head // the table before the step
	elapsed func(user string, from, to storage.Stamp, pauses []storage.Span) (time.Duration, error)
	seats   []holder
	list    []storage.Conducted

	last   storage.Event
	since  storage.Stamp // start of the present decision
	mover  games.Seat    // seat that moved last
	undone bool          // a move was taken back since the last one was played
	paused storage.Stamp // start of the present pause
	pauses []storage.Span
}

// observe processes an event. fresh says that the event belongs to the step, and not to the table before it. Only
// such an event can end a user's part in the game.
func (w *observer) observe(e storage.Event, fresh bool) error {
	defer func() { w.last = e }()
	var seat *holder
	if e.Seat >= 0 && int(e.Seat) < len(w.seats) {
		seat = &w.seats[e.Seat]
	}
	withLast := w.last.Seat == e.Seat && w.last.Version == e.Version
	switch {
	case e.Kind == storage.Started, e.Kind == storage.Drew:
		w.since = e.At
	case e.Kind == storage.Paused:
		w.paused = e.At
	case e.Kind == storage.Resumed && w.paused != 0:
		w.pauses, w.paused = append(w.pauses, storage.Span{From: w.paused, To: e.At}), 0
	case e.Kind == storage.TookBack:
		w.since, w.undone = e.At, true
	case seat == nil:
	case e.Kind == storage.TimedOut:
		seat.late = true
	case e.Kind == storage.Forced:
		w.since, w.mover = e.At, e.Seat
	case e.Kind == storage.Played:
		if w.last.Kind == storage.TimedOut && withLast { // a computer moved for the late player
			w.since, w.mover = e.At, e.Seat
			return nil
		}
		seat.decided++
		seat.late = false
		if w.mover != e.Seat && !w.undone {
			if err := w.answer(e, seat); err != nil {
				return err
			}
		}
		w.since, w.mover, w.undone = e.At, e.Seat, false
	case e.Kind == storage.Resigned:
		timedOut := (w.last.Kind == storage.TimedOut || w.last.Kind == storage.Idle) && w.last.Version == e.Version
		seat.fled = seat.late || timedOut || seat.decided < storage.LeastDecisions
		w.since = e.At
	case e.Kind == storage.Taken, e.Kind == storage.Removed:
		if fresh {
			w.leave(w.head.Seats[e.Seat].User, *seat, false)
		}
		*seat = holder{}
		w.since = e.At
	}
	return nil
}

// answer records how long a user took to answer.
func (w *observer) answer(e storage.Event, seat *holder) error {
	user := w.head.Seats[e.Seat].User
	if user == "" || storage.HasDeparted(user) {
		return nil
	}
	took, err := w.elapsed(user, w.since, e.At, slices.Clone(w.pauses))
	if err != nil {
		return err
	}
	class, _ := slices.BinarySearch(storage.AnswerTimes, took)
	for len(seat.answers) <= class {
		seat.answers = append(seat.answers, 0)
	}
	seat.answers[class]++
	return nil
}

// leave records that a user's part in the game is over. If the user fled or was late, the game counts as left, even
// if it was abandoned. Otherwise it counts only if it was finished. The user's answers count in either case.
func (w *observer) leave(user string, t holder, finished bool) {
	if user == "" || storage.HasDeparted(user) {
		return
	}
	c := storage.Conduct{Answers: t.answers}
	if t.fled || t.late {
		c.Games, c.Left = 1, 1
	} else if finished {
		c.Games = 1
	}
	if c.Games == 0 && len(c.Answers) == 0 || slices.ContainsFunc(w.list, func(o storage.Conducted) bool {
		return o.User == user
	}) {
		return
	}
	w.list = append(w.list, storage.Conducted{User: user, Conduct: c})
}
