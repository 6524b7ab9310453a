package bolt

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"marque/games"
	"marque/games/fair"
	"marque/storage"
)

// The first byte of a value that was written with seal is sealedFormat; the first byte of what is sealed, and of values of schema 1, says how the rest is written.
const (
	jsonFormat  = 1
	headFormat  = 1
	eventFormat = 1
)

func encodeJSON(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", storage.ErrInvalid, err)
	}
	return append([]byte{jsonFormat}, b...), nil
}

// decodeJSON reads the value of a key into v.
func decodeJSON(bucket, key, b []byte, v any) error {
	b, err := unseal(bucket, key, b)
	if err != nil {
		return err
	}
	if len(b) == 0 || b[0] != jsonFormat {
		return damaged(bucket, key, unknownFormat)
	}
	if err := json.Unmarshal(b[1:], v); err != nil {
		return damaged(bucket, key, err.Error())
	}
	return nil
}

const unknownFormat = "it is written in an unknown format"

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
	Lot     []int          `json:"l,omitempty"`
	Resign  bool           `json:"c,omitempty"`

	Fairness int `json:"y,omitempty"`
}

func encodeDetail(d storage.Detail) ([]byte, error) {
	return encodeJSON(detail{
		Setup: d.Setup, Rules: d.Rules, Seed: d.Seed.Reveal(), Inputs: d.Inputs, Fairness: d.Fairness,
		Invited: d.Invited, WhenFull: d.WhenFull, Fixed: d.Fixed, Order: d.Order, Plans: d.Plans, Unrated: d.Unrated, Lot: d.Lot, Resign: d.Resign,
	})
}

func decodeDetail(id storage.ID, b []byte) (storage.Detail, error) {
	var d detail
	if err := decodeJSON(detailBucket, tableKey(id), b, &d); err != nil {
		return storage.Detail{}, err
	}
	seed, err := fair.ParseSeed(d.Seed)
	if err != nil {
		return storage.Detail{}, damaged(detailBucket, tableKey(id), err.Error())
	}
	return storage.Detail{
		Setup: d.Setup, Rules: d.Rules, Seed: seed, Inputs: d.Inputs, Fairness: d.Fairness,
		Invited: d.Invited, WhenFull: d.WhenFull, Fixed: d.Fixed, Order: d.Order, Plans: d.Plans, Unrated: d.Unrated, Lot: d.Lot, Resign: d.Resign,
	}, nil
}

// headMark is the front of an encoded head: all that the writer needs of the old one to accept a move.
type headMark struct {
	version uint64
	events  uint64
	index   [8]byte // of the head's index entries: equal when the entries are (SHA-256, cut short)
}

const headMarkLen = 1 + 8 + 8 + 8

func markOf(h storage.Head) headMark {
	sum := sha256.New()
	for _, e := range entries(h) {
		sum.Write(e.bucket)
		sum.Write(e.key)
	}
	return headMark{version: h.Version, events: h.Events, index: [8]byte(sum.Sum(nil))}
}

// encodeHead writes a head: its mark, then the whole as JSON.
func encodeHead(h storage.Head) ([]byte, headMark, error) {
	j, err := json.Marshal(h)
	if err != nil {
		return nil, headMark{}, fmt.Errorf("%w: %v", storage.ErrInvalid, err)
	}
	m := markOf(h)
	b := make([]byte, 0, headMarkLen+len(j))
	b = append(b, headFormat)
	b = binary.BigEndian.AppendUint64(b, m.version)
	b = binary.BigEndian.AppendUint64(b, m.events)
	b = append(b, m.index[:]...)
	return append(b, j...), m, nil
}

func decodeHead(id storage.ID, b []byte) (storage.Head, error) {
	m, rest, err := splitHead(id, b)
	if err != nil {
		return storage.Head{}, err
	}
	h := storage.Head{ID: id, Version: m.version, Events: m.events}
	if err := json.Unmarshal(rest, &h); err != nil {
		return storage.Head{}, damaged(tableBucket, headKey(id), err.Error())
	}
	return h, nil
}

// decodeMark reads the front of an encoded head. It returns storage.ErrNoTable for nil.
func decodeMark(id storage.ID, b []byte) (headMark, error) {
	m, _, err := splitHead(id, b)
	return m, err
}

// splitHead reads the front of an encoded head and returns the JSON behind it. It returns storage.ErrNoTable for nil.
func splitHead(id storage.ID, b []byte) (m headMark, rest []byte, err error) {
	if b == nil {
		return m, nil, storage.ErrNoTable
	}
	if b, err = unseal(tableBucket, headKey(id), b); err != nil {
		return m, nil, err
	}
	if len(b) < headMarkLen || b[0] != headFormat {
		return m, nil, damaged(tableBucket, headKey(id), unknownFormat)
	}
	m = headMark{
		version: binary.BigEndian.Uint64(b[1:]),
		events:  binary.BigEndian.Uint64(b[9:]),
		index:   [8]byte(b[17:headMarkLen]),
	}
	return m, b[headMarkLen:], nil
}

// appendEvent writes an event: format, kind, seat, version, moment, user and text, the last to the end.
func appendEvent(b []byte, e storage.Event) []byte {
	b = append(b, eventFormat, byte(e.Kind), byte(e.Seat))
	b = binary.AppendUvarint(b, e.Version)
	b = binary.AppendVarint(b, int64(e.At))
	b = binary.AppendUvarint(b, uint64(len(e.User)))
	b = append(b, e.User...)
	return append(b, e.Text...)
}

// decodeEvent reads the event of a row.
func decodeEvent(key, b []byte) (storage.Event, error) {
	b, err := unseal(tableBucket, key, b)
	if err != nil {
		return storage.Event{}, err
	}
	if len(b) < 3 || b[0] != eventFormat || !storage.Kind(b[1]).Known() {
		return storage.Event{}, damaged(tableBucket, key, unknownFormat)
	}
	e := storage.Event{Kind: storage.Kind(b[1]), Seat: games.Seat(int8(b[2]))}
	b = b[3:]
	version, n := binary.Uvarint(b)
	if n <= 0 {
		return storage.Event{}, damaged(tableBucket, key, unknownFormat)
	}
	b = b[n:]
	at, n := binary.Varint(b)
	if n <= 0 {
		return storage.Event{}, damaged(tableBucket, key, unknownFormat)
	}
	b = b[n:]
	user, n := binary.Uvarint(b)
	if n <= 0 || user > uint64(len(b)-n) {
		return storage.Event{}, damaged(tableBucket, key, unknownFormat)
	}
	b = b[n:]
	e.Version, e.At = version, storage.Stamp(at)
	e.User, e.Text = string(b[:user]), string(b[user:])
	return e, nil
}

// Keys.

func tableKey(id storage.ID) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

func tableOf(key []byte) storage.ID {
	return storage.ID(binary.BigEndian.Uint64(key[len(key)-8:]))
}

// rowKey begins the key of a table's row.
func rowKey(id storage.ID, row byte) []byte { return append(tableKey(id), row) }

func headKey(id storage.ID) []byte { return rowKey(id, headRow) }

func eventKey(id storage.ID, index uint64) []byte {
	return binary.BigEndian.AppendUint32(rowKey(id, eventRow), uint32(index))
}

// eventIndex is the index in an event's key.
func eventIndex(key []byte) uint64 { return uint64(binary.BigEndian.Uint32(key[9:])) }

// name appends an id of the outside, closed by a zero byte.
func name(b []byte, s string) []byte { return append(append(b, s...), 0) }

// latest appends a moment so that later ones sort first.
func latest(b []byte, s storage.Stamp) []byte {
	return binary.BigEndian.AppendUint64(b, ^uint64(s))
}
