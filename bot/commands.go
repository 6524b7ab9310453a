package bot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"sort"

	"github.com/bwmarrin/discordgo"
	"golang.org/x/text/language"

	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
)

// commandSet builds the slash commands. Names and descriptions are sentences of the catalogue
// ("command.play", "command.play.description", "command.play.game" for an option's name is its key), so that each
// command carries its localisations.
type commandSet struct {
	sentences *locale.Catalogue
	games     []games.Game
}

// discordLocales are Discord's names of languages where they differ from our files'.
var discordLocales = map[string]discordgo.Locale{
	"es": discordgo.SpanishES, "pt": discordgo.PortugueseBR, "sv": discordgo.Swedish, "zh": discordgo.ChineseCN,
}

// localized says id in every language but English that has a sentence for it.
func (c commandSet) localized(id string) map[discordgo.Locale]string {
	out := map[discordgo.Locale]string{}
	english := c.sentences.Speaker(nil, language.English.String()).Say(text.M(id))
	for _, tag := range c.sentences.Languages() {
		base, _ := tag.Base()
		if base.String() == "en" {
			continue
		}
		l := discordgo.Locale(tag.String())
		if known, ok := discordLocales[tag.String()]; ok {
			l = known
		}
		if _, known := discordgo.Locales[l]; !known {
			continue
		}
		if said := c.sentences.Speaker(nil, tag.String()).Say(text.M(id)); said != english {
			out[l] = said
		}
	}
	return out
}

func (c commandSet) english(id string) string {
	return c.sentences.Speaker(nil, language.English.String()).Say(text.M(id))
}

func (c commandSet) command(name string, options ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommand {
	id := "command." + name
	contexts := []discordgo.InteractionContextType{discordgo.InteractionContextGuild}
	cmd := &discordgo.ApplicationCommand{
		Type:        discordgo.ChatApplicationCommand,
		Name:        name,
		Description: clip(c.english(id+".description"), 100),
		Contexts:    &contexts,
		Options:     options,
	}
	if l := c.localized(id + ".name"); len(l) > 0 {
		cmd.NameLocalizations = &l
	}
	if l := c.localized(id + ".description"); len(l) > 0 {
		cmd.DescriptionLocalizations = &l
	}
	return cmd
}

// option makes an option; its sentences are "command.option.<name>" whatever the command.
func (c commandSet) option(kind discordgo.ApplicationCommandOptionType, name string) *discordgo.ApplicationCommandOption {
	id := "command.option." + name
	return &discordgo.ApplicationCommandOption{
		Type:                     kind,
		Name:                     name,
		NameLocalizations:        c.localized(id + ".name"),
		Description:              clip(c.english(id+".description"), 100),
		DescriptionLocalizations: c.localized(id + ".description"),
	}
}

func (c commandSet) choice(id, value string) *discordgo.ApplicationCommandOptionChoice {
	return &discordgo.ApplicationCommandOptionChoice{Name: clip(c.english(id), maxChoiceName), NameLocalizations: c.localized(id), Value: value}
}

func required(o *discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	o.Required = true
	return o
}

func completed(o *discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	o.Autocomplete = true
	return o
}

// gameOption lets one choose one of the games.
func (c commandSet) gameOption() *discordgo.ApplicationCommandOption {
	o := c.option(discordgo.ApplicationCommandOptionString, "game")
	for _, g := range c.games {
		o.Choices = append(o.Choices, c.choice(g.Key()+".name", g.Key()))
	}
	return o
}

// gameOptions are the table options of all games, each with the values it has in any of them.
func (c commandSet) gameOptions() []*discordgo.ApplicationCommandOption {
	var out []*discordgo.ApplicationCommandOption
	seen := map[string]bool{}
	for _, g := range c.games {
		for _, o := range g.Options() {
			if seen[o.Key] {
				continue
			}
			seen[o.Key] = true
			opt := c.option(discordgo.ApplicationCommandOptionString, o.Key)
			id := g.Key() + ".option." + o.Key
			opt.Description = clip(c.english(id), 100)
			opt.DescriptionLocalizations = c.localized(id)
			for _, v := range o.Values {
				opt.Choices = append(opt.Choices, c.choice(id+"."+v, v))
			}
			out = append(out, opt)
		}
	}
	return out
}

// register tells Discord our commands if they are not the ones it has: registering needlessly
// costs of a daily budget, and one mistake in them would take all commands away.
func register(ctx context.Context, s *discordgo.Session, appID string, want []*discordgo.ApplicationCommand) (changed bool, err error) {
	have, err := s.ApplicationCommands(appID, "", discordgo.WithContext(ctx), func(cfg *discordgo.RequestConfig) {
		q := cfg.Request.URL.Query()
		q.Set("with_localizations", "true")
		cfg.Request.URL.RawQuery = q.Encode()
	})
	if err != nil {
		return false, fatal(err)
	}
	if fingerprint(have) == fingerprint(want) {
		return false, nil
	}
	if _, err := s.ApplicationCommandBulkOverwrite(appID, "", want, discordgo.WithContext(ctx)); err != nil {
		if httpStatus(err) == http.StatusForbidden {
			return false, &StartError{"Discord does not let the bot register its commands: invite it anew with the scope applications.commands.", scrub(err)}
		}
		return false, fatal(err)
	}
	return true, nil
}

// fingerprint identifies what matters of a set of commands, whatever Discord adds when it gives them back.
func fingerprint(commands []*discordgo.ApplicationCommand) string {
	sorted := append([]*discordgo.ApplicationCommand(nil), commands...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].Name < sorted[j].Name })
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, c := range sorted {
		enc.Encode([]any{c.Name, c.Description, deref(c.NameLocalizations), deref(c.DescriptionLocalizations), c.Contexts, c.DefaultMemberPermissions})
		fingerprintOptions(enc, c.Options)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func fingerprintOptions(enc *json.Encoder, options []*discordgo.ApplicationCommandOption) {
	enc.Encode(len(options))
	for _, o := range options {
		enc.Encode([]any{o.Type, o.Name, o.Description, len(o.NameLocalizations), o.NameLocalizations, len(o.DescriptionLocalizations), o.DescriptionLocalizations,
			o.Required, o.Autocomplete, o.MinValue, o.MaxValue, o.MaxLength, len(o.Choices)})
		for _, ch := range o.Choices {
			enc.Encode([]any{ch.Name, ch.Value, len(ch.NameLocalizations), ch.NameLocalizations})
		}
		fingerprintOptions(enc, o.Options)
	}
}

func deref(m *map[discordgo.Locale]string) map[discordgo.Locale]string {
	if m == nil {
		return map[discordgo.Locale]string{}
	}
	return *m
}
