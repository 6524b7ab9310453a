package storage_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"marque/games"
	"marque/games/ledger"
	"marque/games/review"
	"marque/games/text"
	"marque/storage"
	"marque/storage/storagetest"
)

func settings(t *testing.T, s *store) {
	type settings struct {
		Language string `json:"l"`
		Pings    bool   `json:"p"`
	}
	ctx := t.Context()
	got := settings{Language: "en"}
	if err := s.GuildSettings(ctx, "g", &got); err != nil || got.Language != "en" {
		t.Errorf("never set: %+v, %v", got, err)
	}
	s.must(s.ChangeGuildSettings(ctx, "g", storagetest.Set(settings{Language: "de", Pings: true})))
	if err := s.GuildSettings(ctx, "g", &got); err != nil || got != (settings{"de", true}) {
		t.Errorf("set: %+v, %v", got, err)
	}
	got = settings{}
	if err := s.UserSettings(ctx, "g", &got); err != nil || got != (settings{}) {
		t.Errorf("the user of the same id: %+v, %v", got, err)
	}
	for _, user := range []string{"bob", "ann", "al"} {
		s.must(s.ChangeUserSettings(ctx, user, storagetest.Set(map[string]any{"blocked": []string{"123" + user, "cid"},
			"q": `"<>&⚓`})))
	}
	s.must(s.ChangeUserSettings(ctx, "al", storagetest.Set(map[string]any{})))
	s.again()
	var read map[string]any
	err := s.UserSettings(ctx, "bob", &read)
	s.same("a user's settings", map[string]any{"blocked": []any{"123bob", "cid"}, "q": `"<>&⚓`}, read, err)
	for id, want := range map[string][]string{"cid": {"ann", "bob"}, "123ann": {"ann"}, "nobody": nil} {
		users, err := s.UsersNaming(ctx, id)
		s.same("users who name "+id, want, users, err)
	}
	due := func(until storage.Stamp, want ...string) {
		t.Helper()
		users, err := s.UsersDue(ctx, until, 10)
		s.same("who is due", want, users, err)
	}
	s.must(s.ChangeUserSettings(ctx, "ann", storagetest.Set(map[string]any{"due": 500})))
	s.must(s.ChangeUserSettings(ctx, "bob", storagetest.Set(map[string]any{"due": 300})))
	due(299)
	due(500, "bob", "ann")
	s.must(s.ChangeUserSettings(ctx, "bob", storagetest.Set(map[string]any{"due": 900})))
	s.forget("ann", storage.Departed+"78")
	s.again()
	due(899)
	due(900, "bob")
	for what, err := range map[string]error{
		"user":   s.ChangeUserSettings(ctx, "a\x00b", storagetest.Set(got)),
		"server": s.ChangeGuildSettings(ctx, strings.Repeat("x", storage.MaxName+1), storagetest.Set(got)),
	} {
		if !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("settings of what is no %s: %v, want %v", what, err, storage.ErrInvalid)
		}
	}
}

// The change that causes a player's conduct also counts it, by server and month. When more conduct of the player is
// counted on the server, months that no longer count are deleted. Nothing is left of the conduct of a forgotten user or
// on a deleted server.
func conduct(t *testing.T, s *store) {
	ctx := t.Context()
	at := func(year, month int) storage.Stamp {
		return storage.At(time.Date(year, time.Month(month), 15, 12, 0, 0, 0, time.UTC))
	}
	did := func(guild string, when storage.Stamp, list ...storage.Conducted) error {
		c := storagetest.Opening(guild, fmt.Sprint(guild, when), "ann", "bob")
		c.Head.Changed, c.Conduct = when, list
		_, err := s.Create(ctx, c)
		return err
	}
	who := func(user string, games, left int, answers ...int) storage.Conducted {
		return storage.Conducted{User: user, Conduct: storage.Conduct{Games: games, Left: left, Answers: answers}}
	}
	s.must(did("g", at(2026, 8), who("ann", 1, 0, 5)))
	s.must(did("g", at(2026, 11), who("ann", 1, 0, 1, 2), who("bob", 1, 1)))
	s.must(did("g", at(2026, 11), who("ann", 2, 1, 0, 0, 3)))
	s.must(did("h", at(2026, 11), who("ann", 4, 0)))
	for _, wrong := range []storage.Conducted{who("ann", 1, 2), who("ann", -1, -1), who("a\x00b", 1, 0),
		who("ann", 1, 0, make([]int, len(storage.AnswerTimes)+2)...)} {
		if err := did("g", at(2026, 11), wrong); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("%+v was counted: %v", wrong, err)
		}
	}
	for range 2 {
		sum, err := s.Conduct(ctx, "ann", "g", "2026-08")
		s.same("since August", storage.Conduct{Games: 4, Left: 1, Answers: []int{6, 2, 3}}, sum, err)
		sum, err = s.Conduct(ctx, "ann", "g", "2026-09")
		s.same("since September", storage.Conduct{Games: 3, Left: 1, Answers: []int{1, 2, 3}}, sum, err)
		going, err := s.ActiveOf(ctx, "ann", "g")
		s.same("tables that go on", 3, going, err)
		s.again()
	}
	s.must(did("g", at(2026, 12), who("ann", 1, 0)))
	s.owns("when August counts no more", "ann",
		`how user ann played on server g in 2026-11: {"server":"g","month":"2026-11","games":3,"left":1,"answers":[1,2,3]}`,
		`how user ann played on server g in 2026-12: {"server":"g","month":"2026-12","games":1}`,
		`how user ann played on server h in 2026-11: {"server":"h","month":"2026-11","games":4}`)
	s.forget("bob", storage.Departed+"77")
	if s.holds("bob") {
		t.Error("who is forgotten is still in the store")
	}
	s.deleteGuild("g")
	s.owns("after the server was deleted", "ann",
		`how user ann played on server h in 2026-11: {"server":"h","month":"2026-11","games":4}`)
}

// A webhook is listed when its next call is due, and deleted with its user. Its secrets are neither printed nor
// exported.
func webhooks(t *testing.T, s *store) {
	ctx := t.Context()
	const address, sign = "https://hooks.example/very-secret", "the-key-of-signatures"
	due := func(what string, until storage.Stamp, want ...string) {
		t.Helper()
		list, err := s.WebhooksDue(ctx, until, 10)
		s.same(what, want, list, err)
	}
	change := func(user string, f func(*storage.Webhook)) error {
		return s.ChangeWebhook(ctx, user, func(w storage.Webhook) storage.Webhook { f(&w); return w })
	}
	set := func(w *storage.Webhook) { w.Address, w.Key = address, sign }
	s.must(change("ann", set))
	s.must(change("bob", set))
	due("without a call", 1e6)
	s.must(change("ann", func(w *storage.Webhook) {
		w.Calls = []storage.WebhookCall{{ID: "c1", At: 500, Event: "turn", Table: 7}}
	}))
	s.must(change("bob", func(w *storage.Webhook) {
		w.Calls, w.Failed, w.Retry = []storage.WebhookCall{{ID: "c2", At: 100}}, 2, 900
	}))
	for range 2 {
		due("before anything is due", 499)
		due("a call", 500, "ann")
		due("one that is sent again", 900, "ann", "bob")
		got, err := s.Webhook(ctx, "bob")
		s.same("as it was stored", storage.Webhook{Address: address, Key: sign, Failed: 2, Retry: 900,
			Calls: []storage.WebhookCall{{ID: "c2", At: 100}}}, got, err)
		text := fmt.Sprintf("%v %+v %#v %s %q", got, got, got, got.Address, got.Key)
		if strings.Contains(text, "very-secret") || strings.Contains(text, sign) {
			t.Errorf("printed is %s", text)
		}
		s.again()
	}
	for what, wrong := range map[string]func(*storage.Webhook){
		"a long address": func(w *storage.Webhook) {
			w.Address = storage.Secret(strings.Repeat("x", storage.MaxWebhook+1))
		},
		"no key": func(w *storage.Webhook) { w.Key = "" },
		"too many calls": func(w *storage.Webhook) {
			for i := range storage.MaxWebhookCalls + 1 {
				w.Calls = append(w.Calls, storage.WebhookCall{ID: fmt.Sprint(i)})
			}
		},
		"a call without a name": func(w *storage.Webhook) { w.Calls = []storage.WebhookCall{{}} },
	} {
		if err := change("ann", wrong); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("%s was kept: %v", what, err)
		}
	}
	s.owns("no more than that it is there", "ann", `the webhook of user ann: {"set":true}`)
	s.must(change("ann", func(w *storage.Webhook) { *w = storage.Webhook{} }))
	s.must(change("cid", func(*storage.Webhook) {}))
	due("after one was taken away", 1e6, "bob")
	s.forget("bob", storage.Departed+"77")
	due("after the other's user was forgotten", 1e6)
	if s.holds(address) || s.holds(sign) {
		t.Error("what is taken away, or whose user is forgotten, is still in the store")
	}
}

// A study is listed when it is due to end. It is deleted when it is dropped or its user is forgotten.
func studies(t *testing.T, s *store) {
	ctx := t.Context()
	errNot := errors.New("not this one")
	change := func(user string, f func(*storage.Study) error) error {
		return s.ChangeStudy(ctx, user, func(st storage.Study) (storage.Study, error) {
			err := f(&st)
			return st, err
		})
	}
	ended := func(what string, until storage.Stamp, want ...string) {
		t.Helper()
		list, err := s.StudiesEnded(ctx, until, 10)
		s.same(what, want, list, err)
	}
	count := func(what string, want int) {
		t.Helper()
		n, err := s.Studies(ctx)
		s.same(what, want, n, err)
	}
	study := func(number int, ends storage.Stamp) storage.Study {
		return storage.Study{Number: number, Version: 1, Table: 7, Line: []string{"roll 6"}, Ends: ends}
	}
	for n, user := range []string{"ann", "bob", "cid"} {
		s.must(change(user, func(st *storage.Study) error {
			*st = study(n+1, storage.Stamp(900-100*n))
			return nil
		}))
	}
	if err := change("ann", func(st *storage.Study) error { st.Ends = 1; return errNot }); !errors.Is(err, errNot) {
		t.Errorf("a change that gives up: %v", err)
	}
	for range 2 {
		ended("before any", 699)
		ended("two", 800, "cid", "bob")
		count("all", 3)
		got, err := s.Study(ctx, "ann")
		s.same("as it was stored", study(1, 900), got, err)
		s.again()
	}
	s.must(change("cid", func(st *storage.Study) error { st.Ends = 1000; return nil }))
	s.must(change("bob", func(st *storage.Study) error { *st = storage.Study{}; return nil }))
	s.must(change("dan", func(*storage.Study) error { return nil }))
	ended("after one was used and one dropped", 1e6, "ann", "cid")
	s.forget("ann", storage.Departed+"77")
	ended("after a user was forgotten", 1e6, "cid")
	count("what is left", 1)
}

// A login's links and launches stay until a change removes them. The login's key is neither printed nor exported. The
// login is deleted with its user.
func logins(t *testing.T, s *store) {
	ctx := t.Context()
	const sign = "the-key-of-links"
	errUsed := errors.New("used")
	add := func(user, id string) {
		t.Helper()
		s.must(s.ChangeLogin(ctx, user, func(d storage.Login) (storage.Login, error) {
			d.Key = sign
			d.Links = append(d.Links, storage.LoginLink{ID: id, Until: 900})
			return d, nil
		}))
	}
	use := func(user, id string) error {
		return s.ChangeLogin(ctx, user, func(d storage.Login) (storage.Login, error) {
			before := len(d.Links)
			d.Links = slices.DeleteFunc(d.Links, func(l storage.LoginLink) bool { return l.ID == id })
			if len(d.Links) == before {
				return d, errUsed
			}
			return d, nil
		})
	}
	launch := storage.Launch{Instance: "i-1", Table: 7, At: 800}
	add("ann", "l1")
	add("ann", "l2")
	s.must(s.ChangeLogin(ctx, "ann", func(d storage.Login) (storage.Login, error) {
		d.Launches = append(d.Launches, launch)
		return d, nil
	}))
	add("bob", "l1")
	s.again()
	s.must(use("ann", "l1"))
	if err := use("ann", "l1"); !errors.Is(err, errUsed) {
		t.Errorf("a link was used twice: %v", err)
	}
	got, err := s.Login(ctx, "ann")
	s.same("as it was stored", storage.Login{Key: sign, Links: []storage.LoginLink{{ID: "l2", Until: 900}},
		Launches: []storage.Launch{launch}}, got, err)
	if text := fmt.Sprintf("%v %+v %#v %s", got, got, got, got.Key); strings.Contains(text, sign) {
		t.Errorf("printed is %s", text)
	}
	for what, wrong := range map[string]func(*storage.Login){
		"no key":     func(d *storage.Login) { d.Key = "" },
		"a long key": func(d *storage.Login) { d.Key = storage.Secret(strings.Repeat("x", storage.MaxLoginKey+1)) },
		"too many links": func(d *storage.Login) {
			d.Links = make([]storage.LoginLink,
				storage.MaxLoginLinks+1)
		},
		"too many launches":     func(d *storage.Login) { d.Launches = make([]storage.Launch, storage.MaxLaunches+1) },
		"a launch of nothing":   func(d *storage.Login) { d.Launches = []storage.Launch{{}} },
		"a link without a name": func(d *storage.Login) { d.Links = []storage.LoginLink{{}} },
	} {
		err := s.ChangeLogin(ctx, "ann", func(d storage.Login) (storage.Login, error) { wrong(&d); return d, nil })
		if !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("%s was kept: %v", what, err)
		}
	}
	s.owns("no more than that it is there", "ann", `what lets the browsers of user ann in: {"set":true}`)
	s.forget("ann", storage.Departed+"77")
	s.forget("bob", storage.Departed+"78")
	if s.holds(sign) {
		t.Error("the key of a user who is forgotten is still in the store")
	}
}

// A server's seeks are listed when they are due. A pairing's table is opened once: the commit that opens it deletes the
// pairing. A forgotten user's seek is deleted; users who were paired with them seek a game again.
func seeking(t *testing.T, s *store) {
	ctx := t.Context()
	change := func(server string, f func(k *storage.Seeks)) error {
		_, err := s.ChangeSeeks(ctx, server, storage.Fence{}, func(k storage.Seeks) (storage.Seeks, error) {
			f(&k)
			return k, nil
		})
		return err
	}
	due := func(what string, until storage.Stamp, want ...string) {
		t.Helper()
		list, err := s.SeeksDue(ctx, until, 10)
		s.same(what, want, list, err)
	}
	seek := func(user string, until storage.Stamp) storage.Seek {
		return storage.Seek{Key: "key of " + user, User: user, Game: "heap", Until: until}
	}
	s.must(change("g", func(k *storage.Seeks) { k.Waiting = append(k.Waiting, seek("ann", 500), seek("bob", 300)) }))
	s.must(change("h", func(k *storage.Seeks) {
		k.Waiting, k.Version, k.Retry = append(k.Waiting, seek("ann", 900)), 1,
			100
	}))
	for range 2 {
		due("before anything is due", 99)
		due("what is to be shown", 100, "h")
		due("a seek that lapses", 300, "h", "g")
		s.again()
	}
	if err := change("g", func(k *storage.Seeks) {
		k.Waiting = slices.Repeat([]storage.Seek{seek("cid", 1)}, storage.MaxSeeks+1)
	}); !errors.Is(err, storage.ErrSeeks) {
		t.Errorf("too many seeks: %v, want %v", err, storage.ErrSeeks)
	}
	for what, wrong := range map[string]func(k *storage.Seeks){
		"nobody's seek": func(k *storage.Seeks) { k.Waiting = append(k.Waiting, seek("", 1)) },
		"no pairing":    func(k *storage.Seeks) { k.Found = append(k.Found, storage.Pairing{Key: "empty"}) },
	} {
		if err := change("g", wrong); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("%s was kept: %v", what, err)
		}
	}
	s.must(change("g", func(k *storage.Seeks) {
		k.Waiting = nil
		k.Found = append(k.Found, storage.Pairing{Key: "key of ann", Game: "heap",
			Players: []storage.Seek{seek("ann", 500), seek("bob", 300)}})
		k.Found = append(k.Found, storage.Pairing{Key: "key of cid", Game: "heap",
			Players: []storage.Seek{seek("cid", 500), seek("dan", 300)}})
	}))
	due("a table to open", 1, "g")
	for i, want := range []error{nil, storage.ErrNoPairing} {
		c := storagetest.Opening("g", fmt.Sprint("c", i), "ann", "bob")
		c.Pairing = "key of ann"
		if _, err := s.Create(ctx, c); !errors.Is(err, want) {
			t.Errorf("opening the table of a pairing %d times: %v, want %v", i+1, err, want)
		}
	}
	s.must(change("i", func(k *storage.Seeks) { k.Lapsed = append(k.Lapsed, seek("eve", 100), seek("fay", 100)) }))
	due("who is to be told that nobody came", 1, "g", "i")
	own, err := s.SeekersOf(ctx, "eve")
	s.same("a user's own that has lapsed", []storage.Seeks{{Server: "i", Waiting: []storage.Seek{seek("eve", 100)}}},
		own, err)
	s.forget("eve", storage.Departed+"76")
	if s.holds("eve") {
		t.Error("whose seek has lapsed is still in the store")
	}
	own, err = s.SeekersOf(ctx, "cid")
	s.same("a user's own", []storage.Seeks{{Server: "g", Waiting: []storage.Seek{seek("cid", 500)}}}, own, err)
	s.forget("cid", storage.Departed+"77")
	if s.holds("cid") {
		t.Error("who is forgotten is still in the store")
	}
	left, err := s.Seeks(ctx, "g")
	s.same("who was paired with them", []storage.Seek{seek("dan", 300)}, left.Waiting, err)
	s.deleteGuild("g")
	left, err = s.Seeks(ctx, "g")
	s.same("after the server was deleted", storage.Seeks{Server: "g"}, left, err)
}

// The commit that changes a user's Puzzler also adds the score to the monthly tables. A forgotten user is in no monthly
// table, and a deleted server has none.
func scores(t *testing.T, s *store) {
	ctx := t.Context()
	add := func(user, server, month string, times, first int) {
		t.Helper()
		for i := range times {
			score := storage.Score{Server: server, Month: month, Solved: 1}
			if i < first {
				score.First = 1
			}
			s.must(s.ChangePuzzler(ctx, user, "2026-10", func(p storage.Puzzler) (storage.Puzzler, storage.Score) {
				return storage.Puzzler{Solved: p.Solved + 1}, score
			}))
		}
	}
	is := func(what, server, of string, limit, total int, want ...storage.Scored) {
		t.Helper()
		page, err := s.Scores(ctx, server, of, limit)
		s.same(what, want, page.Lines, err)
		if page.Total != total {
			t.Errorf("%s: %d in all, want %d", what, page.Total, total)
		}
	}
	is("nobody's", "g", "2026-11", 10, 0)
	add("ann", "g", "2026-09", 2, 0)
	add("ann", "g", "2026-10", 4, 0)
	add("ann", "g", "2026-11", 3, 1)
	add("ann", "h", "2026-11", 1, 0)
	add("bob", "g", "2026-11", 3, 2)
	add("cid", "g", "2026-11", 12, 0)
	add("al", "g", "2026-11", 3, 1)
	for _, wrong := range []storage.Score{
		{Server: "g", Month: "2026-11"}, {Server: "g", Month: "2026-11", Solved: -1}, {Server: "g", Month: "2026-11", Solved: 1, First: 2},
		{Month: "2026-11", Solved: 1}, {Server: "g", Solved: 1}, {Server: strings.Repeat("g", storage.MaxName+1), Month: "2026-11", Solved: 1},
	} {
		err := s.ChangePuzzler(ctx, "dan", "", func(storage.Puzzler) (storage.Puzzler, storage.Score) {
			return storage.Puzzler{Solved: 1}, wrong
		})
		if !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("%+v was added: %v", wrong, err)
		}
		if is, err := s.Puzzler(ctx, "dan"); err != nil || is != (storage.Puzzler{}) {
			t.Errorf("%+v was refused, and what came with it was not: %+v, %v", wrong, is, err)
		}
	}
	s.must(s.ChangePuzzler(ctx, "dan", "", func(storage.Puzzler) (storage.Puzzler, storage.Score) {
		return storage.Puzzler{Missed: 7}, storage.Score{}
	}))
	if is, err := s.Puzzler(ctx, "dan"); err != nil || is.Missed != 7 {
		t.Errorf("a miss is not kept: %+v, %v", is, err)
	}
	line := func(user, server string, solved, first int) storage.Scored {
		return storage.Scored{User: user, Score: storage.Score{Server: server, Month: "2026-11", Solved: solved,
			First: first}}
	}
	cid, bob, al, ann := line("cid", "g", 12, 0), line("bob", "g", 3, 2), line("al", "g", 3, 1), line("ann", "g", 3, 1)
	for range 2 {
		is("the month", "g", "2026-11", 10, 4, cid, bob, al, ann)
		is("its beginning", "g", "2026-11", 2, 4, cid, bob)
		is("how many there are", "g", "2026-11", 0, 4)
		is("another server's", "h", "2026-11", 10, 1, line("ann", "h", 1, 0))
		is("a month that nobody asks for any more", "g", "2026-09", 10, 0)
		is("no server's", "nowhere", "2026-11", 10, 0)
		s.owns("a user's own", "ann", `the puzzles of the day of user ann: {"solved":10}`,
			`what user ann solved on server g in 2026-10: {"server":"g","month":"2026-10","solved":4}`,
			`what user ann solved on server g in 2026-11: {"server":"g","month":"2026-11","solved":3,"first":1}`,
			`what user ann solved on server h in 2026-11: {"server":"h","month":"2026-11","solved":1}`)
		s.again()
	}
	add("ann", "g", "2026-11", 1, 0)
	is("after another was solved", "g", "2026-11", 10, 4, cid, line("ann", "g", 4, 1), bob, al)
	s.forget("bob", storage.Departed+"77")
	is("after a user was forgotten", "g", "2026-11", 10, 3, cid, line("ann", "g", 4, 1), al)
	if s.holds("bob") {
		t.Error("who is forgotten is still in the store")
	}
	s.deleteGuild("g")
	is("after the server was deleted", "g", "2026-11", 10, 0)
	is("another server's", "h", "2026-11", 10, 1, line("ann", "h", 1, 0))
	s.must(s.Check(ctx))
}

func uptime(t *testing.T, s *store) {
	ctx := t.Context()
	var up storage.Uptime
	var left []storage.Removal
	for i := range 3 {
		got, err := s.Uptime(ctx)
		s.same("uptime", up, got, err)
		removed, err := s.Removals(ctx)
		s.same("removals", left, removed, err)
		restored, err := s.Restorations(ctx)
		s.same("restorations", []storage.Restoration(nil), restored, err)
		up.Alive = storage.Stamp(1000 * i)
		up.Down = append(up.Down, storage.Span{From: up.Alive - 5, To: up.Alive - 2})
		left = append(left, storage.Removal{Guild: fmt.Sprint("g", i), At: up.Alive})
		s.must(s.ChangeUptime(ctx, storagetest.Up(up)))
		s.must(s.AddRemoval(ctx, left[i]))
		s.must(s.AddRemoval(ctx, storage.Removal{Guild: left[i].Guild, At: 1})) // ignored: the first counts
		s.again()
	}
	for _, r := range left {
		s.must(s.DropRemoval(ctx, r.Guild))
		s.must(s.DropRemoval(ctx, r.Guild))
	}
	removed, err := s.Removals(ctx)
	s.same("no removals any more", []storage.Removal(nil), removed, err)
}

// Concurrent changes of one value are all made.
func changesAtOnce(t *testing.T, s *store) {
	ctx := t.Context()
	const many = 8
	type counted struct{ By []int }
	add := func(i int) storage.Edit {
		return func(read func(any) error) (any, error) {
			var c counted
			if err := read(&c); err != nil {
				return nil, err
			}
			c.By = append(c.By, i)
			return c, nil
		}
	}
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() {
			err := errors.Join(
				s.ChangeGuildSettings(ctx, "g", add(i)), s.ChangeUserSettings(ctx, "u", add(i)),
				s.ChangeUptime(ctx, func(u storage.Uptime) storage.Uptime {
					u.Alive++
					return u
				}),
				s.AddRemoval(ctx, storage.Removal{Guild: fmt.Sprint("g", i), At: 1}),
				s.AddRemoval(ctx, storage.Removal{Guild: fmt.Sprint("h", i), At: 1}),
				s.DropRemoval(ctx, fmt.Sprint("g", i)),
			)
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	all := counted{}
	for i := range many {
		all.By = append(all.By, i)
	}
	for what, read := range map[string]func(any) error{
		"server": func(v any) error { return s.GuildSettings(ctx, "g", v) }, "user": func(v any) error {
			return s.UserSettings(ctx, "u", v)
		},
	} {
		var got counted
		err := read(&got)
		slices.Sort(got.By)
		s.same("who changed the settings of a "+what, all, got, err)
	}
	up, err := s.Uptime(ctx)
	s.same("uptime", storage.Uptime{Alive: many}, up, err)
	left, err := s.Removals(ctx)
	slices.SortFunc(left, func(a, b storage.Removal) int { return strings.Compare(a.Guild, b.Guild) })
	var want []storage.Removal
	for i := range many {
		want = append(want, storage.Removal{Guild: fmt.Sprint("h", i), At: 1})
	}
	s.same("removals", want, left, err)

	refused := errors.New("refused")
	if err := s.ChangeGuildSettings(ctx, "g", func(func(any) error) (any, error) {
		return nil, refused
	}); !errors.Is(err, refused) {
		t.Errorf("an edit that fails: %v", err)
	}
	s.must(s.ChangeGuildSettings(ctx, "g", func(func(any) error) (any, error) { return nil, nil }))
	var got counted
	err = s.GuildSettings(ctx, "g", &got)
	slices.Sort(got.By)
	s.same("after edits that leave it as it is", all, got, err)
}

// Once another process owns a lease, a write under the old lease is refused and changes nothing. A store without leases
// makes no such check.
func lateOwner(t *testing.T, s *store) {
	ctx := t.Context()
	late := storage.Fence{Process: "late", Shard: 1, Term: 1}
	leases, shared := s.engine.(storage.Leases)
	own := func(process string, term uint64) {
		t.Helper()
		if !shared {
			return
		}
		_, err := leases.Renew(ctx, process, 2, time.Hour)
		s.must(err)
		got, err := leases.Claim(ctx, process, late.Shard, time.Hour)
		s.must(err)
		if got != term {
			t.Fatalf("%s has the lease in term %d, want %d", process, got, term)
		}
	}
	own(late.Process, late.Term)
	fenced := func(c storage.Change, by storage.Fence) storage.Change { c.Fence = by; return c }
	h := s.commit(fenced(storagetest.Next(s.create(storagetest.Opening("g", "c", "ann", "bob")), 1), late))
	ending := s.create(storagetest.Opening("g", "c", "cid", "dan"))
	s.must(s.MarkPublished(ctx, h.ID, storage.Publication{Version: 1, Note: "note"}, late))
	if !shared {
		return
	}
	s.must(leases.Leave(ctx, late.Process))
	own("next", 2)
	again := late
	again.Term = 2
	for _, by := range []storage.Fence{late, again, {Process: "next", Shard: late.Shard, Term: 1},
		{Process: "next", Shard: 0, Term: 2}, {Process: "next", Shard: 9, Term: 2}} {
		for what, err := range map[string]error{
			"a move": s.Commit(ctx, fenced(storagetest.Next(h, 1), by)),
			"a move with a limit": s.Commit(ctx, func() storage.Change {
				c := fenced(storagetest.Next(h, 1), by)
				c.Limits = []storage.Limit{{Kind: storage.ServerTables, Most: 9}}
				return c
			}()),
			"the end of a game": s.Commit(ctx, fenced(storagetest.Ending(ending, 0), by)),
			"a mark":            s.MarkPublished(ctx, h.ID, storage.Publication{Version: 2, Note: "late note"}, by),
			"a move that is stale, too": s.Commit(ctx, fenced(
				storagetest.Next(storage.Head{ID: h.ID, Game: h.Game, Version: 7}, 1), by)),
		} {
			if !errors.Is(err, storage.ErrNotOwner) {
				t.Errorf("%s under %+v: %v, want %v", what, by, err, storage.ErrNotOwner)
			}
		}
	}
	got, err := s.Load(ctx, h.ID)
	if err != nil || got.Head.Version != h.Version || got.Published != 1 || got.Note != "note" {
		t.Errorf("after what was refused: version %d, published %d %q, %v; want %d, 1 and the note", got.Head.Version,
			got.Published, got.Note, err, h.Version)
	}
	if _, err := s.Result(ctx, ending.ID); !errors.Is(err, storage.ErrNoResult) {
		t.Errorf("a result that was refused: %v", err)
	}
	next := storage.Fence{Process: "next", Shard: late.Shard, Term: 2}
	h = s.commit(fenced(storagetest.Next(h, 1), next))
	s.must(s.MarkPublished(ctx, h.ID, storage.Publication{Version: h.Version}, next))
	h = s.commit(storagetest.Next(h, 1)) // any process can carry out a user's command
	s.commit(fenced(storagetest.Ending(ending, 0), next))
	s.must(s.MarkPublished(ctx, h.ID, storage.Publication{Version: h.Version}, storage.Fence{}))
}

func lastKnown(t *testing.T, s *store) {
	ctx := t.Context()
	is := func(what string, want storage.Stamp) {
		t.Helper()
		got, err := s.LastKnown(ctx)
		s.same("the last that is known "+what, want, got, err)
	}
	is("of nothing", 0)
	s.must(s.ChangeUptime(ctx, storagetest.Up(storage.Uptime{Alive: 500, Down: []storage.Span{{From: 300, To: 600}}})))
	is("of when the bot was up", 600)
	h := s.create(storagetest.Opening("g", "c", "ann", "bob"))
	is("of a table", 1000)
	h = s.commit(storagetest.Next(h, 1))
	s.create(storagetest.Opening("g", "c", "ann", "bob"))
	is("of two tables", 1010)
	s.commit(storagetest.Ending(h, 0))
	is("of those that go on", 1000)
}

// A review survives a restart, and is deleted with its table.
func reviews(t *testing.T, s *store) {
	ctx := t.Context()
	running := s.create(storagetest.Opening("g", "c", "annabella", "bob"))
	over := s.commit(storagetest.Ending(s.create(storagetest.Opening("g", "c", "annabella", "bob")), 0))
	after := s.create(storagetest.Opening("h", "c", "cid", "bob")) // its keys follow those of the deleted table
	r, err := s.Review(ctx, over.ID)
	s.same("of a game that was not reviewed", storage.Review{}, r, err)
	course := review.Course{Had: make([]byte, 12), Lost: make([]byte, 12), Ahead: make([]byte, 12)}
	whole := storage.Review{Looked: 12, Course: course}
	want := storage.Review{ComputerVersion: 2, Looked: 12, Course: course,
		Luck: &ledger.Ledger{Seats: []float64{0.25, -0.25},
			Then: []float64{0.125, 0}, Draws: 3},
		Points: []review.TurningPoint{{Play: 3, Seat: 1, Played: "take 2", Better: "take 1", Had: 0.75, Left: 0.25}}}
	for _, c := range []struct {
		what string
		id   storage.ID
		r    storage.Review
		err  error
	}{
		{"a table that goes on", running.ID, want, storage.ErrInvalid},
		{"no table", 99, want, storage.ErrNoTable},
		{"a course of other plays", over.ID, storage.Review{Looked: 3, Course: course}, storage.ErrInvalid},
		{"too many points", over.ID, storage.Review{Points: make([]review.TurningPoint, review.MaxPoints+1)}, storage.ErrInvalid},
		{"a move that is too long", over.ID, storage.Review{Points: []review.TurningPoint{{Played: strings.Repeat("x", storage.MaxText+1)}}}, storage.ErrInvalid},
		{"a first look", over.ID, storage.Review{Looked: 4}, nil},
		{"the whole", over.ID, whole, nil},
		{"less than the whole, which stays", over.ID, storage.Review{Looked: 11}, nil},
		{"a first look by other computer players", over.ID, storage.Review{ComputerVersion: 2, Looked: 1}, nil},
		{"the whole by those", over.ID, want, nil},
	} {
		if err := s.SetReview(ctx, c.id, c.r); !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", c.what, err, c.err)
		}
	}
	s.again()
	r, err = s.Review(ctx, over.ID)
	s.same("after a restart", want, r, err)
	for _, id := range []storage.ID{over.ID, after.ID} {
		if _, err := s.Load(ctx, id); err != nil {
			t.Errorf("table %d beside a review: %v", id, err)
		}
		if _, err := s.News(ctx, id); err != nil {
			t.Errorf("news of table %d beside a review: %v", id, err)
		}
	}
	s.forget("annabella", storage.Departed+"77")
	r, err = s.Review(ctx, over.ID)
	s.same("after a player was forgotten", want, r, err)
	s.deleteGuild("g")
	if _, err := s.Review(ctx, over.ID); !errors.Is(err, storage.ErrNoTable) {
		t.Errorf("the review of a deleted table: %v, want %v", err, storage.ErrNoTable)
	}
	if err := s.SetReview(ctx, over.ID, want); !errors.Is(err, storage.ErrNoTable) {
		t.Errorf("reviewing a deleted table: %v, want %v", err, storage.ErrNoTable)
	}
	if s.holds("take 2") {
		t.Error("the review of a deleted table is still there")
	}
}

// A finished game has one key for its shared page. The key is deleted with the table, or when a player of the game is
// forgotten.
func shares(t *testing.T, s *store) {
	ctx := t.Context()
	running := s.create(storagetest.Opening("g", "c", "annabella", "bob"))
	over := s.commit(storagetest.Ending(s.create(storagetest.Opening("g", "c", "annabella", "bob")), 0))
	other := s.commit(storagetest.Ending(s.create(storagetest.Opening("g", "c", "cid", "bob")), 0))
	for _, c := range []struct {
		id   storage.ID
		key  storage.Secret
		want storage.Secret
		err  error
	}{
		{running.ID, "first-key", "", storage.ErrInvalid},
		{99, "first-key", "", storage.ErrNoTable},
		{over.ID, "", "", storage.ErrInvalid},
		{over.ID, storage.Secret(strings.Repeat("x", storage.MaxKey+1)), "", storage.ErrInvalid},
		{over.ID, "first-key", "first-key", nil},
		{over.ID, "second-key", "first-key", nil},
		{other.ID, "third-key", "third-key", nil},
	} {
		got, err := s.ShareGame(ctx, c.id, c.key)
		if got.Reveal() != c.want.Reveal() || !errors.Is(err, c.err) {
			t.Errorf("table %d got the key %q, %v; want %q, %v", c.id, got.Reveal(), err, c.want.Reveal(), c.err)
		}
	}
	s.again()
	for id, want := range map[storage.ID]storage.Secret{over.ID: "first-key", other.ID: "third-key", running.ID: ""} {
		got, err := s.ShareKey(ctx, id)
		s.same("as it was stored", want, got, err)
	}
	s.forget("annabella", storage.Departed+"77")
	for id, want := range map[storage.ID]storage.Secret{over.ID: "", other.ID: "third-key"} {
		got, err := s.ShareKey(ctx, id)
		s.same("after a player was forgotten", want, got, err)
	}
	s.deleteGuild("g")
	got, err := s.ShareKey(ctx, other.ID)
	s.same("after the table was deleted", storage.Secret(""), got, err)
	if s.holds("first-key") || s.holds("third-key") {
		t.Error("the key of a page that is gone is still in the store")
	}
}

// Nothing in the store names a forgotten user, and the leaderboards still follow from the results.
func forgetting(t *testing.T, s *store) {
	ctx := t.Context()
	for _, users := range [][]string{{"annabella", "bob"}, {"cid", "annabella"}, {"bob", "cid"}} {
		s.commit(storagetest.Ending(s.create(storagetest.Opening("g", "c", users...)), 0))
	}
	s.must(s.ChangeUserSettings(ctx, "annabella", storagetest.Set(struct{ A string }{"x"})))
	before, err := s.Leaderboard(ctx, storage.BoardQuery{Board: storage.Board{Guild: "g"}, Limit: 10})
	if err != nil || before.Total != 3 {
		t.Fatal(before, err)
	}
	if !s.holds("annabella") {
		t.Fatal("annabella was never in the store")
	}
	const as = storage.Departed + "1234"
	for range 2 { // forgetting the user again changes nothing
		s.forget("annabella", as)
	}
	if s.holds("annabella") {
		t.Error("annabella is still in the store")
	}
	after, err := s.Leaderboard(ctx, storage.BoardQuery{Board: storage.Board{Guild: "g"}, Limit: 10})
	if err != nil || after.Total != 2 {
		t.Fatal(after, err)
	}
	// A departed user has no line on the leaderboard. Their standing is kept under the new name, and the other
	// players' standings stay the same.
	for i, was := range before.Lines {
		player := was.Player
		if player == "annabella" {
			player = as
		}
		l, err := s.Standing(ctx, storage.Board{Guild: "g"}, player)
		if err != nil || l.Games != was.Games || l.Wins != was.Wins || l.Rating != was.Rating {
			t.Errorf("%d: %+v, before %+v, %v", i, l, was, err)
		}
	}
	for i, l := range after.Lines {
		if l.Rank != i+1 || storage.HasDeparted(l.Player) {
			t.Errorf("line %d: %+v", i, l)
		}
	}
	if list, err := s.ByUser(ctx, as, storage.Finished, 0, 10); err != nil || len(list) != 2 {
		t.Errorf("tables of the departed: %v, %v", list, err)
	}
	s.same("results of the departed", []storage.ID{1, 2}, s.resultsOf(storage.ResultQuery{User: as, Limit: 10}), nil)
	if !storage.HasDeparted(storage.Departed+"1") || storage.HasDeparted("bob") {
		t.Error("who has departed is not known")
	}
	s.counted()

	// A channel of direct messages belongs to one user, so its id is deleted with the user.
	alone := s.create(storagetest.Opening("", "dm-of-dora", "dora"))
	s.must(s.MarkPublished(ctx, alone.ID,
		storage.Publication{Version: alone.Version, Note: "1 c=dm-of-dora\nsaid"}, storage.Fence{}))
	s.forget("dora", storage.Departed+"5678")
	if s.holds("dora") {
		t.Error("dora is still in the store, or her channel")
	}
	if found, err := s.Load(ctx, alone.ID); err != nil || found.Head.Channel != "" || found.Note != "" {
		t.Errorf("dora's table is %+v, %v", found, err)
	}
	if list, err := s.ByChannel(ctx, "dm-of-dora", storage.Active, 0, 10); err != nil || len(list) != 0 {
		t.Errorf("in dora's channel are %v, %v", list, err)
	}
	for _, tc := range [][2]string{{"a\x00b", as}, {"ann", "a\x00b"}, {"", as}} {
		if err := s.Forget(ctx, tc[0], tc[1]); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("forgetting %q as %q: %v, want %v", tc[0], tc[1], err, storage.ErrInvalid)
		}
	}
}

// A forgotten user is also forgotten as a host, an invited user, a player of a running game, a moderator who removed or
// voided something, and in the titles of seasons. Naming lists the unfinished tables that name the user, and later
// those with the new name.
func forgettingEverywhere(t *testing.T, s *store) {
	ctx := t.Context()
	const user, called, noted = "annabella", "Captain  Annabella", "Captain Annabella"
	lobby := storagetest.Opening("g", "c", "bob")
	lobby.Detail.Invited, lobby.Detail.Order = []string{user}, []string{"bob", user}
	waiting := s.create(lobby)
	hosted := storagetest.Opening("h", "c", "bob")
	hosted.Head.Host = user
	first := s.create(hosted)
	running := s.create(storagetest.Opening("g", "c", user, "bob"))
	events := []storage.Event{
		{Kind: storage.Joined, User: user, Text: called}, {Kind: storage.Removed, Seat: 1, User: "mod", Text: noted},
		{Kind: storage.Removed, Seat: 0, User: user, Text: "Bob"}, {Kind: storage.Removed, Seat: 1, User: user, Text: noted},
	}
	running.Version++
	running.Events += uint64(len(events))
	for i := range events {
		events[i].Version = running.Version
	}
	s.commit(storage.Change{Head: running, Events: events})
	s.must(s.MarkPublished(ctx, running.ID,
		storage.Publication{Version: running.Version, Note: "1234\n<@" + user + "> sails on."}, storage.Fence{}))
	over := s.create(storagetest.Opening("g", "c", "cid", "bob"))
	s.commit(storagetest.Ending(over, 0))
	_, err := s.Void(ctx, over.ID, &storage.Voiding{By: user, At: 1, Why: text.NewName("says <@" + user + ">")})
	s.must(err)
	_, err = s.StartSeason(ctx, "only-seasons", text.NewName("The summer of <@"+user+">"), 1)
	s.must(err)
	naming, err := s.Naming(ctx, user)
	s.same("tables that name her", []storage.ID{waiting.ID, first.ID, running.ID}, naming, err)
	naming, err = s.EventsNaming(ctx, user)
	s.same("tables with events of hers", []storage.ID{running.ID}, naming, err)
	naming, err = s.EventsNaming(ctx, "anna") // the beginning of her id
	s.same("tables with events of another", []storage.ID(nil), naming, err)
	s.must(s.ChangeGuildSettings(ctx, "only-settings", storagetest.Set(struct{}{})))
	s.must(s.ChangeGuildSettings(ctx, "", storagetest.Set(struct{}{})))
	servers, err := s.Guilds(ctx)
	s.same("servers", []string{"g", "h", "only-seasons", "only-settings"}, servers, err)

	const as = storage.Departed + "1234"
	s.forget(user, as)
	for _, text := range []string{user, called, noted} {
		if s.holds(text) {
			t.Errorf("%q is still in the store", text)
		}
	}
	if !s.holds("Bob") {
		t.Error("the name of another is gone")
	}
	if told, err := s.News(ctx, running.ID); err != nil || told.Note != "1234" || told.Published != running.Version {
		t.Errorf("the publisher's note is %q of version %d, %v; want its first line alone", told.Note, told.Published,
			err)
	}
	naming, err = s.Naming(ctx, user)
	s.same("tables that name her afterwards", []storage.ID(nil), naming, err)
	naming, err = s.Naming(ctx, as)
	s.same("tables that name the departed", []storage.ID{waiting.ID, first.ID, running.ID}, naming, err)
	table, err := s.Load(ctx, running.ID)
	s.same("the seats", []storage.Occupant{{User: as}, running.Seats[1]}, table.Head.Seats, err)
	var texts []string
	for _, e := range table.Events {
		texts = append(texts, e.User+": "+e.Text)
	}
	s.same("the events", []string{as + ": ", as + ": ", "mod: ", as + ": Bob", as + ": "}, texts, nil)
	invited, err := s.Load(ctx, waiting.ID)
	s.same("who is invited", []string{as}, invited.Detail.Invited, err)
	s.same("the order", []string{"bob", as}, invited.Detail.Order, err)
	voided, err := s.Result(ctx, over.ID)
	s.same("who voided it", &storage.Voiding{By: as, At: 1, Why: text.NewName("says <@…>")}, voided.Voided, err)
	league, err := s.League(ctx, "only-seasons")
	s.same("the season", []storage.Season{{Number: 1, Name: text.NewName("The summer of <@…>"), Started: 1}},
		league.Seasons, err)
}

// Games that end while one of their players is being forgotten are still counted. The other players' standings follow
// from the results.
func forgettingMeanwhile(t *testing.T, s *store) {
	ctx := t.Context()
	s.played("g", 60)
	errs := atOnce(3, func(i int) error {
		switch i {
		case 0:
			return s.Forget(ctx, "sailor3", storage.Departed+"1")
		case 1:
			_, err := s.Void(ctx, 2, &storage.Voiding{By: "mod"})
			return err
		}
		for range 20 {
			c := storagetest.Opening("g", "c", "sailor3", "dan")
			id, err := s.Create(ctx, c)
			if err != nil {
				return err
			}
			c.Head.ID = id
			if err := s.Commit(ctx, storagetest.Ending(c.Head, 0)); err != nil {
				return err
			}
		}
		return nil
	})
	s.must(errors.Join(errs...))
	s.done(storage.Forgetting, "sailor3")
	s.done(storage.Recounting, "g")
	s.forget("sailor3", storage.Departed+"1") // for the games that ended after the first call
	s.done(storage.Recounting, "g")
	if l, err := s.Standing(ctx, storage.Board{Guild: "g"}, "dan"); err != nil || l.Games != 79 {
		t.Errorf("dan has %d games, %v; want 79", l.Games, err)
	}
	want := 9 + 20 // sailor3 played every seventh of the first 60 games
	if l, err := s.Standing(ctx, storage.Board{Guild: "g"}, storage.Departed+"1"); err != nil || l.Games != want {
		t.Errorf("who is forgotten has %d games, %v; want %d", l.Games, err, want)
	}
	if s.holds("sailor3") {
		t.Error("the user is still in the store")
	}
	s.counted()
}

// A writer that read a table before a user was forgotten there cannot store data of that user again. Its commit is
// refused, and its note is stored without the lines that may name the user.
func forgettingBeside(t *testing.T, s *store) {
	ctx := t.Context()
	const user = "annabella"
	invites := storagetest.Opening("g", "c", "bob")
	invites.Detail.Invited = []string{user}
	for _, tc := range []struct {
		what, kept string
		opening    storage.Change
	}{
		{"a table", "1234", storagetest.Opening("g", "c", user, "bob")},
		{"a table to which they are invited", "1234", invites},
		{"direct messages", "", storagetest.Opening("", "dm-of-"+user, user)},
	} {
		t.Run(tc.what, func(t *testing.T) {
			read := s.create(tc.opening)
			if read.ID == 0 {
				t.Fatal("no table")
			}
			s.forget(user, storage.Departed+"1234")
			late := storagetest.Next(read, 1)
			late.Detail = tc.opening.Detail
			if err := s.Commit(ctx, late); !errors.Is(err, storage.ErrStale) {
				t.Errorf("committing what was read before: %v, want %v", err, storage.ErrStale)
			}
			p := storage.Publication{
				Version: read.Version, Forgotten: read.Forgotten,
				Note: "1234\n<@" + user + "> sails on.",
			}
			s.must(s.MarkPublished(ctx, read.ID, p, storage.Fence{}))
			if s.holds(user) {
				t.Error("who was forgotten is in the store again")
			}
			now, err := s.News(ctx, read.ID)
			if err != nil || now.Note != tc.kept || now.Published != read.Version ||
				now.Head.Forgotten != read.Forgotten+1 {
				t.Errorf("the note is %q of version %d after %d forgotten, %v; want %q of %d after one more", now.Note,
					now.Published, now.Head.Forgotten, err, tc.kept, read.Version)
			}

			// The writer can write again after it has read the table again.
			p.Forgotten, p.Note = now.Head.Forgotten, "1234\nBob sails on."
			s.must(s.MarkPublished(ctx, read.ID, p, storage.Fence{}))
			s.commit(storagetest.Next(now.Head, 1))
			if now, err = s.News(ctx, read.ID); err != nil || now.Note != p.Note {
				t.Errorf("the note is %q, %v; want %q", now.Note, err, p.Note)
			}
		})
	}
}

func deleting(t *testing.T, s *store) {
	ctx := t.Context()
	for range 3 {
		h := s.create(storagetest.Opening("gone-guild", "gone-channel", "ann", "bob"))
		s.commit(storagetest.Ending(h, games.Seat(1)))
	}
	running := storagetest.Opening("gone-guild", "gone-channel", "ann", "bob")
	running.Head.Due, running.Head.Rematch = []storage.Due{{Kind: "clock", At: 5}}, 1
	first := s.create(running)
	kept := s.create(storagetest.Opening("kept", "c", "ann", "bob"))
	s.commit(storagetest.Ending(kept, 0))
	s.must(s.ChangeGuildSettings(ctx, "gone-guild", storagetest.Set(struct{}{})))
	_, err := s.StartSeason(ctx, "gone-guild", text.NewName(""), 1)
	s.must(err)
	s.must(s.SetLeast(ctx, "gone-guild", 3))
	s.must(s.DeleteGuild(ctx, "gone-guild"))
	if l, err := s.League(ctx, "gone-guild"); err != nil || l.Least != 0 || len(l.Seasons) != 0 {
		t.Errorf("as soon as it was asked for the server has %+v, %v", l, err)
	}
	for range 2 {
		s.deleteGuild("gone-guild")
	}
	if s.holds("gone-") {
		t.Error("something of the server is still in the store")
	}
	if _, err := s.Load(ctx, first.ID); !errors.Is(err, storage.ErrNoTable) {
		t.Errorf("a table of it: %v, want %v", err, storage.ErrNoTable)
	}
	if err := s.Commit(ctx, storagetest.Next(first, 1)); !errors.Is(err, storage.ErrNoTable) {
		t.Errorf("a commit at a table of it: %v, want %v", err, storage.ErrNoTable)
	}
	if list, err := s.Results(ctx, storage.ResultQuery{User: "ann", Limit: 10}); err != nil || len(list) != 1 ||
		list[0].Guild != "kept" {
		t.Errorf("ann's results: %v, %v", list, err)
	}
	due, err := s.DueUntil(ctx, 99, 10)
	s.same("what falls due", []storage.DueTable(nil), due, err)
	pending, err := s.Pending(ctx, 0, 10)
	s.same("what is to be told", []storage.ID{kept.ID}, pending, err)
	servers, err := s.Guilds(ctx)
	s.same("servers", []string{"kept"}, servers, err)
	// Tables that are opened on a deleted server later stay. Their ids are new.
	new := s.create(storagetest.Opening("gone-guild", "gone-channel", "ann", "bob"))
	if new.ID <= kept.ID {
		t.Errorf("table %d was opened after table %d", new.ID, kept.ID)
	}
	s.commit(storagetest.Ending(new, 0))
	s.again()
	if l, err := s.Standing(ctx, storage.Board{Guild: "gone-guild"}, "ann"); err != nil || l.Games != 1 || l.Wins != 1 {
		t.Errorf("ann's line of the server that came back is %+v, %v", l, err)
	}
	s.counted()
	if err := s.DeleteGuild(ctx, "a\x00b"); !errors.Is(err, storage.ErrInvalid) {
		t.Errorf("deleting what is no server: %v, want %v", err, storage.ErrInvalid)
	}
}

// A requested job is carried out even if the store is closed immediately after the request.
func workGoesOn(t *testing.T, s *store) {
	ctx := context.Background()
	const played = 96 // more games than one step of any job processes
	s.crowd("g", played)
	s.crowd("h", played)
	s.played("i", 10)
	works := []storage.Work{{Kind: storage.Recounting, Of: "g"}, {Kind: storage.Forgetting, Of: "sailor3"},
		{Kind: storage.Deleting, Of: "h"}}
	_, err := s.Void(ctx, 1, &storage.Voiding{By: "mod"})
	s.must(err)
	s.must(s.Forget(ctx, "sailor3", storage.Departed+"1"))
	s.must(s.DeleteGuild(ctx, "h"))
	s.again()
	// Every listed job was requested, or is a recount that follows from a requested job.
	list, err := s.Works(ctx)
	s.must(err)
	for _, w := range list {
		if !slices.Contains(works, w) && w != (storage.Work{Kind: storage.Recounting, Of: "i"}) &&
			w != (storage.Work{Kind: storage.Recounting, Of: "h"}) {
			t.Errorf("work that nobody asked for: %+v", w)
		}
	}
	for _, w := range works {
		s.must(s.Finished(ctx, w))
		if fence, err := s.UnderWay(ctx, w); err != nil || fence {
			t.Errorf("%+v is under way when it is finished (%v)", w, err)
		}
	}
	s.done(storage.Recounting, "g", "h", "i")
	if list, err := s.Works(ctx); err != nil || len(list) != 0 {
		t.Errorf("when all is done there is still %v, %v", list, err)
	}
	if l, err := s.Standing(ctx, storage.Board{Guild: "g"}, "dan"); err != nil || l.Games != played-1 {
		t.Errorf("dan has %d games, %v; want the %d that count", l.Games, err, played-1)
	}
	if s.holds("sailor3") {
		t.Error("the user is still in the store")
	}
	if n := len(s.board("h")); n != 0 {
		t.Errorf("the leaderboard of the deleted server has %d lines", n)
	}
	if err := s.Finished(ctx, storage.Work{Kind: storage.Forgetting, Of: "nobody"}); err != nil {
		t.Errorf("waiting for what nobody asked for: %v", err)
	}
	s.counted()
}

// The observer is called for every commit, with its duration and outcome. A command that writes nothing is not a
// commit.
func observed(t *testing.T, s *store) {
	var told atomic.Int32
	s.ObserveCommits(func(took time.Duration, err error) {
		if took <= 0 || err != nil {
			t.Errorf("a commit of %v with %v", took, err)
		}
		told.Add(1)
	})
	h := s.create(storagetest.Opening("g", "c", "ann", "bob"))
	for range 4 {
		h = s.commit(storagetest.Next(h, 1))
	}
	stale := storagetest.Next(storage.Head{ID: h.ID, Version: 1, Game: "heap", Events: 1}, 1)
	if err := s.Commit(t.Context(), stale); !errors.Is(err, storage.ErrStale) {
		t.Errorf("a stale commit: %v, want %v", err, storage.ErrStale)
	}
	if err := s.Alive(t.Context()); err != nil {
		t.Errorf("the store: %v", err)
	}
	if told := told.Load(); told != 5 {
		t.Errorf("%d commits are told, want 5", told)
	}
	if size, err := s.Size(t.Context()); err != nil || size.Bytes <= 0 {
		t.Errorf("its size is %+v, %v", size, err)
	}
}

// A comeback is stored once, and only for a player of the table. A badge is returned as new only once. Nothing is left
// of the badges of a forgotten user or on a deleted server.
func badges(t *testing.T, s *store) {
	ctx := t.Context()
	create := func(server string) storage.ID {
		t.Helper()
		id, err := s.Create(ctx, storagetest.Opening(server, "c-"+server, "ann", "bob"))
		s.must(err)
		return id
	}
	first := create("g")
	for range 2 {
		s.must(s.AddComeback(ctx, "ann", first))
	}
	s.must(s.AddComeback(ctx, "cid", first)) // ignored, because cid has no seat
	if err := s.AddComeback(ctx, "ann", first+1000); !errors.Is(err, storage.ErrNoTable) {
		t.Errorf("a comeback at no table is %v, want ErrNoTable", err)
	}
	s.must(s.AddComeback(ctx, "bob", create("h")))
	for i, want := range [][]string{{"a", "b"}, nil, {"c"}} {
		has := []string{"a", "b"}
		if i == 2 {
			has = []string{"c", "a"}
		}
		news, err := s.TellBadges(ctx, "ann", "g", has)
		s.same("news", want, news, err)
	}
	for range 2 {
		got, err := s.Badges(ctx, "ann", "g")
		s.same("what is kept", storage.Badges{Comebacks: []storage.ID{first},
			Announced: []string{"a", "b", "c"}}, got, err)
		got, err = s.Badges(ctx, "cid", "g")
		s.same("who has no seat", storage.Badges{}, got, err)
		s.again()
	}
	s.must(s.Forget(ctx, "ann", storage.Departed+"77"))
	s.must(s.AddComeback(ctx, "ann", first)) // as by a review that runs at the same time
	s.done(storage.Forgetting, "ann")
	if s.holds("ann") {
		t.Error("the badges of who is forgotten are left")
	}
	s.deleteGuild("h")
	got, err := s.Badges(ctx, "bob", "h")
	s.same("a deleted server", storage.Badges{}, got, err)
}
