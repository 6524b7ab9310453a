package show

import (
	"strconv"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
)

// The actions of buttons. They are declared here because a room also shows buttons of rooms above it, which it must
// not import.
const (
	ActionGames     Action = "games"
	ActionRules     Action = "rules"
	ActionLearn     Action = "learn"
	ActionSeek      Action = "seek"
	ActionStandings Action = "standings"
	ActionRematch   Action = "rematch"
	ActionReport    Action = "report"
	ActionShare     Action = "card"
	ActionReplay    Action = "replay"
	ActionWalk      Action = "walk"
	ActionTry       Action = "try"
	ActionMove      Action = "move"
	ActionHand      Action = "hand"
	ActionFairness  Action = "fair"
	ActionMore      Action = "more"
	ActionOpen      Action = "open"
	ActionTable     Action = "table"
	ActionText      Action = "text"
	ActionKey       Action = "key"
	ActionNews      Action = "news"
	ActionUndo      Action = "undo"
	ActionHint      Action = "hint"
	ActionPredict   Action = "predict"
	ActionAgree     Action = "agree"
	ActionDecline   Action = "decline"
	ActionPage      Action = "page"
	ActionSharePage Action = "share-page"
	ActionLaunch    Action = "launch"
	ActionDropPlans Action = "unplan"
)

// MyGames is the argument of ActionGames for the user's own tables.
const MyGames = "mine"

// MyGamesButton returns a button that lists the user's own tables.
func MyGamesButton(s Speaker) discordgo.Button {
	return second(s, "bot.button.my-games", CustomID{Action: ActionGames, Arg: MyGames})
}

// OpenButton returns a button that shows a table's board to a user. Its label is Open for players, and Watch for
// others.
func OpenButton(h table.Head, user string, s Speaker) discordgo.Button {
	label := "bot.button.watch"
	if h.Seat(user) != games.Spectator {
		label = "bot.button.open"
	}
	return second(s, label, CustomID{Action: ActionOpen, Table: h.ID.String()})
}

// AllRulesButton returns a button for choosing the rules of a game.
func AllRulesButton(s Speaker) discordgo.Button {
	return second(s, "bot.button.rules", CustomID{Action: ActionRules})
}

// RulesButton returns a button that shows the rules of a game.
func RulesButton(g games.Game, s Speaker) discordgo.Button {
	return second(s, "bot.button.rules", CustomID{Action: ActionRules, Arg: g.Key()})
}

// LegendArg is the end of the argument of a button that shows the legend in the rules of a game.
const LegendArg = "/legend"

// LegendButton returns a button that shows the legend in the rules of a game. It is for boards without a table.
func LegendButton(g games.Game, s Speaker) discordgo.Button {
	return second(s, "bot.button.legend", CustomID{Action: ActionRules, Arg: g.Key() + LegendArg})
}

// LessonsButtons returns a button that opens the lessons of a game, or nil for a game without lessons.
func LessonsButtons(g games.Game, s Speaker) []discordgo.Button {
	if len(games.Lessons(g)) == 0 {
		return nil
	}
	return []discordgo.Button{second(s, "bot.button.learn", CustomID{Action: ActionLearn, Arg: g.Key()})}
}

// SeekButton returns a button with which a user looks for other players.
func SeekButton(s Speaker) discordgo.Button {
	return Button(discordgo.SuccessButton, s.Say(text.M("bot.button.seek")), CustomID{Action: ActionSeek})
}

// LeadersButton returns a button that shows the leaderboard of all games.
func LeadersButton(s Speaker) discordgo.Button {
	return second(s, "bot.button.leaderboard", CustomID{Action: ActionStandings})
}

// RematchButton returns a button that opens a table with the same game and the same players. Its version lets the bot
// notice a database that was put back to a time before the game's end.
func RematchButton(snap *table.Snapshot, s Speaker) discordgo.Button {
	return Button(discordgo.PrimaryButton, s.Say(text.M("bot.button.rematch")), atVersion(snap, ActionRematch))
}

// ReportButton returns a button that shows the report of a finished game.
func ReportButton(snap *table.Snapshot, s Speaker) discordgo.Button {
	return second(s, "bot.report.button", at(snap, ActionReport))
}

// ShareButton returns a button that shows a card of a finished game. On a server, the card has a button that posts it.
func ShareButton(snap *table.Snapshot, s Speaker) discordgo.Button {
	return second(s, "bot.button.share", at(snap, ActionShare))
}

// ReplayButton returns a button that shows the replay of a finished game.
func ReplayButton(snap *table.Snapshot, s Speaker) discordgo.Button {
	return second(s, "bot.replay.button", at(snap, ActionReplay))
}

// WalkButton returns a button that shows the game step by step. from is the number of plays before the first position
// that it shows.
func WalkButton(snap *table.Snapshot, from int, s Speaker) discordgo.Button {
	id := at(snap, ActionWalk)
	id.Play = from
	return second(s, "bot.replay.walk", id)
}

// TextButton returns a button that shows the position after n plays as text. The plays from index from on are shown as
// the latest.
func TextButton(snap *table.Snapshot, from, n int, s Speaker) discordgo.Button {
	id := atVersion(snap, ActionText)
	id.Play, id.Arg = n, strconv.Itoa(from)
	return second(s, "bot.button.text", id)
}

// TryButtons returns a button that begins a study with the position after n plays of a table's game. It returns nil
// before the game has started, and as long as its hidden cards do not allow a study.
func TryButtons(snap *table.Snapshot, n int, s Speaker) []discordgo.Button {
	if !snap.HasStarted() || snap.Status != table.Over && snap.Hidden() {
		return nil
	}
	id := at(snap, ActionTry)
	id.Play = n
	return []discordgo.Button{second(s, "bot.study.try", id)}
}

// HintButton returns a button that asks for a hint.
func HintButton(snap *table.Snapshot, s Speaker) discordgo.Button {
	return second(s, "bot.button.hint", at(snap, ActionHint))
}

// PredictButton returns a button with which spectators predict the winner.
func PredictButton(snap *table.Snapshot, s Speaker) discordgo.Button {
	return second(s, "bot.predict.button", at(snap, ActionPredict))
}

// MoveButton returns a button that opens the stepper, with which a player moves.
func MoveButton(snap *table.Snapshot, s Speaker) discordgo.Button {
	return Button(discordgo.PrimaryButton, s.Say(text.M("bot.button.move")), atVersion(snap, ActionMove))
}

// PageButton returns a button that answers with a link to the table's page in the browser.
func PageButton(snap *table.Snapshot, s Speaker) discordgo.Button {
	return second(s, "bot.button.page", at(snap, ActionPage))
}

// SharePageButton returns a button with which a player of a finished game creates a page for everybody who has its
// link. All players must have allowed the page before.
func SharePageButton(snap *table.Snapshot, s Speaker) discordgo.Button {
	return second(s, "bot.share.button", at(snap, ActionSharePage))
}

// LaunchButton returns a button that opens the table's page inside Discord.
func LaunchButton(snap *table.Snapshot, s Speaker) discordgo.Button {
	return second(s, "bot.page.launch", at(snap, ActionLaunch))
}

// UndoButton returns a button that takes back the last move, or asks the other players for their consent.
func UndoButton(snap *table.Snapshot, s Speaker) discordgo.Button {
	return second(s, "bot.button.undo", atVersion(snap, ActionUndo))
}

// KeyButton returns a button that explains the signs on the board after n plays. That board shows the plays from index
// from on as the latest.
func KeyButton(snap *table.Snapshot, from, n int, s Speaker) discordgo.Button {
	id := at(snap, ActionKey)
	id.Play, id.Arg = n, strconv.Itoa(max(from, 0))
	return second(s, "bot.button.legend", id)
}

// MoreButton returns a button that shows further actions for a board. That board shows the plays from index from on as
// the latest.
func MoreButton(snap *table.Snapshot, from int, s Speaker) discordgo.Button {
	id := at(snap, ActionMore)
	id.Play, id.Arg = from, strconv.Itoa(snap.Plays)
	return second(s, "bot.button.more", id)
}

// BegunMoreButton returns the More button for the first board of a game. Its custom_id also contains the fingerprint of
// the seed and of all inputs, so that nobody can change these unnoticed after the first dice and cards.
func BegunMoreButton(snap *table.Snapshot, from int, s Speaker) discordgo.Button {
	_, fingerprint := snap.Start()
	id := at(snap, ActionMore)
	id.Play, id.Arg = from, strconv.Itoa(snap.Plays)+"/"+fingerprint
	return second(s, "bot.button.more", id)
}

// HandButton returns a button that shows a player's cards to that player.
func HandButton(snap *table.Snapshot, s Speaker) discordgo.Button {
	return second(s, "bot.button.hand", atVersion(snap, ActionHand))
}

// NewsButton returns a button that shows the latest moves.
func NewsButton(snap *table.Snapshot, s Speaker) discordgo.Button {
	return second(s, "bot.button.news", atVersion(snap, ActionNews))
}

// FairButton returns a button that shows how to check the draws at a table. Its custom_id contains a fingerprint,
// so that everybody has it as soon as the message is posted.
func FairButton(snap *table.Snapshot, s Speaker, fingerprint string) discordgo.Button {
	id := at(snap, ActionFairness)
	id.Arg = fingerprint
	return second(s, "bot.button.fairness", id)
}

// BegunFairButton returns a FairButton with the fingerprint of the seed and of all inputs. It is in the message at a
// game's end, under More, and in the message of the first board once that board is replaced, because this message stays
// in the channel.
func BegunFairButton(snap *table.Snapshot, s Speaker) discordgo.Button {
	_, fingerprint := snap.Start()
	return FairButton(snap, s, fingerprint)
}

// HasHands reports whether a player currently holds cards that others cannot see.
func HasHands(snap *table.Snapshot) bool {
	if !snap.Hidden() {
		return false
	}
	for seat := range snap.Seats {
		if len(SceneAt(snap, games.Seat(seat), snap.Plays, snap.Plays).Hand) > 0 {
			return true
		}
	}
	return false
}

// proposals has the ids of the sentences for the question and for the two buttons of each kind of proposal.
var proposals = map[table.ProposalKind]struct{ question, agree, decline string }{
	table.Draw:    {"bot.question.draw", "bot.button.draw-agree", "bot.button.draw-decline"},
	table.Abandon: {"bot.question.abandon", "bot.button.abandon-agree", "bot.button.abandon-decline"},
	table.Undo:    {"bot.question.undo", "bot.button.undo-agree", "bot.button.undo-decline"},
}

// ProposalButtons returns the text of an open proposal, with buttons for the players who have not answered; nil if
// there is none.
func ProposalButtons(n table.News, s *locale.Speaker) []discordgo.MessageComponent {
	p := n.Proposal
	words, ok := proposals[p.Kind]
	if !ok || n.Status != table.Playing {
		return nil
	}
	var who []text.Message
	for i, o := range n.Seats {
		if seat := games.Seat(i); o.User != "" && n.In(seat) && !p.Has(seat) {
			who = append(who, text.M("table.player", "Who", text.Player(seat)))
		}
	}
	answer := func(style discordgo.ButtonStyle, label string, action Action) discordgo.Button {
		id := atVersion(n.Snapshot, action)
		id.Arg = string(p.Kind)
		return Button(style, Plain(s, n.Snapshot).Say(text.M(label, "Who", text.Player(p.By))), id)
	}
	question := text.M(words.question, "Asked", who, "Who", text.Player(p.By))
	switch p.Kind {
	case table.Draw:
		question = drawQuestion(who, p.By)
	case table.Undo:
		question = undoQuestion(n, who, p.By)
	}
	return append([]discordgo.MessageComponent{Paragraph(s.Say(question))}, Rows(
		answer(discordgo.SuccessButton, words.agree, ActionAgree),
		answer(discordgo.SecondaryButton, words.decline, ActionDecline))...)
}

// drawQuestion returns the question about a draw. asked is empty while only computers must answer, or if nobody holds
// the other seats.
func drawQuestion(asked []text.Message, by games.Seat) text.Message {
	if len(asked) == 0 {
		return text.M("bot.question.draw-unasked", "Who", text.Player(by))
	}
	return text.M("bot.question.draw", "Asked", asked, "Who", text.Player(by))
}

// maxTakenBack limits the moves that the question about an undo names.
const maxTakenBack = 8

// undoQuestion returns the question about an undo.
func undoQuestion(n table.News, asked []text.Message, by games.Seat) text.Message {
	steps := n.TakingBack(by)
	return text.M("bot.question.undo", "Asked", asked, "Who", text.Player(by), "Moves", undone(steps),
		"Count", len(steps))
}

// undone names the first maxTakenBack of the moves that would be taken back, and counts the others.
func undone(steps []games.Step) []text.Message {
	var moves []text.Message
	for _, step := range steps[:min(len(steps), maxTakenBack)] {
		moves = append(moves, text.M("bot.question.undo-move", "Move", text.Code(games.Spell(step.Before, step.Move)),
			"Who", text.Player(step.Seat)))
	}
	if more := len(steps) - len(moves); more > 0 {
		moves = append(moves, text.M("bot.question.undo-more", "Count", more))
	}
	return moves
}

// second returns a grey button for a less important action. label is the id of its sentence.
func second(s Speaker, label string, id CustomID) discordgo.Button {
	return Button(discordgo.SecondaryButton, s.Say(text.M(label)), id)
}

func at(snap *table.Snapshot, action Action) CustomID {
	return CustomID{Action: action, Table: snap.ID.String()}
}

// atVersion returns the custom_id of an action at the table's current version.
func atVersion(snap *table.Snapshot, action Action) CustomID {
	return CustomID{Action: action, Table: snap.ID.String(), Version: Version(snap)}
}
