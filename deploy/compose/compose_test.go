// Package compose_test checks, without a container engine, the compose files, the files that they mount into
// containers, the Dockerfiles, and the release pipeline.
package compose_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/jackc/pgx/v5/pgconn"
	"go.yaml.in/yaml/v3"
)

// load reads a compose file as a container engine does: it checks the schema and includes the files that the file
// extends.
func load(t *testing.T, file string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{file})
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return project
}

var files = []string{filepath.Join("..", "..", "compose.yaml"), "compose.yaml"}

// The bot's password is the one that the database server is set up with. These two services alone are in the network
// of the database, which is internal.
func TestTheBotFindsItsDatabase(t *testing.T) {
	p := load(t, "compose.yaml")
	const password = "a long one"
	file := filepath.Join(t.TempDir(), "pgpass")
	if err := os.WriteFile(file, []byte("*:*:*:marque:"+password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bot, server := p.Services["marque"], p.Services["postgres"]
	address := strings.ReplaceAll(*bot.Environment["MARQUE_DATABASE"],
		"/run/secrets/"+bot.Secrets[len(bot.Secrets)-1].Source, file)
	c, err := pgconn.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	if c.Host != server.Name || c.User != *server.Environment["POSTGRES_USER"] ||
		c.Database != *server.Environment["POSTGRES_DB"] || c.Password != password {
		t.Errorf("the bot asks %s for %s as %s, password %q", c.Host, c.Database, c.User, c.Password)
	}
	script, _, _ := strings.Cut(strings.ReplaceAll(server.Entrypoint[2], "/run/secrets/"+server.Secrets[0].Source,
		file), "exec ")
	began, err := exec.CommandContext(t.Context(),
		"sh", "-euc", strings.ReplaceAll(script, "$$", "$")+` printf %s "$POSTGRES_PASSWORD"`).Output()
	if err != nil || string(began) != c.Password {
		t.Errorf("the server begins with the password %q (%v), and the bot gives %q", began, err, c.Password)
	}
	for name, s := range p.Services {
		if _, reaches := s.Networks["database"]; reaches != (name == "marque" || name == "postgres") {
			t.Errorf("%s is in the network of the database: %v", name, reaches)
		}
	}
	if !p.Networks["database"].Internal {
		t.Error("the network of the database leads outside")
	}
}

// pinned matches an image that is given with its version and its digest.
var pinned = regexp.MustCompile(`:v?\d+\.\d+\S*@sha256:[0-9a-f]{64}$`)

// The base images of builds are pinned to a version and a digest.
func TestImagesAreBuiltFromPinnedOnes(t *testing.T) {
	for _, file := range []string{"../../Dockerfile", "../container/Dockerfile"} {
		b, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			t.Fatal(err)
		}
		from := regexp.MustCompile(`(?m)^FROM (?:--\S+ )*(\S+)`).FindAllStringSubmatch(string(b), -1)
		if len(from) == 0 {
			t.Errorf("%s is built from nothing", file)
		}
		for _, f := range from {
			if f[1] != "scratch" && !pinned.MatchString(f[1]) {
				t.Errorf("%s is built from %s, want a version and its digest", file, f[1])
			}
		}
	}
}

// The release pipeline pins all actions to commits, and uses no stored secrets. Only its job release can do more than
// read the repository; it may request an identity token, with which it signs.
func TestTheReleaseRunsWhatIsPinned(t *testing.T) {
	b, err := os.ReadFile(filepath.FromSlash("../../.github/workflows/release.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var w struct {
		Permissions map[string]string
		Jobs        map[string]struct {
			Needs       string
			Permissions map[string]string
			Steps       []struct{ Uses, Run string }
		}
	}
	if err := yaml.Unmarshal(b, &w); err != nil {
		t.Fatal(err)
	}
	commit := regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`)
	var used int
	for name, job := range w.Jobs {
		for _, s := range job.Steps {
			if s.Uses != "" {
				used++
			}
			if s.Uses != "" && !commit.MatchString(s.Uses) {
				t.Errorf("job %s uses %s, want a commit", name, s.Uses)
			}
		}
		if name != "release" && !maps.Equal(job.Permissions, map[string]string{"contents": "read"}) {
			t.Errorf("job %s may %v", name, job.Permissions)
		}
	}
	release := w.Jobs["release"]
	if used == 0 || len(w.Permissions) > 0 || release.Needs != "check" || release.Permissions["id-token"] != "write" ||
		release.Permissions["attestations"] != "write" {
		t.Errorf("the release needs %q and may %v, others %v", release.Needs, release.Permissions, w.Permissions)
	}
	if strings.Contains(string(b), "secrets.") {
		t.Error("the release has secrets")
	}
}

// Each compose file is valid, and the files that it mounts exist, except secrets, and are read-only. Images are pinned,
// ports are published only on 127.0.0.1, and all capabilities are dropped. The bot has the same volume, source and
// token file in both files.
func TestTheFilesAreTaken(t *testing.T) {
	var bots []types.ServiceConfig
	for _, file := range files {
		p := load(t, file)
		t.Log(file, slices.Sorted(maps.Keys(p.Services)))
		for name, s := range p.Services {
			for _, v := range s.Volumes {
				if v.Type != types.VolumeTypeBind {
					continue
				}
				if _, err := os.Stat(v.Source); err != nil || !v.ReadOnly {
					t.Errorf("%s: %s mounts %s, read-only %v: %v", file, name, v.Source, v.ReadOnly, err)
				}
			}
			if s.Build != nil {
				if _, err := os.Stat(filepath.Join(s.Build.Context, "Dockerfile")); err != nil {
					t.Errorf("%s: %s is built in %s: %v", file, name, s.Build.Context, err)
				}
			} else if !pinned.MatchString(s.Image) {
				t.Errorf("%s: %s has the image %s, want a version and its digest", file, name, s.Image)
			}
			for _, port := range s.Ports {
				if port.HostIP != "127.0.0.1" {
					t.Errorf("%s: %s is reached on %s:%s", file, name, port.HostIP, port.Published)
				}
			}
			if !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") ||
				s.Restart != "unless-stopped" {
				t.Errorf("%s: %s keeps capabilities (%v), or is not started anew", file, name, s.CapDrop)
			}
			for _, secret := range s.Secrets {
				if p.Secrets[secret.Source].File == "" {
					t.Errorf("%s: %s has the secret %s, which is no file", file, name, secret.Source)
				}
			}
		}
		bots = append(bots, p.Services["marque"])
		if p.Name != "marque" {
			t.Errorf("%s is the project %s: its volumes are not those of the other file", file, p.Name)
		}
	}
	small, full := bots[0], bots[1]
	if !small.ReadOnly || !full.ReadOnly || small.Volumes[0].Source != full.Volumes[0].Source ||
		small.Build.Context != full.Build.Context ||
		*full.Environment["DISCORD_TOKEN_FILE"] != *small.Environment["DISCORD_TOKEN_FILE"] {
		t.Errorf("the bots differ: %+v\n%+v", small, full)
	}
}

// Prometheus scrapes the address at which the bot answers. If promtool is installed, it accepts Prometheus's
// configuration with the alerts.
func TestPrometheusIsConfigured(t *testing.T) {
	p := load(t, "compose.yaml")
	folder := t.TempDir()
	for _, v := range p.Services["prometheus"].Volumes {
		if v.Type != types.VolumeTypeBind {
			continue
		}
		b, err := os.ReadFile(v.Source)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(v.Target)), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(filepath.Join(folder, "prometheus.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Scrape []struct {
			Job    string `yaml:"job_name"`
			Static []struct {
				Targets []string
			} `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(*p.Services["marque"].Environment["MARQUE_METRICS"], ":")
	if len(c.Scrape) != 1 || c.Scrape[0].Job != "marque" || !slices.Equal(c.Scrape[0].Static[0].Targets,
		[]string{"marque:" + port}) {
		t.Errorf("Prometheus asks %+v, and the bot answers on port %s", c.Scrape, port)
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not there (Debian: prometheus)")
	}
	out, err := exec.CommandContext(t.Context(), promtool, "check",
		"config", filepath.Join(folder, "prometheus.yml")).CombinedOutput()
	if t.Logf("%s", out); err != nil || !strings.Contains(string(out), "rules found") {
		t.Errorf("promtool: %v", err)
	}
}

// Grafana finds the dashboard in its folder, and its data source is the address at which Prometheus answers.
func TestGrafanaIsProvisioned(t *testing.T) {
	p := load(t, "compose.yaml")
	read := func(target string) []byte {
		t.Helper()
		for _, v := range p.Services["grafana"].Volumes {
			if v.Target == target {
				b, err := os.ReadFile(v.Source)
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
		}
		t.Fatalf("nothing is mounted at %s", target)
		return nil
	}
	var sources struct {
		Datasources []struct {
			Type, URL string
			Default   bool `yaml:"isDefault"`
		}
	}
	var boards struct {
		Providers []struct {
			Type    string
			Options struct{ Path string }
		}
	}
	if err := yaml.Unmarshal(read("/etc/grafana/provisioning/datasources/marque.yml"), &sources); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(read("/etc/grafana/provisioning/dashboards/marque.yml"), &boards); err != nil {
		t.Fatal(err)
	}
	if len(sources.Datasources) != 1 || sources.Datasources[0].Type != "prometheus" ||
		!sources.Datasources[0].Default || sources.Datasources[0].URL != "http://prometheus:9090" {
		t.Errorf("the sources are %+v", sources.Datasources)
	}
	if len(boards.Providers) != 1 || boards.Providers[0].Type != "file" {
		t.Fatalf("the dashboards are from %+v", boards.Providers)
	}
	var dashboard struct{ Title string }
	if err := json.Unmarshal(read(boards.Providers[0].Options.Path+"/marque.json"), &dashboard); err != nil ||
		dashboard.Title != "marque" {
		t.Errorf("the dashboard is %q (%v)", dashboard.Title, err)
	}
	home := p.Services["grafana"].Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
	if *home != boards.Providers[0].Options.Path+"/marque.json" {
		t.Errorf("Grafana begins with %s", *home)
	}
}
