package verify

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"marque/games"
	"marque/games/competition"
	"marque/games/fair"
)

// Competition holds the public data of a competition, which everybody can check: its entrants, pairings and results,
// and the records of its games.
type Competition struct {
	Format   string   `json:"format"`
	Number   uint64   `json:"number"` // the competition's number on its server
	Name     string   `json:"name"`
	Entrants []string `json:"entrants"` // names, by number; "" where the data were deleted
	// Commitment is the commitment to the lot. Rules.Setup.Lot is 0 while the lot is secret (Rules.Sealed).
	Commitment string                  `json:"commitment"`
	Rules      competition.Competition `json:"rules"`             // without users' ids
	Options    []games.Setting         `json:"options,omitempty"` // options of its games; others have defaults
	// the standings of each division, from the first; only a league has more than one
	Standings [][]competition.Standing `json:"standings"`
	// records of finished games, by pairing number
	Records map[int]games.Record `json:"-"`
	// table is the contents of the file with the crosstables; nil if the competition was not read from an export.
	table []byte
}

const (
	competitionFormat = "marque competition 1"
	competitionFile   = "competition.json"
	crosstableFile    = "crosstable.txt"
	// mostUnpacked is the maximum number of unpacked bytes that are read from an export.
	mostUnpacked = 256 << 20
)

// MakeCompetition returns the public data of a competition, without its number, options and records.
func MakeCompetition(name string, entrants []string, rules competition.Competition) Competition {
	rules.Entrants = slices.Clone(rules.Entrants)
	for i := range rules.Entrants {
		rules.Entrants[i].User = ""
	}
	rules.Offers = nil
	commitment := rules.Setup.Commitment()
	if rules.Sealed() {
		rules.Setup.Lot = 0
	}
	c := Competition{Format: competitionFormat, Name: name, Entrants: entrants, Commitment: commitment, Rules: rules,
		Records: map[int]games.Record{}}
	c.Standings = c.standings()
	return c
}

func (c Competition) standings() (list [][]competition.Standing) {
	list = append(list, c.Rules.Standings(min(1, c.Rules.Divisions())))
	for d := 2; d <= c.Rules.Divisions(); d++ {
		list = append(list, c.Rules.Standings(d))
	}
	return list
}

// GameError reports a fault in the record of a competition's game. Its Err is a *games.RecordError, an error of reading
// the file, or an error that the record does not belong to its pairing.
type GameError struct {
	File string // name in the export
	Err  error
}

func (e *GameError) Error() string { return e.File + ": " + e.Err.Error() }

func (e *GameError) Unwrap() error { return e.Err }

func recordFile(pairing int) string { return fmt.Sprintf("games/%04d.txt", pairing) }

// Write writes the competition as a ZIP file that contains competition.json, the crosstables as text, and each record.
func (c Competition) Write(to io.Writer) error {
	z := zip.NewWriter(to)
	put := func(name string, data []byte) error {
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	}
	data, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return err
	}
	if err := errors.Join(put(competitionFile, data), put(crosstableFile, []byte(c.crosstables()))); err != nil {
		return err
	}
	for _, p := range c.Rules.Pairings {
		if r, ok := c.Records[p.No]; ok {
			if err := put(recordFile(p.No), []byte(r.Encode())); err != nil {
				return err
			}
		}
	}
	return z.Close()
}

// crosstables returns the standings in columns separated by tabs, with each entrant's points against each opponent, or
// in each round.
func (c Competition) crosstables() string {
	var b strings.Builder
	fmt.Fprintln(&b, strings.Join(strings.Fields(c.Name), " "))
	for d, lines := range c.Standings {
		division := min(1, c.Rules.Divisions()) + d
		if c.Rules.Divisions() > 0 {
			fmt.Fprintf(&b, "\ndivision %d\n", division)
		}
		cells := c.Rules.Crosstable(division)
		for i, l := range lines {
			fmt.Fprintf(&b, "%d\t%s\t%s", l.Place, c.name(l.Entrant), parts(l.Points))
			if i < len(cells) {
				for _, cell := range cells[i] {
					got := "."
					if cell.End != "" {
						got = parts(cell.Points)
					}
					fmt.Fprintf(&b, "\t%s", got)
				}
			}
			fmt.Fprintln(&b)
		}
	}
	return b.String()
}

// parts returns points as a fraction of a win.
func parts(points int) string {
	if points%competition.Win == 0 {
		return fmt.Sprint(points / competition.Win)
	}
	return fmt.Sprintf("%d/%d", points, competition.Win)
}

func (c Competition) name(entrant int) string {
	if entrant >= 0 && entrant < len(c.Entrants) && c.Entrants[entrant] != "" {
		return strings.Join(strings.Fields(c.Entrants[entrant]), " ")
	}
	return fmt.Sprintf("#%d", entrant)
}

// ReadCompetition reads the output of Write.
func ReadCompetition(data []byte) (c Competition, err error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return c, err
	}
	left := int64(mostUnpacked)
	read := func(name string) ([]byte, error) {
		f, err := z.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		b, err := io.ReadAll(io.LimitReader(f, left+1))
		if left -= int64(len(b)); err == nil && left < 0 {
			err = errors.New("too large for a competition")
		}
		return b, err
	}
	b, err := read(competitionFile)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", competitionFile, err)
	}
	if c.Format != competitionFormat {
		return c, fmt.Errorf("%s: its format is %q, should be %q", competitionFile, c.Format, competitionFormat)
	}
	if again, err := json.MarshalIndent(c, "", " "); err != nil || !bytes.Equal(again, b) {
		return c, fmt.Errorf("%s: it is not written as an export is", competitionFile)
	}
	c.Records = map[int]games.Record{}
	files := map[string]bool{competitionFile: true, crosstableFile: true} // allowed files
	for _, p := range c.Rules.Pairings {
		name := recordFile(p.No)
		if files[name] || !slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == name }) {
			continue
		}
		files[name] = true
		b, err := read(name)
		if err == nil {
			c.Records[p.No], err = games.DecodeRecord(bytes.NewReader(b))
		}
		if err != nil {
			return c, &GameError{name, err}
		}
	}
	for _, f := range z.File {
		if !files[f.Name] {
			return c, fmt.Errorf("%s is of no pairing, or there twice", f.Name)
		}
		files[f.Name] = false
	}
	if c.table, err = read(crosstableFile); err != nil {
		return c, fmt.Errorf("%s: %w", crosstableFile, err)
	}
	return c, nil
}

// CompetitionReport holds the results of a check of a competition.
type CompetitionReport struct {
	// Sealed is set if the lot is still secret because the competition is not over. Then the rounds could not be paired
	// again.
	Sealed           bool
	Pairings, Rounds int
	Games, Draws     int // numbers of correct records and of the draws of dice and cards in them
	// Unrecorded holds the pairings that ended without a record of their result, for example at the deadline, by a
	// walkover or a void result, or at a deleted table.
	Unrecorded []competition.Pairing
	// Fingerprints must equal those that were announced at the start of each round and at the end (CO-19).
	Fingerprints []string
}

// Check recomputes points and tie-breaks, and checks every record and its points. Unless the lot is secret, it also
// pairs all rounds again. It returns a report, or an error for the first fault.
func (c Competition) Check(find func(key string) (games.Game, bool)) (CompetitionReport, error) {
	report := CompetitionReport{Pairings: len(c.Rules.Pairings), Rounds: c.Rules.Round}
	if len(c.Entrants) != len(c.Rules.Entrants) {
		return report, fmt.Errorf("%d are named, but %d entered", len(c.Entrants), len(c.Rules.Entrants))
	}
	report.Sealed = c.Rules.Sealed()
	check := c.Rules.Check
	switch {
	case report.Sealed && c.Rules.Setup.Lot != 0:
		return report, errors.New("the lot is shown before the end")
	case report.Sealed:
		check = c.Rules.CheckSealed
	case c.Commitment != c.Rules.Setup.Commitment():
		return report, errors.New("the lot is not the one that was committed to")
	}
	if err := check(); err != nil { // the rules must be valid before anything is computed from them
		return report, err
	}
	if want := c.standings(); !reflect.DeepEqual(plain(want), plain(c.Standings)) {
		return report, errors.New("the standings do not follow from the results")
	}
	if c.table != nil && string(c.table) != c.crosstables() {
		return report, fmt.Errorf("%s: it is not the crosstable of this competition", crosstableFile)
	}
	report.Fingerprints = c.Rules.Fingerprints(c.Commitment)
	whose := map[string]int{} // pairing by table, by commitment and by start
	for _, p := range c.Rules.Pairings {
		if other, twice := whose[p.Table]; twice && p.Table != "" {
			return report, fmt.Errorf("pairing %d has the table of pairing %d", p.No, other)
		}
		whose[p.Table] = p.No
		record, there := c.Records[p.No]
		shown := len(p.Seats) == 1 || p.End == "" || p.End == competition.Declined || p.End == competition.Unanswered
		if !there {
			if !shown {
				report.Unrecorded = append(report.Unrecorded, p)
			}
			continue
		}
		found, err := Record(record, find)
		if err == nil {
			err = c.belongs(p, record, found)
		}
		for _, own := range []string{record.Header.Commitment, found.Start} {
			if other, twice := whose[own]; twice && err == nil {
				err = fmt.Errorf("it is the game of pairing %d, too: %s is in both", other, own)
			}
			whose[own] = p.No
		}
		if err != nil {
			return report, &GameError{recordFile(p.No), err}
		}
		if !shown && !c.shows(p, found) {
			report.Unrecorded = append(report.Unrecorded, p)
		}
		report.Games, report.Draws = report.Games+1, report.Draws+found.Draws
	}
	return report, nil
}

// belongs checks that a record belongs to a pairing: the pairing's number in the record, and the game, options, seats,
// times and end must match.
func (c Competition) belongs(p competition.Pairing, r games.Record, found Report) error {
	if found.Competition != c.Number || found.Pairing != p.No {
		return fmt.Errorf("it is of pairing %d of competition %d, not of %d of %d", found.Pairing, found.Competition, p.No,
			c.Number)
	}
	switch {
	case r.Header.Game != c.Rules.Setup.Game:
		return fmt.Errorf("it is a game of %s", r.Header.Game)
	case !found.Complete:
		return errors.New("it is not over")
	}
	want, err := games.NewSetup(found.Match.Game(), r.Header.Setup.Seats, c.Options...)
	if err != nil || !slices.Equal(want.Options, found.Match.Header().Setup.Options) {
		return fmt.Errorf("its options are %v, should be %v", r.Header.Setup.Options, c.Options)
	}
	switch {
	case found.ByLot:
		return errors.New("its seats were drawn by lot, where the pairing gives them")
	case !slices.IsSorted(r.Header.Seating):
		return errors.New("its seats are not in the order of the pairing")
	case r.Header.Setup.Seats != len(p.Seats) && r.Header.Setup.Seats != len(p.Drawn):
		return fmt.Errorf("it is a game of %d", r.Header.Setup.Seats)
	case p.Table == "" || p.Ready == 0:
		return errors.New("its pairing has had no table")
	}
	at := func(id string) competition.Stamp {
		ms, _ := fair.Moment(id)
		return competition.Stamp(ms)
	}
	// The ids contain times: the players take their seats and start the game before the first play, and the last play
	// is before the end.
	start := at(found.Start)
	if start+competition.Slack < p.Ready || p.Ended != 0 && start > p.Ended+competition.Slack {
		return errors.New("it did not begin in the time of its pairing")
	}
	first, last := start, start
	// A pairing with one of these ends has ended together with its game.
	late := p.End == competition.Played || p.End == competition.TimeUp || p.End == competition.Void
	for _, text := range r.Header.Inputs {
		if in, _ := fair.ParseInput(text); in.Kind.Seats() {
			first = max(first, at(in.ID))
		}
	}
	for i, e := range r.Log {
		if e.Interaction == "" {
			if e.Text == games.Resigns { // the bot resigned for the player, at a time that is not recorded
				last = max(last, p.Ended)
			}
			continue
		}
		if fair.IsBytes(e.Interaction) { // a play on the web page, at a time that is not recorded
			last = max(last, p.Ended)
			continue
		}
		last = at(e.Interaction)
		if last < first || late && last > p.Ended+competition.Slack {
			return fmt.Errorf("play %d was not made in the time of its pairing", i+1)
		}
	}
	result := r.Ending != games.Abandoned
	switch p.End {
	case competition.Bye, competition.Declined, competition.Unanswered:
		return fmt.Errorf("it is a game, but the pairing ended with %q", p.End)
	case competition.Played, competition.TimeUp:
		if !result {
			return errors.New("it ended without a result, which counts")
		}
		return c.Rules.CheckResult(p.No, places(p, found))
	case competition.Walkover, competition.Abandoned, competition.Unfinished:
		// The pairing can have ended by another event at the same time as its game.
		if result && last+competition.Slack < p.Ended && !c.shows(p, found) {
			return fmt.Errorf("it ended with a result, but the pairing with %q", p.End)
		}
	}
	return nil
}

// shows reports whether a record shows how a pairing ended. An entrant who withdraws also resigns at the table.
func (c Competition) shows(p competition.Pairing, found Report) bool {
	switch p.End {
	case competition.Played, competition.TimeUp, competition.Walkover:
		return c.Rules.CheckResult(p.No, places(p, found)) == nil
	}
	return false
}

// places returns the places of a pairing's seats in its game. The game can also have a seat for an entrant who withdrew
// while the table was being opened.
func places(p competition.Pairing, found Report) []int {
	seated := p.Seats
	if len(p.Drawn) == found.Match.Header().Setup.Seats {
		seated = p.Drawn
	}
	all := found.Match.Result().Places(len(seated))
	list := make([]int, len(p.Seats))
	for i, e := range p.Seats {
		list[i] = 1
		for _, other := range p.Seats {
			if all[slices.Index(seated, other)] < all[slices.Index(seated, e)] {
				list[i]++
			}
		}
	}
	return list
}

// plain returns a value as decoded JSON, which makes nil and empty lists equal.
func plain(v any) any {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var back any
	if err := json.Unmarshal(b, &back); err != nil {
		return err
	}
	return back
}
