package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/practice"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// board is a user's study as the user sees it.
type board struct {
	*Room
	r       *interact.Request
	st      Study
	title   text.Message // name of the game and of its table or record
	full    *games.Match // the whole game from which the study begins
	line    *games.Match // the study's line
	advises bool         // whether the user can ask the computer for its opinion

	// Position has the line up to the shown position, in the view of the seat to move, or of the seat that moved last.
	practice.Position
}

// board returns a user's study, with its line played to the shown position.
func (rm *Room) board(ctx context.Context, r *interact.Request, st Study) (*board, error) {
	b := &board{Room: rm, r: r, st: st}
	var err error
	if st.Table != 0 {
		err = b.ofTable(ctx)
	} else {
		err = b.ofRecord()
	}
	if err != nil {
		return nil, err
	}
	if b.line, err = st.Match(b.full); err != nil {
		return nil, err
	}
	b.Match = b.line.Cut(min(st.At, b.line.Len()))
	b.Seat = b.Match.ToMove()
	for i := b.Match.Len() - 1; b.Seat < 0 && i >= 0; i-- {
		b.Seat = b.Match.Log()[i].Seat
	}
	b.Seat = max(b.Seat, 0)
	samples := show.SampleNames(r.Say)
	for seat := range b.Names {
		if b.Names[seat].IsZero() {
			b.Names[seat] = samples[seat%len(samples)]
		}
	}
	b.Title = text.M("bot.plate.study", "Game", b.Match.Game().Info().Name, "Turns",
		show.TurnsPlayed(b.Match.Turn(b.Match.Len())))
	b.Say = r.Say.Named(func(seat int) text.Message { return show.Bold(b.Names[seat].Raw()) })
	return b, nil
}

// ofTable loads the game of a table, if the user is still allowed to study it.
func (b *board) ofTable(ctx context.Context) error {
	snap, err := b.Tables.Lookup.Snapshot(ctx, b.st.Table)
	if err != nil {
		return err
	}
	sees, err := b.Find.Sees(ctx, b.r, snap.Head)
	switch {
	case err != nil:
		return err
	case !sees:
		return show.Refuse(text.M("table.error.no-table", "Table", snap.ID.String()))
	}
	if b.full, err = b.Studies.game(ctx, b.r.User.ID, snap); err != nil {
		return interact.Naming(err, b.r, snap)
	}
	b.title = text.M("bot.study.table", "Game", snap.Rules().Info().Name, "Table", snap.ID.String())
	b.Names = show.Names(snap, b.r.Say)
	b.advises, err = b.Studies.mayAdvise(ctx, snap)
	return err
}

// ofRecord loads the game of an imported record.
func (b *board) ofRecord() error {
	written, err := b.st.Text()
	if err != nil {
		return err
	}
	record, err := games.DecodeRecord(strings.NewReader(written))
	if err != nil {
		return fmt.Errorf("an imported record: %w", err)
	}
	g, err := b.Games.Find(record.Header.Game)
	if err != nil {
		return err
	}
	if b.full, err = record.Replay(g); err != nil {
		return fmt.Errorf("an imported record: %w", err)
	}
	b.title = text.M("bot.study.imported", "Game", g.Info().Name)
	b.Names = make([]text.Name, record.Header.Setup.Seats)
	b.advises = len(b.Tables.Levels()) > 0
	return nil
}

// Verbs of controls besides those of all private boards.
const (
	verbFirst  = "a" // goes to the first position
	verbBack   = "b" // goes one play back
	verbOn     = "f" // goes one play forward
	verbLast   = "z" // goes to the last position
	verbDraw   = "d" // draws dice or cards
	verbReturn = "g" // removes the moves that were tried out
	verbEnd    = "e" // ends the study
)

func (b *board) id(verb, arg string) show.CustomID {
	return show.CustomID{Action: actionStudy, Version: b.st.Version, Play: b.st.Number, Arg: verb + arg}
}

// mine returns the user's study if the used control belongs to it.
func (rm *Room) mine(ctx context.Context, r *interact.Request) (Study, error) {
	st, err := rm.Studies.Of(ctx, r.User.ID)
	if err == nil && st.Number != r.Control.Play {
		err = show.Refuse(text.M("table.error.no-study"))
	}
	return st, err
}

// use answers the controls of a study.
func (rm *Room) use(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	st, err := rm.mine(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	verb, arg := "", ""
	if r.Control.Arg != "" {
		verb, arg = r.Control.Arg[:1], r.Control.Arg[1:]
	}
	if len(r.Values) == 1 {
		arg = r.Values[0]
	}
	if verb == verbEnd {
		if err := rm.Studies.End(ctx, r.User.ID, st.Number); err != nil {
			return interact.Reply{}, err
		}
		return interact.Reply{Update: show.Text(r.Say.Say(text.M("bot.study.ended")))}, nil
	}
	b, err := rm.board(ctx, r, st)
	if err != nil {
		return interact.Reply{}, err
	}
	if verb == practice.VerbText {
		return interact.Reply{New: b.Text()}, nil
	}
	var m *show.Message
	switch {
	case st.Version != r.Control.Version:
		m, err = b.message(ctx, "", r.Say.Say(text.M("bot.study.moved-on")))
	case verb == practice.VerbShow:
		m, err = b.message(ctx, "", "")
	case verb == practice.VerbStep:
		m, err = b.message(ctx, arg, "")
	default:
		m, err = b.change(ctx, verb, arg)
	}
	if err != nil {
		return interact.Reply{}, err
	}
	return practice.Reply(r, m), nil
}

// change executes the verb of a control and returns a message with the result.
func (b *board) change(ctx context.Context, verb, arg string) (*show.Message, error) {
	from, st := b.Match.Len(), b.st
	var err error
	switch verb {
	case verbFirst:
		st.At = 0
	case verbBack:
		st.At = max(0, st.At-1)
	case verbOn:
		st.At = min(st.Plays(), st.At+1)
	case verbLast:
		st.At = st.Plays()
	case verbReturn:
		st.Prefix, st.Line = b.full.Len(), nil
		st.At = min(st.At, st.Prefix)
	case practice.VerbPlay:
		err = b.play(&st, arg)
	case verbDraw:
		if b.Match.ToMove() != games.Chance {
			return nil, practice.ErrUnknown
		}
		err = b.follow(&st, b.Match.Fork())
	default:
		return nil, practice.ErrUnknown
	}
	if err == nil {
		st, err = b.Studies.Keep(ctx, b.r.User.ID, st)
	}
	if errors.Is(err, storage.ErrStale) { // another click was faster
		if st, err = b.mine(ctx, b.r); err != nil {
			return nil, err
		}
		return b.shown(ctx, b.r, st, b.r.Say.Say(text.M("bot.study.moved-on")))
	}
	if err != nil {
		return nil, err
	}
	next, err := b.board(ctx, b.r, st)
	if err != nil {
		return nil, err
	}
	said := ""
	if verb == practice.VerbPlay || verb == verbDraw {
		said = next.Sentences(from)
	}
	return next.message(ctx, "", said)
}

// play plays a move of the seat to move, and the automatic plays that follow.
func (b *board) play(st *Study, path string) error {
	if b.Match.ToMove() < 0 {
		return practice.ErrUnknown
	}
	move, err := b.Choose(path)
	if err != nil {
		return err
	}
	m := b.Match.Fork()
	if err := m.Play(move); err != nil {
		return fmt.Errorf("playing %q in a study of %s: %w", path, m.Header().Game, err)
	}
	st.Play(b.full, m.Log()[m.Len()-1].Text)
	return b.follow(st, m)
}

// most limits the automatic plays after one play.
const most = 100

// follow makes the automatic plays that follow, as at a table: forced moves, and dice and cards, which the study
// draws by its own seed.
func (b *board) follow(st *Study, m *games.Match) error {
	for range most {
		var next games.Move
		switch m.ToMove() {
		case games.Nobody:
			return nil
		case games.Chance:
			next = st.Draw(m)
		default:
			forced, ok := games.Forced(m.State())
			if !ok {
				return nil
			}
			next = forced
		}
		if err := m.Play(next); err != nil {
			return fmt.Errorf("what follows in a study of %s: %w", m.Header().Game, err)
		}
		st.Play(b.full, m.Log()[m.Len()-1].Text)
	}
	return nil
}

// opinion answers the button with which the user asks a computer player.
func (rm *Room) opinion(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	st, err := rm.mine(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	b, err := rm.board(ctx, r, st)
	if err != nil {
		return interact.Reply{}, err
	}
	seat := b.Match.ToMove()
	var said string
	switch {
	case !b.advises:
		return interact.Reply{}, show.Refuse(text.M("table.error.no-hints"))
	case seat < 0:
		return interact.Reply{}, practice.ErrUnknown
	case st.Version != r.Control.Version:
		said = r.Say.Say(text.M("bot.study.moved-on"))
	default:
		asked := fmt.Sprint(r.User.ID, " ", st.Number, " ", st.Version)
		a, err := interact.Share(ctx, &rm.opinions, asked, func(ctx context.Context) (table.Advice, error) {
			return rm.Tables.Advise(ctx, b.Match.View(seat), st.Seed^uint64(st.At))
		})
		if err != nil {
			return interact.Reply{}, err
		}
		lines := []string{b.Say.Say(text.M("bot.study.opinion", "Who", text.Player(seat)))}
		for _, why := range show.Advice(a, b.Match.View(seat).State) {
			lines = append(lines, b.Say.Say(why))
		}
		said = strings.Join(lines, " ")
	}
	m, err := b.message(ctx, "", said)
	return practice.Reply(r, m), err
}

// message returns a message with the study and the stepper's question after path. said is the text above the board. If
// it is "", the sentence about the last play is shown.
func (b *board) message(ctx context.Context, path, said string) (*show.Message, error) {
	if said == "" {
		said = b.Sentences(b.Match.Len() - 1)
	}
	m, err := b.position(ctx, path)
	if err != nil {
		return nil, err
	}
	s := b.r.Say
	head := []string{"### " + s.Say(b.title), b.where()}
	if said != "" {
		head = append(head, said)
	}
	if b.full.Game().Traits().Chance {
		head = append(head, "-# "+s.Say(text.M("bot.study.chance")))
	}
	m.Components = append([]discordgo.MessageComponent{practice.Paragraph(strings.Join(head, "\n"))}, m.Components...)
	n, last := b.Match.Len(), b.line.Len()
	arrow := func(label, verb string, off bool) discordgo.Button { return show.Arrow(label, b.id(verb, ""), off) }
	m.Components = append(m.Components, show.Rows(arrow("⏮", verbFirst, n == 0), arrow("◀", verbBack, n == 0),
		arrow("▶", verbOn, n == last), arrow("⏭", verbLast, n == last))...)
	button := func(label, verb string) discordgo.Button {
		return show.Button(discordgo.SecondaryButton, s.Say(text.M(label)), b.id(verb, ""))
	}
	var tools []discordgo.Button
	if b.Match.ToMove() == games.Chance {
		tools = append(tools, button("bot.study.draw", verbDraw))
	}
	if b.advises && b.Match.ToMove() >= 0 {
		tools = append(tools, show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.study.ask")),
			show.CustomID{Action: actionOpinion, Version: b.st.Version, Play: b.st.Number}))
	}
	if b.st.Prefix < b.full.Len() || len(b.st.Line) > 0 {
		tools = append(tools, button("bot.study.return", verbReturn))
	}
	tools = append(tools, button("bot.button.text", practice.VerbText),
		show.LegendButton(b.full.Game(), s), button("bot.study.end", verbEnd))
	m.Components = append(m.Components, show.Rows(tools...)...)
	m.Ephemeral = true
	return m, nil
}

// position returns a message with the shown position, and the stepper's question if a seat is to move.
func (b *board) position(ctx context.Context, path string) (*show.Message, error) {
	if b.Match.ToMove() >= 0 {
		return b.Ask(ctx, b.stepper, path, b.id)
	}
	sc := b.Scene(b.Match.Len() - 1)
	file, alt, err := b.Paint.Paint(ctx, sc, b.Title, b.Names, b.Plain(), "study.png")
	if err != nil {
		return nil, err
	}
	why := text.M("bot.study.due")
	if b.Match.Over() {
		why = text.M("bot.study.over", "Why", b.Match.Result().Why)
	}
	parts := append([]discordgo.MessageComponent{show.Paragraph(b.Say.Say(why))},
		show.Board(file.Name, alt, sc, b.Say)...)
	m := &show.Message{Files: []*discordgo.File{file},
		Components: []discordgo.MessageComponent{show.Container(show.AccentIn(sc, b.Seat), parts...)}}
	hand, err := b.Paint.Hand(ctx, sc, b.Title, b.Plain())
	if err != nil || hand == nil {
		return m, err
	}
	m.Files = append(m.Files, hand)
	m.Components = slices.Insert(m.Components, 1, show.Picture(hand.Name, show.Alt(b.Title, b.Plain().Say(sc.HandAlt),
		b.Plain())))
	return m, nil
}

// where describes the place of the shown position in the game or among the tried moves.
func (b *board) where() string {
	s := b.r.Say
	at := show.TurnOf(b.Match.Turn(b.Match.Len()), b.line.Turn(b.line.Len()))
	if b.Match.Len() <= b.st.Prefix {
		return s.Say(text.M("bot.study.game", "Where", at))
	}
	if b.line.Turn(b.st.Prefix) == 0 {
		return s.Say(text.M("bot.study.own-start", "Where", at))
	}
	return s.Say(text.M("bot.study.own", "Where", at, "From", show.AtTurn(b.line.Turn(b.st.Prefix))))
}
