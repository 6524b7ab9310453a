package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/stepper"
	"marque/bot/table"
	"marque/games"
	"marque/games/scene"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// board is a user's study as it is shown.
type board struct {
	*Room
	r       *interact.Request
	st      table.Study
	title   text.Message // of the game
	full    *games.Match // the game that it begins with
	line    *games.Match // the study's line
	at      *games.Match // the line up to the position that is shown
	viewer  games.Seat   // who is to move there, or moved last
	names   []text.Name
	advises bool // the computer says what it thinks
}

// board finds what a study begins with, and plays its line.
func (rm *Room) board(ctx context.Context, r *interact.Request, st table.Study) (*board, error) {
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
	b.at = b.line.Cut(min(st.At, b.line.Len()))
	b.viewer = b.at.ToMove()
	for i := b.at.Len() - 1; b.viewer < 0 && i >= 0; i-- {
		b.viewer = b.at.Log()[i].Seat
	}
	b.viewer = max(b.viewer, 0)
	samples := show.SampleNames(r.Say)
	for seat := range b.names {
		if b.names[seat].IsZero() {
			b.names[seat] = samples[seat%len(samples)]
		}
	}
	return b, nil
}

// ofTable takes the game of a table, if the user may study it still.
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
	if b.full, err = b.Tables.Studies.Game(ctx, b.r.User.ID, snap); err != nil {
		return interact.Naming(err, b.r, snap)
	}
	b.title = text.M("bot.study.table", "Game", snap.Rules().Info().Name, "Table", snap.ID.String())
	b.names = show.Names(snap)
	b.advises, err = b.Tables.Studies.MayAdvise(ctx, snap)
	return err
}

// ofRecord takes the game of an imported record.
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
	b.names = make([]text.Name, record.Header.Setup.Seats)
	b.advises = len(b.Tables.Levels()) > 0
	return nil
}

// What a control does.
const (
	verbShow   = "o" // shows the board
	verbStep   = "s" // goes on in the stepper
	verbPlay   = "p" // plays a move
	verbText   = "t" // shows the board as text
	verbFirst  = "a" // goes to the first position
	verbBack   = "b" // goes back by a play
	verbOn     = "f" // goes on by a play
	verbLast   = "z" // goes to the last position
	verbDraw   = "d" // draws dice or cards
	verbReturn = "g" // drops what was tried out
	verbEnd    = "e" // ends the study
)

func (b *board) id(verb, arg string) show.CustomID {
	return show.CustomID{Action: actionStudy, Version: b.st.Version, Play: b.st.Number, Arg: verb + arg}
}

var errUnknown = show.Refuse(text.M("bot.error.unknown-control"))

// mine is the user's study, if the control is of it.
func (rm *Room) mine(ctx context.Context, r *interact.Request) (table.Study, error) {
	st, err := rm.Tables.Studies.Of(ctx, r.User.ID)
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
		if err := rm.Tables.Studies.End(ctx, r.User.ID, st.Number); err != nil {
			return interact.Reply{}, err
		}
		return interact.Reply{Update: show.Text(r.Say.Say(text.M("bot.study.ended")))}, nil
	}
	b, err := rm.board(ctx, r, st)
	if err != nil {
		return interact.Reply{}, err
	}
	if verb == verbText {
		return interact.Reply{New: b.asText()}, nil
	}
	var m *show.Message
	switch {
	case st.Version != r.Control.Version:
		m, err = b.message(ctx, "", r.Say.Say(text.M("bot.study.moved-on")))
	case verb == verbShow:
		m, err = b.message(ctx, "", "")
	case verb == verbStep:
		m, err = b.message(ctx, arg, "")
	default:
		m, err = b.change(ctx, verb, arg)
	}
	if err != nil {
		return interact.Reply{}, err
	}
	return reply(r, m), nil
}

// reply puts a board in the place of the one whose control was used, unless others can see that.
func reply(r *interact.Request, m *show.Message) interact.Reply {
	if r.Private() {
		return interact.Reply{Update: m}
	}
	return interact.Reply{New: m}
}

// change does what a control asks for, and shows what came of it.
func (b *board) change(ctx context.Context, verb, arg string) (*show.Message, error) {
	from, st := b.at.Len(), b.st
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
		st.Kept, st.Line = b.full.Len(), nil
		st.At = min(st.At, st.Kept)
	case verbPlay:
		err = b.play(&st, arg)
	case verbDraw:
		if b.at.ToMove() != games.Chance {
			return nil, errUnknown
		}
		err = b.follow(&st, b.at.Fork())
	default:
		return nil, errUnknown
	}
	if err == nil {
		st, err = b.Tables.Studies.Keep(ctx, b.r.User.ID, st)
	}
	if errors.Is(err, storage.ErrStale) { // another click came between
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
	if verb == verbPlay || verb == verbDraw {
		said = next.told(from)
	}
	return next.message(ctx, "", said)
}

// play plays a move of the seat that is to move, and what follows it by itself.
func (b *board) play(st *table.Study, path string) error {
	seat := b.at.ToMove()
	if seat < 0 {
		return errUnknown
	}
	menu := games.NewMenu(b.at.View(seat).State)
	move, ok := menu.Move(path)
	if !ok {
		if _, err := menu.Parse(path); err != nil {
			return err
		}
		return errUnknown
	}
	m := b.at.Fork()
	if err := m.Play(move); err != nil {
		return fmt.Errorf("playing %q in a study of %s: %w", path, m.Header().Game, err)
	}
	st.Play(b.full, m.Log()[m.Len()-1].Text)
	return b.follow(st, m)
}

// most bounds what follows a play by itself.
const most = 100

// follow plays what follows by itself as at a table: dice and cards, drawn again, and moves that are forced.
func (b *board) follow(st *table.Study, m *games.Match) error {
	for range most {
		var next games.Move
		switch m.ToMove() {
		case games.Nobody:
			return nil
		case games.Chance:
			next = st.Draw(m)
		default:
			forced, ok := m.State().Forced()
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

// opinion answers the button that asks a computer player.
func (rm *Room) opinion(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	st, err := rm.mine(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	b, err := rm.board(ctx, r, st)
	if err != nil {
		return interact.Reply{}, err
	}
	seat := b.at.ToMove()
	var said string
	switch {
	case !b.advises:
		return interact.Reply{}, show.Refuse(text.M("table.error.no-hints"))
	case seat < 0:
		return interact.Reply{}, errUnknown
	case st.Version != r.Control.Version:
		said = r.Say.Say(text.M("bot.study.moved-on"))
	default:
		asked := fmt.Sprint(r.User.ID, " ", st.Number, " ", st.Version)
		a, err := interact.Share(ctx, &rm.opinions, asked, func(ctx context.Context) (table.Advice, error) {
			return rm.Tables.Studies.Advise(ctx, st, b.at.View(seat))
		})
		if err != nil {
			return interact.Reply{}, err
		}
		lines := []string{b.say().Say(text.M("bot.study.opinion", "Who", text.Player(seat)))}
		for _, why := range show.Advice(a) {
			lines = append(lines, b.say().Say(why))
		}
		said = strings.Join(lines, " ")
	}
	m, err := b.message(ctx, "", said)
	return reply(r, m), err
}

// say says seats by name, for Discord's text.
func (b *board) say() *locale.Speaker {
	return b.r.Say.Named(func(seat int) text.Message { return show.Bold(b.names[seat].Raw()) })
}

// plain says seats by name, for pictures, alt texts and labels.
func (b *board) plain() *locale.Speaker {
	return b.r.Say.Named(func(seat int) text.Message { return b.names[seat].Raw() }).Plain()
}

// told says what was played from number from on up to the position that is shown, a line each.
func (b *board) told(from int) string {
	var lines []string
	s := b.say()
	for _, step := range b.at.Trail(b.viewer, from, b.at.Len()) {
		if said := s.Say(step.Before.Tell(step.Move)); said != "" {
			lines = append(lines, said)
		}
	}
	return strings.Join(lines, "\n")
}

// scene is the position that is shown, as who is to move sees it.
func (b *board) scene() scene.Scene {
	return b.at.View(b.viewer).State.Scene(b.viewer, b.at.Trail(b.viewer, b.at.Len()-1, b.at.Len()))
}

// asText is the board for a monospaced font and for screen readers.
func (b *board) asText() *show.Message {
	return show.TextBoard(b.scene(), b.r.Say.Named(func(seat int) text.Message { return b.names[seat].Raw() }))
}

// maxSaid bounds what is said above a board: a message holds 4,000 characters.
const maxSaid = 2500

// message shows the study with the stepper's question after path, and above it what is said, or else what was played
// last.
func (b *board) message(ctx context.Context, path, said string) (*show.Message, error) {
	if said == "" {
		said = b.told(b.at.Len() - 1)
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
	m.Components = append([]discordgo.MessageComponent{show.Paragraph(show.ClipWords(strings.Join(head, "\n"),
		maxSaid))}, m.Components...)
	n, last := b.at.Len(), b.line.Len()
	arrow := func(label, verb string, off bool) discordgo.Button { return show.Arrow(label, b.id(verb, ""), off) }
	m.Components = append(m.Components, show.Rows(arrow("⏮", verbFirst, n == 0), arrow("◀", verbBack, n == 0),
		arrow("▶", verbOn, n == last), arrow("⏭", verbLast, n == last))...)
	button := func(label, verb string) discordgo.Button {
		return show.Button(discordgo.SecondaryButton, s.Say(text.M(label)), b.id(verb, ""))
	}
	var tools []discordgo.Button
	if b.at.ToMove() == games.Chance {
		tools = append(tools, button("bot.study.draw", verbDraw))
	}
	if b.advises && b.at.ToMove() >= 0 {
		tools = append(tools, show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.study.ask")),
			show.CustomID{Action: actionOpinion, Version: b.st.Version, Play: b.st.Number}))
	}
	if b.st.Kept < b.full.Len() || len(b.st.Line) > 0 {
		tools = append(tools, button("bot.study.return", verbReturn))
	}
	tools = append(tools, button("bot.button.text", verbText), button("bot.study.end", verbEnd))
	m.Components = append(m.Components, show.Rows(tools...)...)
	m.Ephemeral = true
	return m, nil
}

// position is the picture of the position that is shown, with the stepper's question while somebody is to move.
func (b *board) position(ctx context.Context, path string) (*show.Message, error) {
	if seat := b.at.ToMove(); seat >= 0 {
		state := b.at.View(seat).State
		return b.stepper.Step(ctx, stepper.Board{
			State: state, Seat: seat, Menu: games.NewMenu(state), Trail: b.at.Trail(seat, b.at.Len()-1, b.at.Len()),
			Names: b.names, Plate: b.plate(),
			Say: b.say(), Plain: b.plain(),
			StepID: func(arg string) show.CustomID { return b.id(verbStep, arg) },
			PlayID: func(arg string) show.CustomID { return b.id(verbPlay, arg) },
		}, path)
	}
	sc := b.scene()
	file, alt, err := b.Paint.Paint(ctx, sc, b.plate(), b.names, b.plain(), "study.png")
	if err != nil {
		return nil, err
	}
	why := text.M("bot.study.due")
	if b.at.Over() {
		why = text.M("bot.study.over", "Why", b.at.Result().Why)
	}
	parts := []discordgo.MessageComponent{show.Paragraph(b.say().Say(why)), show.Picture(file.Name, alt)}
	m := &show.Message{Files: []*discordgo.File{file},
		Components: []discordgo.MessageComponent{show.Container(show.AccentIn(sc, b.viewer), parts...)}}
	hand, err := b.Paint.Hand(ctx, sc, b.plate(), b.plain())
	if err != nil || hand == nil {
		return m, err
	}
	m.Files = append(m.Files, hand)
	m.Components = slices.Insert(m.Components, 1, show.Picture(hand.Name, show.Alt(b.plate(), b.plain().Say(sc.HandAlt),
		b.plain())))
	return m, nil
}

// plate says what the pictures are of.
func (b *board) plate() text.Message {
	return text.M("bot.plate.study", "Game", b.at.Game().Info().Name, "Play", b.at.Len())
}

// where says which position is shown: one of the game, or which one of what was tried out.
func (b *board) where() string {
	s := b.r.Say
	at := text.M("bot.board.position", "At", b.at.Len(), "Of", b.line.Len())
	if b.at.Len() <= b.st.Kept {
		return s.Say(text.M("bot.study.game", "Where", at))
	}
	return s.Say(text.M("bot.study.own", "Where", at, "From", b.st.Kept))
}
