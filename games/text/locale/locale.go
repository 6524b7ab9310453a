// Package locale turns messages into sentences of a language. The sentences are in
// the files beside it, PREFIX.LANGUAGE.toml in go-i18n's format, where PREFIX is the
// first part of the ids of the sentences in it. A second language is another set of
// files; nothing here changes.
package locale

import (
	"embed"
	"fmt"
	"io/fs"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"

	"marque/games/text"
)

//go:embed *.toml
var files embed.FS

// Catalogue holds the sentences of all languages. It is safe for concurrent use.
type Catalogue struct {
	bundle  *i18n.Bundle
	matcher language.Matcher
	voices  []voice // by language, as the matcher numbers them
}

// voice is one language.
type voice struct {
	loc       *i18n.Localizer
	sentences map[string]sentence // by id; those that are the same whatever they count
}

// Load reads the embedded files. It returns an error that names the file that is damaged.
func Load() (*Catalogue, error) { return load(files) }

func load(fsys fs.FS) (*Catalogue, error) {
	bundle := i18n.NewBundle(language.English)
	bundle.RegisterUnmarshalFunc("toml", toml.Unmarshal)
	names, err := fs.Glob(fsys, "*.toml")
	if err != nil {
		return nil, err
	}
	prepared := map[language.Tag]map[string]sentence{}
	for _, name := range names {
		file, err := bundle.LoadMessageFileFS(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if prepared[file.Tag] == nil {
			prepared[file.Tag] = map[string]sentence{}
		}
		for _, m := range file.Messages {
			if said, ok := prepare(m.Other); ok {
				prepared[file.Tag][m.ID] = said
			}
		}
	}
	tags := bundle.LanguageTags()
	c := &Catalogue{bundle: bundle, matcher: language.NewMatcher(tags)}
	for _, tag := range tags {
		c.voices = append(c.voices, voice{loc: i18n.NewLocalizer(bundle, tag.String()), sentences: prepared[tag]})
	}
	return c, nil
}

// Languages lists the languages that have sentences, English first.
func (c *Catalogue) Languages() []language.Tag { return c.bundle.LanguageTags() }

// Speaker says messages in one language to one audience, in Discord's markdown, or plainly (Plain). What
// the sentences do not say themselves, and is not ours by type, is no markup in what they become. It is
// safe for concurrent use.
type Speaker struct {
	voice voice
	name  Naming
	plain bool
}

// Naming is how a seat is called; nil, or a message that says nothing, calls it "player 1" and so on.
type Naming func(player int) text.Message

// Speaker returns a speaker of the best language there is for the tags ("de", "en-GB"), English
// when none fits.
func (c *Catalogue) Speaker(name Naming, tags ...string) *Speaker {
	_, i := language.MatchStrings(c.matcher, tags...)
	return &Speaker{voice: c.voices[i], name: name}
}

// Named is the same language with other names.
func (s *Speaker) Named(name Naming) *Speaker {
	return &Speaker{voice: s.voice, name: name, plain: s.plain}
}

// Plain says the same where nothing is markup: in alt texts, labels, pictures, on the terminal.
func (s *Speaker) Plain() *Speaker { return &Speaker{voice: s.voice, name: s.name, plain: true} }

// Say is the message as a sentence. A message whose id has no sentence is said as its id in
// brackets, so that it is found; a test finds them all before people do.
func (s *Speaker) Say(m text.Message) string {
	if m.IsZero() {
		return ""
	}
	if literal := m.Literal(); literal != nil {
		return s.arg(literal)
	}
	if _, counts := m.Args["Count"]; !counts {
		sentence, ok := s.voice.sentences[m.ID].fill(func(name string) (string, bool) {
			v, ok := m.Args[name]
			return s.arg(v), ok
		})
		if ok {
			return strings.TrimSpace(sentence)
		}
	}
	data := make(map[string]string, len(m.Args))
	var count any
	for k, v := range m.Args {
		data[k] = s.arg(v)
		if k == "Count" {
			count = v
		}
	}
	return s.fill(m.ID, data, count)
}

// fill is the sentence of an id with what its arguments have become, by the library.
func (s *Speaker) fill(id string, said map[string]string, count any) string {
	sentence, err := s.voice.loc.Localize(&i18n.LocalizeConfig{MessageID: id, TemplateData: said, PluralCount: count})
	if err != nil && sentence == "" {
		return "[" + id + "]"
	}
	return strings.TrimSpace(sentence)
}

// arg says an argument. What is of no kind that text.Args names is an error of the caller's, and as
// harmless as what somebody typed.
func (s *Speaker) arg(v any) string {
	switch v := v.(type) {
	case text.Player:
		return s.player(int(v))
	case text.Color:
		return s.Say(text.Message{ID: colorIDs[max(0, min(int(v)+1, len(colorIDs)-1))]})
	case text.Message:
		return s.Say(v)
	case []text.Message:
		return s.list(v, "list.and")
	case text.Or:
		return s.list(v, "list.or")
	case int:
		return strconv.Itoa(v)
	case time.Time:
		if s.plain {
			return v.UTC().Format("2006-01-02 15:04 UTC")
		}
		return text.Moment(v, text.Relative).String()
	case text.Markup:
		return v.String()
	case text.Code:
		if s.plain {
			return text.NewName(string(v)).Plain()
		}
		return v.Markdown()
	case text.Name:
		return s.typed(v)
	case string:
		return s.typed(text.NewName(v))
	default:
		return s.typed(text.NewName(fmt.Sprint(v)))
	}
}

// typed says what may have been typed by anybody.
func (s *Speaker) typed(n text.Name) string {
	if s.plain {
		return n.Plain()
	}
	return n.Markdown()
}

var colorIDs = []string{"color.none", "color.red", "color.blue", "color.green", "color.yellow", "color.violet"}

func (s *Speaker) player(n int) string {
	if s.name != nil {
		if name := s.Say(s.name(n)); name != "" {
			return name
		}
	}
	return s.Say(text.M("player.number", "Number", n+1))
}

// list joins items: "a", "a and b", "a, b and c".
func (s *Speaker) list(items []text.Message, pair string) string {
	said := make([]string, 0, len(items))
	for _, m := range items {
		if t := s.Say(m); t != "" {
			said = append(said, t)
		}
	}
	switch len(said) {
	case 0:
		return ""
	case 1:
		return said[0]
	}
	last := len(said) - 1
	parts := map[string]string{"First": strings.Join(said[:last], s.Say(text.M("list.comma"))+" "), "Last": said[last]}
	if sentence, ok := s.voice.sentences[pair].fill(func(name string) (string, bool) {
		v, ok := parts[name]
		return v,
			ok
	}); ok {
		return strings.TrimSpace(sentence)
	}
	return s.fill(pair, parts, nil)
}

// IDs lists the ids that have a sentence in English, sorted.
func IDs() ([]string, error) {
	names, err := fs.Glob(files, "*.en.toml")
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, name := range names {
		b, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		mf, err := i18n.ParseMessageFileBytes(b, name, map[string]i18n.UnmarshalFunc{"toml": toml.Unmarshal})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, m := range mf.Messages {
			ids = append(ids, m.ID)
		}
	}
	sort.Strings(ids)
	return ids, nil
}
