package bot_test

import (
	"bytes"
	"errors"
	"image/gif"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"marque/bot/localdiscord"
	"marque/games"
	"marque/games/catalog"
	"marque/games/verify"
)

// attached is the only file of a message that is no picture.
func (r *rig) attached(m *localdiscord.Message) string {
	r.t.Helper()
	files := m.Files()
	if len(files) != 1 {
		r.t.Fatalf("%d files are attached, want one: %s", len(files), m.Text())
	}
	data, ok := r.srv.Attachment(files[0].URL)
	if !ok {
		r.t.Fatal("the file is not there")
	}
	return string(data)
}

// gif decodes the animated picture of a message.
func (r *rig) gif(m *localdiscord.Message) *gif.GIF {
	r.t.Helper()
	pictures := m.Pictures()
	if len(pictures) != 1 || len(pictures[0].Description) < 40 {
		r.t.Fatalf("a replay has the pictures %v, want one with an alt text", pictures)
	}
	data, ok := r.srv.Attachment(pictures[0].URL)
	replay, err := gif.DecodeAll(bytes.NewReader(data))
	if !ok || err != nil {
		r.t.Fatalf("the replay is no animated GIF: %v", err)
	}
	if len(data) > 4<<20 {
		r.t.Errorf("the replay takes %d bytes", len(data))
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
	r := newRig(t)
	rng := rand.New(rand.NewPCG(3, 4))
	has(t, "/record export without a table", r.command(anne, channel, "record export").Text(),
		"Nobody plays in this channel")
	turn := r.open(channel, g, []string{anne, jack})
	for range 12 {
		r.typeMove(r.mover(turn), channel, rng)
		turn = r.turnAfter(channel, turn)
	}
	number, _, _ := strings.Cut(afterWord(turn.Text(), "· #"), "\n")

	seats := map[string]string{}
	for _, who := range []string{anne, jack, mary} {
		m := r.command(who, channel, "record export")
		if m.EphemeralTo != who {
			t.Errorf("an export of a running game is seen by %q, want %s alone", m.EphemeralTo, who)
		}
		text := r.attached(m)
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
	has(t, "/record verify of a running game", r.command(anne, channel, "record verify").Text(), "its seed is secret")
	running := r.command(anne, channel, "record replay")
	if running.EphemeralTo != anne {
		t.Errorf("a player's replay of a hidden game is seen by %q", running.EphemeralTo)
	}
	r.gif(running)

	before := r.log.String()
	for _, m := range r.srv.Messages(channel, anne) {
		before += m.Text()
		for _, c := range m.Interactive() {
			before += c.CustomID
		}
	}
	for _, text := range seats {
		before += text
	}
	sure := r.command(jack, channel, "resign")
	r.click(jack, sure, "Yes, resign")
	over := r.next(channel, turn.ID, isOver)
	whole := r.attached(r.command(mary, channel, "record export", opt("table", number)))
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
	has(t, "/record verify", r.command(mary, channel, "record verify", opt("table", number)).Text(), "all by the rules",
		"each as the seed says", "drawn by lot")

	replay := r.next(channel, over.ID, func(m *localdiscord.Message) bool { return len(m.Pictures()) == 1 })
	if n := len(r.gif(replay).Image); n < 12 || len(replay.Pinged) != 0 {
		t.Errorf("the replay of the ended game has %d pictures and pings %v", n, replay.Pinged)
	}
	again := r.click(mary, over, "Replay")
	r.gif(again)
	step := r.click(mary, again, "Step through")
	has(t, "the first position", step.Text(), "Position 0 of")
	has(t, "the second position", r.click(mary, step, "▶").Text(), "Position 1 of")
	part := r.command(mary, channel, "record replay", opt("table", number), opt("from", 12), opt("to", 16))
	if n := len(r.gif(part).Image); n > 5 {
		t.Errorf("four moves make %d pictures", n)
	}
	has(t, "a replay backwards", r.command(mary, channel, "record replay", opt("table", number), opt("from", 9),
		opt("to", 3)).Text(), "runs forwards")
	has(t, "a replay beyond the end", r.command(mary, channel, "record replay", opt("table", number),
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
			r := newRigWith(t, func(r *rig) {
				r.transport = func(to http.RoundTripper) http.RoundTripper {
					return roundTrip(func(req *http.Request) (*http.Response, error) {
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
			turn := r.openLoyal(players)
			for range 6 {
				r.typeMove(r.mover(turn), tablesChannel, rng)
				turn = r.next(tablesChannel, turn.ID, isTurn)
			}
			r.click(players[0], r.command(players[0], tablesChannel, "resign"), "Yes, resign")
			over := r.next(tablesChannel, turn.ID, isOver)
			<-begun
			r.stop()
			r.transport = nil
			r.start()
			done := r.next(tablesChannel, over.ID, func(m *localdiscord.Message) bool { return len(m.Pictures()) == 1 })
			if n := len(r.gif(done).Image); n < 6 {
				t.Errorf("the replay has %d pictures", n)
			}
			r.stop()
			r.start()
			// a stop may come between the replay and the note
			r.eventually("no game waits for its replay", func() bool {
				list, err := r.store.Replays(t.Context(), 0, 10)
				return err == nil && len(list) == 0
			})
			r.stop()
			replays := 0
			for _, m := range r.srv.Messages(tablesChannel, localdiscord.Mary) {
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
