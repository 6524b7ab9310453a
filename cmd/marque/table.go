package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"marque/bot/table"
	"marque/config"
	"marque/games"
	"marque/games/catalog"
	"marque/games/text"
	"marque/storage"
)

// tableCommand groups the commands about tables.
type tableCommand struct {
	Show tableShow `cmd:"" help:"Show what is stored of a table, and whether its game can be replayed. Changes nothing, and works beside a running bot."`
}

type tableShow struct {
	Number string `arg:"" help:"The table's number, as its messages and /games show it."`
	Events bool   `help:"List everything that happened at the table."`
	Names  bool   `help:"Show the names of players, too, not only their ids."`
	File   string `help:"Look into this copy of the database, such as a daily one, instead of the database itself." type:"path" placeholder:"FILE"`
}

// Run prints a stored table without its secrets: the seed, and the hidden cards of a game in play.
func (c tableShow) Run(ctx context.Context, env environ, std streams) error {
	id, err := storage.ParseID(c.Number)
	if err != nil {
		return err
	}
	var store keeper
	file := c.File
	switch {
	case file == "":
		cfg, err := config.Load(".env", env)
		if err != nil {
			return err
		}
		file = storeName(cfg)
		store, err = peekStore(ctx, cfg)
		if err != nil {
			return err
		}
	case missing(file):
		return fmt.Errorf("there is no file %s", file)
	default:
		if store, err = peekFile(ctx, file); err != nil {
			return err
		}
	}
	defer store.Close()
	t, err := store.Load(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNoTable):
		return fmt.Errorf("there is no table %s in %s", id, file)
	case err != nil:
		return fmt.Errorf("table %s: %w", id, err)
	}
	_, frozen := table.New(table.Config{Store: store, Games: catalog.Find,
		Log: slog.New(slog.DiscardHandler)}).Lookup.Snapshot(ctx, id)
	r := tableReport{Table: t, out: std.out, names: c.Names, now: time.Now(), shown: publicPlays(t)}
	r.head()
	r.seats()
	r.due()
	r.publishing()
	r.replay(frozen)
	if c.Events {
		r.events()
	}
	return nil
}

func missing(file string) bool {
	_, err := os.Stat(file)
	return errors.Is(err, os.ErrNotExist)
}

// publicPlays returns the public part of each play in a table's log, as far as the log can be replayed. If the game is
// over, it returns all plays unchanged. For a game in play whose rules this program does not have, it returns nil.
func publicPlays(t storage.Table) []string {
	log := storage.Log(t.Events)
	if t.Head.Status == storage.Over {
		out := make([]string, len(log))
		for i, e := range log {
			out[i] = e.Text
		}
		return out
	}
	g, ok := catalog.Find(t.Head.Game)
	if !ok || len(log) == 0 {
		return nil
	}
	if t.Detail.Rules != g.Version() {
		return nil
	}
	h := games.Header{Game: g.Key(), Version: t.Detail.Rules, Setup: t.Detail.Setup,
		Players: make([]text.Name, len(t.Head.Seats))}
	match, err := games.Replay(g, h, log)
	if wrong := (*games.ReplayError)(nil); errors.As(err, &wrong) {
		match, err = games.Replay(g, h, log[:wrong.Index])
	}
	if err != nil {
		return nil
	}
	var out []string
	for i, e := range match.Log() {
		text := e.Text
		for _, step := range match.Trail(games.Spectator, i, i+1) {
			text = games.Spell(step.Before, step.Move)
		}
		out = append(out, text)
	}
	return out
}

// tableReport prints a stored table for the operator.
type tableReport struct {
	storage.Table
	out   io.Writer
	names bool
	now   time.Time
	shown []string // public part of each play, by index in the log
}

func (r tableReport) printf(format string, args ...any) { fmt.Fprintf(r.out, format, args...) }

// moment formats a time, with its distance from the current time, or returns "never" for 0.
func (r tableReport) moment(at storage.Stamp) string {
	if at == 0 {
		return "never"
	}
	text, d := at.Time().UTC().Format(time.RFC3339), at.Time().Sub(r.now).Round(time.Second)
	if d < 0 {
		return fmt.Sprintf("%s (%s ago)", text, -d)
	}
	return fmt.Sprintf("%s (in %s)", text, d)
}

func millis(n int64) string { return (time.Duration(n) * time.Millisecond).String() }

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

func (r tableReport) head() {
	h, d := r.Head, r.Detail
	r.printf("table %s: %s, version %d (%s, %s)\n", h.ID, h.Game, h.Version, plural(h.Plays, "play"),
		plural(int(h.Events), "event"))
	switch h.Status {
	case storage.Lobby:
		r.printf("status     waiting for players, %d to %d\n", h.Least, h.Most)
	case storage.Playing:
		r.printf("status     playing since %s\n", r.moment(h.Started))
	case storage.Over:
		r.printf("status     over%s\n", map[bool]string{true: ": " + string(h.Ending)}[h.Ending != ""])
	}
	switch h.Paused {
	case "":
	case storage.PausedChannelGone:
		r.printf("paused     its channel or thread is gone, closed to the bot or refuses its messages; it goes on when that is mended, or when a moderator moves it\n")
	case storage.PausedRemoved:
		r.printf("paused     the bot was removed from the server\n")
	case storage.PausedByModerator:
		r.printf("paused     a moderator said so\n")
	default:
		r.printf("paused     %s\n", h.Paused)
	}
	r.printf("where      server %s, channel %s, opened by %s %s\n", or(h.Guild, "none"), h.Channel,
		or(h.Host, "nobody"), r.moment(h.Opened))
	r.printf("options    %s%s\n", options(d.Setup), map[bool]string{true: ", unrated"}[d.Unrated])
	r.printf("changed    %s; a person last acted %s\n", r.moment(h.Changed), r.moment(h.Touched))
	if p := h.Proposal; p.Kind != storage.NoProposal {
		r.printf("proposed   %s, by seat %d\n", p.Kind, p.By)
	}
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func options(s games.Setup) string {
	out := []string{fmt.Sprintf("%d seats", s.Seats)}
	for _, o := range s.Options {
		out = append(out, o.Key+" "+o.Value)
	}
	return strings.Join(out, ", ")
}

func (r tableReport) seats() {
	h := r.Head
	for i, o := range h.Seats {
		who := "user " + o.User
		if o.Computer != "" {
			who = "computer " + o.Computer
		}
		if o.User == "" && o.Computer == "" {
			who = "nobody"
		}
		if r.names && !o.Name.IsZero() {
			who += " " + strconv.Quote(o.Name.Plain())
		}
		if h.Open>>uint(i)&1 == 1 {
			who += ", offered to others"
		}
		if i < len(h.Timing.Banks) {
			who += ", " + millis(h.Timing.Banks[i]) + " in the bank when its turn began"
		}
		r.printf("seat %d     %s\n", i, who)
	}
	if h.Status != storage.Playing {
		return
	}
	turn := fmt.Sprintf("seat %d", h.ToMove)
	if h.ToMove == games.Chance {
		turn = "dice or cards"
	}
	r.printf("to move    %s, since %s\n", turn, r.moment(h.Timing.Turn))
	t, clock := h.Timing, "none"
	switch t.Rule.Mode {
	case storage.PerMove:
		clock = millis(t.Rule.Time) + " a move"
	case storage.Bank:
		clock = fmt.Sprintf("a bank of %s, %s added for each move", millis(t.Rule.Time), millis(t.Rule.Add))
	}
	if t.Rule.Mode != storage.NoClock {
		clock += ", who is late: " + or(string(t.Rule.Late), "the seat is offered")
		if t.Since != 0 {
			clock += fmt.Sprintf("; runs since %s, %s used before", t.Since.Time().UTC().Format(time.RFC3339),
				millis(t.Used))
		} else {
			clock += fmt.Sprintf("; stands, %s used", millis(t.Used))
		}
		if t.Out {
			clock += "; time has run out"
		}
	}
	r.printf("clock      %s\n", clock)
}

// dueNames describes what happens when each kind of storage.Due falls due.
var dueNames = map[string]string{
	"clock":  "the time of the seat to move runs out",
	"remind": "the seat to move is reminded",
	"idle":   "the table is closed, or that is announced, because nobody plays",
	"retry":  "what the channel did not take is told again",
	"think":  "a computer player tries again",
	"card":   "its card in the channel is brought up to date",
	"thread": "its thread is archived",
	"report": "its competition is told the result",
}

func (r tableReport) due() {
	for _, d := range r.Head.Due {
		r.printf("due        %s: %s\n", r.moment(d.At), or(dueNames[d.Kind], d.Kind))
	}
}

func (r tableReport) publishing() {
	if r.Published >= r.Head.Version {
		r.printf("published  all of it\n")
		return
	}
	unpublished := 0
	for _, e := range r.Events {
		if e.Version > r.Published {
			unpublished++
		}
	}
	line := fmt.Sprintf("up to version %d of %d: %s not told yet", r.Published, r.Head.Version, plural(unpublished, "event"))
	if n := r.Head.Retry.Tries; n > 0 {
		line += fmt.Sprintf("; the channel did not take them, tried %s", plural(n, "time"))
		if at := r.Head.Retry.At; at != 0 {
			line += ", next " + r.moment(at)
		}
	}
	r.printf("published  %s\n", line)
}

// replay prints whether replaying the log leads to the stored position, and otherwise why not. For a game in play it
// does not print the text of the play at which the replay fails, because that may be a hidden card.
func (r tableReport) replay(err error) {
	var frozen *table.FrozenError
	var at *games.ReplayError
	switch {
	case r.Head.Digest == "":
		r.printf("replay     the game has not started\n")
	case err == nil:
		r.printf("replay     the log leads to the stored position\n")
	case errors.As(err, &at):
		i := r.event(at.Index)
		r.printf("frozen     play %d of the log (event %d, %s, by seat %d) is not possible there; nothing can be done at the table until that is mended\n",
			at.Index+1, i, kindName(r.Events[i].Kind), at.Entry.Seat)
		if r.Head.Status == storage.Over {
			r.printf("           %v\n", at)
		}
	case errors.As(err, &frozen):
		r.printf("frozen     %v; nothing can be done at the table until that is mended\n", frozen.Err)
	default:
		r.printf("frozen     %v\n", err)
	}
}

// event returns the index in r.Events of entry n of the log, counted from 0. If there is no such entry, it returns the
// index of the last event.
func (r tableReport) event(n int) int {
	if log := r.logged(); n < len(log) {
		return log[n]
	}
	return len(r.Events) - 1
}

// logged returns the numbers of the events that are entries of the log, in order.
func (r tableReport) logged() []int {
	var log []int
	for i, e := range r.Events {
		switch {
		case e.Kind == storage.TookBack:
			log = log[:max(0, len(log)-e.Back())]
		case e.Kind.Play():
			log = append(log, i)
		}
	}
	return log
}

// kindNames are the names of the kinds of events, for the operator.
var kindNames = map[storage.Kind]string{
	storage.Opened: "opened", storage.Joined: "joined", storage.Left: "left",
	storage.Refused: "declined the invitation",
	storage.Hosted:  "is host", storage.Started: "started", storage.Played: "played", storage.Forced: "forced",
	storage.Drew: "drew", storage.Resigned: "resigned", storage.Proposed: "proposed", storage.Agreed: "agreed",
	storage.Declined: "declined", storage.Withdrew: "withdrew", storage.Ended: "ended",
	storage.Rehoused: "moved to channel",
	storage.TimedOut: "ran out of time", storage.Reminded: "reminded", storage.TookBack: "took back",
	storage.Offered:    "offered the seat",
	storage.OfferEnded: "kept the seat", storage.Taken: "took the seat", storage.Removed: "removed by moderator",
	storage.Paused:  "paused",
	storage.Resumed: "resumed", storage.IdleSoon: "will be closed", storage.Idle: "closed for idleness",
	storage.Moderated: "acts as a moderator", storage.Voided: "result voided", storage.Restored: "result restored",
	storage.Invited: "is invited", storage.Chosen: "chose",
	storage.Recovered: "restored from a copy that knows it until",
	storage.PutBack:   "put back behind what the channel knows, which is version",
	storage.Halted:    "ended by its competition",
}

func kindName(k storage.Kind) string {
	return or(kindNames[k], fmt.Sprintf("kind %d, which this version does not know", k))
}

func (r tableReport) events() {
	plays := map[int]int{} // index in the log, by number of the event
	for n, i := range r.logged() {
		plays[i] = n
	}
	for i, e := range r.Events {
		line := kindName(e.Kind)
		switch {
		case e.Seat >= 0 && r.Head.Digest != "" && e.Kind > storage.Started:
			line = fmt.Sprintf("seat %d: %s", e.Seat, line)
		case e.User != "":
			line = fmt.Sprintf("user %s: %s", e.User, line)
		}
		if text := r.said(e, i, plays); text != "" {
			line += " " + text
		}
		if e.Seat >= 0 && e.User != "" && e.Kind > storage.Started {
			line += " by user " + e.User
		}
		told := ""
		if e.Version > r.Published {
			told = " (not told yet)"
		}
		r.printf("%4d  v%-4d %s  %s%s\n", i, e.Version, e.At.Time().UTC().Format(time.RFC3339), line, told)
	}
}

// said returns what the operator may see of an event's text. For a play that was taken back, or that may be hidden, it
// returns a note instead. i is the index of the event, and plays has the number of each logged play by that index.
func (r tableReport) said(e storage.Event, i int, plays map[int]int) string {
	switch {
	case e.Text == "":
		return ""
	case e.Kind.Named() || e.Kind == storage.Removed: // a player's name
		if r.names {
			return strconv.Quote(e.Name().Plain())
		}
		return ""
	case !e.Kind.Play():
		return strconv.Quote(e.Text)
	}
	n, inLog := plays[i]
	switch {
	case !inLog:
		return "(taken back)"
	case n < len(r.shown):
		return r.shown[n]
	}
	return "(not shown: it cannot be told whether it is hidden)"
}
