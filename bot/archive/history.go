package archive

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// historyScan is the maximum number of results that are searched for a page of a history.
const historyScan = 5000

// pastFilter holds the filters of a history, in the form in which custom_ids contain them.
type pastFilter struct{ game, player, opponent, outcome, with string }

func (f pastFilter) arg(word string) string {
	return strings.Join([]string{word, f.game, f.player, f.opponent, f.outcome, f.with}, "|")
}

func parsePastFilter(arg string) pastFilter {
	p := append(strings.Split(arg, "|"), make([]string, 6)...)
	return pastFilter{game: p[1], player: p[2], opponent: p[3], outcome: p[4], with: p[5]}
}

// keeps reports whether a result matches the filters.
func (f pastFilter) keeps(r storage.Result) bool {
	seat := func(user string) games.Seat {
		return games.Seat(slices.IndexFunc(r.Seats, func(o storage.Occupant) bool { return o.User == user }))
	}
	switch {
	case f.game != "" && r.Game != f.game, f.with != "" && r.Computers() != (f.with == interact.WithComputers),
		f.opponent != "" && seat(f.opponent) < 0:
		return false
	case f.player == "":
		return f.outcome != outcomeDrawn || r.Drawn
	}
	me := seat(f.player)
	return me >= 0 && (f.outcome == "" || outcomeOf(r, me) == f.outcome)
}

// history replies to /record history with a list of games that have ended, the latest first: those of this server or,
// outside servers, the user's own on all servers.
func (rm *Room) history(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	f := pastFilter{game: r.Option("game"), outcome: r.Option("outcome"), with: r.Option("with")}
	if _, ok := r.Options["player"]; ok {
		f.player, _, _ = r.Person("player")
	}
	if _, ok := r.Options["against"]; ok {
		f.opponent, _, _ = r.Person("against")
	}
	// The outcomes won and lost, and an opponent, refer to a player, who is the user unless the options name another.
	if f.player == "" && (f.opponent != "" || f.outcome == outcomeWon || f.outcome == outcomeLost) {
		f.player = r.User.ID
	}
	m, err := rm.historyMessage(ctx, r, f, 0)
	return interact.Reply{New: m}, err
}

// historyPage replies to the arrows below a history.
func (rm *Room) historyPage(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	f := parsePastFilter(r.Control.Arg)
	if !show.Fits(show.CustomID{Action: actionHistory, Page: show.MaxNumber, Arg: f.arg("b")}.String()) {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control")) // no button has a filter this long
	}
	m, err := rm.historyMessage(ctx, r, f, r.Control.Page)
	return interact.Reply{Update: m}, err
}

func (rm *Room) historyMessage(ctx context.Context, r *interact.Request, f pastFilter,
	page int) (*show.Message, error) {
	page = min(page, historyScan/show.PageSize)
	title := "bot.history.title"
	if r.Where != interact.OnServer { // outside servers, users see their own games on all servers
		f.player, title = r.User.ID, "bot.history.title-own"
	}
	list, err := rm.Standings.Results(ctx, table.ResultQuery{Guild: r.GuildID, Game: f.game, User: f.player,
		Keep: f.keeps, Limit: (page+1)*show.PageSize + 1, Scan: historyScan})
	if err != nil {
		return nil, err
	}
	more := len(list) > (page+1)*show.PageSize
	if list = list[min(len(list), page*show.PageSize):]; more {
		list = list[:show.PageSize]
	}
	say := r.Say.Say
	lines := []string{"### " + say(text.M(title))}
	for _, res := range list {
		lines = append(lines, rm.resultLine(r, res))
	}
	if len(list) == 0 {
		lines = append(lines, say(text.M("bot.history.none")))
	} else {
		lines = append(lines, "-# "+say(text.M("bot.history.next")))
	}
	m := &show.Message{Components: []discordgo.MessageComponent{show.Container(show.Accent,
		show.Paragraph(strings.Join(lines, "\n")))}}
	if page > 0 || more {
		to := func(label, word string, page int, off bool) discordgo.Button {
			bt := show.Button(discordgo.SecondaryButton, label, show.CustomID{Action: actionHistory, Page: max(0, page),
				Arg: f.arg(word)})
			bt.Disabled = off
			return bt
		}
		m.Components = append(m.Components, show.Rows(to("◀", "b", page-1, page == 0), to("▶", "c", page+1, !more))...)
	}
	return m, nil
}

func (rm *Room) resultLine(r *interact.Request, res table.Result) string {
	name := text.Raw(res.Game)
	if g, err := rm.Games.Find(res.Game); err == nil {
		name = variant(g, res.Setup)
	}
	var winners, others []text.Message
	for i, o := range res.Seats {
		who := show.Mention(o)
		if res.Scores != nil && i < len(res.Scores) {
			who = text.M("bot.history.scored", "Who", who, "Score", res.Scores[i])
		}
		if res.Won(games.Seat(i)) || res.Drew(games.Seat(i)) {
			winners = append(winners, who)
		} else {
			others = append(others, who)
		}
	}
	args := []any{"Table", res.Table.String(), "Game", name, "Winners", winners, "Others", others,
		"Count", len(winners), "Turns", text.M("bot.count.turns", "Count", res.Turns),
		"When", text.Moment(res.Ended.Time(), text.Date)}
	id := "bot.history.won"
	switch {
	case res.Ending == games.Abandoned:
		id = "bot.history.abandoned"
	case res.Drawn && len(others) > 0:
		id = "bot.history.drawn-among"
	case res.Drawn:
		id = "bot.history.drawn"
	case len(others) == 0:
		id = "bot.history.all-won"
	}
	line := r.Say.Say(text.M(id, args...))
	switch {
	case res.Voided != nil:
		line += " " + r.Say.Say(text.M("bot.history.voided"))
	case res.Unrated:
		line += " " + r.Say.Say(text.M("bot.history.unrated"))
	}
	return line
}

// variant returns the name of a game with the table's options that differ from the defaults.
func variant(g games.Game, setup games.Setup) text.Message {
	said := g.Info().Name
	for _, o := range g.Options() {
		if v := setup.Option(o.Key); v != "" && v != o.Values[0] {
			id := g.Key() + ".option." + o.Key
			said = text.M("bot.history.variant", "Game", said, "Option", text.M(id), "Value", text.M(id+"."+v))
		}
	}
	return said
}

// stats replies to /record stats with statistics of the games played on this server.
func (rm *Room) stats(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	keys := make([]string, len(rm.Games))
	for i, g := range rm.Games {
		keys[i] = g.Key()
	}
	st, err := rm.Standings.Stats(ctx, r.GuildID, keys)
	if err != nil {
		return interact.Reply{}, err
	}
	say := r.Say.Say
	total := 0
	for _, g := range st.Games {
		total += g.Count
	}
	lines := []string{"### " + say(text.M("bot.stats.title"))}
	if total == 0 {
		lines = append(lines, say(text.M("bot.profile.none")))
		return interact.Reply{New: show.Framed(lines)}, nil
	}
	now := st.Weeks[len(st.Weeks)-1]
	sum := 0
	bars := make([]string, len(st.Weeks))
	most := slices.Max(st.Weeks)
	for i, n := range st.Weeks {
		sum += n
		bars[i] = bar(n, most)
	}
	lines = append(lines, say(text.M("bot.stats.total", "Count", total)),
		say(text.M("bot.stats.weeks", "Weeks", len(st.Weeks), "Count", sum, "Now", now, "Most", most)),
		"`"+strings.Join(bars, "")+"`",
		"### "+say(text.M("bot.stats.played")))
	slices.SortStableFunc(st.Games, func(a, b storage.GameStats) int { return b.Count - a.Count })
	for _, g := range st.Games {
		name := text.Raw(g.Game)
		if known, err := rm.Games.Find(g.Game); err == nil {
			name = known.Info().Name
		}
		lines = append(lines, say(text.M("bot.stats.game", "Game", name,
			"Games", text.M("bot.count.games", "Count", g.Count), "Share", (100*g.Count+total/2)/total,
			"When", text.Moment(g.Last.Time(), text.Relative))))
	}
	lines = append(lines, "### "+say(text.M("bot.stats.longest")))
	for _, res := range st.Longest {
		lines = append(lines, rm.resultLine(r, res)+" "+say(text.M("bot.stats.lasted", "Time", lasted(res))))
	}
	return interact.Reply{New: show.Framed(lines)}, nil
}

// bar returns a block character whose height is proportional to n and is the full height for most. For 0 it returns
// "·".
func bar(n, most int) string {
	const blocks = "▁▂▃▄▅▆▇█"
	if n == 0 || most == 0 {
		return "·"
	}
	return string([]rune(blocks)[(8*n-1)/most])
}

func lasted(r table.Result) text.Message {
	d := r.Ended.Time().Sub(r.Started.Time())
	switch {
	case d >= 48*time.Hour:
		return text.M("bot.count.days", "Count", int(d.Hours()/24))
	case d >= 2*time.Hour:
		return text.M("bot.count.hours", "Count", int(d.Hours()))
	}
	return text.M("bot.count.minutes", "Count", max(1, int(d.Minutes())))
}

// outcomeOf returns a seat's outcome at a table, as a value of the option "outcome", or "" if the table has no result.
func outcomeOf(r storage.Result, seat games.Seat) string {
	switch {
	case r.Ending == games.Abandoned:
		return ""
	case r.Drew(seat):
		return outcomeDrawn
	case r.Won(seat):
		return outcomeWon
	}
	return outcomeLost
}

// The values of the option "outcome".
const (
	outcomeWon   = "won"
	outcomeLost  = "lost"
	outcomeDrawn = "drawn"
)
