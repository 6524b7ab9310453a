package storage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"marque/games/review"
	"marque/games/text"
)

// Limits of what is stored, in bytes. What is longer is ErrInvalid.
const (
	MaxName = 64   // ids of users, servers and channels; keys of games, levels of computer players, kinds of due moments
	MaxKey  = 128  // keys of commands
	MaxText = 1024 // texts of events; both moves of a turning point together
	MaxNote = 4096 // notes of the publisher
)

// How long the key of a command is known, by the clock of Head.Changed and of Done's now: KeyKept at least, and no longer
// after KeyGone. Discord's own tokens live for a quarter of an hour.
const (
	KeyKept = 30 * time.Minute
	KeyGone = time.Hour
)

// StatWeeks is how many weeks Stats looks back; StatLongest how many of the longest games it gives.
const (
	StatWeeks   = 12
	StatLongest = 3
)

// CheckName returns ErrInvalid for what is no id of the outside: it is longer than MaxName, or has a zero byte.
func CheckName(name string) error {
	if len(name) > MaxName || strings.IndexByte(name, 0) >= 0 {
		return fmt.Errorf("%w: %q is no id", ErrInvalid, name)
	}
	return nil
}

// Check returns ErrInvalid for a change that contradicts itself, whatever is stored.
func (c Change) Check() error {
	h := c.Head
	names := []string{h.Game, h.Guild, h.Channel, h.Host}
	for _, o := range h.Seats {
		names = append(names, o.User, o.Computer)
	}
	for _, d := range h.Due {
		names = append(names, d.Kind)
	}
	for _, n := range names {
		if err := CheckName(n); err != nil {
			return err
		}
	}
	if len(c.Key) > MaxKey {
		return fmt.Errorf("%w: a command key of %d bytes", ErrInvalid, len(c.Key))
	}
	if h.Game == "" || h.Events < uint64(len(c.Events)) {
		return fmt.Errorf("%w: a head without a game, or with fewer events than are added", ErrInvalid)
	}
	for _, e := range c.Events {
		if e.Version != h.Version || !e.Kind.Known() || len(e.Text) > MaxText || len(e.User) > MaxName || len(e.Interaction) > MaxKey {
			return fmt.Errorf("%w: event %+v of version %d", ErrInvalid, e, h.Version)
		}
	}
	return nil
}

// Check returns ErrInvalid for a review that is longer than reviews are.
func (r Review) Check() error {
	if len(r.Points) > review.MaxPoints {
		return fmt.Errorf("%w: a review of %d points", ErrInvalid, len(r.Points))
	}
	for _, p := range r.Points {
		if len(p.Played)+len(p.Better) > MaxText {
			return fmt.Errorf("%w: a move of %d bytes", ErrInvalid, len(p.Played)+len(p.Better))
		}
	}
	return nil
}

// Edit changes a value that several processes may change at once: it reads what is stored, which leaves v as it is where nothing was ever
// stored, and returns what is to be stored, nil to leave it as it is. When somebody else has changed the value meanwhile, it is called
// again. It is called outside of any transaction.
type Edit func(read func(v any) error) (v any, err error)

// Engine is a store: what keeps what the types of this package hold. Package storage/storagetest has the exercises that
// every engine passes; how a store is opened, copied and repaired is the engine's own affair.
//
// Of all methods:
//   - They may be called by many goroutines at once.
//   - What returns nil was done, is durable, and is seen by every later call of any goroutine or process. What returns an
//     error has changed nothing, but for a *DiskError with DiskFailed and an *UnreachableError that is Unsure.
//   - They return the error of a ctx that ends before the work began, ErrClosed after Close, ErrDamaged (a *DamagedError)
//     for a value that is not what was written, and the errors that their comments name; wrapped as the case may be.
//   - Reading what was never stored is no error unless the comment names one.
//   - Lists are in the order that the comment says, and at most limit long. nil and an empty list are the same.
//   - Text is UTF-8 without zero bytes, and compares byte by byte.
type Engine interface {
	// Create stores a new table and returns its id, which is behind all that were given before, also to tables that were
	// deleted since; change.Head.ID is ignored. In this order it returns ErrInvalid for a change that contradicts itself, that has no
	// detail or not version 1, a *DoneError when the command's key was done before (keys of commands that open tables are
	// kept apart from those of any table), a *BusyError that names the oldest table which goes on in the channel when the
	// change is to be alone and is not, a *LimitError of the first limit that the change would not keep, and ErrInvalid when
	// the head counts other events than there are.
	Create(ctx context.Context, change Change) (ID, error)
	// Commit stores what a command changed at a table that exists: the head, the detail unless nil, more events, the result,
	// and that there are news to publish. A result gets the next Order of its store, is counted in the season that runs in its server, and is on
	// the leaderboards when Commit returns. In this order Commit returns ErrInvalid for a change that contradicts itself, a
	// *DoneError when the command's key was done before at the table, ErrNoTable, ErrStale when the stored version is not the
	// one before change.Head.Version, a *LimitError, ErrHeld when change.Under is a Tenure that is over (an engine that has no Leases does
	// not look), and ErrInvalid for a head that counts other events than there are then or for a second result.
	Commit(ctx context.Context, change Change) error
	// Within returns the *LimitError with which Create or Commit would refuse a change as things are; nil when
	// they would not.
	Within(ctx context.Context, change Change) error
	// Done is what the command with this key led to at a table, when that was in the time before now in which keys are
	// known (KeyKept, KeyGone); otherwise nil. For a command that opened a table the table is 0.
	Done(ctx context.Context, table ID, key string, now Stamp) (*DoneError, error)
	// Load returns all that is stored of a table, or ErrNoTable.
	Load(ctx context.Context, id ID) (Table, error)
	// Head returns a table's head, or ErrNoTable.
	Head(ctx context.Context, id ID) (Head, error)

	// ByGuild lists tables of a server: those that go on, the oldest first, or those that are over, the latest id
	// first. after is the last table of the page before; 0 for the first page.
	ByGuild(ctx context.Context, guild string, phase Phase, after ID, limit int) ([]Head, error)
	// ByChannel lists the tables of a channel as ByGuild does.
	ByChannel(ctx context.Context, channel string, phase Phase, after ID, limit int) ([]Head, error)
	// ByUser lists the tables at which a user holds a seat as ByGuild does. Who holds several seats has the table once.
	ByUser(ctx context.Context, user string, phase Phase, after ID, limit int) ([]Head, error)
	// Turns lists tables, of all servers, that are being played, are not paused, and wait for a user's move: by Since, then by id.
	// Since is Timing.Turn, or Started where that is 0.
	Turns(ctx context.Context, user string, limit int) ([]Turn, error)
	// RematchOf returns the table that goes on as the rematch of another, the oldest when there are several; 0 when
	// there is none.
	RematchOf(ctx context.Context, id ID) (ID, error)
	// DueUntil lists the moments in the heads' Due that are at until or before: by moment, then by id, then by kind.
	DueUntil(ctx context.Context, until Stamp, limit int) ([]DueTable, error)
	// Naming lists the tables that go on in which a user sits, is invited, has a place in the order, or is the host, by id.
	Naming(ctx context.Context, user string) ([]ID, error)
	// Tally counts all tables. It may miss a table that changes meanwhile, or count it twice.
	Tally(ctx context.Context) (map[Group]int, error)

	// News returns a table's head, the events after the last version that was published, that version, and the publisher's
	// note of then; or ErrNoTable. Detail is left empty.
	News(ctx context.Context, id ID) (Table, error)
	// Pending lists the tables with versions that are not published, by id, of those behind after.
	Pending(ctx context.Context, after ID, limit int) ([]ID, error)
	// MarkPublished notes that everything up to version was published, and the publisher's note. It returns ErrNoTable,
	// ErrInvalid for a version that does not exist yet, and ErrHeld for a Tenure that is over, as Commit does; an older version than
	// the one marked before changes nothing, the same one replaces the note.
	MarkPublished(ctx context.Context, id ID, version uint64, note string, under Tenure) error

	// Result returns how a table ended, with the ratings after it as the leaderboards have counted it, or ErrNoResult.
	Result(ctx context.Context, id ID) (Result, error)
	// Results lists results, those that ended latest first, of the same moment the lower id first.
	Results(ctx context.Context, q ResultQuery) ([]Result, error)
	// Leaderboard is a page of a leaderboard: by rating.Rating.Sure, to six decimals, the highest first, then fewest
	// Standing.RankedGames, then by Player. Lines of the same Sure share a rank. Who has departed (HasDeparted) holds no rank and no line.
	Leaderboard(ctx context.Context, q BoardQuery) (BoardPage, error)
	// Standing is a player's own line of a leaderboard. It is zero but for the player when they have not played.
	Standing(ctx context.Context, b Board, player string) (Standing, error)
	// Stats counts what a server has played to an end, but not abandoned, among these games, in their order; games that
	// nobody played are left out. The latest of StatWeeks weeks ends at now. Longest has the most plays first, then the lowest id.
	Stats(ctx context.Context, guild string, games []string, now Stamp) (Stats, error)
	// League is what a server has set for its leaderboards.
	League(ctx context.Context, guild string) (League, error)
	// SetLeast sets how many games a player of the server needs to be ranked.
	SetLeast(ctx context.Context, guild string, least int) error
	// StartSeason begins the server's next season, in which results from now on count as well. It returns ErrSeasonRuns,
	// and ErrInvalid after MaxSeasons.
	StartSeason(ctx context.Context, guild string, title text.Name, now Stamp) (Season, error)
	// EndSeason ends the season that runs. It returns ErrNoSeason.
	EndSeason(ctx context.Context, guild string, now Stamp) (Season, error)
	// Void takes a table's result off the leaderboards, or, with nil, puts it back, and returns the result as it is then,
	// or ErrNoResult. The leaderboards of its server are counted anew in the background, in the order of results: that is
	// the Work Recounting, until which they are as before, but that games which end meanwhile may count already or only then.
	Void(ctx context.Context, id ID, v *Voiding) (Result, error)
	// Rebuild counts all results and makes those leaderboards anew that are not as the results make them. It returns when
	// that is done; with leaderboards that are as they should be it changes nothing.
	Rebuild(ctx context.Context) (Rebuilt, error)

	// Review returns what was found in a table's game, the zero Review when nothing was looked for; or ErrNoTable.
	Review(ctx context.Context, id ID) (Review, error)
	// SetReview stores what was found in the game of a table that is over, unless a review is there that looked at more plays; it goes
	// when the table goes. It returns ErrNoTable, or ErrInvalid for a table that goes on and for a review that is longer than reviews are.
	SetReview(ctx context.Context, id ID, r Review) error

	// WantFilm notes that a game waits for its replay, unless it does already.
	WantFilm(ctx context.Context, id ID) error
	// PutOffFilm notes how often the replay of a game was put off, unless it does not wait.
	PutOffFilm(ctx context.Context, f Film) error
	// DropFilm notes that a game waits no longer.
	DropFilm(ctx context.Context, id ID) error
	// Films lists games that wait for their replays, by id, of those behind after.
	Films(ctx context.Context, after ID, limit int) ([]Film, error)

	// GuildSettings reads a server's settings into v, a pointer to a struct with JSON tags. What was never set stays as it
	// is in v.
	GuildSettings(ctx context.Context, guild string, v any) error
	// ChangeGuildSettings stores what edit makes of a server's settings. It returns edit's error, and ErrInvalid for what is no
	// id (CheckName).
	ChangeGuildSettings(ctx context.Context, guild string, edit Edit) error
	// UserSettings reads a user's settings into v, as GuildSettings does.
	UserSettings(ctx context.Context, user string, v any) error
	// ChangeUserSettings stores what edit makes of a user's settings, as ChangeGuildSettings does.
	ChangeUserSettings(ctx context.Context, user string, edit Edit) error
	// UsersNaming lists the users whose settings contain an id, in the order of their own.
	UsersNaming(ctx context.Context, id string) ([]string, error)
	// Scores is a server's table of a month, as the settings of users say (ScoresIn): who has solved most first, then who has solved most at the
	// first try, then by user. It takes time in proportion to the table. Who is forgotten is in none. That of a deleted server is
	// there while users' settings name it (UsersNaming).
	Scores(ctx context.Context, server, month string, limit int) (ScorePage, error)

	// Uptime is when the bot could be reached, as ChangeUptime stored it last.
	Uptime(ctx context.Context) (Uptime, error)
	// ChangeUptime stores what change makes of when the bot could be reached. It may be called more than once, as an Edit is.
	ChangeUptime(ctx context.Context, change func(Uptime) Uptime) error
	// Removals are the servers that the bot was removed from, in the order in which that was noted.
	Removals(ctx context.Context) ([]Removal, error)
	// AddRemoval notes that the bot was removed from a server, unless that is noted already.
	AddRemoval(ctx context.Context, r Removal) error
	// DropRemoval notes that the bot is not removed from a server.
	DropRemoval(ctx context.Context, guild string) error
	// Restorations are the times at which the store was restored from a copy, the latest last.
	Restorations(ctx context.Context) ([]Restoration, error)
	// LastKnown is the latest moment that the store knows of: when the bot was last noted to be up, or when a table that
	// goes on changed.
	LastKnown(ctx context.Context) (Stamp, error)

	// Guilds lists the servers of which something is stored (tables, settings, seasons), but for "", in the order of their ids.
	Guilds(ctx context.Context) ([]string, error)
	// DeleteGuild deletes everything that is stored of a server: tables with all that hangs on them, results, leaderboards, seasons,
	// settings. Tables that are opened there from now on stay. Seasons and settings are gone when it returns; the rest is
	// done in the background: that is the Work Deleting. Who asks for films of tables that are gone still gets them, until
	// they are dropped.
	DeleteGuild(ctx context.Context, guild string) error
	// Forget replaces a user by another name, which should begin with Departed: in seats, as host, among the invited and in
	// the order of seats, in events, results and leaderboards, and where they voided a result. The names under which they played are removed (those
	// of events of kinds that are Named, and of Removed at the same table), and what of a publisher's note stands behind its first line at their tables; where these
	// are of no server, in direct messages, so are the channel and the whole note. Their
	// id becomes … in reasons for voiding and in titles of seasons. Their settings are gone when it returns; the rest is done in the background: that
	// is the Work Forgetting. When it was asked for before and is not done, the other name is that of the first time. Take
	// the user out of tables that go on before: here their seats there get the other name alone. It returns ErrInvalid for
	// names that are no ids.
	Forget(ctx context.Context, user, as string) error

	// Works lists the work that was asked for and is not done, in no order that is promised. It goes on where it stood when a store is opened again.
	Works(ctx context.Context) ([]Work, error)
	// UnderWay reports whether such work was asked for and is not done.
	UnderWay(ctx context.Context, w Work) (bool, error)
	// Finished waits until such work is done; at once when none was asked for. It returns ctx's error, ErrClosed, or why
	// the work cannot be done for now; it is tried again all the same.
	Finished(ctx context.Context, w Work) error

	// Alive returns nil once the store could have taken a change, otherwise why not.
	Alive(ctx context.Context) error
	// Size says how large the store is.
	Size(ctx context.Context) (Size, error)
	// ObserveCommits has f told of every transaction that writes from now on: how long it took until it was durable, and its error. f is called
	// by who commits, so it must be quick.
	ObserveCommits(f func(took time.Duration, err error))
	// Check reads everything and returns what of it is damaged or contradicts the rest (wrapping ErrDamaged); nil for nothing.
	Check(ctx context.Context) error
	// Close ends the work in the background, carries out what was begun, and refuses what comes later with ErrClosed. It may be
	// called again.
	Close() error
}
