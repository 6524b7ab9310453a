package bot

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games/text"
)

// plan answers /plan: it shows what a line of conditional moves comes to, with a button that leaves it; without a line, those that the user has left.
func (b *Bot) plan(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	seat, err := b.mySeat(r, snap)
	if err != nil {
		return reply{}, err
	}
	typed := r.option("line")
	if typed == "" {
		return reply{new: b.plansMessage(r, snap)}, nil
	}
	line, err := snap.ReadPlan(seat, typed)
	if err != nil {
		return reply{}, naming(err, r, snap)
	}
	id := customID{action: actionPlan, table: snap.ID.String(), version: version(snap), arg: strings.Join(line.Plays, ";")}.String()
	if len(id) > maxCustomID {
		return reply{}, playerError{text.M("table.error.plan-long")}
	}
	s := mentioning(r.say, snap)
	lines := []string{"### " + r.say.Say(text.M("bot.plan.title"))}
	for i, step := range line.Steps {
		told := "`" + line.Plays[i] + "` " + s.Say(step.Before.Tell(step.Move))
		if step.Seat == seat {
			told = "**→** " + told
		}
		lines = append(lines, told)
	}
	lines = append(lines, "-# "+r.say.Say(text.M("bot.plan.help")))
	file, alt, err := b.paint(ctx, line.After.Mask(seat).Scene(seat, line.Steps[len(line.Steps)-1:]), names(snap), plain(r.say, snap), "plan.png")
	if err != nil {
		return reply{}, err
	}
	m := &message{files: []*discordgo.File{file}, components: []discordgo.MessageComponent{
		container(accentOf(snap, seat), paragraph(strings.Join(lines, "\n")), picture(file.Name, alt)),
	}}
	m.components = append(m.components, rows(button(discordgo.SuccessButton, r.say.Say(text.M("bot.plan.leave")), id))...)
	return reply{new: m}, nil
}

// leavePlan answers that button.
func (b *Bot) leavePlan(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	after, err := b.tables.LeavePlan(ctx, r.actor(), snap.ID, r.id.arg, uint64(r.id.version))
	if isStale(err) {
		return reply{}, b.movedOn(ctx, snap)
	}
	if err != nil {
		return reply{}, naming(err, r, snap)
	}
	return reply{update: b.plansMessage(r, after)}, nil
}

// dropPlans answers the button that drops the user's lines.
func (b *Bot) dropPlans(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	after, err := b.tables.DropPlans(ctx, r.actor(), snap.ID)
	if err != nil {
		return reply{}, naming(err, r, snap)
	}
	return reply{update: b.plansMessage(r, after)}, nil
}

// plansMessage lists the lines that the user has left at a table.
func (b *Bot) plansMessage(r *request, snap *table.Snapshot) *message {
	plans := snap.Plans(snap.Seat(r.user.id))
	if len(plans) == 0 {
		return say(r.say.Say(text.M("bot.plan.none")))
	}
	lines := []string{r.say.Say(text.M("bot.plan.list", "Count", len(plans)))}
	for _, p := range plans {
		lines = append(lines, "- `"+strings.Join(p, "; ")+"`")
	}
	m := say(strings.Join(lines, "\n"))
	m.components = append(m.components, rows(button(discordgo.DangerButton, r.say.Say(text.M("bot.plan.drop")),
		customID{action: actionDropPlans, table: snap.ID.String(), version: version(snap)}.String()))...)
	return m
}
