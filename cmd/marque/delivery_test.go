package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"marque/config"
)

func projectFile(t *testing.T, name ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, name...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The image built from source and the image of a release differ only in where the binary comes from.
func TestBothImagesAreOne(t *testing.T) {
	t.Parallel()
	tail := func(file string) []string {
		_, last, _ := strings.Cut(file, "FROM scratch\n")
		var lines []string
		for line := range strings.Lines(last) {
			if !strings.HasSuffix(line, "/marque /marque\n") && line != "ARG TARGETPLATFORM\n" {
				lines = append(lines, line)
			}
		}
		return lines
	}
	source, release := tail(projectFile(t, "Dockerfile")), tail(projectFile(t, "deploy", "container", "Dockerfile"))
	if len(source) < 6 || strings.Join(source, "") != strings.Join(release, "") {
		t.Errorf("from the source:\n%s\nof a release:\n%s", strings.Join(source, ""), strings.Join(release, ""))
	}
}

// The systemd unit gives the bot enough time to stop, and passes the token as a credential.
func TestTheUnitAllowsAStop(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load("", nil)
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for line := range strings.Lines(projectFile(t, "deploy", "systemd", "marque.service")) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			settings[key] = value
		}
	}
	allowed, err := time.ParseDuration(settings["TimeoutStopSec"])
	if err != nil || allowed < 2*cfg.ShutdownTimeout {
		t.Errorf("the unit allows %v (%v) for a stop, which takes %v and some", allowed, err, cfg.ShutdownTimeout)
	}
	credential, _, _ := strings.Cut(settings["LoadCredential"], ":")
	if !strings.HasSuffix(settings["Environment"], "DISCORD_TOKEN_FILE=%d/"+credential) || credential == "" {
		t.Errorf("the unit has the credential %q and the environment %q", credential, settings["Environment"])
	}
}

// Renovate finds every tool whose version a script names.
func TestRenovateFindsEveryTool(t *testing.T) {
	t.Parallel()
	var settings struct {
		CustomManagers []struct {
			ManagerFilePatterns, MatchStrings []string
		}
	}
	if err := json.Unmarshal([]byte(projectFile(t, "renovate.json")), &settings); err != nil ||
		len(settings.CustomManagers) != 1 {
		t.Fatalf("renovate.json has %+v (%v)", settings, err)
	}
	manager := settings.CustomManagers[0]
	for _, script := range []string{"run", "deliver"} {
		text := projectFile(t, ".ci", script)
		versions := regexp.MustCompile(`(?m)^\w+_version=\S+$`).FindAllString(text, -1)
		found := regexp.MustCompile(manager.MatchStrings[0]).FindAllString(text, -1)
		if len(versions) == 0 || len(found) != len(versions) {
			t.Errorf(".ci/%s has the versions %q, and Renovate finds %q", script, versions, found)
		}
		if pattern := strings.Trim(manager.ManagerFilePatterns[0], "/"); !regexp.MustCompile(pattern).MatchString(
			".ci/" + script) {
			t.Errorf("Renovate does not look into .ci/%s, only for %s", script, pattern)
		}
	}
}

// A release's archives and packages contain every file under deploy that docs/operations.md names, and all files that
// they are made from exist. The compose files are left out: they build the bot from its source, and are shipped with
// the source.
func TestAReleaseHasWhatThePageNames(t *testing.T) {
	t.Parallel()
	var c struct {
		Archives []struct{ Files []string }
		Nfpms    []struct {
			Contents []struct{ Src, Dst string }
			Scripts  map[string]string
		}
	}
	if err := yaml.Unmarshal([]byte(projectFile(t, ".goreleaser.yaml")), &c); err != nil || len(c.Archives) != 1 ||
		len(c.Nfpms) != 1 {
		t.Fatalf("the configuration has %+v (%v)", c, err)
	}
	packaged := []string{}
	for _, e := range c.Nfpms[0].Contents {
		packaged = append(packaged, e.Src)
	}
	for _, script := range c.Nfpms[0].Scripts {
		packaged = append(packaged, script)
	}
	for _, pattern := range append(slices.Clone(c.Archives[0].Files), packaged...) {
		if found, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern))); err != nil ||
			len(found) == 0 {
			t.Errorf("a release is made of %s, and there is none (%v)", pattern, err)
		}
	}
	named := 0
	for _, m := range regexp.MustCompile("`(deploy/[a-z]+/[a-z.]+)`").FindAllStringSubmatch(projectFile(t, "docs",
		"operations.md"), -1) {
		if strings.HasPrefix(m[1], "deploy/compose/") {
			continue
		}
		if named++; !slices.Contains(c.Archives[0].Files, m[1]) || !slices.Contains(packaged, m[1]) {
			t.Errorf("the page names %s, which is not in the archives (%q) or the packages (%q)", m[1],
				c.Archives[0].Files, packaged)
		}
	}
	if named < 3 {
		t.Errorf("the page names %d files: the test does not test", named)
	}
}
