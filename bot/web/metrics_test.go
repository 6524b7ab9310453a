package web_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/metrics"
)

// The operator's metrics count a page's requests by kind and outcome, and the messages to pages. They include the times
// from a touch to its picture, each once, without times of a minute or more.
func TestThePageIsCounted(t *testing.T) {
	t.Parallel()
	counted := metrics.New(metrics.Build{})
	r := withPage(t, func(r *bottest.Rig) { r.Metrics = counted })
	board := r.OpenLoyal(bottest.Two)
	c := enter(r, r.Table().Mover(), board)
	c.ask("enter", map[string]any{"link": "none"})
	c.listen()
	for _, took := range []int{250, 0, -1, 60_000} {
		c.ask("state", map[string]any{"took": took})
	}
	if a := c.ask("play", map[string]any{"path": "nowhere", "version": 1, "key": key()}); a.Error == "" {
		t.Fatalf("a move to nowhere is answered %d %s", a.Status, a.Raw)
	}
	answer := httptest.NewRecorder()
	counted.Handler(false).ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	said := answer.Body.String()
	for _, want := range []string{
		`marque_page_requests_total{route="POST /api/enter",status="200"} 1`,
		`marque_page_requests_total{route="POST /api/enter",status="401"} 1`,
		`marque_page_requests_total{route="POST /api/state",status="200"} 4`,
		`marque_page_requests_total{route="POST /api/play",status="422"} 1`,
		`marque_page_messages_total 1`,
		`marque_page_touch_seconds_count 1`,
		`marque_page_touch_seconds_sum 0.25`,
	} {
		if !strings.Contains(said, want+"\n") {
			var have []string
			for line := range strings.Lines(said) {
				if strings.HasPrefix(line, "marque_page") && !strings.Contains(line, "_bucket") {
					have = append(have, line)
				}
			}
			t.Errorf("not counted: %s\n%s", want, strings.Join(have, ""))
		}
	}
}
