package table

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"

	"marque/bot/table/clock"
	"marque/bot/timesource"
	"marque/games"
	"marque/games/competition"
	"marque/games/rating"
	"marque/games/text"
	"marque/storage"
)

// Competition is a tournament, a league or a ladder as it is stored, CompetitionID its server and number.
type (
	Competition   = storage.Competition
	CompetitionID = storage.CompetitionID
)

// Limits of competitions.
const (
	// mostCompetitions is how many go on at once on a server.
	mostCompetitions = 10
	// MaxCompetitionName is how many characters the name of one has.
	MaxCompetitionName = 60
	// listedCompetitions is how many of a server's latest can be asked for.
	listedCompetitions = 100
)

// Competitions are the tournaments, leagues and ladders of the servers. What the rules of a
// competition decide is in package competition; here it is stored, and what follows from it is
// done: tables are opened, their results are reported, the channel is told.
//
// Every change is one commit against the version that it was made for. What is left to do is in
// what is stored: Competition.News is to be told, Competition.Stop and the pairings without a table
// are to be seen to, Competition.Due says when to look again. So a competition goes on where it
// stood, whoever was stopped between which steps; each step can be taken twice.
type Competitions struct {
	store   competitionStore
	league  leagueStore
	service *Service
	tables  *tables
	choices *choices
	uptime  *uptime
	clock   timesource.Clock
	log     *slog.Logger
	herald  Herald // from start on
	desk    *desk
	locks   *locks[CompetitionID] // so that one process does not make a change twice because of another of its own
}

// Herald tells the people of a server about a competition. What is sent twice with the same Told,
// pairing or version is told once.
type Herald interface {
	// Tell tells the competition's channel its News. It returns a *PermanentError when the channel
	// cannot be told anything.
	Tell(ctx context.Context, c Competition) error
	// ShowCard posts the competition's card, or edits it, and returns its message. It returns a
	// *PermanentError as Tell does.
	ShowCard(ctx context.Context, c Competition) (message string, err error)
	// IsMember reports whether a user is on a server.
	IsMember(ctx context.Context, server, user string) (bool, error)
	// PostPairing posts the message under which a pairing's thread is opened, and returns its id. lost is the channel
	// that the pairing's game had before; "" for none. It returns a *PermanentError as Tell does.
	PostPairing(ctx context.Context, c Competition, p competition.Pairing, lost string) (message string, err error)
	// OpenThread opens the thread of a pairing under that message; "" where the server, or Discord,
	// has none for it. It may be open already.
	OpenThread(ctx context.Context, c Competition, p competition.Pairing, message string) (thread string, err error)
	// DropCard removes the card of a game that has another from now on, if it is there still.
	DropCard(ctx context.Context, card storage.Card) error
}

// start has competitions seen to, which h tells of.
func (c *Competitions) start(h Herald) {
	c.herald = h
	c.desk.start(c.see)
}

// Plan is what the organiser of a competition decides.
type Plan struct {
	Name    text.Name
	Channel string
	Options []games.Setting
	// of its games: time for a move, or a bank; what happens late is always that the game is lost
	Clock   storage.ClockRule
	Unrated bool
	Role    string // who has it may enter; "" for everybody
	competition.Setup
}

// Make makes a competition that takes entries. Only a moderator may. It returns ErrNotAllowed,
// ErrNoGame, ErrNoClock, ErrNoSetup for a setup that the rules do not know, ErrLimit, or a
// *games.SetupError.
func (c *Competitions) Make(ctx context.Context, by Actor, guild string, p Plan) (Competition, error) {
	if err := by.may(Organise); err != nil {
		return Competition{}, err
	}
	if by.Key == "" {
		return Competition{}, ErrNoKey
	}
	g, ok := c.tables.games(p.Game)
	if !ok {
		return Competition{}, refuse(ErrNoGame, text.M("table.error.no-game", "Game", p.Game))
	}
	least, most := g.Seats()
	seats := 2
	if p.Kind == competition.Pods {
		seats = p.Seats
	}
	switch {
	case least > 2 || seats > most: // where people are missing, two play
		return Competition{}, refuse(ErrNoSetup, text.M("table.error.competition-seats", "Game", g.Info().Name,
			"Least", least, "Count", most))
	case p.Clock.Mode == storage.NoClock || !clock.Valid(p.Clock):
		return Competition{}, refuse(ErrNoClock, text.M("table.error.no-clock"))
	}
	if _, err := games.NewSetup(g, seats, p.Options...); err != nil {
		return Competition{}, err
	}
	p.Clock.Late = storage.LateForfeit
	p.Lot = rand.Uint64()
	rules, err := competition.New(p.Setup)
	if err != nil {
		return Competition{}, refuseCompetition(err)
	}
	made := Competition{
		Server: guild, Version: 1, Changed: c.now(), Keys: []string{by.Key}, Name: p.Name, Channel: p.Channel,
		Host:    by.User,
		Options: p.Options, Clock: p.Clock, Unrated: p.Unrated, Role: p.Role, Rules: rules,
		Credited: c.now(), Looked: c.now(),
	}
	made.Due = c.due(made)
	if err := c.tables.gate.enter(); err != nil {
		return Competition{}, err
	}
	defer c.tables.gate.leave()
	number, err := c.store.AddCompetition(ctx, made, mostCompetitions)
	if errors.As(err, new(*storage.MoreCompetitionsError)) {
		err = refuse(ErrLimit, text.M("table.error.limit-competitions", "Count", mostCompetitions))
	}
	if err != nil {
		return Competition{}, err
	}
	made.Number = number
	c.desk.poke(CompetitionID{Server: guild, Number: number}, true)
	return made, nil
}

// Get is a competition of a server. It returns ErrNoCompetition.
func (c *Competitions) Get(ctx context.Context, id CompetitionID) (Competition, error) {
	got, err := c.store.Competition(ctx, id.Server, id.Number)
	return got, refuseMissingCompetition(err)
}

// Latest are a server's competitions, the latest first.
func (c *Competitions) Latest(ctx context.Context, server string) ([]Competition, error) {
	return c.store.Competitions(ctx, server, listedCompetitions)
}

// Enter enters the actor. It returns ErrNoCompetition, ErrEntryClosed or ErrFull.
func (c *Competitions) Enter(ctx context.Context, by Actor, id CompetitionID) (Competition, error) {
	if by.Key == "" {
		return Competition{}, ErrNoKey
	}
	before, err := c.Get(ctx, id)
	if err != nil {
		return before, err
	}
	strength := rating.New().Points()
	line, err := c.league.Standing(ctx, storage.Board{Guild: id.Server, Game: before.Rules.Setup.Game}, by.User)
	if err != nil {
		return before, err
	}
	if line.Games > 0 {
		strength = line.Rating.Points()
	}
	return c.change(ctx, by, id, func(n *Competition) error {
		if n.Held() {
			return refuseHeld()
		}
		rules, err := n.Rules.Enter(by.User, strength, competition.Stamp(c.now()))
		if err != nil {
			return err
		}
		n.Rules = rules
		n.Know(Occupant{User: by.User, Name: by.Name}, by.Key)
		return nil
	})
}

// Leave takes the actor out: before the start their entry is gone, afterwards they withdraw. It
// returns ErrNoCompetition or ErrNotEntered.
func (c *Competitions) Leave(ctx context.Context, by Actor, id CompetitionID) (Competition, error) {
	return c.withdraw(ctx, by, id, by.User, competition.OutLeft)
}

// Remove takes somebody else out. The host of the competition or a moderator may. It returns
// ErrNoCompetition, ErrNotAllowed or ErrNotEntered.
func (c *Competitions) Remove(ctx context.Context, by Actor, id CompetitionID, user string) (Competition, error) {
	return c.run(ctx, by, id, func(n *Competition) error { return takeOut(n, user, competition.OutRemoved, c.now()) })
}

func (c *Competitions) withdraw(ctx context.Context, by Actor, id CompetitionID, user,
	why string) (Competition, error) {
	return c.change(ctx, by, id, func(n *Competition) error { return takeOut(n, user, why, c.now()) })
}

func takeOut(n *Competition, user, why string, now Stamp) error {
	i, known := n.Rules.Entrant(user)
	if !known || n.Rules.Entrants[i].Out != 0 {
		return competition.ErrEntrant
	}
	rules, err := n.Rules.Withdraw(user, why, competition.Stamp(now))
	if err != nil {
		return err
	}
	n.Rules = rules
	return nil
}

// Begin ends the entry before its time. The host of the competition or a moderator may. It returns
// ErrNoCompetition, ErrNotAllowed, ErrStarted or ErrTooFew.
func (c *Competitions) Begin(ctx context.Context, by Actor, id CompetitionID) (Competition, error) {
	return c.run(ctx, by, id, func(n *Competition) (err error) {
		switch {
		case n.Held():
			return refuseHeld()
		case n.Rules.Phase != competition.Entry:
			return refuse(ErrStarted, text.M("table.error.competition-begun"))
		}
		n.Rules, err = n.Rules.Begin(competition.Stamp(c.now()))
		return err
	})
}

// CallOff ends a competition as it stands. The host of the competition or a moderator may. It
// returns ErrNoCompetition, ErrNotAllowed or ErrOver.
func (c *Competitions) CallOff(ctx context.Context, by Actor, id CompetitionID) (Competition, error) {
	return c.run(ctx, by, id, func(n *Competition) error {
		if n.Over() {
			return refuse(ErrOver, text.M("table.error.competition-over"))
		}
		n.Rules = n.Rules.CallOff(competition.Stamp(c.now()))
		return nil
	})
}

// Rehouse moves a competition to another channel, in which its next tables are opened, and those go on whose channel
// is gone. The host of the competition or a moderator may. It returns ErrNoCompetition, ErrNotAllowed or ErrOver.
func (c *Competitions) Rehouse(ctx context.Context, by Actor, id CompetitionID, channel string) (Competition, error) {
	return c.run(ctx, by, id, func(n *Competition) error {
		if n.Over() {
			return refuse(ErrOver, text.M("table.error.competition-over"))
		}
		if n.Channel != channel {
			n.Channel, n.Card, n.Posted = channel, storage.Sign{}, nil
		}
		n.Bring = nil
		for _, p := range n.Rules.Pairings {
			if p.End == "" && p.Table != "" {
				n.Bring = append(n.Bring, p.No)
			}
		}
		release(n, storage.PausedChannelGone, c.now())
		return nil
	})
}

// Fetch has a game that lost its channel go on in its competition's, where that is another: the competition, or the
// game, may have moved before. It reports whether the game is to come at once.
func (c *Competitions) Fetch(ctx context.Context, snap *Snapshot) (coming bool, err error) {
	if !snap.OfCompetition() {
		return false, nil
	}
	_, err = c.change(ctx, unasked, CompetitionID{Server: snap.Guild, Number: snap.Contest.Number},
		func(n *Competition) error {
			coming = !n.Over() && n.Channel != snap.Channel && !snap.InThreadOf(n.Channel)
			if coming && !slices.Contains(n.Bring, int(snap.Contest.Game)) {
				n.Bring = append(slices.Clip(n.Bring), int(snap.Contest.Game))
			}
			coming = coming && !n.Held()
			return nil
		})
	return coming && err == nil, err
}

// run is change for what the host of the competition may do, and moderators.
func (c *Competitions) run(ctx context.Context, by Actor, id CompetitionID,
	f func(*Competition) error) (Competition, error) {
	return c.change(ctx, by, id, func(n *Competition) error {
		if !c.MayRun(by, *n) {
			return by.may(Organise)
		}
		return f(n)
	})
}

// MayRun reports whether the actor may do what the host of the competition may.
func (c *Competitions) MayRun(by Actor, of Competition) bool {
	return of.Host == by.User && by.User != "" || by.May(Organise)
}

// change commits what f makes of a competition, which it must not change in place, and has done
// what follows. f is called again when somebody else has changed it meanwhile. A command that was
// done before changes nothing.
func (c *Competitions) change(ctx context.Context, by Actor, id CompetitionID,
	f func(*Competition) error) (Competition, error) {
	return c.changeFrom(ctx, by, Competition{Server: id.Server, Number: id.Number}, f)
}

// changeFrom is change for a competition that was read before: it is read again only where it has changed since, or
// where f refuses or changes nothing, which counts for what is stored alone. One of version 0 was not read.
func (c *Competitions) changeFrom(ctx context.Context, by Actor, old Competition,
	f func(*Competition) error) (Competition, error) {
	if err := c.tables.gate.enter(); err != nil {
		return Competition{}, err
	}
	defer c.tables.gate.leave()
	unlock, err := c.locks.lock(ctx, old.ID())
	if err != nil {
		return old, err
	}
	defer unlock()
	for known := old.Version != 0; ; known = false {
		if !known {
			if old, err = c.Get(ctx, old.ID()); err != nil {
				return old, err
			}
		}
		if old.Heard(by.Key) {
			return old, nil
		}
		next, err := c.changed(ctx, old, f)
		same := err == nil && reflect.DeepEqual(next, old)
		switch {
		case known && (err != nil || same):
			continue
		case err != nil || same:
			return old, err
		}
		var fence storage.Fence
		if by.unasked {
			var held bool
			if fence, held = c.tables.fence(old.Server); !held {
				return old, ErrNotOwner
			}
		}
		next.Version, next.Changed = old.Version+1, c.now()
		next.Hear(by.Key)
		next.News = append(slices.Clip(next.News), changesOf(next.Rules, old.Rules)...)
		if next.Batch == 0 && len(next.News) > 0 { // who is stopped between telling and noting that has told just these
			next.Batch, next.Since = len(next.News), next.Changed
		}
		next.Stop = stops(next.Rules, old.Rules, next.Stop)
		next.Due = c.due(next)
		switch err := c.store.ChangeCompetition(ctx, old, next, fence); {
		case errors.Is(err, storage.ErrStale):
			continue
		case errors.Is(err, storage.ErrNotOwner):
			return old, ErrNotOwner
		case err != nil:
			return old, refuseMissingCompetition(err)
		}
		c.desk.poke(old.ID(), true)
		return next, nil
	}
}

// changed is what f makes of a competition, before it is committed.
func (c *Competitions) changed(ctx context.Context, old Competition,
	f func(*Competition) error) (next Competition, err error) {
	settings, err := c.choices.settings(ctx, old.Server)
	if err != nil {
		return old, err
	}
	next = old
	credit(&next, c.choices.downtimes(), settings.Outages)
	if err := f(&next); err != nil {
		return old, refuseCompetition(err)
	}
	if err := c.letSleep(ctx, &next, false); err != nil {
		return old, err
	}
	next.Unknow()
	return next, nil
}

// toldNews are the changes that the channel is told. Entries before the start are on the card, and that a pairing can
// be played is told with its round, or at its table.
var toldNews = []competition.News{
	competition.PairingEnded, competition.PairingCorrected, competition.NewsChallenged, competition.NewsLeft,
	competition.NewsEntered, competition.NewsSubstitute, competition.NewsHeld, competition.NewsReleased,
	competition.NewsBegan, competition.RoundEnded, competition.RoundBegan, competition.NewsEnded,
	competition.NewsWaits, competition.NewsAsked, competition.NewsAskedStill, competition.NewsUnasked,
}

func changesOf(now, old competition.Competition) []competition.Change {
	return slices.DeleteFunc(now.Changes(old), func(n competition.Change) bool {
		switch n.What {
		case competition.PairingReady: // what comes in the middle of a round
			p, _ := now.Pairing(n.Pairing)
			return p.Leg != 3
		case competition.NewsEntered:
			return now.Phase == competition.Entry
		case competition.RoundEnded: // a league has one round, and is over with it
			return now.Setup.Kind == competition.League
		}
		return !slices.Contains(toldNews, n.What)
	})
}

// stops adds the pairings whose tables do not know yet that they have ended, or that somebody has left or goes on for
// another. Where the game itself has ended, the table has said so.
func stops(now, old competition.Competition, list []int) []int {
	list = slices.Clone(list)
	for _, p := range now.Pairings {
		was, _ := old.Pairing(p.No)
		changed := slices.ContainsFunc(p.Seats, func(e int) bool {
			if e >= len(old.Entrants) {
				return false
			}
			is, was := now.Entrants[e], old.Entrants[e]
			return is.Out != 0 && was.Out == 0 || is.User != "" && is.User != was.User
		})
		ended := was.End == "" && p.End != "" && p.End != competition.Played && p.End != competition.TimeUp
		if p.Table != "" && (ended || p.End == "" && changed) && !slices.Contains(list, p.No) {
			list = append(list, p.No)
		}
	}
	return list
}

// due is when a competition is to be looked at.
func (c *Competitions) due(n Competition) Stamp {
	if len(n.News) > 0 || len(n.Stop) > 0 || len(n.Rules.ToOpen()) > 0 || n.Card.Shown != shownOnCard(n) {
		return n.Changed
	}
	if n.Rules.Continues() && n.Next == 0 || len(n.Bring) > 0 && !n.Held() {
		return n.Changed
	}
	d, ok := n.Rules.Due()
	at := Stamp(d.At)
	if look := looking(n); look != 0 && (!ok || look < at) {
		at = look
	}
	if at == 0 && !ok {
		return 0
	}
	return max(1, at)
}

func (c *Competitions) now() Stamp { return storage.At(c.clock.Now()) }

func refuseHeld() error { return refuse(ErrHeldUp, text.M("table.error.competition-held")) }

func refuseMissingCompetition(err error) error {
	if errors.Is(err, storage.ErrNoCompetition) {
		return refuse(storage.ErrNoCompetition, text.M("table.error.no-competition"))
	}
	return err
}

// refuseCompetition makes the rules' reasons into refusals.
func refuseCompetition(err error) error {
	for _, r := range []struct {
		of     competition.Reason
		reason error
		id     string
	}{
		{competition.ErrSetup, ErrNoSetup, "table.error.competition-setup"},
		{competition.ErrClosed, ErrEntryClosed, "table.error.competition-closed"},
		{competition.ErrFull, ErrFull, "table.error.competition-full"},
		{competition.ErrEntrant, ErrNotEntered, "table.error.competition-stranger"},
		{competition.ErrFew, ErrTooFew, "table.error.competition-few"},
		{competition.ErrReach, ErrBeyondReach, "table.error.ladder-reach"},
		{competition.ErrBusy, ErrChallenged, "table.error.ladder-busy"},
		{competition.ErrRest, ErrResting, "table.error.ladder-rest"},
		{competition.ErrAway, ErrAbsent, "table.error.ladder-away"},
		{competition.ErrPairing, ErrNoChallenge, "table.error.ladder-no-challenge"},
		{competition.ErrOver, ErrNoChallenge, "table.error.ladder-no-challenge"},
		{competition.ErrPhase, ErrOver, "table.error.competition-phase"},
		{competition.ErrTaken, ErrAsked, "table.error.substitute-taken"},
		{competition.ErrOffer, ErrNoOffer, "table.error.no-substitute"},
	} {
		if errors.Is(err, r.of) {
			return refuse(r.reason, text.M(r.id))
		}
	}
	return err
}
