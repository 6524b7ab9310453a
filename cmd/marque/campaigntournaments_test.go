//go:build unix

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"marque/bot/localdiscord"
	"marque/games"
	"marque/games/competition"
	"marque/storage"
)

const (
	// cupServers is the distance between servers that also have tournaments: every third server has them.
	cupServers = 3
	// tournamentSize is the number of players in a tournament.
	tournamentSize = 4
)

// entrants are people on a server who play one tournament after another during the campaign. If they get no answer,
// they look up whether their action took effect, and repeat it if necessary.
type entrants struct {
	*mates
	people []string
	lost   map[string]storage.ID // tables at which players were told that they had resigned, by table and user
	heard  map[string]string     // texts of the messages in the tournaments' channel, by id of the message
}

// newEntrants adds people to a server, and a channel for their tournaments.
func (c *campaign) newEntrants(store keeper, server int) *entrants {
	c.t.Helper()
	place := localdiscord.PlaceAt(server)
	w := &entrants{lost: map[string]storage.ID{}, heard: map[string]string{}}
	for i := range tournamentSize {
		id := c.discord.Admin.AddUser(fmt.Sprintf("entrant-%d-%d", server, i))
		if err := c.discord.Admin.AddMember(place.Guild, id); err != nil {
			c.t.Fatal(err)
		}
		w.people = append(w.people, id)
	}
	var err error
	if place.Tables, err = c.discord.Admin.AddChannel(place.Guild, "tournaments"); err != nil {
		c.t.Fatal(err)
	}
	w.mates = &mates{campaign: c, store: store, place: place, rng: rand.New(rand.NewPCG(uint64(server), 30))}
	return w
}

// playAll plays tournaments until the campaign is over.
func (w *entrants) playAll() {
	for w.ctx.Err() == nil {
		w.further()
		w.think()
	}
}

// further takes the next step that the server's latest tournament needs.
func (w *entrants) further() {
	list, err := w.store.Competitions(w.ctx, w.place.Guild, 1)
	switch {
	case err != nil:
		return // the database is down
	case len(list) == 0 || list[0].Over():
		w.hear()
		w.command(w.place.Owner, "moderate create tournament", localdiscord.Opt("name", "Campaign cup"),
			localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("clock", "2d"))
		return
	case list[0].Rules.Phase == competition.Entry:
		all := true
		for _, user := range w.people {
			if _, entered := list[0].Rules.Entrant(user); !entered {
				all = false
				w.command(user, "tournament", localdiscord.Opt("do", "enter"))
			}
		}
		if all {
			w.command(w.place.Owner, "moderate competition start")
		}
		return
	}
	heads, err := w.store.ByGuild(w.ctx, w.place.Guild, storage.Active, 0, 10)
	heads = slices.DeleteFunc(heads, func(h storage.Head) bool {
		return h.Competition.Number != list[0].Number || h.Status != storage.Playing
	})
	if err == nil && len(heads) > 0 {
		h := heads[w.rng.IntN(len(heads))]
		w.resign(h, h.Seats[w.rng.IntN(len(h.Seats))].User)
	}
}

// hear records the messages of the channel. It must be called often, because the channel holds only 200 messages, which
// is about twelve tournaments.
func (w *entrants) hear() {
	for _, m := range w.discord.Messages(w.place.Tables, w.place.Owner) {
		w.heard[m.ID] = m.Text()
	}
}

// resign makes a user resign at a table, with the command and the button that confirms it.
func (w *entrants) resign(h storage.Head, user string) {
	var sure *localdiscord.Message
	w.ask("resign", func(ctx context.Context) error {
		reply, err := w.discord.Command(ctx, user, h.Channel, "table resign")
		if err == nil {
			sure, err = reply.Message(ctx)
		}
		return err
	})
	if sure == nil {
		return
	}
	button, ok := sure.Button("Yes, resign")
	if !ok {
		return // the game is over
	}
	w.ask("resign (button)", func(ctx context.Context) error {
		reply, err := w.discord.Click(ctx, user, sure.ID, button.CustomID)
		if err != nil {
			return err
		}
		m, err := reply.Message(ctx)
		if err == nil && m != nil && strings.Contains(m.Text(), "You've resigned") {
			w.lost[fmt.Sprint(h.ID, " ", user)] = h.ID
		}
		return err
	})
}

// checkTournaments compares the stored tournaments with their tables, and with the messages in the channels of the
// tournaments.
func (c *campaign) checkTournaments(store keeper, groups []*entrants) {
	c.t.Helper()
	ctx := context.WithoutCancel(c.ctx)
	tournaments, over, games, resigned := 0, 0, 0, 0
	for _, w := range groups {
		tables := map[storage.CompetitionGame][]storage.ID{}
		for _, phase := range []storage.Phase{storage.Active, storage.Finished} {
			for after := storage.ID(0); ; {
				heads, err := store.ByGuild(ctx, w.place.Guild, phase, after, 200)
				if err != nil {
					c.t.Fatal(err)
				}
				for _, h := range heads {
					if h.Competition.Number != 0 {
						of := storage.CompetitionGame{Number: h.Competition.Number, Game: h.Competition.Game}
						tables[of] = append(tables[of], h.ID)
					}
				}
				if len(heads) < 200 {
					break
				}
				after = heads[len(heads)-1].ID
			}
		}
		list, err := store.Competitions(ctx, w.place.Guild, 100)
		if err != nil {
			c.t.Fatal(err)
		}
		w.hear()
		for _, n := range list {
			tournaments++
			if n.Over() {
				over++
			}
			for _, p := range n.Rules.Pairings {
				ids := tables[storage.CompetitionGame{Number: n.Number, Game: uint64(p.No)}]
				if len(ids) > 1 || p.Table != "" && (len(ids) == 0 || ids[0].String() != p.Table) {
					c.t.Errorf("server %s, tournament %d: pairing %d has table %q, and stored are %v", w.place.Guild,
						n.Number, p.No, p.Table, ids)
				}
				if p.End == "" {
					continue
				}
				games++
				c.checkResult(store, n, p)
			}
			for round := range n.Rules.Round {
				cup := regexp.MustCompile(fmt.Sprintf(`tournament #%d\b`, n.Number)) // not #10 as #1
				says := fmt.Sprintf("**Round %d of %d**", round+1, n.Rules.Rounds)
				told := 0
				for _, text := range w.heard {
					if cup.MatchString(text) && strings.Contains(text, says) {
						told++
					}
				}
				if told > 1 || told == 0 && (n.Over() || round+1 < n.Rules.Round) {
					c.t.Errorf("server %s, tournament %d of %d: %s was told %d times; %d messages were heard",
						w.place.Guild, n.Number, len(list), says, told, len(w.heard))
				}
			}
			if err := n.Rules.Check(); err != nil {
				c.t.Errorf("server %s, tournament %d is not paired again as it was: %v", w.place.Guild, n.Number, err)
			}
		}
		for what, id := range w.lost {
			resigned++
			stored, err := store.Load(ctx, id)
			if err != nil {
				c.t.Fatal(err)
			}
			if stored.Head.Status != storage.Over {
				c.t.Errorf("%s was told to have resigned, and table %d goes on", what, id)
			}
		}
	}
	c.t.Logf("%d tournaments on %d servers, %d over; %d games counted, %d times somebody was told to have resigned",
		tournaments, len(groups), over, games, resigned)
	if over < len(groups) {
		c.t.Errorf("only %d tournaments ended on %d servers: the campaign shows little of them", over, len(groups))
	}
}

// checkResult checks that a pairing has its table's result.
func (c *campaign) checkResult(store keeper, n storage.Competition, p competition.Pairing) {
	c.t.Helper()
	id, err := storage.ParseID(p.Table)
	if err != nil || p.End != competition.Played {
		c.t.Errorf("tournament %d: pairing %d ended as %+v: everybody resigns here", n.Number, p.No, p)
		return
	}
	result, err := store.Result(context.WithoutCancel(c.ctx), id)
	if err != nil {
		c.t.Errorf("tournament %d: pairing %d has no result: %v", n.Number, p.No, err)
		return
	}
	for seat, e := range p.Seats {
		at := slices.IndexFunc(result.Seats, func(o storage.Occupant) bool {
			return o.User == n.Rules.Entrants[e].User
		})
		if at < 0 || slices.Contains(result.Winners, games.Seat(at)) != (p.Points[seat] == competition.Win) {
			c.t.Errorf("tournament %d: pairing %d counts %v, and table %d was won by %v", n.Number, p.No, p.Points, id,
				result.Winners)
		}
	}
}
