package bot_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/matchmaking"
	"marque/bot/predictions"
	"marque/bot/standings"
	"marque/bot/table"
	"marque/bot/webhook"
	"marque/games"
	"marque/games/competition"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// bounded describes how a limit of the store is tested. Either each function in reach tries to exceed the limit on its
// own rig, as a user could, and returns the error, or why gives the reason that no user can exceed it.
type bounded struct {
	reach map[string]func(r *bottest.Rig) error
	why   string
}

const boundedGuild, boundedChannel = localdiscord.Tortuga, bottest.TablesChannel

// theLimits has an entry for each limit of package storage, by the name of its constant.
var theLimits = map[string]bounded{
	"MaxName":     {why: "ids come from Discord, keys of games and levels from the lists of choices"},
	"MaxKey":      {why: "keys are ids of interactions, with what they do"},
	"MaxText":     {why: "events hold moves as the game writes them, names, and words of the program"},
	"MaxNote":     {why: "show.Posted leaves out the oldest lines"},
	"MaxLaunches": {why: "the page forgets the oldest launch"},
	"MaxInstance": {why: "names of instances come from Discord; a longer one is not stored, and the Activity shows My games"},
	"MaxSent":     {why: "the relay sends what is longer in parts"},

	"MaxLoginKey":     {why: "the program makes the keys"},
	"MaxLoginLinks":   {why: "the oldest link gives way"},
	"MaxWebhookCalls": {why: "the oldest call gives way"},
	"MaxComebacks":    {why: "the latest are kept"},
	"maxKeys":         {why: "the latest are kept"},
	"maxMet":          {why: "the latest are kept"},
	"maxRestorations": {why: "the latest are kept"},
	"MostFaults":      {why: "bounds what a check lists"},
	"mostOfUser":      {why: "bounds what is read; MostUserTables is far below it"},

	"MaxWebhook": {reach: map[string]func(*bottest.Rig) error{
		"a long address": func(*bottest.Rig) error {
			_, err := webhook.Parse("https://example.org/" + strings.Repeat("x", storage.MaxWebhook))
			return err
		},
		"one that is long as it is sent": func(*bottest.Rig) error {
			_, err := webhook.Parse("https://example.org/" + strings.Repeat("ü", storage.MaxWebhook/4))
			return err
		},
	}},
	"MaxSeasons": {reach: map[string]func(*bottest.Rig) error{"one more season": func(r *bottest.Rig) error {
		for range storage.MaxSeasons {
			_, err := r.Store.StartSeason(r.Ctx, boundedGuild, text.Name{}, 1)
			r.Must(err)
			_, err = r.Store.EndSeason(r.Ctx, boundedGuild, 2)
			r.Must(err)
		}
		_, err := standings.New(r.Tables, r.Store).StartSeason(r.Ctx,
			table.Actor{User: localdiscord.Anne, Manager: true, Key: "k"}, boundedGuild, text.Name{})
		return err
	}}},
	"MaxSeeks": {reach: map[string]func(*bottest.Rig) error{
		"one more who waits": func(r *bottest.Rig) error {
			return seekBeyond(r, func(s *storage.Seeks) { s.Waiting = seeksOf(storage.MaxSeeks) })
		},
		"tables are still to be opened for many": func(r *bottest.Rig) error {
			return seekBeyond(r, func(s *storage.Seeks) {
				for _, o := range seeksOf(4 * storage.MaxSeeks) {
					s.Found = append(s.Found, storage.Pairing{Key: o.Key, Game: o.Game, Players: []storage.Seek{o}})
				}
			})
		},
	}},
	"MaxPredictionsAt": {reach: map[string]func(*bottest.Rig) error{"one more at a table": func(r *bottest.Rig) error {
		r.OpenLoyal(bottest.Two)
		id := r.Table().ID
		for i := range storage.MaxPredictionsAt {
			predicted(r, fmt.Sprint("u", i), id)
		}
		return predictAt(r, id)
	}}},
	"MaxPredictionsOf": {reach: map[string]func(*bottest.Rig) error{"one more on a day": func(r *bottest.Rig) error {
		for i := range storage.MaxPredictionsOf {
			snap, err := openBy(r, fmt.Sprint("u", i))
			r.Must(err)
			predicted(r, localdiscord.Bart, snap.ID)
		}
		r.OpenLoyal(bottest.Two)
		heads, err := r.Tables.Lookup.ByUser(r.Ctx, localdiscord.Anne, storage.Active, 0, 1)
		r.Must(err)
		return predictAt(r, heads[0].ID)
	}}},
	"MaxCompetitors": {reach: map[string]func(*bottest.Rig) error{"a substitute more": func(r *bottest.Rig) error {
		c := competitionOf(r, storage.MaxCompetitors)
		_, err := r.Competitions.Ask(r.Ctx, table.Actor{User: "mod", Moderator: true, Key: "ask"}, c.ID(),
			c.People[0].User, storage.Occupant{User: "one more"})
		return err
	}, "an entry more": func(r *bottest.Rig) error {
		_, err := r.Competitions.Enter(r.Ctx, table.Actor{User: "one more", Key: "enter"},
			competitionOf(r, storage.MaxCompetitors).ID())
		return err
	}}},

	"ServerTables": {reach: map[string]func(*bottest.Rig) error{"one more at the server": func(r *bottest.Rig) error {
		return openBeyond(r, choices.Limits{Tables: 1, UserTables: 9, UserLobbies: 9, UserInvitations: 9})
	}}},
	"UserTables": {reach: map[string]func(*bottest.Rig) error{"one more of a user": func(r *bottest.Rig) error {
		return openBeyond(r, choices.Limits{Tables: 9, UserTables: 1, UserLobbies: 9, UserInvitations: 9})
	}}},
	"UserLobbies": {reach: map[string]func(*bottest.Rig) error{"one more that waits": func(r *bottest.Rig) error {
		return openBeyond(r, choices.Limits{Tables: 9, UserTables: 9, UserLobbies: 1, UserInvitations: 9})
	}}},
	"UserInvitations": {reach: map[string]func(*bottest.Rig) error{"one more invitation": func(r *bottest.Rig) error {
		return openBeyond(r, choices.Limits{Tables: 9, UserTables: 9, UserLobbies: 9, UserInvitations: 1})
	}}},
}

// When a user would exceed a limit of package storage, the bot refuses with a text in English and German, not with the
// store's error. Limits that no user can reach are exempt, with a reason in theLimits.
func TestEveryLimitOfTheStoreHasASentence(t *testing.T) {
	t.Parallel()
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	declared := limitsDeclared(t)
	for name := range theLimits {
		if !declared[name] {
			t.Errorf("%s is a limit of storage no more", name)
		}
	}
	for name := range declared {
		l, known := theLimits[name]
		switch {
		case !known || l.why == "" && len(l.reach) == 0:
			t.Errorf("nothing says how people hear of the limit storage.%s, or why nobody comes to it", name)
		}
		for what, reach := range l.reach {
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				err := reach(bottest.New(t))
				var refused games.PlayerError
				if !errors.As(err, &refused) || errors.Is(err, storage.ErrInvalid) {
					t.Fatalf("%v, want a sentence", err)
				}
				for _, lang := range []string{"en", "de"} {
					said := sentences.Speaker(nil, lang).Say(refused.Text())
					if said == "" || strings.Contains(said, refused.Text().ID) || strings.Count(said, ". ") == 0 {
						t.Errorf("%s is %q: it says what is full, and what one can do", lang, said)
					}
					t.Log(said)
				}
			})
		}
	}
}

// limitsDeclared returns the names of the limits that package storage declares as constants.
func limitsDeclared(t *testing.T) map[string]bool {
	t.Helper()
	files, err := fs.Glob(os.DirFS("../storage"), "*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	bounds, found := regexp.MustCompile(`^([Mm]ax|[Mm]ost)[A-Z]`), map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), "../storage/"+name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			kind := ""
			for _, s := range group.Specs {
				v := s.(*ast.ValueSpec)
				if id, ok := v.Type.(*ast.Ident); ok {
					kind = id.Name
				} else if len(v.Values) > 0 {
					kind = ""
				}
				for _, n := range v.Names {
					if bounds.MatchString(n.Name) || kind == "LimitKind" {
						found[n.Name] = true
					}
				}
			}
		}
	}
	return found
}

// seeksOf returns n seeks with different times for a move, so that they do not match each other.
func seeksOf(n int) []storage.Seek {
	list := make([]storage.Seek, n)
	for i := range list {
		list[i] = storage.Seek{Key: fmt.Sprint("k", i), User: fmt.Sprint("u", i), Game: bottest.LoyalCaptain,
			Time: int64(i + 1), Until: storage.At(time.Now().Add(time.Hour))}
	}
	return list
}

// seekBeyond fills up a server's seeks with fill, and keeps the bot from pairing or showing them for an hour. Then it
// seeks a game there.
func seekBeyond(r *bottest.Rig, fill func(*storage.Seeks)) error {
	_, err := r.Store.ChangeSeeks(r.Ctx, boundedGuild, storage.Fence{}, func(s storage.Seeks) (storage.Seeks, error) {
		fill(&s)
		s.Channel, s.Retry = boundedChannel, storage.At(time.Now().Add(time.Hour))
		return s, nil
	})
	r.Must(err)
	_, err = r.Matchmaking.Seek(r.Ctx, table.Actor{User: localdiscord.Bart, Key: "seek"}, boundedGuild, boundedChannel,
		[]string{bottest.LoyalCaptain}, matchmaking.Wish{Game: bottest.LoyalCaptain, Time: time.Hour})
	return err
}

func predicted(r *bottest.Rig, user string, id storage.ID) {
	r.T.Helper()
	r.Must(r.Store.AddPrediction(r.Ctx, storage.Prediction{User: user, Table: id, Chance: 500,
		At: storage.At(time.Now())}, func(storage.Head) error { return nil }))
}

func predictAt(r *bottest.Rig, id storage.ID) error {
	by := table.Actor{User: localdiscord.Bart, Key: "predict"}
	_, err := predictions.New(r.Tables, r.Store).Predict(r.Ctx, by, id, 0)
	return err
}

func openBy(r *bottest.Rig, user string, invited ...string) (*table.Snapshot, error) {
	return r.Tables.Open(r.Ctx, table.Actor{User: user, Key: fmt.Sprint(user, len(invited))}, table.Opening{
		Game: bottest.LoyalCaptain, Seats: 2, Guild: boundedGuild, Channel: localdiscord.TortugaTavern,
		Invited: invited,
	})
}

// openBeyond opens two tables, each with an invitation, on a server with the limits l. It returns the error of the
// second.
func openBeyond(r *bottest.Rig, l choices.Limits) error {
	r.Configure(boundedGuild, func(s *choices.Settings) {
		s.Tables, s.UserTables = l.Tables, l.UserTables
		s.UserLobbies, s.UserInvitations = l.UserLobbies, l.UserInvitations
	})
	_, err := openBy(r, localdiscord.Anne, localdiscord.Jack)
	r.Must(err)
	_, err = r.Tables.Open(r.Ctx, table.Actor{User: localdiscord.Anne, Key: "second"}, table.Opening{
		Game: bottest.LoyalCaptain, Seats: 2, Guild: boundedGuild, Channel: localdiscord.TortugaTables,
		Invited: []string{localdiscord.Mary},
	})
	return err
}

// competitionOf stores and returns a ladder with the given number of people, most of whom have left.
func competitionOf(r *bottest.Rig, people int) storage.Competition {
	r.T.Helper()
	rules, err := competition.New(competition.Setup{Kind: competition.Ladder, Game: bottest.LoyalCaptain, Min: 2,
		Max: 256, Start: 1, Time: competition.Day, Reach: 1, Answer: competition.Day, Declines: 1})
	r.Must(err)
	c := storage.Competition{Server: boundedGuild, Version: 1, Name: text.NewName("Ladder"), Channel: boundedChannel,
		Clock: storage.ClockRule{Mode: storage.PerMove, Time: 1000}}
	for i := range people {
		user := fmt.Sprint("u", i)
		rules, err = rules.Enter(user, 0, 1)
		r.Must(err)
		c.People = append(c.People, storage.Participant{User: user})
		switch {
		case i == 1:
			rules, err = rules.Begin(1)
		case i > 1:
			rules, err = rules.Withdraw(user, competition.OutLeft, 1)
		}
		r.Must(err)
	}
	c.Rules = rules
	number, err := r.Store.AddCompetition(r.Ctx, c, 1)
	r.Must(err)
	c.Number = number
	return c
}
