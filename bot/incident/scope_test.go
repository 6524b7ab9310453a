package incident_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"marque/bot/incident"
)

// All lines that are logged for an interaction have its id, and its table after About. An attribute that a line already
// has is not added again. Lines without an interaction have neither.
func TestLinesOfAnInteractionCarryItsID(t *testing.T) {
	var out strings.Builder
	log := slog.New(incident.Attach(slog.NewTextHandler(&out, nil)))
	ctx := incident.Begin(t.Context())
	id := incident.ID(ctx)
	log.InfoContext(ctx, "first", "what", "/move")
	incident.About(ctx, "12")
	log.With("a", 1).InfoContext(context.WithoutCancel(ctx), "second")
	log.InfoContext(ctx, "third", "incident", id, "table", "13")
	log.Info("fourth")
	other := incident.Begin(t.Context())
	log.InfoContext(other, "fifth")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{
		"msg=first what=/move incident=" + id, "msg=second a=1 incident=" + id + " table=12",
		"msg=third incident=" + id + " table=13",
		"msg=fourth", "msg=fifth incident=" + incident.ID(other),
	} {
		if i >= len(lines) || !strings.HasSuffix(lines[i], want) {
			t.Errorf("line %d is not %q:\n%s", i+1, want, out.String())
		}
	}
	if id == incident.ID(other) || len(id) != 8 {
		t.Errorf("two interactions have the ids %s and %s", id, incident.ID(other))
	}
}
