package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

// pageSize is how many lines a page of a list has.
const pageSize = 10

// pageButtons lead to the page before and after; nil when there is one page alone.
func (b *Bot) pageButtons(r *request, action, arg string, page int, more bool) []discordgo.MessageComponent {
	if page == 0 && !more {
		return nil
	}
	to := func(label string, page int, off bool) discordgo.Button {
		bt := button(discordgo.SecondaryButton, label, customID{action: action, version: max(0, page), arg: arg}.String())
		bt.Disabled = off
		return bt
	}
	earlier, later := to("◀", page-1, page == 0), to("▶", page+1, !more)
	if page == 0 {
		earlier.CustomID += "-" // page 0 is shown: the button is off, and its id may not be another's
	}
	return rows(earlier, later)
}

// listGames answers /games: the tables of this server, those that wait for the user first.
func (b *Bot) listGames(ctx context.Context, r *request) (reply, error) {
	mine := ""
	if r.flag("mine") {
		mine = "mine"
	} else if r.flag("open") {
		mine = onlyOpen
	}
	m, err := b.gamesMessage(ctx, r, mine, 0)
	return reply{new: m}, err
}

// gamesPage answers the arrows under such a list.
func (b *Bot) gamesPage(ctx context.Context, r *request) (reply, error) {
	mine := ""
	if strings.HasPrefix(r.id.arg, "mine") {
		mine = "mine"
	} else if strings.HasPrefix(r.id.arg, onlyOpen) {
		mine = onlyOpen
	}
	m, err := b.gamesMessage(ctx, r, mine, r.id.version)
	return reply{update: m}, err
}

// onlyOpen lists the tables that have a free seat.
const onlyOpen = "open"

func (b *Bot) gamesMessage(ctx context.Context, r *request, mine string, page int) (*message, error) {
	var heads []table.Head
	var err error
	if mine == "mine" {
		heads, err = b.tables.ByUser(ctx, r.user.id, false, 0, maxListed)
	} else {
		heads, err = b.tables.ByGuild(ctx, r.GuildID, false, 0, maxListed)
	}
	if err != nil {
		return nil, err
	}
	if mine == onlyOpen {
		heads = slices.DeleteFunc(heads, func(h table.Head) bool {
			return h.Open == 0 && (h.Status != table.Lobby || len(h.Seats) >= h.Most)
		})
	}
	var waiting, others []table.Head
	for _, h := range heads {
		if h.Status == table.Playing && h.Paused == "" && h.ToMove == h.Seat(r.user.id) {
			waiting = append(waiting, h)
		} else {
			others = append(others, h)
		}
	}
	heads = append(waiting, others...)
	if len(heads) == 0 && mine == onlyOpen {
		return say(r.say.Say(text.M("bot.games.none-open"))), nil
	}
	if len(heads) == 0 {
		return say(r.say.Say(text.M("bot.games.none"))), nil
	}
	page = min(page, (len(heads)-1)/pageSize)
	shown := heads[page*pageSize : min(len(heads), (page+1)*pageSize)]
	lines := []string{"### " + r.say.Say(text.M("bot.games.title", "Count", len(heads)))}
	if len(waiting) > 0 {
		lines = append(lines, r.say.Say(text.M("bot.games.waiting", "Count", len(waiting))))
	}
	for _, h := range shown {
		lines = append(lines, b.gameLine(ctx, r, h))
	}
	m := &message{components: []discordgo.MessageComponent{container(accent, paragraph(strings.Join(lines, "\n")))}}
	m.components = append(m.components, b.pageButtons(r, actionGamesPage, mine, page, (page+1)*pageSize < len(heads))...)
	return m, nil
}

// maxListed is how many tables a list looks at.
const maxListed = 500

// gameLine is one table in a list.
func (b *Bot) gameLine(ctx context.Context, r *request, h table.Head) string {
	name := h.Game
	if g, err := b.game(h.Game); err == nil {
		name = r.say.Say(g.Info().Name)
	}
	who := make([]text.Message, len(h.Seats))
	for i, o := range h.Seats {
		who[i] = text.Raw(mentionOr(r.say, o))
	}
	where := b.boardLink(ctx, h)
	if h.Guild == r.GuildID {
		where = "<#" + h.Channel + "> " + where
	}
	free := 0
	for i := range h.Seats {
		if table.IsOpen(h, games.Seat(i)) {
			free++
		}
	}
	switch {
	case h.Paused != "":
		where += " " + r.say.Say(text.M("bot.games.paused"))
	case free > 0:
		where += " " + r.say.Say(text.M("bot.games.seats", "Count", free))
	}
	args := []any{"Table", h.ID.String(), "Game", name, "Who", who, "Where", where, "Since", fmt.Sprintf("<t:%d:R>", since(h).Time().Unix())}
	switch {
	case h.Status == table.Lobby:
		return r.say.Say(text.M("bot.games.lobby", append(args, "Count", h.Most-len(h.Seats))...))
	case h.ToMove == h.Seat(r.user.id):
		return r.say.Say(text.M("bot.games.yours", args...))
	case h.ToMove >= 0 && int(h.ToMove) < len(h.Seats):
		return r.say.Say(text.M("bot.games.theirs", append(args, "Mover", mentionOr(r.say, h.Seats[h.ToMove]))...))
	}
	return r.say.Say(text.M("bot.games.theirs", append(args, "Mover", "?")...))
}

// since is how long the table has waited for what it waits for: a decision, or players.
func since(h table.Head) table.Stamp {
	switch {
	case h.Status == table.Playing && h.Timing.Turn != 0:
		return h.Timing.Turn
	case h.Status == table.Lobby && h.Opened != 0:
		return h.Opened
	}
	return h.Changed
}

// boardLink leads to a table's latest board, or to its channel while that is not known.
func (b *Bot) boardLink(ctx context.Context, h table.Head) string {
	if note, err := b.tables.Note(ctx, h.ID); err == nil && note != "" {
		return messageLink(h.Guild, h.Channel, parsePosted(note).board)
	}
	return channelLink(h.Guild, h.Channel)
}

// help answers /help: what the bot is, the games, and every command.
func (b *Bot) help(_ context.Context, r *request) (reply, error) {
	lines := []string{r.say.Say(text.M("bot.help.intro"))}
	for _, g := range b.games {
		least, most := g.Seats()
		players := fmt.Sprint(least)
		if most > least {
			players = fmt.Sprintf("%d–%d", least, most)
		}
		lines = append(lines, r.say.Say(text.M("bot.help.game", "Game", g.Info().Name, "Tagline", g.Info().Tagline, "Players", players)))
	}
	lines = append(lines, "### "+r.say.Say(text.M("bot.help.commands")))
	for _, c := range b.Commands() {
		name := c.Name
		if c.NameLocalizations != nil {
			if l, ok := (*c.NameLocalizations)[r.Locale]; ok {
				name = l
			}
		}
		lines = append(lines, "`/"+name+"` "+r.say.Say(text.M("command."+c.Name+".description")))
	}
	lines = append(lines, r.say.Say(text.M("bot.help.notation")))
	return reply{new: &message{components: []discordgo.MessageComponent{container(accent, paragraph(strings.Join(lines, "\n")))}}}, nil
}
