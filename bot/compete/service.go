package compete

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"

	lru "github.com/hashicorp/golang-lru/v2"

	"marque/bot/keylock"
	"marque/bot/servers"
	"marque/bot/table"
	"marque/bot/table/clock"
	"marque/bot/timesource"
	"marque/games"
	"marque/games/competition"
	"marque/games/text"
	"marque/storage"
)

// Competition is a stored tournament, league or ladder. Its ID consists of the server and a number.
type (
	Competition = storage.Competition
	ID          = storage.CompetitionID
)

// Limits of competitions.
const (
	// mostCompetitions is the number of unfinished competitions on a server at which nobody can create another. With
	// the next seasons of leagues, a server can have up to mostWithSeasons.
	mostCompetitions = 10
	mostWithSeasons  = 2 * mostCompetitions
	// mostKnown is the maximum number of cached competitions. A league of 400 takes about a megabyte.
	mostKnown = 32
	// MaxName is the maximum length of a competition's name, in characters.
	MaxName = 60
	// listLimit is the maximum number of a user's competitions that are read together.
	listLimit = 1000
	// listedCompetitions is the maximum length of the list of a server's latest competitions.
	listedCompetitions = 100
)

// Store stores competitions, and the tables that give their results.
type Store interface {
	AddCompetition(ctx context.Context, c storage.Competition, most int) (number uint64, err error)
	ChangeCompetition(ctx context.Context, old, c storage.Competition, fence storage.Fence) error
	Reread(ctx context.Context, known storage.Competition) (storage.Competition, error)
	Competitions(ctx context.Context, server string, limit int) ([]storage.Competition, error)
	CompetitionsOf(ctx context.Context, user string, limit int) ([]storage.CompetitionID, error)
	ActiveCompetitions(ctx context.Context, server string, limit int) ([]storage.CompetitionID, error)
	CompetitionsDue(ctx context.Context, until storage.Stamp, limit int) ([]storage.CompetitionID, error)
	TableOf(ctx context.Context, of storage.CompetitionID, game uint64) (storage.ID, error)
	Load(ctx context.Context, id storage.ID) (storage.Table, error)
	Result(ctx context.Context, id storage.ID) (storage.Result, error)
}

// Config holds the dependencies and settings of a Service.
type Config struct {
	Tables  *table.Service
	Servers *servers.Service
	Store   Store
	// Games finds a game by its key.
	Games func(key string) (games.Game, bool)
	Clock timesource.Clock // the system clock if it is nil
	Log   *slog.Logger
}

// Service runs the tournaments, leagues and ladders of the servers, by the rules of package games/competition. It
// stores changes and carries them out: it opens tables, collects their results, and posts announcements in the channel.
//
// Every change is one commit, based on a version. The stored value also contains the remaining work: News holds changes
// to announce, Stop and the pairings without a table hold unfinished work, and Due is the time of the next step. So a
// competition continues where a process stopped, and each step can be repeated.
//
// Besides the errors that its comment lists, a command that changes a competition returns table.ErrTooSoon for a user
// who has notified others too often.
type Service struct {
	tables    *table.Service
	servers   *servers.Service
	store     Store
	games     func(key string) (games.Game, bool)
	clock     timesource.Clock
	log       *slog.Logger
	announcer Announcer // set by Start
	workers   *workers
	known     *lru.Cache[ID, Competition] // competitions as last read or written
	locks     *keylock.Locks[ID]          // serialize this process's changes to a competition
}

// New returns a Service and attaches it to the tables. No competition runs before Start.
func New(c Config) *Service {
	if c.Clock == nil {
		c.Clock = timesource.System{}
	}
	s := &Service{tables: c.Tables, servers: c.Servers, store: c.Store, games: c.Games, clock: c.Clock, log: c.Log,
		workers: newWorkers(c.Clock), locks: keylock.New[ID]()}
	s.known, _ = lru.New[ID, Competition](mostKnown) // an error is only possible for sizes below 1
	c.Tables.Attach(table.Hooks{
		Over: s.report, Sweep: s.sweep, Export: s.export, Forget: s.forget, Cleared: s.known.Purge, Partial: s.partial,
		Close: s.workers.close,
	})
	c.Servers.Watch(s.Look, s.active)
	return s
}

// ErrCard is returned if Discord refuses an edit of the card because of its content.
var ErrCard = errors.New("what the card would show is refused")

// Announcer posts information about competitions on their servers. Announce, PostPairing and ShowCard can be called
// again without posting twice: Announce and ShowCard post once for each value of Messages, and PostPairing once for
// each pairing and previous channel.
type Announcer interface {
	// Announce posts the changes in the competition's News in its channel. It returns a *PermanentError if the channel
	// accepts no messages.
	Announce(ctx context.Context, c Competition) error
	// ShowCard posts or edits the competition's card, and returns the id of its message. It returns a *PermanentError
	// if the channel accepts no messages, and ErrCard if only an edit is refused.
	ShowCard(ctx context.Context, c Competition) (message string, err error)
	// IsMember reports whether a user is on a server.
	IsMember(ctx context.Context, server, user string) (bool, error)
	// PostPairing posts the message for a pairing's thread, and returns the message's id. lost is the previous channel
	// of the pairing's game, or "". It returns a *PermanentError if the channel would also refuse the messages of other
	// pairings.
	PostPairing(ctx context.Context, c Competition, p competition.Pairing, lost string) (message string, err error)
	// OpenThread opens a pairing's thread on the given message, or finds the open thread, and returns its id. It
	// returns "" if the game must be played in the channel, ErrLimit if the server has too many active threads, and
	// the errors of PostPairing.
	OpenThread(ctx context.Context, c Competition, p competition.Pairing, message string) (thread string, err error)
	// Warn sends the host of a competition a message about its Trouble, now or at the next opportunity.
	Warn(ctx context.Context, c Competition) error
	// DropCard deletes the old card of a game that has a new one.
	DropCard(ctx context.Context, card storage.Card) error
}

// Start starts running the competitions. The Announcer a posts their announcements. Start must be called once, before
// the tables start.
func (s *Service) Start(a Announcer) {
	s.announcer = a
	s.workers.start(s.carryOn)
}

// Plan holds an organiser's choices for a competition.
type Plan struct {
	Name    text.Name
	Channel string
	Options []games.Setting
	// Clock is the games' time control, which can be a time per move or a bank. A player who runs out of time always
	// loses.
	Clock   storage.ClockRule
	Unrated bool
	Role    string // only members with this role may enter; "" for everybody
	competition.Setup
}

// Make creates a competition that is open for entries. The actor must be a moderator. It returns ErrNotAllowed,
// ErrNoKey, ErrNoGame, ErrNoClock, ErrNoSetup for a setup that the rules do not allow, ErrLimit, or a
// *games.SetupError.
func (s *Service) Make(ctx context.Context, by table.Actor, guild string, p Plan) (Competition, error) {
	if err := by.Check(table.Organise); err != nil {
		return Competition{}, err
	}
	if by.Key == "" {
		return Competition{}, table.ErrNoKey
	}
	g, ok := s.games(p.Game)
	if !ok {
		return Competition{}, table.Refuse(table.ErrNoGame, text.M("table.error.no-game", "Game", p.Game))
	}
	if err := playable(g, p.Setup, p.Options); err != nil {
		return Competition{}, err
	}
	if p.Clock.Mode == storage.NoClock || !clock.Valid(p.Clock) {
		return Competition{}, table.Refuse(table.ErrNoClock, text.M("table.error.no-clock"))
	}
	p.Clock.Late = storage.LateForfeit
	p.Lot = rand.Uint64()
	rules, err := competition.New(p.Setup)
	if err != nil {
		return Competition{}, refuseCompetition(err)
	}
	made := Competition{
		Server: guild, Version: 1, Drawn: 1, Changed: s.now(), Keys: []string{by.Key}, Name: p.Name,
		Channel: p.Channel, Host: by.User,
		Options: p.Options, Clock: p.Clock, Unrated: p.Unrated, Role: p.Role, Rules: rules,
		Credited: s.now(), Looked: s.now(),
	}
	made.Due = s.due(made)
	done, err := s.tables.Work()
	if err != nil {
		return Competition{}, err
	}
	defer done()
	number, err := s.store.AddCompetition(ctx, made, mostCompetitions)
	if errors.As(err, new(*storage.MoreCompetitionsError)) {
		err = table.Refuse(table.ErrLimit, text.M("table.error.limit-competitions", "Count", mostCompetitions))
	}
	if err != nil {
		return Competition{}, err
	}
	made.Number = number
	s.workers.poke(ID{Server: guild, Number: number}, true)
	return made, nil
}

// playable returns a *games.SetupError or ErrNoSetup if the game cannot be played with this setup and these options.
func playable(g games.Game, s competition.Setup, options []games.Setting) error {
	least, most := g.Seats()
	seats := 2
	if s.Kind == competition.Pods {
		seats = s.Seats
	}
	if most == 2 && seats > most {
		return table.Refuse(table.ErrNoSetup, text.M("table.error.competition-two", "Game", g.Info().Name))
	}
	if least > 2 || seats > most { // with few entrants, a table can have two
		return table.Refuse(table.ErrNoSetup, text.M("table.error.competition-seats",
			"Game", g.Info().Name, "Count", most))
	}
	_, err := games.NewSetup(g, seats, options...)
	return err
}

// Arrange changes the setup of a competition that has not begun. The actor must be the host or a moderator, and must
// not have entered. It returns ErrNoCompetition, ErrNotAllowed, ErrPlaysHere, ErrStarted, ErrNoSetup or a
// *games.SetupError.
func (s *Service) Arrange(ctx context.Context, by table.Actor, id ID,
	f func(Competition) competition.Setup) (Competition, error) {
	return s.run(ctx, by, id, func(n *Competition) error {
		if n.Rules.Phase != competition.Entry {
			return table.Refuse(table.ErrStarted, text.M("table.error.competition-begun"))
		}
		if err := impartial(*n, by, ""); err != nil {
			return err
		}
		rules, err := competition.New(f(*n))
		if err != nil {
			return err
		}
		if g, ok := s.games(rules.Setup.Game); ok {
			if err := playable(g, rules.Setup, n.Options); err != nil {
				return err
			}
		}
		n.Rules.Setup = rules.Setup
		return nil
	})
}

// Get returns the competition with the given id, or ErrNoCompetition.
func (s *Service) Get(ctx context.Context, id ID) (Competition, error) {
	got, err := s.read(ctx, id)
	return got, refuseMissingCompetition(err)
}

// read returns a competition from the cache or the store, and caches it. It returns storage.ErrNoCompetition.
func (s *Service) read(ctx context.Context, id ID) (Competition, error) {
	known, there := s.known.Get(id)
	if !there {
		known = Competition{Server: id.Server, Number: id.Number}
	}
	got, err := s.store.Reread(ctx, known)
	if err == nil {
		s.known.Add(id, got)
	}
	return got, err
}

// Latest returns a server's latest competitions, up to listedCompetitions, the latest first.
func (s *Service) Latest(ctx context.Context, server string) ([]Competition, error) {
	return s.store.Competitions(ctx, server, listedCompetitions)
}

// Enter enters the actor. It returns ErrNoKey, ErrNoCompetition, ErrHeldUp, ErrEntryClosed, ErrFull, or ErrLacking
// without the required role.
func (s *Service) Enter(ctx context.Context, by table.Actor, id ID) (Competition, error) {
	if by.Key == "" {
		return Competition{}, table.ErrNoKey
	}
	before, err := s.Get(ctx, id)
	if err != nil {
		return before, err
	}
	strength, err := s.tables.Rating(ctx, id.Server, before.Rules.Setup.Game, by.User)
	if err != nil {
		return before, err
	}
	return s.change(ctx, by, id, func(n *Competition) error {
		if n.Held() {
			return refuseHeld()
		}
		if err := admits(*n, by); err != nil {
			return err
		}
		rules, err := n.Rules.Enter(by.User, strength, competition.Stamp(s.now()))
		if err != nil {
			return err
		}
		n.Rules = rules
		n.Know(storage.Occupant{User: by.User, Name: by.Name}, by.Key)
		return nil
	})
}

// admits refuses a user without the role that a competition requires.
func admits(n Competition, by table.Actor) error {
	if n.Role == "" || slices.Contains(by.Roles, n.Role) {
		return nil
	}
	return table.Refuse(table.ErrLacking, text.M("table.error.lacking",
		"Lacking", []text.Message{text.M("table.lacks.role", "Role", text.Role(n.Role))}))
}

// Leave deletes the actor's entry before the competition begins, and withdraws the actor later. It returns
// ErrNoCompetition, ErrOver or ErrNotEntered.
func (s *Service) Leave(ctx context.Context, by table.Actor, id ID) (Competition, error) {
	return s.change(ctx, by, id, func(n *Competition) error {
		if n.Over() {
			return refuseOver()
		}
		return takeOut(n, by.User, competition.OutLeft, s.now())
	})
}

// Remove deletes another user's entry before the competition begins, and withdraws the user later. The actor must be
// the host or a moderator, and must not have entered the competition. Remove returns ErrNoCompetition, ErrNotAllowed,
// ErrOver, ErrPlaysHere or ErrNotEntered.
func (s *Service) Remove(ctx context.Context, by table.Actor, id ID, user string) (Competition, error) {
	return s.run(ctx, by, id, func(n *Competition) error {
		if n.Over() {
			return refuseOver()
		}
		if err := impartial(*n, by, user); err != nil {
			return err
		}
		return takeOut(n, user, competition.OutRemoved, s.now())
	})
}

// impartial returns ErrPlaysHere if the actor has entered the competition, or has an offer to take over in it, and the
// decision concerns another user. whose is the user concerned, or "" for all users.
func impartial(n Competition, by table.Actor, whose string) error {
	if _, plays := n.Person(by.User); plays && by.User != whose {
		return table.Refuse(table.ErrPlaysHere, text.M("table.error.organiser-plays"))
	}
	return nil
}

// partial reports whether a user has entered, or has an offer to take over in, the competition of a table.
func (s *Service) partial(ctx context.Context, h storage.Head, user string) (bool, error) {
	if h.Competition.Number == 0 {
		return false, nil
	}
	n, err := s.read(ctx, ID{Server: h.Guild, Number: h.Competition.Number})
	if errors.Is(err, storage.ErrNoCompetition) {
		return false, nil
	}
	_, plays := n.Person(user)
	return plays, err
}

func takeOut(n *Competition, user, why string, now storage.Stamp) error {
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

// Begin closes the entry early. The actor must be the host or a moderator. It returns ErrNoCompetition, ErrNotAllowed,
// ErrHeldUp, ErrStarted or ErrTooFew.
func (s *Service) Begin(ctx context.Context, by table.Actor, id ID) (Competition, error) {
	return s.run(ctx, by, id, func(n *Competition) (err error) {
		switch {
		case n.Held():
			return refuseHeld()
		case n.Rules.Phase != competition.Entry:
			return table.Refuse(table.ErrStarted, text.M("table.error.competition-begun"))
		}
		n.Rules, err = n.Rules.Begin(competition.Stamp(s.now()))
		return err
	})
}

// CallOff ends a competition with its current standings. The actor must be the host or a moderator, and must not have
// entered a competition that has begun. It returns ErrNoCompetition, ErrNotAllowed, ErrPlaysHere or ErrOver.
func (s *Service) CallOff(ctx context.Context, by table.Actor, id ID) (Competition, error) {
	return s.run(ctx, by, id, func(n *Competition) error {
		if n.Over() {
			return refuseOver()
		}
		if n.Rules.Phase != competition.Entry {
			if err := impartial(*n, by, ""); err != nil {
				return err
			}
		}
		n.Rules = n.Rules.CallOff(competition.Stamp(s.now()))
		return nil
	})
}

// Rehouse moves a competition to another channel. Its next tables open there, and games whose channel was deleted
// continue there. The actor must be the host or a moderator. It returns ErrNoCompetition, ErrNotAllowed or ErrOver.
func (s *Service) Rehouse(ctx context.Context, by table.Actor, id ID, channel string) (Competition, error) {
	return s.run(ctx, by, id, func(n *Competition) error {
		if n.Over() {
			return refuseOver()
		}
		if n.Channel != channel {
			n.Channel, n.Card, n.Posted = channel, storage.Sign{}, nil
		}
		n.Refused = false
		n.Bring = nil
		for _, p := range n.Rules.Pairings {
			if p.End == "" && p.Table != "" {
				n.Bring = append(n.Bring, p.No)
			}
		}
		release(n, storage.PausedChannelGone, s.now())
		return nil
	})
}

// Fetch moves a game whose channel is gone to the channel of its competition. It does nothing if the competition is
// over, or if the game was in the competition's present channel or in one of its threads. coming reports whether the
// game will move immediately.
func (s *Service) Fetch(ctx context.Context, snap *table.Snapshot) (coming bool, err error) {
	if !snap.OfCompetition() {
		return false, nil
	}
	_, err = s.change(ctx, table.SystemActor, ID{Server: snap.Guild, Number: snap.Competition.Number},
		func(n *Competition) error {
			coming = !n.Over() && n.Channel != snap.Channel && !snap.InThreadOf(n.Channel)
			if coming && !slices.Contains(n.Bring, int(snap.Competition.Game)) {
				n.Bring = append(slices.Clip(n.Bring), int(snap.Competition.Game))
			}
			coming = coming && !n.Held()
			return nil
		})
	return coming && err == nil, err
}

// run changes a competition by an action that requires its host or a moderator.
func (s *Service) run(ctx context.Context, by table.Actor, id ID,
	f func(*Competition) error) (Competition, error) {
	return s.change(ctx, by, id, func(n *Competition) error {
		if !s.MayRun(by, *n) {
			return by.Check(table.Organise)
		}
		return f(n)
	})
}

// MayRun reports whether the actor is the competition's host or a moderator.
func (s *Service) MayRun(by table.Actor, of Competition) bool {
	return of.Host == by.User && by.User != "" || by.May(table.Organise)
}

// change commits a competition as changed by f, and starts the work that follows. f gets a copy whose slices it must
// not change in place. It is called again if the competition has changed in the meantime. A repeated command changes
// nothing. The bot's steps begin with the cached competition. If the stored one is newer, or if f refuses or changes
// nothing, change repeats f with the stored one.
func (s *Service) change(ctx context.Context, by table.Actor, id ID,
	f func(*Competition) error) (Competition, error) {
	done, err := s.tables.Work()
	if err != nil {
		return Competition{}, err
	}
	defer done()
	unlock, err := s.locks.Lock(ctx, id)
	if err != nil {
		return Competition{}, err
	}
	defer unlock()
	old, known := s.known.Get(id)
	for known = known && by.IsSystem(); ; known = false {
		if !known {
			if old, err = s.Get(ctx, id); err != nil {
				return old, err
			}
		}
		if old.Heard(by.Key) {
			return old, nil
		}
		next, err := s.changed(ctx, old, f)
		same := err == nil && reflect.DeepEqual(next, old)
		switch {
		case known && (err != nil || same):
			continue
		case err != nil || same:
			return old, err
		}
		if by.User != "" {
			if err := s.tables.Act(by, old.Server+" competition "+strconv.FormatUint(old.Number, 10)); err != nil {
				return old, err
			}
		}
		var fence storage.Fence
		if by.IsSystem() {
			var held bool
			if fence, held = s.tables.Fence(old.Server); !held {
				return old, table.ErrNotOwner
			}
		}
		next.Version, next.Changed = old.Version+1, s.now()
		if old.Name != next.Name || old.Channel != next.Channel || old.Host != next.Host ||
			!reflect.DeepEqual(old.Rules, next.Rules) {
			next.Drawn = next.Version
		}
		next.Hear(by.Key)
		next.News = append(slices.Clip(next.News), changesOf(next.Rules, old.Rules)...)
		// The batch is determined before it is posted, so that a retry after a crash posts the same one.
		if next.Batch == 0 && len(next.News) > 0 {
			next.Batch, next.Since = len(next.News), next.Changed
		}
		next.Stop = stops(next.Rules, old.Rules, next.Stop)
		next.Due = s.due(next)
		switch err := s.store.ChangeCompetition(ctx, old, next, fence); {
		case errors.Is(err, storage.ErrStale):
			continue
		case errors.Is(err, storage.ErrNotOwner):
			return old, table.ErrNotOwner
		case errors.Is(err, storage.ErrCompetitors):
			return old, refuseCompetition(competition.ErrFull)
		case err != nil:
			return old, refuseMissingCompetition(err)
		}
		s.known.Add(next.ID(), next)
		s.workers.poke(old.ID(), true)
		return next, nil
	}
}

// changed returns the competition with the change f, before the commit.
func (s *Service) changed(ctx context.Context, old Competition,
	f func(*Competition) error) (next Competition, err error) {
	settings, err := s.tables.Choices.Settings(ctx, old.Server)
	if err != nil {
		return old, err
	}
	next = old
	credit(&next, s.tables.Downtimes(), settings.Outages)
	if err := f(&next); err != nil {
		return old, refuseCompetition(err)
	}
	if err := s.letSleep(ctx, &next, false); err != nil {
		return old, err
	}
	next.Unknow()
	return next, nil
}

// announcedNews lists the kinds of changes that are announced in the channel. Entries before the start are shown on the
// card, and pairings with their round or at their table.
var announcedNews = []competition.News{
	competition.PairingEnded, competition.PairingCorrected, competition.NewsChallenged, competition.NewsLeft,
	competition.NewsEntered, competition.NewsSubstitute, competition.NewsHeld, competition.NewsReleased,
	competition.NewsBegan, competition.RoundEnded, competition.RoundBegan, competition.NewsEnded,
	competition.NewsWaits, competition.NewsAsked, competition.NewsAskedStill, competition.NewsUnasked,
}

func changesOf(now, old competition.Competition) []competition.Change {
	return slices.DeleteFunc(now.Changes(old), func(n competition.Change) bool {
		switch n.What {
		case competition.PairingReady: // announced only if it is a decider, which becomes ready during a round
			p, _ := now.Pairing(n.Pairing)
			return p.Leg != 3
		case competition.NewsEntered:
			return now.Phase == competition.Entry
		case competition.RoundEnded: // a league ends with its only round, and a round can be cut off by the end
			return now.Setup.Kind == competition.League || now.Why == competition.EndCalled ||
				now.Why == competition.EndHeld
		}
		return !slices.Contains(announcedNews, n.What)
	})
}

// stops returns list with the numbers of pairings whose tables must follow a change: the pairing has ended, or one of
// its entrants has left or was replaced. A pairing that ended as Played or TimeUp is left out.
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

// due returns the time of the competition's next step, or 0 if there is none.
func (s *Service) due(n Competition) storage.Stamp {
	if len(n.News) > 0 || len(n.Stop) > 0 || len(n.Rules.ToOpen()) > 0 || n.Card.Shown != n.Drawn {
		return n.Changed
	}
	if n.Rules.Continues() && n.Next == 0 || len(n.Bring) > 0 && !n.Held() || n.Trouble() != n.Warned {
		return n.Changed
	}
	d, ok := n.Rules.Due()
	at := storage.Stamp(d.At)
	if look := looking(n); look != 0 && (!ok || look < at) {
		at = look
	}
	if at == 0 && !ok {
		return 0
	}
	return max(1, at)
}

func (s *Service) now() storage.Stamp { return storage.At(s.clock.Now()) }

func refuseHeld() error { return table.Refuse(table.ErrHeldUp, text.M("table.error.competition-held")) }

func refuseOver() error { return table.Refuse(table.ErrOver, text.M("table.error.competition-over")) }

func refuseMissingCompetition(err error) error {
	if errors.Is(err, storage.ErrNoCompetition) {
		return table.Refuse(storage.ErrNoCompetition, text.M("table.error.no-competition"))
	}
	return err
}

// refuseCompetition turns the rules' errors into refusals. It returns other errors unchanged.
func refuseCompetition(err error) error {
	for _, r := range []struct {
		of     competition.Reason
		reason error
		id     string
	}{
		{competition.ErrSetup, table.ErrNoSetup, "table.error.competition-setup"},
		{competition.ErrClosed, table.ErrEntryClosed, "table.error.competition-closed"},
		{competition.ErrFull, table.ErrFull, "table.error.competition-full"},
		{competition.ErrEntrant, table.ErrNotEntered, "table.error.competition-stranger"},
		{competition.ErrFew, table.ErrTooFew, "table.error.competition-few"},
		{competition.ErrReach, table.ErrBeyondReach, "table.error.ladder-reach"},
		{competition.ErrBusy, table.ErrChallenged, "table.error.ladder-busy"},
		{competition.ErrRest, table.ErrResting, "table.error.ladder-rest"},
		{competition.ErrAway, table.ErrAbsent, "table.error.ladder-away"},
		{competition.ErrPairing, table.ErrNoChallenge, "table.error.ladder-no-challenge"},
		{competition.ErrOver, table.ErrNoChallenge, "table.error.ladder-no-challenge"},
		{competition.ErrPhase, table.ErrOver, "table.error.competition-phase"},
		{competition.ErrTaken, table.ErrAsked, "table.error.substitute-taken"},
		{competition.ErrOffer, table.ErrNoOffer, "table.error.no-substitute"},
	} {
		if errors.Is(err, r.of) {
			return table.Refuse(r.reason, text.M(r.id))
		}
	}
	return err
}
