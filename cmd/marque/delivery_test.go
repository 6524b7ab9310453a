package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// The image that is built from the source, and that of a release, differ in where the binary comes from and in nothing else.
func TestBothImagesAreOne(t *testing.T) {
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

// The unit leaves a stop more time than the bot takes for one by default, and its token comes as a credential.
func TestTheUnitAllowsAStop(t *testing.T) {
	t.Setenv("DISCORD_TOKEN", "")
	t.Setenv("DISCORD_TOKEN_FILE", "")
	cfg, err := config.Load("")
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
