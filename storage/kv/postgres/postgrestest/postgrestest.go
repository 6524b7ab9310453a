//go:build unix

// Package postgrestest starts PostgreSQL for tests: a temporary server on a socket and a free port of this machine.
package postgrestest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// superuser is the role that owns the server.
const superuser = "postgres"

// patience limits how long the server can take to start, to end, or to run the statements of Exec, even on a busy
// machine.
const patience = 2 * time.Minute

// Server is a PostgreSQL server.
type Server struct {
	folder string
	bin    string // folder of the server's programs
	port   int
	as     *syscall.Credential // user that runs the server; nil for the user of the test

	settings []string // settings of this server only, as name=value

	mu  sync.Mutex
	cmd *exec.Cmd // nil while the server is stopped
	log *os.File
	dbs int
}

// find returns the folder of PostgreSQL's programs; "" if it is not installed.
func find() string {
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil { // PostgreSQL's other programs are in this folder
			path = real
		}
		return filepath.Dir(path)
	}
	// Debian has a folder for each version. The latest version is used.
	list, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	slices.SortFunc(list, func(a, b string) int { return version(a) - version(b) })
	if len(list) == 0 {
		return ""
	}
	return filepath.Dir(list[len(list)-1])
}

func version(path string) int {
	n, _ := strconv.Atoi(strings.Split(path, "/")[4])
	return n
}

// Start starts a server for a test and stops it when the test ends. If PostgreSQL is not installed, it skips the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := New()
	if errors.Is(err, ErrMissing) {
		t.Skip("PostgreSQL is not installed (Debian: postgresql): skipped")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// ErrMissing says that PostgreSQL is not installed.
var ErrMissing = errors.New("PostgreSQL is not installed")

// New creates a server in a temporary folder and starts it. settings are additional settings as name=value. The server
// syncs commits, unless the settings include fsync=off. Close stops the server and deletes its folder. New returns
// ErrMissing if PostgreSQL is not installed.
func New(settings ...string) (*Server, error) {
	s := &Server{bin: find(), settings: settings}
	if s.bin == "" {
		return nil, ErrMissing
	}
	var err error
	if s.folder, err = os.MkdirTemp("", "pg"); err != nil { // short, because the path of a socket must be short
		return nil, err
	}
	if os.Geteuid() == 0 { // the server refuses to run as root
		if s.as, err = unprivileged(); err == nil {
			err = os.Chown(s.folder, int(s.as.Uid), int(s.as.Gid))
		}
	}
	if err == nil {
		err = s.init()
	}
	if err == nil {
		s.port, err = freePort()
	}
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Server) init() error {
	secret := filepath.Join(s.folder, "password")
	if err := os.WriteFile(secret, []byte(Password+"\n"), 0o600); err != nil {
		return err
	}
	if s.as != nil {
		if err := os.Chown(secret, int(s.as.Uid), int(s.as.Gid)); err != nil {
			return err
		}
	}
	cmd := s.program("initdb", "-D", s.data(), "-U", superuser, "-A", "scram-sha-256", "--pwfile", secret, "-E", "UTF8",
		"--locale", "C", "--no-sync")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

// Password is the password of the server's owner.
const Password = "hush+hush/secret"

func (s *Server) data() string { return filepath.Join(s.folder, "data") }

// program returns a command that runs one of PostgreSQL's programs, as the user that runs the server.
func (s *Server) program(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.folder
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	cmd.SysProcAttr = attributes(s.as)
	return cmd
}

// freePort returns a free port below the range that Linux uses for outgoing connections. A port of that range could be
// taken by an outgoing connection, even one to the server itself, while the server is stopped.
func freePort() (int, error) {
	const first, last, tries = 15000, 32000, 100
	var err error
	for range tries {
		port := first + rand.IntN(last-first)
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, err
}

// Start starts the server. New has already called it; a test calls it after Stop or Kill.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	log, err := os.Create(filepath.Join(s.folder, "log"))
	if err != nil {
		return err
	}
	cmd := s.program("postgres", "-D", s.data(), "-p", strconv.Itoa(s.port), "-k", s.folder,
		"-c", "listen_addresses=127.0.0.1", "-c", "max_connections=120", "-c", "logging_collector=off")
	for _, setting := range s.settings {
		cmd.Args = append(cmd.Args, "-c", setting)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return errors.Join(err, log.Close())
	}
	s.cmd, s.log = cmd, log
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		c, err := pgx.Connect(ctx, s.url("postgres"))
		if err == nil {
			return c.Close(ctx)
		}
		select {
		case <-ctx.Done():
			said, _ := os.ReadFile(log.Name())
			return fmt.Errorf("the server does not start: %w\n%s", err, said)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Stop shuts the server down without waiting for open connections to end. It returns when the server has ended.
func (s *Server) Stop() { s.end(syscall.SIGINT) }

// Kill crashes the server. It returns when the server has ended.
func (s *Server) Kill() { s.end(syscall.SIGQUIT) }

func (s *Server) end(signal syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(signal)
	timer := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	_ = s.cmd.Wait()
	timer.Stop()
	_ = s.log.Close()
	s.cmd = nil
}

// Close stops the server and deletes its folder.
func (s *Server) Close() {
	s.Stop()
	_ = os.RemoveAll(s.folder)
}

func (s *Server) url(database string) string { return s.URLOf(superuser, Password, database) }

// URLOf returns a role's connection string for a database.
func (s *Server) URLOf(role, password, database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(role, password), Host: fmt.Sprintf("127.0.0.1:%d", s.port),
		Path: "/" + database}
	return u.String() + "?sslmode=disable"
}

// Database creates an empty database and returns its connection string.
func (s *Server) Database() (string, error) {
	s.mu.Lock()
	s.dbs++
	name := fmt.Sprintf("marque%d", s.dbs)
	s.mu.Unlock()
	return s.url(name), s.Exec("postgres", "CREATE DATABASE "+name)
}

// Exec runs statements in a database as the server's owner.
func (s *Server) Exec(database, sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := pgx.Connect(ctx, s.url(database))
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, sql)
	return errors.Join(err, c.Close(ctx))
}

// Dump returns the statements from which Exec can restore a database. They are pg_dump's output without settings,
// comments and client commands, which other versions may not support.
func (s *Server) Dump(url string) ([]byte, error) {
	out, err := s.program("pg_dump", "--inserts", "--no-owner", "--no-privileges", "--dbname", url).Output()
	if err != nil {
		return nil, err
	}
	var kept []byte
	for line := range bytes.Lines(out) {
		if !slices.ContainsFunc([]string{`\`, "SET ", "--", "\n"}, func(begins string) bool {
			return bytes.HasPrefix(line, []byte(begins))
		}) {
			kept = append(kept, line...)
		}
	}
	return kept, nil
}
