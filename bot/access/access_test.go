package access

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"pgregory.net/rapid"

	"marque/bot/gateway"
	"marque/bot/localdiscord"
	"marque/bot/timesource"
)

// Every run of the property tests uses the same seed. -rapid.seed sets another one.
var _ = flag.Set("rapid.seed", "26")

// slowly decides a single permission. The owner and administrators have every permission. For others, the most specific
// overwrite that mentions the permission decides: first the member's, then those of the member's roles, then that of
// @everyone. Among the roles' overwrites an allowing one wins. Without an overwrite, the roles' own permissions decide.
func slowly(g Guild, overwrites []Overwrite, m Member, bit int64) bool {
	if m.User == g.Owner {
		return true
	}
	roles := append([]string{g.ID}, m.Roles...)
	of := func(bit int64) func(string) bool { return func(role string) bool { return g.Roles[role]&bit != 0 } }
	if slices.ContainsFunc(roles, of(discordgo.PermissionAdministrator)) {
		return true
	}
	any := func(applies func(Overwrite) bool, said func(Overwrite) int64) bool {
		return slices.ContainsFunc(overwrites, func(o Overwrite) bool { return applies(o) && said(o)&bit != 0 })
	}
	allow := func(o Overwrite) int64 { return o.Allow }
	deny := func(o Overwrite) int64 { return o.Deny }
	for _, applies := range []func(Overwrite) bool{
		func(o Overwrite) bool { return o.Member && o.ID == m.User },
		func(o Overwrite) bool { return !o.Member && o.ID != g.ID && slices.Contains(m.Roles, o.ID) },
		func(o Overwrite) bool { return !o.Member && o.ID == g.ID },
	} {
		if any(applies, allow) {
			return true
		}
		if any(applies, deny) {
			return false
		}
	}
	return slices.ContainsFunc(roles, of(bit))
}

// Permissions agrees with slowly, which decides each permission separately.
func TestPermissionsAgreeWithTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := []string{"guild", "a", "b", "c", "d"} // ids of roles and users overlap here, unlike Discord's ids
		bits := rapid.SampledFrom([]int64{0, discordgo.PermissionViewChannel, discordgo.PermissionManageThreads,
			discordgo.PermissionViewChannel | discordgo.PermissionManageThreads})
		g := Guild{ID: "guild", Owner: rapid.SampledFrom(ids).Draw(t, "owner"), Roles: map[string]int64{}}
		for _, id := range ids {
			g.Roles[id] = bits.Draw(t, "role "+id)
			if rapid.IntRange(0, 9).Draw(t, "administrator") == 0 {
				g.Roles[id] |= discordgo.PermissionAdministrator
			}
		}
		var overwrites []Overwrite
		for _, id := range ids {
			for _, member := range []bool{false, true} {
				if rapid.Bool().Draw(t, "overwritten") {
					overwrites = append(overwrites, Overwrite{ID: id, Member: member, Allow: bits.Draw(t, "allow"),
						Deny: bits.Draw(t, "deny")})
				}
			}
		}
		m := Member{Guild: "guild", User: rapid.SampledFrom(ids).Draw(t, "user"),
			Roles: rapid.SliceOfDistinct(rapid.SampledFrom(ids[1:]), rapid.ID).Draw(t, "roles")}
		may := Permissions(g, overwrites, m)
		for _, bit := range []int64{discordgo.PermissionViewChannel, discordgo.PermissionManageThreads} {
			if want := slowly(g, overwrites, m, bit); want != (may&bit != 0) {
				t.Fatalf("%+v in %+v with %+v: %b of %b, want %v", m, g, overwrites, may&bit, bit, want)
			}
		}
	})
}

// guarded is a Guard with a local Discord. The channel heard gets a signal for each event that tests wait for.
type guarded struct {
	*Guard
	t     *testing.T
	ctx   context.Context
	srv   *localdiscord.Server
	bot   *discordgo.Session
	heard chan struct{}
}

func guard(t *testing.T, listening bool) *guarded {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	srv := localdiscord.New(localdiscord.Options{Log: log, Requests: localdiscord.Unlimited})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	bot, err := gateway.NewSession(srv.Token(), srv.HTTPClient())
	if err != nil {
		t.Fatal(err)
	}
	g := &guarded{NewGuard(bot), t, ctx, srv, bot, make(chan struct{}, 1000)}
	if !listening {
		return g
	}
	gw := gateway.New(bot, timesource.System{}, log)
	g.Watch(gw)
	sign := func() { g.heard <- struct{}{} }
	gw.On(func(*discordgo.GuildCreate) { sign() })
	gw.On(func(*discordgo.ChannelCreate) { sign() })
	gw.On(func(*discordgo.ChannelUpdate) { sign() })
	gw.On(func(*discordgo.ChannelDelete) { sign() })
	gw.On(func(*discordgo.ThreadCreate) { sign() })
	gw.On(func(*discordgo.GuildRoleCreate) { sign() })
	gw.On(func(*discordgo.GuildRoleUpdate) { sign() })
	if err := gw.Open(ctx); err != nil {
		t.Fatal(err)
	}
	kept, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); gw.Keep(kept) }()
	t.Cleanup(func() { stop(); <-done })
	g.wait(2) // one event for each of the two servers
	return g
}

// wait waits for this number of further events.
func (g *guarded) wait(events int) {
	g.t.Helper()
	for range events {
		select {
		case <-g.heard:
		case <-g.ctx.Done():
			g.t.Fatal("an event did not come")
		}
	}
}

// agrees compares the Guard's answers with the local server's for five members of Tortuga and each of these channels.
func (g *guarded) agrees(what string, channels []string, roles map[string][]string, see func(Member, string) bool) {
	g.t.Helper()
	for _, user := range []string{localdiscord.Anne, localdiscord.Mary, localdiscord.Jack, localdiscord.Bart,
		localdiscord.Grace} {
		m := Member{Guild: localdiscord.Tortuga, User: user, Roles: roles[user]}
		shown := g.srv.Channels(localdiscord.Tortuga, user)
		for _, c := range channels {
			want := slices.ContainsFunc(shown, func(s localdiscord.Channel) bool { return s.ID == c })
			if got := see(m, c); got != want {
				g.t.Errorf("%s: user %s with the roles %v sees channel %s: %v, want %v", what, user, m.Roles, c, got,
					want)
			}
		}
	}
}

func (g *guarded) asking(m Member, c string) bool {
	g.t.Helper()
	sees, err := g.CanSee(g.ctx, m, c)
	if err != nil {
		g.t.Errorf("channel %s: %v", c, err)
	}
	return sees
}

const quartermaster = "1150000000000001090" // Mary's role

// A Guard that listens to the gateway agrees with the local Discord about who sees a channel after every change of
// roles and overwrites, without sending requests. A Guard that receives no events agrees by sending requests.
func TestGuardAgreesWithDiscord(t *testing.T) {
	g := guard(t, true)
	rng := rand.New(rand.NewPCG(5, 8))
	channels := []string{localdiscord.TortugaTables, localdiscord.TortugaTavern, localdiscord.TortugaHarbour,
		localdiscord.TortugaCabin}
	thread, err := g.bot.ThreadStartComplex(localdiscord.TortugaTavern,
		&discordgo.ThreadStart{Name: "x", Type: discordgo.ChannelTypeGuildPublicThread})
	if err != nil {
		t.Fatal(err)
	}
	g.wait(1)
	role, err := g.srv.Admin.AddRole(localdiscord.Tortuga, "Bosun", 0)
	if err != nil {
		t.Fatal(err)
	}
	g.wait(1)
	members := map[string][]string{localdiscord.Mary: {quartermaster}, localdiscord.Bart: {role}}
	if err := g.srv.Admin.SetRoles(localdiscord.Tortuga, localdiscord.Bart, role); err != nil {
		t.Fatal(err)
	}
	const view = localdiscord.PermissionViewChannel
	bits := []int64{0, view, view, localdiscord.PermissionSendMessages, localdiscord.PermissionManageThreads}
	requests := len(g.srv.Requests())
	for range 150 {
		what := "new overwrites"
		var err error
		switch rng.IntN(3) {
		case 0:
			what = "a role"
			id := []string{localdiscord.Tortuga, quartermaster, role}[rng.IntN(3)]
			may := bits[rng.IntN(len(bits))]
			if id == role && rng.IntN(4) == 0 {
				may = localdiscord.PermissionAdministrator
			}
			err = g.srv.Admin.SetRolePermissions(localdiscord.Tortuga, id, may)
		default:
			var list []localdiscord.Overwrite
			for _, id := range []string{localdiscord.Tortuga, quartermaster, role, localdiscord.Jack,
				localdiscord.Bart} {
				o := localdiscord.Overwrite{ID: id, Allow: bits[rng.IntN(len(bits))], Deny: bits[rng.IntN(len(bits))]}
				if id == localdiscord.Jack || id == localdiscord.Bart {
					o.Type = localdiscord.OverwriteMember
				}
				if rng.IntN(2) == 0 {
					list = append(list, o)
				}
			}
			err = g.srv.Admin.SetOverwrites(channels[rng.IntN(len(channels))], list...)
		}
		if err != nil {
			t.Fatal(err)
		}
		g.wait(1)
		g.agrees(what, append(channels, thread.ID), members, g.KnownToSee)
	}
	if made := len(g.srv.Requests()) - requests; made != 0 {
		t.Errorf("%d requests were made for what the gateway told", made)
	}
	if err := g.srv.Admin.DenyBot(localdiscord.TortugaCabin, 0); err != nil {
		t.Fatal(err)
	}
	g.wait(1)
	if err := g.srv.Admin.SetRolePermissions(localdiscord.Tortuga, localdiscord.Tortuga, view); err != nil {
		t.Fatal(err)
	}
	g.wait(1)
	for _, c := range channels {
		if err := g.srv.Admin.SetOverwrites(c, localdiscord.Overwrite{ID: role, Deny: view},
			localdiscord.Overwrite{ID: localdiscord.Jack, Type: localdiscord.OverwriteMember, Deny: view}); err != nil {
			t.Fatal(err)
		}
		g.wait(1)
	}
	unheard := NewGuard(g.bot)
	for range 2 { // the second answer is cached
		g.agrees("asking", append(channels, thread.ID), members, func(m Member, c string) bool {
			sees, err := unheard.CanSee(g.ctx, m, c)
			if err != nil {
				t.Errorf("channel %s: %v", c, err)
			}
			return sees
		})
	}
	g.agrees("remembering", append(channels, thread.ID), members, unheard.KnownToSee)
}

// Only members of a private thread, and users who can manage threads, see the thread. Seeing its channel is not enough.
func TestPrivateThreads(t *testing.T) {
	g := guard(t, true)
	all := discordgo.PermissionViewChannel | discordgo.PermissionSendMessages |
		discordgo.PermissionCreatePrivateThreads | discordgo.PermissionSendMessagesInThreads |
		discordgo.PermissionUseApplicationCommands
	if err := g.srv.Admin.SetRolePermissions(localdiscord.Tortuga, localdiscord.Tortuga, int64(all)); err != nil {
		t.Fatal(err)
	}
	thread, err := g.bot.ThreadStartComplex(localdiscord.TortugaTavern,
		&discordgo.ThreadStart{Name: "x", Type: discordgo.ChannelTypeGuildPrivateThread})
	if err != nil {
		t.Fatal(err)
	}
	g.wait(2)
	members := map[string][]string{localdiscord.Mary: {quartermaster}} // she may manage threads
	g.agrees("a private thread", []string{thread.ID}, members, g.asking)
	for _, user := range []string{localdiscord.Mary, localdiscord.Jack} {
		if got, want := g.KnownToSee(Member{Guild: localdiscord.Tortuga, User: user, Roles: members[user]}, thread.ID),
			user == localdiscord.Mary; got != want {
			t.Errorf("without asking, %s sees the thread: %v", user, got)
		}
	}
	if _, err := g.srv.Say(localdiscord.Mary, thread.ID, "hello"); err != nil {
		t.Fatal(err)
	}
	// Mary loses the permission to manage threads, but still sees the thread as its member.
	if err := g.srv.Admin.SetRolePermissions(localdiscord.Tortuga, quartermaster, 0); err != nil {
		t.Fatal(err)
	}
	g.wait(1)
	if !g.asking(Member{Guild: localdiscord.Tortuga, User: localdiscord.Mary, Roles: members[localdiscord.Mary]},
		thread.ID) {
		t.Error("a member of a private thread does not see it")
	}
	g.agrees("with a member", []string{thread.ID}, members, g.asking)
}

// CanSee returns false and an error if Discord refuses the request, and ErrGone if the channel is deleted. A member of
// one server does not see a channel of another. A response is not stored if an event has arrived since the request.
func TestWhatCannotBeKnown(t *testing.T) {
	g := guard(t, false)
	jack := Member{Guild: localdiscord.Tortuga, User: localdiscord.Jack}
	remove := g.srv.AddFault(localdiscord.Fault{Method: http.MethodGet, Status: http.StatusForbidden})
	if sees, err := g.CanSee(g.ctx, jack, localdiscord.TortugaTavern); sees || err == nil {
		t.Errorf("when Discord refuses, Jack sees the tavern: %v, %v", sees, err)
	}
	remove()
	if sees, err := g.CanSee(g.ctx, jack, localdiscord.TortugaTavern); !sees || err != nil {
		t.Errorf("Jack sees the tavern: %v, %v", sees, err)
	}
	if sees, err := g.CanSee(g.ctx, jack, localdiscord.NassauBeach); sees || err != nil {
		t.Errorf("on Tortuga, Jack sees Nassau's beach: %v, %v", sees, err)
	}
	if err := g.srv.Admin.DeleteChannel(localdiscord.TortugaHarbour); err != nil {
		t.Fatal(err)
	}
	if sees, err := g.CanSee(g.ctx, jack, localdiscord.TortugaHarbour); sees || !errors.Is(err, ErrGone) {
		t.Errorf("a deleted channel: %v, %v", sees, err)
	}
	before := g.now()
	g.changed(func() {})
	g.keep(before, func() { t.Error("an answer that was asked for before a change is kept") })
}

// The Guard keeps channels only up to a total weight, and forgets the channels of a server that the bot leaves.
func TestKnowledgeIsBounded(t *testing.T) {
	g := NewGuard(nil)
	heavy := make([]*discordgo.PermissionOverwrite, 999)
	for i := range heavy {
		heavy[i] = &discordgo.PermissionOverwrite{ID: strings.Repeat("9", 3), Deny: discordgo.PermissionViewChannel}
	}
	for i := range 3 * maxKnown / 1000 {
		g.channel(&discordgo.Channel{ID: "c" + string(rune('a'+i%26)) + string(rune('0'+i/26)), GuildID: "g",
			PermissionOverwrites: heavy})
	}
	if n := g.channels.byID.Len(); *g.channels.used > maxKnown || n != maxKnown/1000 {
		t.Errorf("%d channels are kept, of weight %d; there is room for %d", n, *g.channels.used, maxKnown)
	}
	g.changed(func() { g.leave("g") })
	if n := g.channels.byID.Len(); n != 0 || *g.channels.used != 0 {
		t.Errorf("%d channels of weight %d are kept of a server that was left", n, *g.channels.used)
	}
}
