package show

import (
	"slices"

	"github.com/bwmarrin/discordgo"
	"golang.org/x/text/language"

	"marque/games/scene"
	"marque/games/text"
	"marque/games/text/locale"
)

// painted are the scripts that package render can paint. It lacks fonts for the others, or cannot join and stack their
// letters, as Hindi and Thai require.
var painted = []string{"Latn", "Cyrl", "Grek", "Hans", "Hant", "Jpan", "Kore", "Hebr", "Arab"}

// paintable reports whether pictures can have text in a language.
func paintable(tag language.Tag) bool {
	script, _ := tag.Script()
	return slices.Contains(painted, script.String())
}

// mostBoardText is the maximum length, in characters, of a text board below its picture.
const mostBoardText = 2400

// Board returns a picture of a scene with its alt text. In a language that pictures cannot show, the board follows as
// text, unless that is too long, with a sentence that gives the reason.
func Board(name, alt string, sc scene.Scene, s *locale.Speaker) []discordgo.MessageComponent {
	return BoardBeside(name, alt, sc, s, 1)
}

// BoardBeside returns a picture of a scene as Board does, for a message that has the given number of boards and the
// texts in said. It leaves out a text board for which the message has no room.
func BoardBeside(name, alt string, sc scene.Scene, s *locale.Speaker, boards int,
	said ...string) []discordgo.MessageComponent {
	parts := []discordgo.MessageComponent{Picture(name, alt)}
	if paintable(s.Language()) {
		return parts
	}
	room := MaxText - spareText
	for _, other := range said {
		room -= Length(other)
	}
	board := TextPicture(sc, s)
	if Length(board) > min(mostBoardText, room/boards) {
		return append(parts, Paragraph("-# "+
			s.Say(text.M("bot.board.unpainted-long", "Button", text.M("bot.button.text")))))
	}
	return append(parts, Paragraph("-# "+s.Say(text.M("bot.board.unpainted"))+"\n"+board))
}

// Sheet returns a picture of a sheet with its alt text. In a language that pictures cannot show, the alt text also
// follows as text, with a sentence that gives the reason.
func Sheet(name, alt string, s *locale.Speaker) []discordgo.MessageComponent {
	parts := []discordgo.MessageComponent{Picture(name, alt)}
	if paintable(s.Language()) {
		return parts
	}
	return append(parts, Paragraph("-# "+s.Say(text.M("bot.board.unpainted"))+"\n"+
		text.Escape(ClipWords(alt, maxAlt))))
}
