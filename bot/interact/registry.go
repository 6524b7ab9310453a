package interact

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/bwmarrin/discordgo"
	"golang.org/x/text/language"

	"marque/bot/show"
	"marque/games/text"
	"marque/games/text/locale"
)

// Room is a part of the bot that answers commands.
type Room interface{ Commands() []Command }

// Pressed is a Room with controls that do not belong to its commands. Everybody can use them everywhere.
type Pressed interface{ Actions() []Action }

// Registry has all commands, and the handlers of commands and controls.
type Registry struct {
	commands []Command
	routes   map[string]declared      // routes of commands, by path
	actions  map[show.Action]declared // actions of controls

	ids atomic.Pointer[map[string]string] // Discord's ids of the slash commands and families
}

// declared is a route with its access. anywhere is set if the route is also offered outside the bot's servers.
type declared struct {
	Route
	who      Access
	anywhere bool
}

// NewRegistry collects the commands of the rooms in order. It returns an error for a command or an action that is
// declared twice or has no handler, for a command without a topic, for a slash command with an invalid name, and for a
// slash command with restricted access that is offered anywhere. A family is an error if its commands differ in access,
// if it has a command's name, or if it is deeper than Discord allows.
func NewRegistry(rooms ...Room) (*Registry, error) {
	r := &Registry{routes: map[string]declared{}, actions: map[show.Action]declared{}}
	for _, room := range rooms {
		for _, c := range room.Commands() {
			if err := r.add(c); err != nil {
				return nil, err
			}
		}
		if p, ok := room.(Pressed); ok {
			for _, a := range p.Actions() {
				if err := put(r.actions, a.Name, declared{a.Route, Everybody, true}); err != nil {
					return nil, err
				}
			}
		}
	}
	return r, nil
}

// maxWords is the maximum number of words of a command in Discord: command, group, subcommand.
const maxWords = 3

func (r *Registry) add(c Command) error {
	words := strings.Fields(c.Name)
	if c.Menu != 0 {
		return r.declare(c)
	}
	if len(words) == 0 || len(words) > maxWords || strings.Join(words, " ") != c.Name {
		return fmt.Errorf("%q is no command's name", c.Name)
	}
	for _, other := range r.commands {
		if other.Menu != 0 {
			continue
		}
		if strings.HasPrefix(other.Name, c.Name+" ") || strings.HasPrefix(c.Name, other.Name+" ") {
			return fmt.Errorf("one of %q and %q is a family, so that nobody can type it alone", c.Name, other.Name)
		}
		if strings.Fields(other.Name)[0] == words[0] && other.Access != c.Access {
			return fmt.Errorf("%q and %q are of one family, but not for the same people", c.Name, other.Name)
		}
	}
	if c.Anywhere && c.Access != Everybody {
		return fmt.Errorf("%q is for those who may do more on a server, but not for a server alone", c.Name)
	}
	return r.declare(c)
}

func (r *Registry) declare(c Command) error {
	if !slices.Contains(Topics(), c.Topic) {
		return fmt.Errorf("%q is under no topic of /help", c.Name)
	}
	r.commands = append(r.commands, c)
	if err := put(r.routes, c.path(), declared{c.Route, c.Access, c.Anywhere}); err != nil {
		return err
	}
	for _, a := range c.Actions {
		if err := put(r.actions, a.Name, declared{a.Route, c.Access, c.Anywhere || a.Anywhere}); err != nil {
			return err
		}
	}
	return nil
}

func put[K ~string](routes map[K]declared, name K, d declared) error {
	if d.Handle == nil {
		return fmt.Errorf("nobody answers %q", name)
	}
	if _, twice := routes[name]; twice {
		return fmt.Errorf("%q is declared twice", name)
	}
	routes[name] = d
	return nil
}

// Registered stores the ids that Discord has given the commands.
func (r *Registry) Registered(commands []*discordgo.ApplicationCommand) {
	ids := map[string]string{}
	for _, c := range commands {
		if c.Type == discordgo.ChatApplicationCommand {
			ids[c.Name] = c.ID
		}
	}
	r.ids.Store(&ids)
}

// link returns a clickable mention of a slash command. It is the plain name while the command has no id from Discord.
// Source: Discord's documentation, "Message Formatting".
func (r *Registry) link(name string) string {
	first, _, _ := strings.Cut(name, " ")
	if ids := r.ids.Load(); ids != nil && (*ids)[first] != "" {
		return "</" + name + ":" + (*ids)[first] + ">"
	}
	return "`/" + name + "`"
}

// Actions returns the actions of all controls in arbitrary order.
func (r *Registry) Actions() []show.Action {
	var list []show.Action
	for a := range r.actions {
		list = append(list, a)
	}
	return list
}

// ApplicationCommands returns the commands in Discord's format: in English, with the catalogue's other languages as
// localizations.
func (r *Registry) ApplicationCommands(sentences *locale.Catalogue) []*discordgo.ApplicationCommand {
	w := wording{sentences}
	var list []*discordgo.ApplicationCommand
	for _, c := range r.commands {
		if c.Menu != 0 {
			list = append(list, w.menu(c))
			continue
		}
		words := strings.Fields(c.Name)
		i := slices.IndexFunc(list, func(known *discordgo.ApplicationCommand) bool {
			return known.Name == words[0] && known.Type == discordgo.ChatApplicationCommand
		})
		if i < 0 {
			i = len(list)
			list = append(list, w.top(words[0], c.Access, r.Anywhere(words[0])))
		}
		w.place(&list[i].Options, words, 1, c)
	}
	return list
}

// Anywhere reports whether the slash command with this name, or some command of the family, can be given anywhere.
func (r *Registry) Anywhere(name string) bool {
	return slices.ContainsFunc(r.commands, func(c Command) bool {
		return c.Menu == 0 && c.Anywhere && strings.HasPrefix(c.Name+" ", name+" ")
	})
}

// maxDescription is the maximum number of characters of a description, or of a choice's name, in Discord.
const maxDescription = 100

// wording translates the commands' names and descriptions.
type wording struct{ sentences *locale.Catalogue }

// discordLocales has Discord's names of the languages that the catalogue names differently.
var discordLocales = map[string]discordgo.Locale{
	"es": discordgo.SpanishES, "pt": discordgo.PortugueseBR, "sv": discordgo.Swedish, "zh": discordgo.ChineseCN,
}

// localized returns the sentence with an id in the languages of Discord in which it differs from English.
func (w wording) localized(id string) map[discordgo.Locale]string {
	out := map[discordgo.Locale]string{}
	english := w.english(id)
	for _, tag := range w.sentences.Languages() {
		base, _ := tag.Base()
		if base.String() == "en" {
			continue
		}
		l := discordgo.Locale(tag.String())
		if known, ok := discordLocales[tag.String()]; ok {
			l = known
		}
		if _, known := discordgo.Locales[l]; !known {
			continue
		}
		if said := w.sentences.Speaker(nil, tag.String()).Say(text.M(id)); said != english {
			out[l] = show.Clip(said, maxDescription) // Discord would refuse all commands if one were too long
		}
	}
	return out
}

func (w wording) english(id string) string {
	return w.sentences.Speaker(nil, language.English.String()).Say(text.M(id))
}

// menu returns a command of the context menu, which has no description and no options.
func (w wording) menu(c Command) *discordgo.ApplicationCommand {
	contexts, installs := places(c.Anywhere)
	cmd := &discordgo.ApplicationCommand{
		Type: c.Menu, Name: w.english(c.menuSentence()), Contexts: &contexts, IntegrationTypes: &installs,
		DefaultMemberPermissions: c.Access.permissions(),
	}
	if l := w.localized(c.menuSentence()); len(l) > 0 {
		cmd.NameLocalizations = &l
	}
	return cmd
}

// places returns the contexts and the kinds of installation in which a command is offered.
func places(anywhere bool) ([]discordgo.InteractionContextType, []discordgo.ApplicationIntegrationType) {
	contexts := []discordgo.InteractionContextType{discordgo.InteractionContextGuild}
	installs := []discordgo.ApplicationIntegrationType{discordgo.ApplicationIntegrationGuildInstall}
	if anywhere {
		contexts = append(contexts, discordgo.InteractionContextBotDM, discordgo.InteractionContextPrivateChannel)
		installs = append(installs, discordgo.ApplicationIntegrationUserInstall)
	}
	return contexts, installs
}

// top returns a command without its options, or a family without its subcommands.
func (w wording) top(name string, who Access, anywhere bool) *discordgo.ApplicationCommand {
	id := "command." + name
	contexts, installs := places(anywhere)
	cmd := &discordgo.ApplicationCommand{
		Type:                     discordgo.ChatApplicationCommand,
		Name:                     name,
		Description:              show.Clip(w.english(id+".description"), maxDescription),
		Contexts:                 &contexts,
		IntegrationTypes:         &installs,
		DefaultMemberPermissions: who.permissions(),
	}
	if l := w.localized(id + ".description"); len(l) > 0 {
		cmd.DescriptionLocalizations = &l
	}
	return cmd
}

// place adds a command to the options of its family, and creates missing groups. at is the number of words that are
// already placed. After the last word, place sets the command's own options.
func (w wording) place(among *[]*discordgo.ApplicationCommandOption, words []string, at int, c Command) {
	if at == len(words) {
		*among = w.options(c.Options)
		return
	}
	i := slices.IndexFunc(*among, func(known *discordgo.ApplicationCommandOption) bool {
		return known.Name == words[at]
	})
	if i < 0 {
		kind := discordgo.ApplicationCommandOptionSubCommandGroup
		if at == len(words)-1 {
			kind = discordgo.ApplicationCommandOptionSubCommand
		}
		i = len(*among)
		*among = append(*among, w.worded(kind, words[at], "command."+strings.Join(words[:at+1], ".")))
	}
	w.place(&(*among)[i].Options, words, at+1, c)
}

// worded returns an option with its description in all languages. The ids of its sentences begin with id. Its name is
// English in all languages, so that people can tell each other what to type.
func (w wording) worded(kind discordgo.ApplicationCommandOptionType, name,
	id string) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type:                     kind,
		Name:                     name,
		Description:              show.Clip(w.english(id+".description"), maxDescription),
		DescriptionLocalizations: w.localized(id + ".description"),
	}
}

func (w wording) options(list []Option) []*discordgo.ApplicationCommandOption {
	var out []*discordgo.ApplicationCommandOption
	for _, o := range list {
		opt := w.worded(o.kind, o.name, "command.option."+o.name)
		opt.Required, opt.Autocomplete, opt.MaxLength, opt.MinValue = o.required, o.completed, o.length, o.least
		if o.most != nil {
			opt.MaxValue = *o.most
		}
		if o.description != "" {
			opt.Description = show.Clip(w.english(o.description), maxDescription)
			opt.DescriptionLocalizations = w.localized(o.description)
		}
		for _, c := range o.choices {
			opt.Choices = append(opt.Choices, &discordgo.ApplicationCommandOptionChoice{
				Name: show.Clip(w.english(c.sentence), show.MaxChoiceName), NameLocalizations: w.localized(c.sentence),
				Value: c.value,
			})
		}
		out = append(out, opt)
	}
	return out
}
