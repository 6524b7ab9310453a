package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"marque/config"
)

// operationsTime limits each test that runs the built bot. It is enough even on a busy machine.
const operationsTime = 8 * time.Minute

// pageCommands returns the commands in docs/operations.md and docs/sizing.md, and the settings that these pages name. A
// command is a line of an example, or a text in backquotes that begins with the name of a program.
func pageCommands(t *testing.T) (commands, settings []string) {
	t.Helper()
	page := projectFile(t, "docs", "operations.md") + projectFile(t, "docs", "sizing.md")
	for line := range strings.Lines(page) {
		line, example := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		switch {
		case !example:
		case regexp.MustCompile(`^[A-Z_]+=`).MatchString(line):
			settings = append(settings, line)
		default:
			commands = append(commands, line)
		}
	}
	for _, m := range regexp.MustCompile(
		"`((?:marque|docker|goreleaser|promtool|sudo|systemctl|systemd-analyze|timedatectl|go) [^`]+)`").FindAllStringSubmatch(page, -1) {
		if !slices.Contains(commands, m[1]) {
			commands = append(commands, m[1])
		}
	}
	return commands, settings
}

// installation is a folder in which the built bot runs on its local Discord. The binary comes first in the PATH.
type installation struct {
	t       *testing.T
	ctx     context.Context
	dir     string
	env     []string
	address string // address of the bot's metrics
}

func install(t *testing.T) *installation {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), operationsTime)
	t.Cleanup(cancel)
	dir := t.TempDir()
	build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(dir, "marque"), ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	i := &installation{t: t, ctx: ctx, dir: dir}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "MARQUE_") && !strings.HasPrefix(kv, "DISCORD_") {
			i.env = append(i.env, kv)
		}
	}
	i.env = append(i.env, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "PPROF_TMPDIR="+dir,
		"MARQUE_LOCAL_PORT=0", "MARQUE_METRICS=127.0.0.1:0", "MARQUE_PROFILE=true", "MARQUE_BACKUPS="+filepath.Join(dir,
			"copies"))
	return i
}

// command returns a line as a shell command in the installation.
func (i *installation) command(line string) *exec.Cmd {
	cmd := exec.CommandContext(i.ctx, "sh", "-euc", line)
	cmd.Dir, cmd.Env = i.dir, i.env
	return cmd
}

// run runs a shell command that must succeed, and returns its output.
func (i *installation) run(line string) string {
	i.t.Helper()
	cmd := i.command(line)
	out, err := cmd.CombinedOutput()
	if i.t.Logf("%s\n%s", line, out); err != nil {
		i.t.Errorf("%s: %v", line, err)
	}
	return string(out)
}

// start runs a command that starts the bot, waits until the bot is ready, and records the address of its metrics. stop
// sends SIGTERM to the bot and waits until it has ended.
func (i *installation) start(line string) (stop func()) {
	i.t.Helper()
	cmd := i.command("exec " + line)
	said, err := cmd.StdoutPipe()
	must(i.t, err)
	log := newHeardLog()
	cmd.Stderr = log
	must(i.t, cmd.Start())
	ready, err := bufio.NewReader(said).ReadString('\n')
	if !strings.Contains(ready, "marque is ready") {
		i.t.Fatalf("%s says %q (%v)", line, ready, err)
	}
	served := regexp.MustCompile(`metrics and health are served" address=(\S+) `)
	i.address = served.FindStringSubmatch(log.wait(i.t, i.ctx, "metrics and health are served", 1))[1]
	i.env = append(i.env, "MARQUE_METRICS="+i.address)
	return func() {
		i.t.Helper()
		must(i.t, cmd.Process.Signal(syscall.SIGTERM))
		if err := cmd.Wait(); err != nil {
			i.t.Errorf("%s ends with %v", line, err)
		}
	}
}

// copied waits for the copy that the bot makes once it is ready, and returns its path.
func (i *installation) copied() string {
	i.t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		if found, err := filepath.Glob(filepath.Join(i.dir, "copies", "local-*"+backupSuffix)); err == nil &&
			len(found) > 0 {
			return found[0]
		}
		select {
		case <-look.C:
		case <-i.ctx.Done():
			i.t.Fatal("the bot made no copy")
		}
	}
}

// within returns a check that a file of the project contains a text.
func within(text string, file ...string) func(*installation, string) {
	return func(i *installation, line string) {
		if !strings.Contains(projectFile(i.t, file...), text) {
			i.t.Errorf("%q: %v does not hold %q", line, file, text)
		}
	}
}

// composed is the connection string of the database in the compose file with PostgreSQL.
const composed = "postgres://marque@postgres:5432/marque?sslmode=disable&passfile=/run/secrets/pgpass"

// elsewhere lists the documented commands that a test cannot run as they are, each with the reason and with a check
// that replaces running it.
var elsewhere = map[string]struct {
	why   string
	check func(i *installation, line string)
}{
	"sudo apt install ./marque_1.0.0_linux_amd64.deb": {"root, a release; TestPackages installs one",
		within("formats: [deb, rpm]", ".goreleaser.yaml")},
	"sudo install -m 640 -g marque /dev/stdin /etc/marque/token":    {"root, the user marque", tokenFile},
	"sudo install -m 400 -o 65532 /dev/stdin token":                 {"root", tokenFile},
	"sudo install -m 400 -o 65532 /dev/stdin deploy/compose/pgpass": {"root", tokenFile},
	"docker compose -f deploy/compose/compose.yaml run --rm marque database move --from /data/marque/marque.db --to '" +
		composed + "'": {
		"a container engine, and a server", func(i *installation, line string) {
			within("MARQUE_DATABASE: "+composed+"\n", "deploy", "compose", "compose.yaml")(i, line)
			within("MARQUE_DATA=/data/marque ", "Dockerfile")(i, line)
			i.run("marque database move --help")
		}},
	"sudo install -m 400 -o 472 /dev/stdin deploy/compose/grafana-password": {"root", tokenFile},
	"sudo systemctl enable --now marque":                                    {"a running systemd", unit},
	"systemctl edit marque":                                                 {"a running systemd", unit},
	"systemd-analyze security marque": {
		"an installed unit; .ci/deliver does it offline", within("systemd-analyze security --offline=true", ".ci",
			"deliver")},
	"cd /etc/marque": {"the package, installed",
		within("dst: /etc/marque/.env", ".goreleaser.yaml")},
	"marque doctor --channel ID": {
		"somebody who presses a button; TestDoctorTriesInteractionPosts does it",
		func(i *installation, _ string) { i.run("marque doctor --help") }},
	"sudo -u marque marque doctor": {"root, the user marque",
		func(i *installation, _ string) { i.run("marque doctor") }},
	"sudo useradd --system --user-group --home-dir /var/lib/marque --no-create-home --shell /usr/sbin/nologin marque": {
		"root", func(i *installation, line string) {
			within(strings.TrimPrefix(line, "sudo "), "deploy", "package", "preinstall.sh")(i, line)
		}},
	"docker build -t marque .": {
		"a container engine; .ci/deliver builds the image with buildah",
		within("ENTRYPOINT [\"/marque\"]", "Dockerfile")},
	"docker compose up -d":                          {"a container engine", service},
	"docker compose logs marque":                    {"a container engine", service},
	"docker compose exec marque /marque version":    {"a container engine", service},
	"docker compose run --rm marque database check": {"a container engine", service},
	"docker compose -f deploy/compose/compose.yaml up -d": {
		"a container engine; deploy/compose has tests of the file", service},
	"CREATE ROLE marque LOGIN PASSWORD 'a long one';":                         {"a server", onServer},
	"CREATE DATABASE marque OWNER marque ENCODING 'UTF8' TEMPLATE template0;": {"a server", onServer},
	"marque database move --from /var/lib/marque/marque.db --to postgres://marque:a%20long%20one@db.example.org:5432/marque": {"a server", func(i *installation, _ string) {
		onServer(i, `"database", "move", "--from", file, "--to", url`)
	}},
	"go run ./cmd/marque-lab load --servers 8 --players 4 --minutes 0.5 --tables 1000": {
		"half a minute of a machine; TestLoad of the command plays less",
		within(`"load --servers 2 --players 2 --tables 30 --minutes 0.02 --idle 0s"`, "cmd", "marque-lab",
			"load_test.go"),
	},
	"go run ./cmd/marque-lab load --servers 2000 --players 2 --rush": {
		"thousands of players; TestLoad of the command lets fewer come at once",
		within(`"load --servers 3 --rush --idle 0s"`, "cmd", "marque-lab", "load_test.go"),
	},
	"marque database restore COPY": {"no name of a copy; another line of the page has one",
		func(i *installation, _ string) { i.run("marque database restore --help") }},
	"marque database move": {"no databases; other lines of the page have them",
		func(i *installation, _ string) { i.run("marque database move --help") }},
	"goreleaser check": {"its installation; .ci/deliver does it", delivered},
	"goreleaser release --snapshot --clean --skip=docker,sign": {"its installation; .ci/deliver does it", delivered},
	"goreleaser release": {"a tag and a registry; .ci/deliver makes a snapshot", delivered},
	"cosign verify-blob --bundle SHA256SUMS.sigstore.json --certificate-identity IDENTITY --certificate-oidc-issuer ISSUER SHA256SUMS": {
		"a release", signed},
	"gh attestation verify FILE --repo OWNER/NAME":                                         {"a release", signed},
	"cosign verify --certificate-identity IDENTITY --certificate-oidc-issuer ISSUER IMAGE": {"a release", signed},
	"go build ./cmd/marque": {"the test builds it in its own folder",
		func(i *installation, _ string) { i.run("marque version") }},
	"go test ./bot/turn -run 'TheToken|FromAReminder' -v": {"tests of the suite",
		within("func TestAPlayFromAReminder(", "bot", "turn", "clicktokens_test.go")},
	"go test -run none -bench Report -benchtime 1x ./games/review": {"a benchmark",
		within("func BenchmarkReport(", "games", "review", "bench_test.go")},
	"promtool test rules rules_test.yml rules_days_test.yml": {"promtool, which bot/metrics runs where it is",
		within(`"test", "rules", "rules_test.yml", "rules_days_test.yml"`, "bot", "metrics", "deploy_test.go")},
}

// tokenFile runs an install command without the options that need root, and checks the mode of the file.
func tokenFile(i *installation, line string) {
	m := regexp.MustCompile(`^sudo install -m (\d+) -[go] \w+ /dev/stdin (\S+)$`).FindStringSubmatch(line)
	if m == nil {
		i.t.Errorf("%q is not understood", line)
		return
	}
	file := filepath.Join(i.t.TempDir(), filepath.Base(m[2]))
	i.run("echo secret | install -m " + m[1] + " /dev/stdin " + file)
	if info, err := os.Stat(file); err != nil || fmt.Sprintf("%o", info.Mode().Perm()) != m[1] || isOpen(file) {
		i.t.Errorf("%q makes %v (%v)", line, info, err)
	}
}

// onServer checks that postgres_test.go contains the command.
func onServer(i *installation, line string) {
	within(line, "cmd", "marque", "postgres_test.go")(i, line)
}

// unit checks that the systemd unit that the command names exists.
func unit(i *installation, line string) {
	words := strings.Fields(line)
	within("WantedBy=multi-user.target", "deploy", "systemd", words[len(words)-1]+".service")(i, line)
}

// service checks that the compose file has the service that the command names, and runs the part of the command that is
// for the bot.
func service(i *installation, line string) {
	file, rest := "compose.yaml", strings.TrimPrefix(line, "docker compose ")
	if after, ok := strings.CutPrefix(rest, "-f "); ok {
		file, rest, _ = strings.Cut(after, " ")
	}
	within("\n  marque:\n", strings.Split(file, "/")...)(i, line)
	switch words := strings.Fields(strings.NewReplacer("--rm ", "", "/marque ", "").Replace(rest)); words[0] {
	case "up", "logs":
	case "exec", "run":
		if words[1] != "marque" {
			i.t.Errorf("%q: there is no service %s", line, words[1])
		}
		i.run("marque " + strings.Join(words[2:], " "))
	default:
		i.t.Errorf("%q: nobody knows compose %s", line, words[0])
	}
}

// delivered checks that .ci/deliver contains the command.
func delivered(i *installation, line string) {
	does := strings.ReplaceAll(projectFile(i.t, ".ci", "deliver"), `"$work/goreleaser"`, "goreleaser")
	if !strings.Contains(does, line) {
		i.t.Errorf(".ci/deliver does not %q", line)
	}
}

// signed checks that the release's configuration names cosign, and that its pipeline has a step that attests where
// files were built.
func signed(i *installation, line string) {
	makes, signs := projectFile(i.t, ".github", "workflows", "release.yml"), projectFile(i.t, ".goreleaser.yaml")
	if !strings.Contains(makes, "attest-build-provenance") || !strings.Contains(signs, "cosign") {
		i.t.Errorf("nothing makes what %q checks", line)
	}
}

// Every documented command runs on an installation of the built binary, or has another check in the map elsewhere. The
// program knows every setting that the pages name.
func TestEveryCommandOfThePageRuns(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the page is for a shell")
	}
	commands, settings := pageCommands(t)
	i := install(t)
	done := map[string]bool{}
	does := func(line string, replace ...string) string {
		t.Helper()
		if !slices.Contains(commands, line) {
			t.Errorf("the page has no %q any more: take it from the test", line)
		}
		done[line] = true
		return i.run(strings.NewReplacer(replace...).Replace(line))
	}

	// These commands run while the bot runs.
	done["./marque"] = true
	stop := i.start("./marque")
	copied := i.copied()
	wantAll(t, does("marque healthcheck"), "store: ok", "gateway: ok")
	does("marque healthcheck --live")
	wantAll(t, does("go tool pprof http://127.0.0.1:9464/debug/pprof/profile?seconds=30", "127.0.0.1:9464", i.address,
		"seconds=30", "seconds=1"), "cpu")
	wantAll(t, does("marque doctor"), "a bot that runs has", "ok     backups")
	wantAll(t, does("sudo -u marque env MARQUE_DATA=/tmp/trial marque database restore "+
		"/var/lib/marque-backups/marque-20260101-000000.db", "sudo -u marque ", "", "/tmp/trial", t.TempDir(),
		"/var/lib/marque-backups/marque-20260101-000000.db", copied), "is restored, and sound")
	stop()

	// These commands run while the bot is stopped.
	wantAll(t, does("marque doctor"), "is sound, and of schema")
	wantAll(t, does("marque database check"), "is sound")
	does("marque database backup FILE")
	does("marque database compact")
	wantAll(t, does("marque database repair"), "nothing to repair")
	must(t, os.RemoveAll(filepath.Join(i.dir, "data")))
	wantAll(t, does("marque database restore /var/lib/marque-backups/marque-20260101-000000.db",
		"/var/lib/marque-backups/marque-20260101-000000.db", copied), "is restored, and sound")
	wantAll(t, does("marque version"), "databases of schema")
	wantAll(t, does("marque table show", "show", "show --help"), "Usage: marque table show <number>")
	if _, err := exec.LookPath("sha256sum"); err == nil {
		b, err := os.ReadFile(filepath.Join(i.dir, "marque"))
		must(t, err)
		sum := sha256.Sum256(b)
		must(t, os.WriteFile(filepath.Join(i.dir, "SHA256SUMS"), fmt.Appendf(nil, "%s  marque\n%064d  another.tar.gz\n",
			hex.EncodeToString(sum[:]), 0), 0o600))
		wantAll(t, does("sha256sum --check --ignore-missing SHA256SUMS"), "marque: OK")
	} else {
		done["sha256sum --check --ignore-missing SHA256SUMS"] = true
	}

	for line, e := range elsewhere {
		if !slices.Contains(commands, line) {
			t.Errorf("the page has no %q any more: take it from the table", line)
		}
		t.Logf("not run as it is: %s (%s)", line, e.why)
		e.check(i, line)
		done[line] = true
	}
	for _, line := range commands {
		if !done[line] {
			t.Errorf("nobody runs the page's %q: do it in this test, or say in its table why not", line)
		}
	}

	file := filepath.Join(i.dir, "settings")
	must(t, os.WriteFile(file, []byte(strings.Join(settings, "\n")), 0o600))
	if _, err := config.Load(file, nil); err != nil || len(settings) < 3 {
		t.Errorf("the page's settings %q: %v", settings, err)
	}
	for _, setting := range settings {
		name, _, _ := strings.Cut(setting, "=")
		if !strings.Contains(projectFile(t, ".env.example"), name+"=") {
			t.Errorf("the page sets %s, which is in no .env.example", name)
		}
	}
}
