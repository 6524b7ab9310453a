// Package tournament lets people enter and view competitions, and posts the competitions' announcements.
package tournament

import (
	"cmp"
	"context"
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

// Room handles the commands of this package. It implements compete.Announcer.
type Room struct {
	Config

	mu   sync.Mutex
	sure map[compete.ID]struct{} // competitions for which this process has posted
	// the start of the process, or the last call of Doubt: another process may have posted what was due before
	begun time.Time
}

// Config holds the dependencies and settings of a Room.
type Config struct {
	Tables       *table.Service
	Competitions *compete.Service
	Games        show.Games
	Find         *interact.Finder
	Languages    *show.Languages
	Pictures     *render.Renderer
	Rest         rest.Client
	Session      *discordgo.Session // reads channels and members
	Publish      *publish.Room      // pings users, and finds earlier posts
	Log          *slog.Logger
}

// New returns a Room.
func New(c Config) *Room {
	return &Room{Config: c, sure: map[compete.ID]struct{}{}, begun: c.Tables.Lookup.Now()}
}

// The actions of this room's controls. The Arg of a control is the competition's number, except for actionFingerprint.
const (
	actionEnter      show.Action = "cup-enter"
	actionLeave      show.Action = "cup-leave"
	actionWithdraw   show.Action = "cup-withdraw" // confirms a withdrawal
	actionStart      show.Action = "cup-start"
	actionCancel     show.Action = "cup-cancel" // confirms calling the competition off
	actionStandings  show.Action = "cup-standings"
	actionPairings   show.Action = "cup-pairings"
	actionPage       show.Action = "cup-page"  // shows a page of the standings
	actionRound      show.Action = "cup-round" // shows a page of the pairings
	actionCross      show.Action = "cup-cross"
	actionCrossPage  show.Action = "cup-cross-page"
	actionChallenge  show.Action = "cup-challenge"
	actionChallenged show.Action = "cup-challenged" // chooses the opponent of a challenge
	actionAccept     show.Action = "cup-accept"     // Play is the number of the challenge, or 0 for an offer
	actionDecline    show.Action = "cup-decline"    // Play is the number of the challenge, or 0 for an offer
	actionUnask      show.Action = "cup-unask"      // Play is the entrant whose offer is withdrawn

	actionFingerprint show.Action = "cup-print"
	actionFigures     show.Action = "cup-figures" // opens a form for numbers of the setup; Page selects the form
	actionArrange     show.Action = "cup-arrange" // submits the form
)

// Limits of the numbers in a setup.
const (
	leastHours, mostHours = 1, 30 * 24 // hours until entry closes
	leastDays, mostDays   = 1, 60      // days for a game
	mostBreak             = 30         // days between rounds or seasons
	mostLapses            = 10
	mostStretch           = 60 // days by which absences can extend a deadline
	mostWeeks             = 26 // weeks of a season
	mostSeasons           = 100
	mostPromote           = 3
	mostReach             = 10
	mostAnswer            = 14 // days to answer a challenge
	mostDeclines          = 10
	mostRest              = 30 // days of rest after a loss
	mostAbsence           = 60 // days of an absence
	mostLadder            = 366
)

// family is a command with the kinds of competition that it manages.
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

// anyKind is the family of all kinds, for /record export and /moderate competition.
var anyKind = family{"competition", slices.Concat(tournaments.kinds, leagues.kinds, ladders.kinds)}

func (f family) has(n compete.Competition) bool { return slices.Contains(f.kinds, n.Rules.Setup.Kind) }

// most returns the maximum number of entrants over all kinds of the family.
func (f family) most() (most int) {
	for _, k := range f.kinds {
		most = max(most, k.Limit())
	}
	return most
}

// option returns the option that names a competition of the family.
func (f family) option() interact.Option { return interact.Typed(f.name).Completed() }

func familyOf(n compete.Competition) family {
	return families[slices.IndexFunc(families, func(f family) bool { return f.has(n) })]
}

// asked returns the family of the user's command. Controls do not need it, because they contain the competition's
// number.
func asked(r *interact.Request) family {
	name := strings.TrimPrefix(r.Command, "moderate create ")
	if i := slices.IndexFunc(families, func(f family) bool { return f.name == name }); i >= 0 || name == "" {
		return families[max(0, i)]
	}
	return anyKind
}

// Commands returns the commands for tournaments, leagues and ladders: one command for each family, and the commands of
// moderators.
func (rm *Room) Commands() []interact.Command {
	var list []interact.Command
	for _, f := range families {
		list = append(list, rm.family(f), rm.create(f))
	}
	on := func(name show.Action, h interact.Handler, updates bool, work interact.Work) interact.Action {
		return interact.Action{Name: name, Route: interact.Route{Handle: h, Updates: updates, Work: work}}
	}
	var none interact.Work
	list[0].Actions = []interact.Action{
		on(actionFingerprint, rm.fingerprint, false, none),
		on(actionEnter, rm.enter, false, none), on(actionLeave, rm.leave, false, none),
		on(actionWithdraw, rm.withdraw, true, none),
		on(actionStandings, rm.standings, false, interact.Painting),
		on(actionPage, rm.standingsPage, true, interact.Painting),
		on(actionPairings, rm.pairings, false, none), on(actionRound, rm.pairingsPage, true, none),
		on(actionCross, rm.crosstable, false, interact.Painting),
		on(actionCrossPage, rm.crosstablePage, true, interact.Painting),
		on(actionChallenge, rm.challenge, false, none), on(actionChallenged, rm.challenged, true, none),
		on(actionAccept, rm.accept, false, none), on(actionDecline, rm.decline, false, none),
		on(actionStart, rm.start, false, none),
	}
	which, who := anyKind.option().Described("bot.competition.which"), interact.Somebody("who").Required()
	run := func(name string, h interact.Handler, options ...interact.Option) interact.Command {
		return interact.Command{
			Name: "moderate competition " + name, Topic: interact.TopicServer, Access: interact.Moderators,
			Options: options, Route: interact.Route{Handle: h, Complete: rm.complete},
		}
	}
	substitute, cancel := run("substitute", rm.substitute, who, interact.Somebody("by"), which),
		run("cancel", rm.askCancel, which)
	settings := run("settings", rm.settings, which)
	settings.Actions = []interact.Action{
		on(actionFigures, rm.askFigures, true, none), on(actionArrange, rm.arrange, true, none),
	}
	substitute.Actions = []interact.Action{on(actionUnask, rm.unask, true, none)}
	cancel.Actions = []interact.Action{on(actionCancel, rm.cancel, true, none)}
	return append(list, settings, run("start", rm.start, which), run("remove", rm.remove, who, which), substitute,
		run("here", rm.here, anyKind.option().Described("bot.competition.which-here").Required()), cancel)
}

// family returns the command of a family. Without its option "do", the command shows the card. The values of "do"
// correspond to the buttons on cards and announcements.
func (rm *Room) family(f family) interact.Command {
	does := map[string]interact.Handler{
		"enter": rm.enter, "leave": rm.leave, "standings": rm.standings, "pairings": rm.pairings,
		"accept": rm.accept, "decline": rm.decline,
	}
	names := []string{"enter", "leave", "standings", "pairings", "accept", "decline"}
	said := map[string]string{} // labels of buttons whose action has another name
	also := func(name string, h interact.Handler) {
		names, does[name] = append(names, name), h
	}
	options, topic := []interact.Option{f.option()}, interact.TopicLeagues
	switch f.name {
	case tournaments.name:
		topic = interact.TopicCompete
		also("crosstable", rm.crosstable)
	case leagues.name:
		also("crosstable", rm.crosstable)
		options = append(options, interact.Count("division").From(1).To(float64(f.most()/competition.MinDivision)).
			Described("bot.competition.which-division"))
	case ladders.name:
		also("challenge", rm.challenge)
		said["enter"], said["pairings"] = "join", "challenges"
		options = append(options, interact.Somebody("who").Described("bot.competition.who-challenged"))
	}
	do := interact.Typed("do")
	for _, name := range names {
		do = do.Or("bot.competition.button."+cmp.Or(said[name], name), name)
	}
	looks := []string{"standings", "pairings", "crosstable"}
	share := interact.ShareOption().Described("bot.competition.share-option")
	return interact.Command{
		Name: f.name, Topic: topic,
		Options: append(append([]interact.Option{do}, options...), share),
		Route: interact.Route{
			Handle: func(ctx context.Context, r *interact.Request) (interact.Reply, error) {
				if h := does[r.Option("do")]; h != nil {
					return h(ctx, r)
				}
				return rm.show(ctx, r)
			},
			Complete: rm.complete, Work: interact.Painting,
			Public: func(r *interact.Request) bool {
				return interact.Shared(r) && slices.Contains(looks, r.Option("do"))
			},
		},
	}
}

// create returns the command that creates a competition. Its reply leads to the forms for further settings.
func (rm *Room) create(f family) interact.Command {
	options := []interact.Option{
		interact.Typed("name").UpTo(compete.MaxName).Required(), interact.GameOption(rm.Games).Required(),
	}
	if len(f.kinds) > 1 {
		var names []string
		for _, k := range f.kinds {
			names = append(names, string(k))
		}
		options = append(options, interact.Typed("kind").OneOf("bot.competition.kind", names...))
	}
	options = append(options, interact.Typed("variant").Completed(),
		interact.Typed("clock").Completed().Described("command.option.competition-clock"),
		interact.Count("starts-in").From(leastHours).To(mostHours),
		interact.Count("most").From(2).To(float64(f.most())),
		interact.Flag("rated").Described("bot.competition.rated-option"),
		interact.SomeRole("role").Described("bot.competition.role-option"))
	return interact.Command{
		Name: "moderate create " + f.name, Topic: interact.TopicServer, Access: interact.Moderators, Options: options,
		Route: interact.Route{Handle: rm.make, Complete: rm.complete},
	}
}
