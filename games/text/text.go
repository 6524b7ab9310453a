// Package text holds what is said to people as data: message ids with
// arguments, in no language. A catalogue (package locale) turns a Message into
// a sentence of the reader's language.
package text

// Message is one sentence, or part of one, to be looked up by its ID and filled
// with its arguments. The zero Message says nothing.
type Message struct {
	// ID names the sentence in the catalogue: area, dot, thing
	// ("loyal-captain.tell.place").
	ID string
	// Args fills the sentence's named places.
	Args Args
}

// Args are the arguments of a Message by name. A value is one of
//
//   - string: a space's name, a card's key, what somebody typed; said so that nothing of it is markup
//     (the bot's own sentences are Messages);
//   - Name: said likewise;
//   - Code: a notation, in a monospaced font where there is one;
//   - Markup: a mention or a link that the bot makes, written as it is;
//   - Decimal: a number with places behind the point, as the language writes it;
//   - int: a number; the argument called "Count" chooses the plural form;
//   - Player: a seat, said as the name of its player;
//   - Color: a player colour, said in the reader's language;
//   - time.Time: a moment, said as the presenter shows moments;
//   - Message: a sentence part of its own;
//   - []Message: several of them, joined as a list ("a, b and c");
//   - Or: several of them, joined as a choice ("a, b or c").
type Args map[string]any

// Player is a seat in an argument; the presenter says the name of its player.
type Player int

// Decimal is a number that is said with at most two places behind the point.
type Decimal float64

// Raw is a Message of the number alone.
func (d Decimal) Raw() Message { return Message{ID: rawID, Args: Args{"Text": d}} }

// Color is a player colour in an argument: one of scene's colours.
type Color int

// ColorOf is the colour of a seat, from 0, as scene.ColorOf.
func ColorOf[S ~int | ~int8 | ~uint8](seat S) Color { return Color(seat) + 1 }

// M makes a Message of an id and pairs of name and value: M("a.b", "Count", 3).
// It panics when a value is missing or a name is no string: a mistake in the
// calling code, which shows at the first call.
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

// Raw is a Message that says s in every language: a number, a space's name, a notation. It must hold no words, and
// nothing of it is markup.
func Raw(s string) Message { return Message{ID: rawID, Args: Args{"Text": s}} }

const rawID = "raw"

// Literal is the value of a message that Raw made, which says the same in every language: a string, Name, Code, Markup
// or Decimal. It is nil for any other message.
func (m Message) Literal() any {
	if m.ID != rawID {
		return nil
	}
	return m.Args["Text"]
}

// IsZero reports whether m says nothing.
func (m Message) IsZero() bool { return m.ID == "" }

// Or is a list of choices in an argument: "a, b or c".
type Or []Message
