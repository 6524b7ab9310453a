package bolt

import (
	"context"
	"fmt"

	"go.etcd.io/bbolt"

	"marque/storage"
)

// Review returns what was found in a table's game, the zero Review when nothing was looked for; or storage.ErrNoTable.
func (s *leagues) Review(ctx context.Context, id storage.ID) (storage.Review, error) {
	var r storage.Review
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		rows := tx.Bucket(tableBucket)
		if rows.Get(headKey(id)) == nil {
			return storage.ErrNoTable
		}
		key := rowKey(id, reviewRow)
		if b := rows.Get(key); b != nil {
			return decodeJSON(tableBucket, key, b, &r)
		}
		return nil
	})
	return r, err
}

// SetReview stores what was found in the game of a table that is over, as storage.Engine says.
func (s *leagues) SetReview(ctx context.Context, id storage.ID, r storage.Review) error {
	if err := r.Check(); err != nil {
		return err
	}
	b, err := encodeJSON(r)
	if err != nil {
		return err
	}
	return s.do(ctx, func(t *txn) error {
		head, err := loadHead(t.tx, id)
		if err != nil {
			return err
		}
		if head.Status != storage.Over {
			return fmt.Errorf("%w: table %d goes on and cannot be reviewed", storage.ErrInvalid, id)
		}
		key := rowKey(id, reviewRow)
		var there storage.Review
		if old := t.get(tableBucket, key); old != nil && decodeJSON(tableBucket, key, old, &there) == nil && there.Looked > r.Looked {
			return nil // a damaged one is made good
		}
		return t.put(tableBucket, key, b)
	})
}
