package bolt

import (
	"bytes"
	"fmt"
	"strconv"

	"go.etcd.io/bbolt"

	"marque/storage"
	"marque/storage/encode"
)

// Every value that says something carries a checksum of its bucket, its key and itself, so that it is noticed when it is not what was written, and when it
// stands under a key that is not its own. The entries of indexes have none: Check compares them with what they were made from.
//
// Files of schema 1 have values without. Those are read as they are, and get a checksum when they are written anew, or all at once by Compact. A file
// in which all have one says so in its meta bucket.

const (
	sealedFormat = encode.SealedFormat
	sealLen      = encode.SealLen
)

// sealedBuckets are those whose values carry a checksum.
var sealedBuckets = [][]byte{
	tableBucket, detailBucket, resultBucket, standingBucket, leagueBucket, guildPreference, userPreference, botBucket,
	jobBucket, ratingBucket, standingBucketB, ratingBucketB,
}

// bareBuckets are indexes whose entries are keys alone.
var bareBuckets = [][]byte{outboxBucket, dueBucket, channelBucket, guildBucket, userBucket, longResults, ranksBucket,
	ranksBucketB, turnBucket, rematchBucket, generationBucket, scoreBucket}

func isBare(bucket []byte) bool { return has(bareBuckets, bucket) }

func isSealed(bucket []byte) bool { return has(sealedBuckets, bucket) }

func has(list [][]byte, bucket []byte) bool {
	for _, b := range list {
		if bytes.Equal(b, bucket) {
			return true
		}
	}
	return false
}

// seal puts a checksum before a value.
func seal(bucket, key, value []byte) []byte { return encode.Seal(bucket, key, value) }

// unseal compares a value's checksum, if it has one, and returns what is behind it; nil for nil. It returns a *storage.DamagedError.
func unseal(bucket, key, b []byte) ([]byte, error) {
	b, err := encode.Unseal(bucket, key, b)
	if err != nil {
		return nil, damaged(bucket, key, err.Error())
	}
	return b, nil
}

// sealedKey is set in the meta bucket of a file in which every value has a checksum.
var sealedKey = []byte("sealed")

// beginSealing marks a file that has no values yet.
func beginSealing(tx *bbolt.Tx) error {
	for _, bucket := range sealedBuckets {
		b := tx.Bucket(bucket)
		if b == nil {
			continue // a later step makes it
		}
		if k, _ := b.Cursor().First(); k != nil {
			return nil
		}
	}
	b, err := tx.CreateBucketIfNotExists(metaBucket)
	if err != nil {
		return err
	}
	return b.Put(sealedKey, []byte{})
}

// damaged is the error for the value of a key.
func damaged(bucket, key []byte, why string) error {
	e := &storage.DamagedError{Why: why}
	e.Table, e.What = whose(bucket, key)
	return e
}

// shown is a name from a key, quoted where it is not as names are.
func shown(name []byte) string {
	if q := strconv.Quote(string(name)); q != `"`+string(name)+`"` {
		return q
	}
	return string(name)
}

// whose says which value a key is of, and the table it belongs to, 0 for none.
func whose(bucket, key []byte) (storage.ID, string) {
	of := shown(bytes.TrimSuffix(key, []byte{0}))
	switch string(bucket) {
	case string(tableBucket):
		if len(key) < 9 {
			break
		}
		id, what := tableOf(key[:8]), "a row"
		switch row := key[8]; {
		case row == headRow:
			what = "the head"
		case row == postRow:
			what = "the mark of what is published"
		case row == commandRow && id == 0:
			return 0, "the key of a command that opened a table"
		case row == commandRow:
			what = "the key of a command"
		case row == eventRow && len(key) == 13:
			what = fmt.Sprintf("event %d", eventIndex(key))
		case row == reviewRow:
			what = "the review"
		}
		return id, fmt.Sprintf("%s of table %d", what, id)
	case string(detailBucket), string(resultBucket):
		if len(key) != 8 {
			break
		}
		what := "the detail"
		if string(bucket) == string(resultBucket) {
			what = "the result"
		}
		return tableOf(key), fmt.Sprintf("%s of table %d", what, tableOf(key))
	case string(standingBucket):
		if board, player, ok := splitStanding(key); ok {
			guild, _, _ := bytes.Cut(board, []byte{0})
			return 0, fmt.Sprintf("the standing of %s on a leaderboard of server %s", shown([]byte(player)), shown(guild))
		}
	case string(leagueBucket):
		return 0, fmt.Sprintf("the seasons of server %s", of)
	case string(guildPreference):
		return 0, fmt.Sprintf("the settings of server %s", of)
	case string(botBucket):
		if isFilm(key) {
			id := tableOf(key[len(filmPrefix):])
			return id, fmt.Sprintf("the note that table %d waits for its replay", id)
		}
		return 0, fmt.Sprintf("the bot's %s", key)
	case string(userPreference):
		return 0, fmt.Sprintf("the settings of user %s", of)
	}
	return 0, fmt.Sprintf("%s %x", bucket, key)
}
