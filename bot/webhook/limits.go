package webhook

import (
	"net/netip"
	"strings"
	"sync"
	"time"
)

// The limits of the calls in a window. A failed call counts failedCost times for its user, for its host and in total,
// because sites can block the bot's IP address after requests that they refuse.
const (
	window     = 10 * time.Minute
	ofUser     = 30
	ofTarget   = 300 // per host name, and per network
	ofAll      = 5000
	failedCost = 5
)

// limits counts the calls in a window by user, by host and in total, and the connections by network. A window has calls
// of at most ofAll users, to at most ofAll hosts.
type limits struct {
	mu      sync.Mutex
	end     time.Time
	all     int
	users   map[string]int
	targets map[string]int
}

// roll begins a new window if the last one is over.
func (l *limits) roll(now time.Time) {
	if now.Before(l.end) {
		return
	}
	l.end, l.all, l.users, l.targets = now.Add(window), 0, map[string]int{}, map[string]int{}
}

// take counts a call. If a limit is reached, it counts nothing and returns the time of the next window.
func (l *limits) take(now time.Time, user, host string) (wait time.Time, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.roll(now)
	if l.all >= ofAll || l.users[user] >= ofUser || l.targets[host] >= ofTarget {
		return l.end, false
	}
	l.all, l.users[user], l.targets[host] = l.all+1, l.users[user]+1, l.targets[host]+1
	return time.Time{}, true
}

// failed adds the further cost of a failed call. take has counted the call once.
func (l *limits) failed(now time.Time, user, host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.roll(now)
	l.all, l.users[user], l.targets[host] =
		l.all+failedCost-1, l.users[user]+failedCost-1, l.targets[host]+failedCost-1
}

// dial counts a connection to an address. It returns false if the limit of the address's network is reached. A limit by
// name does not suffice, because many names can resolve to one address.
func (l *limits) dial(now time.Time, to netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.roll(now)
	bits := 32
	if to = to.Unmap(); to.Is6() {
		bits = 48 // a common size of a customer's network
	}
	network, err := to.Prefix(bits)
	if err != nil || l.targets[network.String()] >= ofTarget {
		return false
	}
	l.targets[network.String()]++
	return true
}

// hostOf returns a host name in the form in which names are compared and counted.
func hostOf(name string) string { return strings.TrimSuffix(strings.ToLower(name), ".") }
