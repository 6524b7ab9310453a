package predict_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/catalog"
	"marque/storage"
)

// predict sends the command that predicts the winner of the game in the channel. If winner is "", the command only
// opens the menu.
func predict(r *bottest.Rig, user, winner string) *localdiscord.Message {
	r.T.Helper()
	var options []localdiscord.Option
	if winner != "" {
		options = append(options, localdiscord.Opt("winner", winner))
	}
	return r.Command(user, bottest.TablesChannel, "table predict", options...)
}

// A spectator can predict the winner once. Predictions are refused for players, in games with hidden cards, if a player
// or the server does not want them, and after the game.
func TestPredictionsAreRefused(t *testing.T) {
	t.Parallel()
	const channel = bottest.TablesChannel
	anne, jack, bart, grace := localdiscord.Anne, localdiscord.Jack, localdiscord.Bart, localdiscord.Grace
	r := bottest.New(t)
	hides := func(user string, hidden bool) {
		_, err := r.Tables.Choices.ChangePreferences(r.Ctx, user, func(p *choices.Preferences) error {
			p.Hidden.Predictions = hidden
			return nil
		})
		r.Must(err)
	}
	r.WantText(predict(r, bart, ""), "There's no game going on in this channel")

	cards, _ := catalog.Find("pirat")
	hidden := r.Open(channel, cards, bottest.Two)
	if _, ok := r.Click(bart, hidden, "More").Button("Predict the winner"); ok {
		t.Error("there are predictions where hands are hidden")
	}
	r.WantText(predict(r, bart, "Anne"), "This game has hidden cards")
	r.Click(anne, r.Command(anne, channel, "table resign"), "Yes, resign")
	r.Next(channel, hidden.ID, bottest.IsOver)

	turn := r.OpenLoyal(bottest.Two)
	if _, ok := r.Click(anne, turn, "More").Button("Predict the winner"); ok {
		t.Error("a player is asked to predict")
	}
	offer := r.Click(bart, turn, "More")
	r.WantText(predict(r, anne, "Jack"), "Predictions are for people watching")
	hides(jack, true)
	r.WantText(r.Click(bart, offer, "Predict the winner"), "Not everyone in this game wants predictions")
	hides(jack, false)
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Without.Predictions = true })
	r.WantText(r.Click(bart, offer, "Predict the winner"), "aren't available here")
	r.WantText(r.Command(bart, channel, "me predictions", localdiscord.Opt("share", true)),
		"aren't available here")
	mine := r.Command(bart, channel, "me predictions")
	r.WantText(mine, "aren't available here")
	if strings.Contains(mine.Text(), "You made no predictions") {
		t.Errorf("where predictions are off, somebody is asked for one: %s", mine.Text())
	}
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Without.Predictions = false })
	text := r.Command(bart, channel, "board", localdiscord.Opt("text", true))
	r.WantText(text, "Predict it with “/table predict”")
	own := r.Command(anne, channel, "board", localdiscord.Opt("text", true))
	if strings.Contains(own.Text(), "/predict") {
		t.Errorf("a player is asked: %s", own.Text())
	}

	// In a rated game among people no chances are shown, because the game allows no hints.
	asked := r.More(bart, turn, "Predict the winner")
	r.WantText(asked, "I don't show the chances")
	if strings.Contains(asked.Text(), "(") || asked.EphemeralTo != bart {
		t.Errorf("asked is %s, of %q", asked.Text(), asked.EphemeralTo)
	}
	if _, ok := asked.Button("Jack wins"); !ok {
		t.Errorf("nobody can say that Jack wins: %s", asked.Text())
	}
	r.WantText(predict(r, bart, "Blackbeard"), "Nobody with that name can win")
	r.WantText(r.Click(bart, asked, "Anne wins"), "You predicted that <@"+anne+"> will win. “/me predictions”")
	for _, again := range []*localdiscord.Message{r.More(bart, turn, "Predict the winner"), predict(r, bart, "Jack")} {
		r.WantText(again, "You've predicted that <@"+anne+"> will win, and only your first prediction counts")
	}
	r.WantText(r.Forge(bart, asked, asked.Interactive()[1].CustomID), "first prediction counts")
	r.WantText(predict(r, grace, "jack"), "You predicted that <@"+jack+"> will win")

	r.PlayOn(channel)
	r.Click(jack, r.Command(jack, channel, "table resign"), "Yes, resign")
	end := r.Next(channel, turn.ID, bottest.IsOver)
	r.WantText(end, "1 of 2 people predicted the winner of this game correctly.")
	if len(end.Pinged) != 0 {
		t.Errorf("the end calls %v", end.Pinged)
	}
	r.WantText(r.Command(localdiscord.Mary, channel, "table predict", localdiscord.Opt("winner", "Anne")),
		"There's no game going on in this channel")
}

// In a game that allows hints, the menu shows the chances, and the reply to a prediction computes its points from the
// shown chance.
func TestPredictionsShowChancesWhereHintsAreGiven(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	turn := r.OpenLoyal(bottest.Two, localdiscord.Opt("rated", false))
	asked := r.More(localdiscord.Bart, turn, "Predict the winner")
	label := ""
	for _, c := range asked.Interactive() {
		if strings.HasPrefix(c.Label, "Anne wins (") {
			label = c.Label
		}
	}
	var chance int
	if _, err := fmt.Sscanf(label, "Anne wins (%d%%)", &chance); err != nil || chance < 5 || chance > 95 {
		t.Fatalf("the chance is %q: %s", label, asked.Text())
	}
	r.WantText(r.Click(localdiscord.Bart, asked, label), fmt.Sprintf(
		"will win (chance about %d%%). Points: +%d for a sole win", chance, 100-chance))
}

// Spectators can predict the winner of a game between a player and a computer.
func TestPredictionsWithComputersAlone(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	r.MeetComputers(bottest.TablesChannel, "loyal-captain", 1)
	r.WantText(predict(r, localdiscord.Bart, ""), "Who wins?")
}

// Predictions are accepted after four moves, but no longer when the next move can win.
func TestPredictionsCloseBeforeTheEnd(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	r.OpenLoyal(bottest.Two)
	snap := r.Table()
	state, late := snap.View(0).State, false
	for plays := 0; state.ToMove() != games.Nobody; plays++ {
		if plays == 4 {
			r.WantText(predict(r, localdiscord.Bart, ""), "Who wins?")
		}
		moves := state.Moves()
		best, most := moves[0], -1.0
		for _, m := range moves {
			after := state.Apply(m)
			var worth float64
			if after.ToMove() == games.Nobody {
				worth = after.Result().Payoff(state.ToMove()) * 2
			} else {
				worth = after.Sim().Evaluate(state.ToMove())
			}
			if worth > most {
				best, most = m, worth
			}
		}
		if most == 2 { // the next play can win
			said := predict(r, localdiscord.Bart, "")
			late = strings.Contains(said.Text(), "too late to predict")
			break
		}
		var err error
		if snap, err = r.Tables.Move(r.Ctx, table.Actor{User: snap.Mover()}, snap.ID, games.Spell(state, best),
			0); err != nil {
			t.Fatal(err)
		}
		state = snap.View(0).State
	}
	if !late {
		t.Errorf("after %d plays it is not too late", snap.Plays)
	}
}

// Points of predictions are computed from the current results, by months in UTC. Users with at least five predictions
// that count are in the table. Predictions survive a restart, are exported, and are deleted with the user's data.
func TestPredictionsOfAMonth(t *testing.T) {
	t.Parallel()
	const channel = bottest.TablesChannel
	anne, jack, mary, bart, grace := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary, localdiscord.Bart,
		localdiscord.Grace
	clock := manual.NewClock(time.Date(2026, 10, 31, 23, 50, 0, 0, time.UTC))
	r := bottest.New(t, func(o *localdiscord.Options) { o.Clock = clock })
	// give stores a prediction with a known chance.
	give := func(user string, id table.ID, seat games.Seat, chance int) {
		r.Must(r.Store.AddPrediction(r.Ctx, storage.Prediction{User: user, Table: id, Seat: seat, Chance: chance,
			At: storage.At(clock.Now())}, func(storage.Head) error { return nil }))
	}
	open := func() (*localdiscord.Message, table.Head) {
		turn := r.OpenLoyal(bottest.Two, localdiscord.Opt("clock", "none"))
		heads, err := r.Tables.Lookup.InChannel(r.Ctx, channel)
		if err != nil || len(heads) != 1 {
			t.Fatalf("%d tables go on in the channel, %v", len(heads), err)
		}
		return turn, heads[0]
	}
	play := func(how func(h table.Head)) table.ID {
		turn, h := open()
		how(h)
		r.PlayOn(channel)
		r.Click(jack, r.Command(jack, channel, "table resign"), "Yes, resign")
		r.Next(channel, turn.ID, bottest.IsOver)
		return h.ID
	}
	october := play(func(h table.Head) {
		give(bart, h.ID, h.Seat(anne), 300)
		clock.Advance(20 * time.Minute) // November begins
		give(grace, h.ID, h.Seat(jack), 800)
	})
	month := func(by string) string { return r.Command(by, channel, "me predictions").Text() }
	bottest.Contains(t, "November with one prediction", month(grace), "Best predictions here, November 2026",
		"Nobody yet",
		"Your points: −80; 0 of 1 right; games still being played: 0.")
	for range 4 {
		play(func(h table.Head) {
			give(bart, h.ID, h.Seat(anne), 400)
			give(grace, h.ID, h.Seat(jack), 0)
		})
	}
	bottest.Contains(t, "November with five of Grace's", month(bart), "1. <@"+grace+">: points **−80**, 0 of 5 right",
		"Your points: +240; 4 of 4 right")
	play(func(h table.Head) { give(bart, h.ID, h.Seat(anne), 1000) })
	want := "1. <@" + bart + ">: points **+240**, 5 of 5 right\n2. <@" + grace + ">: points **−80**"
	bottest.Contains(t, "November", month(mary), want)
	mine := r.Command(bart, channel, "me predictions").Text()
	bottest.Contains(t, "Bart's own", mine, "Your predictions, November 2026", "Points: +60", "Points: 0",
		"Your predictions, October 2026", fmt.Sprintf("#%s, your prediction: <@%s>. Points: +70", october, anne))

	r.Stop()
	r.Start()
	bottest.Contains(t, "after a restart", month(mary), want)
	shared := r.Command(bart, channel, "me predictions", localdiscord.Opt("share", true))
	if strings.Contains(shared.Text(), "Your points:") || shared.EphemeralTo != "" || len(shared.Pinged) > 0 {
		t.Errorf("everybody is shown %s, which calls %v", shared.Text(), shared.Pinged)
	}

	// Next come a void result, a draw, an abandoned game, and a game that is still being played.
	r.Command(mary, channel, "server ratings void", localdiscord.Opt("ended", october.String()))
	bottest.Contains(t, "with a void result", month(mary), "1. <@"+bart+">: points **+240**")
	bottest.Contains(t, "Bart's own", r.Command(bart, channel, "me predictions").Text(),
		fmt.Sprintf("#%s, your prediction: <@%s>. Doesn't count", october, anne))
	if strings.Contains(month(mary), grace) {
		t.Errorf("Grace is listed with four: %s", month(mary))
	}
	r.Command(mary, channel, "server ratings restore", localdiscord.Opt("ended", october.String()))
	end := func(kind table.ProposalKind) *localdiscord.Message {
		t.Helper()
		turn, h := open()
		give(grace, h.ID, 0, 250)
		bottest.Contains(t, "while a game goes on", r.Command(grace, channel, "me predictions").Text(),
			"still being played")
		r.PlayOn(channel)
		for _, user := range bottest.Two {
			_, err := r.Tables.Propose(r.Ctx, table.Actor{User: user}, h.ID, kind)
			r.Must(err)
		}
		return r.Next(channel, turn.ID, func(m *localdiscord.Message) bool { _, ok := m.Button("Rematch"); return ok })
	}
	if over := end(table.Draw); strings.Contains(over.Text(), "predicted") {
		t.Errorf("of a draw it is said who saw it coming: %s", over.Text())
	}
	bottest.Contains(t, "with a draw", month(grace), "2. <@"+grace+">: points **−55**, 0 of 6 right")
	end(table.Abandon)
	bottest.Contains(t, "with an abandoned game", month(grace), "2. <@"+grace+">: points **−55**, 0 of 6 right")

	d, err := r.Privacy.Export(r.Ctx, bart)
	if err != nil || !slices.ContainsFunc(d.Owned, func(o storage.Owned) bool {
		return strings.Contains(o.What, "predicted") && strings.Contains(string(o.Value), `"chance":300`)
	}) {
		t.Errorf("%v, %v: what Bart predicted is not exported", d.Owned, err)
	}
	r.Must(r.Privacy.Forget(r.Ctx, bart))
	if said := month(mary); strings.Contains(said, bart) {
		t.Errorf("who is forgotten is in the table: %s", said)
	}
}
