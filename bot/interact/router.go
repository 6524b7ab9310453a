// Package interact routes interactions. It parses them, finds their handlers, defers slow answers, and turns errors
// into sentences. Rooms declare their commands with its types.
package interact

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/background"
	"marque/bot/choices"
	"marque/bot/form"
	"marque/bot/incident"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// Config has the dependencies and settings of a Router.
type Config struct {
	Registry  *Registry
	Rest      rest.Client
	Log       *slog.Logger
	Sentences *locale.Catalogue
	Choices   Choices
	// Background is paused while handlers run, except those that only wait for a review or a file.
	Background *background.Gate
	// Afterwards is called after a handler has answered an interaction on Discord, with the user's preferences in r.
	// It delivers messages that could not reach the user before.
	Afterwards func(ctx context.Context, r *Request)
	Ephemerals *rest.Ephemerals
	// Answered is called for every finished interaction, unless it is nil. It should return quickly.
	Answered func(Answered)
	// AnswerTime limits the time of a handler. The default is 30 seconds. An interaction's token is valid for fifteen
	// minutes, but users do not wait that long.
	AnswerTime time.Duration
}

// Choices are the settings of servers and the preferences of users.
type Choices interface {
	Settings(ctx context.Context, guild string) (choices.Settings, error)
	Preferences(ctx context.Context, user string) (choices.Preferences, error)
}

// Router finds the route of an interaction and sends its answer.
type Router struct {
	registry   *Registry
	rest       rest.Client
	log        *slog.Logger
	sentences  *locale.Catalogue
	choices    Choices
	background *background.Gate
	afterwards func(ctx context.Context, r *Request)
	ephemerals *rest.Ephemerals
	answered   func(Answered) // can be nil
	// slots limits the concurrent interactions. An interaction that takes longer than patience releases its slot.
	slots      chan struct{}
	lanes      map[Work]*lane
	patience   time.Duration // time before the answer to an interaction is deferred
	answerTime time.Duration // limit for a handler

	mu       sync.Mutex
	underWay int            // interactions that have arrived and are not answered yet
	users    map[string]int // number of each user's interactions in underWay; no entry for none
	closed   bool
	idle     sync.WaitGroup // waits for the interactions under way
}

// NewRouter returns a Router. It answers the interactions that are passed to Accept.
func NewRouter(c Config) *Router {
	return &Router{
		registry: c.Registry, rest: c.Rest, log: c.Log, sentences: c.Sentences, choices: c.Choices,
		background: c.Background, afterwards: c.Afterwards, ephemerals: c.Ephemerals, answered: c.Answered,
		slots: make(chan struct{}, maxInteractions), patience: patience, answerTime: cmp.Or(c.AnswerTime, answerTime),
		users: map[string]int{},
		lanes: map[Work]*lane{
			Painting:  newLane(runtime.GOMAXPROCS(0), 12, 48),
			Thinking:  newLane(max(1, runtime.GOMAXPROCS(0)/2), 2, 8),
			Animation: newLane(max(1, runtime.GOMAXPROCS(0)/2), 2, 6),
			// Reviews have a separate queue, so a waiting review uses no processor here.
			Reviewing: newLane(64, 2, 16),
			Fetching:  newLane(4, 2, 8),
		},
	}
}

// maxInteractions limits the interactions that hold a slot. maxUnderWay limits those that are handled or wait for a
// slot; further ones are dropped. ofOneUser limits the interactions of each user. Further ones of the user are
// refused immediately, and dropped if the user has half of maxUnderWay.
const (
	maxInteractions = 128
	maxUnderWay     = 2048
	ofOneUser       = 48
)

// patience is the time before the answer to an interaction is deferred. It leaves more than half of Discord's three
// seconds for the round trip.
const patience = 1200 * time.Millisecond

// storePatience is the time after an interaction's arrival for which the router waits for a database that does not
// answer. It is less than patience, so that the user learns about the database within Discord's three seconds.
const storePatience = time.Second

// answerTime is the default limit for a handler.
const answerTime = 30 * time.Second

// Arrival describes how an interaction arrived.
type Arrival struct {
	At time.Time
	// Shared means that another process might handle the interaction, because the store did not confirm which process
	// does. This process then changes nothing, and tells the user that the outcome is unknown.
	Shared bool
}

// Accept starts answering an interaction and returns immediately.
func (ro *Router) Accept(ctx context.Context, i *discordgo.Interaction, a Arrival) {
	defer func() {
		if p := recover(); p != nil {
			ro.log.ErrorContext(ctx, "an interaction cannot be taken apart", "error", incident.Recovered(p))
		}
	}()
	r, found, ok := ro.route(i)
	if r == nil {
		return
	}
	r.arrival = a
	ctx = incident.Begin(ctx)
	have, room, closed := ro.enter(r.User.ID)
	switch {
	case closed:
		return
	case !room:
		ro.log.WarnContext(ctx, "too many interactions wait to be answered; one is dropped", "guild", i.GuildID)
		r.outcome = Dropped
		ro.report(r, ok)
		return
	}
	go func() {
		defer ro.leave(r.User.ID)
		defer ro.report(r, ok)
		if have >= ofOneUser {
			ro.refuse(ctx, r, show.Refuse(text.M("bot.error.too-many", "Count", ofOneUser)))
			return
		}
		ro.serve(ctx, r, found, ok)
	}()
}

// enter counts an interaction of a user as under way until leave is called. room is false if there are too many, or if
// the router is closed. have is the number of the user's other interactions.
func (ro *Router) enter(user string) (have int, room, closed bool) {
	ro.mu.Lock()
	defer ro.mu.Unlock()
	have = ro.users[user]
	if ro.closed || ro.underWay >= maxUnderWay || have >= maxUnderWay/2 {
		return have, false, ro.closed
	}
	ro.underWay++
	ro.users[user]++
	ro.idle.Add(1)
	return have, true, false
}

func (ro *Router) leave(user string) {
	ro.mu.Lock()
	defer ro.mu.Unlock()
	ro.underWay--
	decrease(ro.users, user)
	ro.idle.Done()
}

// refuse answers an interaction immediately with the reason. An autocomplete gets no answer.
func (ro *Router) refuse(ctx context.Context, r *Request, why error) {
	if r.Type != discordgo.InteractionApplicationCommandAutocomplete {
		ro.send(ctx, r, Route{}, why, false, Reply{New: show.Text(ro.explain(ctx, r, why))})
	}
}

// serve answers an interaction. It never panics or fails: errors are shown to the user, and faults are logged. If the
// store or the handler is slow, serve defers the answer in time. If there is no free slot, it defers the answer
// immediately, because time is short when many users act at the same time.
func (ro *Router) serve(ctx context.Context, r *Request, found declared, ok bool) {
	if r.Type == discordgo.InteractionApplicationCommandAutocomplete {
		ro.complete(ctx, r, found)
		return
	}
	defer func() {
		if p := recover(); p != nil {
			r.outcome = Failed
			ro.log.ErrorContext(ctx, "an interaction failed", "error", incident.Recovered(p))
		}
	}()
	if r.Private() && r.Control.Table != "" {
		defer ro.ephemerals.Click(r.User.ID, r.Control.Table)()
	}
	rt := found.Route
	refusal := found.refuses(r, ok)
	if refusal != nil {
		rt = Route{}
	}
	p := ro.promise(ctx, r, rt)
	giveBack, ok := ro.slot(ctx, p.now)
	if !ok {
		p.settle()
		r.outcome = Dropped
		ro.log.WarnContext(ctx, "an interaction is not answered, because the bot stops", "what", r.what(),
			"guild", r.GuildID)
		return
	}
	defer giveBack()
	limited, cancel := ro.limit(ctx, r)
	defer cancel()
	reply, err := ro.reply(limited, r, rt, refusal)
	deferred := p.settle()
	if err != nil {
		reply = Reply{New: show.Text(ro.explain(ctx, r, err))}
	}
	ro.send(ctx, r, rt, err, deferred, reply)
	if refusal == nil {
		ro.afterwards(limited, r)
	}
}

// limit limits the time for an interaction. It also sets r.changed, which reports whether the store changed anything.
func (ro *Router) limit(ctx context.Context, r *Request) (context.Context, context.CancelFunc) {
	ctx, r.changed = storage.NoteChanges(storage.WithPatience(ctx, r.arrival.At.Add(storePatience)))
	return context.WithTimeout(ctx, ro.answerTime)
}

// refuses returns the reason not to call an interaction's handler, or nil.
func (d declared) refuses(r *Request, known bool) error {
	switch {
	case !known:
		return show.Refuse(text.M("bot.error.unknown-control"))
	case r.Where != OnServer && !d.anywhere:
		return show.Refuse(text.M("table.error.no-server"))
	case d.who == Managers && !r.User.Manager:
		return show.Refuse(text.M("bot.error.managers"))
	}
	return nil
}

// slot waits for a free slot. If none is free, it calls waits first. ok is false if ctx ended before a slot was free.
// The slot is released after patience, or earlier by giveBack, whose further calls have no effect.
func (ro *Router) slot(ctx context.Context, waits func()) (giveBack func(), ok bool) {
	select {
	case ro.slots <- struct{}{}:
	default:
		waits()
		select {
		case ro.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, false
		}
	}
	once := sync.OnceFunc(func() { <-ro.slots })
	late := time.AfterFunc(ro.patience, once)
	return func() { late.Stop(); once() }, true
}

// reply calls the handler of an interaction, unless there is a refusal. It turns a panic into an error.
func (ro *Router) reply(ctx context.Context, r *Request, rt Route, refusal error) (reply Reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = incident.Recovered(p)
		}
		if err != nil {
			r.Say = r.own // only the user sees the error
		}
	}()
	ctx = ro.prepare(ctx, r, r.seen(rt))
	switch {
	case refusal != nil:
		return Reply{}, refusal
	case r.arrival.Shared:
		return Reply{}, &storage.UnreachableError{Err: errShared}
	}
	lane := ro.lanes[rt.Work]
	var place *ticket
	if lane != nil {
		if place, err = lane.enter(r.User.ID, r.shares()); err != nil {
			return Reply{}, err
		}
		defer lane.leave(place)
	}
	if rt.Work != Reviewing && rt.Work != Fetching { // waiting for a review or a file needs no processor
		ro.background.Begin()
		defer ro.background.End()
	}
	if place != nil {
		if err := place.wait(ctx); err != nil {
			return Reply{}, err
		}
	}
	return rt.Handle(ctx, r)
}

// errShared is the error for an interaction that is not handled because the store did not confirm which process handles
// it.
var errShared = errors.New("it does not say which process carries this out")

// promise is the deferred answer to an interaction, which is sent if the answer is not ready in time.
type promise struct {
	timer *time.Timer
	make  func()        // sends the deferred answer
	made  chan struct{} // closed when the request of make has ended
	taken bool          // whether Discord accepted the deferred answer
}

// promise returns a promise with a timer. The time counts from the interaction's arrival.
func (ro *Router) promise(ctx context.Context, r *Request, rt Route) *promise {
	p := &promise{made: make(chan struct{})}
	p.make = func() {
		defer close(p.made)
		defer func() {
			if v := recover(); v != nil {
				ro.log.ErrorContext(ctx, "an answer could not be put off", "error", incident.Recovered(v))
			}
		}()
		defer ro.background.Promise()()
		p.taken = ro.deferAnswer(ctx, r, rt)
	}
	// In tests with synctest the timer must not be due when it is set, because two due timers at the same time crash
	// the race detector (Go issue 78156).
	p.timer = time.AfterFunc(max(time.Nanosecond, ro.patience-time.Since(r.arrival.At)), p.make)
	return p
}

// now defers the answer immediately, unless it has been deferred.
func (p *promise) now() {
	if p.timer.Stop() {
		go p.make()
	}
}

// settle stops the timer when the answer is ready. It reports whether Discord has accepted a deferred answer.
func (p *promise) settle() (deferred bool) {
	if p.timer.Stop() {
		return false
	}
	<-p.made
	return p.taken
}

// Drain makes the router accept no more interactions. It waits until the earlier ones are answered or ctx ends.
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

// explain returns the text that tells the user about an error. An error that the player caused brings its own text.
// For a fault of the program the text contains an id, under which the fault is logged.
func (ro *Router) explain(ctx context.Context, r *Request, err error) string {
	var pe games.PlayerError
	if errors.As(err, &pe) {
		r.outcome = Refused
		return r.Say.Say(pe.Text())
	}
	r.outcome = Failed
	if disk := (*storage.DiskError)(nil); errors.As(err, &disk) {
		ro.log.ErrorContext(ctx, "what a player did could not be kept", "what", r.what(), "guild", r.GuildID,
			"channel", r.ChannelID, "error", err)
		return r.Say.Say(text.M("bot.error.disk." + string(disk.Problem)))
	}
	if away := (*storage.UnreachableError)(nil); errors.As(err, &away) {
		ro.log.ErrorContext(ctx, "what a player did could not be kept", "what", r.what(), "guild", r.GuildID,
			"channel", r.ChannelID, "error", err)
		switch {
		case away.Unsure, r.changed != nil && r.changed():
			return r.Say.Say(text.M("bot.error.database.unsure"))
		case r.arrival.Shared:
			return r.Say.Say(text.M("bot.error.database.shared"))
		}
		return r.Say.Say(text.M("bot.error.database.away"))
	}
	if errors.Is(err, context.DeadlineExceeded) {
		ro.log.WarnContext(ctx, "an answer took too long and was given up", "what", r.what(), "guild", r.GuildID,
			"channel", r.ChannelID, "error", rest.Scrub(err))
		return r.Say.Say(text.M("bot.error.slow"))
	}
	if rest.Failed(err) {
		ro.log.WarnContext(ctx, "Discord failed while an interaction was carried out", "what", r.what(), "guild", r.GuildID,
			"channel", r.ChannelID, "error", rest.Scrub(err))
		return r.Say.Say(text.M("bot.error.discord"))
	}
	id := incident.ID(ctx)
	ro.log.ErrorContext(ctx, "an interaction failed", "incident", id, "what", r.what(), "guild", r.GuildID,
		"channel", r.ChannelID, "error", rest.Scrub(err))
	return r.Say.Say(text.M("bot.error.internal", "Incident", id))
}

// deferAnswer defers the answer, and reports whether Discord has accepted the deferred answer.
func (ro *Router) deferAnswer(ctx context.Context, r *Request, rt Route) bool {
	cb := rest.Callback{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource}
	respond := func() error { return ro.respond(ctx, r, cb, nil) }
	switch {
	case ro.holds(r, rt):
		respond = func() error { return ro.hold(ctx, r) }
	case r.updates(rt):
		cb.Type = discordgo.InteractionResponseDeferredMessageUpdate
	case !r.public(rt):
		cb.Data = struct {
			Flags discordgo.MessageFlags `json:"flags"`
		}{discordgo.MessageFlagsEphemeral}
	}
	if err := respond(); err != nil {
		r.doubt = doubtful(err)
		ro.log.WarnContext(ctx, "an answer could not be put off", "what", r.what(), "error", rest.Scrub(err))
		return false
	}
	return true
}

// doubtful reports whether Discord might have accepted the first answer to an interaction in spite of an error. Discord
// sometimes reports an unknown interaction although the answer was in time.
func doubtful(err error) bool {
	code := rest.Code(err)
	return rest.Unsure(err) || code == rest.CodeAcknowledged || code == rest.CodeUnknownInteraction
}

// send delivers the reply. If it is unknown whether Discord accepted the previous attempt to answer, send delivers
// a message once more, as if Discord had accepted that attempt. Otherwise a user could wait for an answer for ever.
func (ro *Router) send(ctx context.Context, r *Request, rt Route, failed error, deferred bool, rep Reply) {
	if rep.Update != nil && !r.updates(rt) { // after a deferred answer, Update would change that answer
		ro.log.ErrorContext(ctx, "a route changes its message and does not say so: set its Updates", "what", r.what())
	}
	private := r.Private()
	if rep.New != nil {
		private = failed != nil || !r.public(rt) || rep.New.Ephemeral
		rep.New.Ephemeral = private
	}
	message, err := ro.deliver(ctx, r, rt, failed, deferred, rep)
	switch {
	case deferred || r.first > 0 || !doubtful(err):
	case r.doubt:
		message, err = ro.deliver(ctx, r, rt, failed, true, rep)
	case rep.Update != nil:
		err = ro.rest.EditOriginal(ctx, r.Interaction, rep.Update)
	case rep.New != nil && failed == nil && ro.holds(r, rt):
		message, err = ro.rest.FollowUp(ctx, r.Interaction, rep.New)
	case rep.New != nil:
		err = ro.rest.EditOriginal(ctx, r.Interaction, rep.New)
	}
	if err == nil && r.first == 0 {
		r.first = time.Since(r.arrival.At)
	}
	if err == nil && rep.Ephemeral != nil && private {
		sole := *rep.Ephemeral
		sole.By, sole.Message, sole.Updated = r.Interaction, message, rep.Update != nil
		if sole.Updated {
			sole.Message = r.Message.ID
		}
		ro.ephemerals.Shown(r.User.ID, sole)
	}
	if err != nil {
		if r.outcome != Failed {
			r.outcome = Undelivered
		}
		ro.log.WarnContext(ctx, "an answer was not delivered", "what", r.what(), "guild", r.GuildID,
			"channel", r.ChannelID, "error", rest.Scrub(err))
	}
}

// deliver sends the reply as the first answer to an interaction or, after an earlier answer, in the form that Discord
// then requires. It returns the message's id if that is known.
func (ro *Router) deliver(ctx context.Context, r *Request, rt Route, failed error, deferred bool,
	rep Reply) (message string, err error) {
	if rep.Modal != nil && deferred { // Discord does not show a form after a deferred answer
		rep = Reply{New: show.Text(r.Say.Say(text.M("bot.error.busy")))}
		rep.New.Ephemeral = !r.public(rt)
	}
	if rep.Launched != nil && !deferred && r.first == 0 {
		instance, err := ro.rest.Launch(ctx, r.Interaction)
		if err == nil {
			r.first = time.Since(r.arrival.At)
			rep.Launched(instance)
			return "", nil
		}
		if doubtful(err) {
			return "", err
		}
		ro.log.DebugContext(ctx, "Discord does not open the Activity", "guild", r.GuildID, "channel", r.ChannelID,
			"error", rest.Scrub(err))
	}
	switch m := rep.New; {
	case rep.Modal != nil:
		return "", ro.respond(ctx, r, rest.Callback{Type: discordgo.InteractionResponseModal, Data: rep.Modal}, nil)
	case rep.Update != nil && deferred:
		return "", ro.rest.EditOriginal(ctx, r.Interaction, rep.Update)
	case rep.Update != nil:
		return "", ro.respond(ctx, r, rest.Callback{Type: discordgo.InteractionResponseUpdateMessage,
			Data: rep.Update.Body()}, rep.Update.Files)
	case m == nil:
		return "", nil
	case !deferred && failed == nil && ro.holds(r, rt):
		if err := ro.hold(ctx, r); err != nil {
			return "", err
		}
		return ro.rest.FollowUp(ctx, r.Interaction, m)
	case deferred && (r.updates(rt) || ro.holds(r, rt)):
		return ro.rest.FollowUp(ctx, r.Interaction, m)
	case deferred && m.Ephemeral && r.public(rt):
		// The deferred answer was public, but this one is not.
		err = ro.rest.DeleteOriginal(ctx, r.Interaction)
		_, ferr := ro.rest.FollowUp(ctx, r.Interaction, m)
		return "", errors.Join(err, ferr)
	case deferred:
		return "", ro.rest.EditOriginal(ctx, r.Interaction, m)
	default:
		return "", ro.respond(ctx, r, rest.Callback{Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: m.Body()}, m.Files)
	}
}

// complete answers a partly typed option. For an unknown command there are no choices.
func (ro *Router) complete(ctx context.Context, r *Request, found declared) {
	defer func() {
		if p := recover(); p != nil {
			r.outcome = Failed
			ro.log.ErrorContext(ctx, "an autocomplete failed", "what", r.what(), "error", incident.Recovered(p))
		}
	}()
	giveBack, ok := ro.slot(ctx, func() {}) // Discord cannot defer autocomplete
	if !ok {
		r.outcome = Dropped
		return
	}
	defer giveBack()
	ctx, cancel := context.WithTimeout(ctx, ro.answerTime)
	defer cancel()
	choices := []*discordgo.ApplicationCommandOptionChoice{}
	if found.Complete != nil && (r.Where == OnServer || found.anywhere) {
		choices = append(choices, found.Complete(ro.prepare(ctx, r, false), r)...)
	}
	if len(choices) > show.MaxChoices {
		choices = choices[:show.MaxChoices]
	}
	data := struct {
		Choices []*discordgo.ApplicationCommandOptionChoice `json:"choices"`
	}{choices}
	if err := ro.respond(ctx, r, rest.Callback{Type: discordgo.InteractionApplicationCommandAutocompleteResult,
		Data: data}, nil); err != nil {
		ro.log.DebugContext(ctx, "an autocomplete was not delivered", "what", r.what(), "error", rest.Scrub(err))
	}
}

// entryPoint is the type of the command that opens an application's Activity.
const entryPoint discordgo.ApplicationCommandType = 4

// route parses an interaction and finds its handler. r is nil if the interaction has no user.
func (ro *Router) route(i *discordgo.Interaction) (r *Request, found declared, ok bool) {
	r = &Request{Interaction: i, Where: whereOf(i), registry: ro.registry}
	switch {
	case i.Member != nil && i.Member.User != nil:
		r.User = User{ID: i.Member.User.ID, Name: text.NewName(i.Member.DisplayName()),
			Manager: i.Member.Permissions&discordgo.PermissionManageGuild != 0}
	case i.User != nil:
		r.User = User{ID: i.User.ID, Name: text.NewName(i.User.DisplayName())}
	default:
		return nil, declared{}, false
	}
	if r.Where != OnServer {
		r.Interaction, r.User.Manager = withoutServer(i), false
	}
	r.own = ro.sentences.Speaker(nil, string(i.Locale))
	r.Say = r.own
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
		if d.CommandType == entryPoint {
			found, ok = ro.registry.actions[show.ActionLaunch]
			break
		}
		found, ok = ro.registry.routes[commandPath(d.CommandType, name)]
	case discordgo.MessageComponentInteractionData:
		if r.Control, ok = show.ParseCustomID(d.CustomID); ok {
			r.Values = d.Values
			found, ok = ro.registry.actions[r.Control.Action]
		}
	case form.Submission:
		if r.Control, ok = show.ParseCustomID(d.CustomID); ok {
			r.Form = d
			found, ok = ro.registry.actions[r.Control.Action]
		}
	}
	return r, found, ok
}
