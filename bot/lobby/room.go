// Package lobby opens tables and fills their seats with people and computer players, before the start and when a
// player's seat becomes free later.
package lobby

import (
	"context"
	"log/slog"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
)

// Room handles the commands of this package.
type Room struct {
	Config
}

// Config holds the dependencies and settings of a Room.
type Config struct {
	Tables    *table.Service
	Games     show.Games
	Find      *interact.Finder
	Languages *show.Languages
	Paint     *show.Painter
	Session   *discordgo.Session // posts cards, and opens threads and direct messages
	Log       *slog.Logger
	// Prune removes deleted channels and roles from a server's settings.
	Prune func(ctx context.Context, guild string) (choices.Settings, error)
}

// New returns a Room.
func New(c Config) *Room { return &Room{c} }

// The actions of this room's controls.
const (
	actionJoin     show.Action = "join"
	actionLeave    show.Action = "leave"
	actionStart    show.Action = "start"
	actionComputer show.Action = "computer"
	actionLevel    show.Action = "level"
	actionDismiss  show.Action = "dismiss"
	actionTake     show.Action = "take"
	actionReplace  show.Action = "relieve"
	actionOptions  show.Action = "options"
	actionOption   show.Action = "option"
	actionNew      show.Action = "new"
	actionNewGame  show.Action = "new-game"
	actionNewLevel show.Action = "new-level"

	actionNewOption show.Action = "new-option"
	actionForm      show.Action = "new-form"
)

// Commands returns the commands that open tables and change their players.
func (rm *Room) Commands() []interact.Command {
	byTable := func(h interact.Handler) interact.Route {
		return interact.Route{Handle: h, Complete: rm.Find.CompleteTable}
	}
	list := []interact.Command{
		{
			Name: "play", Topic: interact.TopicPlay,
			Anywhere: true,
			Options:  rm.playOptions(),
			Route:    interact.Route{Handle: rm.play, Complete: completePlay},
			Actions: []interact.Action{
				{Name: show.ActionRematch, Route: interact.Route{Handle: rm.rematch}},
				{Name: show.ActionFairness, Route: interact.Route{Handle: rm.fairness}},
				{Name: actionNew, Route: interact.Route{Handle: rm.askGame}},
				{Name: actionNewGame, Route: interact.Route{Handle: rm.openChosen, Updates: true}},
				{Name: actionNewLevel, Route: interact.Route{Handle: rm.openAgainstComputer, Updates: true, Beside: true}},
				{Name: actionNewOption, Route: interact.Route{Handle: rm.chooseOption, Updates: true}},
				{Name: actionForm, Route: interact.Route{Handle: rm.submitForm}},
				{Name: actionOptions, Route: interact.Route{Handle: rm.showOptions}},
				{Name: actionOption, Route: interact.Route{Handle: rm.setOption, Updates: true}},
			},
		},
		{
			Name: "Challenge", Topic: interact.TopicPlay, Menu: discordgo.UserApplicationCommand,
			Route: interact.Route{Handle: rm.challenge},
		},
		{
			Name: "table join", Topic: interact.TopicPlay,
			Options: []interact.Option{interact.TableOption()},
			Route:   byTable(rm.joinAny),
			Actions: []interact.Action{
				{Name: show.ActionTable, Anywhere: true, Route: interact.Route{Handle: rm.showTable}},
				{Name: actionJoin, Route: interact.Route{Handle: rm.join}},
				{Name: actionTake, Anywhere: true, Route: interact.Route{Handle: rm.take}},
				{Name: actionReplace, Anywhere: true, Route: interact.Route{Handle: rm.replaceByComputer}},
			},
		},
		{
			Name: "table invite", Topic: interact.TopicPlay,
			Options: []interact.Option{interact.Somebody("who").Required(), interact.TableOption()},
			Route:   byTable(rm.invite),
		},
		{
			Name: "table leave", Topic: interact.TopicSeats,
			Options: []interact.Option{interact.TableOption()},
			Route:   byTable(rm.leaveAny),
			Actions: []interact.Action{{Name: actionLeave, Anywhere: true, Route: interact.Route{Handle: rm.leave}}},
		},
		{
			Name: "table start", Topic: interact.TopicPlay, Anywhere: true,
			Options: []interact.Option{interact.TableOption()},
			Route:   byTable(rm.start),
			Actions: []interact.Action{{Name: actionStart, Route: interact.Route{Handle: rm.start}}},
		},
		{Name: "server panel", Topic: interact.TopicServer, Access: interact.Managers,
			Route: interact.Route{Handle: rm.panel, Work: interact.Painting}},
	}
	if len(rm.Tables.Levels()) > 0 {
		list = append(list, interact.Command{
			Name: "table computer", Topic: interact.TopicPlay,
			Options: []interact.Option{rm.levelOption().Required(), interact.TableOption()},
			Route:   byTable(rm.computer),
			Actions: []interact.Action{
				{Name: actionComputer, Anywhere: true, Route: interact.Route{Handle: rm.askLevel}},
				{Name: actionLevel, Anywhere: true, Route: interact.Route{Handle: rm.addComputer, Updates: true}},
				{Name: actionDismiss, Anywhere: true, Route: interact.Route{Handle: rm.dismissComputer}},
			},
		})
	}
	return list
}

// playOptions returns the options of /play. They leave out further opponents, the order of seats, and the game's
// options, which are chosen in the form or in the lobby.
func (rm *Room) playOptions() []interact.Option {
	most := rm.mostSeats()
	list := []interact.Option{interact.GameOption(rm.Games), interact.Somebody("opponent"),
		interact.Count("players").From(1).To(float64(most))}
	if len(rm.Tables.Levels()) > 0 {
		list = append(list, interact.Count("computers").From(0).To(float64(most-1)), rm.levelOption())
	}
	list = append(list, interact.Flag("rated"), interact.Typed("clock").Completed(),
		interact.Typed("late").OneOf("bot.late-option", show.LateOptions...))
	return append(append(list, ConditionOptions()...), interact.SomeRole("role"))
}

// mostSeats returns the maximum number of players over all games.
func (rm *Room) mostSeats() int {
	most := 0
	for _, g := range rm.Games {
		_, n := g.Seats()
		most = max(most, n)
	}
	return most
}

func (rm *Room) levelOption() interact.Option {
	return interact.Typed("level").OneOf("computer.level", rm.Tables.Levels()...)
}
