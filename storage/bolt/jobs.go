package bolt

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"marque/storage"
)

// A job is work in proportion to what is stored: counting a server's leaderboards anew, forgetting a
// user, deleting a server. It is written down in the commit that asks for it and done in the
// background in steps, each a commit of bounded size that also notes how far the job has come, so that
// moves commit in between and a job that was cut off between any two steps goes on at the next start.

// jobKind begins the key of a job.
type jobKind byte

const (
	recounting jobKind = 'r' // of a server
	forgetting jobKind = 'f' // of a user
	deleting   jobKind = 'd' // of a server
	fillTurns  jobKind = 't' // once, of a file of schema 1: see fillIndexes
	fillingIn  jobKind = 'u' // likewise: see fillFacts
)

// job is a job as it is stored, under its kind and what it is of.
type job struct {
	kind jobKind
	of   string
	done bool // by the step that is running

	ID    uint64     `json:"i"`           // of the latest request: when it rises, a job that runs begins again
	Phase int        `json:"p,omitempty"` // how far it is
	After []byte     `json:"a,omitempty"` // how far it is in this phase: a key
	As    string     `json:"n,omitempty"` // the name that a user who is forgotten has from then on
	Upto  storage.ID `json:"t,omitempty"` // the last table that is deleted
}

func jobKey(kind jobKind, of string) []byte { return append([]byte{byte(kind)}, of...) }

// Errors of a step.
var (
	errAgain = errors.New("the job was asked for again")
	errGone  = errors.New("the job was taken back")
)

// loadJob reads a job; false when there is none.
func loadJob(tx *bbolt.Tx, kind jobKind, of string) (job, bool, error) {
	j := job{kind: kind, of: of}
	key := jobKey(kind, of)
	b := tx.Bucket(jobBucket).Get(key)
	if b == nil {
		return j, false, nil
	}
	return j, true, decodeJSON(jobBucket, key, b, &j)
}

func putJob(t *txn, j job) error {
	b, err := encodeJSON(j)
	if err != nil {
		return err
	}
	return t.put(jobBucket, jobKey(j.kind, j.of), b)
}

// request asks for a job, anew when it is there already.
func request(t *txn, j job) error {
	var err error
	if j.ID, err = t.tx.Bucket(jobBucket).NextSequence(); err != nil {
		return err
	}
	return putJob(t, j)
}

// labour is what does the jobs of a store.
type labour struct {
	run    map[jobKind]func(context.Context, job) error
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	pause  func(ctx context.Context, took time.Duration) // between two steps

	mu     sync.Mutex
	news   chan struct{}    // closed when a job was asked for, has ended or has failed
	failed map[string]error // by job key, until it is tried again
}

// retryAfter is when a job that failed is tried again.
const retryAfter = time.Minute

func newLabour(s *Store) *labour {
	l := &labour{news: make(chan struct{}), failed: map[string]error{}}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.pause = func(context.Context, time.Duration) {}
	l.run = map[jobKind]func(context.Context, job) error{
		recounting: s.countAnew,
		forgetting: s.forget,
		deleting:   s.deleteGuild,
		fillingIn:  s.fillFacts,
	}
	return l
}

// breathe leaves the writer to others for as long as a step took.
func breathe(ctx context.Context, took time.Duration) {
	t := time.NewTimer(took)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// start lets the jobs run, those that an earlier process left too: one of each kind at a time.
func (l *labour) start(s *Store) {
	for kind, run := range l.run {
		l.wg.Go(func() {
			for l.ctx.Err() == nil {
				s.labourAt(kind, run)
			}
		})
	}
}

// labourAt does the first job of a kind that is to be done, or waits for one.
func (s *Store) labourAt(kind jobKind, run func(context.Context, job) error) {
	l := s.labour
	news := l.watch()
	j, found, failed := s.nextJob(kind)
	if !found {
		var again <-chan time.Time
		if failed {
			t := time.NewTimer(retryAfter)
			defer t.Stop()
			again = t.C
		}
		select {
		case <-news:
		case <-again:
			l.forgive(kind)
		case <-l.ctx.Done():
		}
		return
	}
	err := run(l.ctx, j)
	if errors.Is(err, errAgain) || errors.Is(err, errGone) {
		err = nil
	}
	if l.ctx.Err() == nil {
		l.tell(jobKey(kind, j.of), err)
	}
}

// nextJob is the first job of a kind that has not failed just now; otherwise whether one has.
func (s *Store) nextJob(kind jobKind) (j job, found, failed bool) {
	err := s.view(s.labour.ctx, func(tx *bbolt.Tx) error {
		c := tx.Bucket(jobBucket).Cursor()
		for k, v := c.Seek([]byte{byte(kind)}); len(k) > 0 && k[0] == byte(kind) && !found; k, v = c.Next() {
			j = job{kind: kind, of: string(k[1:])}
			if err := decodeJSON(jobBucket, k, v, &j); err != nil || s.labour.failure(k) != nil {
				failed = true
				continue
			}
			if kind == recounting && tx.Bucket(jobBucket).Get(jobKey(deleting, j.of)) != nil {
				continue // it is counted when that is done
			}
			found = true
		}
		return nil
	})
	return j, found, failed || err != nil
}

// watch returns a channel that is closed at the next news.
func (l *labour) watch() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.news
}

// tell says that a job was asked for or has ended, or, with an error, has failed.
func (l *labour) tell(key []byte, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if delete(l.failed, string(key)); err != nil {
		l.failed[string(key)] = err
	}
	close(l.news)
	l.news = make(chan struct{})
}

func (l *labour) failure(key []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed[string(key)]
}

// forgive lets failed jobs of a kind be tried again.
func (l *labour) forgive(kind jobKind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.failed {
		if k[0] == byte(kind) {
			delete(l.failed, k)
		}
	}
}

func (l *labour) close() {
	l.cancel()
	l.wg.Wait()
}

// step commits one step of a job: f, and how far the job has come. It returns errAgain when the job
// was asked for anew, and errGone when it is no longer to be done. f may be called more than once.
func (s *Store) step(ctx context.Context, j *job, f func(*txn, *job) error) error {
	begun := time.Now()
	var now job
	err := s.do(ctx, func(t *txn) error {
		now = *j
		stored, ok, err := loadJob(t.tx, j.kind, j.of)
		switch {
		case err != nil:
			return err
		case !ok:
			return errGone
		case stored.ID != j.ID:
			return errAgain
		}
		if err := f(t, &now); err != nil {
			return err
		}
		if now.done {
			return t.del(jobBucket, jobKey(now.kind, now.of))
		}
		if stored.Phase == now.Phase && bytes.Equal(stored.After, now.After) {
			return nil
		}
		return putJob(t, now)
	})
	if err != nil {
		return err
	}
	if *j = now; !j.done {
		s.labour.pause(ctx, time.Since(begun))
	}
	return nil
}

// steps commits steps until one of them sets done.
func (s *Store) steps(ctx context.Context, j job, f func(*txn, *job) error) error {
	for !j.done {
		if err := s.step(ctx, &j, f); err != nil {
			return err
		}
	}
	return nil
}

// workKinds are the kinds of jobs that somebody may wait for.
var workKinds = map[jobKind]storage.WorkKind{recounting: storage.Recounting, forgetting: storage.Forgetting, deleting: storage.Deleting}

func kindOf(w storage.WorkKind) jobKind {
	for kind, k := range workKinds {
		if k == w {
			return kind
		}
	}
	return 0 // of which there are none
}

// Works lists the work that was asked for and is not done.
func (s *Store) Works(ctx context.Context) ([]storage.Work, error) {
	var list []storage.Work
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		return tx.Bucket(jobBucket).ForEach(func(k, _ []byte) error {
			if kind, ok := workKinds[jobKind(k[0])]; ok {
				list = append(list, storage.Work{Kind: kind, Of: string(k[1:])})
			}
			return nil
		})
	})
	return list, err
}

// UnderWay reports whether such work was asked for and is not done.
func (s *Store) UnderWay(ctx context.Context, w storage.Work) (bool, error) {
	return s.pending(ctx, jobKey(kindOf(w.Kind), w.Of))
}

func (s *Store) pending(ctx context.Context, key []byte) (found bool, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		found = tx.Bucket(jobBucket).Get(key) != nil
		return nil
	})
	return found, err
}

// Finished waits until such work is done; at once when none was asked for. It returns the context's
// error, storage.ErrClosed, or why the work cannot be done for now; it is tried again all the same.
func (s *Store) Finished(ctx context.Context, w storage.Work) error {
	for {
		news := s.labour.watch()
		if found, err := s.UnderWay(ctx, w); !found || err != nil {
			return err
		}
		if err := s.labour.failure(jobKey(kindOf(w.Kind), w.Of)); err != nil {
			return err
		}
		select {
		case <-news:
		case <-s.stop:
			return storage.ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
