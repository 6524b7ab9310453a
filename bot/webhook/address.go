package webhook

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"marque/bot/show"
	"marque/games/text"
	"marque/storage"
)

// special lists address blocks of IANA's registries of special-purpose addresses (RFC 6890) that netip counts as global
// unicast, such as providers' internal networks, documentation, tests, and addresses that embed others.
var special = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

var unicast6 = netip.MustParsePrefix("2000::/3")

func prefixes(list ...string) (all []netip.Prefix) {
	for _, p := range list {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

// public reports whether an address belongs to the public internet.
func public(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsGlobalUnicast() && !a.IsPrivate() && (a.Is4() || unicast6.Contains(a)) &&
		!slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(a) })
}

var (
	// errNotPublic means that a call's host is refused (see allowed), or resolves to an address that is not public.
	errNotPublic = errors.New("not a public address")
	// errLimit is returned if a limit of calls or connections is reached.
	errLimit = errors.New("too many calls")
)

// dialling returns a function that checks each dialled address, after name resolution. It refuses addresses that are
// not public, or for which may returns false.
func dialling(may func(netip.Addr) bool) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || !public(at.Addr()) {
			return errNotPublic
		}
		if !may(at.Addr()) {
			return errLimit
		}
		return nil
	}
}

// overPublic returns a transport that connects only to public addresses. It uses no proxy, because a proxy could reach
// other addresses.
func overPublic(may func(netip.Addr) bool) *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: patience, Control: dialling(may)}).DialContext,
		TLSHandshakeTimeout: patience, ResponseHeaderTimeout: patience,
		MaxResponseHeaderBytes: 16 << 10, DisableKeepAlives: true, ForceAttemptHTTP2: true,
	}
}

// patience is the timeout of a call.
const patience = 10 * time.Second

// discords lists domains of Discord. Requests to Discord's API from the bot's IP address could use up the bot's limits.
var discords = []string{"discord.com", "discordapp.com", "discordapp.net", "discord.gg", "discord.media", "discord.dev",
	"discord.new", "discord.gift", "discord.gifts", "discord.co", "discordsays.com", "discordactivities.com",
	"discordstatus.com", "dis.gd"}

// inner lists top-level domains that are refused: those for special use (RFC 6761 and IANA's registry), those of
// private networks (RFC 6762 appendix G, and ICANN's resolutions on .internal and on .corp, .home and .mail), and
// .arpa, which contains home.arpa (RFC 8375).
var inner = []string{"localhost", "local", "internal", "intranet", "private", "lan", "home", "corp", "mail", "onion",
	"alt", "test", "example", "invalid", "arpa"}

// within reports whether a host is one of the domains, or a subdomain of one.
func within(host string, domains []string) bool {
	return slices.ContainsFunc(domains, func(d string) bool { return host == d || strings.HasSuffix(host, "."+d) })
}

// label matches a label of a host name (RFC 1123, and underscores, which are in use).
var label = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$`)

// Parse parses an address that a user typed. The error gives the reason for a refusal, without the address.
func Parse(typed string) (storage.Secret, error) {
	u, err := url.Parse(strings.TrimSpace(typed))
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Opaque != "" {
		return "", show.Refuse(text.M("bot.error.webhook-address"))
	}
	if err := allowed(hostOf(u.Hostname())); err != nil {
		return "", err
	}
	// Ports below 1024 belong to system services, such as mail.
	if n, err := strconv.ParseUint(cmp.Or(u.Port(), "443"), 10, 16); err != nil || n != 443 && n < 1024 {
		return "", show.Refuse(text.M("bot.error.webhook-port"))
	}
	u.Fragment, u.RawFragment = "", ""
	written := u.String() // percent-encodes non-ASCII letters of the path, as in %C3%BC
	if len(written) > storage.MaxWebhook {
		return "", show.Refuse(text.M("bot.error.webhook-long", "Count", storage.MaxWebhook))
	}
	return storage.Secret(written), nil
}

// allowed returns an error for hosts that cannot be public, for malformed names, and for Discord's domains.
func allowed(host string) error {
	if at, err := netip.ParseAddr(host); err == nil {
		if at.Zone() != "" || !public(at) {
			return show.Refuse(text.M("bot.error.webhook-private"))
		}
		return nil
	}
	labels := strings.Split(host, ".")
	for _, l := range labels {
		if !label.MatchString(l) {
			return show.Refuse(text.M("bot.error.webhook-name"))
		}
	}
	// A host whose last label is a number is read as an IPv4 address (WHATWG URL, "ends in a number").
	last := labels[len(labels)-1]
	_, err := strconv.ParseUint(last, 0, 64)
	switch {
	case len(labels) == 1 || len(host) > 253 || err == nil || strings.Trim(last, "0123456789") == "" ||
		strings.HasPrefix(last, "0x") || within(host, inner):
		return show.Refuse(text.M("bot.error.webhook-private"))
	case within(host, discords):
		return show.Refuse(text.M("bot.error.webhook-discord"))
	}
	return nil
}

// answered returns nil if the receiver accepted a call, and otherwise the reason, without the address.
func answered(a *http.Response, err error) error {
	switch {
	case errors.Is(err, errNotPublic):
		return errNotPublic
	case errors.Is(err, errLimit):
		return errLimit
	case err != nil:
		return errors.New("no answer")
	case a.StatusCode/100 == 2:
		return nil
	case a.StatusCode == http.StatusGone:
		return errGone
	}
	return fmt.Errorf("the answer %d", a.StatusCode)
}
