// Package strict is an in-memory engine for tests. It detects uses that package kv does not allow.
//
// A Work that reads or writes keys outside its locks gets an [*UncoveredError], which Refused also lists. Some Works
// are run twice. The slices that a Reader returned are overwritten when its transaction ends. The engine panics if a
// caller has changed a slice that was passed to a Writer or returned by a Reader.
package strict

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/tidwall/btree"

	"marque/storage/kv"
)

// Cover returns the locks that cover a use of a range of keys. A Work must hold at least one of them, if there are any.
// The range of a single key ends directly after the key.
type Cover func(r kv.Range, use kv.Use) []kv.Lock

// UncoveredError says that a Work used keys that its locks do not cover.
type UncoveredError struct {
	Range kv.Range
	Use   kv.Use
	Has   []kv.Lock // locks that the Work holds
	Needs []kv.Lock // locks of which the Work needs one
}

func (e *UncoveredError) Error() string {
	return fmt.Sprintf("a work %s %q to %q of %s with the locks %q, and needs one of %q",
		e.Use, e.Range.From, e.Range.To, e.Range.Space, e.Has, e.Needs)
}

// Engine is an in-memory engine.
type Engine struct {
	cover Cover
	turn  chan struct{} // holds a token while no transaction writes

	mu      sync.Mutex
	state   *btree.BTreeG[pair]
	lost    map[kv.Fence]bool
	refused []error
	fail    func() error
	under   int
	closed  bool
}

var (
	_ kv.Engine   = (*Engine)(nil)
	_ kv.Overseer = (*Engine)(nil)
)

// pair is a key with its value.
type pair struct {
	kv.Key
	value []byte
}

func before(a, b pair) bool {
	return cmp.Or(cmp.Compare(a.Space, b.Space), bytes.Compare(a.Key.Key, b.Key.Key)) < 0
}

// New returns an empty engine. If cover is nil, Works need no locks.
func New(cover Cover) *Engine {
	if cover == nil {
		cover = func(kv.Range, kv.Use) []kv.Lock { return nil }
	}
	e := &Engine{cover: cover, turn: make(chan struct{}, 1), state: btree.NewBTreeGOptions(before,
		btree.Options{NoLocks: true}),
		lost: map[kv.Fence]bool{}}
	e.turn <- struct{}{}
	return e
}

// Refused lists the *UncoveredErrors of all Works so far, even of Works that ignored them.
func (e *Engine) Refused() []error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.refused)
}

// End ends the term of a lease. Works under the lease's fence are refused afterwards.
func (e *Engine) End(f kv.Fence) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lost[f] = true
}

// Fail sets a function that every commit calls first. If it returns an error, the commit fails with this error. A nil f
// removes the hook.
func (e *Engine) Fail(f func() error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fail = f
}

// enter returns the current state, or ctx's error if ctx has ended. If there is no error, leave must be called after
// the use. enter panics if the engine is closed.
func (e *Engine) enter(ctx context.Context) (*btree.BTreeG[pair], error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		panic("an engine is used after Close")
	}
	e.under++
	return e.state.Copy(), nil
}

func (e *Engine) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.under--
}

// View calls read with a consistent snapshot.
func (e *Engine) View(ctx context.Context, read func(r kv.Reader) error) error {
	state, err := e.enter(ctx)
	if err != nil {
		return err
	}
	defer e.leave()
	r := &reader{state: state}
	defer r.end()
	err = read(r)
	check(r.lent)
	return err
}

// Begin begins a write transaction. It panics if locks are not sorted, or not distinct.
func (e *Engine) Begin(ctx context.Context, locks []kv.Lock, fences []kv.Fence, _ []kv.Want) (kv.Tx, []bool, error) {
	if !slices.IsSorted(locks) || len(slices.Compact(slices.Clone(locks))) < len(locks) {
		panic(fmt.Sprintf("locks are not sorted, or not distinct: %q", locks))
	}
	select {
	case <-e.turn:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	state, err := e.enter(ctx)
	if err != nil {
		e.turn <- struct{}{}
		return nil, nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	held := make([]bool, len(fences))
	for i, f := range fences {
		held[i] = !e.lost[f]
	}
	return &tx{reader: reader{state: state}, engine: e}, held, nil
}

// Parallel returns 1: write transactions run one after another.
func (e *Engine) Parallel() int { return 1 }

// Spaces lists the spaces that have keys.
func (e *Engine) Spaces(ctx context.Context) (list []kv.Space, err error) {
	state, err := e.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer e.leave()
	state.Scan(func(p pair) bool {
		if len(list) == 0 || list[len(list)-1] != p.Space {
			list = append(list, p.Space)
		}
		return true
	})
	return list, nil
}

// Alive returns the error that a commit would return because of Fail.
func (e *Engine) Alive(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fail != nil {
		return e.fail()
	}
	return nil
}

// Size returns the total size of all keys and values.
func (e *Engine) Size(ctx context.Context) (size kv.Size, err error) {
	state, err := e.enter(ctx)
	if err != nil {
		return size, err
	}
	defer e.leave()
	state.Scan(func(p pair) bool {
		size.Bytes += int64(len(p.Space) + len(p.Key.Key) + len(p.value))
		return true
	})
	return size, nil
}

// Close closes the engine. It panics if another call is running.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.under > 0 {
		panic("an engine is closed while something is under way")
	}
	e.closed = true
	return nil
}

// Run runs a Work, sometimes twice, and checks the keys that it reads and writes.
func (e *Engine) Run(work kv.Work, fresh func() kv.Writer) error {
	if rand.IntN(4) == 0 {
		_ = e.run(work, fresh())
	}
	return e.run(work, fresh())
}

func (e *Engine) run(work kv.Work, w kv.Writer) error {
	o := &overseen{engine: e, work: work, below: w}
	err := work.Run(o)
	check(o.lent)
	if o.refused != nil {
		return o.refused
	}
	return err
}

// overseen is the Writer of a Work. It checks the locks for each key that the Work uses.
type overseen struct {
	engine  *Engine
	work    kv.Work
	below   kv.Writer
	refused error
	lent    []lent
}

// lent is a slice that must not be changed, with a copy to compare it with.
type lent struct{ slice, was []byte }

func (o *overseen) lend(list ...[]byte) {
	for _, b := range list {
		o.lent = append(o.lent, lent{b, bytes.Clone(b)})
	}
}

func check(list []lent) {
	for _, l := range list {
		if !bytes.Equal(l.slice, l.was) {
			panic(fmt.Sprintf("%q, which was read or put, was changed to %q", l.was, l.slice))
		}
	}
}

func rangeOf(k kv.Key) kv.Range {
	return kv.Range{Space: k.Space, From: k.Key, To: append(bytes.Clone(k.Key), 0)}
}

// covered returns an *UncoveredError if this use of the range needs a lock, and the Work holds none that covers it.
func (o *overseen) covered(r kv.Range, use kv.Use) error {
	needs := o.engine.cover(r, use)
	if len(needs) == 0 || slices.ContainsFunc(needs, func(l kv.Lock) bool { return slices.Contains(o.work.Locks, l) }) {
		return nil
	}
	err := &UncoveredError{Range: r, Use: use, Has: o.work.Locks, Needs: needs}
	o.refused = cmp.Or(o.refused, error(err))
	o.engine.mu.Lock()
	defer o.engine.mu.Unlock()
	o.engine.refused = append(o.engine.refused, err)
	return err
}

func (o *overseen) Get(keys ...kv.Key) ([][]byte, error) {
	for _, k := range keys {
		if err := o.covered(rangeOf(k), kv.Reads); err != nil {
			return nil, err
		}
	}
	values, err := o.below.Get(keys...)
	o.lend(values...)
	return values, err
}

func (o *overseen) Scan(r kv.Range, order kv.Order, limit int) ([]kv.Pair, error) {
	if err := o.covered(r, kv.Reads); err != nil {
		return nil, err
	}
	list, err := o.below.Scan(r, order, limit)
	for _, p := range list {
		o.lend(p.Key, p.Value)
	}
	return list, err
}

func (o *overseen) Count(r kv.Range) (int, error) {
	if err := o.covered(r, kv.Reads); err != nil {
		return 0, err
	}
	return o.below.Count(r)
}

func (o *overseen) Put(k kv.Key, value []byte) error {
	if err := o.covered(rangeOf(k), kv.Puts); err != nil {
		return err
	}
	o.lend(k.Key, value)
	return o.below.Put(k, value)
}

func (o *overseen) Delete(k kv.Key) error {
	if err := o.covered(rangeOf(k), kv.Deletes); err != nil {
		return err
	}
	o.lend(k.Key)
	return o.below.Delete(k)
}

func (o *overseen) DeleteRange(r kv.Range) error {
	if err := o.covered(r, kv.Deletes); err != nil {
		return err
	}
	o.lend(r.From, r.To)
	return o.below.DeleteRange(r)
}

// reader reads a snapshot. It returns copies, and overwrites them when the transaction ends.
type reader struct {
	state *btree.BTreeG[pair]
	lent  []lent
	ended bool
}

func (r *reader) lend(b []byte) []byte {
	if r.ended {
		panic("a transaction is used after its end")
	}
	if b == nil {
		return nil
	}
	l := append(make([]byte, 0, len(b)), b...) // non-nil even if b is empty
	r.lent = append(r.lent, lent{l, bytes.Clone(b)})
	return l
}

func (r *reader) end() {
	if r.ended {
		return
	}
	r.ended = true
	for _, l := range r.lent {
		for i := range l.slice {
			l.slice[i] = 0xdb
		}
	}
}

func (r *reader) Get(keys ...kv.Key) ([][]byte, error) {
	values := make([][]byte, len(keys))
	for i, k := range keys {
		if p, ok := r.state.Get(pair{Key: k}); ok {
			values[i] = r.lend(p.value)
		}
	}
	return values, nil
}

func (r *reader) Scan(rg kv.Range, order kv.Order, limit int) ([]kv.Pair, error) {
	if limit <= 0 {
		panic(fmt.Sprintf("a scan of at most %d", limit))
	}
	list := r.within(rg)
	if order == kv.Descending {
		slices.Reverse(list)
	}
	pairs := make([]kv.Pair, min(limit, len(list)))
	for i := range pairs {
		pairs[i] = kv.Pair{Key: r.lend(list[i].Key.Key), Value: r.lend(list[i].value)}
	}
	return pairs, nil
}

func (r *reader) Count(rg kv.Range) (int, error) { return len(r.within(rg)), nil }

func (r *reader) within(rg kv.Range) (list []pair) {
	if r.ended {
		panic("a transaction is used after its end")
	}
	r.state.Ascend(pair{Key: kv.Key{Space: rg.Space, Key: rg.From}}, func(p pair) bool {
		if !rg.Has(p.Key) {
			return false
		}
		list = append(list, p)
		return true
	})
	return list
}

// tx is a write transaction.
type tx struct {
	reader
	engine *Engine
	over   bool
}

var errOrder = errors.New("changes are not in their order, or not distinct")

// Commit applies the changes and ends the transaction.
func (t *tx) Commit(_ context.Context, changes []kv.Change) error {
	defer t.Rollback()
	t.engine.mu.Lock()
	fail := t.engine.fail
	t.engine.mu.Unlock()
	if fail != nil {
		if err := fail(); err != nil {
			return err
		}
	}
	var last *pair
	for _, c := range changes {
		if c.Delete != nil {
			if last != nil {
				panic(errOrder)
			}
			for _, p := range t.within(*c.Delete) {
				t.state.Delete(p)
			}
			continue
		}
		p := pair{kv.Key{Space: c.Key.Space, Key: bytes.Clone(c.Key.Key)}, append([]byte{}, c.Value...)}
		if last != nil && !before(*last, p) {
			panic(errOrder)
		}
		last = &p
		if c.Value == nil {
			t.state.Delete(p)
		} else {
			t.state.Set(p)
		}
	}
	t.engine.mu.Lock()
	defer t.engine.mu.Unlock()
	t.engine.state = t.state
	return nil
}

// Rollback ends the transaction without changes.
func (t *tx) Rollback() {
	if t.over {
		return
	}
	t.over = true
	t.end()
	t.engine.leave()
	t.engine.turn <- struct{}{}
}
