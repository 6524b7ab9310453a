package postgres

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"marque/storage"
	"marque/storage/encode"
)

// Kinds of values, for their checksums.
var (
	headKind     = []byte("tables")
	noteKind     = []byte("published")
	detailKind   = []byte("details")
	eventKind    = []byte("events")
	reviewKind   = []byte("reviews")
	resultKind   = []byte("results")
	standingKind = []byte("standings")
	ratingKind   = []byte("ratings")
	leagueKind   = []byte("leagues")
	guildKind    = []byte("guild_settings")
	userKind     = []byte("user_settings")
	botKind      = []byte("notes")
	jobKind      = []byte("jobs")
)

// numbers is a key of numbers, words one of names.
func numbers(list ...uint64) []byte {
	b := make([]byte, 0, 8*len(list))
	for _, n := range list {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return b
}

func words(list ...string) []byte { return []byte(strings.Join(list, "\x00")) }

// damaged is the error for a value; table is 0 for one that is no table's.
func damaged(table storage.ID, what string, why error) error {
	return &storage.DamagedError{Table: table, What: what, Why: why.Error()}
}

// sealJSON writes a value that is kept under a key.
func sealJSON(kind, key []byte, v any) ([]byte, error) {
	b, err := encode.JSON(v)
	if err != nil {
		return nil, err
	}
	return encode.Seal(kind, key, b), nil
}

// parseJSON reads what sealJSON wrote into v; what names it in the error.
func parseJSON(kind, key, b []byte, v any, what string) error {
	b, err := unseal(kind, key, b)
	if err == nil {
		err = encode.ParseJSON(b, v)
	}
	if err != nil {
		return damaged(0, what, err)
	}
	return nil
}

var errUnsealed = errors.New("it has no checksum")

func unseal(kind, key, b []byte) ([]byte, error) {
	if !encode.Sealed(b) {
		return nil, errUnsealed
	}
	return encode.Unseal(kind, key, b)
}

func headKey(id storage.ID, version, events uint64) []byte {
	return numbers(uint64(id), version, events)
}

func sealHead(h storage.Head) ([]byte, error) {
	j, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", storage.ErrInvalid, err)
	}
	return encode.Seal(headKind, headKey(h.ID, h.Version, h.Events), j), nil
}

func parseHead(id storage.ID, version, events uint64, b []byte) (storage.Head, error) {
	h := storage.Head{ID: id, Version: version, Events: events}
	b, err := unseal(headKind, headKey(id, version, events), b)
	if err == nil {
		err = json.Unmarshal(b, &h)
	}
	if err != nil {
		return storage.Head{}, damaged(id, fmt.Sprintf("the head of table %d", id), err)
	}
	return h, nil
}

func sealDetail(id storage.ID, d storage.Detail) ([]byte, error) {
	b, err := encode.Detail(d)
	if err != nil {
		return nil, err
	}
	return encode.Seal(detailKind, numbers(uint64(id)), b), nil
}

func parseDetail(id storage.ID, b []byte) (storage.Detail, error) {
	what := fmt.Sprintf("the detail of table %d", id)
	if b == nil {
		return storage.Detail{}, damaged(id, what, errMissing)
	}
	b, err := unseal(detailKind, numbers(uint64(id)), b)
	if err != nil {
		return storage.Detail{}, damaged(id, what, err)
	}
	d, err := encode.ParseDetail(b)
	if err != nil {
		return d, damaged(id, what, err)
	}
	return d, nil
}

var errMissing = errors.New("it is missing")

func sealEvent(id storage.ID, number uint64, e storage.Event) []byte {
	return encode.Seal(eventKind, numbers(uint64(id), number), encode.AppendEvent(nil, e))
}

func parseEvent(id storage.ID, number uint64, b []byte) (storage.Event, error) {
	b, err := unseal(eventKind, numbers(uint64(id), number), b)
	var e storage.Event
	if err == nil {
		e, err = encode.ParseEvent(b)
	}
	if err != nil {
		return e, damaged(id, fmt.Sprintf("event %d of table %d", number, id), err)
	}
	return e, nil
}

// parseEvents reads a table's events, the last of which is the last that the head counts.
func parseEvents(h storage.Head, first uint64, values [][]byte) ([]storage.Event, error) {
	if first+uint64(len(values)) != h.Events {
		return nil, damaged(h.ID, fmt.Sprintf("event %d of table %d", first+uint64(len(values)), h.ID), errMissing)
	}
	if len(values) == 0 {
		return nil, nil
	}
	events := make([]storage.Event, 0, len(values))
	for i, b := range values {
		e, err := parseEvent(h.ID, first+uint64(i), b)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}

func sealNote(id storage.ID, published uint64, note string) []byte {
	return encode.Seal(noteKind, numbers(uint64(id), published), []byte(note))
}

// parseNote reads what a publisher noted; "" for nil.
func parseNote(id storage.ID, published uint64, b []byte) (string, error) {
	if b == nil {
		return "", nil
	}
	b, err := unseal(noteKind, numbers(uint64(id), published), b)
	if err != nil {
		return "", damaged(id, fmt.Sprintf("the mark of what is published of table %d", id), err)
	}
	return string(b), nil
}

func sealResult(r storage.Result) ([]byte, error) {
	r.Ratings = nil // they are kept apart
	b, err := encode.Result(r)
	if err != nil {
		return nil, err
	}
	return encode.Seal(resultKind, numbers(uint64(r.Table)), b), nil
}

// parseResult reads a result, but for the ratings after it.
func parseResult(id storage.ID, b []byte) (storage.Result, error) {
	r := storage.Result{Table: id}
	b, err := unseal(resultKind, numbers(uint64(id)), b)
	if err == nil {
		r, err = encode.ParseResult(id, b)
	}
	if err != nil {
		return r, damaged(id, fmt.Sprintf("the result of table %d", id), err)
	}
	return r, nil
}

// checkWords returns storage.ErrInvalid for names that the database cannot hold.
func checkWords(list ...string) error {
	for _, n := range list {
		if err := storage.CheckName(n); err != nil {
			return err
		}
		if !utf8.ValidString(n) {
			return fmt.Errorf("%w: %q is no id", storage.ErrInvalid, n)
		}
	}
	return nil
}

// listing is what lists say of a table.
type listing struct {
	guild, channel, game string
	status               int16
	over, paused         bool
	rematch              int64
	users                []string // who sit there, each once
}

func listingOf(h storage.Head) listing {
	l := listing{
		guild: h.Guild, channel: h.Channel, game: h.Game, status: int16(h.Status), over: !h.Status.Active(), paused: h.Paused != "",
		rematch: int64(h.Rematch), users: []string{},
	}
	for _, o := range h.Seats {
		if o.User != "" && !slices.Contains(l.users, o.User) {
			l.users = append(l.users, o.User)
		}
	}
	return l
}

// digest differs where listings do (SHA-256, cut short).
func (l listing) digest() int64 {
	b := make([]byte, 0, 256)
	for _, name := range []string{l.guild, l.channel, l.game} {
		b = append(strconv.AppendQuote(b, name), ' ')
	}
	b = append(strconv.AppendInt(b, int64(l.status), 10), ' ')
	b = append(strconv.AppendBool(b, l.paused), ' ')
	b = append(strconv.AppendInt(b, l.rematch, 10), " ["...)
	for i, u := range l.users {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendQuote(b, u)
	}
	sum := sha256.Sum256(append(b, ']'))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// turnOf is who is waited for, and since when; nil where nobody is, as while the table is paused.
func turnOf(h storage.Head) (user *string, since *int64) {
	if h.Status != storage.Playing || h.Paused != "" || h.ToMove < 0 || int(h.ToMove) >= len(h.Seats) || h.Seats[h.ToMove].User == "" {
		return nil, nil
	}
	at := int64(h.Timing.Turn)
	if at == 0 {
		at = int64(h.Started)
	}
	return &h.Seats[h.ToMove].User, &at
}

// nextDue is the earliest moment that falls due; nil for none.
func nextDue(h storage.Head) *int64 {
	var next *int64
	for _, d := range h.Due {
		if at := int64(d.At); next == nil || at < *next {
			next = &at
		}
	}
	return next
}
