package bot_test

import (
	"strings"
	"testing"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games/catalog"
)

// One process plays in the servers of all shards, and goes on in the others while one is broken off.
func TestOneProcessServesAllShards(t *testing.T) {
	t.Parallel()
	const shards = 4
	r := newRig(t, func(o *localdiscord.Options) { o.Servers, o.Shards, o.MaxConcurrency = 8, shards, shards })
	if got := r.srv.Gateway.Shards(); len(got) != shards {
		t.Fatalf("the shards %v are connected, want %d", got, shards)
	}
	g, _ := catalog.Find(captain)
	var turns [shards]*localdiscord.Message
	for i := range shards {
		p := localdiscord.PlaceAt(i)
		r.configure(p.Guild, func(c *table.Settings) { c.Boards, c.Threads = table.BoardsKeep, table.ThreadsWhenBusy })
		for _, u := range two {
			if err := r.srv.Admin.AddMember(p.Guild, u); err != nil {
				t.Fatal(err)
			}
		}
		turns[i] = r.open(p.Tables, g, two)
	}
	begun, _ := r.srv.Gateway.Sessions()
	r.srv.Gateway.DropShard(shards - 1)
	for i, turn := range turns {
		p := localdiscord.PlaceAt(i)
		if i == shards-1 {
			if err := r.srv.Wait(r.ctx, func() bool { n, _ := r.srv.Gateway.Sessions(); return n > begun }); err != nil {
				t.Fatalf("the shard is not connected again: %v\n%s", err, r.log)
			}
		}
		if said := r.typeMove(r.mover(turn), p.Tables, seeded()); !strings.Contains(said, "Played") {
			t.Errorf("in a server of shard %d a move is answered %q", i, said)
		}
		r.turnAfter(p.Tables, turn)
	}
}
