package bot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/compete"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games/competition"
	"marque/storage"
)

// number is a server's competition of that number.
func (r *rig) number(no uint64) compete.Competition {
	r.t.Helper()
	n, err := r.competitions.Get(r.ctx, compete.ID{Server: localdiscord.Tortuga, Number: no})
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// card waits for a card that says all of this.
func (r *rig) card(channel string, want ...string) *localdiscord.Message {
	r.t.Helper()
	return r.next(channel, "0", func(m *localdiscord.Message) bool {
		return m.EphemeralTo == "" && strings.Contains(m.Text(), "whoever runs out of time loses") && holdsAll(m.Text(),
			want)
	})
}

// idle waits until a competition has nothing left to do for now.
func (r *rig) idle(no uint64, now time.Time) compete.Competition {
	r.t.Helper()
	r.eventually("everything done", func() bool {
		due, err := r.store.CompetitionsDue(r.ctx, storage.At(now), 1)
		return err == nil && len(due) == 0
	})
	return r.number(no)
}

// A league of two divisions is entered by buttons and played at once; the standings tell the places that are still
// possible, and the crosstable who has beaten whom. One withdraws, the bot is stopped in the middle. At the
// season's end the best and the last change divisions, and the next season is open, with everybody in who has
// not withdrawn.
func TestLeagueSeason(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := newRigWith(t, func(r *rig) { r.quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	people := r.people(12)
	r.wantText(r.command(localdiscord.Jack, tavern, "league create", localdiscord.Opt("name", "Autumn league"),
		localdiscord.Opt("game", "loyal-captain")), "Only moderators")
	r.wantText(r.command(localdiscord.Mary, tavern, "league create", localdiscord.Opt("name", "Autumn league"),
		localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("clock", "2d"), localdiscord.Opt("division", 6),
		localdiscord.Opt("promote", 1), localdiscord.Opt("weeks", 2),
		localdiscord.Opt("variant", "opening=offered")), "is league #1")
	card := r.card(tavern, "league #1, season 1", "Opening: Offered")
	for _, p := range people {
		r.wantText(r.click(p, card, "Enter"), "You have entered")
	}
	r.wantText(r.click(localdiscord.Mary, card, "Begin now"), "begins")
	c := r.idle(1, clock.Now())
	if n := c.Rules.Divisions(); n != 2 || len(c.Rules.Pairings) != 30 || len(c.Rules.ToOpen()) != 0 {
		t.Fatalf("%d divisions, %d pairings, %d without a table", n, len(c.Rules.Pairings), len(c.Rules.ToOpen()))
	}
	r.says(tavern, "0", "**Division 2**")
	left := people[5]
	sure := r.command(left, tavern, "league leave")
	r.wantText(r.click(left, sure, "Yes, withdraw"), "You have withdrawn")
	r.eventually("the games of who has left over", func() bool { return len(r.playing()) == 25 })
	decide := func(most int) {
		for _, h := range r.playing() {
			if most--; most < 0 {
				break
			}
			winner := min(slices.Index(people, h.Seats[0].User), slices.Index(people, h.Seats[1].User))
			loser := h.Seats[1-h.Seat(people[winner])].User
			r.resignAt(loser, h)
			r.eventually("the result", func() bool { return r.number(1).Rules.Pairings[h.Contest.Game-1].End != "" })
		}
	}
	decide(8)
	r.stop()
	r.start()
	shown := r.command(people[0], tavern, "league standings")
	for _, want := range []string{"can still come", "Sonneborn-Berger"} {
		r.wantText(shown, want)
	}
	t.Logf("%s", shown.Text())
	cross := r.command(people[0], tavern, "league crosstable", localdiscord.Opt("division", 2))
	r.wantText(cross, "×")
	t.Logf("%s", cross.Text())
	r.wantText(r.command(people[0], tavern, "league pairings"), "games of division")
	before := map[int][]int{}
	for _, d := range []int{1, 2} {
		for _, p := range r.number(1).Rules.Possible(d) {
			before[p.Entrant] = p.Places
		}
	}
	decide(100)
	r.eventually("the end", func() bool { return r.number(1).Over() })
	c = r.idle(1, clock.Now())
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
	r.says(tavern, "0", "Going up: <@"+c.Rules.Entrants[up[0]].User+">")
	// Who won the games of a whole season, none on time, has a badge for it; who withdrew has none.
	has(t, "the profile of the first", r.command(people[0], tavern, "profile").Text(),
		"A whole league without a late move")
	if said := r.command(left, tavern, "profile").Text(); strings.Contains(said, "without a late move") {
		t.Errorf("who withdrew has the badge: %s", said)
	}
	second := r.number(2)
	if _, in := second.Rules.Entrant(left); in || len(second.Rules.Entrants) != 11 {
		t.Errorf("the second season has %d entrants, who withdrew: %v", len(second.Rules.Entrants), in)
	}
	r.click(left, r.card(tavern, "league #2, season 2"), "Enter")
	clock.Advance(8 * day)
	r.eventually("the second season", func() bool { return r.number(2).Rules.Phase == competition.Running })
	c = r.idle(2, clock.Now())
	i, _ := c.Rules.Entrant(people[up[0]])
	if c.Rules.DivisionOf(i) != 1 {
		t.Errorf("who went up plays in division %d", c.Rules.DivisionOf(i))
	}
	// Nobody plays: everything ends by time, and who lost twice is out.
	clock.Advance(15 * day)
	r.eventually("the end of the second season", func() bool { return r.number(2).Over() })
	r.idle(2, clock.Now())
	t.Logf("the second season ended as %q", r.number(2).Rules.Why)
}

// A ladder is joined by buttons and commands, challenged on, answered, declined and left; who wins takes the place. An
// answer that does not come lapses, who has lost rests, who is away is left alone, and a restart changes nothing.
func TestLadder(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := newRigWith(t, func(r *rig) { r.quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	people := r.people(6)
	r.wantText(r.command(localdiscord.Mary, tavern, "ladder create", localdiscord.Opt("name", "Rigging"),
		localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("clock", "2d"), localdiscord.Opt("reach", 2),
		localdiscord.Opt("declines", 1), localdiscord.Opt("rest-days", 2)), "is ladder #1")
	card := r.card(tavern, "ladder #1")
	for _, p := range people[:5] {
		r.wantText(r.click(p, card, "Enter"), "You have joined")
	}
	r.click(localdiscord.Mary, card, "Begin now")
	r.idle(1, clock.Now())
	on := func() (list []string) {
		c := r.number(1)
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
	r.wantText(r.command(p[5], tavern, "ladder enter"), "in place 6")
	card = r.card(tavern, "6 players stand on it")
	// By the card's button and a list.
	ask := r.click(p[5], card, "Challenge")
	r.wantText(ask, "whom do you challenge")
	r.wantText(r.choose(p[5], ask, "cup-challenged///1", fmt.Sprint(3)), "You have challenged")
	told := r.says(tavern, "0", "challenges <@"+p[3]+">")
	r.wantText(r.click(p[4], told, "Accept"), "No challenge waits")
	r.wantText(r.command(p[4], tavern, "ladder challenge", localdiscord.Opt("who", p[3])), "in a challenge already")
	r.stop()
	r.start()
	r.wantText(r.click(p[3], told, "Accept"), "You have accepted")
	r.eventually("the game", func() bool { return len(r.playing()) == 1 })
	r.resignAt(p[3], r.playing()[0])
	r.eventually("the new places", func() bool { return on()[3] == p[5] })
	wants("after the win", p[0], p[1], p[2], p[5], p[3], p[4])
	r.says(tavern, "0", "<@"+p[5]+"> takes place 4")
	// By commands: who has lost rests, the reach bounds, the first decline is free and the second is not.
	r.wantText(r.command(p[3], tavern, "ladder challenge", localdiscord.Opt("who", p[5])), "Rest a little")
	r.wantText(r.command(p[4], tavern, "ladder challenge", localdiscord.Opt("who", p[0])), "stand close above you")
	r.wantText(r.command(p[2], tavern, "ladder challenge", localdiscord.Opt("who", p[0])), "You have challenged")
	r.wantText(r.command(p[0], tavern, "ladder decline"), "You have declined")
	wants("after the first decline", p[0], p[1], p[2], p[5], p[3], p[4])
	r.wantText(r.command(p[2], tavern, "ladder challenge", localdiscord.Opt("who", p[0])), "You have challenged")
	r.says(tavern, "0", "gives the place away")
	clock.Advance(3*day + time.Minute) // nobody answers
	r.eventually("the challenge lapsed", func() bool { return on()[0] == p[2] })
	wants("after the second", p[2], p[0], p[1], p[5], p[3], p[4])
	r.says(tavern, "0", "has not answered")
	// Who is away is left alone.
	r.command(p[1], tavern, "me away", localdiscord.Opt("until", "10"))
	r.wantText(r.command(p[5], tavern, "ladder challenge", localdiscord.Opt("who", p[1])), "away")
	r.wantText(r.click(p[5], r.command(p[5], tavern, "ladder show"), "Challenge"), "whom do you challenge")
	// A game that nobody plays ends by its clock, and whoever challenged and lost stays.
	r.wantText(r.command(p[3], tavern, "ladder challenge", localdiscord.Opt("who", p[5])), "You have challenged")
	r.wantText(r.command(p[5], tavern, "ladder accept"), "You have accepted")
	r.eventually("the second game", func() bool { return len(r.playing()) == 1 })
	r.wantText(r.command(p[0], tavern, "ladder pairings"), "challenges")
	r.wantText(r.command(p[0], tavern, "ladder standings"), "takes the other's place")
	clock.Advance(3 * day)
	r.eventually("the second game over", func() bool { return len(r.playing()) == 0 })
	sure := r.command(p[2], tavern, "ladder leave")
	r.wantText(r.click(p[2], sure, "Yes, withdraw"), "You have withdrawn")
	if got := on(); len(got) != 5 || slices.Contains(got, p[2]) {
		t.Errorf("after one has left the ladder is %v", got)
	}
	r.wantText(r.command(localdiscord.Jack, tavern, "ladder cancel"), "Only moderators")
	sure = r.command(localdiscord.Mary, tavern, "ladder cancel")
	r.wantText(r.click(localdiscord.Mary, sure, "Yes, call it off"), "called off")
	r.says(tavern, "0", "The ladder is closed")
}

// CO-17: who has not answered is called once more, but not in their quiet hours: when they wake, or before they sleep
// where that is too late, and not at all who wants no reminders. One message calls two, and its buttons say whom they
// answer.
func TestCalledOnceMoreWhenAwake(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := newRigWith(t, func(r *rig) { r.quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	opt, people := localdiscord.Opt, r.people(10)
	like := func(user string, f func(p *table.Preferences)) {
		t.Helper()
		_, err := r.tables.Choices.ChangePreferences(r.ctx, user, func(p *table.Preferences) error {
			f(p)
			return nil
		})
		r.must(err)
	}
	r.command(localdiscord.Mary, tavern, "ladder create", opt("name", "Rigging"), opt("game", captain),
		opt("clock", "2d"), opt("answer-days", 1))
	card := r.card(tavern, "ladder #1")
	for _, p := range people {
		r.click(p, card, "Enter")
	}
	r.click(localdiscord.Mary, card, "Begin now")
	r.idle(1, clock.Now())
	early, late, never := people[4], people[6], people[8]
	like(early, func(p *table.Preferences) { p.Night = [2]int{22 * 60, 13 * 60} }) // the time is over before that ends
	like(never, func(p *table.Preferences) { p.Remind = -1 })
	for i := 1; i < len(people); i += 2 {
		r.wantText(r.command(people[i], tavern, "ladder challenge", opt("who", people[i-1])), "You have challenged")
	}
	like(late, func(p *table.Preferences) { p.Night = [2]int{22 * 60, 8 * 60} }) // after the challenge
	latest := r.latest(tavern)
	called := func(at time.Time, want ...string) *localdiscord.Message {
		t.Helper()
		clock.Advance(at.Sub(clock.Now()))
		r.idle(1, clock.Now())
		var last *localdiscord.Message
		var got []string
		for _, m := range r.srv.Messages(tavern, localdiscord.Anne) {
			if m.EphemeralTo == "" && later(m.ID, latest) && strings.Contains(m.Text(), "Still without an answer") {
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
	name := func(user string) string { who, _ := r.number(1).Person(user); return who.Name.Plain() }
	r.wantText(r.click(people[2], m, "Decline: "+name(people[3])), "You have declined")
	r.wantText(r.click(people[0], m, "Accept: "+name(people[1])), "You have accepted")
	called(date(3, 11, 59))
	called(date(3, 12, 1))
	for _, user := range []string{early, late, never} {
		r.says(tavern, latest, "<@"+user+"> has not answered")
	}
}

// Killed before or after every single thing that it notes, the bot has a ladder and a league go on as if nothing had
// been: each game has one table, nothing is told twice, and there is one next season.
func TestLeaguesSurviveEveryDeath(t *testing.T) {
	t.Parallel()
	for what, taken := range map[string]bool{"before it is stored": false, "after it is stored": true} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r, end, clock := mortalRig(t, taken)
			people := r.people(6)
			r.command(localdiscord.Mary, tavern, "league create", localdiscord.Opt("name", "League"),
				localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("clock", "2d"),
				localdiscord.Opt("lapses", 0))
			r.command(localdiscord.Mary, tavern, "ladder create", localdiscord.Opt("name", "Rigging"),
				localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("clock", "2d"))
			for _, kind := range []string{"league", "ladder"} {
				card := r.card(tavern, kind+" #")
				for _, p := range people {
					r.click(p, card, "Enter")
				}
				r.click(localdiscord.Mary, card, "Begin now")
			}
			r.idle(2, clock.Now())
			r.command(people[5], tavern, "ladder challenge", localdiscord.Opt("who", people[4]))
			r.idle(2, clock.Now())
			end.arm(true)
			clock.Advance(4 * day) // nobody answers, and everybody is late
			r.kill(end, clock)
			clock.Advance(9 * day) // into the second season
			r.kill(end, clock)
			end.arm(false)
			t.Logf("killed %d times", end.died)
			if end.died < 20 {
				t.Error("which is too few to have met every step")
			}
			first := r.number(1)
			tables := map[string]bool{}
			for _, p := range first.Rules.Pairings {
				if p.Table == "" || tables[p.Table] || p.End != competition.TimeUp {
					t.Errorf("a pairing ended as %+v", p)
				}
				tables[p.Table] = true
			}
			all, err := r.competitions.Latest(r.ctx, localdiscord.Tortuga)
			if err != nil || len(all) != 3 || first.Next != 3 || r.number(3).Rules.Phase != competition.Running {
				t.Errorf("%d competitions after a league's season and a ladder, next %d: %v", len(all), first.Next, err)
			}
			if p := r.number(2).Rules.Pairings[0]; p.End != competition.Unanswered {
				t.Errorf("the challenge ended as %+v", p)
			}
			r.toldOnce(tavern)
		})
	}
}

// Who has left the server is withdrawn within a day, and before the entry closes (CO-12). While the bot
// is down the time of an entry and of a game stands, once (CO-14). A substitute takes the points and the
// seat at the table (CO-15).
func TestGoneDownAndSubstituted(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := newRigWith(t, func(r *rig) { r.quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	people := r.people(7)
	r.openCup(tavern, people[:6], localdiscord.Opt("clock", "14d"), localdiscord.Opt("game-days", 10))
	r.must(r.srv.Admin.RemoveMember(localdiscord.Tortuga, people[5]))
	start := r.cup().Rules.Setup.Start
	clock.Advance(47 * time.Hour)
	r.stop()
	clock.Advance(5 * time.Hour) // beyond the time at which the entry closes
	r.start()
	r.eventually("the downtime credited", func() bool { return r.cup().Rules.Setup.Start == start+5*competition.Hour })
	if c := r.cup(); c.Rules.Phase != competition.Entry {
		t.Fatalf("it is %s", c.Rules.Phase)
	}
	clock.Advance(61 * time.Minute)
	c := r.settled(1)
	if _, in := c.Rules.Entrant(people[5]); in || len(c.Rules.Entrants) != 5 {
		t.Errorf("who has left the server has entered still: %+v", c.Rules.Entrants)
	}
	heads := r.playing()
	h := heads[0]
	out, other := h.Seats[0].User, people[6]
	r.wantText(r.command(localdiscord.Jack, tavern, "tournament substitute", localdiscord.Opt("who", out),
		localdiscord.Opt("by", other)), "Only moderators")
	r.wantText(r.command(localdiscord.Mary, tavern, "tournament substitute", localdiscord.Opt("who", out),
		localdiscord.Opt("by", other)), "is asked to go on for")
	r.says(tavern, "0", "<@"+other+"> is asked to go on for")
	r.wantText(r.command(other, tavern, "tournament accept"), "You go on for")
	r.eventually("the substitute at the table", func() bool {
		return slices.ContainsFunc(r.playing(), func(now table.Head) bool {
			return now.ID == h.ID && now.Seat(other) == 0
		})
	})
	before := r.cup().Rules.Pairings[h.Contest.Game-1].Deadline
	r.stop()
	clock.Advance(2 * day)
	r.start()
	want := before + 2*competition.Day
	r.eventually("the deadline later", func() bool { return r.cup().Rules.Pairings[h.Contest.Game-1].Deadline == want })
	// Neither looking at the deadline when it comes nor an outage counts the same time again.
	r.must(r.tables.Servers.OutageBegins(r.ctx, localdiscord.Tortuga))
	r.eventually("held up", func() bool { return r.cup().Held() })
	clock.Advance(day)
	_, err := r.tables.Servers.OutageEnds(r.ctx, localdiscord.Tortuga)
	r.must(err)
	want += competition.Day
	r.eventually("the deadline later still", func() bool {
		return r.cup().Rules.Pairings[h.Contest.Game-1].Deadline == want
	})
	gone := heads[1].Seats[1].User
	r.must(r.srv.Admin.RemoveMember(localdiscord.Tortuga, gone))
	clock.Advance(25 * time.Hour)
	r.eventually("withdrawn", func() bool {
		c := r.cup()
		i, known := c.Rules.Entrant(gone)
		return known && c.Rules.Entrants[i].OutFor == competition.OutGone
	})
	r.resignAt(other, h)
	r.eventually("the result", func() bool {
		return r.cup().Rules.Pairings[h.Contest.Game-1].End == competition.Played
	})
	clock.Advance(20 * day)
	r.eventually("a later round, or the end", func() bool { return r.cup().Over() || r.cup().Rules.Round > 1 })
	for _, p := range r.cup().Rules.Pairings[:2] {
		if p.Stretch != 0 {
			t.Errorf("time that nobody could play was credited twice: %+v", p)
		}
	}
}
