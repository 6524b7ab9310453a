package bot_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"marque/bot"
	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/show"
	"marque/storage"
)

// route is a registered command or subcommand.
type route struct {
	name, sub string
	options   []*discordgo.ApplicationCommandOption
}

func (c route) String() string { return strings.TrimSpace("/" + c.name + " " + c.sub) }

// routes returns all commands with their subcommands, but not the subcommands in groups.
func routes(commands []*discordgo.ApplicationCommand) (list []route) {
	for _, c := range commands {
		own := route{name: c.Name}
		for _, o := range c.Options {
			if o.Type == discordgo.ApplicationCommandOptionSubCommand {
				list = append(list, route{c.Name, o.Name, o.Options})
			} else {
				own.options = append(own.options, o)
			}
		}
		if len(c.Options) == 0 || own.options != nil {
			list = append(list, own)
		}
	}
	return list
}

// data returns Discord's data for a use of the route. Each required option has a value, and the given option has the
// given value.
func (c route) data(option, value string, focused bool) map[string]any {
	list := []any{}
	for _, o := range c.options {
		given := map[string]any{"name": o.Name, "type": int(o.Type)}
		switch {
		case o.Name == option:
			given["value"] = value
			if focused {
				given["focused"] = true
			}
		case !o.Required:
			continue
		case len(o.Choices) > 0:
			given["value"] = o.Choices[0].Value
		case o.Type == discordgo.ApplicationCommandOptionUser:
			given["value"] = localdiscord.Anne
		case o.Type == discordgo.ApplicationCommandOptionInteger:
			given["value"] = 1
		case o.Type == discordgo.ApplicationCommandOptionBoolean:
			given["value"] = true
		default:
			given["value"] = "x"
		}
		list = append(list, given)
	}
	if c.sub != "" {
		list = []any{map[string]any{"name": c.sub, "type": 1, "options": list}}
	}
	return map[string]any{"id": "1", "name": c.name, "type": 1, "options": list}
}

// heard returns the title and the inputs of a form, or the text of an answer with the labels and custom_ids of its
// controls.
func heard(r *bottest.Rig, user, channel, message string, kind int, data map[string]any) string {
	r.T.Helper()
	reply, err := r.Server.Forge(r.Ctx, user, channel, message, kind, data)
	if err != nil {
		r.T.Fatalf("kind %d, %v: %v\n%s", kind, data, err, r.Log)
	}
	if reply.Modal != nil {
		return fmt.Sprintf("a form %q with %+v", reply.Modal.Title, reply.Modal.Inputs)
	}
	m, err := reply.Message(r.Ctx)
	if errors.Is(err, localdiscord.ErrNoMessage) {
		return "nothing"
	}
	if err != nil {
		r.T.Fatalf("kind %d, %v: %v\n%s", kind, data, err, r.Log)
	}
	said := m.Text()
	for _, c := range m.Interactive() {
		said += "\n[" + c.Label + " " + c.CustomID + "]"
	}
	return said
}

// privateTables opens tables in the captain's cabin, which only Anne and Mary can see: #1 is over, #2 is running, and
// #3 waits for players in a thread.
func privateTables(r *bottest.Rig) (channels []string) {
	const cabin = localdiscord.TortugaCabin
	r.Resigned(cabin, bottest.SeatsOf(r.T.(*testing.T), 2), localdiscord.Anne, localdiscord.Mary)
	r.Open(cabin, bottest.SeatsOf(r.T.(*testing.T), 2), []string{localdiscord.Anne, localdiscord.Mary})
	r.Command(localdiscord.Mary, cabin, "play", localdiscord.Opt("game", "pirat"), localdiscord.Opt("players", 3))
	snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 3)
	if err != nil || snap.Channel == cabin {
		r.T.Fatalf("table 3 is in %v, %v; want a thread of the cabin", snap, err)
	}
	r.Next(snap.Channel, "", bottest.IsLobby)
	r.Eventually("the third table has a card", func() bool {
		now, err := r.Tables.Lookup.Snapshot(r.Ctx, 3)
		return err == nil && now.Card.Shown != ""
	})
	return []string{cabin, snap.Channel}
}

// A user who cannot see a table's channel gets the answer for a table that does not exist, from the commands that
// routes returns and from every control. No list, autocomplete or link leads to the table, and nothing changes.
// Managers of the server are not an exception. Commands and controls are taken from the registry, so that new ones are
// tested too.
func TestTablesOfAPrivateChannel(t *testing.T) {
	t.Parallel()
	const tavern, cabin = localdiscord.TortugaTavern, localdiscord.TortugaCabin
	const none = "90909" // no table has this number
	r := bottest.New(t)
	commands, actions := bot.Everything(t)
	hidden := privateTables(r)
	role, err := r.Server.Admin.AddRole(localdiscord.Tortuga, "Bosun", localdiscord.PermissionManageGuild)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Server.Admin.SetRoles(localdiscord.Tortuga, localdiscord.Bart, role); err != nil {
		t.Fatal(err)
	}
	before := r.StateOf(hidden...)
	numbers := []string{"1", "2", "3"}

	// offers reports whether autocomplete for an option offers a user one of the private tables. The test finds the
	// options that name a table by what they offer Anne, who can see the tables.
	offers := func(user string, c route, option, typed string) bool {
		reply, err := r.Server.Forge(r.Ctx, user, tavern, "", 4, c.data(option, typed, true))
		if err != nil {
			t.Fatalf("%s, completing %s: %v", c, option, err)
		}
		for _, choice := range reply.Choices() {
			for _, n := range numbers {
				if strings.HasPrefix(choice.Name, "#"+n+" ") {
					return true
				}
			}
		}
		return false
	}
	asked := 0
	for _, c := range routes(commands) {
		for _, o := range c.options {
			if !o.Autocomplete || !offers(localdiscord.Anne, c, o.Name, "") {
				continue
			}
			asked++
			for _, user := range []string{localdiscord.Bart, localdiscord.Jack} {
				for _, n := range numbers {
					if offers(user, c, o.Name, "") || offers(user, c, o.Name, n) {
						t.Errorf("%s offers a private table to %s", c, user)
					}
					want := strings.ReplaceAll(heard(r, user, tavern, "", 2, c.data(o.Name, none, false)), none, n)
					if got := heard(r, user, tavern, "", 2, c.data(o.Name, n, false)); got != want {
						t.Errorf("%s with the private table %s is answered\n%s\nas if there were none:\n%s", c, n, got,
							want)
					}
				}
			}
		}
	}
	if asked < 15 {
		t.Errorf("%d options name a table", asked)
	}
	for _, a := range actions {
		note := r.Command(localdiscord.Bart, tavern, "help") // has controls, and is new enough to be kept
		for _, kind := range []int{3, 5} {
			for _, n := range numbers {
				id := func(table string) map[string]any {
					path := show.CustomID{Action: a, Table: table}.String()
					if kind == 5 {
						return map[string]any{"custom_id": path, "components": []any{}}
					}
					return map[string]any{"custom_id": path, "component_type": 2}
				}
				want := strings.ReplaceAll(heard(r, localdiscord.Bart, tavern, note.ID, kind, id(none)), none, n)
				if got := heard(r, localdiscord.Bart, tavern, note.ID, kind, id(n)); got != want {
					t.Errorf("the control %q of the private table %s is answered\n%s\nas if there were none:\n%s", a, n,
						got, want)
				}
			}
		}
	}
	// Commands for which no table is given do not mention the private tables either.
	tell := func(what, said string) {
		for _, id := range hidden {
			if strings.Contains(said, id) {
				t.Errorf("%s leads to a private channel:\n%s", what, said)
			}
		}
	}
	for _, c := range routes(commands) {
		if c.name != "play" {
			tell(c.String(), heard(r, localdiscord.Bart, tavern, "", 2, c.data("", "", false)))
		}
	}
	tell("/games open", r.Command(localdiscord.Jack, tavern, "games", localdiscord.Opt("open", true)).Text())
	tell("/profile", r.Command(localdiscord.Jack, tavern, "profile",
		localdiscord.Opt("player", localdiscord.Anne)).Text())
	if after := r.StateOf(hidden...); after != before {
		t.Errorf("what was refused changed the tables:\n%s\nbefore:\n%s", after, before)
	}

	// finds reports whether a user finds the private tables from another channel. It fails the test if /games lists
	// only some of them, or if /board disagrees with /games.
	finds := func(user string) bool {
		said := r.Command(user, tavern, "games").Text()
		there := r.Command(user, tavern, "board", localdiscord.Opt("table", "2")).Text()
		all := 0
		for _, id := range hidden {
			if strings.Contains(said, id) {
				all++
			}
		}
		if listed := all == len(hidden); listed == strings.Contains(there, "I can't find table 2 here.") || all != 0 &&
			!listed {
			t.Errorf("%s is told %q, and of /board %q", user, said, there)
		}
		return all > 0
	}
	overwrites := []localdiscord.Overwrite{
		{ID: localdiscord.Tortuga, Type: localdiscord.OverwriteRole, Deny: localdiscord.PermissionViewChannel},
		{ID: localdiscord.Application, Type: localdiscord.OverwriteMember, Allow: localdiscord.PermissionViewChannel},
	}
	for _, tc := range []struct {
		what string
		who  string
		add  []localdiscord.Overwrite
		want bool
	}{
		{"the owner", localdiscord.Anne, nil, true},
		{"a manager whom nothing lets in", localdiscord.Bart, nil, false},
		{"a manager whose role is let in", localdiscord.Bart,
			[]localdiscord.Overwrite{{ID: role, Type: localdiscord.OverwriteRole,
				Allow: localdiscord.PermissionViewChannel}}, true},
		{"another member", localdiscord.Jack, []localdiscord.Overwrite{{ID: role, Type: localdiscord.OverwriteRole,
			Allow: localdiscord.PermissionViewChannel}}, false},
		{"a member who is let in", localdiscord.Jack, []localdiscord.Overwrite{{ID: localdiscord.Jack,
			Type: localdiscord.OverwriteMember, Allow: localdiscord.PermissionViewChannel}}, true},
		{"a member who is let in no longer", localdiscord.Jack, nil, false},
	} {
		if err := r.Server.Admin.SetOverwrites(cabin, append(overwrites, tc.add...)...); err != nil {
			t.Fatal(err)
		}
		if got := finds(tc.who); got != tc.want {
			t.Errorf("%s finds the tables: %v", tc.what, got)
		}
	}
	if _, err := r.Tables.Lookup.Snapshot(r.Ctx, storage.ID(4)); err == nil {
		t.Error("a stranger opened a table")
	}
}
