// Package postgres keeps keys and values in a table of a PostgreSQL database (15 or later), with github.com/jackc/pgx.
// Several processes can use one database at the same time.
//
// A group of Works usually takes two round trips. The first begins the transaction, takes the locks, checks the fences
// and fetches what the Works want. The second writes and commits. Locks are advisory locks, numbered by a hash of their
// names. A stopped client does not block others for long: the server ends a transaction whose client sends nothing for
// idleLimit, and another process ends a transaction of which only a part arrived (stuckSQL).
//
// Each commit stores a token of its group. If the connection breaks during a commit, the token shows whether the commit
// succeeded.
package postgres

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"marque/storage/kv"
)

// Schema is the version of the databases that this program reads and writes.
const Schema = 1

const (
	// leastVersion is the oldest supported server version, in the format of server_version_num.
	leastVersion = 150000
	// connections is the maximum number of connections of a process, unless the connection string sets pool_max_conns.
	connections = 16
	// connectPatience limits the time for setting up a session. It also limits the time for connecting, unless the
	// connection string sets connect_timeout.
	connectPatience = 5 * time.Second
	// openPatience limits the time for opening a database. It is longer than lockLimit, because other processes may
	// open the database at the same time.
	openPatience = 30 * time.Second
)

// Limits of sessions, which keep one process from blocking another for long.
const (
	// idleLimit is how long a write transaction may wait for its client. Then the server ends the transaction, because
	// the client is frozen, cut off or gone.
	idleLimit = 4 * time.Second
	// lockLimit is how long a statement waits for a lock. It is longer than idleLimit, so that a statement can get the
	// lock of a frozen client.
	lockLimit = 10 * time.Second
	// statementLimit is the maximum duration of a statement, including waits. It ends statements whose client has given
	// up.
	statementLimit = 12 * time.Second
	// patience is how long a client waits for an answer from a server that may be gone.
	patience = 15 * time.Second
	// viewIdleLimit replaces idleLimit for read-only transactions. It is longer, because they do not block others, and
	// a backup may wait for its disk.
	viewIdleLimit = 5 * time.Minute
	// probeIdle, probePause and probes decide when the server gives up a client machine that sends nothing. The server
	// probes a connection after probeIdle, then every probePause, and ends the connection after that many unanswered
	// probes.
	probeIdle, probePause, probes = 10 * time.Second, 3 * time.Second, 3
	// unackedLimit is how long data may stay unacknowledged by the client machine.
	unackedLimit = 15 * time.Second
	// checkPause is how often the server checks whether the client of a running statement is still connected.
	checkPause = 2 * time.Second
)

// sessionLimits returns the statements that set the limits of a session. Servers on systems that cannot check a client
// while a statement runs refuse client_connection_check_interval, and run without it.
func sessionLimits() string {
	s := fmt.Sprintf("SET idle_in_transaction_session_timeout TO %d; SET lock_timeout TO %d; SET statement_timeout TO %d; ",
		idleLimit.Milliseconds(), lockLimit.Milliseconds(), statementLimit.Milliseconds())
	s += fmt.Sprintf("SET tcp_keepalives_idle TO %d; SET tcp_keepalives_interval TO %d; SET tcp_keepalives_count TO %d; ",
		int(probeIdle.Seconds()), int(probePause.Seconds()), probes)
	return s + fmt.Sprintf("SET tcp_user_timeout TO %d; DO $$ BEGIN SET client_connection_check_interval TO %d; "+
		"EXCEPTION WHEN invalid_parameter_value THEN NULL; END $$", unackedLimit.Milliseconds(), checkPause.Milliseconds())
}

// stuckSQL ends sessions that have locks and have waited for their client longer than idleLimit. The server's timeouts
// do not run between two statements that are sent together. If a client vanishes when only a part of them has arrived,
// its session would keep its locks until the network gives up the connection. A role may end its own sessions.
var stuckSQL = fmt.Sprintf("SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a "+
	"WHERE a.datname = current_database() AND a.usename = current_user AND a.state = 'active' AND a.wait_event_type = 'Client' "+
	"AND a.state_change < clock_timestamp() - interval '%d milliseconds' AND ("+
	"a.backend_xid IS NOT NULL AND a.application_name = current_setting('application_name') "+
	"OR EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.locktype = 'advisory' AND l.granted))",
	idleLimit.Milliseconds())

// endStuck ends the sessions that stuckSQL finds. It ignores errors, because a caller that needs the sessions' locks
// gets its own error.
func (e *Engine) endStuck(ctx context.Context) {
	c, err := e.pool.Acquire(ctx)
	if err != nil {
		return
	}
	defer c.Release()
	r := &reads{}
	r.exec(stuckSQL)
	_ = e.send(ctx, c, r)
}

// planning makes statements use the index, and reuse one plan in each connection. Without it, a plan that was made
// while the table was small would not use the index.
const planning = "SET enable_seqscan TO off; SET enable_bitmapscan TO off; SET enable_sort TO off; SET jit TO off; " +
	"SET plan_cache_mode TO force_generic_plan"

// tables are the statements that create the tables and an index.
var tables = []string{
	`CREATE TABLE marque_pairs (
		space text COLLATE "C" NOT NULL, key bytea NOT NULL, value bytea NOT NULL, PRIMARY KEY (space, key)
	) WITH (fillfactor = 90)`,
	`CREATE TABLE marque_leases (
		kind text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, term bigint NOT NULL DEFAULT 0, until bigint NOT NULL DEFAULT 0,
		owner text COLLATE "C" NOT NULL DEFAULT '', heir text COLLATE "C" NOT NULL DEFAULT '', ready boolean NOT NULL DEFAULT false,
		PRIMARY KEY (kind, name)
	) WITH (fillfactor = 50)`,
	"CREATE INDEX marque_leases_seen ON marque_leases (until) WHERE kind = 'seen'",
}

// ownSpace is the space of the engine's own keys.
const ownSpace = ""

var (
	schemaKey = []byte("format") // holds the schema version, 4 bytes
	aliveKey  = []byte("alive")  // holds an empty value, which Engine.Alive writes
	// tokenKeys is the prefix of the keys of tokens; the process and the number of a slot follow. The value is the
	// number and the time of the last group that was committed in the slot, 8 bytes each.
	tokenKeys = []byte("token ")
)

// tokenKept is how long a token is kept at least.
const tokenKept = 24 * time.Hour

// OpenError says why a database cannot be used and how to fix this. It never contains the password.
type OpenError struct {
	Where  string // name of the database, as "marque at db.example.org:5432"; "" if it is unknown
	Advice string // advice for the operator, as part of a sentence
	Err    error  // an error of package kv, of the server or of the network, or another reason
}

func (e *OpenError) Error() string {
	if e.Where == "" {
		return fmt.Sprintf("the database cannot be opened: %v: %s", e.Err, e.Advice)
	}
	return fmt.Sprintf("database %s: %v: %s", e.Where, e.Err, e.Advice)
}

func (e *OpenError) Unwrap() error { return e.Err }

// Engine is a kv.Engine on a database.
type Engine struct {
	pool   *pgxpool.Pool
	where  string
	slots  chan []byte   // keys of the tokens that no running group uses
	groups atomic.Uint64 // number of commits that have been attempted
	opened time.Time     // when the engine was opened, by the clock of this machine
	clock  int64         // when the engine was opened, by the server's clock in microseconds since 1970
	// heard is when a round trip last succeeded, and unheard when a ping last failed, in nanoseconds since 1970.
	heard, unheard atomic.Int64
}

var (
	_ kv.Engine   = (*Engine)(nil)
	_ kv.Leases   = (*Engine)(nil)
	_ kv.Answerer = (*Engine)(nil)
)

// configure parses a connection string. Its errors do not contain the string, which may have a password.
func configure(url string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, &OpenError{
			Err:    errors.New("it is no connection string of PostgreSQL"),
			Advice: "write it as postgres://user:password@host:5432/database, special characters of the password as %40 and so on",
		}
	}
	if !strings.Contains(url, "pool_max_conns") {
		cfg.MaxConns = connections
	}
	if cfg.ConnConfig.ConnectTimeout == 0 {
		cfg.ConnConfig.ConnectTimeout = connectPatience
	}
	if cfg.ConnConfig.RuntimeParams["application_name"] == "" {
		cfg.ConnConfig.RuntimeParams["application_name"] = "marque"
	}
	session := planning + "; " + sessionLimits()
	// ConnectTimeout limits only the time up to the login.
	cfg.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		ctx, cancel := context.WithTimeout(ctx, connectPatience)
		defer cancel()
		_, err := c.PgConn().Exec(ctx, session).ReadAll()
		return err
	}
	return cfg, nil
}

// whereOf returns the name of a database for messages, without user and password.
func whereOf(cfg *pgx.ConnConfig) string {
	if strings.HasPrefix(cfg.Host, "/") {
		return fmt.Sprintf("%s at %s", cfg.Database, cfg.Host)
	}
	return fmt.Sprintf("%s at %s:%d", cfg.Database, cfg.Host, cfg.Port)
}

// Where returns the name of the database of a connection string, without the password. It returns "the database" for an
// invalid string.
func Where(url string) string {
	cfg, err := configure(url)
	if err != nil {
		return "the database"
	}
	return whereOf(cfg.ConnConfig)
}

// Open connects to the database of a connection string, and creates the tables if there are none. It refuses a database
// with another schema and leaves it unchanged. It gives up after openPatience. Errors are *OpenErrors.
func Open(ctx context.Context, url string) (*Engine, error) { return open(ctx, url, true) }

// Peek opens a database for reading, and creates no tables. It returns an *OpenError if there are none.
func Peek(ctx context.Context, url string) (*Engine, error) { return open(ctx, url, false) }

func open(ctx context.Context, url string, make bool) (*Engine, error) {
	cfg, err := configure(url)
	if err != nil {
		return nil, err
	}
	return openPool(ctx, cfg, make)
}

func openPool(ctx context.Context, cfg *pgxpool.Config, make bool) (e *Engine, err error) {
	ctx, cancel := context.WithTimeout(ctx, openPatience)
	defer cancel()
	e = &Engine{where: whereOf(cfg.ConnConfig)}
	if e.pool, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return nil, e.explain(err)
	}
	if err = e.suits(ctx); err == nil {
		err = e.begin(ctx, make)
	}
	if err != nil {
		e.pool.Close()
		return nil, e.explain(err)
	}
	return e, nil
}

// unsuitableError says that a database can be reached but not used.
type unsuitableError struct{ what, advice string }

func (e *unsuitableError) Error() string { return e.what }

// suits returns an error if the server is too old or a standby, or if the encoding of the database is not UTF8.
func (e *Engine) suits(ctx context.Context) error {
	var version int
	var encoding string
	var standby bool
	err := e.pool.QueryRow(ctx,
		"SELECT current_setting('server_version_num')::integer, current_setting('server_encoding'), pg_is_in_recovery()").
		Scan(&version, &encoding, &standby)
	switch {
	case err != nil:
		return err
	case version < leastVersion:
		return &unsuitableError{fmt.Sprintf("the server is PostgreSQL %d", version/10000),
			"marque needs PostgreSQL 15 or later"}
	case encoding != "UTF8":
		return &unsuitableError{"its encoding is " + encoding, "make a database with ENCODING 'UTF8'"}
	case standby:
		return &unsuitableError{"the server is a standby, which takes no changes",
			"name the primary server, or promote this one"}
	}
	return nil
}

// begin checks the schema. If there are no tables and make is set, it creates them; of several processes that start at
// the same time, one does.
func (e *Engine) begin(ctx context.Context, make bool) error {
	e.endStuck(ctx)
	err := pgx.BeginFunc(ctx, e.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", hash("schema")); err != nil {
			return err
		}
		version, err := schemaOf(ctx, tx)
		switch {
		case err != nil:
			return err
		case version > Schema:
			return fmt.Errorf("%w (schema %d, this program knows %d)", kv.ErrNewer, version, Schema)
		case version == 0 && !make:
			return &unsuitableError{"there is nothing of marque's in it", "the first start of the bot makes it"}
		case version == 0:
			for _, sql := range tables {
				if _, err := tx.Exec(ctx, sql); err != nil {
					return err
				}
			}
			if _, err := tx.Exec(ctx, "INSERT INTO marque_pairs VALUES ($1, $2, $3)",
				ownSpace, schemaKey, binary.BigEndian.AppendUint32(nil, Schema)); err != nil {
				return err
			}
		}
		return tx.QueryRow(ctx, "SELECT "+clock).Scan(&e.clock)
	})
	if err != nil {
		return err
	}
	e.opened = time.Now()
	e.slots = newSlots()
	if !make {
		return nil
	}
	_, err = e.pool.Exec(ctx,
		"DELETE FROM marque_pairs WHERE space = $1 AND key >= $2 AND key < $3 AND substring(value FROM 9) < $4",
		ownSpace, tokenKeys, kv.After(tokenKeys),
		binary.BigEndian.AppendUint64(nil, uint64(e.clock-tokenKept.Microseconds())))
	return err
}

// newSlots returns the keys of this process's tokens: one for each concurrent group, and one for Alive.
func newSlots() chan []byte {
	slots := make(chan []byte, parallel+1)
	process := rand.Text()
	for i := range cap(slots) {
		slots <- fmt.Appendf(nil, "%s%s %d", tokenKeys, process, i)
	}
	return slots
}

// schemaOf returns the schema version of a database, or 0 if it has no tables. It returns kv.ErrOlder for a database
// from before the first release, where the schema is stored elsewhere, and kv.ErrDamaged for an unreadable version.
func schemaOf(ctx context.Context, tx pgx.Tx) (version int, err error) {
	var now, before bool
	err = tx.QueryRow(ctx,
		"SELECT to_regclass('marque_pairs') IS NOT NULL, to_regclass('marque_schema') IS NOT NULL").Scan(&now, &before)
	switch {
	case err != nil:
		return 0, err
	case before && !now:
		return 0, kv.ErrOlder
	case !now:
		return 0, nil
	}
	var v []byte
	err = tx.QueryRow(ctx, `SELECT (SELECT value FROM marque_pairs WHERE space = $1 AND key = $2),
		EXISTS (SELECT FROM marque_pairs WHERE space = $1 AND key = 'schema')`, ownSpace, schemaKey).Scan(&v, &before)
	switch {
	case err != nil:
		return 0, err
	case v == nil && before:
		return 0, kv.ErrOlder
	case len(v) != 4:
		return 0, fmt.Errorf("%w (its schema cannot be read)", kv.ErrDamaged)
	}
	return int(binary.BigEndian.Uint32(v)), nil
}

// databaseError is an error of package kv whose text is about a database instead of a file.
type databaseError struct {
	text string
	err  error
}

func (e databaseError) Error() string { return e.text }
func (e databaseError) Unwrap() error { return e.err }

// explain turns an error in opening a database into an *OpenError.
func (e *Engine) explain(err error) error {
	open := &OpenError{Where: e.where, Err: cause(err)}
	said := (*pgconn.PgError)(nil)
	code := ""
	if errors.As(err, &said) {
		code = said.Code
	}
	unsuitable := (*unsuitableError)(nil)
	known := errors.Is(err, kv.ErrNewer) || errors.Is(err, kv.ErrOlder) || errors.Is(err, kv.ErrDamaged)
	if known {
		open.Err = databaseError{strings.Replace(err.Error(), "the file", "it", 1), err}
	}
	switch {
	case errors.As(err, &unsuitable):
		open.Advice = unsuitable.advice
	case errors.Is(err, kv.ErrNewer):
		open.Advice = "run the newer version of marque, or restore the backup that was made before the update"
	case errors.Is(err, kv.ErrOlder):
		open.Advice = "name a new database, for an empty store: no release reads this one"
	case errors.Is(err, kv.ErrDamaged):
		open.Advice = "restore a backup"
	case code == "28P01" || code == "28000":
		open.Advice = "MARQUE_DATABASE should have the role and the password that the server knows"
	case code == "3D000":
		open.Advice = "make the database, as docs/operations.md shows, or name another one in MARQUE_DATABASE"
	case code == "42501":
		open.Advice = "let the role make tables there: make it the owner of the database, or GRANT it USAGE and CREATE on the schema"
	case code == "53300":
		open.Advice = "let the server take more connections (max_connections), or fewer of marque's with pool_max_conns in MARQUE_DATABASE"
	case code == "57P03":
		open.Advice = "wait until the server has started"
	case code == "" || strings.HasPrefix(code, "08"):
		open.Advice = "start the server, or name another one in MARQUE_DATABASE"
	default:
		open.Advice = "it cannot be opened"
	}
	return open
}

// cause returns the last error of the server or the network, on one line. The text of pgx's own error lists every
// address that was tried.
func cause(err error) error {
	said := (*pgconn.PgError)(nil)
	if errors.As(err, &said) {
		return errors.New(said.Message)
	}
	unsuitable := (*unsuitableError)(nil)
	if errors.As(err, &unsuitable) {
		return unsuitable
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return errors.New("the server does not answer")
	}
	refused := (*pgconn.ConnectError)(nil)
	if errors.As(err, &refused) {
		err = refused.Unwrap()
	}
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	return errors.New(strings.TrimSpace(lines[len(lines)-1]))
}

// Close closes the connections.
func (e *Engine) Close() error {
	e.pool.Close()
	return nil
}
