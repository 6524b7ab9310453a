// Package encode writes the values of a store as bytes and reads them again: the same for every engine, so that what one keeps another
// can take over as it is.
//
// A value begins with a byte that says how the rest is written. One that was written with Seal has a checksum before that. The readers'
// errors say what is wrong with the bytes, as part of a sentence, and wrap nothing: an engine adds whose they are.
package encode

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"marque/games"
	"marque/games/fair"
	"marque/storage"
)

// The first byte of a value.
const (
	jsonFormat   = 1
	eventFormat  = 2
	bareFormat   = 1 // of an event, without its interaction
	resultFormat = 2 // facts in front: their length, the facts, and the result as JSON

	// SealedFormat is that of a value with a checksum. It differs from all others in several bits.
	SealedFormat = 0xC5
)

// ErrFormat says that a value is written in no format that this program knows.
var ErrFormat = errors.New("it is written in an unknown format")

// ErrChecksum says that a value is not what was written, or stands in another one's place.
var ErrChecksum = errors.New("its checksum is wrong")

// SealLen is what a checksum takes of a value, in bytes: the format and a CRC-32C (RFC 3720, appendix B.4).
const SealLen = 1 + 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(kind, key, value []byte) uint32 {
	sum := crc32.Update(0, castagnoli, kind)
	sum = crc32.Update(sum, castagnoli, key)
	return crc32.Update(sum, castagnoli, value)
}

// Seal puts a checksum before a value: of what kind it is of, its key and itself.
func Seal(kind, key, value []byte) []byte {
	b := make([]byte, 0, SealLen+len(value))
	b = append(b, SealedFormat)
	b = binary.BigEndian.AppendUint32(b, checksum(kind, key, value))
	return append(b, value...)
}

// Sealed reports whether a value has a checksum.
func Sealed(b []byte) bool { return len(b) > 0 && b[0] == SealedFormat }

// Unseal compares a value's checksum, if it has one, and returns what is behind it; nil for nil. It returns ErrChecksum.
func Unseal(kind, key, b []byte) ([]byte, error) {
	if !Sealed(b) {
		return b, nil
	}
	if len(b) < SealLen || binary.BigEndian.Uint32(b[1:]) != checksum(kind, key, b[SealLen:]) {
		return nil, ErrChecksum
	}
	return b[SealLen:], nil
}

// JSON writes a value as JSON. It returns storage.ErrInvalid for what JSON cannot hold.
func JSON(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", storage.ErrInvalid, err)
	}
	return append([]byte{jsonFormat}, b...), nil
}

// ParseJSON reads what JSON wrote into v.
func ParseJSON(b []byte, v any) error {
	if len(b) == 0 || b[0] != jsonFormat {
		return ErrFormat
	}
	return json.Unmarshal(b[1:], v)
}

// detail is storage.Detail as it is written. The seed, which prints as nothing, is written out here.
type detail struct {
	Setup    games.Setup `json:"s"`
	Rules    int         `json:"r"`
	Seed     string      `json:"k"`
	Inputs   []string    `json:"j,omitempty"`
	Invited  []string    `json:"i,omitempty"`
	WhenFull bool        `json:"f,omitempty"`
	Fixed    bool        `json:"x,omitempty"`

	Order   []string       `json:"o,omitempty"`
	Plans   []storage.Plan `json:"p,omitempty"`
	Unrated bool           `json:"u,omitempty"`
	Seating []int          `json:"l,omitempty"`
	Resign  bool           `json:"c,omitempty"`

	Fairness int `json:"y,omitempty"`
}

// Detail writes a table's detail, its seed included.
func Detail(d storage.Detail) ([]byte, error) {
	return JSON(detail{
		Setup: d.Setup, Rules: d.Rules, Seed: d.Seed.Reveal(), Inputs: d.Inputs, Fairness: d.Fairness,
		Invited: d.Invited, WhenFull: d.WhenFull, Fixed: d.Fixed, Order: d.Order, Plans: d.Plans, Unrated: d.Unrated, Seating: d.Seating, Resign: d.Resign,
	})
}

// ParseDetail reads what Detail wrote.
func ParseDetail(b []byte) (storage.Detail, error) {
	var d detail
	if err := ParseJSON(b, &d); err != nil {
		return storage.Detail{}, err
	}
	seed, err := fair.ParseSeed(d.Seed)
	if err != nil {
		return storage.Detail{}, err
	}
	return storage.Detail{
		Setup: d.Setup, Rules: d.Rules, Seed: seed, Inputs: d.Inputs, Fairness: d.Fairness,
		Invited: d.Invited, WhenFull: d.WhenFull, Fixed: d.Fixed, Order: d.Order, Plans: d.Plans, Unrated: d.Unrated, Seating: d.Seating, Resign: d.Resign,
	}, nil
}

// AppendEvent writes an event behind b: format, kind, seat, version, moment, user, interaction and text, the last to the end.
func AppendEvent(b []byte, e storage.Event) []byte {
	b = append(b, eventFormat, byte(e.Kind), byte(e.Seat))
	b = binary.AppendUvarint(b, e.Version)
	b = binary.AppendVarint(b, int64(e.At))
	b = binary.AppendUvarint(b, uint64(len(e.User)))
	b = append(b, e.User...)
	b = binary.AppendUvarint(b, uint64(len(e.Interaction)))
	b = append(b, e.Interaction...)
	return append(b, e.Text...)
}

// ParseEvent reads what AppendEvent wrote.
func ParseEvent(b []byte) (storage.Event, error) {
	if len(b) < 3 || b[0] != eventFormat && b[0] != bareFormat || !storage.Kind(b[1]).Known() {
		return storage.Event{}, ErrFormat
	}
	e, bare := storage.Event{Kind: storage.Kind(b[1]), Seat: games.Seat(int8(b[2]))}, b[0] == bareFormat
	b = b[3:]
	version, n := binary.Uvarint(b)
	if n <= 0 {
		return storage.Event{}, ErrFormat
	}
	b = b[n:]
	at, n := binary.Varint(b)
	if n <= 0 {
		return storage.Event{}, ErrFormat
	}
	b = b[n:]
	user, n := binary.Uvarint(b)
	if n <= 0 || user > uint64(len(b)-n) {
		return storage.Event{}, ErrFormat
	}
	b = b[n:]
	e.Version, e.At, e.User = version, storage.Stamp(at), string(b[:user])
	b = b[user:]
	if bare {
		e.Text = string(b)
		return e, nil
	}
	interaction, n := binary.Uvarint(b)
	if n <= 0 || interaction > uint64(len(b)-n) {
		return storage.Event{}, ErrFormat
	}
	b = b[n:]
	e.Interaction, e.Text = string(b[:interaction]), string(b[interaction:])
	return e, nil
}

// A result begins with what lists choose by, so that a filter that finds little need not decode every result that it looks through. Files of
// schema 1 have results without.

// Flags of facts.
const (
	drawnFact     = 1 << iota
	abandonedFact // Ending is games.Abandoned
)

// name appends an id of the outside, closed by a zero byte.
func name(b []byte, s string) []byte { return append(append(b, s...), 0) }

// Result writes a result, but for its Table.
func Result(r storage.Result) ([]byte, error) {
	j, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", storage.ErrInvalid, err)
	}
	flags, winners := byte(0), uint64(0)
	if r.Drawn {
		flags |= drawnFact
	}
	if r.Ending == games.Abandoned {
		flags |= abandonedFact
	}
	for _, w := range r.Winners {
		winners |= 1 << uint(w)
	}
	facts := binary.AppendUvarint([]byte{flags}, winners)
	facts = name(name(facts, r.Game), r.Guild)
	for _, o := range r.Seats {
		facts = name(name(facts, o.User), o.Computer)
	}
	b := binary.AppendUvarint([]byte{resultFormat}, uint64(len(facts)))
	return append(append(b, facts...), j...), nil
}

// splitResult takes a written result apart; facts is nil where it has none.
func splitResult(b []byte) (facts, j []byte, err error) {
	switch {
	case len(b) > 0 && b[0] == jsonFormat:
		return nil, b[1:], nil
	case len(b) > 0 && b[0] == resultFormat:
		if n, w := binary.Uvarint(b[1:]); w > 0 && n <= uint64(len(b)-1-w) {
			b = b[1+w:]
			return b[:n], b[n:], nil
		}
	}
	return nil, nil, ErrFormat
}

// HasFacts reports whether a result has its facts in front.
func HasFacts(b []byte) (bool, error) {
	facts, _, err := splitResult(b)
	return facts != nil, err
}

// ParseResult reads what Result wrote of a table's result.
func ParseResult(id storage.ID, b []byte) (storage.Result, error) {
	r := storage.Result{Table: id}
	_, j, err := splitResult(b)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(j, &r)
}

// ParseFacts reads what a storage.ResultQuery's Keep is given; all of the result where it has no facts. It may use the lists of scratch anew.
func ParseFacts(id storage.ID, b []byte, scratch storage.Result) (storage.Result, error) {
	facts, _, err := splitResult(b)
	if err != nil {
		return scratch, err
	}
	if facts == nil {
		return ParseResult(id, b)
	}
	winners, n := uint64(0), 0
	if len(facts) > 0 {
		winners, n = binary.Uvarint(facts[1:])
	}
	if n <= 0 {
		return scratch, ErrFormat
	}
	// One string for all names.
	names := string(facts[1+n:])
	next := func() (s string) {
		s, names, _ = strings.Cut(names, "\x00")
		return s
	}
	r := storage.Result{
		Table: id, Drawn: facts[0]&drawnFact != 0, Seats: scratch.Seats[:0], Winners: scratch.Winners[:0],
	}
	if facts[0]&abandonedFact != 0 {
		r.Ending = games.Abandoned
	}
	r.Game, r.Guild = next(), next()
	for names != "" {
		r.Seats = append(r.Seats, storage.Occupant{User: next(), Computer: next()})
	}
	for seat := games.Seat(0); winners != 0; seat, winners = seat+1, winners>>1 {
		if winners&1 == 1 {
			r.Winners = append(r.Winners, seat)
		}
	}
	return r, nil
}
