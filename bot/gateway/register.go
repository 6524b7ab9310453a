package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"sort"

	"github.com/bwmarrin/discordgo"

	"marque/bot/rest"
)

// Register tells Discord our commands if they are not the ones it has: registering needlessly
// costs of a daily budget, and one mistake in them would take all commands away.
func Register(ctx context.Context, s *discordgo.Session, appID string, want []*discordgo.ApplicationCommand) (changed bool, err error) {
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
		if rest.Status(err) == http.StatusForbidden {
			return false, &StartError{"Discord does not let the bot register its commands: invite it anew with the scope applications.commands.", rest.Scrub(err)}
		}
		return false, fatal(err)
	}
	return true, nil
}

// fingerprint identifies what matters of a set of commands, whatever Discord adds when it gives
// them back.
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
