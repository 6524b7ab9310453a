package table_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"marque/bot/table"
	"marque/games"
	"marque/games/example/heap"
	"marque/games/fair"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// started starts a game of heap for these players, seated in this order.
func started(s *ship, players ...string) *table.Snapshot {
	s.t.Helper()
	return startedGame(s, "heap", players...)
}

func startedGame(s *ship, game string, players ...string) *table.Snapshot {
	s.t.Helper()
	ctx, ok := s.t.Context(), must(s.t)
	snap := ok(s.Open(ctx, s.as(players[0]), table.Opening{Game: game, Seats: len(players), Guild: "g", Channel: "c",
		Fixed: true, WhenFull: true}))
	for _, p := range players[1:] {
		snap = ok(s.Join(ctx, s.as(p), snap.ID))
	}
	if snap.Status != table.Playing {
		s.t.Fatalf("not started: %+v", snap.Head)
	}
	return snap
}

// over returns a table whose game is over because ann has resigned.
func over(s *ship) *table.Snapshot {
	snap := started(s, "ann", "bob")
	return must(s.t)(s.Resign(s.t.Context(), s.as("ann"), snap.ID))
}

// A refused command has a reason and a text in the catalogue, and changes nothing.
func TestRefusals(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), newShip(t)
	defer s.sink()
	catalogue, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	ok := must(t)
	open := func(by string, o table.Opening) error {
		o.Guild, o.Channel = "g", "c"
		if o.Game == "" {
			o.Game = "heap"
		}
		_, err := s.Open(ctx, s.as(by), o)
		return err
	}
	lobby := func(o table.Opening) *table.Snapshot {
		o.Game = "heap"
		return ok(s.Open(ctx, s.as("ann"), o))
	}
	get := func(_ *table.Snapshot, err error) error { return err }
	for _, tc := range []struct {
		name string
		want error
		say  string
		on   func() *table.Snapshot
		do   func(*table.Snapshot) error
	}{
		{"unknown game", table.ErrNoGame, "chess", nil, func(*table.Snapshot) error { return open("ann", table.Opening{Game: "chess"}) }},
		{"more invited than seats", table.ErrTooMany, "2 seats", nil, func(*table.Snapshot) error {
			return open("ann", table.Opening{Seats: 2, Invited: []string{"bob", "cid"}})
		}},
		{"host invited", table.ErrInvitedTwice, "your seat is already reserved", nil, func(*table.Snapshot) error {
			return open("ann", table.Opening{Invited: []string{"ann"}})
		}},
		{"invited twice", table.ErrInvitedTwice, "once", nil, func(*table.Snapshot) error {
			return open("ann", table.Opening{Invited: []string{"bob", "bob"}})
		}},
		{"no such table", storage.ErrNoTable, "4711", nil, func(*table.Snapshot) error { return get(s.Join(ctx, s.as("ann"), 4711)) }},
		{"joins twice", table.ErrJoined, "already", func() *table.Snapshot { return lobby(table.Opening{}) },
			func(l *table.Snapshot) error { return get(s.Join(ctx, s.as("ann"), l.ID)) }},
		{"full", table.ErrFull, "taken", func() *table.Snapshot {
			return ok(s.Join(ctx, s.as("bob"), lobby(table.Opening{Seats: 2}).ID))
		}, func(l *table.Snapshot) error { return get(s.Join(ctx, s.as("cid"), l.ID)) }},
		{"kept for another", table.ErrKept, "reserved for another player",
			func() *table.Snapshot { return lobby(table.Opening{Invited: []string{"bob"}}) },
			func(l *table.Snapshot) error { return get(s.Join(ctx, s.as("cid"), l.ID)) }},
		{"joins too late", table.ErrStarted, "already started", func() *table.Snapshot { return started(s, "ann", "bob") },
			func(l *table.Snapshot) error { return get(s.Join(ctx, s.as("cid"), l.ID)) }},
		{"joins a closed table", table.ErrOver, "no game was played", func() *table.Snapshot {
			return ok(s.Abandon(ctx, s.as("ann"), lobby(table.Opening{}).ID))
		}, func(l *table.Snapshot) error { return get(s.Join(ctx, s.as("bob"), l.ID)) }},
		{"takes a seat that is not free", table.ErrNotOffered, "seat isn't free",
			func() *table.Snapshot { return started(s, "ann", "bob") },
			func(l *table.Snapshot) error { return get(s.Take(ctx, s.as("cid"), l.ID, 0)) }},
		{"leaves too late", table.ErrStarted, "already started", func() *table.Snapshot { return started(s, "ann", "bob") },
			func(l *table.Snapshot) error { return get(s.Leave(ctx, s.as("ann"), l.ID)) }},
		{"leaves without a seat", table.ErrNotSeated, "have a seat", func() *table.Snapshot { return lobby(table.Opening{}) },
			func(l *table.Snapshot) error { return get(s.Leave(ctx, s.as("eve"), l.ID)) }},
		{"a guest starts", table.ErrNotAllowed, "host", func() *table.Snapshot {
			return ok(s.Join(ctx, s.as("bob"), lobby(table.Opening{}).ID))
		}, func(l *table.Snapshot) error { return get(s.Begin(ctx, s.as("bob"), l.ID)) }},
		{"too few", table.ErrTooFew, "2 players", func() *table.Snapshot { return lobby(table.Opening{}) },
			func(l *table.Snapshot) error { return get(s.Begin(ctx, s.as("ann"), l.ID)) }},
		{"starts twice", table.ErrStarted, "already started", func() *table.Snapshot { return started(s, "ann", "bob") },
			func(l *table.Snapshot) error { return get(s.Begin(ctx, s.as("ann"), l.ID)) }},
		{"moves in the lobby", table.ErrNotStarted, "No game has begun", func() *table.Snapshot { return lobby(table.Opening{}) },
			func(l *table.Snapshot) error { return get(s.Move(ctx, s.as("ann"), l.ID, "take 1", 0)) }},
		{"moves at another's table", table.ErrNotSeated, "have a seat", func() *table.Snapshot { return started(s, "ann", "bob") },
			func(l *table.Snapshot) error { return get(s.Move(ctx, s.as("eve"), l.ID, "take 1", 0)) }},
		{"not one's turn", table.ErrNotYourTurn, "it's Captain ann's", func() *table.Snapshot { return started(s, "ann", "bob") },
			func(l *table.Snapshot) error { return get(s.Move(ctx, s.as("bob"), l.ID, "take 1", 0)) }},
		{"an old button", storage.ErrStale, "moved on", func() *table.Snapshot {
			return ok(s.Move(ctx, s.as("ann"), started(s, "ann", "bob").ID, "take 1", 0))
		}, func(l *table.Snapshot) error { return get(s.Move(ctx, s.as("bob"), l.ID, "take 1", l.Version-1)) }},
		{"not a move", nil, "take", func() *table.Snapshot { return started(s, "ann", "bob") },
			func(l *table.Snapshot) error { return get(s.Move(ctx, s.as("ann"), l.ID, "sink 9", l.Version)) }},
		{"moves when over", table.ErrOver, "over", func() *table.Snapshot { return over(s) },
			func(l *table.Snapshot) error { return get(s.Move(ctx, s.as("ann"), l.ID, "take 1", 0)) }},
		{"resigned before", table.ErrOut, "out of this game", func() *table.Snapshot {
			return ok(s.Resign(ctx, s.as("ann"), started(s, "ann", "bob", "cid").ID))
		}, func(l *table.Snapshot) error { return get(s.Move(ctx, s.as("ann"), l.ID, "take 1", 0)) }},
		{"resigns when over", table.ErrOver, "over", func() *table.Snapshot { return over(s) },
			func(l *table.Snapshot) error { return get(s.Resign(ctx, s.as("bob"), l.ID)) }},
		{"accepts nothing", table.ErrNoProposal, "asking for that", func() *table.Snapshot { return started(s, "ann", "bob") },
			func(l *table.Snapshot) error { return get(s.Accept(ctx, s.as("ann"), l.ID, table.Draw, 0)) }},
		{"proposes nonsense", table.ErrNoProposal, "asking for that", func() *table.Snapshot { return started(s, "ann", "bob") },
			func(l *table.Snapshot) error { return get(s.Propose(ctx, s.as("ann"), l.ID, "lunch")) }},
		{"proposes twice", table.ErrAgreed, "already", func() *table.Snapshot {
			return ok(s.Propose(ctx, s.as("ann"), started(s, "ann", "bob").ID, table.Draw))
		}, func(l *table.Snapshot) error { return get(s.Propose(ctx, s.as("ann"), l.ID, table.Draw)) }},
		{"proposes something else", table.ErrOtherProposal, "Captain ann", func() *table.Snapshot {
			return ok(s.Propose(ctx, s.as("ann"), started(s, "ann", "bob").ID, table.Draw))
		}, func(l *table.Snapshot) error { return get(s.Propose(ctx, s.as("bob"), l.ID, table.Abandon)) }},
		{"declines one's own", table.ErrAgreed, "already", func() *table.Snapshot {
			return ok(s.Propose(ctx, s.as("ann"), started(s, "ann", "bob").ID, table.Draw))
		}, func(l *table.Snapshot) error { return get(s.Decline(ctx, s.as("ann"), l.ID, table.Draw, 0)) }},
		{"withdraws another's", table.ErrNotProposer, "Captain ann", func() *table.Snapshot {
			return ok(s.Propose(ctx, s.as("ann"), started(s, "ann", "bob").ID, table.Draw))
		}, func(l *table.Snapshot) error { return get(s.Withdraw(ctx, s.as("bob"), l.ID, table.Draw, 0)) }},
		{"a player abandons alone", table.ErrNotAllowed, "Ask the others",
			func() *table.Snapshot { return started(s, "ann", "bob") },
			func(l *table.Snapshot) error { return get(s.Abandon(ctx, s.as("ann"), l.ID)) }},
		{"a guest closes the lobby", table.ErrNotAllowed, "host", func() *table.Snapshot { return lobby(table.Opening{}) },
			func(l *table.Snapshot) error { return get(s.Abandon(ctx, s.as("bob"), l.ID)) }},
		{"abandons what is over", table.ErrOver, "over", func() *table.Snapshot { return over(s) },
			func(l *table.Snapshot) error { return get(s.Abandon(ctx, s.as("bob"), l.ID)) }},
		{"a guest rehouses", table.ErrNotAllowed, "host", func() *table.Snapshot { return lobby(table.Opening{}) },
			func(l *table.Snapshot) error { return get(s.Rehouse(ctx, s.as("bob"), l.ID, "c2")) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var on *table.Snapshot
			if tc.on != nil {
				on = tc.on()
			}
			err := tc.do(on)
			var player games.PlayerError
			if !errors.As(err, &player) || tc.want != nil && !errors.Is(err, tc.want) {
				t.Fatalf("%T %v, want %v", err, err, tc.want)
			}
			said := catalogue.Speaker(func(n int) text.Message { return on.Holder(games.Seat(n)).Name.Raw() },
				"en").Say(player.Text())
			if strings.Contains(said, "[") || !strings.Contains(said, tc.say) {
				t.Errorf("said %q, want something with %q", said, tc.say)
			}
			if on == nil {
				return
			}
			after, err := s.store.Load(ctx, on.ID)
			if err != nil || after.Head.Version != on.Version || len(after.Events) != int(on.Events) {
				t.Errorf("the refused command changed version %d to %d (%v)", on.Version, after.Head.Version, err)
			}
		})
	}
	var setup *games.SetupError
	if err := open("ann", table.Opening{Seats: 9}); !errors.As(err, &setup) {
		t.Errorf("nine seats: %T %v", err, err)
	}
	if err := open("ann", table.Opening{Options: []games.Setting{{Key: "size", Value: "7"}}}); !errors.As(err, &setup) {
		t.Errorf("a size of 7: %T %v", err, err)
	}
	if _, err := s.Open(ctx, table.Actor{User: "ann"}, table.Opening{Game: "heap"}); !errors.Is(err, table.ErrNoKey) {
		t.Errorf("opening without a key: %v", err)
	}
}

// Of many moves at the same moment, one is played. The others are refused as stale, or because the game is over.
func TestOneOfManyMovesAtOnceIsPlayed(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), newShip(t)
	defer s.sink()
	snap := started(s, "ann", "bob")
	for snap.Status == table.Playing {
		var mu sync.Mutex
		var wg sync.WaitGroup
		played := []*table.Snapshot{}
		mover := snap.Mover()
		for i := range 8 {
			by := s.as(mover)
			notation := fmt.Sprintf("take %d", 1+i%2)
			wg.Go(func() {
				next, err := s.Move(ctx, by, snap.ID, notation, snap.Version)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					played = append(played, next)
				case errors.Is(err, storage.ErrStale), errors.Is(err, table.ErrOver):
				default:
					t.Errorf("%T %v", err, err)
				}
			})
		}
		wg.Wait()
		if len(played) != 1 || played[0].Version != snap.Version+1 {
			t.Fatalf("%d moves were played at version %d", len(played), snap.Version)
		}
		snap = played[0]
	}
}

// A command that Discord delivers twice is carried out once, whether the second delivery comes immediately, at the same
// moment, or after a restart.
func TestARedeliveredCommandIsDoneOnce(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	by := s.as("ann")
	o := table.Opening{Game: "heap", Seats: 2, Fixed: true, WhenFull: true}
	first := ok(s.Open(ctx, by, o))
	if again := ok(s.Open(ctx, by, o)); again.ID != first.ID || again.Version != 1 {
		t.Errorf("opened table %d version %d, then %d version %d", first.ID, first.Version, again.ID, again.Version)
	}
	ok(s.Join(ctx, s.as("bob"), first.ID))
	move := s.as("ann")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if snap, err := s.Move(ctx, move, first.ID, "take 2", 0); err != nil || snap.Version != 3 {
				t.Errorf("version %d, %v", snap.Version, err)
			}
		})
	}
	wg.Wait()
	s.sink()
	s.launch(table.Config{})
	defer s.sink()
	if snap, err := s.Move(ctx, move, first.ID, "take 2", 2); err != nil || snap.Version != 3 {
		t.Errorf("after a restart: version %d, %v", snap.Version, err)
	}
}

func TestDrawByAgreementOfAllStillIn(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	snap := started(s, "ann", "bob", "cid")
	id := snap.ID
	snap = ok(s.Propose(ctx, s.as("bob"), id, table.Draw))
	if snap.Board == snap.Version {
		t.Error("an offer makes the buttons of the board stale")
	}
	// A player declines an offered draw by moving.
	snap = ok(s.Move(ctx, s.as("ann"), id, "take 1", 0))
	if snap.Proposal.Kind != "" {
		t.Errorf("after ann played on: %+v", snap.Proposal)
	}
	// A player who offered a draw may move.
	ok(s.Propose(ctx, s.as("bob"), id, table.Draw))
	snap = ok(s.Move(ctx, s.as("bob"), id, "take 1", 0))
	if snap.Proposal.Kind != table.Draw {
		t.Error("bob's own move took his offer back")
	}
	ok(s.Decline(ctx, s.as("cid"), id, table.Draw, 0))
	ok(s.Propose(ctx, s.as("cid"), id, table.Draw))
	ok(s.Withdraw(ctx, s.as("cid"), id, table.Draw, 0))
	ok(s.Propose(ctx, s.as("cid"), id, table.Draw))
	snap = ok(s.Accept(ctx, s.as("bob"), id, table.Draw, 0))
	if snap.Status != table.Playing {
		t.Fatal("over although ann has not agreed")
	}
	// Ann was the only player who had not agreed, so the proposal is accepted when she leaves.
	snap = ok(s.Resign(ctx, s.as("ann"), id))
	r := snap.Outcome()
	if snap.Status != table.Over || !r.Drawn || !slices.Equal(r.Winners, []games.Seat{1, 2}) ||
		snap.Ending != games.Agreed {
		t.Errorf("%+v, ended %q", r, snap.Ending)
	}
	results, err := s.standings().Results(ctx, table.ResultQuery{Guild: "g", Limit: 5})
	if err != nil || len(results) != 1 || !results[0].Drawn {
		t.Errorf("results %+v, %v", results, err)
	}
}

func TestAbandoning(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	snap := started(s, "ann", "bob")
	ok(s.Propose(ctx, s.as("ann"), snap.ID, table.Abandon))
	snap = ok(s.Propose(ctx, s.as("bob"), snap.ID, table.Abandon))
	if snap.Status != table.Over || snap.Ending != games.Abandoned {
		t.Errorf("both proposed to stop: %+v", snap.Head)
	}
	mod := s.as("mod")
	mod.Moderator = true
	if snap = ok(s.Abandon(ctx, mod, started(s, "ann", "bob").ID)); snap.Ending != games.Abandoned {
		t.Errorf("a moderator stops a game: %+v", snap.Head)
	}
	lobby := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Guild: "g", Channel: "c"}))
	if snap = ok(s.Abandon(ctx, s.as("ann"), lobby.ID)); snap.Status != table.Over || snap.HasStarted() {
		t.Errorf("the host closes a lobby: %+v", snap.Head)
	}
	board, err := s.standings().Leaderboard(ctx, storage.Board{Guild: "g"}, 0, 10, "")
	if err != nil || board.Total != 0 {
		t.Errorf("abandoned games count: %+v, %v", board, err)
	}
}

func TestTheLobby(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Seats: 3, Invited: []string{"bob", "cid"}}))
	id := snap.ID
	snap = ok(s.Leave(ctx, s.as("bob"), id)) // declines the invitation
	if diff := cmp.Diff([]string{"cid"}, snap.Invited()); diff != "" {
		t.Errorf("after bob declined:\n%s", diff)
	}
	ok(s.Join(ctx, s.as("dan"), id))
	snap = ok(s.Leave(ctx, s.as("ann"), id))
	if snap.Host != "dan" || len(snap.Inputs()) != 3 {
		t.Errorf("after the host left: host %s, inputs %v", snap.Host, snap.Inputs())
	}
	snap = ok(s.Leave(ctx, s.as("dan"), id))
	if snap.Status != table.Over || snap.Ending != games.Abandoned {
		t.Errorf("when all have left: %+v", snap.Head)
	}
	snap = ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap"}))
	for _, u := range []string{"bob", "cid"} {
		snap = ok(s.Join(ctx, s.as(u), snap.ID))
	}
	if snap = ok(s.Begin(ctx, s.as("ann"), snap.ID)); snap.Setup().Seats != 3 || snap.Status != table.Playing {
		t.Errorf("three came: %+v, seats %d", snap.Head, snap.Setup().Seats)
	}
}

// The seats and every draw of a game can be computed from its events and its seed, which is shown at the end.
func TestSeatsAndDrawsCanBeRecomputed(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	orders := map[string]bool{}
	for range 12 {
		snap := ok(s.Open(ctx, s.as("u0"), table.Opening{Game: "heap", Seats: 3, WhenFull: true}))
		commitment := snap.Commitment()
		for i := 1; i < 3; i++ {
			snap = ok(s.Join(ctx, s.as(fmt.Sprint("u", i)), snap.ID))
		}
		for snap.Status == table.Playing {
			snap = ok(s.Move(ctx, s.as(snap.Mover()), snap.ID, "take 1", 0))
		}
		seed, err := fair.ParseSeed(snap.Seed())
		if err != nil || !seed.Fits(commitment) {
			t.Fatalf("seed %q does not fit %s (%v)", snap.Seed(), commitment, err)
		}
		var order []string
		for seat, joined := range fair.Shuffle(seed, snap.Inputs(), 3) {
			user := fmt.Sprint("u", joined)
			order = append(order, user)
			if snap.Holder(games.Seat(seat)).User != user {
				t.Errorf("seat %d: %s, the lot says %s", seat, snap.Holder(games.Seat(seat)).User, user)
			}
		}
		orders[strings.Join(order, " ")] = true
		record, _ := snap.Record()
		m, err := record.Replay(heap.Game)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range m.Log() {
			if e.Seat != games.Chance {
				continue
			}
			outcomes := m.At(i).Outcomes()
			want := outcomes[fair.Pick(seed, m.Mixed(i), i, []int{outcomes[0].Weight, outcomes[1].Weight})]
			if got := games.Spell(m.At(i), want.Move); got != e.Text {
				t.Errorf("draw %d: %s, the seed says %s", i, e.Text, got)
			}
		}
	}
	if len(orders) < 2 {
		t.Errorf("twelve lots, one order: %v", orders)
	}
}

// A table's seed is secret before the end of the game. It does not appear in the data about the table or its changes,
// as packages fmt, encoding/json and log/slog print that data.
func TestTheSeedStaysSecret(t *testing.T) {
	t.Parallel()
	seed := fair.Seed{0xde, 0xad, 0xbe, 0xef, 0x77, 0x99}
	s := ashore(t)
	s.launch(table.Config{NewSeed: func() fair.Seed { return seed }})
	defer s.sink()
	snap := started(s, "ann", "bob")
	stored, err := s.store.Load(t.Context(), snap.ID)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{"snapshot": snap, "head": snap.Head, "stored": stored, "detail": &stored.Detail,
		"news": table.News{Snapshot: snap}, "change": storage.Change{Detail: &stored.Detail}} {
		printed := printings(t, v)
		for _, form := range []string{seed.Reveal(), "deadbeef", "DEADBEEF", "222,173,190,239", "222 173 190 239",
			"0xde, 0xad", string(seed[:4]), "3q2+7"} {
			if strings.Contains(printed, form) {
				t.Errorf("%s prints the seed as %q", name, form)
			}
		}
	}
	if _, ok := snap.Record(); ok || snap.Seed() != "" {
		t.Error("the record of a running game is given away")
	}
}

func TestTellHasASentenceForEveryEvent(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	catalogue, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	mod := s.as("mod")
	mod.Moderator = true
	a := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Seats: 3, Invited: []string{"dan"}, Fixed: true}))
	ok(s.Leave(ctx, s.as("dan"), a.ID))
	ok(s.Join(ctx, s.as("bob"), a.ID))
	ok(s.Leave(ctx, s.as("ann"), a.ID))
	ok(s.Join(ctx, s.as("ann"), a.ID))
	ok(s.Join(ctx, s.as("cid"), a.ID))
	ok(s.Rehouse(ctx, s.as("bob"), a.ID, "c2"))
	ok(s.Begin(ctx, s.as("bob"), a.ID))
	for _, kind := range []table.ProposalKind{table.Draw, table.Abandon} {
		ok(s.Propose(ctx, s.as("ann"), a.ID, kind))
		ok(s.Accept(ctx, s.as("bob"), a.ID, kind, 0))
		ok(s.Decline(ctx, s.as("cid"), a.ID, kind, 0))
		ok(s.Propose(ctx, s.as("ann"), a.ID, kind))
		ok(s.Withdraw(ctx, s.as("ann"), a.ID, kind, 0))
	}
	ok(s.Resign(ctx, s.as("bob"), a.ID))
	ok(s.Abandon(ctx, mod, a.ID))
	closed := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap"}))
	ok(s.Abandon(ctx, s.as("ann"), closed.ID))
	drawn := started(s, "ann", "bob")
	ok(s.Propose(ctx, s.as("ann"), drawn.ID, table.Draw))
	ok(s.Accept(ctx, s.as("bob"), drawn.ID, table.Draw, 0))
	won := started(s, "ann", "bob")
	for won.Status == table.Playing {
		won = ok(s.Move(ctx, s.as(won.Mover()), won.ID, "take 1", 0))
	}
	seen := map[storage.Kind]bool{}
	var said []string
	for _, id := range []table.ID{a.ID, closed.ID, drawn.ID, won.ID, over(s).ID} {
		stored, err := s.store.Load(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		snap := ok(s.Lookup.Snapshot(ctx, id))
		for _, e := range stored.Events {
			seen[e.Kind] = true
			line := catalogue.Speaker(func(n int) text.Message { return snap.Holder(games.Seat(n)).Name.Raw() },
				"en").Say(snap.Describe(e))
			if plays := e.Kind == storage.Played || e.Kind == storage.Forced ||
				e.Kind == storage.Drew; (line == "") != plays || strings.ContainsAny(line, "[{<") {
				t.Errorf("%+v is said as %q", e, line)
			}
			if line != "" {
				said = append(said, line)
			}
		}
	}
	t.Log(strings.Join(said, "\n"))
	for k := storage.Opened; k <= storage.Rehoused; k++ {
		if !seen[k] {
			t.Errorf("no event of kind %d came up", k)
		}
	}
}

// Every kind of stored event has its own texts in each of its variants. Moves and chance results have none, because
// the game describes them.
func TestEveryKindOfEventHasASentence(t *testing.T) {
	t.Parallel()
	ctx, ok, s := t.Context(), must(t), newShip(t)
	defer s.sink()
	catalogue, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	proposals := []string{string(table.Draw), string(table.Abandon), string(table.Undo)}
	variants := map[storage.Kind][]string{
		storage.Proposed: proposals, storage.Agreed: proposals, storage.Declined: proposals,
		storage.Withdrew: proposals,
		storage.TimedOut: {string(storage.LateOffer), string(storage.LateComputer), string(storage.LateForfeit)},
		storage.Reminded: {"1", "last"},
		storage.TookBack: {"1", "2"},
		storage.Removed:  {"Captain Bob", ""},
		storage.Paused:   {storage.PausedByModerator, storage.PausedChannelGone, storage.PausedRemoved},
		storage.IdleSoon: {"1800000000000"},
		storage.Ended:    {string(games.Abandoned)},
	}
	snap := started(s, "ann", "bob")
	speaker := catalogue.Speaker(func(n int) text.Message { return snap.Holder(games.Seat(n)).Name.Raw() }, "en")
	said := map[string]storage.Kind{}
	kinds := 0
	for k := storage.Opened; k.Known(); k++ {
		kinds++
		texts := variants[k]
		if texts == nil {
			texts = []string{"Captain Bob"}
		}
		for _, text := range texts {
			e := storage.Event{Kind: k, Version: 1, Seat: 0, User: "bob", Text: text}
			line := speaker.Say(snap.Describe(e))
			before, twice := said[line]
			switch {
			case k == storage.Played, k == storage.Forced, k == storage.Drew:
				if line != "" {
					t.Errorf("the play of kind %d is told as %q", k, line)
				}
				continue
			case line == "" || strings.ContainsAny(line, "[{") || strings.Contains(line, "<no value>"):
				t.Errorf("kind %d with %q is said as %q", k, text, line)
			case twice:
				t.Errorf("kinds %d and %d are both said as %q", before, k, line)
			}
			said[line] = k
		}
	}
	if kinds < int(storage.Idle) {
		t.Errorf("only %d kinds were looked at", kinds)
	}
	over := ok(s.Abandon(ctx, table.Actor{User: "mod", Moderator: true}, snap.ID))
	ended := storage.Event{Kind: storage.Ended, Text: string(games.Abandoned)}
	if line := speaker.Say(over.Describe(ended)); line == "" {
		t.Error("the end is not told")
	}
}
