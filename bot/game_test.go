package bot_test

import (
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/fair"
	"marque/storage"
)

// Every game can be played to its end through the gateway and the API, with every number of players. Players move step
// by step, by choosing moves that /move offers, and by typing moves. With the fewest players, the game is in a thread
// of a server with default settings.
func TestWholeGames(t *testing.T) {
	for _, g := range catalog.Games {
		least, most := g.Seats()
		for seats := least; seats <= most; seats++ {
			if testing.Short() && seats > least {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", g.Key(), seats), func(t *testing.T) {
				t.Parallel()
				playWhole(t, g, bottest.World[:seats], seats == least)
			})
		}
	}
}

func playWhole(t *testing.T, g games.Game, players []string, quiet bool) {
	requests := bottest.NewCounter(t)
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Quiet, r.Seed = quiet, func() fair.Seed { return bottest.WholeSeed }
	}, requests.Listen, func(o *localdiscord.Options) {
		check := o.OnRequest
		o.OnRequest = func(q localdiscord.Request) {
			check(q)
			checkMentions(t, q)
			if body := string(q.Body); strings.Contains(body, bottest.WholeSeed.Reveal()) {
				t.Errorf("the seed is in a request that nobody asked for: %s %s", q.Path, body)
			}
		}
	})
	channel, quietly := localdiscord.TortugaTables, (*bottest.ThreadWatch)(nil)
	var turn *localdiscord.Message
	if quiet {
		channel, turn = r.OpenInThread(g, players)
		quietly = r.WatchThread(channel, requests)
	} else {
		turn = r.Open(channel, g, players)
	}
	rng := rand.New(rand.NewPCG(uint64(len(players)), 99))
	computer := computer.New(computer.Hard, computer.Limit{Iterations: 30}, 5) // strong enough that the game ends
	old := turn
	for moves := 0; !bottest.IsOver(turn); moves++ {
		if moves > 3000 {
			t.Fatalf("the game has not ended after %d moves", moves)
		}
		bottest.CheckBoard(t, r, turn)
		who := r.Mover(turn)
		var said string
		switch snap := r.Table(); {
		case moves < 12 || moves%25 == 0:
			said = r.StepThrough(who, turn, rng)
			checkHands(r, g, players, channel)
		case moves%4 == 0:
			said = r.TypeMove(who, channel, rng)
		default:
			move, _, err := computer.Choose(r.Ctx, snap.View(snap.ToMove))
			if err != nil {
				t.Fatal(err)
			}
			typed := games.Spell(snap.View(snap.ToMove).State, move)
			said = r.Command(who, channel, "move", localdiscord.Opt("move", typed)).Text()
		}
		if !strings.Contains(said, "Played:") {
			t.Fatalf("move %d was answered %q", moves, said)
		}
		if moves%20 == 0 {
			old = turn
		}
		if turn = r.TurnAfter(channel, turn); turn.ID == old.ID {
			old = turn // an edit has replaced the message's content
		}
		if quiet {
			quietly.Played()
		}
	}
	bottest.CheckBoard(t, r, turn)
	if r.Marked == 0 && g.Key() != "pirat" { // in pirat few choices have a place in the picture
		t.Error("no step marked anything in the picture")
	}
	if quiet {
		quietly.Over()
	} else if a := r.Click(players[0], old, "Move"); !strings.Contains(a.Text(), "game is over") {
		t.Errorf("the Move button of an old message answers %q after the end", a.Text())
	}
	if _, ok := turn.Button("Fair play"); !ok {
		t.Error("the end does not lead to the seed")
	}
	if len(turn.Pinged) != 0 {
		t.Errorf("the end pings %v, want nobody", turn.Pinged)
	}
	if strings.Contains(r.Log.String(), bottest.WholeSeed.Reveal()) {
		t.Errorf("the seed is in the log:\n%s", r.Log)
	}
	leaders := r.Command(players[0], channel, "leaderboard", localdiscord.Opt("game", g.Key()))
	for _, p := range players {
		line, err := r.Store.Standing(r.Ctx, storage.Board{Guild: localdiscord.Tortuga, Game: g.Key()}, p)
		if err != nil || line.Games != 1 {
			t.Errorf("the standing of %s is %+v, %v", p, line, err)
		}
		if ranked := len(players) > storage.LeastOpponents; ranked != strings.Contains(leaders.Text(), "<@"+p+">") {
			t.Errorf("/leaderboard lists %s: %v, want %v: %s", p, !ranked, ranked, leaders.Text())
		}
	}
	for _, m := range r.Server.Messages(channel, players[0]) {
		if strings.Contains(m.Text(), "[") && strings.Contains(m.Text(), "."+g.Key()) {
			t.Errorf("a sentence is missing in %q", m.Text())
		}
	}
	for _, m := range r.PublicMessages(channel) {
		for _, p := range m.Pictures() {
			if strings.HasPrefix(path.Base(p.URL), "hand") {
				t.Errorf("everybody sees the picture %s", p.URL)
			}
		}
	}
}

// checkHands checks that in games with hidden hands, only the player who asks for a hand sees the answer.
func checkHands(r *bottest.Rig, g games.Game, players []string, channel string) {
	r.T.Helper()
	if !g.Traits().Hidden {
		return
	}
	for _, p := range players {
		if hand := r.Command(p, channel, "table hand"); hand.EphemeralTo != p {
			r.T.Errorf("a hand is seen by %q, want %s alone", hand.EphemeralTo, p)
		}
	}
}
