package interact

import (
	"context"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/rest"
)

// Outcome is the way in which an interaction ended.
type Outcome string

// The outcomes.
const (
	Done        Outcome = "ok"
	Refused     Outcome = "refused"     // the user was told the reason
	Failed      Outcome = "failed"      // an error that the user did not cause
	Undelivered Outcome = "undelivered" // Discord did not accept the answer
	Dropped     Outcome = "dropped"     // given up: too many waited, the bot stopped, or Perform's caller left
)

// Answered describes the answer to an interaction.
type Answered struct {
	// What is the command with its subcommand, or the action of a control. It is "unknown" for undeclared ones, so that
	// the number of values is limited.
	What    string
	Kind    string // command, control, form or autocomplete
	Outcome Outcome
	// First is the time from the interaction's arrival to the first answer that Discord accepted, which can be a
	// deferred one. For Router.Perform, it is the time to the reply. It is 0 if there was no answer.
	First time.Duration
}

// respond sends the first answer to an interaction, and records whether and when Discord accepted it. If Discord
// reports that the interaction already has an answer, respond takes that for this answer, whose confirmation was lost,
// unless an earlier answer had an unknown outcome.
func (ro *Router) respond(ctx context.Context, r *Request, cb rest.Callback, files []*discordgo.File) error {
	err := ro.rest.Respond(ctx, r.Interaction, cb, files)
	if rest.Code(err) == rest.CodeAcknowledged && !r.doubt {
		err = nil
	}
	if err == nil && r.first == 0 {
		r.first = time.Since(r.arrival.At)
	}
	return err
}

// report passes a finished interaction to the observer, if there is one.
func (ro *Router) report(r *Request, declared bool) {
	if ro.answered == nil {
		return
	}
	a := Answered{What: "unknown", Outcome: r.outcome, First: r.first}
	if a.Outcome == "" {
		a.Outcome = Done
	}
	if a.First == 0 && a.Outcome != Dropped && a.Outcome != Failed {
		a.Outcome = Undelivered
	}
	switch r.Type {
	case discordgo.InteractionApplicationCommandAutocomplete:
		a.Kind = "autocomplete"
	case discordgo.InteractionMessageComponent:
		a.Kind = "control"
	case discordgo.InteractionModalSubmit:
		a.Kind = "form"
	default:
		a.Kind = "command"
	}
	if declared {
		a.What = r.what()
	}
	ro.answered(a)
}
