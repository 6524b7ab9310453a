package encode

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"

	"marque/storage"
)

// Digest is a sum over the pieces of a store, whatever their order. Two stores that hold the same have the same.
type Digest struct {
	Pieces int
	Tables int
	sum    [4]uint64
}

// DigestOf is the digest of all that a store holds.
func DigestOf(ctx context.Context, from storage.Exporter) (Digest, error) {
	var d Digest
	err := from.Export(ctx, d.Add)
	return d, err
}

// Add adds a piece.
func (d *Digest) Add(p storage.Piece) error {
	var err error
	h := sha256.New()
	write := json.NewEncoder(h)
	if t := p.Table; t != nil {
		d.Tables++
		b, derr := Detail(t.Detail)
		for _, e := range t.Events {
			b = AppendEvent(append(b, 0), e)
		}
		h.Write(b)
		err = derr
		err = first(err, write.Encode([]any{t.Head.ID, t.Head.Version, t.Head.Events, t.Head, t.Published, t.Note, t.Review}))
		p.Table = nil
	}
	if r := p.Result; r != nil {
		copied := *r
		if !r.Counts() || len(r.Ratings) == 0 {
			copied.Ratings = nil
		}
		p.Result = &copied
		err = first(err, write.Encode(r.Table))
	}
	if l := p.Line; l != nil {
		err = first(err, write.Encode([]any{l.Player, l.Board.Game, l.Board.Guild}))
	}
	err = first(err, write.Encode(p))
	for i, part := range slices.Collect(slices.Chunk(h.Sum(nil), 8)) {
		d.sum[i] += binary.BigEndian.Uint64(part)
	}
	d.Pieces++
	return err
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
