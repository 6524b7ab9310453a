// Package archive shows past games: replays, reviews, records and their verification, and the history of a server.
package archive

import (
	"log/slog"
	"runtime"

	"marque/bot/interact"
	"marque/bot/reviews"
	"marque/bot/show"
	"marque/bot/standings"
	"marque/bot/table"
	"marque/bot/turn"
	"marque/render"
)

// Room handles the commands about past games.
type Room struct {
	Config
	// painters limits the number of replays that are painted in parallel, so that other tables get enough processor
	// time for their boards and moves.
	painters chan struct{}
	runs     interact.Runs // replays in progress
}

// Config holds the dependencies and settings of a Room.
type Config struct {
	Tables    *table.Service
	Standings *standings.Service
	Reviews   *reviews.Service
	Games     show.Games
	Find      *interact.Finder
	Paint     *show.Painter
	Pictures  *render.Renderer // paints replays, cards and graphs
	Turn      *turn.Room       // shows a board with arrows to the next board
	Log       *slog.Logger
	// Competition replies to /record export for a competition, and CompleteCompetition suggests competitions.
	Competition         interact.Handler
	CompleteCompetition interact.Completer
}

// New returns a Room.
func New(c Config) *Room {
	return &Room{Config: c, painters: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
}

// everybody makes a reply public, for a control that posts something.
func everybody(*interact.Request) bool { return true }

// The actions of this room's controls.
const (
	actionPost    show.Action = "post"
	actionMoves   show.Action = "moves-of"
	actionMove    show.Action = "move-of"
	actionPoints  show.Action = "points"
	actionReview  show.Action = "review"
	actionHistory show.Action = "history"
)

// maxPlayNumber is the maximum value of options that give the number of a turn.
const maxPlayNumber = 100_000

// Commands returns the commands about past games.
func (rm *Room) Commands() []interact.Command {
	list := []interact.Command{
		{
			Name: "record replay", Topic: interact.TopicLook, Anywhere: true,
			Options: []interact.Option{
				interact.TableOption(), interact.Count("from").From(0).To(maxPlayNumber),
				interact.Count("to").From(0).To(maxPlayNumber),
				interact.ShareOption(),
			},
			Route: interact.Route{Handle: rm.replay, Complete: rm.Find.CompleteAnyTable, Public: interact.Shared,
				Work: interact.Animation},
			Actions: []interact.Action{
				{Name: show.ActionReplay, Route: interact.Route{Handle: rm.replay, Work: interact.Animation}},
				{Name: show.ActionWalk, Route: interact.Route{Handle: rm.walk, Work: interact.Painting}},
			},
		},
		{
			Name: "record export", Topic: interact.TopicLook, Anywhere: true,
			Options: []interact.Option{interact.TableOption(), interact.Typed("competition").Completed()},
			Route:   interact.Route{Handle: rm.export, Complete: rm.completeExport, Work: interact.Animation},
		},
		{
			Name: "record verify", Topic: interact.TopicLook, Anywhere: true,
			Options: []interact.Option{interact.TableOption(), interact.ShareOption()},
			Route:   interact.Route{Handle: rm.verify, Complete: rm.Find.CompleteEnded, Public: interact.Shared},
		},
		{
			Name: "record history", Topic: interact.TopicLook, Anywhere: true,
			Options: []interact.Option{
				interact.GameOption(rm.Games), interact.Somebody("player").Described("command.option.who.description"),
				interact.Somebody("against"),
				interact.Typed("outcome").OneOf("command.option.outcome", outcomeWon, outcomeLost, outcomeDrawn),
				interact.WithOption(), interact.ShareOption(),
			},
			Route: interact.Route{Handle: rm.history, Public: interact.Shared},
			Actions: []interact.Action{{Name: actionHistory, Route: interact.Route{Handle: rm.historyPage,
				Updates: true}}},
		},
		{
			Name: "record stats", Topic: interact.TopicLook,
			Options: []interact.Option{interact.ShareOption()},
			Route:   interact.Route{Handle: rm.stats, Public: interact.Shared},
		},
	}
	if len(rm.Tables.Levels()) > 0 {
		list = append(list, interact.Command{
			Name: "record review", Topic: interact.TopicLook, Anywhere: true,
			Options: []interact.Option{interact.TableOption()},
			Route:   interact.Route{Handle: rm.review, Complete: rm.Find.CompleteEnded, Work: interact.Reviewing},
			Actions: []interact.Action{
				{Name: actionReview, Route: interact.Route{Handle: rm.reviewPage, Updates: true,
					Work: interact.Reviewing}},
				{Name: actionPoints, Route: interact.Route{Handle: rm.review, Work: interact.Reviewing}},
			},
		}, interact.Command{
			Name: "record report", Topic: interact.TopicLook, Anywhere: true,
			Options: []interact.Option{interact.TableOption(), interact.ShareOption()},
			Route: interact.Route{Handle: rm.report, Complete: rm.Find.CompleteEnded, Public: interact.Shared,
				Work: interact.Reviewing},
			Actions: []interact.Action{
				{Name: show.ActionReport, Route: interact.Route{Handle: rm.report, Work: interact.Reviewing}},
				{Name: actionMoves, Route: interact.Route{Handle: rm.moves, Work: interact.Reviewing}},
				{Name: actionMove, Route: interact.Route{Handle: rm.movesPage, Updates: true,
					Work: interact.Reviewing}},
			},
		}, interact.Command{
			Name: "record card", Topic: interact.TopicLook, Anywhere: true,
			Options: []interact.Option{interact.TableOption(), interact.ShareOption()},
			Route: interact.Route{Handle: rm.card, Complete: rm.Find.CompleteEnded, Public: interact.Shared,
				Work: interact.Reviewing},
			Actions: []interact.Action{
				{Name: show.ActionShare, Route: interact.Route{Handle: rm.card, Work: interact.Reviewing}},
				{Name: actionPost, Route: interact.Route{Handle: rm.card, Public: everybody,
					Work: interact.Reviewing}},
			},
		})
	}
	return list
}
