package turn

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

// plan handles /table plan. For a line of conditional moves, it shows the position after the line, with a button that
// saves the line. Without a line, it lists the user's saved lines.
func (rm *Room) plan(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	seat, err := interact.MySeat(r, snap)
	if err != nil {
		return interact.Reply{}, err
	}
	typed := r.Option("line")
	if typed == "" && !snap.Rules().Traits().Hidden {
		return interact.Reply{New: plansMessage(r, snap), Ephemeral: interact.EphemeralOf(snap)}, nil
	}
	line, err := snap.ReadPlan(seat, typed)
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	id := show.CustomID{Action: actionPlan, Table: snap.ID.String(), Version: show.Version(snap),
		Arg: strings.Join(line.Plays, ";")}
	if !show.Fits(id.String()) {
		return interact.Reply{}, show.Refuse(text.M("table.error.plan-long"))
	}
	s := show.Mentioning(r.Say, snap)
	lines := []string{"### " + r.Say.Say(text.M("bot.plan.title"))}
	for i, step := range line.Steps {
		told := text.Code(line.Plays[i]).Markdown() + " " + s.Say(step.Before.Describe(step.Move))
		if step.Seat == seat {
			told = "**→** " + told
		}
		lines = append(lines, told)
	}
	lines = append(lines, "-# "+r.Say.Say(text.M("bot.plan.help")))
	after := games.Mask(line.After, seat).Scene(seat, line.Steps[len(line.Steps)-1:])
	file, alt, err := rm.paint.Paint(ctx, after, show.PlanPlate(snap, line),
		show.Names(snap, r.Say), show.Plain(r.Say, snap), "plan.png")
	if err != nil {
		return interact.Reply{}, err
	}
	said := strings.Join(lines, "\n")
	m := &show.Message{Files: []*discordgo.File{file}, Components: []discordgo.MessageComponent{
		show.Container(show.AccentOf(snap, seat), append([]discordgo.MessageComponent{show.Paragraph(said)},
			show.BoardBeside(file.Name, alt, after, show.Named(r.Say, snap), 1, said)...)...),
	}}
	m.Components = append(m.Components, show.Rows(show.Button(discordgo.SuccessButton,
		r.Say.Say(text.M("bot.plan.leave")), id))...)
	return interact.Reply{New: m, Ephemeral: interact.EphemeralOf(snap)}, nil
}

// leavePlan handles the button that saves a line.
func (rm *Room) leavePlan(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	after, err := rm.tables.LeavePlan(ctx, r.Actor(), snap.ID, r.Control.Arg, uint64(r.Control.Version))
	if isStale(err) {
		return interact.Reply{}, rm.find.MovedOn(ctx, snap)
	}
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{Update: plansMessage(r, after), Ephemeral: interact.TransientOf(after)}, nil
}

// dropPlans handles the button that deletes the user's saved lines.
func (rm *Room) dropPlans(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	after, err := rm.tables.DropPlans(ctx, r.Actor(), snap.ID)
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{Update: plansMessage(r, after), Ephemeral: interact.TransientOf(after)}, nil
}

// plansMessage returns a message with the lines that the user has saved at a table.
func plansMessage(r *interact.Request, snap *table.Snapshot) *show.Message {
	plans := snap.Plans(snap.Seat(r.User.ID))
	if len(plans) == 0 {
		return show.Text(r.Say.Say(text.M("bot.plan.none")))
	}
	lines := []string{r.Say.Say(text.M("bot.plan.list", "Count", len(plans)))}
	for _, p := range plans {
		lines = append(lines, "- "+text.Code(strings.Join(p, "; ")).Markdown())
	}
	m := show.Text(strings.Join(lines, "\n"))
	m.Components = append(m.Components, show.Rows(show.Button(discordgo.DangerButton,
		r.Say.Say(text.M("bot.plan.drop")),
		show.CustomID{Action: show.ActionDropPlans, Table: snap.ID.String(), Version: show.Version(snap)}))...)
	return m
}
