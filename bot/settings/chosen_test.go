package settings_test

import (
	"testing"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/table"
)

// @everyone, which Discord offers with the roles, is no restriction where a role is demanded, and refused where a role
// is named to somebody.
func TestEveryoneIsChosenAsARole(t *testing.T) {
	t.Parallel()
	const mary, everyone = localdiscord.Mary, localdiscord.Tortuga
	r := bottest.New(t)
	r.Configure(localdiscord.Tortuga, func(c *table.Settings) { c.OpenerRole, c.Asks.Role = "12345", "12345" })
	panel := r.Command(mary, bottest.Tavern, "server settings")
	bottest.Contains(t, "moderators", r.Choose(mary, panel, bottest.MenuOf(t, panel, "warden"), everyone).Text(),
		"can't be @everyone")
	panel = r.Choose(mary, panel, bottest.MenuOf(t, panel, "opener"), everyone)
	page := r.Click(mary, panel, "Finding players…")
	bottest.Contains(t, "who is called", r.Choose(mary, page, bottest.MenuOf(t, page, "joining-call"), everyone).Text(),
		"can't be @everyone")
	r.Choose(mary, page, bottest.MenuOf(t, page, "joining-role"), everyone)
	c, err := r.Tables.Choices.Settings(r.Ctx, localdiscord.Tortuga)
	r.Must(err)
	if c.OpenerRole != "" || c.Asks.Role != "" || c.ModeratorRole != "" || c.SeekRole != "" {
		t.Errorf("the settings name the roles %q, %q, %q, %q, want none", c.OpenerRole, c.Asks.Role, c.ModeratorRole,
			c.SeekRole)
	}
}

// A channel in which the bot cannot do what it is chosen for is refused at once, with the permissions that are lacking:
// in the panel and in the form. What was chosen before stays, and one can go on changing other settings.
func TestAChannelThatIsChosenIsLookedAt(t *testing.T) {
	t.Parallel()
	const mary, tavern, harbour = localdiscord.Mary, localdiscord.TortugaTavern, localdiscord.TortugaHarbour
	r := bottest.New(t)
	r.Must(r.Server.Admin.DenyBot(harbour, localdiscord.PermissionSendMessages|localdiscord.PermissionAttachFiles))
	panel := r.Command(mary, tavern, "server settings")
	said := r.Choose(mary, panel, bottest.MenuOf(t, panel, "channels"), harbour)
	bottest.Contains(t, "for tables", said.Text(), "I can't post properly in <#"+harbour+">",
		"Send Messages", "Attach Files")
	said = r.Choose(mary, panel, bottest.MenuOf(t, panel, "log"), harbour)
	bottest.Contains(t, "for the log", said.Text(), "I don't have the permission Send Messages")
	page := r.Click(mary, panel, "Finding players…")
	said = r.Choose(mary, page, bottest.MenuOf(t, page, "joining-channel"), harbour)
	bottest.Contains(t, "for those who look for a game", said.Text(), "I don't have the permission Send Messages")
	form := func() *localdiscord.Modal {
		t.Helper()
		panel := r.Command(mary, tavern, "server settings")
		button, _ := panel.Button("Common settings in one form")
		reply, err := r.Server.Click(r.Ctx, mary, panel.ID, button.CustomID)
		if err != nil || reply.Modal == nil {
			t.Fatalf("no form: %v\n%s", err, r.Log)
		}
		return reply.Modal
	}
	said = r.Submit(mary, form(), localdiscord.Opt("channels", []string{harbour}))
	bottest.Contains(t, "in the form", said.Text(), "I can't post properly in <#"+harbour+">")
	settings := func() table.Settings {
		t.Helper()
		c, err := r.Tables.Choices.Settings(r.Ctx, localdiscord.Tortuga)
		r.Must(err)
		return c
	}
	if c := settings(); len(c.Channels) > 0 || c.LogChannel != "" || c.SeekChannel != "" {
		t.Errorf("the channel was taken: %+v", c)
	}

	r.Must(r.Server.Admin.DenyBot(harbour, 0))
	r.Submit(mary, form(), localdiscord.Opt("channels", []string{harbour}))
	r.Must(r.Server.Admin.DenyBot(harbour, localdiscord.PermissionSendMessages))
	r.Submit(mary, form(), localdiscord.Opt("boards", "replace"))
	if c := settings(); len(c.Channels) != 1 || c.Boards != choices.BoardsReplace {
		t.Errorf("the settings are %+v, want the channel that was chosen before, and boards replaced", c)
	}
}

// A select in which nothing is chosen comes without values, as phones send it, and nothing is chosen.
func TestAnEmptiedSelect(t *testing.T) {
	t.Parallel()
	const mary, tavern, harbour = localdiscord.Mary, localdiscord.TortugaTavern, localdiscord.TortugaHarbour
	r := bottest.New(t)
	channels := func() []string {
		t.Helper()
		c, err := r.Tables.Choices.Settings(r.Ctx, localdiscord.Tortuga)
		r.Must(err)
		return c.Channels
	}
	panel := r.Command(mary, tavern, "server settings")
	menu := bottest.MenuOf(t, panel, "channels")
	r.Choose(mary, panel, menu, harbour)
	if got := channels(); len(got) != 1 {
		t.Fatalf("the channels are %v after one was chosen", got)
	}
	reply, err := r.Server.Select(r.Ctx, mary, panel.ID, menu)
	r.Answer(reply, err, "nothing chosen")
	if got := channels(); len(got) != 0 {
		t.Errorf("the channels are %v after none was chosen", got)
	}
}
