package seek

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/interact"
	"marque/bot/lobby"
	"marque/bot/matchmaking"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
)

// Answers on the form. The first of each list is preselected, unless the server's settings have another one.
var (
	speeds  = []string{anything, "12h", "1d", "3d", "7d"}
	ratings = []string{anything, "near"}
	waits   = []int{24, 6, 72, 168} // hours
	answers = append([]int{0}, choices.AskedAnswers...)
	shares  = append([]int{0}, choices.AskedShares...)
)

// Numbers of the form's questions.
const (
	asksGame = iota
	asksSpeed
	asksRating
	asksHours
	asksAnswers
	asksFinishes
	asksLessons
	asksComputer // asked only if there are computer players
	asksRole     = 99
)

// wishes are the choices on the form: the index of the answer to each question, and a role. They are part of the
// custom_ids of the form, joined by dots.
type wishes struct {
	numbers []int
	role    string // id of the required role; "" for none
}

func (w wishes) String() string {
	var list []string
	for _, n := range w.numbers {
		list = append(list, strconv.Itoa(n))
	}
	return strings.Join(append(list, w.role), ".")
}

// read parses the output of wishes.String. ok is false if an answer is not on the form.
func (rm *Room) read(arg string) (w wishes, ok bool) {
	list, questions := strings.Split(arg, "."), rm.questions()
	if len(list) != len(questions)+1 {
		return w, false
	}
	for i, q := range questions {
		n, err := strconv.Atoi(list[i])
		if err != nil || n < 0 || n >= len(q.labels) {
			return w, false
		}
		w.numbers = append(w.numbers, n)
	}
	w.role = list[len(questions)]
	return w, strings.Trim(w.role, "0123456789") == ""
}

// conditions returns a user's conditions for opponents, except ratings.
func (w wishes) conditions() table.Conditions {
	return table.Conditions{
		Answers: answers[w.numbers[asksAnswers]], Finishes: shares[w.numbers[asksFinishes]],
		Lessons: w.numbers[asksLessons] == 1, Role: w.role,
	}
}

// question is a question on the form with its possible answers.
type question struct {
	title  text.Message
	labels []text.Message
	more   bool // whether the question is on the second page
}

// questions returns the form's questions, indexed by their numbers.
func (rm *Room) questions() []question {
	list := []question{
		asksGame:     {title: text.M("bot.seek.ask-game"), labels: []text.Message{text.M("bot.seek.any-game")}},
		asksSpeed:    {title: text.M("bot.seek.ask-speed")},
		asksRating:   {title: text.M("bot.seek.ask-rating")},
		asksHours:    {title: text.M("bot.seek.ask-hours")},
		asksAnswers:  {title: text.M("bot.joining.answers"), more: true},
		asksFinishes: {title: text.M("bot.joining.finishes"), more: true},
		asksLessons: {title: text.M("bot.seek.ask-lessons"), more: true,
			labels: []text.Message{text.M("bot.joining.lessons-off"), text.M("bot.joining.lessons-on")}},
	}
	add := func(i int, label text.Message) { list[i].labels = append(list[i].labels, label) }
	for _, g := range rm.Games {
		add(asksGame, g.Info().Name)
	}
	for _, v := range speeds {
		add(asksSpeed, text.M("bot.seek.speed."+v))
	}
	for _, v := range ratings {
		add(asksRating, text.M("bot.ratings."+v, "Count", choices.NearRating))
	}
	for _, h := range waits {
		add(asksHours, text.M("bot.seek.for", "Time", show.DurationText(time.Duration(h)*time.Hour)))
	}
	add(asksAnswers, text.M("bot.answers.any"))
	for _, h := range choices.AskedAnswers {
		add(asksAnswers, text.M("bot.answers."+strconv.Itoa(h)))
	}
	add(asksFinishes, text.M("bot.answers.any"))
	for _, n := range choices.AskedShares {
		add(asksFinishes, text.M("bot.seek.share", "Least", n))
	}
	if len(rm.Tables.Levels()) > 0 {
		list = append(list, question{title: text.M("bot.seek.ask-computer"),
			labels: []text.Message{text.M("bot.seek.computer-no"), text.M("bot.seek.computer-yes")}})
	}
	return list
}

// form answers the button that looks for a game. It shows a form in which the server's conditions are preselected.
func (rm *Room) form(_ context.Context, r *interact.Request) (interact.Reply, error) {
	c := r.Settings
	w := wishes{numbers: make([]int, len(rm.questions())), role: c.Asks.Role}
	w.numbers[asksAnswers] = max(0, slices.Index(answers, c.Asks.Answers))
	w.numbers[asksFinishes] = max(0, slices.Index(shares, c.Asks.Finishes))
	if c.Near {
		w.numbers[asksRating] = slices.Index(ratings, "near")
	}
	if c.Asks.Lessons {
		w.numbers[asksLessons] = 1
	}
	return interact.Reply{New: rm.ask(r, w, false)}, nil
}

// ask returns a page of the form. If more is set, it is the page with further conditions for opponents.
func (rm *Room) ask(r *interact.Request, w wishes, more bool) *show.Message {
	id := func(action show.Action, page int) show.CustomID {
		return show.CustomID{Action: action, Page: page, Arg: w.String()}
	}
	title, other, to := "bot.seek.ask", "bot.button.seek-more", 1
	if more {
		title, other, to = "bot.seek.ask-more", "bot.step.back", 0
	}
	m := show.Text("### " + r.Say.Say(text.M(title)))
	add := func(title text.Message, menu discordgo.SelectMenu) {
		m.Components = append(m.Components, show.Paragraph(r.Say.Say(text.M("bot.bold", "What", title))),
			discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}})
	}
	for i, q := range rm.questions() {
		if q.more != more {
			continue
		}
		menu := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: id(actionChoose, i).String()}
		for n, l := range q.labels {
			menu.Options = append(menu.Options, discordgo.SelectMenuOption{
				Label: show.Clip(r.Say.Plain().Say(l), show.MaxOptionLabel), Value: strconv.Itoa(n),
				Default: n == w.numbers[i],
			})
		}
		add(q.title, menu)
	}
	if more {
		none := 0
		menu := discordgo.SelectMenu{MenuType: discordgo.RoleSelectMenu, CustomID: id(actionChoose, asksRole).String(),
			MinValues: &none, MaxValues: 1, Placeholder: r.Say.Say(text.M("bot.panel.none"))}
		if w.role != "" {
			menu.DefaultValues = []discordgo.SelectMenuDefaultValue{{ID: w.role,
				Type: discordgo.SelectMenuDefaultValueRole}}
		}
		add(text.M("bot.joining.role"), menu)
	} else if asks, any := show.ConditionsText(w.conditions()); any {
		m.Components = append(m.Components, show.Paragraph("-# "+r.Say.Say(text.M("bot.seek.asked", "Asks", asks))))
	}
	m.Components = append(m.Components, show.Rows(
		show.Button(discordgo.SuccessButton, r.Say.Say(text.M("bot.button.seek-look")), id(actionLook, 0)),
		show.Button(discordgo.SecondaryButton, r.Say.Say(text.M(other)), id(actionPage, to)))...)
	return m
}

// turn answers the buttons that switch between the pages of the form.
func (rm *Room) turn(_ context.Context, r *interact.Request) (interact.Reply, error) {
	w, ok := rm.read(r.Control.Arg)
	if !ok {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	return interact.Reply{Update: rm.ask(r, w, r.Control.Page == 1)}, nil
}

// choose answers a menu of the form.
func (rm *Room) choose(_ context.Context, r *interact.Request) (interact.Reply, error) {
	w, ok := rm.read(r.Control.Arg)
	i, one := r.Control.Page, strings.Join(r.Values, "")
	if ok && i == asksRole {
		w.role = r.Demanded(one)
		return interact.Reply{Update: rm.ask(r, w, true)}, nil
	}
	n, err := strconv.Atoi(one)
	questions := rm.questions()
	if !ok || i >= len(questions) || err != nil || n < 0 || n >= len(questions[i].labels) {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	w.numbers[i] = n
	return interact.Reply{Update: rm.ask(r, w, questions[i].more)}, nil
}

// look answers the form's submit button.
func (rm *Room) look(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	chosen, ok := rm.read(r.Control.Arg)
	if !ok {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	n := chosen.numbers
	w := matchmaking.Wish{Time: timeOf(speeds[n[asksSpeed]]), For: time.Duration(waits[n[asksHours]]) * time.Hour,
		Computer: len(n) > asksComputer && n[asksComputer] == 1}
	if n[asksGame] > 0 {
		w.Game = rm.Games[n[asksGame]-1].Key()
	}
	asks, err := lobby.AsksOf(ctx, rm.Tables, r, w.Game, ratings[n[asksRating]])
	if err != nil {
		return interact.Reply{}, err
	}
	w.Asks = chosen.conditions()
	w.Asks.RatingFrom, w.Asks.RatingTo = asks.RatingFrom, asks.RatingTo
	m, sole, err := rm.lookFor(ctx, r, w)
	return interact.Reply{Update: m, Ephemeral: sole}, err
}
