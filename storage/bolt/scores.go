package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"

	"go.etcd.io/bbolt"

	"marque/storage"
	"marque/storage/encode"
)

// The scores of a server in a month are an index of what the settings of users say. It is kept by txn.put and txn.del, whoever writes settings.

// scoreKey is where a score stands: the best of its server and month is first.
func scoreKey(user string, s storage.Score) []byte {
	k := scorePrefix(s.Server, s.Month)
	k = binary.BigEndian.AppendUint32(k, ^uint32(s.Solved))
	k = binary.BigEndian.AppendUint32(k, ^uint32(s.First))
	return name(k, user)
}

func scorePrefix(server, month string) []byte { return name(name(nil, server), month) }

// scoreKeys are the keys of all scores in a user's settings, as they are stored; an error is a *storage.DamagedError.
func scoreKeys(key, value []byte) ([][]byte, error) {
	b, err := unseal(userPreference, key, value)
	if err != nil || b == nil {
		return nil, err
	}
	var settings json.RawMessage
	if err := encode.ParseJSON(b, &settings); err != nil {
		return nil, damaged(userPreference, key, err.Error())
	}
	var keys [][]byte
	for _, s := range storage.ScoresIn(settings) {
		keys = append(keys, scoreKey(userOf(key), s))
	}
	return keys, nil
}

// userOf is the user of a key of settings.
func userOf(key []byte) string { return string(bytes.TrimSuffix(key, []byte{0})) }

// rescore puts the scores of a user's settings in the place of those of the settings before; nil for none.
func (t *txn) rescore(key, settings []byte) error {
	scores := t.tx.Bucket(scoreBucket)
	if scores == nil {
		return nil // in a file of an older schema
	}
	before, err := scoreKeys(key, t.get(userPreference, key))
	if err != nil { // nobody knows which
		before = scoresOf(scores, key)
	}
	for _, k := range before {
		if err := t.del(scoreBucket, k); err != nil {
			return err
		}
	}
	after, err := scoreKeys(key, settings)
	if err != nil {
		return err
	}
	for _, k := range after {
		if err := t.put(scoreBucket, k, []byte{}); err != nil {
			return err
		}
	}
	return nil
}

// scoresOf looks through all scores for those of the user of a key of settings.
func scoresOf(scores *bbolt.Bucket, key []byte) (keys [][]byte) {
	_ = scores.ForEach(func(k, _ []byte) error {
		if s, ok := splitScore(k); ok && s.User == userOf(key) {
			keys = append(keys, bytes.Clone(k))
		}
		return nil
	})
	return keys
}

// splitScore takes the key of a score apart.
func splitScore(k []byte) (s storage.Scored, ok bool) {
	server, k, _ := bytes.Cut(k, []byte{0})
	month, k, _ := bytes.Cut(k, []byte{0})
	if len(k) < 9 {
		return s, false
	}
	s.Server, s.Month = string(server), string(month)
	s.Solved, s.First = int(^binary.BigEndian.Uint32(k)), int(^binary.BigEndian.Uint32(k[4:]))
	s.User = userOf(k[8:])
	return s, true
}

// Scores is a server's table of a month, as storage.Engine says.
func (s *choices) Scores(ctx context.Context, server, month string, limit int) (storage.ScorePage, error) {
	var page storage.ScorePage
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		page = storage.ScorePage{}
		prefix := scorePrefix(server, month)
		c := tx.Bucket(scoreBucket).Cursor()
		for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
			if page.Total++; page.Total > limit {
				continue
			}
			line, ok := splitScore(k)
			if !ok {
				return damaged(scoreBucket, k, "it is no score")
			}
			page.Lines = append(page.Lines, line)
		}
		return nil
	})
	return page, err
}

// createScores makes the index of scores, and fills it in. A value that cannot be read has none; Check names it.
func createScores(tx *bbolt.Tx) error {
	scores, err := tx.CreateBucket(scoreBucket)
	if err != nil {
		return err
	}
	return tx.Bucket(userPreference).ForEach(func(k, v []byte) error {
		keys, err := scoreKeys(k, v)
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		for _, k := range keys {
			if err := scores.Put(k, []byte{}); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkScores compares the index of scores with the settings of users, to say where they differ.
func checkScores(tx *bbolt.Tx, fault func(string, ...any)) {
	if tx.Bucket(scoreBucket) == nil {
		return
	}
	n := 0
	_ = tx.Bucket(userPreference).ForEach(func(k, v []byte) error {
		list, err := scoreKeys(k, v)
		if err != nil {
			fault("%v", err)
		}
		for _, key := range list {
			if n++; tx.Bucket(scoreBucket).Get(key) == nil {
				fault("a score of user %s is not in the index %s", shown([]byte(userOf(k))), scoreBucket)
			}
		}
		return nil
	})
	if had := keys(tx, scoreBucket); had != n {
		fault("the index %s has %d entries, the settings of users %d", scoreBucket, had, n)
	}
}
