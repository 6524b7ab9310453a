package changes

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"time"

	"marque/storage"
)

// Wire carries texts between the processes that share a store. It is quick, but can lose texts. Listen first calls
// heard with an empty text, and then with each text that any process sends, until ctx ends or an error occurs.
// storage.Leases is a Wire.
type Wire interface {
	Send(ctx context.Context, text string) error
	Listen(ctx context.Context, heard func(text string)) error
}

// relayPause is the pause before the relay listens again after an error.
const relayPause = 5 * time.Second

// Relay sends this process's changes to other processes, and receives theirs.
type Relay struct {
	Hub   *Hub
	Looks *Looks
	// Alone reports whether no other process shares the store.
	Alone func() bool
	// Changed is called for each change of another process, before subscribers receive it.
	Changed func(Notice)
	// Missed is called when changes of other processes may have been lost.
	Missed func()
	Log    *slog.Logger
}

// Run relays changes until ctx ends. If messages are lost, a poll of the store finds the changes.
func (r *Relay) Run(ctx context.Context, w Wire) {
	process := rand.Text() // the process also receives its own texts
	sub := r.Hub.Relay()
	r.Looks.Share()
	defer sub.Close()
	var both sync.WaitGroup
	defer both.Wait()
	both.Go(func() { r.send(ctx, w, process, sub) })
	both.Go(func() { r.listen(ctx, w, process) })
}

// send sends the changes of this process. Changes that happen during a slow send are sent together.
func (r *Relay) send(ctx context.Context, w Wire, process string, sub *Subscription) {
	again := time.NewTicker(againEvery)
	defer again.Stop()
	for {
		var list []Notice
		select {
		case <-sub.Ready():
			list, _ = sub.Notices()
		case <-r.Looks.Ready():
			list = r.Looks.Take(false)
		case <-again.C:
			list = r.Looks.Take(true)
		case <-ctx.Done():
			return
		}
		if r.Alone() {
			continue
		}
		for _, text := range packed(process, list) {
			if err := w.Send(ctx, text); err != nil && ctx.Err() == nil {
				r.Log.WarnContext(ctx, "other processes hear late what changed at tables", "error", err)
			}
		}
	}
}

// listen receives the changes of other processes.
func (r *Relay) listen(ctx context.Context, w Wire, process string) {
	for {
		err := w.Listen(ctx, func(text string) { r.heard(process, text) })
		if ctx.Err() != nil {
			return
		}
		r.Log.WarnContext(ctx, "what other processes change at tables is heard late", "error", err)
		pause := time.NewTimer(relayPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
		}
	}
}

// heard handles a received text: it passes on changes of other processes, and ignores this process's own texts.
func (r *Relay) heard(process, text string) {
	if text == "" { // listening has begun, and earlier changes may be lost
		r.Missed()
		return
	}
	from, lines, _ := strings.Cut(text, "\n")
	if from == process {
		return
	}
	for line := range strings.SplitSeq(lines, "\n") {
		var c Notice
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			r.Log.Error("another process sent what is no change of a table", "error", err)
			continue
		}
		if c.Looks != 0 {
			r.Looks.Heard(c)
			continue
		}
		r.Changed(c)
		r.Hub.Heard(c)
	}
}

// packed returns changes as texts to send. The first line of a text identifies the process; each further line is a
// change.
func packed(process string, list []Notice) (texts []string) {
	for text := process; len(list) > 0; list = list[1:] {
		line, err := json.Marshal(list[0])
		if err != nil {
			panic("changes: " + err.Error()) // every notice can be encoded as JSON
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
