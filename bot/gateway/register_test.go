package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/localdiscord"
	"marque/bot/timesource"
)

// some returns commands that together set most of the fields that the bot uses.
func some() []*discordgo.ApplicationCommand {
	least, manage := 1.0, int64(discordgo.PermissionManageGuild)
	contexts := []discordgo.InteractionContextType{discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM}
	ways := []discordgo.ApplicationIntegrationType{discordgo.ApplicationIntegrationGuildInstall,
		discordgo.ApplicationIntegrationUserInstall}
	none := map[discordgo.Locale]string{}
	return []*discordgo.ApplicationCommand{
		{Name: "tide", Type: discordgo.ChatApplicationCommand, Description: "When", Contexts: &contexts,
			IntegrationTypes: &ways, DefaultMemberPermissions: &manage,
			Options: []*discordgo.ApplicationCommandOption{
				{Type: discordgo.ApplicationCommandOptionInteger, Name: "hours", Description: "From now",
					NameLocalizations: none, DescriptionLocalizations: none,
					MinValue: &least, MaxValue: 12, Choices: []*discordgo.ApplicationCommandOptionChoice{{Name: "six",
						NameLocalizations: none, Value: 6}}},
				{Type: discordgo.ApplicationCommandOptionString, Name: "where", Description: "Which coast",
					NameLocalizations: map[discordgo.Locale]string{discordgo.German: "wo"}, MaxLength: 60},
			}},
		{Name: "ebb", Type: discordgo.ChatApplicationCommand, Description: "Low", Contexts: &contexts,
			Options: []*discordgo.ApplicationCommandOption{{Type: discordgo.ApplicationCommandOptionSubCommand,
				Name: "now", Description: "Now", NameLocalizations: none},
				{Type: discordgo.ApplicationCommandOptionSubCommandGroup, Name: "spring", Description: "Spring",
					Options: []*discordgo.ApplicationCommandOption{
						{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "next", Description: "Next",
							Options: []*discordgo.ApplicationCommandOption{
								{Type: discordgo.ApplicationCommandOptionInteger, Name: "count", Description: "How many", Required: true, MinValue: &least, MaxValue: 3}}}}},
			}},
	}
}

// returned converts registered commands to the form in which Discord returns them: empty localizations are null, other
// empty fields are missing, and Discord's own fields are added.
func returned(t *testing.T, commands []*discordgo.ApplicationCommand) []*discordgo.ApplicationCommand {
	t.Helper()
	data, err := json.Marshal(commands)
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]any
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	var answer func(o map[string]any)
	answer = func(o map[string]any) {
		for _, key := range []string{"name_localizations", "description_localizations"} {
			if l, ok := o[key].(map[string]any); !ok || len(l) == 0 {
				o[key] = nil
			}
		}
		for _, key := range []string{"required", "autocomplete"} {
			if o[key] == false {
				delete(o, key)
			}
		}
		for _, key := range []string{"options", "choices"} {
			inner, _ := o[key].([]any)
			for _, i := range inner {
				answer(i.(map[string]any))
			}
			if len(inner) == 0 {
				delete(o, key)
			}
		}
	}
	for i, c := range list {
		answer(c)
		c["id"], c["application_id"], c["version"] = string(rune('1'+i)), "7", "9"
		c["dm_permission"], c["nsfw"] = false, false
		// Discord sets a missing list to its default, and returns lists in its own order.
		if ways, ok := c["integration_types"].([]any); ok {
			slices.Reverse(ways)
		} else {
			c["integration_types"] = []int{0}
		}
		slices.Reverse(c["contexts"].([]any))
		if c["default_member_permissions"] == nil {
			c["default_member_permissions"] = nil
		}
	}
	if data, err = json.Marshal(list); err != nil {
		t.Fatal(err)
	}
	var back []*discordgo.ApplicationCommand
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return back
}

// The fingerprint of commands is the same when Discord returns them, and differs after a change of the bot's.
func TestFingerprintKnowsWhatDiscordGivesBack(t *testing.T) {
	want := fingerprint(some())
	if got := fingerprint(returned(t, some())); got != want {
		t.Error("commands that Discord gives back as they were registered count as changed")
	}
	for name, change := range map[string]func([]*discordgo.ApplicationCommand){
		"a description": func(c []*discordgo.ApplicationCommand) { c[0].Description = "Whence" },
		"a permission":  func(c []*discordgo.ApplicationCommand) { c[0].DefaultMemberPermissions = nil },
		"an option":     func(c []*discordgo.ApplicationCommand) { c[0].Options = c[0].Options[:1] },
		"a bound":       func(c []*discordgo.ApplicationCommand) { c[0].Options[0].MaxValue = 13 },
		"a choice":      func(c []*discordgo.ApplicationCommand) { c[0].Options[0].Choices[0].Value = 7 },
		"a localisation": func(c []*discordgo.ApplicationCommand) {
			c[0].Options[1].NameLocalizations[discordgo.German] = "wohin"
		},
		"a group": func(c []*discordgo.ApplicationCommand) {
			c[1].Options[1].Options[0].Options[0].Required = false
		},
		"a subcommand": func(c []*discordgo.ApplicationCommand) { c[1].Options[0].Name = "later" },
		"a context":    func(c []*discordgo.ApplicationCommand) { *c[0].Contexts = (*c[0].Contexts)[:1] },
		"an installation": func(c []*discordgo.ApplicationCommand) {
			*c[0].IntegrationTypes = (*c[0].IntegrationTypes)[:1]
		},
		"another command": func(c []*discordgo.ApplicationCommand) { c[1].Name = "flow" },
	} {
		changed := some()
		change(changed)
		if fingerprint(changed) == want {
			t.Errorf("%s changed, and nobody notices", name)
		}
	}
}

// Commands are accepted and registered once, whether or not users can install the bot for themselves.
func TestRegisteringForServersAlone(t *testing.T) {
	for _, alone := range []bool{false, true} {
		srv := localdiscord.New(localdiscord.Options{Log: slog.New(slog.DiscardHandler), ServersAlone: alone})
		if err := srv.Start(); err != nil {
			t.Fatal(err)
		}
		defer srv.Close()
		session, err := NewSession(srv.Token(), srv.HTTPClient())
		if err != nil {
			t.Fatal(err)
		}
		for n := range 2 {
			app, err := New(session, timesource.System{}, slog.New(slog.DiscardHandler)).Identify(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r := NewRegistrar(session, some(), slog.New(slog.DiscardHandler))
			r.Suit(app)
			if changed, err := r.register(t.Context(), app.ID); err != nil || changed != (n == 0) {
				t.Errorf("servers alone %v, time %d: registered %v, %v", alone, n+1, changed, err)
			}
		}
		have, err := session.ApplicationCommands(localdiscord.Application, "")
		if err != nil || len(have) != 2 {
			t.Fatalf("%d commands, %v", len(have), err)
		}
		for _, c := range have {
			if ways := len(*c.IntegrationTypes); c.Name == "tide" && (ways == 1) != alone {
				t.Errorf("servers alone %v: /tide can be installed in %d ways", alone, ways)
			}
		}
	}
}

// stormy answers the first requests about commands with faults, and forwards later ones.
type stormy struct {
	to     http.RoundTripper
	faults []func() (*http.Response, error)
	asked  int // number of requests about commands
}

func (s *stormy) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.Contains(req.URL.Path, "/commands") {
		return s.to.RoundTrip(req)
	}
	s.asked++
	if len(s.faults) > 0 {
		fault := s.faults[0]
		s.faults = s.faults[1:]
		return fault()
	}
	return s.to.RoundTrip(req)
}

// The registration is tried again after a server error, a broken connection, a rate limit and an unreadable answer,
// until it succeeds. A wrong token ends it with an error for the operator.
func TestRegisteringIsPatient(t *testing.T) {
	srv := localdiscord.New(localdiscord.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	answer := func(status int, kind, body string) func() (*http.Response, error) {
		return func() (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}},
				Body: io.NopCloser(strings.NewReader(body))}, nil
		}
	}
	client := srv.HTTPClient()
	storm := &stormy{to: client.Transport, faults: []func() (*http.Response, error){
		answer(http.StatusInternalServerError, "text/html", "<html>"),
		func() (*http.Response, error) { return nil, io.ErrUnexpectedEOF },
		answer(http.StatusTooManyRequests, "text/html", "<html>slow down</html>"),
		answer(http.StatusOK, "application/json", "[{"),
	}}
	faults := len(storm.faults)
	client.Transport = storm
	session, err := NewSession(srv.Token(), client)
	if err != nil {
		t.Fatal(err)
	}
	session.MaxRestRetries = 0
	r := NewRegistrar(session, some(), slog.New(slog.DiscardHandler))
	var waits []time.Duration
	r.wait = func(ctx context.Context, d time.Duration) error { waits = append(waits, d); return ctx.Err() }
	application, err := New(session, timesource.System{}, slog.New(slog.DiscardHandler)).Identify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if done, err := r.Register(t.Context(), application.ID); done || err != nil {
		t.Fatalf("with Discord ill, registering is done %v, and fails with %v", done, err)
	}
	r.Keep(t.Context(), application.ID)
	if len(storm.faults) > 0 || len(waits) != faults || waits[len(waits)-1] <= waits[0] {
		t.Errorf("after %d faults it gave up: %d are left, it waited %v", faults, len(storm.faults), waits)
	}
	asked := storm.asked
	if done, err := r.Register(t.Context(), application.ID); !done || err != nil || storm.asked != asked+1 {
		t.Errorf("the commands are there; registering again: %v, %v, with %d requests", done, err, storm.asked-asked)
	}
	storm.faults = []func() (*http.Response, error){answer(http.StatusUnauthorized, "application/json",
		`{"message": "401: Unauthorized", "code": 0}`)}
	var se *StartError
	if _, err := r.Register(t.Context(), application.ID); !errors.As(err, &se) {
		t.Errorf("with a wrong token, registering fails with %v", err)
	}
}

// Register does not wait when Discord demands a pause of a minute, but logs the failure. Keep registers the commands
// after the minute.
func TestRegisteringDoesNotWaitForALimit(t *testing.T) {
	srv, _, _ := harbour(t)
	client := srv.HTTPClient()
	storm := &stormy{to: client.Transport, faults: []func() (*http.Response, error){func() (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusTooManyRequests,
				Header: http.Header{"Content-Type": {"application/json"}},
				Body: io.NopCloser(
					strings.NewReader(
						`{"message": "You are being rate limited.", "retry_after": 60, "global": false}`))},
			nil
	}}}
	client.Transport = storm
	session, err := NewSession(srv.Token(), client)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	r := NewRegistrar(session, some(), slog.New(slog.NewTextHandler(&log, nil)))
	var waits []time.Duration
	r.wait = func(ctx context.Context, d time.Duration) error { waits = append(waits, d); return ctx.Err() }
	done, err := r.Register(t.Context(), localdiscord.Application)
	if done || err != nil || storm.asked != 1 || !strings.Contains(log.String(), "could not be registered") {
		t.Fatalf("registering is done: %v, %v, after %d requests; the log has %q", done, err, storm.asked, &log)
	}
	r.Keep(t.Context(), localdiscord.Application)
	if len(waits) != 1 || waits[0] != time.Minute || !strings.Contains(log.String(), "commands are registered") {
		t.Errorf("it waited %v before the next attempt, want a minute; the log has %q", waits, &log)
	}
}

// A bot without an Activity leaves Discord's Entry Point command unchanged. With Activities switched on, Discord has
// this command, which is not the bot's, and refuses a list without it. The command does not count as a change of the
// bot's own commands. If Discord adds it between the bot's two requests, the registration is not done, and succeeds at
// the next attempt.
func TestRegisteringKeepsTheEntryPoint(t *testing.T) {
	srv := localdiscord.New(localdiscord.Options{Log: slog.New(slog.DiscardHandler)})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	client := srv.HTTPClient()
	late := &hooked{to: client.Transport, before: func(q *http.Request) {
		if q.Method == http.MethodPut {
			srv.Admin.EnableActivities()
		}
	}}
	client.Transport = late
	session, err := NewSession(srv.Token(), client)
	if err != nil {
		t.Fatal(err)
	}
	r := NewRegistrar(session, some(), slog.New(slog.DiscardHandler))
	if done, err := r.Register(t.Context(), localdiscord.Application); done || err != nil {
		t.Fatalf("with the Entry Point added just before the list came: registered %v, %v", done, err)
	}
	_, before, err := r.registered(t.Context(), localdiscord.Application)
	if err != nil || len(before) != 1 {
		t.Fatalf("%d Entry Points, %v", len(before), err)
	}
	for n := range 2 {
		if changed, err := r.register(t.Context(), localdiscord.Application); err != nil || changed != (n == 0) {
			t.Errorf("time %d: registered %v, %v", n+1, changed, err)
		}
	}
	ours, after, err := r.registered(t.Context(), localdiscord.Application)
	if err != nil || len(ours) != len(some()) || len(after) != 1 || string(after[0]) != string(before[0]) {
		t.Errorf("afterwards there are %d commands of ours and the Entry Points %s, %v; want %d and %s", len(ours),
			after, err, len(some()), before)
	}
}

// A bot with an Activity registers once to handle the Entry Point command itself. The command keeps its name.
func TestTheBotAnswersTheEntryPoint(t *testing.T) {
	srv := localdiscord.New(localdiscord.Options{Log: slog.New(slog.DiscardHandler)})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	srv.Admin.EnableActivities()
	session, err := NewSession(srv.Token(), srv.HTTPClient())
	if err != nil {
		t.Fatal(err)
	}
	r := NewRegistrar(session, some(), slog.New(slog.DiscardHandler))
	r.Activity = true
	if changed, err := r.register(t.Context(), localdiscord.Application); err != nil || !changed {
		t.Fatalf("registered %v, %v", changed, err)
	}
	if changed, err := r.register(t.Context(), localdiscord.Application); err != nil || changed {
		t.Errorf("the second time: registered %v, %v", changed, err)
	}
	_, entries, err := r.registered(t.Context(), localdiscord.Application)
	if err != nil || len(entries) != 1 || !strings.Contains(string(entries[0]), `"handler":1`) ||
		!strings.Contains(string(entries[0]), `"name":"launch"`) {
		t.Errorf("the Entry Points are %s, %v", entries, err)
	}
}

// hooked calls a hook for each request before it is sent.
type hooked struct {
	to     http.RoundTripper
	before func(*http.Request)
}

func (h *hooked) RoundTrip(q *http.Request) (*http.Response, error) {
	h.before(q)
	return h.to.RoundTrip(q)
}
