package bolt

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"marque/storage"
	"marque/storage/encode"
)

// The values are written as package encode does, but for heads, which have a mark in front for the writer.

// headFormat is the first byte of a head.
const headFormat = 1

const unknownFormat = "it is written in an unknown format"

func encodeJSON(v any) ([]byte, error) { return encode.JSON(v) }

// decodeJSON reads the value of a key into v.
func decodeJSON(bucket, key, b []byte, v any) error {
	b, err := unseal(bucket, key, b)
	if err != nil {
		return err
	}
	if err := encode.ParseJSON(b, v); err != nil {
		return damaged(bucket, key, err.Error())
	}
	return nil
}

func encodeDetail(d storage.Detail) ([]byte, error) { return encode.Detail(d) }

func decodeDetail(id storage.ID, b []byte) (storage.Detail, error) {
	key := tableKey(id)
	b, err := unseal(detailBucket, key, b)
	if err != nil {
		return storage.Detail{}, err
	}
	d, err := encode.ParseDetail(b)
	if err != nil {
		return d, damaged(detailBucket, key, err.Error())
	}
	return d, nil
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

func appendEvent(b []byte, e storage.Event) []byte { return encode.AppendEvent(b, e) }

// decodeEvent reads the event of a row.
func decodeEvent(key, b []byte) (storage.Event, error) {
	b, err := unseal(tableBucket, key, b)
	if err != nil {
		return storage.Event{}, err
	}
	e, err := encode.ParseEvent(b)
	if err != nil {
		return e, damaged(tableBucket, key, err.Error())
	}
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
