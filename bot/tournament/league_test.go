package tournament_test

import (
	"bytes"
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
	"marque/games/competition"
)

// A league of two divisions works to the end of its season. Its entrants enter with buttons and play immediately, one
// withdraws, and the bot stops in the middle. The standings show the possible places, and the crosstable the results.
// At the end the best and the last change divisions, and the next season is open, with all entrants who have not
// withdrawn.
func TestLeagueSeason(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	people := r.People(12)
	r.WantText(r.ForgeCommand(localdiscord.Jack, bottest.Tavern, "moderate create league",
		bottest.TextOption("name", "Autumn league"), bottest.TextOption("game", "loyal-captain")), "Only moderators")
	r.WantText(r.Create(localdiscord.Mary, bottest.Tavern, "league",
		localdiscord.Opt("name", "Autumn league"),
		localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("clock", "2d"), localdiscord.Opt("division", 6),
		localdiscord.Opt("promote", 1), localdiscord.Opt("weeks", 2),
		localdiscord.Opt("variant", "opening=offered")), "is league #1")
	card := r.CompetitionCard(bottest.Tavern, "league #1, season 1", "Opening: **Offered")
	for _, p := range people {
		r.WantText(r.Click(p, card, "Sign up"), "You've signed up")
	}
	r.WantText(r.Click(localdiscord.Mary, card, "Start now"), "begins")
	c := r.Idle(1, clock.Now())
	if n := c.Rules.Divisions(); n != 2 || len(c.Rules.Pairings) != 30 || len(c.Rules.ToOpen()) != 0 {
		t.Fatalf("%d divisions, %d pairings, %d without a table", n, len(c.Rules.Pairings), len(c.Rules.ToOpen()))
	}
	r.NextSaying(bottest.Tavern, "0", "**Division 2**")
	left := people[5]
	sure := r.Command(left, bottest.Tavern, "league", bottest.Do("leave"))
	r.WantText(r.Click(left, sure, "Yes, withdraw"), "You've withdrawn")
	r.EventuallyCarried("the games of who has left over", func() bool { return len(r.Pairings()) == 25 })
	decide := func(most int) {
		for _, h := range r.Pairings() {
			if most--; most < 0 {
				break
			}
			winner := min(slices.Index(people, h.Seats[0].User), slices.Index(people, h.Seats[1].User))
			loser := h.Seats[1-h.Seat(people[winner])].User
			resignAt(r, loser, h)
			r.EventuallyCarried("the result",
				func() bool { return r.Competition(1).Rules.Pairings[h.Competition.Game-1].End != "" })
		}
	}
	decide(8)
	r.Stop()
	r.Start()
	shown := r.Command(people[0], bottest.Tavern, "league", bottest.Do("standings"))
	for _, want := range []string{"possible places", "Sonneborn-Berger"} {
		r.WantText(shown, want)
	}
	t.Logf("%s", shown.Text())
	// The pages of shared standings are the same for everybody: nobody's row stands out.
	shared := r.Command(people[0], bottest.Tavern, "league", bottest.Do("standings"), localdiscord.Opt("share", true))
	picture := func(m *localdiscord.Message) []byte {
		data, _ := r.Server.Attachment(m.Pictures()[0].URL)
		return data
	}
	first := picture(shared)
	for _, user := range []string{people[0], people[11]} {
		forth, back := "▶", "◀"
		if b, ok := shared.Button(forth); !ok || b.Disabled {
			forth, back = back, forth
		}
		shared = r.Click(user, r.Click(user, shared, forth), back)
		if len(first) == 0 || !bytes.Equal(picture(shared), first) {
			t.Errorf("shared standings are different after a click of %s", user)
		}
	}
	cross := r.Command(people[0], bottest.Tavern, "league", bottest.Do("crosstable"), localdiscord.Opt("division", 2))
	r.WantText(cross, "×")
	t.Logf("%s", cross.Text())
	r.WantText(r.Command(people[0], bottest.Tavern, "league", bottest.Do("pairings")), "games of division")
	before := map[int][]int{}
	for _, d := range []int{1, 2} {
		for _, p := range r.Competition(1).Rules.Possible(d) {
			before[p.Entrant] = p.Places
		}
	}
	decide(100)
	r.EventuallyCarried("the end", func() bool { return r.Competition(1).Over() })
	c = r.Idle(1, clock.Now())
	for _, d := range []int{1, 2} {
		for _, l := range c.Rules.Standings(d) {
			if !slices.Contains(before[l.Entrant], l.Place) {
				t.Errorf("entrant %d came to place %d of division %d; told were %v", l.Entrant, l.Place, d,
					before[l.Entrant])
			}
		}
	}
	up, down := c.Rules.Promotion()
	if c.Rules.Why != competition.EndPlayed || len(up) != 1 || len(down) != 1 || c.Next != 2 {
		t.Fatalf("ended as %q, up %v, down %v, next %d", c.Rules.Why, up, down, c.Next)
	}
	r.NextSaying(bottest.Tavern, "0", "Going up: <@"+c.Rules.Entrants[up[0]].User+">")
	// An entrant who played a whole season without a late move has a badge; one who withdrew has none.
	bottest.Contains(t, "the profile of the first", r.Command(people[0], bottest.Tavern, "profile").Text(),
		"A whole league season without running out of time")
	said := r.Command(left, bottest.Tavern, "profile").Text()
	if strings.Contains(said, "without running out of time") {
		t.Errorf("who withdrew has the badge: %s", said)
	}
	second := r.Competition(2)
	if _, in := second.Rules.Entrant(left); in || len(second.Rules.Entrants) != 11 {
		t.Errorf("the second season has %d entrants, who withdrew: %v", len(second.Rules.Entrants), in)
	}
	r.Click(left, r.CompetitionCard(bottest.Tavern, "league #2, season 2"), "Sign up")
	clock.Advance(8 * bottest.Day)
	r.EventuallyCarried("the second season", func() bool { return r.Competition(2).Rules.Phase == competition.Running })
	c = r.Idle(2, clock.Now())
	i, _ := c.Rules.Entrant(people[up[0]])
	if c.Rules.DivisionOf(i) != 1 {
		t.Errorf("who went up plays in division %d", c.Rules.DivisionOf(i))
	}
	// Nobody plays, so everything ends by time, and entrants who lost twice are withdrawn.
	clock.Advance(15 * bottest.Day)
	r.EventuallyCarried("the end of the second season", func() bool { return r.Competition(2).Over() })
	r.Idle(2, clock.Now())
	t.Logf("the second season ended as %q", r.Competition(2).Rules.Why)
}

// Users can join and leave a ladder, and challenge, accept and decline, with buttons and commands. The winner takes the
// higher place, and the loser must rest. An unanswered challenge lapses, and an absent entrant cannot be challenged. A
// restart of the bot changes nothing.
func TestLadder(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	people := r.People(6)
	r.WantText(r.Create(localdiscord.Mary, bottest.Tavern, "ladder",
		localdiscord.Opt("name", "Rigging"),
		localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("clock", "2d"), localdiscord.Opt("reach", 2),
		localdiscord.Opt("declines", 1), localdiscord.Opt("rest-days", 2)), "is ladder #1")
	card := r.CompetitionCard(bottest.Tavern, "ladder #1")
	bottest.Contains(t, "the card of a ladder that has not begun", card.Text(), "if at least 2 players have joined",
		"you can challenge players above you", "Nobody is taking part.")
	bottest.Lacks(t, "the card of a ladder that has not begun", card.Text(), "have signed up", "on their own")
	for _, p := range people[:5] {
		r.WantText(r.Click(p, card, "Join"), "You've joined")
	}
	bottest.Lacks(t, "the beginning of a ladder", r.Click(localdiscord.Mary, card, "Start now").Text(), "games open")
	r.Idle(1, clock.Now())
	on := func() (list []string) {
		c := r.Competition(1)
		for _, e := range c.Rules.Order {
			list = append(list, c.Rules.Entrants[e].User)
		}
		return list
	}
	wants := func(when string, want ...string) {
		t.Helper()
		if got := on(); !slices.Equal(got, want) {
			t.Fatalf("%s the ladder is %v, want %v", when, got, want)
		}
	}
	p := people
	wants("at first", p[0], p[1], p[2], p[3], p[4])
	r.WantText(r.Command(p[5], bottest.Tavern, "ladder", bottest.Do("enter")), "at place 6")
	card = r.CompetitionCard(bottest.Tavern, "The ladder has 6 players")
	// The user challenges with the card's button and a list.
	ask := r.Click(p[5], card, "Challenge")
	r.WantText(ask, "who do you want to challenge")
	r.WantText(r.Choose(p[5], ask, "cup-challenged///1", fmt.Sprint(3)), "You've challenged")
	told := r.NextSaying(bottest.Tavern, "0", "challenges <@"+p[3]+">")
	r.WantText(r.Click(p[4], told, "Accept"), "No challenge is waiting")
	r.WantText(r.Command(p[4], bottest.Tavern, "ladder", bottest.Do("challenge"), localdiscord.Opt("who", p[3])),
		"already has a challenge under way")
	r.Stop()
	r.Start()
	r.WantText(r.Click(p[3], told, "Accept"), "You've accepted")
	r.Eventually("the game", func() bool { return len(r.Pairings()) == 1 })
	resignAt(r, p[3], r.Pairings()[0])
	r.Eventually("the new places", func() bool { return on()[3] == p[5] })
	wants("after the win", p[0], p[1], p[2], p[5], p[3], p[4])
	r.NextSaying(bottest.Tavern, "0", "<@"+p[5]+"> is now in place 4")
	// The user challenges with a command. A loser must rest, the reach is limited, and only the first decline is free.
	r.WantText(r.Command(p[3], bottest.Tavern, "ladder", bottest.Do("challenge"), localdiscord.Opt("who", p[5])),
		"you have to rest")
	r.WantText(r.Command(p[4], bottest.Tavern, "ladder", bottest.Do("challenge"), localdiscord.Opt("who", p[0])),
		"only challenge players above you")
	r.WantText(r.Command(p[2], bottest.Tavern, "ladder", bottest.Do("challenge"), localdiscord.Opt("who", p[0])),
		"You've challenged")
	r.WantText(r.Command(p[0], bottest.Tavern, "ladder", bottest.Do("decline")), "You've declined")
	wants("after the first decline", p[0], p[1], p[2], p[5], p[3], p[4])
	r.WantText(r.Command(p[2], bottest.Tavern, "ladder", bottest.Do("challenge"), localdiscord.Opt("who", p[0])),
		"You've challenged")
	r.NextSaying(bottest.Tavern, "0", "If <@"+p[0]+"> declines or doesn't answer, <@"+p[2]+"> takes their place")
	clock.Advance(3*bottest.Day + time.Minute) // nobody replies
	r.Eventually("the challenge lapsed", func() bool { return on()[0] == p[2] })
	wants("after the second", p[2], p[0], p[1], p[5], p[3], p[4])
	r.NextSaying(bottest.Tavern, "0", "didn't answer")
	// An absent entrant cannot be challenged.
	r.Command(p[1], bottest.Tavern, "me away", localdiscord.Opt("until", "10"))
	r.WantText(r.Command(p[5], bottest.Tavern, "ladder", bottest.Do("challenge"), localdiscord.Opt("who", p[1])),
		"away")
	r.WantText(r.Click(p[5], r.Command(p[5], bottest.Tavern, "ladder"), "Challenge"),
		"who do you want to challenge")
	// A game without moves ends by its clock.
	r.WantText(r.Command(p[3], bottest.Tavern, "ladder", bottest.Do("challenge"), localdiscord.Opt("who", p[5])),
		"You've challenged")
	r.WantText(r.Command(p[5], bottest.Tavern, "ladder", bottest.Do("accept")), "You've accepted")
	r.Eventually("the second game", func() bool { return len(r.Pairings()) == 1 })
	r.WantText(r.Command(p[0], bottest.Tavern, "ladder", bottest.Do("pairings")), "challenges")
	r.WantText(r.Command(p[0], bottest.Tavern, "ladder", bottest.Do("standings")), "take their place")
	clock.Advance(3 * bottest.Day)
	r.Eventually("the second game over", func() bool { return len(r.Pairings()) == 0 })
	sure := r.Command(p[2], bottest.Tavern, "ladder", bottest.Do("leave"))
	r.WantText(r.Click(p[2], sure, "Yes, withdraw"), "You've withdrawn")
	if got := on(); len(got) != 5 || slices.Contains(got, p[2]) {
		t.Errorf("after one has left the ladder is %v", got)
	}
	r.WantText(r.ForgeCommand(localdiscord.Jack, bottest.Tavern, "moderate competition cancel"), "Only moderators")
	purser := r.Purser()
	sure = r.Command(purser, bottest.Tavern, "moderate competition cancel")
	r.WantText(r.Click(purser, sure, "Yes, end it"), "is over.")
	r.NextSaying(bottest.Tavern, "0", "The ladder is closed")
}

// CO-74: on a ladder, an absence that begins soon after another one does not count, so that nobody stays out of reach
// by announcing one absence after the other.
func TestCO74_OneAbsenceAfterTheOther(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	p := r.People(2)
	r.Create(localdiscord.Mary, bottest.Tavern, "ladder", localdiscord.Opt("name", "Rigging"),
		localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("clock", "2d"))
	card := r.CompetitionCard(bottest.Tavern, "ladder #1")
	for _, user := range p {
		r.Click(user, card, "Join")
	}
	r.Click(localdiscord.Mary, card, "Start now")
	r.Idle(1, clock.Now())
	challenge := func(want string) {
		t.Helper()
		r.WantText(r.Command(p[1], bottest.Tavern, "ladder", bottest.Do("challenge"), localdiscord.Opt("who", p[0])),
			want)
	}
	for range 2 { // the second announcement only prolongs the absence
		r.Command(p[0], bottest.Tavern, "me away", localdiscord.Opt("until", "2"))
		challenge("away")
		clock.Advance(bottest.Day)
	}
	clock.Advance(bottest.Day + time.Hour)
	r.Command(p[0], bottest.Tavern, "me away", localdiscord.Opt("until", "2"))
	challenge("You've challenged")
}

// A user who wants to stop a ladder's game of two people is told to resign, because the game belongs to a competition,
// and the message does not mention computers.
func TestStoppingALaddersGameNamesTheCompetition(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	r.Create(localdiscord.Mary, bottest.Tavern, "ladder", localdiscord.Opt("name", "Rigging"),
		localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("clock", "2d"))
	card := r.CompetitionCard(bottest.Tavern, "ladder #1")
	for _, p := range bottest.Two {
		r.Click(p, card, "Join")
	}
	r.Click(localdiscord.Mary, card, "Start now")
	r.Idle(1, clock.Now())
	r.Command(bottest.Two[1], bottest.Tavern, "ladder", bottest.Do("challenge"),
		localdiscord.Opt("who", bottest.Two[0]))
	r.Command(bottest.Two[0], bottest.Tavern, "ladder", bottest.Do("accept"))
	r.Eventually("the game", func() bool { return len(r.Pairings()) == 1 })
	h := r.Pairings()[0]
	belongs := map[string]string{"en": "belongs to a competition", "de": "gehört zu einem Wettbewerb"}
	for language, want := range belongs {
		_, err := r.Tables.Choices.ChangePreferences(r.Ctx, bottest.Two[0], func(p *choices.Preferences) error {
			p.Language = language
			return nil
		})
		r.Must(err)
		said := r.Command(bottest.Two[0], h.Channel, "table abandon").Text()
		bottest.Contains(t, "stopping a ladder's game in "+language, said, want)
		bottest.Lacks(t, "stopping a ladder's game in "+language, said, "omputer")
	}
}

// CO-17: a user who has not replied is reminded once, outside the user's quiet hours, and not at all if the user wants
// no reminders. The reminder comes after the quiet hours, or before them if that would be too late. One message reminds
// two users, and its buttons name the question.
func TestCalledOnceMoreWhenAwake(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	opt, people := localdiscord.Opt, r.People(10)
	like := func(user string, f func(p *choices.Preferences)) {
		t.Helper()
		_, err := r.Tables.Choices.ChangePreferences(r.Ctx, user, func(p *choices.Preferences) error {
			f(p)
			return nil
		})
		r.Must(err)
	}
	r.Create(localdiscord.Mary, bottest.Tavern, "ladder", opt("name", "Rigging"),
		opt("game", bottest.LoyalCaptain),
		opt("clock", "2d"), opt("answer-days", 1))
	card := r.CompetitionCard(bottest.Tavern, "ladder #1")
	for _, p := range people {
		r.Click(p, card, "Join")
	}
	r.Click(localdiscord.Mary, card, "Start now")
	r.Idle(1, clock.Now())
	early, late, never := people[4], people[6], people[8]
	// the challenge lapses before the quiet hours end
	like(early, func(p *choices.Preferences) { p.Night = [2]int{22 * 60, 13 * 60} })
	like(never, func(p *choices.Preferences) { p.Remind = -1 })
	for i := 1; i < len(people); i += 2 {
		r.WantText(r.Command(people[i], bottest.Tavern, "ladder", bottest.Do("challenge"), opt("who", people[i-1])),
			"You've challenged")
	}
	like(late, func(p *choices.Preferences) { p.Night = [2]int{22 * 60, 8 * 60} }) // set after the challenge
	latest := r.Latest(bottest.Tavern)
	called := func(at time.Time, want ...string) *localdiscord.Message {
		t.Helper()
		clock.Advance(at.Sub(clock.Now()))
		r.Idle(1, clock.Now())
		var last *localdiscord.Message
		var got []string
		for _, m := range r.Server.Messages(bottest.Tavern, localdiscord.Anne) {
			if m.EphemeralTo == "" && bottest.Later(m.ID, latest) && strings.Contains(m.Text(),
				"Still waiting for an answer") {
				got, last, latest = append(got, m.Pinged...), m, m.ID
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("CO-17: at %s are called %v, want %v", at, got, want)
		}
		return last
	}
	date := func(day, hour, minute int) time.Time { return time.Date(2026, 11, day, hour, minute, 0, 0, time.UTC) }
	called(date(2, 21, 44))
	called(date(2, 21, 46), early)
	called(date(3, 5, 59))
	m := called(date(3, 6, 1), people[0], people[2])
	called(date(3, 7, 59))
	called(date(3, 8, 1), late)
	name := func(user string) string { who, _ := r.Competition(1).Person(user); return who.Name.Plain() }
	r.WantText(r.Click(people[2], m, "Decline: "+name(people[3])), "You've declined")
	m, err := r.Server.Message(m.ID, people[0])
	r.Must(err)
	if bottest.HasButton(m, "Accept: "+name(people[3])) || !bottest.HasButton(m, "Decline: "+name(people[1])) {
		t.Errorf("one of two is answered, and the message has %+v", m.Interactive())
	}
	r.WantText(r.Command(people[0], bottest.Tavern, "ladder", bottest.Do("accept")), "You've accepted")
	m, err = r.Server.Message(m.ID, people[0])
	r.Must(err)
	if bottest.HasButton(m, "Accept: "+name(people[1])) || bottest.HasButton(m, "Decline: "+name(people[1])) {
		t.Errorf("both are answered, the last by a command, and the message has %+v", m.Interactive())
	}
	called(date(3, 11, 59))
	called(date(3, 12, 1))
	for _, user := range []string{early, late, never} {
		r.NextSaying(bottest.Tavern, latest, "<@"+user+"> didn't answer")
	}
}

// A ladder and a league continue correctly if the store fails at the writes that record their progress, before or after
// the change is stored, and the bot restarts: each game has one table, nothing is announced twice, and there is one
// next season.
func TestLeaguesSurviveEveryDeath(t *testing.T) {
	t.Parallel()
	for what, taken := range map[string]bool{"before it is stored": false, "after it is stored": true} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r, end, clock := mortalRig(t, taken)
			people := r.People(6)
			r.Create(localdiscord.Mary, bottest.Tavern, "league", localdiscord.Opt("name", "League"),
				localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("clock", "2d"),
				localdiscord.Opt("lapses", 0))
			r.Create(localdiscord.Mary, bottest.Tavern, "ladder", localdiscord.Opt("name", "Rigging"),
				localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("clock", "2d"))
			for kind, enter := range map[string]string{"league": "Sign up", "ladder": "Join"} {
				card := r.CompetitionCard(bottest.Tavern, kind+" #")
				for _, p := range people {
					r.Click(p, card, enter)
				}
				r.Click(localdiscord.Mary, card, "Start now")
			}
			r.Idle(2, clock.Now())
			r.Command(people[5], bottest.Tavern, "ladder", bottest.Do("challenge"), localdiscord.Opt("who", people[4]))
			r.Idle(2, clock.Now())
			end.arm(true)
			clock.Advance(4 * bottest.Day) // nobody replies, and everybody runs out of time
			kill(r, end, clock)
			clock.Advance(9 * bottest.Day) // the second season begins
			kill(r, end, clock)
			end.arm(false)
			for range 14 * 24 { // unfinished steps are retried later
				all, err := r.Competitions.Latest(r.Ctx, localdiscord.Tortuga)
				if r.Must(err); len(all) == 3 && all[0].Rules.Phase == competition.Running {
					break
				}
				clock.Advance(time.Hour)
				kill(r, end, clock)
			}
			end.met(t, "ChangeCompetition")
			first := r.Competition(1)
			tables := map[string]bool{}
			for _, p := range first.Rules.Pairings {
				if p.Table == "" || tables[p.Table] || p.End != competition.TimeUp {
					t.Errorf("a pairing ended as %+v", p)
				}
				tables[p.Table] = true
			}
			all, err := r.Competitions.Latest(r.Ctx, localdiscord.Tortuga)
			if err != nil || len(all) != 3 || first.Next != 3 || r.Competition(3).Rules.Phase != competition.Running {
				t.Errorf("%d competitions after a league's season and a ladder, next %d: %v", len(all), first.Next, err)
			}
			if p := r.Competition(2).Rules.Pairings[0]; p.End != competition.Unanswered {
				t.Errorf("the challenge ended as %+v", p)
			}
			toldOnce(r, bottest.Tavern)
		})
	}
}

// An entrant who has left the server is withdrawn, even before the entry closes (CO-12). While the bot is down, the
// entry period and the time of a game are extended, once (CO-14). A substitute takes over the seat at the table
// (CO-15).
func TestGoneDownAndSubstituted(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	people := r.People(7)
	r.OpenTournament(bottest.Tavern, people[:6], localdiscord.Opt("clock", "14d"), localdiscord.Opt("game-days", 10))
	r.Must(r.Server.Admin.RemoveMember(localdiscord.Tortuga, people[5]))
	start := r.FirstCompetition().Rules.Setup.Start
	clock.Advance(47 * time.Hour)
	r.Stop()
	clock.Advance(5 * time.Hour) // the entry period ends meanwhile
	r.Start()
	r.Eventually("the downtime credited",
		func() bool { return r.FirstCompetition().Rules.Setup.Start == start+5*competition.Hour })
	if c := r.FirstCompetition(); c.Rules.Phase != competition.Entry {
		t.Fatalf("it is %s", c.Rules.Phase)
	}
	clock.Advance(61 * time.Minute)
	c := r.Settled(1)
	if _, in := c.Rules.Entrant(people[5]); in || len(c.Rules.Entrants) != 5 {
		t.Errorf("who has left the server has entered still: %+v", c.Rules.Entrants)
	}
	heads := r.Pairings()
	h := heads[0]
	out, other := h.Seats[0].User, people[6]
	r.WantText(r.ForgeCommand(localdiscord.Jack, bottest.Tavern, "moderate competition substitute",
		bottest.UserOption("who", out)), "Only moderators")
	r.WantText(r.Command(r.Purser(), bottest.Tavern, "moderate competition substitute", localdiscord.Opt("who", out),
		localdiscord.Opt("by", other)), "to take over from")
	r.NextSaying(bottest.Tavern, "0", "<@"+other+">, would you take over from")
	r.WantText(r.Command(other, bottest.Tavern, "tournament", bottest.Do("accept")), "You've taken over from")
	r.Eventually("the substitute at the table", func() bool {
		return slices.ContainsFunc(r.Pairings(), func(now table.Head) bool {
			return now.ID == h.ID && now.Seat(other) == 0
		})
	})
	before := r.FirstCompetition().Rules.Pairings[h.Competition.Game-1].Deadline
	r.Stop()
	clock.Advance(2 * bottest.Day)
	r.Start()
	want := before + 2*competition.Day
	r.Eventually("the deadline later",
		func() bool { return r.FirstCompetition().Rules.Pairings[h.Competition.Game-1].Deadline == want })
	// The check at the deadline and an outage do not count the same interval twice.
	r.Must(r.Servers.OutageBegins(r.Ctx, localdiscord.Tortuga))
	r.Eventually("held up", func() bool { return r.FirstCompetition().Held() })
	clock.Advance(bottest.Day)
	_, err := r.Servers.OutageEnds(r.Ctx, localdiscord.Tortuga)
	r.Must(err)
	want += competition.Day
	r.Eventually("the deadline later still", func() bool {
		return r.FirstCompetition().Rules.Pairings[h.Competition.Game-1].Deadline == want
	})
	gone := heads[1].Seats[1].User
	r.Must(r.Server.Admin.RemoveMember(localdiscord.Tortuga, gone))
	clock.Advance(25 * time.Hour)
	r.Eventually("withdrawn", func() bool {
		c := r.FirstCompetition()
		i, known := c.Rules.Entrant(gone)
		return known && c.Rules.Entrants[i].OutFor == competition.OutGone
	})
	resignAt(r, other, h)
	r.Eventually("the result", func() bool {
		return r.FirstCompetition().Rules.Pairings[h.Competition.Game-1].End == competition.Played
	})
	clock.Advance(20 * bottest.Day)
	r.Eventually("a later round, or the end",
		func() bool { return r.FirstCompetition().Over() || r.FirstCompetition().Rules.Round > 1 })
	for _, p := range r.FirstCompetition().Rules.Pairings[:2] {
		if p.Stretch != 0 {
			t.Errorf("time that nobody could play was credited twice: %+v", p)
		}
	}
}
