package tournament

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/compete"
	"marque/bot/interact"
	"marque/bot/lobby"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/competition"
	"marque/games/text"
	"marque/storage"
)

// Default numbers of a setup, in days unless the name or a comment gives another unit.
const (
	defaultHours = 48
	defaultClock = 2 * 24 * time.Hour // time per move, if the server has no default
	// gameTimes is the default time for a game, as a multiple of the clock's time. The default is at least 7 days,
	// and at most mostDays.
	gameTimes      = 7
	defaultLapses  = 2 // number of games lost on time
	defaultWeeks   = 6 // weeks
	defaultPromote = 2 // number of entrants
	defaultBetween = 7 // days between seasons
	defaultStretch = 7 // days per season
	defaultDecline = 1 // number of challenges
	defaultAnswer  = 3
	defaultRest    = 1
	defaultAbsence = 14
)

// make replies to the commands that create a competition.
func (rm *Room) make(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	if !r.Actor().May(table.Organise) {
		return interact.Reply{}, show.Refuse(text.M("table.error.moderators"))
	}
	place, err := rm.Find.Place(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if place.IsThread() {
		return interact.Reply{},
			show.Refuse(text.M("bot.competition.error.thread", "Channel", text.Channel(place.ParentID)))
	}
	plan, err := rm.plan(r)
	if err != nil {
		return interact.Reply{}, err
	}
	n, err := rm.Competitions.Make(ctx, r.Actor(), r.GuildID, plan)
	if err != nil {
		return interact.Reply{}, err
	}
	said := text.M("bot.competition.made."+familyOf(n).name, "Name", n.Name, "Number", number(n))
	return interact.Reply{New: rm.figuresMessage(n, said, r.Say)}, nil
}

// plan returns the organiser's choices in the options of a command.
func (rm *Room) plan(r *interact.Request) (compete.Plan, error) {
	g, err := rm.Games.Find(r.Option("game"))
	if err != nil {
		return compete.Plan{}, err
	}
	p := compete.Plan{
		Name: text.NewName(r.Option("name")), Channel: r.ChannelID,
		Unrated: !r.FlagOr("rated", !r.Settings.Unrated), Role: r.Role("role"),
	}
	if p.Name.IsZero() {
		return p, show.Refuse(text.M("bot.competition.error.name", "Count", compete.MaxName))
	}
	if p.Options, err = parseVariant(g, r.Option("variant")); err != nil {
		return p, err
	}
	p.Clock = r.Settings.Clock
	if typed := r.Option("clock"); typed != "" {
		parsed, ok := show.ParseClock(typed)
		if !ok || parsed.Mode == storage.NoClock {
			return p, show.Refuse(text.M("bot.error.clock", "Clock", typed))
		}
		p.Clock = parsed
	}
	if p.Clock.Mode == storage.NoClock {
		p.Clock = storage.ClockRule{Mode: storage.PerMove, Time: defaultClock.Milliseconds()}
	}
	p.Setup = setup(r, p.Clock)
	p.Setup.Game = g.Key()
	p.Setup.Start += competition.Stamp(storage.At(rm.Tables.Lookup.Now()))
	return p, nil
}

// setup returns a competition's setup from the options of a command. Its Start is a duration. Forms can change its
// numbers later (figures.go).
func setup(r *interact.Request, clock storage.ClockRule) competition.Setup {
	hours, most := defaultHours, 0
	if n, ok := r.Number("starts-in"); ok {
		hours = n
	}
	if n, ok := r.Number("most"); ok {
		most = n
	}
	game := competition.Stamp(min(int(max(gameTimes*clock.Time/int64(competition.Day), 7)), mostDays)) * competition.Day
	s := competition.Setup{
		Kind: competition.Kind(r.Option("kind")), Start: competition.Stamp(hours) * competition.Hour, Max: most,
		Lapses: defaultLapses, Time: game, Stretch: game,
	}
	if s.Kind == "" {
		s.Kind = asked(r).kinds[0]
	}
	switch s.Kind {
	case competition.League:
		s.Time, s.Stretch = 7*defaultWeeks*competition.Day, defaultStretch*competition.Day
		s.Break, s.Promote = defaultBetween*competition.Day, defaultPromote
	case competition.Ladder:
		s.Answer, s.Rest = defaultAnswer*competition.Day, defaultRest*competition.Day
		s.Away, s.Stretch, s.Declines = defaultAbsence*competition.Day, defaultAbsence*competition.Day, defaultDecline
	case competition.Pods:
		s.Seats = 3
	}
	return s
}

func number(n compete.Competition) string { return strconv.FormatUint(n.Number, 10) }

// which returns the competition of an interaction: the one in the control or the option; otherwise the only unfinished
// one in this channel or on the server, or the latest one if all have ended.
func (rm *Room) which(ctx context.Context, r *interact.Request) (compete.Competition, error) {
	named := r.Control.Arg
	if named == "" {
		named = strings.TrimPrefix(r.Option(asked(r).name), "#")
	}
	if named != "" {
		no, err := strconv.ParseUint(named, 10, 63)
		if err != nil {
			return compete.Competition{}, show.Refuse(text.M("bot.competition.error.number", "Typed", named))
		}
		n, err := rm.Competitions.Get(ctx, compete.ID{Server: r.GuildID, Number: no})
		if err != nil {
			return n, err
		}
		if sees, err := rm.Find.Sees(ctx, r, seenAs(r, n)); err != nil {
			return n, err
		} else if !sees {
			return n, show.Refuse(text.M("table.error.no-competition"))
		}
		if r.Control.Arg == "" && !asked(r).has(n) {
			return n, show.Refuse(text.M("bot.competition.error.other."+familyOf(n).name, "Name", n.Name, "Number",
				number(n)))
		}
		return n, nil
	}
	all, err := rm.visible(ctx, r)
	if err != nil {
		return compete.Competition{}, err
	}
	going := slices.DeleteFunc(slices.Clone(all), compete.Competition.Over)
	if len(going) == 0 && len(all) > 0 {
		return all[0], nil // ended competitions can be viewed, so use the latest
	}
	if here := slices.DeleteFunc(slices.Clone(going), func(n compete.Competition) bool {
		return n.Channel != r.ChannelID
	}); len(here) == 1 {
		return here[0], nil
	}
	switch len(going) {
	case 0:
		return compete.Competition{}, show.Refuse(text.M("bot.competition.error.none." + asked(r).name))
	case 1:
		return going[0], nil
	}
	return compete.Competition{}, show.Refuse(text.M("bot.competition.error.which", "Count", len(going)))
}

// seenAs returns a table that stands for the competition in permission checks: it is in the competition's channel, and
// the user has a seat if the user has entered. A user who may see this table may see the competition.
func seenAs(r *interact.Request, n compete.Competition) table.Head {
	h := table.Head{Guild: n.Server, Channel: n.Channel}
	if _, entered := n.Person(r.User.ID); entered {
		h.Seats = []table.Occupant{{User: r.User.ID}}
	}
	return h
}

// visible returns the server's latest competitions of the command's kinds that the user may see.
func (rm *Room) visible(ctx context.Context, r *interact.Request) ([]compete.Competition, error) {
	all, err := rm.Competitions.Latest(ctx, r.GuildID)
	if err != nil {
		return nil, err
	}
	heads := make([]table.Head, len(all))
	for i, n := range all {
		heads[i] = seenAs(r, n)
		heads[i].ID = table.ID(n.Number)
	}
	there := map[uint64]bool{}
	for _, h := range rm.Find.Visible(ctx, r, heads) {
		there[uint64(h.ID)] = true
	}
	f := asked(r)
	return slices.DeleteFunc(all, func(n compete.Competition) bool { return !there[n.Number] || !f.has(n) }), nil
}

// complete suggests clocks, variants, or competitions, of which the unfinished ones come first.
func (rm *Room) complete(ctx context.Context, r *interact.Request) []*discordgo.ApplicationCommandOptionChoice {
	switch r.Focused {
	case "clock":
		return lobby.CompleteClock(r)
	case "variant":
		return rm.completeVariant(r)
	}
	f := asked(r)
	all, err := rm.Competitions.Latest(ctx, r.GuildID)
	if err != nil {
		return nil
	}
	slices.SortStableFunc(all, func(a, b compete.Competition) int {
		switch {
		case a.Over() == b.Over():
			return 0
		case b.Over():
			return -1
		}
		return 1
	})
	typed := strings.ToLower(strings.TrimPrefix(r.Option(f.name), "#"))
	var list []*discordgo.ApplicationCommandOptionChoice
	for _, n := range all {
		name := "#" + number(n) + " " + n.Name.Plain()
		if len(list) < show.MaxChoices && f.has(n) && strings.Contains(strings.ToLower(name), typed) &&
			rm.Find.Offered(r,
				seenAs(r, n)) {
			list = append(list, &discordgo.ApplicationCommandOptionChoice{Name: show.Clip(name, show.MaxChoiceName),
				Value: number(n)})
		}
	}
	return list
}
