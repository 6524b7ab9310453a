// Package config reads the environment, and a file .env, into one validated struct.
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
	"github.com/joho/godotenv"
)

// Config has all settings of an operator. .env.example documents each variable.
type Config struct {
	// Token is the bot's Discord token. If it is empty, the bot runs on the local Discord instead.
	Token Secret `env:"DISCORD_TOKEN"`
	// TokenFile is the path of a file with the token. Load reads the file into Token.
	TokenFile string `env:"DISCORD_TOKEN_FILE"`
	// DatabaseURL is the connection string of a PostgreSQL database for the store. If it is empty, the store is in a
	// file.
	DatabaseURL Secret `env:"MARQUE_DATABASE"`
	// Data is the folder of the database file. It is created if it is missing.
	Data string `env:"MARQUE_DATA" envDefault:"data"`
	// Backups is the folder for copies of the database. If it is empty, no copies are made.
	Backups string `env:"MARQUE_BACKUPS"`
	// BackupHook is a program that carries a file, whose path is its argument, off to another machine. It gets one copy
	// a day, and the list of deletions whenever the list has changed. If BackupHook is empty, no program is run.
	BackupHook string `env:"MARQUE_BACKUP_HOOK"`
	// Locales is a folder with the operator's own translations. If it is empty, only the built-in ones are used.
	Locales string `env:"MARQUE_LOCALES"`
	// LocalPort is the port of 127.0.0.1 on which the local Discord listens; 0 selects a free port.
	LocalPort int `env:"MARQUE_LOCAL_PORT" envDefault:"8137"`
	// LogLevel is the lowest level that is logged: debug, info, warn or error.
	LogLevel slog.Level `env:"MARQUE_LOG_LEVEL" envDefault:"info"`
	// LogFormat is the format of the log: text or json.
	LogFormat string `env:"MARQUE_LOG_FORMAT" envDefault:"text"`
	// Metrics is the address, as host:port, that serves metrics and health. If it is empty, none are served.
	Metrics string `env:"MARQUE_METRICS"`
	// Profile says whether the address in Metrics also serves profiles of the running program.
	Profile bool `env:"MARQUE_PROFILE"`
	// Web is the address, as host:port, that serves the browser page on which tables are played. If it is empty,
	// only a bot on the local Discord has a page.
	Web string `env:"MARQUE_WEB"`
	// WebURL is the public address of the browser page: https and a host. An address of this machine can begin with
	// http.
	WebURL string `env:"MARQUE_WEB_URL"`
	// ClientSecret is the secret of the Discord application, which is needed for logins to the browser page. If it
	// is empty, a bot on Discord lets people enter only with links.
	ClientSecret Secret `env:"MARQUE_CLIENT_SECRET"`
	// Activity says whether the browser page can also be opened inside Discord.
	Activity bool `env:"MARQUE_ACTIVITY"`
	// Shards is the number of shards for the bot's servers; 0 for Discord's recommendation.
	Shards int `env:"MARQUE_SHARDS"`
	// Requests is the number of requests a second that Discord accepts with the bot's token; 0 for Discord's usual
	// limit.
	Requests int `env:"MARQUE_REQUESTS_PER_SECOND"`
	// InteractionPosts says whether a board is posted with the token of the click that led to it, if there is one.
	InteractionPosts bool `env:"MARQUE_INTERACTION_POSTS" envDefault:"true"`
	// ShutdownTimeout limits how long a stop waits for running work.
	ShutdownTimeout time.Duration `env:"MARQUE_SHUTDOWN_TIMEOUT" envDefault:"20s"`

	// Unknown lists the variables that begin with MARQUE_ but are not settings, in alphabetical order. They may be
	// misspelt settings.
	Unknown []string
}

// Local reports whether the bot runs on the local Discord, because there is no token.
func (c Config) Local() bool { return c.Token == "" }

// Database returns the path of the database file. A bot on the local Discord uses another file, because users and
// channels there are not Discord's.
func (c Config) Database() string {
	if c.Local() {
		return filepath.Join(c.Data, "local.db")
	}
	return filepath.Join(c.Data, "marque.db")
}

// LocalState returns the path of the file in which the local Discord keeps its channels between runs.
func (c Config) LocalState() string { return filepath.Join(c.Data, "local.json") }

// Secret is a string that logs, errors and encodings do not show. Reveal returns it.
type Secret string

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String returns "[secret]", or "" if no secret is set, so that the secret does not appear in logs and errors.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "[secret]"
}

// Format hides the secret in the output of package fmt.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue hides the secret.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Load reads the file dotenv, if it exists, and then environ, which is in the form of os.Environ and takes precedence.
// An error about a variable names it and says how to correct it. No error contains a value.
func Load(dotenv string, environ []string) (Config, error) {
	vars := map[string]string{}
	if dotenv != "" {
		file, err := godotenv.Read(dotenv)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return Config{}, fmt.Errorf("%s cannot be read: every line should be NAME=value", dotenv)
		}
		for k, v := range file {
			vars[k] = v
		}
	}
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok {
			vars[k] = v
		}
	}
	return parse(vars)
}

func parse(vars map[string]string) (Config, error) {
	var c Config
	if err := env.ParseWithOptions(&c, env.Options{Environment: vars}); err != nil {
		return Config{}, explain(err)
	}
	if err := c.readToken(); err != nil {
		return Config{}, err
	}
	c.Unknown = unknown(vars)
	c.DatabaseURL = Secret(strings.TrimSpace(c.DatabaseURL.Reveal()))
	if u := c.DatabaseURL.Reveal(); u != "" && !strings.HasPrefix(u, "postgres://") && !strings.HasPrefix(u,
		"postgresql://") {
		return Config{},
			errors.New("MARQUE_DATABASE should be the connection string of a PostgreSQL database, such as postgres://marque:password@127.0.0.1:5432/marque")
	}
	if c.LocalPort < 0 || c.LocalPort > 65535 {
		return Config{}, errors.New(wants["LocalPort"])
	}
	if strings.TrimSpace(c.Data) == "" {
		return Config{}, errors.New("MARQUE_DATA should be the path of a folder")
	}
	if c.LogFormat != "text" && c.LogFormat != "json" {
		return Config{}, errors.New(wants["LogFormat"])
	}
	if c.Shards < 0 {
		return Config{}, errors.New(wants["Shards"])
	}
	if c.Requests < 0 {
		return Config{}, errors.New(wants["Requests"])
	}
	if err := errors.Join(c.checkMetrics(), c.checkWeb()); err != nil {
		return Config{}, err
	}
	if c.BackupHook != "" && c.Backups == "" {
		return Config{},
			errors.New("MARQUE_BACKUP_HOOK carries off the copies that MARQUE_BACKUPS makes: set that, too")
	}
	if c.ShutdownTimeout <= 0 {
		return Config{}, errors.New("MARQUE_SHUTDOWN_TIMEOUT should be a time such as 20s")
	}
	return c, nil
}

// unknown returns the names of variables that begin with MARQUE_ but are not settings.
func unknown(vars map[string]string) (names []string) {
	known := map[string]bool{}
	for field := range reflect.TypeFor[Config]().Fields() {
		known[field.Tag.Get("env")] = true
	}
	for name := range vars {
		if strings.HasPrefix(name, "MARQUE_") && !known[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// checkMetrics refuses an invalid address of metrics. It also refuses to serve profiles on an address that other
// machines can reach, because profiles show what the program is doing.
func (c Config) checkMetrics() error {
	if c.Metrics == "" {
		if c.Profile {
			return errors.New("MARQUE_PROFILE needs MARQUE_METRICS, the address on which profiles are answered")
		}
		return nil
	}
	_, port, err := net.SplitHostPort(c.Metrics)
	if n, perr := strconv.Atoi(port); err != nil || perr != nil || n < 0 || n > 65535 {
		return errors.New(wants["Metrics"])
	}
	if c.Profile && !c.MetricsAreLocal() {
		return errors.New(
			"MARQUE_PROFILE shows what the program is doing, so MARQUE_METRICS should be an address of this machine alone with it, such as 127.0.0.1:9464")
	}
	return nil
}

// checkWeb refuses invalid and incomplete settings of the browser page. Its public address must begin with https,
// unless only this machine can reach it.
func (c Config) checkWeb() error {
	if (c.Web == "") != (c.WebURL == "") {
		return errors.New("MARQUE_WEB and MARQUE_WEB_URL belong together: set both, or neither")
	}
	if c.Web == "" {
		if c.ClientSecret != "" && !c.Local() {
			return errors.New("MARQUE_CLIENT_SECRET is for the page: set MARQUE_WEB and MARQUE_WEB_URL, too")
		}
		if c.Activity && !c.Local() {
			return errors.New("MARQUE_ACTIVITY is for the page: set MARQUE_WEB and MARQUE_WEB_URL, too")
		}
		return nil
	}
	if c.Activity && c.ClientSecret == "" && !c.Local() {
		return errors.New("MARQUE_ACTIVITY needs MARQUE_CLIENT_SECRET, with which people log in inside Discord")
	}
	_, port, err := net.SplitHostPort(c.Web)
	if n, perr := strconv.Atoi(port); err != nil || perr != nil || n < 0 || n > 65535 {
		return errors.New(wants["Web"])
	}
	u, err := url.Parse(c.WebURL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.Trim(u.Path, "/") != "" ||
		u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return errors.New(wants["WebURL"])
	}
	host := u.Hostname()
	if ip := net.ParseIP(host); u.Scheme == "http" && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errors.New("MARQUE_WEB_URL should begin with https: what people send to the page, others could read")
	}
	return nil
}

// Page returns the public address of the browser page, or nil if none is set.
func (c Config) Page() *url.URL {
	u, err := url.Parse(c.WebURL)
	if c.WebURL == "" || err != nil {
		return nil
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}
}

// MetricsAreLocal reports whether only this machine can reach the address in Metrics.
func (c Config) MetricsAreLocal() bool {
	host, _, _ := net.SplitHostPort(c.Metrics)
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// maxTokenFile is more than the length of any token, in bytes.
const maxTokenFile = 4096

// readToken sets the token from its file or its variable, without surrounding space. A file without a token is an
// error, because a bot that is meant for Discord must not start on the local one.
func (c *Config) readToken() error {
	from, token := "DISCORD_TOKEN", c.Token.Reveal()
	if c.TokenFile != "" {
		if token != "" {
			return errors.New("DISCORD_TOKEN and DISCORD_TOKEN_FILE are both set: take one of them away")
		}
		from = "the file that DISCORD_TOKEN_FILE names"
		b, err := readStart(c.TokenFile)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return errors.New("DISCORD_TOKEN_FILE names a file that is not there: it should hold the bot's token")
		case errors.Is(err, fs.ErrPermission):
			return errors.New("DISCORD_TOKEN_FILE names a file that this user may not read: let them read it")
		case err != nil:
			return errors.New("DISCORD_TOKEN_FILE names a file that cannot be read: it should hold the bot's token")
		}
		if token = strings.TrimSpace(b); token == "" {
			return errors.New("DISCORD_TOKEN_FILE names a file that is empty: it should hold the bot's token")
		}
	}
	if token == "" {
		return nil
	}
	token = strings.TrimSpace(strings.TrimPrefix(token, "Bot "))
	if strings.ContainsAny(token, " \t\r\n\"'") || token == "" || len(token) >= maxTokenFile {
		return errors.New(from + " should be the bot's token alone, without blanks or quotes")
	}
	c.Token = Secret(token)
	return nil
}

// readStart returns the beginning of a file, at most maxTokenFile bytes.
func readStart(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxTokenFile))
	return string(b), err
}

// wants has the error messages about variables with invalid values, by field of Config.
var wants = map[string]string{
	"LocalPort":        "MARQUE_LOCAL_PORT should be a port number, 0 to 65535; 0 takes a free one",
	"LogFormat":        "MARQUE_LOG_FORMAT should be text or json",
	"Metrics":          "MARQUE_METRICS should be an address such as 127.0.0.1:9464",
	"Web":              "MARQUE_WEB should be an address such as 127.0.0.1:8138",
	"WebURL":           "MARQUE_WEB_URL should be what people see of the page: https and a host, such as https://play.example.org",
	"Activity":         "MARQUE_ACTIVITY should be true or false",
	"Profile":          "MARQUE_PROFILE should be true or false",
	"Shards":           "MARQUE_SHARDS should be a number of shards; without it Discord says how many",
	"Requests":         "MARQUE_REQUESTS_PER_SECOND should be a number of requests a second; without it, the 50 that Discord takes from every bot",
	"InteractionPosts": "MARQUE_INTERACTION_POSTS should be true or false",
	"LogLevel":         "MARQUE_LOG_LEVEL should be debug, info, warn or error",
	"ShutdownTimeout":  "MARQUE_SHUTDOWN_TIMEOUT should be a time such as 20s",
}

func explain(err error) error {
	var pe env.ParseError
	var agg env.AggregateError
	if errors.As(err, &agg) {
		for _, e := range agg.Errors {
			if errors.As(e, &pe) {
				break
			}
		}
	}
	if want, ok := wants[pe.Name]; ok {
		return errors.New(want)
	}
	return errors.New("a variable in the environment cannot be read; .env.example says what each should be")
}
