package bot

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
)

// request is one interaction, taken apart for a handler.
type request struct {
	*discordgo.Interaction
	user    user
	say     *locale.Speaker // the user's language; seats as mentions
	options map[string]*discordgo.ApplicationCommandInteractionDataOption
	focused string   // the option that is being completed
	id      customID // of the component or modal
	values  []string // chosen in a select menu
	fields  map[string]string
	sub     string // the subcommand

	settings table.Settings // of the server
	prefs    table.Preferences
}

// user is who did something.
type user struct {
	id     string
	name   string // as shown in this server
	manage bool   // may manage the server, or has the role that its settings name
}

// option is the text of a string option; "" when it is not set.
func (r *request) option(name string) string {
	if o, ok := r.options[name]; ok && o.Type == discordgo.ApplicationCommandOptionString {
		return strings.TrimSpace(o.StringValue())
	}
	return ""
}

// number is the value of an integer option.
func (r *request) number(name string) (int, bool) {
	if o, ok := r.options[name]; ok && o.Type == discordgo.ApplicationCommandOptionInteger {
		return int(o.IntValue()), true
	}
	return 0, false
}

// flag is the value of a boolean option; false when it is not set.
func (r *request) flag(name string) bool {
	o, ok := r.options[name]
	return ok && o.Type == discordgo.ApplicationCommandOptionBoolean && o.BoolValue()
}

// flagOr is the value of a boolean option, or what the server has set when it is not given.
func (r *request) flagOr(name string, set bool) bool {
	if _, ok := r.options[name]; ok {
		return r.flag(name)
	}
	return set
}

// reply is a handler's answer: exactly one of its fields is set.
type reply struct {
	new    *message // a new message; ephemeral unless the message says otherwise
	update *message // replaces the message that the component is on
	modal  *discordgo.InteractionResponseData
}

// handler answers an interaction. Its error is either a games.PlayerError, which the player is told,
// or ours, which is logged under an id that the player is told.
type handler func(ctx context.Context, r *request) (reply, error)

// completer answers a half-typed option with at most 25 choices, from memory.
type completer func(ctx context.Context, r *request) []*discordgo.ApplicationCommandOptionChoice

// route is how one kind of interaction is answered.
type route struct {
	handle   handler
	complete completer
	// public says that the answer is a message that everybody sees, so that a promise to answer later must be one too.
	public func(*request) bool
	// updates says that the answer replaces the message that the component is on.
	updates bool
}

// router finds the route of an interaction and sends its answer.
type router struct {
	commands   map[string]route
	components map[string]route // by the custom_id's action
	rest       rest
	log        *slog.Logger
	say        *locale.Catalogue
	prepare    func(ctx context.Context, r *request) context.Context // brings the choices of the server and the user
	tell       func(ctx context.Context, r *request)                 // tells the user what could not be told before
	slots      chan struct{}                                         // bounds how many interactions are answered at once
	waiting    chan struct{}                                         // bounds how many are answered or wait for that
	patience   time.Duration                                         // how long a handler may take before its answer is promised for later
}

// The most interactions answered at once, and those and the ones that wait: whoever comes after so many would wait for longer than Discord's three seconds.
const (
	maxInteractions = 128
	maxWaiting      = 2048
)

// patience leaves more than half of Discord's three seconds for the way there and back.
const patience = 1200 * time.Millisecond

// answerTime bounds one handler: an interaction's token lives for fifteen minutes, nobody waits that long.
const answerTime = 30 * time.Second

// accept lets an interaction be answered without waiting for that.
func (ro *router) accept(ctx context.Context, i *discordgo.Interaction) {
	select {
	case ro.waiting <- struct{}{}:
		go func() {
			defer func() { <-ro.waiting }()
			ro.serve(ctx, i)
		}()
	default:
		ro.log.Warn("too many interactions wait to be answered; one is dropped", "guild", i.GuildID)
	}
}

// serve answers one interaction. It never panics and never fails: what goes wrong is said and logged.
func (ro *router) serve(ctx context.Context, i *discordgo.Interaction) {
	select {
	case ro.slots <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-ro.slots }()
	defer func() {
		if p := recover(); p != nil {
			ro.log.Error("an interaction failed", "error", &panicError{value: p, stack: debug.Stack()})
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()

	r, rt, ok := ro.route(i)
	switch {
	case r == nil:
		return
	}
	ctx = ro.prepare(ctx, r)
	switch {
	case i.Type == discordgo.InteractionApplicationCommandAutocomplete:
		ro.completeOption(ctx, r, rt) // an unknown command has no choices
		return
	case !ok:
		ro.send(ctx, r, route{}, nil, false, reply{new: say(r.say.Say(text.M("bot.error.unknown-control")))})
		return
	}

	type outcome struct {
		reply reply
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- outcome{err: &panicError{value: p, stack: debug.Stack()}}
			}
		}()
		rep, err := rt.handle(ctx, r)
		done <- outcome{rep, err}
	}()

	timer := time.NewTimer(ro.patience)
	defer timer.Stop()
	var out outcome
	deferred := false
	select {
	case out = <-done:
	case <-timer.C:
		deferred = ro.deferAnswer(ctx, r, rt)
		out = <-done
	}
	if out.err != nil {
		out.reply = reply{new: say(ro.explain(r, out.err))}
	}
	ro.send(ctx, r, rt, out.err, deferred, out.reply)
	ro.tell(ctx, r)
}

// drain waits until no interaction is under way and lets no further one begin, or until ctx ends.
func (ro *router) drain(ctx context.Context) {
	for range cap(ro.slots) {
		select {
		case ro.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
	}
}

// panicError is a handler's panic, for the log.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.value, e.stack) }

// explain is what the user is told about an error: a player's own error in a sentence, ours as an id that is in the log.
func (ro *router) explain(r *request, err error) string {
	var pe games.PlayerError
	if errors.As(err, &pe) {
		return r.say.Say(pe.Text())
	}
	var id [4]byte
	rand.Read(id[:])
	incident := hex.EncodeToString(id[:])
	ro.log.Error("an interaction failed", "incident", incident, "what", r.what(), "guild", r.GuildID, "channel", r.ChannelID, "error", scrub(err))
	return r.say.Say(text.M("bot.error.internal", "Incident", incident))
}

// what names the interaction for the log.
func (r *request) what() string {
	switch d := r.Data.(type) {
	case discordgo.ApplicationCommandInteractionData:
		return "/" + d.Name
	default:
		return r.id.action
	}
}

// deferAnswer promises an answer, and reports whether Discord took the promise.
func (ro *router) deferAnswer(ctx context.Context, r *request, rt route) bool {
	cb := callback{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource}
	switch {
	case rt.updates:
		cb.Type = discordgo.InteractionResponseDeferredMessageUpdate
	case rt.public == nil || !rt.public(r):
		cb.Data = struct {
			Flags discordgo.MessageFlags `json:"flags"`
		}{discordgo.MessageFlagsEphemeral}
	}
	if err := ro.rest.respond(ctx, r.Interaction, cb, nil); err != nil {
		ro.log.Warn("an answer could not be put off", "what", r.what(), "error", scrub(err))
		return false
	}
	return true
}

// send delivers the reply in the way that fits what Discord has been answered so far.
func (ro *router) send(ctx context.Context, r *request, rt route, failed error, deferred bool, rep reply) {
	public := failed == nil && rt.public != nil && rt.public(r)
	var err error
	switch {
	case rep.modal != nil:
		err = ro.rest.respond(ctx, r.Interaction, callback{Type: discordgo.InteractionResponseModal, Data: rep.modal}, nil)
	case rep.update != nil && deferred:
		err = ro.rest.editOriginal(ctx, r.Interaction, rep.update)
	case rep.update != nil:
		err = ro.rest.respond(ctx, r.Interaction, callback{Type: discordgo.InteractionResponseUpdateMessage, Data: rep.update.body()}, rep.update.files)
	case rep.new == nil:
		return
	default:
		m := rep.new
		m.ephemeral = !public
		switch {
		case deferred && rt.updates:
			err = ro.rest.followUp(ctx, r.Interaction, m)
		case deferred && failed != nil && rt.public != nil && rt.public(r):
			// The promise was public, the refusal is not.
			err = errors.Join(ro.rest.deleteOriginal(ctx, r.Interaction), ro.rest.followUp(ctx, r.Interaction, m))
		case deferred:
			err = ro.rest.editOriginal(ctx, r.Interaction, m)
		default:
			err = ro.rest.respond(ctx, r.Interaction, callback{Type: discordgo.InteractionResponseChannelMessageWithSource, Data: m.body()}, m.files)
		}
	}
	if err != nil {
		ro.log.Warn("an answer was not delivered", "what", r.what(), "guild", r.GuildID, "channel", r.ChannelID, "error", scrub(err))
	}
}

func (ro *router) completeOption(ctx context.Context, r *request, rt route) {
	defer func() {
		if p := recover(); p != nil {
			ro.log.Error("an autocomplete failed", "what", r.what(), "error", &panicError{value: p, stack: debug.Stack()})
		}
	}()
	choices := []*discordgo.ApplicationCommandOptionChoice{}
	if rt.complete != nil {
		choices = append(choices, rt.complete(ctx, r)...)
	}
	if len(choices) > maxChoices {
		choices = choices[:maxChoices]
	}
	data := struct {
		Choices []*discordgo.ApplicationCommandOptionChoice `json:"choices"`
	}{choices}
	if err := ro.rest.respond(ctx, r.Interaction, callback{Type: discordgo.InteractionApplicationCommandAutocompleteResult, Data: data}, nil); err != nil {
		ro.log.Debug("an autocomplete was not delivered", "what", r.what(), "error", scrub(err))
	}
}

// route takes an interaction apart and finds who answers it. r is nil when the interaction is none that a person made.
func (ro *router) route(i *discordgo.Interaction) (r *request, rt route, ok bool) {
	r = &request{Interaction: i}
	switch {
	case i.Member != nil && i.Member.User != nil:
		r.user = user{id: i.Member.User.ID, name: i.Member.DisplayName(), manage: i.Member.Permissions&discordgo.PermissionManageGuild != 0}
	case i.User != nil:
		r.user = user{id: i.User.ID, name: i.User.DisplayName()}
	default:
		return nil, route{}, false
	}
	r.say = ro.say.Speaker(nil, string(i.Locale))
	switch d := i.Data.(type) {
	case discordgo.ApplicationCommandInteractionData:
		r.options = map[string]*discordgo.ApplicationCommandInteractionDataOption{}
		name := d.Name
		options := d.Options
		if len(options) == 1 && options[0].Type == discordgo.ApplicationCommandOptionSubCommand {
			r.sub = options[0].Name
			name += " " + r.sub
			options = options[0].Options
		}
		for _, o := range options {
			r.options[o.Name] = o
			if o.Focused {
				r.focused = o.Name
			}
		}
		rt, ok = ro.commands[name]
	case discordgo.MessageComponentInteractionData:
		if r.id, ok = parseCustomID(d.CustomID); ok {
			r.values = d.Values
			rt, ok = ro.components[r.id.action]
		}
	case discordgo.ModalSubmitInteractionData:
		if r.id, ok = parseCustomID(d.CustomID); ok {
			r.fields = modalFields(d.Components)
			rt, ok = ro.components[r.id.action]
		}
	}
	return r, rt, ok
}

// modalFields reads the text inputs of a submitted modal by their custom_id.
func modalFields(components []discordgo.MessageComponent) map[string]string {
	fields := map[string]string{}
	var walk func(discordgo.MessageComponent)
	walk = func(c discordgo.MessageComponent) {
		switch c := c.(type) {
		case *discordgo.ActionsRow:
			for _, in := range c.Components {
				walk(in)
			}
		case *discordgo.Label:
			walk(c.Component)
		case *discordgo.TextInput:
			fields[c.CustomID] = c.Value
		}
	}
	for _, c := range components {
		walk(c)
	}
	return fields
}
