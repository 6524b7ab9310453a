package interact_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"marque/bot/bottest"
	"marque/bot/gateway"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games/catalog"
	"marque/storage"
)

// directly installs the bot for a user, and returns the channel of the user's direct messages with the bot.
func directly(r *bottest.Rig, user string) string {
	r.T.Helper()
	dm, err := r.Server.DM(user)
	if err == nil {
		err = r.Server.Admin.SetInstalled(user, true)
	}
	if err != nil {
		r.T.Fatal(err)
	}
	return dm
}

// Every slash command has an answer on a server, in direct messages, in a group and on a server without the bot.
// TestGamesAbroad tests the last two for /play. Commands that need a server are offered only there, unless their
// family has commands that need none. Elsewhere, forged ones are refused with a text.
func TestCommandsByPlace(t *testing.T) {
	t.Parallel()
	const (
		server  = "That needs a server I'm on."
		yours   = "You have no game going on in our direct messages."
		here    = "There's no game going on in this channel."
		anybody = "" // any answer
	)
	game := bottest.TextOption("game", bottest.LoyalCaptain)
	type answers struct {
		options               []map[string]any
		guild, direct, abroad string
	}
	places := map[string]answers{
		"play": {[]map[string]any{game}, "is open", "starts right here",
			"is in our direct messages"},
		"seek":           {nil, "You're looking for players in", server, server},
		"table join":     {nil, here, server, server},
		"table invite":   {nil, here, server, server},
		"table leave":    {nil, here, server, server},
		"table computer": {[]map[string]any{bottest.TextOption("level", "easy")}, here, server, server},
		"table start":    {nil, here, yours, yours},
		"table plan":     {nil, here, yours, yours},
		"table abandon":  {nil, here, yours, yours},
		"table host":     {nil, here, server, server},
		"table here":     {nil, here, server, server},
		"move":           {[]map[string]any{bottest.TextOption("move", "9")}, here, yours, yours},
		"board":          {nil, here, yours, yours},
		"table hand":     {nil, here, yours, yours},
		"table undo":     {nil, here, yours, yours},
		"table draw":     {nil, here, yours, yours},
		"table resign":   {nil, here, yours, yours},
		"hint":           {nil, here, yours, yours},
		"record replay":  {nil, here, yours, yours},
		"record export":  {nil, here, yours, yours},
		"record verify":  {nil, here, yours, yours},
		"record review":  {nil, here, yours, yours},
		"record report":  {nil, here, yours, yours},
		"record card":    {nil, here, yours, yours},
		"record study":   {nil, here, yours, yours},
		"record import": {[]map[string]any{bottest.LostFile}, "I couldn't get this file", "I couldn't get this file",
			"I couldn't get this file"},
		"record history": {nil, "Games on this server", "Your games", "Your games"},
		"record stats":   {nil, anybody, server, server},
		"games":          {nil, "no tables to show", "no tables to show", "no tables to show"},
		"rules":          {[]map[string]any{game}, "Loyal Captain", "Loyal Captain", "Loyal Captain"},
		"help": {nil, "Start with “/play”", "in our direct messages",
			"in our direct messages"},
		"learn":          {[]map[string]any{game}, "Loyal Captain", "Loyal Captain", "Loyal Captain"},
		"puzzle":         {nil, "★", "★", "★"},
		"leaderboard":    {nil, anybody, server, server},
		"profile":        {nil, anybody, server, server},
		"me preferences": {nil, "Your preferences", "Your preferences", "Your preferences"},
		"me privacy":     {nil, "What I keep", "What I keep", "What I keep"},
		"me predictions": {nil, "Nobody yet", server, server},
		"table predict":  {nil, here, server, server},
		"me year":        {nil, "our year", "our year", "our year"},
		"me away":        {nil, "You aren't away", server, server},
		"tournament":     {nil, anybody, server, server},
		"league":         {nil, anybody, server, server},
		"ladder":         {nil, anybody, server, server},
		"moderate create tournament": {[]map[string]any{game, bottest.TextOption("name", "Cup")}, "is tournament #",
			server, server},
		"moderate create league": {[]map[string]any{game, bottest.TextOption("name", "Cup")}, "is league #", server,
			server},
		"moderate create ladder": {[]map[string]any{game, bottest.TextOption("name", "Cup")}, "is ladder #", server,
			server},
		"moderate competition settings":   {nil, anybody, server, server},
		"moderate competition start":      {nil, anybody, server, server},
		"moderate competition remove":     {nil, anybody, server, server},
		"moderate competition substitute": {nil, anybody, server, server},
		"moderate competition cancel":     {nil, anybody, server, server},
		"moderate competition here": {[]map[string]any{bottest.TextOption("competition", "9")},
			"or ladder with that number here", server, server},
		"server panel":           {nil, anybody, server, server},
		"server settings":        {nil, anybody, server, server},
		"server puzzle":          {nil, anybody, server, server},
		"server season start":    {nil, anybody, server, server},
		"server season end":      {nil, anybody, server, server},
		"server ratings void":    {nil, anybody, server, server},
		"server ratings restore": {nil, anybody, server, server},
		"server ratings few":     {nil, anybody, server, server},
		"server ratings least":   {nil, anybody, server, server},
		"moderate pause":         {nil, here, server, server},
		"moderate resume":        {nil, here, server, server},
		"moderate end":           {nil, here, server, server},
		"moderate remove":        {nil, here, server, server},
	}
	r := bottest.New(t)
	anne := localdiscord.Anne
	dm := directly(r, anne)
	session, err := gateway.NewSession(r.Server.Token(), r.Server.HTTPClient())
	if err != nil {
		t.Fatal(err)
	}
	registered, err := session.ApplicationCommands(localdiscord.Application, "")
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]bool{}
	var walk func(path string, options []*discordgo.ApplicationCommandOption)
	walk = func(path string, options []*discordgo.ApplicationCommandOption) {
		if len(options) == 0 || options[0].Type > discordgo.ApplicationCommandOptionSubCommandGroup {
			commands[path] = true
		}
		for _, o := range options {
			if o.Type <= discordgo.ApplicationCommandOptionSubCommandGroup {
				walk(path+" "+o.Name, o.Options)
			}
		}
	}
	for _, c := range registered {
		if c.Type == discordgo.ChatApplicationCommand { // TestContextMenus tests context menu commands
			walk(c.Name, c.Options)
		}
	}
	for path := range commands {
		if _, ok := places[path]; !ok {
			t.Errorf("nobody has said what /%s answers where", path)
		}
	}
	first := func(path string) string { return strings.Fields(path)[0] }
	offered := map[string]bool{}
	for path, a := range places {
		offered[first(path)] = offered[first(path)] || a.direct != server
	}
	paths := slices.Sorted(maps.Keys(places))
	slices.SortStableFunc(paths, func(a, b string) int { // /play is last: it changes other answers
		if (a == "play") == (b == "play") {
			return 0
		}
		if a == "play" {
			return 1
		}
		return -1
	})
	for i, place := range []struct{ name, channel string }{{"abroad", localdiscord.RoatanBeach},
		{"in a group", localdiscord.Longboat}, {"in direct messages", dm},
		{"on a server", localdiscord.TortugaHarbour}} {
		for _, path := range paths {
			a := places[path]
			want := []string{a.abroad, a.abroad, a.direct, a.guild}[i]
			if i < 3 {
				if _, err := r.Server.Command(r.Ctx, anne, place.channel, path); errors.Is(err,
					localdiscord.ErrNoCommand) == offered[first(path)] {
					t.Errorf("/%s %s: offered is %v, want %v (%v)", path, place.name, !offered[first(path)],
						offered[first(path)], err)
				}
			}
			if i < 2 && path == "play" {
				continue // TestGamesAbroad tests the answer
			}
			m := r.ForgeCommand(anne, place.channel, path, a.options...)
			if !strings.Contains(m.Text(), want) || m.Text() == "" || strings.Contains(m.Text(),
				"Something went wrong") {
				t.Errorf("/%s %s says %q, want %q", path, place.name, m.Text(), want)
			}
			if i < 2 && m.EphemeralTo != anne {
				t.Errorf("/%s %s is seen by others", path, place.name)
			}
		}
	}
}

// A user who shares no server with the bot can play every game against computers to its end in direct messages, even if
// the bot restarts during the game.
func TestGamesInDirectMessages(t *testing.T) {
	for _, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			r := bottest.New(t)
			anne := localdiscord.Anne
			for _, guild := range []string{localdiscord.Tortuga, localdiscord.Nassau} {
				if err := r.Server.Admin.KickBot(guild); err != nil {
					t.Fatal(err)
				}
			}
			dm := directly(r, anne)
			least, _ := g.Seats()
			rng := rand.New(rand.NewPCG(5, 9))
			before := r.Latest(dm)
			said := r.Command(anne, dm, "play", localdiscord.Opt("game", g.Key()), localdiscord.Opt("level", "easy"))
			if !strings.Contains(said.Text(), "starts right here") || said.EphemeralTo != anne {
				t.Fatalf("/play says %q to %q", said.Text(), said.EphemeralTo)
			}
			turn := r.Next(dm, before, bottest.TurnOrEnd)
			for moves := 0; !bottest.IsOver(turn); moves++ {
				if moves > 600 {
					t.Fatalf("the game has not ended after %d moves", moves)
				}
				if who := r.ToMove(turn); moves == 0 && who != anne {
					t.Fatalf("message %q calls %s, want Anne", turn.Text(), who)
				}
				if moves == 2 {
					r.Stop()
					r.Start()
				}
				if moves%5 == 1 {
					if said := r.StepThrough(anne, turn, rng); !strings.Contains(said, "Played:") {
						t.Fatalf("move %d was answered %q", moves, said)
					}
				} else if said := r.TypeMove(anne, dm, rng); !strings.Contains(said, "Played:") {
					t.Fatalf("move %d was answered %q", moves, said)
				}
				turn = r.TurnAfter(dm, turn)
			}
			snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
			if err != nil {
				t.Fatal(err)
			}
			if snap.Guild != "" || snap.Channel != dm || len(snap.Seats) != max(least, 2) || !snap.Unrated() ||
				snap.Card.Message != "" {
				t.Errorf("the table is %+v", snap.Head)
			}
			board, err := r.Store.Leaderboard(r.Ctx, storage.BoardQuery{Board: storage.Board{Computers: true},
				Limit: 10})
			if err != nil || board.Total != 0 {
				t.Errorf("%d stand on a leaderboard of no server, %v", board.Total, err)
			}
			if strings.Contains(turn.Text(), "/leaderboard") {
				t.Errorf("the end leads to a leaderboard of no server: %s", turn.Text())
			}
			r.WantText(r.Command(anne, dm, "record history"), "#1 ")
			r.WantText(r.Command(anne, dm, "record verify"), "follows the rules")
			if g.Key() == bottest.LoyalCaptain {
				r.WantText(r.Click(anne, turn, "Rematch"), "starts right here")
				r.Next(dm, turn.ID, bottest.IsTurn)
			}
		})
	}
}

// /play on a server without the bot opens a game in direct messages, and the answer links to it. If the user's direct
// messages are closed, it opens no game and gives the reason.
func TestGamesAbroad(t *testing.T) {
	t.Parallel()
	const anne, bart, grace = localdiscord.Anne, localdiscord.Bart, localdiscord.Grace
	opt := localdiscord.Opt
	r := bottest.New(t)
	dm := directly(r, anne)
	for i, channel := range []string{localdiscord.RoatanBeach, localdiscord.Longboat} {
		before := r.Latest(dm)
		said := r.Command(anne, channel, "play", opt("game", bottest.LoyalCaptain), opt("level", "easy"))
		board := r.Next(dm, before, bottest.IsTurn)
		link := "https://discord.com/channels/@me/" + dm
		if r.WantText(said, link); said.EphemeralTo != anne {
			t.Errorf("the answer is seen by %q", said.EphemeralTo)
		}
		if !slices.ContainsFunc(r.Server.Messages(dm, anne), func(m *localdiscord.Message) bool {
			return strings.Contains(said.Text(), m.ID) && strings.Contains(m.Text(), "Here is your game")
		}) {
			t.Errorf("%q leads to no message", said.Text())
		}
		// Commands about the table also work on that server. Their answers are private.
		if i == 0 {
			r.WantText(r.Command(anne, channel, "board", opt("share", true)), "Loyal Captain")
			if said := r.TypeMove(anne, channel, rand.New(rand.NewPCG(1, 2))); !strings.Contains(said, "Played:") {
				t.Errorf("a move from afar is answered %q", said)
			}
			r.TurnAfter(dm, board)
			r.WantText(r.Command(anne, channel, "games"), link)
		}
	}
	r.WantText(r.Command(anne, localdiscord.RoatanBeach, "board"), "You have 2 games in our direct messages.")

	if err := r.Server.Admin.SetInstalled(grace, true); err != nil {
		t.Fatal(err)
	}
	tables := r.StateOf()
	r.WantText(r.Command(grace, localdiscord.RoatanBeach, "play", opt("game", bottest.LoyalCaptain)),
		"I can't send you direct messages")
	r.WantText(r.Command(anne, dm, "play", opt("game", bottest.LoyalCaptain), opt("opponent", bart)),
		"To play other people you need a server I'm on.")
	if now := r.StateOf(); now != tables {
		t.Errorf("the tables were\n%sand are\n%s", tables, now)
	}
	for _, m := range slices.Concat(r.Server.Messages(localdiscord.RoatanBeach, bart),
		r.Server.Messages(localdiscord.Longboat, bart)) {
		t.Errorf("Bart sees %q", m.Text())
	}
}

// A table in direct messages belongs only to its player: another user does not find it in direct messages, on the
// servers that both share, or with a forged request. It is part of the player's data when they are exported or deleted,
// and not part of a server's.
func TestDirectTablesAreTheirPlayersAlone(t *testing.T) {
	t.Parallel()
	const anne, jack, harbour = localdiscord.Anne, localdiscord.Jack, localdiscord.TortugaHarbour
	opt := localdiscord.Opt
	r := bottest.New(t)
	dm, his := directly(r, anne), directly(r, jack)
	r.Command(anne, dm, "play", opt("game", bottest.LoyalCaptain), opt("level", "easy"))
	turn := r.Next(dm, "", bottest.IsTurn)
	look := func(when string) {
		t.Helper()
		for _, channel := range []string{his, harbour, localdiscord.NassauTables} {
			for _, command := range []string{"board", "record replay", "record export", "table resign"} {
				if m := r.Command(jack, channel, command, opt("table", "1")); !strings.Contains(m.Text(),
					"I can't find table 1 here.") {
					t.Errorf("%s, /%s for Jack says %q", when, command, m.Text())
				}
			}
			choices, err := r.Server.Autocomplete(r.Ctx, jack, channel, "record replay", "table", opt("table", ""))
			if err != nil || len(choices) > 0 {
				t.Errorf("%s, Jack is offered %v, %v", when, choices, err)
			}
			for _, command := range []string{"games", "record history"} {
				if m := r.Command(jack, channel, command); strings.Contains(m.Text(), "#1") {
					t.Errorf("%s, /%s for Jack says %q", when, command, m.Text())
				}
			}
		}
		list := r.Command(jack, his, "record history")
		page := r.Forge(jack, list, "history///b||"+anne+"|||")
		if strings.Contains(page.Text(), "#1") {
			t.Errorf("%s, a forged page shows %q", when, page.Text())
		}
	}
	look("while it goes on")
	button, _ := turn.Button("Move")
	r.WantText(r.Forge(jack, r.Command(jack, his, "help"), button.CustomID), "I can't find table 1 here.")
	r.WantText(r.Command(anne, harbour, "board", opt("table", "1")),
		"Table #1 is here: https://discord.com/channels/@me/"+dm)

	// Deleting a server's data does not delete the table in direct messages.
	r.Command(anne, harbour, "play", opt("game", bottest.LoyalCaptain), opt("computers", 1), opt("level", "easy"))
	r.Next(harbour, "", bottest.IsTurn)
	r.WantText(r.Command(anne, dm, "board", opt("table", "2")), "Table #2 is here")
	if err := r.Servers.Delete(r.Ctx, localdiscord.Tortuga); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Store.Load(r.Ctx, 2); !errors.Is(err, storage.ErrNoTable) {
		t.Errorf("the server's table is there: %v", err)
	}
	r.WantText(r.Command(anne, dm, "board"), "Loyal Captain")
	all, err := r.Privacy.Export(r.Ctx, anne)
	if err != nil || len(all.Tables) != 1 || all.Tables[0].Channel != dm || all.Tables[0].Server != "" {
		t.Errorf("Anne's data are %+v, %v", all.Tables, err)
	}
	r.Click(anne, r.Command(anne, dm, "table resign"), "Yes, resign")
	r.Next(dm, turn.ID, bottest.IsOver)
	look("when it is over")
	if err := r.Privacy.Forget(r.Ctx, anne); err != nil {
		t.Fatal(err)
	}
	r.Eventually("nothing of Anne is stored", func() bool { return r.Stored(anne, dm) == nil })
}

// A game waits while its player accepts no direct messages from the bot. The player is told with the next answer. The
// game continues after the player accepts messages again.
func TestDirectMessagesThatAreClosed(t *testing.T) {
	t.Parallel()
	anne := localdiscord.Anne
	r := bottest.New(t)
	dm := directly(r, anne)
	r.Command(anne, dm, "play", localdiscord.Opt("game", bottest.LoyalCaptain), localdiscord.Opt("level", "easy"))
	turn := r.Next(dm, "", bottest.IsTurn)
	open := r.Server.AddFault(localdiscord.Fault{
		Method: http.MethodPost, Path: "/channels/" + dm + "/messages", Status: http.StatusForbidden,
		Body: fmt.Sprintf(`{"message": "Cannot send messages to this user", "code": %d}`, 50007),
	})
	r.TypeMove(anne, dm, rand.New(rand.NewPCG(1, 2)))
	r.Eventually("the game waits", func() bool {
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
		prefs, perr := r.Tables.Choices.Preferences(r.Ctx, anne)
		return err == nil && perr == nil && snap.Paused == storage.PausedChannelGone && len(prefs.Notices) > 0
	})
	r.Command(anne, dm, "help")
	if _, err := r.WaitMessage(dm, anne, func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), "Discord doesn't let me write in our direct messages")
	}); err != nil {
		t.Errorf("Anne is not told: %v", err)
	}
	open()
	r.Eventually("it goes on", func() bool {
		r.Command(anne, dm, "help")
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
		return err == nil && snap.Paused == ""
	})
	r.Next(dm, turn.ID, bottest.TurnOrEnd)
}

// A table in direct messages is closed if Discord refuses the message with its options. The player is told with the
// next answer, in words for direct messages.
func TestALobbyInDirectMessagesThatAreClosed(t *testing.T) {
	t.Parallel()
	anne, opt := localdiscord.Anne, localdiscord.Opt
	r := bottest.New(t)
	dm := directly(r, anne)
	form := r.PlayForm(anne, dm)
	r.Server.AddFault(localdiscord.Fault{
		Method: http.MethodPost, Path: "/channels/" + dm + "/messages", Status: http.StatusForbidden,
		Body: `{"message": "Cannot send messages to this user", "code": 50007}`,
	})
	r.Submit(anne, form, opt("game", bottest.LoyalCaptain), opt("wishes", []string{"options"}))
	r.Eventually("the table is closed", func() bool {
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
		return err == nil && snap.Status == table.Over
	})
	r.Command(anne, dm, "help")
	m, err := r.WaitMessage(dm, anne, func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), "I've closed table #1 (Loyal Captain)")
	})
	if err != nil {
		t.Fatalf("Anne is not told: %v", err)
	}
	r.WantText(m, "Discord doesn't let me write in our direct messages")
	r.WantText(m, "then open a new one")
}
