package turn

import (
	"context"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/stepper"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

// myMenu returns the user's seat and menu of moves, or a refusal with the reason why they have none now.
func myMenu(r *interact.Request, snap *table.Snapshot) (games.Seat, *games.Menu, error) {
	seat, err := interact.MySeat(r, snap)
	if err != nil {
		return 0, nil, err
	}
	if snap.Status == table.Over {
		return 0, nil, show.Refuse(text.M("table.error.over"))
	}
	menu, ok := snap.Menu(seat)
	if !ok {
		return 0, nil, interact.Naming(show.Refuse(text.M("table.error.not-your-turn",
			"Who", text.Player(snap.ToMove))), r, snap)
	}
	return seat, menu, nil
}

// openStepper handles the Move button under a board.
func (rm *Room) openStepper(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	older := r.Control.Version < int(snap.Board) && snap.Status != table.Over
	if older && snap.Mover() != r.User.ID {
		return interact.Reply{}, rm.find.MovedOn(ctx, snap)
	}
	m, err := rm.askNow(ctx, r, snap, older)
	return interact.Reply{New: m, Ephemeral: interact.EphemeralOf(snap)}, err
}

// askNow returns a message that asks the user for a move in the present position. older is true if the pressed control
// belongs to an earlier position.
func (rm *Room) askNow(ctx context.Context, r *interact.Request, snap *table.Snapshot,
	older bool) (*show.Message, error) {
	seat, menu, err := myMenu(r, snap)
	if err != nil {
		return nil, err
	}
	m, err := rm.stepper.Ask(ctx, boardOf(r, snap, seat, menu), "")
	if err == nil && older {
		m.Components = append([]discordgo.MessageComponent{show.Paragraph(r.Say.Say(text.M("bot.move.older")))},
			m.Components...)
	}
	return m, err
}

// step handles the controls with which the user chooses a move step by step.
func (rm *Room) step(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if r.Control.Version < int(snap.Board) {
		return rm.stepNow(ctx, r, snap)
	}
	seat, menu, err := myMenu(r, snap)
	if err != nil {
		return interact.Reply{}, err
	}
	path := r.Control.Arg
	if len(r.Values) == 1 {
		path = r.Values[0]
	}
	b := boardOf(r, snap, seat, menu)
	if whole, ok := b.Whole(path); ok && r.Prefs.Quick && !surprises(b, whole) {
		return rm.playMove(ctx, r, snap, whole)
	}
	m, err := rm.stepper.Step(ctx, b, path)
	return interact.Reply{Update: m, Ephemeral: interact.EphemeralOf(snap)}, err
}

// stepNow handles a control of the stepper that belongs to an earlier position. It asks again in the present position.
func (rm *Room) stepNow(ctx context.Context, r *interact.Request, snap *table.Snapshot) (interact.Reply, error) {
	if snap.Mover() != r.User.ID || !r.Private() {
		return interact.Reply{}, rm.find.MovedOn(ctx, snap)
	}
	m, err := rm.askNow(ctx, r, snap, true)
	return interact.Reply{Update: m, Ephemeral: interact.EphemeralOf(snap)}, err
}

// playStepped handles the button that plays the move chosen in the stepper.
func (rm *Room) playStepped(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	return rm.playMove(ctx, r, snap, r.Control.Arg)
}

// surprises reports whether a move can surprise its player: it captures, loses or gains something, draws a card, or
// ends the game. Dice do not count, because the roll is the next player's.
func surprises(b stepper.Board, whole string) bool {
	move, ok := b.Menu.Move(whole)
	if !ok || !b.Menu.Effect(whole).IsZero() ||
		slices.ContainsFunc(b.Menu.Chosen(whole), func(w games.Word) bool { return w.Sep == "x" }) {
		return true
	}
	after := b.State.Apply(move)
	return stepper.Draws(after) || after.ToMove() == games.Nobody
}

// playMove plays a move in the position for which the pressed control was shown.
func (rm *Room) playMove(ctx context.Context, r *interact.Request, snap *table.Snapshot,
	notation string) (interact.Reply, error) {
	after, err := rm.tables.Move(ctx, r.Actor(), snap.ID, notation, uint64(r.Control.Version))
	if err != nil {
		if isStale(err) {
			return interact.Reply{}, rm.find.MovedOn(ctx, snap)
		}
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	if m := rm.stepOn(ctx, r, after, notation); m != nil {
		return interact.Reply{Update: m, Ephemeral: interact.EphemeralOf(after)}, nil
	}
	return interact.Reply{Update: rm.played(ctx, r, after, notation), Ephemeral: interact.TransientOf(after)}, nil
}

// stepOn returns the message that asks the user for another move. It returns nil if the user is not to move, or if
// the message cannot be made: the last move counts anyway.
func (rm *Room) stepOn(ctx context.Context, r *interact.Request, after *table.Snapshot,
	notation string) *show.Message {
	seat, menu, err := myMenu(r, after)
	if err != nil {
		return nil
	}
	m, err := rm.stepper.Ask(ctx, boardOf(r, after, seat, menu), "")
	if err != nil {
		return nil
	}
	said := r.Say.Say(text.M(playedOn(after), "Move", text.Code(notation)))
	if drawn := drawnCard(r, after, seat); drawn != "" {
		said += "\n" + drawn
	}
	done := show.Paragraph(said)
	m.Components = append([]discordgo.MessageComponent{done}, m.Components...)
	if after.TakesBackAlone(seat) {
		m.Components = append(m.Components, show.Rows(show.UndoButton(after, r.Say))...)
	}
	return m
}

// played returns the message that confirms a move and tells its player what comes next.
func (rm *Room) played(ctx context.Context, r *interact.Request, after *table.Snapshot, notation string) *show.Message {
	id := "bot.move.played"
	switch {
	case after.Status == table.Over:
		id = "bot.move.played-over"
	case after.Mover() == r.User.ID:
		id = playedOn(after)
	}
	lines := []string{show.Mentioning(r.Say, after).Say(text.M(id, "Move", text.Code(notation),
		"Who", text.Player(after.ToMove)))}
	if drawn := drawnCard(r, after, after.Seat(r.User.ID)); drawn != "" {
		lines = append(lines, drawn)
	}
	if next := rm.nextTable(ctx, r, after.ID); next != "" {
		lines = append(lines, next)
	}
	m := show.Text(strings.Join(lines, "\n"))
	if after.Status != table.Over && after.Mover() == r.User.ID {
		m.Components = append(m.Components, show.Rows(show.MoveButton(after, r.Say))...)
	}
	return m
}

// playedOn returns the id of the sentence for a player who moves again: in the same turn, or after turns of other
// players that were played automatically.
func playedOn(after *table.Snapshot) string {
	for play := after.Plays - 1; play >= 0; play-- {
		if seat := show.SeatOf(after, play); seat == after.ToMove {
			break
		} else if seat != games.Chance {
			return "bot.move.played-again"
		}
	}
	return "bot.move.played-on"
}

// drawnCard returns the sentence that names the card which the last play of a seat drew; "" if that play drew none.
// Only the player of that seat may see the sentence.
func drawnCard(r *interact.Request, snap *table.Snapshot, seat games.Seat) string {
	for play := snap.Plays - 2; play >= 0 && seat >= 0; play-- {
		if show.SeatOf(snap, play) != seat {
			continue
		}
		step := snap.Trail(seat, play, play+1)[0]
		if b, ok := step.Before.(games.CombinedDescriber); ok && b.DescribedByNext(step.Move) {
			return show.DescribePlay(snap, seat, play+1, show.Mentioning(r.Say, snap))
		}
		break
	}
	return ""
}

// boardOf returns the present position of a table in the form that package stepper needs.
func boardOf(r *interact.Request, snap *table.Snapshot, seat games.Seat, menu *games.Menu) stepper.Board {
	id := func(action show.Action) func(string) show.CustomID {
		return func(arg string) show.CustomID {
			return show.CustomID{Action: action, Table: snap.ID.String(), Version: show.Version(snap), Arg: arg}
		}
	}
	return stepper.Board{
		State: snap.View(seat).State, Seat: seat, Menu: menu, Trail: snap.Trail(seat, snap.Plays-1, snap.Plays),
		Names: show.Names(snap, r.Say), Title: show.TablePlate(snap, snap.Plays),
		Say: show.Mentioning(r.Say, snap), Plain: show.Plain(r.Say, snap), StepID: id(actionStep),
		PlayID: id(actionPlay),
	}
}
