package league

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// rival holds a player's results against another player, or against the computers of a level in a game.
type rival struct {
	storage.Occupant
	game             string // the game, for computers; "" for a person, whose games of all kinds are added up
	games, won, lost int
	last             storage.Stamp // end of the latest game
}

// rivals returns a player's opponents, the most frequent first, and equally frequent ones by the latest game. The
// player wins against an opponent if only the player is a winner, and loses if only the opponent is. All computers of a
// level in a game are one opponent, which is a winner if one of them is. Abandoned and voided results do not count.
// Users whose data were deleted are left out.
func rivals(results []table.Result, user string) []rival {
	type who struct{ player, game string }
	var list []rival
	index := map[who]int{}
	for _, res := range results {
		me := res.Seat(user)
		if me < 0 || !stands(res) {
			continue
		}
		beaten := map[who]bool{} // opponents in this game; true for winners
		for i, o := range res.Seats {
			w := who{player: o.Player()}
			if o.Computer != "" {
				w.game = res.Game
			}
			if w.player == "" || w.player == user || show.Departed(o) {
				continue
			}
			if _, ok := index[w]; !ok {
				index[w] = len(list)
				list = append(list, rival{Occupant: o, game: w.game})
			}
			beaten[w] = beaten[w] || res.Won(games.Seat(i))
		}
		for w, theirs := range beaten {
			v := &list[index[w]]
			v.games++
			v.last = max(v.last, res.Ended)
			switch mine := res.Won(me); {
			case mine && !theirs:
				v.won++
			case theirs && !mine:
				v.lost++
			}
		}
	}
	slices.SortStableFunc(list, func(a, b rival) int {
		return cmp.Or(cmp.Compare(b.games, a.games), cmp.Compare(b.last, a.last))
	})
	return list
}

// stands reports whether a result, rated or unrated, was neither abandoned nor voided.
func stands(res table.Result) bool { return res.Ending != games.Abandoned && res.Voided == nil }

// ownView reports whether a user asks for the user's own data, with a private reply.
func ownView(r *interact.Request, user string) bool { return r.User.ID == user && !r.Everyone() }

// rivalsShown reports whether the user of a request may see a user's results against each opponent.
func (rm *Room) rivalsShown(ctx context.Context, r *interact.Request, user string) (bool, error) {
	if r.Settings.Without.Rivals || ownView(r, user) {
		return !r.Settings.Without.Rivals, nil
	}
	p, err := rm.tables.Choices.Preferences(ctx, user)
	return !p.Hidden.Rivals, err
}

// rivalLines returns lines with a user's results against the opponents in list. Other viewers do not see the names of
// opponents who hide these results, except for their own name.
func (rm *Room) rivalLines(ctx context.Context, r *interact.Request, user string, list []rival) ([]string, error) {
	var lines []string
	for _, v := range list {
		who := show.Mention(v.Occupant)
		switch {
		case v.Computer != "":
			g, err := rm.games.Find(v.game)
			if err != nil {
				return nil, err
			}
			who = text.M("bot.rivals.computer", "Game", g.Info().Name, "Level", text.M("computer.level."+v.Computer))
		case !ownView(r, user) && v.User != r.User.ID:
			p, err := rm.tables.Choices.Preferences(ctx, v.User)
			if err != nil {
				return nil, err
			}
			if p.Hidden.Rivals {
				who = text.M("bot.rivals.hidden")
			}
		}
		lines = append(lines, "- "+r.Say.Say(text.M("bot.rivals.line", "Who", who,
			"Games", text.M("bot.count.games", "Count", v.games), "Won", v.won, "Lost", v.lost,
			"Drawn", v.games-v.won-v.lost, "Last", text.Moment(v.last.Time(), text.Date))))
	}
	return lines, nil
}

// section is a part of a profile, with buttons for further pages.
type section struct {
	lines []string
	more  []discordgo.MessageComponent
}

// profileRivals returns the section with opponents in a profile.
func (rm *Room) profileRivals(ctx context.Context, r *interact.Request, user string,
	results []table.Result) (s section, err error) {
	met := rivals(results, user)
	if shown, err := rm.rivalsShown(ctx, r, user); err != nil || !shown || len(met) == 0 {
		return s, err
	}
	lines, err := rm.rivalLines(ctx, r, user, met[:min(len(met), listedRivals)])
	s.lines = append([]string{"### " + r.Say.Say(text.M("bot.rivals.title"))}, lines...)
	if len(met) > listedRivals {
		all := r.Say.Say(text.M("bot.rivals.all", "Count", len(met)))
		s.more = show.Rows(show.Button(discordgo.SecondaryButton, all, show.CustomID{Action: actionRivals, Arg: user}))
	}
	return s, err
}

// allRivals replies to a profile's button with the first page of the list of opponents.
func (rm *Room) allRivals(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	m, err := rm.rivalsMessage(ctx, r)
	return interact.Reply{New: m}, err
}

func (rm *Room) rivalsPage(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	m, err := rm.rivalsMessage(ctx, r)
	return interact.Reply{Update: m}, err
}

func (rm *Room) rivalsMessage(ctx context.Context, r *interact.Request) (*show.Message, error) {
	user := r.Control.Arg
	switch shown, err := rm.rivalsShown(ctx, r, user); {
	case err != nil:
		return nil, err
	case !shown:
		return nil, show.Refuse(text.M("bot.rivals.refused"))
	}
	results, err := rm.profileResults(ctx, r, user)
	if err != nil {
		return nil, err
	}
	met := rivals(results, user)
	page := max(0, min(r.Control.Page, (len(met)-1)/show.PageSize))
	from, to := page*show.PageSize, min(len(met), (page+1)*show.PageSize)
	lines, err := rm.rivalLines(ctx, r, user, met[from:to])
	if err != nil {
		return nil, err
	}
	lines = append([]string{"### " + r.Say.Say(text.M("bot.rivals.of", "Who", text.User(user), "Count", len(met)))},
		lines...)
	if len(results) == mostResults {
		lines = append(lines, "-# "+r.Say.Say(text.M("bot.rivals.latest", "Count", mostResults)))
	}
	m := &show.Message{Ephemeral: true, Components: []discordgo.MessageComponent{show.Container(show.Accent,
		show.Paragraph(strings.Join(lines, "\n")))}}
	m.Components = append(m.Components, show.PageButtons(actionRivalsPage, user, page, to < len(met))...)
	return m, nil
}
