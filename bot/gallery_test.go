package bot_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/computer"
)

// critic is a pool of computer players that does not think. It judges the first seat's moves as mistakes, unless they
// are the last in the list of legal moves, and all other moves as good.
type critic struct{ computer.Pool }

func (*critic) Assess(_ context.Context, v games.View, played games.Move, _ computer.Effort,
	_ uint64) (computer.Assessment, error) {
	moves := v.State.Moves()
	better := moves[len(moves)-1]
	if v.State.ToMove() != 0 || better == played {
		return computer.Assessment{Better: played, Had: 0.5, Left: 0.5, Ahead: 0.2}, nil
	}
	return computer.Assessment{Better: better, Had: 0.7, Left: 0.3}, nil
}

// gallery requests the bot's pictures that are not boards of a turn, such as puzzles, rules, plans, hands, reports,
// leaderboards and standings, and some autocomplete choices. It returns the messages with pictures, keyed by command
// or by another name.
func gallery(r *bottest.Rig, say func(id string) string) (seen map[string]*localdiscord.Message) {
	r.T.Helper()
	anne, jack, mary, opt := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary, localdiscord.Opt
	channel, tavern := localdiscord.TortugaTables, localdiscord.TortugaTavern
	has := func(label string) func(m *localdiscord.Message) bool {
		return func(m *localdiscord.Message) bool { return bottest.HasButton(m, say(label)) }
	}
	seen = map[string]*localdiscord.Message{}
	see := func(name, user string, options ...localdiscord.Option) *localdiscord.Message {
		r.T.Helper()
		where := channel
		if strings.HasPrefix(name, "tournament") {
			where = tavern
		}
		m := r.Command(user, where, name, options...)
		if len(m.Pictures()) == 0 {
			r.T.Errorf("/%s shows no picture: %s", name, m.Text())
		}
		seen[name] = m
		return m
	}
	r.Command(mary, tavern, "server puzzle", opt("daily", true))
	seen["daily"] = r.Next(tavern, "0", has("bot.puzzle.solve"))
	see("puzzle", anne)
	see("rules", anne, opt("game", "freebooter"))

	// Anne plays against two other users, so that she is ranked. The second game has hidden hands.
	for i, game := range []string{bottest.LoyalCaptain, "pirat"} {
		two := []string{anne, []string{jack, mary}[i]}
		before := r.Latest(channel)
		r.Command(two[0], channel, "play", opt("game", game), opt("players", 2))
		lobby := r.Next(channel, before, has("bot.button.join"))
		r.Click(two[1], lobby, say("bot.button.join"))
		turn := r.Next(channel, lobby.ID, has("bot.button.move"))
		r.PlayOn(channel)
		if game == bottest.LoyalCaptain {
			heads, err := r.Tables.Lookup.InChannel(r.Ctx, channel)
			r.Must(err)
			snap, err := r.Tables.Lookup.Snapshot(r.Ctx, heads[0].ID)
			r.Must(err)
			menu, _ := snap.Menu(snap.ToMove)
			theirs := menu.Candidates()[0]
			mine := games.NewMenu(snap.View(snap.ToMove).State.Apply(theirs.Move)).Candidates()[0]
			see("table plan", snap.Seats[1-snap.ToMove].User, opt("line", theirs.Notation+"; "+mine.Notation))
		} else {
			see("table hand", anne)
		}
		sure := r.Command(two[1], channel, "table resign")
		r.Click(two[1], sure, say("bot.resign.button"))
		r.Next(channel, turn.ID, has("bot.button.rematch"))
		report := see("record report", anne)
		for _, button := range []string{"bot.report.points", "bot.report.moves"} {
			if bottest.HasButton(report, say(button)) {
				seen[game+button] = r.Click(anne, report, say(button))
			}
		}
		seen[game+" report"] = report
		seen[game+" card"] = see("record card", anne)
		seen[game+" review"] = see("record review", anne)
	}
	r.Command(mary, channel, "server ratings least", opt("count", 1))
	see("leaderboard", anne)
	see("profile", anne)
	see("me year", anne)

	r.Command(mary, tavern, "moderate create tournament", opt("game", bottest.LoyalCaptain), opt("name", "No"))
	for _, p := range []string{anne, jack, mary} {
		r.Command(p, tavern, "tournament", bottest.Do("enter"))
	}
	r.Command(mary, tavern, "moderate competition start")
	r.Eventually("a game of the tournament", func() bool { return len(r.Pairings()) > 0 })
	seen["standings"] = see("tournament", anne, bottest.Do("standings"))
	see("tournament", anne, bottest.Do("crosstable"))

	for _, typed := range [][2]string{{"rules", "section"}, {"leaderboard", "season"}, {"record report", "table"},
		{"record replay", "table"}, {"tournament", "tournament"}, {"moderate create league", "variant"},
		{"play", "clock"}, {"seek", "rating"}} {
		options := []localdiscord.Option{opt(typed[1], "")}
		if typed[0] == "rules" || typed[0] == "moderate create league" {
			options = append(options, opt("game", bottest.LoyalCaptain))
		}
		list, err := r.Server.Autocomplete(r.Ctx, mary, channel, typed[0], typed[1], options...)
		if err != nil || len(list) == 0 {
			r.T.Errorf("/%s %s offers %v, %v", typed[0], typed[1], list, err)
		}
	}
	return seen
}

// december is a time at which a user can see the summary of their year.
var december = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// In German, the messages of the gallery have no English text of the catalogue. In the pseudo-localisation, their texts
// are not concatenated, and only long texts are cut off. In Hindi, whose letters pictures cannot show, each picture's
// text is below it in the same message, except for hands and rules. If MARQUE_GALLERY names a folder, the pictures are
// written there for inspection.
func TestGalleryAbroad(t *testing.T) {
	for tag, own := range map[string][]fs.FS{"de": nil, "fi": {pseudo(t)},
		"hi": {foreignScript(t, "hi", "समुद्री डाकू", "one")}} {
		t.Run(tag, func(t *testing.T) {
			t.Parallel()
			r, l, say := abroad(t, tag, own, func(r *bottest.Rig) { r.Computers = &critic{} },
				func(o *localdiscord.Options) { o.Clock = manual.NewClock(december) })
			seen := gallery(r, say)
			switch tag {
			case "de":
				notEnglish(t, l.texts(), 20)
			case "fi":
				notGlued(t, l.texts())
			default:
				for name, m := range seen {
					why := strings.Count(m.Text(), say("bot.board.unpainted"))
					if name != "table hand" && name != "rules" && why != len(m.Pictures()) {
						t.Errorf("%s: %d of %d pictures stand as text below: %s", name, why, len(m.Pictures()),
							m.Text())
					}
				}
			}
			hang(r, os.Getenv("MARQUE_GALLERY"), tag, seen)
		})
	}
}

// hang writes the pictures of a gallery into a folder.
func hang(r *bottest.Rig, dir, tag string, seen map[string]*localdiscord.Message) {
	r.T.Helper()
	if dir == "" {
		return
	}
	sign := regexp.MustCompile(`[^a-z-]+`)
	for name, m := range seen {
		r.T.Logf("%s: %s", name, m.Text())
		for _, p := range m.Pictures() {
			data, _ := r.Server.Attachment(p.URL)
			file := tag + "-" + sign.ReplaceAllString(name, "-") + "-" + filepath.Base(strings.Split(p.URL, "?")[0])
			r.Must(os.WriteFile(filepath.Join(dir, file), data, 0o600))
		}
	}
}
