package bolt

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"marque/storage"
)

func BenchmarkExp(b *testing.B) {
	path := populate(b, 1000)
	s, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	head := func(id storage.ID) storage.Head { h, _ := s.Head(context.Background(), id); return h }
	run := func(name string, f func(h storage.Head, p *prepared) error) {
		b.Run(name, func(b *testing.B) {
			var took, ground time.Duration
			i := 0
			for n := b.N; n > 0; n -= 500 {
				for range min(n, 500) {
					i++
					h := head(storage.ID(1 + i*7%1000))
					c := next(h, 2)
					c.Key = h.ID.String() + "-158000000000" + time.Now().String()[:12]
					p, err := prepare(c)
					if err != nil {
						b.Fatal(err)
					}
					st := time.Now()
					if err := f(h, p); err != nil {
						b.Fatal(err)
					}
					took += time.Since(st)
				}
				ground += floor(b, filepath.Dir(path), 200) * 500
			}
			b.ReportMetric(float64(took)/float64(ground), "floor-x")
			b.ReportMetric(float64(took.Microseconds())/float64(b.N), "us")
		})
	}
	run("head", func(h storage.Head, p *prepared) error {
		return s.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(tableBucket).Put(headKey(h.ID), p.head[:len(p.head)]) })
	})
	run("full", func(h storage.Head, p *prepared) error {
		h2 := head(h.ID)
		p.change.Head.Events = h2.Events + 2
		return s.db.Update(func(tx *bbolt.Tx) error { return p.store(&txn{tx: tx}, h.ID, h2) })
	})
	run("queue", func(h storage.Head, p *prepared) error {
		h2 := head(h.ID)
		p.change.Head.Events = h2.Events + 2
		return s.do(context.Background(), func(t *txn) error { return p.store(t, h.ID, h2) })
	})
}
