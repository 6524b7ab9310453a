package turn_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/table"
)

// questions returns the rows of buttons of a message, each preceded by the text above it.
func questions(m *localdiscord.Message) []string {
	var list []string
	said := ""
	for _, c := range m.Components {
		switch c := c.(type) {
		case *discordgo.TextDisplay:
			said = c.Content
		case *discordgo.ActionsRow:
			var labels []string
			for _, b := range c.Components {
				if b, ok := b.(*discordgo.Button); ok {
					labels = append(labels, b.Label)
				}
			}
			list = append(list, fmt.Sprintf("%s [%s]", said, strings.Join(labels, "] [")))
			said = ""
		default:
			said = ""
		}
	}
	return list
}

// An offer that is declined and repeated within ten minutes pings nobody again. Otherwise a player could ping another
// without limit.
func TestRepeatedOffersCallOnce(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	anne, jack := localdiscord.Anne, localdiscord.Jack
	latest := r.OpenLoyal(bottest.Two).ID
	for n, want := range [][]string{{anne}, nil, {anne}} {
		if n == 2 {
			clock.Advance(10 * time.Minute)
		}
		r.WantText(r.Command(jack, bottest.TablesChannel, "table draw"), "You've offered a draw")
		offered := r.NextSaying(bottest.TablesChannel, latest, "offers a draw")
		if !slices.Equal(offered.Pinged, want) {
			t.Errorf("offer number %d pings %v, want %v", n+1, offered.Pinged, want)
		}
		r.Click(anne, offered, "No draw")
		latest = offered.ID
	}
}

// Each open question has its own row of buttons, which name the question, with its text above. A user whose answer
// would end the game must confirm it.
func TestEveryQuestionHasItsRow(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	anne, jack := localdiscord.Anne, localdiscord.Jack
	turn := r.OpenLoyal(bottest.Two)
	r.WantText(r.Command(jack, bottest.TablesChannel, "table draw"), "You've offered a draw")
	offered := r.NextSaying(bottest.TablesChannel, turn.ID, "offers a draw")
	if !slices.Equal(offered.Pinged, []string{anne}) {
		t.Errorf("the offer pings %v, want Anne", offered.Pinged)
	}
	r.Command(jack, bottest.TablesChannel, "table leave")
	seat := r.NextSaying(bottest.TablesChannel, offered.ID, "offers the seat")
	draw := fmt.Sprintf("<@%s>: <@%s> offers a draw. Do you accept? [Accept the draw] [No draw]", anne, jack)
	free := fmt.Sprintf(
		"<@%s>'s seat is free. Who wants to take over? [Take Jack's seat] [Let a computer play for Jack]", jack)
	if got, want := questions(seat), []string{draw, free}; !slices.Equal(got, want) {
		t.Errorf("open are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got, want := questions(offered), []string{draw}; !slices.Equal(got, want) {
		t.Errorf("open are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	sure := r.Click(anne, seat, "Accept the draw")
	r.WantText(sure, "Once everyone still in the game agrees, the game is over.")
	if snap := r.Table(); snap.Status != table.Playing {
		t.Fatal("one press ended the game")
	}
	r.Click(anne, sure, "Yes, accept the draw")
	if snap := r.Table(); snap.Status != table.Over || !snap.Outcome().Drawn {
		t.Errorf("after the second press: %+v", snap.Head)
	}
}

// A button answers only the question with which it was posted, and never a later one.
func TestAnotherQuestionIsNotAnswered(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	anne, jack := localdiscord.Anne, localdiscord.Jack
	turn := r.OpenLoyal(bottest.Two)
	r.Command(jack, bottest.TablesChannel, "table draw")
	first := r.NextSaying(bottest.TablesChannel, turn.ID, "offers a draw")
	sure := r.Click(anne, first, "Accept the draw")
	r.WantText(r.Command(jack, bottest.TablesChannel, "table abandon"), "Stop")
	stop := r.Command(jack, bottest.TablesChannel, "table abandon")
	r.WantText(r.Click(jack, stop, "Yes, stop it"), "You've already asked for something else.")
	r.Click(jack, first, "No draw") // withdraws the offer
	second := r.Command(anne, bottest.TablesChannel, "table draw")
	r.WantText(second, "You've offered a draw")
	again := r.NextSaying(bottest.TablesChannel, first.ID,
		fmt.Sprintf("<@%s>: <@%s> offers a draw. Do you accept?", jack,
			anne))

	const settled = "That question is settled. Another one is open now"
	r.Published(1)
	if _, err := r.Server.Click(r.Ctx, jack, first.ID, first.Interactive()[0].CustomID); err == nil {
		t.Error("the message of an offer that was taken back still has its buttons")
	}
	r.WantText(r.Click(anne, sure, "Yes, accept the draw"), settled)
	if snap := r.Table(); snap.Status != table.Playing || snap.Proposal.Kind != table.Draw {
		t.Errorf("an old button did something: %+v", snap.Head)
	}
	r.WantText(r.Click(jack, again, "No draw"), "You decline")
}

// The controls under an outdated board are consistent. For the player to move, Move offers the moves of the present
// position and says that the board was outdated. Other users are told that the game has moved on, with a link to the
// present board. As text still shows the outdated board.
func TestOldBoardsAgree(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	turn := r.OpenLoyal(bottest.Two)
	before := r.More(localdiscord.Mary, turn, "As text").Text()
	mover := r.Mover(turn)
	r.TypeMove(mover, bottest.TablesChannel, bottest.NewRand())
	r.Next(bottest.TablesChannel, turn.ID, bottest.IsTurn)
	const moved = "The game has moved on. The current board is here: "
	r.WantText(r.Click(mover, turn, "Move"), moved)
	asked := r.Click(bottest.Other(bottest.Two, mover), turn, "Move")
	r.WantText(asked, "was on an earlier board")
	r.CheckStep(asked)
	after := r.More(localdiscord.Mary, turn, "As text").Text()
	if first, rest, _ := strings.Cut(after, "\n"); !strings.HasPrefix(first, moved) || rest != before {
		t.Errorf("under the old board, As text says\n%s\nwant\n%s\n%s", after, moved, before)
	}
}

// A game whose board a moderator has deleted can be continued from the board that a user requests.
func TestADeletedBoardIsNoEnd(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	first := r.OpenLoyal(bottest.Two)
	r.TypeMove(r.Mover(first), bottest.TablesChannel, bottest.NewRand())
	turn := r.Next(bottest.TablesChannel, first.ID, bottest.IsTurn)
	mover := r.Mover(turn)
	r.Delete(bottest.TablesChannel, turn.ID)
	for what, m := range map[string]*localdiscord.Message{
		"Move under an older board": r.Click(mover, first, "Move"),
		"Move under /board":         r.Click(mover, r.Command(mover, bottest.TablesChannel, "board"), "Move"),
	} {
		if len(m.Pictures()) != 1 || strings.Contains(m.Text(), turn.ID) {
			t.Errorf("%s leads to a board that is gone: %s", what, m.Text())
		}
		r.CheckStep(m)
	}
	for what, list := range map[string]*localdiscord.Message{
		"/games":      r.Command(mover, bottest.TablesChannel, "games"),
		"/games mine": r.Command(mover, bottest.Tavern, "games", localdiscord.Opt("mine", true)),
	} {
		board := r.Click(mover, list, "Open")
		if len(board.Pictures()) != 1 || strings.Contains(board.Text(), turn.ID) {
			t.Errorf("Open in %s leads to a board that is gone: %s", what, board.Text())
		}
		r.CheckStep(r.Click(mover, board, "Move"))
	}
	watched := r.Click(localdiscord.Mary, r.Command(localdiscord.Mary, bottest.TablesChannel, "games"), "Watch")
	if len(watched.Pictures()) != 1 || bottest.HasButton(watched, "Move") || watched.EphemeralTo != localdiscord.Mary {
		t.Errorf("Watch in /games shows %s", watched.Text())
	}
	if m := r.Command(bottest.Other(bottest.Two, mover), bottest.TablesChannel, "board"); bottest.HasButton(m, "Move") {
		t.Errorf("who is not to move is offered a move: %s", m.Text())
	}
	r.TypeMove(mover, bottest.TablesChannel, bottest.NewRand())
	r.Next(bottest.TablesChannel, turn.ID, bottest.IsTurn)
}
