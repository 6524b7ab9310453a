// Package study lets users try out moves. On a private board they move for all seats, step back and forth, and ask a
// computer player for its opinion. A study begins with a position of a table's game, or with a record that a user
// imports. The stored Study belongs to its user, survives a restart, and expires.
package study

import (
	"context"
	"log/slog"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/stepper"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// Config has the dependencies and settings of a Room.
type Config struct {
	Tables  *table.Service
	Studies *Studies
	Games   show.Games
	Find    *interact.Finder
	Paint   *show.Painter
	Rest    rest.Client // downloads records
	Log     *slog.Logger
}

// Room answers the commands and controls of studies.
type Room struct {
	Config
	stepper  *stepper.Stepper
	opinions interact.Runs
}

// New returns a Room. Its studies are in c.Studies.
func New(c Config) *Room { return &Room{Config: c, stepper: stepper.New(c.Paint)} }

// Actions of the controls that this package handles.
const (
	actionStudy   show.Action = "study"
	actionOpinion show.Action = "opinion"
	actionImport  show.Action = "import"
)

// Commands returns the commands about studies.
func (rm *Room) Commands() []interact.Command {
	return []interact.Command{
		{
			Name: "record study", Topic: interact.TopicLook, Anywhere: true,
			Options: []interact.Option{interact.TableOption(), interact.Count("at").From(0)},
			Route:   interact.Route{Handle: rm.study, Complete: rm.Find.CompleteAnyTable, Work: interact.Painting},
			Actions: []interact.Action{
				{Name: show.ActionTry, Route: interact.Route{Handle: rm.try, Work: interact.Painting}},
				{Name: actionStudy, Route: interact.Route{Handle: rm.use, Updates: true, Work: interact.Painting}},
				{Name: actionOpinion, Route: interact.Route{Handle: rm.opinion, Updates: true,
					Work: interact.Thinking}},
			},
		},
		{
			Name: "Try this out", Topic: interact.TopicLook, Menu: discordgo.MessageApplicationCommand, Anywhere: true,
			Route: interact.Route{Handle: rm.tryBoard, Work: interact.Painting},
		},
		{
			Name: "record import", Topic: interact.TopicLook, Anywhere: true,
			Options: []interact.Option{interact.Upload(askedFile)},
			Route:   interact.Route{Handle: rm.importRecord, Work: interact.Fetching},
			Actions: []interact.Action{{Name: actionImport, Route: interact.Route{Handle: rm.importUpload,
				Work: interact.Fetching}}},
		},
	}
}

// study answers /record study. It shows the user's study, or begins one with a table's game.
func (rm *Room) study(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	at, chosen := r.Number("at")
	if r.Option("table") == "" && !chosen {
		if st, err := rm.Studies.Of(ctx, r.User.ID); err == nil {
			m, err := rm.shown(ctx, r, st, "")
			return interact.Reply{New: m}, err
		}
	}
	snap, err := rm.Find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	n := snap.Plays
	if chosen {
		if last := snap.Turn(n); at > last {
			return interact.Reply{}, show.Refuse(text.M("bot.error.no-position", "At", at, "Count", last))
		}
		n = snap.AfterTurn(at)
	}
	m, err := rm.begin(ctx, r, snap, n)
	return interact.Reply{New: m}, err
}

// try answers the button that begins a study with the position above it.
func (rm *Room) try(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.begin(ctx, r, snap, min(r.Control.Play, snap.Plays))
	return interact.Reply{New: m}, err
}

// tryBoard answers the context menu of a message with a board. It begins a study with that position.
func (rm *Room) tryBoard(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, n, err := rm.Find.Board(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.begin(ctx, r, snap, n)
	return interact.Reply{New: m}, err
}

// begin begins a study with a table's game and returns the position after n plays. If no move is possible there, it
// returns the last earlier position with a possible move.
func (rm *Room) begin(ctx context.Context, r *interact.Request, snap *table.Snapshot, n int) (*show.Message, error) {
	full, err := rm.Studies.game(ctx, r.User.ID, snap)
	if err != nil {
		return nil, interact.Naming(err, r, snap)
	}
	st := Study{storage.Study{Table: snap.ID, Prefix: snap.Plays, At: lively(full, n)}}
	st, err = rm.Studies.Open(ctx, r.User.ID, st)
	if err != nil {
		return nil, err
	}
	return rm.shown(ctx, r, st, "")
}

// lively returns the number of plays, at most n, up to the last position in which a seat is to move. It returns n if
// there is none.
func lively(m *games.Match, n int) int {
	for at := n; at >= 0; at-- {
		if m.Cut(at).ToMove() >= 0 {
			return at
		}
	}
	return n
}

// shown returns the message that shows a study. said is the text above it, or "" for the sentence about the last play.
func (rm *Room) shown(ctx context.Context, r *interact.Request, st Study, said string) (*show.Message, error) {
	b, err := rm.board(ctx, r, st)
	if err != nil {
		return nil, err
	}
	return b.message(ctx, "", said)
}
