package webhook

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"marque/bot/show"
	"marque/games/text"
	"marque/storage"
)

// special are addresses that look public, but do not belong to everybody, by IANA's registries of special-purpose
// addresses (RFC 6890): addresses of providers' inner networks, of documentation and of tests, and those that wrap
// another address. Of IPv6, only 2000::/3 is assigned at all.
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

// errNotPublic says that a name resolved to an address that is not public.
var errNotPublic = errors.New("not a public address")

// onlyPublic refuses connections to addresses that are not public. It sees the address that is dialled, after the name
// was resolved.
func onlyPublic(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !public(at.Addr()) {
		return errNotPublic
	}
	return nil
}

// overPublic sends requests to public addresses only. It uses no proxy, because a proxy could reach others.
func overPublic() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: patience, Control: onlyPublic}).DialContext,
		TLSHandshakeTimeout: patience, ResponseHeaderTimeout: patience,
		MaxResponseHeaderBytes: 16 << 10, DisableKeepAlives: true, ForceAttemptHTTP2: true,
	}
}

// patience is how long one call may take.
const patience = 10 * time.Second

// Parse reads an address that somebody typed. When it refuses one, the error says why, without the address.
func Parse(typed string) (storage.Secret, error) {
	u, err := url.Parse(strings.TrimSpace(typed))
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Opaque != "" ||
		len(typed) > storage.MaxWebhook {
		return "", show.Refuse(text.M("bot.error.webhook-address"))
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	at, err := netip.ParseAddr(host)
	if named := err != nil; !named && !public(at) || named && !strings.Contains(host, ".") {
		return "", show.Refuse(text.M("bot.error.webhook-private"))
	}
	u.Fragment, u.RawFragment = "", ""
	return storage.Secret(u.String()), nil
}

// answered says whether a call was taken: nil when it was, otherwise why not, in words without the address.
func answered(a *http.Response, err error) error {
	switch {
	case errors.Is(err, errNotPublic):
		return errNotPublic
	case err != nil:
		return errors.New("no answer")
	case a.StatusCode/100 == 2:
		return nil
	case a.StatusCode == http.StatusGone:
		return errGone
	}
	return fmt.Errorf("the answer %d", a.StatusCode)
}
