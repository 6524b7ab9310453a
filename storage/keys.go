package storage

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"marque/storage/kv"
)

// key holds the parts of a key of any kind. The layout of a kind says which parts its keys have, in which order. The
// other parts are zero.
type key struct {
	server, user, channel, game, month string

	name   string // name of a command, sequence, bot's own value, job or due moment
	of     string // server or user that a job is about
	player string // player on a leaderboard, as Occupant.Player returns it
	table  ID
	other  ID // another table, such as the one whose rematch a table is
	moment Stamp
	slot   uint32 // time slot of a command's key, in quarters of an hour
	number uint64
	season uint32

	gameNumber uint64 // number of a game in a competition
	place      uint64 // position of a row among the rows of a competition
	less       uint64 // lower end of a rating (rating.Rating.Sure) in millionths, subtracted from math.MaxInt64
	games      uint32
	solved     uint32
	first      uint32
	plays      uint32
	half       byte // half of the leaderboards' space, 0 or 1
	persons    byte // class of a leaderboard: 'p' for games among people, 'c' for games with computers
}

// part is a part of a key, with its encoding.
type part struct {
	name   string
	append func(b []byte, k *key) []byte
	cut    func(b []byte, k *key) (rest []byte, ok bool)
	show   func(k *key) string
}

// word returns a part of a key that is text. It is encoded with a zero byte at its end.
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

// number returns a part of a key that is an integer, encoded in a fixed number of bytes. If falling is set, higher
// numbers sort first.
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

// fixed returns a part of a key that is a constant byte. It distinguishes kinds of rows that share a space.
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

// Parts of keys, from which layouts are made.
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

// layout is a space, with the parts of which its keys consist.
type layout struct {
	space kv.Space
	parts []*part
}

// key encodes a key.
func (l *layout) key(k key) kv.Key { return kv.Key{Space: l.space, Key: l.begin(k, len(l.parts))} }

// begin encodes the first parts of a key; parts is their number.
func (l *layout) begin(k key, parts int) []byte {
	b := make([]byte, 0, 48)
	for _, p := range l.parts[:parts] {
		b = p.append(b, &k)
	}
	return b
}

// under returns the range of keys whose first parts equal those of k; parts is their number.
func (l *layout) under(k key, parts int) kv.Range { return kv.Prefix(l.space, l.begin(k, parts)) }

// after returns the rest of a range after the keys whose first parts equal those of k.
func (l *layout) after(r kv.Range, k key, parts int) kv.Range {
	r.From = kv.After(l.begin(k, parts))
	return r
}

// parse decodes a key. ok is false if the key does not have this layout.
func (l *layout) parse(b []byte) (k key, ok bool) {
	ok = l.parseInto(b, &k)
	return k, ok
}

// parseInto decodes a key into k, which the caller can reuse to save allocations.
func (l *layout) parseInto(b []byte, k *key) (ok bool) {
	for _, p := range l.parts {
		if b, ok = p.cut(b, k); !ok {
			return false
		}
	}
	return len(b) == 0
}

// parseBegin decodes the parts that all keys of a range have in common; n is their number. ok is false if the range
// does not belong to this layout.
func (l *layout) parseBegin(r kv.Range) (k key, n int, ok bool) {
	rest, same := r.From, len(r.From)
	if r.To != nil {
		for same = 0; same < min(len(r.From), len(r.To)) && r.From[same] == r.To[same]; same++ {
		}
		if len(r.To) == same+1 && len(r.From) > same && r.To[same] == r.From[same]+1 {
			same++ // the keys share their bytes up to here
		}
	}
	rest = rest[:same]
	for n < len(l.parts) && len(rest) > 0 {
		if rest, ok = l.parts[n].cut(rest, &k); !ok {
			return k, n, l.parts[n].show != nil // false if a fixed byte belongs to another kind
		}
		n++
	}
	return k, n, true
}

// has returns the number of leading parts of a key up to and including p, or 0 if the layout does not have p.
func (l *layout) has(p *part) int {
	for i, q := range l.parts {
		if q == p {
			return i + 1
		}
	}
	return 0
}

// lock is a lock that a transaction must hold to change certain keys, or to read them for a decision. It is named after
// one part of these keys.
type lock struct {
	name string
	by   *part // part of the keys after which the lock is named; nil if one lock covers all keys
}

func (l lock) of(k key) kv.Lock {
	if l.by == nil {
		return kv.Lock(l.name)
	}
	return kv.Lock(l.name + " " + l.by.show(&k))
}

// All locks except newTables. The engine decides in which order a transaction takes its locks.
var (
	tableLock    = lock{"table", byTable}
	sequenceLock = lock{"sequence", byName}   // the numbers of a sequence
	serverLock   = lock{"server", byServer}   // a server's unfinished tables
	channelLock  = lock{"channel", byChannel} // a channel's unfinished tables
	userLock     = lock{"user", byUser}       // a user's own values and unfinished tables
	leagueLock   = lock{"league", byServer}   // a server's results, leaderboards and seasons
	settingsLock = lock{"settings", byServer}
	noteLock     = lock{"note", byName} // the bot's own values
	workLock     = lock{"work", byName} // jobs of one kind

	competitionLock = lock{"competition", byServer} // a server's competitions, and the tables of their games
)

// shown formats a name in a key for a message. It quotes names that are empty or have unusual characters.
func shown(name string) string {
	if q := strconv.Quote(name); q != `"`+name+`"` || name == "" {
		return q
	}
	return name
}

// describe returns the name of the value at a key, such as "the head of table 5". form is the text, with the names of
// parts in braces.
func (l *layout) describe(form string, k key) string {
	for _, p := range l.parts {
		if p.show != nil {
			form = strings.ReplaceAll(form, "{"+p.name+"}", p.show(&k))
		}
	}
	return form
}

// unreadable returns a text for a key of unknown layout.
func unreadable(space kv.Space, b []byte) string { return fmt.Sprintf("%s %x", space, b) }
