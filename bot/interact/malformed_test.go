package interact_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/metrics"
)

// takenEvents are the events that the bot has handlers for.
var takenEvents = []string{
	"READY", "INTERACTION_CREATE", "GUILD_CREATE", "GUILD_UPDATE", "GUILD_DELETE", "GUILD_ROLE_CREATE",
	"GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE",
	"CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE", "THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE",
	"THREAD_LIST_SYNC",
}

// bareContents are invalid contents of an event.
var bareContents = []string{
	`null`, `{}`, `[]`, `""`, `7`, `{"id":null}`, `{"id":7}`, `{"id":"","guild_id":"","role":null}`,
	`{"guild_id":"1","role":{}}`, `{"shard":[0,0],"guilds":[null]}`,
	`{"id":"1","roles":[null],"channels":[null],"threads":[null],"members":[null]}`,
	`{"guild_id":"1","threads":[null]}`, `{"id":"1","permission_overwrites":[null]}`,
	`{"id":"1","type":2,"data":null,"member":null,"user":null}`, `{"id":"1","type":3,"data":{},"member":{"user":null}}`,
	`{"id":"1","type":2,"data":{"options":[null]},"user":{"id":"1"}}`,
	`{"id":"1","type":5,"data":{"custom_id":"x","components":[null]},"user":{"id":"1"}}`,
}

// The bot continues to answer on the same connection after events, known and unknown, with invalid contents. The
// failures are counted, and give few lines in the log.
func TestMalformedEventsHarmNobody(t *testing.T) {
	counted := metrics.New(metrics.Build{})
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Metrics = counted })
	for _, event := range append(takenEvents, "NO_SUCH_EVENT", "") {
		for _, content := range bareContents {
			r.Server.Gateway.Inject(event, json.RawMessage(content))
		}
		if got := r.Command(localdiscord.Anne, bottest.Tavern, "games"); !strings.Contains(got.Text(),
			"There are no tables to show") {
			t.Errorf("after %s: %s", event, got.Text())
		}
	}
	if begun, _ := r.Server.Gateway.Sessions(); begun != 1 {
		t.Errorf("%d sessions were begun, want 1", begun)
	}
	answer := httptest.NewRecorder()
	counted.Handler(false).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	all, _ := io.ReadAll(answer.Body)
	_, failures, _ := strings.Cut(string(all), "\nmarque_gateway_event_failures_total ")
	failures, _, _ = strings.Cut(failures, "\n")
	lines := strings.Count(r.Log.String(), "an event of Discord's gateway could not be handled")
	t.Logf("%s failures are counted, %d are in the log", failures, lines)
	if failures == "" || failures == "0" || lines == 0 || lines > 5 {
		t.Errorf("%q failures are counted and %d are in the log, want a line a minute", failures, lines)
	}
	r.Log.Clear()
}
