package bolt

import (
	"reflect"
	"testing"

	"go.etcd.io/bbolt"

	"marque/storage"
	"marque/storage/storagetest"
)

// What a file of schema 1 says about the bot itself, among the servers' settings under no server's
// name, is kept when the file is updated, and has rows of its own from then on.
func TestNotesAboutTheBotOfSchema1(t *testing.T) {
	ctx := t.Context()
	path := t.TempDir() + "/marque.db"
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := migrate(db, schema[:1]); err != nil {
		t.Fatal(err)
	}
	life, err := encodeJSON(map[string]any{
		"alive": 9000, "down": []any{map[string]any{"f": 1000, "t": 2000}},
		"left": []any{map[string]any{"guild": "g", "at": 3000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(guildPreference).Put(name(nil, ""), life) })
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	s := openStore(t, path)
	want := storage.Uptime{Alive: 9000, Down: []storage.Span{{From: 1000, To: 2000}}}
	left := []storage.Removal{{Guild: "g", At: 3000}}
	check := func(when string) {
		t.Helper()
		up, err := s.Uptime(ctx)
		if err != nil || !reflect.DeepEqual(up, want) {
			t.Errorf("%s: uptime %+v, %v, want %+v", when, up, err, want)
		}
		removed, err := s.Removals(ctx)
		if err != nil || !reflect.DeepEqual(removed, left) {
			t.Errorf("%s: removed from %+v, %v, want %+v", when, removed, err, left)
		}
	}
	check("after the update")
	want.Alive = 9500
	if err := s.ChangeUptime(ctx, storagetest.Up(want)); err != nil {
		t.Fatal(err)
	}
	left = append(left, storage.Removal{Guild: "h", At: 4000})
	if err := s.AddRemoval(ctx, left[len(left)-1]); err != nil {
		t.Fatal(err)
	}
	check("after new notes")
	var still map[string]any
	if err := s.GuildSettings(ctx, "", &still); err != nil || still != nil {
		t.Errorf("under no server's name there is still %v, %v", still, err)
	}
}
