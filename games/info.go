package games

import (
	"fmt"

	"marque/games/scene"
	"marque/games/text"
)

// Info describes a game to players. The names of options and of their values are not part of it: their message ids are
// "<key>.option.<option>" and "<key>.option.<option>.<value>".
type Info struct {
	Name    text.Message   // "Loyal Captain"
	Tagline text.Message   // one line for lists of games
	Aim     text.Message   // the aim of the game, in a sentence
	Credits text.Message   // the game's inventor
	Quick   []text.Message // five sentences to start with
	Rules   []Section      // the rules in this program's words, in reading order
}

// Section is a section of a game's rules.
type Section struct {
	Key   string // short, for choosing it: "capture"
	Title text.Message
	Body  text.Message
}

// quickSentences is the number of sentences in a quick start.
const quickSentences = 5

// NewInfo returns the Info of the game with this key and these sections of rules. The message ids are "<key>.name",
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

// Meaning returns a sentence that names and explains a sign in a picture of g. Its id is "key.<sign>" for signs with
// the same meaning in all games, and "<game>.key.<sign>" for all others.
func Meaning(g Game, s scene.Sign) text.Message {
	if s.Common {
		return text.M("key." + s.Name)
	}
	return text.M(g.Key() + ".key." + s.Name)
}
