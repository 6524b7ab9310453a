package bolt

import (
	"bytes"
	"context"
	"encoding/binary"

	"go.etcd.io/bbolt"

	"marque/storage"
)

// filmPrefix and a table's number are the key, among the bot's notes, of a game that waits for its replay.
var filmPrefix = []byte("film")

func filmKey(id storage.ID) []byte {
	return binary.BigEndian.AppendUint64(bytes.Clone(filmPrefix), uint64(id))
}

// WantFilm notes that a game waits for its replay, unless it does already.
func (s *leagues) WantFilm(ctx context.Context, id storage.ID) error {
	return s.setFilm(ctx, storage.Film{Table: id}, false)
}

// PutOffFilm notes how often the replay of a game was put off.
func (s *leagues) PutOffFilm(ctx context.Context, f storage.Film) error {
	return s.setFilm(ctx, f, true)
}

func (s *leagues) setFilm(ctx context.Context, f storage.Film, again bool) error {
	b, err := encodeJSON(f.Tries)
	if err != nil {
		return err
	}
	key := filmKey(f.Table)
	return s.do(ctx, func(t *txn) error {
		if (t.tx.Bucket(botBucket).Get(key) != nil) != again {
			return nil
		}
		return t.put(botBucket, key, b)
	})
}

// Films lists at most limit games that wait for their replays, by the numbers of their tables, of those behind after.
func (s *leagues) Films(ctx context.Context, after storage.ID, limit int) ([]storage.Film, error) {
	var list []storage.Film
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		c := tx.Bucket(botBucket).Cursor()
		for k, v := c.Seek(filmKey(after + 1)); isFilm(k) && len(list) < limit; k, v = c.Next() {
			f := storage.Film{Table: tableOf(k[len(filmPrefix):])}
			if err := decodeJSON(botBucket, k, v, &f.Tries); err != nil {
				f.Tries = 0 // Check says that it is damaged; the game is known by the key
			}
			list = append(list, f)
		}
		return nil
	})
	return list, err
}

func isFilm(key []byte) bool {
	return bytes.HasPrefix(key, filmPrefix) && len(key) == len(filmPrefix)+8
}

// DropFilm notes that a game waits no longer.
func (s *leagues) DropFilm(ctx context.Context, id storage.ID) error {
	return s.do(ctx, func(t *txn) error { return t.del(botBucket, filmKey(id)) })
}
