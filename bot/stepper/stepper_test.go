package stepper

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"marque/bot/show"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
)

// A message offers up to 300 choices of a question, and says how many it omits if there are more.
func TestNoChoiceIsLeftOutInSilence(t *testing.T) {
	t.Parallel()
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	speaker := sentences.Speaker(nil, "en")
	b := Board{Say: speaker, Plain: speaker, StepID: func(arg string) show.CustomID { return show.CustomID{Arg: arg} }}
	for _, n := range []int{1, 15, 16, 25, 26, 100, 101, 150, 300, 301, 450} {
		var choices []Choice
		for i := range n {
			key := fmt.Sprint("w", i)
			choices = append(choices, Choice{Choice: games.Choice{Path: key, Word: games.Word{Key: key,
				Label: text.Raw(key)}}})
		}
		offered, components, said := 0, 0, ""
		for _, c := range b.rows(Question{Ask: text.Raw("Which?"), Choices: choices}) {
			components++
			switch c := c.(type) {
			case discordgo.TextDisplay:
				said = c.Content
			case discordgo.ActionsRow:
				components += len(c.Components)
				for _, control := range c.Components {
					if menu, is := control.(discordgo.SelectMenu); is {
						offered += len(menu.Options)
					} else {
						offered++
					}
				}
			}
		}
		if left := n - offered; left > 0 && !strings.Contains(said, fmt.Sprint(left)) || left == 0 && said != "" {
			t.Errorf("of %d choices %d are offered, and of the others is said %q", n, offered, said)
		}
		if n <= 300 && offered != n || components > 30 {
			t.Errorf("of %d choices %d are offered, by %d components; want all of 300, and room for the board", n, offered,
				components)
		}
	}
}
