// Package review assesses finished games: how well each player played, how the chances changed, and the turning points,
// which are the costliest decisions.
//
// A review has two steps. Assess searches every decision quickly, which gives the Course of the game. Confirm searches
// possible mistakes thoroughly, the costliest first, until MaxPoints are confirmed.
package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"marque/games"
	"marque/games/computer"
	"marque/games/text"
)

// TurningPoint is a decision that cost its player at least 10 percentage points of the chance of winning. Its JSON
// form is stored.
type TurningPoint struct {
	Play   int        `json:"i"` // index of the play, from 0
	Seat   games.Seat `json:"s"`
	Played string     `json:"m"` // notation of the play
	Better string     `json:"b"` // notation of the computer player's choice
	Had    float64    `json:"h"` // the chance of winning with Better, from 0 to 1
	Left   float64    `json:"l"` // the chance of winning with Played, from 0 to 1
}

// Decision is the quick assessment of a decision.
type Decision struct {
	TurningPoint
	// Ahead is how much better the play is than the move that looks best one play ahead. It is 0 if the computer player
	// would have chosen another play.
	Ahead float64
}

// Mistake reports whether the loss is large enough for a turning point.
func (d *Decision) Mistake() bool { return d.Lost() >= mistake }

// MaxPoints is the maximum number of turning points in a game.
const MaxPoints = 5

// mostConfirmed is the maximum number of decisions that Confirm searches again. Each takes at least as long as 25 quick
// assessments.
const mostConfirmed = 4 * MaxPoints

const (
	mistake = 0.10 // minimum loss of a turning point
	blunder = 0.20 // the least loss of a decision that is marked "??"
)

// Lost returns the loss of the chance of winning, at most 1. It is negative if Left is greater than Had.
func (p TurningPoint) Lost() float64 { return p.Had - p.Left }

// LostPercent returns the difference between the two chances as players see them, in percentage points.
func (p TurningPoint) LostPercent() int { return computer.Percent(p.Had) - computer.Percent(p.Left) }

// Sign returns the usual annotation of a mistake: "??" for a blunder, and "?" for a smaller mistake.
func (p TurningPoint) Sign() string {
	if p.Lost() >= blunder {
		return "??"
	}
	return "?"
}

// Describe returns a sentence that marks the play as a turning point and gives the better move.
func (p TurningPoint) Describe() text.Message {
	return text.M("review.mark", "Sign", p.Sign(), "Better", text.Code(p.Better), "Lost", p.LostPercent())
}

// Assessor compares a decision with the choice of a computer player. computer.Pool is an Assessor.
type Assessor interface {
	// Assess returns the move that a computer player would choose for the viewer, who is to move, and the chances of
	// winning with this move and with the played move. It returns ctx's error if ctx ends early.
	Assess(ctx context.Context, v games.View, played games.Move, effort computer.Effort,
		seed uint64) (computer.Assessment, error)
}

// Find returns the turning points among the first plays of a match, in the order of the game. plays is the number of
// these plays.
func Find(ctx context.Context, assessor Assessor, m *games.Match, plays int, seed uint64) ([]TurningPoint, error) {
	var points []TurningPoint
	for play := range plays {
		d, err := Assess(ctx, assessor, m, play, seed)
		if err != nil {
			return nil, err
		}
		if d != nil && d.Mistake() {
			points = append(points, d.TurningPoint)
		}
	}
	return Confirm(ctx, assessor, m, points, seed)
}

// Assess compares a player's decision in a match with a computer player's choice by a quick search of the player's
// view. It returns nil for a play that was no decision.
func Assess(ctx context.Context, assessor Assessor, m *games.Match, play int, seed uint64) (*Decision, error) {
	return look(ctx, assessor, m, play, computer.Quick, seed)
}

// Confirm searches the decisions in found again, thoroughly, the costliest first, until MaxPoints are confirmed or
// mostConfirmed have been searched. It returns the confirmed ones, in the order of the game.
func Confirm(ctx context.Context, assessor Assessor, m *games.Match, found []TurningPoint,
	seed uint64) ([]TurningPoint, error) {
	var points []TurningPoint
	costly := byCost(found)
	for _, f := range costly[:min(len(costly), mostConfirmed)] {
		if len(points) == MaxPoints {
			break
		}
		d, err := look(ctx, assessor, m, f.Play, computer.Thorough, seed)
		if err != nil {
			return nil, err
		}
		if d != nil && d.Mistake() {
			points = append(points, d.TurningPoint)
		}
	}
	return Costliest(points), nil
}

func look(ctx context.Context, assessor Assessor, m *games.Match, play int, effort computer.Effort,
	seed uint64) (*Decision, error) {
	e := m.Log()[play]
	if e.Seat < 0 || e.Text == games.Resigns {
		return nil, nil
	}
	v := games.Look(m.At(play), e.Seat)
	played, err := games.FindMove(v.State, e.Text)
	if err != nil {
		return nil, err
	}
	if len(v.State.Moves()) == 1 {
		return nil, nil
	}
	found, err := assessor.Assess(ctx, v, played, effort, seed^uint64(play))
	if err != nil {
		return nil, err
	}
	return &Decision{TurningPoint{
		Play: play, Seat: e.Seat, Played: e.Text, Better: games.Spell(v.State, found.Better), Had: found.Had,
		Left: found.Left,
	}, found.Ahead}, nil
}

// Costliest returns the costliest points, at most MaxPoints of them, in the order of the game.
func Costliest(points []TurningPoint) []TurningPoint {
	sorted := byCost(points)
	sorted = sorted[:min(len(sorted), MaxPoints)]
	slices.SortFunc(sorted, func(a, b TurningPoint) int { return a.Play - b.Play })
	return sorted
}

// byCost returns the points in another order, the costliest first.
func byCost(points []TurningPoint) []TurningPoint {
	return slices.SortedStableFunc(slices.Values(points), func(a, b TurningPoint) int {
		return cmp.Compare(b.Lost(), a.Lost())
	})
}

// heldFor is how many times as long as other pictures the picture of a turning point is shown.
const heldFor = 3

// Captions returns the captions of a replay's pictures, and the time for which each picture is shown. Picture i shows
// the game after frames[i] of all plays, for the time delay, or longer if it shows a turning point, which its caption
// marks. turn returns the number of turns that had begun after a number of plays.
func Captions(frames []int, all int, turn func(plays int) int, points []TurningPoint,
	delay time.Duration) (delays []time.Duration, captions []string) {
	since := frames[0]
	for _, n := range frames {
		stays, caption := delay, fmt.Sprintf("%d / %d", turn(n), turn(all))
		for _, p := range points {
			if since <= p.Play && p.Play < n {
				stays, caption = heldFor*delay, caption+" "+p.Sign()
			}
		}
		delays, captions = append(delays, stays), append(captions, caption)
		since = n
	}
	return delays, captions
}
