package learn

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/practice"
	"marque/bot/show"
	"marque/games"
	"marque/games/text"
)

// patience is the number of wrong plays after which a lesson gives a hint.
const patience = 2

var _ practice.Kind = (*Room)(nil)

// Exercise implements practice.Kind. It returns the lesson with this key.
func (rm *Room) Exercise(_ context.Context, r *interact.Request, key string, misses int) (*practice.Exercise, error) {
	l, ok := rm.lessons[key]
	if !ok {
		return nil, show.Refuse(text.M("bot.error.unknown-control"))
	}
	match, err := l.Start(l.game)
	if err != nil {
		return nil, err
	}
	title := r.Say.Say(text.M("bot.learn.title", "Game", l.game.Info().Name, "Number", l.at+1,
		"Count", len(games.Lessons(l.game)), "Lesson", l.Title(l.game)))
	lines := []string{"### " + title}
	if l.at == 0 {
		lines = append(lines, r.Say.Say(text.M("bot.learn.aim", "Aim", l.game.Info().Aim)))
	}
	lines = append(lines, r.Say.Say(l.Task(l.game)))
	if misses >= patience {
		lines = append(lines, l.hint(r))
	}
	all := show.Button(discordgo.SecondaryButton, r.Say.Say(text.M("bot.learn.all")),
		show.CustomID{Action: show.ActionLearn, Arg: l.game.Key() + list})
	return &practice.Exercise{
		Key: key, Match: match, Seat: match.ToMove(), Head: strings.Join(lines, "\n"),
		Title: text.M("bot.plate.lesson", "Game", l.game.Info().Name), Buttons: []discordgo.Button{all},
	}, nil
}

func (l lesson) hint(r *interact.Request) string {
	return r.Say.Say(text.M("bot.learn.hint", "Hint", l.Hint(l.game)))
}

// Answer implements practice.Kind. If a play solves the lesson's task, it praises the play and records that the user
// has done the lesson. For any other play, it shows what could follow, and explains why the play does not solve the
// task.
func (rm *Room) Answer(ctx context.Context, r *interact.Request, x *practice.Exercise,
	p practice.Play) (practice.Answer, error) {
	l := rm.lessons[x.Key]
	t := games.Try{Before: p.Before(), After: p.Match.State(), Seat: x.Seat, Move: p.Move()}
	if !l.Done(t) {
		return l.missed(r, t, p.Misses+1), nil
	}
	if err := rm.tables.Choices.Learn(ctx, r.User.ID, l.game.Key(), l.Key); err != nil {
		return practice.Answer{}, err
	}
	a := practice.Answer{Said: r.Say.Say(text.M("bot.learn.right", "What", l.Praise(l.game))),
		Then: games.Plays(l.Then)}
	lessons := games.Lessons(l.game)
	if l.at+1 < len(lessons) {
		next := show.Button(discordgo.SuccessButton, r.Say.Say(text.M("bot.learn.next")),
			rm.boards.Open(key(l.game, lessons[l.at+1])))
		a.Buttons = []discordgo.Button{next}
		return a, nil
	}
	for _, chapter := range l.game.Info().Rules {
		if chapter.Key == "tips" {
			a.Said += "\n**" + r.Say.Say(chapter.Title) + "**\n" + r.Say.Say(chapter.Body)
		}
	}
	a.Said += "\n" + r.Say.Say(text.M("bot.learn.finished", "Game", l.game.Info().Name))
	a.Buttons = append(rm.first(l.game, r.Say), rm.otherGames(r))
	return a, nil
}

// missed returns the answer to the user's n-th wrong play. It shows what the opponents could capture next, or else
// says what would follow. Then it explains why the play does not solve the task. From the patience-th wrong play
// on, it adds a hint.
func (l lesson) missed(r *interact.Request, t games.Try, n int) practice.Answer {
	a := practice.Answer{Missed: true}
	var lines []string
	if threat, ok := games.Threat(t.After, t.Seat); ok {
		s := t.After
		for _, m := range threat {
			a.Then = append(a.Then, games.Spell(s, m))
			s = s.Apply(m)
		}
		lines = append(lines, r.Say.Say(text.M("bot.learn.could")))
	} else {
		lines = append(lines, r.Say.Say(next(t)))
	}
	lines = append(lines, r.Say.Say(text.M("bot.learn.missed", "Why", l.Miss(l.game, t))))
	if n >= patience {
		lines = append(lines, l.hint(r))
	}
	a.Said = strings.Join(lines, "\n")
	return a
}

// next returns the sentence about what would follow a play.
func next(t games.Try) text.Message {
	switch seat := t.After.ToMove(); seat {
	case games.Nobody:
		return text.M("bot.learn.then-over", "Why", t.After.Result().Why)
	case games.Chance:
		return text.M("bot.learn.then-chance")
	case t.Seat:
		return text.M("bot.learn.then-own")
	default:
		return text.M("bot.learn.then-other")
	}
}
