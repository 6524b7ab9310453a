package turn

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
)

// more handles the More button under a board: it shows the user's other actions. The play in the button's custom_id is
// the first one that the board highlights. Its argument is the number of plays that the board shows. For the first
// board of a game, the argument also has a slash and the fingerprint of the game's beginning.
func (rm *Room) more(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	from, n := r.Control.Play, snap.Plays
	count, _, _ := strings.Cut(r.Control.Arg, "/")
	if shown, err := strconv.Atoi(count); err == nil {
		n = min(max(shown, 0), n)
	}
	buttons := []discordgo.Button{
		show.TextButton(snap, from, n, r.Say), show.KeyButton(snap, from, n, r.Say),
	}
	if snap.Turn(snap.Plays) > 0 { // otherwise nobody has moved yet
		buttons = append(buttons, show.NewsButton(snap, r.Say))
	}
	if seat := snap.Seat(r.User.ID); seat >= 0 {
		if show.HasHands(snap) {
			buttons = slices.Insert(buttons, 0, show.HandButton(snap, r.Say))
		}
		if snap.TakesBack(seat) {
			buttons = append(buttons, show.UndoButton(snap, r.Say))
		}
	} else if offered, err := rm.predictions.Offered(ctx, snap); err != nil {
		return interact.Reply{}, err
	} else if offered {
		buttons = append(buttons, show.PredictButton(snap, r.Say))
	}
	buttons = append(buttons, show.LessonsButtons(snap.Rules(), r.Say)...)
	if snap.Draws() {
		buttons = append(buttons, show.BegunFairButton(snap, r.Say))
	}
	m := show.Text(show.Title(snap, r.Say))
	m.Components = append(m.Components, show.Rows(buttons...)...)
	return interact.Reply{New: m}, nil
}
