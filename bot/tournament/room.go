// Package tournament is where people enter competitions and see how they stand, and where the bot tells of them.
package tournament

import (
	"log/slog"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/publish"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/competition"
	"marque/render"
)

// Room answers the commands of this package, and is the competitions' table.Herald.
type Room struct {
	Config

	mu   sync.Mutex
	sure map[table.CompetitionID]struct{} // of which this process knows what was posted last
	// since when this process posts
	begun time.Time
}

// Config is what a Room needs.
type Config struct {
	Tables    *table.Service
	Games     show.Games
	Find      *interact.Finder
	Languages *show.Languages
	Pictures  *render.Renderer
	Rest      rest.Client
	Session   *discordgo.Session // opens threads
	Publish   *publish.Room      // finds what was posted before
	Log       *slog.Logger
}

// New makes a Room.
func New(c Config) *Room {
	return &Room{Config: c, sure: map[table.CompetitionID]struct{}{}, begun: c.Tables.Lookup.Now()}
}

// The actions of this room's controls. Their Arg is the competition's number.
const (
	actionEnter     show.Action = "cup-enter"
	actionLeave     show.Action = "cup-leave"
	actionWithdraw  show.Action = "cup-withdraw" // whoever was asked whether they want to
	actionStart     show.Action = "cup-start"
	actionCancel    show.Action = "cup-cancel" // likewise
	actionStandings show.Action = "cup-standings"
	actionPairings  show.Action = "cup-pairings"
	actionPage      show.Action = "cup-page"  // of the standings
	actionRound     show.Action = "cup-round" // of the pairings
	actionCard      show.Action = "cup"
)

// Bounds of the options that are numbers.
const (
	leastHours, mostHours = 1, 30 * 24 // until entry closes
	leastDays, mostDays   = 1, 60      // for a game
	mostBreak             = 7          // days between rounds
	mostLapses            = 10
)

// kinds are those that can be played.
var kinds = []competition.Kind{competition.RoundRobin, competition.Swiss, competition.KnockOut, competition.Pods}

// mostEntrants is how many may enter a tournament of the largest kind.
func mostEntrants() (most int) {
	for _, k := range kinds {
		most = max(most, k.Limit())
	}
	return most
}

// Commands are about tournaments.
func (rm *Room) Commands() []interact.Command {
	which := func() interact.Option { return interact.Typed("tournament").Completed() }
	route := func(h interact.Handler) interact.Route { return interact.Route{Handle: h, Complete: rm.complete} }
	painted := func(h interact.Handler) interact.Route {
		return interact.Route{Handle: h, Complete: rm.complete, Public: interact.Shared, Work: interact.Painting}
	}
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return []interact.Command{
		{
			Name: "tournament create",
			Options: []interact.Option{
				interact.Typed("name").UpTo(table.MaxCompetitionName).Required(),
				interact.GameOption(rm.Games).Required(),
				interact.Typed("kind").OneOf("bot.cup.kind", names...),
				interact.Count("starts-in").From(leastHours).To(mostHours),
				interact.Count("most").From(2).To(float64(mostEntrants())),
				interact.Typed("clock").Completed(), interact.Count("game-days").From(leastDays).To(mostDays),
				interact.Count("rounds").From(1).To(competition.MaxRounds),
				interact.Count("late-until").From(1).To(competition.MaxRounds),
				interact.Count("table-seats").From(3).To(5), interact.Count("break-days").From(0).To(mostBreak),
				interact.Count("lapses").From(0).To(mostLapses),
				interact.Flag("rated"), interact.SomeRole("role").Described("bot.cup.role-option"),
			},
			Route: route(rm.create),
		},
		{
			Name: "tournament show", Options: []interact.Option{which()},
			Route:   route(rm.show),
			Actions: []interact.Action{{Name: actionCard, Route: interact.Route{Handle: rm.show}}},
		},
		{
			Name: "tournament enter", Options: []interact.Option{which()},
			Route:   route(rm.enter),
			Actions: []interact.Action{{Name: actionEnter, Route: interact.Route{Handle: rm.enter}}},
		},
		{
			Name: "tournament leave", Options: []interact.Option{which()},
			Route: route(rm.leave),
			Actions: []interact.Action{
				{Name: actionLeave, Route: interact.Route{Handle: rm.leave}},
				{Name: actionWithdraw, Route: interact.Route{Handle: rm.withdraw, Updates: true}},
			},
		},
		{
			Name: "tournament standings", Options: []interact.Option{which(), interact.ShareOption()},
			Route: painted(rm.standings),
			Actions: []interact.Action{
				{Name: actionStandings, Route: interact.Route{Handle: rm.standings, Work: interact.Painting}},
				{Name: actionPage, Route: interact.Route{Handle: rm.standingsPage, Updates: true,
					Work: interact.Painting}},
			},
		},
		{
			Name: "tournament pairings", Options: []interact.Option{which(), interact.ShareOption()},
			Route: interact.Route{Handle: rm.pairings, Complete: rm.complete, Public: interact.Shared},
			Actions: []interact.Action{
				{Name: actionPairings, Route: interact.Route{Handle: rm.pairings}},
				{Name: actionRound, Route: interact.Route{Handle: rm.pairingsPage, Updates: true}},
			},
		},
		{
			Name: "tournament start", Options: []interact.Option{which()},
			Route:   route(rm.start),
			Actions: []interact.Action{{Name: actionStart, Route: interact.Route{Handle: rm.start}}},
		},
		{Name: "tournament remove", Options: []interact.Option{interact.Somebody("who").Required(), which()}, Route: route(rm.remove)},
		{Name: "tournament here", Options: []interact.Option{interact.Typed("tournament").Completed().Required()}, Route: route(rm.here)},
		{
			Name: "tournament cancel", Options: []interact.Option{which()},
			Route:   route(rm.askCancel),
			Actions: []interact.Action{{Name: actionCancel, Route: interact.Route{Handle: rm.cancel, Updates: true}}},
		},
	}
}
