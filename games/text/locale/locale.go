// Package locale turns messages into sentences of a language. The sentences are in the files of this directory,
// PREFIX.LANGUAGE.toml in go-i18n's format, where PREFIX is the first part of the ids in the file. Another language
// needs more files, but no change of the code.
package locale

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"marque/games/text"
)

//go:embed *.toml
var files embed.FS

// Catalogue holds the sentences of all languages. It is safe for concurrent use.
type Catalogue struct {
	bundle   *i18n.Bundle
	matcher  language.Matcher
	voices   []voice // in the order of the matcher's languages
	coverage []Coverage
}

// voice holds the sentences of one language.
type voice struct {
	tag       language.Tag
	loc       *i18n.Localizer
	sentences map[string]sentence // prepared sentences (plural form other), by id
}

// Load reads the embedded files and the operator's own folders. A sentence in a folder replaces the embedded one. A
// language is offered if its Coverage is complete. English is always offered, but without the operator's sentences if
// one of them is faulty. An error about a file names the file.
func Load(own ...fs.FS) (*Catalogue, error) {
	if len(own) == 0 {
		return embedded()
	}
	return loadWith(own)
}

// embedded returns the catalogue of the built-in sentences, which is loaded once.
var embedded = sync.OnceValues(func() (*Catalogue, error) { return loadWith(nil) })

func loadWith(own []fs.FS) (*Catalogue, error) {
	built, err := read(files)
	if err != nil {
		return nil, err
	}
	all := built
	for _, folder := range own {
		more, err := read(folder)
		if err != nil {
			return nil, err
		}
		all = all.with(more)
	}
	return load(built.messages[language.English], all)
}

// load returns the catalogue of the sentences in all. It offers English, and the languages that have all ids of english
// without faults.
func load(english map[string]*i18n.Message, all sentencesOf) (*Catalogue, error) {
	coverage, err := check(english, all, slices.Collect(maps.Keys(all.messages)))
	if err != nil {
		return nil, err
	}
	bundle := i18n.NewBundle(language.English)
	prepared := map[language.Tag]map[string]sentence{}
	for _, c := range coverage {
		messages := all.messages[c.Language]
		switch {
		case c.Complete():
		case c.Language == language.English:
			messages = english
		default:
			continue
		}
		prepared[c.Language] = map[string]sentence{}
		for id, m := range messages {
			if err := bundle.AddMessages(c.Language, m); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", c.Language, id, err)
			}
			if said, ok := prepare(m.Other); ok {
				prepared[c.Language][id] = said
			}
		}
	}
	tags := bundle.LanguageTags()
	c := &Catalogue{bundle: bundle, matcher: language.NewMatcher(tags), coverage: coverage}
	for _, tag := range tags {
		c.voices = append(c.voices, voice{tag, i18n.NewLocalizer(bundle, tag.String()), prepared[tag]})
	}
	return c, nil
}

// Languages returns the offered languages, English first.
func (c *Catalogue) Languages() []language.Tag { return c.bundle.LanguageTags() }

// Coverage returns the coverage of every language that has a file, sorted by language tag.
func (c *Catalogue) Coverage() []Coverage { return c.coverage }

// Speaker formats messages in one language for one audience, in Discord's markdown, or without markup (Plain). Markup
// comes from the sentences and from arguments whose type creates it (text.Markup, text.Code, time.Time); typed text is
// escaped. A Speaker is safe for concurrent use.
type Speaker struct {
	voice voice
	name  Naming
	plain bool
}

// Naming returns the name of a seat. A seat is named "player 1" and so on if Naming is nil or returns a zero message.
type Naming func(player int) text.Message

// Speaker returns a speaker of the offered language that matches the first of the tags ("de", "en-GB") with a match.
// The language is English if no tag matches.
func (c *Catalogue) Speaker(name Naming, tags ...string) *Speaker {
	for _, t := range tags {
		tag, err := language.Parse(t)
		if err != nil {
			continue
		}
		if _, i, sure := c.matcher.Match(tag); sure > language.No {
			return &Speaker{voice: c.voices[i], name: name}
		}
	}
	return &Speaker{voice: c.voices[0], name: name}
}

// Language returns the language of s.
func (s *Speaker) Language() language.Tag { return s.voice.tag }

// Named returns a speaker of the same language with another Naming.
func (s *Speaker) Named(name Naming) *Speaker {
	return &Speaker{voice: s.voice, name: name, plain: s.plain}
}

// Plain returns a speaker of the same language for texts without markup: alt texts, labels, pictures and the terminal.
func (s *Speaker) Plain() *Speaker { return &Speaker{voice: s.voice, name: s.name, plain: true} }

// Say returns the message as a sentence. An id without a sentence is shown in brackets, so that users can report it.
// Normally a test finds missing sentences first.
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
			if n, ok := v.(int); ok { // a quantity; other numbers are names, as of a table or a year
				data[k] = message.NewPrinter(s.voice.tag).Sprint(number.Decimal(n))
			}
		}
	}
	return s.fill(m.ID, data, count)
}

// fill returns the sentence of an id with its formatted arguments, by the go-i18n library.
func (s *Speaker) fill(id string, said map[string]string, count any) string {
	sentence, err := s.voice.loc.Localize(&i18n.LocalizeConfig{MessageID: id, TemplateData: said, PluralCount: count})
	if err != nil && sentence == "" {
		return "[" + id + "]"
	}
	return strings.TrimSpace(sentence)
}

// arg returns an argument as formatted text. A type that is not listed at text.Args is a mistake of the caller, and is
// escaped like typed text.
func (s *Speaker) arg(v any) string {
	switch v := v.(type) {
	case text.Player:
		return s.player(int(v))
	case text.Color:
		return s.Say(text.Message{ID: colorIDs[max(0, min(int(v), len(colorIDs)-1))]})
	case text.Message:
		return s.Say(v)
	case []text.Message:
		return s.list(v, "list.and")
	case text.Or:
		return s.list(v, "list.or")
	case int:
		return strconv.Itoa(v)
	case text.Decimal:
		return message.NewPrinter(s.voice.tag).Sprint(number.Decimal(float64(v), number.MaxFractionDigits(2)))
	case time.Time:
		if s.plain {
			return s.Say(text.M("date.moment", "Day", text.Day(v.UTC()), "Time", v.UTC().Format("15:04")))
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

// typed formats text that a user can have typed.
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

// list joins items as "a", "a and b" or "a, b and c". If pair is "list.or", "or" replaces "and". Items without words
// are left out.
func (s *Speaker) list(items []text.Message, pair string) string {
	said := make([]string, 0, len(items))
	for _, m := range items {
		if t := s.Say(m); t != "" {
			said = append(said, t)
		}
	}
	if len(said) == 0 {
		return ""
	}
	all, last := said[0], len(said)-1
	for i, next := range said[1:] {
		id := "list.more"
		if i+1 == last {
			id = pair
		}
		all = s.joined(id, all, next)
	}
	return all
}

// joined appends the next item to the list in first.
func (s *Speaker) joined(id, first, next string) string {
	parts := map[string]string{"First": first, "Next": next}
	sentence, ok := s.voice.sentences[id].fill(func(name string) (string, bool) { v, ok := parts[name]; return v, ok })
	if ok {
		return strings.TrimSpace(sentence)
	}
	return s.fill(id, parts, nil)
}

// IDs returns the ids that have a sentence in English, sorted.
func IDs() ([]string, error) {
	built, err := read(files)
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(built.messages[language.English])), nil
}
