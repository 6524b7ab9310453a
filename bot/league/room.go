// Package league handles the commands for leaderboards, profiles, users' years, seasons, and voided results.
package league

import (
	"github.com/bwmarrin/discordgo"

	"marque/bot/compete"
	"marque/bot/interact"
	"marque/bot/puzzles"
	"marque/bot/show"
	"marque/bot/standings"
	"marque/bot/table"
	"marque/render"
)

// Room handles the commands about results: leaderboards, profiles, years and seasons.
type Room struct {
	tables       *table.Service
	results      *standings.Service
	competitions *compete.Service
	games        show.Games
	find         *interact.Finder
	pictures     *render.Renderer
	days         *puzzles.Days
}

// New returns a Room that shows the results of these games.
func New(tables *table.Service, results *standings.Service, competitions *compete.Service, games show.Games,
	find *interact.Finder, pictures *render.Renderer, days *puzzles.Days) *Room {
	return &Room{tables, results, competitions, games, find, pictures, days}
}

const (
	actionLeaders show.Action = "leaders"

	actionRivals     show.Action = "rivals"
	actionRivalsPage show.Action = "rivals-page"
)

// The limits of the commands' options.
const (
	maxSeasonTitle = 60
	maxReason      = 200
	maxLeast       = 1000
)

// Commands returns the commands for leaderboards, profiles, users' years, seasons and results.
func (rm *Room) Commands() []interact.Command {
	everybody := func(*interact.Request) bool { return true }
	ended := func() interact.Option { return interact.Typed("ended").Required().Completed() }
	return []interact.Command{
		{
			Name: "leaderboard", Topic: interact.TopicLook,
			Options: []interact.Option{
				interact.GameOption(rm.games), interact.Typed("season").Completed(), interact.WithOption(),
				interact.ShareOption(),
			},
			Route: interact.Route{Handle: rm.leaderboard, Complete: rm.completeSeason, Public: interact.Shared,
				Work: interact.Painting},
			Actions: []interact.Action{
				{Name: actionLeaders, Route: interact.Route{Handle: rm.leadersPage, Updates: true,
					Work: interact.Painting}},
				{Name: show.ActionStandings, Route: interact.Route{Handle: rm.standings, Work: interact.Painting}},
			},
		},
		{
			Name: "profile", Topic: interact.TopicLook,
			Options: []interact.Option{interact.Somebody("player"),
				interact.GameOption(rm.games).Described("command.option.curve"),
				interact.ShareOption()},
			Route: interact.Route{Handle: rm.profile, Public: interact.Shared, Work: interact.Painting},
			Actions: []interact.Action{
				{Name: actionRivals, Route: interact.Route{Handle: rm.allRivals}},
				{Name: actionRivalsPage, Route: interact.Route{Handle: rm.rivalsPage, Updates: true}},
			},
		},
		{
			Name: "Profile", Topic: interact.TopicLook, Menu: discordgo.UserApplicationCommand,
			Route: interact.Route{Handle: rm.profile, Work: interact.Painting},
		},
		{
			Name: "me year", Topic: interact.TopicMe, Anywhere: true,
			Options: []interact.Option{interact.ShareOption()},
			Route:   interact.Route{Handle: rm.year, Public: interact.Shared, Work: interact.Painting},
		},
		{
			Name: "server season start", Topic: interact.TopicServer,
			Access:  interact.Managers,
			Options: []interact.Option{interact.Typed("title").UpTo(maxSeasonTitle)},
			Route:   interact.Route{Handle: rm.startSeason, Public: everybody},
		},
		{
			Name: "server season end", Topic: interact.TopicServer,
			Access: interact.Managers,
			Route:  interact.Route{Handle: rm.endSeason, Public: everybody},
		},
		{
			Name: "server ratings void", Topic: interact.TopicServer,
			Access:  interact.Managers,
			Options: []interact.Option{ended(), interact.Typed("reason").UpTo(maxReason)},
			Route:   interact.Route{Handle: rm.voidResult, Complete: rm.find.CompleteEnded},
		},
		{
			Name: "server ratings restore", Topic: interact.TopicServer,
			Access:  interact.Managers,
			Options: []interact.Option{ended()},
			Route:   interact.Route{Handle: rm.restoreResult, Complete: rm.find.CompleteEnded},
		},
		{
			Name: "server ratings few", Topic: interact.TopicServer,
			Access:  interact.Managers,
			Options: []interact.Option{interact.GameOption(rm.games)},
			Route:   interact.Route{Handle: rm.few},
		},
		{
			Name: "server ratings least", Topic: interact.TopicServer,
			Access:  interact.Managers,
			Options: []interact.Option{interact.Count("count").From(1).To(maxLeast).Required()},
			Route:   interact.Route{Handle: rm.setLeast},
		},
	}
}
