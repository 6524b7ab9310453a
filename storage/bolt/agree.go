package bolt

import (
	"encoding/binary"
	"hash/maphash"

	"marque/games"
	"marque/storage"
)

// agreement reads all rows of a file once, in their order, and says whether indexes, counters and rows are as the tables, the
// results and the settings of users make them. It looks nothing up, so it takes as long as reading the file, and of a large one it holds no more than of
// a small one: of each bucket a sum of what it has and of what it should have. That they are equal by chance is one in 2^128.
// It says that something is wrong and not what; see checkTables, checkResults and checkScores for that.
type agreement struct {
	filled    bool // see isFilled
	scored    bool // the file has an index of scores
	seeds     [2]maphash.Seed
	has       map[string]*rowSum
	should    map[string]*rowSum
	sequences map[string]uint64
	standings [2]int // of each generation
	wrong     bool

	results map[storage.ID]uint64 // which tables have a result, a bit each, 64 to a number
	order   uint64                // the last of the results'

	table    storage.ID // whose rows are being read
	head     storage.Head
	headed   bool
	events   uint64 // of table
	post     uint64 // the version of table that was published last
	newest   storage.ID
	scratch  []byte
	starting bool // no table's rows have been read
}

// rowSum is a sum over rows, whatever their order.
type rowSum struct{ rows, a, b uint64 }

func newAgreement(filled, scored bool) *agreement {
	return &agreement{
		filled: filled, scored: scored, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, has: map[string]*rowSum{}, should: map[string]*rowSum{},
		sequences: map[string]uint64{}, results: map[storage.ID]uint64{}, starting: true,
	}
}

// comparedBuckets are those whose keys follow from the tables, the results and the settings of users, and of lists of results their values.
var comparedBuckets = [][]byte{
	detailBucket, outboxBucket, dueBucket, channelBucket, guildBucket, userBucket, turnBucket, rematchBucket,
	guildResults, gameResults, userResults, orderResults, longResults, scoreBucket,
}

func (g *agreement) sum(in map[string]*rowSum, bucket, key, value []byte) {
	s := in[string(bucket)]
	if s == nil {
		s = &rowSum{}
		in[string(bucket)] = s
	}
	g.scratch = append(append(binary.AppendUvarint(g.scratch[:0], uint64(len(key))), key...), value...)
	s.rows++
	s.a += maphash.Bytes(g.seeds[0], g.scratch)
	s.b += maphash.Bytes(g.seeds[1], g.scratch)
}

// row reads a row, which can be read. Those of a table come together, and all results before all tables.
func (g *agreement) row(bucket, key, value []byte) {
	switch string(bucket) {
	case string(tableBucket):
		if len(key) < 9 {
			g.wrong = true
			return
		}
		g.tableRow(key, value)
	case string(resultBucket):
		g.result(key, value)
	case string(detailBucket):
		if len(key) != 8 {
			g.wrong = true
			return
		}
		_, err := decodeDetail(tableOf(key), value)
		g.wrong = g.wrong || err != nil
		g.sum(g.has, bucket, key, nil)
	case string(userPreference):
		list, err := scoreKeys(key, value)
		g.wrong = g.wrong || err != nil
		if g.scored {
			for _, k := range list {
				g.sum(g.should, scoreBucket, k, nil)
			}
		}
	case string(standingBucket):
		g.standings[0]++
	case string(standingBucketB):
		g.standings[1]++
	default:
		if has(comparedBuckets, bucket) {
			g.sum(g.has, bucket, key, value)
		}
	}
}

func (g *agreement) tableRow(key, value []byte) {
	if id := tableOf(key[:8]); g.starting || id != g.table {
		g.endTable()
		g.table, g.headed, g.events, g.post, g.starting = id, false, 0, 0, false
	}
	var err error
	switch key[8] {
	case headRow:
		g.head, err = decodeHead(g.table, value)
		g.headed = err == nil
	case postRow:
		if value, err = unseal(tableBucket, key, value); err == nil && len(value) >= 8 {
			g.post = binary.BigEndian.Uint64(value)
		}
	case eventRow:
		if len(key) != 13 || eventIndex(key) != g.events {
			g.wrong = true
		}
		g.events++
		_, err = decodeEvent(key, value)
	case reviewRow:
		err = decodeJSON(tableBucket, key, value, new(storage.Review))
	}
	g.wrong = g.wrong || err != nil
}

// endTable compares the rows of a table with each other once all are read, and adds what the indexes should have of it.
func (g *agreement) endTable() {
	if !g.headed {
		g.wrong = g.wrong || g.events > 0
		return
	}
	h := g.head
	g.newest = max(g.newest, h.ID)
	if g.events != h.Events || g.post > h.Version || h.Status != storage.Over && g.results[h.ID/64]>>(h.ID%64)&1 == 1 {
		g.wrong = true
	}
	g.sum(g.should, detailBucket, tableKey(h.ID), nil)
	for _, e := range entries(h) {
		g.sum(g.should, e.bucket, e.key, nil)
	}
	if g.post < h.Version {
		g.sum(g.should, outboxBucket, tableKey(h.ID), nil)
	}
}

func (g *agreement) result(key, value []byte) {
	if len(key) != 8 {
		g.wrong = true
		return
	}
	r, err := decodeResult(key, value)
	if err != nil {
		g.wrong = true
		return
	}
	g.results[r.Table/64] |= 1 << (r.Table % 64)
	g.order = max(g.order, r.Order)
	g.sum(g.should, orderResults, orderKey(r.Guild, r.Order), key)
	list, mark := resultEntries(r)
	for _, e := range list {
		g.sum(g.should, e.bucket, e.key, mark)
	}
	if r.Ending != games.Abandoned {
		g.sum(g.should, longResults, longKey(r), nil)
	}
}

// holds reports, when all rows are read, whether everything is as it should be.
func (g *agreement) holds() bool {
	g.endTable()
	if g.wrong || g.sequences[string(tableBucket)] < uint64(g.newest) || g.sequences[string(resultBucket)] < g.order {
		return false
	}
	for _, b := range comparedBuckets {
		if !g.filled && isFilledIn(b) {
			continue
		}
		var has, should rowSum
		if s := g.has[string(b)]; s != nil {
			has = *s
		}
		if s := g.should[string(b)]; s != nil {
			should = *s
		}
		if has != should {
			return false
		}
	}
	return true
}
