package archive_test

import (
	"bytes"
	"errors"
	"image/gif"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games"
	"marque/games/catalog"
	"marque/games/verify"
)

// gifOf decodes the animated picture of a message.
func gifOf(r *bottest.Rig, m *localdiscord.Message) *gif.GIF {
	r.T.Helper()
	pictures := m.Pictures()
	if len(pictures) != 1 || len(pictures[0].Description) < 40 {
		r.T.Fatalf("a replay has the pictures %v, want one with an alt text", pictures)
	}
	data, ok := r.Server.Attachment(pictures[0].URL)
	replay, err := gif.DecodeAll(bytes.NewReader(data))
	if !ok || err != nil {
		r.T.Fatalf("the replay is no animated GIF: %v", err)
	}
	if len(data) > 4<<20 {
		r.T.Errorf("the replay takes %d bytes", len(data))
	}
	return replay
}

// While a hidden game goes on, its record tells nobody what they may not know, and the seed is in
// nothing that the bot says or logs. At the end the record is whole and verifies.
func TestRecordsReplaysAndTheSeed(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	anne, jack, mary := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary
	g, _ := catalog.Find("pirat")
	opt := localdiscord.Opt
	r := bottest.New(t)
	rng := rand.New(rand.NewPCG(3, 4))
	bottest.Contains(t, "/record export without a table", r.Command(anne, channel, "record export").Text(),
		"Nobody plays in this channel")
	turn := r.Open(channel, g, []string{anne, jack})
	for range 12 {
		r.TypeMove(r.Mover(turn), channel, rng)
		turn = r.TurnAfter(channel, turn)
	}
	number, _, _ := strings.Cut(bottest.AfterWord(turn.Text(), "· #"), "\n")

	seats := map[string]string{}
	for _, who := range []string{anne, jack, mary} {
		m := r.Command(who, channel, "record export")
		if m.EphemeralTo != who {
			t.Errorf("an export of a running game is seen by %q, want %s alone", m.EphemeralTo, who)
		}
		text := r.Attached(m)
		rec, err := games.DecodeRecord(strings.NewReader(text))
		if err != nil {
			t.Fatalf("what %s exports is no record: %v\n%s", who, err, text)
		}
		if rec.Seed != "" || rec.Digest != "" || rec.Seen == "" {
			t.Errorf("a running hidden game is exported with the seed %q, the digest %q, seen %q", rec.Seed, rec.Digest,
				rec.Seen)
		}
		seats[who] = text
	}
	if seats[anne] == seats[jack] || seats[anne] == seats[mary] {
		t.Error("players and onlookers get the same log of a hidden game")
	}
	bottest.Contains(t, "/record verify of a running game", r.Command(anne, channel, "record verify").Text(),
		"its seed is secret")
	running := r.Command(anne, channel, "record replay")
	if running.EphemeralTo != anne {
		t.Errorf("a player's replay of a hidden game is seen by %q", running.EphemeralTo)
	}
	gifOf(r, running)

	before := r.Log.String()
	for _, m := range r.Server.Messages(channel, anne) {
		before += m.Text()
		for _, c := range m.Interactive() {
			before += c.CustomID
		}
	}
	for _, text := range seats {
		before += text
	}
	sure := r.Command(jack, channel, "resign")
	r.Click(jack, sure, "Yes, resign")
	over := r.Next(channel, turn.ID, bottest.IsOver)
	whole := r.Attached(r.Command(mary, channel, "record export", opt("table", number)))
	rec, err := games.DecodeRecord(strings.NewReader(whole))
	if err != nil || len(rec.Seed) != 64 {
		t.Fatalf("the record of the ended game has the seed %q, %v", rec.Seed, err)
	}
	if strings.Contains(before, rec.Seed) {
		t.Error("the seed was said before the end")
	}
	if !strings.Contains(before, rec.Header.Commitment) {
		t.Error("the commitment was not shown before the end")
	}
	report, err := verify.Record(rec, catalog.Find)
	if err != nil || !report.Complete || report.Draws == 0 {
		t.Errorf("the exported record: %+v, %v", report, err)
	}
	// What a player exported before is the record with some cards unknown: nothing else differs.
	for who, text := range seats {
		early, _ := games.DecodeRecord(strings.NewReader(text))
		differ := 0
		for i, e := range early.Log {
			if e != rec.Log[i] {
				differ++
				if e.Seat != games.Chance || rec.Log[i].Seat != games.Chance {
					t.Errorf("%s was told %v where %v was played", who, e, rec.Log[i])
				}
			}
		}
		if differ == 0 {
			t.Errorf("%s was told every card", who)
		}
	}
	bottest.Contains(t, "/record verify", r.Command(mary, channel, "record verify", opt("table", number)).Text(),
		"all by the rules",
		"each as the seed says", "drawn by lot")

	replay := r.Next(channel, over.ID, func(m *localdiscord.Message) bool { return len(m.Pictures()) == 1 })
	if n := len(gifOf(r, replay).Image); n < 12 || len(replay.Pinged) != 0 {
		t.Errorf("the replay of the ended game has %d pictures and pings %v", n, replay.Pinged)
	}
	again := r.Click(mary, over, "Replay")
	gifOf(r, again)
	step := r.Click(mary, again, "Step through")
	bottest.Contains(t, "the first position", step.Text(), "Position 0 of")
	bottest.Contains(t, "the second position", r.Click(mary, step, "▶").Text(), "Position 1 of")
	part := r.Command(mary, channel, "record replay", opt("table", number), opt("from", 12), opt("to", 16))
	if n := len(gifOf(r, part).Image); n > 5 {
		t.Errorf("four moves make %d pictures", n)
	}
	bottest.Contains(t, "a replay backwards", r.Command(mary, channel, "record replay", opt("table", number),
		opt("from", 9),
		opt("to", 3)).Text(), "runs forwards")
	bottest.Contains(t, "a replay beyond the end", r.Command(mary, channel, "record replay", opt("table", number),
		opt("to", 5000)).Text(), "There is no position 5000")
}

// A replay that was not posted when the bot stopped, or that Discord had no answer for, is posted after
// the next start, once.
func TestReplayComesAfterARestart(t *testing.T) {
	for _, tc := range []struct {
		name  string
		await func(*http.Request) error // what becomes of the request that posts the replay
	}{
		{"it was on its way", func(req *http.Request) error { <-req.Context().Done(); return req.Context().Err() }},
		{"Discord could not be reached", func(*http.Request) error { return errors.New("no route to host") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			begun := make(chan struct{}, 64)
			r := bottest.NewWith(t, func(r *bottest.Rig) {
				r.Transport = func(to http.RoundTripper) http.RoundTripper {
					return bottest.RoundTripFunc(func(req *http.Request) (*http.Response, error) {
						body, err := readBody(req)
						if err == nil && bytes.Contains(body, []byte("replay-")) && bytes.Contains(body,
							[]byte("GIF89a")) {
							begun <- struct{}{}
							return nil, tc.await(req)
						}
						return to.RoundTrip(req)
					})
				}
			})
			players := []string{localdiscord.Anne, localdiscord.Jack}
			rng := rand.New(rand.NewPCG(3, 4))
			turn := r.OpenLoyal(players)
			for range 6 {
				r.TypeMove(r.Mover(turn), bottest.TablesChannel, rng)
				turn = r.Next(bottest.TablesChannel, turn.ID, bottest.IsTurn)
			}
			r.Click(players[0], r.Command(players[0], bottest.TablesChannel, "resign"), "Yes, resign")
			over := r.Next(bottest.TablesChannel, turn.ID, bottest.IsOver)
			<-begun
			r.Stop()
			r.Transport = nil
			r.Start()
			done := r.Next(bottest.TablesChannel, over.ID,
				func(m *localdiscord.Message) bool { return len(m.Pictures()) == 1 })
			if n := len(gifOf(r, done).Image); n < 6 {
				t.Errorf("the replay has %d pictures", n)
			}
			r.Stop()
			r.Start()
			// a stop may come between the replay and the note
			r.Eventually("no game waits for its replay", func() bool {
				list, err := r.Store.Replays(t.Context(), 0, 10)
				return err == nil && len(list) == 0
			})
			r.Stop()
			replays := 0
			for _, m := range r.Server.Messages(bottest.TablesChannel, localdiscord.Mary) {
				if p := m.Pictures(); len(p) == 1 && strings.Contains(p[0].URL, ".gif") {
					replays++
				}
			}
			if replays != 1 {
				t.Errorf("%d replays were posted, want one", replays)
			}
		})
	}
}

// readBody reads the body of a request, which can be read again afterwards.
func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(req.Body)
	req.Body = io.NopCloser(bytes.NewReader(body))
	return body, err
}
