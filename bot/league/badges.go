package league

import (
	"context"
	"errors"
	"slices"
	"strings"

	"marque/bot/choices"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/games"
	"marque/games/competition"
	"marque/games/text"
	"marque/storage"
)

// merits are the achievements that decide a user's badges on a server. They are computed for every request, so that
// voided, deleted and forgotten games no longer count.
type merits struct {
	won      map[string]bool // keys of the games with a win that counts
	learned  bool            // has taken all lessons of all games
	comeback bool            // won a game that counts after a nearly lost position
	punctual bool            // whether the function punctual is true for one of the user's league seasons
}

type badge struct {
	key    string // stored when the user is told about the badge
	name   text.Message
	earned func(merits) bool
}

func badges(all show.Games) []badge {
	var list []badge
	for _, g := range all {
		list = append(list, badge{"win-" + g.Key(), text.M("bot.badges.win", "Game", g.Info().Name),
			func(m merits) bool { return m.won[g.Key()] }})
	}
	return append(list,
		badge{"lessons", text.M("bot.badges.lessons"), func(m merits) bool { return m.learned }},
		badge{"comeback", text.M("bot.badges.comeback"), func(m merits) bool { return m.comeback }},
		badge{"punctual", text.M("bot.badges.punctual"), func(m merits) bool { return m.punctual }})
}

// badgeLines returns lines with the badges that a user has earned. In a private reply to the user, it marks new
// ones. It returns none if the server has switched badges off, and none for other viewers if the user hides them.
// won holds the keys of the games in which the user has a win that counts.
func (rm *Room) badgeLines(ctx context.Context, r *interact.Request, user string, won map[string]bool) ([]string,
	error) {
	if r.Settings.Without.Badges {
		return nil, nil
	}
	p, err := rm.tables.Choices.Preferences(ctx, user)
	own := ownView(r, user)
	if err != nil || p.Hidden.Badges && !own {
		return nil, err
	}
	m, err := rm.merits(ctx, r.GuildID, user, p)
	if err != nil {
		return nil, err
	}
	m.won = won
	var earned []badge
	var keys []string
	for _, b := range badges(rm.games) {
		if b.earned(m) {
			earned, keys = append(earned, b), append(keys, b.key)
		}
	}
	if len(earned) == 0 {
		return nil, nil
	}
	var news []string
	if own {
		if news, err = rm.results.TellBadges(ctx, user, r.GuildID, keys); err != nil {
			return nil, err
		}
	}
	var names []string
	for _, b := range earned {
		name := b.name
		if slices.Contains(news, b.key) {
			name = text.M("bot.badges.new", "Badge", name)
		}
		names = append(names, r.Say.Say(name))
	}
	return []string{"### " + r.Say.Say(text.M("bot.badges.title")), strings.Join(names, " · ")}, nil
}

// merits returns a user's merits, apart from won, which follows from leaderboards.
func (rm *Room) merits(ctx context.Context, server, user string, p choices.Preferences) (m merits, err error) {
	m.learned = true
	for _, g := range rm.games {
		for _, l := range games.Lessons(g) {
			m.learned = m.learned && p.HasLearned(g.Key(), l.Key)
		}
	}
	comebacks, err := rm.results.Comebacks(ctx, user, server)
	if err != nil {
		return m, err
	}
	for _, id := range comebacks {
		res, err := rm.results.ResultOf(ctx, id)
		if errors.Is(err, storage.ErrNoResult) {
			continue
		}
		if err != nil {
			return m, err
		}
		m.comeback = m.comeback || res.Counts()
	}
	played, err := rm.competitions.Of(ctx, user, server)
	for _, c := range played {
		if e, ok := c.Rules.Entrant(user); ok {
			m.punctual = m.punctual || punctual(c.Rules, e)
		}
	}
	return m, err
}

// punctual reports whether an entrant has played all games of a league season that was played to its end, and lost none
// of them on time. Byes, walkovers and void results are ignored.
func punctual(c competition.Competition, entrant int) bool {
	if c.Setup.Kind != competition.League || c.Phase != competition.Ended || c.Why != competition.EndPlayed ||
		c.Entrants[entrant].Out != 0 {
		return false
	}
	played := 0
	for _, p := range c.Pairings {
		seat := slices.Index(p.Seats, entrant)
		if seat < 0 {
			continue
		}
		switch p.End {
		case competition.Played:
			played++
		case competition.TimeUp: // only a player who ran out of time can have lost
			if p.Points[seat] != competition.Win {
				return false
			}
			played++
		case competition.Unfinished, competition.Abandoned:
			return false
		}
	}
	return played > 0
}
