package lobby

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// The kinds of opponents of a table that is opened with buttons, as custom_ids contain them.
const (
	forPeople    = "people" // people chosen in a form
	forComputers = "computers"
	forSomebody  = "@"    // followed by the id of the challenged user
	more         = "more" // not a kind of opponent: the button shows further choices
)

// panel replies to /server panel by posting a permanent message with buttons in this channel, for people who never type
// a command. The panel is not stored, because the custom_ids of its buttons contain all of its data.
func (rm *Room) panel(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	if _, err := rm.Find.Place(ctx, r); err != nil {
		return interact.Reply{}, err
	}
	ctx = show.WithTheme(ctx, r.Settings.Theme)
	m, err := rm.entrance(ctx, r.Where, rm.Languages.Public(r.GuildID, r.Settings))
	if err != nil {
		return interact.Reply{}, err
	}
	m.Nonce = r.ID
	_, err = rest.Client{Session: rm.Session}.Post(ctx, r.ChannelID, m)
	switch {
	case rest.Moderated(err):
		return interact.Reply{}, refuseModerated()
	case rest.Final(err) && rest.Code(err) != rest.CodeInvalidForm:
		return interact.Reply{}, show.Refuse(text.M("bot.entrance.refused"))
	}
	if err != nil {
		return interact.Reply{}, fmt.Errorf("posting the panel: %w", err)
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.entrance.posted")))}, nil
}

// mostEntrances is the maximum number of games on the first screen, because a message can have 40 components.
const mostEntrances = 12

// entrance returns the first screen. It shows a small board of each game and a sentence, and up to two buttons for each
// game: one starts a game, the other teaches it. The buttons come last, because clients scroll to the end of a new
// message.
func (rm *Room) entrance(ctx context.Context, where interact.Where, s *locale.Speaker) (*show.Message, error) {
	list := rm.Games[:min(len(rm.Games), mostEntrances)]
	file, alt, err := rm.Paint.Shelf(ctx, list, s)
	if err != nil {
		return nil, err
	}
	said := make([]string, len(list))
	for i, g := range list {
		said[i] = s.Say(text.M("bot.entrance.game", "Game", g.Info().Name, "What", g.Info().Tagline))
	}
	m := show.Text(s.Say(text.M("bot.entrance")))
	m.Files = append(m.Files, file)
	m.Components = append(m.Components, show.Picture(file.Name, alt), show.Paragraph(strings.Join(said, "\n")))
	for two := range slices.Chunk(list, 2) { // two games per row, with at most two buttons each
		var buttons []discordgo.Button
		for _, g := range two {
			buttons = append(buttons, rm.firstGame(g, text.M("bot.button.play-game", "Game", g.Info().Name), s)...)
			buttons = append(buttons, show.LessonsButtons(g, s)...)
		}
		m.Components = append(m.Components, show.Rows(buttons...)...)
	}
	to := func(style discordgo.ButtonStyle, label, arg string) discordgo.Button {
		return show.Button(style, s.Say(text.M(label)), show.CustomID{Action: actionNew, Arg: arg})
	}
	buttons := []discordgo.Button{to(discordgo.PrimaryButton, "bot.button.play-others", forPeople), show.SeekButton(s),
		to(discordgo.SecondaryButton, "bot.button.more", more)}
	if where != interact.OnServer {
		buttons = []discordgo.Button{to(discordgo.PrimaryButton, "bot.button.play-computer", forPeople),
			show.AllRulesButton(s)}
	}
	m.Components = append(m.Components, show.Rows(buttons...)...)
	return m, nil
}

// moreMessage returns a message with the further choices of the first screen.
func (rm *Room) moreMessage(s show.Speaker) *show.Message {
	var buttons []discordgo.Button
	if len(rm.Tables.Levels()) > 0 {
		buttons = append(buttons, show.Button(discordgo.PrimaryButton, s.Say(text.M("bot.button.play-computer")),
			show.CustomID{Action: actionNew, Arg: forComputers}))
	}
	buttons = append(buttons, show.MyGamesButton(s), show.LeadersButton(s), show.AllRulesButton(s))
	return &show.Message{Components: append(show.Text(s.Say(text.M("bot.entrance.more"))).Components,
		show.Rows(buttons...)...)}
}

// FirstGame returns a button that opens a game against the easiest computer player, or nil if there are no computer
// players.
func (rm *Room) FirstGame(g games.Game, s show.Speaker) []discordgo.Button {
	return rm.firstGame(g, text.M("bot.learn.play"), s)
}

func (rm *Room) firstGame(g games.Game, label text.Message, s show.Speaker) []discordgo.Button {
	levels := rm.Tables.Levels()
	if len(levels) == 0 {
		return nil
	}
	id := show.CustomID{Action: actionNewLevel, Arg: g.Key() + "/" + levels[0]}
	return []discordgo.Button{show.Button(discordgo.SuccessButton, s.Say(label), id)}
}

// challenge replies to a user's context menu by asking for the game of the challenge.
func (rm *Room) challenge(_ context.Context, r *interact.Request) (interact.Reply, error) {
	id, _, _ := r.Person("")
	if err := r.Invitable(id); err != nil {
		return interact.Reply{}, err
	}
	if id == r.User.ID {
		return interact.Reply{}, show.Refuse(text.M("bot.error.challenged-self"))
	}
	m := show.Text(r.Say.Say(text.M("bot.entrance.challenge", "Who", text.User(id))))
	m.Components = append(m.Components, rm.Games.Buttons(actionNewGame, forSomebody+id, r.Say)...)
	return interact.Reply{New: m}, nil
}

// askGame replies to the buttons that lead to a table by opening the form, by asking for the game, or with further
// choices.
func (rm *Room) askGame(_ context.Context, r *interact.Request) (interact.Reply, error) {
	switch r.Control.Arg {
	case more:
		return interact.Reply{New: rm.moreMessage(r.Say)}, nil
	case forPeople:
		return rm.openForm(r), nil
	}
	m := show.Text(r.Say.Say(text.M("bot.entrance.which")))
	m.Components = append(m.Components, rm.Games.Buttons(actionNewGame, r.Control.Arg, r.Say)...)
	return interact.Reply{New: m}, nil
}

// openChosen replies to the choice of a game by opening a table for anybody or for the challenged user, or by asking
// for the level of the computer player.
func (rm *Room) openChosen(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	key, whom, _ := strings.Cut(r.Control.Arg, "/")
	g, err := rm.Games.Find(key)
	if err != nil {
		return interact.Reply{}, err
	}
	if whom != forComputers {
		o, err := rm.opening(ctx, r, g)
		if err != nil {
			return interact.Reply{}, err
		}
		if id, ok := strings.CutPrefix(whom, forSomebody); ok {
			o.Invited = []string{id}
		}
		return rm.openHere(ctx, r, o)
	}
	return interact.Reply{Update: rm.ask(g, rm.usual(r, g), r.Say)}, nil
}

// wish holds a user's choices before a table against the computer is opened, for use in custom_ids: the index of the
// chosen value for each of the game's choices, joined by dots.
type wish string

// usual returns the default choices, from the game and the server.
func (rm *Room) usual(r *interact.Request, g games.Game) []int {
	choices := rm.choices(g)
	numbers := make([]int, len(choices))
	for i, c := range choices {
		if c.key == resignOption {
			numbers[i] = slices.Index(c.values, strconv.FormatBool(r.Settings.Resign))
		}
	}
	return numbers
}

func wishOf(numbers []int) wish {
	var list []string
	for _, n := range numbers {
		list = append(list, strconv.Itoa(n))
	}
	return wish(strings.Join(list, "."))
}

// read returns the index of each choice's value, or false if the wish does not fit the choices.
func (w wish) read(choices []choice) (numbers []int, ok bool) {
	list := strings.Split(string(w), ".")
	if len(list) != len(choices) {
		return nil, false
	}
	for i, c := range choices {
		n, err := strconv.Atoi(list[i])
		if err != nil || n < 0 || n >= len(c.values) {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	return numbers, true
}

// ask returns a message that asks for the level of the computer player. It has a menu for each option above the levels.
// The choice of a level opens the table.
func (rm *Room) ask(g games.Game, numbers []int, s show.Speaker) *show.Message {
	m := show.Text(s.Say(text.M("bot.entrance.level", "Game", g.Info().Name)) + "\n-# " + s.Say(text.M("bot.lobby.unrated")))
	w := wishOf(numbers)
	for i, c := range rm.choices(g) {
		m.Components = append(m.Components, c.menu(show.CustomID{Action: actionNewOption, Page: i,
			Arg: g.Key() + "/" + string(w)}, numbers[i], s)...)
	}
	var buttons []discordgo.Button
	for _, l := range rm.Tables.Levels() {
		id := show.CustomID{Action: actionNewLevel, Arg: g.Key() + "/" + l + "/" + string(w)}
		buttons = append(buttons, show.Button(discordgo.SecondaryButton, s.Say(text.M("computer.level."+l)), id))
	}
	m.Components = append(m.Components, show.Rows(buttons...)...)
	return m
}

// chooseOption replies to the menu of an option by showing the new choice.
func (rm *Room) chooseOption(_ context.Context, r *interact.Request) (interact.Reply, error) {
	key, w, _ := strings.Cut(r.Control.Arg, "/")
	g, err := rm.Games.Find(key)
	if err != nil {
		return interact.Reply{}, err
	}
	choices := rm.choices(g)
	i := r.Control.Page
	numbers, ok := wish(w).read(choices)
	if !ok || i >= len(choices) || len(r.Values) != 1 || !slices.Contains(choices[i].values, r.Values[0]) {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	numbers[i] = slices.Index(choices[i].values, r.Values[0])
	return interact.Reply{Update: rm.ask(g, numbers, r.Say)}, nil
}

// openAgainstComputer replies to the choice of a level by opening an unrated table with as many computer players as the
// game needs. If the button offered no options, a user who already has such a game here is asked first.
func (rm *Room) openAgainstComputer(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	key, chosen, _ := strings.Cut(r.Control.Arg, "/")
	level, w, options := strings.Cut(chosen, "/")
	g, err := rm.Games.Find(key)
	if err != nil {
		return interact.Reply{}, err
	}
	o, err := rm.opening(ctx, r, g)
	if err != nil {
		return interact.Reply{}, err
	}
	if !options { // FirstGame offers no options
		asks, err := rm.askGoOn(ctx, r, g, level)
		if err != nil || asks != nil {
			return inPlace(r, interact.Reply{New: asks}), err
		}
	} else {
		choices := rm.choices(g)
		numbers, ok := wish(w).read(choices)
		if !ok {
			return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
		}
		for i, c := range choices {
			if c.key == resignOption {
				o.Resign = c.values[numbers[i]] == strconv.FormatBool(true)
			} else {
				o.Options = append(o.Options, games.Setting{Key: c.key, Value: c.values[numbers[i]]})
			}
		}
	}
	least, _ := g.Seats()
	o.Computers, o.Unrated = rm.computersOf(r, level, least-1), true
	return rm.openHere(ctx, r, o)
}

// openHere opens a table and replies with a confirmation, in place of the question or below a panel.
func (rm *Room) openHere(ctx context.Context, r *interact.Request, o table.Opening) (interact.Reply, error) {
	g, err := rm.Games.Find(o.Game)
	if err != nil {
		return interact.Reply{}, err
	}
	said, err := rm.openTable(ctx, r, g, o)
	return inPlace(r, said), err
}

// inPlace makes a reply replace the message with the control, unless everybody sees that message.
func inPlace(r *interact.Request, said interact.Reply) interact.Reply {
	if !r.Private() {
		return said
	}
	return interact.Reply{Update: said.New}
}

// askGoOn asks a user who already plays g against computers of a level here whether to go on with that game or to begin
// another. It returns nil if there is no such game.
func (rm *Room) askGoOn(ctx context.Context, r *interact.Request, g games.Game, level string) (*show.Message, error) {
	heads, err := rm.Tables.Lookup.ByUser(ctx, r.User.ID, storage.Active, 0, interact.MaxListed)
	if err != nil {
		return nil, err
	}
	for _, h := range heads {
		others := slices.ContainsFunc(h.Seats, func(o storage.Occupant) bool {
			return o.User != r.User.ID && o.Computer != level
		})
		here := h.Channel == r.ChannelID || h.InThreadOf(r.ChannelID)
		if h.Game != g.Key() || h.Status != table.Playing || h.LostChannel() || others || !here {
			continue
		}
		m := show.Text(r.Say.Say(text.M("bot.entrance.unfinished", "Game", g.Info().Name, "Channel", show.Place(h))))
		another := show.CustomID{Action: actionNewLevel,
			Arg: g.Key() + "/" + level + "/" + string(wishOf(rm.usual(r, g)))}
		open := show.OpenButton(h, r.User.ID, r.Say)
		open.Label, open.Style = r.Say.Say(text.M("bot.button.go-on")), discordgo.PrimaryButton
		m.Components = append(m.Components, show.Rows(open,
			show.Button(discordgo.SecondaryButton, r.Say.Say(text.M("bot.button.another-game")), another))...)
		return m, nil
	}
	return nil, nil
}
