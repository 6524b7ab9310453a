package rest

import (
	"fmt"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/timesource/manual"
)

// However many people are shown private messages at however many tables, the memory for them stays the same once it
// is full.
func TestPrivateMessagesTakeNoMoreMemoryThanTheyMay(t *testing.T) {
	p := NewEphemerals(Client{}, manual.NewClock(time.Unix(1700000000, 0)), slog.New(slog.DiscardHandler))
	inUse := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	next := 0
	show := func(n int) {
		for range n {
			next++
			user, table := fmt.Sprint("user ", next), fmt.Sprint(next)
			done := p.Click(user, table)
			p.Shown(user, Ephemeral{
				Table: table, Version: 1, Brief: next%2 == 0,
				By: &discordgo.Interaction{ID: fmt.Sprint(1000000 + next), Token: fmt.Sprintf("%0200d", next)},
			})
			done()
			p.Asked(user, table, 1)
		}
	}
	empty := inUse()
	show(maxTokens)
	full := inUse()
	for round := range 4 {
		show(maxTokens)
		now := inUse()
		t.Logf("after %6d messages: %d kB, %d kB when the memory was full", next, (now-empty)>>10, (full-empty)>>10)
		if now > full+(full-empty)/4 || p.byKey.Len() > maxTokens {
			t.Errorf("round %d: %d messages take %d kB, %d took %d", round, p.byKey.Len(), (now-empty)>>10, maxTokens,
				(full-empty)>>10)
		}
	}
	runtime.KeepAlive(p)
}
