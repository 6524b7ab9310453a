package web

import (
	"context"
	"slices"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/stepper"
	"marque/bot/table"
	"marque/games"
	"marque/games/scene"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/render"
	"marque/storage"
)

// State is a table as its page shows it to a viewer.
type State struct {
	Table       string     `json:"table"`
	Version     uint64     `json:"version"` // version of the table, which the page sends back with a play
	Game        string     `json:"game"`
	Key         string     `json:"key"`    // key of the game
	Status      string     `json:"status"` // lobby, playing, over or paused
	Seats       []Seat     `json:"seats"`
	Description string     `json:"description"` // the position as text, with the player to move first
	Hand        string     `json:"hand"`        // the user's cards in words; "" without cards
	Plays       int        `json:"plays"`       // number of plays so far
	Story       []PlayLine `json:"story"`       // plays since the user's last turn, or of a shared game, up to a limit
	Deadline    int64      `json:"deadline,omitempty"`
	Question    *Question  `json:"question,omitempty"` // set on the user's turn, or for the next move of Plan
	Buttons     []Button   `json:"buttons"`            // the user's other actions
	Offer       *Message   `json:"offer,omitempty"`    // open offer at the table, with its buttons
	CanPlan     bool       `json:"canPlan,omitempty"`  // whether the user can plan answers to the others' moves
	Plan        *Plan      `json:"plan,omitempty"`     // unfinished plan, for whose next move Question asks
	Planned     *Message   `json:"planned,omitempty"`  // the user's saved plans, with a button that drops them
	Result      string     `json:"result,omitempty"`   // how the game ended
	Report      *Message   `json:"report,omitempty"`   // report of a shared game
	Pending     bool       `json:"pending,omitempty"`  // whether the report of a shared game is not ready yet
	Language    string     `json:"language"`
}

// Seat is a seat of a table.
type Seat struct {
	Name   string `json:"name"`
	You    bool   `json:"you,omitempty"`
	ToMove bool   `json:"toMove,omitempty"`
	Out    bool   `json:"out,omitempty"`
	Won    bool   `json:"won,omitempty"`
}

// PlayLine is the sentence about a play.
type PlayLine struct {
	Plays int    `json:"plays"` // number of plays including this one
	Said  string `json:"said"`
	Note  string `json:"note,omitempty"` // the better move, if the play was a turning point
}

// Question is a stepper.Question in the page's format.
type Question struct {
	Path     string   `json:"path"`
	Said     string   `json:"said,omitempty"` // the choices so far, as text
	Prompt   string   `json:"prompt,omitempty"`
	Choices  []Choice `json:"choices"`
	Targets  []Target `json:"targets"`
	Chosen   []Place  `json:"chosen"` // places of the choices that are already made
	Complete bool     `json:"complete,omitempty"`
	Effect   string   `json:"effect,omitempty"` // effect of the complete move
	Expect   string   `json:"expect,omitempty"` // what the preview of the complete move shows, or cannot show
	Hand     string   `json:"hand"`             // the user's cards in words after the complete move
	Back     *string  `json:"back,omitempty"`   // path without its last choice; nil at the start
}

// Choice is a way to continue the move.
type Choice struct {
	Path  string `json:"path"`
	Label string `json:"label"`
	// List means that the choice is shown in a list. It can also have a place in a picture.
	List bool `json:"list,omitempty"`
}

// Place is a place in the picture of the board or of the hand, in fractions of that picture's width.
type Place struct {
	X    float64 `json:"x"` // middle of the place
	Y    float64 `json:"y"`
	W    float64 `json:"w"`
	H    float64 `json:"h"`
	Card bool    `json:"card,omitempty"` // whether the place is in the picture of the hand
}

// Target is a place to touch, with the choices that a touch can make.
type Target struct {
	Place
	Choices []int `json:"choices"` // indexes of Question.Choices
	// Shortcut means that the place belongs to a later choice, and only one path leads there. A touch makes all
	// choices up to that place.
	Shortcut bool `json:"shortcut,omitempty"`
}

// maxStory is the maximum number of plays that a state tells, except on the page of a shared game.
const maxStory = 80

// tableState returns a table in a seat's view. Its story begins with the play of index since. Before the start, only
// the seats and the table's data are set.
func (rm *Room) tableState(snap *table.Snapshot, viewer games.Seat, since int, say *locale.Speaker) *State {
	s := show.Plain(say, snap)
	st := &State{Table: snap.ID.String(), Version: uint64(snap.Version), Game: s.Say(snap.Rules().Info().Name),
		Key: snap.Rules().Key(), Status: statusOf(snap), Seats: []Seat{}, Story: []PlayLine{}, Buttons: []Button{},
		Plays: snap.Plays, Language: say.Language().String()}
	for i, name := range show.Names(snap, say) {
		seat := games.Seat(i)
		st.Seats = append(st.Seats, Seat{Name: name.Plain(), You: seat == viewer,
			ToMove: snap.Status == table.Playing && snap.ToMove == seat, Out: snap.HasStarted() && !snap.In(seat),
			Won: slices.Contains(snap.Outcome().Winners, seat)})
	}
	if !snap.HasStarted() {
		return st
	}
	sc := show.SceneAt(snap, viewer, latest(snap, viewer, snap.Plays), snap.Plays)
	st.Description = show.Describe(sc, s)
	st.Hand = handText(sc, s)
	if snap.Status == table.Over {
		st.Result = s.Say(snap.Match().ResultText())
	}
	for i := since; i < snap.Plays; i++ {
		if said := show.DescribePlay(snap, viewer, i, s); said != "" {
			st.Story = append(st.Story, PlayLine{Plays: i + 1, Said: said})
		}
	}
	return st
}

// handText returns the cards of a scene in words, or "" without cards.
func handText(sc scene.Scene, s show.Speaker) string {
	if len(sc.Hand) == 0 {
		return ""
	}
	return s.Say(sc.HandAlt)
}

// state returns a table in the view of the request's user. Its question comes after the choices in a.Path. It asks for
// the next move of a.Plan, or without a plan for the user's move.
func (rm *Room) state(ctx context.Context, r *interact.Request, snap *table.Snapshot, a ask) (*State, error) {
	s, viewer := show.Plain(r.Say, snap), snap.Viewer(r.User.ID)
	if !snap.HasStarted() {
		return rm.tableState(snap, viewer, 0, r.Say), nil
	}
	since := max(lately(snap, viewer), snap.Plays-maxStory)
	st := rm.tableState(snap, viewer, since, r.Say)
	if at, runs, err := rm.Tables.Lookup.Deadline(ctx, snap.Head, r.Settings); err == nil && runs {
		st.Deadline = at.Unix()
	}
	st.Buttons = rm.buttons(r, snap, viewer)
	if p := snap.Proposal; p.Kind != storage.NoProposal && snap.Status == table.Playing && viewer >= 0 {
		st.Offer = rm.message(snap, &show.Message{Components: show.ProposalButtons(table.News{Snapshot: snap},
			show.Mentioning(r.Say, snap))})
	}
	if st.CanPlan = plannable(snap, viewer); st.CanPlan {
		st.Planned = rm.planned(r, snap, viewer, s)
		if a.Plan != nil {
			return st, rm.plan(st, snap, viewer, *a.Plan, a.Path, s)
		}
	}
	menu, ok := snap.Menu(viewer)
	if !ok || snap.Status != table.Playing || snap.Paused != "" {
		return st, nil
	}
	q, err := stepper.Next(menu, a.Path)
	if err != nil {
		if q, err = stepper.Next(menu, ""); err != nil { // the position has changed meanwhile
			return nil, err
		}
	}
	st.Question = question(q, show.SceneAt(snap, viewer, snap.Plays-1, snap.Plays), s)
	if move, complete := menu.Move(q.Path); complete {
		state := snap.View(viewer).State
		st.Question.Effect = s.Say(state.Describe(move))
		st.Question.Expect = s.Say(stepper.Expect(state, state.Apply(move)))
		st.Question.Hand = handText(stepper.Board{State: state, Seat: viewer}.After(move), s)
	}
	return st, nil
}

// lately returns the index of the first play after a viewer's last turn (show.SinceLastTurn). At the end of a game it
// is the first play of that turn, because that turn can have decided the game.
func lately(snap *table.Snapshot, viewer games.Seat) int {
	since := show.SinceLastTurn(snap, viewer)
	if snap.Status != table.Over {
		return since
	}
	for laid := show.LaidOut(snap); since > laid; since-- {
		if seat := show.SeatOf(snap, since-1); seat != viewer && seat != games.Chance {
			break
		}
	}
	return since
}

// latest returns the index of the first play that the board after n plays marks as one of the latest. For a player,
// the current board marks all plays since their last turn. Every board marks the last move, because a roll of the
// dice after a move must not hide where the move went.
func latest(snap *table.Snapshot, viewer games.Seat, n int) int {
	last, laid := n-1, show.LaidOut(snap)
	for last > laid && show.SeatOf(snap, last) == games.Chance {
		last--
	}
	if n == snap.Plays && viewer >= 0 {
		return min(last, show.SinceLastTurn(snap, viewer))
	}
	return last
}

func statusOf(snap *table.Snapshot) string {
	switch {
	case snap.Status == table.Lobby:
		return "lobby"
	case snap.Status == table.Over:
		return "over"
	case snap.Paused != "":
		return "paused"
	}
	return "playing"
}

// question converts a question to the page's format, with the places of its choices in the pictures of the scene.
func question(q stepper.Question, sc scene.Scene, s show.Speaker) *Question {
	out := &Question{Path: q.Path, Prompt: s.Say(q.Ask), Choices: []Choice{}, Targets: []Target{}, Chosen: []Place{},
		Complete: q.Complete}
	if len(q.Chosen) > 0 {
		out.Said = s.Say(text.M("bot.step.chosen", "Words", q.Chosen))
	}
	if n := len(q.Back); n > 0 {
		out.Back = &q.Back[n-1]
	}
	add := func(c stepper.Choice, list bool) int {
		i := slices.IndexFunc(out.Choices, func(o Choice) bool { return o.Path == c.Path })
		if i < 0 {
			i = len(out.Choices)
			out.Choices = append(out.Choices, Choice{Path: c.Path, Label: c.Said(s)})
		}
		out.Choices[i].List = out.Choices[i].List || list
		return i
	}
	for _, c := range q.Choices {
		add(c, true)
	}
	for n, c := range slices.Concat(q.Reach, q.Ahead) {
		i, ahead := add(c, false), n >= len(q.Reach)
		for _, p := range places(sc, c.Word.Spot) {
			t := slices.IndexFunc(out.Targets, func(t Target) bool { return t.Place == p })
			if t < 0 {
				t = len(out.Targets)
				out.Targets = append(out.Targets, Target{Place: p, Shortcut: ahead})
			}
			if out.Targets[t].Shortcut == ahead {
				out.Targets[t].Choices = append(out.Targets[t].Choices, i)
			}
		}
	}
	for _, name := range q.Spots {
		out.Chosen = append(out.Chosen, places(sc, name)...)
	}
	return out
}

// places returns the places in the pictures of a scene that have this name.
func places(sc scene.Scene, name string) (list []Place) {
	for _, spot := range sc.Spots {
		switch {
		case name == "" || spot.Name != name:
		case spot.Card > 0:
			at, w, h := render.HandCard(spot.Card-1, len(sc.Hand))
			list = append(list, Place{X: at.X / 1000, Y: at.Y / 1000, W: w / 1000, H: h / 1000, Card: true})
		default:
			w, h := around(sc, spot)
			list = append(list, Place{X: spot.At.X / sc.W, Y: spot.At.Y / sc.W, W: w / sc.W, H: h / sc.W})
		}
	}
	return list
}

// around returns the width and height of the mark at a spot. A mark around a ship's counter is larger than the
// counter, so that the numbers on the counter stay legible.
func around(sc scene.Scene, spot scene.Spot) (w, h float64) {
	i := slices.IndexFunc(sc.Pieces, func(p scene.Piece) bool {
		return p.Kind == scene.ShipCounter && p.At == spot.At
	})
	if i < 0 {
		return 2 * spot.R, 2 * spot.R
	}
	return 1.12 * sc.Pieces[i].Size, 1.4 * sc.Pieces[i].Size
}

// picture paints the picture that a page requests: the board after some plays, the user's hand, or a preview of the
// chosen move or plan.
func (rm *Room) picture(ctx context.Context, r *interact.Request, v *visit) (*discordgo.File, error) {
	snap, err := rm.Find.StartedTable(ctx, r)
	if err != nil {
		return nil, err
	}
	viewer, s := snap.Viewer(r.User.ID), show.Plain(r.Say, snap)
	n := min(max(v.Plays, 0), snap.Plays)
	sc, plate := show.SceneAt(snap, viewer, latest(snap, viewer, n), n), show.TablePlate(snap, n)
	switch v.Picture {
	case "plan":
		if v.Plan == nil || !plannable(snap, viewer) {
			return nil, show.Refuse(text.M("bot.page.moved-on"))
		}
		p, _, err := snap.BeginPlan(viewer, *v.Plan)
		if err != nil {
			return nil, err
		}
		sc, plate = imagined(p, viewer), show.PlanPlate(snap, p)
	case "preview", "hand":
		if v.Picture == "hand" && v.Path == "" {
			break
		}
		menu, ok := snap.Menu(viewer)
		if !ok {
			return nil, show.Refuse(text.M("bot.page.moved-on"))
		}
		move, err := menu.Parse(v.Path)
		if err != nil {
			return nil, err
		}
		sc = stepper.Board{State: snap.View(viewer).State, Seat: viewer}.After(move)
	}
	if v.Picture == "hand" {
		return rm.Paint.Hand(ctx, sc, text.Message{}, s)
	}
	file, _, err := rm.Paint.Paint(ctx, sc, plate, show.Names(snap, r.Say), s, "board.png")
	return file, err
}

// Game is one of the user's games, for a list.
type Game struct {
	Table    string   `json:"table"`
	Game     string   `json:"game"`
	Players  []string `json:"players"`
	YourTurn bool     `json:"yourTurn,omitempty"` // whether it is the user's turn
	// Deadline is in seconds since 1970. It is 0 if no clock runs.
	Deadline int64 `json:"deadline,omitempty"`
}

// maxGames is the maximum length of the list of a user's games.
const maxGames = 50

// answerGames lists the user's games. Those in which it is the user's turn come first, sorted by the longest wait.
func (rm *Room) answerGames(v *visit) (a answer, _ []byte) {
	v.id, v.Table = 0, ""
	a.Games = []Game{}
	_, a.Error = rm.perform(v, "page-games", interact.Quick, nil,
		func(ctx context.Context, r *interact.Request) (interact.Reply, error) {
			turns, err := rm.Tables.Lookup.MyTurn(ctx, r.User.ID)
			if err != nil {
				return interact.Reply{}, err
			}
			all, err := rm.Tables.Lookup.ByUser(ctx, r.User.ID, storage.Active, 0, maxGames)
			if err != nil {
				return interact.Reply{}, err
			}
			listed := map[table.ID]bool{}
			for i, h := range append(turns, all...) {
				if listed[h.ID] || h.Status != table.Playing || len(a.Games) == maxGames {
					continue
				}
				listed[h.ID] = true
				name := r.Say.Plain().Say(rm.Games.Name(h.Game))
				g := Game{Table: h.ID.String(), Game: name, YourTurn: i < len(turns)}
				settings, err := rm.Tables.Choices.Settings(ctx, h.Guild)
				if err != nil {
					return interact.Reply{}, err
				}
				if at, runs, err := rm.Tables.Lookup.Deadline(ctx, h, settings); err == nil && runs {
					g.Deadline = at.Unix()
				}
				for _, o := range h.Seats {
					g.Players = append(g.Players, show.NameOf(o, r.Say).Plain())
				}
				a.Games = append(a.Games, g)
			}
			return interact.Reply{}, nil
		})
	return a, nil
}
