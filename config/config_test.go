package config

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestDefaults(t *testing.T) {
	c, err := parse(map[string]string{})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Local() || c.Database() != filepath.Join("data", "local.db") {
		t.Errorf("without a token: local %v, database %s", c.Local(), c.Database())
	}
}

// The table in docs/operations.md and the file .env.example list every setting, with its default if it has one, and
// no others.
func TestEveryVariableIsDocumented(t *testing.T) {
	for file, line := range map[string]*regexp.Regexp{
		"docs/operations.md": regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\| (?:`([^`]+)`)? ?\\|"),
		".env.example":       regexp.MustCompile("(?m)^#?([A-Z_]+)=(.*)$"),
	} {
		b, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		documented := map[string]string{}
		for _, m := range line.FindAllStringSubmatch(string(b), -1) {
			documented[m[1]] = m[2]
		}
		for field := range reflect.TypeFor[Config]().Fields() {
			name, byDefault := field.Tag.Get("env"), field.Tag.Get("envDefault")
			if name == "" {
				continue
			}
			switch said, ok := documented[name]; {
			case !ok:
				t.Errorf("%s has no line for %s", file, name)
			case byDefault != "" && said != byDefault:
				t.Errorf("%s says that %s is %q by default; it is %q", file, name, said, byDefault)
			}
			delete(documented, name)
		}
		for name := range documented {
			t.Errorf("%s has a line for %s, which is no setting", file, name)
		}
	}
}

// For every variable that is not a string, the error for an invalid value says what a valid value is.
func TestEveryVariableSaysWhatItShouldBe(t *testing.T) {
	for field := range reflect.TypeFor[Config]().Fields() {
		name := field.Tag.Get("env")
		if name == "" || field.Type.Kind() == reflect.String { // a string takes any value
			continue
		}
		if _, err := parse(map[string]string{name: "?"}); err == nil || !strings.HasPrefix(err.Error(), name+" should be") {
			t.Errorf("%s=?: error %v, want one that says what it should be: its line in wants", name, err)
		}
	}
}

func TestWrongValuesSayWhatWouldBeRight(t *testing.T) {
	for _, tc := range []struct{ name, value, want string }{
		{"MARQUE_LOG_LEVEL", "loud", "debug, info, warn or error"},
		{"MARQUE_SHUTDOWN_TIMEOUT", "soon", "20s"},
		{"MARQUE_SHUTDOWN_TIMEOUT", "-1s", "20s"},
		{"MARQUE_LOG_FORMAT", "xml", "text or json"},
		{"MARQUE_METRICS", "9464", "127.0.0.1:9464"},
		{"MARQUE_METRICS", "127.0.0.1:harbour", "127.0.0.1:9464"},
		{"MARQUE_PROFILE", "perhaps", "true or false"},
		{"MARQUE_PROFILE", "true", "needs MARQUE_METRICS"},
		{"MARQUE_LOCAL_PORT", "127.0.0.1:80", "port number"},
		{"MARQUE_LOCAL_PORT", "70000", "port number"},
		{"MARQUE_SHARDS", "many", "number of shards"},
		{"MARQUE_SHARDS", "-1", "Discord says how many"},
		{"MARQUE_REQUESTS_PER_SECOND", "-1", "requests a second"},
		{"MARQUE_INTERACTION_POSTS", "perhaps", "true or false"},
		{"MARQUE_DATA", " ", "folder"},
		{"DISCORD_TOKEN", "Bot ", "token"},
		{"DISCORD_TOKEN", "hush hush", "token"},
	} {
		_, err := parse(map[string]string{tc.name: tc.value})
		if err == nil || !strings.Contains(err.Error(), tc.name) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s=%q: error %v, want one that names it and says %q", tc.name, tc.value, err, tc.want)
		}
		if err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("the error shows the token: %v", err)
		}
	}
}

// Profiles show what the program is doing, so they are allowed only on a loopback address. Metrics can be served on any
// address.
func TestProfilesAreForThisMachineAlone(t *testing.T) {
	for address, local := range map[string]bool{
		"127.0.0.1:9464": true, "[::1]:9464": true, "localhost:9464": true, "127.8.8.8:0": true,
		":9464": false, "0.0.0.0:9464": false, "[::]:9464": false, "10.0.0.7:9464": false, "example.org:9464": false,
	} {
		c, err := parse(map[string]string{"MARQUE_METRICS": address})
		if err != nil || c.MetricsAreLocal() != local {
			t.Errorf("MARQUE_METRICS=%s: %v, local %v, want %v", address, err, c.MetricsAreLocal(), local)
		}
		_, err = parse(map[string]string{"MARQUE_METRICS": address, "MARQUE_PROFILE": "true"})
		if (err == nil) != local {
			t.Errorf("MARQUE_METRICS=%s with MARQUE_PROFILE: %v", address, err)
		}
	}
}

// The token can be read from a file, and a newline at its end is ignored. It is an error if the file has no token, or
// if the token is also given directly. The error never contains the file's content.
func TestTheTokenFromAFile(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct{ name, in, want string }{
		{"newline", "hushhush\n", ""},
		{"windows", "  Bot hushhush\r\n", ""},
		{"empty", "\n", "empty"},
		{"two", "hush hush", "token alone"},
		{"endless", strings.Repeat("hush", 4096), "token alone"},
	} {
		file := filepath.Join(dir, tc.name)
		if err := os.WriteFile(file, []byte(tc.in), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := parse(map[string]string{"DISCORD_TOKEN_FILE": file, "DISCORD_TOKEN": ""})
		switch {
		case tc.want == "" && (err != nil || c.Token.Reveal() != "hushhush" || c.Local()):
			t.Errorf("%s: token %q, error %v", tc.name, c.Token.Reveal(), err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(),
			"hush")):
			t.Errorf("%s: error %v, want one with %q and nothing of the token", tc.name, err, tc.want)
		}
	}
	for want, vars := range map[string]map[string]string{
		"not there":      {"DISCORD_TOKEN_FILE": filepath.Join(dir, "none")},
		"cannot be read": {"DISCORD_TOKEN_FILE": dir},
		"both set":       {"DISCORD_TOKEN_FILE": filepath.Join(dir, "newline"), "DISCORD_TOKEN": "hushhush"},
	} {
		if _, err := parse(vars); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(),
			"hush") {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// A misspelt setting is reported by name, without its value. Variables of other programs are not reported.
func TestUnknownSettingsAreNamed(t *testing.T) {
	c, err := parse(map[string]string{"MARQUE_BACKUP": "secret", "MARQUE_BACKUPS": "copies", "MARQUE_DATABSE": "secret",
		"PATH": "/bin", "XMARQUE_": "", "DISCORD_TOKEN": "t"})
	if err != nil || !slices.Equal(c.Unknown, []string{"MARQUE_BACKUP", "MARQUE_DATABSE"}) {
		t.Errorf("unknown are %q, %v", c.Unknown, err)
	}
}

func TestTheEnvironmentWinsOverTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), ".env")
	if err := os.WriteFile(file, []byte("MARQUE_DATA=fromfile\nDISCORD_TOKEN=fromfile\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(file, []string{"MARQUE_DATA=fromenv"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Data != "fromenv" || c.Token.Reveal() != "fromfile" {
		t.Errorf("got data %q, token from %q", c.Data, c.Token.Reveal())
	}
}

func TestTheTokenIsNeverPrinted(t *testing.T) {
	c, err := parse(map[string]string{"DISCORD_TOKEN": "Bot hushhush"})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "config", c, "token", c.Token)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "config", c, "token", c.Token)
	all := log.String() + fmt.Sprintf("%v %+v %#v %s %q %x %d", c, c, c, c.Token, c.Token, c.Token, c.Token)
	if strings.Contains(all, "hush") || strings.Contains(all, fmt.Sprintf("%x", "hush")) {
		t.Errorf("the token shows in %s", all)
	}
	if c.Token.Reveal() != "hushhush" {
		t.Errorf("the token is %q", c.Token.Reveal())
	}
}
