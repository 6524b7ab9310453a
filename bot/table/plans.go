package table

import (
	"slices"
	"strings"

	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// A player whose turn it is not can leave lines of conditional moves: "if they play this, then I play that". When the
// others play as a line expects, the player's own moves in it are played immediately, in the same commit. When the game
// departs from a line, the line is dropped. A line contains every play, so it is impossible in a game with hidden
// information, and ends before a chance play.

const (
	// maxPlans is the maximum number of lines of one seat.
	maxPlans = 10
	// maxLine is the maximum number of plays in a line.
	maxLine = 20
)

// PlanLine is a parsed line: its plays, and the resulting position.
type PlanLine struct {
	Plays []string
	Steps []games.Step
	After games.State
}

// play adds a play to the line.
func (p *PlanLine) play(m games.Move) {
	p.Plays = append(p.Plays, games.Spell(p.After, m))
	p.Steps = append(p.Steps, games.Step{Before: p.After, Seat: p.After.ToMove(), Move: m})
	p.After = p.After.Apply(m)
}

// force adds the plays that are forced in the line's position.
func (p *PlanLine) force() {
	for m, ok := games.Forced(p.After); ok && p.After.ToMove() >= 0; m, ok = games.Forced(p.After) {
		p.play(m)
	}
}

// EndsWith reports whether a seat makes the last play of the line.
func (p PlanLine) EndsWith(seat games.Seat) bool {
	return len(p.Steps) > 0 && p.Steps[len(p.Steps)-1].Seat == seat
}

// ReadPlan parses a line of moves from the present position for the seat that leaves the line. The moves are separated
// by semicolons, and forced plays are added. It returns ErrOver, ErrNotStarted, ErrNoPlan (for example if the seat is
// to move), or a *games.ParseError.
func (s *Snapshot) ReadPlan(seat games.Seat, line string) (PlanLine, error) {
	p, err := s.readLine(seat, line)
	if err == nil && !p.EndsWith(seat) {
		err = Refuse(ErrNoPlan, text.M("table.error.plan-end"))
	}
	return p, err
}

// BeginPlan does the same as ReadPlan for an incomplete line, which can be empty and can end with any player's move.
// Forced plays after the line are added. open reports whether another move can follow.
func (s *Snapshot) BeginPlan(seat games.Seat, line string) (p PlanLine, open bool, err error) {
	if p, err = s.readLine(seat, line); err == nil {
		p.force()
	}
	return p, err == nil && p.After.ToMove() >= 0 && len(p.Plays) < maxLine, err
}

func (s *Snapshot) readLine(seat games.Seat, line string) (PlanLine, error) {
	var p PlanLine
	switch {
	case s.Status == Over:
		return p, refuseOver(s.match)
	case s.match == nil || s.Status != Playing:
		return p, refuseNotStarted()
	case s.game.Traits().Hidden:
		return p, Refuse(ErrNoPlan, text.M("table.error.plan-hidden", "Game", s.game.Info().Name))
	case s.ToMove == seat:
		return p, Refuse(ErrNoPlan, text.M("table.error.plan-turn"))
	}
	p.After = s.match.State()
	for _, word := range games.Plays(line) {
		if strings.TrimSpace(word) == "" {
			continue
		}
		p.force()
		switch {
		case p.After.ToMove() == games.Chance:
			return p, Refuse(ErrNoPlan, text.M("table.error.plan-chance"))
		case p.After.ToMove() == games.Nobody || len(p.Plays) >= maxLine:
			return p, Refuse(ErrNoPlan, text.M("table.error.plan-long"))
		}
		move, err := games.NewMenu(p.After).Parse(word)
		if err != nil {
			return p, err
		}
		p.play(move)
	}
	return p, nil
}

// Plans returns the lines of a seat that the game still follows, each without the plays already made.
func (s *Snapshot) Plans(seat games.Seat) [][]string {
	var lines [][]string
	if s.match == nil || seat < 0 {
		return nil
	}
	for _, p := range s.detail.Plans {
		if rest, ok := restOf(s.match, p); ok && p.Seat == seat {
			lines = append(lines, slices.Clone(rest))
		}
	}
	return lines
}

// restOf returns the remaining plays of a line; false if the game has left the line or finished it.
func restOf(m *games.Match, p storage.Plan) ([]string, bool) {
	played := m.Len() - p.From
	if played < 0 || played >= len(p.Line) {
		return nil, false
	}
	for i := range played {
		if m.Log()[p.From+i].Text != p.Line[i] {
			return nil, false
		}
	}
	return p.Line[played:], true
}

// follow plays the moves that players planned for the present position, and drops the lines that the game has left
// or finished.
func (d *draft) follow() error {
	if d.match == nil || len(d.seen().Plans) == 0 || d.Digest != "" && d.match.Len() == d.Plays {
		return nil
	}
	for d.Status == Playing && d.Paused == "" {
		seat := d.match.ToMove()
		i := slices.IndexFunc(d.seen().Plans, func(p storage.Plan) bool {
			_, fits := restOf(d.match, p)
			return fits && p.Seat == seat
		})
		if i < 0 || d.match.Len() < d.Plays {
			break
		}
		rest, _ := restOf(d.match, d.seen().Plans[i])
		move, err := games.FindMove(d.match.State(), rest[0])
		if err != nil {
			return err
		}
		if err := d.decide(seat, move); err != nil {
			return err
		}
	}
	kept := slices.DeleteFunc(slices.Clone(d.seen().Plans), func(p storage.Plan) bool {
		_, fits := restOf(d.match, p)
		return !fits
	})
	if d.Status == Over {
		kept = nil
	}
	if len(kept) != len(d.seen().Plans) {
		d.details().Plans = kept
	}
	return nil
}
