package gateway

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sort"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/rest"
)

// Registrar registers the commands with Discord.
type Registrar struct {
	session  *discordgo.Session
	commands []*discordgo.ApplicationCommand
	log      *slog.Logger
	wait     func(context.Context, time.Duration) error
	after    time.Duration // pause that Discord demanded after the latest attempt

	// Registered is called with the registered commands and their ids, unless it is nil.
	Registered func([]*discordgo.ApplicationCommand)
	// Activity makes the Registrar take over Entry Points, so that the bot answers them instead of Discord.
	Activity bool
}

// NewRegistrar returns a Registrar for these commands. Register and Keep register them.
func NewRegistrar(s *discordgo.Session, commands []*discordgo.ApplicationCommand, log *slog.Logger) *Registrar {
	return &Registrar{session: s, commands: commands, log: log, wait: sleep}
}

// ForUsers reports whether users can install an application for themselves. It is true if Discord does not specify
// this. Source: Discord's documentation, topic "Application", structure "Application Object", field
// integration_types_config.
func ForUsers(app *discordgo.Application) bool {
	ways := app.IntegrationTypesConfig
	_, users := ways[discordgo.ApplicationIntegrationUserInstall]
	return users || len(ways) == 0
}

// Suit limits the commands to installations on servers if users cannot install the application for themselves.
func (r *Registrar) Suit(app *discordgo.Application) {
	if ForUsers(app) {
		return
	}
	r.log.Info("users cannot install the bot for themselves: User Install is switched off in Discord's developer portal")
	suited := make([]*discordgo.ApplicationCommand, len(r.commands))
	for i, c := range r.commands {
		own := *c
		own.IntegrationTypes = &[]discordgo.ApplicationIntegrationType{discordgo.ApplicationIntegrationGuildInstall}
		if c.Contexts != nil {
			contexts := slices.DeleteFunc(slices.Clone(*c.Contexts), func(x discordgo.InteractionContextType) bool {
				return x == discordgo.InteractionContextPrivateChannel
			})
			own.Contexts = &contexts
		}
		suited[i] = &own
	}
	r.commands = suited
}

// Register tries once to register an application's commands, and reports whether they are registered. If it returns
// false without an error, the previously registered commands still work, and Keep can try again. Register returns a
// *StartError for a fault that no retry can fix, and ctx's error if ctx ends first.
func (r *Registrar) Register(ctx context.Context, application string) (done bool, err error) {
	changed, err := r.register(ctx, application)
	var se *StartError
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.As(err, &se):
		return false, err
	case err != nil:
		r.after = 0
		if limited := (*discordgo.RateLimitError)(nil); errors.As(err, &limited) {
			r.after = limited.RetryAfter
		}
		r.log.WarnContext(ctx, "the commands could not be registered; trying again, those of before work meanwhile",
			"error", rest.Scrub(err))
		return false, nil
	}
	r.log.InfoContext(ctx, "commands are registered", "changed", changed)
	return true, nil
}

// Keep tries to register the commands until that succeeds, Discord refuses them permanently, or ctx is done.
func (r *Registrar) Keep(ctx context.Context, application string) {
	for pause := firstPause; r.wait(ctx, max(pause, r.after)) == nil; pause = min(2*pause, maxPause) {
		done, err := r.Register(ctx, application)
		if err != nil && ctx.Err() == nil {
			r.log.ErrorContext(ctx, "the commands cannot be registered", "error", err)
		}
		if done || err != nil {
			return
		}
	}
}

// register sends the bot's commands to Discord if they differ from the registered ones, or to take over the Entry
// Point. An unnecessary registration would count against a daily limit.
func (r *Registrar) register(ctx context.Context, application string) (changed bool, err error) {
	have, entries, err := r.registered(ctx, application)
	if err != nil {
		return false, fatal(err)
	}
	if r.Activity && len(entries) == 0 {
		r.log.WarnContext(ctx, "there is no Activity: Activities are switched off in Discord's developer portal")
	}
	taken := r.Activity && takeOver(entries)
	if fingerprint(have) == fingerprint(r.commands) && !taken {
		r.reportResult(have)
		return false, nil
	}
	all := make([]any, 0, len(r.commands)+len(entries))
	for _, c := range r.commands {
		all = append(all, c)
	}
	for _, e := range entries {
		all = append(all, e)
	}
	endpoint := discordgo.EndpointApplicationGlobalCommands(application)
	answer, err := r.session.RequestWithBucketID(http.MethodPut, endpoint, all, endpoint, discordgo.WithContext(ctx),
		discordgo.WithRetryOnRatelimit(false))
	if err != nil {
		switch {
		case rest.Status(err) == http.StatusForbidden:
			return false,
				&StartError{
					"Discord does not let the bot register its commands: " +
						"invite it once more, with the scope applications.commands.", rest.Scrub(err)}
		case rest.Code(err) == rest.CodeRemovesEntryPoint: // Discord added the Entry Point after the list was read
		case rest.Status(err) == http.StatusBadRequest:
			return false,
				&StartError{fmt.Sprintf("Discord does not take the commands of this version: update marque. %v",
					rest.Scrub(err)), rest.Scrub(err)}
		}
		return false, fatal(err)
	}
	var now []*discordgo.ApplicationCommand
	if json.Unmarshal(answer, &now) == nil { // if this fails, the commands still work but are not shown as links
		r.reportResult(now)
	}
	return true, nil
}

func (r *Registrar) reportResult(commands []*discordgo.ApplicationCommand) {
	if r.Registered != nil {
		r.Registered(commands)
	}
}

// entryPoint is the type of the command that Discord adds if Activities are switched on. The library has no constant
// for this type. Source: Discord's documentation, topic "Application Commands", section "Entry Point Commands".
const entryPoint discordgo.ApplicationCommandType = 4

// takeOver makes the bot the handler of those Entry Points that Discord handles. It reports whether there were any.
// Source: Discord's documentation, topic "Application Commands", section "Entry Point handlers".
func takeOver(entries []json.RawMessage) (taken bool) {
	const byApplication = "1"
	for i, raw := range entries {
		var entry map[string]json.RawMessage
		if json.Unmarshal(raw, &entry) != nil || string(entry["handler"]) == byApplication {
			continue
		}
		entry["handler"] = json.RawMessage(byApplication)
		if changed, err := json.Marshal(entry); err == nil {
			entries[i], taken = changed, true
		}
	}
	return taken
}

// registered asks Discord for the registered commands. It returns Entry Points separately, as Discord sent them: they
// are not the bot's commands, but Discord refuses a list of commands without them.
func (r *Registrar) registered(ctx context.Context,
	application string) (ours []*discordgo.ApplicationCommand, entries []json.RawMessage, err error) {
	endpoint := discordgo.EndpointApplicationGlobalCommands(application)
	answer, err := r.session.RequestWithBucketID(http.MethodGet, endpoint+"?with_localizations=true", nil, endpoint,
		discordgo.WithContext(ctx),
		discordgo.WithRetryOnRatelimit(false))
	if err != nil {
		return nil, nil, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(answer, &list); err != nil {
		return nil, nil, fmt.Errorf("reading the registered commands: %w", err)
	}
	for _, raw := range list {
		c := new(discordgo.ApplicationCommand)
		if err := json.Unmarshal(raw, c); err != nil {
			return nil, nil, fmt.Errorf("reading the registered commands: %w", err)
		}
		if c.Type == entryPoint {
			entries = append(entries, raw)
		} else {
			ours = append(ours, c)
		}
	}
	return ours, entries, nil
}

// fingerprint returns a hash of the parts of commands that the bot sets, without the parts that Discord adds.
func fingerprint(commands []*discordgo.ApplicationCommand) string {
	sorted := append([]*discordgo.ApplicationCommand(nil), commands...)
	sort.Slice(sorted, func(i, j int) bool {
		return cmp.Or(cmp.Compare(sorted[i].Type, sorted[j].Type), cmp.Compare(sorted[i].Name, sorted[j].Name)) < 0
	})
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, c := range sorted {
		var names, descriptions map[discordgo.Locale]string
		if c.NameLocalizations != nil {
			names = *c.NameLocalizations
		}
		if c.DescriptionLocalizations != nil {
			descriptions = *c.DescriptionLocalizations
		}
		enc.Encode([]any{c.Type, c.Name, c.Description, localized(names), localized(descriptions), set(c.Contexts),
			set(installs(c)), c.DefaultMemberPermissions})
		fingerprintOptions(enc, c.Options)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func fingerprintOptions(enc *json.Encoder, options []*discordgo.ApplicationCommandOption) {
	enc.Encode(len(options))
	for _, o := range options {
		enc.Encode([]any{o.Type, o.Name, o.Description, localized(o.NameLocalizations),
			localized(o.DescriptionLocalizations),
			o.Required, o.Autocomplete, o.MinValue, o.MaxValue, o.MaxLength, len(o.Choices)})
		for _, ch := range o.Choices {
			enc.Encode([]any{ch.Name, ch.Value, localized(ch.NameLocalizations)})
		}
		fingerprintOptions(enc, o.Options)
	}
}

// installs returns the kinds of installation in which a command is available; Discord's default if the command sets
// none.
func installs(c *discordgo.ApplicationCommand) *[]discordgo.ApplicationIntegrationType {
	if c.IntegrationTypes == nil {
		return &[]discordgo.ApplicationIntegrationType{discordgo.ApplicationIntegrationGuildInstall}
	}
	return c.IntegrationTypes
}

// set returns a sorted copy of a list whose order does not matter; nil for nil.
func set[T cmp.Ordered](list *[]T) []T {
	if list == nil {
		return nil
	}
	return slices.Compact(slices.Sorted(slices.Values(*list)))
}

// localized returns l, or nil if l is empty. The bot sends {} for no localizations, and Discord returns null.
func localized(l map[discordgo.Locale]string) map[discordgo.Locale]string {
	if len(l) == 0 {
		return nil
	}
	return l
}
