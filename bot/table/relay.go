package table

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"marque/storage"
)

// Wire carries texts between the processes that share a store, quickly, and possibly loses some; storage.Leases does
// that.
type Wire interface {
	Send(ctx context.Context, text string) error
	Listen(ctx context.Context, heard func(text string)) error
}

// relayPause is how long the relay waits before it listens again.
const relayPause = 5 * time.Second

// Relay tells other processes which tables this one changes, and hears from them, until ctx ends. Polling finds what
// was lost on the way.
func (s *Sharing) Relay(ctx context.Context, w Wire) {
	process := rand.Text() // the process hears itself, too
	sub := s.changes.subscribe(Interest{})
	s.changes.mu.Lock()
	s.changes.relay = sub
	s.changes.mu.Unlock()
	s.looks.share()
	defer sub.Close()
	var both sync.WaitGroup
	defer both.Wait()
	both.Go(func() { s.send(ctx, w, process, sub) })
	both.Go(func() { s.listen(ctx, w, process) })
}

// send sends the changes of this process, and collects several while a sending is slow.
func (s *Sharing) send(ctx context.Context, w Wire, process string, sub *Subscription) {
	again := time.NewTicker(lookEvery)
	defer again.Stop()
	for {
		var list []change
		select {
		case <-sub.Ready():
			list, _ = sub.take()
		case <-s.looks.ready:
			list = s.looks.take(false)
		case <-again.C:
			list = s.looks.take(true)
		case <-ctx.Done():
			return
		}
		if s.owned.alone() {
			continue
		}
		for _, text := range packed(process, list) {
			if err := w.Send(ctx, text); err != nil && ctx.Err() == nil {
				s.queue.log.WarnContext(ctx, "other processes hear late what changed at tables", "error", err)
			}
		}
	}
}

// listen receives the changes of other processes.
func (s *Sharing) listen(ctx context.Context, w Wire, process string) {
	for {
		err := w.Listen(ctx, func(text string) { s.heard(process, text) })
		if ctx.Err() != nil {
			return
		}
		s.queue.log.WarnContext(ctx, "what other processes change at tables is heard late", "error", err)
		pause := time.NewTimer(relayPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
		}
	}
}

// heard takes in a text from another process.
func (s *Sharing) heard(process, text string) {
	if text == "" { // something may have been missed until now
		s.Gaining()
		s.queue.fetch(true)
		return
	}
	from, lines, _ := strings.Cut(text, "\n")
	if from == process {
		return
	}
	for line := range strings.SplitSeq(lines, "\n") {
		var c change
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			s.queue.log.Error("another process sent what is no change of a table", "error", err)
			continue
		}
		if c.Looks != 0 {
			s.looks.heard(c)
			continue
		}
		if s.owned.sole(c.Guild) { // others seldom change tables there, and other servers' tables are not in memory
			s.cache.drop(c.Table)
		}
		if s.owned.mine(c.Guild) {
			s.queue.poke(c.Table)
		}
		s.changes.heard(c)
	}
}

// packed returns changes as texts to send: the process in the first line, then a change in each.
func packed(process string, list []change) (texts []string) {
	for text := process; len(list) > 0; list = list[1:] {
		line, err := json.Marshal(list[0])
		if err != nil {
			panic("table: " + err.Error()) // a change always has a JSON form
		}
		if len(text)+1+len(line) > storage.MaxSent && text != process {
			texts, text = append(texts, text), process
		}
		if text += "\n" + string(line); len(list) == 1 {
			texts = append(texts, text)
		}
	}
	return texts
}
