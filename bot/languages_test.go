package bot_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/BurntSushi/toml"
	"github.com/bwmarrin/discordgo"
	"golang.org/x/text/language"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/text"
	"marque/games/text/locale"
)

// listener records the visible texts that the bot sends to Discord, without its commands, by the name of their field,
// such as "label" or "content".
type listener struct {
	mu   sync.Mutex
	said map[string]map[string]bool
}

// shown are the JSON keys of visible texts.
var shown = []string{"content", "label", "placeholder", "description", "title", "name"}

func (l *listener) listen(o *localdiscord.Options) {
	check := o.OnRequest
	o.OnRequest = func(q localdiscord.Request) {
		check(q)
		if strings.HasSuffix(q.Path, "/commands") {
			return // commands have all languages
		}
		var body any
		if json.Unmarshal(q.Body, &body) == nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.walk(body)
		}
	}
}

func (l *listener) walk(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			l.walk(e)
		}
	case map[string]any:
		for key, e := range v {
			if s, ok := e.(string); ok && s != "" && slices.Contains(shown, key) {
				if l.said[key] == nil {
					l.said[key] = map[string]bool{}
				}
				l.said[key][s] = true
				continue
			}
			l.walk(e)
		}
	}
}

// texts returns the recorded texts in sorted order, each prefixed with the name of its field.
func (l *listener) texts() (all []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, list := range l.said {
		for s := range list {
			all = append(all, key+": "+s)
		}
	}
	slices.Sort(all)
	return all
}

// abroad returns a rig whose first server and people use another language, a listener, and a function that looks up
// texts in that language.
func abroad(t *testing.T, tag string, own []fs.FS, prepare func(*bottest.Rig),
	options ...func(*localdiscord.Options)) (*bottest.Rig, *listener, func(id string) string) {
	t.Helper()
	l := &listener{said: map[string]map[string]bool{}}
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Locales = own; prepare(r) }, append(options, l.listen)...)
	if err := r.Server.Admin.SetServerLocale(localdiscord.Tortuga, tag); err != nil {
		t.Fatal(err)
	}
	for _, p := range bottest.World {
		if err := r.Server.Admin.SetLocale(p, tag); err != nil {
			t.Fatal(err)
		}
	}
	sentences, err := locale.Load(own...)
	if err != nil {
		t.Fatal(err)
	}
	s := sentences.Speaker(nil, tag).Plain()
	if s.Language() != language.Make(tag) {
		t.Fatalf("%s is not offered: %v", tag, sentences.Coverage())
	}
	return r, l, func(id string) string { return s.Say(text.M(id)) }
}

func asIs(*bottest.Rig) {}

// playAbroad plays up to the given number of moves of a game. It reports whether the game ended.
func playAbroad(r *bottest.Rig, g games.Game, say func(id string) string, most int) (ended bool) {
	r.T.Helper()
	least, _ := g.Seats()
	players, channel := bottest.World[:least], localdiscord.TortugaTables
	before := r.Latest(channel)
	r.Command(players[0], channel, "play", localdiscord.Opt("game", g.Key()), localdiscord.Opt("players", least))
	has := func(label string) func(m *localdiscord.Message) bool {
		return func(m *localdiscord.Message) bool { return bottest.HasButton(m, label) }
	}
	lobby := r.Next(channel, before, has(say("bot.button.join")))
	r.EndsWhenQuiet(players[0], g, lobby, say("bot.button.options"))
	for _, p := range players[1:] {
		r.Click(p, lobby, say("bot.button.join"))
	}
	turn := r.Next(channel, lobby.ID, has(say("bot.button.move")))
	for _, button := range []string{"move", "text", "legend", "news", "hand"} {
		if b, ok := turn.Button(say("bot.button." + button)); ok {
			reply, err := r.Server.Click(r.Ctx, players[0], turn.ID, b.CustomID)
			r.Answer(reply, err, button)
		}
	}
	choose := computer.New(computer.Hard, computer.Limit{Iterations: 30}, 5) // strong enough that the game ends
	for range most {
		snap := r.Table()
		if snap.Status == table.Over {
			return true
		}
		if snap.Plays%8 == 0 { // so that the listener records choices of moves too
			_, err := r.Server.Autocomplete(r.Ctx, snap.Seats[snap.ToMove].User, channel, "move", "move",
				localdiscord.Opt("move", ""))
			r.Must(err)
		}
		view := snap.View(snap.ToMove)
		move, _, err := choose.Choose(r.Ctx, view)
		if err != nil {
			r.T.Fatal(err)
		}
		who := snap.Seats[snap.ToMove].User
		r.Command(who, channel, "move", localdiscord.Opt("move", games.Spell(view.State, move)))
	}
	return r.Table().Status == table.Over
}

// tour uses commands of most rooms.
func tour(r *bottest.Rig, channel string) {
	r.T.Helper()
	anne, opt := localdiscord.Anne, localdiscord.Opt
	for _, c := range []struct {
		name    string
		options []localdiscord.Option
	}{
		{"help", nil}, {"games", nil}, {"learn", nil}, {"puzzle", nil}, {"me preferences", nil}, {"me privacy", nil},
		{"profile", nil}, {"leaderboard", nil}, {"record history", nil}, {"record stats", nil}, {"seek", nil},
		{"rules", []localdiscord.Option{opt("game", "pirat")}}, {"server settings", nil}, {"board", nil},
		{"board", []localdiscord.Option{opt("text", true)}}, {"move", []localdiscord.Option{opt("move", "x9")}},
		{"me away", []localdiscord.Option{opt("until", "3")}}, {"me away", nil}, {"table undo", nil}, {"hint", nil},
		{"moderate create tournament", []localdiscord.Option{opt("game", "madagascar"), opt("name", "Rum")}},
		{"tournament", nil}, {"tournament", []localdiscord.Option{opt("do", "standings")}}, {"table draw", nil},
		{"server panel", nil},
	} {
		reply, err := r.Server.Command(r.Ctx, anne, channel, c.name, c.options...)
		r.Answer(reply, err, "/"+c.name)
	}
}

// A whole game on a German server has no English text of the catalogue in any message. Every game is played.
func TestWholeGamesInGerman(t *testing.T) {
	for _, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			r, l, say := abroad(t, "de", nil, asIs)
			if !playAbroad(r, g, say, 4000) {
				t.Error("the game has not ended")
			}
			notEnglish(t, l.texts(), 20)
		})
	}
}

// notEnglish fails the test if a text has an English sentence of the catalogue, or if there are fewer texts than least.
func notEnglish(t *testing.T, texts []string, least int) {
	t.Helper()
	english, german := templates(t, "en"), templates(t, "de")
	if len(texts) < least {
		t.Errorf("only %d texts were seen", len(texts))
	}
	for _, s := range texts {
		for id, piece := range english {
			if german[id] != piece && strings.Contains(s, piece) {
				t.Errorf("%s is said in English: %s", id, s)
			}
		}
	}
	t.Logf("%d texts", len(texts))
}

// On a German server, the reports of moderators' acts at the table and in the moderators' log have no English text of
// the catalogue.
func TestTheModeratorsLogInGerman(t *testing.T) {
	t.Parallel()
	r, l, say := abroad(t, "de", nil, asIs)
	log, err := r.Server.Admin.AddChannel(localdiscord.Tortuga, "logbuch")
	if err != nil {
		t.Fatal(err)
	}
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.LogChannel = log })
	mary, channel, opt := localdiscord.Mary, localdiscord.TortugaTables, localdiscord.Opt
	playAbroad(r, catalog.Games[0], say, 2)
	logged := ""
	for _, act := range []struct {
		name string
		opts []localdiscord.Option
	}{
		{"moderate pause", nil}, {"moderate resume", nil},
		{"moderate remove", []localdiscord.Option{opt("who", localdiscord.Anne)}},
	} {
		r.Command(mary, channel, act.name, act.opts...)
		m := r.Next(log, logged, func(*localdiscord.Message) bool { return true })
		t.Log(m.Text())
		logged = m.ID
	}
	notEnglish(t, l.texts(), 10)
}

// argument matches a parameter in a text of the catalogue.
var argument = regexp.MustCompile(`{{\.[A-Za-z]+}}`)

// templates returns, by message id, the longest piece between the parameters of each text of a language. Pieces of
// fewer than three words are left out, because they do not identify their text.
func templates(t *testing.T, tag string) map[string]string {
	t.Helper()
	pieces := map[string]string{}
	for id, said := range catalogue(t, tag) {
		longest := ""
		for _, piece := range argument.Split(said["other"], -1) {
			if len(piece) > len(longest) {
				longest = piece
			}
		}
		if len(strings.Fields(longest)) >= 3 {
			pieces[id] = strings.TrimSpace(longest)
		}
	}
	return pieces
}

// catalogue reads the files of a language. It returns the plural forms of each message by the message's id.
func catalogue(t *testing.T, tag string) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	folder := os.DirFS("../games/text/locale")
	names, err := fs.Glob(folder, "*."+tag+".toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		var file map[string]map[string]string
		if _, err := toml.DecodeFS(folder, name, &file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		maps.Copy(all, file)
	}
	return all
}

// pseudo returns a pseudo-localisation: English texts that are longer by a third, with accents, between brackets. Its
// tag is Finnish, which has the same plural forms as English.
func pseudo(t *testing.T) fs.FS {
	t.Helper()
	var b strings.Builder
	for id, forms := range catalogue(t, "en") {
		fmt.Fprintf(&b, "[%q]\n", id)
		for form, said := range forms {
			if form == "description" {
				continue
			}
			if strings.HasPrefix(id, "list.") { // lists are joined repeatedly
				fmt.Fprintf(&b, "%s = %q\n", form, joins.Replace(said))
				continue
			}
			most := locale.Most(id)
			fmt.Fprintf(&b, "%s = %q\n", form, lengthened(said, most))
		}
	}
	return fstest.MapFS{"all.fi.toml": {Data: []byte(b.String())}}
}

// kept matches the parts of a text that translators keep: parameters, code, commands, mentions and links.
var kept = regexp.MustCompile("{{[^}]*}}|`[^`]*`|/[a-z]+( [a-z]+)?|<[^>]*>|https?:\\S+")

var (
	accents = strings.NewReplacer("a", "á", "e", "é", "i", "í", "o", "ö", "u", "ü", "c", "ç", "n", "ñ", "A", "Å", "E",
		"É")
	joins = strings.NewReplacer(" and ", " ⟦and⟧ ", " or ", " ⟦or⟧ ") // joins marks the words that join lists
)

// lengthened returns a text with accents and in brackets, made longer by a third, or by less if its length would exceed
// most.
func lengthened(s string, most int) string {
	s = strings.TrimSpace(s)
	var b strings.Builder
	last := 0
	for _, at := range kept.FindAllStringIndex(s, -1) {
		b.WriteString(accents.Replace(s[last:at[0]]) + s[at[0]:at[1]])
		last = at[1]
	}
	b.WriteString(accents.Replace(s[last:]))
	words := len([]rune(argument.ReplaceAllString(s, "")))
	more := words / 3
	if most > 0 {
		more = max(0, min(more, most-words-2))
	}
	return "⟦" + b.String() + strings.Repeat("~", more) + "⟧"
}

// bracketed matches the innermost texts in brackets.
var bracketed = regexp.MustCompile(`⟦[^⟦⟧]*⟧`)

// longWords matches words of three or more letters.
var longWords = regexp.MustCompile(`\p{L}{3,}`)

// proper matches the parts of a message that are no texts of the catalogue: mentions, code, links and numbers of
// tables.
var proper = regexp.MustCompile("<[^>]*>|`[^`]*`|```[^`]*```|https?:\\S+|#\\S+")

// With every text a third longer, accented and in brackets, no label is cut off at its end, and every word of three or
// more letters comes from the catalogue: none is concatenated or hard-coded.
func TestPseudoLocalisation(t *testing.T) {
	own := pseudo(t)
	for _, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			r, l, say := abroad(t, "fi", []fs.FS{own}, asIs)
			playAbroad(r, g, say, 8)
			if g.Key() == catalog.Games[0].Key() {
				tour(r, localdiscord.TortugaTables)
			}
			notGlued(t, l.texts())
		})
	}
}

// notGlued reports texts in the pseudo-localisation that are cut off or have words that are not in the catalogue.
func notGlued(t *testing.T, texts []string) {
	t.Helper()
	glued := map[string]string{}
	for _, s := range texts {
		left := s[strings.Index(s, ": ")+2:]
		move, _, typed := strings.Cut(left, " · ")
		if typed && strings.HasPrefix(s, "name: ") && !strings.Contains(move, "⟦") {
			left = left[len(move):] // a move in notation, which precedes its meaning
		}
		for bracketed.MatchString(left) {
			left = bracketed.ReplaceAllString(left, "")
		}
		if strings.ContainsAny(left, "⟦⟧") {
			// Only two kinds of text may be cut off, both near their limits: a picture's description (1,024 characters,
			// at whose end a note says where the rest is) and a choice's name (100 characters, with the value first).
			if long := len([]rune(s)); (!strings.HasPrefix(s, "description: ") || long < 900) &&
				(!strings.HasPrefix(s, "name: ") || long < 100) {
				t.Errorf("cut off: %s", s)
			}
			continue
		}
		for _, w := range longWords.FindAllString(proper.ReplaceAllString(left, ""), -1) {
			glued[w] = s
		}
	}
	for _, name := range append(bottest.WorldNames, "English", "Deutsch") { // the names of languages in the menu
		for _, w := range longWords.FindAllString(name, -1) {
			delete(glued, w)
		}
	}
	for _, w := range slices.Sorted(maps.Keys(glued)) {
		t.Errorf("%s is no sentence: %s", w, glued[w])
	}
}

// Public messages are in the server's language, whoever causes them. Private messages are in the language of the user's
// preferences, or else of the user's Discord client. When a server's language changes, a running game continues in the
// new language.
func TestWhoseLanguage(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Locales = []fs.FS{pseudo(t)} })
	anne, jack, channel, opt := localdiscord.Anne, localdiscord.Jack, localdiscord.TortugaTables, localdiscord.Opt
	foreign := func(what string, m *localdiscord.Message, want bool) {
		t.Helper()
		if got := strings.Contains(m.Text(), "⟦"); got != want {
			t.Errorf("%s is said in the foreign language: %v, want %v: %s", what, got, want, m.Text())
		}
	}
	if err := r.Server.Admin.SetLocale(anne, "fi"); err != nil {
		t.Fatal(err)
	}
	stats := func(user string, share bool) *localdiscord.Message {
		return r.Command(user, channel, "record stats", opt("share", share))
	}
	foreign("an answer to Anne alone", stats(anne, false), true)
	foreign("an answer to Jack alone", stats(jack, false), false)
	foreign("what Anne shows everybody", stats(anne, true), false)
	foreign("a refusal of what Anne would have shown everybody",
		r.Command(anne, channel, "record replay", opt("table", "99"), opt("share", true)), true)

	r.Open(channel, catalog.Games[0], []string{jack, localdiscord.Mary})
	if err := r.Server.Admin.SetServerLocale(localdiscord.Tortuga, "fi"); err != nil {
		t.Fatal(err)
	}
	foreign("what Jack shows everybody", stats(jack, true), true)
	foreign("an answer to Jack alone", stats(jack, false), false)
	play := func() *localdiscord.Message {
		before := r.Latest(channel)
		snap := r.Table()
		view := snap.View(snap.ToMove)
		move := games.NewMenu(view.State).Candidates()[0].Move
		r.Command(snap.Seats[snap.ToMove].User, channel, "move", opt("move", games.Spell(view.State, move)))
		return r.Next(channel, before, func(m *localdiscord.Message) bool { return len(m.Pictures()) > 0 })
	}
	foreign("a table after the server prefers another language", play(), true)
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Language = "en" })
	foreign("a table after the server's settings say English", play(), false)

	// A computer player has its name in the reader's language, not in the language in which it joined.
	tavern := localdiscord.TortugaTavern
	r.Command(jack, tavern, "play", opt("game", bottest.LoyalCaptain), opt("computers", 1))
	for user, want := range map[string]string{jack: "Bosun (", anne: "⟦Bösüñ ("} {
		read := r.Command(user, tavern, "games").Text()
		if !strings.Contains(read, want) {
			t.Errorf("%s reads %q, which does not call the computer %q", user, read, want)
		}
	}
	turn := r.Open(localdiscord.TortugaHarbour, catalog.Games[0], []string{jack, localdiscord.Mary})
	foreign("the rules that Anne asks for under a board", r.Click(anne, turn, "Rules"), true)
	foreign("the rules that Jack asks for under a board", r.Click(jack, turn, "Rules"), false)
	inEnglish := func(p *choices.Preferences) error { p.Language = "en"; return nil }
	if _, err := r.Tables.Choices.ChangePreferences(r.Ctx, anne, inEnglish); err != nil {
		t.Fatal(err)
	}
	foreign("an answer to Anne who prefers English", stats(anne, false), false)
}

// No message mixes two languages on a server whose people use another language than the server. The name of a computer
// at the table appears in the reader's language.
func TestNoMessageMixesLanguages(t *testing.T) {
	own := []fs.FS{pseudo(t)}
	sentences, err := locale.Load(own...)
	if err != nil {
		t.Fatal(err)
	}
	for name, tags := range map[string][2]string{
		"a foreign server": {"fi", "en-US"},
		"foreign people":   {"en-US", "fi"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &mixtures{t: t, itself: sentences.Speaker(nil, "fi").Plain().Say(text.M("bot.language"))}
			r := bottest.NewWith(t, func(r *bottest.Rig) { r.Locales = own }, m.listen)
			r.Must(r.Server.Admin.SetServerLocale(localdiscord.Tortuga, tags[0]))
			for _, p := range bottest.World {
				r.Must(r.Server.Admin.SetLocale(p, tags[1]))
			}
			speaker := sentences.Speaker(nil, tags[0]).Plain()
			say := func(id string) string { return speaker.Say(text.M(id)) }
			opt, anne := localdiscord.Opt, localdiscord.Anne
			playAbroad(r, catalog.Games[0], say, 4)
			tour(r, localdiscord.TortugaTables)
			r.Command(anne, localdiscord.TortugaTavern, "play", opt("game", bottest.LoyalCaptain), opt("computers", 1))
			r.Command(anne, localdiscord.TortugaTavern, "games")
			r.Command(anne, localdiscord.TortugaTables, "table resign")
			r.Command(anne, localdiscord.TortugaTables, "record stats", opt("share", true))
			r.Command(anne, localdiscord.TortugaTables, "record stats")
			m.mu.Lock()
			defer m.mu.Unlock()
			if m.foreign < 8 || m.native < 8 {
				t.Errorf("%d messages were foreign and %d English, want some of both", m.foreign, m.native)
			}
		})
	}
}

// mixtures checks each message of the bot for words of two languages.
type mixtures struct {
	t               *testing.T
	itself          string // name of the foreign language in the list of languages
	mu              sync.Mutex
	foreign, native int // number of messages in each language
}

func (m *mixtures) listen(o *localdiscord.Options) {
	check := o.OnRequest
	o.OnRequest = func(q localdiscord.Request) {
		check(q)
		var body struct {
			Type discordgo.InteractionResponseType `json:"type"`
		}
		_ = json.Unmarshal(q.Body, &body)
		if strings.HasSuffix(q.Path, "/commands") ||
			body.Type == discordgo.InteractionApplicationCommandAutocompleteResult {
			return // commands have all languages, and a list of moves is in no language
		}
		l := &listener{said: map[string]map[string]bool{}}
		var whole any
		if json.Unmarshal(q.Body, &whole) == nil {
			l.walk(whole)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		var foreign, native []string
		for _, s := range l.texts() {
			said := s[strings.Index(s, ": ")+2:]
			if strings.ContainsAny(said, "⟦⟧") && said != m.itself {
				foreign = append(foreign, s)
			}
			if words := unbracketed(said); len(words) > 0 {
				native = append(native, s)
			}
		}
		switch {
		case foreign != nil && native != nil:
			m.t.Errorf("%s %s says %q in one language, and %q in another", q.Method, q.Path, foreign, native)
		case foreign != nil:
			m.foreign++
		case native != nil:
			m.native++
		}
	}
}

// unbracketed returns the words of a text in the pseudo-localisation that are outside its brackets, except names.
func unbracketed(said string) (words []string) {
	for bracketed.MatchString(said) {
		said = bracketed.ReplaceAllString(said, "")
	}
	if strings.ContainsAny(said, "⟦⟧") {
		return nil // the description was cut off at its end
	}
	for _, w := range longWords.FindAllString(proper.ReplaceAllString(said, ""), -1) {
		if !slices.ContainsFunc(append(bottest.WorldNames, "English", "Deutsch", "Rum"), func(name string) bool {
			return slices.Contains(strings.Fields(name), w)
		}) {
			words = append(words, w)
		}
	}
	return words
}

// foreignScript returns a complete language. Each of its texts is the English plural text, after some letters of a
// script if there is room for them.
func foreignScript(t *testing.T, tag, letters string, plurals ...string) fs.FS {
	t.Helper()
	var b strings.Builder
	for id, english := range catalogue(t, "en") {
		fmt.Fprintf(&b, "[%q]\nother = %q\n", id, script(english["other"], letters, locale.Most(id)))
		if english["one"] != "" {
			for _, form := range plurals {
				fmt.Fprintf(&b, "%s = %q\n", form, script(english["other"], letters, locale.Most(id)))
			}
		}
	}
	return fstest.MapFS{"all." + tag + ".toml": {Data: []byte(b.String())}}
}

func script(s, letters string, most int) string {
	if most > 0 && len([]rune(argument.ReplaceAllString(s, "")))+len([]rune(letters)) >= most {
		return s
	}
	return letters + " " + s
}

// In a language whose letters pictures cannot show, such as an operator's own Hindi or Thai, boards are also shown as
// text below their pictures, with an explanation. In other languages, they are not.
func TestBoardsAsTextWhereLettersAreNotPainted(t *testing.T) {
	for tag, own := range map[string]fs.FS{
		"hi": foreignScript(t, "hi", "समुद्री डाकू", "one"),
		"th": foreignScript(t, "th", "โจรสลัด"),
		"fi": pseudo(t),
	} {
		t.Run(tag, func(t *testing.T) {
			t.Parallel()
			r, l, say := abroad(t, tag, []fs.FS{own}, asIs)
			playAbroad(r, catalog.Games[0], say, 3)
			boards, why := 0, say("bot.board.unpainted")
			for _, s := range l.texts() {
				if strings.Contains(s, "```") && strings.Contains(s, why) {
					boards++
				}
			}
			if unpainted := tag != "fi"; unpainted != (boards > 0) {
				t.Errorf("%d boards were shown as text below their pictures", boards)
			}
			t.Logf("%d boards as text", boards)
		})
	}
}
