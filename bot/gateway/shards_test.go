package gateway_test

import (
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/catalog"
)

// One process serves the servers of all shards, even after one shard has lost its connection.
func TestOneProcessServesAllShards(t *testing.T) {
	t.Parallel()
	const shards = 4
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Pacing = &manual.Hasty{} }, func(o *localdiscord.Options) {
		o.Servers, o.Shards,
			o.MaxConcurrency = 8, shards, shards
	})
	if got := r.Server.Gateway.Shards(); len(got) != shards {
		t.Fatalf("the shards %v are connected, want %d", got, shards)
	}
	g, _ := catalog.Find(bottest.LoyalCaptain)
	turns := openEverywhere(r, shards, g, bottest.Two)
	r.Server.Gateway.DropShard(shards - 1)
	for i, turn := range turns {
		p := localdiscord.PlaceAt(i)
		if said := r.TypeMove(r.Mover(turn), p.Tables, bottest.NewRand()); !strings.Contains(said, "Played") {
			t.Errorf("in a server of shard %d a move is answered %q", i, said)
		}
		r.TurnAfter(p.Tables, turn)
	}
}

// openEverywhere opens a table for some users on each of the first servers, and returns the first board of each.
func openEverywhere(r *bottest.Rig, servers int, g games.Game, users []string) []*localdiscord.Message {
	r.T.Helper()
	turns := make([]*localdiscord.Message, servers)
	for i := range turns {
		p := localdiscord.PlaceAt(i)
		r.Configure(p.Guild, func(c *choices.Settings) {
			c.Boards, c.Threads = choices.BoardsKeep, choices.ThreadsWhenBusy
		})
		for _, u := range users {
			if err := r.Server.Admin.AddMember(p.Guild, u); err != nil {
				r.T.Fatal(err)
			}
		}
		turns[i] = r.Open(p.Tables, g, users)
	}
	return turns
}
