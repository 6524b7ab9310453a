// Package predict lets spectators of a game predict the winner, and shows the results of predictions.
package predict

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/predictions"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// Room answers the commands about predictions.
type Room struct {
	tables      *table.Service
	predictions *predictions.Service
	find        *interact.Finder
}

// New returns a Room whose predictions the given Service accepts and stores.
func New(tables *table.Service, predictions *predictions.Service, find *interact.Finder) *Room {
	return &Room{tables, predictions, find}
}

// Actions of the controls that this package handles.
const (
	actionSay   show.Action = "foresee"
	actionMonth show.Action = "foreseen"
)

// mostLines limits the lines of a month's table, and of a user's predictions of a month.
const mostLines = 15

// Commands returns the commands about predictions. It returns none without computer players, whose estimates determine
// the points of a prediction.
func (rm *Room) Commands() []interact.Command {
	if len(rm.tables.Levels()) == 0 {
		return nil
	}
	return []interact.Command{
		{
			Name: "table predict", Topic: interact.TopicLook,
			Options: []interact.Option{interact.Typed("winner").Completed(), interact.TableOption()},
			Route:   interact.Route{Handle: rm.predict, Complete: rm.complete, Work: interact.Thinking},
			Actions: []interact.Action{
				{Name: show.ActionPredict, Route: interact.Route{Handle: rm.predict, Work: interact.Thinking}},
				{Name: actionSay, Route: interact.Route{Handle: rm.chosen, Updates: true, Work: interact.Thinking}},
			},
		},
		{
			Name: "me predictions", Topic: interact.TopicMe,
			Options: []interact.Option{interact.ShareOption()},
			Route:   interact.Route{Handle: rm.month, Public: interact.Shared},
			Actions: []interact.Action{{Name: actionMonth, Route: interact.Route{Handle: rm.month}}},
		},
	}
}

// predict answers /table predict, and the button in the message that More opens. If the option names a winner, it
// records the prediction. Otherwise it shows a button for each possible winner.
func (rm *Room) predict(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	if winner := r.Option("winner"); winner != "" {
		m, err := rm.say(ctx, r, winner)
		return interact.Reply{New: m}, err
	}
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	o, err := rm.predictions.Odds(ctx, r.Actor(), snap.ID)
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	said := r.Say.Say(text.M("bot.predict.ask"))
	if !o.Shown {
		said += " " + r.Say.Say(text.M("bot.predict.unseen"))
	}
	var buttons []discordgo.Button
	names := show.Names(o.Snapshot, r.Say)
	for seat, name := range names {
		if !o.In(games.Seat(seat)) {
			continue
		}
		label := text.M("bot.predict.seat", "Who", name)
		if o.Shown {
			label = text.M("bot.predict.seat-chance", "Who", name, "Chance", tenths(o.Chances[seat]))
		}
		buttons = append(buttons, show.Button(discordgo.SecondaryButton, r.Say.Plain().Say(label),
			show.CustomID{Action: actionSay, Table: snap.ID.String(), Arg: strconv.Itoa(seat)}))
	}
	m := show.Framed([]string{show.Title(o.Snapshot, r.Say), said})
	m.Components = append(m.Components, show.Rows(buttons...)...)
	return interact.Reply{New: m}, nil
}

// chosen answers the button of a possible winner.
func (rm *Room) chosen(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	m, err := rm.say(ctx, r, r.Control.Arg)
	return interact.Reply{Update: m}, err
}

// say records a prediction. winner is the number of the seat or the name of its player.
func (rm *Room) say(ctx context.Context, r *interact.Request, winner string) (*show.Message, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return nil, err
	}
	seat := games.Nobody
	for i, name := range show.Names(snap, r.Say) {
		if winner == strconv.Itoa(i) || strings.EqualFold(winner, name.Plain()) {
			seat = games.Seat(i)
		}
	}
	o, err := rm.predictions.Predict(ctx, r.Actor(), snap.ID, seat)
	if err != nil {
		return nil, interact.Naming(err, r, snap)
	}
	who, s := text.Player(seat), show.Mentioning(r.Say, snap)
	said := s.Say(text.M("bot.predict.said-unseen", "Who", who))
	if c := o.Chances[seat]; o.Shown {
		said = s.Say(text.M("bot.predict.said", "Who", who, "Chance", tenths(c), "Win", tenths(1000-c),
			"Loss", tenths(c)))
	}
	m := show.Framed([]string{show.Title(snap, r.Say), said})
	m.Components = append(m.Components, show.Rows(show.Button(discordgo.SecondaryButton,
		r.Say.Say(text.M("bot.predict.month-button")), show.CustomID{Action: actionMonth}))...)
	return m, nil
}

// complete suggests tables, or the seats that can still win.
func (rm *Room) complete(ctx context.Context, r *interact.Request) []*discordgo.ApplicationCommandOptionChoice {
	if r.Focused == "table" {
		return rm.find.CompleteTable(ctx, r)
	}
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return nil
	}
	if offered, err := rm.predictions.Offered(ctx, snap); !offered || err != nil {
		return nil
	}
	var list []*discordgo.ApplicationCommandOptionChoice
	typed := strings.ToLower(r.Option("winner"))
	for seat, name := range show.Names(snap, r.Say) {
		if snap.In(games.Seat(seat)) && strings.Contains(strings.ToLower(name.Plain()), typed) {
			list = append(list, &discordgo.ApplicationCommandOptionChoice{
				Name: show.Clip(name.Plain(), show.MaxChoiceName), Value: strconv.Itoa(seat)})
		}
	}
	return list
}

// months returns the beginnings of this month and of the previous one, in UTC.
func (rm *Room) months() []time.Time {
	now := rm.tables.Lookup.Now().UTC()
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	return []time.Time{first, first.AddDate(0, -1, 0)}
}

// key returns a month in the store's format.
func key(month time.Time) string { return storage.ConductMonth(storage.At(month)) }

// month answers /me predictions, and the button below a stored prediction. It shows the best predictors of this
// month and the previous one, unless the server has turned predictions off. A private answer also shows the user's
// own predictions.
func (rm *Room) month(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	shared := interact.Shared(r)
	if r.Settings.Without.Predictions && shared {
		return interact.Reply{}, show.Refuse(text.M("table.error.predict-off"))
	}
	var best, mine []string
	for i, month := range rm.months() {
		list, own, err := rm.predictions.Month(ctx, r.GuildID, key(month), r.User.ID)
		if err != nil {
			return interact.Reply{}, err
		}
		if i == 0 || len(list) > 0 {
			best = append(best, "### "+r.Say.Say(text.M("bot.predict.month", "Month", text.Month(month))))
			best = append(best, ranked(r, list)...)
		}
		lines, err := rm.own(ctx, r, month)
		if err != nil {
			return interact.Reply{}, err
		}
		if len(lines) == 0 || shared {
			continue
		}
		mine = append(append(mine, "### "+r.Say.Say(text.M("bot.predict.mine", "Month", text.Month(month))),
			r.Say.Say(text.M("bot.predict.own", "Points", signed(own.Points), "Right", own.Right, "Count", own.Count,
				"Open", own.Open))), lines...)
	}
	best = append(best, "-# "+r.Say.Say(text.M("bot.predict.how")))
	if r.Settings.Without.Predictions {
		best = []string{r.Say.Say(text.M("table.error.predict-off"))}
	}
	if len(mine) == 0 && !shared && !r.Settings.Without.Predictions {
		mine = []string{r.Say.Say(text.M("bot.predict.none"))}
	}
	return interact.Reply{New: show.Framed(append(best, mine...))}, nil
}

func ranked(r *interact.Request, list []predictions.Line) (lines []string) {
	if len(list) == 0 {
		return []string{r.Say.Say(text.M("bot.predict.nobody", "Count", predictions.Least))}
	}
	rank := 0
	for n, l := range list[:min(len(list), mostLines)] {
		if n == 0 || l.Points != list[n-1].Points {
			rank = n + 1
		}
		lines = append(lines, r.Say.Say(text.M("bot.predict.line", "Rank", rank, "Who", text.User(l.User),
			"Points", signed(l.Points), "Right", l.Right, "Count", l.Count)))
	}
	if more := len(list) - mostLines; more > 0 {
		lines = append(lines, r.Say.Say(text.M("bot.predict.more", "Count", more)))
	}
	return lines
}

// own returns lines about the user's predictions of a month.
func (rm *Room) own(ctx context.Context, r *interact.Request, month time.Time) (lines []string, err error) {
	list, err := rm.predictions.Of(ctx, r.GuildID, key(month), r.User.ID)
	if err != nil {
		return nil, err
	}
	for _, p := range list[:min(len(list), mostLines)] {
		line, err := rm.line(ctx, r, p)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	if more := len(list) - mostLines; more > 0 {
		lines = append(lines, r.Say.Say(text.M("bot.predict.more", "Count", more)))
	}
	return lines, nil
}

func (rm *Room) line(ctx context.Context, r *interact.Request, p storage.Prediction) (string, error) {
	head, err := rm.tables.Lookup.Head(ctx, p.Table)
	if errors.Is(err, storage.ErrNoTable) {
		err = nil
	}
	var holder table.Occupant
	if int(p.Seat) < len(head.Seats) {
		holder = head.Seats[p.Seat]
	}
	id, points := "bot.predict.void", 0
	if n, counts := p.Points(); counts {
		id, points = "bot.predict.came", n
	} else if p.Result == nil {
		id = "bot.predict.open"
	}
	return r.Say.Say(text.M(id, "Table", p.Table.String(), "Who", show.Mention(holder), "Points", signed(points))), err
}

// tenths converts thousandths to points or per cent.
func tenths(n int) int { return int(math.Round(float64(n) / 10)) }

// signed writes thousandths as points with their sign.
func signed(n int) string {
	switch n = tenths(n); {
	case n > 0:
		return "+" + strconv.Itoa(n)
	case n < 0:
		return "−" + strconv.Itoa(-n)
	}
	return "0"
}
