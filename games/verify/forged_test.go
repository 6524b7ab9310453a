package verify_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/competition"
	"marque/games/fair"
	"marque/games/text"
	"marque/games/verify"
)

// began is the start time of the competitions in these tests.
const began competition.Stamp = 1_790_000_000_000

// idAt returns a Discord id created at a time.
func idAt(at competition.Stamp, k int) string {
	return fmt.Sprint((int64(at)-1420070400000)<<22 + int64(k))
}

// atTable returns the record of a pairing's game and the time of its end. quits is the seat that resigns, or -1 if none
// does.
func atTable(t testing.TB, c verify.Competition, p competition.Pairing, quits int) (games.Record, competition.Stamp) {
	t.Helper()
	g, _ := catalog.Find(c.Rules.Setup.Game)
	setup, err := games.NewSetup(g, len(p.Seats), c.Options...)
	if err != nil {
		t.Fatal(err)
	}
	seed := fair.Seed{byte(p.No), byte(c.Number)}
	h := games.Header{Setup: setup, Commitment: seed.Commitment(), Fairness: fair.Version}
	for seat, e := range p.Seats {
		kind := fair.Joins
		if seat == 0 {
			kind = fair.Opens
		}
		h.Inputs = append(h.Inputs, fair.Input{Kind: kind, ID: idAt(began-competition.Hour, e)}.String())
		h.Players, h.Seating = append(h.Players, text.NewName(c.Entrants[e])), append(h.Seating, seat)
	}
	h.Inputs = append(h.Inputs, fair.Input{Kind: fair.Pairs, ID: fmt.Sprint(c.Number), Of: p.No}.String(),
		fair.Input{Kind: fair.Starts, ID: idAt(p.Ready+competition.Minute, p.No), Seating: h.Seating}.String())
	m, err := games.NewMatch(g, h)
	if err != nil {
		t.Fatal(err)
	}
	rng, at := rand.New(rand.NewPCG(uint64(p.No), 1)), p.Ready+competition.Minute
	for !m.Over() {
		if m.ToMove() == games.Chance {
			outcomes := m.State().Outcomes()
			weights := make([]int, len(outcomes))
			for i, o := range outcomes {
				weights[i] = o.Weight
			}
			err = m.Play(outcomes[fair.Pick(seed, m.Mixed(m.Len()), m.Len(), weights)].Move)
		} else if at += 1000; quits >= 0 && m.Len() > 6 {
			if err = m.Resign(games.Seat(quits)); err == nil {
				m.CameWith(idAt(at, p.No))
			}
		} else {
			moves := m.State().Moves()
			if err = m.Play(moves[rng.IntN(len(moves))]); err == nil {
				m.CameWith(idAt(at, p.No))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	r := m.Record()
	r.Seed = seed.Reveal()
	return r, at + 500
}

// lostOnTime returns a record with seat's resignation in place of the last entry, as the clock writes it when the
// seat's time is up.
func lostOnTime(t testing.TB, r games.Record, seat games.Seat) games.Record {
	t.Helper()
	g, _ := catalog.Find(r.Header.Game)
	log := slices.Clone(r.Log)
	log[len(log)-1] = games.Entry{Seat: seat, Text: games.Resigns}
	m, err := games.Replay(g, r.Header, log)
	if err != nil {
		t.Fatal(err)
	}
	lost := m.Record()
	lost.Seed = r.Seed
	return lost
}

// honest returns a finished competition with the records of some of its games. As far as its kind allows, one of its
// games was declared void, one ended at its deadline, and one entrant withdrew during play.
func honest(t testing.TB, kind competition.Kind, game string) verify.Competition {
	t.Helper()
	rules, err := competition.New(competition.Setup{Kind: kind, Game: game, Lot: 77, Start: began, Rounds: 3, Seats: 3,
		Division: 6, Time: 7 * competition.Day})
	must := func(c competition.Competition, err error) competition.Competition {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	rules = must(rules, err)
	c := verify.Competition{Number: 3}
	for i := range 7 {
		c.Entrants = append(c.Entrants, fmt.Sprint("Sailor ", i))
		rules = must(rules.Enter(fmt.Sprint("u", i), 1500+i, began-competition.Hour))
	}
	rules = must(rules.Begin(began))
	if kind == competition.Ladder {
		for i := range 3 {
			rules = must(rules.Challenge(fmt.Sprint("u", 2*i), fmt.Sprint("u", 2*i+1), idAt(began, i), began))
			rules = must(rules.Accept(i+1, began+competition.Hour))
		}
	}
	records := map[int]games.Record{}
	left, void, last := false, false, began
	for rules.Phase != competition.Ended {
		open := rules.ToOpen()
		if len(open) == 0 && kind == competition.Ladder {
			rules = rules.CallOff(last)
			break
		}
		if len(open) == 0 {
			d, _ := rules.Due()
			rules = rules.Advance(d.At)
			continue
		}
		p := open[0]
		rules = must(rules.Opened(p.No, fmt.Sprint("t", p.No)))
		c.Rules = rules
		quits := -1
		if (p.No > 1 || kind != competition.Swiss) && len(p.Seats) == 2 {
			quits = p.No % 2
		}
		r, at := atTable(t, c, p, quits)
		last = max(last, at)
		switch {
		case p.No == 3 && kind != competition.Ladder:
			continue // runs until the deadline
		case p.No == 4 && !left && len(p.Seats) == 2:
			// The clock has already resigned for the opponent. The record does not contain the time.
			left, records[p.No] = true, lostOnTime(t, r, 1)
			rules = must(rules.Withdraw(rules.Entrants[p.Seats[0]].User, competition.OutLeft, at+2*competition.Hour))
			continue
		}
		if p.No == 1 || p.No < 6 && kind != competition.Pods { // the other tables were deleted
			records[p.No] = r
		}
		g, _ := catalog.Find(game)
		m, err := r.Replay(g)
		if err != nil {
			t.Fatal(err)
		}
		rules = must(rules.Report(p.No, competition.Outcome{End: competition.Played,
			Places: m.Result().Places(len(p.Seats))}, at))
		if p.Round == 2 && !void {
			void = true
			rules = must(rules.Correct(2, competition.Outcome{End: competition.Void}))
		}
	}
	made := verify.MakeCompetition("Cup", c.Entrants, rules)
	made.Number, made.Records = c.Number, records
	return made
}

// file returns an export of the given texts, keyed by file name.
func file(t *testing.T, texts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		f, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(f, texts[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// texts returns the contents of the files in an export, by file name.
func texts(t *testing.T, c verify.Competition) map[string]string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		list[f.Name] = string(data)
	}
	return list
}

// judge returns the fault of an export, or nil if there is none.
func judge(data []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	c, err := verify.ReadCompetition(data)
	if err == nil {
		_, err = c.Check(catalog.Find)
	}
	return err
}

// mutations makes changes in a JSON value, one at a time: it changes leaves and lists, and drops keys. It calls try
// after each change, and then undoes it. It visits the first four elements of each list.
func mutations(at any, path string, set func(any), try func(what string)) {
	change := func(what string, to any) {
		set(to)
		try(path + " " + what)
		set(at)
	}
	switch v := at.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			mutations(v[key], path+"."+key, func(to any) { v[key] = to }, try)
			was := v[key]
			delete(v, key)
			try(path + "." + key + " dropped")
			v[key] = was
		}
	case []any:
		for i := range v[:min(len(v), 4)] {
			mutations(v[i], path+"[]", func(to any) { v[i] = to }, try)
		}
		if len(v) > 0 {
			change("shortened", v[:len(v)-1])
			change("doubled", append(slices.Clone(v), v[len(v)-1]))
			change("emptied", []any{})
		}
		if len(v) > 1 {
			swapped := slices.Clone(v)
			swapped[0], swapped[len(v)-1] = swapped[len(v)-1], swapped[0]
			change("swapped", swapped)
		}
	case json.Number:
		n, _ := v.Int64()
		for _, to := range []int64{n + 1, 0, -n, 1 << 40} {
			if to != n {
				change("to another number", json.Number(fmt.Sprint(to)))
			}
		}
	case string:
		change("to another text", v+"x")
		change("emptied", "")
	}
}

// uncontradicted matches the parts of an export that no other part contradicts: names and ratings of people, limits
// that were not reached, times that can be a few minutes off, tables without a record, and the order of a ladder.
var uncontradicted = regexp.MustCompile(`^\.(name |entrants\[\] |entrants swapped` +
	`|rules\.(over|begun|order swapped` +
	`|setup\.(start|min|max|time|season|reach|answer|division|seats|rounds)` +
	`|entrants\[\]\.(rating|outFor|rest)` +
	`|pairings\[\]\.(table|ready|deadline|ended))( |$))`)

// CO-18, CO-19: Check finds each change that mutations makes in an export, except changes that no other part of the
// files contradicts, and changes that the announced fingerprints reveal. No file causes a panic.
func TestEachFieldForged(t *testing.T) {
	tried, free := 0, map[string]int{}
	for _, kind := range []competition.Kind{competition.RoundRobin, competition.Swiss, competition.KnockOut,
		competition.Pods, competition.League, competition.Ladder} {
		if testing.Short() && kind != competition.Swiss && kind != competition.Ladder {
			continue
		}
		game := "quedah-merchant"
		if kind == competition.Pods {
			game = "pirate-versus-pirate"
		}
		whole := honest(t, kind, game)
		honestly, seen := texts(t, whole), whole.Rules.Fingerprints(whole.Commitment)
		if err := judge(file(t, honestly)); err != nil {
			t.Fatalf("%s, as it is: %v", kind, err)
		}
		data, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		var root any
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		if err := d.Decode(&root); err != nil {
			t.Fatal(err)
		}
		mutations(root, "", func(any) {}, func(what string) {
			data, err := json.Marshal(root)
			if err != nil {
				t.Fatal(err)
			}
			tried++
			var forged verify.Competition
			if json.Unmarshal(data, &forged) != nil {
				return
			}
			files := maps.Clone(honestly)
			files["competition.json"] = indented(t, forged)
			if files["competition.json"] == honestly["competition.json"] {
				return
			}
			err = judge(file(t, files))
			follows := forged.Rules.CheckSealed() == nil && len(forged.Entrants) == len(forged.Rules.Entrants)
			if err != nil && follows && !strings.HasPrefix(what, ".standings") { // try again with matching standings
				made := verify.MakeCompetition(forged.Name, forged.Entrants, forged.Rules)
				made.Format, made.Commitment, made.Number = forged.Format, forged.Commitment, forged.Number
				made.Options = forged.Options
				maps.Copy(files, texts(t, made))
				err = judge(file(t, files))
			}
			switch {
			case err != nil && strings.HasPrefix(err.Error(), "panic"):
				t.Errorf("%s: %s: %v", kind, what, err)
			case err != nil:
			case uncontradicted.MatchString(what):
				free[what]++
			case !slices.Equal(forged.Rules.Fingerprints(forged.Commitment), seen): // fingerprints reveal it
				free["(but the fingerprints) "+what]++
			default:
				t.Errorf("%s: %s is accepted", kind, what)
			}
		})
	}
	for _, what := range slices.Sorted(maps.Keys(free)) {
		t.Logf("nothing contradicts %s (%d times)", what, free[what])
	}
	t.Logf("%d forged exports", tried)
}

// indented returns a value in the format of exports.
func indented(t testing.TB, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// CO-18: Check finds a changed line of a record in an export, a valid record in the place of another, and a pairing
// whose end differs from its record. Names, dropped interactions and dropped options are exceptions.
func TestForgedRecords(t *testing.T) {
	whole := honest(t, competition.Swiss, "quedah-merchant")
	honestly := texts(t, whole)
	tried := 0
	refused := func(what string, files map[string]string) {
		t.Helper()
		tried++
		if err := judge(file(t, files)); err == nil || strings.HasPrefix(err.Error(), "panic") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, no := range slices.Sorted(maps.Keys(whole.Records)) {
		name := fmt.Sprintf("games/%04d.txt", no)
		lines := strings.SplitAfter(honestly[name], "\n")
		for i, line := range lines[:len(lines)-1] {
			if strings.HasPrefix(line, "player ") {
				continue
			}
			for what, to := range map[string]string{
				"dropped": "", "doubled": line + line, "longer": strings.TrimSuffix(line, "\n") + "1\n",
				"another": strings.Map(func(r rune) rune {
					if r >= '0' && r < '9' {
						return r + 1
					}
					return r
				}, line),
			} {
				if to == line || what == "dropped" && strings.HasPrefix(line, "played") {
					continue // the next die may show the same number
				}
				if what == "dropped" && strings.HasPrefix(line, "option: ") {
					continue // an option with its default value does not change the record
				}
				files := maps.Clone(honestly)
				files[name] = strings.Join(slices.Concat(lines[:i], []string{to}, lines[i+1:]), "")
				refused(fmt.Sprintf("record %d, line %q %s", no, line, what), files)
			}
		}
	}
	with := func(what string, forge func(c *verify.Competition)) {
		t.Helper()
		c := whole
		c.Records, c.Rules.Pairings = maps.Clone(whole.Records), slices.Clone(whole.Rules.Pairings)
		forge(&c)
		if c.Rules.CheckSealed() != nil {
			tried++
			return
		}
		made := verify.MakeCompetition(c.Name, c.Entrants, c.Rules)
		made.Number, made.Options, made.Records = c.Number, c.Options, c.Records
		refused(what, texts(t, made))
	}
	pairing := func(no int) competition.Pairing { return whole.Rules.Pairings[no-1] }
	record := func(of verify.Competition, p competition.Pairing) games.Record {
		r, _ := atTable(t, of, p, -1)
		return r
	}
	for no := range whole.Records {
		for other := range whole.Records {
			if no != other {
				with(fmt.Sprintf("the record of %d in the place of %d", other, no), func(c *verify.Competition) {
					c.Records[no] = whole.Records[other]
				})
			}
		}
		with("a record of another competition", func(c *verify.Competition) {
			of := whole
			of.Number = 4
			c.Records[no] = record(of, pairing(no))
		})
		with("other options", func(c *verify.Competition) {
			of := whole
			of.Options = []games.Setting{{Key: "quiet", Value: "60"}}
			c.Records[no] = record(of, pairing(no))
		})
		with("other options in the export", func(c *verify.Competition) {
			c.Options = []games.Setting{{Key: "quiet", Value: "60"}}
		})
		for what, by := range map[string]competition.Stamp{"before its pairing": -competition.Day,
			"after its end": 8 * competition.Day} {
			with("a game "+what, func(c *verify.Competition) {
				p := pairing(no)
				p.Ready += by
				c.Records[no] = record(whole, p)
			})
		}
		with("another game", func(c *verify.Competition) {
			of := whole
			of.Rules.Setup.Game = "loyal-captain"
			c.Records[no] = record(of, pairing(no))
		})
	}
	p1 := pairing(1) // played to its end
	for end, points := range map[competition.End][]int{
		competition.Abandoned: {12, 12}, competition.Unfinished: {12, 12}, competition.Declined: nil,
		competition.Walkover: {p1.Points[1], p1.Points[0]}, competition.Played: {p1.Points[1], p1.Points[0]},
		competition.Bye: p1.Points,
	} {
		with(fmt.Sprintf("a game that was won, given as %s", end), func(c *verify.Competition) {
			p := &c.Rules.Pairings[0]
			p.End, p.Points, p.Ended = end, points, p.Ended+2*competition.Hour
			if end == competition.Unfinished {
				p.Ended = p.Deadline
			}
		})
	}
	twice := append(file(t, honestly), file(t, map[string]string{})...)
	if err := judge(twice); err == nil {
		t.Error("two files in one are accepted")
	}
	t.Logf("%d forged records", tried)
}

// Check neither panics nor runs forever for exports with changed numbers, texts and lists.
func FuzzCompetition(f *testing.F) {
	kinds := []competition.Kind{competition.RoundRobin, competition.Swiss, competition.KnockOut, competition.Pods,
		competition.League, competition.Ladder}
	var exports []string
	for i, kind := range kinds {
		game := "loyal-captain"
		if kind == competition.Pods {
			game = "pirate-versus-pirate"
		}
		c := honest(f, kind, game)
		c.Records = map[int]games.Record{1: c.Records[1]}
		exports = append(exports, indented(f, c))
		f.Add(byte(i), []byte{1, 2, 3, 4, 5, 6, 7, 8})
	}
	f.Fuzz(func(t *testing.T, kind byte, changes []byte) {
		var root any
		d := json.NewDecoder(strings.NewReader(exports[int(kind)%len(exports)]))
		d.UseNumber()
		if err := d.Decode(&root); err != nil {
			t.Fatal(err)
		}
		for changes = changes[:min(len(changes), 64)]; len(changes) >= 4; changes = changes[4:] {
			all := change(root, 1<<30, 0)
			change(root, (int(changes[0])<<8|int(changes[1]))%all, int(changes[2])<<8|int(changes[3]))
		}
		var c verify.Competition
		if json.Unmarshal([]byte(indented(t, root)), &c) == nil {
			_, _ = c.Check(catalog.Find)
		}
	})
}

// change changes the value with number n, from 0, inside a JSON value, if it is a leaf or a list. It returns the number
// of visited values.
func change(at any, n, to int) (met int) {
	visit := func(v any, set func(any)) {
		if met++; met == n+1 {
			switch v := v.(type) {
			case json.Number:
				set(json.Number([]string{"0", "1", "-1", "2", "7", "24", "99", "1099511627776", "-9007199254740993",
					fmt.Sprint(to)}[to%10]))
			case string:
				set([]string{"", "played", "walkover", "bye", "void", "unfinished", "abandoned", "running", "ended",
					"played "}[to%10])
			case []any:
				set([]any{v[:to%(len(v)+1)], append(slices.Clone(v), v...), []any{}}[to%3])
			}
		}
		if met <= n {
			met += change(v, n-met, to)
		}
	}
	switch v := at.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			visit(v[key], func(to any) { v[key] = to })
		}
	case []any:
		for i := range v {
			visit(v[i], func(to any) { v[i] = to })
		}
	}
	return met
}
