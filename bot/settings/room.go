// Package settings has the commands for the settings of servers, the preferences, absences and privacy of users, and
// the actions of moderators.
package settings

import (
	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/matchmaking"
	"marque/bot/privacy"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/webhook"
	"marque/games/text/locale"
)

// Room answers the commands of this package.
type Room struct {
	tables      *table.Service
	stored      *privacy.Service
	matchmaking *matchmaking.Service
	webhooks    *webhook.Service
	find        *interact.Finder
	session     *discordgo.Session // lists the channels and roles of a server
	sentences   *locale.Catalogue
}

// New returns a Room.
func New(tables *table.Service, stored *privacy.Service, matchmaking *matchmaking.Service, webhooks *webhook.Service,
	find *interact.Finder,
	session *discordgo.Session, sentences *locale.Catalogue) *Room {
	return &Room{tables, stored, matchmaking, webhooks, find, session, sentences}
}

// Actions of the controls that this package handles.
const (
	actionSettings    show.Action = "settings"
	actionPreferences show.Action = "preferences"
	actionPrivacy     show.Action = "privacy"
	actionWebhook     show.Action = "webhook"
)

// Limits of the options that are numbers.
const (
	maxDays        = 365
	leastIdle      = 4
	maxUndoTime    = 86400 // seconds
	maxThreadHours = 7 * 24
)

// Commands returns the commands of this package.
func (rm *Room) Commands() []interact.Command {
	zone := func() interact.Option { return interact.Typed("zone").Completed() }
	atTable := func(name string, topic interact.Topic, who interact.Access, h interact.Handler,
		options ...interact.Option) interact.Command {
		return interact.Command{Name: name, Topic: topic, Access: who, Options: options,
			Route: interact.Route{Handle: h, Complete: rm.find.CompleteTable}}
	}
	who := func() interact.Option { return interact.Somebody("who").Required() }
	numbered := []interact.Option{zone()}
	for _, l := range limits {
		numbered = append(numbered, interact.Count(l.option).From(l.least).To(l.most))
	}
	return []interact.Command{
		{
			Name: "me away", Topic: interact.TopicMe, Options: []interact.Option{interact.Typed("until")},
			Route: interact.Route{Handle: rm.away},
		},
		{
			Name: "me preferences", Topic: interact.TopicMe, Anywhere: true,
			Options: []interact.Option{zone()},
			Route:   interact.Route{Handle: rm.prefer, Complete: completeZone},
			Actions: []interact.Action{
				{Name: actionPreferences, Route: interact.Route{Handle: rm.preferred, Updates: true}},
				{Name: actionWebhook, Route: interact.Route{Handle: rm.webhook, Updates: true}},
			},
		},
		{
			Name: "me privacy", Topic: interact.TopicMe, Anywhere: true,
			Route: interact.Route{Handle: rm.privacy},
			Actions: []interact.Action{{Name: actionPrivacy, Route: interact.Route{Handle: rm.private,
				Work: interact.Fetching}}},
		},
		{
			Name: "server settings", Topic: interact.TopicServer,
			Access:  interact.Managers,
			Options: numbered,
			Route:   interact.Route{Handle: rm.configure, Complete: completeZone},
			Actions: []interact.Action{{Name: actionSettings, Route: interact.Route{Handle: rm.configured,
				Updates: true}}},
		},
		atTable("table host", interact.TopicSeats, interact.Everybody, rm.handOver,
			who().Described("command.option.new-host"), interact.TableOption()),
		atTable("table here", interact.TopicSeats, interact.Everybody, rm.bringHere,
			interact.TableOption().Described("command.option.moved-table").Required()),
		atTable("moderate remove", interact.TopicServer, interact.Moderators, rm.remove, who(), interact.TableOption()),
		atTable("moderate pause", interact.TopicServer, interact.Moderators, rm.pause, interact.TableOption()),
		atTable("moderate resume", interact.TopicServer, interact.Moderators, rm.resume, interact.TableOption()),
		atTable("moderate end", interact.TopicServer, interact.Moderators, rm.end, interact.TableOption()),
	}
}
