package bot_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/show"
)

// formsMade counts the places in the rooms' code where a form is made.
func formsMade(t *testing.T) (n int) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		n += strings.Count(string(source), "show.Form(")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// No form of the bot has a fault that bottest.ClientFaults knows. Each form is sent with its required values, and then
// also with all optional fields empty, as phones can send it. A form's custom_id stays the same while its content does.
// When the quiet dates change, so does the custom_id of their form.
func TestEveryForm(t *testing.T) {
	t.Parallel()
	var sent []byte // the latest form
	r := bottest.New(t, func(o *localdiscord.Options) {
		check := o.OnRequest
		o.OnRequest = func(q localdiscord.Request) {
			check(q)
			if strings.HasSuffix(q.Path, "/callback") && strings.Contains(string(q.Body), `"type":9,`) {
				sent = q.Body
			}
		}
	})
	const mary, anne, channel = localdiscord.Mary, localdiscord.Anne, bottest.Tavern
	direct, err := r.Server.DM(anne)
	r.Must(err)
	board := r.OpenLoyal(bottest.Two)
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Channels = []string{channel} })

	command := func(user, in, command string) func() (*localdiscord.Reply, error) {
		return func() (*localdiscord.Reply, error) { return r.Server.Command(r.Ctx, user, in, command) }
	}
	table := func(in string) func() (*localdiscord.Reply, error) {
		return func() (*localdiscord.Reply, error) {
			return r.Server.Click(r.Ctx, anne, r.Command(anne, in, "play").ID, "new///people")
		}
	}
	click := func(user, command, about string) func() (*localdiscord.Reply, error) {
		return func() (*localdiscord.Reply, error) {
			panel := r.Command(user, channel, command)
			return r.Server.Click(r.Ctx, user, panel.ID, bottest.MenuOf(t, panel, about))
		}
	}
	card := r.Command(mary, channel, "moderate create tournament", localdiscord.Opt("name", "Cup"),
		localdiscord.Opt("game", bottest.LoyalCaptain))
	kinds := map[string]bool{}
	for _, f := range []struct {
		name, user string
		open       func() (*localdiscord.Reply, error)
		needed     []localdiscord.Option
		changes    bool // the form has other content after it has been sent with everything emptied
	}{
		{"a table", anne, table(channel),
			[]localdiscord.Option{localdiscord.Opt("game", bottest.LoyalCaptain)}, false},
		{"a table in direct messages", anne, table(direct),
			[]localdiscord.Option{localdiscord.Opt("game", bottest.LoyalCaptain)}, false},
		{"a record", anne, command(anne, channel, "record import"),
			[]localdiscord.Option{localdiscord.Opt("file",
				localdiscord.File{Name: "game.txt", Data: []byte("Ahoy")})}, false},
		{"quiet dates", mary, func() (*localdiscord.Reply, error) {
			panel := r.SettingsPage(mary, channel, "days")
			return r.Server.Click(r.Ctx, mary, panel.ID, bottest.MenuOf(t, panel, "dates"))
		},
			[]localdiscord.Option{localdiscord.Opt("dates", time.Now().AddDate(0, 0, 10).Format(time.DateOnly))}, true},
		{"a webhook", anne, click(anne, "me preferences", "ask"),
			[]localdiscord.Option{localdiscord.Opt("set", "https://127.0.0.1/x")}, false},
		{"a competition's figures", mary, func() (*localdiscord.Reply, error) {
			rounds, _ := card.Button("Rounds and games")
			return r.Server.Click(r.Ctx, mary, card.ID, rounds.CustomID)
		}, []localdiscord.Option{localdiscord.Opt("game-days", "5"), localdiscord.Opt("break-days", "1")}, false},
		{"a fault", mary, func() (*localdiscord.Reply, error) {
			return r.Server.Menu(r.Ctx, mary, bottest.TablesChannel, "Report a fault", board.ID)
		}, []localdiscord.Option{localdiscord.Opt("fault", "upside down")}, false},
	} {
		form := func() *localdiscord.Modal {
			t.Helper()
			reply, err := f.open()
			if err != nil || reply.Modal == nil {
				t.Fatalf("%s: no form: %v\n%s", f.name, err, r.Log)
			}
			return reply.Modal
		}
		shown := form()
		id, ok := show.ParseCustomID(shown.CustomID)
		if !ok {
			t.Errorf("%s: the form has the custom_id %q", f.name, shown.CustomID)
		}
		kinds[string(id.Action)+" "+id.Arg] = true
		if again := form(); again.CustomID != shown.CustomID {
			t.Errorf("%s: the custom_id is %q, and %q when nothing has changed", f.name, shown.CustomID, again.CustomID)
		}
		r.Submit(f.user, shown, f.needed...)

		emptied := slices.Clone(f.needed)
		for _, part := range optional(t, sent) {
			emptied = slices.DeleteFunc(emptied, func(o localdiscord.Option) bool { return o.Name == part.id })
			emptied = append(emptied, localdiscord.Opt(part.id, part.empty))
		}
		last := form()
		r.Submit(f.user, last, emptied...)
		if now := form(); f.changes && now.CustomID == last.CustomID {
			t.Errorf("%s: what is filled in has changed, and the custom_id is %q as before", f.name, now.CustomID)
		}
	}
	if n := formsMade(t); n != len(kinds) {
		t.Errorf("the rooms make %d forms, and %d were seen: %v", n, len(kinds), kinds)
	}
}

// part is an optional component of a form, and the data that a client sends if it is empty.
type part struct {
	id    string
	empty any
}

// optional returns the optional parts of a form.
func optional(t *testing.T, form []byte) (list []part) {
	t.Helper()
	var body struct {
		Data struct {
			Components []struct {
				Component struct {
					Type     int    `json:"type"`
					ID       string `json:"custom_id"`
					Required *bool  `json:"required"`
				} `json:"component"`
			} `json:"components"`
		} `json:"data"`
	}
	if err := json.Unmarshal(form, &body); err != nil {
		t.Fatal(err)
	}
	for _, c := range body.Data.Components {
		if c := c.Component; c.Required != nil && !*c.Required {
			list = append(list, part{c.ID, map[bool]any{true: "", false: []string{}}[c.Type == 4]})
		}
	}
	return list
}
