package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/stepper"
	"marque/bot/table"
	"marque/games"
	"marque/games/scene"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// Plan is a line of moves that the user plans during another player's turn: possible moves of others, and the user's
// answers.
type Plan struct {
	Said     []string `json:"said"`               // the plan's moves in sentences
	Prompt   string   `json:"prompt,omitempty"`   // whose move is next; "" if nothing can follow
	Complete bool     `json:"complete,omitempty"` // the plan ends with a move of the user, so it can be saved
}

// plannable reports whether a seat can save plans now. In games with dice or hidden cards it never can.
func plannable(snap *table.Snapshot, viewer games.Seat) bool {
	traits := snap.Rules().Traits()
	return viewer >= 0 && snap.Status == table.Playing && snap.Paused == "" && snap.In(viewer) &&
		snap.ToMove != viewer && !traits.Hidden && !traits.Chance
}

// imagined returns the board at the end of a plan.
func imagined(p table.PlanLine, viewer games.Seat) scene.Scene {
	return games.Mask(p.After, viewer).Scene(viewer, p.Steps[max(0, len(p.Steps)-1):])
}

// plan adds the user's unfinished plan, and the question for its next move, to a state. It adds nothing if the game has
// left the plan's line.
func (rm *Room) plan(st *State, snap *table.Snapshot, viewer games.Seat, line, path string, s *locale.Speaker) error {
	p, open, err := snap.BeginPlan(viewer, line)
	if err != nil {
		return nil //nolint:nilerr // the page then drops the plan
	}
	_, unfinished := snap.ReadPlan(viewer, line)
	st.Plan = &Plan{Said: tellLine(p, s), Complete: unfinished == nil}
	if !open {
		return nil
	}
	menu := games.NewMenu(p.After)
	q, err := stepper.Next(menu, path)
	if err != nil {
		if q, err = stepper.Next(menu, ""); err != nil {
			return err
		}
	}
	st.Plan.Prompt = s.Say(text.M("bot.page.plan-yours"))
	if mover := p.After.ToMove(); mover != viewer {
		st.Plan.Prompt = s.Say(text.M("bot.page.plan-theirs", "Who", text.Player(mover)))
	}
	sc := imagined(p, viewer)
	st.Description = show.Describe(sc, s)
	st.Question = question(q, sc, s)
	return nil
}

// tellLine returns the moves of a plan as sentences.
func tellLine(p table.PlanLine, s *locale.Speaker) []string {
	list := make([]string, len(p.Steps))
	for i, step := range p.Steps {
		list[i] = s.Say(step.Before.Describe(step.Move))
	}
	return list
}

// planned returns a message with a seat's saved plans and a button that drops them. It returns nil if there are none,
// or if the seat cannot save plans now.
func (rm *Room) planned(r *interact.Request, snap *table.Snapshot, viewer games.Seat, s *locale.Speaker) *Message {
	plans := snap.Plans(viewer)
	if len(plans) == 0 || !plannable(snap, viewer) {
		return nil
	}
	lines := []string{s.Say(text.M("bot.plan.list", "Count", len(plans)))}
	for _, plays := range plans {
		if p, err := snap.ReadPlan(viewer, strings.Join(plays, ";")); err == nil {
			lines = append(lines, "- "+strings.Join(tellLine(p, s), " → "))
		}
	}
	drop := show.CustomID{Action: show.ActionDropPlans, Table: snap.ID.String(), Version: show.Version(snap)}
	return &Message{Parts: []Part{{Text: strings.Join(lines, "\n")},
		{Buttons: []Button{{Label: r.Say.Plain().Say(text.M("bot.plan.drop")), Press: drop.String()}}}}}
}

// answerPlan saves a plan.
func (rm *Room) answerPlan(v *visit) (a answer, _ []byte) {
	v.ctx = context.WithoutCancel(v.ctx)
	if v.Key == "" || v.Version == 0 || v.Plan == nil {
		return answer{code: http.StatusBadRequest}, nil
	}
	_, a.Error = rm.perform(v, "page-plan", interact.Quick, nil,
		func(ctx context.Context, r *interact.Request) (interact.Reply, error) {
			snap, err := rm.Find.Table(ctx, r)
			if err != nil {
				return interact.Reply{}, err
			}
			_, err = rm.Tables.LeavePlan(ctx, r.Actor(), snap.ID, *v.Plan, v.Version)
			switch {
			case errors.Is(err, storage.ErrStale):
				return interact.Reply{}, show.Refuse(text.M("bot.page.moved-on"))
			case err != nil:
				return interact.Reply{}, interact.Naming(err, r, snap)
			}
			return interact.Reply{}, nil
		})
	return a, nil
}
