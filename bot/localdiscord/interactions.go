package localdiscord

import (
	"crypto/rand"
	"strconv"
	"time"
)

// Types of interactions.
const (
	interactionCommand      = 2
	interactionComponent    = 3
	interactionAutocomplete = 4
	interactionModal        = 5
)

// Types of a first answer.
const (
	answerMessage         = 4
	answerDeferredMessage = 5
	answerDeferredUpdate  = 6
	answerUpdate          = 7
	answerChoices         = 8
	answerModal           = 9
)

// interaction is a user's action that is sent to the bot. It is kept at least until its token expires, unless there are
// too many.
type interaction struct {
	id, token string
	kind      int
	userID    string
	channelID string
	created   time.Time
	source    *message       // message with the component that was used, or that opened the modal; otherwise nil
	opener    *interaction   // for a modal, the interaction that it answered; otherwise nil
	owners    map[int]string // users or servers for which the application is installed; see state.installs
	command   string         // name of the command
	text      string         // command line, or name of a context menu command
	focusType int            // type of the option that is completed
	answer    int            // type of the first answer; 0 for none yet
	failed    bool           // the bot did not answer in time
	done      chan struct{}
	stop      func()
	original  *message
	followups []string
	filled    *message // the first message that was edited or posted with the token
	choices   []choice
	activity  *instance // the Activity instance that the answer opened
	modal     *modalForm
}

type modalForm struct {
	CustomID   string       `json:"custom_id"`
	Title      string       `json:"title"`
	Components []*component `json:"components"`
}

type wireInteraction struct {
	ID             string         `json:"id"`
	ApplicationID  string         `json:"application_id"`
	Type           int            `json:"type"`
	Data           any            `json:"data"`
	GuildID        string         `json:"guild_id,omitempty"`
	Guild          map[string]any `json:"guild,omitempty"`
	ChannelID      string         `json:"channel_id"`
	Channel        map[string]any `json:"channel"`
	Member         *wireMember    `json:"member,omitempty"`
	User           *wireUser      `json:"user,omitempty"`
	Token          string         `json:"token"`
	Version        int            `json:"version"`
	Message        *wireMessage   `json:"message,omitempty"`
	AppPermissions string         `json:"app_permissions"`
	Locale         string         `json:"locale"`
	GuildLocale    string         `json:"guild_locale,omitempty"`
	Entitlements   []any          `json:"entitlements"`
	Owners         map[int]string `json:"authorizing_integration_owners"`
	Context        int            `json:"context"`
	AttachmentMax  int            `json:"attachment_size_limit"`
}

// interactions has the latest interactions. Those whose tokens have expired are dropped when another one begins. The
// hub's lock guards it.
type interactions struct {
	hub          *hub
	answerWithin time.Duration // time limit for the bot's first answer
	byToken      map[string]*interaction
	tokens       []string // tokens in order, the oldest first
}

// begin sends an interaction to the bot and starts the time for its answer. The caller holds the lock.
func (ia *interactions) begin(in *interaction, data any) {
	now := ia.hub.state.clock.Now()
	for len(ia.tokens) > 0 {
		oldest := ia.byToken[ia.tokens[0]]
		if len(ia.tokens) < maxInteractions && now.Sub(oldest.created) < tokenLifetime {
			break
		}
		oldest.stop()
		delete(ia.byToken, oldest.token)
		ia.tokens = ia.tokens[1:]
	}
	in.id, in.token, in.created, in.done = ia.hub.state.newID(), rand.Text()+rand.Text(), now, make(chan struct{})
	ia.byToken[in.token] = in
	ia.tokens = append(ia.tokens, in.token)

	ch := ia.hub.state.channels[in.channelID]
	in.owners = ia.hub.state.installs(in.userID, ch)
	shard := "" // an interaction outside the bot's servers goes to the first shard
	w := &wireInteraction{ID: in.id, ApplicationID: Application, Type: in.kind, Data: data, GuildID: ch.GuildID,
		ChannelID: ch.ID,
		Channel:   ia.hub.state.channelJSON(ch), Token: in.token, Version: 1,
		Locale: ia.hub.state.users[in.userID].Locale, Entitlements: []any{},
		AppPermissions: strconv.FormatInt(ia.hub.state.permissions(Application, ch), 10), AttachmentMax: maxFileBytes,
		Owners: in.owners, Context: ch.context()}
	if g := ia.hub.state.guilds[ch.GuildID]; g != nil {
		w.Member = ia.hub.state.memberJSON(g, in.userID, ch, true)
		w.GuildLocale = g.Locale
		w.Guild = map[string]any{"id": g.ID, "locale": g.Locale, "features": []any{}}
	} else {
		w.User = ia.hub.state.userJSON(in.userID)
	}
	if in.source != nil {
		w.Message = ia.hub.state.messageJSON(in.source)
	}
	in.stop = ia.hub.state.clock.AfterFunc(ia.answerWithin, func() { ia.expire(in) })
	if ia.hub.state.hasBot(ch.GuildID) {
		shard = ch.GuildID
	}
	ia.hub.gateway.dispatch(shard, intentsAlways, "INTERACTION_CREATE", w)
	ia.hub.touch()
}

// expire marks an unanswered interaction as failed.
func (ia *interactions) expire(in *interaction) {
	ia.hub.mu.Lock()
	defer ia.hub.mu.Unlock()
	if in.answer == 0 && !in.failed {
		in.failed = true
		ia.settle(in)
	}
}

// settle wakes the calls that wait for the interaction, which has been answered or has failed.
func (ia *interactions) settle(in *interaction) {
	in.stop()
	close(in.done)
	ia.hub.touch()
}

func (ia *interactions) byID(id string) *interaction {
	for _, in := range ia.byToken {
		if in.id == id {
			return in
		}
	}
	return nil
}

// end stops the timers of all interactions.
func (ia *interactions) end() {
	for _, in := range ia.byToken {
		in.stop()
	}
}
