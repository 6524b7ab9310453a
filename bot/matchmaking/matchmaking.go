// Package matchmaking finds opponents. A user who looks for a game is immediately paired with other users if their
// wishes fit. Otherwise the user waits on the server's list. When the time is over, the user stops waiting, or plays
// a computer if they asked for that.
//
// All pending work is in the store. A pairing is removed in the transaction that opens its table, so a restart at any
// time neither loses nor duplicates the pairing.
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

// MaxSeekTime is the maximum time for which a user waits, and DefaultSeekTime the time without a choice.
const (
	MaxSeekTime     = 7 * 24 * time.Hour
	DefaultSeekTime = 24 * time.Hour
	// usualTime is the time for each move if neither the players nor the server have set one.
	usualTime = 3 * 24 * time.Hour
	// seekRetry is the time before a failed step is retried.
	seekRetry = 2 * time.Minute
	// maxSeekServers limits the servers that Due lists at a time.
	maxSeekServers = 1000
)

// A Seek is a user's stored search for a game. A Pairing is a stored group of users whose table is still to be
// opened.
type (
	Seek    = storage.Seek
	Pairing = storage.Pairing
)

// Wish is the game that a user looks for.
type Wish struct {
	Game     string        // key of the game; "" for any
	Time     time.Duration // for each move; 0 for any time
	Asks     table.Conditions
	For      time.Duration // time for which the user waits; 0 for DefaultSeekTime
	Computer bool          // whether a computer is the opponent if nobody fits in that time
	With     string        // user whose seek is answered, so that its game and time count; "" for none
}

// Sought is the result of Seek.
type Sought struct {
	Seek    Seek
	Paired  []Seek // the seeks of the paired users, including the actor's; empty if the actor is waiting
	Game    string // the game of the paired users
	Channel string // channel of the server's list
}

// Service pairs users who look for a game. It is safe for concurrent use.
type Service struct {
	tables *table.Service
	store  *storage.Store
	clock  timesource.Clock
	wake   chan struct{}
}

// New returns a Service and attaches it to its tables. If clock is nil, the machine's clock is used.
func New(tables *table.Service, store *storage.Store, clock timesource.Clock) *Service {
	if clock == nil {
		clock = timesource.System{}
	}
	k := &Service{tables: tables, store: store, clock: clock, wake: make(chan struct{}, 1)}
	tables.Attach(table.Hooks{Export: k.export, Withdraw: k.withdraw})
	return k
}

func (k *Service) now() storage.Stamp { return storage.At(k.clock.Now()) }

// On returns a server's seeks.
func (k *Service) On(ctx context.Context, guild string) (storage.Seeks, error) {
	return k.store.Seeks(ctx, guild)
}

// Seek looks for a game for the actor on a server. offered has the keys of the available games. The list is posted in
// channel, unless the server has chosen another channel or its list is not empty. Seek replaces an earlier seek of
// the actor. Its errors include ErrNoKey, ErrNoGame, ErrLacking, ErrLimit, ErrNotInvitable, ErrBadTime, ErrTooSoon,
// and ErrNoSeek for an answer to a seek that is gone.
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
			// The actor is already paired, perhaps because this command was executed before.
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
			if own := slices.IndexFunc(s.Waiting, isMine); own >= 0 { // the conditions of an earlier seek stay
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
		s.Lapsed = slices.DeleteFunc(slices.Clone(s.Lapsed), isMine) // the user looks again
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

// join adds a pairing, and removes the seeks of its players from the list.
func join(s *storage.Seeks, p Pairing) {
	s.Waiting = slices.DeleteFunc(slices.Clone(s.Waiting), func(o Seek) bool {
		return slices.ContainsFunc(p.Players, func(q Seek) bool { return q.User == o.User })
	})
	s.Found = append(slices.Clone(s.Found), p)
	s.Version++
}

// Withdraw removes a user's seek on a server, and reports whether there was one.
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

// Show moves a server's list to a channel, unless channel is "", and makes Wait return, so that the list is posted.
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

// pair returns a pairing of mine with the waiting seeks that fit it best, or nil if too few fit. The players are in
// the order in which they began to wait. with is the user whose seek mine answers, or "". If that user does not
// fit, pair returns the reason.
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

// candidates lists the games that a user could play with the waiting users. If the user has named a game, it is the
// only one. Otherwise the list begins with the games that waiting users have named, and continues with all offered
// games. The order of these depends on the key of the user's seek.
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

// turned rotates a list so that its first element depends on the key.
func turned(list []string, key string) []string {
	if len(list) == 0 {
		return nil
	}
	h := fnv.New32a()
	h.Write([]byte(key))
	at := int(h.Sum32() % uint32(len(list)))
	return slices.Concat(list[at:], list[:at])
}

// clockFor returns the clock of a table for paired users: the time per move that one of them wants, otherwise the
// server's clock, otherwise usualTime per move.
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

// errUnfit means that two users cannot be paired. An unfit error also contains the reason, for the user whose seek is
// later.
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

// fit returns a score for how well two users suit each other as opponents in a game. A higher score is better. The
// error is errUnfit if the users cannot be paired.
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

// Due calls f for the servers of this process whose seeks need work now. It returns the time at which it looked.
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

// Poke makes Wait return, because there might be work.
func (k *Service) Poke() {
	select {
	case k.wake <- struct{}{}:
	default: // Wait will already return
	}
}

// Wait waits until d has passed since the given time, Poke is called, or ctx ends.
func (k *Service) Wait(ctx context.Context, since storage.Stamp, d time.Duration) {
	timesource.Wait(ctx, k.clock, since.Time().Add(d), k.wake)
}

// change changes a server's seeks on behalf of the bot. It returns ErrNotOwner if another process owns the server.
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

// Advance does the work that is due on a server. Users who have waited long enough get a computer as opponent if
// they want one, or stop waiting. If the list has changed since it was last shown, users who fit are paired. Advance
// returns the changed seeks, whose Found has the pairings that need a table. offered has the keys of the available
// games.
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

// DropLapsed removes an expired seek whose user was notified, or cannot be notified.
func (k *Service) DropLapsed(ctx context.Context, guild, key string) error {
	_, err := k.change(ctx, guild, func(s storage.Seeks) (storage.Seeks, error) {
		s.Lapsed = slices.DeleteFunc(slices.Clone(s.Lapsed), func(w Seek) bool { return w.Key == key })
		return s, nil
	})
	return err
}

// Posted records the message about a pairing.
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

// Shown records the message that lists the seeks in was. call reports whether it was posted with a ping.
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

// Calls reports whether the list should be posted again with a ping, because users have joined it since the last ping
// and that ping is old enough.
func (k *Service) Calls(s storage.Seeks, settings choices.Settings) bool {
	hours := time.Duration(cmp.Or(settings.SeekPause, choices.DefaultSeekPause))
	pause := storage.Stamp((hours * time.Hour).Milliseconds())
	return k.now() >= s.Called+pause && slices.ContainsFunc(s.Waiting, func(w Seek) bool { return w.Since > s.Called })
}

// PutOff schedules the next attempt for a server on which a step has failed.
func (k *Service) PutOff(ctx context.Context, guild string) error {
	_, err := k.change(ctx, guild, func(s storage.Seeks) (storage.Seeks, error) {
		s.Retry = k.now() + storage.Stamp(seekRetry.Milliseconds())
		return s, nil
	})
	return err
}

// Recheck compares a pairing with the current roles of its players, by user. Users without an entry have left the
// server. If a player has left, or lacks a role that the server or another player requires, the pairing is dissolved.
// Then players who have left or lack the server's role stop looking, and the others continue to look with their
// current roles. Recheck returns false if it has dissolved the pairing.
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
		k.Poke() // other users may fit now
	}
	return stands, err
}

// GiveUp dissolves a pairing whose table cannot be opened. Players who have reached their limit of tables stop looking,
// and the other players continue to look. If no player has reached the limit, all of them stop looking.
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
		if len(free) < len(p.Players) { // otherwise no player is the cause, and the next attempt would fail as well
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

// export returns a user's seeks for the copy of their data.
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

// withdraw removes a user from all lists. Users who were paired with that user continue to look.
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
