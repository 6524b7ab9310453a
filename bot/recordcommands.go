package bot

import (
	"github.com/bwmarrin/discordgo"

	"marque/games"
	"marque/storage"
)

// recordCommands are the commands about what was played: leaderboards, profiles, seasons, records, replays.
func (b *Bot) recordCommands(c commandSet) []*discordgo.ApplicationCommand {
	const (
		str     = discordgo.ApplicationCommandOptionString
		integer = discordgo.ApplicationCommandOptionInteger
		boolean = discordgo.ApplicationCommandOptionBoolean
		person  = discordgo.ApplicationCommandOptionUser
	)
	choices := func(name string, values ...string) *discordgo.ApplicationCommandOption {
		o := c.option(str, name)
		for _, v := range values {
			o.Choices = append(o.Choices, c.choice("command.option."+name+"."+v, v))
		}
		return o
	}
	bounded := func(name string, least, most float64) *discordgo.ApplicationCommandOption {
		o := c.option(integer, name)
		o.MinValue, o.MaxValue = &least, most
		return o
	}
	typed := func(o *discordgo.ApplicationCommandOption, most int) *discordgo.ApplicationCommandOption {
		o.MaxLength = most
		return o
	}
	anyTable := func() *discordgo.ApplicationCommandOption { return completed(c.option(str, "table")) }
	ended := func() *discordgo.ApplicationCommandOption { return required(completed(c.option(str, "ended"))) }
	return []*discordgo.ApplicationCommand{
		c.command("leaderboard", c.gameOption(), completed(c.option(str, "season")), choices("with", withPeople, withComputers), c.option(boolean, "share")),
		c.command("profile", c.option(person, "player"), c.gameOption(), c.option(boolean, "share")),
		c.command("history", c.gameOption(), c.option(person, "player"), c.option(person, "opponent"), choices("outcome", outcomeWon, outcomeLost, outcomeDrawn), choices("with", withPeople, withComputers), c.option(boolean, "share")),
		c.command("stats", c.option(boolean, "share")),
		c.command("season",
			c.subcommand("season", "start", typed(c.option(str, "title"), maxSeasonTitle)),
			c.subcommand("season", "end")),
		c.command("ratings",
			c.subcommand("ratings", "void", ended(), typed(c.option(str, "reason"), maxReason)),
			c.subcommand("ratings", "restore", ended()),
			c.subcommand("ratings", "least", required(bounded("count", 1, maxLeast)))),
		c.command("export", anyTable()),
		c.command("replay", anyTable(), bounded("from", 0, maxPlayNumber), bounded("to", 0, maxPlayNumber), c.option(boolean, "share")),
		c.command("verify", completed(c.option(str, "table")), c.option(boolean, "share")),
	}
}

// What the options take.
const (
	maxSeasonTitle = 60
	maxReason      = 200
	maxLeast       = 1000
	maxPlayNumber  = 100_000
)

// subcommand makes a subcommand; its description is "command.<command>.<name>.description".
func (c commandSet) subcommand(command, name string, options ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	id := "command." + command + "." + name
	return &discordgo.ApplicationCommandOption{
		Type:                     discordgo.ApplicationCommandOptionSubCommand,
		Name:                     name,
		NameLocalizations:        c.localized(id + ".name"),
		Description:              clip(c.english(id+".description"), 100),
		DescriptionLocalizations: c.localized(id + ".description"),
		Options:                  options,
	}
}

// addRecordRoutes says who answers the commands and controls of this file.
func (b *Bot) addRecordRoutes(commands, components map[string]route) {
	shared := func(r *request) bool { return r.flag("share") }
	everybody := func(*request) bool { return true }
	commands["leaderboard"] = route{handle: b.leaderboard, complete: b.completeSeason, public: shared}
	commands["profile"] = route{handle: b.profile, public: shared}
	commands["history"] = route{handle: b.history, public: shared}
	commands["stats"] = route{handle: b.stats, public: shared}
	commands["season start"] = route{handle: b.startSeason, public: everybody}
	commands["season end"] = route{handle: b.endSeason, public: everybody}
	commands["ratings void"] = route{handle: b.voidResult, complete: b.completeEnded}
	commands["ratings restore"] = route{handle: b.restoreResult, complete: b.completeEnded}
	commands["ratings least"] = route{handle: b.setLeast}
	commands["export"] = route{handle: b.export, complete: b.completeAnyTable}
	commands["verify"] = route{handle: b.verify, complete: b.completeEnded, public: shared}
	commands["replay"] = route{handle: b.replay, complete: b.completeAnyTable, public: shared}
	components[actionReplay] = route{handle: b.replay}
	components[actionWalk] = route{handle: b.walk}
	components[actionLeaders] = route{handle: b.leadersPage, updates: true}
	components[actionHistory] = route{handle: b.historyPage, updates: true}
}

// The actions of custom_ids.
const (
	actionLeaders = "leaders"
	actionHistory = "history"
	actionReplay  = "replay"
	actionWalk    = "walk"
)

// outcomeOf is how a table ended for a seat, as a word of the option "outcome"; "" without a result.
func outcomeOf(r storage.Result, seat games.Seat) string {
	switch {
	case r.Ending == games.Abandoned:
		return ""
	case r.Drew(seat):
		return outcomeDrawn
	case r.Won(seat):
		return outcomeWon
	}
	return outcomeLost
}

// The values of the option "outcome".
const (
	outcomeWon   = "won"
	outcomeLost  = "lost"
	outcomeDrawn = "drawn"
)
