package archive_test

import (
	"bytes"
	"fmt"
	"image/gif"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games"
	"marque/games/catalog"
	"marque/games/verify"
)

// gifOf decodes the animated picture in a message.
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

// /record verify names the button Fair play only if something was drawn in the game, because only then is there one. A
// rematch of a game without dice and cards has no draws: its seats follow from the first game.
func TestVerifyNamesFairPlayAfterDraws(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	ends := func(turn *localdiscord.Message) *localdiscord.Message {
		r.Resign(localdiscord.Anne)
		return r.Next(bottest.TablesChannel, turn.ID, bottest.IsOver)
	}
	over := ends(r.OpenLoyal(bottest.Two))
	drawn := r.Command(localdiscord.Anne, bottest.TablesChannel, "record verify").Text()
	bottest.Contains(t, "/record verify of drawn seats", drawn, "Compare the starting click", "**Fair play**")
	for _, who := range bottest.Two {
		r.Click(who, over, "Rematch")
	}
	ends(r.Next(bottest.TablesChannel, over.ID, bottest.TurnOrEnd))
	again := r.Command(localdiscord.Anne, bottest.TablesChannel, "record verify").Text()
	bottest.Contains(t, "/record verify of fixed seats", again, "Not checked: the players' names.")
	bottest.Lacks(t, "/record verify of fixed seats", again, "Fair play")
}

// A record that Anne exports during a game with hidden cards differs from Jack's and from a spectator's. None of
// these contains the seed or every card. Before the end of the game, neither the messages that Anne sees in the
// channel nor the log contain the seed. After it, the record is complete and verifies.
func TestRecordsReplaysAndTheSeed(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	anne, jack, mary := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary
	g, _ := catalog.Find("pirat")
	opt := localdiscord.Opt
	r := bottest.New(t)
	rng := rand.New(rand.NewPCG(3, 4))
	bottest.Contains(t, "/record export without a table", r.Command(anne, channel, "record export").Text(),
		"There's no game going on in this channel")
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
	sure := r.Command(jack, channel, "table resign")
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
	// An earlier export equals the record, except for unknown cards.
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
		"follows the rules",
		"each time as the seed says", "drawn by lot")

	bottest.Contains(t, "the seed behind its button", r.Click(mary, over, "Fair play").Text(), rec.Seed)
	bottest.Lacks(t, "the end", over.Text(), rec.Seed[:12])
	again := r.Click(mary, over, "Replay")
	if n := len(gifOf(r, again).Image); n < 12 {
		t.Errorf("the replay of the ended game has %d pictures", n)
	}
	step := r.Click(mary, again, "Step through")
	bottest.Contains(t, "the first position", step.Text(), "\nStart")
	bottest.Contains(t, "the second position", r.Click(mary, step, "▶").Text(), "Turn 1 of")
	part := r.Command(mary, channel, "record replay", opt("table", number), opt("from", 4), opt("to", 6))
	if n := len(gifOf(r, part).Image); n > 5 {
		t.Errorf("two turns make %d pictures", n)
	}
	bottest.Contains(t, "a replay backwards", r.Command(mary, channel, "record replay", opt("table", number),
		opt("from", 9),
		opt("to", 3)).Text(), "runs forwards")
	bottest.Contains(t, "a replay beyond the end", r.Command(mary, channel, "record replay", opt("table", number),
		opt("to", 5000)).Text(), "There's no turn 5000")
}

// The last message of a game contains the scores, and no other message follows, even after the review. The button
// “Result picture” first shows the card to the user alone, and a second button then posts the card in the channel.
func TestTheEndStaysLast(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := bottest.New(t)
	g, _ := catalog.Find("pirat")
	turn := r.Open(channel, g, bottest.Two)
	rng := rand.New(rand.NewPCG(3, 4))
	for !bottest.IsOver(turn) {
		r.TypeMove(r.Mover(turn), channel, rng)
		turn = r.TurnAfter(channel, turn)
	}
	snap := r.Table()
	scores := slices.Sorted(slices.Values(snap.Outcome().Scores))
	bottest.Contains(t, "the end", turn.Text(), fmt.Sprintf("%d : %d!", scores[1], scores[0]))
	var labels []string
	for _, c := range turn.Interactive() {
		labels = append(labels, c.Label)
	}
	if want := []string{"Rematch", "Report", "Result picture", "Replay", "Fair play"}; !slices.Equal(labels, want) {
		t.Errorf("the end has the controls %q, want %q", labels, want)
	}
	if found, err := r.Reviewed.Review(r.Ctx, snap.ID); err != nil || !found.Done {
		t.Fatalf("the review: %+v, %v", found, err)
	}
	for _, m := range r.Server.Messages(channel, localdiscord.Mary) { // Mary sees no player's private replies
		if bottest.Later(m.ID, turn.ID) {
			t.Errorf("below the end stands: %s", m.Text())
		}
	}
	card := r.Click(localdiscord.Anne, turn, "Result picture")
	if card.EphemeralTo != localdiscord.Anne || len(card.Pictures()) != 1 {
		t.Fatalf("what is to be shared is seen by %q: %s", card.EphemeralTo, card.Text())
	}
	if posted := r.Click(localdiscord.Anne, card, "Post it here"); posted.EphemeralTo != "" ||
		len(posted.Pictures()) != 1 {
		t.Errorf("what was shared is seen by %q: %s", posted.EphemeralTo, posted.Text())
	}
}
