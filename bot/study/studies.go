package study

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"marque/bot/table"
	"marque/bot/timesource"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// Study is a private line of moves in which a user tries out moves of a game. It changes nothing at any table.
type Study struct{ storage.Study }

// Limits of studies. A user has at most one study.
const (
	Idle       = 24 * time.Hour     // time without use after which a study ends
	Life       = 7 * 24 * time.Hour // time after which a study ends in any case
	MaxStudies = 2000               // maximum number of studies of all users together
	MaxLine    = 400                // maximum number of plays after those of the game
	// MaxRecord limits the bytes of an imported record's text, and MaxRecordPlays its plays. Both limits are many times
	// what the longest games of people need.
	MaxRecord      = 256 << 10
	MaxRecordPlays = 5000
	maxPacked      = 32 << 10 // maximum size of the stored record in bytes
)

// Plays returns the number of plays of the line, including those of the game.
func (s Study) Plays() int { return s.Prefix + len(s.Line) }

// Play plays a move in the shown position, and shows the position after it. If the line already continues with the same
// play, the rest of the line stays. Otherwise it is removed.
func (s *Study) Play(full *games.Match, notation string) {
	next := ""
	switch {
	case s.At < s.Prefix:
		next = full.Log()[s.At].Text
	case s.At < s.Plays():
		next = s.Line[s.At-s.Prefix]
	}
	if next != notation {
		s.Prefix = min(s.Prefix, s.At)
		s.Line = append(slices.Clone(s.Line[:s.At-s.Prefix]), notation)
	}
	s.At++
}

// Match returns the study's line as a match. Its error is table.ErrNoStudy if plays of the line have been taken back at
// the table.
func (s Study) Match(full *games.Match) (*games.Match, error) {
	if s.Prefix > full.Len() {
		return nil, refuseNoStudy()
	}
	m := full.Cut(s.Prefix)
	for _, notation := range s.Line {
		if m.PlayExact(notation) != nil {
			return nil, refuseNoStudy()
		}
	}
	return m, nil
}

// Draw returns a chance outcome at the end of a match, by the study's own seed. The outcome also depends on the
// study's version, so that a repeated draw can differ.
func (s Study) Draw(m *games.Match) games.Move {
	rng := games.NewRand(games.Mix(s.Seed) ^ uint64(s.Version)<<32 ^ uint64(m.Len()))
	return rng.Outcome(m.State().Outcomes())
}

// Pack stores the record of an imported game in the study. It leaves out the players' names, because these people may
// have their data deleted. Its error is table.ErrLongRecord for a record that is too long.
func (s *Study) Pack(r games.Record) error {
	r.Header.Players = nil
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, r.Encode()); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if b.Len() > maxPacked || len(r.Log) > MaxRecordPlays {
		return table.Refuse(table.ErrLongRecord, text.M("table.error.long-record"))
	}
	s.Record = b.Bytes()
	return nil
}

// Text returns the text of the imported record, or "" for a study of a table's game.
func (s Study) Text() (string, error) {
	if len(s.Record) == 0 {
		return "", nil
	}
	b, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(s.Record)), 2*MaxRecord))
	return string(b), err
}

// use records a use of the study at the time now. The study then ends after Idle, but at most Life after its beginning.
func (s *Study) use(now time.Time) {
	s.Ends = min(storage.At(now.Add(Idle)), s.Begun+storage.Stamp(Life.Milliseconds()))
}

// ended reports whether there is no study, or whether it has ended because of its age or because it was not used.
func (s Study) ended(now time.Time) bool { return s.Number == 0 || s.Ends < storage.At(now) }

// Studies stores the studies of all users.
type Studies struct {
	store  *storage.Store
	tables *table.Service
	clock  timesource.Clock
	log    *slog.Logger
	most   int // maximum number of studies
}

// NewStudies returns a Studies that keeps at most the given number of studies. If clock is nil, it uses the machine's
// clock.
func NewStudies(tables *table.Service, store *storage.Store, clock timesource.Clock, log *slog.Logger,
	most int) *Studies {
	if clock == nil {
		clock = timesource.System{}
	}
	st := &Studies{store: store, tables: tables, clock: clock, log: log, most: most}
	tables.Attach(table.Hooks{Sweep: st.sweep, Export: st.export})
	return st
}

// Open begins a study, which replaces the user's earlier one. Its error is table.ErrBusy if there are too many studies.
func (st *Studies) Open(ctx context.Context, user string, s Study) (Study, error) {
	own, err := st.store.Study(ctx, user)
	if err != nil {
		return Study{}, err
	}
	there, err := st.store.Studies(ctx)
	if err == nil && there >= st.most && own.Number == 0 {
		var dropped int
		dropped, err = st.drop(ctx)
		if err == nil && there-dropped >= st.most {
			err = table.Refuse(table.ErrBusy, text.M("table.error.many-studies"))
		}
	}
	if err != nil {
		return Study{}, err
	}
	now := st.clock.Now()
	s.Number, s.Version, s.Seed = 1+rand.IntN(1<<29), 1, rand.Uint64()
	s.Begun = storage.At(now)
	s.use(now)
	return s, st.change(ctx, user, func(Study) (Study, error) { return s, nil })
}

// Of returns a user's study. Its error is table.ErrNoStudy if there is none, or if it has ended.
func (st *Studies) Of(ctx context.Context, user string) (Study, error) {
	stored, err := st.store.Study(ctx, user)
	if s := (Study{stored}); err != nil || !s.ended(st.clock.Now()) {
		return s, err
	}
	return Study{}, refuseNoStudy()
}

// Keep stores a changed study of a user under the next version. Its error is table.ErrNoStudy if the study has ended
// or was replaced, storage.ErrStale if it has changed since it was read, and table.ErrLongLine if the line is too
// long.
func (st *Studies) Keep(ctx context.Context, user string, s Study) (Study, error) {
	if len(s.Line) > MaxLine {
		return Study{}, table.Refuse(table.ErrLongLine, text.M("table.error.long-line", "Count", MaxLine))
	}
	next, now := s, st.clock.Now()
	next.Version++
	next.use(now)
	return next, st.change(ctx, user, func(was Study) (Study, error) {
		switch {
		case was.ended(now) || was.Number != s.Number:
			return was, refuseNoStudy()
		case was.Version != s.Version:
			return was, table.RefuseStored(storage.ErrStale, s.Table)
		}
		return next, nil
	})
}

// End removes a user's study if it has the given number.
func (st *Studies) End(ctx context.Context, user string, number int) error {
	return st.change(ctx, user, func(s Study) (Study, error) {
		if s.Number == number {
			s = Study{}
		}
		return s, nil
	})
}

func (st *Studies) change(ctx context.Context, user string, change func(Study) (Study, error)) error {
	done, err := st.tables.Work()
	if err != nil {
		return err
	}
	defer done()
	return st.store.ChangeStudy(ctx, user, func(was storage.Study) (storage.Study, error) {
		s, err := change(Study{was})
		return s.Study, err
	})
}

func refuseNoStudy() error { return table.Refuse(table.ErrNoStudy, text.M("table.error.no-study")) }

// game returns a table's game if the user is allowed to study it. A finished game can be studied by everybody. In
// an unfinished game nothing may be hidden, the user must be a player, and the server must allow studies if the
// game counts on leaderboards or in a competition. The caller must not change the match. Its errors include
// table.ErrNotStarted, table.ErrNoStudying and table.ErrNotSeated.
func (st *Studies) game(ctx context.Context, user string, snap *table.Snapshot) (*games.Match, error) {
	m := snap.Match()
	switch {
	case !snap.HasStarted():
		return nil, table.Refuse(table.ErrNotStarted, text.M("table.error.not-started"))
	case snap.Status == table.Over:
		return m, nil
	case m == nil:
		return nil, table.Refuse(table.ErrNoStudying, text.M("table.error.study-hidden"))
	case snap.Seat(user) == games.Spectator:
		return nil, table.Refuse(table.ErrNotSeated, text.M("table.error.study-others"))
	}
	settings, err := st.tables.Choices.Settings(ctx, snap.Guild)
	if err == nil && settings.NoStudies && snap.Counts() {
		err = table.Refuse(table.ErrNoStudying, text.M("table.error.study-rated"))
	}
	return m, err
}

// mayAdvise reports whether computers are allowed to judge a table's game. Like hints, opinions are not allowed in an
// unfinished game of a competition, nor in an unfinished rated game, unless the server allowed hints when that game
// started.
func (st *Studies) mayAdvise(ctx context.Context, snap *table.Snapshot) (bool, error) {
	if thinks := len(st.tables.Levels()) > 0; !thinks || snap.Status == table.Over || !snap.Counts() {
		return thinks, nil
	}
	settings, err := st.tables.Choices.Settings(ctx, snap.Guild)
	return snap.AllowsHints(settings) && !snap.OfCompetition(), err
}

// export returns the record of a user's study as text. In the store it is compressed.
func (st *Studies) export(ctx context.Context, user string) (name string, data any, err error) {
	stored, err := st.store.Study(ctx, user)
	if err != nil {
		return "", nil, err
	}
	written, err := Study{stored}.Text()
	if written == "" {
		return "", nil, err
	}
	return "record", written, err
}

// sweep removes studies that have ended.
func (st *Studies) sweep(ctx context.Context) {
	if _, err := st.drop(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, table.ErrClosing) {
		st.log.ErrorContext(ctx, "studies that have ended could not be dropped; trying again later", "error", err)
	}
}

// maxDropped limits the studies that one call of drop removes.
const maxDropped = 200

// drop removes at most maxDropped studies that have ended, and returns the number of those that it found.
func (st *Studies) drop(ctx context.Context) (dropped int, err error) {
	now := st.clock.Now()
	users, err := st.store.StudiesEnded(ctx, storage.At(now)-1, maxDropped)
	for _, u := range users {
		err = errors.Join(err, st.change(ctx, u, func(s Study) (Study, error) {
			if s.ended(now) {
				s = Study{}
			}
			return s, nil
		}))
	}
	return len(users), err
}
