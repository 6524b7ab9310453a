package interact

import (
	"fmt"

	"github.com/bwmarrin/discordgo"
	"golang.org/x/text/language"

	"marque/bot/show"
	"marque/games/text"
	"marque/games/text/locale"
)

// Room is a part of the bot that answers commands.
type Room interface{ Commands() []Command }

// Registry knows all commands, and who answers them and their controls.
type Registry struct {
	commands []Command
	routes   map[string]declared      // by name, with the subcommand's after a space
	actions  map[show.Action]declared // of controls
}

// declared is a route with who may take it.
type declared struct {
	Route
	who Access
}

// NewRegistry collects the commands of the rooms, in their order. A command or an action that is
// declared twice, or that nobody answers, is an error.
func NewRegistry(rooms ...Room) (*Registry, error) {
	r := &Registry{routes: map[string]declared{}, actions: map[show.Action]declared{}}
	for _, room := range rooms {
		for _, c := range room.Commands() {
			if err := r.add(c); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

func (r *Registry) add(c Command) error {
	r.commands = append(r.commands, c)
	if len(c.Subcommands) == 0 {
		if err := put(r.routes, c.Name, c.Route, c.Access); err != nil {
			return err
		}
	} else if c.Handle != nil || c.Options != nil {
		return fmt.Errorf("the command %q has both subcommands and a route or options of its own", c.Name)
	}
	for _, s := range c.Subcommands {
		if err := put(r.routes, c.Name+" "+s.Name, s.Route, c.Access); err != nil {
			return err
		}
	}
	for _, a := range c.Actions {
		if err := put(r.actions, a.Name, a.Route, c.Access); err != nil {
			return err
		}
	}
	return nil
}

func put[K ~string](routes map[K]declared, name K, rt Route, who Access) error {
	if rt.Handle == nil {
		return fmt.Errorf("nobody answers %q", name)
	}
	if _, twice := routes[name]; twice {
		return fmt.Errorf("%q is declared twice", name)
	}
	routes[name] = declared{rt, who}
	return nil
}

// Actions are what controls may do, in no order.
func (r *Registry) Actions() []show.Action {
	var list []show.Action
	for a := range r.actions {
		list = append(list, a)
	}
	return list
}

// ApplicationCommands are the commands as Discord is told them: English, with what the catalogue
// has in other languages as localisations.
func (r *Registry) ApplicationCommands(sentences *locale.Catalogue) []*discordgo.ApplicationCommand {
	w := wording{sentences}
	list := make([]*discordgo.ApplicationCommand, len(r.commands))
	for i, c := range r.commands {
		list[i] = w.command(c)
	}
	return list
}

// maxDescription is how many characters Discord takes of a description.
const maxDescription = 100

// wording says what commands are called.
type wording struct{ sentences *locale.Catalogue }

// discordLocales are Discord's names of languages where they differ from our files'.
var discordLocales = map[string]discordgo.Locale{
	"es": discordgo.SpanishES, "pt": discordgo.PortugueseBR, "sv": discordgo.Swedish, "zh": discordgo.ChineseCN,
}

// localized says id in every language but English that has a sentence for it.
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
			out[l] = said
		}
	}
	return out
}

func (w wording) english(id string) string {
	return w.sentences.Speaker(nil, language.English.String()).Say(text.M(id))
}

func (w wording) command(c Command) *discordgo.ApplicationCommand {
	id := "command." + c.Name
	contexts := []discordgo.InteractionContextType{discordgo.InteractionContextGuild}
	cmd := &discordgo.ApplicationCommand{
		Type:                     discordgo.ChatApplicationCommand,
		Name:                     c.Name,
		Description:              show.Clip(w.english(id+".description"), maxDescription),
		Contexts:                 &contexts,
		DefaultMemberPermissions: c.Access.permissions(),
		Options:                  w.options(c.Options),
	}
	if l := w.localized(id + ".name"); len(l) > 0 {
		cmd.NameLocalizations = &l
	}
	if l := w.localized(id + ".description"); len(l) > 0 {
		cmd.DescriptionLocalizations = &l
	}
	for _, s := range c.Subcommands {
		sub := w.worded(discordgo.ApplicationCommandOptionSubCommand, s.Name, id+"."+s.Name)
		sub.Options = w.options(s.Options)
		cmd.Options = append(cmd.Options, sub)
	}
	return cmd
}

// worded is an option with its name and description in all languages; id is the sentences'
// beginning.
func (w wording) worded(kind discordgo.ApplicationCommandOptionType, name, id string) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type:                     kind,
		Name:                     name,
		NameLocalizations:        w.localized(id + ".name"),
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
				Name: show.Clip(w.english(c.sentence), show.MaxChoiceName), NameLocalizations: w.localized(c.sentence), Value: c.value,
			})
		}
		out = append(out, opt)
	}
	return out
}
