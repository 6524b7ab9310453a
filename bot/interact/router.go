// Package interact routes interactions: it takes them apart, finds who answers, promises answers that
// take longer, and turns errors into sentences. Rooms declare their commands in its terms.
package interact

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/incident"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// Config is what a Router is made of.
type Config struct {
	Registry  *Registry
	Rest      rest.Client
	Log       *slog.Logger
	Sentences *locale.Catalogue
	Choices   Choices
	// Background gives way to what is being answered.
	Background *table.Background
	// Afterwards is called when an interaction has been answered, with the user's choices; it tells
	// them what could not be told before.
	Afterwards func(ctx context.Context, r *Request)
	// Answered is told of every interaction when it is done with; nil when nobody counts them. It must
	// be quick.
	Answered func(Answered)
}

// Choices are what servers and users have set.
type Choices interface {
	Settings(ctx context.Context, guild string) (table.Settings, error)
	Preferences(ctx context.Context, user string) (table.Preferences, error)
}

// Router finds the route of an interaction and sends its answer.
type Router struct {
	registry   *Registry
	rest       rest.Client
	log        *slog.Logger
	sentences  *locale.Catalogue
	choices    Choices
	background *table.Background
	afterwards func(ctx context.Context, r *Request)
	answered   func(Answered) // nil for nobody
	slots      chan struct{}  // bounds how many interactions are answered at once; a promised answer has none
	lanes      map[Work]*lane
	patience   time.Duration // how long a handler may take before its answer is promised for later

	mu       sync.Mutex
	underWay int            // interactions that came and are not answered yet
	users    map[string]int // how many of them each user has; no entry for none
	closed   bool
	idle     sync.WaitGroup // for those under way
}

// NewRouter makes a Router. It answers what is given to Accept.
func NewRouter(c Config) *Router {
	return &Router{
		registry: c.Registry, rest: c.Rest, log: c.Log, sentences: c.Sentences, choices: c.Choices, background: c.Background, afterwards: c.Afterwards, answered: c.Answered,
		slots: make(chan struct{}, maxInteractions), patience: patience, users: map[string]int{},
		lanes: map[Work]*lane{
			Painting: newLane(runtime.GOMAXPROCS(0), 12, 48),
			Thinking: newLane(max(1, runtime.GOMAXPROCS(0)/2), 2, 8),
			Filming:  newLane(max(1, runtime.GOMAXPROCS(0)/2), 2, 6),
			// Who waits for a review takes nobody's processor: that is the review's, which has a queue.
			Reviewing: newLane(64, 2, 16),
			Fetching:  newLane(4, 2, 8),
		},
	}
}

// The most interactions answered at once, and those that were answered or wait for it: whoever comes
// after so many would wait for longer than Discord's three seconds. One user may have fewer; those
// beyond are refused at once, and when they have half of all there may be, not even that.
const (
	maxInteractions = 128
	maxUnderWay     = 2048
	ofOneUser       = 48
)

// patience leaves more than half of Discord's three seconds for the way there and back.
const patience = 1200 * time.Millisecond

// answerTime bounds one handler: an interaction's token lives for fifteen minutes, nobody waits
// that long.
const answerTime = 30 * time.Second

// Accept lets an interaction be answered without waiting for that.
func (ro *Router) Accept(ctx context.Context, i *discordgo.Interaction) {
	defer func() {
		if p := recover(); p != nil {
			ro.log.ErrorContext(ctx, "an interaction cannot be taken apart", "error", incident.Recovered(p))
		}
	}()
	r, found, ok := ro.route(i)
	if r == nil {
		return
	}
	r.began = time.Now()
	ctx = incident.Begin(ctx)
	ro.mu.Lock()
	defer ro.mu.Unlock()
	have := ro.users[r.User.ID]
	switch {
	case ro.closed:
		return
	case ro.underWay >= maxUnderWay, have >= maxUnderWay/2:
		ro.log.WarnContext(ctx, "too many interactions wait to be answered; one is dropped", "guild", i.GuildID)
		r.outcome = Dropped
		ro.report(r, ok)
		return
	}
	ro.underWay++
	ro.users[r.User.ID]++
	ro.idle.Go(func() {
		defer func() {
			ro.mu.Lock()
			defer ro.mu.Unlock()
			ro.underWay--
			decrease(ro.users, r.User.ID)
		}()
		defer ro.report(r, ok)
		if have >= ofOneUser {
			ro.refuse(ctx, r, show.Refuse(text.M("bot.error.too-many", "Count", ofOneUser)))
			return
		}
		ro.serve(ctx, r, found, ok)
	})
}

// refuse answers an interaction by a sentence at once; what is being completed has no answer.
func (ro *Router) refuse(ctx context.Context, r *Request, why error) {
	if r.Type != discordgo.InteractionApplicationCommandAutocomplete {
		ro.send(ctx, r, Route{}, why, false, Reply{New: show.Text(ro.explain(ctx, r, why))})
	}
}

// serve answers one interaction. It never panics and never fails: what goes wrong is said and
// logged. It has a slot until the answer is given or promised.
func (ro *Router) serve(ctx context.Context, r *Request, found declared, ok bool) {
	select {
	case ro.slots <- struct{}{}:
	case <-ctx.Done():
		return
	}
	giveBack := sync.OnceFunc(func() { <-ro.slots })
	defer giveBack()
	defer func() {
		if p := recover(); p != nil {
			r.outcome = Failed
			ro.log.ErrorContext(ctx, "an interaction failed", "error", incident.Recovered(p))
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	ctx = ro.prepare(ctx, r)
	rt := found.Route
	switch {
	case r.Type == discordgo.InteractionApplicationCommandAutocomplete:
		if r.Where != OnServer && !found.anywhere {
			rt = Route{}
		}
		ro.completeOption(ctx, r, rt) // an unknown command has no choices
		return
	case !ok:
		ro.refuse(ctx, r, show.Refuse(text.M("bot.error.unknown-control")))
		return
	case r.Where != OnServer && !found.anywhere:
		ro.refuse(ctx, r, show.Refuse(text.M("table.error.no-server")))
		return
	case found.who == Managers && !r.User.Manager:
		ro.refuse(ctx, r, show.Refuse(text.M("bot.error.managers")))
		return
	}
	done, err := ro.handle(ctx, r, rt)
	if err != nil {
		ro.refuse(ctx, r, err)
		return
	}

	timer := time.NewTimer(ro.patience)
	defer timer.Stop()
	var out outcome
	deferred := false
	select {
	case out = <-done:
	case <-timer.C:
		deferred = ro.deferAnswer(ctx, r, rt)
		giveBack()
		out = <-done
	}
	if out.err != nil {
		out.reply = Reply{New: show.Text(ro.explain(ctx, r, out.err))}
	}
	ro.send(ctx, r, rt, out.err, deferred, out.reply)
	ro.afterwards(ctx, r)
}

// outcome is what a handler returns; a panic is an error.
type outcome struct {
	reply Reply
	err   error
}

// handle has an interaction handled when its lane has room, and gives the outcome once. It returns an
// error at once when the user or the server has too much in that lane.
func (ro *Router) handle(ctx context.Context, r *Request, rt Route) (<-chan outcome, error) {
	lane := ro.lanes[rt.Work]
	var place *ticket
	if lane != nil {
		var err error
		if place, err = lane.enter(r.User.ID, r.shares()); err != nil {
			return nil, err
		}
	}
	done := make(chan outcome, 1)
	waits := rt.Work == Reviewing || rt.Work == Fetching // for others than our processors
	if !waits {
		ro.background.Begin()
	}
	go func() {
		if !waits {
			defer ro.background.End()
		}
		defer func() {
			if p := recover(); p != nil {
				done <- outcome{err: incident.Recovered(p)}
			}
		}()
		if place != nil {
			defer lane.leave(place)
			if err := place.wait(ctx); err != nil {
				done <- outcome{err: err}
				return
			}
		}
		rep, err := rt.Handle(ctx, r)
		done <- outcome{rep, err}
	}()
	return done, nil
}

// Drain takes no more interactions, and waits until those that came are answered, or until ctx ends.
func (ro *Router) Drain(ctx context.Context) {
	ro.mu.Lock()
	ro.closed = true
	ro.mu.Unlock()
	done := make(chan struct{})
	go func() { ro.idle.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// explain is what the user is told about an error: a player's own error in a sentence, ours as an
// id that is in the log.
func (ro *Router) explain(ctx context.Context, r *Request, err error) string {
	var pe games.PlayerError
	if errors.As(err, &pe) {
		r.outcome = Refused
		return r.Say.Say(pe.Text())
	}
	r.outcome = Failed
	if disk := (*storage.DiskError)(nil); errors.As(err, &disk) {
		ro.log.ErrorContext(ctx, "what a player did could not be kept", "what", r.what(), "guild", r.GuildID, "channel", r.ChannelID, "error", err)
		return r.Say.Say(text.M("bot.error.disk." + string(disk.Problem)))
	}
	if away := (*storage.UnreachableError)(nil); errors.As(err, &away) {
		ro.log.ErrorContext(ctx, "what a player did could not be kept", "what", r.what(), "guild", r.GuildID, "channel", r.ChannelID, "error", err)
		if away.Unsure {
			return r.Say.Say(text.M("bot.error.database.unsure"))
		}
		return r.Say.Say(text.M("bot.error.database.away"))
	}
	id := incident.ID(ctx)
	ro.log.ErrorContext(ctx, "an interaction failed", "incident", id, "what", r.what(), "guild", r.GuildID, "channel", r.ChannelID, "error", rest.Scrub(err))
	return r.Say.Say(text.M("bot.error.internal", "Incident", id))
}

// deferAnswer promises an answer, and reports whether Discord took the promise.
func (ro *Router) deferAnswer(ctx context.Context, r *Request, rt Route) bool {
	cb := rest.Callback{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource}
	switch {
	case rt.Updates:
		cb.Type = discordgo.InteractionResponseDeferredMessageUpdate
	case !r.public(rt):
		cb.Data = struct {
			Flags discordgo.MessageFlags `json:"flags"`
		}{discordgo.MessageFlagsEphemeral}
	}
	if err := ro.respond(ctx, r, cb, nil); err != nil {
		ro.log.WarnContext(ctx, "an answer could not be put off", "what", r.what(), "error", rest.Scrub(err))
		return false
	}
	return true
}

// send delivers the reply in the way that fits what Discord has been answered so far.
func (ro *Router) send(ctx context.Context, r *Request, rt Route, failed error, deferred bool, rep Reply) {
	public := failed == nil && r.public(rt)
	var err error
	switch {
	case rep.Modal != nil:
		err = ro.respond(ctx, r, rest.Callback{Type: discordgo.InteractionResponseModal, Data: rep.Modal}, nil)
	case rep.Update != nil && deferred:
		err = ro.rest.EditOriginal(ctx, r.Interaction, rep.Update)
	case rep.Update != nil:
		err = ro.respond(ctx, r, rest.Callback{Type: discordgo.InteractionResponseUpdateMessage, Data: rep.Update.Body()}, rep.Update.Files)
	case rep.New == nil:
		return
	default:
		m := rep.New
		m.Ephemeral = !public
		switch {
		case deferred && rt.Updates:
			err = ro.rest.FollowUp(ctx, r.Interaction, m)
		case deferred && failed != nil && r.public(rt):
			// The promise was public, the refusal is not.
			err = errors.Join(ro.rest.DeleteOriginal(ctx, r.Interaction), ro.rest.FollowUp(ctx, r.Interaction, m))
		case deferred:
			err = ro.rest.EditOriginal(ctx, r.Interaction, m)
		default:
			err = ro.respond(ctx, r, rest.Callback{Type: discordgo.InteractionResponseChannelMessageWithSource, Data: m.Body()}, m.Files)
		}
	}
	if err != nil {
		if r.outcome != Failed {
			r.outcome = Undelivered
		}
		ro.log.WarnContext(ctx, "an answer was not delivered", "what", r.what(), "guild", r.GuildID, "channel", r.ChannelID, "error", rest.Scrub(err))
	}
}

func (ro *Router) completeOption(ctx context.Context, r *Request, rt Route) {
	defer func() {
		if p := recover(); p != nil {
			r.outcome = Failed
			ro.log.ErrorContext(ctx, "an autocomplete failed", "what", r.what(), "error", incident.Recovered(p))
		}
	}()
	choices := []*discordgo.ApplicationCommandOptionChoice{}
	if rt.Complete != nil {
		choices = append(choices, rt.Complete(ctx, r)...)
	}
	if len(choices) > show.MaxChoices {
		choices = choices[:show.MaxChoices]
	}
	data := struct {
		Choices []*discordgo.ApplicationCommandOptionChoice `json:"choices"`
	}{choices}
	if err := ro.respond(ctx, r, rest.Callback{Type: discordgo.InteractionApplicationCommandAutocompleteResult, Data: data}, nil); err != nil {
		ro.log.DebugContext(ctx, "an autocomplete was not delivered", "what", r.what(), "error", rest.Scrub(err))
	}
}

// route takes an interaction apart and finds who answers it. r is nil when the interaction is none
// that a person made.
func (ro *Router) route(i *discordgo.Interaction) (r *Request, found declared, ok bool) {
	r = &Request{Interaction: i, Where: whereOf(i)}
	switch {
	case i.Member != nil && i.Member.User != nil:
		r.User = User{ID: i.Member.User.ID, Name: text.NewName(i.Member.DisplayName()), Manager: i.Member.Permissions&discordgo.PermissionManageGuild != 0}
	case i.User != nil:
		r.User = User{ID: i.User.ID, Name: text.NewName(i.User.DisplayName())}
	default:
		return nil, declared{}, false
	}
	if r.Where != OnServer {
		r.Interaction, r.User.Manager = withoutServer(i), false
	}
	r.Say = ro.sentences.Speaker(nil, string(i.Locale))
	switch d := i.Data.(type) {
	case discordgo.ApplicationCommandInteractionData:
		r.Options = map[string]*discordgo.ApplicationCommandInteractionDataOption{}
		name := d.Name
		options := d.Options
		for len(options) == 1 && (options[0].Type == discordgo.ApplicationCommandOptionSubCommandGroup ||
			options[0].Type == discordgo.ApplicationCommandOptionSubCommand) {
			name += " " + options[0].Name
			options = options[0].Options
		}
		r.Command = name
		for _, o := range options {
			r.Options[o.Name] = o
			if o.Focused {
				r.Focused = o.Name
			}
		}
		found, ok = ro.registry.routes[name]
	case discordgo.MessageComponentInteractionData:
		if r.Control, ok = show.ParseCustomID(d.CustomID); ok {
			r.Values = d.Values
			found, ok = ro.registry.actions[r.Control.Action]
		}
	case discordgo.ModalSubmitInteractionData:
		if r.Control, ok = show.ParseCustomID(d.CustomID); ok {
			r.Fields = modalFields(d.Components)
			found, ok = ro.registry.actions[r.Control.Action]
		}
	}
	return r, found, ok
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
