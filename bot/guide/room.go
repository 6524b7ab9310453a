// Package guide helps users find their way: the rules of the games, the tables of a server, and help.
package guide

import (
	"log/slog"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
)

// Room answers the commands for the rules, lists of tables, and help.
type Room struct {
	tables *table.Service
	games  show.Games
	find   *interact.Finder
	paint  *show.Painter
	log    *slog.Logger // receives users' fault reports
}

// New returns a Room for the rules of these games and for these tables.
func New(tables *table.Service, games show.Games, find *interact.Finder, paint *show.Painter, log *slog.Logger) *Room {
	return &Room{tables, games, find, paint, log}
}

// Actions of the controls that this package handles.
const (
	actionHelp  show.Action = "help"
	actionFault show.Action = "fault"
)

// Commands returns the commands for the rules, the tables of a server, and help.
func (rm *Room) Commands() []interact.Command {
	return []interact.Command{
		{
			Name: "games", Topic: interact.TopicLook, Anywhere: true,
			Options: []interact.Option{interact.Flag("mine"), interact.Flag("open")},
			Route:   interact.Route{Handle: rm.listGames},
			Actions: []interact.Action{{Name: show.ActionGames, Route: interact.Route{Handle: rm.gamesPage,
				Updates: true, Beside: true}}},
		},
		{
			Name: "rules", Topic: interact.TopicPlay, Anywhere: true,
			Options: []interact.Option{interact.GameOption(rm.games), interact.Typed("section").Completed()},
			Route:   interact.Route{Handle: rm.rules, Complete: rm.completeSection, Work: interact.Painting},
			Actions: []interact.Action{{Name: show.ActionRules, Route: interact.Route{Handle: rm.rulesChapter,
				Updates: true, Beside: true, Work: interact.Painting}}},
		},
		{
			Name: "Report a fault", Topic: interact.TopicLook, Menu: discordgo.MessageApplicationCommand,
			Anywhere: true,
			Route:    interact.Route{Handle: rm.askFault},
			Actions:  []interact.Action{{Name: actionFault, Route: interact.Route{Handle: rm.reportFault}}},
		},
		{
			Name: "help", Topic: interact.TopicLook, Anywhere: true,
			Route:   interact.Route{Handle: rm.help},
			Actions: []interact.Action{{Name: actionHelp, Route: interact.Route{Handle: rm.helpPage, Updates: true}}},
		},
	}
}
