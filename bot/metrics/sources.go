package metrics

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"marque/bot/rest"
	"marque/storage"
)

const (
	// askTime limits the reads of the store and of the table service for one request for metrics. The count of tables
	// has no time limit.
	askTime = 5 * time.Second
	// countPause is the minimum pause between two counts of tables. The pause is also at least countShare times as long
	// as the last count, so that counting uses less than a hundredth of a processor.
	countPause = time.Minute
	countShare = 100
	// tryPause is the time from a failed commit to the next attempt.
	tryPause = 10 * time.Second
)

// described has all descriptions that the function describe has created.
var described []*prometheus.Desc

func describe(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc(name, help, labels, nil)
	described = append(described, d)
	return d
}

var (
	gatewayUp  = describe("marque_gateway_up", "1 while the bot is connected to Discord's gateway.")
	gatewayLag = describe("marque_gateway_heartbeat_lag_seconds",
		"Time that Discord took to answer the last heartbeat, or has not answered it so far.")
	gatewayBad = describe("marque_gateway_event_failures_total",
		"Events of Discord's gateway that could not be read or handled.")
	shardsAll = describe("marque_shards",
		"Shards into which the servers are divided; for processes that share a database.")
	shardsHeld = describe("marque_shards_held", "Shards that this process serves: it holds their leases.")
	shardsLost = describe("marque_shards_lapsed",
		"Shards whose leases ran out for this process, because it could not renew them.")
	budgetLimit = describe("marque_discord_budget_limit",
		"Requests with the bot's token that this process may now make in 1.25 seconds.")
	budgetSent = describe("marque_discord_budget_spent_total",
		"Requests made with the bot's token by kind: answers, boards, reminders, cards, tidying.", "kind")
	budgetWaits = describe("marque_discord_budget_waiting",
		"Requests that wait for the limits of the bot's token, by kind.", "kind")
	refusals = describe("marque_discord_invalid_requests",
		"Requests of the last ten minutes that Discord refused with 401, 403 or 429; for 10,000 it bars an address.")
	newsWaiting = describe("marque_news_waiting_tables",
		"Tables whose news are to be told.")
	newsAge = describe("marque_news_oldest_age_seconds",
		"Age of the oldest news that are to be told; without those that are kept because a channel does not take them.")
	dueLag = describe("marque_due_lag_seconds",
		"By how much the earliest moment that falls due is overdue; without tables at which it failed.")
	dueFailing = describe("marque_due_failing_tables",
		"Tables at which what fell due could not be carried out, and is tried again.")
	waiting     = describe("marque_computer_queue_tables", "Tables that wait for a computer player to begin to think.")
	thinkingNow = describe("marque_computer_thinking_tables", "Tables for which computer players think.")
	frozen      = describe("marque_tables_frozen", "Frozen tables that were met since the start.")
	tables      = describe("marque_tables",
		"Tables by game and state: lobby, playing, paused, over. Counted once a minute at most.", "game", "state")
	pagesOpen  = describe("marque_pages_open", "Pages in browsers that hear of changes.")
	storeBytes = describe("marque_store_size_bytes", "Size of the store's file.")
	freePages  = describe("marque_store_free_pages", "Pages of the store's file that are free.")
	freeBytes  = describe("marque_store_free_bytes", "Bytes of the store's file that are free.")
	storeUp    = describe("marque_store_up", "1 while the store reads and writes.")
	backupTime = describe("marque_backup_last_timestamp_seconds",
		"When the latest copy of the store was made; 0 when there is none.")
	backupValid = describe("marque_backup_last_valid",
		"1 when nothing was damaged in the latest copy of the store when it was checked.")
	backupFails = describe("marque_backup_failures_total",
		"Copies of the store that could not be made since the start.")
)

// sources has the parts of the bot that are read for each request for metrics.
type sources struct {
	mu      sync.Mutex
	store   Store
	tables  Tables
	gateway Gateway
	budget  func() rest.Spending
	shards  func() (all, held, lapsed int)
	backups func() (Backup, error)
	pages   func() int

	unwritten bool // whether the last commit failed
	trying    bool // whether another attempt at a commit is scheduled

	counts   map[storage.Group]int
	counting bool
	next     time.Time // when the tables may be counted again
	idle     sync.WaitGroup
	closed   bool
}

func (o *sources) set(f func(*sources)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f(o)
}

// Describe implements prometheus.Collector.
func (o *sources) Describe(out chan<- *prometheus.Desc) {
	for _, d := range described {
		out <- d
	}
}

// Collect implements prometheus.Collector. It leaves out numbers that cannot be read, except the numbers of tables,
// which stay those of the last count. If the store fails, marque_store_up is 0.
func (o *sources) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	o.mu.Lock()
	store, all, gateway, budget, shards, backups := o.store, o.tables, o.gateway, o.budget, o.shards, o.backups
	pages := o.pages
	o.mu.Unlock()
	if pages != nil {
		gauge(pagesOpen, float64(pages()))
	}
	if gateway != nil {
		up, lag := gateway.Health()
		gauge(gatewayUp, number(up))
		gauge(gatewayLag, lag.Seconds())
		out <- prometheus.MustNewConstMetric(gatewayBad, prometheus.CounterValue, float64(gateway.Failures()))
	}
	if budget != nil {
		b := budget()
		gauge(budgetLimit, float64(b.Limit))
		gauge(refusals, float64(b.Invalid))
		for k, n := range b.Sent {
			out <- prometheus.MustNewConstMetric(budgetSent, prometheus.CounterValue, float64(n), rest.Kind(k).String())
			gauge(budgetWaits, float64(b.Waiting[k]), rest.Kind(k).String())
		}
	}
	if shards != nil {
		all, held, lapsed := shards()
		gauge(shardsAll, float64(all))
		gauge(shardsHeld, float64(held))
		gauge(shardsLost, float64(lapsed))
	}
	if all != nil {
		if n, err := all.Numbers(ctx); err == nil {
			gauge(newsWaiting, float64(n.Unpublished))
			gauge(newsAge, n.OldestNews.Seconds())
			gauge(dueLag, n.DueLag.Seconds())
			gauge(dueFailing, float64(n.Failing))
			gauge(waiting, float64(n.Waiting))
			gauge(thinkingNow, float64(n.Thinking))
			gauge(frozen, float64(n.Frozen))
		}
	}
	if store != nil {
		gauge(storeUp, number(o.works(ctx, store) == nil))
		if size, err := store.Size(ctx); err == nil {
			gauge(storeBytes, float64(size.Bytes))
			gauge(freePages, float64(size.FreePages))
			gauge(freeBytes, float64(size.FreeBytes))
		}
		states := map[[2]string]int{}
		for group, n := range o.tally(store) {
			states[[2]string{group.Game, state(group)}] += n
		}
		for labels, n := range states {
			gauge(tables, float64(n), labels[:]...)
		}
	}
	if backups != nil {
		if b, err := backups(); err == nil {
			at := float64(0)
			if !b.Latest.IsZero() {
				at = float64(b.Latest.Unix())
			}
			gauge(backupTime, at)
			gauge(backupValid, number(b.Sound))
			out <- prometheus.MustNewConstMetric(backupFails, prometheus.CounterValue, float64(b.Failed))
		}
	}
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func state(g storage.Group) string {
	switch {
	case g.Status == storage.Over:
		return "over"
	case g.Paused:
		return "paused"
	case g.Status == storage.Lobby:
		return "lobby"
	}
	return "playing"
}

// tally returns the numbers of tables from the last count. If the tables may be counted again, it starts a count in the
// background. It waits for this count only if none has succeeded so far.
func (o *sources) tally(store Store) map[storage.Group]int {
	o.mu.Lock()
	counts := o.counts
	count := !o.counting && !o.closed && !time.Now().Before(o.next)
	if count {
		o.counting = true
		o.idle.Add(1)
	}
	o.mu.Unlock()
	switch {
	case count && counts == nil:
		return o.count(store)
	case count:
		go o.count(store)
	}
	return counts
}

func (o *sources) count(store Store) map[storage.Group]int {
	defer o.idle.Done()
	began := time.Now()
	counts, err := store.Tally(context.Background())
	o.mu.Lock()
	defer o.mu.Unlock()
	o.counting, o.next = false, time.Now().Add(max(countPause, countShare*time.Since(began)))
	if err == nil {
		o.counts = counts
	}
	return o.counts
}

// close prevents further counts, and waits for a running one.
func (o *sources) close() {
	o.set(func(o *sources) { o.closed = true })
	o.idle.Wait()
}

// works returns nil if the store can be read and the last commit succeeded. Only a commit reveals that a disk is full.
func (o *sources) works(ctx context.Context, store Store) error {
	if err := store.Alive(ctx); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.unwritten {
		return errUnwritten
	}
	return nil
}

// committed records whether a commit failed. After a failure it schedules another attempt, unless one is scheduled, o
// is closed or the table service is not set.
func (o *sources) committed(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unwritten = err != nil
	if err == nil || o.trying || o.closed || o.tables == nil {
		return
	}
	o.trying = true
	time.AfterFunc(tryPause, func() {
		o.mu.Lock()
		tables, try := o.tables, o.unwritten && !o.closed
		o.trying = false
		o.mu.Unlock()
		if try {
			tables.TryStore() // if it fails, committed schedules the next attempt
		}
	})
}

// ready returns an error for each reason why the bot is not ready: the store does not work, the bot is not connected to
// Discord, or leases of its shards have lapsed. store and gateway are errStarting while the bot is starting. ready
// sends no requests to Discord.
func (o *sources) ready(ctx context.Context) (store, gateway, leases error) {
	o.mu.Lock()
	s, g, sh := o.store, o.gateway, o.shards
	o.mu.Unlock()
	if sh != nil {
		if _, _, lapsed := sh(); lapsed > 0 {
			leases = fmt.Errorf("of %d shards the leases have run out, because they could not be renewed", lapsed)
		}
	}
	store, gateway = errStarting, errStarting
	if s != nil {
		store = o.works(ctx, s)
	}
	if g != nil {
		gateway = nil
		if up, _ := g.Health(); !up {
			gateway = errors.New("not connected to Discord")
			if until := g.Held(); !until.IsZero() {
				gateway = fmt.Errorf("not connected to Discord: too many sessions were begun today, the next begins at %s",
					until.UTC().Format(time.RFC3339))
			}
		}
	}
	return store, gateway, leases
}
