package interact

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/choices"
	"marque/bot/show"
	"marque/storage"
	"marque/storage/kv"
)

// silentServer is an engine whose server does not answer. Every request fails, at the latest after the time in
// connection.
type silentServer struct {
	kv.Engine

	connection time.Duration
}

func (s silentServer) Parallel() int { return 1 }

func (s silentServer) hang(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(s.connection):
		return &storage.UnreachableError{}
	}
}

func (s silentServer) View(ctx context.Context, _ func(kv.Reader) error) error { return s.hang(ctx) }

func (s silentServer) Begin(context.Context, []kv.Lock, []kv.Fence, []kv.Want) (kv.Tx, []bool, error) {
	return nil, nil, s.hang(context.Background())
}

func (s silentServer) Close() error { return nil }

func (s silentServer) Answers(ctx context.Context) bool { return s.hang(ctx) == nil }

// storeRoom has a command that reads from db and one that writes. It also reads the choices of servers and users from
// db.
type storeRoom struct{ db *kv.DB }

func (r storeRoom) Settings(ctx context.Context, _ string) (choices.Settings, error) {
	return choices.Settings{}, r.read(ctx)
}

func (r storeRoom) Preferences(ctx context.Context, _ string) (choices.Preferences, error) {
	return choices.Preferences{}, r.read(ctx)
}

func (r storeRoom) read(ctx context.Context) error {
	return r.db.View(ctx, func(kv.Reader) error { return nil })
}

func (r storeRoom) Commands() []Command {
	route := func(f func(ctx context.Context) error) Route {
		return Route{Handle: func(ctx context.Context, _ *Request) (Reply, error) {
			return Reply{New: show.Text("done")}, f(ctx)
		}}
	}
	return []Command{
		{Name: "games", Topic: TopicLook, Route: route(r.read)},
		{Name: "play", Topic: TopicPlay, Route: route(func(ctx context.Context) error {
			return r.db.Update(ctx, kv.Work{Run: func(kv.Writer) error { return nil }})
		})},
	}
}

// While the database does not answer, a user is told within three seconds that it is unavailable and that nothing has
// changed.
func TestASilentDatabaseIsSaidInTime(t *testing.T) {
	for _, command := range []string{"games", "play"} {
		t.Run(command, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				room := storeRoom{kv.New(silentServer{connection: 15 * time.Second})}
				router, d := newTestRouter(t, room, room, io.Discard)
				began := time.Now()
				router.Accept(t.Context(), typed("1", command), Arrival{At: began})
				router.Drain(t.Context())
				took := time.Since(began)
				if said := d.said["1"]; took > 3*time.Second || !strings.Contains(said, "Nothing has changed") {
					t.Errorf("after %v the user reads %q", took, said)
				}
				t.Logf("said after %v", took)
				if err := room.db.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
