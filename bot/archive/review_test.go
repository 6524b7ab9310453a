package archive_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/reviews"
	"marque/games/review"
	"marque/storage"
)

// A replay names the turning points of a review in its text, shows them longer, and marks them in its step-through,
// before and after a restart. Buttons of the step-through lead from one turning point to the next and back.
func TestReviewMarksInReplay(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Reviews = true })
	playOut(r, r.MeetComputers(channel, bottest.LoyalCaptain, 1), channel, rand.New(rand.NewPCG(5, 9)))
	heads, err := r.Tables.Lookup.ByGuild(r.Ctx, localdiscord.Tortuga, storage.Finished, 0, 1)
	if err != nil || len(heads) != 1 {
		t.Fatalf("tables %v, %v", heads, err)
	}
	found, err := r.Reviewed.Review(r.Ctx, heads[0].ID)
	if err != nil || !found.Done || len(found.Points) == 0 {
		t.Fatalf("a game of random moves is reviewed with %+v, %v", found, err)
	}

	offered, err := r.Server.Autocomplete(r.Ctx, localdiscord.Anne, channel, "record review", "table",
		localdiscord.Opt("table", ""))
	if err != nil || len(offered) != 1 || offered[0].Value != heads[0].ID.String() {
		t.Errorf("/record review offers the tables %v, %v; want the finished game %s", offered, err, heads[0].ID)
	}

	// Each turning point has a page with the played move, the better move, the difference, and a board for each move.
	page := r.Command(localdiscord.Anne, channel, "record review")
	for i, p := range found.Points {
		for _, want := range []string{fmt.Sprintf("Turning point %d of %d", i+1, len(found.Points)),
			fmt.Sprintf("Turn %d:", found.Turn(p.Play+1)), "played `" + p.Played + "`", "`" + p.Better + "` was better",
			"gave away"} {
			bottest.Contains(t, fmt.Sprintf("page %d", i+1), page.Text(), want)
		}
		bothBoards(t, fmt.Sprintf("page %d", i+1), page, p.Better)
		bottest.Contains(t, "stepping through from the page", r.Click(localdiscord.Anne, page, "Step through").Text(),
			fmt.Sprintf("Turn %d of", found.Turn(p.Play+1)))
		if i+1 < len(found.Points) {
			page = r.Click(localdiscord.Anne, page, "▶")
		}
	}

	// The report has the accuracy and the worst moves of the players, the chances, the last board and its buttons, also
	// after a restart. Only the user sees the report unless it is shared.
	report := func(when string) {
		t.Helper()
		m := r.Command(localdiscord.Anne, channel, "record report")
		for _, want := range []string{"accuracy **", "decisions:", "Worst: turn"} {
			bottest.Contains(t, when+" /record report", m.Text(), want)
		}
		if strings.Contains(m.Text(), "with dice and cards") {
			t.Errorf("%s: a game without dice and cards has luck: %s", when, m.Text())
		}
		if pictures := m.Pictures(); len(pictures) != 2 || !strings.Contains(pictures[0].Description,
			"ended at 0%") || !strings.Contains(pictures[0].Description, "ended at 100%") {
			t.Errorf("%s: the report has the pictures %+v, want the chances up to the end, and the last board", when,
				pictures)
		}
		bottest.Contains(t, when+" the turning points", r.Click(localdiscord.Anne, m, "Turning points").Text(),
			"Turning point 1 of")
		worst := 0
		page := r.Click(localdiscord.Anne, m, "Best and worst moves")
		for ; ; page = r.Click(localdiscord.Anne, page, "▶") {
			if strings.Contains(page.Text(), "Best: turn") {
				if n := len(page.Pictures()); n != 1 {
					t.Errorf("%s: a best move has %d pictures: %s", when, n, page.Text())
				}
			} else if worst++; strings.Contains(page.Text(), "would have played") {
				_, better, _ := strings.Cut(page.Text(), "would have played `")
				better, _, _ = strings.Cut(better, "`")
				bothBoards(t, when+" a worst move", page, better)
			}
			if on, ok := page.Button("▶"); !ok || on.Disabled {
				break
			}
		}
		if worst == 0 {
			t.Errorf("%s: a game of random moves has no worst move", when)
		}
		if m.EphemeralTo != localdiscord.Anne {
			t.Errorf("%s: a report that nobody shared is seen by %q", when, m.EphemeralTo)
		}
	}
	report("after the review")

	check := func(when string) {
		t.Helper()
		replay := r.Command(localdiscord.Anne, channel, "record replay")
		for _, p := range found.Points {
			bottest.Contains(t, when+" /replay", replay.Text(), fmt.Sprintf("turn %d (?", found.Turn(p.Play+1)))
		}
		if dir := os.Getenv("MARQUE_LOOK"); dir != "" {
			data, _ := r.Server.Attachment(replay.Pictures()[0].URL)
			_ = os.WriteFile(dir+"/record replay.gif", data, 0o644)
		}
		long := 0
		pictures := gifOf(r, replay)
		for _, d := range pictures.Delay[:len(pictures.Delay)-1] {
			if d > pictures.Delay[0] {
				long++
			}
		}
		marked := 0
		for _, p := range found.Points {
			if p.Play+1 < found.Plays {
				marked++
			}
		}
		if long != marked {
			t.Errorf("%s: %d pictures stay longer, want the %d turning points: %v", when, long, marked, pictures.Delay)
		}
		step := r.Click(localdiscord.Anne, replay, "Step through")
		for _, p := range found.Points {
			step = r.Click(localdiscord.Anne, step, "?? ▶")
			bottest.Contains(t, when+" the next turning point", step.Text(),
				fmt.Sprintf("Turn %d of", found.Turn(p.Play+1)))
			bottest.Contains(t, when+" its mark", step.Text(), "A costly move: with `"+p.Better+"`, the chance of winning was ")
		}
		if c, ok := step.Button("?? ▶"); !ok || !c.Disabled {
			t.Errorf("%s: after the last turning point the button that leads on is %+v", when, c)
		}
		if len(found.Points) > 1 {
			back := found.Points[len(found.Points)-2]
			bottest.Contains(t, when+" the one before", r.Click(localdiscord.Anne, step, "◀ ??").Text(),
				fmt.Sprintf("Turn %d of", found.Turn(back.Play+1)))
		}
		plain := r.Command(localdiscord.Anne, channel, "board",
			localdiscord.Opt("at", found.Turn(firstUnmarked(found))))
		if strings.Contains(plain.Text(), "costly") {
			t.Errorf("%s: a move that was no turning point is marked: %s", when, plain.Text())
		}
	}
	check("after the review")
	r.Stop()
	r.Start()
	check("after a restart")
	report("after a restart")
	if m := r.Command(localdiscord.Anne, channel, "record report",
		localdiscord.Opt("share", true)); m.EphemeralTo != "" {
		t.Errorf("a report that is shared is seen by %q alone", m.EphemeralTo)
	}
}

// bothBoards checks that a page shows two boards, one with the played move and one with the better move.
func bothBoards(t *testing.T, what string, page *localdiscord.Message, better string) {
	t.Helper()
	bottest.Contains(t, what, page.Text(), "After `"+better+"`")
	if p := page.Pictures(); len(p) != 2 || !strings.Contains(p[1].Description, ", then "+better) {
		t.Errorf("%s has the pictures %+v, want the board as it was, and as it would have been after %s", what, p,
			better)
	}
}

// A game with dice or cards has a ledger of luck whose sum over all players is zero. The report shows the ledger, and
// with hidden hands also the luck as the players knew it. The card to share is one picture, whose alt text also
// mentions luck.
func TestAReportHasALedgerOfLuckAndACard(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	for game, hidden := range map[string]bool{"quedah-merchant": false, "pirat": true} {
		t.Run(game, func(t *testing.T) {
			t.Parallel()
			r := bottest.NewWith(t, func(r *bottest.Rig) { r.Reviews = true })
			r.Command(localdiscord.Anne, channel, "play", localdiscord.Opt("game", game),
				localdiscord.Opt("computers", 1), localdiscord.Opt("level", "easy"))
			early := r.Command(localdiscord.Anne, channel, "record card")
			if len(early.Pictures()) > 0 {
				t.Errorf("a game that goes on has a card: %s", early.Text())
			}
			end := playOut(r, r.Next(channel, "", bottest.TurnOrEnd), channel, rand.New(rand.NewPCG(5, 9)))
			found, err := r.Reviewed.Review(r.Ctx, 1)
			if err != nil || !found.Done || found.Luck == nil || found.Luck.Draws == 0 {
				t.Fatalf("the review is %+v, %v", found, err)
			}
			if sum := found.Luck.Seats[0] + found.Luck.Seats[1]; math.Abs(sum) > 1e-9 {
				t.Errorf("the luck of both is %v, which is not nothing", sum)
			}
			m := r.Click(localdiscord.Anne, end, "Report")
			wants := []string{"**Luck**", "uckiest moment"}
			if hidden {
				wants[0] = "** with those known then"
			}
			for _, want := range wants {
				bottest.Contains(t, "the report", m.Text(), want)
			}
			if len(found.Outcome().Winners) == 1 && !strings.Contains(m.Text(), "luck played a large part") {
				bottest.Contains(t, "the report", m.Text(), "(a rough guess, looking one move ahead)")
			}
			card := r.Click(localdiscord.Anne, m, "Result picture")
			pictures := card.Pictures()
			if len(pictures) != 1 || card.EphemeralTo != localdiscord.Anne {
				t.Fatalf("the card has %d pictures and is seen by %q", len(pictures), card.EphemeralTo)
			}
			wants = []string{"#1", "Anne", "luck"}
			if slices.ContainsFunc(found.Players(), func(p review.Player) bool { return p.HasAccuracy }) {
				wants = append(wants, "accuracy") // a very short game says nothing about accuracy
			}
			for _, want := range wants {
				bottest.Contains(t, "the card's alt text", pictures[0].Description, want)
			}
			if !strings.Contains(pictures[0].Description, "Turn ") {
				bottest.Contains(t, "the card's alt text", pictures[0].Description, "No single move, roll or card")
			}
			shared := r.Command(localdiscord.Anne, channel, "record card", localdiscord.Opt("share", true))
			if shared.EphemeralTo != "" || len(shared.Pictures()) != 1 {
				t.Errorf("a card that is shared is seen by %q and has %d pictures", shared.EphemeralTo,
					len(shared.Pictures()))
			}
		})
	}
}

// firstUnmarked returns the index of a position that does not follow a turning point.
func firstUnmarked(found reviews.Review) int {
	at := 1
	for _, p := range found.Points {
		if p.Play+1 == at {
			at++
		}
	}
	return at
}

// The replay of a finished game is marked as soon as the turning points are found. A board of an unfinished game is not
// marked.
func TestReplayAtTheEndIsMarked(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Reviews = true })
	turn := r.MeetComputers(channel, bottest.LoyalCaptain, 1)
	if board := r.Command(localdiscord.Anne, channel, "board"); strings.Contains(board.Text(), "costly") ||
		bottest.HasButton(board, "?? ▶") {
		t.Errorf("a board of a game that goes on is marked: %s", board.Text())
	}
	turn = playOut(r, turn, channel, rand.New(rand.NewPCG(5, 10)))
	r.Eventually("the turning points", func() bool {
		found, err := r.Reviewed.Review(r.Ctx, 1)
		return err == nil && found.Done
	})
	bottest.Contains(t, "the replay", r.Click(localdiscord.Anne, turn, "Replay").Text(), "urning point")
}

// slowReviews is a store whose method Review waits until found is closed.
type slowReviews struct {
	*storage.Store
	found chan struct{}
}

func (s slowReviews) Review(ctx context.Context, id storage.ID) (storage.Review, error) {
	select {
	case <-s.found:
	case <-ctx.Done():
		return storage.Review{}, ctx.Err()
	}
	return s.Store.Review(ctx, id)
}

// A slow reply is deferred: Discord gets the deferral while the bot prepares the reply.
func TestSlowAnswersArePromised(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	found := make(chan struct{})
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Wrap = func(s *storage.Store) bottest.Store {
			return slowReviews{s,
				found}
		}
	})
	turn := r.MeetComputers(channel, bottest.LoyalCaptain, 1)
	r.Click(localdiscord.Anne, r.Command(localdiscord.Anne, channel, "table resign"), "Yes, resign")
	r.Next(channel, turn.ID, bottest.IsOver)
	reply, err := r.Server.Command(r.Ctx, localdiscord.Anne, channel, "record review")
	if err != nil {
		t.Fatalf("no answer was promised: %v", err)
	}
	close(found) // allows the reply to be prepared
	m, err := reply.Message(r.Ctx)
	if err != nil {
		t.Fatal(err)
	}
	bottest.Contains(t, "/record review", m.Text(), "Loyal Captain")
}

// playOut makes random moves for Anne with /move until the game is over, and returns the final message.
func playOut(r *bottest.Rig, turn *localdiscord.Message, channel string, rng *rand.Rand) *localdiscord.Message {
	r.T.Helper()
	for !bottest.IsOver(turn) {
		r.TypeMove(localdiscord.Anne, channel, rng)
		turn = r.TurnAfter(channel, turn)
	}
	return turn
}
