package bolt

import (
	"bytes"
	"context"

	"marque/storage"
	"marque/storage/encode"
)

func encodeResult(r storage.Result) ([]byte, error) { return encode.Result(r) }

func decodeResult(key, b []byte) (storage.Result, error) {
	b, err := unseal(resultBucket, key, b)
	if err != nil {
		return storage.Result{Table: tableOf(key)}, err
	}
	r, err := encode.ParseResult(tableOf(key), b)
	if err != nil {
		return r, damaged(resultBucket, key, err.Error())
	}
	return r, nil
}

// decodeFacts reads what a storage.ResultQuery's Keep is given; all of the result where it has no facts.
// It may use the lists of scratch anew.
func decodeFacts(key, b []byte, scratch storage.Result) (storage.Result, error) {
	b, err := unseal(resultBucket, key, b)
	if err != nil {
		return scratch, err
	}
	r, err := encode.ParseFacts(tableOf(key), b, scratch)
	if err != nil {
		return scratch, damaged(resultBucket, key, err.Error())
	}
	return r, nil
}

// lacksFacts reports whether a result can be read and has none.
func lacksFacts(key, b []byte) bool {
	b, err := unseal(resultBucket, key, b)
	if err != nil {
		return false
	}
	has, err := encode.HasFacts(b)
	return err == nil && !has
}

// fillFacts does the job of giving the results of an older file their facts.
func (s *Store) fillFacts(ctx context.Context, j job) error {
	return s.steps(ctx, j, func(t *txn, j *job) error {
		var old []storage.Result
		c := t.tx.Bucket(resultBucket).Cursor()
		k, v := following(c, j.After)
		for n := 0; k != nil && n < stepRows; n++ {
			j.After = bytes.Clone(k)
			if lacksFacts(k, v) {
				r, err := decodeResult(k, v)
				if err != nil {
					return err
				}
				old = append(old, r)
			} // Check names what is damaged
			k, v = c.Next()
		}
		j.done = k == nil
		for _, r := range old {
			if err := putResult(t, r); err != nil {
				return err
			}
		}
		return nil
	})
}
