package localdiscord

import (
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
)

// noise returns a PNG of 42 KiB, about the size of a board. Most of its bytes are filler after the picture.
func noise() []byte {
	data := picture(96)
	for len(data) < 42<<10 {
		data = append(data, byte(len(data)*7))
	}
	return data
}

// BenchmarkInteraction measures the time from a user's command to the bot's first answer, through an unmodified
// discordgo, with a bot that answers immediately. It reports the median and the 99th percentile in milliseconds, and
// the interactions per second.
func BenchmarkInteraction(b *testing.B) {
	board := noise()
	for _, payload := range []struct {
		name  string
		files func() []*discordgo.File
	}{
		{"text", func() []*discordgo.File { return nil }},
		{"png42k", func() []*discordgo.File { return []*discordgo.File{pngFile("board.png", board)} }},
	} {
		for _, users := range []int{1, 64} {
			measure(b, payload.name+"/"+strconv.Itoa(users), "", users, payload.files)
			measure(b, payload.name+"/"+strconv.Itoa(users)+"/kept", filepath.Join(b.TempDir(), "local.json"), users,
				payload.files)
		}
	}
}

// measure gives commands from the given number of goroutines. If a state file is named, the server writes changes to
// it.
func measure(b *testing.B, name, stateFile string, users int, files func() []*discordgo.File) {
	b.Run(name, func(b *testing.B) {
		srv, bot := start(b, Options{StateFile: stateFile, AnswerWithin: time.Minute}, play)
		bot.on(func(i *discordgo.InteractionCreate) {
			// The session's limiter would keep the buckets of all interactions forever.
			body := discordgo.InteractionResponse{Type: discordgo.InteractionResponseChannelMessageWithSource,
				Data: &discordgo.InteractionResponseData{Content: "aye", Files: files()}}
			contentType, raw, err := discordgo.MultipartBodyWithJSON(body, body.Data.Files)
			if err == nil {
				_, err = bot.RequestWithLockedBucket("POST", discordgo.EndpointInteractionResponse(i.ID, i.Token),
					contentType, raw, discordgo.NewRatelimiter().LockBucket("x"), 0)
			}
			if err != nil {
				b.Error(err)
			}
		})
		ctx := b.Context()
		took := make([]time.Duration, b.N)
		work := make(chan int)
		var all sync.WaitGroup
		b.ResetTimer()
		for range users {
			all.Go(func() {
				for n := range work {
					began := time.Now()
					if _, err := srv.Command(ctx, Anne, TortugaTables, "play", Opt("game", "pirat")); err != nil {
						b.Error(err)
					}
					took[n] = time.Since(began)
				}
			})
		}
		for n := range b.N {
			work <- n
		}
		close(work)
		all.Wait()
		b.StopTimer()
		slices.Sort(took)
		ms := func(q float64) float64 { return took[int(q*float64(len(took)-1))].Seconds() * 1000 }
		b.ReportMetric(ms(0.50), "p50-ms")
		b.ReportMetric(ms(0.99), "p99-ms")
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "interactions/s")
	})
}
