package storage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"marque/games/competition"
	"marque/games/text"
	"marque/storage"
	"marque/storage/kv"
	"marque/storage/kv/strict"
	"marque/storage/storagetest"
)

// everything returns a store that holds values of every kind except jobs.
func everything(t *testing.T, e kv.Engine) *storage.Store {
	t.Helper()
	ctx := t.Context()
	s, err := storage.Open(ctx, e)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	_, err = s.StartSeason(ctx, "g", text.NewName("spring"), 1)
	must(err)
	for i := range 4 {
		c := storagetest.Opening("g", fmt.Sprint("c", i), "ann", "bob")
		c.Key, c.Head.Due = fmt.Sprint("open ", i), []storage.Due{{Kind: "remind", At: 5000}}
		id, err := s.Create(ctx, c)
		must(err)
		c.Head.ID = id
		next := storagetest.Next(c.Head, 3)
		next.Key, next.Head.ToMove, next.Head.Rematch = "play", 0, id-1
		must(s.Commit(ctx, next))
		if i == 0 {
			continue
		}
		end := storagetest.Ending(next.Head, 0)
		must(s.Commit(ctx, end))
		must(s.MarkPublished(ctx, id, storage.Publication{Version: end.Head.Version, Note: "note"}, storage.Fence{}))
		must(s.SetReview(ctx, id, storage.Review{Looked: 3}))
		_, err = s.ShareGame(ctx, id, "key")
		must(err)
	}
	lobby := storagetest.Opening("g", "c", "ann")
	lobby.Head.Rematch = 4
	_, err = s.Create(ctx, lobby)
	must(err)
	_, err = s.Void(ctx, 2, &storage.Voiding{By: "mod", At: 1})
	must(err)
	must(s.Finished(ctx, storage.Work{Kind: storage.Recounting, Of: "g"}))
	must(s.ChangeGuildSettings(ctx, "g", storagetest.Set(map[string]int{"least": 3})))
	must(s.ChangeUserSettings(ctx, "ann", storagetest.Set(map[string]int{"due": 700})))
	must(s.ChangeStudy(ctx, "ann", func(storage.Study) (storage.Study, error) {
		return storage.Study{Number: 1, Version: 1, Table: 2, Ends: 800}, nil
	}))
	must(s.ChangePuzzler(ctx, "ann", "", func(storage.Puzzler) (storage.Puzzler, storage.Score) {
		return storage.Puzzler{Last: 3}, storage.Score{Server: "g", Month: "2026-11", Solved: 1}
	}))
	_, err = s.TellBadges(ctx, "ann", "g", []string{"lessons"})
	must(err)
	must(s.AddComeback(ctx, "ann", 2))
	must(s.AddPrediction(ctx, storage.Prediction{User: "ann", Table: 2, Chance: 250, At: 1},
		func(storage.Head) error { return nil }))
	head, err := s.Head(ctx, 1)
	must(err)
	played := storagetest.Next(head, 1)
	played.Conduct = []storage.Conducted{{User: "ann", Conduct: storage.Conduct{Games: 1}}}
	must(s.Commit(ctx, played))
	_, err = s.AddCompetition(ctx, storage.Competition{
		Server: "g", Version: 1, Name: text.NewName("cup"), Host: "ann", Due: 9000,
		People: []storage.Participant{{User: "ann"}, {User: "bob"}},
		Rules: competition.Competition{Entrants: []competition.Entrant{{User: "ann"}, {User: "bob"}},
			Pairings: []competition.Pairing{{No: 1, Seats: []int{0, 1}}}},
	}, 3)
	must(err)
	match := storagetest.Opening("g", "c", "ann", "bob")
	match.Head.Competition = storage.CompetitionGame{Number: 1, Game: 1}
	_, err = s.Create(ctx, match)
	must(err)
	_, err = s.ChangeSeeks(ctx, "g", storage.Fence{}, func(k storage.Seeks) (storage.Seeks, error) {
		k.Waiting = append(k.Waiting, storage.Seek{Key: "seek", User: "ann", Until: 900})
		return k, nil
	})
	must(err)
	must(s.ChangeLogin(ctx, "ann", func(storage.Login) (storage.Login, error) {
		return storage.Login{Key: "key", Links: []storage.LoginLink{{ID: "l", Until: 900}}}, nil
	}))
	must(s.ChangeWebhook(ctx, "ann", func(storage.Webhook) storage.Webhook {
		return storage.Webhook{Address: "https://example.org/hook", Key: "key",
			Calls: []storage.WebhookCall{{ID: "c", At: 800}}}
	}))
	must(s.ChangeUptime(ctx, storagetest.Up(storage.Uptime{Alive: 7})))
	return s
}

// pairs returns the key-value pairs that an engine stores in the spaces of the store, by space.
func pairs(t *testing.T, e kv.Engine) map[kv.Space][]kv.Pair {
	t.Helper()
	all := map[kv.Space][]kv.Pair{}
	err := e.View(t.Context(), func(r kv.Reader) error {
		for _, space := range storage.Spaces() {
			list, err := r.Scan(kv.Range{Space: space}, kv.Ascending, 1<<20)
			if err != nil {
				return err
			}
			for _, p := range list {
				all[space] = append(all[space], kv.Pair{Key: bytes.Clone(p.Key), Value: append([]byte{}, p.Value...)})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// set changes an engine's pairs, bypassing the store. A nil value deletes the pair.
func set(t *testing.T, e kv.Engine, changes ...kv.Change) {
	t.Helper()
	slices.SortFunc(changes, func(a, b kv.Change) int { return bytes.Compare(a.Key.Key, b.Key.Key) })
	tx, _, err := e.Begin(t.Context(), nil, nil, nil)
	if err == nil {
		defer tx.Rollback()
		err = tx.Commit(context.Background(), changes)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Every kind of stored value is either exported as a user's own, or is listed here with the part of
// privacy.Service.Export that has its data, or with the reason why it has none.
func TestAUsersOwnIsExported(t *testing.T) {
	const nobody = "nobody stands in one"
	elsewhere := map[string]string{
		"the head of table 0":                              "Dossier.Tables, Named",
		"the detail of table 0":                            "Dossier.Tables, Named",
		"the note about table 0":                           "names messages, and who plays: Dossier.Tables",
		"the key of a command at table 0":                  nobody,
		"the key of a command that opened a table":         nobody,
		"event 0 of table 0":                               "Dossier.Tables, Named",
		"the review of table 0":                            nobody,
		"the key of the page of table 0":                   nobody,
		`the number of "" that was given last`:             nobody,
		`the settings of server ""`:                        nobody,
		`the settings of user ""`:                          "Dossier.Preferences, Record",
		`the bot's ""`:                                     nobody,
		`the seasons of server ""`:                         "in names that others gave",
		`who looks for a game on server ""`:                "Dossier.Seeks",
		"the result of table 0":                            "Dossier.Results",
		`which leaderboards of server "" count`:            nobody,
		`the standing of "" on a leaderboard of server ""`: "counted from Dossier.Results",
		"the ratings after the game of table 0":            "Dossier.Results",
		`competition 0 of server ""`:                       "Dossier.Competitions",
		`participant 0 of competition 0 of server ""`:      "Dossier.Competitions",
		`entrant 0 of competition 0 of server ""`:          "Dossier.Competitions",
		`pairing 0 of competition 0 of server ""`:          nobody,
		`how far the work "" of "" is`:                     "until they are forgotten",
	}
	e := kept{strict.New(nil)}
	s := everything(t, e)
	defer s.Close()
	var owned []string
	for _, user := range []string{"ann", "bob"} {
		list, err := s.Owned(t.Context(), user)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list {
			owned = append(owned, o.What)
		}
	}
	own := map[string]bool{}
	for space, list := range pairs(t, e) {
		for _, p := range list {
			if slices.Contains(owned, storage.NameOf(space, p.Key)) {
				own[storage.KindOf(space, p.Key)] = true
			}
		}
	}
	for _, kind := range storage.Kinds() {
		if elsewhere[kind] == "" && !own[kind] {
			t.Errorf("%q: of ann and bob it is not exported, nor is it said here where it is", kind)
		}
		if elsewhere[kind] != "" && own[kind] {
			t.Errorf("%q is exported by itself, and said to be in %s", kind, elsewhere[kind])
		}
	}
}

// Once a user is forgotten, no text written by people mentions them, not even in kinds that no exercise covers.
func TestWhatPeopleWriteMentionsNobodyWhoIsForgotten(t *testing.T) {
	list, err := storage.Mentioning()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range list {
		if strings.HasPrefix(kind, "the standing") {
			continue // renameLines removes the player's name, and the kind's forget function need not
		}
		t.Errorf("%q still mentions who was forgotten", kind)
	}
}

// The store that the tests of damage, moving and repair use has values of every kind and an entry in every index. Only
// jobs are missing, because all of them are finished.
func TestEverythingIsOfEveryKind(t *testing.T) {
	e := kept{strict.New(nil)}
	defer everything(t, e).Close()
	there := map[string]bool{}
	all := pairs(t, e)
	for space, list := range all {
		for _, p := range list {
			there[storage.KindOf(space, p.Key)] = true
		}
	}
	for _, kind := range storage.Kinds() {
		if !there[kind] && !strings.HasPrefix(kind, "how far the work") {
			t.Errorf("there is nothing of the kind %q", kind)
		}
	}
	for _, space := range storage.Spaces() {
		if len(all[space]) == 0 && space != "jobs" {
			t.Errorf("there is nothing in %s", space)
		}
	}
	t.Logf("%d kinds, %d spaces", len(storage.Kinds()), len(storage.Spaces()))
}

// The check accepts a sound store. It reports flipped bits in each key and value, and the loss of each row and index
// entry that other values imply.
func TestNoDamageIsCalledSound(t *testing.T) {
	t.Parallel()
	e := kept{strict.New(nil)}
	s := everything(t, e)
	defer s.Close()
	ctx := t.Context()
	if err := s.Check(ctx); err != nil {
		t.Fatal(err)
	}
	// The check cannot notice that a row of these spaces is missing, because nothing else refers to it.
	loose := map[kv.Space]bool{
		"settings-g": true, "bot": true, "openings": true, "leagues": true, "conduct": true,
		"badges": true, "doors": true, "puzzlers": true,
	}
	for space, list := range pairs(t, e) {
		for _, p := range list {
			at := kv.Key{Space: space, Key: p.Key}
			wrong := func(what string, changes ...kv.Change) {
				t.Helper()
				set(t, e, changes...)
				err := s.Check(ctx)
				if !errors.Is(err, storage.ErrDamaged) {
					t.Errorf("%s %q, %s: %v", space, p.Key, what, err)
				}
			}
			for _, bit := range []int{0, len(p.Value)*4 - 1, len(p.Value)*8 - 1} {
				if len(p.Value) == 0 {
					break
				}
				v := bytes.Clone(p.Value)
				v[bit/8] ^= 1 << (bit % 8)
				wrong(fmt.Sprintf("bit %d of the value flipped", bit), kv.Change{Key: at, Value: v})
			}
			set(t, e, kv.Change{Key: at, Value: p.Value})
			other := kv.Key{Space: space, Key: bytes.Clone(p.Key)}
			other.Key[len(other.Key)-1] ^= 0x40
			wrong("a bit of its key flipped", kv.Change{Key: at}, kv.Change{Key: other, Value: p.Value})
			set(t, e, kv.Change{Key: other}, kv.Change{Key: at, Value: p.Value})
			row := byte(255)
			if space == "tables" {
				row = p.Key[8]
			}
			if loose[space] || slices.Contains([]byte{1, 2, 4, 5}, row) { // nothing else refers to these
				continue
			}
			wrong("lost", kv.Change{Key: at})
			set(t, e, kv.Change{Key: at, Value: p.Value})
		}
	}
	if err := s.Check(ctx); err != nil {
		t.Errorf("after everything was put back: %v", err)
	}
}

// Moving a store preserves its values, and the moved store is sound and usable. A store cannot be moved onto another
// store. A truncated copy is not accepted as a store.
func TestMovedIsTheSame(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	from, to := kept{strict.New(nil)}, kept{strict.New(storage.Cover)}
	s := everything(t, from)
	defer s.Close()
	want, err := storage.DigestOf(ctx, from)
	if err != nil || want.Tables != 6 {
		t.Fatalf("the digest is %+v, %v", want, err)
	}
	cut, commits := kept{strict.New(nil)}, 0
	cut.Fail(func() error {
		if commits++; commits == 2 {
			return io.ErrUnexpectedEOF
		}
		return nil
	})
	if _, err := s.Move(ctx, cut); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the move was cut short: %v", err)
	}
	if _, err := storage.Open(ctx, cut); !errors.Is(err, storage.ErrDamaged) {
		t.Errorf("the copy that was cut short: %v", err)
	}
	if got, err := s.Move(ctx, to); err != nil || got != want {
		t.Fatalf("moved %+v of %+v: %v", got, want, err)
	}
	if _, err := s.Move(ctx, to); !errors.Is(err, storage.ErrNotEmpty) {
		t.Errorf("moved onto something: %v", err)
	}
	moved, err := storage.Open(ctx, to)
	if err != nil {
		t.Fatal(err)
	}
	defer moved.Close()
	if err := moved.Check(ctx); err != nil {
		t.Error(err)
	}
	head, err := moved.Head(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := moved.Commit(ctx, storagetest.Next(head, 1)); err != nil {
		t.Error(err)
	}
	if got, err := storage.DigestOf(ctx, to); err != nil || got == want {
		t.Errorf("another play left the digest as it was: %v", err)
	}
}

// A store is sound after each step of recounting, forgetting and deleting, so a process can end between two steps.
func TestSoundAfterEachStep(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := everything(t, kept{strict.New(nil)})
	defer s.Close()
	steps := 0
	s.ObserveCommits(func(time.Duration, error) {
		steps++
		if err := s.Check(ctx); err != nil {
			t.Errorf("after step %d: %v", steps, err)
		}
	})
	_, err := s.Void(ctx, 3, &storage.Voiding{By: "mod", At: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []storage.Work{
		{Kind: storage.Recounting, Of: "g"}, {Kind: storage.Forgetting, Of: "ann"}, {Kind: storage.Recounting, Of: "g"}, {Kind: storage.Deleting, Of: "g"},
	} {
		switch w.Kind {
		case storage.Forgetting:
			err = s.Forget(ctx, w.Of, storage.Departed+"1")
		case storage.Deleting:
			err = s.DeleteGuild(ctx, w.Of)
		}
		if err = errors.Join(err, s.Finished(ctx, w)); err != nil {
			t.Fatalf("%+v: %v", w, err)
		}
	}
	if steps < 12 {
		t.Errorf("it took %d steps, too few to have looked at each phase", steps)
	}
}

// Lists of tables leave out a table whose head cannot be read, even if its detail names the user, and a table whose
// detail cannot be read and alone names the user. One damaged table thus keeps nobody from their other tables.
func TestDamagedTablesKeepNobodyFromTheOthers(t *testing.T) {
	e := kept{strict.New(nil)}
	s := everything(t, e)
	defer s.Close()
	ctx := t.Context()
	var ids []storage.ID
	for range 3 {
		lobby := storagetest.Opening("lists", "c", "cid")
		lobby.Detail.Invited, lobby.Detail.Order = []string{"eve"}, []string{"cid", "eve"}
		id, err := s.Create(ctx, lobby)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	damaged := []string{fmt.Sprint("the head of table ", ids[0]), fmt.Sprint("the detail of table ", ids[1])}
	for space, list := range pairs(t, e) {
		for _, p := range list {
			if slices.Contains(damaged, storage.NameOf(space, p.Key)) {
				p.Value[len(p.Value)-1] ^= 1
				set(t, e, kv.Change{Key: kv.Key{Space: space, Key: p.Key}, Value: p.Value})
			}
		}
	}
	for _, id := range ids[:2] {
		if _, err := s.Load(ctx, id); !errors.Is(err, storage.ErrDamaged) {
			t.Fatalf("table %d is not damaged: %v", id, err)
		}
	}
	for user, want := range map[string][]storage.ID{"cid": ids[1:], "eve": ids[2:]} {
		if list, err := s.Naming(ctx, user); err != nil || !slices.Equal(list, want) {
			t.Errorf("tables that name %s: %v, %v, want %v", user, list, err, want)
		}
	}
	heads, err := s.ByGuild(ctx, "lists", storage.Active, 0, 9)
	if err != nil || len(heads) != 2 || heads[0].ID != ids[1] {
		t.Errorf("tables of the server: %v, %v, want %v", heads, err, ids[1:])
	}
}
