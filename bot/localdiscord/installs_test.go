package localdiscord

import (
	"errors"
	"maps"
	"testing"

	"github.com/bwmarrin/discordgo"
)

// A command is offered if both its contexts and the ways in which the application is installed allow it. Its
// interaction reports the context and the installations, as on Discord.
func TestUserInstalls(t *testing.T) {
	t.Parallel()
	anywhere := []discordgo.InteractionContextType{discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM,
		discordgo.InteractionContextPrivateChannel}
	here := anywhere[:1]
	both := []discordgo.ApplicationIntegrationType{discordgo.ApplicationIntegrationGuildInstall,
		discordgo.ApplicationIntegrationUserInstall}
	server := both[:1]
	srv, bot := start(t, Options{},
		&discordgo.ApplicationCommand{Name: "rules", Description: "d", Contexts: &anywhere, IntegrationTypes: &both},
		&discordgo.ApplicationCommand{Name: "seat", Description: "d", Contexts: &here, IntegrationTypes: &server})
	ctx := background(t)
	came := make(chan *discordgo.InteractionCreate, 1)
	bot.on(func(i *discordgo.InteractionCreate) {
		came <- i
		bot.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: "Here they are.",
				Flags: discordgo.MessageFlagsEphemeral}})
	})
	dm := must[string](t)(srv.DM(Bart))
	type owners = map[discordgo.ApplicationIntegrationType]string
	for _, tc := range []struct {
		name      string
		installed bool
		channel   string
		rules     owners // owners of the installations that provide /rules; nil if none does
		seat      bool   // whether /seat is offered
		context   discordgo.InteractionContextType
	}{
		{"a server with the bot", false, TortugaTables, owners{0: Tortuga}, true, 0},
		{"a server with the bot, installed", true, TortugaTables, owners{0: Tortuga, 1: Bart}, true, 0},
		{"the DM with the bot", false, dm, owners{0: "0"}, false, 1},
		{"the DM with the bot, installed", true, dm, owners{0: "0", 1: Bart}, false, 1},
		{"a server without the bot", false, RoatanBeach, nil, false, 0},
		{"a server without the bot, installed", true, RoatanBeach, owners{1: Bart}, false, 0},
		{"a group", false, Longboat, nil, false, 2},
		{"a group, installed", true, Longboat, owners{1: Bart}, false, 2},
	} {
		if err := srv.Admin.SetInstalled(Bart, tc.installed); err != nil {
			t.Fatal(err)
		}
		if _, err := srv.Command(ctx, Bart, tc.channel, "seat"); tc.seat != (err == nil) || err != nil &&
			!errors.Is(err, ErrNoCommand) {
			t.Errorf("%s: /seat: %v", tc.name, err)
		}
		if tc.seat {
			<-came
		}
		reply, err := srv.Command(ctx, Bart, tc.channel, "rules")
		if tc.rules == nil {
			if !errors.Is(err, ErrNoCommand) {
				t.Errorf("%s: /rules: %v, want ErrNoCommand", tc.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: /rules: %v", tc.name, err)
			continue
		}
		i := <-came
		guild, ofGuild := map[string]string{TortugaTables: Tortuga, RoatanBeach: Roatan}[tc.channel], i.Member != nil
		if !maps.Equal(i.AuthorizingIntegrationOwners, tc.rules) || i.Context != tc.context || i.GuildID != guild ||
			ofGuild != (guild != "") || ofGuild == (i.User != nil) {
			t.Errorf("%s: owners %v, context %d, server %q, member %v, user %v", tc.name,
				i.AuthorizingIntegrationOwners, i.Context, i.GuildID, i.Member, i.User)
		}
		if m := must[*Message](t)(reply.Message(ctx)); !maps.Equal(m.InteractionMetadata.AuthorizingIntegrationOwners,
			tc.rules) {
			t.Errorf("%s: the answer is by %v", tc.name, m.InteractionMetadata.AuthorizingIntegrationOwners)
		}
		if guild == Tortuga || tc.channel == dm {
			continue
		}
		// Where the bot is not a member, it can only reply to interactions.
		if status, body := raw(t, srv, "POST", "/channels/"+tc.channel+"/messages",
			`{"content":"Ahoy"}`); status != 403 || body["code"] != float64(codeMissingAccess) {
			t.Errorf("%s: a message without an interaction: %d %v", tc.name, status, body)
		}
		for n := range maxUserFollowups + 1 {
			_, err := bot.FollowupMessageCreate(i.Interaction, false, &discordgo.WebhookParams{Content: "More.",
				Flags: discordgo.MessageFlagsEphemeral})
			if rest := (*discordgo.RESTError)(nil); n < maxUserFollowups && err != nil || n == maxUserFollowups &&
				(!errors.As(err, &rest) || rest.Message.Code != codeMaxFollowups) {
				t.Errorf("%s: follow-up %d: %v", tc.name, n+1, err)
			}
		}
	}
}

// As on Discord, a bot cannot write to users who neither share a server with it nor have installed it, or who accept no
// direct messages.
func TestWhomTheBotMayWriteTo(t *testing.T) {
	t.Parallel()
	srv := lone(t)
	stranger := srv.Admin.AddUser("stranger")
	write := func(user string) (int, any) {
		_, dm := raw(t, srv, "POST", "/users/@me/channels", `{"recipient_id":"`+user+`"}`)
		status, body := raw(t, srv, "POST", "/channels/"+dm["id"].(string)+"/messages", `{"content":"psst"}`)
		return status, body["code"]
	}
	if status, code := write(stranger); status != 403 || code != float64(codeNoMutualGuilds) {
		t.Errorf("a message to a stranger: %d, code %v", status, code)
	}
	if err := srv.Admin.SetInstalled(stranger, true); err != nil {
		t.Fatal(err)
	}
	if status, _ := write(stranger); status != 200 {
		t.Errorf("a message to a stranger who has installed the bot: %d", status)
	}
	if err := srv.Admin.SetInstalled(Grace, true); err != nil {
		t.Fatal(err)
	}
	if status, code := write(Grace); status != 403 || code != float64(codeCannotDM) {
		t.Errorf("a message to Grace: %d, code %v", status, code)
	}
}
