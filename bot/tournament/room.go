// Package tournament is where people enter competitions and see how they stand, and where the bot tells of them.
package tournament

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/compete"
	"marque/bot/interact"
	"marque/bot/publish"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/competition"
	"marque/render"
)

// Room answers the commands of this package, and is the competitions' Announcer.
type Room struct {
	Config

	mu   sync.Mutex
	sure map[compete.ID]struct{} // whose last post this process knows
	// since when this process posts
	begun time.Time
}

// Config has the parts and settings of a Room.
type Config struct {
	Tables       *table.Service
	Competitions *compete.Service
	Games        show.Games
	Find         *interact.Finder
	Languages    *show.Languages
	Pictures     *render.Renderer
	Rest         rest.Client
	Session      *discordgo.Session // opens threads
	Publish      *publish.Room      // finds what was posted before
	Log          *slog.Logger
}

// New makes a Room.
func New(c Config) *Room {
	return &Room{Config: c, sure: map[compete.ID]struct{}{}, begun: c.Tables.Lookup.Now()}
}

// The actions of this room's controls. Their Arg is the competition's number.
const (
	actionEnter      show.Action = "cup-enter"
	actionLeave      show.Action = "cup-leave"
	actionWithdraw   show.Action = "cup-withdraw" // whoever was asked whether they want to
	actionStart      show.Action = "cup-start"
	actionCancel     show.Action = "cup-cancel" // likewise
	actionStandings  show.Action = "cup-standings"
	actionPairings   show.Action = "cup-pairings"
	actionPage       show.Action = "cup-page"  // of the standings
	actionRound      show.Action = "cup-round" // of the pairings
	actionCross      show.Action = "cup-cross"
	actionCrossPage  show.Action = "cup-cross-page"
	actionCard       show.Action = "cup"
	actionChallenge  show.Action = "cup-challenge"
	actionChallenged show.Action = "cup-challenged" // the chosen opponent
	actionAccept     show.Action = "cup-accept"     // its Play is the challenge's number; 0 for an offer to take over
	actionDecline    show.Action = "cup-decline"    // likewise
	actionUnask      show.Action = "cup-unask"      // its Play is the entrant for whom somebody is asked to take over

	actionFingerprint show.Action = "cup-print"
)

// Bounds of the options that are numbers.
const (
	leastHours, mostHours = 1, 30 * 24 // until entry closes
	leastDays, mostDays   = 1, 60      // for a game
	mostBreak             = 30         // days between rounds, or seasons
	mostLapses            = 10
	mostStretch           = 60 // days by which absences put a deadline off
	mostWeeks             = 26 // of a season
	mostSeasons           = 100
	mostPromote           = 3
	mostReach             = 10
	mostAnswer            = 14 // days
	mostDeclines          = 10
	mostRest              = 30 // days
	mostAbsence           = 60 // days
	mostLadder            = 366
)

// family is a command, with the kinds of competition that it is about.
type family struct {
	name  string
	kinds []competition.Kind
}

var (
	tournaments = family{"tournament", []competition.Kind{
		competition.RoundRobin, competition.Swiss, competition.KnockOut, competition.Pods,
	}}
	leagues  = family{"league", []competition.Kind{competition.League}}
	ladders  = family{"ladder", []competition.Kind{competition.Ladder}}
	families = []family{tournaments, leagues, ladders}
)

// exported is the choice of /record export: a competition of any family.
var exported = family{"competition", slices.Concat(tournaments.kinds, leagues.kinds, ladders.kinds)}

func (f family) has(n compete.Competition) bool { return slices.Contains(f.kinds, n.Rules.Setup.Kind) }

// most is how many may enter a competition of the largest kind.
func (f family) most() (most int) {
	for _, k := range f.kinds {
		most = max(most, k.Limit())
	}
	return most
}

// option names one of them.
func (f family) option() interact.Option { return interact.Typed(f.name).Completed() }

// familyOf is the one of a competition.
func familyOf(n compete.Competition) family {
	return families[slices.IndexFunc(families, func(f family) bool { return f.has(n) })]
}

// asked is the family whose command was given. A control names its competition itself.
func asked(r *interact.Request) family {
	name, _, _ := strings.Cut(r.Command, " ")
	if name == "record" {
		return exported
	}
	i := slices.IndexFunc(families, func(f family) bool { return f.name == name })
	return families[max(0, i)]
}

// Commands are about tournaments, leagues and ladders.
func (rm *Room) Commands() []interact.Command {
	var list []interact.Command
	for _, f := range families {
		topic := interact.TopicLeagues
		if f.name == tournaments.name {
			topic = interact.TopicCompete
		}
		list = append(list, interact.On(topic, append([]interact.Command{rm.create(f)}, rm.common(f)...)...)...)
	}
	route := func(h interact.Handler) interact.Route { return interact.Route{Handle: h, Complete: rm.complete} }
	return append(list, interact.On(interact.TopicLeagues,
		interact.Command{
			Name: "ladder challenge", Options: []interact.Option{
				interact.Somebody("who").Described("bot.cup.who-challenged"), ladders.option(),
			},
			Route: route(rm.challenge),
			Actions: []interact.Action{
				{Name: actionChallenge, Route: interact.Route{Handle: rm.challenge}},
				{Name: actionChallenged, Route: interact.Route{Handle: rm.challenged, Updates: true}},
			},
		},
	)...)
}

// create is the command that makes one.
func (rm *Room) create(f family) interact.Command {
	options := []interact.Option{
		interact.Typed("name").UpTo(compete.MaxName).Required(), interact.GameOption(rm.Games).Required(),
	}
	if len(f.kinds) > 1 {
		var names []string
		for _, k := range f.kinds {
			names = append(names, string(k))
		}
		options = append(options, interact.Typed("kind").OneOf("bot.cup.kind", names...))
	}
	options = append(options, interact.Typed("variant").Completed(), interact.Typed("clock").Completed(),
		interact.Count("starts-in").From(leastHours).To(mostHours),
		interact.Count("most").From(2).To(float64(f.most())))
	switch f.name {
	case tournaments.name:
		options = append(options, interact.Count("game-days").From(leastDays).To(mostDays),
			interact.Count("rounds").From(1).To(competition.MaxRounds),
			interact.Count("late-until").From(1).To(competition.MaxRounds),
			interact.Count("table-seats").From(3).To(5), interact.Count("break-days").From(0).To(mostBreak))
	case leagues.name:
		options = append(options, interact.Count("weeks").From(1).To(mostWeeks),
			interact.Count("division").From(competition.MinDivision).To(competition.MaxDivision),
			interact.Count("promote").From(0).To(mostPromote),
			interact.Count("at-once").From(1).To(competition.MaxDivision-1),
			interact.Count("seasons").From(1).To(mostSeasons),
			interact.Count("break-days").From(1).To(mostBreak).Described("bot.cup.break-seasons"))
	case ladders.name:
		options = append(options, interact.Count("reach").From(1).To(mostReach),
			interact.Count("answer-days").From(1).To(mostAnswer),
			interact.Count("game-days").From(leastDays).To(mostDays),
			interact.Count("declines").From(0).To(mostDeclines), interact.Count("rest-days").From(0).To(mostRest),
			interact.Count("absence-days").From(0).To(mostAbsence),
			interact.Count("ladder-days").From(1).To(mostLadder))
	}
	options = append(options, interact.Count("lapses").From(0).To(mostLapses),
		interact.Count("stretch-days").From(0).To(mostStretch),
		interact.Flag("rated"), interact.SomeRole("role").Described("bot.cup.role-option"))
	return interact.Command{
		Name: f.name + " create", Options: options, Route: interact.Route{Handle: rm.make, Complete: rm.complete},
	}
}

// common are the commands that all families have; the controls come with the first.
func (rm *Room) common(f family) []interact.Command {
	which := f.option()
	route := func(h interact.Handler) interact.Route { return interact.Route{Handle: h, Complete: rm.complete} }
	shared := func(h interact.Handler, work interact.Work) interact.Route {
		return interact.Route{Handle: h, Complete: rm.complete, Public: interact.Shared, Work: work}
	}
	do := func(name string, r interact.Route, options []interact.Option, actions ...interact.Action) interact.Command {
		c := interact.Command{Name: f.name + " " + name, Options: options, Route: r}
		if f.name == tournaments.name {
			c.Actions = actions
		}
		return c
	}
	on := func(name show.Action, h interact.Handler, updates bool, work interact.Work) interact.Action {
		return interact.Action{Name: name, Route: interact.Route{Handle: h, Updates: updates, Work: work}}
	}
	one := []interact.Option{which}
	look := []interact.Option{which, interact.ShareOption()}
	if f.name == leagues.name {
		look = []interact.Option{which, interact.Count("division").From(1).To(
			float64(f.most() / competition.MinDivision)).
			Described("bot.cup.which-division"), interact.ShareOption()}
	}
	var none interact.Work
	list := []interact.Command{
		do("show", route(rm.show), one, on(actionCard, rm.show, false, none),
			on(actionFingerprint, rm.fingerprint, false, none)),
		do("enter", route(rm.enter), one, on(actionEnter, rm.enter, false, none)),
		do("leave", route(rm.leave), one, on(actionLeave, rm.leave, false, none),
			on(actionWithdraw, rm.withdraw, true, none)),
		do("standings", shared(rm.standings, interact.Painting), look,
			on(actionStandings, rm.standings, false, interact.Painting),
			on(actionPage, rm.standingsPage, true, interact.Painting)),
		do("pairings", shared(rm.pairings, none), look, on(actionPairings, rm.pairings, false, none),
			on(actionRound, rm.pairingsPage, true, none)),
		do("start", route(rm.start), one, on(actionStart, rm.start, false, none)),
		do("remove", route(rm.remove), []interact.Option{interact.Somebody("who").Required(), which}),
		do("substitute", route(rm.substitute), []interact.Option{
			interact.Somebody("who").Required(), interact.Somebody("by"), which,
		}, on(actionUnask, rm.unask, true, none)),
		do("accept", route(rm.accept), one, on(actionAccept, rm.accept, false, none)),
		do("decline", route(rm.decline), one, on(actionDecline, rm.decline, false, none)),
		do("here", route(rm.here), []interact.Option{which.Required()}),
		do("cancel", route(rm.askCancel), one, on(actionCancel, rm.cancel, true, none)),
	}
	if f.name != ladders.name {
		list = append(list, do("crosstable", shared(rm.crosstable, interact.Painting), look,
			on(actionCross, rm.crosstable, false, interact.Painting),
			on(actionCrossPage, rm.crosstablePage, true, interact.Painting)))
	}
	return list
}
