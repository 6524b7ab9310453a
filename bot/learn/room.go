// Package learn teaches the games in lessons: private boards, each with a task.
package learn

import (
	"context"
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/practice"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

// Room answers /learn, and the controls of lessons.
type Room struct {
	tables  *table.Service
	games   show.Games // the games that have lessons
	boards  *practice.Boards
	lessons map[string]lesson // lessons by the key of their exercise
	first   FirstGame
}

// FirstGame returns the buttons, if any, that open a first game of g for a user who has done its last lesson or all
// its lessons.
type FirstGame func(g games.Game, s show.Speaker) []discordgo.Button

// lesson is a lesson with its game.
type lesson struct {
	games.Lesson
	game games.Game
	at   int // index of the lesson among the game's lessons
}

// New returns a Room for the games in all that have lessons.
func New(tables *table.Service, all show.Games, paint *show.Painter, first FirstGame) *Room {
	rm := &Room{tables: tables, lessons: map[string]lesson{}, first: first}
	rm.boards = practice.New(actionLesson, rm, paint)
	for _, g := range all {
		list := games.Lessons(g)
		for i, l := range list {
			rm.lessons[key(g, l)] = lesson{l, g, i}
		}
		if len(list) > 0 {
			rm.games = append(rm.games, g)
		}
	}
	return rm
}

// The action of the boards' controls.
const (
	actionLesson show.Action = "lesson"
)

// Commands returns the commands for learning a game.
func (rm *Room) Commands() []interact.Command {
	return []interact.Command{{
		Name: "learn", Topic: interact.TopicPlay, Anywhere: true,
		Options: []interact.Option{interact.GameOption(rm.games)},
		Route:   interact.Route{Handle: rm.learn, Work: interact.Painting},
		Actions: []interact.Action{
			{Name: show.ActionLearn, Route: interact.Route{Handle: rm.choose, Updates: true, Beside: true,
				Work: interact.Painting}},
			rm.boards.Action(),
		},
	}}
}

// key returns the key of a lesson's exercise, which is part of custom_ids.
func key(g games.Game, l games.Lesson) string { return g.Key() + "." + l.Key }

func (rm *Room) learn(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	if name := r.Option("game"); name != "" {
		g, err := rm.games.Find(name)
		if err != nil {
			return interact.Reply{}, err
		}
		m, err := rm.goOn(ctx, r, g)
		return interact.Reply{New: m}, err
	}
	return interact.Reply{New: rm.askGame(r)}, nil
}

// list follows a game in the custom_id that asks for the list of the game's lessons.
const list = "/list"

// choose answers the buttons and menus that open lessons. Without a game in the custom_id it asks for a game. With
// a game it shows the chosen lesson, or the list of lessons if the custom_id asks for that, or else the message of
// goOn.
func (rm *Room) choose(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	arg, chosen := r.Control.Arg, ""
	if len(r.Values) == 1 {
		chosen = r.Values[0]
	}
	var m *show.Message
	var err error
	key, asksList := strings.CutSuffix(arg, list)
	switch {
	case key != "" && chosen != "":
		m, err = rm.boards.Show(ctx, r, chosen)
	case key == "":
		m = rm.askGame(r)
	default:
		var g games.Game
		if g, err = rm.games.Find(key); err != nil {
			break
		}
		if asksList {
			m = rm.list(r, g)
		} else {
			m, err = rm.goOn(ctx, r, g)
		}
	}
	if err != nil {
		return interact.Reply{}, err
	}
	if r.Private() {
		return interact.Reply{Update: m}, nil
	}
	return interact.Reply{New: m}, nil
}

// goOn returns the first lesson of a game that the user has not done, or the list if all are done.
func (rm *Room) goOn(ctx context.Context, r *interact.Request, g games.Game) (*show.Message, error) {
	for _, l := range games.Lessons(g) {
		if !r.Prefs.HasLearned(g.Key(), l.Key) {
			return rm.boards.Show(ctx, r, key(g, l))
		}
	}
	return rm.list(r, g), nil
}

// askGame returns a message that asks for a game and shows the user's progress in each game.
func (rm *Room) askGame(r *interact.Request) *show.Message {
	lines := []string{r.Say.Say(text.M("bot.learn.which"))}
	for _, g := range rm.games {
		done, all := 0, games.Lessons(g)
		for _, l := range all {
			if r.Prefs.HasLearned(g.Key(), l.Key) {
				done++
			}
		}
		lines = append(lines, r.Say.Say(text.M("bot.learn.progress", "Game", g.Info().Name, "Done", done,
			"Count", len(all))))
	}
	m := show.Framed(lines)
	m.Components = append(m.Components, rm.games.Buttons(show.ActionLearn, "", r.Say)...)
	return m
}

// list returns a message with a menu of a game's lessons.
func (rm *Room) list(r *interact.Request, g games.Game) *show.Message {
	lines := []string{"### " + r.Say.Say(text.M("bot.learn.lessons", "Game", g.Info().Name))}
	menu := discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: show.CustomID{Action: show.ActionLearn, Arg: g.Key()}.String(),
		Placeholder: r.Say.Plain().Say(text.M("bot.learn.choose")),
	}
	done := 0
	for i, l := range games.Lessons(g) {
		id := "bot.learn.open"
		if r.Prefs.HasLearned(g.Key(), l.Key) {
			id = "bot.learn.done"
			done++
		}
		lines = append(lines, r.Say.Say(text.M(id, "Number", i+1, "Lesson", l.Title(g))))
		menu.Options = append(menu.Options, discordgo.SelectMenuOption{
			Label: show.Clip(fmt.Sprintf("%d · %s", i+1, r.Say.Plain().Say(l.Title(g))), show.MaxOptionLabel),
			Value: key(g, l),
		})
	}
	buttons := []discordgo.Button{rm.otherGames(r)}
	if done == len(menu.Options) {
		buttons = append(rm.first(g, r.Say), buttons...)
	}
	m := show.Framed(lines)
	m.Components = append(append(m.Components, row(menu)), show.Rows(buttons...)...)
	return m
}

func (rm *Room) otherGames(r *interact.Request) discordgo.Button {
	return show.Button(discordgo.SecondaryButton, r.Say.Say(text.M("bot.learn.others")),
		show.CustomID{Action: show.ActionLearn})
}

func row(menu discordgo.SelectMenu) discordgo.MessageComponent {
	return discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}}
}
