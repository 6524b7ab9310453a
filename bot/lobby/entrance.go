package lobby

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
)

// Whom a table that is opened by buttons is for. It stands in custom_ids.
const (
	forPeople    = "people"
	forComputers = "computers"
)

// OpenButtons lead to a table without a command: among people, and against the computer.
func (rm *Room) OpenButtons(s show.Speaker) []discordgo.Button {
	id := func(whom string) show.CustomID { return show.CustomID{Action: actionNew, Arg: whom} }
	buttons := []discordgo.Button{show.Button(discordgo.SuccessButton, s.Say(text.M("bot.button.play")), id(forPeople))}
	if len(rm.Tables.Levels()) > 0 {
		buttons = append(buttons, show.Button(discordgo.PrimaryButton, s.Say(text.M("bot.button.play-computer")), id(forComputers)))
	}
	return buttons
}

// entrance answers the buttons that lead to a table.
type entrance struct{ *Room }

// askGame answers the buttons that lead to a table: it asks which game.
func (rm entrance) askGame(_ context.Context, r *interact.Request) (interact.Reply, error) {
	m := show.Text(r.Say.Say(text.M("bot.entrance.which")))
	menu := rm.Games.Menu(show.CustomID{Action: actionNewGame, Arg: r.Control.Arg}, r.Say)
	m.Components = append(m.Components, discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}})
	return interact.Reply{New: m}, nil
}

// openChosen answers the choice of a game: it opens a table for whoever joins, or asks how well the
// computer shall play.
func (rm entrance) openChosen(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	if len(r.Values) != 1 {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	g, err := rm.Games.Find(r.Values[0])
	if err != nil {
		return interact.Reply{}, err
	}
	if r.Control.Arg != forComputers {
		return rm.openHere(ctx, r, rm.opening(r, g))
	}
	m := show.Text(r.Say.Say(text.M("bot.entrance.level", "Game", g.Info().Name)))
	var buttons []discordgo.Button
	for _, l := range rm.Tables.Levels() {
		id := show.CustomID{Action: actionNewLevel, Arg: g.Key() + "/" + l}
		buttons = append(buttons, show.Button(discordgo.SecondaryButton, r.Say.Say(text.M("computer.level."+l)), id))
	}
	m.Components = append(m.Components, show.Rows(buttons...)...)
	return interact.Reply{Update: m}, nil
}

// openAgainstComputer answers the choice of a level: it opens a table with as many computer players as
// the game needs.
func (rm entrance) openAgainstComputer(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	key, level, _ := strings.Cut(r.Control.Arg, "/")
	g, err := rm.Games.Find(key)
	if err != nil {
		return interact.Reply{}, err
	}
	o := rm.opening(r, g)
	least, _ := g.Seats()
	o.Computers = rm.crewOf(r, level, least-1)
	return rm.openHere(ctx, r, o)
}

// openHere opens a table, and says so where the question was.
func (rm entrance) openHere(ctx context.Context, r *interact.Request, o table.Opening) (interact.Reply, error) {
	g, err := rm.Games.Find(o.Game)
	if err != nil {
		return interact.Reply{}, err
	}
	said, err := rm.openTable(ctx, r, g, o)
	return interact.Reply{Update: said.New}, err
}
