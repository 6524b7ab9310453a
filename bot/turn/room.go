// Package turn handles the commands and buttons of players in a game: moves, plans, hints, undo, draws and other
// endings, and views of the board and of a player's hand.
package turn

import (
	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/predictions"
	"marque/bot/reviews"
	"marque/bot/show"
	"marque/bot/stepper"
	"marque/bot/table"
)

// Room answers the commands and controls of players in a game.
type Room struct {
	tables      *table.Service
	predictions *predictions.Service
	reviews     *reviews.Service
	games       show.Games
	find        *interact.Finder
	paint       *show.Painter
	stepper     *stepper.Stepper
	hints       interact.Runs
}

// New returns a Room with these dependencies.
func New(tables *table.Service, predictions *predictions.Service, reviews *reviews.Service, games show.Games,
	find *interact.Finder, paint *show.Painter) *Room {
	return &Room{tables: tables, predictions: predictions, reviews: reviews, games: games, find: find, paint: paint,
		stepper: stepper.New(paint)}
}

// The actions of this room's controls.
const (
	actionStep     show.Action = "step"
	actionPlay     show.Action = "do"
	actionAt       show.Action = "at"
	actionConfirm  show.Action = "confirm"
	actionPlan     show.Action = "plan"
	actionHintSure show.Action = "hint-sure"
)

// Commands returns the commands for players in a game.
func (rm *Room) Commands() []interact.Command {
	byTable := func(h interact.Handler) interact.Route {
		return interact.Route{Handle: h, Complete: rm.find.CompleteTable}
	}
	painted := func(h interact.Handler) interact.Route {
		return interact.Route{Handle: h, Complete: rm.find.CompleteTable, Work: interact.Painting}
	}
	list := []interact.Command{
		{
			Name: "move", Topic: interact.TopicTurn, Anywhere: true,
			Options: []interact.Option{interact.Typed("move").Required().Completed().UpTo(interact.MaxTyped),
				interact.TableOption()},
			Route: interact.Route{Handle: rm.move, Complete: rm.completeMove},
			Actions: []interact.Action{
				{Name: show.ActionMove, Route: interact.Route{Handle: rm.openStepper, Holds: true, Work: interact.Painting}},
				{Name: actionStep, Route: interact.Route{Handle: rm.step, Updates: true, Work: interact.Painting}},
				{Name: actionPlay, Route: interact.Route{Handle: rm.playStepped, Updates: true,
					Work: interact.Painting}},
			},
		},
		{
			Name: "board", Topic: interact.TopicLook, Anywhere: true,
			Options: []interact.Option{
				interact.TableOption(), interact.Count("at").From(0), interact.Flag("text"), interact.ShareOption(),
			},
			Route: interact.Route{Handle: rm.board, Complete: rm.find.CompleteTable, Public: interact.Shared,
				Work: interact.Painting},
			Actions: []interact.Action{
				{Name: show.ActionMore, Route: interact.Route{Handle: rm.more, Holds: true}},
				{Name: show.ActionOpen, Route: interact.Route{Handle: rm.board, Work: interact.Painting}},
				{Name: show.ActionText, Route: interact.Route{Handle: rm.textBoard}},
				{Name: show.ActionNews, Route: interact.Route{Handle: rm.whatHappened}},
				{Name: actionAt, Route: interact.Route{Handle: rm.stepBoard, Updates: true, Work: interact.Painting}},
				{Name: show.ActionKey, Route: interact.Route{Handle: rm.key, Work: interact.Painting}},
			},
		},
		{
			Name: "Show this position", Topic: interact.TopicLook, Menu: discordgo.MessageApplicationCommand,
			Anywhere: true,
			Route:    interact.Route{Handle: rm.showPosition, Work: interact.Painting},
		},
		{
			Name: "table hand", Topic: interact.TopicTurn, Anywhere: true,
			Options: []interact.Option{interact.TableOption()},
			Route:   painted(rm.hand),
			// The click's token is kept, because a player who moves from the hand has not pressed Move under the board.
			Actions: []interact.Action{{Name: show.ActionHand, Route: interact.Route{Handle: rm.hand, Holds: true,
				Work: interact.Painting}}},
		},
		{
			Name: "table undo", Topic: interact.TopicTurn, Anywhere: true,
			Options: []interact.Option{interact.TableOption()},
			Route:   byTable(rm.undo),
			Actions: []interact.Action{{Name: show.ActionUndo, Route: interact.Route{Handle: rm.undo, Updates: true,
				Beside: true, Holds: true}}},
		},
		{
			Name: "table plan", Topic: interact.TopicTurn, Anywhere: true,
			Options: []interact.Option{interact.Typed("line").UpTo(interact.MaxTyped), interact.TableOption()},
			Route:   painted(rm.plan),
			Actions: []interact.Action{
				{Name: actionPlan, Route: interact.Route{Handle: rm.leavePlan, Updates: true}},
				{Name: show.ActionDropPlans, Route: interact.Route{Handle: rm.dropPlans, Updates: true}},
			},
		},
		{
			Name: "table draw", Topic: interact.TopicTurn, Anywhere: true,
			Options: []interact.Option{interact.TableOption()},
			Route:   byTable(rm.draw),
			Actions: []interact.Action{
				{Name: show.ActionAgree, Route: interact.Route{Handle: rm.agree}},
				{Name: show.ActionDecline, Route: interact.Route{Handle: rm.decline}},
			},
		},
		{
			Name: "table resign", Topic: interact.TopicTurn, Anywhere: true,
			Options: []interact.Option{interact.TableOption()},
			Route:   byTable(rm.resign),
			Actions: []interact.Action{{Name: actionConfirm, Route: interact.Route{Handle: rm.confirmed,
				Updates: true}}},
		},
		{Name: "table abandon", Topic: interact.TopicSeats, Anywhere: true, Options: []interact.Option{interact.TableOption()}, Route: byTable(rm.abandon)},
	}
	if len(rm.tables.Levels()) > 0 {
		hint := byTable(rm.hint)
		hint.Work = interact.Thinking
		list = append(list, interact.Command{
			Name: "hint", Topic: interact.TopicTurn, Anywhere: true,
			Options: []interact.Option{interact.TableOption()}, Route: hint,
			Actions: []interact.Action{
				{Name: show.ActionHint, Route: interact.Route{Handle: rm.hint, Work: interact.Thinking}},
				{Name: actionHintSure, Route: interact.Route{Handle: rm.hintAnyway, Updates: true,
					Work: interact.Thinking}},
			},
		})
	}
	return list
}
