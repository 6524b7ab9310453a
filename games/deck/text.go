package deck

import (
	"marque/games"
	"marque/games/scene"
	"marque/games/text"
)

// Standing is a piece on a space: a sign of at most three characters, for example "R12", and the direction of its back.
type Standing struct {
	Sign string // "" if the space is empty
	Back Space
}

// Ask returns the question which piece to move. It also says how many of the player's own pieces cannot move, because
// players look for these among the choices.
func Ask(question text.Message, own int, movable Set) text.Message {
	if blocked := own - movable.Len(); blocked > 0 {
		return text.M("deck.ask.blocked", "Ask", question, "Count", blocked)
	}
	return question
}

// textPlaces has the middle column and the line of each space in the text board.
var textPlaces = [Spaces][2]int{
	{19, 0}, {34, 5}, {34, 11}, {19, 16}, {4, 11}, {4, 5}, {11, 2}, {27, 2}, {19, 4}, {19, 6},
	{14, 8}, {24, 8}, {4, 8}, {34, 8}, {19, 10}, {19, 12}, {11, 14}, {27, 14},
}

// textPaths are the paths of the text board, drawn under the spaces.
var textPaths = [17]string{
	0:  "",
	1:  "               /       \\",
	2:  "",
	3:  "        /     \\         /     \\",
	4:  "      /                         \\",
	5:  "                   |",
	6:  "    |                             |",
	7:  "    |           /     \\           |",
	8:  "    -----------         -----------",
	9:  "    |           \\     /           |",
	10: "    |                             |",
	11: "                   |",
	12: "      \\                         /",
	13: "        \\     /         \\     /",
	14: "",
	15: "               \\       /",
	16: "",
}

// TextBoard returns the deck for a monospaced font, at most 40 columns wide. An empty space is "(9)", and an empty
// hatch "[3]". A token is, for example, "9:R<10": red on 9 with its back to 10 ("~" is the sea).
func TextBoard(on *[Spaces]Standing) []string {
	lines := make([][]byte, len(textPaths))
	for i, l := range textPaths {
		lines[i] = []byte(l)
	}
	for s := Space(0); s < Spaces; s++ {
		sign := on[s].sign(s)
		at := textPlaces[s]
		line, start := lines[at[1]], at[0]-len(sign)/2
		for len(line) < start+len(sign) {
			line = append(line, ' ')
		}
		copy(line[start:], sign)
		// A gap separates a path from the signs at its ends.
		if start > 0 {
			line[start-1] = ' '
		}
		if end := start + len(sign); end < len(line) {
			line[end] = ' '
		}
		lines[at[1]] = line
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = string(l)
	}
	return out
}

// TextTrail returns the text board's lines about the latest plays, if there are any.
func TextTrail(trail []games.Step) []string {
	if len(trail) == 0 {
		return nil
	}
	words := []string{"."}
	for _, step := range trail {
		words = append(words, games.Spell(step.Before, step.Move))
	}
	return scene.TextLines(words)
}

func (st Standing) sign(s Space) string {
	switch {
	case st.Sign != "" && st.Back == Sea:
		return s.String() + ":" + st.Sign + "<~"
	case st.Sign != "":
		return s.String() + ":" + st.Sign + "<" + st.Back.String()
	case Hatches.Has(s):
		return "[" + s.String() + "]"
	default:
		return "(" + s.String() + ")"
	}
}

// TextLegend explains the signs of TextBoard with examples from this position. colors are the players' colours.
func TextLegend(on *[Spaces]Standing, colors ...scene.Color) []text.Message {
	example := func(id string, fits func(Space) bool) (legend []text.Message) {
		for s := range Space(Spaces) {
			if st := on[s]; fits(s) {
				return []text.Message{text.M(id, "Sign", text.Code(st.sign(s)), "Space", s.String(),
					"Back", st.Back.String())}
			}
		}
		return nil
	}
	legend := example("deck.legend.token", func(s Space) bool { return on[s].Sign != "" && on[s].Back != Sea })
	legend = append(legend, example("deck.legend.sea", func(s Space) bool {
		return on[s].Sign != "" && on[s].Back == Sea
	})...)
	legend = append(legend, example("deck.legend.space", func(s Space) bool {
		return on[s].Sign == "" && !Hatches.Has(s)
	})...)
	legend = append(legend, example("deck.legend.hatch", func(s Space) bool {
		return on[s].Sign == "" && Hatches.Has(s)
	})...)
	var letters []text.Message
	for _, c := range colors {
		letters = append(letters, text.M("deck.legend.letter", "Letter", c.Letter(), "Color", text.Color(c)))
	}
	return append(legend, text.M("deck.legend.letters", "Letters", letters))
}

// TextSign returns the sign of a token in the text board.
func TextSign(s, back Space, sign string) text.Code { return text.Code(Standing{sign, back}.sign(s)) }

// Stands describes a token's space and its back as part of a list, for example "9 (back to 10)".
func Stands(s, back Space) text.Message {
	if back == Sea {
		return text.M("deck.alt.stands-sea", "Space", s.String())
	}
	return text.M("deck.alt.stands", "Space", s.String(), "Back", back.String())
}
