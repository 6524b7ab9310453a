package practice_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/puzzles"
	"marque/bot/show"
	"marque/games"
	"marque/games/catalog"
	"marque/games/puzzle"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// puzzleMatch returns a match at a puzzle's position.
func puzzleMatch(t testing.TB, ref puzzle.Ref) (puzzle.Puzzle, *games.Match) {
	t.Helper()
	p, f, ok := ref.Find()
	if !ok {
		t.Fatalf("there is no puzzle %v", ref)
	}
	g, _ := catalog.Find(ref.Game)
	m, err := f.Match(p, g)
	if err != nil {
		t.Fatal(err)
	}
	return p, m
}

// miss returns a first move other than the solution's.
func miss(t *testing.T, p puzzle.Puzzle, m *games.Match) string {
	t.Helper()
	for _, move := range m.State().Moves() {
		if n := games.Spell(m.State(), move); n != p.Solution[0] {
			return n
		}
	}
	t.Fatal("every move solves it")
	return ""
}

// solve plays a puzzle's solution on its board, and returns the answer to the last move. The bot plays the replies in
// between.
func solve(r *bottest.Rig, who string, board *localdiscord.Message, ref puzzle.Ref) *localdiscord.Message {
	r.T.Helper()
	p, m := puzzleMatch(r.T, ref)
	seat := m.ToMove()
	for i, notation := range p.Solution {
		mine := m.ToMove() == seat
		if err := m.PlayExact(notation); err != nil {
			r.T.Fatal(err)
		}
		if !mine {
			continue
		}
		board, _ = practise(r, who, board, notation)
		if i+2 < len(p.Solution) {
			r.WantText(board, "Right so far!")
		}
	}
	return board
}

// puzzleOf returns the puzzle on a board. Its key is in the board's controls.
func puzzleOf(t *testing.T, m *localdiscord.Message) puzzle.Ref {
	t.Helper()
	text, ok := m.Button("As text")
	if !ok {
		t.Fatalf("a board without text: %s", m.Text())
	}
	ref, ok := puzzleIn(text.CustomID)
	if !ok {
		t.Fatalf("no puzzle in %q", text.CustomID)
	}
	return ref
}

// puzzleIn returns the puzzle whose key is in a custom_id.
func puzzleIn(id string) (puzzle.Ref, bool) {
	for part := range strings.SplitSeq(id, "/") {
		game, number, _ := strings.Cut(part, ".")
		n, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		if game == "day" {
			return puzzle.Daily(n), true
		}
		if _, ok := puzzle.Of(game); ok {
			return puzzle.Ref{Game: game, Number: n}, true
		}
	}
	return puzzle.Ref{}, false
}

// wantPictures fails the test if a message has no picture, or a picture without alt text.
func wantPictures(t *testing.T, what string, m *localdiscord.Message) {
	t.Helper()
	pictures := m.Pictures()
	for _, p := range pictures {
		if len(p.Description) < 20 {
			t.Errorf("%s shows a picture without alt text: %v", what, p)
		}
	}
	if len(pictures) == 0 {
		t.Errorf("%s shows no picture: %s", what, m.Text())
	}
}

// A puzzle of each game can be missed and solved on a private board. The board shows its task, has an alt text for its
// picture, and is available as text.
func TestPuzzlesAreSolvedAndMissed(t *testing.T) {
	t.Parallel()
	const anne, channel = localdiscord.Anne, localdiscord.TortugaTables
	const day = 20_500
	r := bottest.New(t, func(o *localdiscord.Options) { o.Clock = bottest.MorningOf(day) })
	kept := puzzle.Coming(day-1, 1+keptDays)
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	say := sentences.Speaker(nil, "en").Say
	for _, f := range puzzle.Library() {
		for grade := range puzzle.Grades {
			board := r.Command(anne, channel, "puzzle", localdiscord.Opt("game", f.Game),
				localdiscord.Opt("grade", grade+1))
			if strings.Contains(board.Text(), "no puzzle like that") {
				continue // a game need not have puzzles of every level
			}
			ref := puzzleOf(t, board)
			p, _ := puzzleMatch(t, ref)
			if ref.Game != f.Game || p.Grade != grade+1 || slices.Contains(kept, ref) {
				t.Errorf("asked for %s of grade %d, shown is %v of grade %d", f.Game, grade+1, ref, p.Grade)
			}
			if grade > 0 && testing.Short() {
				continue
			}
			// The bot chooses the puzzle at random, but the test always plays the same puzzles.
			for n, p := range slices.Backward(f.Puzzles) {
				if number := (puzzle.Ref{Game: f.Game, Number: n + 1}); p.Grade == grade+1 && !slices.Contains(kept,
					number) {
					ref = number
				}
			}
			p, m := puzzleMatch(t, ref)
			board = r.Forge(anne, board, show.CustomID{Action: "puzzle", Arg: fmt.Sprintf("%s.%d", ref.Game,
				ref.Number)}.String())
			wantPictures(t, fmt.Sprintf("%v", ref), board)
			r.WantText(board, "It's your move.")
			// in this game the attacks have colours, not the players
			if said := say(text.M("bot.puzzle.side", "Color", text.ColorOf(m.ToMove()))); f.Game != "pirat" {
				r.WantText(board, said)
			}
			r.WantText(r.Click(anne, board, "As text"), "```")
			missed, _ := practise(r, anne, board, miss(t, p, m))
			r.WantText(missed, "Not quite.")
			wantPictures(t, fmt.Sprintf("what a miss of %v brings about", ref), missed)
			r.WantText(r.Click(anne, missed, "As text"), "```")
			again := r.Click(anne, missed, "Try again")
			if strings.Contains(again.Text(), "Hint") {
				t.Errorf("%v: a hint after one miss: %s", ref, again.Text())
			}
			missed, _ = practise(r, anne, again, miss(t, p, m))
			again = r.Click(anne, missed, "Try again")
			r.WantText(again, "Hint")
			solved := solve(r, anne, again, ref)
			r.WantText(solved, "Solved!")
			if p.Claim.Proved() {
				r.WantText(solved, "all moves and all replies")
			} else {
				r.WantText(solved, fmt.Sprintf("%d%%", p.Claim.Best.Mean))
			}
			wantPictures(t, fmt.Sprintf("the solution of %v", ref), solved)
			r.WantText(r.Click(anne, solved, "Another puzzle"), "It's your move.")
		}
	}
	if is, err := r.Store.Puzzler(r.Ctx, anne); err != nil || is != (storage.Puzzler{}) {
		t.Errorf("puzzles of no day are counted: %+v, %v", is, err)
	}
}

// A user who solves the puzzle of the day on successive days has a streak, which ends if a day is missed. Each day
// counts once. The monthly table ranks users by solved puzzles and by solutions at the first try. These data are
// exported and deleted with the user's.
func TestStreaksAndTheMonthsTable(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	// The test begins on 30 October. In November the streak continues, and a new table begins.
	first := puzzles.DayOf(time.Date(2026, 10, 30, 0, 0, 0, 0, time.UTC))
	clock := bottest.MorningOf(first)
	r := bottest.New(t, func(o *localdiscord.Options) { o.Clock = clock })
	daily := func(who string, miss1st bool) *localdiscord.Message {
		t.Helper()
		day := puzzles.DayOf(clock.Now())
		ref := puzzle.Daily(day)
		board := r.Command(who, channel, "puzzle")
		r.WantText(board, "Puzzle of "+puzzles.DayStart(day).Format("2 January 2006"))
		if miss1st {
			p, m := puzzleMatch(t, ref)
			missed, _ := practise(r, who, board, miss(t, p, m))
			r.WantText(missed, "Not quite.")
			if strings.Contains(missed.Text(), p.Solution[0]) && len(p.Solution) > 1 {
				t.Errorf("a miss at the day's puzzle tells its solution %v: %s", p.Solution, missed.Text())
			}
			board = r.Command(who, channel, "puzzle") // the miss still counts after the board is opened again
		}
		return solve(r, who, board, ref)
	}
	const anne, jack = localdiscord.Anne, localdiscord.Jack
	r.WantText(daily(anne, false), "1 day in a row; your best streak is 1")
	if again := daily(anne, false); strings.Contains(again.Text(), "in a row") {
		t.Errorf("a day counts twice: %s", again.Text())
	}
	clock.Advance(24 * time.Hour)
	r.WantText(daily(anne, true), "2 days in a row; your best streak is 2")
	clock.Advance(24 * time.Hour) // November begins
	r.WantText(daily(anne, true), "3 days in a row; your best streak is 3")
	r.WantText(daily(jack, false), "1 day in a row; your best streak is 1")
	clock.Advance(24 * time.Hour)
	r.WantText(daily(jack, false), "2 days in a row")
	clock.Advance(24 * time.Hour)
	r.WantText(daily(anne, false), "1 day in a row; your best streak is 3") // a day was missed
	month := func(who string) string {
		return r.Click(who, r.Command(who, channel, "puzzle"), "Solved this month").Text()
	}
	got := month(anne)
	for _, want := range []string{
		"November 2026", "1. <@" + jack + ">: 2 solved, 2 on the first try",
		"2. <@" + anne + ">: 2 solved, 1 on the first try",
		"October 2026", "1. <@" + anne + ">: 2 solved, 1 on the first try", "1 day in a row; your best streak is 3",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the table of the month has no %q:\n%s", want, got)
		}
	}
	other := r.Click(jack, r.Command(jack, localdiscord.NassauTables, "puzzle"), "Solved this month")
	if !strings.Contains(other.Text(), "Nobody yet") {
		t.Errorf("what was solved on one server is in the table of another: %s", other.Text())
	}

	r.Stop()
	r.Start()
	if after := month(anne); after != got {
		t.Errorf("after a restart the table is\n%s\nbefore\n%s", after, got)
	}
	dossier, err := r.Privacy.Export(r.Ctx, anne)
	exported, _ := json.Marshal(dossier.Owned)
	if err != nil || len(dossier.Owned) != 3 || !bytes.Contains(exported, []byte(`"best":3,"solved":4`)) {
		t.Errorf("exported are the puzzles %s, %v", exported, err)
	}
	if err := r.Privacy.Forget(r.Ctx, anne); err != nil {
		t.Fatal(err)
	}
	if after := month(jack); strings.Contains(after, anne) || !strings.Contains(after, jack) {
		t.Errorf("somebody forgotten is in the table: %s", after)
	}
	if stored := r.Stored(`"streak":3`); stored != nil {
		t.Errorf("of somebody forgotten there is still %q", stored)
	}
}

// The solution of a puzzle of the day is shown on request on the next day, and not before. The puzzle of a past day no
// longer counts.
func TestTheSolutionIsGivenTheDayAfter(t *testing.T) {
	t.Parallel()
	const anne, channel, day = localdiscord.Anne, localdiscord.TortugaTables, 20_600
	clock := bottest.MorningOf(day)
	r := bottest.New(t, func(o *localdiscord.Options) { o.Clock = clock })
	ref := puzzle.Daily(day)
	p, _ := puzzleMatch(t, ref)
	whole := strings.Join(p.Solution, ", ")
	today := r.Command(anne, channel, "puzzle")
	for range 3 { // wrong answers do not reveal the solution
		_, m := puzzleMatch(t, ref)
		missed, _ := practise(r, anne, today, miss(t, p, m))
		today = r.Click(anne, missed, "Try again")
		for _, shown := range []*localdiscord.Message{missed, today} {
			if strings.Contains(shown.Text(), "`"+whole+"`") {
				t.Errorf("the solution %q is told on its day: %s", whole, shown.Text())
			}
		}
	}
	text, _ := today.Button("As text")
	tomorrow := strings.Replace(text.CustomID, fmt.Sprintf("day.%d", day), fmt.Sprintf("day.%d", day+1), 1)
	r.WantText(r.Forge(anne, today, tomorrow), "his is out of date")
	// A button with the puzzle's number does not reveal the solution of today's puzzle either.
	byNumber := strings.Replace(text.CustomID, fmt.Sprintf("day.%d", day), fmt.Sprintf("%s.%d", ref.Game, ref.Number),
		1)
	byNumber = byNumber[:strings.LastIndex(byNumber, "/")] + "/o"
	if shown := r.Forge(anne, today, byNumber); strings.Contains(shown.Text(), "`"+whole+"`") {
		t.Errorf("the solution %q is told on its day, by the puzzle's number: %s", whole, shown.Text())
	}

	clock.Advance(24 * time.Hour)
	next := r.Command(anne, channel, "puzzle")
	past := r.Click(anne, next, "Yesterday's solution")
	r.WantText(past, "Solution: ||`"+whole+"`||")
	solved := solve(r, anne, past, ref)
	r.WantText(solved, "Solved!")
	if strings.Contains(solved.Text(), "in a row") {
		t.Errorf("the puzzle of yesterday counts: %s", solved.Text())
	}
	if is, err := r.Store.Puzzler(r.Ctx, anne); err != nil || is.Solved != 0 {
		t.Errorf("counted are %+v, %v", is, err)
	}
}

// keptDays is how many days in advance a puzzle of the day is kept back.
const keptDays = 30

// The puzzles of the coming days are not shown early: not by game and level, even if no other puzzle is left, and not
// with a forged control or one of another day. Today's puzzle counts as such even if it is opened by its number.
func TestThePuzzlesOfTheComingDaysAreKept(t *testing.T) {
	t.Parallel()
	const anne, channel = localdiscord.Anne, localdiscord.TortugaTables
	// alone returns a puzzle of the days after day that is the only one of its game and level. The bool is false if
	// there is none.
	alone := func(day int) (puzzle.Ref, bool) {
		for _, ref := range puzzle.Coming(day, keptDays) {
			p, f, _ := ref.Find()
			if !slices.ContainsFunc(f.Puzzles, func(o puzzle.Puzzle) bool {
				return o.Grade == p.Grade && o.String() != p.String()
			}) {
				return ref, true
			}
		}
		return puzzle.Ref{}, false
	}
	day := 20_900
	for _, ok := alone(day); !ok; _, ok = alone(day) {
		day++
	}
	only, _ := alone(day)
	p, f, _ := only.Find()
	t.Logf("%v is the only puzzle of grade %d of its game, and kept on day %d", only, p.Grade, day)
	r := bottest.New(t, func(o *localdiscord.Options) { o.Clock = bottest.MorningOf(day) })
	r.WantText(r.Command(anne, channel, "puzzle", localdiscord.Opt("game", only.Game),
		localdiscord.Opt("grade", p.Grade)), "no puzzle like that right now")
	today := r.Command(anne, channel, "puzzle")
	open := func(key string) *localdiscord.Message {
		return r.Forge(anne, today, show.CustomID{Action: "puzzle", Arg: key}.String())
	}
	for i, ref := range puzzle.Coming(day, keptDays) {
		r.WantText(open(fmt.Sprintf("%s.%d", ref.Game, ref.Number)), "saved for one of the coming days")
		// This control is from the last day on which the puzzle was the puzzle of the day.
		_, f, _ := ref.Find()
		before := day + 1 + i - len(f.Puzzles)*len(puzzle.Library())
		if puzzle.Daily(before) != ref {
			t.Fatalf("on day %d it is %v, want %v", before, puzzle.Daily(before), ref)
		}
		r.WantText(open(fmt.Sprintf("day.%d", before)), "saved for one of the coming days")
		if before > day-keptDays {
			t.Errorf("%v comes again while its solution is asked for", ref)
		}
	}
	for range f.Puzzles { // the button for another puzzle shows none of today or of a coming day
		today = r.Click(anne, today, "Another puzzle")
		if ref := puzzleOf(t, today); slices.Contains(puzzle.Coming(day-1, 1+keptDays), ref) {
			t.Fatalf("another puzzle is %v, of today or of a coming day", ref)
		}
	}

	ref := puzzle.Daily(day)
	byNumber := open(fmt.Sprintf("%s.%d", ref.Game, ref.Number))
	r.WantText(byNumber, "Puzzle of "+puzzles.DayStart(day).Format("2 January 2006"))
	mine, m := puzzleMatch(t, ref)
	missed, _ := practise(r, anne, byNumber, miss(t, mine, m))
	r.WantText(missed, "Not quite.")
	if is, err := r.Store.Puzzler(r.Ctx, anne); err != nil || is.Missed != day {
		t.Errorf("a miss at today's puzzle by its number is not noted: %+v, %v", is, err)
	}
}

// A server can get the puzzle of each day once in a channel, with the solution of the previous day. A user who presses
// the button solves the puzzle privately. After downtime the bot posts only today's puzzle.
func TestThePuzzleOfTheDayIsPosted(t *testing.T) {
	t.Parallel()
	const mary, jack, channel, day = localdiscord.Mary, localdiscord.Jack, localdiscord.TortugaTavern, 20_700
	clock := bottest.MorningOf(day)
	r := bottest.New(t, func(o *localdiscord.Options) { o.Clock = clock })
	r.ManagersAlone(jack, channel, "server puzzle")
	r.WantText(r.Command(mary, channel, "server puzzle", localdiscord.Opt("daily", true)), "every day after midnight")
	isPuzzle := func(day int) func(*localdiscord.Message) bool {
		return func(m *localdiscord.Message) bool {
			return strings.Contains(m.Text(), "Puzzle of "+puzzles.DayStart(day).Format("2 January 2006"))
		}
	}
	settled := func(day int) {
		t.Helper()
		r.Eventually("the post is noted", func() bool {
			s, err := r.Tables.Choices.Settings(r.Ctx, localdiscord.Tortuga)
			return err == nil && s.PuzzleDay == day
		})
	}
	first := r.Next(channel, "", isPuzzle(day))
	settled(day)
	before, _ := puzzleMatch(t, puzzle.Daily(day-1))
	r.WantText(first, "||`"+strings.Join(before.Solution, ", ")+"`||")
	p, _ := puzzleMatch(t, puzzle.Daily(day))
	if strings.Contains(first.Text(), "`"+strings.Join(p.Solution, ", ")+"`") {
		t.Errorf("the post tells its solution: %s", first.Text())
	}
	wantPictures(t, "the post", first)
	board := r.Click(jack, first, "Solve it")
	r.WantText(solve(r, jack, board, puzzle.Daily(day)), "1 day in a row")
	r.WantText(r.Click(jack, first, "Solved this month"), "1. <@"+jack+">: 1")

	clock.Advance(24 * time.Hour)
	second := r.Next(channel, first.ID, isPuzzle(day+1))
	r.WantText(second, "||`"+strings.Join(p.Solution, ", ")+"`||")
	settled(day + 1)
	r.Stop()
	clock.Advance(3 * 24 * time.Hour)
	r.Start()
	r.Next(channel, second.ID, isPuzzle(day+4))
	settled(day + 4)
	if n := len(r.DailyPosts(channel, localdiscord.Anne)); n != 3 {
		t.Errorf("three days were posted in %d messages", n)
	}
	r.WantText(r.Click(jack, first, "Solve it"), "Solution: ") // the message is of a past day

	r.WantText(r.Command(mary, channel, "server puzzle", localdiscord.Opt("daily", false)), "won't post")
	s, err := r.Tables.Choices.Settings(r.Ctx, localdiscord.Tortuga)
	if err != nil || s.PuzzleChannel != "" {
		t.Errorf("the channel is %q, %v", s.PuzzleChannel, err)
	}
}

// The puzzle of the day is posted on each of two servers. Discord does not take the equal messages for duplicates.
func TestThePuzzleOfTheDayIsPostedInEveryServer(t *testing.T) {
	t.Parallel()
	const day = 20_700
	r := bottest.New(t, func(o *localdiscord.Options) { o.Clock = bottest.MorningOf(day) })
	for user, channel := range map[string]string{localdiscord.Mary: localdiscord.TortugaTavern,
		localdiscord.Jack: localdiscord.NassauTables} {
		r.Command(user, channel, "server puzzle", localdiscord.Opt("daily", true))
		r.Eventually("posted", func() bool { return len(r.DailyPosts(channel, user)) == 1 })
	}
}

// slowReader is a store that calls a function after each read of servers' settings.
type slowReader struct {
	bottest.Store
	then atomic.Pointer[func()]
}

func (s *slowReader) GuildSettings(ctx context.Context, guild string, into any) error {
	err := s.Store.GuildSettings(ctx, guild, into)
	if f := s.then.Load(); f != nil {
		(*f)()
	}
	return err
}

// If another process records the day's puzzle as posted after this process has read the server's settings, this process
// does not post it.
func TestThePuzzleOfTheDayIsPostedByOneProcess(t *testing.T) {
	t.Parallel()
	const channel, day = localdiscord.TortugaTavern, 20_700
	clock := bottest.MorningOf(day)
	var store *slowReader
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Wrap = func(s *storage.Store) bottest.Store { store = &slowReader{Store: s}; return store }
	}, func(o *localdiscord.Options) { o.Clock = clock })
	r.ManagersAlone(localdiscord.Jack, channel, "server puzzle")
	r.WantText(r.Command(localdiscord.Mary, channel, "server puzzle", localdiscord.Opt("daily", true)),
		"every day after midnight")
	posts := func() []*localdiscord.Message { return r.DailyPosts(channel, localdiscord.Anne) }
	r.Eventually("the puzzle is posted", func() bool {
		var s choices.Settings
		return r.Store.GuildSettings(r.Ctx, localdiscord.Tortuga, &s) == nil && s.PuzzleDay == day
	})
	var other atomic.Int64 // the day whose puzzle the other process has posted and recorded, 0 before
	took := func() {
		today := puzzles.DayOf(clock.Now())
		if today == day || other.Load() != 0 {
			return
		}
		if _, err := r.Tables.Choices.ChangeSettings(r.Ctx, localdiscord.Tortuga,
			func(s *choices.Settings) { s.PuzzleDay = today }); err != nil {
			t.Error(err)
		}
		other.Store(int64(today))
	}
	store.then.Store(&took)
	clock.Advance(24 * time.Hour)
	// The bot checks on the next day, and again after some minutes.
	r.Eventually("another process has posted",
		func() bool { clock.Advance(10 * time.Minute); return other.Load() != 0 })
	r.Eventually("the day after is posted", func() bool { clock.Advance(10 * time.Minute); return len(posts()) > 1 })
	for _, m := range posts() {
		said := m.Text()
		if strings.Contains(said, "Puzzle of "+puzzles.DayStart(int(other.Load())).Format("2 January 2006")) {
			t.Errorf("what another process has posted is posted again: %s", said)
		}
	}
}

// A control of a puzzle is refused if its plays contain a reply that the bot would not give.
func TestPuzzlesAreNotSolvedByForgery(t *testing.T) {
	t.Parallel()
	const anne, channel = localdiscord.Anne, localdiscord.TortugaTables
	r := bottest.New(t, func(o *localdiscord.Options) { o.Clock = bottest.MorningOf(20_800) })
	f, _ := puzzle.Of("loyal-captain")
	n := slices.IndexFunc(f.Puzzles, func(p puzzle.Puzzle) bool {
		return p.Claim.Goal.Moves == 2 && len(p.Solution) == 3
	})
	ref := puzzle.Ref{Game: f.Game, Number: n + 1}
	p, m := puzzleMatch(t, ref)
	board := r.Command(anne, channel, "puzzle", localdiscord.Opt("game", f.Game), localdiscord.Opt("grade", p.Grade))
	text, _ := board.Button("As text")
	shown := puzzleOf(t, board)
	id := strings.Replace(text.CustomID, fmt.Sprintf("%s.%d", shown.Game, shown.Number),
		fmt.Sprintf("%s.%d", ref.Game, ref.Number), 1)
	// The first move is right, but the reply differs from the solver's.
	number := func(notation string) int {
		return slices.IndexFunc(m.State().Moves(), func(x games.Move) bool {
			return games.Spell(m.State(), x) == notation
		})
	}
	line := fmt.Sprint(number(p.Solution[0]))
	if err := m.PlayExact(p.Solution[0]); err != nil {
		t.Fatal(err)
	}
	other := (number(p.Solution[1]) + 1) % len(m.State().Moves())
	if err := m.Play(m.State().Moves()[other]); err != nil {
		t.Fatal(err)
	}
	line = fmt.Sprintf("%s.%s", base36(line), base36(fmt.Sprint(other)))
	last := games.Spell(m.State(), m.State().Moves()[0])
	parts := strings.Split(id, "/")
	parts[len(parts)-2], parts[len(parts)-1] = line, "p"+last
	r.WantText(r.Forge(anne, board, strings.Join(parts, "/")), "his is out of date")
}

func base36(n string) string {
	var i int64
	fmt.Sscan(n, &i)
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	if i < 36 {
		return digits[i : i+1]
	}
	return digits[i/36:i/36+1] + digits[i%36:i%36+1]
}
