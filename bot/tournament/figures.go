package tournament

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/compete"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/competition"
	"marque/games/text"
)

// figure is a number in a competition's setup that forms can change until the competition begins.
type figure struct {
	name        string
	least, most int
	optional    bool // whether the input can be empty, which means 0
	// of returns a pointer to the figure in the setup: an *int, or a *competition.Stamp that is shown in units.
	of   func(*competition.Setup) any
	unit competition.Stamp
}

// numberOf returns a figure's value in a setup, in units for a Stamp.
func (f figure) numberOf(s competition.Setup) int {
	if span, ok := f.of(&s).(*competition.Stamp); ok {
		return int(*span / f.unit)
	}
	return *f.of(&s).(*int)
}

func (f figure) set(s *competition.Setup, n int) {
	if span, ok := f.of(s).(*competition.Stamp); ok {
		*span = competition.Stamp(n) * f.unit
		return
	}
	*f.of(s).(*int) = n
}

func (f figure) label() text.Message { return text.M("bot.competition.figure." + f.name) }

// figures returns the figures of a competition, divided into two forms.
func figures(s competition.Setup) [2][]figure {
	count := func(name string, least, most int, of func(*competition.Setup) *int) figure {
		return figure{name: name, least: least, most: most, of: func(s *competition.Setup) any { return of(s) }}
	}
	days := func(name string, least, most int, of func(*competition.Setup) *competition.Stamp) figure {
		return figure{name: name, least: least, most: most, unit: competition.Day,
			of: func(s *competition.Setup) any { return of(s) }}
	}
	optional := func(f figure) figure { f.optional = true; return f }
	lapses := count("lapses", 0, mostLapses, func(s *competition.Setup) *int { return &s.Lapses })
	stretch := days("stretch-days", 0, mostStretch, func(s *competition.Setup) *competition.Stamp { return &s.Stretch })
	game := days("game-days", leastDays, mostDays, func(s *competition.Setup) *competition.Stamp { return &s.Time })
	pause := func(s *competition.Setup) *competition.Stamp { return &s.Break }
	switch s.Kind {
	case competition.League:
		weeks := days("weeks", 1, mostWeeks, func(s *competition.Setup) *competition.Stamp { return &s.Time })
		weeks.unit = 7 * competition.Day
		return [2][]figure{{
			weeks, optional(count("seasons", 1, mostSeasons, func(s *competition.Setup) *int { return &s.Seasons })),
			days("break-seasons", 1, mostBreak, pause),
			count("division", competition.MinDivision, competition.MaxDivision,
				func(s *competition.Setup) *int { return &s.Division }),
			count("promote", 0, mostPromote, func(s *competition.Setup) *int { return &s.Promote }),
		}, {
			optional(count("at-once", 1, competition.MaxDivision-1,
				func(s *competition.Setup) *int { return &s.AtOnce })), lapses, stretch,
		}}
	case competition.Ladder:
		return [2][]figure{{
			count("reach", 1, mostReach, func(s *competition.Setup) *int { return &s.Reach }),
			days("answer-days", 1, mostAnswer, func(s *competition.Setup) *competition.Stamp { return &s.Answer }),
			game,
			count("declines", 0, mostDeclines, func(s *competition.Setup) *int { return &s.Declines }),
			days("rest-days", 0, mostRest, func(s *competition.Setup) *competition.Stamp { return &s.Rest }),
		}, {
			days("absence-days", 0, mostAbsence, func(s *competition.Setup) *competition.Stamp { return &s.Away }),
			optional(days("ladder-days", 1, mostLadder,
				func(s *competition.Setup) *competition.Stamp { return &s.End })), lapses, stretch,
		}}
	}
	rounds := []figure{game, days("break-days", 0, mostBreak, pause)}
	if s.Kind == competition.Swiss || s.Kind == competition.Pods {
		rounds = append(rounds,
			optional(count("rounds", 1, competition.MaxRounds, func(s *competition.Setup) *int { return &s.Rounds })),
			optional(count("late-until", 1, competition.MaxRounds, func(s *competition.Setup) *int { return &s.Late })))
	}
	if s.Kind == competition.Pods {
		rounds = append(rounds, count("table-seats", 3, 5, func(s *competition.Setup) *int { return &s.Seats }))
	}
	return [2][]figure{rounds, {lapses, stretch}}
}

// figuresTitle returns the title of a form for figures.
func figuresTitle(n compete.Competition, form int) text.Message {
	if form == 1 {
		return text.M("bot.competition.figures.limits")
	}
	return text.M("bot.competition.figures." + familyOf(n).name)
}

// spans returns a competition's setup in which the end of a ladder is relative to its start.
func spans(n compete.Competition) competition.Setup {
	s := n.Rules.Setup
	if s.End != 0 {
		s.End -= s.Start
	}
	return s
}

// figuresMessage returns a message with the sentence said, the figures of a competition that has not begun, and a
// button for each form.
func (rm *Room) figuresMessage(n compete.Competition, said text.Message, s show.Speaker) *show.Message {
	setup := spans(n)
	var lines []string
	var buttons []discordgo.Button
	for form, list := range figures(setup) {
		for _, f := range list {
			if v := f.numberOf(setup); v != 0 || !f.optional {
				lines = append(lines, s.Say(text.M("bot.competition.figure-line", "What", f.label(), "Count", v)))
			}
		}
		buttons = append(buttons, show.Button(discordgo.SecondaryButton, s.Say(figuresTitle(n, form)),
			show.CustomID{Action: actionFigures, Page: form, Arg: number(n)}))
	}
	m := show.Text(s.Say(said) + "\n" + strings.Join(lines, "\n"))
	m.Components = append(m.Components, show.Rows(buttons...)...)
	return m
}

// settings replies to the action "settings" with the figures, if they can still be changed.
func (rm *Room) settings(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.entering(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	return interact.Reply{New: rm.figuresMessage(n, titleText(n), r.Say)}, nil
}

// entering returns the competition of an interaction. The user must be its host or a moderator, and it must not
// have begun.
func (rm *Room) entering(ctx context.Context, r *interact.Request) (compete.Competition, error) {
	n, err := rm.which(ctx, r)
	switch {
	case err != nil:
		return n, err
	case !rm.Competitions.MayRun(r.Actor(), n):
		return n, show.Refuse(text.M("table.error.organiser"))
	case n.Rules.Phase != competition.Entry:
		return n, table.Refuse(table.ErrStarted, text.M("table.error.competition-begun"))
	}
	return n, nil
}

// begun replies to a control of the figures with an error. Once the competition has begun, the controls can do nothing
// any more, so the reply replaces their message.
func begun(r *interact.Request, err error) (interact.Reply, error) {
	if errors.Is(err, table.ErrStarted) {
		return interact.Reply{Update: show.Text(r.Say.Say(text.M("table.error.competition-begun")))}, nil
	}
	return interact.Reply{}, err
}

// askFigures replies to the button of a form for figures by opening the form.
func (rm *Room) askFigures(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.entering(ctx, r)
	if err != nil {
		return begun(r, err)
	}
	setup, form, s := spans(n), min(r.Control.Page, 1), r.Say.Plain()
	var parts []discordgo.MessageComponent
	for _, f := range figures(setup)[form] {
		required := !f.optional
		in := discordgo.TextInput{CustomID: f.name, Style: discordgo.TextInputShort, Required: &required, MaxLength: 3}
		if v := f.numberOf(setup); v != 0 || required {
			in.Value = strconv.Itoa(v)
		}
		parts = append(parts,
			show.Asked(s.Say(f.label()), s.Say(text.M("bot.competition.figure-range", "Least", f.least,
				"Most", f.most, "Help", text.M("bot.competition.figure-help."+f.name))), in))
	}
	return interact.Reply{Modal: show.Form(show.CustomID{Action: actionArrange, Arg: number(n)},
		s.Say(figuresTitle(n, form)), parts...)}, nil
}

// arrange replies to a submitted form with figures.
func (rm *Room) arrange(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	numbers := map[string]int{}
	for _, list := range figures(n.Rules.Setup) {
		for _, f := range list {
			typed := strings.TrimSpace(r.Form.Value(f.name))
			if !r.Form.Has(f.name) {
				continue
			}
			v, err := strconv.Atoi(typed)
			if empty := f.optional && typed == ""; !empty && (err != nil || v < f.least || v > f.most) {
				return interact.Reply{},
					show.Refuse(text.M("bot.competition.error.figure", "What", f.label(), "Least", f.least,
						"Most", f.most))
			}
			numbers[f.name] = v
		}
	}
	n, err = rm.Competitions.Arrange(ctx, r.Actor(), n.ID(), func(n compete.Competition) competition.Setup {
		s := spans(n)
		follows := s.Stretch == s.Time // by default, Stretch follows Time
		for _, list := range figures(s) {
			for _, f := range list {
				if v, given := numbers[f.name]; given && v != f.numberOf(s) {
					f.set(&s, v)
				}
			}
		}
		if _, given := numbers["stretch-days"]; follows && !given {
			s.Stretch = s.Time
		}
		if s.End != 0 {
			s.End += s.Start
		}
		return s
	})
	if err != nil {
		return begun(r, err)
	}
	return interact.Reply{Update: rm.figuresMessage(n, titleText(n), r.Say)}, nil
}
