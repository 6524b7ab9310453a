package practice_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/show"
	"marque/bot/study"
	"marque/games"
	"marque/games/catalog"
)

// imports sends /record import with a file that contains the record.
func imports(r *bottest.Rig, who, channel, record string) *localdiscord.Message {
	r.T.Helper()
	file := localdiscord.File{Name: "record.txt", ContentType: "text/plain", Data: []byte(record)}
	return r.Command(who, channel, "record import", localdiscord.Opt("file", file))
}

// tryOut plays a random move in a study with the controls of the stepper, and returns the board after the move.
func tryOut(r *bottest.Rig, who string, m *localdiscord.Message, rng *rand.Rand) *localdiscord.Message {
	r.T.Helper()
	for range 20 {
		if _, ok := m.Button("Make this move"); ok {
			return r.Click(who, m, "Make this move")
		}
		r.CheckStep(m)
		type offer struct{ id, value string }
		var offers []offer
		for _, c := range m.Interactive() {
			id, ok := show.ParseCustomID(c.CustomID)
			if !ok || id.Action != "study" || !strings.HasPrefix(id.Arg, "s") || c.Label == "Back" ||
				c.Label == "Start over" {
				continue
			}
			for _, o := range c.Options {
				offers = append(offers, offer{c.CustomID, o.Value})
			}
			if len(c.Options) == 0 {
				offers = append(offers, offer{c.CustomID, ""})
			}
		}
		if len(offers) == 0 {
			r.T.Fatalf("nothing can be played: %s", m.Text())
		}
		o := offers[rng.IntN(len(offers))]
		if o.value == "" {
			m = r.Click(who, m, o.id)
		} else {
			m = r.Choose(who, m, o.id, o.value)
		}
	}
	r.T.Fatalf("no move came about: %s", m.Text())
	return nil
}

// place returns the number of the shown play in Anne's study and the number of all plays. It fails the test if the text
// of m gives neither a turn nor the start.
func place(r *bottest.Rig, m *localdiscord.Message) (at, of int) {
	r.T.Helper()
	st, err := r.Store.Study(r.Ctx, localdiscord.Anne)
	if err != nil {
		r.T.Fatal(err)
	}
	var turn, last int
	if _, err := fmt.Sscanf(bottest.AfterWord(m.Text(), "Turn "), "%d of %d", &turn, &last); err != nil &&
		!strings.Contains(m.Text(), "Start · ") {
		r.T.Fatalf("a study does not say which turn it shows: %s", m.Text())
	}
	return st.At, st.Prefix + len(st.Line)
}

func enabled(m *localdiscord.Message, label string) bool {
	b, ok := m.Button(label)
	return ok && !b.Disabled
}

// In a study of any game a user can try out moves, step back to the start and forward again, and sees the same
// positions both ways. The study is private, has alt texts and a text version, and survives a restart.
func TestStudiesGoForthAndBack(t *testing.T) {
	t.Parallel()
	const anne, channel = localdiscord.Anne, localdiscord.TortugaTables
	r := bottest.New(t)
	for n, g := range catalog.Games {
		rng := rand.New(rand.NewPCG(uint64(n), 7))
		before := r.StateOf(channel)
		m := imports(r, anne, channel, bottest.Record(t, g.Key()))
		r.WantText(m, "follows the rules")
		at, of := place(r, m)
		if at == 0 || at > of {
			t.Errorf("%s: an imported record is shown at position %d of %d", g.Key(), at, of)
		}
		// Step back to an earlier position in which a player moves, and continue from there.
		for range 8 {
			m = r.Click(anne, m, "◀")
		}
		for enabled(m, "Roll or draw") {
			m = r.Click(anne, m, "◀")
		}
		begun, _ := place(r, m)
		seen := map[int]string{}
		note := func(m *localdiscord.Message) {
			t.Helper()
			if m.EphemeralTo != anne {
				t.Fatalf("%s: a study is seen by %q", g.Key(), m.EphemeralTo)
			}
			wantPictures(t, g.Key(), m)
			at, _ := place(r, m)
			board := r.Click(anne, m, "As text").Text()
			if was, ok := seen[at]; ok && was != board {
				t.Errorf("%s: position %d was\n%s\nand is now\n%s", g.Key(), at, was, board)
			}
			seen[at] = board
			r.WantText(m, "Trying moves")
		}
		note(m)
		for range 3 {
			if !enabled(m, "Ask the computer") {
				break // the game is over
			}
			m = tryOut(r, anne, m, rng)
			note(m)
		}
		if n == 0 {
			m = r.Click(anne, m, "◀")
			asked := r.Click(anne, m, "Ask the computer")
			r.WantText(asked, "**The computer, in ")
			if said := asked.Text(); strings.ContainsAny(said, "\\…") || !strings.Contains(said, "I'd play “") &&
				!strings.Contains(said, "`) is the only move") || strings.Contains(said, "our chance") {
				t.Errorf("%s: the computer's opinion shows its markup, breaks off, or calls the mover's chance the asker's: %s", g.Key(), said)
			}
			note(asked)
			r.Stop()
			r.Start()
			m = r.Click(anne, asked, "⏭")
			r.WantText(r.Command(anne, channel, "record study"), "Trying moves")
		}
		tried, _ := place(r, m)
		if tried <= begun {
			t.Errorf("%s: nothing was tried out from position %d on", g.Key(), begun)
		}
		for at := tried; at > begun-2 && enabled(m, "◀"); at-- {
			m = r.Click(anne, m, "◀")
			note(m)
		}
		m = r.Click(anne, m, "⏮")
		if at, _ := place(r, m); at != 0 || enabled(m, "◀") {
			t.Errorf("%s: the first position is %d, or goes back: %s", g.Key(), at, m.Text())
		}
		m = r.Click(anne, m, "⏭")
		note(m)
		if at, _ := place(r, m); at != tried || enabled(m, "▶") {
			t.Errorf("%s: the last position is %d, want %d, or goes on", g.Key(), at, tried)
		}
		m = r.Click(anne, m, "Back to the game")
		if _, now := place(r, m); now != of || enabled(m, "Back to the game") {
			t.Errorf("%s: back in the game there are %d positions, want %d", g.Key(), now, of)
		}
		if after := r.StateOf(channel); after != before {
			t.Errorf("%s: a study changed the tables or what others see from\n%s\nto\n%s", g.Key(), before, after)
		}
	}
}

// Dice and cards are drawn again in a study. The result can differ from the record's and from one attempt to the next.
func TestStudiesDrawAnew(t *testing.T) {
	t.Parallel()
	const anne, channel = localdiscord.Anne, localdiscord.TortugaTables
	r := bottest.New(t)
	m := imports(r, anne, channel, bottest.Record(t, "pirate-versus-pirate"))
	for !enabled(m, "Roll or draw") {
		m = r.Click(anne, m, "◀")
	}
	r.WantText(m, "cards drawn afresh")
	drawn := map[string]bool{}
	for range 40 {
		if m = r.Click(anne, m, "Roll or draw"); enabled(m, "Roll or draw") {
			t.Fatalf("nothing was drawn: %s", m.Text())
		}
		drawn[strings.Split(m.Text(), "\n")[2]] = true // the line after the title and the number of the play
		for m = r.Click(anne, m, "◀"); !enabled(m, "Roll or draw"); {
			m = r.Click(anne, m, "◀")
		}
		if len(drawn) > 2 {
			return
		}
	}
	t.Errorf("forty tries gave %v", drawn)
}

// The players of an unfinished rated game can study it, unless the server forbids that. Spectators cannot. The computer
// gives no opinion on such a game. Spectators can study a finished game.
func TestStudyOfATable(t *testing.T) {
	t.Parallel()
	const channel = bottest.TablesChannel
	r := bottest.New(t)
	turn := r.OpenLoyal(bottest.Two)
	first := r.Mover(turn)
	second := bottest.Other(bottest.Two, first)
	r.Command(first, channel, "move", localdiscord.Opt("move", r.FirstMove(first, channel)))
	turn = r.TurnAfter(channel, turn)

	board := r.Command(second, channel, "board")
	m := r.Click(second, board, "Try moves")
	r.WantText(m, "Turn 1 of 1 · as played")
	if bottest.HasButton(m, "Ask the computer") {
		t.Errorf("the computer speaks about a rated game that goes on: %s", m.Text())
	}
	opinion := func() *localdiscord.Message {
		text, _ := m.Button("As text")
		id, _ := show.ParseCustomID(text.CustomID)
		id.Action, id.Arg = "opinion", ""
		return r.Forge(second, m, id.String())
	}
	r.WantText(opinion(), "Hints are off")
	rng := rand.New(rand.NewPCG(1, 1))
	m = tryOut(r, second, m, rng)
	m = tryOut(r, second, m, rng)
	r.WantText(m, "Turn 3 of 3 · your own moves after turn 1")
	if snap := r.Table(); snap.Plays != 1 {
		t.Errorf("a study made the table have %d plays", snap.Plays)
	}

	// Users who do not play cannot study the unfinished game.
	r.WantText(r.Command(localdiscord.Bart, channel, "record study"), "only its players")
	if watched := r.Command(localdiscord.Bart, channel, "board"); bottest.HasButton(watched, "Try moves") {
		t.Errorf("who looks on is offered to try out moves: %s", watched.Text())
	}
	// The server's setting also applies to a study that began earlier.
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.NoStudies = true })
	r.WantText(r.Click(second, m, "◀"), "you can't try moves in a rated game")
	r.WantText(r.Command(second, channel, "record study", localdiscord.Opt("at", 0)),
		"you can't try moves in a rated game")
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.NoStudies, c.Hints = false, true })
	m = r.Click(second, m, "◀")
	// For hints, the setting at the start of the game counts, so that nobody can allow them briefly.
	r.WantText(opinion(), "Hints are off")
	r.WantText(r.Command(second, channel, "record study", localdiscord.Opt("at", 7)), "7")

	// After the game, a spectator can study it and ask the computer.
	sure := r.Command(second, channel, "table resign")
	r.Click(second, sure, "Yes, resign")
	over := r.Next(channel, turn.ID, bottest.IsOver)
	over = r.Click(localdiscord.Bart, over, "Replay")
	m = r.Click(localdiscord.Bart, over, "Try moves")
	r.WantText(m, "as played")
	if !bottest.HasButton(m, "Ask the computer") {
		t.Errorf("nothing can be tried out in the last position of a game that somebody resigned: %s", m.Text())
	}
	m = tryOut(r, localdiscord.Bart, m, rng)
	r.WantText(m, "your own moves")
	r.WantText(r.Click(localdiscord.Bart, m, "Close"), "Closed.")
	r.WantText(r.Click(localdiscord.Bart, over, "Try moves"), "as played")
	for _, name := range []string{"record replay", "record review"} {
		shown := r.Command(second, channel, name)
		if name == "record replay" && !bottest.HasButton(shown, "Try moves") {
			t.Errorf("/%s has no button to try out moves: %s", name, shown.Text())
		}
	}
}

// A player cannot study an unfinished game with hidden cards, whether by button, command or forged control.
func TestHiddenHandsAreNotStudied(t *testing.T) {
	t.Parallel()
	const channel = bottest.TablesChannel
	r := bottest.New(t)
	for _, g := range catalog.Games {
		if !g.Traits().Hidden {
			continue
		}
		turn := r.Open(channel, g, bottest.Two)
		who := r.Mover(turn)
		number, _, _ := strings.Cut(bottest.AfterWord(turn.Text(), "· #"), "\n")
		board := r.Command(who, channel, "board")
		if bottest.HasButton(board, "Try moves") {
			t.Errorf("%s: the board of a game with hidden cards is to be tried out: %s", g.Key(), board.Text())
		}
		r.WantText(r.Command(who, channel, "record study"), "only try moves once it's over")
		r.WantText(r.Forge(who, board, show.CustomID{Action: "try", Table: number}.String()), "once it's over")
		// An exported record of the unfinished game omits the hidden cards, and its import is refused for that reason.
		exported := r.Attached(r.Command(who, channel, "record export"))
		r.WantText(imports(r, who, channel, exported), "Some things were still hidden when this record was exported")
		r.Click(who, r.Command(who, channel, "table resign"), "Yes, resign")
		over := r.Next(channel, turn.ID, bottest.IsOver)
		replay := r.Click(localdiscord.Bart, over, "Replay")
		r.WantText(r.Click(localdiscord.Bart, replay, "Try moves"), "as played")
	}
}

// An import of a file that is not a record or has illegal moves is refused with the reason. Nothing of the file is
// stored.
func TestImportsAreChecked(t *testing.T) {
	t.Parallel()
	const anne, channel = localdiscord.Anne, localdiscord.TortugaTables
	r := bottest.New(t)
	good := bottest.Record(t, "quedah-merchant")
	lines := strings.Split(good, "\n")
	with := func(change func(list []string) []string) string {
		return strings.Join(change(slices.Clone(lines)), "\n")
	}
	first := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "1. ") })
	move := first + slices.IndexFunc(lines[first:], func(l string) bool {
		return l != "" && !strings.Contains(l, "chance")
	})
	chance := first + slices.IndexFunc(lines[first:], func(l string) bool { return strings.Contains(l, " chance ") })
	seed := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "seed: ") })
	long := "marque record 1\ngame: pirate-versus-pirate\nrules: 1\nseats: 2\n\n"
	for i := range study.MaxRecordPlays + 1 {
		long += fmt.Sprintf("%d. 0 x\n", i+1)
	}
	for what, tc := range map[string]struct{ record, want string }{
		"nothing":             {"", "Line 1: The record is empty"},
		"a picture":           {"\x89PNG\r\n\x1a\n\x00\x00", "isn't a text file"},
		"another text":        {"Dear diary\n", "Line 1: A record starts with"},
		"a file that is huge": {strings.Repeat("a", study.MaxRecord+1), "too large"},
		"a game that is not": {strings.Replace(good, "game: quedah-merchant", "game: chess", 1),
			"There's no game"},
		"rules that are not": {strings.Replace(good, "rules: ", "rules: 9", 1), "of the rules"},
		"too many plays":     {long, "too long for trying moves"},
		"a move that is illegal": {with(func(l []string) []string {
			l[move] = strings.Fields(l[move])[0] +
				" 0 fly away"
			return l
		}), fmt.Sprintf("Line %d: ", move+1)},
		"another die": {with(func(l []string) []string {
			l[chance] = strings.Fields(l[chance])[0] +
				" chance roll 99"
			return l
		}), fmt.Sprintf("Line %d: ", chance+1)},
		"another seed": {with(func(l []string) []string {
			l[seed] = "seed: " + strings.Repeat("ab",
				32)
			return l
		}), "isn't the seed that was promised"},
		"a play that is missing": {with(func(l []string) []string {
			return slices.Delete(l, move, move+1)
		}), fmt.Sprintf("Line %d: ", move+1)},
		"a very long line":     {good + strings.Repeat("x", 5000), "at most 4,096 bytes"},
		"a line with Markdown": {strings.Replace(good, "game: ", "**@everyone**: ", 1), "doesn't belong here"},
	} {
		m := imports(r, anne, channel, tc.record)
		if !strings.Contains(m.Text(), tc.want) || m.EphemeralTo != anne {
			t.Errorf("%s: said to %q %q, want %q", what, m.EphemeralTo, m.Text(), tc.want)
		}
	}
	// The address of the file must be on Discord's servers.
	for _, url := range []string{"http://127.0.0.1:1/attachments/1/2/a.txt",
		"https://169.254.169.254/latest/meta-data"} {
		file := map[string]any{"id": "7", "filename": "a.txt", "size": 10, "url": url, "proxy_url": url}
		reply, err := r.Server.Forge(r.Ctx, anne, channel, "", 2, map[string]any{"id": "1", "name": "record", "type": 1,
			"options": []any{map[string]any{"name": "import", "type": 1,
				"options": []any{map[string]any{"name": "file", "type": 11, "value": "7"}}}},
			"resolved": map[string]any{"attachments": map[string]any{"7": file}}})
		r.WantText(r.Answer(reply, err, "a forged import"), "couldn't get this file")
	}
	r.WantText(r.ForgeCommand(anne, channel, "record import", bottest.LostFile), "couldn't get this file")
	if st, err := r.Store.Study(r.Ctx, anne); err != nil || st.Number != 0 {
		t.Errorf("something is kept of what was refused: %+v, %v", st, err)
	}
	r.WantText(imports(r, anne, channel, "\ufeff"+strings.ReplaceAll(good, "\n", "\r\n")), "follows the rules")
}

// Errors in a record are explained in the language of the user who imports it.
func TestRecordsAreRefusedInOnesOwnLanguage(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	r.Must(r.Server.Admin.SetLocale(localdiscord.Anne, "de"))
	for record, want := range map[string]string{
		"":                              "Zeile 1: Die Aufzeichnung ist leer.",
		"Dear diary\n":                  "Zeile 1: Eine Aufzeichnung beginnt mit `marque record 1`.",
		"marque record 1\nrules: one\n": "Zeile 2: `rules` ist eine Zahl von 0 bis 1000, nicht `one`.",
	} {
		r.WantText(imports(r, localdiscord.Anne, localdiscord.TortugaTables, record), want)
	}
}

// A study ends after a day without use, after a week in any case, and when its user's data are deleted. Its buttons
// then say so. The stored data can be exported.
func TestStudiesEnd(t *testing.T) {
	t.Parallel()
	const anne, channel = localdiscord.Anne, localdiscord.TortugaTables
	r, clock := bottest.NewTimed(t)
	record := bottest.Record(t, "madagascar")
	m := imports(r, anne, channel, record)
	if len(r.Stored(`"begun":`)) != 1 {
		t.Error("the store has no study")
	}
	clock.Advance(study.Idle - time.Minute)
	m = r.Click(anne, m, "◀")
	clock.Advance(study.Idle - time.Minute)
	m = r.Click(anne, m, "◀")
	clock.Advance(study.Idle + time.Minute)
	r.WantText(r.Click(anne, m, "◀"), "This board is closed")
	r.Eventually("the study that ended is kept", func() bool { return len(r.Stored(`"begun":`)) == 0 })

	m = imports(r, anne, channel, record)
	for range 2 * study.Life / study.Idle {
		clock.Advance(study.Idle / 2)
		if enabled(m, "◀") {
			m = r.Click(anne, m, "◀")
		}
	}
	clock.Advance(time.Hour)
	r.WantText(r.Click(anne, m, "⏭"), "This board is closed")

	m = imports(r, anne, channel, record)
	later := r.Click(anne, m, "◀")
	text, _ := m.Button("As text")
	id, _ := show.ParseCustomID(text.CustomID)
	id.Arg = "b"
	stale := r.Forge(anne, later, id.String())
	r.WantText(stale, "has moved on")
	shown := func(m *localdiscord.Message) string {
		first, _, _ := strings.Cut(bottest.AfterWord(m.Text(), "Turn "), "\n")
		return first
	}
	if shown(later) != shown(stale) {
		t.Errorf("a button of before moved the study: %s, then %s", later.Text(), stale.Text())
	}
	for _, arg := range []string{"", "q", "p", "p1-99", "s1-99", "d", "p\x00"} {
		now, _ := stale.Button("As text")
		present, _ := show.ParseCustomID(now.CustomID)
		present.Arg = arg
		if said := r.Forge(anne, stale, present.String()).Text(); strings.Contains(said, "incident") {
			t.Errorf("the forged control %q is our fault: %s", present, said)
		}
	}
	// Another user who sends the control of a study does not see the study.
	r.WantText(r.Forge(localdiscord.Jack, r.Command(localdiscord.Jack, channel, "help"), id.String()),
		"This board is closed")

	dossier, err := r.Privacy.Export(r.Ctx, anne)
	exported, _ := dossier.Also["record"].(string)
	read, derr := games.DecodeRecord(strings.NewReader(exported))
	if err != nil || derr != nil || read.Header.Game != "madagascar" || len(read.Header.Players) != 0 {
		t.Errorf("the export has the record %q, %v, %v", exported, err, derr)
	}
	if err := r.Privacy.Forget(r.Ctx, anne); err != nil {
		t.Fatal(err)
	}
	r.WantText(r.Click(anne, stale, "◀"), "This board is closed")
	if left := r.Stored(`"begun":`); len(left) > 0 {
		t.Errorf("left of a study after its user's data were deleted: %v", left)
	}
}
