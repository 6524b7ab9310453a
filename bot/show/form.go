package show

import (
	"encoding/json"
	"hash/fnv"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"marque/bot/form"
	"marque/games"
	"marque/games/text"
)

// Asked returns an input of a form with its label. help is the text below the label, or "".
func Asked(label, help string, c discordgo.MessageComponent) discordgo.MessageComponent {
	return discordgo.Label{Label: Clip(label, MaxModalLabel), Description: Clip(help, MaxModalHelp), Component: c}
}

// Form returns a form that the action of id answers. Forms with different content get different custom_ids, because
// phones keep showing the first content of a custom_id.
func Form(id CustomID, title string, asked ...discordgo.MessageComponent) *discordgo.InteractionResponseData {
	sum := fnv.New32a()
	_ = json.NewEncoder(sum).Encode(asked) // writing to a hash never fails
	id.Page = int(sum.Sum32() % MaxNumber)
	return &discordgo.InteractionResponseData{
		CustomID: id.String(), Title: Clip(title, MaxModalLabel), Components: asked,
	}
}

// Tick returns an option for a group of boxes or radio buttons in a form.
func Tick(label, value string, chosen bool) form.Option {
	return form.Option{Label: Clip(label, MaxOptionLabel), Value: value, Default: chosen}
}

// Group returns a group with which a user chooses a game in a form. The value is the game's key.
func (g Games) Group(customID string, s Speaker) form.RadioGroup {
	group := form.RadioGroup{CustomID: customID}
	for _, game := range g {
		line := Tick(s.Say(game.Info().Name), game.Key(), false)
		line.Description = Clip(s.Say(players(game)), MaxOptionLabel)
		group.Options = append(group.Options, line)
	}
	return group
}

// players returns the number of players of a game as text.
func players(game games.Game) text.Message {
	least, most := game.Seats()
	n := strconv.Itoa(least)
	if most > least {
		n += "–" + strconv.Itoa(most)
	}
	return text.M("bot.games.players", "Players", n)
}
