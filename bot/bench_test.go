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

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
	"marque/games/text"
)

const benchGame = "loyal-captain"

// postings lets a benchmark wait until a message has been posted in a channel.
type postings struct{ arrived sync.Map } // map from channel id to chan struct{}

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

// BenchmarkWholeMove measures a move from the slash command to the board in the channel, including discordgo, loopback,
// rules, store and picture. "empty" is a handler that only answers and posts a picture of a board. "of-empty" is the
// rate relative to the empty handler's; "of-empty-cpu" is the processor time of an empty move divided by the processor
// time of a move. Tables are opened before the measurement. Games end during it, and moves take precedence over the
// reviews of finished games. "cpu-ms" includes the processor time of reviews that ran in between.
func BenchmarkWholeMove(b *testing.B) {
	for _, n := range []int{1, 64} {
		var empty pace
		b.Run(fmt.Sprintf("empty/%d", n), func(b *testing.B) { empty = benchEmpty(b, n) })
		b.Run(fmt.Sprintf("marque/%d", n), func(b *testing.B) {
			if p := benchMoves(b, n); empty.rate > 0 && p.cpu > 0 {
				b.ReportMetric(p.rate/empty.rate, "of-empty")
				b.ReportMetric(empty.cpu/p.cpu, "of-empty-cpu")
			}
		})
	}
}

// pace is the number of moves per second, and the processor time per move in milliseconds.
type pace struct{ rate, cpu float64 }

// race makes n workers call work b.N times in total, or fewer after an error. It returns the rate of the calls and
// the processor time per call.
func race(b *testing.B, n int, work func(worker int) (time.Duration, error)) (p pace) {
	var left atomic.Int64
	left.Store(int64(b.N))
	var mu sync.Mutex
	var all []time.Duration
	var wg sync.WaitGroup
	b.ResetTimer()
	began := processorTime()
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
	took := processorTime() - began
	if len(all) == 0 {
		return pace{}
	}
	slices.Sort(all)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(all[len(all)/2]), "p50-ms")
	b.ReportMetric(ms(all[len(all)*99/100]), "p99-ms")
	p = pace{rate: float64(len(all)) / b.Elapsed().Seconds(),
		cpu: float64(took.Microseconds()) / 1000 / float64(len(all))}
	b.ReportMetric(p.rate, "moves/s")
	b.ReportMetric(p.cpu, "cpu-ms")
	return p
}

func channelsFor(b *testing.B, srv *localdiscord.Server, from, n int) []string {
	var out []string
	for i := from; i < from+n; i++ {
		id, err := srv.Admin.AddChannel(localdiscord.Tortuga, fmt.Sprintf("bench-%d", i))
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, id)
	}
	return out
}

// benchTable is a table in its own channel, with the moves that a worker will play there.
type benchTable struct {
	channel string
	plays   []benchPlay
}

type benchPlay struct{ user, notation string }

// benchMoves measures n workers that play moves at their own tables. The tables are opened, and the moves chosen,
// before the measurement.
func benchMoves(b *testing.B, n int) pace {
	var posted postings
	r := bottest.New(b, func(o *localdiscord.Options) { o.OnRequest = posted.hook })
	_, err := r.Tables.Choices.ChangeSettings(r.Ctx, localdiscord.Tortuga,
		func(s *choices.Settings) { s.UserTables = choices.MostUserTables })
	if err != nil {
		b.Fatal(err)
	}
	opened := 0
	// A new user opens each table, because one user who opened all of them would be told to wait.
	person := func() string {
		id := r.Server.Admin.AddUser("bench")
		r.Must(r.Server.Admin.AddMember(localdiscord.Tortuga, id))
		return id
	}
	open := func(rng *rand.Rand) benchTable {
		c := channelsFor(b, r.Server, opened, 1)[0]
		opened++
		reply, err := r.Server.Command(r.Ctx, person(), c, "play", localdiscord.Opt("game", benchGame),
			localdiscord.Opt("players", 2))
		if err != nil {
			b.Fatal(err)
		}
		m, err := reply.Message(r.Ctx)
		if err != nil {
			b.Fatal(err)
		}
		heads, err := r.Tables.Lookup.InChannel(r.Ctx, c)
		if err != nil || len(heads) != 1 {
			b.Fatalf("%d tables in a channel after %q, %v", len(heads), m.Text(), err)
		}
		<-posted.in(c)
		snap, err := r.Tables.Join(r.Ctx, table.Actor{User: person(), Name: text.NewName("Jack"),
			Key: "join-" + c}, heads[0].ID)
		if err != nil {
			b.Fatal(err)
		}
		<-posted.in(c)
		list := benchTable{channel: c}
		for s := snap.View(snap.ToMove).State; s.ToMove() >= 0; {
			moves := games.NewMenu(s).Candidates()
			m := moves[rng.IntN(len(moves))]
			list.plays = append(list.plays, benchPlay{snap.Holder(s.ToMove()).User, m.Notation})
			s = s.Apply(m.Move)
		}
		return list
	}
	// Open enough tables that a worker who has finished a game always finds another.
	var waiting []benchTable
	for rng, most := rand.New(rand.NewPCG(1, 1)), 0; most < b.N; {
		waiting = append(waiting, open(rng))
		lengths := make([]int, len(waiting))
		for i, g := range waiting {
			lengths[i] = len(g.plays)
		}
		slices.Sort(lengths)
		most = 0
		for _, l := range lengths[:max(0, len(lengths)-n)] {
			most += l
		}
	}
	tables := make(chan benchTable, len(waiting))
	for _, g := range waiting {
		tables <- g
	}
	playing := make([]benchTable, n)
	p := race(b, n, func(w int) (time.Duration, error) {
		g := &playing[w]
		if len(g.plays) == 0 {
			*g = <-tables
		}
		p := g.plays[0]
		g.plays = g.plays[1:]
		began := time.Now()
		if _, err := r.Server.Command(r.Ctx, p.user, g.channel, "move",
			localdiscord.Opt("move", p.notation)); err != nil {
			return 0, err
		}
		<-posted.in(g.channel)
		return time.Since(began), nil
	})
	return p
}

func benchEmpty(b *testing.B, n int) pace {
	var posted postings
	picture := samplePicture(b)
	srv := localdiscord.New(localdiscord.Options{OnRequest: posted.hook, Requests: localdiscord.Unlimited})
	if err := srv.Start(); err != nil {
		b.Fatal(err)
	}
	defer srv.Close()
	s, err := discordgo.New("Bot " + srv.Token())
	if err != nil {
		b.Fatal(err)
	}
	s.Client, s.ShouldReconnectOnError, s.StateEnabled, s.Identify.Intents = srv.HTTPClient(), false, false,
		discordgo.IntentsGuilds
	s.AddHandler(func(s *discordgo.Session, i *discordgo.InteractionCreate) {
		if err := s.InteractionRespond(i.Interaction,
			&discordgo.InteractionResponse{Type: discordgo.InteractionResponseChannelMessageWithSource,
				Data: &discordgo.InteractionResponseData{Content: "Played.",
					Flags: discordgo.MessageFlagsEphemeral}}); err != nil {
			b.Error(err)
		}
		if _, err := s.ChannelMessageSendComplex(i.ChannelID, &discordgo.MessageSend{Content: "It is your turn.",
			Files: []*discordgo.File{{Name: "board.png", ContentType: "image/png",
				Reader: bytes.NewReader(picture)}}}); err != nil {
			b.Error(err)
		}
	})
	if err := s.Open(); err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	channels := channelsFor(b, srv, 0, n)
	ctx := b.Context()
	return race(b, n, func(w int) (time.Duration, error) {
		began := time.Now()
		if _, err := srv.Forge(ctx, localdiscord.Anne, channels[w], "", 2, map[string]any{"id": "1", "name": "move",
			"type": 1}); err != nil {
			return 0, err
		}
		<-posted.in(channels[w])
		return time.Since(began), nil
	})
}

// samplePicture returns a board as the bot paints it.
func samplePicture(b *testing.B) []byte {
	b.Helper()
	r := bottest.New(b)
	g := gameOf(b, benchGame)
	m := r.Open(localdiscord.TortugaTables, g, bottest.World[:2])
	data, ok := r.Server.Attachment(m.Pictures()[0].URL)
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

// BenchmarkCrowd measures how long one user waits for answers while another user requests replays, hints and boards:
// three hundred commands a second for two seconds. "p50-ms" and "p99-ms" are the waiting times of the first user.
// "unanswered" counts the unanswered commands of both.
func BenchmarkCrowd(b *testing.B) {
	r := bottest.New(b)
	anne, jack, channel := localdiscord.Anne, localdiscord.Jack, localdiscord.TortugaTables
	const plays = 40
	turn := r.Open(channel, gameOf(b, benchGame), []string{anne, jack})
	rng := rand.New(rand.NewPCG(1, 2))
	for range plays {
		r.TypeMove(r.Mover(turn), channel, rng)
		turn = r.TurnAfter(channel, turn)
	}
	var unanswered atomic.Int64
	ask := func(user, command string, options ...localdiscord.Option) {
		reply, err := r.Server.Command(r.Ctx, user, channel, command, options...)
		if err == nil {
			_, err = reply.Message(r.Ctx)
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
				ask(anne, "record replay", localdiscord.Opt("from", i%plays/2),
					localdiscord.Opt("to", plays/2+i*7%(plays/2)))
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
