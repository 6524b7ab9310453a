package metrics

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// exported returns the names of all metrics, including the series that Prometheus derives from histograms, each with
// its labels in the form {kind,outcome}, or "" if it has none.
func exported(t *testing.T) map[string]string {
	t.Helper()
	descriptions := make(chan *prometheus.Desc)
	go func() {
		defer close(descriptions)
		New(Build{}).registry.Describe(descriptions)
	}()
	names := map[string]string{}
	described := regexp.MustCompile(`fqName: "([^"]+)".*constLabels: {(.*)}, variableLabels: (?:{}|({[^}]+}))`)
	for d := range descriptions {
		found := described.FindStringSubmatch(d.String())
		if found == nil {
			t.Fatalf("%s has no name or labels", d)
		}
		name, labels := found[1], found[3]
		if constant := regexp.MustCompile(`="[^"]*"`).ReplaceAllString(found[2], ""); constant != "" {
			labels = "{" + constant + "}"
		}
		names[name] = labels
		if strings.HasSuffix(name, "_seconds") {
			names[name+"_bucket"], names[name+"_sum"], names[name+"_count"] = labels, labels, labels
		}
	}
	return names
}

var deploy = filepath.Join("..", "..", "deploy")

// The metrics of the program, of Go and of the process that the dashboard, the alerts and the alerts' tests name are
// all exported. These files use every metric that the bot defines, except marque_store_free_pages.
func TestWhatIsDeployedNamesWhatIsExported(t *testing.T) {
	names := exported(t)
	metric := regexp.MustCompile(`\b(marque|go|process)_[a-z0-9_]+\b`)
	used := map[string]bool{}
	for _, file := range []string{"grafana/marque.json", "prometheus/rules.yml", "prometheus/rules_test.yml",
		"prometheus/rules_days_test.yml"} {
		b, err := os.ReadFile(filepath.Join(deploy, file))
		if err != nil {
			t.Fatal(err)
		}
		found := metric.FindAllString(string(b), -1)
		if len(found) < 5 {
			t.Errorf("%s names %d metrics: the test does not test", file, len(found))
		}
		for _, name := range found {
			if _, ok := names[name]; !ok {
				t.Errorf("%s names %s, which is not exported", file, name)
			}
			used[name] = true
		}
	}
	for name := range names {
		base := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		if strings.HasPrefix(name, "marque_") && !used[base] && !used[base+"_bucket"] && !used[base+"_count"] &&
			base != "marque_store_free_pages" {
			t.Errorf("%s is exported, and neither shown nor watched", name)
		}
	}
}

// The table in docs/operations.md lists every metric that the bot defines with its labels, and no other.
func TestEveryMetricIsDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	row := regexp.MustCompile("(?m)^\\| `marque_.*$")
	for _, line := range row.FindAllString(string(page), -1) {
		for _, m := range regexp.MustCompile("`(marque_[a-z_]+)({[a-z_,]+})?`").FindAllStringSubmatch(line, -1) {
			documented[m[1]] = m[2]
		}
	}
	names := exported(t)
	for name, labels := range names {
		name = regexp.MustCompile(`_seconds_(bucket|sum|count)$`).ReplaceAllString(name, "_seconds")
		if said, ok := documented[name]; strings.HasPrefix(name, "marque_") && (!ok || said != labels) {
			t.Errorf("docs/operations.md has %q for the labels of %s, which are %q", said, name, labels)
		}
	}
	for name := range documented {
		if _, ok := names[name]; !ok {
			t.Errorf("docs/operations.md has %s, which is not exported", name)
		}
	}
}

// The tests of the alerts pass. Every alert has a test that is named after its firing and one that is named after its
// silence, and is in docs/operations.md. The test is skipped without promtool.
func TestAlerts(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not there (Debian: prometheus)")
	}
	cmd := exec.CommandContext(t.Context(), promtool, "test", "rules", "rules_test.yml", "rules_days_test.yml")
	cmd.Dir = filepath.Join(deploy, "prometheus")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	rules, err := os.ReadFile(filepath.Join(cmd.Dir, "rules.yml"))
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile(filepath.Join(cmd.Dir, "rules_test.yml"))
	if err != nil {
		t.Fatal(err)
	}
	days, err := os.ReadFile(filepath.Join(cmd.Dir, "rules_days_test.yml"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)- alert: (\w+)$`).FindAllStringSubmatch(string(rules), -1) {
		for _, want := range []string{"name: " + m[1] + " fires", "name: " + m[1] + " is silent"} {
			if !strings.Contains(string(tests)+string(days), want) {
				t.Errorf("no test of the rules is %q", want)
			}
		}
		if !strings.Contains(string(page), "`"+m[1]+"`") {
			t.Errorf("docs/operations.md does not say what to do about %s", m[1])
		}
	}
}

// The gathered metrics follow Prometheus's naming conventions: of the bot's own, the counters and no others end in
// _total, and no name ends in one of the abbreviated units that the test lists.
func TestNamesFollowTheConventions(t *testing.T) {
	m := New(Build{})
	m.interactions.WithLabelValues("command", "/play", "ok")
	m.requests.WithLabelValues("GET", "/gateway", "200")
	m.pictures.WithLabelValues("board", "cache")
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		name := f.GetName()
		if strings.HasPrefix(name, "marque_") && strings.HasSuffix(name,
			"_total") != (f.GetType().String() == "COUNTER") {
			t.Errorf("%s is a %s", name, f.GetType())
		}
		for _, unit := range []string{"_ms", "_millis", "_secs", "_kb", "_mb"} {
			if strings.HasSuffix(name, unit) {
				t.Errorf("%s has the unit %s, not the base unit", name, unit)
			}
		}
	}
}
