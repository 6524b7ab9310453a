package tournament

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/compete"
	"marque/bot/interact"
	"marque/bot/publish"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/webhook"
	"marque/games/competition"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// patience is the time limit for a message of a competition, and for other requests to Discord about it.
const patience = 2 * time.Minute

// mostSure is the maximum number of competitions in Room.sure.
const mostSure = 10_000

// maxPinged is the maximum number of people that Discord lets a message ping.
const maxPinged = 100

var _ compete.Announcer = (*Room)(nil)

// public returns the context for a message to a competition's server, with a time limit and the server's theme. It also
// returns the server's settings, and a speaker of the server's language.
func (rm *Room) public(ctx context.Context,
	n compete.Competition) (context.Context, context.CancelFunc, choices.Settings, *locale.Speaker, error) {
	settings, err := rm.Tables.Choices.Settings(ctx, n.Server)
	ctx, cancel := context.WithTimeout(rest.For(show.WithTheme(ctx, settings.Theme), rest.Boards), patience)
	return ctx, cancel, settings, rm.Languages.Public(n.Server, settings), err
}

// Announce posts a competition's announcements in its channel.
func (rm *Room) Announce(ctx context.Context, n compete.Competition) error {
	ctx, cancel, settings, s, err := rm.public(ctx, n)
	defer cancel()
	if err != nil {
		return err
	}
	list, why := rm.newsMessages(n, s)
	for i, m := range list {
		m.Nonce = fmt.Sprintf("cup-%d-%d", n.Number, n.Messages)
		if i > 0 {
			if settings.Silent {
				break // the message would only ping people
			}
			m.Nonce += fmt.Sprintf("-%d", i)
		}
		if _, err = rm.post(ctx, n, m, n.Since.Time(), settings, why); err != nil {
			return publish.Failed(err)
		}
	}
	return nil
}

// ShowCard posts or edits the competition's card, and returns the id of its message. It returns compete.ErrCard if
// Discord refuses an edit because of its content.
func (rm *Room) ShowCard(ctx context.Context, n compete.Competition) (message string, err error) {
	ctx, cancel, settings, s, err := rm.public(ctx, n)
	defer cancel()
	if err != nil {
		return "", err
	}
	m := rm.card(n, s)
	if n.Card.Message != "" {
		err = rm.Rest.Edit(ctx, n.Channel, n.Card.Message, m)
		switch code := rest.Code(err); {
		case code == rest.CodeInvalidForm || rest.Moderated(err):
			return n.Card.Message, errors.Join(compete.ErrCard, rest.Scrub(err))
		case code != rest.CodeUnknownMessage:
			return n.Card.Message, publish.Failed(err)
		}
	}
	m.Nonce = fmt.Sprintf("cup-%d-%d-card", n.Number, n.Messages)
	message, err = rm.post(ctx, n, m, n.Changed.Time(), settings, nil)
	return message, publish.Failed(err)
}

// Warn sends the host of a competition a message about why other people cannot see its state.
func (rm *Room) Warn(ctx context.Context, n compete.Competition) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return rm.Publish.WarnHost(ctx, n)
}

// PostPairing posts the card of a pairing's table, which will show the table once it is open. A game that loses its
// channel gets a new card.
func (rm *Room) PostPairing(ctx context.Context, n compete.Competition, p competition.Pairing,
	lost string) (message string, err error) {
	ctx, cancel, settings, s, err := rm.public(ctx, n)
	defer cancel()
	if err != nil {
		return "", err
	}
	m := show.Text(s.Say(text.M("bot.competition.opening", "Name", n.Name, "Who", rm.people(n, p.Seats))))
	// The nonce includes the lost channel. Without it, a search by nonce could find the first card, whose thread is
	// deleted.
	m.Nonce = fmt.Sprintf("cup-%d-p%d-%s", n.Number, p.No, lost)
	message, err = rm.post(ctx, n, m, table.Stamp(p.Ready).Time(), settings, nil)
	return message, atPairing(err)
}

// atPairing returns the error of a request about a single pairing, as publish.Failed does. A permanent refusal by
// Discord does not count as permanent unless the channel was deleted or the bot cannot use it, because the channel can
// accept other pairings.
func atPairing(err error) error {
	switch rest.Code(err) {
	case rest.CodeUnknownChannel, rest.CodeUnknownGuild, rest.CodeMissingAccess, rest.CodeMissingPermissions:
		return publish.Failed(err)
	}
	return rest.Scrub(err)
}

// OpenThread opens the thread of a pairing's table, and returns its id. It returns "" if the game is played in the
// channel.
func (rm *Room) OpenThread(ctx context.Context, n compete.Competition, p competition.Pairing,
	message string) (thread string, err error) {
	ctx, cancel, settings, s, err := rm.public(ctx, n)
	defer cancel()
	if err != nil || settings.Threads == choices.ThreadsNever {
		return "", err
	}
	if !rm.isSure(n.ID(), table.Stamp(p.Ready).Time()) {
		switch there, err := rm.Session.Channel(message, discordgo.WithContext(ctx)); {
		case err == nil && there.IsThread():
			return message, nil
		case err != nil && rest.Code(err) != rest.CodeUnknownChannel:
			return "", atPairing(err)
		}
	}
	who := make([]text.Message, len(p.Seats))
	for i, e := range p.Seats {
		who[i] = rm.named(n, e)
	}
	name := s.Plain().Say(text.M("bot.competition.thread", "Name", n.Name, "Who", who))
	names := []string{show.Clip(name, show.MaxThreadName)}
	for _, what := range []any{n.Name, rm.Games.Name(n.Rules.Setup.Game)} { // used if the server refuses the first
		names = append(names, show.Clip(s.Plain().Say(text.M("bot.competition.thread-nameless", "Name", what,
			"Number", strconv.Itoa(p.No))), show.MaxThreadName))
	}
	err = rm.Rest.StartThread(ctx, n.Channel, message, names)
	switch code := rest.Code(err); {
	case err == nil:
		rm.makeSure(n.ID())
		return message, nil
	case code == rest.CodeMaxThreads:
		return "", table.Refuse(table.ErrLimit, text.M("bot.error.max-threads"))
	case code == rest.CodeUnknownMessage, rest.Threadless(err) && code != rest.CodeMissingAccess:
		return "", nil // the game is played in the channel
	}
	return "", atPairing(fmt.Errorf("opening a thread: %w", err))
}

// DropCard deletes the old card of a game that has a new one, because the old card would always show the game as
// unfinished.
func (rm *Room) DropCard(ctx context.Context, card storage.Card) error {
	ctx, cancel := context.WithTimeout(rest.For(ctx, rest.Boards), patience)
	defer cancel()
	return rest.Scrub(rm.Rest.Delete(ctx, card.Channel, card.Message))
}

// post posts a message in a competition's channel, unless it is there already because an earlier post was not
// recorded. It pings the message's users. why holds the reason for each ping.
func (rm *Room) post(ctx context.Context, n compete.Competition, m *show.Message, since time.Time,
	settings choices.Settings, why map[string]publish.Call) (id string, err error) {
	id, err = rm.Publish.Call(ctx, publish.Calling{
		Guild: n.Server, Settings: settings, Why: func(user string) publish.Call { return why[user] },
		Stands: func() (string, error) {
			if rm.isSure(n.ID(), since) {
				return "", nil
			}
			return rm.Publish.Stands(ctx, n.Channel, m.Nonce, since)
		},
		Post: func() (string, error) { return rm.Rest.Post(ctx, n.Channel, m) },
	}, m)
	if err != nil {
		rm.mu.Lock()
		defer rm.mu.Unlock()
		delete(rm.sure, n.ID())
		return "", err
	}
	rm.makeSure(n.ID())
	return id, nil
}

// makeSure records that this process has posted for a competition, or has opened a thread for it.
func (rm *Room) makeSure(id compete.ID) {
	rm.mu.Lock()
	defer rm.mu.Unlock()
	if len(rm.sure) >= mostSure {
		clear(rm.sure)
	}
	rm.sure[id] = struct{}{}
}

// isSure reports whether no other process can have posted a message that was due at since: this process has posted
// for the competition, and since is after the process started and after the last call of Doubt.
func (rm *Room) isSure(id compete.ID, since time.Time) bool {
	rm.mu.Lock()
	defer rm.mu.Unlock()
	_, ok := rm.sure[id]
	return ok && since.After(rm.begun)
}

// Doubt makes the room search the channel before it posts a message, because another process can have posted the
// message.
func (rm *Room) Doubt() {
	rm.mu.Lock()
	defer rm.mu.Unlock()
	clear(rm.sure)
	rm.begun = rm.Tables.Lookup.Now()
}

// IsMember reports whether a user is on a server, by a request to Discord.
func (rm *Room) IsMember(ctx context.Context, server, user string) (bool, error) {
	ctx, cancel := context.WithTimeout(rest.For(ctx, rest.Boards), patience)
	defer cancel()
	_, err := rm.Session.GuildMember(server, user, discordgo.WithContext(ctx))
	switch code := rest.Code(err); {
	case err == nil:
		return true, nil
	case code == rest.CodeUnknownMember || code == rest.CodeUnknownUser:
		return false, nil
	}
	return false, rest.Scrub(fmt.Errorf("looking whether somebody is on a server: %w", err))
}

// holdNews returns the sentence that a competition's deadlines are stopped. If they run again, or if posting the
// sentence starts them again, it says that they were stopped.
func holdNews(n compete.Competition) text.Message {
	if !n.Held() || n.HeldFor(storage.PausedChannelGone) { // a post in the channel ends that hold
		return text.M("bot.competition.news.held-then")
	}
	return text.M("bot.competition.news.held")
}

// newsMessages returns the messages that announce the competition's changes. They ping everybody who has a game in a
// new round, is challenged, or is asked to take over for an entrant. A user who was pinged for another question shortly
// before is pinged only for a new round or as a reminder. The first message pings the users that it names, up to
// Discord's limit, and further messages ping the rest.
func (rm *Room) newsMessages(n compete.Competition, s *locale.Speaker) ([]*show.Message, map[string]publish.Call) {
	why := map[string]publish.Call{}
	call := func(user, event string, presses bool, what text.Message) {
		why[user] = publish.Call{
			Presses: presses, Letter: text.M("bot.call.competition", "Name", n.Name, "What", what,
				"Link", text.Link(n.Server, n.Channel, "")),
			Waits: storage.WebhookCall{Event: event, Server: n.Server, Channel: n.Channel, Competition: n.Number},
		}
	}
	say := func(id string, pairs ...any) string { return s.Say(text.M(id, pairs...)) }
	lines := []string{"### " + s.Say(titleText(n))}
	var pings []string
	var answers []answer
	ended := false
	for _, c := range n.News {
		p, _ := n.Rules.Pairing(c.Pairing)
		switch c.What {
		case competition.PairingEnded:
			if p.No != 0 { // old pairings are not stored any more
				lines = append(lines, s.Say(rm.resultLine(n, p)))
			}
		case competition.PairingCorrected:
			lines = append(lines, say("bot.competition.news.corrected", "Result", rm.resultLine(n, p)))
		case competition.NewsChallenged, competition.NewsWaits, competition.NewsAsked, competition.NewsAskedStill:
			said, who, challenge := rm.asked(n, c)
			if _, told := why[who]; who == "" || told { // the user has replied, or is already addressed
				continue
			}
			event := webhook.CalledToMeet
			if challenge == 0 {
				event = webhook.CalledToGoOn
			}
			still := c.What == competition.NewsWaits || c.What == competition.NewsAskedStill
			call(who, event, still, said)
			lines = append(lines, s.Say(said))
			message := fmt.Sprint(n.Number, " ", n.Messages)
			if still || len(rm.Publish.Again("asked "+n.Server, message, []string{who})) > 0 {
				pings = append(pings, who)
			}
			answers = answerTo(answers, challenge, rm.asking(n, c))
		case competition.NewsUnasked:
			lines = append(lines, say("bot.competition.news.unasked", "Who", rm.person(n, c.Entrant)))
		case competition.NewsLeft:
			if cause := n.Rules.Entrants[c.Entrant].OutFor; cause != "" { // otherwise the entrant is in again
				lines = append(lines, say("bot.competition.news.left."+cause, "Who", rm.person(n, c.Entrant)))
			}
		case competition.NewsEntered:
			id := "bot.competition.news.entered"
			if ladders.has(n) {
				id = "bot.competition.news.joined"
			}
			lines = append(lines, say(id, "Who", rm.person(n, c.Entrant)))
		case competition.NewsSubstitute:
			lines = append(lines, say("bot.competition.news.substitute", "Who", rm.person(n, c.Entrant)))
		case competition.NewsHeld:
			lines = append(lines, s.Say(holdNews(n)))
		case competition.NewsReleased:
			lines = append(lines, say("bot.competition.news.released"))
		case competition.NewsBegan:
			lines = append(lines, say("bot.competition.news.began", "Count", len(n.Rules.Entrants)))
			if ladders.has(n) {
				lines = append(lines, rm.ladderLines(n, s)...)
			}
		case competition.RoundEnded:
			lines = append(lines, say("bot.competition.news.round-ended", "Round", c.Round, "Rounds", n.Rules.Rounds))
		case competition.RoundBegan:
			said, called := rm.roundLines(n, c.Round, s)
			lines, pings = append(lines, said...), append(pings, called...)
			for _, user := range called {
				call(user, webhook.CalledToRound, false, text.M("bot.competition.news.your-game", "Count",
					gamesOf(n, c.Round, user), "Until", moment(rm.until(n, c.Round), text.Full)))
			}
		case competition.PairingReady:
			lines = append(lines, say("bot.competition.news.decider", "Game", rm.resultLine(n, p)))
		case competition.NewsEnded:
			lines, ended = append(lines, s.Say(endedText(n))), true
		}
	}
	if ended {
		lines = append(lines, rm.leaders(n, s)...)
		lines = append(lines, rm.moves(n, s)...)
	}
	pings = slices.DeleteFunc(pings, func(user string) bool { return user == "" })
	m := show.Framed(slices.Compact(lines))
	buttons := slices.Concat(rm.answerButtons(n, answers, s), rm.looks(n, s), fingerprintButton(n, s))
	m.Components = append(m.Components, show.Rows(buttons...)...)
	list := []*show.Message{m}
	var others []string
	said := show.Clip(strings.Join(lines, "\n"), show.MaxText)
	for i, user := range pings {
		switch {
		case slices.Contains(pings[:i], user):
		case len(m.Pings) < maxPinged && strings.Contains(said, text.User(user).String()):
			m.Pings = append(m.Pings, user)
		default:
			others = append(others, user)
		}
	}
	for called := range slices.Chunk(others, maxPinged) {
		who := make([]text.Message, len(called))
		for i, user := range called {
			who[i] = show.Mention(storage.Occupant{User: user})
		}
		m := show.Text(say("bot.competition.news.others", "Name", n.Name, "Who", who))
		m.Pings = called
		list = append(list, m)
	}
	return list, why
}

// fingerprintButton returns a button that shows the fingerprint of the message's latest round, or of the end (CO-19),
// so that everybody can get it from then on. The Play of the button is the round, or 0 for the end.
func fingerprintButton(n compete.Competition, s show.Speaker) []discordgo.Button {
	all := n.Rules.Fingerprints(n.Rules.Setup.Commitment())
	for _, c := range slices.Backward(n.News) {
		id := show.CustomID{Action: actionFingerprint, Play: c.Round}
		switch {
		case c.What == competition.NewsEnded && len(all) > 0:
			id.Arg = all[len(all)-1]
		case c.What == competition.RoundBegan && c.Round <= len(all):
			id.Arg = all[c.Round-1]
		default:
			continue
		}
		return []discordgo.Button{show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.button.fairness")), id)}
	}
	return nil
}

// fingerprint replies to the button of fingerprintButton.
func (rm *Room) fingerprint(_ context.Context, r *interact.Request) (interact.Reply, error) {
	said := text.M("bot.competition.fingerprint", "Round", r.Control.Play, "Fingerprint", text.Code(r.Control.Arg))
	if r.Control.Play == 0 {
		said = text.M("bot.competition.fingerprint-end", "Fingerprint", text.Code(r.Control.Arg))
	}
	return interact.Reply{New: show.Framed([]string{
		r.Say.Say(said), "-# " + r.Say.Say(text.M("bot.competition.fingerprint-how")),
	})}, nil
}

// answer is a pair of buttons to accept or decline a challenge, or offers to take over for entrants. The field
// challenge is the challenge's number, or 0 for offers.
type answer struct {
	challenge int
	of        []text.Message // names of the challenger, or of the entrants with an offer
}

func answerTo(list []answer, challenge int, of text.Message) []answer {
	i := slices.IndexFunc(list, func(a answer) bool { return a.challenge == challenge })
	if i < 0 {
		return append(list, answer{challenge, []text.Message{of}})
	}
	list[i].of = append(list[i].of, of)
	return list
}

// asking returns the name of the challenger, or of the entrant whose place is offered.
func (rm *Room) asking(n compete.Competition, c competition.Change) text.Message {
	if p, _ := n.Rules.Pairing(c.Pairing); p.No != 0 {
		return rm.named(n, p.Challenger)
	}
	return rm.named(n, c.Entrant)
}

// answerButtons returns the buttons for users who are challenged, or asked to take over for an entrant. If there is
// more than one pair of buttons, each names its question.
func (rm *Room) answerButtons(n compete.Competition, answers []answer, s show.Speaker) (list []discordgo.Button) {
	for _, a := range answers[:min(len(answers), mostAnswers)] {
		for _, b := range []struct {
			style  discordgo.ButtonStyle
			id     string
			action show.Action
		}{
			{discordgo.SuccessButton, "bot.competition.button.accept", actionAccept},
			{discordgo.SecondaryButton, "bot.competition.button.decline", actionDecline},
		} {
			label := text.M(b.id)
			if len(answers) > 1 {
				label = text.M("bot.competition.button.of", "What", label, "Who", a.of)
			}
			list = append(list, show.Button(b.style, s.Say(label),
				show.CustomID{Action: b.action, Arg: number(n), Play: a.challenge}))
		}
	}
	return list
}

// asked returns the question that a change asks: its text, the user, and the number of the challenge, or 0 for an offer
// to take over for an entrant. The user is "" if the question has been answered.
func (rm *Room) asked(n compete.Competition, c competition.Change) (what text.Message, who string, challenge int) {
	if p, _ := n.Rules.Pairing(c.Pairing); p.Answer != 0 {
		challenger, challenged := rivals(p)
		e := n.Rules.Entrants[challenged]
		what, who, challenge = rm.challengeLine(n, p), e.User, p.No
		if e.Declined >= n.Rules.Setup.Declines {
			what = text.M("bot.competition.challenge-last", "What", what, "Who", rm.person(n, challenged),
				"By", rm.person(n, challenger))
		}
	} else if o, waits := n.Rules.OfferFor(n.Rules.Entrants[c.Entrant].User); c.Pairing == 0 && waits {
		what, who = text.M("bot.competition.offer", "Who", text.User(o.To), "For", text.User(o.For),
			"Until", moment(o.Until, text.Relative)), o.To
	}
	if c.What == competition.NewsWaits || c.What == competition.NewsAskedStill {
		what = text.M("bot.competition.news.waits", "What", what)
	}
	return what, who, challenge
}

// mostAnswers is the maximum number of pairs of buttons in a message. Further questions can be answered with a command.
const mostAnswers = 8

// roundLines returns lines that announce a round with its pairings, and the users to ping. For a league the lines name
// the players of the first mostDivisions divisions. There are none for a round in which nobody has a game, because all
// opponents have withdrawn.
func (rm *Room) roundLines(n compete.Competition, round int, s *locale.Speaker) (lines, pings []string) {
	last := rm.until(n, round)
	if last == 0 {
		return nil, nil
	}
	until := moment(last, text.Full)
	if leagues.has(n) {
		lines = append(lines,
			s.Say(text.M("bot.competition.news.season", "Season", n.Rules.Setup.Season, "Until", until)))
		for d := range n.Rules.Divisions() {
			var who []int
			for _, l := range n.Rules.Standings(d + 1) {
				who = append(who, l.Entrant)
				pings = append(pings, n.Rules.Entrants[l.Entrant].User)
			}
			if d < mostDivisions {
				lines = append(lines,
					s.Say(text.M("bot.competition.division", "Division", d+1, "Who", rm.people(n, who))))
			}
		}
		return lines, pings
	}
	lines = append(lines,
		s.Say(text.M("bot.competition.news.round", "Round", round, "Rounds", n.Rules.Rounds, "Until", until)))
	listed := 0
	for _, p := range n.Rules.Pairings {
		if p.Round != round || p.End != "" && p.End != competition.Bye {
			continue
		}
		if listed++; listed <= pageLines {
			lines = append(lines, "- "+s.Say(rm.resultLine(n, p)))
		}
		for _, e := range p.Seats {
			if p.End == "" {
				pings = append(pings, n.Rules.Entrants[e].User)
			}
		}
	}
	if listed > pageLines {
		lines = append(lines, s.Say(text.M("bot.competition.news.more", "Count", listed-pageLines,
			"Where", text.M("bot.competition.button.pairings"))))
	}
	return lines, pings
}

// gamesOf returns the number of a user's unfinished games in a round.
func gamesOf(n compete.Competition, round int, user string) (count int) {
	e, _ := n.Rules.Entrant(user)
	for _, p := range n.Rules.Pairings {
		if p.Round == round && p.End == "" && p.Seat(e) >= 0 {
			count++
		}
	}
	return count
}

// mostDivisions is the maximum number of divisions whose entrants a message names.
const mostDivisions = 8

// moves returns lines about the promotions and relegations after a league's season, and about the next season. It
// returns none if no season follows.
func (rm *Room) moves(n compete.Competition, s *locale.Speaker) (lines []string) {
	if !n.Rules.Continues() {
		return nil
	}
	up, down := n.Rules.Promotion()
	if len(up) > 0 {
		lines = append(lines, s.Say(text.M("bot.competition.news.up", "Who", rm.people(n, up))))
	}
	if len(down) > 0 {
		lines = append(lines, s.Say(text.M("bot.competition.news.down", "Who", rm.people(n, down))))
	}
	return append(lines, s.Say(text.M("bot.competition.news.next-season", "Season", n.Rules.Setup.Season+1)))
}

// until returns the latest deadline of a round's games.
func (rm *Room) until(n compete.Competition, round int) (last competition.Stamp) {
	for _, p := range n.Rules.Pairings {
		if p.Round == round {
			last = max(last, p.Deadline)
		}
	}
	return last
}
