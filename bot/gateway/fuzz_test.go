package gateway_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/bwmarrin/discordgo"

	"marque/bot/access"
	"marque/bot/gateway"
	"marque/bot/publish"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/timesource"
	"marque/games/catalog"
	"marque/games/text/locale"
	"marque/storage/storagetest"
)

// No frame from Discord's gateway makes the reader or the handlers of servers and channels crash the process. Of
// uncompressed frames, only those that end the connection or the session (opcodes 7 and 9) stop the reader.
func FuzzFrames(f *testing.F) {
	for _, event := range []string{
		"READY", "INTERACTION_CREATE", "GUILD_CREATE", "GUILD_UPDATE", "GUILD_DELETE", "GUILD_ROLE_CREATE",
		"GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE",
		"CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE", "THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE",
		"THREAD_LIST_SYNC", "",
	} {
		for _, content := range []string{
			`null`, `{}`, `[]`, `7`, `{"guild_id":"1","role":null}`, `{"shard":[0,0],"guilds":[null]}`,
			`{"shard":[0,1],"guilds":[{"id":"1"}]}`,
			`{"id":"1","roles":[null,{"id":"2","permissions":"1024"}],"channels":[null],"threads":[null]}`,
			`{"id":"1","unavailable":true}`,
			`{"guild_id":"1","threads":[{"id":"3","type":12,"parent_id":"2"},null]}`,
			`{"id":"1","permission_overwrites":[null,{"id":"2","type":0,"deny":"1024"}]}`,
			`{"id":"1","type":2,"data":{"options":[null]},"user":{"id":"1"}}`,
			`{"id":"1","type":3,"data":{"custom_id":"x"},"message":{"components":[null]}}`,
			`{"id":"1","type":5,"data":{"custom_id":"x","components":[null,{"type":1,"components":[{"type":99}]}]}}`,
		} {
			f.Add(false, fmt.Appendf(nil, `{"op":0,"s":1,"t":%q,"d":%s}`, event, content))
		}
	}
	for _, raw := range []string{``, `null`, `[]`, `{"op":null,"d":null,"s":null,"t":null}`, `{"op":11}`,
		`{"op":10,"d":null}`, `{"op":1}`, `{"op":1e9}`, "\x78\x9c", "x"} {
		f.Add(true, []byte(raw))
		f.Add(false, []byte(raw))
	}
	log := slog.New(slog.DiscardHandler)
	store, err := storagetest.OpenFile(filepath.Join(f.TempDir(), "marque.db"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { store.Close() })
	sentences, err := locale.Load()
	if err != nil {
		f.Fatal(err)
	}
	s, err := gateway.NewSession("token", &http.Client{})
	if err != nil {
		f.Fatal(err)
	}
	g, events, languages := gateway.New(s, timesource.System{}, log), gateway.NewEvents(log),
		show.NewLanguages(sentences)
	f.Cleanup(func() { events.Close(f.Context()) })
	access.NewGuard(s).Watch(g)
	publish.New(publish.Config{
		Tables: table.New(table.Config{Store: store, Games: catalog.Find, Log: log}), Languages: languages,
		Rest: rest.Client{Session: s}, Events: events, Log: log,
	}).Watch(f.Context(), g)
	g.On(func(_ bool, e *discordgo.InteractionCreate) { languages.Note(e.Interaction) })
	f.Fuzz(func(t *testing.T, compressed bool, raw []byte) {
		var told struct{ Op int }
		readable := json.Unmarshal(raw, &told) == nil
		if on := g.Take(compressed, raw); !on && !compressed && (!readable || told.Op != 7 && told.Op != 9) {
			t.Errorf("%q ends the connection", raw)
		}
	})
}
