package table

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"marque/storage"
)

// Work in proportion to what is stored is done by the store in the background, in small steps: who asks
// for it is answered after a while at the latest, and told when it goes on.

// workPatience is how long an answer waits for such work.
const workPatience = time.Second

// await waits a while for work to be done, and reports whether it is.
func await(ctx context.Context, store workStore, w storage.Work) (bool, error) {
	waiting, cancel := context.WithTimeout(ctx, workPatience)
	defer cancel()
	err := store.Finished(waiting, w)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return false, nil
	}
	return err == nil, err
}

// janitor takes those who are being forgotten out of memory, where their names may be.
type janitor struct {
	store   workStore
	tables  *tables
	reviews *Reviews
	outbox  *outbox
	log     *slog.Logger
	ctx     context.Context
	cancel  context.CancelFunc
	wake    chan struct{}
	done    chan struct{} // closed at the end; nil until it has started
}

func (j *janitor) start() {
	j.done = make(chan struct{})
	go func() {
		defer close(j.done)
		for {
			j.sweep() // at the start as well: an earlier process may not have come to the end
			select {
			case <-j.wake:
			case <-j.ctx.Done():
				return
			}
		}
	}()
}

// poke says that somebody is to be forgotten.
func (j *janitor) poke() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// sweep waits until all who are to be forgotten are, and clears the memory.
func (j *janitor) sweep() {
	list, err := j.store.Works(j.ctx)
	for _, w := range list {
		if w.Kind == storage.Forgetting && err == nil {
			err = j.store.Finished(j.ctx, w)
		}
	}
	if err != nil && j.ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
		j.log.Error("a user could not be forgotten; trying again", "error", err)
	}
	j.clear()
}

func (j *janitor) clear() {
	j.tables.cache.clear()
	j.reviews.clear()
	j.outbox.clear()
}

func (j *janitor) close() {
	j.cancel()
	if j.done != nil {
		<-j.done
	}
}
