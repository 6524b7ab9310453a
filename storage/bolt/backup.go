package bolt

import (
	"context"
	"io"

	"go.etcd.io/bbolt"
)

// Backup writes a consistent copy of the file to w while the store goes on. It returns the number of bytes.
func (s *Store) Backup(ctx context.Context, w io.Writer) (int64, error) {
	var n int64
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		var err error
		n, err = tx.WriteTo(untilDone{ctx, w})
		return err
	})
	return n, err
}

// untilDone is a writer that takes nothing once its context is done.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u untilDone) Write(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(b)
}
