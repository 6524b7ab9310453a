// Package matchmaking finds somebody to play with. A user who looks for a game is paired at once with others whose
// wishes fit. Otherwise the user waits on the server's list until somebody comes, the time is over, or a computer takes
// the seat. Everything that is to follow is in the store: a pairing is there until its table is, and goes in the commit
// that opens the table, so that a restart between any two steps neither loses nor doubles a pairing.
package matchmaking

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"slices"
	"time"

	"marque/bot/choices"
	"marque/bot/table"
	"marque/bot/timesource"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// The bounds of a seek.
const (
	MaxSeekTime     = 7 * 24 * time.Hour
	DefaultSeekTime = 24 * time.Hour
	// usualTime is for each move where nobody has said, neither those who look for a game nor the server.
	usualTime = 3 * 24 * time.Hour
	// seekRetry is the pause before a failed step is tried again.
	seekRetry = 2 * time.Minute
	// maxSeekServers bounds the servers that one run looks at.
	maxSeekServers = 1000
)

// Kinds of stored facts about seeks.
type (
	Seek    = storage.Seek
	Pairing = storage.Pairing
)

// Wish is the game that somebody looks for.
type Wish struct {
	Game     string        // "" for any
	Time     time.Duration // for each move; 0 for any
	Asks     table.Conditions
	For      time.Duration // how long they wait; DefaultSeekTime when 0
	Computer bool          // a computer takes the seat then
	With     string        // the user whose seek is answered, whose game and time it is; "" for nobody's
}

// Sought is the outcome of a seek.
type Sought struct {
	Seek    Seek
	Paired  []Seek // who found each other, the user among them; empty while they wait
	Game    string // of those
	Channel string // where they will play, and where the list is
}

// Service pairs users who look for a game. Its methods may be called by many goroutines at once.
type Service struct {
	tables *table.Service
	store  *storage.Store
	clock  timesource.Clock
	wake   chan struct{}
}

// New makes a Service and attaches it to its tables. clock is the machine's when nil.
func New(tables *table.Service, store *storage.Store, clock timesource.Clock) *Service {
	if clock == nil {
		clock = timesource.System{}
	}
	k := &Service{tables: tables, store: store, clock: clock, wake: make(chan struct{}, 1)}
	tables.Attach(table.Hooks{Export: k.export, Withdraw: k.withdraw})
	return k
}

func (k *Service) now() storage.Stamp { return storage.At(k.clock.Now()) }

// On are a server's seeks.
func (k *Service) On(ctx context.Context, guild string) (storage.Seeks, error) {
	return k.store.Seeks(ctx, guild)
}

// Seek looks for a game for the actor on a server. offered are the keys of the available games. channel is where the
// list is posted unless the server names another channel or already has the list. An earlier seek of the actor is
// replaced. Seek returns ErrNoGame, ErrLacking, ErrLimit, ErrNotInvitable, ErrBadTime, and ErrNoSeek for an answer to a
// seek that is gone.
func (k *Service) Seek(ctx context.Context, by table.Actor, guild, channel string, offered []string,
	w Wish) (out Sought, err error) {
	done, err := k.tables.Work()
	if err != nil {
		return out, err
	}
	defer done()
	if by.Key == "" {
		return out, table.ErrNoKey
	}
	settings, err := k.tables.Choices.Settings(ctx, guild)
	if err != nil {
		return out, err
	}
	now := k.now()
	w.For = cmp.Or(w.For, DefaultSeekTime)
	if w.For < time.Hour || w.For > MaxSeekTime {
		return out, table.Refuse(table.ErrBadTime, text.M("table.error.seek-time", "Count", int(MaxSeekTime/time.Hour)))
	}
	if role := settings.Asks.Role; role != "" && !slices.Contains(by.Roles, role) {
		return out, table.Refuse(table.ErrLacking, text.M("table.error.lacking",
			"Lacking", []text.Message{text.M("table.lacks.role", "Role", text.Role(role))}))
	}
	if err := k.tables.RoomForPlayer(ctx, guild, settings, by.User); err != nil {
		return out, err
	}
	mine := Seek{
		Key: by.Key, User: by.User, Name: by.Name, Roles: by.Roles, Game: w.Game, Time: w.Time.Milliseconds(),
		Conditions: w.Asks, Since: now, Until: now + storage.Stamp(w.For.Milliseconds()), Computer: w.Computer,
	}
	if err := k.tables.Act(by, guild); err != nil {
		return out, err
	}
	isMine := func(o Seek) bool { return o.User == by.User }
	_, err = k.store.ChangeSeeks(ctx, guild, storage.Fence{}, func(s storage.Seeks) (storage.Seeks, error) {
		out = Sought{Seek: mine}
		if settings.SeekChannel != "" || s.Channel == "" || len(s.Waiting)+len(s.Found) == 0 {
			s.Channel = cmp.Or(settings.SeekChannel, channel)
		}
		out.Channel = s.Channel
		for _, p := range s.Found {
			// the same command again, or one too many
			if slices.ContainsFunc(p.Players, func(o Seek) bool { return o.User == by.User }) {
				out.Paired, out.Game = p.Players, p.Game
				return s, nil
			}
		}
		if w.With != "" {
			i := slices.IndexFunc(s.Waiting, func(o Seek) bool {
				return o.User == w.With && o.User != by.User && o.Until > now
			})
			if i < 0 {
				return s, table.Refuse(table.ErrNoSeek, text.M("table.error.no-seek"))
			}
			mine.Game, mine.Time, mine.Until, mine.Computer = s.Waiting[i].Game, s.Waiting[i].Time, s.Waiting[i].Until,
				false
			if own := slices.IndexFunc(s.Waiting, isMine); own >= 0 { // earlier requests stay
				mine.Conditions = s.Waiting[own].Conditions
			}
			out.Seek = mine
		}
		if mine.Game != "" {
			if _, ok := k.tables.Game(mine.Game); !ok {
				return s, table.Refuse(table.ErrNoGame, text.M("table.error.no-game", "Game", mine.Game))
			}
		}
		s.Version++
		s.Retry = 0
		s.Waiting = slices.DeleteFunc(slices.Clone(s.Waiting), isMine)
		s.Lapsed = slices.DeleteFunc(slices.Clone(s.Lapsed), isMine) // they look again with the same wish
		found, err := k.pair(ctx, guild, settings, s.Waiting, mine, w.With, offered)
		switch {
		case err != nil:
			return s, err
		case found != nil:
			join(&s, *found)
			out.Paired, out.Game = found.Players, found.Game
		default:
			s.Waiting = append(s.Waiting, mine)
		}
		return s, nil
	})
	if errors.Is(err, storage.ErrSeeks) {
		err = table.Refuse(table.ErrLimit, text.M("table.error.seeks"))
	}
	k.Poke()
	return out, err
}

// join notes that some found each other.
func join(s *storage.Seeks, p Pairing) {
	s.Waiting = slices.DeleteFunc(slices.Clone(s.Waiting), func(o Seek) bool {
		return slices.ContainsFunc(p.Players, func(q Seek) bool { return q.User == o.User })
	})
	s.Found = append(slices.Clone(s.Found), p)
	s.Version++
}

// Withdraw takes the actor's seek on a server back, and reports whether there was one.
func (k *Service) Withdraw(ctx context.Context, user, guild string) (was bool, err error) {
	done, err := k.tables.Work()
	if err != nil {
		return false, err
	}
	defer done()
	_, err = k.store.ChangeSeeks(ctx, guild, storage.Fence{}, func(s storage.Seeks) (storage.Seeks, error) {
		before := len(s.Waiting)
		s.Waiting = slices.DeleteFunc(slices.Clone(s.Waiting), func(o Seek) bool { return o.User == user })
		if was = len(s.Waiting) < before; was {
			s.Version++
		}
		return s, nil
	})
	k.Poke()
	return was, err
}

// Show has a server's list posted in the channel that its settings name, where somebody looks for a
// game or that has been named.
func (k *Service) Show(ctx context.Context, guild, channel string) error {
	_, err := k.store.ChangeSeeks(ctx, guild, storage.Fence{}, func(s storage.Seeks) (storage.Seeks, error) {
		if channel != "" && s.Channel != channel {
			s.Channel, s.Version, s.Retry = channel, s.Version+1, 0
		}
		return s, nil
	})
	k.Poke()
	return err
}

// pair finds players who fit somebody, the better fit first; nil when there are too few. Given with, the pair must
// include that user, or pair returns why the two do not play each other.
func (k *Service) pair(
	ctx context.Context, guild string, settings choices.Settings, waiting []Seek, mine Seek, with string,
	offered []string,
) (*Pairing, error) {
	now := k.now()
	var best *Pairing
	bestScore := 0
	for _, key := range candidates(waiting, mine, offered) {
		g, ok := k.tables.Game(key)
		if !ok {
			continue
		}
		need, _ := g.Seats()
		type fit struct {
			Seek
			score int
		}
		var fits []fit
		for _, o := range waiting {
			if o.Until <= now || o.Game != "" && o.Game != key {
				continue
			}
			score, err := k.fit(ctx, guild, g, mine, o)
			switch {
			case errors.Is(err, errUnfit) && o.User == with:
				return nil, unfitReason(err)
			case errors.Is(err, errUnfit):
				continue
			case err != nil:
				return nil, err
			}
			if o.User == with {
				score += 1 << 20
			}
			fits = append(fits, fit{o, score})
		}
		slices.SortStableFunc(fits, func(a, b fit) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Since, b.Since))
		})
		group, total := []Seek{mine}, 0
		for _, f := range fits {
			if len(group) == need {
				break
			}
			all := true
			for _, o := range group[1:] {
				if _, err := k.fit(ctx, guild, g, f.Seek, o); errors.Is(err, errUnfit) {
					all = false
					break
				} else if err != nil {
					return nil, err
				}
			}
			if all {
				group, total = append(group, f.Seek), total+f.score
			}
		}
		if len(group) == need && (best == nil || total > bestScore) {
			best, bestScore = &Pairing{Game: key, Clock: clockFor(settings, group), Players: group}, total
		}
	}
	if best != nil {
		slices.SortStableFunc(best.Players, func(a, b Seek) int { return cmp.Compare(a.Since, b.Since) })
		best.Key = best.Players[0].Key
	}
	return best, nil
}

// candidates are the games that somebody may come to play with those who wait: their own, else
// those that others name, then all on offer, another first for each.
func candidates(waiting []Seek, mine Seek, offered []string) []string {
	if mine.Game != "" {
		return []string{mine.Game}
	}
	var list []string
	for _, o := range waiting {
		if o.Game != "" && !slices.Contains(list, o.Game) {
			list = append(list, o.Game)
		}
	}
	return append(list, turned(offered, mine.Key)...)
}

// turned begins a list with another of its words for each key.
func turned(list []string, key string) []string {
	if len(list) == 0 {
		return nil
	}
	h := fnv.New32a()
	h.Write([]byte(key))
	at := int(h.Sum32() % uint32(len(list)))
	return slices.Concat(list[at:], list[:at])
}

// clockFor is the clock of a table for some who found each other.
func clockFor(s choices.Settings, group []Seek) storage.ClockRule {
	for _, o := range group {
		if o.Time != 0 {
			return storage.ClockRule{Mode: storage.PerMove, Time: o.Time, Late: s.Clock.Late}
		}
	}
	if s.Clock.Mode != storage.NoClock {
		return s.Clock
	}
	return storage.ClockRule{Mode: storage.PerMove, Time: usualTime.Milliseconds(), Late: s.Clock.Late}
}

// errUnfit says that two do not play with each other; unfit also says why, to the one who came.
var errUnfit = errors.New("they do not fit")

type unfit struct{ why error }

func (u *unfit) Error() string { return errUnfit.Error() }
func (u *unfit) Unwrap() error { return errUnfit }

func unfitReason(err error) error {
	if u := (*unfit)(nil); errors.As(err, &u) && u.why != nil {
		return u.why
	}
	return table.Refuse(table.ErrNoSeek, text.M("table.error.no-seek"))
}

// fit is how well two fit for a game, the more the better, or errUnfit.
func (k *Service) fit(ctx context.Context, guild string, g games.Game, a, b Seek) (score int, err error) {
	if a.User == b.User || a.Time != 0 && b.Time != 0 && a.Time != b.Time {
		return 0, errUnfit
	}
	for _, pair := range [][2]Seek{{a, b}, {b, a}} {
		p, err := k.tables.Choices.Preferences(ctx, pair[0].User)
		if err != nil {
			return 0, err
		}
		if slices.Contains(p.Blocked, pair[1].User) {
			return 0, &unfit{table.RefuseInvitation(b.User)}
		}
	}
	for i, c := range []table.Conditions{a.Conditions, b.Conditions} {
		who := b
		if i == 1 {
			who = a
		}
		lacking, err := k.tables.Lacking(ctx, who.User, who.Roles, guild, g, c)
		switch {
		case err != nil:
			return 0, err
		case len(lacking) == 0:
		case i == 0:
			return 0, &unfit{table.Refuse(table.ErrLacking, text.M("table.error.unwanted", "Who", text.User(b.User)))}
		default:
			return 0, &unfit{table.Refuse(table.ErrLacking, text.M("table.error.lacking", "Lacking", lacking))}
		}
	}
	one, err := k.tables.Rating(ctx, guild, g.Key(), a.User)
	if err != nil {
		return 0, err
	}
	other, err := k.tables.Rating(ctx, guild, g.Key(), b.User)
	if err != nil {
		return 0, err
	}
	score = -max(one-other, other-one)
	if b.Game == g.Key() {
		score += 1000
	}
	if a.Time == b.Time {
		score += 100
	}
	return score, nil
}

// Due calls f for the servers of this process whose seeks need work now, and returns when the next will.
func (k *Service) Due(ctx context.Context, f func(guild string)) (now storage.Stamp, err error) {
	now = k.now()
	list, err := k.store.SeeksDue(ctx, now, maxSeekServers)
	if err != nil {
		return now, err
	}
	for _, guild := range list {
		if k.tables.Serves(guild) {
			f(guild)
		}
	}
	return now, nil
}

// Poke has Wait return: there may be something to do.
func (k *Service) Poke() {
	select {
	case k.wake <- struct{}{}:
	default: // it will look already
	}
}

// Wait waits until a time has passed since a moment, somebody pokes, or ctx ends.
func (k *Service) Wait(ctx context.Context, since storage.Stamp, d time.Duration) {
	timesource.Wait(ctx, k.clock, since.Time().Add(d), k.wake)
}

// change changes a server's seeks of the bot's own accord. It returns ErrNotOwner where another process does.
func (k *Service) change(ctx context.Context, guild string, f func(storage.Seeks) (storage.Seeks,
	error)) (storage.Seeks, error) {
	fence, held := k.tables.Fence(guild)
	if !held {
		return storage.Seeks{}, table.ErrNotOwner
	}
	done, err := k.tables.Work()
	if err != nil {
		return storage.Seeks{}, err
	}
	defer done()
	s, err := k.store.ChangeSeeks(ctx, guild, fence, f)
	return s, table.RefuseStored(err, 0)
}

// Advance does what is due on a server: users who waited long enough play a computer where they want that, or stop
// waiting, and users who fit by now are paired. It returns the changes to show and the games to open. offered are the
// keys of the available games.
func (k *Service) Advance(ctx context.Context, guild string, offered []string) (storage.Seeks, error) {
	settings, err := k.tables.Choices.Settings(ctx, guild)
	if err != nil {
		return storage.Seeks{}, err
	}
	return k.change(ctx, guild, func(s storage.Seeks) (storage.Seeks, error) {
		now := k.now()
		var waiting []Seek
		for _, w := range s.Waiting {
			if w.Until > now {
				waiting = append(waiting, w)
				continue
			}
			s.Version++
			g, ok := k.tables.Game(cmp.Or(w.Game, append(turned(offered, w.Key), "")[0]))
			if !ok || !w.Computer || len(k.tables.Levels()) == 0 {
				s.Lapsed = append(slices.Clip(s.Lapsed), w)
				continue
			}
			least, _ := g.Seats()
			s.Found = append(s.Found, Pairing{Key: w.Key, Game: g.Key(), Clock: clockFor(settings, []Seek{w}),
				Players: []Seek{w}, Computers: least - 1})
		}
		s.Lapsed = s.Lapsed[max(0, len(s.Lapsed)-storage.MaxSeeks):]
		s.Waiting = waiting
		for i := 0; s.Version != s.Shown && i < len(s.Waiting); i++ {
			mine := s.Waiting[i]
			found, err := k.pair(ctx, guild, settings, s.Waiting[:i], mine, "", offered)
			if err != nil {
				return s, err
			}
			if found != nil {
				join(&s, *found)
				i = -1
			}
		}
		return s, nil
	})
}

// Told notes that the author of a seek that lapsed was told, or cannot be.
func (k *Service) Told(ctx context.Context, guild, key string) error {
	_, err := k.change(ctx, guild, func(s storage.Seeks) (storage.Seeks, error) {
		s.Lapsed = slices.DeleteFunc(slices.Clone(s.Lapsed), func(w Seek) bool { return w.Key == key })
		return s, nil
	})
	return err
}

// Posted notes the message about a pairing.
func (k *Service) Posted(ctx context.Context, guild, key string, card storage.Card) error {
	_, err := k.change(ctx, guild, func(s storage.Seeks) (storage.Seeks, error) {
		s.Found = slices.Clone(s.Found)
		for i := range s.Found {
			if s.Found[i].Key == key {
				s.Found[i].Card = card
			}
		}
		return s, nil
	})
	return err
}

// Shown records the card that shows a server's seeks as they were. call says that the card was posted with a ping.
func (k *Service) Shown(ctx context.Context, guild string, was storage.Seeks, card storage.Card, call bool) error {
	_, err := k.change(ctx, guild, func(s storage.Seeks) (storage.Seeks, error) {
		s.Card, s.Shown, s.Retry = card, was.Version, 0
		if call {
			s.Called = k.now()
		}
		return s, nil
	})
	return err
}

// Calls reports whether a card with seeks is posted again, for all to see: somebody has come since the last post, which
// is long enough ago.
func (k *Service) Calls(s storage.Seeks, settings choices.Settings) bool {
	hours := time.Duration(cmp.Or(settings.SeekPause, choices.DefaultSeekPause))
	pause := storage.Stamp((hours * time.Hour).Milliseconds())
	return k.now() >= s.Called+pause && slices.ContainsFunc(s.Waiting, func(w Seek) bool { return w.Since > s.Called })
}

// PutOff has what failed on a server tried again later.
func (k *Service) PutOff(ctx context.Context, guild string) error {
	_, err := k.change(ctx, guild, func(s storage.Seeks) (storage.Seeks, error) {
		s.Retry = k.now() + storage.Stamp(seekRetry.Milliseconds())
		return s, nil
	})
	return err
}

// Recheck holds a pairing against the roles that its players have now, by user; without an entry for who has left the
// server. Where somebody lacks a role that is asked for, all look on with the roles that they have; but those who could
// sit down nowhere on the server look no longer. It reports whether the pairing stands.
func (k *Service) Recheck(ctx context.Context, guild, key string, roles map[string][]string) (stands bool, err error) {
	settings, err := k.tables.Choices.Settings(ctx, guild)
	if err != nil {
		return false, err
	}
	_, err = k.change(ctx, guild, func(s storage.Seeks) (storage.Seeks, error) {
		stands = true
		i := slices.IndexFunc(s.Found, func(p Pairing) bool { return p.Key == key })
		if i < 0 {
			return s, nil
		}
		p := s.Found[i]
		has := func(o Seek, role string) bool { return role == "" || slices.Contains(roles[o.User], role) }
		var free, out []Seek
		for _, o := range p.Players {
			_, there := roles[o.User]
			for _, other := range p.Players {
				stands = stands && there && (other.User == o.User || has(o, other.Conditions.Role))
			}
			if o.Roles = roles[o.User]; there && has(o, settings.Asks.Role) {
				free = append(free, o)
			} else {
				stands, out = false, append(out, o)
			}
		}
		if stands {
			return s, nil
		}
		s.Found = slices.Delete(slices.Clone(s.Found), i, i+1)
		s.Waiting = slices.Concat(s.Waiting, free)
		s.Waiting = s.Waiting[:min(len(s.Waiting), storage.MaxSeeks)]
		s.Lapsed = slices.Concat(s.Lapsed, out)
		s.Lapsed = s.Lapsed[max(0, len(s.Lapsed)-storage.MaxSeeks):]
		s.Version++
		return s, nil
	})
	if !stands {
		k.Poke() // somebody else may fit
	}
	return stands, err
}

// GiveUp gives a pairing up whose table cannot be opened. Who plays at as many tables as they may
// looks no longer; the others look on.
func (k *Service) GiveUp(ctx context.Context, guild, key string) error {
	settings, err := k.tables.Choices.Settings(ctx, guild)
	if err != nil {
		return err
	}
	_, err = k.change(ctx, guild, func(s storage.Seeks) (storage.Seeks, error) {
		i := slices.IndexFunc(s.Found, func(p Pairing) bool { return p.Key == key })
		if i < 0 {
			return s, nil
		}
		p := s.Found[i]
		var free []Seek
		for _, o := range p.Players {
			err := k.tables.RoomForPlayer(ctx, guild, settings, o.User)
			if err == nil {
				free = append(free, o)
			} else if !errors.Is(err, table.ErrLimit) {
				return s, err
			}
		}
		s.Found = slices.Delete(slices.Clone(s.Found), i, i+1)
		s.Version++
		if len(free) < len(p.Players) { // else the fault is nobody's of them, and would come again
			s.Waiting = append(slices.Clone(s.Waiting), free...)
			s.Waiting = s.Waiting[:min(len(s.Waiting), storage.MaxSeeks)]
		}
		return s, nil
	})
	return err
}

// seeking is a game that a user looks for on a server.
type seeking struct {
	Server string `json:"server"`
	Seek
}

// export returns the seeks of a user for the copy of their data.
func (k *Service) export(ctx context.Context, user string) (name string, data any, err error) {
	lists, err := k.store.SeekersOf(ctx, user)
	var all []seeking
	for _, l := range lists {
		for _, w := range l.Waiting {
			all = append(all, seeking{l.Server, w})
		}
	}
	if all == nil {
		return "", nil, err
	}
	return "seeks", all, err
}

// withdraw takes a user off all lists; a user who was paired with them looks on.
func (k *Service) withdraw(ctx context.Context, user string) error {
	lists, err := k.store.SeekersOf(ctx, user)
	if err != nil {
		return err
	}
	for _, l := range lists {
		_, err := k.store.ChangeSeeks(ctx, l.Server, storage.Fence{}, func(s storage.Seeks) (storage.Seeks, error) {
			s, _ = s.Without(user)
			return s, nil
		})
		if err != nil {
			return err
		}
	}
	k.Poke()
	return nil
}
