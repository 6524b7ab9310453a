package league

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

const (
	// lookedAt is the number of latest results of a server that are searched for suspicious wins.
	lookedAt = 1_000
	// leastFew is the minimum number of suspicious wins of a listed player, and mostFew the maximum number of listed
	// players.
	leastFew, mostFew = 5, 10
)

// gains counts the wins of a person over other people.
type gains struct {
	who  table.Occupant
	wins int
	few  int // wins over people who have played with fewer than storage.KnownPeople people besides the winner
	left int // wins over people who left early
	odd  int // wins counted in few, left, or both
	over map[string]int
}

// few replies to /server ratings few with the players whom overFew lists.
func (rm *Room) few(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	results, err := rm.results.Results(ctx, table.ResultQuery{Guild: r.GuildID, Game: r.Option("game"),
		Limit: lookedAt})
	if err != nil {
		return interact.Reply{}, err
	}
	checked := 0
	for _, res := range results {
		if res.Counts() {
			checked++
		}
	}
	lines := []string{"### " + r.Say.Say(text.M("bot.few.title")),
		r.Say.Say(text.M("bot.few.checked", "Count", checked))}
	list := overFew(results)
	if len(list) == 0 {
		lines = append(lines, r.Say.Say(text.M("bot.few.none")))
	}
	for _, g := range list[:min(len(list), mostFew)] {
		var most []text.Message
		for _, user := range slices.SortedFunc(maps.Keys(g.over), func(a, b string) int {
			return cmp.Or(cmp.Compare(g.over[b], g.over[a]), cmp.Compare(a, b))
		})[:min(len(g.over), 3)] {
			most = append(most, text.User(user).Raw())
		}
		lines = append(lines, r.Say.Say(text.M("bot.few.line", "Who", show.Mention(g.who), "Count", g.wins,
			"Few", g.few, "Others", storage.KnownPeople, "Left", g.left, "Most", most)))
	}
	if len(list) > 0 {
		lines = append(lines, "-# "+r.Say.Say(text.M("bot.few.note")))
	}
	return interact.Reply{New: show.Text(strings.Join(lines, "\n"))}, nil
}

// overFew returns the players with at least leastFew wins over people who have met few others or who left early, if
// these are at least half of the player's wins. Players with more of these wins come first.
func overFew(results []table.Result) []gains {
	met, of := map[string]map[string]bool{}, map[string]*gains{}
	each := func(f func(r table.Result, winner, loser games.Seat)) {
		for _, r := range results {
			if !r.Counts() {
				continue
			}
			for i := range r.Seats {
				for j := range r.Seats {
					a, b := games.Seat(i), games.Seat(j)
					people := r.Seats[a].User != "" && r.Seats[b].User != "" && r.Seats[a].User != r.Seats[b].User
					if people && r.CountsFor(a) && r.CountsFor(b) {
						f(r, a, b)
					}
				}
			}
		}
	}
	each(func(r table.Result, i, j games.Seat) {
		user := r.Seats[i].User
		if met[user] == nil {
			met[user] = map[string]bool{}
		}
		met[user][r.Seats[j].User] = true
	})
	each(func(r table.Result, i, j games.Seat) {
		if !r.Won(i) || r.Won(j) {
			return
		}
		winner, loser := r.Seats[i], r.Seats[j].User
		if of[winner.User] == nil {
			of[winner.User] = &gains{who: winner, over: map[string]int{}}
		}
		g := of[winner.User]
		g.wins++
		few, left := len(met[loser])-1 < storage.KnownPeople, int(j) < len(r.Stayed) && r.Stayed[j] < 100
		if few {
			g.few++
		}
		if left {
			g.left++
		}
		if few || left {
			g.odd++
			g.over[loser]++
		}
	})
	var list []gains
	for _, g := range of {
		if g.odd >= leastFew && 2*g.odd >= g.wins {
			list = append(list, *g)
		}
	}
	slices.SortFunc(list, func(a, b gains) int {
		return cmp.Or(cmp.Compare(b.odd, a.odd), cmp.Compare(a.who.User, b.who.User))
	})
	return list
}
