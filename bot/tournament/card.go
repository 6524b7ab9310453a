package tournament

import (
	"cmp"
	"context"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"marque/bot/compete"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/competition"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// mostNamed is the maximum number of entrants that Room.people names. The rest are counted.
const mostNamed = 32

// show replies to the command of a family without its option "do" with the card, which only the user sees.
func (rm *Room) show(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m := rm.card(n, r.Say)
	// Until the competition begins, the card already has the Leave button, and a message cannot have it twice.
	if i, known := n.Rules.Entrant(r.User.ID); known && n.Rules.Entrants[i].Out == 0 &&
		n.Rules.Phase == competition.Running {
		m.Components = append(m.Components, show.Rows(rm.button(r.Say, discordgo.SecondaryButton, "leave",
			actionLeave, n))...)
	}
	return interact.Reply{New: m}, nil
}

// card returns a message about a competition and its state.
func (rm *Room) card(n compete.Competition, s *locale.Speaker) *show.Message {
	c, say := n.Rules, func(id string, pairs ...any) string { return s.Say(text.M(id, pairs...)) }
	rated := "bot.competition.rated"
	if n.Unrated {
		rated = "bot.competition.unrated"
	}
	lines := []string{
		"### " + s.Say(titleText(n)),
		say("bot.competition.what", "Kind", kindText(c), "Game", rm.Games.Name(c.Setup.Game), "Rated", text.M(rated)),
		say("bot.competition.times."+familyOf(n).name, "Clock", show.ClockName(n.Clock), "Time",
			spanText(c.Setup.Time)),
	}
	lines = append(lines, show.OptionLines(c.Setup.Game, n.Options, s)...)
	if ladders.has(n) && !n.Over() {
		lines = append(lines, ladderRules(n, s)...)
	}
	var buttons []discordgo.Button
	switch c.Phase {
	case competition.Entry:
		entry, join := "bot.competition.entry", "enter"
		if ladders.has(n) {
			entry, join = "bot.competition.entry-ladder", "join"
		}
		lines = append(lines, say(entry, "When", moment(c.Setup.Start, text.Relative), "Least", c.Setup.Min,
			"Most", c.Setup.Max))
		if n.Role != "" {
			lines = append(lines, say("bot.competition.for-role", "Role", text.Role(n.Role)))
		}
		if len(c.Entrants) == 0 {
			lines = append(lines, say("bot.competition.nobody"))
		} else {
			lines = append(lines,
				say("bot.competition.entrants", "Count", len(c.Entrants), "Who", rm.people(n, entrants(c))))
		}
		buttons = append(buttons, rm.button(s, discordgo.SuccessButton, join, actionEnter, n),
			rm.button(s, discordgo.SecondaryButton, "leave", actionLeave, n),
			rm.button(s, discordgo.SecondaryButton, "start", actionStart, n))
	case competition.Running:
		lines = append(lines, rm.stageLine(n, s))
		lines = append(lines, rm.leaders(n, s)...)
	case competition.Ended:
		lines = append(lines, s.Say(endedText(n)))
		lines = append(lines, rm.leaders(n, s)...)
	}
	if n.Held() {
		lines = append(lines, say("bot.competition.held", "Why", heldText(n)))
	}
	switch {
	case ladders.has(n) && c.Phase == competition.Running:
		buttons = append(buttons, rm.button(s, discordgo.PrimaryButton, "challenge", actionChallenge, n),
			rm.button(s, discordgo.SuccessButton, "join", actionEnter, n))
	case c.TakesLate() && !n.Held():
		lines = append(lines, say("bot.competition.late", "Round", min(c.Setup.Late, c.Rounds)))
		buttons = append(buttons, rm.button(s, discordgo.SuccessButton, "enter", actionEnter, n))
	}
	if n.Role != "" && c.TakesLate() {
		lines = append(lines, say("bot.competition.for-role", "Role", text.Role(n.Role)))
	}
	if c.Phase != competition.Entry {
		buttons = append(buttons, rm.looks(n, s)...)
	}
	m := show.Framed(lines)
	m.Components = append(m.Components, show.Rows(buttons...)...)
	return m
}

// titleText returns the title of a competition.
func titleText(n compete.Competition) text.Message {
	return text.M("bot.competition.title."+familyOf(n).name, "Name", n.Name, "Number", number(n),
		"Season", n.Rules.Setup.Season)
}

// endedText returns a sentence with the reason why a competition ended.
func endedText(n compete.Competition) text.Message {
	switch why := n.Rules.Why; {
	case why == competition.EndCalled && n.Rules.Begun == 0:
		return text.M("bot.competition.ended.unbegun")
	case ladders.has(n) && (why == competition.EndCalled || why == competition.EndPlayed):
		return text.M("bot.competition.ended.closed")
	}
	return text.M("bot.competition.ended." + n.Rules.Why)
}

// kindText returns a description of a competition's kind.
func kindText(c competition.Competition) text.Message {
	kind := text.M("bot.competition.kind." + string(c.Setup.Kind))
	switch {
	case c.Setup.Kind == competition.Pods:
		return text.M("bot.competition.kind-seats", "Kind", kind, "Count", c.Setup.Seats)
	case c.Setup.Kind == competition.Swiss && c.Setup.Rounds > 0:
		return text.M("bot.competition.kind-rounds", "Kind", kind, "Count", cmp.Or(c.Rounds, c.Setup.Rounds))
	case c.Setup.Kind == competition.League && c.Setup.Promote > 0 && c.Divisions() != 1 &&
		(c.Setup.Seasons == 0 || c.Setup.Season < c.Setup.Seasons):
		return text.M("bot.competition.kind-promote", "Kind", kind, "Count", c.Setup.Promote)
	case c.Setup.Kind == competition.Ladder:
		return text.M("bot.competition.kind-reach", "Kind", kind, "Count", c.Setup.Reach)
	}
	return kind
}

// looks returns the buttons that open the standings and other views of a competition.
func (rm *Room) looks(n compete.Competition, s show.Speaker) []discordgo.Button {
	standings := rm.button(s, discordgo.SecondaryButton, "standings", actionStandings, n)
	switch {
	case ladders.has(n):
		return []discordgo.Button{standings, rm.button(s, discordgo.SecondaryButton, "challenges", actionPairings, n)}
	case n.Rules.Setup.Kind.AllMeet(): // it has a crosstable
		return []discordgo.Button{
			standings, rm.button(s, discordgo.SecondaryButton, "crosstable", actionCross, n),
			rm.button(s, discordgo.SecondaryButton, "pairings", actionPairings, n),
		}
	}
	return []discordgo.Button{standings, rm.button(s, discordgo.SecondaryButton, "pairings", actionPairings, n)}
}

// heldText returns the reason why a competition's clocks are stopped.
func heldText(n compete.Competition) text.Message {
	if n.HeldFor(storage.PausedChannelGone) {
		return text.M("bot.competition.held-for.channel." + familyOf(n).name)
	}
	return text.M("bot.competition.held-for." + n.Rules.HeldFor)
}

// stageLine returns a line with the progress of a competition and the end of its current stage.
func (rm *Room) stageLine(n compete.Competition, s show.Speaker) string {
	c := n.Rules
	until := moment(lastDeadline(c), text.Relative)
	state := text.M("bot.competition.round-until", "Round", c.Round, "Rounds", c.Rounds, "When", until)
	switch {
	case ladders.has(n) && len(c.Order) == 0:
		return s.Say(text.M("bot.competition.nobody"))
	case ladders.has(n):
		return s.Say(text.M("bot.competition.on-ladder", "Count", len(c.Order)))
	case lastDeadline(c) == 0 && c.Next == 0: // held since before the last game of the round ended
		return s.Say(text.M("bot.competition.none-open"))
	case leagues.has(n):
		state = text.M("bot.competition.season-until", "When", until)
	case c.Next != 0:
		return s.Say(text.M("bot.competition.between", "Round", c.Round, "Rounds", c.Rounds,
			"When", moment(c.Next, text.Relative)))
	}
	return s.Say(text.M("bot.competition.running", "State", state, "Count", going(c)))
}

// lastDeadline returns the latest deadline of the unfinished games.
func lastDeadline(c competition.Competition) (last competition.Stamp) {
	for _, p := range c.Pairings {
		if p.End == "" {
			last = max(last, p.Deadline)
		}
	}
	return last
}

// mostLeaders is the maximum number of leaders that are named if they share places.
const mostLeaders = 6

// leaders returns lines with the best of the standings. For a league these are the leaders of its first divisions, and
// for a ladder its ladderLines.
func (rm *Room) leaders(n compete.Competition, s *locale.Speaker) (lines []string) {
	if ladders.has(n) {
		return rm.ladderLines(n, s)
	}
	if leagues.has(n) {
		for d := range n.Rules.Divisions() {
			first := n.Rules.Standings(d + 1)[0]
			if first.Played > 0 && len(lines) < show.PageSize {
				lines = append(lines, s.Say(text.M("bot.competition.division-leader", "Division", d+1,
					"Who", rm.person(n, first.Entrant), "Points", points(first.Points))))
			}
		}
		return lines
	}
	for _, l := range n.Rules.Standings(0) {
		if l.Place > 3 || l.Played == 0 || len(lines) == mostLeaders {
			break
		}
		lines = append(lines, s.Say(text.M("bot.competition.leader", "Medal", [...]string{"🥇", "🥈", "🥉"}[l.Place-1],
			"Who", rm.person(n, l.Entrant), "Points", points(l.Points))))
	}
	return lines
}

// going returns the number of pairings that can be played and have not ended.
func going(c competition.Competition) (count int) {
	for _, p := range c.Pairings {
		if p.End == "" && p.Ready != 0 {
			count++
		}
	}
	return count
}

// entrants returns the numbers of the entrants who have not withdrawn.
func entrants(c competition.Competition) (list []int) {
	for i, e := range c.Entrants {
		if e.Out == 0 {
			list = append(list, i)
		}
	}
	return list
}

// person returns an entrant's name in Discord markup.
func (rm *Room) person(n compete.Competition, entrant int) text.Message {
	return show.Mention(storage.Occupant{User: n.Rules.Entrants[entrant].User})
}

// named returns an entrant's name without markup.
func (rm *Room) named(n compete.Competition, entrant int) text.Message {
	if p, ok := n.Person(n.Rules.Entrants[entrant].User); ok {
		return p.Name.Raw()
	}
	return text.M("player.departed")
}

// people returns the names of at most mostNamed entrants, and the number of the others if there are more.
func (rm *Room) people(n compete.Competition, list []int) []text.Message {
	var who []text.Message
	for i, e := range list {
		if i == mostNamed {
			return append(who, text.M("bot.competition.others", "Count", len(list)-i))
		}
		who = append(who, rm.person(n, e))
	}
	return who
}

func moment(at competition.Stamp, form rune) text.Markup {
	return text.Moment(table.Stamp(at).Time(), form)
}

// fractions holds the characters for fractions of competition.Win.
var fractions = map[int]string{0: "", 3: "⅛", 4: "⅙", 6: "¼", 8: "⅓", 9: "⅜", 12: "½", 15: "⅝", 16: "⅔", 18: "¾",
	20: "⅚", 21: "⅞"}

// points formats a number of points as a multiple of competition.Win.
func points(n int) text.Message {
	whole, part := n/competition.Win, n%competition.Win
	sign, ok := fractions[part]
	switch {
	case !ok:
		return text.Decimal(float64(n) / competition.Win).Raw()
	case whole == 0 && part != 0:
		return text.Raw(sign)
	}
	return text.Raw(strconv.Itoa(whole) + sign)
}

// resultLine returns a line with the players of a pairing and its result or state.
func (rm *Room) resultLine(n compete.Competition, p competition.Pairing) text.Message {
	if ladders.has(n) {
		return rm.challengeLine(n, p)
	}
	return rm.gameLine(n, p)
}

// gameLine returns a line with the players of a game and its result or state.
func (rm *Room) gameLine(n compete.Competition, p competition.Pairing) text.Message {
	who := make([]text.Message, len(p.Seats))
	var score text.Message
	for i, e := range p.Seats {
		who[i] = rm.person(n, e)
		if p.End != "" {
			if score.IsZero() {
				score = points(p.Points[i])
			} else {
				score = text.M("bot.competition.score", "First", score, "Next", points(p.Points[i]))
			}
		}
	}
	switch {
	case p.End == competition.Bye:
		return text.M("bot.competition.bye", "Who", who)
	case p.End != "":
		id := "bot.competition.result"
		if p.End != competition.Played {
			id = "bot.competition.end." + string(p.End)
		}
		return text.M(id, "Who", who, "Score", score)
	case n.Over():
		return text.M("bot.competition.unfinished", "Who", who)
	case p.Ready == 0:
		return text.M("bot.competition.to-come", "Who", who)
	}
	return text.M("bot.competition.playing", "Who", who, "Until", moment(p.Deadline, text.Relative))
}
