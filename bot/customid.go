package bot

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A custom_id is a path: what to do, on which table, at which version of it, and what it is done with.
// Whatever comes back in one may be old or forged, so everything in it is checked when it is used.
//
//	move/k3/17/9-10     open the stepper of table k3 at version 17 after "9-10"
type customID struct {
	action  string
	table   string
	version int
	arg     string // may hold slashes
}

// String is the path. Discord takes at most 100 characters; the longest notation leaves room.
func (c customID) String() string {
	return c.action + "/" + c.table + "/" + strconv.Itoa(c.version) + "/" + c.arg
}

// fits reports whether Discord takes s as a custom_id.
func fits(s string) bool { return utf8.RuneCountInString(s) <= maxCustomID }

// maxVersion bounds the number in a path, which also counts pages and positions: reckoning with it cannot overflow.
const maxVersion = 1 << 30

// parseCustomID reads a path; ok is false when it is none of ours.
func parseCustomID(s string) (c customID, ok bool) {
	parts := strings.SplitN(s, "/", 4)
	if len(parts) != 4 || !fits(s) {
		return customID{}, false
	}
	v, err := strconv.Atoi(parts[2])
	if err != nil || v < 0 || v > maxVersion {
		return customID{}, false
	}
	return customID{action: parts[0], table: parts[1], version: v, arg: parts[3]}, true
}
