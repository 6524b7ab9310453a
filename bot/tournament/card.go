package tournament

import (
	"context"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/competition"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// mostNamed is how many people a card or a message names; it counts the others.
const mostNamed = 32

// show answers /tournament show: the card, for the asker.
func (rm *Room) show(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m := rm.card(n, r.Say)
	if i, known := n.Rules.Entrant(r.User.ID); known && n.Rules.Entrants[i].Out == 0 && !n.Over() {
		m.Components = append(m.Components, show.Rows(rm.button(r.Say, discordgo.SecondaryButton, "leave-own",
			actionLeave, n))...)
	}
	return interact.Reply{New: m}, nil
}

// card says what a competition is and how it stands.
func (rm *Room) card(n table.Competition, s *locale.Speaker) *show.Message {
	c, say := n.Rules, func(id string, pairs ...any) string { return s.Say(text.M(id, pairs...)) }
	rated := "bot.cup.rated"
	if n.Unrated {
		rated = "bot.cup.unrated"
	}
	lines := []string{
		"### " + say("bot.cup.title", "Name", n.Name, "Number", number(n)),
		say("bot.cup.what", "Kind", kindText(c), "Game", rm.Games.Name(c.Setup.Game), "Rated", text.M(rated)),
		say("bot.cup.times", "Clock", show.ClockName(n.Clock), "Time",
			show.DurationText(time.Duration(c.Setup.Time)*time.Millisecond)),
	}
	var buttons []discordgo.Button
	switch c.Phase {
	case competition.Entry:
		lines = append(lines, say("bot.cup.entry", "When", moment(c.Setup.Start, text.Relative), "Least", c.Setup.Min,
			"Most", c.Setup.Max))
		if n.Role != "" {
			lines = append(lines, say("bot.cup.for-role", "Role", text.Role(n.Role)))
		}
		if len(c.Entrants) == 0 {
			lines = append(lines, say("bot.cup.nobody"))
		} else {
			lines = append(lines, say("bot.cup.entrants", "Count", len(c.Entrants), "Who", rm.people(n, entrants(c))))
		}
		buttons = append(buttons, rm.button(s, discordgo.SuccessButton, "enter", actionEnter, n),
			rm.button(s, discordgo.SecondaryButton, "leave", actionLeave, n),
			rm.button(s, discordgo.SecondaryButton, "start", actionStart, n))
	case competition.Running:
		lines = append(lines, say("bot.cup.running", "State", rm.stage(n), "Count", going(c)))
		lines = append(lines, rm.leaders(n, s)...)
	case competition.Ended:
		lines = append(lines, say("bot.cup.ended."+c.Why))
		lines = append(lines, rm.leaders(n, s)...)
	}
	if n.Held() {
		lines = append(lines, say("bot.cup.held", "Why", heldText(n)))
	}
	if takesLate(c) {
		lines = append(lines, say("bot.cup.late", "Round", c.Setup.Late))
		buttons = append(buttons, rm.button(s, discordgo.SuccessButton, "enter", actionEnter, n))
	}
	if c.Phase != competition.Entry {
		buttons = append(buttons, rm.looks(n, s)...)
	}
	m := show.Framed(lines)
	m.Components = append(m.Components, show.Rows(buttons...)...)
	return m
}

// kindText says who meets whom.
func kindText(c competition.Competition) text.Message {
	kind := text.M("bot.cup.kind." + string(c.Setup.Kind))
	switch {
	case c.Setup.Kind == competition.Pods:
		return text.M("bot.cup.kind-seats", "Kind", kind, "Count", c.Setup.Seats)
	case c.Setup.Kind == competition.Swiss && c.Setup.Rounds > 0:
		return text.M("bot.cup.kind-rounds", "Kind", kind, "Count", c.Setup.Rounds)
	}
	return kind
}

// takesLate reports whether people still enter what has begun (CO-5).
func takesLate(c competition.Competition) bool {
	return c.Phase == competition.Running && c.Round < c.Setup.Late && (c.Setup.Kind == competition.Swiss ||
		c.Setup.Kind == competition.Pods)
}

// looks are the buttons to what can be looked at.
func (rm *Room) looks(n table.Competition, s show.Speaker) []discordgo.Button {
	return []discordgo.Button{
		rm.button(s, discordgo.SecondaryButton, "standings", actionStandings, n),
		rm.button(s, discordgo.SecondaryButton, "pairings", actionPairings, n),
	}
}

// heldText says why a competition's times stand.
func heldText(n table.Competition) text.Message { return text.M("bot.cup.held-for." + n.Rules.HeldFor) }

// stage says which round it is, and until when.
func (rm *Room) stage(n table.Competition) text.Message {
	c := n.Rules
	if c.Next != 0 {
		return text.M("bot.cup.between", "Round", c.Round, "Rounds", c.Rounds, "When", moment(c.Next, text.Relative))
	}
	last := competition.Stamp(0)
	for _, p := range c.Pairings {
		if p.End == "" {
			last = max(last, p.Deadline)
		}
	}
	return text.M("bot.cup.round-until", "Round", c.Round, "Rounds", c.Rounds, "When", moment(last, text.Relative))
}

// mostLeaders is how many lines they have where places are shared.
const mostLeaders = 6

// leaders are the best of the standings.
func (rm *Room) leaders(n table.Competition, s show.Speaker) []string {
	var lines []string
	for _, l := range n.Rules.Standings(0) {
		if l.Place > 3 || l.Played == 0 || len(lines) == mostLeaders {
			break
		}
		lines = append(lines, s.Say(text.M("bot.cup.leader", "Medal", [...]string{"🥇", "🥈", "🥉"}[l.Place-1],
			"Who", rm.person(n, l.Entrant), "Points", points(l.Points))))
	}
	return lines
}

// going is how many pairings are being played.
func going(c competition.Competition) (count int) {
	for _, p := range c.Pairings {
		if p.End == "" && p.Ready != 0 {
			count++
		}
	}
	return count
}

// entrants are the numbers of those who take part.
func entrants(c competition.Competition) (list []int) {
	for i, e := range c.Entrants {
		if e.Out == 0 {
			list = append(list, i)
		}
	}
	return list
}

// person names an entrant for Discord's text.
func (rm *Room) person(n table.Competition, entrant int) text.Message {
	return show.Mention(storage.Occupant{User: n.Rules.Entrants[entrant].User})
}

// named names an entrant where nothing is markup.
func (rm *Room) named(n table.Competition, entrant int) text.Message {
	if p, ok := n.Person(n.Rules.Entrants[entrant].User); ok {
		return p.Name.Raw()
	}
	return text.M("player.departed")
}

// people names entrants, as many as there is room for.
func (rm *Room) people(n table.Competition, list []int) []text.Message {
	var who []text.Message
	for i, e := range list {
		if i == mostNamed {
			return append(who, text.M("bot.cup.others", "Count", len(list)-i))
		}
		who = append(who, rm.person(n, e))
	}
	return who
}

func moment(at competition.Stamp, form rune) text.Markup {
	return text.Moment(table.Stamp(at).Time(), form)
}

// fractions are signs for parts of a competition.Win.
var fractions = map[int]string{0: "", 3: "⅛", 4: "⅙", 6: "¼", 8: "⅓", 9: "⅜", 12: "½", 15: "⅝", 16: "⅔", 18: "¾",
	20: "⅚", 21: "⅞"}

// points says points, which are counted in parts of a Win.
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

// resultLine says who met whom at a pairing, and how it stands; where leads to the table.
func (rm *Room) resultLine(n table.Competition, p competition.Pairing) text.Message {
	who := make([]text.Message, len(p.Seats))
	var score text.Message
	for i, e := range p.Seats {
		who[i] = rm.person(n, e)
		if p.End != "" {
			if score.IsZero() {
				score = points(p.Points[i])
			} else {
				score = text.M("bot.cup.score", "First", score, "Next", points(p.Points[i]))
			}
		}
	}
	switch {
	case p.End == competition.Bye:
		return text.M("bot.cup.bye", "Who", who)
	case p.End != "":
		how := text.Message{}
		if p.End != competition.Played {
			how = text.M("bot.cup.end." + string(p.End))
		}
		return text.M("bot.cup.result", "Who", who, "Score", score, "How", how)
	case p.Ready == 0:
		return text.M("bot.cup.to-come", "Who", who)
	}
	return text.M("bot.cup.playing", "Who", who, "Until", moment(p.Deadline, text.Relative))
}
