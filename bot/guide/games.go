package guide

import (
	"context"
	"slices"
	"strings"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/storage"

	"github.com/bwmarrin/discordgo"
)

// listGames answers /games with the tables of this server, with those that have a free seat, or with the user's own
// tables. Tables that wait for the user come first.
func (rm *Room) listGames(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	list := allTables
	if r.Flag("mine") {
		list = myTables
	} else if r.Flag("open") {
		list = openTables
	}
	m, err := rm.gamesMessage(ctx, r, list, 0)
	return interact.Reply{New: m}, err
}

// gamesPage answers the arrows below a list of tables, and the button that lists the user's own tables.
func (rm *Room) gamesPage(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	m, err := rm.gamesMessage(ctx, r, parseTableList(r.Control.Arg), r.Control.Page)
	if !r.Private() {
		return interact.Reply{New: m}, err
	}
	return interact.Reply{Update: m}, err
}

// tableList selects the tables of a list. It is part of custom_ids.
type tableList string

const (
	allTables  tableList = ""           // unfinished tables of the server
	myTables   tableList = show.MyGames // the user's own unfinished tables, on all servers and in direct messages
	openTables tableList = "open"       // unfinished tables of the server with a free seat
)

// parseTableList parses the name of a list. Letters after the name are ignored, because a button may have added them to
// make its id differ from another button's.
func parseTableList(arg string) tableList {
	for _, l := range []tableList{myTables, openTables} {
		if strings.HasPrefix(arg, string(l)) {
			return l
		}
	}
	return allTables
}

func (rm *Room) gamesMessage(ctx context.Context, r *interact.Request, list tableList,
	page int) (*show.Message, error) {
	var heads []table.Head
	var err error
	if r.Where != interact.OnServer {
		list = myTables
	}
	if list == myTables {
		heads, err = rm.tables.Lookup.ByUser(ctx, r.User.ID, storage.Active, 0, interact.MaxListed)
	} else {
		heads, err = rm.tables.Lookup.ByGuild(ctx, r.GuildID, storage.Active, 0, interact.MaxListed)
	}
	if err != nil {
		return nil, err
	}
	if list != myTables {
		heads = rm.find.Visible(ctx, r, heads)
	}
	waiting, err := rm.tables.Lookup.MyTurn(ctx, r.User.ID)
	if err != nil {
		return nil, err
	}
	first := map[table.ID]bool{}
	for _, h := range waiting {
		first[h.ID] = true
	}
	waiting = slices.DeleteFunc(waiting, func(h table.Head) bool {
		return list != myTables && h.Guild != r.GuildID || list == openTables && !hasFreeSeat(h)
	})
	heads = append(slices.Clone(waiting), slices.DeleteFunc(heads, func(h table.Head) bool {
		return first[h.ID] || list == openTables && !hasFreeSeat(h)
	})...)
	if len(heads) == 0 && list == openTables {
		return show.Text(r.Say.Say(text.M("bot.games.none-open"))), nil
	}
	if len(heads) == 0 {
		return show.Text(r.Say.Say(text.M("bot.games.none"))), nil
	}
	page = min(page, (len(heads)-1)/show.PageSize)
	shown := heads[page*show.PageSize : min(len(heads), (page+1)*show.PageSize)]
	lines := []string{"### " + r.Say.Say(text.M("bot.games.title", "Count", len(heads)))}
	if len(waiting) > 0 {
		lines = append(lines, r.Say.Say(text.M("bot.games.waiting", "Count", len(waiting))))
	}
	parts := []discordgo.MessageComponent{show.Paragraph(strings.Join(lines, "\n"))}
	for _, h := range shown {
		parts = append(parts, discordgo.Section{
			Components: []discordgo.MessageComponent{show.Paragraph(rm.find.GameLine(ctx, r, h))},
			Accessory:  rm.listButton(ctx, r, h),
		})
	}
	m := &show.Message{Components: []discordgo.MessageComponent{show.Container(show.Accent, parts...)}}
	m.Components = append(m.Components, show.PageButtons(show.ActionGames, string(list), page,
		(page+1)*show.PageSize < len(heads))...)
	return m, nil
}

// listButton returns a button for a table of a list. The button shows the lobby or the board. If a seat is free, it
// shows the free seats to users who have no seat there, because the table's message may have been deleted. For a
// table of another server the button is a link, because controls use the roles, settings and channels of the server
// where they are pressed.
func (rm *Room) listButton(ctx context.Context, r *interact.Request, h table.Head) discordgo.Button {
	button := show.OpenButton(h, r.User.ID, r.Say)
	seated := h.Seat(r.User.ID) != games.Spectator
	if h.Status == table.Lobby || !seated && hasFreeSeat(h) {
		button = show.Button(discordgo.SecondaryButton, r.Say.Say(text.M("bot.button.open")),
			show.CustomID{Action: show.ActionTable, Table: h.ID.String()})
	}
	if !rm.find.Offered(r, h) {
		button.Style, button.CustomID, button.URL = discordgo.LinkButton, "", rm.find.BoardLink(ctx, h).String()
	}
	return button
}

func hasFreeSeat(h table.Head) bool {
	return h.Open != 0 || h.Status == table.Lobby && len(h.Seats) < h.Most
}
