package stepper

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"marque/bot/show"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
)

// Question is the next question to a player who chooses a move. The messages on Discord and the page in the browser
// present it in different ways.
type Question struct {
	Path     string         // the choices so far, in the notation
	Chosen   []text.Message // the choices so far, as text; empty if the user had no choice yet
	Spots    []string       // names of the places of the choices so far (scene.Spot)
	Ask      text.Message   // the question; zero if the move cannot be continued
	Choices  []Choice       // choices for the next word, in the game's order
	Reach    []Choice       // choices by a place in the picture (games.Menu.Reach)
	Ahead    []Choice       // choices by a later place to which only one path leads (games.Menu.Ahead)
	Complete bool           // whether the choices so far are a whole move, which can be played
	// Back has the earlier paths at which there was a question, in their order.
	Back []string
}

// Choice is an answer to a question.
type Choice struct {
	games.Choice
	Effect text.Message // further effect of the choice; zero for none
	Way    []games.Word // words before the choice's own word that are chosen with it
}

// named returns the choice as text without its effect.
func (c Choice) named(s show.Speaker) string {
	said := make([]string, 0, len(c.Way)+1)
	for _, w := range append(slices.Clip(c.Way), c.Word) {
		said = append(said, namedWord(w, s))
	}
	return strings.Join(said, " → ")
}

func namedWord(w games.Word, s show.Speaker) string {
	label := s.Say(w.Label)
	if label == "" {
		return w.Key
	}
	if sign := w.Written(); sign != "" && strings.HasPrefix(label, sign) { // a place keeps its name, such as h6
		return label
	}
	first, size := utf8.DecodeRuneInString(label)
	return string(unicode.ToUpper(first)) + label[size:]
}

// Said returns the choice with its effect as text, for a button or menu.
func (c Choice) Said(s show.Speaker) string {
	label := c.named(s)
	if effect := s.Say(c.Effect); effect != "" {
		label += " · " + effect
	}
	return label
}

// Next returns the question that follows path. While the path is no whole move and only one word can follow, Next adds
// the word without a question. It returns a games.PlayerError for a path that the menu does not have.
func Next(menu *games.Menu, path string) (Question, error) {
	choices, ok := menu.At(path)
	if !ok {
		return Question{}, notOffered(menu, path)
	}
	_, complete := menu.Move(path)
	for !complete && len(choices) == 1 {
		path = choices[0].Path
		choices, _ = menu.At(path)
		_, complete = menu.Move(path)
	}
	chosen := menu.Chosen(path)
	q := Question{Path: path, Complete: complete, Choices: withEffects(menu, choices, len(chosen)),
		Reach: withEffects(menu, menu.Reach(path), len(chosen)),
		Ahead: withEffects(menu, menu.Ahead(path), len(chosen))}
	if len(choices) > 0 {
		q.Ask = choices[0].Word.Ask
	}
	var only []bool // for each chosen word, whether nothing else was possible
	for _, p := range menu.Ancestors(path) {
		if p == path {
			break
		}
		c, _ := menu.At(p)
		_, whole := menu.Move(p)
		forced := len(c) == 1 && !whole
		if !forced {
			q.Back = append(q.Back, p)
		}
		only = append(only, forced)
	}
	for i, w := range chosen {
		q.Spots = append(q.Spots, w.Spot)
		name := w.Name()
		if only[i] {
			name = text.M("bot.step.only", "Word", name)
		}
		if len(q.Back) > 0 {
			q.Chosen = append(q.Chosen, name)
		}
	}
	return q, nil
}

// withEffects returns choices with their effects. An effect that all of several choices share is left out, because it
// does not help to choose. The words from index chosen up to a choice's own word become its way.
func withEffects(menu *games.Menu, choices []games.Choice, chosen int) []Choice {
	list := make([]Choice, len(choices))
	for i, c := range choices {
		words := menu.Chosen(c.Path)
		list[i] = Choice{c, menu.Effect(c.Path), words[chosen : len(words)-1]}
	}
	differs := func(c Choice) bool { return fmt.Sprint(c.Effect) != fmt.Sprint(list[0].Effect) }
	if len(list) > 1 && !slices.ContainsFunc(list, differs) {
		for i := range list {
			list[i].Effect = text.Message{}
		}
	}
	return list
}

// So returns the choices so far as a sentence, or "" if there are none.
func (q Question) So(s *locale.Speaker) string {
	if len(q.Chosen) == 0 {
		return ""
	}
	return s.Say(text.M("bot.step.chosen", "Words", show.InOrder(q.Chosen)))
}

// notOffered returns the error for a path that the stepper never offers.
func notOffered(menu *games.Menu, path string) error {
	if _, err := menu.Parse(path); err != nil {
		return err
	}
	return show.Refuse(text.M("bot.error.unknown-control")) // a move, but not in the menu's notation
}
