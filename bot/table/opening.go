package table

import (
	"context"
	"errors"
	"slices"

	"marque/bot/choices"
	"marque/bot/table/clock"
	"marque/games"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
)

// Opening describes a new table.
type Opening struct {
	Game    string          // key of the game
	Options []games.Setting // missing options have the game's default
	// Seats is the number of players. If it is 0, there are seats for the host, the invited users and the
	// computers, or, if only the host is known, as many as the game allows.
	Seats   int
	Invited []string // users for whom a seat is reserved
	// Computers are computer players that take seats immediately.
	Computers []ComputerPlayer
	// Guild is "" for a table away from the bot's servers, such as in direct messages. All other players there are
	// computers, and the result counts nowhere.
	Guild   string
	Channel string
	// WhenFull starts the game automatically when the last seat is taken.
	WhenFull bool
	// Fixed seats the players in the order of joining instead of drawing lots.
	Fixed bool
	// Unrated keeps the result off all leaderboards.
	Unrated bool
	// Resign lets a computer player resign a lost game.
	Resign bool
	// Clock is the time for moves; the zero value means none.
	Clock storage.ClockRule
	// Asks are the conditions for players who join without an invitation.
	Asks Conditions
	// Order lists the players in the order of their seats: users, and "" for each computer. It applies if exactly
	// these players take part. Otherwise Fixed determines the order.
	Order []string
	// Rematch is the table of which this is a rematch; 0 for none.
	Rematch ID
	// Alone refuses the table if the channel has another unfinished one.
	Alone bool
	// Card is the message about a table with a thread of its own; zero for none.
	Card storage.Card
}

// Open opens a table; the actor is its host and first player. If a rematch of the same table was opened a short
// time ago and is unfinished, Open returns it instead of opening another. It returns ErrNoKey, ErrNoServer,
// ErrNoGame, ErrTooMany, ErrInvitedTwice, ErrNoLevel, ErrNoClock, ErrLimit, ErrNotInvitable, ErrChannelBusy or a
// *games.SetupError. A rematch reserves no seat for users who have blocked the actor.
func (s *Service) Open(ctx context.Context, by Actor, o Opening) (*Snapshot, error) {
	if err := s.tables.gate.enter(); err != nil {
		return nil, err
	}
	defer s.tables.gate.leave()
	if by.Key == "" {
		return nil, ErrNoKey
	}
	key, there, err := s.openedBefore(ctx, by, o.Rematch, s.tables.now())
	if err != nil || there != nil {
		return there, err
	}
	g, setup, err := s.check(by, &o)
	if err != nil {
		return nil, err
	}
	limits, err := s.checkLimits(ctx, by, &o)
	if err != nil {
		return nil, err
	}
	return s.tables.create(ctx, by, g, key, func(d *draft) error {
		s.setUp(d, by, g, setup, o)
		d.limits = limits
		if !o.WhenFull || len(d.Seats) != d.Most {
			return nil
		}
		return d.begin(by.Key) // the table is full, so the game begins
	})
}

func (s *Service) setUp(d *draft, by Actor, g games.Game, setup games.Setup, o Opening) {
	least, most := g.Seats()
	if o.Seats != 0 {
		least, most = o.Seats, o.Seats
	}
	d.Head = Head{
		Game: g.Key(), Guild: o.Guild, Channel: o.Channel, Host: by.User, Least: least, Most: most,
		Seats: []Occupant{{User: by.User, Name: by.Name}}, ToMove: games.Nobody, Opened: d.now,
		Timing: storage.Timing{Rule: o.Clock}, Rematch: o.Rematch, Card: o.Card,
	}
	d.detail = &storage.Detail{
		Setup: setup, Rules: g.Version(), Seed: s.newSeed(), Fairness: fair.Version,
		Invited: slices.Clone(o.Invited), Order: slices.Clone(o.Order),
		WhenFull: o.WhenFull, Fixed: o.Fixed, Unrated: o.Unrated, Resign: o.Resign, Asks: o.Asks,
	}
	d.first = o.Alone
	d.addNamed(storage.Opened, games.Nobody, by.User, by.Name)
	d.mix(fair.Input{Kind: fair.Opens, ID: by.Key})
	for _, c := range o.Computers {
		d.seatComputer(c, by.Key)
	}
}

// openedBefore returns the table that the command has already opened, or an unfinished rematch that was opened a
// short time ago. If there is neither, it returns nil and the key for opening the table. The key of a rematch is
// derived from the old table and from its earlier rematches that are over, so that the store does not open two of
// them at once.
func (s *Service) openedBefore(ctx context.Context, by Actor, rematch ID,
	now Stamp) (key string, there *Snapshot, err error) {
	key = by.Key
	if rematch != 0 {
		key = "rematch-" + rematch.String()
	}
	for {
		done, err := s.tables.store.Done(ctx, 0, key, now)
		if err != nil || done == nil {
			return key, nil, err
		}
		there, err := s.tables.Snapshot(ctx, done.Table)
		if gone := errors.Is(err, storage.ErrNoTable) || err == nil && there.Status == Over; rematch == 0 || !gone {
			return key, there, err
		}
		key = "rematch-" + rematch.String() + "-" + done.Table.String()
	}
}

// Check returns an error if Open would refuse the table with ErrNoServer, ErrNoGame, ErrTooMany, ErrInvitedTwice,
// ErrNoLevel, ErrNoClock, ErrLimit, ErrNotInvitable or a *games.SetupError.
func (s *Service) Check(ctx context.Context, by Actor, o Opening) error {
	if _, _, err := s.check(by, &o); err != nil {
		return err
	}
	_, err := s.checkLimits(ctx, by, &o)
	return err
}

// check makes the checks of Check that do not read the store. It sets the number of seats if the known players
// determine it, and makes a table away from servers unrated.
func (s *Service) check(by Actor, o *Opening) (games.Game, games.Setup, error) {
	g, ok := s.tables.games(o.Game)
	if !ok {
		return nil, games.Setup{}, Refuse(ErrNoGame, text.M("table.error.no-game", "Game", o.Game))
	}
	_, most := g.Seats()
	known := 1 + len(o.Invited) + len(o.Computers)
	if o.Guild == "" {
		if len(o.Invited) > 0 || known == 1 || known < o.Seats {
			return nil, games.Setup{}, Refuse(ErrNoServer, text.M("table.error.no-server"))
		}
		o.Unrated = true
	}
	if o.Seats == 0 && known > most {
		return nil, games.Setup{}, Refuse(ErrTooMany, text.M("table.error.too-many-named", "Game", g.Info().Name,
			"Count", most, "Named", known-1))
	}
	if o.Seats == 0 && known > 1 {
		o.Seats = known
	}
	if o.Seats != 0 {
		most = o.Seats
	}
	setup, err := games.NewSetup(g, most, o.Options...)
	if err != nil {
		return nil, games.Setup{}, err
	}
	if known > most {
		return nil, games.Setup{}, Refuse(ErrTooMany, text.M("table.error.too-many", "Count", most, "Invited", known-1))
	}
	for i, u := range o.Invited {
		if u == by.User || slices.Contains(o.Invited[:i], u) {
			return nil, games.Setup{}, Refuse(ErrInvitedTwice, text.M("table.error.invited-twice"))
		}
	}
	for _, c := range o.Computers {
		if err := s.checkLevel(c.Level); err != nil {
			return nil, games.Setup{}, err
		}
	}
	if !clock.Valid(o.Clock) {
		return nil, games.Setup{}, Refuse(ErrNoClock, text.M("table.error.no-clock"))
	}
	return g, setup, nil
}

// waits reports whether a new table must wait for players before its game begins.
func (o Opening) waits() bool { return !o.WhenFull || o.Seats == 0 || 1+len(o.Computers) < o.Seats }

// checkLimits returns the limits for a new table. It refuses a table that would exceed one, and invitations of users
// who have blocked the actor. A rematch leaves out such invitations instead.
func (s *Service) checkLimits(ctx context.Context, by Actor, o *Opening) ([]storage.Limit, error) {
	settings, err := s.tables.choices.Settings(ctx, o.Guild)
	if err != nil {
		return nil, err
	}
	var invited []string
	for _, u := range o.Invited {
		p, err := s.tables.choices.Preferences(ctx, u)
		switch {
		case err != nil:
			return nil, err
		case !slices.Contains(p.Blocked, by.User):
			invited = append(invited, u)
		case o.Rematch == 0:
			return nil, RefuseInvitation(u)
		}
	}
	o.Invited = invited
	limits := limitsOf(settings.Limits(), o.Guild, by.User, o.waits())
	return limits, RefuseStored(s.tables.store.CheckLimits(ctx, storage.Change{
		Head: Head{Guild: o.Guild, Host: by.User}, Detail: &storage.Detail{Invited: invited}, Limits: limits,
	}), 0)
}

// limitsOf returns the limits for a user's new table. If waits is false, the table is full immediately and does not
// count as a waiting table.
func limitsOf(l choices.Limits, guild, user string, waits bool) []storage.Limit {
	var list []storage.Limit
	if guild != "" { // a table away from servers counts toward no server's limit
		list = append(list, storage.Limit{Kind: storage.ServerTables, Most: l.Tables})
	}
	list = append(list, []storage.Limit{
		{Kind: storage.UserTables, User: user, Most: l.UserTables},
		{Kind: storage.UserInvitations, User: user, Most: l.UserInvitations},
	}...)
	if waits {
		list = append(list, storage.Limit{Kind: storage.UserLobbies, User: user, Most: l.UserLobbies})
	}
	return list
}
