package storage

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"marque/games/text"
	"marque/storage/kv"
)

// kind declares a kind of stored value. The declaration says how a value is encoded, sealed and decoded, which indexes
// it has, and what happens to it when a server is deleted or a user is forgotten.
type kind[V any] struct {
	layout
	what string // names a value for people, such as "the head of table {table}", with parts of the key
	// of are the parts of the key that identify the owners of a value: byTable, byServer, byUser; or unowned. The value
	// is deleted with any of its owners.
	of []*part
	// locks are the locks that cover a key. A transaction that changes the key, or reads it for a decision, holds at
	// least one of them.
	locks []lock
	// encode and decode use JSON by default; fill then sets the fields that are in the key.
	encode func(v V) ([]byte, error)
	decode func(k key, b []byte) (V, error)
	fill   func(k key, v *V)
	// forget takes a forgotten user out of a value, and reports whether it changed the value. It is nobodyIn for
	// values that name no user, or that are changed or deleted in another way.
	forget func(f *forgotten, k key, v V) (V, bool)
	// derive returns a value's index entries; nil for a kind without an index.
	derive func(k key, v V) []entry
	// secret values are not exported. The export says only that there is such a value.
	secret bool
	// counted values are computed from results. A repair computes them again instead of copying them.
	counted bool
}

// unowned marks values that belong to no table, server or user.
var unowned = []*part{}

// nobodyIn is a forget function that changes nothing.
func nobodyIn[V any](_ *forgotten, _ key, v V) (V, bool) { return v, false }

// index lists values in an order. It is derived from the values, and has no checksum.
type index struct {
	layout
	// lock is held by a transaction that adds an entry, or that reads the index for a decision. It is nil if no
	// decision depends on the index. Removing an entry needs no lock: a transaction that still sees the entry can only
	// refuse a change that would now be allowed.
	lock *lock
}

// entry is an entry of an index.
type entry struct {
	in    *index
	key   key
	value []byte
}

// anyKind is a kind of stored value, of any type.
type anyKind interface {
	at() *layout
	owners() []*part
	coveredBy() []lock
	// read decodes a stored value. It returns the value's index entries, or an error if the value cannot be read.
	read(k key, raw []byte) ([]entry, error)
	// forgetIn takes a forgotten user out of a stored value.
	forgetIn(t *txn, f *forgotten, k key, raw []byte) error
	// remove deletes a value with its index entries.
	remove(t *txn, k key, raw []byte) error
	// show decodes a value as JSON. export does the same, but hides a secret value.
	show(k key, raw []byte) (json.RawMessage, error)
	export(k key, raw []byte) (json.RawMessage, error)
	isCounted() bool
	name(k key) string
}

// kinds lists all declared kinds, and derived all indexes, in the order of their declarations.
var (
	kinds   []anyKind
	derived []*index
)

// declare declares a kind of stored value. It panics if the declaration is not valid.
func declare[V any](k kind[V]) *kind[V] {
	switch {
	case k.space == "" || len(k.parts) == 0 || k.what == "" || len(k.locks) == 0 ||
		(k.encode == nil) != (k.decode == nil):
		panic(fmt.Sprintf("storage: %s %q is not declared as a whole", k.space, k.what))
	case k.of == nil:
		panic(fmt.Sprintf("storage: %s %q does not say whose it is", k.space, k.what))
	case k.forget == nil:
		panic(fmt.Sprintf("storage: %s %q does not say what becomes of a user who is forgotten", k.space, k.what))
	}
	if slices.Contains(k.of, byUser) && k.has(byUser) != 1 {
		panic(fmt.Sprintf("storage: %s %q is a user's, who must come first in its key: it goes at once with them",
			k.space, k.what))
	}
	for _, p := range k.of {
		if k.has(p) == 0 {
			panic(fmt.Sprintf("storage: the key of %s %q does not say whose it is", k.space, k.what))
		}
	}
	if k.encode == nil {
		k.encode = func(v V) ([]byte, error) { return toJSON(v) }
		k.decode = func(at key, b []byte) (v V, err error) {
			if err = fromJSON(b, &v); k.fill != nil {
				k.fill(at, &v)
			}
			return v, err
		}
	}
	for _, p := range []*part{byServer, byUser} {
		if k.has(p) > 0 && !slices.Contains(k.of, p) {
			panic(fmt.Sprintf("storage: the key of %s %q has a %s, whose it is not said to be", k.space, k.what,
				p.name))
		}
	}
	ownSpace(k.space)
	kinds = append(kinds, &k)
	return &k
}

// ownSpace panics if a space is declared twice. Only the kinds of a table's rows share a space, and those of a
// competition's rows.
func ownSpace(space kv.Space) {
	if space != rowsOfTables && space != rowsOfCompetitions && slices.Contains(Spaces(), space) {
		panic(fmt.Sprintf("storage: there is a space %s already", space))
	}
}

// declareIndex declares an index.
func declareIndex(space kv.Space, l *lock, parts ...*part) *index {
	ownSpace(space)
	i := &index{layout{space, parts}, l}
	derived = append(derived, i)
	return i
}

// Spaces lists the spaces of all kinds and indexes, in order.
func Spaces() []kv.Space {
	list := keptSpaces()
	for _, i := range derived {
		list = append(list, i.space)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Cover lists the locks that cover a range of keys. A transaction that uses these keys must hold at least one of them,
// if there are any. For reading an index without a lock, Cover returns a lock that no transaction holds.
func Cover(r kv.Range, use kv.Use) []kv.Lock {
	var list []kv.Lock
	add := func(l *layout, locks ...lock) {
		k, n, ok := l.parseBegin(r)
		for _, lock := range locks {
			switch at := l.has(lock.by); {
			case !ok || l.space != r.Space:
			case lock.by == nil || at > 0 && at <= n:
				list = append(list, lock.of(k))
			default:
				list = append(list, kv.Lock(lock.name+" of all"))
			}
		}
	}
	for _, x := range kinds {
		add(x.at(), x.coveredBy()...)
	}
	for _, i := range derived {
		switch {
		case i.lock != nil && use != kv.Deletes:
			add(&i.layout, *i.lock)
		case i.lock == nil && use == kv.Reads && i.space == r.Space:
			list = append(list, kv.Lock("one that the index would have if works may decide by it"))
		}
	}
	return list
}

// find returns the kind of value that is stored at a key, and the key's parts. It returns nil for an unknown key.
func find(space kv.Space, b []byte) (anyKind, key) {
	for _, x := range kinds {
		if x.at().space != space {
			continue
		}
		if k, ok := x.at().parse(b); ok {
			return x, k
		}
	}
	return nil, key{}
}

func (x *kind[V]) at() *layout       { return &x.layout }
func (x *kind[V]) owners() []*part   { return x.of }
func (x *kind[V]) coveredBy() []lock { return x.locks }
func (x *kind[V]) isCounted() bool   { return x.counted }
func (x *kind[V]) name(k key) string { return x.describe(x.what, k) }

// damaged returns the error for a damaged value.
func damaged(x anyKind, k key, why string) error {
	e := &DamagedError{What: x.name(k), Why: why}
	if x.at().has(byTable) > 0 {
		e.Table = k.table
	}
	return e
}

// seal encodes a value and its key for storage. It returns ErrInvalid for a value that cannot be encoded, and for a key
// that could not be decoded.
func (x *kind[V]) seal(k key, v V) (kv.Key, []byte, error) {
	b, err := x.encode(v)
	if err != nil {
		return kv.Key{}, nil, fmt.Errorf("%w: %s: %w", ErrInvalid, x.name(k), err)
	}
	at := x.key(k)
	if _, ok := x.parse(at.Key); !ok {
		return kv.Key{}, nil, fmt.Errorf("%w: %s: no id may have a zero byte", ErrInvalid, x.name(k))
	}
	return at, seal(at, b), nil
}

// open decodes a stored value. It returns a *DamagedError if that fails.
func (x *kind[V]) open(k key, raw []byte) (v V, err error) {
	b, err := unseal(x.key(k), raw)
	if err == nil {
		v, err = x.decode(k, b)
	}
	if err != nil {
		return v, damaged(x, k, err.Error())
	}
	return v, nil
}

// get reads a value. there is false if none is stored.
func (x *kind[V]) get(r kv.Reader, k key) (v V, there bool, err error) {
	raw, err := r.Get(x.key(k))
	if err != nil || raw[0] == nil {
		return v, false, err
	}
	v, err = x.open(k, raw[0])
	return v, true, err
}

// found is a value that was looked up, or the error that says why it cannot be read.
type found[V any] struct {
	key   key
	value V
	there bool
	err   error
}

// all reads many values in one round trip.
func (x *kind[V]) all(r kv.Reader, keys []key) ([]found[V], error) {
	if len(keys) == 0 {
		return nil, nil
	}
	at := make([]kv.Key, len(keys))
	for i, k := range keys {
		at[i] = x.key(k)
	}
	raw, err := r.Get(at...)
	if err != nil {
		return nil, err
	}
	list := make([]found[V], len(keys))
	for i, k := range keys {
		if list[i].key = k; raw[i] != nil {
			list[i].there = true
			list[i].value, list[i].err = x.open(k, raw[i])
		}
	}
	return list, nil
}

// scan reads the values of a range. It fails if any of them cannot be read.
func (x *kind[V]) scan(r kv.Reader, in kv.Range, order kv.Order, limit int) ([]found[V], error) {
	pairs, err := r.Scan(in, order, limit)
	if err != nil {
		return nil, err
	}
	list := make([]found[V], len(pairs))
	for i, p := range pairs {
		k, err := x.mustParse(p.Key)
		if err != nil {
			return nil, err
		}
		list[i] = found[V]{key: k, there: true}
		if list[i].value, err = x.open(k, p.Value); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// put stores a value, in place of an older one if there is one, and updates its index entries.
func (x *kind[V]) put(t *txn, k key, v V) error {
	if x.derive == nil {
		return x.replace(t, k, nil, &v)
	}
	old, there, err := x.get(t, k)
	switch {
	case err != nil:
		return err
	case there:
		return x.replace(t, k, &old, &v)
	}
	return x.replace(t, k, nil, &v)
}

// replace replaces the value old by v, and updates the index entries. old is nil if none is stored, and may be nil
// for a kind without an index; a nil v deletes the value.
func (x *kind[V]) replace(t *txn, k key, old, v *V) error {
	var before, after []entry
	if x.derive != nil && old != nil {
		before = x.derive(k, *old)
	}
	if v == nil {
		if err := t.Delete(x.key(k)); err != nil {
			return err
		}
	} else {
		at, raw, err := x.seal(k, *v)
		if err != nil {
			return err
		}
		if x.derive != nil {
			after = x.derive(k, *v)
		}
		if err := t.Put(at, raw); err != nil {
			return err
		}
	}
	return t.reindex(before, after)
}

// delete deletes a value with its entries, if it exists.
func (x *kind[V]) delete(t *txn, k key) error {
	if x.derive == nil {
		return t.Delete(x.key(k))
	}
	old, there, err := x.get(t, k)
	if err != nil || !there {
		return err
	}
	return x.replace(t, k, &old, nil)
}

// revise replaces a value with the result of change, or deletes it if keep is false. change may be called more than
// once; revise returns its error.
func (x *kind[V]) revise(ctx context.Context, s *Store, at key,
	change func(before V) (after V, keep bool, err error)) error {
	return s.update(ctx, work{
		locks: []kv.Lock{x.locks[0].of(at)}, want: kv.Want{Keys: []kv.Key{x.key(at)}},
		run: func(t *txn) error {
			before, there, err := x.get(t, at)
			if err != nil {
				return err
			}
			after, keep, err := change(before)
			switch {
			case err != nil:
				return err
			case keep:
				return x.put(t, at, after)
			case there:
				return x.delete(t, at)
			}
			return nil
		},
	})
}

func (x *kind[V]) read(k key, raw []byte) ([]entry, error) {
	v, err := x.open(k, raw)
	if err != nil || x.derive == nil {
		return nil, err
	}
	return x.derive(k, v), nil
}

func (x *kind[V]) show(k key, raw []byte) (json.RawMessage, error) {
	v, err := x.open(k, raw)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

func (x *kind[V]) export(k key, raw []byte) (json.RawMessage, error) {
	if x.secret {
		return json.RawMessage(`{"set":true}`), nil
	}
	return x.show(k, raw)
}

func (x *kind[V]) remove(t *txn, k key, raw []byte) error {
	v, err := x.open(k, raw)
	if err != nil {
		return err
	}
	return x.replace(t, k, &v, nil)
}

func (x *kind[V]) forgetIn(t *txn, f *forgotten, k key, raw []byte) error {
	v, err := x.open(k, raw)
	if err != nil {
		return err
	}
	after, changed := x.forget(f, k, v)
	if !changed {
		return nil
	}
	return x.replace(t, k, &v, &after)
}

// eachPage is the number of pairs that are read together when a whole range is read.
const eachPage = 4000

// each calls f for each pair in a range, in order. f may delete the pair, and may use key and value until it returns.
func each(r kv.Reader, in kv.Range, f func(p kv.Pair) error) error {
	for {
		page, err := r.Scan(in, kv.Ascending, eachPage)
		if err != nil {
			return err
		}
		more := len(page) == eachPage
		if more {
			in.From = append(slices.Clone(page[len(page)-1].Key), 0)
		}
		for _, p := range page {
			if err := f(p); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// mustParse parses a key, or returns a *DamagedError.
func (l *layout) mustParse(b []byte) (key, error) {
	k, ok := l.parse(b)
	if !ok {
		return k, &DamagedError{What: unreadable(l.space, b), Why: errFormat.Error()}
	}
	return k, nil
}

// entries returns the keys that a range of an index lists.
func (i *index) entries(r kv.Reader, in kv.Range, order kv.Order, limit int) ([]key, error) {
	pairs, err := r.Scan(in, order, limit)
	if err != nil {
		return nil, err
	}
	keys := make([]key, len(pairs))
	for n, p := range pairs {
		if keys[n], err = i.mustParse(p.Key); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// reindex deletes the index entries in before that are not in after, and puts those in after that are not in before.
func (t *txn) reindex(before, after []entry) error {
	type written struct {
		in  *index
		key kv.Key
		val []byte
	}
	write := func(list []entry) []written {
		all := make([]written, len(list))
		for i, e := range list {
			all[i] = written{e.in, e.in.key(e.key), e.value}
		}
		return all
	}
	has := func(list []written, w written) bool {
		return slices.ContainsFunc(list, func(o written) bool {
			return o.in == w.in && bytes.Equal(o.key.Key, w.key.Key) && bytes.Equal(o.val, w.val)
		})
	}
	old, now := write(before), write(after)
	for _, w := range old {
		if !has(now, w) {
			if err := t.Delete(w.key); err != nil {
				return err
			}
		}
	}
	for n, w := range now {
		if has(old, w) {
			continue
		}
		if l := w.in.lock; l != nil {
			if err := t.need(l.of(after[n].key)); err != nil {
				return err
			}
		}
		if w.val == nil {
			w.val = []byte{}
		}
		if err := t.Put(w.key, w.val); err != nil {
			return err
		}
	}
	return nil
}

// txn is a running write transaction.
type txn struct {
	kv.Writer
	locks []kv.Lock
}

// lockError says that a transaction needs a lock that it does not hold. The transaction is then run again with the
// lock.
type lockError struct{ lock kv.Lock }

func (e *lockError) Error() string { return "the work needs the lock " + string(e.lock) }

// need returns a *lockError unless the transaction holds the lock.
func (t *txn) need(l kv.Lock) error {
	if slices.Contains(t.locks, l) {
		return nil
	}
	return &lockError{l}
}

// forgotten renames a user in stored values. names and direct describe the table whose rows are being changed. The rows
// of a table are visited in the order of their keys.
type forgotten struct {
	user, as string
	names    []text.Name // the user's names in earlier events of the table
	direct   bool        // whether the table is in the user's direct messages
}

// rename replaces the user's id in a list, and reports whether it was there.
func (f *forgotten) rename(users []string) ([]string, bool) {
	if !slices.Contains(users, f.user) {
		return users, false
	}
	users = slices.Clone(users)
	for i, u := range users {
		if u == f.user {
			users[i] = f.as
		}
	}
	return users, true
}

// unmention replaces the user's id in a text by …, even within mentions.
func (f *forgotten) unmention(n text.Name) text.Name {
	return text.NewName(strings.ReplaceAll(n.Plain(), f.user, "…"))
}
