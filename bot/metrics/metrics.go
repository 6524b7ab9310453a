// Package metrics counts the bot's work. It serves metrics for Prometheus over HTTP, reports whether the process is
// alive and ready, and can serve profiles. The packages whose work it counts do not need it: they call observers or
// return plain numbers.
//
// No metric names people, servers, channels or tables, and every label has few values.
package metrics

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"marque/bot/interact"
	"marque/bot/rest"
	"marque/bot/table"
	"marque/bot/webhook"
	"marque/render"
	"marque/storage"
)

// answerLimit is how long Discord waits for the first answer to an interaction, in seconds.
const answerLimit = 3

// Metrics counts events, and reads further numbers from its sources. Its methods are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	sources  sources

	interactions *prometheus.CounterVec
	firstAnswer  *prometheus.HistogramVec
	requests     *prometheus.CounterVec
	requestTime  *prometheus.HistogramVec
	commitTime   prometheus.Histogram
	commitFailed prometheus.Counter
	pictures     *prometheus.CounterVec
	paintTime    *prometheus.HistogramVec
	thinking     prometheus.Histogram
	calls        *prometheus.CounterVec
	served       *prometheus.CounterVec
	pageMessages prometheus.Counter
	touchTime    prometheus.Histogram
}

// Build identifies the running program.
type Build struct {
	Version string
	Commit  string
	Schema  int // schema version of the store
}

// New returns a Metrics whose counts are zero. b is exported as the labels of a metric.
func New(b Build) *Metrics {
	histogram := func(name, help string, buckets ...float64) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		interactions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "marque_interactions_total",
			Help: "Interactions by command or control and outcome: ok, refused, failed, undelivered, dropped.",
		}, []string{"kind", "command", "outcome"}),
		firstAnswer: prometheus.NewHistogramVec(histogram("marque_interaction_first_answer_seconds",
			"Time from the arrival of an interaction to the first answer that Discord took; Discord waits for three seconds.",
			.01, .025, .05, .1, .25, .5, 1, 1.5, 2, answerLimit, 5, 15), []string{"kind"}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "marque_discord_requests_total",
			Help: "Requests to Discord by method, route and status; the status of those without an answer is none.",
		}, []string{"method", "route", "status"}),
		requestTime: prometheus.NewHistogramVec(histogram("marque_discord_request_duration_seconds",
			"Time of a request to Discord.", .025, .05, .1, .25, .5, 1, 2.5, 5, 15), []string{"method"}),
		commitTime: prometheus.NewHistogram(histogram("marque_store_commit_duration_seconds",
			"Time of a commit of the store, from the beginning of its transaction until it is on the disk.",
			.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5)),
		commitFailed: prometheus.NewCounter(prometheus.CounterOpts{Name: "marque_store_commit_failures_total",
			Help: "Commits that the disk did not take."}),
		pictures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "marque_pictures_total",
			Help: "Pictures by kind (board, hand, sheet, replay), and whether they came from the cache or were painted.",
		}, []string{"kind", "from"}),
		paintTime: prometheus.NewHistogramVec(histogram("marque_picture_paint_seconds",
			"Time to paint a picture that was not in the cache, the wait for a processor included.", .001, .0025, .005,
			.01, .025, .05, .1, .25, .5, 1, 2.5, 10),
			[]string{"kind"}),
		thinking: prometheus.NewHistogram(histogram("marque_computer_thinking_seconds",
			"Time that computer players thought for a table, until their moves were stored.", .01, .05, .1, .25, .5, 1,
			2.5, 5, 10, 30)),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "marque_webhook_calls_total",
			Help: "Calls of users' webhooks by outcome: taken, failed (tried again), refused (no public address), " +
				"limited (sent later), gone.",
		}, []string{"outcome"}),
		served: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "marque_page_requests_total",
			Help: "Requests of pages in browsers by route and HTTP status; 422 are those refused with a sentence.",
		}, []string{"route", "status"}),
		pageMessages: prometheus.NewCounter(prometheus.CounterOpts{Name: "marque_page_messages_total",
			Help: "Messages to pages in browsers that something may have changed."}),
		touchTime: prometheus.NewHistogram(histogram("marque_page_touch_seconds",
			"Time from a touch on a page to the picture that follows, as pages measure it.",
			.05, .1, .25, .5, 1, 2.5, 5, 15)),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "marque_build_info", Help: "1, with the version, the commit and the schema of the store as labels.",
		ConstLabels: prometheus.Labels{"version": b.Version, "commit": b.Commit, "schema": strconv.Itoa(b.Schema)},
	})
	build.Set(1)
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build,
		m.interactions, m.firstAnswer, m.requests, m.requestTime, m.commitTime, m.commitFailed, m.pictures, m.paintTime,
		m.thinking, m.calls, m.served, m.pageMessages, m.touchTime,
		&m.sources,
	)
	return m
}

// Answered counts an interaction, and records the time to its first answer if there was one.
func (m *Metrics) Answered(a interact.Answered) {
	m.interactions.WithLabelValues(a.Kind, a.What, string(a.Outcome)).Inc()
	if a.First > 0 {
		m.firstAnswer.WithLabelValues(a.Kind).Observe(a.First.Seconds())
	}
}

// Exchanged counts a request to Discord, and records its duration.
func (m *Metrics) Exchanged(e rest.Exchange) {
	status := "none"
	if e.Status != 0 {
		status = strconv.Itoa(e.Status)
	}
	m.requests.WithLabelValues(e.Method, e.Route, status).Inc()
	m.requestTime.WithLabelValues(e.Method).Observe(e.Took.Seconds())
}

// Committed counts a commit of the store. After a failed commit the bot is not ready until a commit succeeds.
func (m *Metrics) Committed(took time.Duration, err error) {
	m.sources.committed(err)
	if err != nil {
		m.commitFailed.Inc()
		return
	}
	m.commitTime.Observe(took.Seconds())
}

// Painted counts a picture from the cache, or a painted picture with the time for painting it.
func (m *Metrics) Painted(p render.Painted) {
	if p.Cached {
		m.pictures.WithLabelValues(p.Kind, "cache").Inc()
		return
	}
	m.pictures.WithLabelValues(p.Kind, "painted").Inc()
	m.paintTime.WithLabelValues(p.Kind).Observe(p.Took.Seconds())
}

// Thought records how long computer players thought at a table.
func (m *Metrics) Thought(took time.Duration) { m.thinking.Observe(took.Seconds()) }

// Called counts a call of a user's webhook by its outcome.
func (m *Metrics) Called(o webhook.Outcome) { m.calls.WithLabelValues(string(o)).Inc() }

// Served counts a request of a browser page by route and status.
func (m *Metrics) Served(route string, status int) {
	m.served.WithLabelValues(route, strconv.Itoa(status)).Inc()
}

// PageMessage counts a message that was sent to a browser page.
func (m *Metrics) PageMessage() { m.pageMessages.Inc() }

// Touched records the time from a touch on a browser page to the resulting picture.
func (m *Metrics) Touched(took time.Duration) { m.touchTime.Observe(took.Seconds()) }

// WatchPages sets the function that returns the number of open browser pages.
func (m *Metrics) WatchPages(open func() int) { m.sources.set(func(o *sources) { o.pages = open }) }

// Client returns a copy of c that counts requests to Discord.
func (m *Metrics) Client(c *http.Client) *http.Client {
	counted := *c
	counted.Transport = rest.Watch(c.Transport, m.Exchanged)
	return &counted
}

// Store is the part of the store that a Metrics reads.
type Store interface {
	Alive(ctx context.Context) error
	Size(ctx context.Context) (storage.Size, error)
	Tally(ctx context.Context) (map[storage.Group]int, error)
}

// Tables is the part of the table service that a Metrics uses.
type Tables interface {
	// TryStore writes something harmless to the store.
	TryStore()
	Numbers(ctx context.Context) (table.Numbers, error)
}

// Gateway is the part of the connection to Discord that a Metrics reads.
type Gateway interface {
	Health() (up bool, lag time.Duration)
	Failures() uint64
	// Held returns the time until which no session may begin, because too many have begun today. It is zero if sessions
	// may begin.
	Held() time.Time
}

// Backup is the state of the copies of the store.
type Backup struct {
	Latest time.Time // when the latest copy was made; the zero time if there is none
	Sound  bool      // whether the latest copy was checked and is not damaged
	Failed int       // number of failed copies since the start
}

// WatchStore sets the store, which is read for each request for metrics.
func (m *Metrics) WatchStore(s Store) { m.sources.set(func(o *sources) { o.store = s }) }

// WatchTables sets the table service, which is read for each request for metrics.
func (m *Metrics) WatchTables(t Tables) { m.sources.set(func(o *sources) { o.tables = t }) }

// WatchGateway sets the connection to Discord, which is read for each request for metrics.
func (m *Metrics) WatchGateway(g Gateway) { m.sources.set(func(o *sources) { o.gateway = g }) }

// WatchBudget sets the function that returns the state of the budget of requests. It is called for each request for
// metrics.
func (m *Metrics) WatchBudget(f func() rest.Spending) {
	m.sources.set(func(o *sources) { o.budget = f })
}

// WatchShards sets the function that returns the numbers of all shards, of the leases that the process holds, and of
// its lapsed leases. It is called for each request for metrics. Only processes that share a store have leases.
func (m *Metrics) WatchShards(f func() (all, held, lapsed int)) {
	m.sources.set(func(o *sources) { o.shards = f })
}

// WatchBackups sets the function that returns the state of the copies, or an error if they cannot be listed. It is
// called for each request for metrics.
func (m *Metrics) WatchBackups(f func() (Backup, error)) {
	m.sources.set(func(o *sources) { o.backups = f })
}

// errStarting says that the bot is still starting.
var errStarting = errors.New("the bot is starting")

// errUnwritten says that the last commit of the store failed.
var errUnwritten = errors.New("the last commit failed, the log says why; it is tried again by itself")
