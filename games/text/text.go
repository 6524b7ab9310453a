// Package text represents texts for people as data: message ids with arguments, in no language. A catalogue (package
// locale) turns a Message into a sentence in the reader's language.
package text

// Message is a sentence or a part of a sentence. The catalogue looks it up by its ID and inserts its arguments. The
// zero Message has no text.
type Message struct {
	// ID identifies the sentence in the catalogue by area and subject, such as "loyal-captain.tell.place".
	ID string
	// Args are the values of the sentence's placeholders.
	Args Args
}

// Args are the arguments of a Message by name. A value is one of
//
//   - string: a space's name, a card's key, typed text; escaped, so that nothing in it is markup (the bot's own
//     sentences are Messages);
//   - Name: escaped in the same way;
//   - Code: a notation, in a monospaced font if available;
//   - Markup: a mention or a link that the bot creates, written unchanged;
//   - Decimal: a number with decimal places, as the language writes it;
//   - int: a number; the argument called "Count" chooses the plural form;
//   - Player: a seat, shown as the name of its player;
//   - Color: a player colour, named in the reader's language;
//   - time.Time: a time, shown as the presenter shows times;
//   - Message: a part of a sentence;
//   - []Message: several parts, joined as a list ("a, b and c");
//   - Or: several parts, joined as a choice ("a, b or c").
type Args map[string]any

// Player is a seat in an argument. The presenter shows the name of the seat's player.
type Player int

// Decimal is a number that is shown with at most two decimal places.
type Decimal float64

// Raw returns a message that consists of the number, in the language's format.
func (d Decimal) Raw() Message { return Message{ID: rawID, Args: Args{"Text": d}} }

// Color is a player colour in an argument: one of scene's colours.
type Color int

// ColorOf returns the default colour of a seat, like scene.ColorOf. Seats count from 0.
func ColorOf[S ~int | ~int8 | ~uint8](seat S) Color { return Color(seat) + 1 }

// M returns a Message with an id and pairs of name and value, as in M("a.b", "Count", 3). It panics if a value is
// missing or a name is not a string, because this is a mistake in the calling code.
func M(id string, pairs ...any) Message {
	if len(pairs) == 0 {
		return Message{ID: id}
	}
	args := make(Args, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		args[pairs[i].(string)] = pairs[i+1]
	}
	return Message{ID: id, Args: args}
}

// Raw returns a Message with the text s in every language, such as a number, a space's name or a notation. s must
// contain no words. It is escaped, so nothing in it is markup.
func Raw(s string) Message { return Message{ID: rawID, Args: Args{"Text": s}} }

const rawID = "raw"

// Literal returns the value of a message made by Raw, which is the same in every language: a string, Name, Code, Markup
// or Decimal. It returns nil for all other messages.
func (m Message) Literal() any {
	if m.ID != rawID {
		return nil
	}
	return m.Args["Text"]
}

// IsZero reports whether m is the zero Message.
func (m Message) IsZero() bool { return m.ID == "" }

// Or is a list of alternatives in an argument, shown as "a, b or c".
type Or []Message
