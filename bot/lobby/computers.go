package lobby

import (
	"context"
	"fmt"
	"slices"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
)

// computerNames is how many names computer players have ("computer.name.1" and on).
const computerNames = 4

// computerPlayer is a computer player of a level with a name, in the server's language, that none
// of those taken has, at whatever level.
func (rm *Room) computerPlayer(r *interact.Request, level string, taken []text.Name) table.ComputerPlayer {
	s := r.Say
	if r.Where == interact.OnServer {
		s = rm.Languages.Public(r.GuildID, r.Settings)
	}
	return rm.named(s.Plain(), level, taken)
}

// Computers are computer players of the middle level, each with a name of its own.
func (rm *Room) Computers(s *locale.Speaker, n int) []table.ComputerPlayer {
	levels := rm.Tables.Levels()
	var list []table.ComputerPlayer
	var taken []text.Name
	for range n {
		c := rm.named(s.Plain(), levels[len(levels)/2], taken)
		list, taken = append(list, c), append(taken, c.Name)
	}
	return list
}

// named is a computer player of a level with a name that none of those taken has.
func (rm *Room) named(s *locale.Speaker, level string, taken []text.Name) table.ComputerPlayer {
	named := func(n int, level string) text.Name {
		return text.NewName(s.Say(text.M(fmt.Sprintf("computer.name.%d", n), "Level", text.M("computer.level."+level))))
	}
	for n := 1; ; n++ {
		used := slices.ContainsFunc(rm.Tables.Levels(), func(l string) bool {
			return slices.Contains(taken, named(n, l))
		})
		if !used || n == computerNames {
			return table.ComputerPlayer{Level: level, Name: named(n, level)}
		}
	}
}

// computerPlayers are the computer players that /play asks for. A level alone asks for one.
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

// computersOf are computer players of a level, each with a name of its own.
func (rm *Room) computersOf(r *interact.Request, level string, n int) []table.ComputerPlayer {
	var list []table.ComputerPlayer
	var taken []text.Name
	for range min(n, len(opponentOptions)) {
		c := rm.computerPlayer(r, level, taken)
		list, taken = append(list, c), append(taken, c.Name)
	}
	return list
}

// computer answers /seat computer: a computer player comes to a table that has not started, or takes
// over a seat that is offered.
func (rm *Room) computer(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	c := rm.computerPlayer(r, r.Option("level"), show.Names(snap))
	if snap.Status == table.Lobby {
		_, err = rm.Tables.AddComputer(ctx, r.Actor(), snap.ID, c)
	} else {
		_, err = rm.Tables.TakeByComputer(ctx, r.Actor(), snap.ID, games.Nobody, c)
	}
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.computer.added", "Name", c.Name,
		"Table", snap.ID.String())))}, nil
}

// computerButtons are the lobby's buttons about computer players.
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

// askLevel answers the Add computer button: it asks how well the computer shall play.
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

// addComputer answers the choice of a level.
func (rm *Room) addComputer(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	c := rm.computerPlayer(r, r.Control.Arg, show.Names(snap))
	if _, err := rm.Tables.AddComputer(ctx, r.Actor(), snap.ID, c); err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{Update: show.Text(r.Say.Say(text.M("bot.computer.added", "Name", c.Name,
		"Table", snap.ID.String())))}, nil
}

// dismissComputer answers the button that sends the last computer away.
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
