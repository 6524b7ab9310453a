// Package seek lets users look for a game. A message in a channel lists the open seeks of a server.
package seek

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/lobby"
	"marque/bot/matchmaking"
	"marque/bot/publish"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
)

// Config has the dependencies and settings of a Room.
type Config struct {
	Tables      *table.Service
	Matchmaking *matchmaking.Service
	Games       show.Games
	Find        *interact.Finder
	Languages   *show.Languages
	Rest        rest.Client
	Lobby       *lobby.Room
	Publish     *publish.Room // calls the users of pairings
	Private     *rest.Ephemerals
	Log         *slog.Logger
}

// Room answers /seek and its controls, and updates the messages with the servers' open seeks.
type Room struct {
	Config
	steps atomic.Uint64 // orders private messages to waiting users and the events that make them outdated
}

// New returns a Room. It opens no table and posts no list before Keep.
func New(c Config) *Room { return &Room{Config: c} }

// Actions of the controls that this package handles.
const (
	actionChoose show.Action = "seek-choose"
	actionPage   show.Action = "seek-page"
	actionLook   show.Action = "seek-look"
	actionStop   show.Action = "seek-stop"
	actionAnswer show.Action = "seek-answer"
	actionCall   show.Action = "seek-call"
)

// anything is the value for no preference.
const anything = "any"

// Commands returns the commands for users who look for a game.
func (rm *Room) Commands() []interact.Command {
	options := []interact.Option{interact.GameOption(rm.Games), interact.Typed("speed").OneOf("bot.seek.speed",
		speeds...)}
	options = append(options, lobby.ConditionOptions()...)
	options = append(options, interact.SomeRole("role"),
		interact.Count("hours").From(1).To(matchmaking.MaxSeekTime.Hours()))
	if len(rm.Tables.Levels()) > 0 {
		options = append(options, interact.Flag("computer"))
	}
	return []interact.Command{{
		Name: "seek", Topic: interact.TopicPlay,
		Options: options,
		Route:   interact.Route{Handle: rm.seek, Complete: lobby.CompleteRatings},
		Actions: []interact.Action{
			{Name: show.ActionSeek, Route: interact.Route{Handle: rm.form}},
			{Name: actionChoose, Route: interact.Route{Handle: rm.choose, Updates: true}},
			{Name: actionPage, Route: interact.Route{Handle: rm.turn, Updates: true}},
			{Name: actionLook, Route: interact.Route{Handle: rm.look, Updates: true}},
			{Name: actionStop, Route: interact.Route{Handle: rm.stop, Updates: true, Beside: true}},
			{Name: actionAnswer, Route: interact.Route{Handle: rm.reply}},
			{Name: actionCall, Route: interact.Route{Handle: rm.call}},
		},
	}}
}

func stopButton(s show.Speaker) discordgo.Button {
	return show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.button.seek-stop")),
		show.CustomID{Action: actionStop})
}

func (rm *Room) seek(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	asks, err := lobby.Asks(ctx, rm.Tables, r, r.Option("game"))
	if err != nil {
		return interact.Reply{}, err
	}
	hours, _ := r.Number("hours")
	w := matchmaking.Wish{
		Game: r.Option("game"), Time: timeOf(r.Option("speed")), Asks: asks,
		For: time.Duration(hours) * time.Hour, Computer: r.Flag("computer"),
	}
	m, sole, err := rm.lookFor(ctx, r, w)
	return interact.Reply{New: m, Ephemeral: sole}, err
}

// timeOf returns the time for each move that a speed allows, or 0 for any.
func timeOf(speed string) time.Duration {
	rule, _ := show.ParseClock(speed)
	return time.Duration(rule.Time) * time.Millisecond
}

// privately returns the key of the private message to a user who looks for a game on a server. rest.Ephemerals uses it
// in place of a table's id.
func privately(guild string) string { return "seek " + guild }

// lookFor looks for a game and returns the message with the result. If the user waits, it also returns an
// Ephemeral, so that the message can be deleted later.
func (rm *Room) lookFor(ctx context.Context, r *interact.Request, w matchmaking.Wish) (*show.Message,
	*rest.Ephemeral, error) {
	step := rm.steps.Add(1)
	channel, err := rm.channel(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	found, err := rm.Matchmaking.Seek(ctx, r.Actor(), r.GuildID, channel, rm.keys(), w)
	if err != nil {
		return nil, nil, err
	}
	if len(found.Paired) == 0 {
		id := "bot.seek.waiting"
		if found.Seek.Computer {
			id = "bot.seek.waiting-computer"
		}
		m := show.Text(r.Say.Say(text.M(id, "Game", rm.gameName(found.Seek.Game),
			"Channel", text.Channel(found.Channel),
			"Until", text.Moment(found.Seek.Until.Time(), text.Relative))))
		m.Components = append(m.Components, show.Rows(stopButton(r.Say))...)
		return m, &rest.Ephemeral{Table: privately(r.GuildID), Version: step}, nil
	}
	var others []text.Message
	for _, o := range found.Paired {
		if o.User != r.User.ID {
			others = append(others, text.User(o.User).Raw())
		}
	}
	id := "bot.seek.found"
	if len(others) == 0 { // the time of the user's last seek is over, and its table is not open yet
		id = "bot.seek.found-computer"
	}
	return show.Text(r.Say.Say(text.M(id, "Game", rm.gameName(found.Game), "Who", others,
		"Channel", text.Channel(found.Channel)))), nil, nil
}

// channel returns the channel for a new list if the server has not chosen one. It refuses users who cannot see the
// list's channel, or are not allowed to open tables there.
func (rm *Room) channel(ctx context.Context, r *interact.Request) (string, error) {
	place, err := rm.Find.Place(ctx, r)
	if err != nil {
		return "", err
	}
	here := place.ID
	if place.IsThread() {
		here = place.ParentID
	}
	now, err := rm.Matchmaking.On(ctx, r.GuildID)
	if err != nil {
		return "", err
	}
	there := here
	if len(now.Waiting)+len(now.Found) > 0 {
		there = now.Channel
	}
	there = cmp.Or(r.Settings.SeekChannel, there)
	if there != r.ChannelID {
		sees, err := rm.Find.Sees(ctx, r, table.Head{Guild: r.GuildID, Channel: there})
		if err != nil {
			return "", err
		}
		if !sees {
			return "", show.Refuse(text.M("bot.seek.unseen"))
		}
	}
	return here, rm.Lobby.MayOpen(ctx, r, &discordgo.Channel{ID: there})
}

// keys returns the keys of the available games.
func (rm *Room) keys() []string {
	var list []string
	for _, g := range rm.Games {
		list = append(list, g.Key())
	}
	return list
}

// gameName returns the name of the game of a seek, or a word for any game.
func (rm *Room) gameName(key string) text.Message {
	if g, err := rm.Games.Find(key); key != "" && err == nil {
		return g.Info().Name
	}
	return text.M("bot.seek.any-game")
}

// stop answers the button with which a user stops looking.
func (rm *Room) stop(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	was, err := rm.Matchmaking.Withdraw(ctx, r.User.ID, r.GuildID)
	if err != nil {
		return interact.Reply{}, err
	}
	id := "bot.seek.stopped"
	if !was {
		id = "bot.seek.not-looking"
	}
	m := show.Text(r.Say.Say(text.M(id)))
	if r.Private() { // the button is no longer useful
		return interact.Reply{Update: m}, nil
	}
	rm.found(r.GuildID, r.User.ID)
	return interact.Reply{New: m}, nil
}

// reply answers the menu of the list, in which a user chooses an opponent.
func (rm *Room) reply(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	if len(r.Values) != 1 {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	m, sole, err := rm.lookFor(ctx, r, matchmaking.Wish{With: r.Values[0]})
	return interact.Reply{New: m, Ephemeral: sole}, err
}

// call answers the button that gives a user the role for pings, or takes it away.
func (rm *Room) call(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	role := r.Settings.SeekRole
	if role == "" || r.Member == nil {
		return interact.Reply{}, show.Refuse(text.M("bot.seek.no-role"))
	}
	change, id := rm.Rest.Session.GuildMemberRoleAdd, "bot.seek.called"
	if slices.Contains(r.Member.Roles, role) {
		change, id = rm.Rest.Session.GuildMemberRoleRemove, "bot.seek.uncalled"
	}
	err := change(r.GuildID, r.User.ID, role, discordgo.WithContext(ctx))
	switch rest.Code(err) {
	case rest.CodeUnknownRole: // it was deleted
		return interact.Reply{}, show.Refuse(text.M("bot.seek.no-role"))
	case rest.CodeMissingPermissions, rest.CodeMissingAccess:
		return interact.Reply{}, show.Refuse(text.M("bot.seek.role-refused", "Role", text.Role(role)))
	}
	if err != nil {
		return interact.Reply{}, fmt.Errorf("changing a role: %w", err)
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M(id, "Role", text.Role(role))))}, nil
}
