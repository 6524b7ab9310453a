// Package postgres keeps the store in a PostgreSQL database (15 or later), with github.com/jackc/pgx. Several processes may work with one
// database at once.
//
// A move is one statement, and so one transaction and one round trip: an ordinary one is written out (moveSQL), all else, and what the
// first finds not to be ordinary, is a call of the function commit_change. It changes the table only
// while it has the version that the move was made for, so who is late cannot spoil it. What needs to be reckoned here (limits, the
// leaderboards of a game that ends) is a transaction of a few round trips, under a lock of the server concerned.
//
// When the connection breaks while something is being committed, it is asked for again under the same version and key, and that
// answers whether it was there already. A database that cannot be reached is a *storage.UnreachableError, and is found again
// when it is there.
//
// The schema has a version, and migrations lead from each to the next. They first only add, and take away a version later, so that two
// neighbouring versions of the program can work side by side. A newer schema is refused.
package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	gooselock "github.com/pressly/goose/v3/lock"

	"marque/storage"
)

const (
	// leastVersion is the oldest version of the server, as server_version_num has it.
	leastVersion = 150000
	// connections is how many a process opens at most, unless the connection string has pool_max_conns.
	connections = 16
	// connectPatience is how long a connection may take, unless the connection string has connect_timeout.
	connectPatience = 5 * time.Second
	// planning is how statements are planned. Plans are made once for a connection, perhaps while a table is small enough to be read as a
	// whole, and it grows. What has no index is read as a whole all the same; that seems so dear then that it would be compiled first.
	planning = "SET enable_seqscan TO off; SET jit TO off"
	// versions is the table of the schema's version.
	versions = "marque_schema"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Schema is the version of the database's schema that this program knows.
func Schema() int64 {
	files, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is wrong, which every start would show
	}
	return int64(len(files))
}

// OpenError says why a database cannot be worked with and what to do about it. It never has the password.
type OpenError struct {
	Where  string // the database, as "marque at db.example.org:5432"; "" where that is not known
	Advice string // what the operator can do, as part of a sentence
	Err    error  // storage.ErrNewer, or what the server or the network said
}

func (e *OpenError) Error() string {
	if e.Where == "" {
		return fmt.Sprintf("the database cannot be opened: %v: %s", e.Err, e.Advice)
	}
	return fmt.Sprintf("database %s: %v: %s", e.Where, e.Err, e.Advice)
}

func (e *OpenError) Unwrap() error { return e.Err }

// Store is the store in a database. Its methods may be called by many goroutines at once.
type Store struct {
	*database
	choices // of servers and users
	lists   // tables, and lists of them
	leagues // results, leaderboards, reviews
	leases  // which process serves which shard

	labour *labour // what does the jobs
}

var _ storage.Engine = (*Store)(nil)

// database is the pool of connections.
type database struct {
	pool  *pgxpool.Pool
	where string
	stop  chan struct{} // closed when Close begins
	once  sync.Once
	leave func() // ends what works with the store, when Close begins

	mu     sync.Mutex
	closed bool
	under  sync.WaitGroup // what is under way; nothing begins once closed is set

	observer atomic.Pointer[func(time.Duration, error)] // see ObserveCommits; nil for none
}

// The parts of a Store share its database.
type (
	choices struct{ *database }
	lists   struct{ *database }
	leagues struct{ *database }
)

// configure reads a connection string. Its errors do not show it.
func configure(url string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, &OpenError{
			Err: errors.New("it is no connection string of PostgreSQL"), Advice: "write it as postgres://user:password@host:5432/database, special characters of the password as %40 and so on",
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
	cfg.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.PgConn().Exec(ctx, planning).ReadAll()
		return err
	}
	return cfg, nil
}

// whereOf names a database without who may enter it.
func whereOf(cfg *pgx.ConnConfig) string {
	if strings.HasPrefix(cfg.Host, "/") {
		return fmt.Sprintf("%s at %s", cfg.Database, cfg.Host)
	}
	return fmt.Sprintf("%s at %s:%d", cfg.Database, cfg.Host, cfg.Port)
}

// Where names the database of a connection string without its password; "the database" where the string is none.
func Where(url string) string {
	cfg, err := configure(url)
	if err != nil {
		return "the database"
	}
	return whereOf(cfg.ConnConfig)
}

// Shown is a connection string without its password, and without all else where it cannot be read.
func Shown(connection string) string {
	u, err := url.Parse(connection)
	if err != nil || u.Host == "" {
		return Where(connection)
	}
	return u.Redacted()
}

// Open connects to the database that a connection string names and brings its schema up to date. Errors are *OpenErrors.
func Open(ctx context.Context, url string) (*Store, error) {
	d, err := connect(ctx, url)
	if err != nil {
		return nil, err
	}
	if err := d.migrate(ctx); err != nil {
		d.pool.Close()
		return nil, d.explain(err)
	}
	return newStore(d), nil
}

// Peek is Open for who only looks: it brings nothing up to date and does no jobs. A schema that is older than this program's is an error, too.
func Peek(ctx context.Context, url string) (*Store, error) {
	d, err := connect(ctx, url)
	if err != nil {
		return nil, err
	}
	version, err := d.schema(ctx)
	switch {
	case err != nil:
	case version > Schema():
		err = errNewer(version)
	case version == 0:
		err = &errUnsuitable{"there is nothing of marque's in it", "the first start of the bot makes it"}
	case version < Schema():
		err = &errUnsuitable{fmt.Sprintf("it is of schema %d", version), "the next start of the bot brings it up to date"}
	}
	if err != nil {
		d.pool.Close()
		return nil, d.explain(err)
	}
	return quietStore(d), nil
}

func errNewer(version int64) error {
	return fmt.Errorf("%w (schema %d, this program knows %d)", storage.ErrNewer, version, Schema())
}

// quietStore is a Store on a database, whose jobs do not run.
func quietStore(d *database) *Store {
	s := &Store{database: d, choices: choices{d}, lists: lists{d}, leagues: leagues{d}, leases: leases{d}}
	s.labour = newLabour(s)
	d.leave = s.labour.close
	return s
}

// newStore is a Store on a database, whose jobs run.
func newStore(d *database) *Store {
	s := quietStore(d)
	s.labour.start()
	return s
}

func connect(ctx context.Context, url string) (*database, error) {
	cfg, err := configure(url)
	if err != nil {
		return nil, err
	}
	d := &database{where: whereOf(cfg.ConnConfig), stop: make(chan struct{})}
	if d.pool, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return nil, d.explain(err)
	}
	if err := d.suits(ctx); err != nil {
		d.pool.Close()
		return nil, d.explain(err)
	}
	return d, nil
}

// errUnsuitable is for a database that is reached and cannot be used.
type errUnsuitable struct{ what, advice string }

func (e *errUnsuitable) Error() string { return e.what }

// suits returns an error for a server that is too old, and for a database of another encoding.
func (d *database) suits(ctx context.Context) error {
	var version int
	var encoding, standby string
	err := d.pool.QueryRow(ctx,
		"SELECT current_setting('server_version_num')::integer, current_setting('server_encoding'), pg_is_in_recovery()::text").Scan(&version, &encoding, &standby)
	switch {
	case err != nil:
		return err
	case version < leastVersion:
		return &errUnsuitable{fmt.Sprintf("the server is PostgreSQL %d", version/10000), "marque needs PostgreSQL 15 or later"}
	case encoding != "UTF8":
		return &errUnsuitable{"its encoding is " + encoding, "make a database with ENCODING 'UTF8'"}
	case standby == "true":
		return &errUnsuitable{"the server is a standby, which takes no changes", "name the primary server, or promote this one"}
	}
	return nil
}

// migrate brings the schema up to date. Of several processes that start at once, one does it.
func (d *database) migrate(ctx context.Context) (err error) {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return err
	}
	locker, err := gooselock.NewPostgresSessionLocker(gooselock.WithLockTimeout(1, 60))
	if err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(d.pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	m, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithTableName(versions), goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	now, err := d.schema(ctx)
	if err != nil {
		return err
	}
	if now > Schema() {
		return errNewer(now)
	}
	if now == Schema() {
		return nil
	}
	_, err = m.Up(ctx)
	return err
}

// schema is the version of the database's schema; 0 for none.
func (d *database) schema(ctx context.Context) (version int64, err error) {
	var there bool
	if err := d.pool.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", versions).Scan(&there); err != nil || !there {
		return 0, err
	}
	err = d.pool.QueryRow(ctx, "SELECT coalesce(max(version_id) FILTER (WHERE is_applied), 0) FROM "+versions).Scan(&version)
	return version, err
}

// explain makes an *OpenError of whatever kept a database from being opened.
func (d *database) explain(err error) error {
	if err == nil {
		return nil
	}
	e := &OpenError{Where: d.where, Err: cause(err)}
	said := (*pgconn.PgError)(nil)
	code := ""
	if errors.As(err, &said) {
		code = said.Code
	}
	unsuitable := (*errUnsuitable)(nil)
	switch {
	case errors.As(err, &unsuitable):
		e.Advice = unsuitable.advice
	case errors.Is(err, storage.ErrNewer):
		e.Err = newer{errors.New(strings.Replace(err.Error(), "the file", "it", 1))}
		e.Advice = "run the newer version of marque, or restore the backup that was made before the update"
	case code == "28P01" || code == "28000":
		e.Advice = "MARQUE_DATABASE should have the role and the password that the server knows"
	case code == "3D000":
		e.Advice = "make the database, as docs/operations.md shows, or name another one in MARQUE_DATABASE"
	case code == "42501":
		e.Advice = "let the role make tables there: make it the owner of the database, or GRANT it USAGE and CREATE on the schema"
	case code == "53300":
		e.Advice = "let the server take more connections (max_connections), or fewer of marque's with pool_max_conns in MARQUE_DATABASE"
	case code == "57P03":
		e.Advice = "wait until the server has started"
	case code == "" || strings.HasPrefix(code, "08"):
		e.Advice = "start the server, or name another one in MARQUE_DATABASE"
	default:
		e.Advice = "it cannot be opened"
	}
	return e
}

// newer is a storage.ErrNewer that speaks of a database.
type newer struct{ error }

func (newer) Unwrap() error { return storage.ErrNewer }

// cause is what the server or the network said in the end, on one line: the library's own words list every address that was tried.
func cause(err error) error {
	said := (*pgconn.PgError)(nil)
	if errors.As(err, &said) {
		return errors.New(said.Message)
	}
	unsuitable := (*errUnsuitable)(nil)
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
