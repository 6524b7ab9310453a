package storage

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"marque/games"
	"marque/games/fair"
	"marque/storage/kv"
)

// Formats of stored values. A value begins with its checksum. In heads, events and values that are stored as JSON, the
// next byte is the format of the rest.
const (
	jsonFormat  = 1
	eventFormat = 1
	headFormat  = 2 // version, number of events and last published version (8 bytes each), and a tableRow as JSON
)

var (
	// errFormat says that this program cannot read the value's format.
	errFormat = errors.New("it is written in an unknown format")
	// errChecksum says that the value was altered, or belongs to another key.
	errChecksum = errors.New("its checksum is wrong")
	// errMissing says that a value is missing.
	errMissing = errors.New("it is missing")
)

// sealLen is the length in bytes of a seal: the CRC-32C checksum (RFC 3720, appendix B.4) of the name of the space, the
// key and the value.
const sealLen = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(at kv.Key, value []byte) uint32 {
	var buffer [64]byte
	name := append(append(buffer[:0], at.Space...), 0)
	return crc32.Update(crc32.Update(crc32.Update(0, castagnoli, name), castagnoli, at.Key), castagnoli, value)
}

// seal prepends a value's seal.
func seal(at kv.Key, value []byte) []byte {
	b := make([]byte, 0, sealLen+len(value))
	return append(binary.BigEndian.AppendUint32(b, checksum(at, value)), value...)
}

// unseal returns a value without its seal, or errChecksum if the seal does not match.
func unseal(at kv.Key, b []byte) ([]byte, error) {
	if len(b) < sealLen || binary.BigEndian.Uint32(b) != checksum(at, b[sealLen:]) {
		return nil, errChecksum
	}
	return b[sealLen:], nil
}

// toJSON writes a value as JSON. It returns ErrInvalid for a value that JSON cannot hold.
func toJSON(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return append([]byte{jsonFormat}, b...), nil
}

// fromJSON reads JSON into v.
func fromJSON(b []byte, v any) error {
	if len(b) == 0 || b[0] != jsonFormat {
		return errFormat
	}
	return json.Unmarshal(b[1:], v)
}

// tableRow is the stored row of a table: its head, and numbers that the indexes of tables need.
type tableRow struct {
	Head
	Published uint64 `json:"-"`            // last version whose messages were posted; 0 for none
	Waiting   int    `json:"in,omitempty"` // number of unanswered invitations
}

// headLen is the length in bytes of the part of a head that is not JSON.
const headLen = 1 + 3*8

func encodeHead(r tableRow) ([]byte, error) {
	j, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, headLen+len(j))
	b = append(b, headFormat)
	for _, n := range []uint64{r.Version, r.Head.Events, r.Published} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return append(b, j...), nil
}

func decodeHead(k key, b []byte) (r tableRow, err error) {
	if len(b) < headLen || b[0] != headFormat {
		return r, errFormat
	}
	err = json.Unmarshal(b[headLen:], &r)
	r.ID, r.Version, r.Head.Events, r.Published = k.table, binary.BigEndian.Uint64(b[1:]),
		binary.BigEndian.Uint64(b[9:]), binary.BigEndian.Uint64(b[17:])
	return r, err
}

// storedDetail is the stored form of a Detail. It includes the seed, which a Detail leaves out of JSON.
type storedDetail struct {
	Detail
	Revealed string `json:"k"`
}

func encodeDetail(d Detail) ([]byte, error) { return toJSON(storedDetail{d, d.Seed.Reveal()}) }

func decodeDetail(b []byte) (Detail, error) {
	var d storedDetail
	err := fromJSON(b, &d)
	if err == nil {
		d.Seed, err = fair.ParseSeed(d.Revealed)
	}
	return d.Detail, err
}

// appendEvent appends an encoded event to b: format, kind, seat, version, moment, user, interaction, and the text up to
// the end.
func appendEvent(b []byte, e Event) []byte {
	b = append(b, eventFormat, byte(e.Kind), byte(e.Seat))
	b = binary.AppendUvarint(b, e.Version)
	b = binary.AppendVarint(b, int64(e.At))
	b = binary.AppendUvarint(b, uint64(len(e.User)))
	b = append(b, e.User...)
	b = binary.AppendUvarint(b, uint64(len(e.Interaction)))
	b = append(b, e.Interaction...)
	return append(b, e.Text...)
}

// decodeEvent decodes an event that was encoded by appendEvent.
func decodeEvent(b []byte) (Event, error) {
	if len(b) < 3 || b[0] != eventFormat || !Kind(b[1]).Known() {
		return Event{}, errFormat
	}
	e := Event{Kind: Kind(b[1]), Seat: games.Seat(int8(b[2]))}
	b = b[3:]
	version, n := binary.Uvarint(b)
	if n <= 0 {
		return Event{}, errFormat
	}
	b = b[n:]
	at, n := binary.Varint(b)
	if n <= 0 {
		return Event{}, errFormat
	}
	e.Version, e.At, b = version, Stamp(at), b[n:]
	for _, text := range []*string{&e.User, &e.Interaction} {
		length, n := binary.Uvarint(b)
		if n <= 0 || length > uint64(len(b)-n) {
			return Event{}, errFormat
		}
		*text, b = string(b[n:n+int(length)]), b[n+int(length):]
	}
	e.Text = string(b)
	return e, nil
}

// Some indexes store the facts of each result: the data by which lists filter results. A filter with few matches
// therefore need not read the other results.

// Flags in the facts of a result.
const (
	drawnFact     = 1 << iota
	abandonedFact // set if Result.Ending is games.Abandoned
)

// closed appends an id and a zero byte. CheckName refuses ids with a zero byte.
func closed(b []byte, s string) []byte { return append(append(b, s...), 0) }

// factsOf encodes the facts of a result, which its index entries hold.
func factsOf(r Result) []byte {
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
	facts = closed(closed(facts, r.Game), r.Guild)
	for _, o := range r.Seats {
		facts = closed(closed(facts, o.User), o.Computer)
	}
	return facts
}

// decodeFacts decodes the facts of a result. It may reuse the slices of scratch.
func decodeFacts(id ID, facts []byte, scratch Result) (Result, error) {
	winners, n := uint64(0), 0
	if len(facts) > 0 {
		winners, n = binary.Uvarint(facts[1:])
	}
	if n <= 0 {
		return scratch, &DamagedError{Table: id, What: fmt.Sprintf("the facts of the result of table %d", id),
			Why: errFormat.Error()}
	}
	// All names share this string.
	names := string(facts[1+n:])
	next := func() (s string) {
		s, names, _ = strings.Cut(names, "\x00")
		return s
	}
	r := Result{
		Table: id, Drawn: facts[0]&drawnFact != 0, Seats: scratch.Seats[:0], Winners: scratch.Winners[:0],
	}
	if facts[0]&abandonedFact != 0 {
		r.Ending = games.Abandoned
	}
	r.Game, r.Guild = next(), next()
	for names != "" {
		r.Seats = append(r.Seats, Occupant{User: next(), Computer: next()})
	}
	for seat := games.Seat(0); winners != 0; seat, winners = seat+1, winners>>1 {
		if winners&1 == 1 {
			r.Winners = append(r.Winners, seat)
		}
	}
	return r, nil
}
