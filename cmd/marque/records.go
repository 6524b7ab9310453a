package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"marque/games"
	"marque/games/catalog"
	"marque/games/competition"
	"marque/games/computer"
	"marque/games/review"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/games/verify"
	"marque/render"
)

// verifyCommand checks the record of a game or a competition.
type verifyCommand struct {
	File string `arg:"" help:"A record, or a competition as a ZIP file, as /record export gives them; - reads the standard input."`
}

// Run prints what was checked and what could not be checked. If something is wrong with the record, it returns an
// error.
func (c verifyCommand) Run(std streams) error {
	data, err := readFile(c.File, std)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(data, []byte("PK")) {
		return c.competition(data, std)
	}
	record, err := decodeRecord(c.File, data)
	if err != nil {
		return err
	}
	report, err := verify.Record(record, catalog.Find)
	if err != nil {
		return explained(c.File, err)
	}
	fmt.Fprintf(std.out, "legal: %d plays by the rules of %s\n", report.Plays, record.Header.Game)
	seats := "the players sit as the start says"
	if report.ByLot {
		seats = "so does the lot of the seats"
	}
	switch {
	case report.Sealed:
		fmt.Fprintf(std.out,
			"not complete: the game goes on\nnot to be told yet whether fair: the seed is secret until the end\n")
	default:
		fmt.Fprintf(std.out,
			"complete: the game is over\nfair: the seed is the one committed to; %d dice, cards and counters follow from it, and %s\n", report.Draws, seats)
	}
	fmt.Fprintf(std.out, `not checked: the names of the players, and whether this is the game that was played. The message in the channel with which it
began must say the same start and fingerprint:
  start        %s
  fingerprint  %s
`, report.Start, report.Fingerprint)
	return nil
}

// competition checks the record of a competition.
func (c verifyCommand) competition(data []byte, std streams) error {
	held, err := verify.ReadCompetition(data)
	var report verify.CompetitionReport
	if err == nil {
		report, err = held.Check(catalog.Find)
	}
	if game := (*verify.GameError)(nil); errors.As(err, &game) {
		return explained(c.File+": "+game.File, game.Err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	paired := "paired as the lot and the results say"
	switch {
	case held.Rules.Setup.Kind == competition.Ladder:
		paired = "challenges, which people chose"
	case report.Sealed:
		paired = "which can be paired again at the end: the lot is secret until then"
	}
	fmt.Fprintf(std.out, `in order: %d pairings in %d rounds, %s
lot: committed to by %s
standings: points and tie-breaks follow from the results
games: %d records are legal and fair, and count what they should; %d dice, cards and counters follow from the seeds
`, report.Pairings, report.Rounds, paired, held.Commitment, report.Games, report.Draws)
	for i, f := range report.Fingerprints {
		round := fmt.Sprintf("as round %d began", i+1)
		if i == report.Rounds {
			round = "at the end"
		}
		fmt.Fprintf(std.out, "fingerprint %s: %s\n", round, f)
	}
	for _, p := range report.Unrecorded {
		fmt.Fprintf(std.out, "not shown by a record: pairing %d, which ended with %q\n", p.No, p.End)
	}
	fmt.Fprint(std.out, `not checked: the names, who entered and left when, and whether these are the games that were played. The message with
which each game began must have its fingerprint, and the message about each round that of the round.
`)
	return nil
}

// replayCommand shows the game of a record.
type replayCommand struct {
	File  string `arg:"" help:"A record, as /record export gives it; - reads the standard input."`
	At    int    `help:"Show the position after this many plays instead of the last one." default:"-1"`
	Gif   string `help:"Write the game as an animated picture to this file." type:"path" placeholder:"FILE"`
	Theme string `help:"Colours of the picture." enum:"dark,light,safe,contrast" default:"dark"`

	Review bool `help:"Mark the turning points: moves that a computer player finds costly, and what was better."`
}

// gifLimit is the maximum size of the animation in bytes.
const gifLimit = 8 << 20

// gifPictures is the maximum number of pictures in the animation.
const gifPictures = 400

// Run prints the plays up to --at as sentences, and the position after them as text. With --gif it also writes an
// animation.
func (c replayCommand) Run(ctx context.Context, std streams) error {
	record, err := readRecord(c.File, std)
	if err != nil {
		return err
	}
	g, ok := catalog.Find(record.Header.Game)
	if !ok {
		return fmt.Errorf("%s: there is no game %q here", c.File, record.Header.Game)
	}
	match, err := record.Replay(g)
	if err != nil {
		return explained(c.File, err)
	}
	at := c.At
	if at < 0 {
		at = match.Len()
	}
	if at > match.Len() {
		return fmt.Errorf("%s has %d plays: --at is 0 to %d", c.File, match.Len(), match.Len())
	}
	sentences, err := locale.Load()
	if err != nil {
		return err
	}
	players := record.Header.Players
	speaker := sentences.Speaker(func(seat int) text.Message {
		if seat >= 0 && seat < len(players) {
			return players[seat].Raw()
		}
		return text.Message{} // the number of the play is printed instead
	}, "en").Plain()
	var points []review.TurningPoint
	if c.Review {
		if points, err = review.Find(ctx, new(computer.Pool), match, at, 0); err != nil {
			return err
		}
	}
	tell(std.out, match, at, points, speaker)
	if c.Gif == "" {
		return nil
	}
	theme, _ := render.ParseTheme(c.Theme)
	n, err := writeGIF(ctx, c.Gif, match, at, points, render.Options{Title: speaker.Say(g.Info().Name), Names: players,
		Say: speaker.Say, Theme: theme})
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "\n%s: %d bytes\n", c.Gif, n)
	return nil
}

// tell prints the first plays of a match as sentences, marks the turning points among them, and prints the position
// after them, as a spectator sees it. at is the number of plays.
func tell(out io.Writer, m *games.Match, at int, points []review.TurningPoint, s *locale.Speaker) {
	fmt.Fprintln(out, s.Say(m.Game().Info().Name))
	for i, e := range m.Log()[:at] {
		said := sentenceOf(m, i, s)
		fmt.Fprintf(out, "%4d. %-14s %s\n", i+1, e.Text, said)
		for _, p := range points {
			if p.Play == i {
				fmt.Fprintf(out, "      %s\n", s.Say(p.Describe()))
			}
		}
	}
	sc := m.Scene(games.Spectator, at, at)
	fmt.Fprintf(out, "\n%s\n", strings.Join(sc.Text, "\n"))
	for _, l := range sc.Legend {
		fmt.Fprintln(out, s.Say(l))
	}
	if at == m.Len() && m.Over() {
		if why := s.Say(m.Result().Why); why != "" {
			fmt.Fprintln(out, why)
		}
	}
}

// sentenceOf returns the sentence about the i-th play, counted from 0.
func sentenceOf(m *games.Match, i int, s *locale.Speaker) string {
	e, before := m.Log()[i], m.At(i)
	if e.Text == games.Resigns {
		return s.Say(text.M("match.out", "Who", text.Player(int(e.Seat))))
	}
	find := games.FindMove
	if e.Seat == games.Chance {
		find = games.FindOutcome
	}
	move, err := find(before, e.Text)
	if err != nil {
		return "" // the match was replayed, so this play exists
	}
	return s.Say(before.Describe(move))
}

// writeGIF writes an animation of the first plays of a match to a file, and returns the size of the file.
func writeGIF(ctx context.Context, path string, m *games.Match, to int, points []review.TurningPoint,
	o render.Options) (int, error) {
	pictures, err := render.New(render.UsualWidth)
	if err != nil {
		return 0, err
	}
	scenes := m.Scenes(games.Spectator, 0, to, gifPictures)
	delay := min(max(75*time.Second/time.Duration(len(scenes)), 300*time.Millisecond), 1200*time.Millisecond)
	var delays []time.Duration
	delays, o.Captions = review.Captions(m.Frames(0, to, gifPictures), m.Len(), m.Turn, points, delay)
	var b bytes.Buffer
	if err := pictures.GIF(ctx, &b, scenes, delays, gifLimit, o); err != nil {
		return 0, err
	}
	return b.Len(), os.WriteFile(path, b.Bytes(), 0o644)
}

// maxRecord is the maximum size of a record's file in bytes; the longest games need a tenth of it. maxFile is the
// maximum size of a competition's file.
const (
	maxRecord = 4 << 20
	maxFile   = 16 << 20
)

// readFile reads a file or the standard input.
func readFile(name string, std streams) ([]byte, error) {
	in := std.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errors.New("too large for a record")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// readRecord reads a record from a file or from the standard input.
func readRecord(name string, std streams) (games.Record, error) {
	data, err := readFile(name, std)
	if err != nil {
		return games.Record{}, err
	}
	return decodeRecord(name, data)
}

func decodeRecord(name string, data []byte) (games.Record, error) {
	record, err := games.DecodeRecord(bytes.NewReader(data))
	if len(data) > maxRecord {
		err = errors.New("too large for a record")
	}
	if err != nil {
		return record, explained(name, err)
	}
	return record, nil
}

// explained returns an error in English that says what is wrong with a record.
func explained(file string, err error) error {
	var fault *games.RecordError
	if !errors.As(err, &fault) {
		return fmt.Errorf("%s: %w", file, err)
	}
	sentences, loading := locale.Load()
	if loading != nil {
		return errors.Join(err, loading)
	}
	english := sentences.Speaker(nil, "en").Plain()
	said := fmt.Sprintf("%s: line %d: %s", file, fault.Line, english.Say(fault.Reason))
	var objection games.PlayerError
	switch {
	case errors.As(fault.Err, &objection):
		said += " " + english.Say(objection.Text())
	case fault.Err != nil:
		said += " (" + fault.Err.Error() + ")"
	}
	return errors.New(said)
}

// ratingsCommand groups the commands for ratings.
type ratingsCommand struct {
	Rebuild ratingsRebuild `cmd:"" help:"Count all leaderboards from the results again, while the bot is stopped."`
}

type ratingsRebuild struct{}

// Run rebuilds the leaderboards from the results, and prints how many lines and ratings differed.
func (ratingsRebuild) Run(ctx context.Context, env environ, std streams) error {
	store, cfg, err := openDatabase(ctx, env)
	if err != nil {
		return err
	}
	defer store.Close()
	done, err := store.Rebuild(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", storeName(cfg), err)
	}
	fmt.Fprintf(std.out, "%d results of %d servers have been counted again; %d entries were not as they should be\n",
		done.Results, done.Guilds, done.Changed)
	return nil
}
