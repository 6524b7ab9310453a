package games_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/example"
	"marque/games/text"
	"marque/games/text/locale"
)

func match(t *testing.T, key string, seats int) *games.Match {
	t.Helper()
	g := example.Games[slices.IndexFunc(example.Games, func(g games.Game) bool { return g.Key() == key })]
	m, err := games.NewMatch(g, games.Header{Setup: games.Setup{Seats: seats}, Players: []text.Name{text.NewName("Ann"),
		text.NewName("Bo  \n x")}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSetupErrorsSayWhatTheGameAllows(t *testing.T) {
	for _, tc := range []struct {
		game    string
		seats   int
		options []games.Setting
		want    string
		id      string // of the text for players
	}{
		{"loyal-captain", 3, nil, "2 players, not 3", "setup.error.seats-exactly"},
		{"loyal-captain", 2, []games.Setting{{Key: "wind", Value: "on"}}, "options: opening", "setup.error.option"},
		{"loyal-captain", 2, []games.Setting{{Key: "opening", Value: "loud"}}, "standard, offered", "setup.error.value"},
		{"loyal-captain", 2, []games.Setting{{Key: "opening"}}, "standard, offered", "setup.error.value"},
		{"loyal-captain", 2, []games.Setting{{Value: "loud"}}, "options: opening", "setup.error.option"},
		{"pirat", 2, []games.Setting{{Key: "wind", Value: "on"}}, "no option", "setup.error.no-options"},
	} {
		g, _ := catalog.Find(tc.game)
		_, err := games.NewSetup(g, tc.seats, tc.options...)
		var se *games.SetupError
		if !errors.As(err, &se) || !strings.Contains(se.Error(), tc.want) || se.Text().ID != tc.id {
			t.Errorf("%s, %d seats, %v: %v, want something with %q and the text %s", tc.game, tc.seats, tc.options, err,
				tc.want, tc.id)
		}
	}
}

// The text about an unknown option lists the options that the game has.
func TestAnUnknownOptionIsToldWhichThereAre(t *testing.T) {
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		want            []string
		english, german string
	}{
		{[]string{"opening"}, "Its only option is opening.", "Die einzige Option ist opening."},
		{[]string{"a", "b", "c"}, "Its options are a, b and c.", "Die Optionen sind a, b und c."},
	} {
		m := (&games.SetupError{Game: "loyal-captain", Option: "wind", Want: tc.want}).Text()
		for language, want := range map[string]string{"en": tc.english, "de": tc.german} {
			if got := sentences.Speaker(nil, language).Plain().Say(m); !strings.HasSuffix(got, want) {
				t.Errorf("%s: %q, want %q at its end", language, got, want)
			}
		}
	}
}

// GE-3: the last remaining player wins.
func TestTheLastOneLeftWins(t *testing.T) {
	m := match(t, "loyal-captain", 2)
	if err := m.Resign(1); err != nil {
		t.Fatal(err)
	}
	if r := m.Result(); !m.Over() || !slices.Equal(r.Winners, []games.Seat{0}) || m.Ending() != games.Resigned {
		t.Errorf("after seat 1 resigned: over %v, result %+v, ending %q", m.Over(), r, m.Ending())
	}
	if err := m.PlayExact("+1"); !errors.Is(err, games.ErrOver) {
		t.Errorf("a move after the end: %v", err)
	}
	if err := m.Resign(0); !errors.Is(err, games.ErrOver) {
		t.Errorf("resigning after the end: %v", err)
	}
}

// GE-3: in a line of up to 300 plays of every game that allows three players, a player who resigned at the start is
// never to move again and does not win, and the log with the resignation can be replayed.
func TestTheGameGoesOnWithoutWhoResigned(t *testing.T) {
	for _, g := range example.Games {
		if _, most := g.Seats(); most < 3 {
			continue
		}
		t.Run(g.Key(), func(t *testing.T) {
			m := match(t, g.Key(), 3)
			for i := 0; m.ToMove() == games.Chance; i++ { // i varies the rolls: if all were equal, this would not end
				outs := m.State().Outcomes()
				if err := m.Play(outs[i*7%len(outs)].Move); err != nil {
					t.Fatal(err)
				}
			}
			quitter := m.ToMove()
			if err := m.Resign(quitter); err != nil {
				t.Fatal(err)
			}
			if err := m.Resign(quitter); err == nil {
				t.Error("the same seat resigns twice")
			}
			for ply := 0; ply < 300 && !m.Over(); ply++ {
				if m.ToMove() == quitter {
					t.Fatalf("ply %d: seat %d, who resigned, is to move", ply, quitter)
				}
				var mv games.Move
				if outs := m.State().Outcomes(); outs != nil {
					mv = outs[ply%len(outs)].Move
				} else {
					moves := m.State().Moves()
					mv = moves[ply*7%len(moves)]
				}
				if err := m.Play(mv); err != nil {
					t.Fatal(err)
				}
			}
			again, err := games.Replay(g, m.Header(), m.Log())
			if err != nil || again.Digest() != m.Digest() {
				t.Errorf("the log with the resignation does not replay: %v", err)
			}
			if r := m.Result(); m.Over() && slices.Contains(r.Winners, quitter) {
				t.Errorf("seat %d, who resigned, is among the winners %v", quitter, r.Winners)
			}
		})
	}
}

// GE-2: players can agree to end a game as a draw, or without a result.
func TestAgreedAndAbandonedEndings(t *testing.T) {
	m := match(t, "loyal-captain", 2)
	if err := m.End(games.Agreed); err != nil {
		t.Fatal(err)
	}
	if r := m.Result(); !r.Drawn || len(r.Winners) != 2 {
		t.Errorf("an agreed draw has the result %+v", r)
	}
	m = match(t, "loyal-captain", 2)
	if err := m.End(games.Abandoned); err != nil {
		t.Fatal(err)
	}
	if r := m.Result(); len(r.Winners) != 0 {
		t.Errorf("an abandoned game has the winners %v", r.Winners)
	}
}

// GE-2, GE-3, MD-6, MD-8, PP-11: a player whom the rules have put out is no longer in. Such a player has no part in an
// agreed draw, and cannot resign. If the move that put them out is taken back, they are in again.
func TestWhoIsOutHasNoPartInADraw(t *testing.T) {
	for _, key := range []string{"madagascar", "pirate-versus-pirate"} {
		m := match(t, key, 3)
		rng := games.NewRand(1)
		var in, out []games.Seat // who has a chance of winning, and who has none
		for out == nil {
			if err := m.Play(m.State().Sim().PlayRandom(rng)); err != nil {
				t.Fatal(err)
			}
			in = nil
			for seat := range games.Seat(3) {
				if m.State().Sim().Evaluate(seat) > 0 {
					in = append(in, seat)
				} else {
					out = append(out, seat)
				}
			}
		}
		if m.Over() || len(in) != 2 || !slices.Equal(m.StillIn(), in) {
			t.Errorf("%s: after %d plays %v are in, want %v; over %v", key, m.Len(), m.StillIn(), in, m.Over())
		}
		if before := m.Cut(m.Len() - 1); len(before.StillIn()) != 3 {
			t.Errorf("%s: before the last play %v are in, want all", key, before.StillIn())
		}
		drawn := m.Fork()
		if err := drawn.End(games.Agreed); err != nil {
			t.Fatal(err)
		}
		again, err := drawn.Record().Replay(m.Game())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []games.Result{drawn.Result(), again.Result()} {
			if !r.Drawn || !slices.Equal(r.Winners, in) {
				t.Errorf("%s: %v share the draw, want %v, who are in", key, r.Winners, in)
			}
		}
		for m.ToMove() == games.Chance {
			if err := m.Play(m.State().Sim().PlayRandom(rng)); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Resign(out[0]); !errors.Is(err, games.ErrOut) {
			t.Errorf("%s: seat %d, who is out, resigns: %v", key, out[0], err)
		}
	}
}

func TestUndoTakesTheLastEntryBack(t *testing.T) {
	m := match(t, "loyal-captain", 2)
	start := m.Digest()
	if err := m.Undo(); !errors.Is(err, games.ErrStart) {
		t.Errorf("undo at the start: %v", err)
	}
	if err := m.PlayExact("+1"); err != nil {
		t.Fatal(err)
	}
	fork := m.Fork()
	if err := m.Undo(); err != nil || m.Digest() != start {
		t.Errorf("undo: %v, position %s, want %s", err, m.Digest(), start)
	}
	if fork.Len() != 1 {
		t.Error("undoing changed the fork")
	}
	if err := m.Resign(0); err != nil {
		t.Fatal(err)
	}
	if err := m.Undo(); err != nil || m.Over() || !m.In(0) {
		t.Errorf("undoing a resignation: %v, over %v, seat 0 in %v", err, m.Over(), m.In(0))
	}
}

func TestReplaySaysWhereTheLogIsWrong(t *testing.T) {
	g, _ := catalog.Find("loyal-captain")
	for _, tc := range []struct {
		name  string
		log   []games.Entry
		index int
	}{
		{"not legal", []games.Entry{{Seat: 0, Text: "+1"}, {Seat: 1, Text: "+1"}}, 1},
		{"the wrong seat", []games.Entry{{Seat: 1, Text: "+1"}}, 0},
		{"after the end", []games.Entry{{Seat: 0, Text: games.Resigns}, {Seat: 1, Text: "+1"}}, 1},
		{"blanks", []games.Entry{{Seat: 0, Text: " +1"}}, 0},
	} {
		_, err := games.Replay(g, games.Header{}, tc.log)
		var re *games.ReplayError
		if !errors.As(err, &re) || re.Index != tc.index {
			t.Errorf("%s: %v, want an error at entry %d", tc.name, err, tc.index)
		}
	}
}

func TestDamagedRecordsSayTheLine(t *testing.T) {
	m := match(t, "loyal-captain", 2)
	for _, p := range []string{"+1", "+4"} {
		if err := m.PlayExact(p); err != nil {
			t.Fatal(err)
		}
	}
	good := m.Record().Encode()
	g, _ := catalog.Find("loyal-captain")
	read := func(s string) error {
		r, err := games.DecodeRecord(strings.NewReader(s))
		if err != nil {
			return err
		}
		_, err = r.Replay(g)
		return err
	}
	if err := read(good); err != nil {
		t.Fatalf("%v in\n%s", err, good)
	}
	line := func(part string) int { return 1 + strings.Count(good[:strings.Index(good, part)], "\n") }
	for _, tc := range []struct {
		name, damaged string
		line          int
	}{
		{"empty", "", 1},
		{"another format", "chess\n" + good, 1},
		{"an unknown header line", strings.Replace(good, "rules:", "rulez:", 1), 3},
		{"no number", strings.Replace(good, "seats: 2", "seats: two", 1), 4},
		{"a play of the wrong number", strings.Replace(good, "2. 1 +4", "3. 1 +4", 1), line("2. 1 +4")},
		{"an illegal play", strings.Replace(good, "2. 1 +4", "2. 1 +1", 1), line("2. 1 +4")},
		{"another digest", strings.Replace(good, "digest: ", "digest: 00", 1), line("digest: ")},
		{"other rules", strings.Replace(good, "rules: 1", "rules: 999", 1), 3},
	} {
		err := read(tc.damaged)
		var re *games.RecordError
		if !errors.As(err, &re) || re.Line != tc.line {
			t.Errorf("%s: %v, want an error in line %d of\n%s", tc.name, err, tc.line, tc.damaged)
		}
	}
}

func FuzzDecodeRecord(f *testing.F) {
	f.Add("marque record 1\ngame: loyal-captain\nrules: 1\nseats: 2\n\n1. 0 +1\n")
	f.Add("marque record 1\ngame: pirat\noption: x\n")
	f.Fuzz(func(t *testing.T, s string) {
		r, err := games.DecodeRecord(strings.NewReader(s))
		if err != nil {
			return
		}
		again, err := games.DecodeRecord(strings.NewReader(r.Encode()))
		if err != nil || again.Encode() != r.Encode() {
			t.Errorf("a record that was read does not read again: %v\n%s", err, r.Encode())
		}
	})
}

// Cut returns a match of the first n entries, which can continue without the later plays, resignations and agreements.
// The original match does not change.
func TestCut(t *testing.T) {
	m := match(t, "loyal-captain", 2)
	var digests []string
	for range 3 {
		digests = append(digests, m.Digest())
		if err := m.Play(m.State().Moves()[0]); err != nil {
			t.Fatal(err)
		}
	}
	drawn := m.Fork()
	if err := drawn.End(games.Agreed); err != nil {
		t.Fatal(err)
	}
	if err := m.Resign(m.ToMove()); err != nil {
		t.Fatal(err)
	}
	whole := m.Digest()
	for n, want := range digests {
		c := m.Cut(n)
		if c.Digest() != want || c.Len() != n || c.Over() || len(c.StillIn()) != 2 {
			t.Errorf("cut after %d: %d plays, over %v, %d in, %s, want %s", n, c.Len(), c.Over(), len(c.StillIn()),
				c.Digest(), want)
		}
		if err := c.Play(c.State().Moves()[0]); err != nil {
			t.Errorf("cut after %d it does not go on: %v", n, err)
		}
	}
	if c := m.Cut(m.Len()); !c.Over() || m.Digest() != whole {
		t.Errorf("a resignation that is kept ends the match: %v; cutting changed it: %v", c.Over(), m.Digest() != whole)
	}
	if c := drawn.Cut(drawn.Len()); c.Over() || c.Ending() != games.NotEnded || !drawn.Over() {
		t.Errorf("cut at the agreement that ended it: over %v, ending %q", c.Over(), c.Ending())
	}
}

// A play begins at most one turn, and a dealt card or a dice roll begins none. Turn and AfterTurn agree.
func TestTurnsAreCountedByWhoMoves(t *testing.T) {
	for _, g := range example.Games {
		least, _ := g.Seats()
		m := match(t, g.Key(), least)
		rng := games.NewRand(4)
		for range 80 {
			if m.Over() {
				break
			}
			var mv games.Move
			if m.ToMove() == games.Chance {
				mv = rng.Outcome(m.State().Outcomes())
			} else {
				mv = m.State().Moves()[0]
			}
			if err := m.Play(mv); err != nil {
				t.Fatal(err)
			}
		}
		last := m.Turn(m.Len())
		for turn := range last + 1 {
			n := m.AfterTurn(turn)
			if m.Turn(n) != turn {
				t.Errorf("%s: %d plays are turn %d, want %d", g.Key(), n, m.Turn(n), turn)
			}
			if n < m.Len() && m.Turn(n+1) != turn+1 {
				t.Errorf("%s: play %d is of turn %d; turn %d had ended before it", g.Key(), n, m.Turn(n+1), turn)
			}
		}
		for n, e := range m.Log() {
			began := m.Turn(n+1) - m.Turn(n)
			if began < 0 || began > 1 || began == 1 && e.Seat == games.Chance {
				t.Errorf("%s: play %d (%s of %d) begins %d turns", g.Key(), n, e.Text, e.Seat, began)
			}
		}
	}
}
