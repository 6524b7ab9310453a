package show

import (
	"github.com/bwmarrin/discordgo"
)

// PageSize is the number of lines on a page of a list.
const PageSize = 10

// PageButtons returns the buttons to the previous and the next page, or nil if there is only one page.
func PageButtons(action Action, arg string, page int, more bool) []discordgo.MessageComponent {
	if page == 0 && !more {
		return nil
	}
	earlier := Arrow("◀", CustomID{Action: action, Page: max(0, page-1), Arg: arg}, page == 0)
	later := Arrow("▶", CustomID{Action: action, Page: page + 1, Arg: arg}, !more)
	if page == 0 {
		earlier.CustomID += "-" // on page 0 the button is disabled, and needs an id that differs from all others
	}
	return Rows(earlier, later)
}

// Arrow returns a button that turns a page. It is disabled if off is true.
func Arrow(label string, id CustomID, off bool) discordgo.Button {
	b := Button(discordgo.SecondaryButton, label, id)
	b.Disabled = off
	return b
}
