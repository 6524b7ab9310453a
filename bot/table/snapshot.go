package table

import (
	"fmt"
	"slices"
	"strconv"

	"marque/bot/choices"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// Snapshot is a table at one version. It is immutable.
type Snapshot struct {
	Head
	detail storage.Detail
	match  *games.Match // nil until the game starts; never changed
	game   games.Game

	takenBack [][]games.Entry // the log before each of the latest undos, up to maxTakenBack
}

// Format prints the table's id, version and game. Without this method, package fmt would print the seed.
func (s *Snapshot) Format(f fmt.State, _ rune) {
	if s == nil {
		fmt.Fprint(f, "<nil>")
		return
	}
	fmt.Fprintf(f, "table %d version %d (%s)", s.ID, s.Version, s.Head.Game)
}

// Rules returns the rules of the game.
func (s *Snapshot) Rules() games.Game { return s.game }

// Setup returns the table's options. The number of seats is final once the game has started.
func (s *Snapshot) Setup() games.Setup { return s.detail.Setup }

// Invited returns the users with a reserved seat who have not answered their invitation.
func (s *Snapshot) Invited() []string { return append([]string(nil), s.detail.Invited...) }

// Unrated reports whether the table was set to count on no leaderboard. Hints can have the same effect; see Hint.
func (s *Snapshot) Unrated() bool { return s.detail.Unrated }

// ComputersResign reports whether a computer player may resign a lost game.
func (s *Snapshot) ComputersResign() bool { return s.detail.Resign }

// HasStarted reports whether the game has started, so that there is a position. The game may be over.
func (s *Snapshot) HasStarted() bool { return s.match != nil }

// Viewer returns the seat from which a user sees the game: their own, or Spectator. Before the start it is Spectator
// for everybody.
func (s *Snapshot) Viewer(user string) games.Seat {
	if s.match == nil {
		return games.Spectator
	}
	return s.Seat(user)
}

// Holder returns the person or computer that holds a seat.
func (s *Snapshot) Holder(seat games.Seat) Occupant {
	if seat < 0 || int(seat) >= len(s.Seats) {
		return Occupant{}
	}
	return s.Seats[seat]
}

// Mover returns the user whose turn it is; "" if no person is to move.
func (s *Snapshot) Mover() string { return s.Holder(s.ToMove).User }

// In reports whether a seat is still in the game.
func (s *Snapshot) In(seat games.Seat) bool { return s.match != nil && s.match.In(seat) }

// StillIn returns the seats that are still in a game that has started.
func (s *Snapshot) StillIn() []games.Seat { return s.match.StillIn() }

// View returns the present position as viewer may see it. The game must have started, as for StillIn, ViewAt, Turn,
// AfterTurn, Trail and Leaves.
func (s *Snapshot) View(viewer games.Seat) games.View { return s.match.View(viewer) }

// Hidden reports whether the game has started and its players know things that a spectator does not.
func (s *Snapshot) Hidden() bool { return s.match != nil && s.game.Traits().Hidden }

// ViewAt returns the position after n plays, 0 <= n <= Plays, as viewer may see it. In a hidden game, an earlier
// position shows a seat only what it knew at that time.
func (s *Snapshot) ViewAt(n int, viewer games.Seat) games.View {
	return games.Look(s.match.At(n), viewer)
}

// Turn returns how many turns had begun after n plays, 0 <= n <= Plays. This is the number of the turn that players
// see.
func (s *Snapshot) Turn(n int) int { return s.match.Turn(n) }

// AfterTurn returns how many plays had been made at the end of a turn.
func (s *Snapshot) AfterTurn(turn int) int { return s.match.AfterTurn(turn) }

// Trail returns the plays whose numbers are in [from, to), 0 <= from <= to <= Plays, as viewer may see them. The text
// about a step is step.Before.Describe(step.Move).
func (s *Snapshot) Trail(viewer games.Seat, from, to int) []games.Step {
	return s.match.Trail(viewer, from, to)
}

// Leaves returns the seat that left the game with a play (games.Resigns); false if none did. Plays are numbered from 0.
func (s *Snapshot) Leaves(play int) (games.Seat, bool) {
	e := s.match.Log()[play]
	return e.Seat, e.Text == games.Resigns
}

// Menu returns the choices of the seat to move; false if viewer is not that seat.
func (s *Snapshot) Menu(viewer games.Seat) (*games.Menu, bool) {
	if s.match == nil || viewer < 0 || s.ToMove != viewer {
		return nil, false
	}
	return games.NewMenu(s.match.View(viewer).State), true
}

// Outcome returns the result of the match; zero if it is still running or never started.
func (s *Snapshot) Outcome() games.Result {
	if s.match == nil || s.Status != Over {
		return games.Result{}
	}
	return s.match.Result()
}

// Match returns the whole match if it has no secrets: it is over, or its game hides nothing. Otherwise, or if it never
// started, it returns nil. The match must not be changed.
func (s *Snapshot) Match() *games.Match {
	if s.Status != Over && s.Hidden() {
		return nil
	}
	return s.match
}

// Record returns the whole match with its seed. It returns false while the match is running, because the record has
// secrets, and for a table that never started.
func (s *Snapshot) Record() (games.Record, bool) {
	if s.match == nil || s.Status != Over {
		return games.Record{}, false
	}
	r := s.match.Record()
	r.Seed = s.detail.Seed.Reveal()
	return r, true
}

// Describe returns the text about an event, for all events except moves and chance results (see Trail). The parameter
// Who of most texts is the name of the person or computer concerned.
func (s *Snapshot) Describe(e Event) text.Message {
	who := any(e.Name())
	switch {
	case e.Seat >= 0:
		who = text.Player(e.Seat)
	case e.User == "" && (e.Kind == storage.Joined || e.Kind == storage.Left):
		who = calledIn(e)
	case (e.Text == "" || e.Kind == storage.Chosen) && storage.HasDeparted(e.User):
		who = text.M("player.departed")
	case e.Kind == storage.Chosen:
		who = text.User(e.User)
	}
	switch e.Kind {
	case storage.Opened:
		return text.M("table.news.opened", "Who", who, "Game", s.game.Info().Name)
	case storage.Joined:
		return text.M("table.news.joined", "Who", who)
	case storage.Left:
		return text.M("table.news.left", "Who", who)
	case storage.Refused:
		return text.M("table.news.refused", "Who", who)
	case storage.Invited:
		return text.M("table.news.invited", "Who", who, "Game", s.game.Info().Name)
	case storage.Chosen:
		return text.M("table.news.chosen", "Who", who)
	case storage.Hosted:
		return text.M("table.news.hosted", "Who", who)
	case storage.Started:
		return text.M("table.news.started", "Game", s.game.Info().Name, "Aim", s.game.Info().Aim)
	case storage.Resigned:
		if s.Holder(e.Seat).Computer != "" {
			return text.M("table.news.computer-resigned", "Who", who)
		}
		if e.Interaction == "" { // the bot took the seat out of the game
			return text.M("match.out", "Who", who)
		}
		return text.M("table.news.resigned", "Who", who)
	case storage.Proposed:
		if s.Holder(e.Seat).Computer != "" {
			return text.M("table.news.computer-draw", "Who", who)
		}
		return proposalText(e.Text, "table.news.draw-proposed", "table.news.abandon-proposed",
			"table.news.undo-proposed", who)
	case storage.Agreed:
		return proposalText(e.Text, "table.news.draw-agreed", "table.news.abandon-agreed", "table.news.undo-agreed",
			who)
	case storage.Declined:
		if e.Seat < 0 && ProposalKind(e.Text) == Undo {
			return text.M("table.news.undo-lapsed")
		}
		return proposalText(e.Text, "table.news.draw-declined", "table.news.abandon-declined",
			"table.news.undo-declined", who)
	case storage.Withdrew:
		return proposalText(e.Text, "table.news.draw-withdrawn", "table.news.abandon-withdrawn",
			"table.news.undo-withdrawn", who)
	case storage.Ended:
		return s.describeEnd()
	case storage.Rehoused:
		return text.M("table.news.rehoused")
	case storage.Moderated:
		if e.Text == "" { // their data was deleted later
			return text.M("table.news.moderated", "Who", text.M("player.departed"))
		}
		return text.M("table.news.moderated", "Who", who)
	case storage.Voided:
		return text.M("table.news.voided")
	case storage.Restored:
		return text.M("table.news.restored")
	case storage.Halted:
		return text.M("table.news.halted")
	case storage.PutBack:
		return text.M("table.news.put-back")
	case storage.Recovered:
		at, _ := strconv.ParseInt(e.Text, 10, 64)
		return text.M("table.news.recovered", "Until", text.Moment(Stamp(at).Time(), text.Full))
	case storage.TimedOut:
		switch storage.Late(e.Text) {
		case storage.LateForfeit:
			return text.M("table.news.late-forfeit", "Who", who)
		case storage.LateComputer:
			return text.M("table.news.late-computer", "Who", who)
		}
		return text.M("table.news.late-offer", "Who", who)
	case storage.Reminded:
		if e.Text == lastCall {
			return text.M("table.news.last-call", "Who", who)
		}
		return text.M("table.news.reminded", "Who", who)
	case storage.TookBack:
		return text.M("table.news.took-back", "Who", who, "Count", e.Back())
	case storage.Offered:
		return text.M("table.news.offered", "Who", who)
	case storage.OfferEnded:
		return text.M("table.news.kept", "Who", who)
	case storage.Taken:
		return text.M("table.news.taken", "Who", who)
	case storage.Removed:
		if e.Text == "" { // their data was deleted later
			return text.M("table.news.removed", "Who", text.M("player.departed"))
		}
		return text.M("table.news.removed", "Who", e.Name())
	case storage.Paused:
		switch e.Text {
		case storage.PausedChannelGone:
			return text.M("table.news.paused-channel")
		case storage.PausedRemoved:
			return text.M("table.news.paused-server")
		}
		return text.M("table.news.paused")
	case storage.Resumed:
		return text.M("table.news.resumed")
	case storage.IdleSoon:
		at, _ := strconv.ParseInt(e.Text, 10, 64)
		if s.Staked() && s.Holder(s.ToMove).User != "" {
			return text.M("table.news.idle-resigns", "When", Stamp(at).Time(), "Who", text.Player(s.ToMove))
		}
		return text.M("table.news.idle-soon", "When", Stamp(at).Time())
	case storage.Idle:
		return text.M("table.news.idle")
	}
	return text.Message{}
}

func proposalText(kind, draw, abandon, undo string, who any) text.Message {
	switch ProposalKind(kind) {
	case Draw:
		return text.M(draw, "Who", who)
	case Undo:
		return text.M(undo, "Who", who)
	}
	return text.M(abandon, "Who", who)
}

// describeEnd returns the text about the end of a table: its result and the reason, or that it was closed before the
// start.
func (s *Snapshot) describeEnd() text.Message {
	if s.match == nil {
		return text.M("table.news.closed")
	}
	return s.match.ResultText()
}

// header returns the header of the table's match. The match has started or is about to start.
func header(h Head, d storage.Detail) games.Header {
	players := make([]text.Name, len(h.Seats))
	for i, o := range h.Seats {
		players[i] = o.Name
	}
	return games.Header{
		Game: h.Game, Version: d.Rules, Setup: d.Setup, Players: players,
		Commitment: d.Commitment(), Fairness: d.Fairness, Inputs: d.Inputs, Seating: d.Seating,
	}
}

// Staked reports whether people can give up a running game only by resigning: it belongs to a competition, or it
// counts, computers are still in it, and a person has moved or resigned. The players can then neither abandon the game
// by agreement, nor give their own seats to computers.
func (s *Snapshot) Staked() bool {
	switch {
	case s.match == nil || s.Status != Playing:
		return false
	case s.OfCompetition():
		return true
	case s.detail.Unrated:
		return false
	}
	n, _ := s.match.LastInteraction(s.match.Len())
	return (n > 0 || len(s.takenBack) > 0) &&
		slices.ContainsFunc(s.match.StillIn(), func(seat games.Seat) bool { return s.Seats[seat].Computer != "" })
}

// lastCall is the Text of the event of the last reminder before time runs out.
const lastCall = "last"

// OfCompetition reports whether the table belongs to a competition. Then no player can offer or take a seat, and
// there are no hints.
func (s *Snapshot) OfCompetition() bool { return s.Competition.Number != 0 }

// Counts reports whether the result matters to others: on leaderboards, or in a competition.
func (s *Snapshot) Counts() bool { return !s.Unrated() || s.OfCompetition() }

// IsSolo reports whether exactly one person is still in the game, and computers have seats.
func (s *Snapshot) IsSolo() bool {
	in := 0
	for i, o := range s.Seats {
		if s.In(games.Seat(i)) && o.User != "" {
			in++
		}
	}
	return in == 1 && slices.ContainsFunc(s.Seats, func(o Occupant) bool { return o.Computer != "" })
}

// people returns the number of people who have a seat.
func people(s *Snapshot) int {
	n := 0
	for _, o := range s.Seats {
		if o.User != "" {
			n++
		}
	}
	return n
}

// TakesHints reports whether a table gives hints. There are none in a competition. Once the game has started, the
// server's setting at its start applies.
func (s *Snapshot) TakesHints(c choices.Settings) bool {
	return !s.OfCompetition() && (s.AllowsHints(c) || s.Unrated() || people(s) <= 1)
}

// AllowsHints reports whether hints are allowed in rated games. A game that has started keeps the server's setting from
// its start, because a manager who plays in it could otherwise change the setting.
func (s *Snapshot) AllowsHints(c choices.Settings) bool {
	if s.HasStarted() {
		return s.detail.Hints
	}
	return c.Hints
}
