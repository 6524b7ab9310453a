package lobby

import (
	"context"
	"slices"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/computer"
	"marque/games/text"
	"marque/games/text/locale"
)

// computerNames is the number of names of computer players ("computer.name.1" and so on).
const computerNames = 4

// computerPlayer returns a computer player of a level, with a name that no other seat has, as long as there are unused
// names. On a server, the name in the record is in the server's language.
func (rm *Room) computerPlayer(r *interact.Request, level string, seats []table.Occupant) table.ComputerPlayer {
	s := r.Say
	if r.Where == interact.OnServer {
		s = rm.Languages.Public(r.GuildID, r.Settings)
	}
	taken := make([]int, len(seats))
	for i, o := range seats {
		taken[i] = o.Called
	}
	return named(s.Plain(), level, taken)
}

// Computers returns computer players of the middle level with different names.
func (rm *Room) Computers(s *locale.Speaker, n int) []table.ComputerPlayer {
	levels := rm.Tables.Levels()
	var list []table.ComputerPlayer
	var taken []int
	for range n {
		c := named(s.Plain(), levels[len(levels)/2], taken)
		list, taken = append(list, c), append(taken, c.Called)
	}
	return list
}

// named returns a computer player of a level with a name that is not in taken, as long as there are unused names.
func named(s *locale.Speaker, level string, taken []int) table.ComputerPlayer {
	n := 1
	for n < computerNames && slices.Contains(taken, n) {
		n++
	}
	c := table.ComputerPlayer{Level: level, Called: n}
	c.Name = show.NameOf(c.Occupant(), s)
	return c
}

// computerPlayers returns the computer players that the options of /play ask for. A level alone asks for one.
func (rm *Room) computerPlayers(r *interact.Request) []table.ComputerPlayer {
	levels := rm.Tables.Levels()
	if len(levels) == 0 {
		return nil
	}
	n, asked := r.Number("computers")
	level := r.Option("level")
	if !asked && level != "" {
		n = 1
	}
	if level == "" {
		level = levels[len(levels)/2]
	}
	return rm.computersOf(r, level, n)
}

// computersOf returns computer players of a level with different names.
func (rm *Room) computersOf(r *interact.Request, level string, n int) []table.ComputerPlayer {
	var list []table.ComputerPlayer
	var taken []table.Occupant
	for range min(n, rm.mostSeats()-1) {
		c := rm.computerPlayer(r, level, taken)
		list, taken = append(list, c), append(taken, c.Occupant())
	}
	return list
}

// forPractice reports whether a game is for practice, because one of its computer players is easy. A game for practice
// is unrated, with free hints, unless its host chooses otherwise.
func forPractice(list []table.ComputerPlayer) bool {
	return slices.ContainsFunc(list, func(c table.ComputerPlayer) bool { return c.Level == string(computer.Easy) })
}

// computer replies to /table computer by adding a computer player to a table that has not started, or by giving it an
// offered seat.
func (rm *Room) computer(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	c := rm.computerPlayer(r, r.Option("level"), snap.Seats)
	var after *table.Snapshot
	if snap.Status == table.Lobby {
		after, err = rm.Tables.AddComputer(ctx, r.Actor(), snap.ID, c)
	} else {
		after, err = rm.Tables.TakeByComputer(ctx, r.Actor(), snap.ID, games.Nobody, c)
	}
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{New: added(r, snap, after, c)}, nil
}

// added returns a message that a computer player has joined a table, and that the game has become unrated if it has.
func added(r *interact.Request, before, after *table.Snapshot, c table.ComputerPlayer) *show.Message {
	m := show.Text(r.Say.Say(text.M("bot.computer.added", "Name", table.Called(c.Occupant()),
		"Table", after.ID.String())))
	if after.Unrated() && !before.Unrated() {
		id := "bot.lobby.unrated"
		if after.Status == table.Lobby {
			id = "bot.computer.unrated"
		}
		m.Components = append(m.Components, show.Paragraph("-# "+r.Say.Say(text.M(id))))
	}
	return m
}

// computerButtons returns the lobby's buttons that add and remove computer players.
func (rm *Room) computerButtons(n table.News, s show.Speaker) []discordgo.Button {
	if len(rm.Tables.Levels()) == 0 {
		return nil
	}
	id := func(action show.Action) show.CustomID { return show.CustomID{Action: action, Table: n.ID.String()} }
	buttons := []discordgo.Button{show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.button.add-computer")),
		id(actionComputer))}
	if slices.ContainsFunc(n.Seats, func(o table.Occupant) bool { return o.Computer != "" }) {
		buttons = append(buttons, show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.button.dismiss-computer")),
			id(actionDismiss)))
	}
	return buttons
}

// askLevel replies to the Add computer button by asking for a level.
func (rm *Room) askLevel(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m := show.Text(r.Say.Say(text.M("bot.computer.which")))
	var buttons []discordgo.Button
	for _, l := range rm.Tables.Levels() {
		id := show.CustomID{Action: actionLevel, Table: snap.ID.String(), Arg: l}
		buttons = append(buttons, show.Button(discordgo.SecondaryButton, r.Say.Say(text.M("computer.level."+l)), id))
	}
	m.Components = append(m.Components, show.Rows(buttons...)...)
	return interact.Reply{New: m}, nil
}

// addComputer replies to the choice of a level by adding a computer player.
func (rm *Room) addComputer(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	c := rm.computerPlayer(r, r.Control.Arg, snap.Seats)
	after, err := rm.Tables.AddComputer(ctx, r.Actor(), snap.ID, c)
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{Update: added(r, snap, after, c)}, nil
}

// dismissComputer replies to the button that removes the last computer player.
func (rm *Room) dismissComputer(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if _, err := rm.Tables.DismissComputer(ctx, r.Actor(), snap.ID); err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.computer.dismissed", "Table", snap.ID.String())))}, nil
}
