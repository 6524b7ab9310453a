package gateway

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/rest"
)

// Shard is one of the shards among which Discord divides the bot's servers, numbered from 0.
type Shard struct{ Number, Of int }

// Has reports whether the shard gets the events of a server, by Discord's formula. The first shard gets events without
// a server.
func (s Shard) Has(guild string) bool {
	n, ok := Sharding{Shards: s.Of}.ShardOf(guild)
	return ok && n == s.Number
}

// Sharding is the division of the bot's servers into shards, and the number of sessions that Discord grants.
type Sharding struct {
	Sessions    int // number of sessions that Discord grants for a day; 0 if unknown
	Left        int // number of sessions that can still begin today
	Shards      int // number of shards that the bot uses
	Advised     int // number of shards that Discord recommends
	Concurrency int // number of shards that can identify at the same time, one of each group
}

// Scarce reports whether too few sessions are left today to replace a lost session.
func (s Sharding) Scarce() bool {
	hold, _ := running.hold(discordgo.SessionInformation{Total: s.Sessions, Remaining: s.Left})
	return hold > 0
}

// Fits reports whether Discord accepts this number of shards. If several shards can identify at the same time (for bots
// on more than 150,000 servers), the number must be a multiple of the recommended one (close code 4010).
func (s Sharding) Fits() bool { return s.Concurrency <= 1 || s.Shards%s.Advised == 0 }

// ShardOf returns the number of a server's shard; 0 for events without a server. With several shards, it returns false
// if guild is not a server's id.
func (s Sharding) ShardOf(guild string) (int, bool) {
	if s.Shards <= 1 || guild == "" {
		return 0, true
	}
	id, err := strconv.ParseUint(guild, 10, 64)
	return int((id >> 22) % uint64(s.Shards)), err == nil
}

// ShardOf returns the shard of a new session. Discord omits it if there is only one.
func ShardOf(e *discordgo.Ready) Shard {
	if e.Shard == nil || e.Shard[1] < 1 {
		return Shard{0, 1}
	}
	return Shard{e.Shard[0], e.Shard[1]}
}

// Sharding asks Discord how to connect, with a few retries. It returns a *StartError if Discord does not answer, does
// not accept the token, or grants fewer sessions today than the bot has shards, and the error of ctx if ctx ends first.
// Discord resets the token of a bot that begins more sessions.
func (g *Gateway) Sharding(ctx context.Context) (Sharding, error) {
	var told *discordgo.GatewayBotResponse
	err := g.patiently(ctx, func() (err error) {
		told, err = g.gatewayBot(ctx)
		return err
	})
	if err != nil {
		return Sharding{}, err
	}
	sh := Sharding{Shards: max(told.Shards, 1), Concurrency: max(told.SessionStartLimit.MaxConcurrency, 1)}
	sh.Advised, sh.Sessions, sh.Left = sh.Shards, told.SessionStartLimit.Total, told.SessionStartLimit.Remaining
	if g.shards > 0 {
		sh.Shards = g.shards
	}
	if left := told.SessionStartLimit; left.Total > 0 && left.Remaining < sh.Shards {
		after := time.Duration(left.ResetAfter) * time.Millisecond
		return Sharding{},
			&StartError{
				fmt.Sprintf(
					"The bot was started too often: Discord lets it begin %d more sessions today, and it needs %d. Start marque again in %v.",
					left.Remaining, sh.Shards, after.Round(time.Minute)), errNoSessions}
	}
	g.pace.grant(sh)
	return sh, nil
}

var errNoSessions = errors.New("too few sessions are left")

// gatewayBot asks Discord for the gateway's address, the recommended number of shards, and the session limits.
func (g *Gateway) gatewayBot(ctx context.Context) (*discordgo.GatewayBotResponse, error) {
	told := new(discordgo.GatewayBotResponse)
	return told, g.ask(ctx, discordgo.EndpointGatewayBot, discordgo.EndpointGatewayBot, told)
}

// patiently calls f until it succeeds, at most a few times, because a short outage should not end the program. It
// returns a *StartError if f never succeeds, and the error of ctx if ctx ends first.
func (g *Gateway) patiently(ctx context.Context, f func() error) error {
	var last error
	for attempt := range openings {
		if attempt > 0 && g.wait(ctx, firstPause<<attempt) != nil {
			return ctx.Err()
		}
		err := f()
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		var se *StartError
		if last = fatal(err); errors.As(last, &se) {
			return last
		}
		g.log.WarnContext(ctx, "Discord cannot be reached; trying again", "error", rest.Scrub(err))
	}
	return &StartError{fmt.Sprintf("Discord cannot be reached: %v. Check the network, then start again.",
		rest.Scrub(last)), last}
}
