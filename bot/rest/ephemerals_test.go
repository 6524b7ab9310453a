package rest

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/timesource/manual"
)

// The memory for private messages hardly grows any more once there are maxTokens messages.
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
				Table: table, Version: 1, Transient: next%2 == 0,
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

// ephemeralsTo returns an Ephemerals whose requests arrive at to.
func ephemeralsTo(t *testing.T) (p *Ephemerals, to discord) {
	t.Helper()
	session, err := discordgo.New("Bot secret")
	if err != nil {
		t.Fatal(err)
	}
	to = discord{make(chan *arrival, 10)}
	session.Client = &http.Client{Transport: to}
	return NewEphemerals(Client{Session: session}, manual.NewClock(time.Unix(1700000000, 0)),
		slog.New(slog.DiscardHandler)), to
}

// A user keeps one private message for each table: the message of the later click, in whichever order Discord accepts
// the two messages. The other one is deleted, unless both are the same message. The next board that asks the user for a
// move deletes the remaining message.
func TestThePrivateMessageOfTheLaterClickStays(t *testing.T) {
	type shown struct {
		click, message string
		updated        bool
	}
	for _, c := range []struct {
		name          string
		first, second shown
		replaced      string // token and message deleted when the second is shown; "" for none
		left          string // token and message that the next board deletes
	}{
		{"in their order", shown{"1", "", false}, shown{"2", "20", false}, "1/@original", "2/20"},
		{"an answer that came late", shown{"2", "20", false}, shown{"1", "", false}, "1/@original", "2/20"},
		{"a follow-up that came late", shown{"2", "20", false}, shown{"1", "10", false}, "1/10", "2/20"},
		{"both without an id", shown{"2", "", false}, shown{"1", "", false}, "1/@original", "2/@original"},
		{"the later click updated it", shown{"2", "10", true}, shown{"1", "10", false}, "", "2/@original"},
		{"the later click may have updated it", shown{"2", "10", true}, shown{"1", "", false}, "", "2/@original"},
		{"an update of another message", shown{"1", "10", false}, shown{"3", "20", true}, "1/10", "3/@original"},
		{"an update that came late", shown{"2", "10", true}, shown{"1", "10", true}, "", "2/@original"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, to := ephemeralsTo(t)
			for _, s := range []shown{c.first, c.second} {
				p.Shown("anne", Ephemeral{Table: "7", Version: 1, Message: s.message, Updated: s.updated,
					By: &discordgo.Interaction{ID: s.click, AppID: "app", Token: s.click}})
			}
			p.Asked("anne", "7", 2)
			want := slices.DeleteFunc([]string{c.replaced, c.left}, func(s string) bool { return s == "" })
			var got []string
			for range want {
				select {
				case a := <-to.came:
					a.answer <- answered(http.StatusNoContent, "")
					_, path, _ := strings.Cut(a.URL.Path, "/app/")
					got = append(got, a.Method+" "+strings.Replace(path, "/messages", "", 1))
				case <-time.After(time.Minute):
					t.Fatalf("deleted are %q, want %q", got, want)
				}
			}
			for i := range want {
				want[i] = "DELETE " + want[i]
			}
			if slices.Sort(got); !slices.Equal(got, want) || len(to.came) > 0 {
				t.Errorf("deleted are %q and %d more, want %q", got, len(to.came), want)
			}
		})
	}
}

// A private message is not deleted while a click on it is being answered, even if a newer message has replaced it,
// because the answer may update it. Afterwards only the message of the later click is kept.
func TestAReplacedPrivateMessageStaysForTheAnswerToItsClick(t *testing.T) {
	for _, c := range []struct {
		name, first    string // the id of the first message, "" for one that is not known
		click, clicked string // the click, and its message
		deleted, left  string
	}{
		{"a click before the newer message", "10", "2", "10", "1/messages/10", "3/messages/30"},
		{"a click after the newer message", "10", "4", "10", "3/messages/30", "4/messages/@original"},
		{"a click on the newer message", "", "4", "30", "1/messages/@original", "4/messages/@original"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, to := ephemeralsTo(t)
				show := func(click, message string, updated bool) {
					p.Shown("anne", Ephemeral{Table: "7", Version: 1, Message: message, Updated: updated,
						By: &discordgo.Interaction{ID: click, AppID: "app", Token: click}})
				}
				show("1", c.first, false)
				done := p.Click("anne", "7")
				show("3", "30", false) // a click on the board, which is answered sooner
				show(c.click, c.clicked, true)
				synctest.Wait()
				if len(to.came) > 0 {
					t.Error("a message is deleted while a click on it is being answered")
				}
				done()
				for _, want := range []string{c.deleted, c.left} {
					a := <-to.came
					a.answer <- answered(http.StatusNoContent, "")
					if !strings.HasSuffix(a.URL.Path, "/app/"+want) || a.Method != http.MethodDelete {
						t.Errorf("%s %s, want the deletion of %s", a.Method, a.URL.Path, want)
					}
					synctest.Wait()
					if len(to.came) > 0 {
						t.Error("another message is deleted, too")
					}
					p.Asked("anne", "7", 2) // the next board deletes the message that was kept
				}
			})
		})
	}
}
