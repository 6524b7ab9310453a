package access

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sync"

	"github.com/bwmarrin/discordgo"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"marque/bot/rest"
)

// ErrGone means that a channel no longer exists.
var ErrGone = errors.New("the channel is gone")

// maxKnown limits the weight of a cache: the number of channels and their overwrites, or of servers and their roles.
// Each takes about a hundred bytes.
const maxKnown = 200_000

// Guard checks who can see a channel.
type Guard struct {
	session *discordgo.Session

	mu       sync.Mutex
	guilds   memory[Guild]
	channels memory[channel]
	changes  uint64 // number of changes that Discord has reported; see keep
}

// channel holds the data that decide who sees a channel.
type channel struct {
	guild, parent string // parent is the id of a thread's channel, whose overwrites apply to the thread
	private       bool   // whether the channel is a private thread
	overwrites    []Overwrite
}

// NewGuard returns a Guard with empty caches. It sends requests to Discord with session.
func NewGuard(session *discordgo.Session) *Guard {
	return &Guard{
		session:  session,
		guilds:   newMemory(func(g Guild) int { return 1 + len(g.Roles) }),
		channels: newMemory(func(c channel) int { return 1 + len(c.overwrites) }),
	}
}

// KnownToSee reports whether a member can see a channel. It uses only cached data, and returns false if they do not
// suffice.
func (g *Guard) KnownToSee(m Member, channel string) bool {
	sees, missing := g.look(m, channel, facts{})
	return sees && missing == nil
}

// CanSee reports whether a member can see a channel. It asks Discord for data that are not cached. It returns ErrGone
// if the channel does not exist, and Discord's error if a request fails.
func (g *Guard) CanSee(ctx context.Context, m Member, channel string) (bool, error) {
	var asked facts
	for {
		sees, missing := g.look(m, channel, asked)
		if missing == nil {
			return sees, nil
		}
		if err := missing(ctx, &asked); err != nil {
			return false, err
		}
	}
}

// facts are Discord's responses to the requests of one call of CanSee. Each is nil before its request.
type facts struct {
	channel, parent *channel
	guild           *Guild
	threadMember    *bool
}

// ask sends a request to Discord and stores the response in facts.
type ask func(context.Context, *facts) error

// look decides by the cached data and by the responses in have. If more data are needed, it returns the function that
// requests them.
func (g *Guard) look(m Member, id string, have facts) (sees bool, missing ask) {
	g.mu.Lock()
	defer g.mu.Unlock()
	ch, ok := recall(&g.channels, id, have.channel)
	if !ok {
		return false, func(ctx context.Context, f *facts) (err error) {
			f.channel,
				err = g.askChannel(ctx, id)
			return err
		}
	}
	if ch.guild != m.Guild {
		return false, nil
	}
	overwrites := ch.overwrites
	if ch.parent != "" {
		parent, ok := recall(&g.channels, ch.parent, have.parent)
		if !ok {
			return false, func(ctx context.Context, f *facts) (err error) {
				f.parent, err = g.askChannel(ctx, ch.parent)
				return err
			}
		}
		overwrites = parent.overwrites
	}
	guild, ok := recall(&g.guilds, m.Guild, have.guild)
	if !ok {
		return false, func(ctx context.Context, f *facts) (err error) {
			f.guild,
				err = g.askGuild(ctx, m.Guild)
			return err
		}
	}
	may := Permissions(guild, overwrites, m)
	switch {
	case may&discordgo.PermissionViewChannel == 0:
		return false, nil
	case !ch.private || may&discordgo.PermissionManageThreads != 0:
		return true, nil
	case have.threadMember != nil:
		return *have.threadMember, nil
	}
	// Discord reports the members of a thread only to bots with the privileged intent for members, so each check sends
	// a request.
	return false, func(ctx context.Context, f *facts) (err error) {
		f.threadMember, err = g.askThread(ctx, id, m.User)
		return err
	}
}

// recall returns the cached value, or else the response asked if there is one.
func recall[V any](known *memory[V], id string, asked *V) (V, bool) {
	if v, ok := known.get(id); ok || asked == nil {
		return v, ok
	}
	return *asked, true
}

func (g *Guard) askChannel(ctx context.Context, id string) (*channel, error) {
	before := g.now()
	told, err := g.session.Channel(id, discordgo.WithContext(ctx))
	if err != nil {
		return nil, asking("a channel", err)
	}
	c := seen(told)
	g.keep(before, func() { g.channels.put(id, c) })
	return &c, nil
}

func (g *Guard) askGuild(ctx context.Context, id string) (*Guild, error) {
	before := g.now()
	told, err := g.session.Guild(id, discordgo.WithContext(ctx))
	if err != nil {
		return nil, asking("a server", err)
	}
	known := rolesOf(told)
	g.keep(before, func() { g.guilds.put(id, known) })
	return &known, nil
}

func (g *Guard) askThread(ctx context.Context, thread, user string) (*bool, error) {
	_, err := g.session.ThreadMember(thread, user, false, discordgo.WithContext(ctx))
	is := err == nil
	if err != nil && rest.Status(err) == http.StatusNotFound && rest.Code(err) != rest.CodeUnknownChannel {
		err = nil
	}
	return &is, asking("a thread's members", err)
}

func asking(about string, err error) error {
	switch {
	case err == nil:
		return nil
	case rest.Code(err) == rest.CodeUnknownChannel:
		return ErrGone
	}
	return fmt.Errorf("asking Discord about %s: %w", about, err)
}

// now returns the number of changes that Discord has reported so far. It is the argument of keep.
func (g *Guard) now() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.changes
}

// keep calls put, which caches a response, unless Discord has reported a change since the request. before is what now
// returned just before the request.
func (g *Guard) keep(before uint64, put func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.changes == before {
		put()
	}
}

// seen returns the data of a channel that the Guard caches.
func seen(c *discordgo.Channel) channel {
	out := channel{guild: c.GuildID, private: c.Type == discordgo.ChannelTypeGuildPrivateThread}
	if c.IsThread() {
		out.parent = c.ParentID
	}
	for _, o := range c.PermissionOverwrites {
		allow, deny := o.Allow&relevant, o.Deny&relevant
		if allow|deny != 0 {
			out.overwrites = append(out.overwrites, Overwrite{ID: o.ID,
				Member: o.Type == discordgo.PermissionOverwriteTypeMember, Allow: allow, Deny: deny})
		}
	}
	return out
}

// rolesOf returns the data of a server that the Guard caches.
func rolesOf(g *discordgo.Guild) Guild {
	out := Guild{ID: g.ID, Owner: g.OwnerID, Roles: map[string]int64{}}
	for _, r := range g.Roles {
		if may := r.Permissions & relevant; may != 0 {
			out.Roles[r.ID] = may
		}
	}
	return out
}

// memory is an LRU cache with a total weight of at most maxKnown. It is guarded by its owner's lock.
type memory[V any] struct {
	weigh func(V) int
	used  *int
	byID  *simplelru.LRU[string, V]
}

func newMemory[V any](weigh func(V) int) memory[V] {
	m := memory[V]{weigh: weigh, used: new(int)}
	// The weight limits the cache, not the number of entries. NewLRU fails only for a size below 1.
	m.byID, _ = simplelru.NewLRU(math.MaxInt, func(_ string, v V) { *m.used -= weigh(v) })
	return m
}

func (m *memory[V]) get(id string) (V, bool) { return m.byID.Get(id) }

func (m *memory[V]) put(id string, v V) {
	m.byID.Remove(id)
	m.byID.Add(id, v)
	for *m.used += m.weigh(v); *m.used > maxKnown; {
		m.byID.RemoveOldest()
	}
}

func (m *memory[V]) drop(id string) { m.byID.Remove(id) }
