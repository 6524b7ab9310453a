package bot

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"marque/bot/interact"
	"marque/bot/localdiscord"
	"marque/bot/show"
)

// slow is a room whose replays wait for the test, and whose other command is answered immediately.
type slow struct{ replay chan struct{} }

func (s slow) Commands() []interact.Command {
	return []interact.Command{
		{Name: "record replay", Topic: interact.TopicLook, Options: []interact.Option{interact.TableOption()},
			Route: interact.Route{Work: interact.Animation,
				Handle: func(ctx context.Context, _ *interact.Request) (interact.Reply, error) {
					select {
					case <-s.replay:
					case <-ctx.Done():
					}
					return interact.Reply{New: show.Text("the replay")}, nil
				}}},
		{Name: "games", Topic: interact.TopicLook, Route: interact.Route{Handle: func(context.Context,
			*interact.Request) (interact.Reply, error) {
			return interact.Reply{New: show.Text("the list")}, nil
		}}},
	}
}

// Every command of a user who gives many slow commands at the same time is answered: two are carried out, and the rest
// are refused without waiting for these. Meanwhile, other users' commands are answered.
func TestOneUserDoesNotKeepTheOthersWaiting(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	room := slow{make(chan struct{})}
	srv := startWith(ctx, t, localdiscord.Options{AnswerWithin: 10 * time.Minute}, slog.New(slog.DiscardHandler), room)

	// The commands are divided between two channels, because the test reads every answer and a channel of the local
	// Discord keeps only its latest 200 messages.
	channels := [...]string{localdiscord.TortugaTables, localdiscord.TortugaTavern}
	const asked = 300
	refused, replayed, failed := make(chan string, asked), make(chan string, asked), make(chan error, asked)
	var all sync.WaitGroup
	for i := range asked {
		all.Go(func() {
			sent, err := srv.Command(ctx, localdiscord.Anne, channels[i%len(channels)], "record replay",
				localdiscord.Opt("table", fmt.Sprint(i)))
			if err != nil {
				failed <- err
				return
			}
			m, err := sent.Message(ctx)
			switch {
			case err != nil:
				failed <- err
			case strings.Contains(m.Text(), "the replay"):
				replayed <- m.Text()
			default:
				refused <- m.Text()
			}
		})
	}
	// All commands beyond Anne's share are refused before any replay is finished.
	const share = 2
	for range asked - share {
		select {
		case said := <-refused:
			if !strings.Contains(said, "still working on your last") {
				t.Fatalf("a command too many is answered: %q", said)
			}
		case err := <-failed:
			t.Fatalf("a command was not answered: %v", err)
		case <-ctx.Done():
			t.Fatalf("%d of %d commands are refused, %d replayed", len(refused), asked, len(replayed))
		}
	}
	for range 20 {
		sent, err := srv.Command(ctx, localdiscord.Jack, localdiscord.TortugaTables, "games")
		if err != nil {
			t.Fatalf("another user's command is not answered: %v", err)
		}
		if m, err := sent.Message(ctx); err != nil || !strings.Contains(m.Text(), "the list") {
			t.Fatalf("another user's command is answered: %v, %v", m, err)
		}
	}
	close(room.replay)
	all.Wait()
	if len(replayed) != share || len(failed) > 0 || len(refused) > 0 {
		t.Errorf("%d replays, %d more refusals, %d failures; want %d replays and nothing else", len(replayed), len(refused),
			len(failed), share)
	}
}
