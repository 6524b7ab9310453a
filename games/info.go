package games

import (
	"fmt"

	"marque/games/scene"
	"marque/games/text"
)

// Info is a game's description of itself. The names of options and of their values are looked up as
// "<key>.option.<option>" and "<key>.option.<option>.<value>".
type Info struct {
	Name    text.Message   // "Loyal Captain"
	Tagline text.Message   // one line for lists
	Aim     text.Message   // the aim of the game, in a sentence
	Credits text.Message   // who invented it
	Quick   []text.Message // five sentences to start with
	Rules   []Section      // the rules in our own words, in reading order
}

// Section is a chapter of a game's rules.
type Section struct {
	Key   string // short, for choosing it: "capture"
	Title text.Message
	Body  text.Message
}

// quickSentences is the number of sentences in a quick start.
const quickSentences = 5

// NewInfo returns the Info of the game with this key and these chapters of rules. The message ids are "<key>.name",
// "<key>.tagline", "<key>.aim", "<key>.credits", "<key>.quick.1" to "<key>.quick.5", "<key>.rules.<chapter>.title" and
// "<key>.rules.<chapter>.body".
func NewInfo(key string, chapters ...string) Info {
	info := Info{Name: text.M(key + ".name"), Tagline: text.M(key + ".tagline"), Aim: text.M(key + ".aim"),
		Credits: text.M(key + ".credits")}
	for i := range quickSentences {
		info.Quick = append(info.Quick, text.M(fmt.Sprintf("%s.quick.%d", key, i+1)))
	}
	for _, c := range chapters {
		rules := key + ".rules." + c
		info.Rules = append(info.Rules, Section{Key: c, Title: text.M(rules + ".title"), Body: text.M(rules + ".body")})
	}
	return info
}

// Meaning returns a sentence that says what a sign in a picture of g means. The sentence also names the sign. Its id is
// "key.<sign>" for signs that mean the same in all games, and "<game>.key.<sign>" for the others.
func Meaning(g Game, s scene.Sign) text.Message {
	if s.Common {
		return text.M("key." + s.Name)
	}
	return text.M(g.Key() + ".key." + s.Name)
}
