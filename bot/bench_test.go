package bot_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
	"marque/games/text"
)

// benchGame is played in the benchmarks.
const benchGame = "loyal-captain"

// postings says when a message was posted in a channel.
type postings struct{ arrived sync.Map } // by channel: chan struct{}

func (p *postings) hook(q localdiscord.Request) {
	if rest, ok := strings.CutPrefix(q.Path, "/channels/"); ok && q.Method == http.MethodPost {
		channel, _, _ := strings.Cut(rest, "/")
		p.in(channel) <- struct{}{}
	}
}

func (p *postings) in(channel string) chan struct{} {
	c, _ := p.arrived.LoadOrStore(channel, make(chan struct{}, 16))
	return c.(chan struct{})
}

// BenchmarkWholeMove measures a move from the slash command to the board in the channel, through discordgo and loopback, rules, store and
// picture included; "empty" is a handler that answers and posts the same picture, and does nothing else. "of-empty" is the share of its rate.
func BenchmarkWholeMove(b *testing.B) {
	rates := map[int]float64{}
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprintf("empty/%d", n), func(b *testing.B) { rates[n] = benchEmpty(b, n) })
		b.Run(fmt.Sprintf("marque/%d", n), func(b *testing.B) {
			if rate := benchMoves(b, n); rates[n] > 0 {
				b.ReportMetric(rate/rates[n], "of-empty")
			}
		})
	}
}

// race lets n workers do b.N things and reports how long each took and how many were done in a second.
func race(b *testing.B, n int, work func(worker int) (time.Duration, error)) (rate float64) {
	var left atomic.Int64
	left.Store(int64(b.N))
	var mu sync.Mutex
	var all []time.Duration
	var wg sync.WaitGroup
	b.ResetTimer()
	for w := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for left.Add(-1) >= 0 {
				d, err := work(w)
				if err != nil {
					b.Error(err)
					return
				}
				mu.Lock()
				all = append(all, d)
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	b.StopTimer()
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(all[len(all)/2]), "p50-ms")
	b.ReportMetric(ms(all[len(all)*99/100]), "p99-ms")
	rate = float64(len(all)) / b.Elapsed().Seconds()
	b.ReportMetric(rate, "moves/s")
	return rate
}

func channelsFor(b *testing.B, srv *localdiscord.Server, n int) []string {
	var out []string
	for i := range n {
		id, err := srv.Admin.AddChannel(localdiscord.Tortuga, fmt.Sprintf("bench-%d", i))
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, id)
	}
	return out
}

func benchMoves(b *testing.B, n int) float64 {
	var posted postings
	r := newRig(b, func(o *localdiscord.Options) { o.OnRequest = posted.hook })
	channels := channelsFor(b, r.srv, n)
	_, err := r.tables.Choices.ChangeSettings(r.ctx, localdiscord.Tortuga, func(s *table.Settings) { s.UserTables = table.MostUserTables })
	if err != nil {
		b.Fatal(err)
	}
	ids := make([]table.ID, n)
	open := func(w int) error {
		c := channels[w]
		reply, err := r.srv.Command(r.ctx, localdiscord.Anne, c, "play", localdiscord.Opt("game", benchGame), localdiscord.Opt("players", 2))
		if err != nil {
			return err
		}
		m, err := reply.Message(r.ctx)
		if err != nil {
			return err
		}
		heads, err := r.tables.Lookup.InChannel(r.ctx, c)
		if err != nil || len(heads) != 1 {
			return fmt.Errorf("%d tables in a channel after %q, %w", len(heads), m.Text(), err)
		}
		<-posted.in(c)
		ids[w] = heads[0].ID
		if _, err := r.tables.Join(r.ctx, table.Actor{User: localdiscord.Jack, Name: text.NewName("Jack"), Key: fmt.Sprintf("join-%d-%d", w, ids[w])}, ids[w]); err != nil {
			return err
		}
		<-posted.in(c)
		return nil
	}
	for w := range n {
		if err := open(w); err != nil {
			b.Fatal(err)
		}
	}
	rngs := make([]*rand.Rand, n)
	for w := range n {
		rngs[w] = rand.New(rand.NewPCG(uint64(w), 1))
	}
	return race(b, n, func(w int) (time.Duration, error) {
		snap, err := r.tables.Lookup.Snapshot(r.ctx, ids[w])
		if err == nil && snap.Status == table.Over {
			if err = open(w); err == nil {
				snap, err = r.tables.Lookup.Snapshot(r.ctx, ids[w])
			}
		}
		if err != nil {
			return 0, err
		}
		menu, ok := snap.Menu(snap.ToMove)
		if !ok {
			return 0, fmt.Errorf("table %d has nobody to move", ids[w])
		}
		moves := menu.Candidates()
		move := moves[rngs[w].IntN(len(moves))]
		began := time.Now()
		if _, err := r.srv.Command(r.ctx, snap.Mover(), channels[w], "move", localdiscord.Opt("move", move.Notation)); err != nil {
			return 0, err
		}
		<-posted.in(channels[w])
		return time.Since(began), nil
	})
}

func benchEmpty(b *testing.B, n int) float64 {
	var posted postings
	picture := samplePicture(b)
	srv := localdiscord.New(localdiscord.Options{OnRequest: posted.hook})
	if err := srv.Start(); err != nil {
		b.Fatal(err)
	}
	defer srv.Close()
	s, err := discordgo.New("Bot " + srv.Token())
	if err != nil {
		b.Fatal(err)
	}
	s.Client, s.ShouldReconnectOnError, s.StateEnabled, s.Identify.Intents = srv.HTTPClient(), false, false, discordgo.IntentsGuilds
	s.AddHandler(func(s *discordgo.Session, i *discordgo.InteractionCreate) {
		if err := s.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: "Played.", Flags: discordgo.MessageFlagsEphemeral}}); err != nil {
			b.Error(err)
		}
		if _, err := s.ChannelMessageSendComplex(i.ChannelID, &discordgo.MessageSend{Content: "It is your turn.",
			Files: []*discordgo.File{{Name: "board.png", ContentType: "image/png", Reader: bytes.NewReader(picture)}}}); err != nil {
			b.Error(err)
		}
	})
	if err := s.Open(); err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	channels := channelsFor(b, srv, n)
	ctx := b.Context()
	return race(b, n, func(w int) (time.Duration, error) {
		began := time.Now()
		if _, err := srv.Forge(ctx, localdiscord.Anne, channels[w], "", 2, map[string]any{"id": "1", "name": "move", "type": 1}); err != nil {
			return 0, err
		}
		<-posted.in(channels[w])
		return time.Since(began), nil
	})
}

// samplePicture is a board as the bot paints it.
func samplePicture(b *testing.B) []byte {
	b.Helper()
	r := newRig(b)
	g := gameOf(b, benchGame)
	m := r.open(localdiscord.TortugaTables, g, people[:2])
	data, ok := r.srv.Attachment(m.Pictures()[0].URL)
	if !ok {
		b.Fatal("there is no board")
	}
	return data
}

func gameOf(t testing.TB, key string) games.Game {
	t.Helper()
	g, ok := catalog.Find(key)
	if !ok {
		t.Fatalf("there is no game %q", key)
	}
	return g
}

// BenchmarkCrowd measures how long one user waits for answers while another asks for films, hints and
// boards, three hundred commands a second for two seconds: "p50-ms" and "p99-ms" of the one, "unanswered" of both.
func BenchmarkCrowd(b *testing.B) {
	r := newRig(b)
	anne, jack, channel := localdiscord.Anne, localdiscord.Jack, localdiscord.TortugaTables
	const plays = 40
	turn := r.open(channel, gameOf(b, benchGame), []string{anne, jack})
	rng := rand.New(rand.NewPCG(1, 2))
	for range plays {
		r.typeMove(r.mover(turn), channel, rng)
		turn = r.turnAfter(channel, turn)
	}
	var unanswered atomic.Int64
	ask := func(user, command string, options ...localdiscord.Option) {
		reply, err := r.srv.Command(r.ctx, user, channel, command, options...)
		if err == nil {
			_, err = reply.Message(r.ctx)
		}
		if err != nil {
			unanswered.Add(1)
		}
	}
	var took []time.Duration
	b.ResetTimer()
	for range b.N {
		var crowd, others sync.WaitGroup
		var mu sync.Mutex
		for i := range 200 {
			crowd.Go(func() {
				ask(anne, "record replay", localdiscord.Opt("from", i%plays/2), localdiscord.Opt("to", plays/2+i*7%(plays/2)))
			})
			crowd.Go(func() { ask(anne, "hint") })
			crowd.Go(func() { ask(anne, "board", localdiscord.Opt("at", i%plays)) })
			others.Go(func() {
				start := time.Now()
				if i%2 == 0 {
					ask(jack, "games")
				} else {
					ask(jack, "board", localdiscord.Opt("text", true))
				}
				mu.Lock()
				took = append(took, time.Since(start))
				mu.Unlock()
			})
			time.Sleep(10 * time.Millisecond)
		}
		others.Wait()
		crowd.Wait()
	}
	b.StopTimer()
	slices.Sort(took)
	ms := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(ms(0.5), "p50-ms")
	b.ReportMetric(ms(0.99), "p99-ms")
	b.ReportMetric(float64(unanswered.Load()), "unanswered")
}
