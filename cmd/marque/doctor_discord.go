package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/access"
	"marque/bot/choices"
	"marque/bot/gateway"
	"marque/bot/rest"
	"marque/bot/timesource"
	"marque/storage"
)

const (
	// connectTime limits the time for connecting to the gateway, including all attempts and all shards. Most bots can
	// connect one shard in five seconds.
	connectTime = 15 * time.Minute
	// clockTolerance is the allowed difference between the machine's clock and Discord's, which is given in whole
	// seconds.
	clockTolerance = 5 * time.Second
	// mostChannels is the maximum number of channels that are listed with a fault.
	mostChannels = 50
)

// discord asks Discord to which application the token belongs, connects to the gateway as a bot does, and checks the
// bot's permissions in the channels that it uses, if the database is readable. If a channel is given, it also tests
// posting there.
func (d *doctor) discord(ctx context.Context, readable bool) {
	if d.cfg.Local() {
		d.note("token",
			"there is none, so there is nothing to ask Discord: DISCORD_TOKEN, or DISCORD_TOKEN_FILE, puts the bot on Discord")
		return
	}
	dates := &dated{through: d.client.Transport}
	session, err := gateway.NewSession(d.cfg.Token.Reveal(), &http.Client{Transport: dates, Timeout: d.client.Timeout})
	if err != nil {
		d.amiss("token", "%v", err)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	link := gateway.New(session, timesource.System{}, slog.New(slog.DiscardHandler))
	link.Force(d.cfg.Shards)
	app, err := link.Identify(ctx)
	d.clock(dates)
	if err != nil {
		d.amiss("token", "%v", err)
		return
	}
	d.fine("token", "Discord knows the bot as %q, application %s", app.Name, app.ID)
	d.installs(app)
	if d.sharding(ctx, link) {
		d.intents(ctx, link)
	}
	if d.channel != "" {
		d.interactionPosts(ctx, session)
	}
	if readable {
		d.channels(ctx, session)
	} else {
		d.note("permissions", "not looked at, because the database, which knows the channels, cannot be read")
	}
}

// installs checks whether users can install the bot for themselves, without a server.
func (d *doctor) installs(app *discordgo.Application) {
	const about = "installation"
	switch {
	case len(app.IntegrationTypesConfig) == 0:
		d.note(about, "Discord does not say whether users may install the bot for themselves")
	case !gateway.ForUsers(app):
		d.note(about,
			"on servers alone: whoever wants the bot for themselves cannot have it; if they should, switch on User Install with the scope "+
				"applications.commands at https://discord.com/developers/applications/%s/installation, "+
				"and restart the bot", app.ID)
	default:
		d.fine(about, "on servers, and by users for themselves: the bot registers its commands for both")
	}
}

// sharding checks that Discord accepts the configured number of shards. If it returns false, connecting would fail.
func (d *doctor) sharding(ctx context.Context, link *gateway.Gateway) (fits bool) {
	const about = "number of shards"
	sh, err := link.Sharding(ctx)
	d.sessions(sh)
	switch {
	case err != nil:
		d.amiss(about, "%v", err)
		return false
	case !sh.Fits():
		d.amiss(about,
			"MARQUE_SHARDS is %d, but of a bot on so many servers Discord takes multiples of %d alone: leave it out, or set it to %d",
			sh.Shards, sh.Advised, (sh.Shards/sh.Advised+1)*sh.Advised)
		return false
	case sh.Shards < sh.Advised:
		d.note(about, "MARQUE_SHARDS is %d, and Discord advises %d: a shard has room for 2,500 servers", sh.Shards,
			sh.Advised)
	default:
		d.fine(about, "%d; Discord advises %d", sh.Shards, sh.Advised)
	}
	return true
}

// sessions prints how many sessions the bot can begin today.
func (d *doctor) sessions(sh gateway.Sharding) {
	const about = "sessions"
	switch {
	case sh.Sessions == 0: // the request failed, or Discord's answer has no number of sessions
	case sh.Scarce():
		d.amiss(about, "of %d for a day, %d are left: look in the log for what ends the connections to Discord, and whether "+
			"another process uses the token; the bot keeps the last ones, because too many would cost the token",
			sh.Sessions, sh.Left)
	default:
		d.fine(about, "of %d for a day, %d are left", sh.Sessions, sh.Left)
	}
}

// intents connects to the gateway with the intents of a bot, and disconnects.
func (d *doctor) intents(ctx context.Context, link *gateway.Gateway) {
	connecting, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	if err := link.Open(connecting); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			d.amiss("intents",
				"Discord's gateway does not answer; check the network, and look at Discord's status page")
			return
		}
		d.amiss("intents", "%v", err)
		return
	}
	leaving, leave := context.WithCancel(ctx)
	leave()
	_ = link.Keep(leaving)
	d.fine("intents", "Discord's gateway takes the bot with the intents that it asks for, none of them privileged")
}

// dated is a transport that records how far the machine's clock was ahead of Discord's at the first answer.
type dated struct {
	through http.RoundTripper

	mu     sync.Mutex
	known  bool
	ahead  time.Duration
	unsure time.Duration // uncertainty of the difference
}

// RoundTrip implements http.RoundTripper.
func (d *dated) RoundTrip(q *http.Request) (*http.Response, error) {
	asked := time.Now()
	answer, err := d.through.RoundTrip(q)
	if err != nil {
		return answer, err
	}
	if date, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		took := time.Since(asked)
		d.mu.Lock()
		defer d.mu.Unlock()
		if !d.known {
			d.known = true
			d.ahead, d.unsure = asked.Add(took/2).Sub(date.Add(time.Second/2)), took/2+time.Second/2
		}
	}
	return answer, nil
}

// clock checks the machine's clock against the date in Discord's answers.
func (d *doctor) clock(dates *dated) {
	dates.mu.Lock()
	defer dates.mu.Unlock()
	off := dates.ahead.Abs().Round(time.Second)
	direction := "ahead of"
	if dates.ahead < 0 {
		direction = "behind"
	}
	switch {
	case !dates.known:
		d.note("clock", "not compared, because Discord's answers have no date")
	case dates.ahead.Abs() > clockTolerance+dates.unsure:
		d.amiss("clock",
			"it is %v %s Discord's: let the machine keep its time (timedatectl set-ntp true), or players read wrong times and wait for wrong deadlines", off, direction)
	default:
		d.fine("clock", "it goes with Discord's")
	}
}

// need is a permission that the bot needs in a channel, with its name in Discord's settings.
type need struct {
	bit  int64
	name string
}

var (
	needView         = need{discordgo.PermissionViewChannel, "View Channels"}
	needSend         = need{discordgo.PermissionSendMessages, "Send Messages"}
	needFiles        = need{discordgo.PermissionAttachFiles, "Attach Files"}
	needEmbeds       = need{discordgo.PermissionEmbedLinks, "Embed Links"}
	needThreads      = need{discordgo.PermissionCreatePublicThreads, "Create Public Threads"}
	needSendInThread = need{discordgo.PermissionSendMessagesInThreads, "Send Messages in Threads"}
)

// use is a set of purposes for which the bot uses a channel.
type use uint8

const (
	forTables  use = 1 << iota // new tables, according to the server's settings
	forThreads                 // threads of tables, existing ones or those of new tables
	hasTables                  // a table in play
	forLog                     // the log of moderators' actions
	forSeeks                   // the card of players who seek a game
	forPuzzles                 // the puzzle of the day
)

// needs returns the permissions that the bot needs in a channel for these purposes. thread says that the channel is the
// thread of a table.
func (u use) needs(thread bool) []need {
	list := []need{needView}
	if !thread {
		list = append(list, needSend)
	}
	if u&forThreads != 0 && !thread {
		list = append(list, needThreads)
	}
	if u&forThreads != 0 || thread {
		list = append(list, needSendInThread)
	}
	if u&(forTables|hasTables|forPuzzles) != 0 {
		list = append(list, needFiles)
	}
	if u&(forTables|hasTables) != 0 {
		list = append(list, needEmbeds)
	}
	return list
}

// channels checks the bot's permissions in the channels that usedChannels returns.
func (d *doctor) channels(ctx context.Context, session *discordgo.Session) {
	const about = "permissions"
	store, err := peekStore(ctx, d.cfg)
	if err != nil {
		d.note(about, "not looked at: %v", err)
		return
	}
	defer store.Close()
	servers, err := usedChannels(ctx, store.Store)
	if err != nil {
		d.note(about, "not looked at, because the database cannot be read: %v", err)
		return
	}
	me, err := session.User("@me", discordgo.WithContext(ctx))
	if err != nil {
		d.amiss(about, "Discord does not say who the bot is: %v; try again later", rest.Scrub(err))
		return
	}
	looked, on, found := 0, 0, 0
	for _, s := range servers {
		g, err := access.AskServer(ctx, session, s.id, me.ID)
		if status := rest.Status(err); status == http.StatusNotFound || status == http.StatusForbidden {
			d.note(about,
				"the bot is not on server %s any more; a bot that runs keeps its data for a while, and deletes them",
				s.id)
			continue
		}
		if err != nil {
			d.amiss(about, "Discord does not tell about server %s: %v; try again later", s.id, rest.Scrub(err))
			return
		}
		on++
		if s.role != "" {
			calls, err := g.Calls(ctx, session, s.role, s.seeks)
			switch {
			case errors.Is(err, access.ErrGone): // reported below
			case err != nil:
				d.amiss(about, "Discord does not tell about %q: %v; try again later", g.Name, rest.Scrub(err))
			case !calls:
				d.amiss(about,
					"nobody is told when the bot calls role %s of server %s (%q): allow anyone to @mention the role, or give the bot Mention @everyone, @here and All Roles in channel %s",
					s.role, s.id, g.Name, s.seeks)
			}
		}
		for _, id := range s.order {
			looked++
			lacks, err := lacking(ctx, session, g, id, s.uses[id])
			if err == nil && len(lacks) == 0 {
				continue
			}
			if found++; found > mostChannels {
				continue
			}
			where := fmt.Sprintf("channel %s of server %s (%q)", id, s.id, g.Name)
			switch {
			case errors.Is(err, access.ErrGone) && s.uses[id]&hasTables == 0:
				d.amiss(about, "%s is gone: choose another in \"/server settings\"", where)
			case errors.Is(err, access.ErrGone):
				d.note(about, "%s is gone: its games wait until \"/table here\" brings them to another", where)
			case err != nil:
				d.amiss(about, "Discord does not tell about %s: %v; try again later", where, rest.Scrub(err))
			default:
				d.amiss(about, "the bot may not do all it should in %s: give it %s", where, strings.Join(lacks, ", "))
			}
		}
	}
	switch {
	case found > mostChannels:
		d.note(about, "and so in %d more channels", found-mostChannels)
	case found == 0:
		d.fine(about, "the bot may do what it should in %s of %s", plural(looked, "channel"), plural(on, "server"))
	}
}

// usedServer lists the channels of a server that the bot uses.
type usedServer struct {
	id    string
	uses  map[string]use
	order []string // ids of the channels, in the order in which they were found
	// Id of the role that is pinged when somebody seeks a game, and id of the channel with the card of seeks.
	role, seeks string
}

func (s *usedServer) add(channel string, u use) {
	if channel == "" {
		return
	}
	if s.uses[channel] == 0 {
		s.order = append(s.order, channel)
	}
	s.uses[channel] |= u
}

// tablesRead is the number of tables that are read from the store at a time.
const tablesRead = 1000

// usedChannels returns the channels that settings name for tables, the log, seeks and puzzles, and those of unfinished
// tables. It leaves out servers from which the bot was removed.
func usedChannels(ctx context.Context, store *storage.Store) ([]usedServer, error) {
	guilds, err := store.Guilds(ctx)
	if err != nil {
		return nil, err
	}
	removed, err := store.Removals(ctx)
	if err != nil {
		return nil, err
	}
	var list []usedServer
	for _, guild := range guilds {
		if slices.ContainsFunc(removed, func(r storage.Removal) bool { return r.Guild == guild }) {
			continue
		}
		s := usedServer{id: guild, uses: map[string]use{}}
		var settings choices.Settings
		if err := store.GuildSettings(ctx, guild, &settings); err != nil {
			return nil, err
		}
		tables := forTables
		if settings.Threads != choices.ThreadsNever {
			tables |= forThreads
		}
		for _, channel := range settings.Channels {
			s.add(channel, tables)
		}
		s.add(settings.LogChannel, forLog)
		s.add(settings.SeekChannel, forSeeks)
		s.add(settings.PuzzleChannel, forPuzzles)
		if settings.SeekChannel != "" && !settings.Silent {
			s.role, s.seeks = settings.SeekRole, settings.SeekChannel
		}
		for after := storage.ID(0); ; {
			heads, err := store.ByGuild(ctx, guild, storage.Active, after, tablesRead)
			if err != nil {
				return nil, err
			}
			for _, h := range heads {
				after = h.ID
				if h.Card.Channel != "" {
					s.add(h.Card.Channel, hasTables|forThreads)
				} else {
					s.add(h.Channel, hasTables)
				}
			}
			if len(heads) < tablesRead {
				break
			}
		}
		list = append(list, s)
	}
	return list, nil
}

// lacking returns the names of the permissions that the bot needs in a channel and does not have. It returns
// access.ErrGone if the channel does not exist, and otherwise the error of the request to Discord.
func lacking(ctx context.Context, session *discordgo.Session, s *access.Server, id string,
	purpose use) ([]string, error) {
	may, thread, err := s.Bot(ctx, session, id)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, n := range purpose.needs(thread) {
		if may&n.bit == 0 {
			names = append(names, n.name)
		}
	}
	return names, nil
}
