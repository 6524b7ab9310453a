// Package seek finds people to play with: who looks for a game waits on one card of a channel until
// somebody who fits comes.
package seek

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/lobby"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
)

// Config is what a Room needs.
type Config struct {
	Tables    *table.Service
	Games     show.Games
	Find      *interact.Finder
	Languages *show.Languages
	Rest      rest.Client
	Lobby     *lobby.Room
	Log       *slog.Logger
}

// Room answers the commands of this package, and keeps the cards.
type Room struct{ Config }

// New makes a Room.
func New(c Config) *Room { return &Room{c} }

// The actions of this room's controls.
const (
	actionForm   show.Action = "seek"
	actionChoose show.Action = "seek-choose"
	actionLook   show.Action = "seek-look"
	actionStop   show.Action = "seek-stop"
	actionAnswer show.Action = "seek-answer"
	actionCall   show.Action = "seek-call"
)

// anything is the value of a choice of which somebody wants any.
const anything = "any"

// What one can look for. The first of each is chosen at first.
var (
	speeds  = []string{anything, "12h", "1d", "3d", "7d"}
	ratings = []string{anything, "near"}
	waits   = []int{24, 6, 72, 168} // hours
)

// Commands are how one looks for a game.
func (rm *Room) Commands() []interact.Command {
	options := []interact.Option{interact.GameOption(rm.Games), interact.Typed("speed").OneOf("bot.seek.speed",
		speeds...)}
	options = append(options, lobby.ConditionOptions()...)
	options = append(options, interact.Count("hours").From(1).To(table.MaxSeekTime.Hours()))
	if len(rm.Tables.Levels()) > 0 {
		options = append(options, interact.Flag("computer"))
	}
	return []interact.Command{{
		Name: "seek", Topic: interact.TopicPlay,
		Options: options,
		Route:   interact.Route{Handle: rm.seek, Complete: lobby.CompleteRatings},
		Actions: []interact.Action{
			{Name: actionForm, Route: interact.Route{Handle: rm.form}},
			{Name: actionChoose, Route: interact.Route{Handle: rm.choose, Updates: true}},
			{Name: actionLook, Route: interact.Route{Handle: rm.look, Updates: true}},
			{Name: actionStop, Route: interact.Route{Handle: rm.stop}},
			{Name: actionAnswer, Route: interact.Route{Handle: rm.reply}},
			{Name: actionCall, Route: interact.Route{Handle: rm.call}},
		},
	}}
}

// Button leads to a game with whoever looks for one, too.
func Button(s show.Speaker) discordgo.Button {
	return show.Button(discordgo.SuccessButton, s.Say(text.M("bot.button.seek")), show.CustomID{Action: actionForm})
}

func stopButton(s show.Speaker) discordgo.Button {
	return show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.button.seek-stop")),
		show.CustomID{Action: actionStop})
}

// seek answers /seek.
func (rm *Room) seek(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	asks, err := lobby.Asks(ctx, rm.Tables, r, r.Option("game"))
	if err != nil {
		return interact.Reply{}, err
	}
	hours, _ := r.Number("hours")
	w := table.Wish{
		Game: r.Option("game"), Time: timeOf(r.Option("speed")), Asks: asks,
		For: time.Duration(hours) * time.Hour, Computer: r.Flag("computer"),
	}
	m, err := rm.lookFor(ctx, r, w)
	return interact.Reply{New: m}, err
}

// timeOf is the time for each move of one of the speeds; 0 for any.
func timeOf(speed string) time.Duration {
	rule, _ := show.ParseClock(speed)
	return time.Duration(rule.Time) * time.Millisecond
}

// lookFor looks for a game, and says what came of it.
func (rm *Room) lookFor(ctx context.Context, r *interact.Request, w table.Wish) (*show.Message, error) {
	channel, err := rm.channel(ctx, r)
	if err != nil {
		return nil, err
	}
	found, err := rm.Tables.Seeks.Seek(ctx, r.Actor(), r.GuildID, channel, rm.keys(), w)
	if err != nil {
		return nil, err
	}
	if len(found.Paired) == 0 {
		id := "bot.seek.waiting"
		if found.Seek.Computer {
			id = "bot.seek.waiting-computer"
		}
		m := show.Text(r.Say.Say(text.M(id, "Game", rm.gameName(found.Seek.Game),
			"Channel", text.Channel(found.Channel),
			"Until", text.Moment(found.Seek.Until.Time(), text.Relative))))
		m.Components = append(m.Components, show.Rows(stopButton(r.Say))...)
		return m, nil
	}
	var others []text.Message
	for _, o := range found.Paired {
		if o.User != r.User.ID {
			others = append(others, text.User(o.User).Raw())
		}
	}
	return show.Text(r.Say.Say(text.M("bot.seek.found", "Game", rm.gameName(found.Game), "Who", others,
		"Channel", text.Channel(found.Channel)))), nil
}

// channel is where the list is to be if it is nowhere else. It refuses who cannot see where it is,
// or may open no tables there.
func (rm *Room) channel(ctx context.Context, r *interact.Request) (string, error) {
	place, err := rm.Find.Place(ctx, r)
	if err != nil {
		return "", err
	}
	here := place.ID
	if place.IsThread() {
		here = place.ParentID
	}
	now, err := rm.Tables.Seeks.On(ctx, r.GuildID)
	if err != nil {
		return "", err
	}
	there := here
	if len(now.Waiting)+len(now.Found) > 0 {
		there = now.Channel
	}
	there = cmp.Or(r.Settings.SeekChannel, there)
	if there != r.ChannelID {
		sees, err := rm.Find.Sees(ctx, r, table.Head{Guild: r.GuildID, Channel: there})
		if err != nil {
			return "", err
		}
		if !sees {
			return "", show.Refuse(text.M("bot.seek.unseen"))
		}
	}
	return here, rm.Lobby.MayOpen(ctx, r, &discordgo.Channel{ID: there})
}

// keys are those of the games on offer.
func (rm *Room) keys() []string {
	var list []string
	for _, g := range rm.Games {
		list = append(list, g.Key())
	}
	return list
}

// gameName is what a game that is looked for is called.
func (rm *Room) gameName(key string) text.Message {
	if g, err := rm.Games.Find(key); key != "" && err == nil {
		return g.Info().Name
	}
	return text.M("bot.seek.any-game")
}

// stop answers the button that stops looking.
func (rm *Room) stop(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	was, err := rm.Tables.Seeks.Withdraw(ctx, r.User.ID, r.GuildID)
	if err != nil {
		return interact.Reply{}, err
	}
	id := "bot.seek.stopped"
	if !was {
		id = "bot.seek.not-looking"
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M(id)))}, nil
}

// reply answers the choice of somebody who looks for a game.
func (rm *Room) reply(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	if len(r.Values) != 1 {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	m, err := rm.lookFor(ctx, r, table.Wish{With: r.Values[0]})
	return interact.Reply{New: m}, err
}

// call answers the button by which one takes the role of those who are called, or gives it back.
func (rm *Room) call(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	role := r.Settings.SeekRole
	if role == "" || r.Member == nil {
		return interact.Reply{}, show.Refuse(text.M("bot.seek.no-role"))
	}
	change, id := rm.Rest.Session.GuildMemberRoleAdd, "bot.seek.called"
	if slices.Contains(r.Member.Roles, role) {
		change, id = rm.Rest.Session.GuildMemberRoleRemove, "bot.seek.uncalled"
	}
	err := change(r.GuildID, r.User.ID, role, discordgo.WithContext(ctx))
	switch rest.Code(err) {
	case rest.CodeMissingPermissions, rest.CodeMissingAccess, rest.CodeUnknownRole:
		return interact.Reply{}, show.Refuse(text.M("bot.seek.role-refused", "Role", text.Role(role)))
	}
	if err != nil {
		return interact.Reply{}, fmt.Errorf("changing a role: %w", err)
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M(id, "Role", text.Role(role))))}, nil
}

// form answers the button that leads to a game: it asks what for.
func (rm *Room) form(_ context.Context, r *interact.Request) (interact.Reply, error) {
	return interact.Reply{New: rm.ask(r, make([]int, len(rm.questions())))}, nil
}

// question is something that the form asks, with what can be chosen.
type question struct {
	title  text.Message
	labels []text.Message
}

// questions are what the form asks. What is chosen stands in the form's controls as the numbers of
// the answers, joined by dots.
func (rm *Room) questions() []question {
	list := []question{
		{title: text.M("bot.seek.ask-game"), labels: []text.Message{text.M("bot.seek.any-game")}},
		{title: text.M("bot.seek.ask-speed")},
		{title: text.M("bot.seek.ask-rating")},
		{title: text.M("bot.seek.ask-hours")},
	}
	for _, g := range rm.Games {
		list[0].labels = append(list[0].labels, g.Info().Name)
	}
	for _, v := range speeds {
		list[1].labels = append(list[1].labels, text.M("bot.seek.speed."+v))
	}
	for _, v := range ratings {
		list[2].labels = append(list[2].labels, text.M("bot.ratings."+v, "Count", table.NearRating))
	}
	for _, h := range waits {
		list[3].labels = append(list[3].labels, text.M("bot.seek.for",
			"Time", show.DurationText(time.Duration(h)*time.Hour)))
	}
	if len(rm.Tables.Levels()) > 0 {
		list = append(list, question{title: text.M("bot.seek.ask-computer"),
			labels: []text.Message{text.M("bot.seek.computer-no"), text.M("bot.seek.computer-yes")}})
	}
	return list
}

// ask is the form.
func (rm *Room) ask(r *interact.Request, numbers []int) *show.Message {
	m := show.Text("### " + r.Say.Say(text.M("bot.seek.ask")))
	var chosen []string
	for _, n := range numbers {
		chosen = append(chosen, strconv.Itoa(n))
	}
	arg := strings.Join(chosen, ".")
	for i, q := range rm.questions() {
		id := show.CustomID{Action: actionChoose, Page: i, Arg: arg}
		menu := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: id.String()}
		for n, l := range q.labels {
			menu.Options = append(menu.Options, discordgo.SelectMenuOption{
				Label: show.Clip(r.Say.Plain().Say(l), show.MaxOptionLabel), Value: strconv.Itoa(n),
				Default: n == numbers[i],
			})
		}
		m.Components = append(m.Components, show.Paragraph(r.Say.Say(text.M("bot.bold", "What", q.title))),
			discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}})
	}
	m.Components = append(m.Components, show.Rows(show.Button(discordgo.SuccessButton,
		r.Say.Say(text.M("bot.button.seek-look")), show.CustomID{Action: actionLook, Arg: arg}))...)
	return m
}

// read reads what is chosen on the form.
func (rm *Room) read(arg string) (numbers []int, ok bool) {
	list, questions := strings.Split(arg, "."), rm.questions()
	if len(list) != len(questions) {
		return nil, false
	}
	for i, q := range questions {
		n, err := strconv.Atoi(list[i])
		if err != nil || n < 0 || n >= len(q.labels) {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	return numbers, true
}

// choose answers a menu of the form.
func (rm *Room) choose(_ context.Context, r *interact.Request) (interact.Reply, error) {
	numbers, ok := rm.read(r.Control.Arg)
	i := r.Control.Page
	if !ok || i >= len(numbers) || len(r.Values) != 1 {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	n, err := strconv.Atoi(r.Values[0])
	if err != nil || n < 0 || n >= len(rm.questions()[i].labels) {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	numbers[i] = n
	return interact.Reply{Update: rm.ask(r, numbers)}, nil
}

// look answers the form's button.
func (rm *Room) look(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, ok := rm.read(r.Control.Arg)
	if !ok {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	w := table.Wish{Time: timeOf(speeds[n[1]]), For: time.Duration(waits[n[3]]) * time.Hour,
		Computer: len(n) > 4 && n[4] == 1}
	if n[0] > 0 {
		w.Game = rm.Games[n[0]-1].Key()
	}
	var err error
	if w.Asks, err = lobby.AsksOf(ctx, rm.Tables, r, w.Game, ratings[n[2]]); err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.lookFor(ctx, r, w)
	return interact.Reply{Update: m}, err
}
