package table

import (
	"bytes"
	"compress/flate"
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"marque/bot/timesource"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// Study is a position in which a user tries out moves for all sides: in a game of theirs, or in one whose record they
// imported. Nobody else sees it, and it changes nothing at any table.
type Study struct {
	Number  int      `json:"number"`           // tells it from the user's earlier ones; 0 for none
	Version int      `json:"version"`          // rises with each change
	Table   ID       `json:"table,omitempty"`  // whose game it is; 0 for an imported one
	Record  []byte   `json:"record,omitempty"` // the imported game's, compressed
	Kept    int      `json:"kept"`             // how many plays of that game the line begins with
	Line    []string `json:"line,omitempty"`   // what was played after them, in the notation of the rules
	At      int      `json:"at"`               // which position is shown: after so many plays of the line
	Seed    uint64   `json:"seed"`             // of the study's own dice and cards
	Begun   Stamp    `json:"begun"`
	Used    Stamp    `json:"used"`
}

// Limits of studies. A user has one at a time.
const (
	StudyIdle  = 24 * time.Hour     // after which a study ends that nobody uses
	StudyLife  = 7 * 24 * time.Hour // after which it ends in any case
	MaxStudies = 2000               // of all users at a time
	MaxLine    = 400                // plays that are tried out after those of the game
	// MaxRecord bounds an imported record, in bytes of its text, and MaxRecordPlays in plays: the
	// longest games that people play take a fraction.
	MaxRecord      = 256 << 10
	MaxRecordPlays = 5000
	maxPacked      = 32 << 10 // bytes of a record as it is kept
)

// Plays is how long the line is, the plays of the game included.
func (s Study) Plays() int { return s.Kept + len(s.Line) }

// Play adds what was played in the position that is shown, and shows the one after it. What followed there
// before is dropped, unless it is the same play.
func (s *Study) Play(full *games.Match, notation string) {
	next := ""
	switch {
	case s.At < s.Kept:
		next = full.Log()[s.At].Text
	case s.At < s.Plays():
		next = s.Line[s.At-s.Kept]
	}
	if next != notation {
		s.Kept = min(s.Kept, s.At)
		s.Line = append(slices.Clone(s.Line[:s.At-s.Kept]), notation)
	}
	s.At++
}

// Match is the study's line, played from the game that it begins with. Its error is ErrNoStudy where the game is not
// what it was, because plays have been taken back at its table.
func (s Study) Match(full *games.Match) (*games.Match, error) {
	if s.Kept > full.Len() {
		return nil, refuseNoStudy()
	}
	m := full.Cut(s.Kept)
	for _, notation := range s.Line {
		if m.PlayExact(notation) != nil {
			return nil, refuseNoStudy()
		}
	}
	return m, nil
}

// Draw is what chance does at the end of a match, by the study's own seed: each try is another.
func (s Study) Draw(m *games.Match) games.Move {
	rng := games.NewRand(games.Mix(s.Seed) ^ uint64(s.Version)<<32 ^ uint64(m.Len()))
	return rng.Outcome(m.State().Outcomes())
}

// Pack keeps the record of an imported game in the study, without the names of its players: they may be those of people
// who have their data deleted. Its error is ErrLongRecord for one that is too long.
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
		return Refuse(ErrLongRecord, text.M("table.error.long-record", "Count", MaxRecordPlays))
	}
	s.Record = b.Bytes()
	return nil
}

// Text is the text of the imported record; "" for a study of a table's game.
func (s Study) Text() (string, error) {
	if len(s.Record) == 0 {
		return "", nil
	}
	b, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(s.Record)), 2*MaxRecord))
	return string(b), err
}

// ended reports whether a study is over at a moment, because it is old or was not used for long.
func (s Study) ended(now Stamp) bool {
	return s.Number == 0 || now-s.Used > Stamp(StudyIdle.Milliseconds()) ||
		now-s.Begun > Stamp(StudyLife.Milliseconds())
}

// Studies are the studies of all users. They are kept with what else is kept of their users.
type Studies struct {
	choices *choices
	gate    *gate
	clock   timesource.Clock
	pool    *computerPool // nil without computer players
	failed  func(ctx context.Context, err error)
	most    int // at a time

	mu    sync.Mutex
	swept time.Time // when ended studies were dropped last
}

// studyMark is in the settings of users who have a study, and of hardly any others.
const studyMark = `"study":{`

// Open begins a study, in the place of the user's earlier one. Its error is ErrBusy when there are too many.
func (st *Studies) Open(ctx context.Context, user string, s Study) (Study, error) {
	if err := st.gate.enter(); err != nil {
		return Study{}, err
	}
	defer st.gate.leave()
	users, err := st.choices.store.UsersNaming(ctx, studyMark)
	if err != nil {
		return Study{}, err
	}
	if len(users) >= st.most && !slices.Contains(users, user) {
		left, err := st.drop(ctx, users)
		if err != nil {
			return Study{}, err
		}
		if left >= st.most {
			return Study{}, Refuse(ErrBusy, text.M("table.error.many-studies"))
		}
	}
	s.Number, s.Version, s.Seed = 1+rand.IntN(1<<29), 1, rand.Uint64()
	s.Begun = st.choices.now()
	s.Used = s.Begun
	_, err = st.choices.changePreferences(ctx, user, func(p *Preferences) error {
		p.Study = s
		return nil
	})
	return s, err
}

// Of is a user's study. Its error is ErrNoStudy when there is none, or none any more.
func (st *Studies) Of(ctx context.Context, user string) (Study, error) {
	p, err := st.choices.preferences(ctx, user)
	if err != nil {
		return Study{}, err
	}
	if p.Study.ended(st.choices.now()) {
		return Study{}, refuseNoStudy()
	}
	return p.Study, nil
}

// Keep keeps what was made of a user's study, and gives it its next version. Its error is
// ErrNoStudy when that study has ended, storage.ErrStale when it has changed since it was read, and
// ErrLongLine when too much was tried out.
func (st *Studies) Keep(ctx context.Context, user string, s Study) (Study, error) {
	if len(s.Line) > MaxLine {
		return Study{}, Refuse(ErrLongLine, text.M("table.error.long-line", "Count", MaxLine))
	}
	if err := st.gate.enter(); err != nil {
		return Study{}, err
	}
	defer st.gate.leave()
	next, now := s, st.choices.now()
	next.Version++
	next.Used = now
	_, err := st.choices.changePreferences(ctx, user, func(p *Preferences) error {
		switch was := p.Study; {
		case was.ended(now) || was.Number != s.Number:
			return refuseNoStudy()
		case was.Version != s.Version:
			return refuseStale()
		}
		p.Study = next
		return nil
	})
	return next, err
}

// End drops a user's study, if it is the one with this number.
func (st *Studies) End(ctx context.Context, user string, number int) error {
	if err := st.gate.enter(); err != nil {
		return err
	}
	defer st.gate.leave()
	_, err := st.choices.changePreferences(ctx, user, func(p *Preferences) error {
		if p.Study.Number == number {
			p.Study = Study{}
		}
		return nil
	})
	return err
}

// Advise thinks for the seat to move in a view. It returns ErrNoHints without computer players.
func (st *Studies) Advise(ctx context.Context, s Study, view games.View) (Advice, error) {
	if st.pool == nil {
		return Advice{}, refuseNoHints()
	}
	return st.pool.advise(ctx, view, s.Seed^uint64(s.At))
}

// Game is a table's game for a user who may study it: it is over, or it hides nothing, is theirs, and their server lets
// them try out moves in it. It must not be played on. Its error is ErrNotStarted, ErrNoStudying or ErrNotSeated.
func (st *Studies) Game(ctx context.Context, user string, snap *Snapshot) (*games.Match, error) {
	switch {
	case !snap.HasStarted():
		return nil, refuseNotStarted()
	case snap.Status == Over:
		return snap.match, nil
	case snap.Hidden():
		return nil, Refuse(ErrNoStudying, text.M("table.error.study-hidden"))
	case snap.Seat(user) == games.Spectator:
		return nil, Refuse(ErrNotSeated, text.M("table.error.study-others"))
	}
	settings, err := st.choices.settings(ctx, snap.Guild)
	if err == nil && settings.NoStudies && snap.counts() {
		err = Refuse(ErrNoStudying, text.M("table.error.study-rated"))
	}
	if err != nil {
		return nil, err
	}
	return snap.match, nil
}

// MayAdvise reports whether computers may say what they think of a table's game: as with hints, not
// in a rated one that goes on, unless the server wants it so.
func (st *Studies) MayAdvise(ctx context.Context, snap *Snapshot) (bool, error) {
	if st.pool == nil || snap.Status == Over || !snap.counts() {
		return st.pool != nil, nil
	}
	settings, err := st.choices.settings(ctx, snap.Guild)
	return settings.Hints && !snap.OfCompetition(), err
}

// sweepStudies is how often ended studies are dropped.
const sweepStudies = time.Hour

// sweep drops the studies that have ended, once in a while.
func (st *Studies) sweep(ctx context.Context) {
	now := st.clock.Now()
	st.mu.Lock()
	due := now.Sub(st.swept) >= sweepStudies
	if due {
		st.swept = now
	}
	st.mu.Unlock()
	if !due {
		return
	}
	users, err := st.choices.store.UsersNaming(ctx, studyMark)
	if err == nil {
		_, err = st.drop(ctx, users)
	}
	if err != nil && ctx.Err() == nil {
		st.failed(ctx, err)
	}
}

// drop drops those studies of users that have ended, and says how many are left.
func (st *Studies) drop(ctx context.Context, users []string) (left int, err error) {
	now := storage.At(st.clock.Now())
	for _, u := range users {
		p, err := st.choices.changePreferences(ctx, u, func(p *Preferences) error {
			if p.Study.ended(now) {
				p.Study = Study{}
			}
			return nil
		})
		if err != nil {
			return left, err
		}
		if p.Study.Number != 0 {
			left++
		}
	}
	return left, nil
}
