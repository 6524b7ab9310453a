package storage

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"marque/storage/kv"
)

// key holds the parts of a store's keys. Each kind of thing says which parts its keys have, and in which order; the
// others are zero.
type key struct {
	server, user, channel, game, month string

	name   string // of a command, a sequence, a note about the bot, work, a due moment
	of     string // the subject of a work
	player string // Occupant.Player
	table  ID
	other  ID // a table that has to do with it
	moment Stamp
	slot   uint32 // a quarter of an hour
	number uint64
	season uint32

	gameNumber uint64 // of a game in a competition
	place      uint64 // of a row of a competition
	less       uint64 // rating.Rating.Sure in millionths, the highest first
	games      uint32
	solved     uint32
	first      uint32
	plays      uint32
	half       byte // which of the two sets of leaderboards
	persons    byte // a board's: 'p' of games among people, 'c' with computer players
}

// part is a part of a key.
type part struct {
	name   string
	append func(b []byte, k *key) []byte
	cut    func(b []byte, k *key) (rest []byte, ok bool)
	show   func(k *key) string
}

// word is text, closed by a zero byte.
func word(name string, field func(*key) *string) *part {
	return &part{
		name:   name,
		append: func(b []byte, k *key) []byte { return append(append(b, *field(k)...), 0) },
		cut: func(b []byte, k *key) ([]byte, bool) {
			for i, c := range b {
				if c == 0 {
					*field(k) = string(b[:i])
					return b[i+1:], true
				}
			}
			return nil, false
		},
		show: func(k *key) string { return shown(*field(k)) },
	}
}

// number is a number of some bytes, the lowest first or, falling, the highest.
func number[T ~byte | ~uint32 | ~uint64 | ~int64](name string, bytes int, falling bool, field func(*key) *T) *part {
	flip := uint64(0)
	if falling {
		flip = ^flip
	}
	return &part{
		name: name,
		append: func(b []byte, k *key) []byte {
			var n [8]byte
			binary.BigEndian.PutUint64(n[:], uint64(*field(k))^flip)
			return append(b, n[8-bytes:]...)
		},
		cut: func(b []byte, k *key) ([]byte, bool) {
			if len(b) < bytes {
				return nil, false
			}
			var n [8]byte
			copy(n[8-bytes:], b[:bytes])
			*field(k) = T((binary.BigEndian.Uint64(n[:]) ^ flip) & (1<<(8*bytes) - 1))
			return b[bytes:], true
		},
		show: func(k *key) string { return strconv.FormatUint(uint64(*field(k)), 10) },
	}
}

// fixed is a byte that tells the rows of different kinds in one space apart.
func fixed(c byte) *part {
	return &part{
		name:   "row",
		append: func(b []byte, _ *key) []byte { return append(b, c) },
		cut: func(b []byte, _ *key) ([]byte, bool) {
			if len(b) == 0 || b[0] != c {
				return nil, false
			}
			return b[1:], true
		},
	}
}

// The parts of keys.
var (
	byServer     = word("server", func(k *key) *string { return &k.server })
	byUser       = word("user", func(k *key) *string { return &k.user })
	byChannel    = word("channel", func(k *key) *string { return &k.channel })
	byGame       = word("game", func(k *key) *string { return &k.game })
	byMonth      = word("month", func(k *key) *string { return &k.month })
	byName       = word("name", func(k *key) *string { return &k.name })
	byOf         = word("of", func(k *key) *string { return &k.of })
	byPlayer     = word("player", func(k *key) *string { return &k.player })
	byTable      = number("table", 8, false, func(k *key) *ID { return &k.table })
	latestID     = number("table", 8, true, func(k *key) *ID { return &k.table })
	byOther      = number("other table", 8, false, func(k *key) *ID { return &k.other })
	byMoment     = number("moment", 8, false, func(k *key) *Stamp { return &k.moment })
	latest       = number("moment", 8, true, func(k *key) *Stamp { return &k.moment })
	bySlot       = number("slot", 4, false, func(k *key) *uint32 { return &k.slot })
	byNumber     = number("number", 8, false, func(k *key) *uint64 { return &k.number })
	byGameNumber = number("game number", 8, false, func(k *key) *uint64 { return &k.gameNumber })
	byPlace      = number("place", 4, false, func(k *key) *uint64 { return &k.place })
	byEvent      = number("event", 4, false, func(k *key) *uint64 { return &k.number })
	bySeason     = number("season", 4, false, func(k *key) *uint32 { return &k.season })
	surest       = number("rating", 8, false, func(k *key) *uint64 { return &k.less })
	byGames      = number("games", 4, false, func(k *key) *uint32 { return &k.games })
	mostSolved   = number("solved", 4, true, func(k *key) *uint32 { return &k.solved })
	mostFirst    = number("first", 4, true, func(k *key) *uint32 { return &k.first })
	mostPlays    = number("plays", 4, true, func(k *key) *uint32 { return &k.plays })
	byHalf       = number("half", 1, false, func(k *key) *byte { return &k.half })
	byPersons    = number("persons", 1, false, func(k *key) *byte { return &k.persons })
)

// layout is the space of keys and their parts.
type layout struct {
	space kv.Space
	parts []*part
}

// key writes a key.
func (l *layout) key(k key) kv.Key { return kv.Key{Space: l.space, Key: l.begin(k, len(l.parts))} }

// begin writes the first parts of a key.
func (l *layout) begin(k key, parts int) []byte {
	b := make([]byte, 0, 48)
	for _, p := range l.parts[:parts] {
		b = p.append(b, &k)
	}
	return b
}

// under is the range of keys whose first parts are those of k.
func (l *layout) under(k key, parts int) kv.Range { return kv.Prefix(l.space, l.begin(k, parts)) }

// after is the rest of a range, behind all keys whose first parts are those of k.
func (l *layout) after(r kv.Range, k key, parts int) kv.Range {
	r.From = kv.After(l.begin(k, parts))
	return r
}

// parse reads a key; false where it is none of this layout.
func (l *layout) parse(b []byte) (k key, ok bool) {
	ok = l.parseInto(b, &k)
	return k, ok
}

// parseInto is parse into a key that is used again and again, which spares making one for each.
func (l *layout) parseInto(b []byte, k *key) (ok bool) {
	for _, p := range l.parts {
		if b, ok = p.cut(b, k); !ok {
			return false
		}
	}
	return len(b) == 0
}

// parseBegin reads the parts that all keys of a range have in common, and how many there are; false
// for a range of other keys.
func (l *layout) parseBegin(r kv.Range) (k key, n int, ok bool) {
	rest, same := r.From, len(r.From)
	if r.To != nil {
		for same = 0; same < min(len(r.From), len(r.To)) && r.From[same] == r.To[same]; same++ {
		}
		if len(r.To) == same+1 && len(r.From) > same && r.To[same] == r.From[same]+1 {
			same++ // up to the end of all that begins so
		}
	}
	rest = rest[:same]
	for n < len(l.parts) && len(rest) > 0 {
		if rest, ok = l.parts[n].cut(rest, &k); !ok {
			return k, n, l.parts[n].show != nil // else of another kind
		}
		n++
	}
	return k, n, true
}

// has is how many parts a key must have until the one given is among them; 0 when the layout does not have it.
func (l *layout) has(p *part) int {
	for i, q := range l.parts {
		if q == p {
			return i + 1
		}
	}
	return 0
}

// lock is a lock that a work must hold to change some keys, or to read them before it decides. The lock is named after
// one of the keys' parts.
type lock struct {
	name string
	by   *part // nil for a lock of all of them together
}

func (l lock) of(k key) kv.Lock {
	if l.by == nil {
		return kv.Lock(l.name)
	}
	return kv.Lock(l.name + " " + l.by.show(&k))
}

// The locks. Works that have several take them in an order that the engine keeps.
var (
	tableLock    = lock{"table", byTable}
	sequenceLock = lock{"sequence", byName}   // of numbers that are given
	serverLock   = lock{"server", byServer}   // a server's unfinished tables
	channelLock  = lock{"channel", byChannel} // a channel's unfinished tables
	userLock     = lock{"user", byUser}       // a user's unfinished tables and settings
	leagueLock   = lock{"league", byServer}   // a server's results, leaderboards and seasons
	settingsLock = lock{"settings", byServer}
	noteLock     = lock{"note", byName} // of the bot
	workLock     = lock{"work", byName} // of a kind

	competitionLock = lock{"competition", byServer} // a server's competitions, and which tables their games have
)

// shown is a name from a key, quoted where it is not as names are.
func shown(name string) string {
	if q := strconv.Quote(name); q != `"`+name+`"` || name == "" {
		return q
	}
	return name
}

// describe says which value a key belongs to, as "the head of table 5": form has the names of parts in braces.
func (l *layout) describe(form string, k key) string {
	for _, p := range l.parts {
		if p.show != nil {
			form = strings.ReplaceAll(form, "{"+p.name+"}", p.show(&k))
		}
	}
	return form
}

// unreadable names a key that has no known layout.
func unreadable(space kv.Space, b []byte) string { return fmt.Sprintf("%s %x", space, b) }
