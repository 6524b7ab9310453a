package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"marque/storage"
)

// A job is work in proportion to what is stored: counting a server's leaderboards anew, forgetting a user, deleting a server. It is
// written down in the transaction that asks for it and done in the background in steps, each a transaction of bounded size that also notes
// how far the job has come, so that a job that was cut off between any two steps goes on later. Of several processes one does the jobs of a
// kind: the one that has the kind's lock, which the server takes back when its connection ends.

// The kinds of jobs, as they are stored.
const (
	recounting = storage.Recounting
	forgetting = storage.Forgetting
	deleting   = storage.Deleting
)

// job is a job as it is stored, under its kind and what it is of.
type job struct {
	kind storage.WorkKind
	of   string
	id   uint64 // of the latest request: when it rises, a job that runs begins again
	done bool   // by the step that is running
	conn *pgxpool.Conn

	Phase int        `json:"p,omitempty"` // how far it is
	After uint64     `json:"a,omitempty"` // how far it is in this phase: a table, or the Order of a result
	As    string     `json:"n,omitempty"` // the name that a user who is forgotten has from then on
	Upto  storage.ID `json:"t,omitempty"` // the last table that is deleted
}

// Errors of a step.
var (
	errAgain = errors.New("the job was asked for again")
	errGone  = errors.New("the job was taken back")
)

const jobWhat = "how far a job is"

// loadJob reads a job and keeps others from changing it; false when there is none.
func loadJob(ctx context.Context, q querier, kind storage.WorkKind, of string) (j job, found bool, err error) {
	j = job{kind: kind, of: of}
	var b []byte
	err = q.QueryRow(ctx, "SELECT id, value FROM jobs WHERE kind = $1 AND of = $2 FOR UPDATE", kind, of).Scan(&j.id, &b)
	if errors.Is(err, pgx.ErrNoRows) {
		return j, false, nil
	}
	if err != nil {
		return j, false, err
	}
	return j, true, parseJSON(jobKind, words(string(kind), of), b, &j, jobWhat)
}

// isAsked reports whether there is such a job.
func isAsked(ctx context.Context, q querier, kind storage.WorkKind, of string) (found bool, err error) {
	err = q.QueryRow(ctx, "SELECT EXISTS (SELECT FROM jobs WHERE kind = $1 AND of = $2)", kind, of).Scan(&found)
	return found, err
}

func putJob(ctx context.Context, q querier, j job) error {
	b, err := sealJSON(jobKind, words(string(j.kind), j.of), j)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, "UPDATE jobs SET value = $3 WHERE kind = $1 AND of = $2", j.kind, j.of, b)
	return err
}

// request asks for a job, anew when it is there already.
func request(ctx context.Context, q querier, j job) error {
	b, err := sealJSON(jobKind, words(string(j.kind), j.of), j)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `INSERT INTO jobs (kind, of, id, value) VALUES ($1, $2, nextval('job_ids'), $3)
		ON CONFLICT (kind, of) DO UPDATE SET id = excluded.id, value = excluded.value`, j.kind, j.of, b)
	return err
}

func dropJob(ctx context.Context, q querier, kind storage.WorkKind, of string) error {
	_, err := q.Exec(ctx, "DELETE FROM jobs WHERE kind = $1 AND of = $2", kind, of)
	return err
}

// ask asks for a job. first is run in the same transaction; before is the job as it was asked for earlier, nil when it was not.
func (s *Store) ask(ctx context.Context, j job, first func(ctx context.Context, tx pgx.Tx, j, before *job) error) error {
	err := s.write(ctx, func(ctx context.Context, tx pgx.Tx, _ bool) error {
		j := j // it may be run more than once
		var before *job
		if b, there, err := loadJob(ctx, tx, j.kind, j.of); err != nil {
			return err
		} else if there {
			before = &b
		}
		if err := first(ctx, tx, &j, before); err != nil {
			return err
		}
		return request(ctx, tx, j)
	})
	if err == nil {
		s.labour.tell(j, nil)
	}
	return err
}

// labour is what does the jobs of a store.
type labour struct {
	store  *Store
	run    map[storage.WorkKind]func(context.Context, job) error
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	news   chan struct{}     // closed when a job was asked for, has ended or has failed
	failed map[jobName]error // until it is tried again
}

// jobName names a job.
type jobName struct {
	kind storage.WorkKind
	of   string
}

const (
	// retryAfter is when a job that failed is tried again.
	retryAfter = time.Minute
	// lookAfter is about how often it is looked for jobs of other processes, and whether those are done.
	lookAfter = time.Second
)

func newLabour(s *Store) *labour {
	l := &labour{store: s, news: make(chan struct{}), failed: map[jobName]error{}}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.run = map[storage.WorkKind]func(context.Context, job) error{recounting: s.countAnew, forgetting: s.forget, deleting: s.deleteGuild}
	return l
}

// start lets the jobs run, those that an earlier process left too: one of each kind at a time.
func (l *labour) start() {
	for kind := range l.run {
		l.wg.Go(func() {
			var failing time.Time
			for l.ctx.Err() == nil {
				news := l.watch()
				if failed := l.turn(kind); failed && failing.IsZero() {
					failing = time.Now()
				}
				if !failing.IsZero() && time.Since(failing) > retryAfter {
					failing = time.Time{}
					l.forgive(kind)
				}
				t := time.NewTimer(lookAfter + rand.N(lookAfter))
				select {
				case <-news:
				case <-t.C:
				case <-l.ctx.Done():
				}
				t.Stop()
			}
		})
	}
}

// turn does the jobs of a kind that are to be done, unless another process does them. It reports whether one has failed.
func (l *labour) turn(kind storage.WorkKind) (failed bool) {
	leave, err := l.store.enter(l.ctx)
	if err != nil {
		return false
	}
	defer leave()
	if _, found, failed := l.next(kind); !found {
		return failed
	}
	conn, err := l.store.pool.Acquire(l.ctx)
	if err != nil {
		return false
	}
	defer conn.Release()
	var mine bool
	if err := conn.QueryRow(l.ctx, "SELECT pg_try_advisory_lock(hashtextextended($1, 0))", "job "+string(kind)).Scan(&mine); err != nil || !mine {
		return false
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_unlock(hashtextextended($1, 0))", "job "+string(kind)); err != nil {
			_ = conn.Conn().Close(ctx) // the server takes the lock back
		}
	}()
	for l.ctx.Err() == nil {
		j, found, bad := l.next(kind)
		failed = failed || bad
		if !found {
			return failed
		}
		j.conn = conn
		err := l.run[kind](l.ctx, j)
		if errors.Is(err, errAgain) || errors.Is(err, errGone) {
			err = nil
		}
		if l.ctx.Err() == nil {
			l.tell(j, err)
		}
		if err != nil && conn.Conn().IsClosed() {
			return true
		}
	}
	return failed
}

// next is the first job of a kind that has not failed just now; otherwise whether one has.
func (l *labour) next(kind storage.WorkKind) (j job, found, failed bool) {
	err := l.store.read(l.ctx, func(ctx context.Context, q querier) error {
		rows, err := q.Query(ctx, `SELECT j.of, j.id, j.value FROM jobs j WHERE j.kind = $1
			AND ($1 <> $2 OR NOT EXISTS (SELECT FROM jobs d WHERE d.kind = $3 AND d.of = j.of)) ORDER BY j.of`, kind, recounting, deleting)
		if err != nil {
			return err
		}
		found, failed = false, false
		var of string
		var id uint64
		var b []byte
		_, err = pgx.ForEachRow(rows, []any{&of, &id, &b}, func() error {
			if found {
				return nil
			}
			j = job{kind: kind, of: of, id: id}
			if parseJSON(jobKind, words(string(kind), of), b, &j, jobWhat) != nil || l.failure(jobName{kind, of}) != nil {
				failed = true
				return nil
			}
			found = true
			return nil
		})
		return err
	})
	return j, found && err == nil, failed
}

// watch returns a channel that is closed at the next news.
func (l *labour) watch() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.news
}

// tell says that a job was asked for or has ended, or, with an error, has failed.
func (l *labour) tell(j job, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if delete(l.failed, jobName{j.kind, j.of}); err != nil {
		l.failed[jobName{j.kind, j.of}] = err
	}
	close(l.news)
	l.news = make(chan struct{})
}

func (l *labour) failure(name jobName) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed[name]
}

// forgive lets failed jobs of a kind be tried again.
func (l *labour) forgive(kind storage.WorkKind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name := range l.failed {
		if name.kind == kind {
			delete(l.failed, name)
		}
	}
}

func (l *labour) close() {
	l.cancel()
	l.wg.Wait()
}

// step commits one step of a job: f, and how far the job has come. It returns errAgain when the job was asked for anew, and errGone when it
// is no longer to be done. f may be called more than once.
func (s *Store) step(ctx context.Context, j *job, f func(ctx context.Context, tx pgx.Tx, j *job) error) error {
	for runs := 1; ; runs++ {
		now := *j
		err := s.observed(func() error {
			// What has begun is carried out, unless it takes too long.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			defer cancel()
			return onTx(ctx, j.conn, func(tx pgx.Tx) error {
				now = *j
				stored, ok, err := loadJob(ctx, tx, j.kind, j.of)
				switch {
				case err != nil:
					return err
				case !ok:
					return errGone
				case stored.id != j.id:
					return errAgain
				}
				if err := f(ctx, tx, &now); err != nil {
					return err
				}
				if now.done {
					return dropJob(ctx, tx, now.kind, now.of)
				}
				if stored.Phase == now.Phase && stored.After == now.After {
					return nil
				}
				return putJob(ctx, tx, now)
			})
		})
		switch {
		case isCollision(err) && runs < mostRuns:
			pause(ctx, rand.N(time.Duration(runs)*collisionPause))
		case err != nil:
			return translate(err)
		default:
			*j = now
			return ctx.Err()
		}
	}
}

// steps commits steps until one of them sets done.
func (s *Store) steps(ctx context.Context, j job, f func(ctx context.Context, tx pgx.Tx, j *job) error) error {
	for !j.done {
		if err := s.step(ctx, &j, f); err != nil && !j.done {
			return err
		}
	}
	return nil
}

// Works lists the work that was asked for and is not done.
func (s *Store) Works(ctx context.Context) ([]storage.Work, error) {
	var list []storage.Work
	err := s.read(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.Query(ctx, "SELECT kind, of FROM jobs ORDER BY kind, of")
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (w storage.Work, err error) {
			err = row.Scan(&w.Kind, &w.Of)
			return w, err
		})
		return err
	})
	return list, err
}

// UnderWay reports whether such work was asked for and is not done.
func (s *Store) UnderWay(ctx context.Context, w storage.Work) (found bool, err error) {
	err = s.read(ctx, func(ctx context.Context, q querier) error {
		found, err = isAsked(ctx, q, w.Kind, w.Of)
		return err
	})
	return found, err
}

// Finished waits until such work is done, as storage.Engine says.
func (s *Store) Finished(ctx context.Context, w storage.Work) error {
	look := time.NewTicker(lookAfter) // another process may do it
	defer look.Stop()
	for {
		news := s.labour.watch()
		if found, err := s.UnderWay(ctx, w); !found || err != nil {
			return err
		}
		if err := s.labour.failure(jobName{w.Kind, w.Of}); err != nil {
			return err
		}
		select {
		case <-news:
		case <-look.C:
		case <-s.stop:
			return storage.ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
