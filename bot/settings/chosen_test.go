package settings_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/show"
	"marque/storage"
)

// Discord offers @everyone among the roles. As a role that users need, @everyone means no restriction. As the role of
// moderators or as a role for pings, @everyone is refused.
func TestEveryoneIsChosenAsARole(t *testing.T) {
	t.Parallel()
	const mary, everyone = localdiscord.Mary, localdiscord.Tortuga
	r := bottest.New(t)
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.OpenerRole, c.Asks.Role = "12345", "12345" })
	panel := r.Command(mary, bottest.Tavern, "server settings")
	bottest.Contains(t, "moderators", r.Choose(mary, panel, bottest.MenuOf(t, panel, "warden"), everyone).Text(),
		"can't be @everyone")
	r.Choose(mary, panel, bottest.MenuOf(t, panel, "opener"), everyone)
	page := r.SettingsPage(mary, bottest.Tavern, "seeks")
	bottest.Contains(t, "who is called", r.Choose(mary, page, bottest.MenuOf(t, page, "seek-role"), everyone).Text(),
		"can't be @everyone")
	page = r.SettingsPage(mary, bottest.Tavern, "asks")
	r.Choose(mary, page, bottest.MenuOf(t, page, "ask-role"), everyone)
	c, err := r.Tables.Choices.Settings(r.Ctx, localdiscord.Tortuga)
	r.Must(err)
	if c.OpenerRole != "" || c.Asks.Role != "" || c.ModeratorRole != "" || c.SeekRole != "" {
		t.Errorf("the settings name the roles %q, %q, %q, %q, want none", c.OpenerRole, c.Asks.Role, c.ModeratorRole,
			c.SeekRole)
	}
}

// A channel in which the bot lacks permissions for its purpose is refused immediately, and the answer lists them.
// Channels that were chosen before are not checked again, and other settings can still be changed.
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
	page := r.SettingsPage(mary, tavern, "seeks")
	said = r.Choose(mary, page, bottest.MenuOf(t, page, "seek-channel"), harbour)
	bottest.Contains(t, "for those who look for a game", said.Text(), "I don't have the permission Send Messages")
	settings := func() choices.Settings {
		t.Helper()
		c, err := r.Tables.Choices.Settings(r.Ctx, localdiscord.Tortuga)
		r.Must(err)
		return c
	}
	if c := settings(); len(c.Channels) > 0 || c.LogChannel != "" || c.SeekChannel != "" {
		t.Errorf("the channel was taken: %+v", c)
	}

	r.Must(r.Server.Admin.DenyBot(harbour, 0))
	panel = r.Choose(mary, panel, bottest.MenuOf(t, panel, "channels"), harbour)
	r.Must(r.Server.Admin.DenyBot(harbour, localdiscord.PermissionSendMessages))
	reply, err := r.Server.Select(r.Ctx, mary, panel.ID, bottest.MenuOf(t, panel, "channels"), harbour, tavern)
	r.Answer(reply, err, "another channel")
	page = r.SettingsPage(mary, tavern, "tables")
	r.Choose(mary, page, bottest.MenuOf(t, page, "boards"), "replace")
	if c := settings(); len(c.Channels) != 2 || c.Boards != choices.BoardsReplace {
		t.Errorf("the settings are %+v, want the channel that was chosen before with another, and boards replaced", c)
	}
}

// A select without a choice arrives without values, and clears the setting.
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

// No menu is on two pages of the settings, and no page has more than four menus. Choosing again what a menu of options
// shows as chosen changes nothing.
func TestSettingsByPages(t *testing.T) {
	t.Parallel()
	const mary, tavern, stringSelect = localdiscord.Mary, localdiscord.TortugaTavern, 3
	r := bottest.New(t)
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) {
		c.Clock, _ = show.ParseClock("5d")
		c.Clock.Late, c.Silent, c.Hints, c.Boards = storage.LateForfeit, true, true, choices.BoardsKeep
		c.SetQuiet(time.Now(), 1<<6|1, "Europe/Berlin")
		c.Asks.Answers, c.SeekPause, c.Theme = 24, 12, "dark"
	})
	settings := func() choices.Settings {
		t.Helper()
		c, err := r.Tables.Choices.Settings(r.Ctx, localdiscord.Tortuga)
		r.Must(err)
		return c
	}
	before, on := settings(), map[string]string{}
	for _, page := range []string{"people", "tables", "days", "seeks", "asks"} {
		menus := 0
		for _, c := range r.SettingsPage(mary, tavern, page).Interactive() {
			if len(c.Label) > 0 {
				continue // a button
			}
			menus++
			if other := on[c.CustomID]; other != "" {
				t.Errorf("%s is on the pages %s and %s", c.CustomID, other, page)
			}
			on[c.CustomID] = page
			if c.Type != stringSelect {
				continue
			}
			var chosen []string
			for _, o := range c.Options {
				if o.Default {
					chosen = append(chosen, o.Value)
				}
			}
			reply, err := r.Server.Select(r.Ctx, mary, r.SettingsPage(mary, tavern, page).ID, c.CustomID, chosen...)
			r.Answer(reply, err, c.CustomID)
			if got := settings(); !reflect.DeepEqual(got, before) {
				t.Errorf("%s, chosen as shown (%v), makes the settings\n%+v of\n%+v", c.CustomID, chosen, got, before)
			}
		}
		t.Logf("page %s: %d menus", page, menus)
		if menus > 4 {
			t.Errorf("the page %s has %d menus, want at most 4", page, menus)
		}
	}
}

// Each menu of the preferences and of the server's settings has its own heading, in English and in German.
func TestEveryMenuHasItsHeading(t *testing.T) {
	t.Parallel()
	const anne, mary, tavern = localdiscord.Anne, localdiscord.Mary, localdiscord.TortugaTavern
	for _, language := range []string{"en", "de"} {
		r := bottest.New(t)
		r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Language = language })
		_, err := r.Tables.Choices.ChangePreferences(r.Ctx, anne, func(p *choices.Preferences) error {
			p.Language = language
			return nil
		})
		r.Must(err)
		panel := r.Command(anne, tavern, "me preferences")
		panels := map[string]*localdiscord.Message{"preferences": panel,
			"daily": r.Choose(anne, panel, bottest.MenuOf(t, panel, "calls"), string(choices.CallDaily))}
		for _, page := range []string{"people", "tables", "days", "seeks", "asks"} {
			panels[page] = r.SettingsPage(mary, tavern, page)
		}
		menus := 0
		for name, m := range panels {
			headings, before := map[string]string{}, ""
			for _, c := range m.Components {
				switch c := c.(type) {
				case *discordgo.TextDisplay:
					before = c.Content
				case *discordgo.ActionsRow:
					menu, ok := c.Components[0].(*discordgo.SelectMenu)
					if !ok {
						break
					}
					menus++
					heading, _, found := strings.Cut(before, "**: ")
					if !found || headings[heading] != "" {
						t.Errorf("%s, %s: above the menu %s stands %q, and above %q, too", language, name,
							menu.CustomID, before, headings[heading])
					}
					headings[heading], before = menu.CustomID, ""
				}
			}
		}
		t.Logf("%s: %d menus have their headings", language, menus)
		if menus < 30 {
			t.Errorf("%s: %d menus were looked at, want 30 or more", language, menus)
		}
	}
}
