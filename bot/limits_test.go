package bot_test

import (
	"testing"

	"marque/bot/localdiscord"
)

// Whatever is given outside a server, by an altered client or an old registration, is answered by
// one sentence, and nothing is kept of it.
func TestOutsideAServer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	anne := localdiscord.Anne
	dm, err := r.srv.DM(anne)
	if err != nil {
		t.Fatal(err)
	}
	const refused = "This works on a server only."
	for _, c := range []struct {
		name    string
		options []map[string]any
	}{
		{"play", []map[string]any{textOption("game", "loyal-captain")}},
		{"preferences", []map[string]any{textOption("zone", "Asia/Tokyo")}},
		{"away", []map[string]any{textOption("until", "3")}},
		{"settings", []map[string]any{numberOption("idle-days", 9)}},
		{"season", []map[string]any{{"name": "start", "type": 1}}},
		{"help", nil},
		{"games", nil},
	} {
		r.wantText(r.forgedCommand(anne, dm, c.name, c.options...), refused)
	}
	panel := r.forgedCommand(anne, dm, "settings")
	for _, control := range []string{"settings/0/0/rated", "privacy/0/0/sure", "join/1/1/"} {
		r.wantText(r.forged(anne, panel, control), refused)
	}
	if found := r.stored("loyal-captain", "Asia/Tokyo", anne); found != nil {
		t.Errorf("stored: %q", found)
	}
	if list, err := r.tables.Lookup.ByGuild(r.ctx, "", false, 0, 10); err != nil || len(list) != 0 {
		t.Errorf("tables without a server: %v, %v", list, err)
	}
}
